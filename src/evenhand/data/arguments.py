"""Arguments of the verbs: data in any form as tables and samples."""

from __future__ import annotations

import string
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import wraps
from inspect import Parameter, Signature
from math import inf, prod
from typing import Any, TypeAlias, TypeVar

import numpy as np

from evenhand.core.arrays import Array
from evenhand.core.margins import Counts
from evenhand.data.cells import dense_or_sparse
from evenhand.data.confusion import Confusion
from evenhand.data.counting import count_labels, count_sample, keys_of, refuse_shares
from evenhand.data.factorize import (
    factorize,
    is_frame,
    is_of_sets,
    on_host,
    refuse_other_order,
    with_index,
)
from evenhand.data.frames import (
    column_names,
    count_frame,
    count_frame_rows,
    first_rows,
    in_memory,
    in_narwhals,
    names_in,
)
from evenhand.data.label_checks import misspelt_truth, refuse_renamed
from evenhand.data.label_sets import column_values, count_indicators, list_columns
from evenhand.data.labels import Counting, checked, kind_of, ordered, positions, same_kind
from evenhand.data.matching import (
    FIRST,
    compared,
    frame_sides,
    joined_frames,
    match,
    polars_frame,
)
from evenhand.data.multilabel import AnyTable, MultiLabel
from evenhand.data.probabilities import are_probabilities, count_soft_sample
from evenhand.data.roles import (
    FIRST_ROWS,
    ColumnProfile,
    first_profiles,
    interleaved,
    labels_of,
    may_repeat,
    names_labels,
    names_truth,
    other_tasks,
    repeated_items,
    repeating_columns,
    with_rivals,
)
from evenhand.data.sample import Sample, SoftSample, Systems
from evenhand.errors import FormError, InputError, Option, nearest, quoted, shown, unexpected, warn
from evenhand.options import Options, flag, is_name, parameters, sequence
from evenhand.text import counted, key_text
from evenhand.warnings import CaseApart, MisspeltTruth, MoreNeverTrue, NeverTrue

SHOWN = (NeverTrue, MoreNeverTrue, MisspeltTruth, CaseApart)
"""Warnings of results that verbs also show where they are called."""


class Accumulator:
    """Counts labels batch by batch, in a training or serving loop.

    Updates may come from several threads; accumulators merge with ``+`` and can be pickled,
    so that processes can count apart and send what they have.

    >>> counter = Accumulator()
    >>> counter.update(["a", "b"], ["a", "a"])
    >>> counter.update(["b"], ["b"])
    >>> counter.table.correct
    array([1, 1])
    """

    def __init__(self, labels: Iterable[Any] | None = None) -> None:
        self.labels = None if labels is None else list(checked(labels))
        self._parts: list[Confusion] = []  # each larger than all after it
        self._lock = threading.Lock()

    def update(self, y_true: Any, y_pred: Any, *, weights: Any = None) -> None:
        """Add one batch; an empty one changes nothing."""
        y_true, y_pred = (
            y if hasattr(y, "__len__") and not isinstance(y, str) else sequence(y, what, "labels")
            for y, what in ((y_true, "y_true"), (y_pred, "y_pred"))
        )
        if len(y_true) or len(y_pred):
            self._add(Confusion.from_labels(y_true, y_pred, labels=self.labels, weights=weights))

    def _add(self, table: Confusion) -> None:
        """Keep a part, merged with those that are not much larger, so that few sums are large."""
        with self._lock:
            for part in self._parts[:1]:
                before, after = (kind_of(t.labels[:1], "labels") for t in (part, table))
                same_kind(before, after, "one batch", "another")
            self._parts.append(table)
            self._merge(2)

    def _merge(self, ratio: float) -> None:
        """Add up the last two parts while the first of them is at most so many times as large."""
        # the size of a part is its stored numbers, which is the cost of adding to it
        while len(self._parts) > 1:
            before, last = (t.data.weight.size + t.k for t in self._parts[-2:])
            if before > ratio * last:
                break
            both = self._parts[-2] + self._parts[-1]
            self._parts[-2:] = [replace(both, data=dense_or_sparse(both.data))]

    @property
    def table(self) -> Confusion:
        """The table of everything counted so far."""
        with self._lock:
            if not self._parts:
                raise InputError("nothing has been counted yet")
            self._merge(inf)
            return self._parts[0]

    def reset(self) -> None:
        """Forget everything counted so far."""
        with self._lock:
            self._parts = []

    def __add__(self, other: object) -> Accumulator:
        if not isinstance(other, Accumulator):
            return NotImplemented
        labels = None
        if self.labels is not None and other.labels is not None:
            labels = list(dict.fromkeys([*self.labels, *other.labels]))
        both = Accumulator(labels)
        for part in (self, other):
            if part._parts:
                both._add(part.table)
        return both

    def __repr__(self) -> str:
        n: Any = self.table.n if self._parts else 0
        return f"Accumulator({counted(n, 'item')})"

    def __getstate__(self) -> dict[str, Any]:
        return {"labels": self.labels, "table": self.table if self._parts else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["labels"])  # type: ignore[misc]
        if state["table"] is not None:
            self._add(state["table"])


