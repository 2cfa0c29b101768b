"""Scores by a judge, corrected by human labels."""

import json
import math

import numpy as np
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.inference.prediction_powered import ENOUGH_LABELS, FewHumanLabels
from studies import judge as study
from tests.pages import DOCS

CLASSES = np.array(["neg", "neu", "pos"])


def task(n=4000, labelled=300, seed=1, judge=0.82, lean=0.6):
    """Truth, a system, a judge that leans to it, and human labels of the first items."""
    rng = np.random.default_rng(seed)
    true = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    pred = np.where(rng.random(n) < 0.75, true, rng.choice(3, n))
    wrong = np.where(rng.random(n) < lean, pred, rng.choice(3, n))
    judged = np.where(rng.random(n) < judge, true, wrong)
    human = [CLASSES[t] if i < labelled else None for i, t in enumerate(true)]
    return true, human, CLASSES[pred].tolist(), CLASSES[judged].tolist()


def by_hand(human, pred, judge):
    """Prediction-powered accuracy: λ, value and standard error (Angelopoulos et al., PPI++)."""
    hits = np.array([j == p for j, p in zip(judge, pred, strict=True)], float)
    known = np.array([h is not None for h in human])
    own = np.array([h == p for h, p in zip(human, pred, strict=True)], float)[known]
    labelled, rest = hits[known], hits[~known]
    n, m = len(labelled), len(rest)
    covariance = np.mean((own - own.mean()) * (labelled - labelled.mean())) / n
    spread = labelled.var() / n + rest.var() / m
    power = covariance / spread
    value = own.mean() + power * (rest.mean() - labelled.mean())
    error = np.sqrt((own - power * labelled).var() / n + power**2 * rest.var() / m)
    return power, value, error


def test_accuracy_is_that_of_prediction_powered_inference():
    _, human, pred, judge = task()
    power, value, error = by_hand(human, pred, judge)
    score = eh.score(human, pred, judge=judge)["accuracy"]
    assert score.judged.power == pytest.approx(power, abs=1e-12)
    assert score.value == pytest.approx(value, abs=1e-12)
    assert score.se == pytest.approx(error, rel=1e-9)
    assert score.judged.effective_labels == pytest.approx(
        300 * (score.judged.human.se / error) ** 2, rel=1e-9
    )


def test_macro_f1_is_that_of_the_corrected_table():
    _, human, pred, judge = task()
    scores = eh.score(human, pred, judge=judge, metrics=["macro_f1", "f1_of_averages"])
    power = scores["macro_f1"].judged.power

    def cells(truth, rows):
        table = np.zeros((3, 3))
        at = {label: i for i, label in enumerate(CLASSES)}
        for i in rows:
            table[at[truth[i]], at[pred[i]]] += 1 / len(rows)
        return table

    labelled, rest = range(300), range(300, len(pred))
    table = cells(human, labelled) + power * (cells(judge, rest) - cells(judge, labelled))
    f1 = 2 * np.diag(table) / (table.sum(axis=0) + table.sum(axis=1))
    assert scores["macro_f1"].value == pytest.approx(f1.mean(), abs=1e-12)
    assert scores["f1_of_averages"].judged.power == power
    gap = scores["f1_of_averages"].value - scores["macro_f1"].value
    assert scores.twins.gap == pytest.approx(gap, abs=1e-12)
    assert [c.prevalence / len(pred) for c in scores.classes] == pytest.approx(table.sum(axis=1))


def test_a_judge_that_knows_nothing_changes_nothing_much():
    _, human, pred, _ = task()
    noise = np.random.default_rng(5).choice(CLASSES, len(pred)).tolist()
    for name, score in eh.score(human, pred, judge=noise).metrics.items():
        alone = score.judged.human
        assert score.judged.power < 0.2
        most = 1.03 if name == "f1_of_averages" else 1.005  # which has macro F1's λ
        assert score.high - score.low <= most * (alone.high - alone.low)


