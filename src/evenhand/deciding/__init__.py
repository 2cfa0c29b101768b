"""Deciding: whether a new system may replace an old one, and how many items a test set needs."""