# Forms of data

COUNTED = (Confusion, MultiLabel, Counts, Systems, Accumulator)
"""Types of data that are already counted."""

ONE = (
    "a table (Confusion, MultiLabel, Accumulator), a Sample of one system, a k × k matrix, "
    "true and predicted labels, or a frame with true= and pred="
)
"""The forms of the data of one system."""

SEVERAL = (
    "true labels and at least two systems' predictions (each, a mapping of names to them, or a "
    "frame of them), "
    "a Sample, or a frame with true= and a list of columns as pred="
)
"""The forms of the data of several systems on the same items."""

TABLES = "the systems' tables (a stack, or a mapping of names to them)"

FORMS = {
    "compare": SEVERAL,
    "gate": SEVERAL.replace("at least two", "two (old, new)"),
    "plan": f"{ONE}; or, of two systems, what compare takes; or recalls and a mix",
    "rank": f"{SEVERAL}; or {TABLES}",
    "report": f"{ONE}; or, of several systems, {SEVERAL}; or {TABLES}",
    "thresholds": "a sample of one system with probabilities (Sample.from_probabilities), or true "
    "labels and items × classes probabilities",
}
"""The forms that verbs take, if not those of one system."""


def refusal(verb: str, form: str, hint: str = "") -> FormError:
    """The error for data in a form that a verb does not take."""
    more = f"; {hint}" if hint else ""
    return FormError(f"{verb} takes {FORMS.get(verb, ONE)}, got {form}{more}")


def form_of(*data: Any) -> str:
    """The form of data in a message."""
    if len(data) != 1:
        forms = ", ".join(map(form_of, data))
        return f"{len(data)} arguments ({forms})" if data else "nothing"
    (argument,) = data
    if isinstance(argument, Confusion) and argument.shape:
        kind = argument.axes[0] or "table"
        return f"a stack of {len(argument):,} {kind}s ({shown(argument.keys[0])})"
    if isinstance(argument, Systems):
        systems = counted(len(argument.systems), "system")
        return f"a Sample of {systems} ({shown(argument.systems)})"
    names = {Confusion: "one table", MultiLabel: "multi-label data", Counts: "bare margins"}
    name = type(argument).__name__
    return names.get(type(argument), f"{'an' if name[0] in 'aeinouAEIOU' else 'a'} {name}")


def one_of(verb: str, data: Any) -> Any:
    """Data of one system; those of several are refused."""
    is_stack = isinstance(data, Confusion) and data.axes[:1] == ("system",)
    names: Any = data.keys[0] if is_stack else getattr(data, "systems", ())
    if len(names) > 1:
        example = f"stack[{names[0]!r}]" if is_stack else f"sample.table({names[0]!r})"
        raise refusal(verb, form_of(data), f"rank and compare take all, {example} is one of them")
    return data[0] if is_stack and names else data


def refuse_empty(table: AnyTable | Counts, todo: str = "score") -> None:
    """Refuse a table without items, or with items of weight 0 only."""
    total: Any = np.ravel(table.total) if isinstance(table, MultiLabel | Counts) else None
    if isinstance(table, Confusion):  # all margins of a large stack are too many
        index, _, _, weight, _ = table.data.entries()
        total = np.bincount(index, np.asarray(weight, np.float64), prod(table.shape))
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


