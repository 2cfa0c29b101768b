"""Comparison: the result of comparing systems, and what it says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from evenhand.notes.interval import Interval
from evenhand.notes.note import Note
from evenhand.results.cells import Cell, Chance
from evenhand.results.content import Block, Content, Heading, Pictures, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Result, warned
from evenhand.results.text import POOLED, counted, level_text, number, points, visible
from evenhand.signature.line import Signature
from evenhand.tables.labels import key_text

LIMITS = (
    "It speaks of items like these: not of other data, other training runs, "
    "or whether a difference matters."
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Pair(Interval):
    """Two systems on one metric: first minus second, how sure, and by which tests.

    ``points`` says that the difference is spoken of in hundredths of the metric's range.

    >>> import evenhand as eh
    >>> found = eh.compare(list("aabb"), list("aabb"), list("abbb"), metrics="accuracy")
    >>> found["accuracy"].values
    (1.0, 0.75)
    """

    told = ("systems", "metric", "values", "difference", "effect", "se", "low", "high", "p",
            "p_adjusted", "needed")  # fmt: skip

    systems: tuple[str, str]
    metric: str
    values: tuple[float, float]
    points: bool
    p: dict[str, float | None]
    p_adjusted: float | None = None
    needed: int | None = None

    @property
    def difference(self) -> float:
        """The first system's value less the second's."""
        return self.value

    @property
    def effect(self) -> float:
        """The difference in points, where the metric has a bounded range."""
        return 100 * self.difference if self.points else self.difference


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Collection[tuple[str, str, str], Pair], Result):
    """Every pair of systems on every metric.

    >>> import evenhand as eh
    >>> found = eh.compare(list("aabb"), list("aabb"), list("abbb"), metrics="accuracy")
    >>> list(found), found["A", "B"].difference
    ([('A', 'B', 'accuracy')], 0.25)
    """

    told = ("signature", "systems", "n", "level", "power", "pairs", "verdict")

    systems: tuple[str, ...]
    n: int
    level: float
    power: float | None
    pairs: tuple[Pair, ...]
    signature: Signature
    signatures: dict[str, Signature]
    cautions: tuple[Note, ...] = ()
    key: Any = None
    slices: tuple[Comparison, ...] = ()

    def facts(self) -> dict[str, Any]:
        """What ``evenhand compare --format json`` prints."""
        found = self.picked(*self.told)
        if self.slices:
            found["slices"] = [{"key": s.key, **s.facts(), **warned(())} for s in self.slices]
        return found

    @property
    def parts(self) -> dict[tuple[str, str, str], Pair]:
        """Each pair of systems on each metric, by the three names."""
        return {(*p.systems, p.metric): p for p in self.pairs}

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests that some pair was put to."""
        return tuple(dict.fromkeys(t for p in self.pairs for t in p.p))

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the result does and does not show: a sentence for each pair, then the limits."""
        by_systems: dict[tuple[str, str], list[Pair]] = {}
        for pair in self.pairs:
            by_systems.setdefault(pair.systems, []).append(pair)
        return (*(self._shown(*each) for each in by_systems.items()), " ".join(self._limits()))

    @property
    def verdict(self) -> tuple[str, ...]:
        """The same, by the name that it has in JSON."""
        return self.sentences

    def told_apart(self, pair: Pair) -> bool:
        """Whether the test says that the two differ, after the correction."""
        return pair.p_adjusted is not None and pair.p_adjusted < 1 - self.level

    def _shown(self, systems: tuple[str, str], pairs: list[Pair]) -> str:
        a, b = map(visible, systems)
        clear = [p for p in pairs if self.told_apart(p)]
        parts = []
        for where, sign in (("above", 1), ("below", -1)):
            metrics = ", ".join(_measured(p) for p in clear if sign * p.value > 0)
            parts += [f"{a} scores {where} {b} on {metrics}"] if metrics else []
        unclear = ", ".join(visible(p.metric) for p in pairs if not self.told_apart(p))
        if unclear:
            them = "they" if parts else f"{a} and {b}"
            parts.append(f"{them} are not told apart on {unclear}")
        return f"{'; '.join(parts)}."

    def _limits(self) -> Iterable[str]:
        many = len(self.pairs)
        over = f", after Holm's correction over {many:,} comparisons" if many > 1 else ""
        yield f"This is at {level_text(1 - self.level)}{over}."
        if self.slices:
            of_slices = sum(len(s.pairs) for s in self.slices)
            yield f"Slices are corrected together, over {counted(of_slices, 'comparison')}."
        if not all(map(self.told_apart, self.pairs)):
            yield "Not told apart is not equal: any difference inside the interval fits the data."
        yield LIMITS

    def content(self) -> Content:
        """The verdict, every pair on every metric, the test sizes needed."""
        title = f"{counted(self.n, 'item')}, {counted(len(self.systems), 'system')}, "
        title += f"{level_text(self.level)} intervals of the difference (first minus second)"
        blocks: list[Block] = [Words("\n".join(self.sentences), "verdict"), self.sheet]
        if self.power is not None:
            blocks.append(
                Words(
                    f"Items needed: test size for a power of {self.power:g} at this level, taking "
                    "the observed difference for the true one.",
                    "note",
                )
            )
        if self.slices:
            blocks += [Heading("Slices"), self._slice_sheet]
        blocks.append(Pictures([self._chart]))
        return Content(title, blocks, self._data, str(self.signature), self.warnings)

    def _chart(self) -> Any:
        from evenhand.comparing.charts import comparison

        return comparison(self)

    @property
    def sheet(self) -> Sheet:
        """One row a pair of systems and metric, with a p value for each test."""
        several, sized = len(self.systems) > 2, self.power is not None
        head = ["systems"] * several + ["metric"]
        head += [*(["first", "second"] if several else self.systems), "difference", "low", "high"]
        head += [*(f"p {t}" for t in self.tests), "p adjusted", *["items needed"] * sized]
        rows: list[list[Cell]] = []
        for p in self.pairs:
            row: list[Cell] = [f"{p.systems[0]} − {p.systems[1]}"] * several
            row += [p.metric, *p.values, p.value, p.low, p.high]
            row += [Chance(x) for x in (*(p.p.get(t) for t in self.tests), p.p_adjusted)]
            rows.append([*row, *[p.needed] * sized])
        minus = "First minus second" if several else " minus ".join(self.systems)
        return Sheet(Grid(head, rows), f"{minus} on every metric", rows="comparisons")

    @property
    def _slice_sheet(self) -> Sheet:
        """One row a slice, pair of systems and metric."""
        several = len(self.systems) > 2
        head = ["slice", "items", *["systems"] * several, "metric", "difference", "low", "high"]
        rows: list[list[Cell]] = []
        for s in self.slices:
            for p in s.pairs:
                row: list[Cell] = [key_text(s.key), s.n]
                row += [f"{p.systems[0]} − {p.systems[1]}"] * several
                rows.append([*row, p.metric, p.value, p.low, p.high, Chance(p.p_adjusted)])
        minus = "First minus second" if several else " minus ".join(self.systems)
        grid = Grid([*head, "p adjusted"], rows)
        return Sheet(grid, f"{minus} in every slice", most=60, rows="comparisons")

    def _data(self) -> Grid:
        """Every number, one row a pair and metric; with slices, one in each and in all items."""
        head = ["slice"] * bool(self.slices)
        head += ["first", "second", "metric", "first_value", "second_value", "difference", "effect"]
        head += ["se", "low", "high", *(f"p_{t}" for t in self.tests), "p_adjusted", "needed"]
        rows: list[list[Cell]] = []
        parts = [([key_text(s.key)], s) for s in self.slices]
        for key, part in (*parts, ([POOLED] if self.slices else [], self)):
            for p in part.pairs:
                row: list[Cell] = [*key, *p.systems, p.metric, *p.values, p.value, p.effect]
                row += [p.se, p.low, p.high, *(p.p.get(t) for t in self.tests)]
                rows.append([*row, p.p_adjusted, p.needed])
        return Grid(head, rows)


def _measured(p: Pair) -> str:
    size = points(abs(p.value)) if p.points else number(abs(p.value), 3)
    return f"{visible(p.metric)} (by {size})"
