"""What the training checks are made with: the tiny model, the vLLM server, runs of training scripts, their results."""
