"""Every result in every format says the same facts; hostile labels are obeyed by none."""

import csv
import html
import html.parser
import io
import json
import math
import re

import pytest

from evenhand.results import result as write
from evenhand.results.document import Code, FactList, KeyNumbers, Paragraph, Pictures, flat
from evenhand.results.latex import latex, titled
from evenhand.results.result import Result
from evenhand.text import ExactCell, ShownCell, cell_text, shortened, visible
from tests.results.samples import FRIENDLY, HOSTILE, every_result, kinds

NAMES = [
    "scores", "slices", "twins", "twins of slices", "comparison", "comparison of slices", "board",
    "extrapolation", "sweep", "estimate", "audit", "audits",
    "which", "profiles", "profile", "claims", "report", "report of several", "catalogue",
    "explained", "differences",
]  # fmt: skip
WORDED = ["table", "markdown", "latex", "html", "notebook"]
"""Formats for people; CSV and JSON are for programs."""

SHOWN = 50
"""Rows of a table that every format for people shows."""


@pytest.fixture(params=NAMES)
def result(request):
    return every_result(tuple(FRIENDLY))[request.param]


@pytest.fixture(params=NAMES)
def hostile(request):
    return every_result(tuple(HOSTILE))[request.param]


def flattened(text):
    """Without line breaks and what a format puts around words."""
    return re.sub(r"\s+", " ", text)


def unwritten(text, style):
    """What a reader of the format sees."""
    if style in ("html", "notebook"):
        text = re.sub(r"</?b>", "", text)
        text = html.unescape(re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", " ", text, flags=re.S))
    if style == "markdown":
        text = re.sub(r"(?<!\\)\*\*", "", text)
        text = re.sub(r"\\([^a-zA-Z0-9\s])", r"\1", text)
    if style == "latex":
        text = re.sub(r"^% ?", "", text, flags=re.M)
    return flattened(text)


def forms(sentence, style):
    """How a sentence may stand in a format."""
    plain = flattened(visible(sentence)).strip()
    if style == "latex":
        return {flattened(latex(sentence)).strip()}
    return {plain}


def sentences(content):
    """Everything that is said in words."""
    yield content.title
    yield from content.warnings
    for block in flat(content.blocks):
        if isinstance(block, Paragraph):
            yield from block.text.splitlines()
        elif isinstance(block, FactList):
            yield from (text for _, text in block.pairs)
        elif isinstance(block, KeyNumbers):
            yield from (f.value for f in block.facts)
        elif isinstance(block, Code):
            yield block.text.replace("`", " ")


def cells(content):
    """Every cell that is shown, with the digits of its table and the width of its texts."""
    for sheet in content.sheets:
        most = SHOWN if sheet.most is None else min(sheet.most, SHOWN)
        for row in sheet.grid.rows[:most]:
            for cell in row:
                yield cell, 4 if sheet.digits is None else sheet.digits, sheet.wide


def numbers(value):
    """Every number in a JSON document."""
    if isinstance(value, dict):
        for v in value.values():
            yield from numbers(v)
    elif isinstance(value, list):
        for v in value:
            yield from numbers(v)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)


def test_every_kind_of_result_is_here():
    samples = {type(r) for r in every_result(tuple(FRIENDLY)).values()}
    abstract = {kind for kind in kinds() if kind.__abstractmethods__}
    assert set(kinds()) - abstract - samples == {
        kind
        for kind in kinds()
        # one needs a folder (tests/papers), the page's own are in tests/web
        if kind.__name__ == "RedrawnFigure" or kind.__module__.startswith("evenhand.web.")
    }


@pytest.mark.parametrize("style", WORDED)
def test_every_sentence_is_in_every_format(result, style):
    content = result.content()
    text = unwritten(write.in_format(content, style), style)
    lost = [s for s in sentences(content) if not any(f in text for f in forms(s, style))]
    assert not lost