def test_a_perfect_judge_makes_every_label_human():
    true, human, pred, _ = task()
    scores = eh.score(human, pred, judge=CLASSES[true].tolist(), metrics=["accuracy", "macro_f1"])
    every = eh.score(CLASSES[true].tolist(), pred, metrics=["accuracy", "macro_f1"])
    for name, score in scores.metrics.items():
        assert score.judged.power == pytest.approx(1 - 300 / len(pred), abs=0.02)
        assert score.judged.effective_labels == pytest.approx(len(pred), rel=0.15)
        assert score.value == pytest.approx(every[name].value, abs=0.01)


def test_clusters_of_one_item_are_items():
    _, human, pred, judge = task(n=1500)
    plain = eh.score(human, pred, judge=judge, metrics="macro_f1")["macro_f1"]
    clusters = list(range(len(pred)))
    scores = eh.score(human, pred, judge=judge, cluster=clusters, metrics="macro_f1")
    clustered = scores["macro_f1"]
    assert clustered.judged.power == pytest.approx(plain.judged.power, rel=1e-6)
    assert clustered.value == pytest.approx(plain.value, rel=1e-6)
    assert clustered.se / clustered.judged.human.se == pytest.approx(
        plain.se / plain.judged.human.se, rel=1e-6
    )


def test_known_probabilities_weigh_the_labelled_items():
    true, _, pred, judge = task(n=6000)
    rng = np.random.default_rng(2)
    chance = np.where(np.array(judge) == "pos", 0.3, 0.05)
    chosen = rng.random(len(pred)) < chance
    human = [CLASSES[t] if c else None for t, c in zip(true, chosen, strict=True)]
    options = {"judge": judge, "metrics": "accuracy"}
    designed = eh.score(human, pred, label_probability=chance.tolist(), **options)
    plain = eh.score(human, pred, **options)
    hit = np.array([CLASSES[t] for t in true]) == pred
    weight = np.where(chosen, 1 / chance, 0)
    by_judge = np.array(judge) == pred
    human_mean = (weight * hit).sum() / weight.sum()
    judge_mean = (weight * by_judge).sum() / weight.sum()
    power = designed["accuracy"].judged.power
    value = human_mean + power * (by_judge.mean() - judge_mean)
    assert designed["accuracy"].value == pytest.approx(value, abs=1e-12)
    assert designed["accuracy"].judged.human.value == pytest.approx(human_mean, abs=1e-12)
    codes = [[c["code"] for c in s.to_dict()["warning_codes"]] for s in (designed, plain)]
    assert "unlike_sample" not in codes[0]
    assert "unlike_sample" in codes[1]


def test_an_unlike_sample_is_found_by_a_score_test_at_the_common_mix():
    judge = ["y"] * 25 + ["n"] * 75 + ["y"] * 160 + ["n"] * 240
    human = judge[:100] + [None] * 400
    shares, sizes = (0.25, 0.4), (100, 400)
    common = sum(shares) / 2
    each = (p * (1 - common) ** 2 + (1 - p) * common**2 for p in shares)
    variance = sum(v / n for v, n in zip(each, sizes, strict=True))
    p = math.erfc((shares[1] - shares[0]) / math.sqrt(2 * variance))
    codes = eh.score(human, judge, judge=judge).to_dict()["warning_codes"]
    (said,) = (c for c in codes if c["code"] == "unlike_sample")
    assert said["p"] == pytest.approx(p, rel=1e-9)


def test_a_random_sample_is_not_doubted_too_often():
    doubts = 0
    for seed in range(200):
        _, human, pred, judge = task(n=600, labelled=120, seed=seed)
        scores = eh.score(human, pred, judge=judge, metrics="accuracy")
        doubts += any(c["code"] == "unlike_sample" for c in scores.to_dict()["warning_codes"])
    assert doubts <= 7  # of 200 at 1 %: 2 expected, P(more than 7) < 0.1 %


