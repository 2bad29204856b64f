"""Rewards and tools as users write them, and what trainers ask of them."""