# Data as tables and samples

Counted: TypeAlias = AnyTable | Sample | SoftSample


@dataclass(frozen=True, eq=False)
class VerbArguments:
    """The arguments of a verb: data, positional or by name, and options for counting them."""

    verb: str
    data: tuple[Any, ...]
    y_true: Any = None
    y_pred: Any = None
    true: str | None = None
    pred: str | Sequence[str] | None = None
    labels: Iterable[Any] | None = None
    weights: Any = None
    cluster: Any = None
    by: Any = None
    probabilities: bool | str | Sequence[str] | None = None
    drop_null_truth: bool = False
    by_row: bool = False

    def __post_init__(self) -> None:
        names_columns = isinstance(self.probabilities, str | list | tuple)
        if names_columns and self.pred is not None:
            raise InputError("probabilities stand in the place of labels: leave out pred=")
        if names_columns:
            object.__setattr__(self, "pred", self.probabilities)
        elif self.probabilities is not None:
            flag(self.probabilities, "probabilities")
        frames = self.frames if self.true is None and self.pred is None else {}
        if len({tuple(column_names(frame)) for frame in frames.values()}) > 1:
            true, pred = label_columns(self.verb, frames, by_row=self.by_row)
            object.__setattr__(self, "true", true)
            object.__setattr__(self, "pred", pred)
        flag(self.drop_null_truth, "drop_null_truth")
        flag(self.by_row, "by_row")

    @property
    def positional(self) -> tuple[Any, ...]:
        """The data in order, including those given by name."""
        if self.y_true is not None and self.data:
            hint = "; columns of a frame are named by true= and pred="
            hint = hint if isinstance(self.y_true, str) else ""
            raise InputError(f"{self.verb} takes y_true= without other data before it{hint}")
        return (*self.data, *(y for y in (self.y_true, self.y_pred) if y is not None))

    @property
    def of_frame(self) -> bool:
        """Whether the data are columns of a frame."""
        if self.true is None and self.pred is None:
            return False
        have_frame = len(self.positional) == 1 or self.frames
        if not have_frame or self.true is None or self.pred is None:
            raise InputError(
                f"{self.verb} takes true= and pred= together, as names of the columns of one "
                "frame, or of one of the truth and one of each system"
            )
        return True

    @property
    def frames(self) -> dict[str, Any]:
        """The frame of the truth (named "") and those of systems, if there are several frames."""
        truth, *others = self.positional or (None,)
        runs: Mapping[str, Any] = dict(zip(string.ascii_uppercase, others, strict=False))
        if len(others) == 1:
            runs = others[0] if isinstance(others[0], Mapping) else {"system": others[0]}
        named = {"": truth, **runs}
        return named if runs and all(hasattr(type(f), "columns") for f in named.values()) else {}

    @property
    def joined(self) -> VerbArguments:
        """The same arguments with one frame, in which the rows of several are matched."""
        frames = self.frames
        if not frames:
            return self
        if not isinstance(self.pred, str):
            raise InputError(f"{self.verb} takes one pred=, the column of it in every frame")
        tasks = _other_tasks(frames[""], self.pred) if self.true == self.pred else []
        frame = joined_frames(frames, str(self.true), self.pred, tasks, by_row=self.by_row)
        _, *runs = frames
        pred = runs if len(runs) > 1 else runs[0]
        return replace(self, data=(frame,), y_true=None, y_pred=None, pred=pred)

    @property
    def counting(self) -> Counting:
        """The options of every counter."""
        names = ("labels", "weights", "cluster", "by", "drop_null_truth")
        return Counting(**{n: getattr(self, n) for n in names})

    def never_dropping(self, form: str) -> Counting:
        """The options of a counter that never drops items."""
        if self.drop_null_truth:
            raise InputError(f"drop_null_truth is for items with one label each, got {form}")
        return self.counting

    def refuse(self, *options: str) -> None:
        """Refuse options that data of this form cannot have."""
        values = {name: getattr(self, name) for name in (*options, "drop_null_truth")}
        wrong = [name for name, v in values.items() if v is not None and v is not False]
        if wrong:
            raise InputError(
                f"{', '.join(wrong)} must be given where items are counted, with labels or a "
                f"frame; {self.verb} got what is counted already"
            )


