"""The five properties in words and as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evenhand.core.properties import NAMES
from evenhand.results.grid import Cell, Grid, markdown, plain
from evenhand.results.text import markdown as escaped
from evenhand.results.text import visible

if TYPE_CHECKING:
    from evenhand.properties.result import Finding, Profile, Scored

HEADS = ("I monotone", "II class sensitive", "III decomposable", "IV prevalence invariant")
LEGEND = (
    "✓ has the property, ✗ lacks it, (✓) has it after calibration to equal classes, "
    "? was not refuted and not derived."
)


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


def properties_grid(profiles: Sequence[Profile]) -> Grid:
    """One row a metric, as table 5 of Opitz (2022) has it."""
    rows: list[list[Cell]] = [[p.metric, *(mark(f) for _, f in p.items())] for p in profiles]
    return Grid(["metric", *HEADS, "V chance corrected"], rows, notes=[LEGEND])


def findings_grid(profiles: Sequence[Profile]) -> Grid:
    """One row a metric and property: what CSV holds."""
    rows: list[list[Cell]] = []
    for p in profiles:
        for name, f in p.items():
            holds = {True: "true", False: "false", None: ""}[f.holds]
            example = "; ".join(f"{s.what}: {_matrix(s)} = {s.shown}" for s in f.example)
            rows.append(
                [p.metric, name, holds, f.status, f.evidence, f.derivation, example, str(f.tried)]
            )
    head = ["metric", "property", "holds", "status", "evidence", "derivation", "example", "tried"]
    return Grid(head, rows)


def _matrix(s: Scored) -> str:
    return "[" + ", ".join(f"[{', '.join(map(str, row))}]" for row in s.table) + "]"


def profile_text(profile: Profile, indent: str = "  ") -> str:
    """Everything about one metric."""
    lines = [visible(profile.metric)]
    for name, f in profile.items():
        lines += ["", f"{indent}{mark(f)}  {name.replace('_', ' ')}: {f.status}"]
        lines += [f"{indent * 3}{part}" for part in _said(f)]
    return "\n".join(lines)


def _said(f: Finding) -> list[str]:
    said = [f.evidence]
    said += [f"{_matrix(s)}  {s.shown}  ({s.what})" for s in f.example]
    if f.derivation:
        said.append(f"because {f.derivation}")
    if f.holds is False and f.detail.get("after_calibration") is not None:
        not_ = "" if f.detail["after_calibration"] else "not "
        said.append(f"after calibration to equal classes it does {not_}hold in the same search")
    return [*said, f"tried {f.tried}"]


def properties_text(profiles: Sequence[Profile], grid: Grid) -> str:
    """The table, then each metric with its evidence."""
    parts = [plain(grid), LEGEND, "Tables have true classes as rows."]
    return "\n\n".join([*parts, *(profile_text(p) for p in profiles)])


def properties_markdown(profiles: Sequence[Profile], grid: Grid) -> str:
    """The table and the evidence, as a page."""
    parts = [markdown(grid)]
    for p in profiles:
        parts.append(f"### {escaped(p.metric)}")
        parts.append("\n".join(_item(name, p[name]) for name in NAMES))
    return "\n\n".join(parts)


def _item(name: str, f: Finding) -> str:
    text = [f"- **{name.replace('_', ' ')}** {mark(f)} ({f.status}): {escaped(f.evidence)}."]
    text += [f"  - `{_matrix(s)}` scores {escaped(s.shown)} ({escaped(s.what)})" for s in f.example]
    if f.derivation:
        text.append(f"  - because {escaped(f.derivation)}")
    return "\n".join(text)
