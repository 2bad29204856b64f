"""What a pickle holds, without running any of it."""