def _other_tasks(frame: Any, true: str) -> list[str]:
    """The columns of a frame that may hold labels of another task."""
    return [c.name for c in other_tasks(first_profiles(frame, column_names(frame)), true)]


def label_columns(verb: str, frames: Mapping[str, Any], *, by_row: bool) -> tuple[str, str]:
    """The columns of labels of the truth and of the systems, where only one reading fits."""
    labels: list[ColumnProfile] = []
    profiles = [first_profiles(frame, column_names(frame)) for frame in frames.values()]
    for columns in profiles:
        known = (labels[0].values or None) if labels else None
        fits = labels_of(columns, known, truth=not labels)
        if labels:
            fits = with_rivals(fits, columns, labels[0].values, labels[0].name)
        if len(fits) != 1 or (len(labels) > 1 and fits[0].name != labels[1].name):
            raise InputError(
                f"{verb} of frames must name their columns of labels: true= that of the "
                "first, pred= that of the others"
            )
        labels += fits
    true, pred = (c.name for c in labels[:2])
    if len(with_rivals(labels[:1], profiles[0], labels[1].values, pred)) > 1:
        raise InputError(
            f"{verb} of frames must name the truth, such as true={true!r}, pred={pred!r}"
        )
    if true == pred and not names_truth(true):
        _refuse_two_tasks(verb, frames, true, by_row=by_row)
    warn(f"columns read: {true!r} as truth, {pred!r} as predictions; true= and pred= name others")
    return true, pred


def _refuse_two_tasks(verb: str, frames: Mapping[str, Any], true: str, *, by_row: bool) -> None:
    """Refuse frames of systems with labels of their own in a second column of the truth's names."""
    (_, truth), *runs = frames.items()
    tasks = _other_tasks(truth, true)
    for name, run in runs:
        for column in sorted({*tasks} & {*_other_tasks(run, true)}):
            gold, other = polars_frame(truth), polars_frame(run)
            sides = frame_sides(gold, other, name, (true, true), tasks)
            m = None if by_row else match(*sides, files=False)
            if compared(sides[0].frame, sides[1].frame, m and m[:2], column, column)[0]:
                raise InputError(
                    f"{verb} of frames with labels in {true!r} and in {column!r} must name them: "
                    f"true={true!r}, pred={true!r} or true={column!r}, pred={column!r}"
                )


Record = TypeVar("Record", bound=Options)
R = TypeVar("R")


def verb(
    record: type[Record], without: Collection[str] = ()
) -> Callable[[Callable[[VerbArguments, Record], R]], Callable[..., R]]:
    """Make a verb of a function of data and options: a signature, and the checks at its entry.

    Its options are the fields of the record, and those of ``VerbArguments`` but for a few.
    """
    of_data = [f for f in fields(VerbArguments)[2:] if f.name not in without]
    named = parameters((*fields(record), *of_data))

    def decorate(function: Callable[[VerbArguments, Record], R]) -> Callable[..., R]:
        signature = Signature(
            [Parameter("data", Parameter.VAR_POSITIONAL, annotation="Any"), *named],
            return_annotation=function.__annotations__["return"],
        )

        @wraps(function)
        def call(*data: Any, **options: Any) -> R:
            foreign = next((name for name in options if name not in signature.parameters), None)
            if foreign is not None:
                raise unexpected(function.__name__, foreign, signature.parameters)
            try:
                signature.bind(*data, **options)
            except TypeError as error:
                raise TypeError(f"{function.__name__}() {error}") from None
            own = {f.name: options.pop(f.name) for f in of_data if f.name in options}
            arguments = VerbArguments(function.__name__, data, **own)
            result = function(arguments, record(**options))
            if not sys._getframe(1).f_globals.get("__name__", "").startswith("evenhand."):
                for note in getattr(result, "cautions", ()):
                    if isinstance(note, SHOWN):
                        warn(note.sentence)
            return result

        call.__signature__ = signature  # type: ignore[attr-defined]
        return call

    return decorate