def test_a_frame_and_a_file_give_the_same(tmp_path, run):
    pandas = pytest.importorskip("pandas")
    _, human, pred, judge = task(n=800, labelled=200)
    frame = pandas.DataFrame({"human": human, "judge": judge, "system": pred})
    arrays = eh.score(human, pred, judge=judge)
    assert eh.score(frame, true="human", pred="system", judge="judge") == arrays
    frame.to_csv(tmp_path / "all.csv", index=False)
    columns = ["--true", "human", "--judge", "judge", "--pred", "system", "--format", "json"]
    outcome = run("score", str(tmp_path / "all.csv"), *columns)
    printed = json.loads(outcome.stdout)["metrics"]["macro_f1"]
    assert printed == arrays.to_dict()["metrics"]["macro_f1"]
    assert set(printed) >= {"judge", "human", "lambda", "effective_labels"}


def test_slices_are_corrected_one_by_one_and_need_labels():
    _, human, pred, judge = task(n=1000, labelled=400)
    half = ["a" if i % 2 else "b" for i in range(len(pred))]
    scores = eh.score(human, pred, judge=judge, by=half, metrics="macro_f1")
    one = [i for i, x in enumerate(half) if x == "a"]
    alone = eh.score(*([x[i] for i in one] for x in (human, pred)), judge=[judge[i] for i in one])
    part = next(s for s in scores.slices if s.key == "a")
    assert part["macro_f1"].value == pytest.approx(alone["macro_f1"].value, abs=1e-12)
    first = ["a" if i < 400 else "b" for i in range(len(pred))]
    with pytest.raises(InputError, match="all human labels are of one slice, 'a'"):
        eh.score(human, pred, judge=judge, by=first)


@pytest.mark.parametrize(
    ("labelled", "options", "message"),
    [
        (0, {}, "some items must have a human label, not all: no item has one"),
        (50, {}, "some items must have a human label, not all: every item has one"),
        (20, {"weights": [1.0] * 50, "label_probability": [0.4] * 50}, "without weights"),
    ],
)
def test_what_cannot_be_corrected_is_said(labelled, options, message):
    _, human, pred, judge = task(n=50, labelled=labelled)
    with pytest.raises(InputError, match=message):
        eh.score(human, pred, judge=judge, **options)


def test_few_labels_are_warned_of():
    _, human, pred, judge = task(n=1000, labelled=60)
    codes = [c["code"] for c in eh.score(human, pred, judge=judge).to_dict()["warning_codes"]]
    assert "few_human_labels" in codes


