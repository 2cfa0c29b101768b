"""Forms: what data come in, and the one sentence for those that a verb does not take."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from evenhand.catalogue.binding import Table
from evenhand.core.counts import Counts
from evenhand.count.accumulate import Accumulator
from evenhand.errors import FormError, InputError, shown
from evenhand.tables.confusion import Confusion
from evenhand.tables.labels import key_text
from evenhand.tables.multilabel import MultiLabel
from evenhand.tables.narrow import large
from evenhand.tables.systems import Systems

COUNTED = (Confusion, MultiLabel, Counts, Systems, Accumulator)
"""What holds items that are counted already."""

ONE = (
    "a table (Confusion, MultiLabel, Accumulator), a Sample of one system, a k × k matrix, "
    "true and predicted labels, or a frame with true= and pred="
)
"""The forms that the data of one system come in."""

SEVERAL = (
    "true labels and at least two systems' predictions (each, a mapping of names to them, or a "
    "frame of them), "
    "a Sample, or a frame with true= and a list of columns as pred="
)
"""The forms that the data of several systems on the same items come in."""

TABLES = "the systems' tables (a stack, or a mapping of names to them)"

FORMS = {
    "compare": f"{SEVERAL}; or a joint table of counts (true × A × B)",
    "gate": "true labels, the old system's predictions and the new one's (or a mapping of names to "
    "both), a Sample of two systems, a frame with true= and both columns as pred=; or a joint "
    "table of counts (true × old × new)",
    "plan": f"{ONE}; or, of two systems, what compare takes; or recalls and a mix",
    "rank": f"{SEVERAL}; or {TABLES}",
    "report": f"{ONE}; or, of several systems, {SEVERAL}; or {TABLES}",
    "sweep": f"{ONE}; or a Sample of two systems",
    "thresholds": "a sample of one system with probabilities (Sample.from_probabilities), or true "
    "labels and items × labels probabilities with labels=",
}
"""The forms that verbs take, where they are not those of one system."""


def refusal(verb: str, came: str, hint: str = "") -> FormError:
    """What to raise when data do not come in a form that the verb takes."""
    more = f"; {hint}" if hint else ""
    return FormError(f"{verb} takes {FORMS.get(verb, ONE)}, got {came}{more}")


def what_came(data: tuple[Any, ...]) -> str:
    """The form that data came in, for a message."""
    if not data:
        return "nothing"
    if len(data) > 1:
        return f"{len(data)} arguments ({', '.join(map(form_of, data))})"
    return form_of(data[0])


def form_of(whole: Any) -> str:
    """The form of one argument."""
    if isinstance(whole, Confusion) and whole.shape:
        kind = whole.axes[0] or "table"
        return f"a stack of {len(whole):,} {kind}s ({shown(whole.keys[0])})"
    if isinstance(whole, Systems):
        kind = "system" if len(whole.systems) == 1 else "systems"
        return f"a Sample of {len(whole.systems):,} {kind} ({shown(whole.systems)})"
    names = {Confusion: "one table", MultiLabel: "multi-label data", Counts: "bare margins"}
    name = type(whole).__name__
    return names.get(type(whole), f"{'an' if name[0] in 'aeinouAEIOU' else 'a'} {name}")


def one_of(verb: str, found: Any) -> Any:
    """Data of one system as they are: a number of several thrown together is nobody's."""
    names: tuple[Any, ...] = ()
    if isinstance(found, Systems):
        names, take = found.systems, f"sample.table({found.systems[0]!r})"
    elif isinstance(found, Confusion) and found.axes[:1] == ("system",):
        names, take = found.keys[0], f"stack[{found.keys[0][0]!r}]"
    if len(names) > 1:
        raise refusal(verb, form_of(found), f"rank and compare take all, {take} is one of them")
    return found[0] if names and isinstance(found, Confusion) else found


def refuse_slices(verb: str, data: Any) -> None:
    """Slices of the items are no systems."""
    if isinstance(data, Confusion) and data.axes[:1] == ("slice",):
        hint = f"score takes slices; if these are systems, name them: {verb}({{name: table, …}})"
        raise refusal(verb, form_of(data), hint)


def refuse_empty(table: Table | Counts, todo: str = "score") -> None:
    """There must be something to score: items, and not all of weight 0."""
    if isinstance(table, Confusion) and large(table):
        index, _, _, weight, _ = table.data.entries()
        total = np.bincount(index, np.asarray(weight, np.float64), prod(table.shape))
    else:
        total = np.ravel(table.total)
    if total.all():
        return
    at, where = int(np.flatnonzero(total == 0)[0]), ""
    if isinstance(table, Confusion) and table.shape:
        place = np.unravel_index(at, table.shape)
        keys = [axis[i] for axis, i in zip(table.keys, place, strict=True)]
        kind = table.axes[-1] or ("slice" if todo == "score" else "system")
        where = f" ({kind} {', '.join(map(key_text, keys))})"
    some = not isinstance(table, Counts) and bool(np.ravel(table.n)[at])
    what = "only items of weight 0" if some else "no items"
    raise InputError(f"the table holds {what}{where}: there is nothing to {todo}")