def table_of(arguments: VerbArguments) -> AnyTable | Counts | Array:
    """One table, a stack, margins or a tensor of cells, for a metric."""
    data = system_of(arguments, margins=True)
    if not isinstance(data, Systems):
        return data
    tables = data.tables()
    return tables[0] if len(data.systems) == 1 else tables


def system_of(
    arguments: VerbArguments, *, items: bool = False, margins: bool = False, soft: bool = False
) -> Any:
    """The data of one system or of a stack; with ``items`` as a sample if possible.

    ``margins`` allows bare margins and tensors of other libraries; ``soft`` keeps probabilities,
    which are decided otherwise.
    """
    data = _counted(arguments, items=items, margins=margins)
    return data.decided() if isinstance(data, SoftSample) and not soft else data


def systems_of(arguments: VerbArguments, *, soft: bool = False) -> Sample | SoftSample | Confusion:
    """Several systems: a sample of the same items, or their tables.

    Systems without a name are called A, B, C … in order. With ``soft`` probabilities stay, which
    else are decided.
    """
    verb, data = arguments.verb, _counted(arguments, items=True, several=True)
    if isinstance(data, Confusion) and data.axes[:1] == ("slice",):
        hint = f"score takes slices; if these are systems, name them: {verb}({{name: table, …}})"
        raise refusal(verb, form_of(data), hint)
    if not isinstance(data, Confusion | Sample | SoftSample) or (
        len(data.systems) < 2 and not (isinstance(data, Confusion) and data.shape)
    ):
        raise refusal(verb, form_of(data))
    return data.decided() if isinstance(data, SoftSample) and not soft else data


def sample_of(arguments: VerbArguments, *, soft: bool = False) -> Sample | SoftSample:
    """A sample of at least two systems; tables alone are refused."""
    data = systems_of(arguments, soft=soft)
    if isinstance(data, Confusion):
        raise refusal(arguments.verb, form_of(data))
    return data


def _counted(
    arguments: VerbArguments, *, items: bool, margins: bool = False, several: bool = False
) -> Any:
    """Data in any form as tables, samples or multi-label data, with ``margins`` as they are."""
    if arguments.of_frame:
        return _checked(arguments, _of_frame(arguments, items))
    data = arguments.positional
    if len(data) > 1:
        return _checked(arguments, _of_labels(arguments, *data, items=items, several=several))
    (table,) = data or (None,)
    table = table.table if isinstance(table, Accumulator) else table
    if several and isinstance(table, Mapping):
        wrong = [name for name, t in table.items() if not isinstance(t, Confusion)]
        if wrong or not table:
            got = f"got others: {shown(wrong)}"
            raise InputError(f"tables to rank must be Confusion by name, {got}")
        keys = [key if isinstance(key, tuple) else str(key) for key in table]
        table = Confusion.stack(list(table.values()), keys)
    is_counted = isinstance(table, COUNTED)
    if is_counted:
        arguments.refuse("labels", "weights", "cluster", "by")
    if not data or (isinstance(table, Counts) and not margins):
        raise refusal(arguments.verb, form_of(*data))
    if is_counted:
        return table
    arguments.refuse("weights", "cluster", "by")
    if several:
        raise refusal(arguments.verb, form_of(table))
    is_tensor = type(table).__module__.partition(".")[0] in ("torch", "jax", "jaxlib")
    return table if margins and is_tensor else _of_matrix(arguments, table)


def _checked(arguments: VerbArguments, data: Any) -> Any:
    """What was counted, unless a class has two names; classes that are listed are as they are."""
    if arguments.labels is not None or not isinstance(data, Confusion | Sample):
        return data
    tables = data.tables()
    has_systems = tables.axes[:1] == ("system",)
    names = [f"system {name!r}" for name in tables.keys[0]] if has_systems else ["y_pred"]
    refuse_renamed(tables, names, ("give it one name",))
    return replace(data, notes=(*data.notes, *misspelt_truth(tables)))


def with_positive_last(arguments: VerbArguments, positive: Any) -> VerbArguments:
    """The arguments with the classes that one score an item is of: the second is the positive."""
    data = arguments.positional
    if positive is None or arguments.labels is not None or len(data) != 2:
        return arguments
    if is_frame(data[1]) or np.ndim(on_host(data[1])) != 1 or not are_probabilities(*data):
        return arguments
    labels = ordered(factorize(data[0], "y_true").labels)
    (at,) = positions([positive], labels, Option("positive"))
    return replace(arguments, labels=[*labels[:at], *labels[at + 1 :], labels[at]])


