"""What is recorded: commands, errors and expressions in Python, and the files that they name."""

from typing import Any

import numpy as np

import evenhand as eh
from evenhand.catalogue.lists import table_metrics
from tests.pages import script
from tests.results.samples import FRIENDLY, HOSTILE, every_result

FORMATS = ("json", "table", "markdown", "latex", "csv", "html")
FEW = "--metric macro_f1 --metric accuracy"
DRAWN = f"{FEW} --replicates 50"
TASK = "task/gold.txt task/systems/balanced.txt"
BEST = "task/systems/balanced.txt task/systems/detectors.txt task/systems/strong-a.txt"
WIDE = "answers.csv --true gold"

MORE: dict[str, list[list[str]]] = {
    "score": [
        [
            f"score {TASK}",
            f"score {TASK} --interval bootstrap --replicates 50 --seed 3 {FEW}",
            f"score {TASK} --interval bca --replicates 50 {FEW}",
            f"score {TASK} --interval delta --transform logit --level 0.9 {FEW}",
            f"score {TASK} --interval jackknife --metric macro_f1 --metric f1_of_averages",
            f"score {TASK} --interval wilson --metric accuracy --metric recall:label=worried",
            f"score {TASK} --interval bootstrap --stratify --replicates 50 {FEW}",
            f"score {TASK} --metric macro_f1@uniform --metric macro_fbeta:beta=2 --format table",
            f"score {TASK} --digits 2 --format table",
            f"score {TASK} --layout paper {FEW} --format latex",
            f"score {TASK} --footnote --format latex",
            f"score {TASK} --exclude neutral --undefined nan {FEW}",
            f"score {TASK} --classes worried --classes confused --undefined 1 {FEW}",
            "score task/gold.txt task/systems/majority.txt",
            f"score {TASK} --distance ordinal --labels worried,annoyed,confused,neutral,pleased",
        ],
        ["score hostile-gold.txt hostile-pred.txt --metric macro_f1"],
        ["score sets.jsonl --true gold --pred run --kind multi-label"],
        [
            f"score {WIDE} --pred system --cluster document --interval bootstrap {DRAWN}",
            f"score gold.tsv run.tsv --id id --label label {FEW}",
            f"score gold.tsv run.zip --id id --label label {FEW}",
            f"score x.csv --true gold --probabilities p_ --decide argmax {FEW}",
            f"score x.csv --true gold --probabilities p_ --decide spam=0.4 {FEW}",
            f"score gold.txt stray.txt --ignore-case {FEW}",
            f"score gold.txt stray.txt --average seen {FEW}",
            f"score fine.txt coarse.txt --map map.csv {FEW}",
            "score gold.txt pred.txt --distance tree.csv --metric hierarchical_f1",
            "score gold.txt pred.txt --distance costs.csv --metric mean_cost",
            f"score caret.txt {FEW}",
            "score tags.jsonl --true gold --pred run --kind tokens",
            "score --matrix '6 1 1; 1 5 2; 2 3 7' --labels bird,cat,dog",
        ],
        [f"score gold.txt pred.txt {FEW} --plot chart.svg --format csv"],
    ],
    "twins": [["twins 2 100 10000 0 100", f"twins {TASK}"]],
    "compare": [
        [
            f"compare task/gold.txt {BEST} {FEW}",
            f"compare task/gold.txt {BEST} --tests all {DRAWN}",
            f"compare {WIDE} --pred a --pred b --cluster document {DRAWN}",
            f"compare {WIDE} --pred a --pred b --weights weight {DRAWN}",
        ]
    ],
    "rank": [
        [
            f"rank task/gold.txt task/systems/*.txt {FEW} --metric f1_of_averages",
            f"rank task/gold.txt task/systems/*.txt --by-metric mcc {DRAWN} --format csv",
            f"rank task/all.csv --true gold --id id --pred eager --pred balanced {DRAWN}",
        ]
    ],
    "report": [
        [
            f"report task/gold.txt {BEST} {FEW} --format markdown --output -",
            f"report task/gold.txt {BEST} {FEW} --format html --output -",
            f"report {TASK} --title Task {FEW} --format html --output -",
            f"report {WIDE} --pred system --by language {FEW} --format markdown --output -",
            f"report {WIDE} --pred a --pred b --by language {FEW} --format markdown --output -",
        ]
    ],
    "gate": [[f"gate task/gold.txt {BEST.rpartition(' ')[0]} --margin 0.02"]],
    "plan": [[f"plan {TASK} --width 0.02 {FEW}"]],
    "calibrate": [
        [f"calibrate {TASK} {FEW}", f"calibrate gold.txt pred.txt --to spam=0.2,ham=0.8 {FEW}"]
    ],
    "shift": [[f"shift {TASK} --sweep worried --metric macro_f1 --format table"]],
    "audit": [["audit paper.tex --support spam=100,ham=200", "audit classes.md --runs 3"]],
    "look": [["look task/all.csv", "look sets.jsonl", "look x.csv", "look one.json"]],
    "count": [["count x.csv --true gold --probabilities p_ --decide argmax"]],
    "merge": [["merge one.json two.json"]],
    "metrics": [
        ["metrics macro_f1", "metrics doppelganger", "metrics --family odds"],
        ["metrics --format table", "metrics --per-class --format markdown"],
    ],
    "properties": [
        ["properties mcc --classes 2", "properties mymetrics:macro_jaccard"],
        ["properties --format markdown"],
    ],
}
SKIPPED = (
    "metrics",
    "properties",
    "rank answers.csv --true gold --pred a",
    "score few.csv",
    "score x.csv --true gold --probabilities p_ --thresholds ham",
    "shift gold.txt eager.txt --sweep",
)
"""Commands of the JSON schemas that take long or say much."""


