"""Random tables of one kind, and random settings to score them by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, nan
from random import Random
from typing import Any

from evenhand.core.registry import Metric

Rows = list[list[Any]]


@dataclass(frozen=True)
class Asked:
    """How tables are scored: the classes averaged, the worth of 0/0, parameters, a mix."""

    k: int
    classes: Any = "task"
    undefined: float = 0
    beta: float = 1.0
    p: float = 1.0
    far: bool = False

    def averaged(self, rows: Rows) -> list[int]:
        """The classes that an average of this table runs over."""
        true = [sum(row) > 0 for row in rows]
        seen = [t or any(row[i] for row in rows) for i, t in enumerate(true)]
        if isinstance(self.classes, str):
            return [i for i, x in enumerate(seen if self.classes == "seen" else true) if x]
        return list(self.classes)

    @property
    def listed(self) -> bool:
        """Whether the classes are named one by one."""
        return not isinstance(self.classes, str)

    def parameters(self, metric: Metric) -> dict[str, float]:
        """Those that the metric takes."""
        return {name: getattr(self, name) for name in metric.parameters}


def random_settings(rng: Random) -> tuple[Asked, Callable[[], Rows]]:
    """Settings, and a maker of tables of one kind."""
    k = rng.choice((1, 2, 2, 2, 3, 3, 3, 4, 5, 6)) if rng.random() < 0.99 else rng.randint(7, 40)
    classes: Any = rng.choice(("task", "task", "true", "seen"))
    if rng.random() < 0.3:
        classes = tuple(sorted(rng.sample(range(k), rng.randint(1, k))))
    number, far = random_number(rng)
    empty, lost = rng.choice((0, 0.3, 0.7)), rng.random() < 0.5
    whole = rng.random() < 0.05

    def cell(t: int, p: int) -> Any:
        if (p == k and not lost) or rng.random() < empty or (whole and t != p):
            return 0
        return number()

    asked = Asked(
        k,
        classes,
        rng.choice((0, 1, nan)),
        beta=rng.choice((0.0, 0.5, 2.0, 10.0, 1e-3, rng.expovariate(1), 1e50)),
        p=rng.choice((-inf, -50.0, -2.0, -1.0, -0.5, 0.0, 1e-9, 0.5, 1.0, 2.0, 50.0, inf)),
        far=far,
    )
    return asked, lambda: [[cell(t, p) for p in range(k + 1)] for t in range(k)]


def random_number(rng: Random) -> tuple[Callable[[], Any], bool]:
    """A maker of cells of one kind, and whether they may be too far apart to score."""
    kind = rng.randrange(9)
    top = rng.choice((1, 2, 5, 100, 10**6))
    shift = rng.uniform(-20, 20)
    makers: list[Callable[[], Any]] = [
        lambda: rng.randint(0, top),
        lambda: rng.randint(0, top),
        lambda: rng.randint(0, top),
        lambda: rng.getrandbits(rng.randint(1, 63)),
        lambda: 2**63 - 1 - rng.randint(0, top),
        lambda: rng.random(),
        lambda: 10 ** rng.uniform(-6, 6),
        lambda: 10 ** rng.uniform(-120, 120),
        lambda: 10 ** (shift + rng.uniform(-120, 120)),
    ]
    return makers[kind], kind == 8
