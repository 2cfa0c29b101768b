"""Record: frozen data that are equal by value."""

from __future__ import annotations

from evenhand.core.equal import same


class Record:
    """Frozen data that are equal by value, copied and pickled or not: NaN is equal to NaN."""

    def __eq__(self, other: object) -> bool:
        return same(self, other) if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        plain = tuple(v for v in vars(self).values() if type(v) in (str, int, bool))
        return hash((type(self).__name__, plain))