def listed() -> dict[str, list[list[str]]]:
    """Lists of commands by their first word: those of the JSON schemas, and more."""
    schemas = script("json_schemas").OUTPUTS.values()
    lists = [[line for line in lines if not line.startswith(SKIPPED)] for lines in schemas]
    lists += [lines for more in MORE.values() for lines in more]
    names = dict.fromkeys(lines[0].partition(" ")[0] for lines in lists if lines)
    return {name: [x for x in lists if x and x[0].partition(" ")[0] == name] for name in names}


COMMANDS = listed()
"""Commands by their first word: the first of each list is run in every format."""

LINES = "\n".join(label for label in HOSTILE[:10])
ROWS = "id,gold,pred,weight,group\n1,a,a,1,x\n2,b,a,2,x\n3,b,b,1,y\n"
FILES: dict[str, str | bytes] = {
    "hostile-gold.txt": LINES,
    "hostile-pred.txt": "\n".join([*LINES.split("\n")[3:], *LINES.split("\n")[:3]]),
    "sets.jsonl": '{"gold": ["a", "b"], "run": ["a"]}\n{"gold": ["b"], "run": ["b", "c"]}\n'
    '{"gold": ["c"], "run": ["c"]}\n',
    "tags.jsonl": '{"gold": ["O", "B", "I"], "run": ["O", "B", "O"]}\n'
    '{"gold": ["B", "O"], "run": ["B", "B"]}\n',
    "fine.txt": "ham/1\nham/2\nspam/1\n",
    "coarse.txt": "ham\nspam\nspam\n",
    "map.csv": "ham/1,ham\nham/2,ham\nspam/1,spam\n",
    "tree.csv": "ham,wanted\nspam,unwanted\nwanted,mail\nunwanted,mail\n",
    "costs.csv": ",ham,spam\nham,0,5\nspam,1,0\n",
    "classes.md": "| name | P a | R a | F1 a |\n|---|---|---|---|\n| A | 0.8 | 0.6 | 0.686 |\n",
    "caret.txt": "Confusion Matrix and Statistics\n\n          Reference\nPrediction no yes\n"
    "       no  40   6\n       yes  5  29\n\n               Accuracy : 0.8625\n",
    # Wrong ones.
    "empty.txt": "",
    "gap.txt": "a\n\nb\n",
    "two.txt": "a\nb\n",
    "three.txt": "a\nb\nb\n",
    "others.txt": "x\ny\nz\n",
    "latin.txt": "a\nb\n\xfc\n".encode("latin-1"),
    "binary.txt": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "rows.csv": ROWS,
    "twice.csv": ROWS.replace("\n2,", "\n1,"),
    "fewer.csv": ROWS.replace("3,b,b,1,y\n", ""),
    "header.csv": "id,gold,pred\n",
    "ragged.csv": "gold,pred\na,a\nb,b,c\n",
    "quote.csv": 'gold,pred\n"a,a\nb,b\n',
    "null.csv": "gold,pred\na,a\n,b\n",
    "negative.csv": ROWS.replace("2,x", "-2,x"),
    "words.csv": ROWS.replace("2,x", "two,x"),
    "semicolons.csv": ROWS.replace(",", ";"),
    "doubled.csv": "gold,gold,pred\na,a,a\n",
    "odd.csv": "gold,p_a,p_b\na,0.5,0.4\nb,0.1,0.9\n",
    "minus.csv": "gold,p_a,p_b\na,1.5,-0.5\nb,0.1,0.9\n",
    "half.json": '[{"gold": "a"',
    "half.jsonl": '{"gold": "a", "pred": "a"}\n{"gold": \n',
    "mixed.jsonl": '{"gold": "a", "pred": "a"}\n{"gold": ["a"], "pred": "a"}\n',
    "number.json": "7",
    "table.json": '{"schema": 99}',
    "broken.zip": b"PK\x03\x04 no archive",
    "broken.parquet": b"PAR1 no parquet PAR1",
    "broken.xlsx": b"no workbook",
    "circle.csv": "a,b\nb,a\n",
    "map-twice.csv": "a,x\na,y\n",
    "map-wide.csv": "a,b,c\n",
    "square.txt": "1 2\n3\n",
    "nothing.txt": "There is no table here.\n",
    "folder/inside.md": "text\n",
}

