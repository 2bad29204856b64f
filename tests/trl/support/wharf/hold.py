"""All pieces in one hold, so that one pair of processes imports TRL for all of them."""

from wharf import calls, odd, pieces, rewards

__all__ = ["calls", "odd", "rewards"]

globals().update(pieces.HOLD)
