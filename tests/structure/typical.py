"""Typical code of a user, for a type checker: see test_typing."""

import numpy as np
import pandas as pd

import evenhand as eh

y_true = ["a", "b", "b", "c"]
y_pred = ["a", "b", "c", "c"]
other = np.array([0, 1, 1])
frame = pd.DataFrame({"gold": y_true, "system": y_pred})

value = eh.macro_f1(y_true, y_pred)
named = eh.macro_f1(y_true=y_true, y_pred=y_pred, undefined=0)
weighted = eh.accuracy(y_true, y_pred, weights=[1, 2, 1, 1])
matrix = eh.kappa([[6, 1, 1], [1, 5, 2], [2, 3, 7]])
arrays = eh.mcc(other, other)
rounded = round(eh.macro_f1(y_true, y_pred), 4)
fbeta = eh.macro_fbeta(y_true, y_pred, beta=2)
mean = eh.macro_recall(y_true, y_pred, p=-2)
alias = eh.averaged_f1(y_true, y_pred)
one_class = eh.f1(y_true, y_pred, label="a")
each_class = eh.f1(y_true, y_pred)

table = eh.Confusion.from_labels(y_true, y_pred)
of_table = eh.macro_f1(table, classes=["a", "b"])
of_frame = eh.macro_f1(frame, true="gold", pred="system")
total = table.total
n = table.n
k = table.k
prevalence = table.prevalence
merged = table + table
cells = np.asarray(table)

scores = eh.score(y_true, y_pred, metrics="macro_f1", interval="delta")
several = eh.score(table, metrics=[eh.macro_f1, "mcc", "macro_f1@uniform"], level=0.9)
score = scores["macro_f1"]
plain = float(scores["macro_f1"])
low = score.low
names = list(scores)
known = "macro_f1" in scores
size = len(scores)
text = scores.to_markdown(digits=2)
signature = str(scores.signature)
gap = eh.twins(y_true, y_pred).gap
verdict = scores.verdict
sensitivity = eh.score(y_true, y_pred, positive="a")["sensitivity"].value
worst = eh.groups(y_true, y_pred, by=list("xyxy"), metrics="accuracy").worst
kappa = eh.agree({"A": y_true, "B": y_pred}).kappa

comparison = eh.compare(y_true, y_pred, y_true, metrics=["macro_f1"])
pair = comparison["A", "B", "macro_f1"]
difference = pair.difference
board = eh.rank(y_true, {"A": y_pred, "B": y_true}, by_metric="macro_recall")
system = board["A"]
rank = system.standings["macro_recall"].rank
moved = eh.shift.extrapolate(y_true, y_pred, to={"a": 0.2, "b": 0.3, "c": 0.5})
expected = moved["macro_f1"].value
swept = eh.shift.sweep(table, label="a", metrics="accuracy").crossings
mix = eh.shift.estimate_prevalence(table, predicted=y_pred).prevalence
profile = eh.properties.check("mcc", sizes=(2, 3))
holds = profile.monotonicity.holds
findings = eh.audit([{"macro_f1": "0.6"}]).ok
catalogue = eh.metrics()
record = catalogue["macro_f1"]
report = eh.report(y_true, y_pred, title="Ours")
bound = eh.gap_bound(3)
extreme = eh.extremal(3, z=9)
sample = eh.Sample.from_labels(y_true, {"A": y_pred})
counter = eh.Accumulator()
counter.update(y_true, y_pred)
counted = eh.macro_f1(counter)
multi = eh.MultiLabel.from_indicators([{"a"}], [{"b"}])
of_multi = eh.macro_f1(multi)
claims = eh.papers.recompute(["000"])

gate = eh.gate(y_true, y_pred, y_true, margin=0.1, metrics="accuracy")
passed = gate.passed
check = gate["accuracy"]
outcome = check.outcome
plan = eh.plan(y_true, y_pred, width=0.1)
needed = plan.needed
need = plan["macro_f1"].items
