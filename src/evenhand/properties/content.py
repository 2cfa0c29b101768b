"""Content: what is known of metrics' properties, in words and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evenhand.results.cells import Cell, Shown
from evenhand.results.content import Block, Heading, Section, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.text import named

if TYPE_CHECKING:
    from evenhand.properties.finding import Finding, Scored
    from evenhand.properties.profile import Profile

HEADS = (
    "I monotone", "II class sensitive", "III decomposable", "IV prevalence invariant",
    "V chance corrected",
)  # fmt: skip
LEGEND = (
    "✓ has the property, ✗ lacks it, (✓) has it after calibration to equal classes, "
    "? was not refuted and not derived."
)
ROWS = "Tables have true classes as rows."


def mark(finding: Finding) -> str:
    """A tick or a cross, with what belongs to it."""
    sign = {True: "✓", False: "✗", None: "?"}[finding.holds]
    detail = finding.detail
    if "formula" in detail:
        kind = "" if detail["kind"] == "bound" else f", {detail['kind']}"
        return f"{sign} {detail['formula']}{kind}"
    if finding.holds is not True and detail.get("after_calibration"):
        return f"{sign} (✓)"
    return sign


@dataclass(frozen=True)
class Mark(Shown):
    """A tick or a cross in a table."""

    of: Finding

    def text(self, digits: int) -> str:
        return mark(self.of)

    @property
    def sort(self) -> float | None:
        return {True: 1, None: 0, False: -1}[self.of.holds]


def blocks(profiles: Sequence[Profile]) -> list[Block]:
    """Table 5 of Opitz (2022) for the metrics, then each of them with its evidence."""
    rows: list[list[Cell]] = [[p.metric, *map(Mark, p.values())] for p in profiles]
    sheet = Sheet(Grid(["metric", *HEADS], rows), note=LEGEND)
    evidence = [
        Section(f"metric-{i}", p.metric, p.metric, [Words(summary(p)), *evidence_of(p)])
        for i, p in enumerate(profiles)
    ]
    return [sheet, Words(ROWS, "note"), *evidence]


def summary(profile: Profile) -> str:
    """What a metric has and lacks, in a sentence."""
    kinds = {"has": True, "lacks": False, "not decided:": None}
    found = {
        words: [_spoken(name) for name, f in profile.items() if f.holds is holds]
        for words, holds in kinds.items()
    }
    return "; ".join(f"{words} {named(names)}" for words, names in found.items() if names)


def evidence_of(profile: Profile) -> Iterable[Block]:
    """Each property of one metric with the tables that show it, or why it holds."""
    for name, f in profile.items():
        yield Heading(f"{_spoken(name)} {mark(f)} ({f.status})")
        yield Words("\n".join(f"  {line}" for line in _lines(f)))


def _spoken(name: str) -> str:
    return name.replace("_", " ")


def _lines(f: Finding) -> Iterable[str]:
    yield f.evidence
    yield from (f"{matrix(s)}  {s.shown}  ({s.what})" for s in f.example)
    if f.derivation:
        yield f"because {f.derivation}"
    after = f.detail.get("after_calibration")
    if f.holds is False and after is not None:
        does = "does" if after else "does not"
        yield f"after calibration to equal classes it {does} hold in the same search"
    yield f"tried {f.tried}"


def matrix(s: Scored) -> str:
    """The table in a line, as Python and JSON write it."""
    return "[" + ", ".join(f"[{', '.join(map(str, row))}]" for row in s.table) + "]"


def data(profiles: Sequence[Profile]) -> Grid:
    """One row a metric and property."""
    rows: list[list[Cell]] = []
    for p in profiles:
        for name, f in p.items():
            holds = {True: "true", False: "false", None: ""}[f.holds]
            example = "; ".join(f"{s.what}: {matrix(s)} = {s.full}" for s in f.example)
            rows.append(
                [p.metric, name, holds, f.status, f.evidence, f.derivation, example, str(f.tried)]
            )
    head = ["metric", "property", "holds", "status", "evidence", "derivation", "example", "tried"]
    return Grid(head, rows)
