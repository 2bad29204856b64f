"""TRL's own rollout process and trainers, with a scripted server in the model's place."""
