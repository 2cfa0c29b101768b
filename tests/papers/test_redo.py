"""The pages that redo the papers: run as they stand, with the numbers that the papers print."""

import re

import pytest

from evenhand.papers.claims import DOCUMENTS
from tests.pages import DOCS, script

FOUNDING, RUN = script("founding"), script("executed")
PAGES = sorted((DOCS / "papers").glob("*.md"))
PRINTED = {
    "opitz-2022": [
        "(array([20, 20]), array([25, 15]), array([15, 10]))",
        "a                 15.000  10.000  25.000",
        "b                 10.000  20.000  30.000",
        "(0.625, 0.6333333333333333)",
        "macro_recall  ✓           ✓             ✓                 ✓",
        "✓ 0, complete",
        "macro_precision    0.6250      0.6333",
        "bookmaker_gain  10.6667",  # −40 + 2·40·macR
        "([1.6, 2.67], [-1.0, 11.67])",  # odds 40/15
        "0.3000\nb",  # R·P(class)/P(f)
        "0.8889",
        "[0.0, 0.07]",
    ],
    "opitz-burst-2019": [
        '("macroF1 benevolent",0.504950495049505)',
        '("macroF1 non-benevolent",1.96078431372549e-2)',
        '("delta",0.48534265191225007)',
        '("delta calculated",0.0)',
        "f1_of_averages  0.5000",
        "macro_f1        0.4857",
        "\n0.13\n",
        "\n0.72\n",
        "(0.5, 0.4444444444444444)",
    ],
    "proof": ["[0.0555, 0.0611, 0.2813, 0.3333, 0.5]", "(0.0032, 0.0449, 0.4444)"],  # by hand
    "shmueli-2019": [
        "[42.1, 30.8, 66.7]",
        "[[31, 67, 67], [67, 20, 67]]",
        "(54.7, 51.1)",
        "\n46.5\n",
    ],
    "weighted-metrics-note": [
        "accuracy,,0.6428571428571429",
        "weighted_precision,,0.6492063492063492",
        "weighted_f1,,0.6424751718869367",
        "(0.6428571428571429, 0.6428571428571429)",
    ],
}
"""What each paper prints, as the commands and calls do."""


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_a_page_is_what_its_blocks_print(page, tmp_path):
    pytest.importorskip("vl_convert")  # figures are drawn
    text = page.read_text(encoding="utf-8")
    assert RUN.executed(text, str(tmp_path)) == text


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_a_page_has_the_numbers_that_the_paper_prints(page):
    blocks = re.findall(r"^```\w+\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    given = ("$ ", ">>> ", "... ", "    --")
    lines = "\n".join(blocks).splitlines()
    shown = "\n".join(line for line in lines if not line.startswith(given))
    assert [number for number in PRINTED[page.stem] if number not in shown] == []


def test_every_document_has_a_page():
    redone = {key: DOCS / path.partition("#")[0] for key, path in FOUNDING.REDONE.items()}
    assert set(redone) == set(DOCUMENTS) and {*redone.values(), DOCS / "papers/proof.md"} == set(
        PAGES
    )
    for key, page in redone.items():
        told = " ".join(page.read_text(encoding="utf-8").split())
        assert f"evenhand papers {key}" in told
        title = DOCUMENTS[key].partition(", ")[2].partition(" (")[0]
        assert all(part in told for part in title.split(": "))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_every_block_shows_what_it_prints(page):
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)
    marks = {"console": "$ ", "pycon": ">>> "}
    assert blocks
    assert all(text.startswith(marks[kind]) for kind, text in blocks if kind in marks)


def test_what_goes_wrong_in_a_page_is_not_written_down(tmp_path):
    run = RUN.executed
    old = "```pycon\n>>> 1 + 1\n3\n```\n\n```console\n$ echo a > x\n$ cat x | tr a b\nc\n```\n"
    new = run(old, str(tmp_path))
    assert new == old.replace("\n3\n", "\n2\n").replace("\nc\n", "\nb\n")
    for bad, words in {
        "console\n$ evenhand score no-such-file a": "no-such-file",
        "pycon\n>>> int('x')": "invalid literal",
    }.items():
        with pytest.raises(ValueError, match=words):
            run(f"```{bad}\n```", str(tmp_path))