PAIR = "gold.txt pred.txt"
THREE = "three.txt three.txt"
ERRORS = [
    # Usage.
    "scor gold.txt pred.txt",
    "nonsense",
    "--nonsense",
    "score",
    "score gold.txt",
    f"score {PAIR} a.txt",
    f"score {PAIR} --nonsense",
    f"score {PAIR} --format pdf",
    f"score {PAIR} --digits 99",
    f"score {PAIR} --level 2",
    f"score {PAIR} --replicates 0",
    f"score {PAIR} --interval no",
    f"score {PAIR} --average all",
    f"score {PAIR} --undefined 2",
    f"score {PAIR} --seed x",
    f"score {PAIR} --output nowhere/result.json",
    f"score {PAIR} --output result.docx",
    f"score {PAIR} --plot chart.docx",
    f"score {PAIR} --matrix '1 2; 3 4'",
    # Metrics.
    f"score {PAIR} --metric macro_f2",
    f"score {PAIR} --metric nonsense",
    f"score {PAIR} --metric macro_fbeta:beta=x",
    f"score {PAIR} --metric macro_fbeta:gamma=1",
    f"score {PAIR} --metric f1:label=eggs",
    f"score {PAIR} --metric f1",
    f"score {PAIR} --metric macro_f1@",
    f"score {PAIR} --metric macro_f1@spam=0.3,ham=0.3",
    f"score {PAIR} --metric macro_f1@spam=1",
    f"score {PAIR} --metric macro_f1@spam=x,ham=1",
    f"score {PAIR} --metric subset_accuracy",
    f"score {PAIR} --metric mean_cost",
    f"score {PAIR} --metric hierarchical_f1",
    f"score {PAIR} --metric quadratic_kappa --distance nowhere.csv",
    f"score {PAIR} --metric ''",
    f"score {PAIR} --classes eggs",
    f"score {PAIR} --exclude eggs",
    f"score {PAIR} --exclude spam --exclude ham",
    f"score {PAIR} --labels spam",
    f"score {PAIR} --labels spam,spam,ham",
    f"score {PAIR} --interval wilson --metric macro_f1",
    f"score {PAIR} --interval jackknife --metric accuracy",
    f"score {PAIR} --transform logit --metric chi2 --interval delta",
    f"score {PAIR} --distance circle.csv --metric hierarchical_f1",
    f"score {PAIR} --distance square.txt --metric mean_cost",
    f"score {PAIR} --thresholds spam",
    # Files of lines.
    "score nowhere.txt pred.txt",
    "score gold.txt nowhere.txt",
    "score folder pred.txt",
    "score empty.txt three.txt",
    "score three.txt empty.txt",
    "score gap.txt three.txt",
    "score three.txt two.txt",
    "score three.txt latin.txt",
    "score three.txt binary.txt",
    "score three.txt others.txt",
    "score three.txt three.txt --encoding nonsense",
    "score three.txt broken.zip",
    "score three.txt broken.xlsx",
    "score three.txt broken.parquet",
    f"score {THREE} --map nowhere.csv",
    f"score {THREE} --map map-twice.csv",
    f"score {THREE} --map map-wide.csv",
    f"score {THREE} --by group",
    f"score {THREE} --weights weight",
    f"score {THREE} --id id",
    f"score {THREE} --true gold",
    "score - -",
    "score 'none*.txt' pred.txt",
    # Files of columns.
    "score rows.csv",
    "score rows.csv --true gold",
    "score rows.csv --pred pred",
    "score rows.csv --true gold --pred nowhere",
    "score rows.csv --true nowhere --pred pred",
    "score rows.csv --true 9 --pred 1",
    "score rows.csv --true gold --pred pred --by nowhere",
    "score rows.csv --true gold --pred pred --weights nowhere",
    "score rows.csv --true gold --pred pred --cluster nowhere",
    "score rows.csv --true gold --pred pred --id nowhere",
    "score rows.csv --true gold --pred pred --delimiter ';;'",
    "score rows.csv --true gold --pred pred --pred id",
    "score rows.csv --true gold --pred pred --groups",
    "score rows.csv --true gold --pred pred --separator ''",
    "score rows.csv --true gold --pred pred --probabilities p_",
    "score rows.csv twice.csv --id id --true gold --pred pred",
    "score rows.csv fewer.csv --id id --true gold --pred pred",
    "score fewer.csv rows.csv --id id --true gold --pred pred",
    "score header.csv --true gold --pred pred",
    "score ragged.csv --true gold --pred pred",
    "score quote.csv --true gold --pred pred",
    "score null.csv --true gold --pred pred",
    "score negative.csv --true gold --pred pred --weights weight",
    "score words.csv --true gold --pred pred --weights weight",
    "score semicolons.csv --true gold --pred pred",
    "score doubled.csv --true gold --pred pred",
    "score odd.csv --true gold --probabilities p_",
    "score minus.csv --true gold --probabilities p_",
    "score odd.csv --true gold --probabilities q_",
    "score x.csv --true gold --probabilities p_ --decide spam",
    "score x.csv --true gold --probabilities p_ --decide spam=2",
    "score x.csv --true gold --probabilities p_ --decide eggs=0.5",
    "score x.csv --true gold --probabilities p_ --thresholds eggs",
    "score half.json --true gold --pred pred",
    "score half.jsonl --true gold --pred pred",
    "score mixed.jsonl --true gold --pred pred",
    "score number.json --true gold --pred pred",
    "score sets.jsonl --true gold --pred run",
    "score tags.jsonl --true gold --pred run --kind multi-label --metric kappa",
    "score table.json",
    # Tables.
    "score --matrix '1 2; 3'",
    "score --matrix '1 2; 3 x'",
    "score --matrix '1 -2; 3 4'",
    "score --matrix ''",
    "score --matrix nowhere.txt",
    "score --matrix square.txt",
    "score --matrix '1 2; 3 4' --labels a",
    "score --matrix '1 2; 3 4' --by x",
    "score --matrix '0 0; 0 0'",
    "twins 1 2 3",
    "twins 1 2 3 x",
    "twins nowhere.txt",
    "count gold.txt",
    f"count {PAIR} --by x",
    "merge",
    "merge nowhere.json",
    "merge gold.txt",
    "merge table.json",
    "merge one.json one.json",
    # Several systems.
    "compare gold.txt",
    "compare gold.txt a.txt",
    "compare gold.txt a.txt nowhere.txt",
    "compare gold.txt a.txt a.txt",
    "compare gold.txt a.txt b.txt --baseline c",
    "compare gold.txt a.txt b.txt --margin -1",
    "compare gold.txt a.txt b.txt --tests nonsense",
    "compare gold.txt a.txt three.txt",
    "rank gold.txt",
    "rank gold.txt a.txt gold.txt",
    "rank gold.txt a.txt broken.txt",
    "rank gold.txt a.txt b.txt --by-metric nonsense",
    "rank long.csv --true gold --pred answer --system nowhere --id id",
    "rank long.csv --true gold --pred answer --system system --id id",
    "rank gold.txt a.txt b.txt --system system",
    "rank --tables one.json gold.txt",
    "report gold.txt",
    f"report {PAIR} --format csv",
    "gate gold.txt old.txt",
    "gate gold.txt old.txt new.txt --margin x",
    "gate gold.txt old.txt new.txt --margin -0.1",
    "gate gold.txt old.txt new.txt --test nonsense",
    f"plan {PAIR}",
    f"plan {PAIR} --width 0",
    f"plan {PAIR} --width 0.1 --difference 0.1",
    "plan --recalls spam=0.8 --mix spam=0.5,ham=0.5 --width 0.1",
    "plan --recalls spam=2,ham=1 --mix spam=0.5,ham=0.5 --width 0.1",
    "publish records gold.txt a.txt",
    "publish records gold.txt a.txt --dataset t --organization us --relationship none",
    "publish codabench task --metric macro_f1",
    # Other mixes.
    f"shift {PAIR}",
    f"shift {PAIR} --to spam=1",
    f"shift {PAIR} --to spam=0.5,eggs=0.5",
    f"shift {PAIR} --to spam=2,ham=-1",
    f"shift {PAIR} --sweep eggs",
    f"shift {PAIR} --unlabelled nowhere.txt",
    f"shift {PAIR} --unlabelled others.txt",
    f"shift {PAIR} --sweep spam --to uniform",
    f"calibrate {PAIR} --to spam=x",
    # Published tables, the catalogue.
    "audit nowhere.csv",
    "audit empty.txt",
    "audit nothing.txt",
    "audit table.csv --map nonsense",
    "audit table.csv --map 'macro P=nonsense'",
    "audit table.csv --support spam",
    "audit table.csv --support spam=-1",
    "audit table.csv --runs 0",
    "which --precision 0.7 --recall 0.6",
    "which --precision x --recall 0.6 --f1 0.6",
    "which --precision 700 --recall 0.6 --f1 0.6",
    "signature nonsense",
    "signature ''",
    "signature 'm:macro_f1|c:true.3' nonsense",
    "metrics nonsense",
    "metrics --family nonsense",
    "metrics --property nonsense",
    "properties nonsense",
    "properties nowhere:function",
    "properties mymetrics:nowhere",
    "properties mcc --classes 9",
    "papers nonsense",
    "papers figure 99",
    "agree nowhere.csv",
    "agree header.csv",
    "agree ratings.csv --id nowhere",
    "look nowhere.csv",
    "look folder",
    "look empty.txt",
    "serve --port 99999",
]