@pytest.mark.parametrize("style", WORDED)
def test_every_cell_is_in_every_format(result, style):
    content = result.content()
    text = unwritten(write.in_format(content, style), style)
    lost = []
    for cell, digits, wide in cells(titled(content) if style in ("latex", "html") else content):
        shown = cell_text(
            cell.value if style == "notebook" and isinstance(cell, ExactCell) else cell, digits
        )
        if style == "table" and isinstance(cell, str):
            shown = shortened(visible(shown), wide)
        if not any(f in text for f in forms(shown, style)):
            lost.append(cell)
    assert not lost


def test_every_number_that_is_shown_is_in_the_json(result):
    known = {float(f"{x:.6g}") for x in numbers(result.to_dict())}
    lost = []
    for cell, _, _ in cells(result.content()):
        value = cell.sort if isinstance(cell, ShownCell) else cell
        if isinstance(value, int | float) and math.isfinite(value):
            found = {float(f"{value * unit:.6g}") for unit in (1, 0.01)}  # points are hundredths
            if not any(abs(x) in {abs(k) for k in known} for x in found):
                lost.append(cell)
    assert not lost


def test_every_number_of_the_csv_is_in_the_json(result):
    known = {float(f"{x:.9g}") for x in numbers(result.to_dict())}
    rows = list(csv.reader(io.StringIO(result.to_csv()), strict=True))
    assert {len(row) for row in rows} == {len(rows[0])}
    frame = result.to_polars()
    assert frame.shape == (len(rows) - 1, len(rows[0]))
    assert result.to_pandas().shape == frame.shape
    for name in frame.columns:
        if frame[name].dtype.is_numeric():
            there = {float(f"{x:.9g}") for x in frame[name].drop_nulls().drop_nans()}
            assert there <= known, name


def test_warnings_have_sentences_and_codes(result):
    found = result.to_dict()
    assert found["warnings"] == list(result.warnings)
    assert [c["code"] for c in found["warning_codes"]] == [n.code for n in result.cautions]
    assert len(found["warnings"]) == len(set(found["warnings"]))
    for part in found.get("slices", ()):
        assert not set(part["warnings"]) & set(found["warnings"])
    json.dumps(found, allow_nan=False)


def test_some_results_have_warnings():
    found = every_result(tuple(FRIENDLY))
    told = {name for name, r in found.items() if r.warnings}
    assert told >= {"scores", "slices", "comparison", "board", "extrapolation", "sweep", "report"}


def test_a_result_says_itself_in_a_line(result):
    assert repr(result).startswith(f"<{type(result).__name__}: ")
    assert "\n" not in repr(result)
    short = {"explain": False} if type(result).__name__ == "Leaderboard" else {}
    assert str(result) == write.in_format(result.content(**short), "table")


@pytest.mark.parametrize("ending", write.ENDINGS)
def test_a_result_saves_itself_by_the_ending(result, ending, tmp_path):
    result.save(tmp_path / f"result{ending}")
    text = (tmp_path / f"result{ending}").read_text()
    style = write.ENDINGS[ending]
    expected = result.to_json() if style == "json" else write.in_format(result.content(), style)
    assert text == expected.rstrip("\n") + "\n"


STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
TAGS = {
    "table", "thead", "tbody", "tr", "th", "td", "p", "caption", "b", "code", "dl", "dt", "dd",
    "h3", "h4", "details", "summary", "div", "u", "small", "mark"}  # fmt: skip
