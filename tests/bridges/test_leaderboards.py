"""Records for leaderboards elsewhere: every field as their schemas have it, every number ours."""

import json
import math
import re
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.bridges.leaderboards import every_eval_ever, save_every_eval_ever
from evenhand.cli import group
from evenhand.errors import EvenhandWarning, InputError
from tests.results.samples import FRIENDLY, HOSTILE, every_result

WHEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
TEXT, NUMBER, TRUTH = (str,), (int, float), (bool,)

# Every Eval Ever 0.3: the fields of a record by place, what each may be, and which must be there.
FIELDS = {
    "": {
        "schema_version": TEXT, "evaluation_id": TEXT, "retrieved_timestamp": TEXT,
        "source_metadata": (dict,), "model_info": (dict,), "eval_library": (dict,),
        "evaluation_results": (list,), "evaluation_timestamp?": TEXT,
    },
    "source_metadata": {
        "source_type": ("evaluation_run", "documentation"), "source_organization_name": TEXT,
        "evaluator_relationship": ("first_party", "third_party", "collaborative", "other"),
        "source_name?": TEXT,
    },
    "eval_library": {"name": TEXT, "version": TEXT},
    "model_info": {"name": TEXT, "id": TEXT, "additional_details": (dict,), "developer?": TEXT},
    "model_info.additional_details": {
        "deployment_type": ("self_deployed", "externally_managed", "unknown"),
        "model_availability": ("open_weights", "closed_weights", "unknown"),
    },
    "evaluation_results": {
        "evaluation_name": TEXT, "source_data": (dict,), "metric_config": (dict,),
        "score_details": (dict,), "evaluation_result_id?": TEXT,
    },
    "evaluation_results.source_data": {
        "dataset_name": TEXT, "source_type": ("url", "hf_dataset", "other"), "url?": (list,),
        "hf_repo?": TEXT, "hf_split?": TEXT,
    },
    "evaluation_results.metric_config": {
        "lower_is_better": TRUTH, "metric_id?": TEXT, "metric_name?": TEXT, "metric_kind?": TEXT,
        "metric_unit?": TEXT, "metric_parameters?": (dict,), "evaluation_description?": TEXT,
        "score_type?": ("continuous",), "min_score?": (*NUMBER, "-Infinity"),
        "max_score?": (*NUMBER, "Infinity"),
    },
    "evaluation_results.metric_config.metric_parameters": {
        "signature": TEXT, "*?": (str, int, float, bool, type(None)),
    },
    "evaluation_results.score_details": {
        "score": NUMBER, "details?": (dict,), "uncertainty?": (dict,),
    },
    "evaluation_results.score_details.details": {"*?": TEXT},
    "evaluation_results.score_details.uncertainty": {
        "standard_error?": (dict,), "confidence_interval?": (dict,), "num_samples?": (int,),
    },
    "evaluation_results.score_details.uncertainty.standard_error": {
        "value": NUMBER, "method?": TEXT,
    },
    "evaluation_results.score_details.uncertainty.confidence_interval": {
        "lower": NUMBER, "upper": NUMBER, "confidence_level?": NUMBER, "method?": TEXT,
    },
}  # fmt: skip


def allowed(value, kinds):
    kind = tuple(k for k in kinds if isinstance(k, type))
    return value in [k for k in kinds if isinstance(k, str)] or (
        isinstance(value, kind) and (bool in kind or not isinstance(value, bool))
    )


def faults(value, place=""):
    """Where a record is not as the fields say."""
    if isinstance(value, list):
        for part in value:
            if isinstance(part, dict):
                yield from faults(part, place)
        return
    known = FIELDS[place]
    for name in known:
        if not name.endswith("?") and name not in value:
            yield f"{place}.{name} is missing"
    for name, part in value.items():
        kinds = known.get(name) or known.get(f"{name}?") or known.get("*?")
        if kinds is None:
            yield f"{place}.{name} is unknown"
        elif not allowed(part, kinds):
            yield f"{place}.{name} is {part!r}"
        elif isinstance(part, dict | list):
            yield from faults(part, f"{place}.{name}".lstrip("."))
    if value.get("score_type") == "continuous" and not {"min_score", "max_score"} <= set(value):
        yield f"{place} is continuous and has no ends"


