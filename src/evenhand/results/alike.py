"""Alike: metrics that are the same number wherever they are shown need to be shown once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable


def alike(names: Iterable[str], number: Callable[[str], Hashable]) -> list[list[str]]:
    """Names in groups of one ``number``, each where its first name stands.

    >>> alike(["accuracy", "mcc", "micro_f1"], {"accuracy": 1, "mcc": 2, "micro_f1": 1}.get)
    [['accuracy', 'micro_f1'], ['mcc']]
    """
    found: dict[Hashable, list[str]] = {}
    for name in names:
        found.setdefault(number(name), []).append(name)
    return list(found.values())


def rounded(*numbers: float | None) -> tuple[str, ...]:
    """What two rows of numbers that are one have in common, rounding aside.

    >>> rounded(0.1 + 0.2, None) == rounded(0.3, None)
    True
    """
    return tuple("" if x is None else f"{x:.9g}" for x in numbers)