def soft_of(arguments: VerbArguments) -> SoftSample:
    """Items of one system with probabilities: a sample, or truth and items × labels."""
    data = arguments.positional
    if len(data) == 2 and not any(isinstance(d, COUNTED) for d in data):
        return _soft(arguments, *data)
    if len(data) != 1 or not isinstance(data[0], SoftSample) or len(data[0].systems) > 1:
        raise refusal(arguments.verb, form_of(*data))
    arguments.refuse("labels", "weights", "cluster")
    return data[0]


def _soft(arguments: VerbArguments, y_true: Any, probabilities: Any) -> SoftSample:
    """Items with the probabilities of one system, or of each by name."""
    options = arguments.never_dropping("probabilities")
    if not isinstance(probabilities, Mapping):
        options = replace(options, names=("y_true", "probabilities"))
        probabilities = {"system": probabilities}
    return count_soft_sample(y_true, probabilities, options)


def _of_matrix(arguments: VerbArguments, matrix: Any) -> Confusion:
    if type(matrix).__module__.startswith("evenhand."):  # a result, where data belong
        raise refusal(arguments.verb, form_of(matrix))
    if _is_column(matrix):
        raise refusal(arguments.verb, "labels of one side only")
    if isinstance(matrix, Mapping | str | set | frozenset | Iterator):
        raise refusal(arguments.verb, f"a {type(matrix).__name__}")
    try:
        table = Confusion.from_matrix(matrix, labels=arguments.labels)
        refuse_shares(table.cells)
        return table
    except InputError as e:
        if not hasattr(matrix, "columns"):
            raise
        raise InputError(f"{e}; for columns of labels name them with true= and pred=") from None


def _is_column(values: Any) -> bool:
    """Whether ``values`` have one axis, as labels have."""
    if is_frame(values):
        return False
    if isinstance(values, list | tuple):
        return not (values and hasattr(values[0], "__iter__") and not isinstance(values[0], str))
    return getattr(values, "ndim", 0) == 1 or hasattr(values, "to_list")


def _of_labels(
    arguments: VerbArguments, y_true: Any, *predictions: Any, items: bool, several: bool = False
) -> Counted:
    """A table of two columns, or a sample; label sets and indicators are multi-label data."""
    data = tuple(map(_column, (y_true, *predictions)))
    y_true, y_pred = data[:2]
    is_result = any(type(d).__module__.startswith("evenhand.") for d in data)
    if is_result or (len(data) > 2 and not several):
        raise refusal(arguments.verb, form_of(*data))
    is_one = not several and not isinstance(y_pred, Mapping)
    named = {"system": y_pred} if is_one else by_name(arguments, data)
    soft = arguments.probabilities
    if soft is None:
        soft = any(are_probabilities(y_true, column) for column in named.values())
    of_sets = is_of_sets(y_true)
    if soft and not of_sets:
        return _soft(arguments, y_true, y_pred if is_one else named)
    if any(_are_pairs(y_true, column) for column in named.values()):
        raise InputError(
            f"{arguments.verb} got pairs of an id and a label: pass a frame of each, such as "
            "pandas.DataFrame(y_true, columns=['id', 'label']), whose rows are matched by 'id'"
        )
    if is_one and of_sets and is_of_sets(y_pred):
        refuse_other_order(y_true, {"y_pred": y_pred})
        y_true, y_pred = (v.to_list() if hasattr(v, "to_list") else v for v in (y_true, y_pred))
        return count_indicators(y_true, y_pred, arguments.never_dropping("label sets"))
    if is_one and not items and arguments.cluster is None:
        return count_labels(y_true, y_pred, arguments.counting)
    return count_sample(y_true, named, arguments.counting)


def _column(values: Any) -> Any:
    """An array with one column as that column, also by name."""
    if isinstance(values, Mapping):
        return {name: _column(v) for name, v in values.items()}
    is_array = getattr(values, "ndim", 0) == 2 and hasattr(values, "reshape")
    is_column = is_array and not hasattr(values, "tocsr") and values.shape[1] == 1
    return values.reshape(-1) if is_column else values


