"""The founding documents: every claim recomputed, every figure redrawn."""

from evenhand.papers.claims import Claims, Judged, recompute

__all__ = ["Claims", "Judged", "recompute"]


def __dir__() -> list[str]:
    return __all__
