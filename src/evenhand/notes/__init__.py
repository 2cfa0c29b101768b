"""Intervals, methods, notes and warnings: typed, without words."""