def _are_pairs(y_true: Any, y_pred: Any) -> bool:
    """Whether both sides are lists of an id, each another one, and a label that is none of them."""
    sides = []
    for values in (y_true, y_pred):
        if not isinstance(values, list | tuple) or len(values) < 2:
            return False
        if not all(isinstance(v, list | tuple) and len(v) == 2 for v in values):
            return False
        ids, labels = ({str(v) for v in column} for column in zip(*values, strict=True))
        if len(ids) < len(values) or len(labels) == len(values) or ids & labels:
            return False
        sides.append(ids)
    return 2 * len(sides[0] & sides[1]) >= min(map(len, sides))


def _of_frame(arguments: VerbArguments, items: bool) -> Any:
    """Columns of a frame as a table, or with ``items`` as a sample; lists are label sets."""
    arguments = arguments.joined
    frame = with_index(*arguments.positional)
    if not arguments.by_row:
        _refuse_repeated(arguments, frame)
    sides = _number_columns(arguments, frame)
    if sides is None and isinstance(arguments.pred, str):
        sides = list_columns(frame, [arguments.true, arguments.pred])
    weights, cluster, slices = arguments.weights, arguments.cluster, names_in(arguments.by, "by")
    if sides is None:
        count = count_frame if not items and cluster is None else count_frame_rows
        return count(frame, str(arguments.true), arguments.pred or [], arguments.counting)
    values = column_values(frame, [c for c in (weights, cluster, *slices) if c is not None])
    covariates: Any = {"weights": values.get(weights), "cluster": values.get(cluster)}
    covariates["by"] = keys_of([values[c] for c in slices])
    soft = arguments.probabilities is not None or None
    arguments = replace(arguments, pred=None, probabilities=soft, **covariates)
    return _of_labels(arguments, *sides, items=items, several=isinstance(sides[1], dict))


def _number_columns(arguments: VerbArguments, frame: Any) -> list[Any] | None:
    """The truth and the probabilities or scores of a frame: columns so named, or of floats.

    ``probabilities`` names a column for each class, or how their names begin; or the one of the
    second of two classes, as a column of predictions is that has floats where the truth has none.
    """
    import polars as pl

    named, true = arguments.probabilities, str(arguments.true)
    kinds = {c: str(t) for c, t in in_narwhals(frame).collect_schema().items()}
    systems, classes = names_in(arguments.pred, "pred"), None
    if isinstance(named, str) and named not in kinds:
        systems = [c for c in kinds if c.startswith(named) and c != true]
        classes = [c.removeprefix(named) for c in systems]
        if not systems:
            raise InputError(f"probabilities: no column of the frame is {named!r} or begins so")
    floats = "Float" not in kinds.get(true, "Float") and all(
        "Float" in kinds.get(c, "") for c in systems
    )
    if named is False or not (named or (systems and floats)):
        return None
    rows = in_memory(frame, [true, *systems])
    truth, *columns = (rows[c].to_numpy() for c in (true, *systems))
    by_column: Any = dict(zip(classes or systems, columns, strict=True))
    if not isinstance(named, bool | None):
        return [truth, columns[0] if len(columns) == 1 else pl.DataFrame(by_column)]
    if not (named or any(are_probabilities(truth, p) for p in columns)):
        return None
    return [truth, columns[0] if isinstance(arguments.pred, str) else by_column]