def values(names: dict[str, Any]) -> dict[str, Any]:
    """What the expressions name, besides what the documentation's commands do."""
    gold, p = names["gold"], names["p"]
    runs = {"A": names["a"], "B": names["b"], "old": names["old"]}
    several = eh.Sample.from_labels(gold, runs, cluster=names["document"])
    few = ["macro_f1", "accuracy", "mcc"]
    sharper = p**2 / (p**2).sum(1, keepdims=True)
    sets = [[1, 0, 1], [0, 1, 0], [1, 1, 0]], [[1, 0, 0], [0, 1, 1], [1, 0, 0]]
    pets = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
    return {
        "np": np,
        "results": every_result(tuple(FRIENDLY)),
        "few": few,
        "matrix": eh.Confusion.from_matrix(pets, labels=["bird", "cat", "dog"]),
        "empty": eh.Confusion.from_matrix([[3, 0, 1], [0, 0, 0], [2, 0, 4]], labels=[*"abc"]),
        "heavy": eh.Confusion.from_labels(gold, names["a"], weights=names["weight"]),
        "multi": eh.MultiLabel.from_indicators(*sets),
        "soft": eh.Sample.from_probabilities(gold, {"A": p, "B": sharper}, labels=["ham", "spam"]),
        "one_soft": eh.Sample.from_probabilities(gold, {"A": p}, labels=["ham", "spam"]),
        "expected": eh.Confusion.from_probabilities(gold, p, labels=["ham", "spam"]),
        "several": several,
        "stack": eh.Confusion.from_frame(names["frame"], true="gold", pred="system", by="language"),
        "board": eh.rank(several, metrics=few, replicates=50),
        "every_metric": every_metric,
        "every_interval": every_interval,
        "changed": changed,
    }


