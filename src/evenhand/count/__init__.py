"""Counting: rows of any kind, wherever they are, become tables."""
