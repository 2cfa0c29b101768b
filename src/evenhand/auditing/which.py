"""which: the formula behind one reported precision, recall and macro F1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evenhand.auditing.audit import audit
from evenhand.auditing.content import Odds, times
from evenhand.auditing.judgement import Judgement, Weighed
from evenhand.auditing.printed import read_number
from evenhand.auditing.ranges import UNIT, harmonic, mean_of_f1
from evenhand.auditing.reported import read_source
from evenhand.auditing.scale import Scales
from evenhand.errors import InputError
from evenhand.notes.note import Note
from evenhand.results.cells import Cell
from evenhand.results.content import Block, Content, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Result

_WORDS = {
    "macro_f1": "the mean of the per-class F1 (macro_f1)",
    "f1_of_averages": "the F1 of macro precision and macro recall (f1_of_averages)",
}


@dataclass(frozen=True, eq=False, repr=False)
class Which(Collection[str, tuple[float, float]], Result):
    """One triple: its formula if that can be told, and where each formula's value can lie.

    ``digits`` are the decimals that tell these places from what was printed.

    >>> which("0.725", "0.5667", "0.6361")["macro_f1"][1] >= 0.636
    True
    """

    told = (
        "precision", "recall", "f1", "formula", "status", "strength", "candidates",
        "macro_f1", "f1_of_averages", "message", "ok",
    )  # fmt: skip

    precision: str
    recall: str
    f1: str
    judgement: Judgement
    macro_f1: tuple[float, float]
    f1_of_averages: tuple[float, float]
    message: str
    digits: int = 4
    cautions: tuple[Note, ...] = ()

    @property
    def formula(self) -> str | None:
        """The formula; none where it cannot be told."""
        return self.judgement.formula

    @property
    def status(self) -> str:
        """Whether a formula is named, and if not, why."""
        return self.judgement.status

    @property
    def strength(self) -> str:
        """The evidence for the formula in a word."""
        return self.judgement.strength

    @property
    def candidates(self) -> tuple[Weighed, ...]:
        """Each formula with how well it explains the triple."""
        return self.judgement.candidates

    @property
    def ok(self) -> bool:
        """Whether some formula fits."""
        return any(c.explained for c in self.candidates)

    @property
    def parts(self) -> dict[str, tuple[float, float]]:
        """Where the value of each formula can lie."""
        return {"macro_f1": self.macro_f1, "f1_of_averages": self.f1_of_averages}

    def content(self) -> Content:
        """The formula in words, and where the value of each can lie."""
        rows: list[list[Cell]] = [[*cells, Odds(s)] for *cells, s in self._rows()]
        grid = Grid(["formula", "low", "high", f"reported {self.f1}", "strength"], rows)
        said: list[Block] = [Words(self.message, "verdict"), Sheet(grid, digits=self.digits)]
        title = f"P {self.precision}, R {self.recall}, macro F1 {self.f1}"
        return Content(title, said, self._data, warnings=self.warnings)

    def _rows(self) -> list[list[Any]]:
        by_name = {c.formula: c for c in self.candidates}
        return [
            [name, *ends, "fits" if by_name[name].explained else "does not fit",
             by_name[name].strength]
            for name, ends in self.items()
        ]  # fmt: skip

    def _data(self) -> Grid:
        """One row a formula: the range of its value, and whether it fits."""
        return Grid(["formula", "low", "high", "fits"], [cells[:-1] for cells in self._rows()])


def which(precision: Any, recall: Any, f1: Any, *, runs: int = 1) -> Which:
    """The formula behind a triple, from the inequality P̄+R̄−1 ≤ macro_f1 ≤ 2·P̄·R̄/(P̄+R̄).

    Values are best given as text, so that their decimals are known.

    >>> which("0.725", "0.5667", "0.6042").formula
    'macro_f1'
    >>> which("0.725", "0.5667", "0.6361").formula
    'f1_of_averages'
    >>> which("0.725", "0.5667", "0.7").formula is None
    True
    """
    row = {"macro_precision": precision, "macro_recall": recall, "macro_f1": f1}
    for name, value in zip(("precision", "recall", "f1"), row.values(), strict=True):
        if read_number(str(value), name) is None:
            raise InputError(f"{name}: expected a number, got {value!r}")
    source = read_source([row])
    (system,) = audit(source, runs=runs).systems
    (printed,) = source.rows
    units = Scales(source).readings(printed)[0]
    texts = [printed.scores[h].text for h in row]
    p, r, reported = (printed.scores[h].range(units[h]) for h in row)
    mean = mean_of_f1(p, r)
    single = harmonic(p, r) if runs == 1 else mean
    if system.formula:
        message = _said(system.judgement)
    elif not all(UNIT.meets(one) for one in (p, r, reported)):
        message = "impossible: a score lies between 0 and 1, or 0 and 100 %"
    else:
        side = "larger than 2PR/(P+R)" if reported.low > mean.high else "smaller than P + R − 1"
        message = f"impossible: {side}, so that neither formula gives it"
    scale = units["macro_f1"]
    return Which(
        texts[0],
        texts[1],
        texts[2],
        system.judgement,
        (float(mean.low * scale), float(mean.high * scale)),
        (float(single.low * scale), float(single.high * scale)),
        message,
        printed.scores["macro_f1"].finer,
    )


def _said(found: Judgement) -> str:
    if found.formula is None:
        return (
            "cannot be told from these numbers: both formulas fit, and systems whose two macro F1s "
            "agree to these digits are too common"
        )
    best = found.candidates[0].formula
    return f"{_WORDS[best]}; the evidence is {found.strength}: {times(found)}"