COMMANDS = {
    "begin", "end", "centering", "caption", "toprule", "midrule", "bottomrule", "pm",
    "textbackslash", "textless", "textgreater", "textbar", "textasciitilde", "textasciicircum",
    "dots", "times", "cdot", "rightarrow", "leq", "geq", "approx", "infty", "surd", "bar",
    "Sigma", "beta", "kappa", "pi", "lambda", "Delta", "frac", "neq", "partial",
    "alpha", "gamma", "theta", "rho", "chi", "phi", "mu", "nu", "Pi", "Phi", "Lambda",
    "S", "mp", "in",
    "int", "leftarrow", "Rightarrow", "Leftrightarrow", "uparrow", "downarrow",
    "allowbreak", "sloppy", "smallskip", "parbox", "raggedright", "strut", "ifdim",
    "width", "resizebox", "columnwidth", "fi",
    "ifdefined", "Umathchar", "else", "dagger", "textbf", "underline", "scriptsize",
    "par", "footnotesize",
}  # fmt: skip


@pytest.mark.parametrize("style", [*WORDED, "csv"])
def test_nothing_steers(hostile, style):
    text = write.in_format(hostile.content(), style)
    text.encode("utf-8")
    if style == "html":  # whose own script and style are no label's
        text = re.sub(r"<(script|style)>.*?</\1>", "", text, flags=re.S)
    assert STEERING.search(text) is None
    assert STEERING.search(repr(hostile)) is None


def test_json_loses_no_label(hostile):
    assert STEERING.search(hostile.to_json().replace("\n", "")) is None
    assert json.loads(hostile.to_json()) == hostile.to_dict()


def test_csv_has_no_formula(hostile):
    rows = list(csv.reader(io.StringIO(hostile.to_csv()), strict=True))
    numbers = re.compile(r"-?[\d.]+(e[+-]?\d+)?|-inf")
    bad = [c for r in rows for c in r if c[:1] in "=+-@\t\r" and c and not numbers.fullmatch(c)]
    assert not bad


def test_markdown_rows_keep_their_cells(hostile):
    for block in hostile.to_markdown().split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) for row in rows}) <= 1
        if re.fullmatch("`[^`\n]*`", block):
            continue  # code, in which nothing is markup
        assert "<script" not in block.replace(r"\<", "")
        assert not re.search(r"(?<!\\)\]\(", block)


def test_latex_holds_no_foreign_command(hostile):
    lines = [line for line in hostile.to_latex().splitlines() if not line.startswith("%")]
    text = "\n".join(lines)
    assert set(re.findall(r"\\([A-Za-z]+)", text)) <= COMMANDS
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}")
    for body in re.findall(r"\\midrule\n(.*?)\\bottomrule", text, flags=re.S):
        widths = {len(re.findall(r"(?<!\\)&", row)) for row in body.strip().splitlines()}
        assert len(widths) <= 1
        assert all(row.endswith(r" \\") and row[0] not in "[*" for row in body.splitlines())
    braces = re.sub(r"\\[{}]", "", text)
    assert braces.count("{") == braces.count("}")


def test_our_own_words_are_ascii_in_latex(result):
    assert result.to_latex().isascii()


def test_notebooks_get_plain_tables(hostile):
    tags = set()

    class Tags(html.parser.HTMLParser):
        def handle_starttag(self, tag, attrs):
            tags.add(tag)
            bar = dict(attrs).get("style", "margin-left:0%;width:0%")  # of an interval
            assert re.fullmatch(r"margin-left:[\d.]+%;width:[\d.]+%", bar)
            assert {key for key, _ in attrs} <= {"class", "scope", "id", "aria-labelledby", "style"}

    Tags().feed(hostile._repr_html_())
    assert tags <= {*TAGS, "b", "details", "div", "h2", "i", "section", "span", "style", "summary"}


def test_a_page_runs_only_its_own_script(hostile):
    if any(isinstance(b, Pictures) for b in flat(hostile.content().blocks)):
        return  # drawings are held to it in tests/reporting
    page = hostile.to_html()
    assert page.count("<script") == page.count("</script>") == 1
    assert "Content-Security-Policy" in page


def test_the_base_defines_every_format():
    own = {name for name in vars(Result) if name.startswith(("to_", "save", "__repr", "_repr"))}
    own -= {"to_json_object"}
    for kind in kinds():
        assert not own & set(vars(kind)) - {"__repr__"}, kind
