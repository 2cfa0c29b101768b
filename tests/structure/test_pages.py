"""The documentation: links lead somewhere, and the papers' words are found in it."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from evenhand.catalogue.lists import search
from evenhand.catalogue.names import having
from evenhand.cli import every_command, group
from studies import peers
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


def test_the_pages_written_by_hand_stay_short():
    """Words with a letter: no addresses, nothing printed or made by ``make docs``."""
    made = {"metrics.md", "papers.md", "properties.md", "schemas.md", "words.md"}
    hand = [prose(page) for page in (ROOT / "docs").rglob("*.md") if page.name not in made]
    hand = [re.sub(r"<!-- (\w+) -->.*?<!-- /\1 -->|\]\([^)]*\)", "", t, flags=re.S) for t in hand]
    assert sum(bool(re.search("[A-Za-z]", word)) for t in hand for word in t.split()) <= 50_000
    assert len((ROOT / "CHANGELOG.md").read_text().splitlines()) <= 80


@pytest.mark.parametrize("package", ["scikit-learn", "PyCM"])
def test_the_table_of_comparison_is_what_the_packages_answer(package):
    """Of those that tests have; ``make compare`` asks all."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text[text.index("| | evenhand") :].partition("\n\n")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in table.splitlines()
        if "---" not in line
    ]
    column = next(i for i, head in enumerate(rows[0]) if head.startswith(package))
    told = {feature: cells[column - 1] for feature, *cells in rows[1:]}
    assert told == {feature: peers.answer(feature, package) for feature in peers.FEATURES}


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
