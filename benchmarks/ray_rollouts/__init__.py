"""How many rollouts a minute AsyncGRPO's loop makes in one process and in Ray actors, where each begins with a slow reset."""
