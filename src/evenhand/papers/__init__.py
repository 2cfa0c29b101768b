"""The founding documents: every claim recomputed, every figure redrawn."""

from evenhand.papers.record import recompute

__all__ = ["recompute"]
