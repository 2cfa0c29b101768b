"""What score computes: classes, policies, metrics, digits."""

import json

import pytest

MATRIX = ("--matrix", "6 1 1; 1 5 2; 2 3 7", "--labels", "bird,cat,dog")
F1 = {"bird": 12 / 17, "cat": 10 / 17, "dog": 14 / 22}


@pytest.fixture
def value(run):
    """One metric of one run."""

    def call(metric, *arguments):
        result = run("score", *arguments, "--metric", metric, "--format", "json")
        assert result.exit_code == 0, result.stderr
        (found,) = json.loads(result.stdout)["metrics"].values()
        return found["value"]

    return call


@pytest.mark.parametrize(
    ("options", "classes"),
    [
        ((), ["bird", "cat", "dog"]),
        (("--classes", "cat"), ["cat"]),
        (("--classes", "dog", "--classes", "cat"), ["cat", "dog"]),
        (("--exclude", "bird"), ["cat", "dog"]),
        (("--exclude", "bird", "--exclude", "dog"), ["cat"]),
        (("--classes", "bird", "--classes", "cat", "--exclude", "cat"), ["bird"]),
    ],
)
def test_classes_averaged(value, options, classes):
    wanted = sum(F1[c] for c in classes) / len(classes)
    assert value("macro_f1", *MATRIX, *options) == pytest.approx(wanted, abs=1e-14)


def test_average_task_seen_or_true(value, write):
    files = write("g", "a\nb\n"), write("p", "a\nc\n")
    assert value("macro_f1", *files) == 0.5
    assert value("macro_f1", *files, "--average", "task") == 0.5
    assert value("macro_f1", *files, "--average", "seen") == pytest.approx(1 / 3)
    assert value("macro_f1", *files, "--average", "true") == 0.5
    assert value("macro_f1", *files, "--exclude", "c") == 0.5


@pytest.mark.parametrize(("policy", "wanted"), [("0", 0.5), ("1", 1.0), ("nan", 1.0)])
def test_undefined(value, write, policy, wanted):
    files = write("g", "a\na\n"), write("p", "a\na\n")
    options = ("--labels", "a,b", "--classes", "a", "--classes", "b", "--undefined", policy)
    assert value("macro_f1", *files, *options) == wanted


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ("macro_f1", 0.64349376114082),
        ("averaged_f1", 0.64349376114082),
        ("f1:label=dog", 14 / 22),
        ("recall:label=dog", 7 / 12),
        ("macro_fbeta:beta=1", 0.64349376114082),
        ("macro_recall:p=-inf", 7 / 12),
        ("accuracy@uniform", (6 / 8 + 5 / 8 + 7 / 12) / 3),
        ("accuracy@bird=0.5,cat=0.5,dog=0", (6 / 8 + 5 / 8) / 2),
    ],
)
def test_metric_specs(value, spec, wanted):
    assert value(spec, *MATRIX) == pytest.approx(wanted, abs=1e-14)


def test_metrics_keep_the_order_asked_for(run):
    result = run("score", *MATRIX, "--metric", "mcc", "--metric", "accuracy", "--format", "json")
    assert list(json.loads(result.stdout)["metrics"]) == ["mcc", "accuracy"]


def test_all_metrics_by_default(run):
    found = json.loads(run("score", *MATRIX, "--format", "json").stdout)["metrics"]
    assert {"macro_f1", "f1_of_averages", "kappa", "mcc", "weighted_f1", "accuracy"} <= set(found)
    assert "hamming_loss" not in found


@pytest.mark.parametrize(("digits", "shown"), [(0, "1"), (2, "0.64"), (12, "0.643493761141")])
def test_digits(run, digits, shown):
    text = run(
        "score", *MATRIX, "--metric", "macro_f1", "--interval", "none", "--digits", digits
    ).stdout
    assert f"macro_f1  {'':{max(5 - len(shown), 0)}}{shown}\n" in text


def test_the_default_output_says_what_matters_first(run, answers):
    result = run("score", answers, "--true", "gold", "--pred", "system", "--interval", "none")
    blocks = result.stdout.rstrip("\n").split("\n\n")
    assert blocks[0] == "answers.csv: 5 items, 2 classes, 1 prediction outside the classes"
    assert [line.split() for line in blocks[1].splitlines()[1:3]] == [
        ["macro_f1", "0.6500"],
        ["f1_of_averages", "0.7407"],
    ]
    assert "accuracy" in blocks[1]
    assert blocks[2].splitlines()[:2] == [
        "Classes",
        "class  precision  recall      F1  true  predicted  correct",
    ]
    assert blocks[2].splitlines()[3].split() == ["b", "1.0000", "0.3333", "0.5000", "3", "1", "1"]
    assert len(blocks) == 3


def test_the_twins_are_explained_when_asked_for(run, answers):
    given = ("--true", "gold", "--pred", "system", "--interval", "none", "--explain")
    assert "9.1 points of at most 50.0" in run("score", answers, *given).stdout


def test_slices_are_rows(run, answers):
    columns = ("--true", "gold", "--pred", "system", "--by", "language")
    text = run("score", answers, *columns, "--metric", "accuracy", "--interval", "none").stdout
    assert "5 items, 2 classes, 1 prediction outside the classes, 2 slices" in text
    assert "accuracy  0.6000\n" in text
    assert "de         3  0.3333\nen         2  1.0000\n" in text


def test_a_matrix_file_is_named(run, write):
    assert run("score", "--matrix", write("m.txt", "5")).stdout.startswith(
        "m.txt: 5 items, 1 class, 95 % intervals\n"
    )
    assert run("score", "--matrix", "5").stdout.startswith("matrix: 5 items, 1 class, 95 %")


def test_many_classes_are_cut(run, write):
    classes = "\n".join(f"c{i:03}" for i in range(60))
    text = run("score", write("g.txt", classes), write("p.txt", classes)).stdout
    assert "c049" in text
    assert "c050" not in text
    assert "… and 10 more classes" in text


def test_an_undefined_gap_is_said_in_words(run, lines):
    options = ("--labels", "a,b,c", "--classes", "c", "--undefined", "nan")
    text = run("score", *lines, *options, "--explain").stdout
    assert "gap             undefined  undefined: no averaged class has a value" in text
    assert "nan " not in text.split("How it was scored")[0]


def test_one_class_has_no_gap(run):
    text = run("score", "--matrix", "5", "--explain").stdout
    assert "none: the formulas differ only between classes" in text


def test_warnings_go_to_stderr(run, lines):
    result = run("score", *lines)
    assert (
        "warning: two formulas are called 'macro F1' and differ here by 5.6 points" in result.stderr
    )
    assert "warning" not in result.stdout


def test_warnings_of_slices_name_the_slice(run, answers):
    columns = ("--true", "gold", "--pred", "system", "--by", "language", "--by", "source")
    result = run("score", answers, *columns)
    assert "warning: 1 prediction " in result.stderr