def every_metric(data: Any, **options: Any) -> dict[str, Any]:
    """Each metric's values, or its error."""
    values: dict[str, Any] = {}
    for name in table_metrics():
        try:
            value = np.asarray(getattr(eh, name)(data, **options)).ravel().tolist()
            values[name] = [v if np.isfinite(v) else str(v) for v in value]
        except eh.EvenhandError as error:
            values[name] = f"{type(error).__name__}: {error}"
    return values


def every_interval(data: Any, method: str) -> dict[str, Any]:
    """Each metric's value, standard error and interval, or the kind of its error."""
    values: dict[str, Any] = {}
    for name in table_metrics():
        try:
            scores = eh.score(data, metrics=name, interval=method, replicates=50)
            (entry,) = scores.to_dict()["metrics"].values()
            values[name] = [entry[key] for key in ("value", "se", "low", "high", "method")]
        except eh.EvenhandError as error:
            values[name] = type(error).__name__
    return values


def changed(table: Any) -> dict[str, Any]:
    """What a table holds."""
    cells = {"labels": table.labels, "cells": table.cells, "total": table.total}
    return {**cells, "repr": repr(table)}


PYTHON = [
    *(f"results[{name!r}]" for name in (
        "scores", "scores of probabilities", "thresholds", "twins", "groups",
        "agreement", "twins of slices", "comparison",
        "comparison with a baseline", "gate", "gate of slices", "plan", "cross-validated",
        "extrapolation", "sweep", "estimate", "audit", "audits", "which", "profiles", "profile",
        "found", "claims", "catalogue", "explained", "differences",
    )),
    *(f"every_metric({data})" for data in (
        "matrix", "empty", "heavy", "stack", "multi", "one_soft", "expected", "matrix, undefined=1",
        "empty, undefined=float('nan')", "empty, classes='seen'",
    )),
    *(f"every_interval({data})" for data in (
        "matrix, 'auto'", "matrix, 'delta'", "matrix, 'jackknife'", "matrix, 'bootstrap'",
        "matrix, 'bca'", "heavy, 'auto'",
    )),
    "eh.score(y_true, y_pred, metrics=few, cluster=documents)",
    "eh.score(y_true, y_pred, metrics=few, weights=weight)",
    "eh.score(frame, true='gold', pred='system', metrics=few, by='language')",
    "eh.score([[6, 1, 1], [1, 5, 2], [2, 3, 7]], metrics=few)",
    "eh.score(multi)",
    "eh.score(one_soft, metrics=few)",
    "eh.score(expected, metrics=few)",
    "eh.compare(several, metrics=few, replicates=50)",
    "eh.compare(soft, metrics=few, replicates=50)",
    "eh.compare(y_true, a, b, metrics=few, tests='all', replicates=50)",
    "eh.rank(y_true, {'A': a, 'B': b, 'copy': a}, metrics=few, replicates=50)",
    "eh.gate(y_true, old, new, margin=0.01)",
    "eh.plan(y_true, old, new, difference=0.02)",
    "eh.shift.sweep(y_true, y_pred, label='spam', metrics='macro_f1', at=[0.1, 0.5])",
    "eh.shift.estimate_prevalence(y_true, y_pred, predicted=live, metrics=few, replicates=50)",
    "changed(eh.extremal(4))",
    "eh.gap_bound(3)",
    "eh.properties.find('gap', 'macro_f1', 'f1_of_averages', k=2, n=20)",
    "eh.simulate.tables([0.5, 0.5], np.eye(2), items=10, rng=np.random.default_rng(0))",
    "changed(matrix)",
    "changed(matrix + matrix)",
    "changed(matrix.select(['cat', 'dog']))",
    "changed(stack)",
    "changed(heavy)",
    "changed(eh.Confusion.load('one.json'))",
    "results['which'].to_json()",
    "str(results['scores'].to_pandas().to_csv())",
    "results['scores'].to_polars().write_csv()",
    "str(results['scores']['macro_f1'].signature)",
    "eh.plot.confusion(matrix)",
    "eh.plot.confusions(matrix)",
    "eh.plot.classes(matrix)",
    "eh.plot.gap(matrix)",
    "eh.plot.groups(results['groups'])",
    "eh.plot.differences(results['comparison'])",
    "eh.plot.leaderboard(board)",
    "eh.plot.ranks(board)",
    "eh.plot.panel(several)",
    "eh.plot.reliability(soft, 'A')",
    "eh.plot.histogram(soft, 'A')",
    "eh.plot.thresholds(results['thresholds'])",
    "eh.plot.mixes(results['extrapolation'])",
    "eh.plot.prevalence(results['sweep'])",
    # Errors.
    "eh.score()",
    "eh.score('gold.txt', 'pred.txt')",
    "eh.score(None)",
    "eh.score([], [])",
    "eh.score(['a', 'b'], ['a'])",
    "eh.score(['a', None], ['a', 'b'])",
    "eh.score([['a']], [['b']])",
    "eh.score(several)",
    "eh.score(frame)",
    "eh.score(frame, true='gold', pred='nowhere')",
    "eh.score(matrix, metrics='nonsense')",
    "eh.score(matrix, metrics=[])",
    "eh.score(matrix, metrics='f1')",
    "eh.score(matrix, interval='nonsense')",
    "eh.score(matrix, level=95)",
    "eh.score(matrix, replicates=0, interval='bootstrap')",
    "eh.score(matrix, undefined=2)",
    "eh.score(matrix, classes='all')",
    "eh.score(matrix, classes=['cow'])",
    "eh.score(y_true, y_pred, weights=[1])",
    "eh.score(y_true, y_pred, cluster=[1])",
    "eh.score(y_true, y_pred, nonsense=1)",
    "eh.macro_f1(y_true)",
    "eh.f1(matrix, label='cow')",
    "eh.nonsense",
    "eh.compare(y_true, a)",
    "eh.compare(matrix)",
    "eh.rank(y_true, {})",
    "eh.rank(y_true, {'A': a, 'B': b[:9]})",
    "eh.gate(y_true, old, new)",
    "eh.gate(y_true, old, new, margin=-1)",
    "eh.plan(matrix)",
    "eh.audit('no table')",
    "eh.audit([])",
    "eh.which(1, 2, 3)",
    "eh.which('0.7', 'x', '0.6')",
    "eh.agree({'A': ['a']})",
    "eh.thresholds(matrix, label='a')",
    "eh.shift.extrapolate(matrix, to={'bird': 1})",
    "eh.shift.sweep(matrix, label='cow')",
    "eh.properties.check('nonsense')",
    "eh.papers.recompute(['nonsense'])",
    "eh.simulate.tables([0.5, 0.6], np.eye(2), items=10, rng=np.random.default_rng(0))",
    "eh.Confusion.from_matrix([[1, 2], [3]])",
    "eh.Confusion.from_matrix([[1, -2], [3, 4]])",
    "eh.Confusion.from_matrix([[1, 2], [3, 4]], labels=['a'])",
    "eh.Confusion.from_labels(['a'], ['a', 'b'])",
    "eh.Confusion.from_labels(['a'], ['a'], labels=['b'])",
    "eh.Confusion.from_probabilities(['a', 'b'], [[0.5, 0.4], [0.1, 0.9]], labels=['a', 'b'])",
    "eh.MultiLabel.from_indicators([[1, 0]], [[1]])",
    "eh.Sample.from_labels(['a'], {})",
    "eh.Confusion.load('gold.txt')",
    "matrix.select(['cow'])",
    "matrix + stack",
    "eh.Signature.parse('nonsense')",
    "board['nowhere']",
]  # fmt: skip
