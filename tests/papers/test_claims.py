"""The documents' claims: every verdict computed, every known error found."""

import json

import pytest
from click.testing import CliRunner

from evenhand.cli import group
from evenhand.errors import InputError
from evenhand.papers import recompute
from evenhand.papers.claims import DOCUMENTS, all_claims
from evenhand.results import write

CLAIMS = {c.id: c for c in all_claims()}

# Errors that are known of the documents, from independent study, and the claims about them.
FAILS = [
    "000-theorem-2",
    "000-appendix-e-zero",
    "003-mcc-kappa",
    "003-mcc-kappa-reason",
    "003-macro-precision-strict",
    "003-f1-of-averages-strict",
    "003-table-5-macro-precision",
    "003-table-5-f1-of-averages",
    "003-mcc-two-classes",
    "003-table-5-calibration",
    "003-only-macro-recall",
]
MISPRINTS = [
    "000-table-2",
    "000-appendix-c-gamma",
    "000-appendix-c-boundary",
    "000-appendix-c-steps",
    "000-appendix-c-derivative",
    "000-appendix-c-even",
    "000-appendix-e-names",
    "001-example-names",
    "001-weighted-f1-digits",
    "003-eq-3",
    "003-footnote-5",
    "003-eq-30-31-shares",
    "003-eq-31",
    "003-appendix-b-3",
    "003-eq-33-34",
    "003-eq-36-37",
    "003-eq-38",
    "003-eq-39",
    "003-eq-41-43",
    "003-appendix-d-4",
]
# Found since.
FURTHER_FAILS = ["000-theorem-2-proof-2", "003-table-5-accuracy", "003-figure-2-recall-2"]
FURTHER_MISPRINTS = [
    "002-macro-precision",
    "002-macro-recall",
    "003-table-8-bold",
    "004-appendix-a",
]
ODD = {
    **dict.fromkeys([*FAILS, *FURTHER_FAILS], "fails as printed"),
    **dict.fromkeys([*MISPRINTS, *FURTHER_MISPRINTS], "misprint"),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_the_verdict(name):
    outcome = CLAIMS[name].check()
    assert outcome.verdict == ODD.get(name, "holds"), outcome
    assert outcome.computed and outcome.evidence


def test_every_document_has_claims_in_words():
    assert {c.id[:3] for c in CLAIMS.values()} == set(DOCUMENTS)
    for c in CLAIMS.values():
        assert c.claim.endswith(".") and c.where and c.printed


def test_a_verdict_is_computed_and_not_stored(monkeypatch):
    """With another kernel the same claim gets another verdict."""
    import evenhand.papers.twins_numbers as room

    assert recompute(["000-table-2"])["000-table-2"].outcome.verdict == "misprint"
    monkeypatch.setattr(room, "TABLE_2", [[1, 9], [2, 18]])
    assert recompute(["000-table-1"])["000-table-1"].outcome.verdict == "holds"
    assert recompute(["000-table-2-mean"])["000-table-2-mean"].outcome.verdict != "holds"


def test_numbers_of_theorem_2():
    found = recompute(["000-theorem-2"]).judged[0].outcome
    assert "7,596 of 18,954" in found.computed and "1/63" in found.evidence


def run(*arguments):
    return CliRunner().invoke(group, list(arguments))


def test_json():
    found = json.loads(run("papers", "001", "000-table-2", "--format", "json").stdout)
    assert found["schema"] == 1
    assert len(found["claims"]) == sum(c.startswith("001") for c in CLAIMS) + 1
    for c in found["claims"]:
        assert list(c) == [
            "id", "document", "where", "claim", "verdict", "printed", "computed", "evidence",
        ]  # fmt: skip


def test_by_the_name_of_the_document():
    assert {j.claim.document for j in recompute(["Shmueli"]).judged} == {"Shmueli 2019"}


@pytest.mark.parametrize("style", ["table", "csv", "markdown", "latex"])
def test_formats(style):
    text = run("papers", "001", "--format", style).stdout
    assert "misprint" in text and "409/630" in text


def test_a_claim_in_full():
    text = run("papers", "000-table-2").stdout
    assert "verdict   misprint" in text and "printed   F1′ 0.55" in text


def test_an_unknown_claim():
    with pytest.raises(InputError, match="documents are 000"):
        recompute(["005"])
    assert run("papers", "nothing").exit_code == 2


def test_claims_say_themselves_in_every_format():
    found = recompute(["001"])
    wrong = [j for j in found.values() if j.outcome.verdict != "holds"]
    assert wrong and len(wrong) < len(found)
    assert repr(found) == f"<Claims: {found.summary}>"
    for text in (str(found), found.to_markdown(), found.to_html()):
        assert all(name in text for name in found)
        assert all(j.outcome.evidence.split("[")[0] in text for j in wrong)
    whole = write.text(found.content(full=True), "table")
    assert all(j.outcome.evidence in whole for j in found.values())
    assert found.to_dict()["claims"] == [j.to_dict() for j in found.values()]
    assert found.to_pandas()["id"].tolist() == list(found)