def told(result, **how):
    return every_eval_ever(result, dataset="toy", organization="Our lab", evaluated=WHEN, **how)


HOLDING = {"scores", "scores of probabilities", "slices", "cross-validated", "board",
           "extrapolation"}  # fmt: skip


@pytest.mark.parametrize("labels", [tuple(FRIENDLY), tuple(HOSTILE)], ids=["friendly", "hostile"])
@pytest.mark.parametrize("name", every_result(tuple(FRIENDLY)))
def test_any_result_that_holds_scores(name, labels):
    result = every_result(labels)[name]
    if name not in HOLDING:
        with pytest.raises(InputError, match="holds no scores of a system: export what score"):
            told(result)
        return
    records = told(result)
    for record in records.values():
        assert list(faults(record)) == []
        assert record["evaluation_results"]
        again = json.loads(json.dumps(record, allow_nan=False))
        assert again == record
        for one in record["evaluation_results"]:
            line = eh.Signature.parse(one["metric_config"]["metric_parameters"]["signature"])
            assert line.metric == one["metric_config"]["metric_id"]


def test_the_fields_can_be_wrong():
    record = told(eh.score([[6, 1], [1, 5]], metrics="mcc"))["system"]
    del record["eval_library"]["version"]
    record["evaluation_results"][0]["metric_config"] |= {"lower_is_better": 1, "kind": "x"}
    assert list(faults(record)) == [
        "eval_library.version is missing",
        "evaluation_results.metric_config.lower_is_better is 1",
        "evaluation_results.metric_config.kind is unknown",
    ]


def test_every_number_is_the_results():
    scores = eh.score([[6, 1, 1], [1, 5, 2], [2, 3, 7]], metrics=["macro_fbeta:beta=2"], level=0.9)
    one = scores["macro_fbeta:beta=2"]
    record = told(scores, model="lab/m", hub="lab/toy", split="test")["system"]
    (found,) = record["evaluation_results"]
    assert record["evaluation_id"] == "toy/lab/m/1767323045"
    assert record["model_info"]["developer"] == "lab"
    assert found["source_data"] == {
        "dataset_name": "toy", "source_type": "hf_dataset", "hf_repo": "lab/toy",
        "hf_split": "test",
    }  # fmt: skip
    assert found["metric_config"]["metric_parameters"] == {
        "signature": str(one.signature), "beta": 2.0,
    }  # fmt: skip
    assert found["score_details"] == {
        "score": one.value,
        "uncertainty": {
            "standard_error": {"value": one.se, "method": str(one.method)},
            "confidence_interval": {
                "lower": one.low, "upper": one.high, "confidence_level": 0.9,
                "method": str(one.method),
            },
            "num_samples": 28,
        },
    }  # fmt: skip


def test_kinds_of_metrics():
    names = ["f1:label=0", "macro_f1@uniform", "kappa", "bookmaker_gain"]
    found = told(eh.score([[6, 1], [1, 5]], metrics=names))["system"]["evaluation_results"]
    by = {one["metric_config"]["metric_id"]: one["metric_config"] for one in found}
    assert by["f1:label=0"]["metric_parameters"]["label"] == "0"
    assert by["macro_f1@uniform"]["metric_parameters"]["prevalence"] == "uniform"
    assert (by["kappa"]["min_score"], by["kappa"]["metric_unit"]) == (-1, "coefficient")
    assert by["bookmaker_gain"]["max_score"] == "Infinity"


