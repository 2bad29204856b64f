"""All pieces in one hold, so that one pair of processes imports TRL for all of them."""

from wharf import calls, odd, pieces

__all__ = ["calls", "odd"]

globals().update(pieces.HOLD)
