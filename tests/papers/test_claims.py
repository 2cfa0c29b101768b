"""The documents' claims: every verdict computed, every known error found."""

import ast
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import evenhand.papers
from evenhand.cli import group
from evenhand.papers import recompute
from evenhand.papers.claims import DOCUMENTS, all_claims, figure_1a, place
from evenhand.results import result as write
from tests.papers.verdicts import BY_EYE, VERDICTS

CLAIMS = {c.id: c for c in all_claims()}
SOURCE = Path(evenhand.papers.__file__).parent


@pytest.mark.parametrize("name", CLAIMS)
def test_the_verdict(name):
    outcome = CLAIMS[name].outcome(0)
    assert outcome.verdict == VERDICTS.get(name, "holds"), outcome
    assert outcome.computed and outcome.evidence


def test_the_list_of_verdicts_names_claims():
    assert set(VERDICTS) <= set(CLAIMS)


def test_every_document_has_claims_in_words():
    assert {c.id[:3] for c in CLAIMS.values()} == set(DOCUMENTS)
    for c in CLAIMS.values():
        assert c.claim.endswith(".") and c.where and c.printed


@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize(
    "number",
    [r"(?:after )?equations? (\d+)", r"sections? (\d)", r"append\w+ ([A-G])", r"table (\d)"],
)
def test_claims_come_in_the_order_of_their_document(document, number):
    places = [c.where for c in all_claims() if c.id.startswith(document)]
    met = [int(found[1], 36) for w in places if (found := re.match(number, w))]
    assert met == sorted(met)


def test_no_two_claims_have_one_id():
    assert len(CLAIMS) == len(all_claims())


def test_a_place_that_no_outline_knows_is_a_mistake():
    with pytest.raises(ValueError, match="no place for 'equation 31415'"):
        place("003", "equation 31415")


def calls(tree):
    """Calls of a function by its plain name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id, node


def constant(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, bool)


@pytest.mark.parametrize("path", sorted(SOURCE.glob("*.py")), ids=lambda p: p.stem)
def test_no_verdict_is_a_constant_unless_read_by_eye(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for name, call in calls(tree):
        if name in ("judged", "open_within"):
            assert not any(constant(a) for a in [*call.args, *(k.value for k in call.keywords)])
    if path.stem != "claims":
        assert "Outcome" not in dict(calls(tree))


def test_what_is_read_by_eye_says_so():
    assert {c.id for c in CLAIMS.values() if c.outcome(0).by_eye} == set(BY_EYE)
    found = recompute(["000-appendix-c"])
    assert found.summary.startswith("10 claims (2 read by eye): holds 5,")
    assert "misprint (read by eye)" in str(found)
    assert found["000-appendix-c-steps"].to_dict()["basis"] == "read by eye"
    assert found["000-appendix-c-odd"].to_dict()["basis"] == "computed"


def test_without_scikit_learn_there_are_as_many_claims(monkeypatch):
    monkeypatch.setattr("evenhand.papers.claims.find_spec", lambda _: None)
    for name in ("002-scikit-learn", "003-footnote-3", "003-footnote-5"):
        assert CLAIMS[name].outcome(0).verdict == "cannot be checked"


def test_the_readme_tells_how_many_claims_there_are():
    text = (SOURCE.parents[2] / "README.md").read_text(encoding="utf-8")
    assert f" {len(CLAIMS)} claims recomputed" in text


def test_a_seed_draws_other_tasks_and_the_verdict_stays():
    name = "000-figure-1a-pearson"
    one, again, other = (recompute([name], seed=s)[name].outcome for s in (0, 0, 7))
    assert one == again and one.computed != other.computed
    assert one.verdict == other.verdict == "holds"
    run = CliRunner().invoke(group, ["papers", name, "--seed", "7"]).stdout
    assert other.computed in run
    assert figure_1a(7, 0) == figure_1a(7, 0) != figure_1a(7, 1)


def test_numbers_of_theorem_2():
    found = recompute(["000-theorem-2"]).judged[0].outcome
    assert "7,596 of 18,954" in found.computed and "1/255" in found.evidence
    assert "P = 0.75, R = 1 and a gap of 0" in found.evidence


@pytest.mark.parametrize("seed", [0, 3])
def test_how_rare_tables_without_a_gap_are(seed):
    """By hand 2,960,100 of the 99,990,000 of two classes; of three 0.0349 %, counted elsewhere."""
    found = recompute(["000-rare"], seed=seed).judged[0].outcome
    two, three = re.findall(r"[\d.]+(?= % of)", found.computed)
    assert two == "2.960" and float(three) == pytest.approx(0.0349, abs=0.00015)
    assert f"1,000,000 draws, seed {seed}" in found.evidence


def test_first_places_are_shared_by_those_that_tie():
    found = recompute(["003-ranking-differs"]).judged[0].outcome
    assert "macro_f1 B, C, E;" in found.evidence and "E in bold" in found.evidence


def test_evidence_is_in_words():
    for c in CLAIMS.values():
        outcome = c.outcome(0)
        assert not re.search(
            r"[{}]|array\(|\(\d[\d.]*, |nan", f"{outcome.computed} {outcome.evidence}"
        )


def test_what_another_rendering_has_right_is_no_misprint():
    found = recompute(["appendix-c-even"])
    assert found.summary == "2 claims: holds 1, rendering 1."


def run(*arguments):
    return CliRunner().invoke(group, list(arguments))


def test_json():
    found = json.loads(run("papers", "001", "000-table-2", "--format", "json").stdout)
    assert found["schema"] == 1
    assert len(found["claims"]) == sum(c.startswith("001") for c in CLAIMS) + 1
    for c in found["claims"]:
        assert list(c) == [
            "id", "document", "where", "claim", "verdict", "basis", "printed", "computed",
            "evidence",
        ]  # fmt: skip


@pytest.mark.parametrize("style", ["table", "csv", "markdown", "latex"])
def test_formats(style):
    text = run("papers", "001", "--format", style).stdout
    assert "misprint" in text and "409/630" in text


def test_a_claim_in_full():
    text = run("papers", "000-table-2").stdout
    assert "verdict   misprint" in text and "printed   F1′ 0.55" in text


def test_claims_say_themselves_in_every_format():
    found = recompute(["001"])
    wrong = [j for j in found.values() if j.outcome.verdict != "holds"]
    assert wrong and len(wrong) < len(found)
    assert repr(found) == f"<Claims: {found.summary}>"
    for text in (str(found), found.to_markdown(), found.to_html()):
        assert all(name in text for name in found)
        assert all(j.outcome.evidence.split("[")[0] in text for j in wrong)
    whole = write.in_format(found.content(full=True), "table")
    assert all(j.outcome.evidence in whole for j in found.values())
    assert found.to_dict()["claims"] == [j.to_dict() for j in found.values()]
    assert found.to_pandas()["id"].tolist() == list(found)
