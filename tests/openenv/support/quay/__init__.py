"""Helpers of these tests that processes which they start can import."""