def test_designs_whose_intervals_fall_short_are_warned_of():
    """Every row of docs/judges.md with a cell below 93 %, as the study draws it."""
    page = (DOCS / "judges.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if "% | " in line]
    short = {(int(k), int(labels)) for k, _, _, labels, *cells in rows if min(cells[:5]) < "93.0"}
    designs = [d for d in study.DESIGNS if (d[0], d[3]) in short]
    assert len(rows) == 12 and len(designs) >= 4
    for k, right, lean, labels in designs:
        drawn = study.draw(np.random.default_rng(0), k, right, lean, study.ITEMS)
        true, pred, judge = (x.tolist() for x in drawn)
        human = [t if i < labels else None for i, t in enumerate(true)]
        scores = eh.score(human, pred, judge=judge, metrics="accuracy")
        assert FewHumanLabels(labels, ENOUGH_LABELS) in scores.cautions


@pytest.mark.slow
def test_corrected_intervals_cover():
    truth = {m: eh.score(*_large(), metrics=m)[m].value for m in ("macro_f1", "mcc")}
    covered = dict.fromkeys(truth, 0)
    for seed in range(300):
        _, human, pred, judge = task(n=2000, labelled=200, seed=1000 + seed)
        scores = eh.score(human, pred, judge=judge, metrics=list(truth))
        for name, value in truth.items():
            covered[name] += scores[name].low <= value <= scores[name].high
    assert all(n >= 273 for n in covered.values()), covered  # 95 % less three standard errors


def _large():
    true, _, pred, _ = task(n=1_000_000, seed=0)
    return CLASSES[true].tolist(), pred


# Several systems


def pair_of_systems(n=3000, labelled=300, seed=1):
    """A task with a second system that is better than the first."""
    true, human, first, judge = task(n=n, labelled=labelled, seed=seed)
    better = np.random.default_rng(seed + 10_000).random(n) < 0.2
    second = np.where(better, CLASSES[true], first).tolist()
    return true, human, {"a": first, "b": second}, judge


def difference_by_hand(human, systems, judge, power):
    """The difference of two accuracies at a λ, its error, and the error by human labels alone."""
    known = np.array([h is not None for h in human])
    own, cheap = (
        np.subtract(*(np.array([t == p for t, p in zip(truth, s, strict=True)], float)
                      for s in systems.values()))
        for truth in (human, judge)
    )  # fmt: skip
    n, m = known.sum(), (~known).sum()
    value = own[known].mean() + power * (cheap[~known].mean() - cheap[known].mean())
    variance = (own[known] - power * cheap[known]).var() / n + power**2 * cheap[~known].var() / m
    return value, np.sqrt(variance), np.sqrt(own[known].var() / n)


def test_a_difference_is_that_of_the_same_correction():
    _, human, systems, judge = pair_of_systems()
    pair = eh.compare(human, systems, judge=judge, metrics="accuracy")["accuracy"]
    power = pair.judged.power
    value, error, alone = difference_by_hand(human, systems, judge, power)
    assert pair.value == pytest.approx(value, abs=1e-12)
    assert pair.se / pair.judged.human.se == pytest.approx(error / alone, rel=1e-9)
    assert pair.judged.effective_labels == pytest.approx(300 * (alone / error) ** 2, rel=1e-9)
    assert pair.p["delta"] == pair.p_adjusted < 1e-4
    board = eh.rank(human, systems, judge=judge, metrics="accuracy", by_metric="accuracy")
    assert board["b"].next.difference == pytest.approx(-value, abs=1e-12)
    assert board["b"].next.p_adjusted == pytest.approx(pair.p_adjusted, rel=1e-6)
    decision = eh.gate(human, systems, judge=judge, metrics="accuracy", margin=0.02)
    check = decision["accuracy"]
    assert decision.passed
    assert (check.difference, check.se) == pytest.approx((-value, pair.se), rel=1e-9)
    human_alone = check.judged.human
    assert human_alone.low < human_alone.value == pytest.approx(-pair.judged.human.value)


def test_all_systems_have_one_lambda():
    _, human, systems, judge = pair_of_systems()
    board = eh.rank(human, systems, judge=judge, replicates=200)
    comparison = eh.compare(human, systems, judge=judge, metrics="macro_f1")
    powers = {s.standings["macro_f1"].judged.power for s in board.systems}
    assert powers == {comparison["macro_f1"].judged.power}
    for s in board.systems:
        own = s["macro_f1"]
        assert own.high - own.low < own.judged.human.high - own.judged.human.low
        fields = board.to_dict()["systems"][0]["scores"]["macro_f1"]
        assert set(fields) >= {"judge", "human", "lambda", "effective_labels"}


def test_the_order_of_systems_changes_no_board():
    _, human, systems, judge = pair_of_systems()
    halves = ["x" if i % 2 else "y" for i in range(len(human))]
    options = {"judge": judge, "by": halves, "replicates": 100}
    turned = dict(reversed(systems.items()))
    first, second = (eh.rank(human, s, **options).to_markdown() for s in (systems, turned))
    assert first == second


def test_slices_of_a_comparison_are_corrected_one_by_one():
    _, human, systems, judge = pair_of_systems(labelled=800)
    half = ["x" if i % 2 else "y" for i in range(len(human))]
    options = {"judge": judge, "by": half, "metrics": "accuracy"}
    comparison = eh.compare(human, systems, **options)
    at = [i for i, part in enumerate(half) if part == "x"]

    def part(values):
        return [values[i] for i in at]

    alone = eh.compare(
        part(human), {s: part(v) for s, v in systems.items()}, judge=part(judge), metrics="accuracy"
    )
    own = next(s for s in comparison.slices if s.key == "x")
    assert own["accuracy"].value == pytest.approx(alone["accuracy"].value, abs=1e-12)
    decision = eh.gate(human, systems, margin=0.05, **options)
    assert decision["x", "accuracy"].n == len(at)
    board = eh.rank(human, systems, by_metric="accuracy", replicates=100, **options)
    values = {s.key: s["a"]["accuracy"].value for s in board.slices}
    assert values["x"] == pytest.approx(own["accuracy"].values[0], abs=1e-12)


def test_a_class_that_few_humans_named_is_scored_by_them_alone():
    _, human, pred, judge = task(n=3000, labelled=60)  # six items of the rarest class
    scores = eh.score(human, pred, judge=judge, metrics=["macro_f1", "accuracy"])
    assert scores["macro_f1"].judged.power == 0
    assert scores["macro_f1"].value == scores["macro_f1"].judged.human.value
    assert scores["accuracy"].judged.power > 0
    notes = {c["code"]: c for c in scores.to_dict()["warning_codes"]}
    assert notes["human_alone"]["metrics"] == ["macro_f1"]


@pytest.mark.parametrize("verb", ["compare", "rank", "gate"])
def test_systems_on_the_command_line(tmp_path, run, verb):
    _, human, systems, judge = pair_of_systems()
    rows = zip(human, judge, *systems.values(), strict=True)
    lines = ["human,judge,a,b", *(f"{h or ''},{','.join(rest)}" for h, *rest in rows)]
    (tmp_path / "all.csv").write_text("\n".join(lines) + "\n")
    columns = ["--true", "human", "--judge", "judge", "--pred", "a", "--pred", "b"]
    more = ["--margin", "0.05"] if verb == "gate" else ["--replicates", "200"]
    given = [verb, str(tmp_path / "all.csv"), *columns, *more, "--metric", "macro_f1"]
    printed = json.loads(run(*given, "--format", "json").stdout)
    if verb == "rank":
        found = printed["systems"][0]["scores"]["macro_f1"]
    else:
        found = printed["pairs" if verb == "compare" else "checks"][0]
    assert printed["n"] == 3000 and 0 < found["lambda"] < 1
    assert "human labels alone" in run(*given, "--format", "markdown").stdout


@pytest.mark.slow
def test_corrected_differences_cover():
    true, _, systems, _ = pair_of_systems(n=1_000_000, seed=0)
    whole = eh.compare(CLASSES[true].tolist(), systems, metrics="macro_f1", tests="delta")
    covered = 0
    for seed in range(300):
        _, human, systems, judge = pair_of_systems(n=2000, labelled=300, seed=2000 + seed)
        pair = eh.compare(human, systems, judge=judge, metrics="macro_f1")["macro_f1"]
        covered += pair.low <= whole["macro_f1"].value <= pair.high
    assert covered >= 273  # 95 % less three standard errors


# Only a judge's error rates are known


def rates_task(n=4000, seed=3):
    """A judge whose errors do not depend on the system's: its labels, and its table elsewhere."""
    true, _, pred, judge = task(n=n, seed=seed, lean=0)
    known, _, _, judged = task(n=800, seed=seed + 500, lean=0)
    table = eh.Confusion.from_labels(CLASSES[known].tolist(), judged)
    return CLASSES[true].tolist(), pred, judge, table


def test_prevalence_is_that_of_rogan_and_gladen():
    judge, pred = ["y"] * 30 + ["n"] * 70, ["y"] * 20 + ["n"] * 80
    table = eh.Confusion.from_matrix([[90, 10], [8, 32]], labels=["n", "y"])
    scores = eh.score(judge, pred, judge_table=table)
    sensitivity, specificity = 32 / 40, 90 / 100
    expected = (0.30 + specificity - 1) / (sensitivity + specificity - 1)
    assert scores.classes[1].prevalence == pytest.approx(100 * expected)
    # of the items that the system calls y, all 20 are y to the judge, of the others 10 of 80
    hits = (0.20 - (1 - specificity) * 0.20) / (sensitivity + specificity - 1)
    assert scores.classes[1].correct == pytest.approx(100 * hits)


def test_the_error_by_rates_is_that_of_its_resamples():
    _, pred, judge, table = rates_task()
    metrics = ["accuracy", "macro_f1", "kappa"]
    scores = eh.score(judge, pred, judge_table=table, metrics=metrics)
    rng, drawn = np.random.default_rng(0), []
    pairs = eh.Confusion.from_labels(judge, pred)
    for _ in range(300):
        cells = rng.multinomial(4000, pairs.cells.reshape(-1) / 4000).reshape(3, 3)
        rates = [rng.multinomial(sum(row), row / sum(row)) for row in table.cells]
        inverse = np.linalg.inv((np.array(rates) / table.prevalence[:, None]).T)
        corrected = inverse @ cells
        true, called = corrected.sum(axis=1) / 4000, corrected.sum(axis=0) / 4000
        hit = np.diag(corrected) / 4000
        chance = (true * called).sum()
        f1 = (2 * hit / (true + called)).mean()
        drawn.append([hit.sum(), f1, (hit.sum() - chance) / (1 - chance)])
    for name, error in zip(metrics, np.std(drawn, axis=0), strict=True):
        assert scores[name].se == pytest.approx(error, rel=0.12)
        assert scores[name].low < scores[name].value < scores[name].high
    assert any("do not depend on the system's" in str(w) for w in scores.warnings)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[50, 50], [49, 51]], "hardly tells some classes apart"),
        ([[99, 1], [20, 80]], "does not fit these labels"),
        ([[99, 1], [0, 0]], "must have items of every class"),
    ],
)
def test_tables_that_cannot_be_inverted_are_refused(matrix, message):
    table = eh.Confusion.from_matrix(matrix, labels=["n", "y"])
    with pytest.raises(InputError, match=message):
        eh.score(["n"] * 1000, ["n"] * 500 + ["y"] * 500, judge_table=table)


