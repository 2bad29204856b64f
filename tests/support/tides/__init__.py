"""What the state machine of `tests/machine` is made of: builders, ways to send their classes, a child, and the machine."""