def _refuse_repeated(arguments: VerbArguments, frame: Any) -> None:
    """Refuse a frame with rows of several systems, or several rows per item, if nothing says so."""
    pred, by = map(names_in, (arguments.pred, arguments.by), ("pred", "by"))
    used = [arguments.true, arguments.weights, arguments.cluster, *pred, *by]
    free = [c for c in column_names(frame) if c not in used]
    names, truth = may_repeat(free), str(arguments.true)
    if not names and not by:
        rows = first_rows(frame, [truth, *free], FIRST)
        others = [c for c in rows.columns if c != truth and not names_labels(c)]
        has_both = others and truth in rows.columns
        if has_both and (column := interleaved(rows.lazy(), truth, others)):
            raise InputError(
                f"the frame has the values of {column!r} in turn, each time with one truth: score "
                f"takes by={column!r}, and by_row=True every row for an item"
            )
    if not names:
        return
    columns, labels = repeating_columns(frame, truth, names)
    repeated = repeated_items(columns, labels, clustered=arguments.cluster is not None)
    if repeated is None:
        return
    verb, system, key = arguments.verb, repeated.system, repeated.id
    slices = [*by, *([] if system is None else [system.name])]
    options = [] if system is None else [f"by={slices if by else system.name!r}"]
    if key is not None:
        items = first_rows(frame, [*slices, key.name], FIRST_ROWS)
        options += [f"cluster={key.name!r}"] * bool(not slices or items.is_duplicated().any())
    if not options:
        return
    if system is not None and verb in ("compare", "gate", "rank") and len(pred) == 1:
        raise InputError(
            f"the frame has {repeated}: {verb} takes a column for each system: pivot "
            f"{system.name!r}, and name its columns by pred=[…]"
        )
    call, rest = ", ".join(options), "by_row=True takes every row for an item"
    if verb not in ("compare", "gate", "rank", "report", "score"):
        absent = " and ".join(repr(c.name) for c in (system, key) if c is not None)
        call, rest = f"score(…, {call})", f"a frame without {absent} has every row for an item"
    raise InputError(f"the frame has {repeated}: {call}; {rest}")


def by_column(y_true: Any, y_pred: Any) -> bool:
    """Whether the predictions are a frame with a column for each system."""
    return is_frame(y_pred) and not is_frame(y_true) and not are_probabilities(y_true, y_pred)


def by_name(arguments: VerbArguments, data: tuple[Any, ...]) -> Mapping[str, Any]:
    """Predictions by the name of their system; ``data`` begin with the truth."""
    _, *predictions = data
    if len(predictions) > len(string.ascii_uppercase):
        raise InputError(
            f"name so many systems: {arguments.verb}(y_true, {{'name': predictions, …}})"
        )
    if len(predictions) > 1:
        return dict(zip(string.ascii_uppercase, predictions, strict=False))
    (named,) = predictions
    if by_column(*data):
        return {name: named[name] for name in named.columns}
    if not isinstance(named, Mapping):
        raise refusal(arguments.verb, form_of(*data))
    return named


def of_several(arguments: VerbArguments) -> bool:
    """Whether the data are of more than one system."""
    if arguments.of_frame:
        return len(names_in(arguments.pred, "pred")) > 1
    data = arguments.positional
    if len(data) == 2 and isinstance(data[1], Mapping):
        return len(data[1]) > 1
    if len(data) != 1:
        return len(data) > 2 or (len(data) == 2 and by_column(*data))
    if isinstance(data[0], Systems):
        return len(data[0].systems) > 1
    return isinstance(data[0], Mapping) or (isinstance(data[0], Confusion) and bool(data[0].shape))


def at_baseline(systems: Sequence[str], baseline: str | None) -> int | None:
    """The index of the baseline among the systems, if one is named, maybe by its last part."""
    if baseline is None:
        return None
    if not is_name(baseline, systems):
        last = [name.rsplit("/", 1)[-1] for name in systems]
        ends = [i for i, name in enumerate(last) if is_name(baseline, [name])]
        if len(ends) == 1:
            return ends[0]
        hint = nearest(baseline, systems)
        raise InputError(f"baseline must be one of {shown(systems)}, got {quoted(baseline)}{hint}")
    return systems.index(baseline)


def stack_of(data: Any) -> Confusion:
    """The stack of tables of a sample's systems, or a stack by system as it is."""
    tables = data.tables() if isinstance(data, Systems) else data
    if not isinstance(tables, Confusion) or len(tables.shape) != 1:
        raise InputError("panel is for a sample, or for a stack of tables by system")
    return tables


def one_table(data: Any) -> Confusion:
    """One table with labels, from data in any form."""
    table = table_of(VerbArguments("confusion", (data,)))
    if isinstance(table, Confusion) and table.shape == (1,):
        table = table[0]
    if not isinstance(table, Confusion) or table.shape:
        raise InputError("this chart is for one table; index the stack, or choose a system")
    return table