def test_a_table_of_rates_on_the_command_line(tmp_path, run):
    _, pred, judge, table = rates_task(n=500)
    table.save(tmp_path / "judge.json")
    rows = "".join(f"{j},{p}\n" for j, p in zip(judge, pred, strict=True))
    (tmp_path / "all.csv").write_text("judge,system\n" + rows)
    given = ["score", str(tmp_path / "all.csv"), "--true", "judge", "--pred", "system"]
    outcome = run(*given, "--judge-table", str(tmp_path / "judge.json"), "--format", "json")
    found = json.loads(outcome.stdout)
    expected = eh.score(judge, pred, judge_table=table)
    assert found["metrics"]["macro_f1"] == expected.to_dict()["metrics"]["macro_f1"]
    assert found["metrics"]["macro_f1"]["method"] == "inverted, effective"


@pytest.mark.parametrize("verb", [eh.compare, eh.rank, eh.gate])
def test_systems_are_not_compared_by_rates(verb, fails):
    _, pred, judge, table = rates_task(n=100)
    margin = {"margin": 0.1} if verb is eh.gate else {}
    words = "cannot be compared by its error rates alone: .* or label some of the items for judge="
    with pytest.raises(InputError, match=words):
        verb(judge, {"a": pred, "b": judge}, judge_table=table, **margin)
    command = verb.__name__, "all.csv", "--true", "judge", "--judge-table", "judge.json"
    line = fails(*command, *(f"--{name}={x}" for name, x in margin.items()))
    assert "--judge-table is for score, of one system" in line


