"""Confusion matrices in the layouts that R's caret prints, whatever stands around them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.io.documents import counted, read_printouts
from evenhand.io.sources import opened

QUOTES = ("", "## ", "    ## ", "# ", "#> ", "    ** ")
NAMES = (("Prediction", "Reference"), ("pred", "truth"), ("", ""), ("predictions", "actual"))
LABELS = (("no", "yes"), ("0", "1"), ("cat", "hot dog", "owl 2"), tuple("ABCDEFGH"),
          tuple(f"kind {i}" for i in range(12)), ("1", "2", "3"))  # fmt: skip
WIDTH = 76


def as_table(names: list[str], rows: list[list[str]], head: str, first: str) -> list[str]:
    """A table as R prints it: names to the left, columns to the right, in blocks if it is wide."""
    left = max(len(n) for n in (head, *names))
    lines: list[str] = []
    start = 0
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    while start < len(widths):
        end = start + 1
        while end < len(widths) and left + sum(widths[start : end + 1]) + end - start < WIDTH:
            end += 1
        lines += [f"{'':{left}} {first}"] if first or head != "-" else []
        for name, row in zip((head, *names), rows, strict=True):
            cells = [f"{v:>{w}}" for v, w in zip(row, widths, strict=True)]
            lines.append(f"{name.replace('-', ' '):{left}} " + " ".join(cells[start:end]))
        start = end
    return lines


def ratio(part: float, whole: float) -> str:
    return f"{part / whole:.4f}" if whole else "NaN"


def caret(cells: np.ndarray, labels: tuple[str, ...], down: str, across: str) -> str:
    """What caret prints of predicted × true."""
    n, hits, bias, size = cells.sum(), cells.diagonal(), cells.sum(1), cells.sum(0)
    chance = float((bias * size).sum()) / n**2
    rows = [list(labels), *([str(v) for v in row] for row in cells)]
    lines = ["Confusion Matrix and Statistics", ""]
    lines += as_table([f"  {v}" for v in labels], rows, down, across)
    overall = {
        "Accuracy": f"{hits.sum() / n:.4f}", "95% CI": "(0.1, 0.9)", "No Information Rate": "0.5",
        "P-Value [Acc > NIR]": "< 2.2e-16", "": "",
        "Kappa": f"{(hits.sum() / n - chance) / (1 - chance):.4f}",
        "Mcnemar's Test P-Value": "NA",
    }  # fmt: skip
    by_class = {
        "Sensitivity": [ratio(h, s) for h, s in zip(hits, size, strict=True)],
        "Specificity": [
            ratio(n - s - b + h, n - s) for h, b, s in zip(hits, bias, size, strict=True)
        ],
        "Pos Pred Value": [ratio(h, b) for h, b in zip(hits, bias, strict=True)],
        "F1": [ratio(2 * h, b + s) for h, b, s in zip(hits, bias, size, strict=True)],
        "Prevalence": [ratio(s, n) for s in size],
    }
    two = len(labels) == 2
    lines += ([] if two else ["", "Overall Statistics"]) + [" " * 42]
    if two:
        overall |= {"  ": ""} | {name: values[1] for name, values in by_class.items()}
        overall |= {"   ": "", "'Positive' Class": labels[1]}
    lines += [f"{name:>24} : {v:<16}" if name.strip() else "" for name, v in overall.items()]
    if not two:
        lines += ["", "Statistics by Class:", ""]
        heads = [f"Class: {v}" for v in labels]
        lines += as_table(list(by_class), [heads, *by_class.values()], "-", "")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("quote", QUOTES)
@pytest.mark.parametrize(("down", "across"), NAMES)
@pytest.mark.parametrize("labels", LABELS, ids=len)
def test_caret_in_every_layout(
    labels: tuple[str, ...], down: str, across: str, quote: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(len(labels))
    k = len(labels)
    cells = rng.integers(0, 30, (k, k)) + np.diag(rng.integers(40, 3000, k))
    if k == 8:
        cells[3] = 0  # a class that is never predicted: its precision is NaN
    text = "".join(f"{quote}{line}\n" for line in caret(cells, labels, down, across).splitlines())
    around = f"```r\nconfusionMatrix(p, t)\n```\n\n```\n{text}```\n\nand so on.\n"
    for name, document in (("out.txt", text), ("page.md", around)):
        (found,) = read_printouts(document, "caret")
        assert (found.labels, found.rows) == (labels, "pred")
        assert np.array_equal(found.cells, cells)
        assert {f"recall[{v}]" for v in labels[1:]} <= set(found.scores)
        path = tmp_path / name
        path.write_text(document, encoding="utf-8")
        assert eh.audit(str(path)).ok
        with opened(str(path)) as source:
            table = counted(source)
        assert table is not None
        assert np.array_equal(table.correct, cells.diagonal())
        assert np.array_equal(table.prevalence, cells.sum(0))


def test_caret_in_blocks_is_what_wide_tables_are() -> None:
    labels = LABELS[4]
    text = caret(np.diag(np.arange(100_001, 100_013)), labels, *NAMES[0])
    assert text.count("Reference") > 1
    assert text.count("Sensitivity") > 1


def test_names_say_that_the_rows_are_true() -> None:
    """Called the other way round, caret's sensitivity is a precision, which is a finding."""
    cells = np.array([[208, 50], [37, 205]])
    text = caret(cells, ("neg", "pos"), "actual_class", "predicted_class")
    (found,) = read_printouts(text, "caret")
    assert found.rows == "true"
    row = dict(zip(*found.table.rows, strict=True))
    assert (row["support[neg]"], row["support[pos]"], row["correct"]) == ("258", "242", "413")
    assert {f.column for f in eh.audit(text).systems[0].findings} >= {"recall[pos]"}
    assert eh.audit(caret(cells, ("neg", "pos"), "obs", "Reference")).ok


def test_a_remark_behind_a_value_is_none_of_it() -> None:
    text = caret(np.array([[67, 5], [3, 40]]), ("ham", "spam"), *NAMES[0])
    noted = text.replace("Accuracy : 0.9304", "Accuracy : 0.9304  <- (67+40)/115")
    assert noted != text
    assert read_printouts(noted, "caret") == read_printouts(text, "caret")


@pytest.mark.parametrize(
    "rows",
    [
        ["          Reference", "Prediction  a  b", "         a  1  2", "         c  3  4"],
        ["          Reference", "Prediction  a  b", "         a  1  2"],
        ["          Reference", "Prediction  a  b", "         a  1 (TP)  2", "         b  3  4"],
        ["          Reference", "Prediction  a  a", "         a  1  2", "         a  3  4"],
        [],
    ],
)
def test_what_is_no_matrix_is_refused(rows: list[str]) -> None:
    text = "\n".join(["Confusion Matrix and Statistics", "", *rows, "", "Accuracy : 0.5", ""])
    with pytest.raises(InputError, match="line 1: expected a matrix of counts"):
        read_printouts(text, "damaged")


def test_a_row_of_scores_that_ends_in_words_takes_no_time() -> None:
    """A pattern that tries every way to part the digits would take hours."""
    text = caret(np.diag([5, 6, 7]), ("a", "b", "c"), *NAMES[0])
    (found,) = read_printouts(text.replace("Sensitivity", "F1") + f"F1   {'1' * 60} x\n", "caret")
    assert found.labels == ("a", "b", "c")
