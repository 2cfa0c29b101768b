"""Text and numbers, made safe for where they go."""

import unicodedata

import pytest

from evenhand.results.latex import latex
from evenhand.text import (
    counted,
    csv_cell,
    html_text,
    key_text,
    markdown,
    number,
    shortened,
    visible,
    width,
)

INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (12345, "12,345"),
        (-3, "−3"),
        (10**20, "100,000,000,000,000,000,000"),
        (0.0, "0.0000"),
        (-0.0, "0.0000"),
        (-0.00001, "0.0000"),
        (-0.00006, "−0.0001"),
        (0.64349, "0.6435"),
        (1.0, "1.0000"),
        (4625.9872, "4625.9872"),
        (1e15, "1.0000e+15"),
        (-1e200, "−1.0000e+200"),
        (NAN, "undefined"),
        (INF, "∞"),
        (-INF, "−∞"),
        (None, ""),
    ],
)
def test_number(value, text):
    assert number(value) == text


def test_number_has_the_digits_asked_for():
    assert [number(2 / 3, d) for d in (0, 1, 17)] == ["1", "0.7", "0.66666666666666663"]


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("a\nb\tc\rd", r"a\nb\tc\rd"),
        ("\x9b2J", r"\x9b2J"),
        ("\x7f\x00", r"\x7f\x00"),
        ("abc\u202edef", r"abc\u202edef"),
        ("\u2066x\u2069\u200f", r"\u2066x\u2069\u200f"),
        ("a\u2028b", r"a\u2028b"),
        ("no\u00a0break", r"no\xa0break"),
        ("\ud800", r"\ud800"),
        ("שלום", "שלום"),
        ("👩\u200d🔬", "👩\u200d🔬"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("❤️", "❤️"),
    ],
)
def test_visible(raw, shown):
    assert visible(raw) == shown


def test_nothing_that_steers_a_terminal_stays_visible():
    for code in [*range(0x3000), *range(0xD800, 0xE100), *range(0xFE00, 0x10000)]:
        shown = visible(chr(code))
        kinds = {unicodedata.category(c) for c in shown}
        assert not kinds & {"Cc", "Cs", "Zl", "Zp"}, hex(code)
        if "Cf" in kinds:
            assert shown in "\u200c\u200d"


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("abc", 3),
        ("", 0),
        ("日本", 4),
        ("Ａ", 2),
        ("e\u0301", 1),
        ("ก\u0e34", 1),
        ("हि", 2),
        ("🎉", 2),
        ("😀a", 3),
    ],
)
def test_width(text, columns):
    assert width(text) == columns


@pytest.mark.parametrize("text", ["x" * 200, "日" * 100, "a日" * 60, "🎉" * 50])
@pytest.mark.parametrize("columns", [5, 20, 40])
def test_shortened_fits(text, columns):
    made = shortened(text, columns)
    assert width(made) <= columns
    assert "…" in made
    assert made[0] == text[0]
    assert made[-1] == text[-1]


def test_short_text_is_left_alone():
    assert shortened("label", 5) == "label"


@pytest.mark.parametrize(
    ("raw", "safe"),
    [
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("50% & $5_#", r"50\% \& \$5\_\#"),
        ("a^b~c", r"a\textasciicircum{}b\textasciitilde{}c"),
        ("<a|b>", r"\textless{}a\textbar{}b\textgreater{}"),
        ("[5pt]", "{[}5pt{]}"),
        ("*star", "{*}star"),
        ('say "hi"', "say ``hi''"),
        ("('macro F1') is Cohen's", "(`macro F1') is Cohen's"),
        ("a\nb", r"a\textbackslash{}nb"),
        ("−0.5 ± 1 %", r"$-$0.5 $\pm$ 1 \%"),
        ("2·(P\u0304 + R\u0304)", r"2$\cdot$($\bar{P}$ + $\bar{R}$)"),
        ("x² ⇔ β → ½", r"x$^2$ $\Leftrightarrow$ $\beta$ $\rightarrow$ $\frac12$"),
        ("Größe", "Größe"),
        ("日本", r"{\ifdefined\Umathchar 日本\else U+65E5 U+672C\fi}"),
        ("x" * 20, "x" * 20),
        ("x" * 21, "x" * 12 + r"\allowbreak{}" + "x" * 9),
        (
            "one|two|three|four|five",
            r"one\textbar{}\allowbreak{}two\textbar{}\allowbreak{}three"
            r"\textbar{}\allowbreak{}four\textbar{}\allowbreak{}five",
        ),
    ],
)
def test_latex(raw, safe):
    assert latex(raw) == safe


@pytest.mark.parametrize(
    ("raw", "safe"),
    [
        ("a|b", r"a\|b"),
        ("_em_ *b* `c`", r"\_em\_ \*b\* \`c\`"),
        ("[l](u) ![i](u)", r"\[l\]\(u\) \!\[i\]\(u\)"),
        ("<b>&amp;", r"\<b\>\&amp;"),
        ("a\nb", r"a\\nb"),
    ],
)
def test_markdown(raw, safe):
    assert markdown(raw) == safe


@pytest.mark.parametrize("start", "=+-@")
def test_a_csv_cell_is_no_formula(start):
    assert csv_cell(f'{start}HYPERLINK("x")') == f'\'{start}HYPERLINK("x")'


def test_a_csv_cell_hides_no_formula_behind_a_control_character():
    for start in "\t\r\n\x00\u202e":
        assert csv_cell(f"{start}=1").startswith("\\")


def test_html():
    assert html_text("<a href='x' b=\"y\">&") == "&lt;a href=&#x27;x&#x27; b=&quot;y&quot;&gt;&amp;"


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("en", "en"),
        (2019, "2019"),
        (("en", 2), "en, 2"),
        (None, "(empty)"),
        (("a", None), "a, (empty)"),
    ],
)
def test_keys(key, text):
    assert key_text(key) == text


def test_nouns_agree_with_numbers():
    assert counted(1, "item", "items") == "1 item"
    assert counted(0, "item", "items") == "0 items"
    assert counted(2000, "class", "classes") == "2,000 classes"
    assert counted(2_000_000, "item", "items") == "2,000,000 items"
