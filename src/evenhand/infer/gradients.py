"""Gradients: that of each metric at margins, or why it has none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.core.counts import Counts
from evenhand.core.crossing import cell_gradient
from evenhand.core.gradient import GUESS, Gradient
from evenhand.core.kernel import Kernel
from evenhand.core.kinds import Kinds
from evenhand.core.slopes import AnyGradient, SpanError, exact_slopes
from evenhand.core.tape import Steps
from evenhand.errors import MetricError
from evenhand.infer.design import Floats
from evenhand.notes.sure import NoGradient


class NoGradientError(MetricError):
    """A metric whose gradient cannot be had, with the fact as a note."""

    def __init__(self, metric: str, reason: str) -> None:
        super().__init__(f"no gradient of {metric}: {reason}; a bootstrap needs none")
        self.note = NoGradient(metric, reason)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.note.metric, self.note.reason)


def slopes(
    asked: Iterable[tuple[Kernel, Any]], kinds: Kinds | None = None, steps: Steps | None = None
) -> list[AnyGradient]:
    """The gradient of each kernel at margins, unknown (NaN) for a table where it is infinite."""
    found: list[AnyGradient] = []
    for kernel, counts in asked:
        if kernel.record is not None and not kernel.record.smooth:
            raise NoGradientError(kernel.name, "it is no smooth function of the counts")
        try:
            if kernel.over_cells:
                found.append(cell_gradient(kernel.function, counts))
            elif not kernel.ours:
                found.append(_confirmed(kernel, counts))
            else:
                found.append(exact_slopes(kernel.function, counts, kinds, steps=steps))
        except SpanError as e:
            raise NoGradientError(kernel.name, str(e)) from None
    return found


def _confirmed(kernel: Kernel, counts: Counts) -> Gradient:
    """The gradient of a user's own function, if a small change confirms it."""
    try:
        found = exact_slopes(kernel.function, counts, guess=GUESS)
    except SpanError:
        raise
    except (ValueError, TypeError) as e:
        raise NoGradientError(kernel.name, str(e)) from e
    names = ("correct", "alarms", "misses", "total", "outside")
    rng, small = np.random.default_rng(0), 1e-5
    moves = {
        n: rng.uniform(-1, 1, np.shape(getattr(counts, n))) * getattr(counts, n) for n in names
    }
    up, down = (np.asarray(kernel.function(_moved(counts, moves, e))) for e in (small, -small))
    expected = sum(
        np.sum(getattr(found, n) * m, axis=-1) if n in names[:3] else getattr(found, n) * m
        for n, m in moves.items()
    )
    slack = 1e-3 * np.abs(expected) + 1e-6 * (1 + np.abs(found.value))
    if np.any(np.abs((up - down) / (2 * small) - expected) > slack):
        raise NoGradientError(
            kernel.name,
            "it must be smooth, elementwise in the margins and free of abs and real",
        )
    return found


def _moved(c: Counts, by: dict[str, Floats], times: float) -> Counts:
    """Margins of cells that have moved a little."""
    correct, alarms, misses, total, outside = (times * by[n] for n in by)
    return replace(
        c,
        correct=c.correct + correct,
        bias=c.bias + correct + alarms,
        prevalence=c.prevalence + correct + misses,
        total=c.total + total,
        outside=c.outside + outside,
        errors=(c.misses + misses, c.alarms + alarms),
    )
