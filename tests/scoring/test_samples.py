"""Several samples of an item: names that are confused, and where the variance is."""

import json
import re
from itertools import combinations

import numpy as np
import pytest
from click.testing import CliRunner

from evenhand.cli import group
from evenhand.errors import InputError
from evenhand.scoring.samples import ItemSamples

RIGHT = [[1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 0], [1, 1, 1, 0]]


def samples(rows=RIGHT):
    counts, right = (np.array([f(row) for row in rows], float) for f in (len, sum))
    return ItemSamples(counts, right, (right > counts / 2) + (right == counts / 2) / 2, 0.95)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_pass_at_k_is_the_share_of_choices_of_k_samples_with_a_right_one(k):
    expected = np.mean([np.mean([any(s) for s in combinations(row, k)]) for row in RIGHT])
    assert samples().pass_at(k).value == pytest.approx(expected)


def test_fewer_samples_than_k_are_refused():
    with pytest.raises(InputError, match="pass@4 needs 4 samples of every item, got 3 of some"):
        samples([*RIGHT, [1, 0, 1]]).pass_at(4)
    assert samples([*RIGHT, [1, 0, 1]]).k == 3


def test_the_four_names():
    named = {name: x.value for name, x in samples().named.items()}
    assert named == pytest.approx(
        {"mean@4": 0.5, "pass@4": 0.8, "solved at least once": 0.8, "majority vote": 0.5}
    )


def test_the_variance_is_that_between_items_and_within():
    rng = np.random.default_rng(0)
    ease = rng.beta(2, 2, 4000)
    found = samples((rng.random((4000, 5)) < ease[:, None]).astype(int).tolist())
    assert found.between == pytest.approx(ease.var(), rel=0.05)
    assert found.within == pytest.approx((ease * (1 - ease)).mean(), rel=0.05)
    share = 100 * ease.var() / (ease.var() + (ease * (1 - ease)).mean())
    said = re.match(
        r"(\d+) % of the variance of samples lies between items, (\d+) % within", found.advice
    )
    assert int(said[1]) == pytest.approx(share, abs=1.5) and int(said[1]) + int(said[2]) == 100
    assert found.advice.endswith("4,000 more items by 29 %.")


def test_twice_the_samples_of_each_item_narrow_as_advised():
    few = samples([[1, 0], [1, 1], [0, 0], [1, 0]] * 50)
    ratio = (few.between + few.within / 4) / (few.between + few.within / 2)
    assert (
        f"2 more samples of each item would narrow the interval by {100 * (1 - ratio**0.5):.0f} %"
        in few.advice
    )


def test_the_items_needed_are_items_and_not_their_samples(run, write):
    """Four equal samples of each item say no more than one, but for the clusters' C/(C − 1)."""
    for name, each in (("one", 1), ("four", 4)):
        for system, wrong in (("old", 3), ("new", 4)):
            rows = (f"q{i},{e},{int(i % wrong != 0)}" for i in range(60) for e in range(each))
            write(f"{name}-{system}.csv", "\n".join(["id,epoch,score", *rows, ""]))

    def asked(command, name, *options):
        files = [f"{name}-old.csv", f"{name}-new.csv"]
        columns = ["--score", "score", "--id", "id", "--sample", "epoch"]
        return run(command, *files, *columns, *options, "--format", "json").stdout

    one, four = (json.loads(asked("gate", n, "--margin", "2%")) for n in ("one", "four"))
    assert one["checks"][0]["needed"] > 60
    assert four["checks"][0]["needed"] == pytest.approx(one["checks"][0]["needed"] * 60 / 59, abs=2)
    one, four = (asked("compare", n) for n in ("one", "four"))
    one, four = (
        float(re.search(r"([\d,]+) items would show", text)[1].replace(",", ""))
        for text in (one, four)
    )
    assert four == pytest.approx(one * 60 / 59, rel=0.05)  # said in two digits


@pytest.mark.parametrize("graded", [False, True])
def test_on_the_command_line(tmp_path, graded):
    path = tmp_path / "s.csv"
    answers = [(f"q{i}", e, x) for i, row in enumerate(RIGHT * 6) for e, x in enumerate(row)]
    rows = [f"{q}-{i},{e},{x}" if graded else f"{q}-{i},{e},a,{'ba'[x]}"
            for i, (q, e, x) in ((i // 4, a) for i, a in enumerate(answers))]  # fmt: skip
    path.write_text("\n".join(["id,epoch,score" if graded else "id,epoch,gold,pred", *rows]))
    columns = ["--score", "score"] if graded else ["--true", "gold", "--pred", "pred"]
    given = ["score", str(path), *columns, "--id", "id", "--sample", "epoch"]
    found = json.loads(CliRunner().invoke(group, [*given, "--format", "json"]).stdout)
    own = found["item_samples"]
    assert (found["items"], found["samples"], own["k"]) == (30, 120, 4)
    names = ("mean_at_k", "pass_at_k", "solved_at_least_once", "majority_vote")
    assert [own[name]["value"] for name in names] == pytest.approx([0.5, 0.8, 0.8, 0.5])
    shown = CliRunner().invoke(group, given).stdout
    assert "30 items, 120 samples" in shown and "pass@4" in shown
