"""The documentation: links lead somewhere, and the papers' words are found in it."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from evenhand.catalogue.lists import search
from evenhand.catalogue.names import having
from evenhand.cli import every_command, group
from tests.pages import DOCS, scripts

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
WORDS = {
    "benevolent": ("f1_of_averages", "opitz-burst-2019"),
    "doppelganger": ("f1_of_averages", "opitz-2022"),
    "macF1'": ("f1_of_averages", "opitz-2022"),
    "F-score_M": ("f1_of_averages", "shmueli-2019"),
    "class bags": ("macro_recall", "opitz-2022"),
    "bookmaker": ("bookmaker_gain", "opitz-2022"),
    "inter-annotator": ("f1_of_averages", "opitz-2022"),
    "RMSD": ("f1_gap", "opitz-burst-2019"),
    "bias": ("macro_precision", "opitz-2022"),
    "prevalence": ("macro_recall", "opitz-2022"),
}
"""Words of the papers, the metric and the page that they should lead to."""


def prose(path):
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)


def addresses(path):
    heads = re.findall(r"^#+ (.*)$", prose(path), re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, place = target.partition("#")
        there = (page.parent / name).resolve() if name else page
        assert there.exists(), target
        assert not place or place in addresses(there), target


BUILT = scripts()[0].BUILT


@pytest.mark.parametrize("name", BUILT)
def test_a_page_that_is_made_from_the_code_is_current(name):
    """Else run make docs."""
    assert (DOCS / name).read_text(encoding="utf-8") == BUILT[name]()


def index():
    """The rows of the index of words: each word, and the links beside it."""
    text = (ROOT / "docs" / "words.md").read_text(encoding="utf-8")
    rows = (line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| "))
    return {re.sub(r"\\", "", word): " ".join(links) for word, *links in rows}


@pytest.mark.parametrize("word", WORDS)
def test_a_word_of_the_papers_leads_to_its_metric_and_its_page(word):
    metric, page = WORDS[word]
    links = index()[word]
    assert f"papers/{page}.md#" in links
    assert metric in {m.name for m in search(word.split())}
    assert metric in links or word in ("bias", "prevalence")  # which most metrics speak of
    titles = {str(p): "\n".join(re.findall(r"^#+ (.*)$", prose(p), re.M)) for p in PAGES}
    texts = {str(p): p.read_text(encoding="utf-8") for p in PAGES}
    assert any(page in found for found in having(word.split(), titles, texts))


@pytest.mark.parametrize("word", WORDS)
def test_a_word_of_the_papers_is_in_the_help(word):
    helps = {
        name: CliRunner().invoke(group, [*name.split(), "--help-all"]).stdout
        for name, _ in every_command()
    }
    told = {name: " ".join(text.split()) for name, text in helps.items()}
    assert "metrics" in having(word.split(), told)