# How many human labels, and which next


def test_planned_labels_are_those_of_the_formula():
    _, human, pred, judge = task()
    plan = eh.plan(human, pred, judge=judge, metrics="accuracy", width=0.05)
    hits = np.array([j == p for j, p in zip(judge, pred, strict=True)], float)[:300]
    own = np.array([h == p for h, p in zip(human, pred, strict=True)], float)[:300]
    rho = np.corrcoef(own, hits)[0, 1] ** 2

    def width(n, rho=rho):
        return 2 * 1.959964 * np.sqrt(own.var() * (1 - rho * (1 - n / len(pred))) / n)

    assert width(plan.needed) <= 0.05 < width(plan.needed - 1)
    alone = plan["accuracy"].without_judge
    assert width(alone, 0) <= 0.05 < width(alone - 1, 0)
    assert plan.to_dict()["items"] == plan.needed < alone


def test_the_next_labels_go_where_the_judge_errs(tmp_path, run):
    true, human, pred, judge = task(labelled=100)
    plan = eh.plan(human, pred, judge=judge, metrics="accuracy", width=0.05)
    more = sum(s.label_next for s in plan.strata)
    assert more == pytest.approx(plan.needed - 100, abs=2)
    own = {s.judge: s for s in plan.strata}
    for label, s in own.items():
        free = [j == label and h is None for j, h in zip(judge, human, strict=True)]
        assert s.unlabelled == sum(free)
        chance = 0.025 + 0.975 * s.label_next / s.unlabelled
        assert s.probability == pytest.approx(chance)
    lines = ["human,judge,system"]
    lines += [f"{h or ''},{j},{p}" for h, j, p in zip(human, judge, pred, strict=True)]
    (tmp_path / "all.csv").write_text("\n".join(lines) + "\n")
    columns = ["--true", "human", "--judge", "judge", "--pred", "system", "--metric", "accuracy"]
    path = tmp_path / "next.csv"
    options = [*columns, "--width", "0.05", "--label-next", str(path)]
    assert run("plan", str(tmp_path / "all.csv"), *options).exit_code == 0
    rows = [line.split(",") for line in path.read_text().splitlines()[1:]]
    chosen = [i for i, row in enumerate(rows) if row[3] == "true"]
    assert len(chosen) == more and all(human[i] is None for i in chosen)
    for i in chosen:  # people label these
        rows[i][0] = CLASSES[true[i]]
    path.write_text("\n".join(["human,judge,system,label_next,p", *map(",".join, rows)]) + "\n")
    given = ["score", str(path), *columns, "--label-probability", "p", "--format", "json"]
    found = json.loads(run(*given).stdout)["metrics"]["accuracy"]
    assert found["high"] - found["low"] == pytest.approx(0.05, rel=0.15)
    assert (
        found["low"]
        < np.mean([CLASSES[t] == p for t, p in zip(true, pred, strict=True)])
        < found["high"]
    )


@pytest.mark.parametrize(
    ("systems", "options", "message"),
    [
        (1, {"difference": 0.02}, "one system for a width, two for a difference"),
        (2, {"width": 0.1}, "one system for a width, two for a difference"),
        (1, {"width": 0.001}, "more items are needed"),
    ],
)
def test_labels_that_cannot_be_planned(systems, options, message):
    _, human, pairs, judge = pair_of_systems(n=1000)
    pred = pairs if systems == 2 else pairs["a"]
    with pytest.raises(InputError, match=message):
        eh.plan(human, pred, judge=judge, metrics="accuracy", **options)
