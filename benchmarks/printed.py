"""Tables of reported scores as papers print them: LaTeX, Markdown, and text copied from a PDF.

Headings are spelled in many ways, classes stand over their columns, the best value is bold, marks
and spreads stand beside values, decimals may have a comma or lack their zero. Nothing here knows
the code that reads it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np

SPELLED = {
    "accuracy": ["Acc.", "Accuracy", "Acc", "Acc. (%)", "Accuracy ↑"],
    "macro_precision": ["Macro-P", "P (macro)", "Ma-P", "Macro Prec.", "Macro precision"],
    "macro_recall": ["Macro-R", "R (macro)", "Ma-R", "Macro Rec.", "Macro recall"],
    "macro_f1": ["Macro-F1", "mF1", "Macro F", "F1 (macro)", "Ma-F1", "macro-F₁", "F1", "F-score"],
    "micro_f1": ["micro-F1", "Micro F", "Mi-F1", "miF1"],
    "weighted_precision": ["w-P", "Weighted P", "weighted precision"],
    "weighted_recall": ["w-R", "Weighted R", "weighted recall"],
    "weighted_f1": ["w-F1", "Weighted F1", "F1 (weighted)", "weighted avg F1", "wF1"],
    "kappa": ["κ", "Kappa", "Cohen's κ"],
    "mcc": ["MCC", "Matthews"],
    "n": ["n", "N"],
}
UNNAMED = {"macro_precision": ["P", "Prec.", "Precision"], "macro_recall": ["R", "Rec.", "Recall"]}
PARTS = {
    "precision": ["P", "Prec.", "Precision"],
    "recall": ["R", "Rec.", "Recall"],
    "f1": ["F1", "F", "F₁", "F-score", "F1-score"],
    "support": ["Support", "Supp.", "#"],
}
WORDS = (
    "positive negative neutral joy anger fear sadness trust surprise disgust spam ham sport "
    "politics science weather health travel music food"
)
LABELS = WORDS.split()


@dataclass(frozen=True)
class Printed:
    """A table before it is set: headings over columns, and rows of values."""

    tops: list[str]
    heads: list[str]
    rows: list[list[str]]
    marks: list[list[str]]
    spreads: bool


def named(row: dict[str, str]) -> dict[str, str]:
    """The row with words for the numbers of its classes."""
    return {_renamed(c): v for c, v in row.items()}


def _renamed(column: str) -> str:
    return re.sub(r"\[(\d+)\]", lambda m: f"[{LABELS[int(m[1])]}]", column)


def a_print(
    rng: np.random.Generator, rows: list[dict[str, str]], *, spreads: bool, ragged: bool = True
) -> Printed:
    """The rows with headings as an author might choose them, their values as he might mark them.

    ``ragged``: classes may stand over different columns; text copied from a PDF says too little.
    """
    named_rows = [named(row) for row in rows]
    columns = _in_groups([c for c in named_rows[0] if c != "name"])
    parts = {part: str(rng.choice(words)) for part, words in PARTS.items()}
    classes = any("[" in c for c in columns)
    kinds = Counter(c.partition("[")[0] for c in columns if "[" in c)
    two_level = bool(rng.integers(2)) and (ragged or len(set(kinds.values())) == 1)
    vague = not classes and bool(rng.integers(3) == 0)
    tops, heads = [""], [str(rng.choice(["Model", "System", "", "Approach", "Method"]))]
    for c in columns:
        found = re.fullmatch(r"(\w+)\[(.*)\]", c)
        if found is None:
            words = UNNAMED.get(c, SPELLED[c]) if vague else SPELLED[c]
            tops.append("")
            heads.append(str(rng.choice(words)))
        elif two_level:
            tops.append(found[2])
            heads.append(parts[found[1]])
        else:
            tops.append("")
            heads.append(f"{parts[found[1]]} ({found[2]})")
    comma, bare, percent = rng.random(3) < (0.15, 0.25, 0.1)
    cells, marks = [], []
    for row in named_rows:
        cells.append([row["name"], *(_value(row[c], c, comma, bare) for c in columns)])
        if percent:
            cells[-1] = [_percent(v, c) for v, c in zip(cells[-1], ["name", *columns], strict=True)]
        drawn = [str(rng.choice(["", "", "", "bold", "line", "†", "*"])) for _ in cells[-1]]
        marks.append(["" if c in ("name", "n") or c.startswith("support") else m
                      for c, m in zip(["name", *columns], drawn, strict=True)])  # fmt: skip
    return Printed(tops, heads, cells, marks, spreads)


def _in_groups(columns: list[str]) -> list[str]:
    """Columns of one class beside each other, averages after them."""
    of = {c: m[1] if (m := re.search(r"\[(.*)\]", c)) else "" for c in columns}
    labels = dict.fromkeys(v for v in of.values() if v)
    grouped = [c for label in labels for c in columns if of[c] == label]
    return [*grouped, *(c for c in columns if not of[c])]


def _value(text: str, column: str, comma: bool, bare: bool) -> str:
    if column == "n" or column.startswith("support"):
        return f"{int(text):,}"
    text = re.sub(r"^(-?)0\.", r"\1.", text) if bare else text
    return text.replace(".", ",") if comma else text


def _percent(text: str, column: str) -> str:
    """With its sign, where it can only be a percentage."""
    small = column in ("name", "n", "kappa", "mcc") or column.startswith("support")
    value = 0.0 if small else float(text.replace(",", "."))
    return f"{text}%" if value > 1 else text


def latex(rng: np.random.Generator, table: Printed) -> str:
    """A ``tabular``, in the style of booktabs or with lines."""
    ruled = bool(rng.integers(2))
    top, mid, bottom = (r"\hline",) * 3 if ruled else (r"\toprule", r"\midrule", r"\bottomrule")

    def cell(text: str, mark: str) -> str:
        text = text.replace("%", r"\%")
        spread = rf" $\pm$ {rng.integers(1, 99) / 100:.2f}" if table.spreads and mark != "" else ""
        text = text.replace(",", "{,}") if mark == "line" and "," in text else text
        set_in = {"bold": r"\textbf{%s}", "line": r"\underline{%s}", "†": r"%s$^\dagger$"}
        return set_in.get(mark, "%s") % text + ("*" if mark == "*" else "") + spread

    lines = [r"\begin{table}", r"\caption{Scores of all systems.}"]
    lines += [rf"\begin{{tabular}}{{l{'c' * (len(table.heads) - 1)}}}", top]
    if any(table.tops):
        spans = [rf"\multicolumn{{{n}}}{{c}}{{{t}}}" if t else " & ".join([""] * n)
                 for t, n in _runs(table.tops)]  # fmt: skip
        lines.append(" & ".join(spans) + r" \\")
    heads = [h.replace("F1", "F$_1$").replace("κ", r"$\kappa$").replace("%", r"\%")
             for h in table.heads]  # fmt: skip
    lines += [" & ".join(heads) + r" \\", mid]
    for row, marks in zip(table.rows, table.marks, strict=True):
        lines.append(" & ".join(map(cell, row, ["", *marks[1:]])) + r" \\")
    return "\n".join([*lines, bottom, r"\end{tabular}", r"\end{table}", ""])


def markdown(rng: np.random.Generator, table: Printed) -> str:
    """A table of bars; a second line of headings is the first row."""

    def cell(text: str, mark: str) -> str:
        spread = f" ± {rng.integers(1, 99) / 100:.2f}" if table.spreads and mark != "" else ""
        set_in = {"bold": "**%s**", "line": "<u>%s</u>", "†": "%s<sup>†</sup>", "*": "%s\\*"}
        return (set_in.get(mark, "%s") % text.replace("%", "%%") if mark else text).replace(
            "%%", "%"
        ) + spread

    two = any(table.tops)
    lines = [table.tops if two else table.heads, ["---"] * len(table.heads)]
    lines += [table.heads] if two else []
    lines += [
        list(map(cell, row, marks)) for row, marks in zip(table.rows, table.marks, strict=True)
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def pdf(rng: np.random.Generator, table: Printed) -> str:
    """Columns kept apart by spaces, headings of several columns in their middle."""

    def cell(text: str, mark: str) -> str:
        spread = f" ± {rng.integers(1, 99) / 100:.2f}" if table.spreads and mark != "" else ""
        return text + (mark if mark in "†*" else "") + spread

    rows = [list(map(cell, row, marks)) for row, marks in zip(table.rows, table.marks, strict=True)]
    wide = [max(len(line[j]) for line in [table.heads, *rows]) + 2 for j in range(len(table.heads))]
    groups = list(zip(_starts(table.tops), _runs(table.tops), strict=True))
    for at, (top, n) in groups:
        wide[at : at + n] = [w + max(-((sum(wide[at : at + n]) - len(top) - 2) // n), 0)
                             for w in wide[at : at + n]]  # fmt: skip
    over = "".join(top.center(sum(wide[at : at + n])) for at, (top, n) in groups)
    lines = ["Table 1: Scores of all systems.", *([over.rstrip()] if over.strip() else [])]
    for row in [table.heads, *rows]:
        lines.append((row[0].ljust(wide[0]) + "".join(map(str.center, row[1:], wide[1:]))).rstrip())
    return "\n".join(lines) + "\n"


def _runs(texts: list[str]) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for text in texts:
        if found and found[-1][0] == text:
            found[-1] = text, found[-1][1] + 1
        else:
            found.append((text, 1))
    return found


def _starts(texts: list[str]) -> list[int]:
    sizes = [n for _, n in _runs(texts)]
    return [sum(sizes[:i]) for i in range(len(sizes))]


def written(
    rng: np.random.Generator, rows: list[dict[str, str]], style: str, *, spreads: bool
) -> str:
    """The rows as a document of that style."""
    return WRITERS[style](rng, a_print(rng, rows, spreads=spreads, ragged=style != "pdf"))


WRITERS = {"latex": latex, "markdown": markdown, "pdf": pdf}
