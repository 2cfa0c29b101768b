"""Record: frozen data that are equal by value."""

from __future__ import annotations

from typing import Any, ClassVar

from evenhand.core.equal import same

_ATOMS = frozenset({float, int, str, bool, type(None)})
"""Asked first, as a result may hold millions."""


class Record:
    """Frozen data that are equal by value, copied and pickled or not: NaN is equal to NaN.

    ``told`` are the names of what its JSON holds, in that order; every field where it is empty.
    """

    told: ClassVar[tuple[str, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return self.picked(*self.told or vars(self))

    def picked(self, *names: str) -> dict[str, Any]:
        """Some of what it holds, by name, records inside it as dictionaries.

        >>> from evenhand.notes.interval import Interval
        >>> Interval(0.5, low=0.4).picked("value", "low")
        {'value': 0.5, 'low': 0.4}
        """
        return {n: v if type(v := getattr(self, n)) in _ATOMS else _plain(v) for n in names}

    def __eq__(self, other: object) -> bool:
        return same(self, other) if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        plain = tuple(v for v in vars(self).values() if type(v) in (str, int, bool))
        return hash((type(self).__name__, plain))


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    return tuple(map(_plain, value)) if type(value) is tuple else value
