"""One class under two names stops every verb; labels that are never true are shown in Python."""

import warnings

import polars as pl
import pytest

import evenhand as eh
from evenhand.errors import EvenhandWarning, InputError

GOLD = ["pos", "neg", "neu", "pos"] * 10
GOOD = ["pos", "neg", "neu", "neg"] * 10
RENAMED = [v.replace("neu", "neutral") for v in GOOD]
STRAY = [*GOOD[:-1], "other"]
NAMED = (
    "'neu' is true of 10 items and never predicted, and 'neutral', which is never true, stands on "
    "10 of them: if that is one class, "
)
MIX = {"pos": 0.2, "neg": 0.2, "neu": 0.6}
VERBS = {
    "score": lambda p, **o: eh.score(GOLD, p, **o),
    "twins": lambda p, **o: eh.twins(GOLD, p, **o),
    "macro_f1": lambda p, **o: eh.macro_f1(GOLD, p, **o),
    "report": lambda p, **o: eh.report(GOLD, p, **o),
    "plan": lambda p, **o: eh.plan(GOLD, p, width=0.1, **o),
    "extrapolate": lambda p, **o: eh.shift.extrapolate(GOLD, p, to=MIX, **o),
    "rank": lambda p, **o: eh.rank(GOLD, {"A": p, "B": GOOD}, replicates=20, **o),
    "compare": lambda p, **o: eh.compare(GOLD, p, GOOD, replicates=20, **o),
    "gate": lambda p, **o: eh.gate(GOLD, p, GOOD, margin=0.02, **o),
    "frame": lambda p, **o: eh.score(pl.DataFrame({"t": GOLD, "p": p}), true="t", pred="p", **o),
    "slices": lambda p, **o: eh.score(GOLD, p, by=[1, 2] * 20, **o),
    "weights": lambda p, **o: eh.score(GOLD, p, weights=[0.1] * 40, **o),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_class_with_two_names_is_refused(verb):
    with pytest.raises(InputError, match="give it one name; if not, list all classes with labels"):
        VERBS[verb](RENAMED)
    VERBS[verb](RENAMED, labels=["neg", "neu", "neutral", "pos"])


@pytest.mark.parametrize(
    ("true", "pred"),
    [
        ([0, 1] * 10, [-1, 1] * 10),
        (["A", "B"] * 10, ["A.", "B."] * 10),
        (["très", "bon"] * 10, ["trÃ¨s", "bon"] * 10),
    ],
)
def test_whatever_the_names_are(true, pred):
    with pytest.raises(InputError, match="never predicted, and"):
        eh.score(true, pred)


@pytest.mark.parametrize(
    "pred",
    [
        [v if v != "neu" else "other" if i % 4 else "neu" for i, v in enumerate(GOLD[:3] * 13)],
        ["other" if v == "neu" else "neu" if v == "pos" else v for v in GOLD[:39]],
        ["other"] * 39,
    ],
    ids=["predicted too", "swapped", "always one"],
)
def test_other_labels_are_warned_of_only(pred):
    true = (GOLD[:3] * 13)[: len(pred)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        eh.score(true, pred)


@pytest.mark.parametrize("verb", [v for v in VERBS if v not in ("plan", "slices", "weights")])
def test_labels_that_are_never_true_are_shown_once(verb):
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        VERBS[verb](STRAY)
    (warning,) = [w for w in shown if "never occur in the truth ('other')" in str(w.message)]
    assert warning.category is EvenhandWarning
    assert warning.filename == __file__


def test_a_misspelt_true_label_is_shown():
    true = ["negative", "positive"] * 30
    with pytest.warns(EvenhandWarning, match="did you mean 'negative' for 'negatvie' in the truth"):
        scores = eh.score(["negatvie", *true[1:]], true)
    assert scores.to_dict()["warning_codes"][0]["code"] == "misspelt_truth"


@pytest.mark.parametrize("other", ["Neg", "neg\u00ad", "neg\u200e"])
def test_two_spellings_of_a_true_label_are_shown(other):
    true = ["neg", "pos"] * 30
    with pytest.warns(EvenhandWarning, match="differ only in case, spaces or Unicode form"):
        scores = eh.score([other, *true[1:]], true)
    assert scores.to_dict()["warning_codes"][0]["code"] == "case_apart"


@pytest.fixture
def files(write):
    runs = {"gold": GOLD, "old": RENAMED, "new": GOOD, "stray": STRAY}
    return {
        name: write(f"{name}.csv", "\n".join(["id,label", *(f"{i},{v}" for i, v in enumerate(x))]))
        for name, x in runs.items()
    }


@pytest.mark.parametrize(
    "command", ["gate --margin 0.02", "rank", "compare", "report -o -", "score", "twins"]
)
def test_files_with_two_names_are_refused(run, fails, files, write, command):
    verb, *options = command.split()
    names = ["gold", "old"] + ["new"] * (verb not in ("score", "twins"))
    arguments = [verb, *(files[name] for name in names), *options]
    said = fails(*arguments)
    assert f"old.csv, column 'label': {NAMED}--map FILE gives it one name" in said
    assert "--labels A,B,…" in said
    run(*arguments, "--labels", "neg,neu,neutral,pos")
    mapped = run(*arguments, "--map", write("map.csv", "neutral,neu\n"))
    assert "never predicted" not in mapped.stderr


def test_a_warning_of_files_is_said_once(run, files):
    result = run("score", files["gold"], files["stray"])
    assert result.stderr.count("never occur in the truth") == 1


def test_a_column_of_truth_in_a_run_is_not_its_predictions(run, fails, files, write):
    rows = (f"{i},{v},{p}" for i, (v, p) in enumerate(zip(GOLD, GOOD, strict=True)))
    new = write("carried.csv", "\n".join(["id,label,prediction", *rows]))
    arguments = ["gate", files["gold"], files["new"], new, "--margin", "0.02"]
    said = "carried.csv, column 'label' is the truth on every item, and 'prediction' may hold"
    assert said in fails(*arguments, "--label", "label")
    assert "'prediction' of carried.csv as predictions" in run(*arguments).stderr