def test_a_function_of_ones_own():
    def share(c):
        return c.sum(c.correct) / c.total

    record = told(eh.score([[6, 1], [1, 5]], metrics=share))["system"]
    assert list(faults(record)) == []
    assert record["evaluation_results"][0]["metric_config"]["metric_id"] == "share"


def test_what_has_no_value_is_left_out_and_said():
    scores = eh.score([[3, 0], [0, 0]], metrics=["accuracy", "mcc"], undefined=math.nan)
    with pytest.warns(EvenhandWarning, match="left out, since a record needs a number: 'mcc'"):
        record = told(scores)["system"]
    assert [r["metric_config"]["metric_id"] for r in record["evaluation_results"]] == ["accuracy"]


def test_a_system_without_a_value_has_no_record(tmp_path):
    board = eh.rank(
        list("aabb"), {"A": list("aabb"), "B": list("aaaa")}, metrics="mcc", by_metric="mcc",
        undefined=math.nan, replicates=9,
    )  # fmt: skip
    words = "'mcc', and with it all of 'B'$"
    with pytest.warns(EvenhandWarning, match=words):
        assert len(save_every_eval_ever(told(board, model=None), tmp_path)) == 1


def test_slices_are_apart():
    scores = eh.score(list("abab"), list("abbb"), by=list("xxyy"), metrics="accuracy")
    found = told(scores)["system"]["evaluation_results"]
    assert [r["evaluation_name"] for r in found] == ["toy", "toy[x]", "toy[y]"]
    assert [r["score_details"]["score"] for r in found] == [0.75, 1, 0.5]
    assert found[2]["score_details"]["details"] == {"slice": "y"}


def test_files_of_the_datastore(tmp_path):
    true = list("aabb" * 5)
    board = eh.rank(true, {"A": true, "data": list("abbb" * 5)}, replicates=9)
    records = told(board, model={"A": "lab/A", "data": "x/..:data"})
    paths = save_every_eval_ever(records, tmp_path)
    again = save_every_eval_ever(records, tmp_path)
    assert paths == again
    places = [str(p.relative_to(tmp_path)) for p in paths]
    uuid4 = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    assert re.fullmatch(rf"data/toy/lab/A/{uuid4}\.json", places[0])
    assert re.fullmatch(rf"data/toy/x/\.\._data/{uuid4}\.json", places[1])
    assert json.loads(paths[0].read_text()) == records["A"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: told(s, model={"A": "x"}), "model must name every system"),
        (lambda s: told(s, relationship="self"), "relationship must be one of 'first_party'"),
    ],
)
def test_what_is_refused(call, words):
    with pytest.raises(InputError, match=words):
        call(eh.score([[6, 1], [1, 5]], metrics="accuracy"))


def test_on_the_command_line(tmp_path):
    (tmp_path / "gold.txt").write_text("a\nb\n" * 20)
    (tmp_path / "one.txt").write_text("a\nb\n" * 15 + "b\nb\n" * 5)
    files = [str(tmp_path / "gold.txt"), str(tmp_path / "one.txt")]
    how = ["--metric", "accuracy", "--output", str(tmp_path / "out")]
    record = ["--dataset", "toy", "--organization", "us", "--model", "one=us/one"]
    done = CliRunner().invoke(group, ["publish", "records", *files, *record, *how])
    assert done.exit_code == 0, done.output
    (path,) = (tmp_path / "out").rglob("*.json")
    found = json.loads(path.read_text())
    assert found["model_info"]["id"] == "us/one"
    by = {r["metric_config"]["metric_id"]: r["score_details"]["score"]
          for r in found["evaluation_results"]}  # fmt: skip
    assert by["accuracy"] == 0.875
    for wrong, words in [
        (["--dataset", "toy"], "Missing option '--organization'"),
        ([*record[:-1], "two=us/two"], "--model names 'two', but there is 'one'"),
    ]:
        done = CliRunner().invoke(group, ["publish", "records", *files, *wrong, *how])
        assert done.exit_code == 2
        assert words in done.output
