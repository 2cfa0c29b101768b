"""Two metrics of one's own: one with a value for each class, one of the whole table.

pip install ./examples/own-metric, and then:

evenhand metrics --family own
evenhand score gold.txt pred.txt --metric macro_patience:slack=2 --metric alert_error
"""

import evenhand as eh


@eh.metric(
    symbol="Pat",
    formula="correct / (prevalence + slack·false_positives)",
    reference="an example",
    of_one_class=True,
    least={"slack": 0},
)
def patience(c: eh.Counts, *, slack: float = 0.5):
    """Recall that pays for false alarms: each costs as much as a part of an item."""
    return eh.ratio(c.correct, c.prevalence + slack * c.false_positives, c.undefined)


@eh.metric(
    symbol="AE",
    formula="1 − Σ correct / total",
    reference="an example",
    better="lower",
)
def alert_error(c: eh.Counts):
    """Share of items that are judged wrongly."""
    return eh.ratio(c.total - c.sum(c.correct), c.total, c.undefined)
