"""Search: claims and figures by id, words, sections, authors, titles and numbers."""

import pytest
from click.testing import CliRunner

from evenhand.cli import group
from evenhand.errors import InputError
from evenhand.papers.claims import all_claims, chosen
from evenhand.papers.figures import figures

KNOWN = all_claims()


def ids(*words):
    return [c.id for c in chosen(words, KNOWN)]


def of(*documents):
    return [c.id for c in KNOWN if c.id.startswith(documents)]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("000-theorem-2",), ["000-theorem-2"]),
        (("000-THEOREM-2",), ["000-theorem-2"]),
        (("000-theorem",), [i for i in of("000") if "theorem" in i]),
        (("002", "001-accuracy"), ["001-accuracy", *of("002")]),
        (("Shmueli",), of("002")),
        (("Shmueli", "2019"), of("002")),
        (("Opitz", "2022"), of("003")),
        (("Opitz & Burst",), of("000", "004")),
        (("1911.03347",), of("000", "004")),
        (("arXiv:1911.03347",), of("000", "004")),
        (("Macro", "F1", "and", "Macro", "F1"), of("000", "004")),
        (("tale", "of", "two"), of("002")),
        (("003", "swapping"), []),
        (("figure", "3b"), ["000-figure-3b"]),
        (("figure", "2a"), ["000-figure-2", "000-figure-2-edges", "000-figure-2-proportional"]),
        (("tables 6",), ["003-appendix-f-example"]),
        (("footnote", "5"), ["003-footnote-5"]),
        (("Opitz", "2022", "bookmaker"), ["003-bookmaker"]),
    ],
)
def test_claims_are_found(words, found):
    assert ids(*words) == found


@pytest.mark.parametrize(
    ("words", "claim"),
    [
        ("benevolent", "000-figure-1a-benevolent"),
        ("doppelganger", "003-eq-21"),
        ("macF1'", "003-eq-21"),
        ("F-score_M", "002-fscore"),
        ("class bags", "003-bags"),
        ("bookmaker", "003-bookmaker"),
        ("inter-annotator", "003-eq-21"),
        ("RMSD", "000-figure-1a-rms"),
        ("bias", "003-bias-robust"),
        ("prevalence", "003-eq-6"),
    ],
)
def test_the_documents_own_words_are_found(words, claim):
    found = ids(words)
    assert claim in found and len(found) < len(of("003"))


def test_nothing_found_is_one_line_that_names_the_documents():
    result = CliRunner().invoke(group, ["papers", "nothing", "such"])
    assert result.exit_code == 2 and result.stderr.count("\n") == 1
    assert "'nothing such'" in result.stderr and "003 (Opitz 2022)" in result.stderr


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["2a"], ["000-figure-2a"]),
        (["1b"], ["000-figure-1b"]),
        (["003-figure-2"], ["003-figure-2"]),
        (["table", "8"], ["003-table-8"]),
    ],
)
def test_a_figure_alone(words, found):
    assert [f.name for f in figures(words, draws=1)] == found


def test_an_unknown_figure():
    with pytest.raises(InputError, match="no figure is called '9': there are 000-figure-1a, "):
        figures(["9"])


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("PI", "monotonicity"),
        ("PV", "chance correction"),
        ("property IV", "prevalence invariance"),
        ("chance correction", "chance correction"),
    ],
)
def test_a_property_leads_to_its_metrics_and_to_the_papers(words, title):
    found = CliRunner().invoke(group, ["metrics", *words.split()])
    assert found.exit_code == 0
    assert found.stdout.splitlines()[0].endswith(f"metrics with {title}")
    assert f"evenhand papers {words}" in found.stderr


def test_the_scaling_matrix_stands_beside_goodman_and_kruskal():
    found = CliRunner().invoke(group, ["metrics", "λ"])
    assert "Goodman and Kruskal" in found.stdout
    assert "1 claim, evenhand papers λ" in found.stderr
