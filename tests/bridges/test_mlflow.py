"""MLflow: what was logged to a real store is read back from it; metrics inside its evaluation."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import evenhand as eh
from evenhand.bridges.mlflow import key
from evenhand.errors import InputError, MetricError

RANDOM = np.random.default_rng(6)
LABELS = ["ham", "spam", "other"]
TRUE = RANDOM.choice(LABELS, 120, p=[0.6, 0.3, 0.1]).tolist()
PRED = [t if RANDOM.random() < 0.8 else LABELS[RANDOM.integers(3)] for t in TRUE]


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A tracking store of its own: a SQLite file, artifacts beside it."""
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/runs.db")
    mlflow.set_experiment(
        experiment_id=mlflow.create_experiment("even", artifact_location=str(tmp_path / "files"))
    )
    yield mlflow
    while mlflow.active_run():
        mlflow.end_run()


@pytest.mark.mlflow
@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning",
    "ignore::FutureWarning",
    "ignore:.*Any type hint is inferred as AnyType",  # MLflow's, of types of its own
)
class TestStore:
    def test_a_run_read_back(self, store, tmp_path):
        from evenhand.bridges import mlflow as ours

        asked = ["macro_f1", "f1_of_averages", "macro_f1@uniform", "f1:label=spam"]
        with store.start_run() as run:
            scores = ours.log(TRUE, PRED, metrics=asked, labels=LABELS, prefix="test_", step=3)
        assert scores == eh.score(TRUE, PRED, metrics=asked, labels=LABELS)
        back = store.get_run(run.info.run_id)
        names = [key(name) for name in asked]
        assert names[2:] == ["macro_f1_at_uniform", "f1_label_spam"]
        for name, own in zip(asked, names, strict=True):
            for end in ("value", "low", "high"):
                logged = back.data.metrics[f"test_{own}" + ("" if end == "value" else f"_{end}")]
                assert logged == pytest.approx(getattr(scores[name], end), rel=1e-15)
            signature = back.data.tags[f"evenhand.signature.test_{own}"]
            assert signature == str(scores[name].signature)
        assert back.data.tags["evenhand.signature"] == str(scores.signature)
        history = store.MlflowClient().get_metric_history(run.info.run_id, "test_macro_f1")
        assert [m.step for m in history] == [3]

        place = store.artifacts.download_artifacts(
            run_id=run.info.run_id, artifact_path="evenhand", dst_path=str(tmp_path / "back")
        )
        files = {path.name: path for path in Path(place).iterdir()}
        assert set(files) == {"confusion.txt", "report.html", "scores.json", "table.json"}
        assert json.loads(files["scores.json"].read_text()) == scores.to_dict()
        table = eh.Confusion.load(str(files["table.json"]))
        assert table == eh.Confusion.from_labels(TRUE, PRED, labels=LABELS)
        assert eh.macro_f1(table) == scores["macro_f1"].value
        assert "spam" in files["confusion.txt"].read_text()
        assert "<html" in files["report.html"].read_text()[:500]

    def test_a_run_by_its_id(self, store):
        from evenhand.bridges import mlflow as ours

        run = store.MlflowClient().create_run("1")
        ours.log([[6, 1], [2, 5]], metrics="mcc", run_id=run.info.run_id)
        back = store.get_run(run.info.run_id)
        assert back.data.metrics["mcc"] == pytest.approx(eh.mcc([[6, 1], [2, 5]]))
        assert "evenhand.signature.mcc" in back.data.tags
        assert store.active_run() is None

    def test_inside_an_evaluation(self, store):
        import pandas as pd

        from evenhand.bridges import mlflow as ours

        frame = pd.DataFrame({"gold": TRUE, "said": PRED})
        extra = [
            ours.metric(m) for m in ("f1_of_averages", "macro_f1@uniform", "mean_absolute_error")
        ]
        assert [m.greater_is_better for m in extra] == [True, True, False]
        with store.start_run():
            found = store.models.evaluate(
                data=frame, targets="gold", predictions="said", extra_metrics=extra
            )
        for name in ("f1_of_averages", "macro_f1@uniform", "mean_absolute_error"):
            wanted = eh.score(TRUE, PRED, metrics=name)[name]
            assert found.metrics[key(name)] == pytest.approx(wanted.value)
            assert found.metrics[f"{key(name)}/low"] == pytest.approx(wanted.low)
            assert found.metrics[f"{key(name)}/high"] == pytest.approx(wanted.high)

    def test_make_metric_takes_the_function(self, store):
        from mlflow.models import make_metric

        from evenhand.bridges import mlflow as ours

        made = make_metric(eval_fn=ours.metric_function("mcc"), greater_is_better=True)
        assert made.name == "mcc"
        found = made.eval_fn(PRED, TRUE).aggregate_results
        assert found["mcc"] == pytest.approx(eh.mcc(TRUE, PRED))

    def test_what_cannot_be_logged(self, store):
        from evenhand.bridges import mlflow as ours

        with pytest.raises(InputError, match="log takes one system"):
            ours.log([[[1, 0], [0, 1]]] * 2)
        with pytest.raises(MetricError, match="neither high nor low"):
            ours.metric("f1_gap")

    def test_the_example(self, tmp_path):
        example = Path(__file__).parents[2] / "examples" / "with_mlflow.py"
        done = subprocess.run(
            [sys.executable, str(example), str(tmp_path)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "test_f1_of_averages_low" in done.stdout
        assert "evenhand/report.html" in done.stdout


def test_names_that_mlflow_takes():
    assert key("macro_fbeta:beta=2") == "macro_fbeta_beta_2"
    assert key("f1:label=é/b") == "f1_label__/b"
