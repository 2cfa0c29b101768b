"""Several runs of one system, such as random seeds: their mean, and how far they spread."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.errors import InputError, shown
from evenhand.infer.design import Floats


@dataclass(frozen=True, eq=False)
class Runs:
    """Which columns of the data are runs of which system, systems sorted by name."""

    systems: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    columns: tuple[tuple[int, ...], ...]

    @cached_property
    def several(self) -> bool:
        """Whether any system has more than one run."""
        return any(len(c) > 1 for c in self.columns)

    @property
    def sizes(self) -> Floats:
        """Number of runs of each system."""
        return np.array([len(c) for c in self.columns])

    def mean(self, values: Floats) -> Floats:
        """… × columns to … × systems, by the mean over a system's runs."""
        if not self.several:
            return np.asarray(values[..., [c[0] for c in self.columns]])
        return np.stack([values[..., list(c)].mean(axis=-1) for c in self.columns], axis=-1)

    def spread(self, values: Floats) -> Floats:
        """Standard deviation between a system's runs (n − 1); 0 where there is one run only."""
        return np.array(
            [np.std(values[list(c)], ddof=1) if len(c) > 1 else 0.0 for c in self.columns]
        )

    def drawn(self, values: Floats, rng: np.random.Generator) -> Floats:
        """Replicates (B × columns) to B × systems, the runs of each system drawn anew.

        As many runs as there are, with replacement; deviations from the mean are widened by
        √(r / (r − 1)), since a bootstrap of so few would be too narrow.
        """
        found = self.mean(values)
        for s, c in enumerate(self.columns):
            r = len(c)
            if r > 1:
                times = rng.multinomial(r, np.full(r, 1 / r), size=len(values)) / r
                mean = (values[:, list(c)] * times).sum(axis=1)
                found[:, s] += np.sqrt(r / (r - 1)) * (mean - found[:, s])
        return found


def runs_of(columns: Sequence[str], runs: Mapping[str, Iterable[str]] | str | None = None) -> Runs:
    """The systems behind the columns: given by name, by a pattern, or each its own.

    >>> runs_of(["b-1", "a-1", "a-2"], "{system}-{run}").names
    (('a-1', 'a-2'), ('b-1',))
    """
    if runs is None:
        given: Mapping[str, Iterable[str]] = {name: (name,) for name in columns}
    elif isinstance(runs, str):
        given = _matched(columns, runs)
    else:
        given = {str(s): (names,) if isinstance(names, str) else names
                 for s, names in runs.items()}  # fmt: skip
    place = {name: i for i, name in enumerate(columns)}
    listed = {s: tuple(sorted(map(str, names))) for s, names in sorted(given.items())}
    every = [name for names in listed.values() for name in names]
    times = Counter(every)
    wrong = {
        "unknown": [name for name in times if name not in place],
        "named again": [name for name in times if times[name] > 1],
        "without a system": [name for name in columns if name not in times],
        "without a run": [s for s, names in listed.items() if not names],
    }
    said = ", ".join(f"{what} {shown(names)}" for what, names in wrong.items() if names)
    if said:
        raise InputError(f"runs must name every run once, under its system; {said}")
    at = tuple(tuple(place[n] for n in names) for names in listed.values())
    return Runs(tuple(listed), tuple(listed.values()), at)


def _matched(columns: Sequence[str], pattern: str) -> dict[str, list[str]]:
    """Columns by the system in their names; a name that does not fit is a system of its own."""
    if pattern.count("{system}") != 1 or pattern.count("{run}") != 1:
        raise InputError(f"a pattern of runs must hold {{system}} and {{run}}, got {pattern!r}")
    parts = re.split(r"(\{system\}|\{run\})", pattern)
    made = {"{system}": "(?P<system>.+)", "{run}": "(?P<run>.+)"}
    shape = re.compile("".join(made.get(p) or re.escape(p) for p in parts))
    found: dict[str, list[str]] = {}
    fits = 0
    for name in columns:
        match = shape.fullmatch(name)
        fits += match is not None
        found.setdefault(match["system"] if match else name, []).append(name)
    if not fits:
        raise InputError(f"no system's name fits the pattern {pattern!r}: {shown(columns)}")
    return found
