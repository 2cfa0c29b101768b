"""Metrics and soft losses of tensors, for torch and JAX."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from evenhand.catalogue.binding import bind
from evenhand.catalogue.lists import AnyMetric, Metrics, as_spec, name_of, named, several
from evenhand.catalogue.spelling import Spec
from evenhand.core.arrays import Array, convert_like, floating, namespace
from evenhand.core.contingency import Contingency
from evenhand.core.kernel import ItemArrays, Kernel
from evenhand.core.margins import Counts, factors
from evenhand.core.registry import Task
from evenhand.data.confusion import Confusion
from evenhand.data.labels import Label, checked
from evenhand.data.multilabel import MultiLabel
from evenhand.errors import InputError, MetricError
from evenhand.options import CLASSES, UNDEFINED, Classes, Undefined, choice
from evenhand.scoring.scores import Scores

CALLED = {"sklearn": "scikit-learn"}
"""What a package is called that its modules are not named for."""


def tool(module: str, user: str, extra: str) -> Any:
    """The module that ``user`` needs, or an error that says what to install.

    >>> tool("nowhere_to_be_found", "soft_loss", "torch")
    Traceback (most recent call last):
    evenhand.errors.InputError: soft_loss needs nowhere_to_be_found: pip install 'evenhand[torch]'
    """
    name = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as e:
        if e.name not in (module, name):  # the tool is there, and something that it needs is not
            raise
        called = CALLED.get(name, name)
        raise InputError(f"{user} needs {called}: pip install 'evenhand[{extra}]'") from None


# Scores as the dictionary of numbers that loggers take.


def flat(scores: Scores) -> dict[str, float]:
    """Each metric's value under its name, and the ends of its interval as ``_low`` and ``_high``.

    An end that is not known is NaN, so that a logger's columns are the same every time.

    >>> import evenhand as eh
    >>> found = flat(eh.score(["a", "b", "b"], ["a", "b", "a"], metrics="macro_f1"))
    >>> list(found), round(found["macro_f1"], 4)
    (['macro_f1', 'macro_f1_low', 'macro_f1_high'], 0.6667)
    """
    numbers = dict[str, float]()
    for name, score in scores.metrics.items():
        for end, value in (("", score.value), ("_low", score.low), ("_high", score.high)):
            numbers[name + end] = math.nan if value is None else float(value)
    return numbers


# Metrics of tensors on their device.


@dataclass(frozen=True)
class TensorMetric:
    """A metric of k classes, for tensors of any library.

    ``metric`` is a spelling (or a function of ``Counts``), ``labels`` what the classes are called
    (``None``: 0 … k − 1), ``classes`` a rule or the listed labels.
    """

    metric: str | Callable[[Counts], Array]
    labels: tuple[Label, ...] | None
    classes: str | tuple[Label, ...]
    undefined: float
    task: Task = "single"

    @classmethod
    def from_metric(
        cls,
        metric: AnyMetric,
        labels: Iterable[Any] | None = None,
        classes: Classes = "task",
        undefined: Undefined = 0,
        task: Task = "single",
    ) -> TensorMetric:
        """A metric as it is asked for; what no data could have is refused at once."""
        spec, rule = as_spec(metric), CLASSES.check(classes)
        choice(task, ("single", "multi"), "task")
        names = None if labels is None else checked(labels)
        averaged = rule if isinstance(rule, str) else tuple(rule)
        name = spec.name if isinstance(spec, Spec) else spec
        measure = cls(name, names, averaged, UNDEFINED.check(undefined), task)
        if names is not None:
            measure.kernel(len(names))
        return measure

    @property
    def name(self) -> str:
        """What results call the metric."""
        return name_of(self.metric)

    def kernel(self, k: int, *, weighted: bool = False) -> Kernel:
        """The metric made ready for k classes."""
        if self.labels is not None and len(self.labels) != k:
            raise InputError(f"labels must have length {k} (one a class), got {len(self.labels)}")
        kernel = _bound(self, k)
        if weighted and kernel.record.size == "matters":
            raise MetricError(
                f"{self.name} depends on the number of items, which weights do not tell"
            )
        return kernel

    def of_table(self, cells: Array, outside: Array | None = None, *, every: bool) -> Array:
        """The value of cells (…, true, predicted); ``every``: the task has all k classes."""
        kernel = self.kernel(int(cells.shape[-1]))
        xp = namespace(cells)
        prevalence, bias = xp.sum(cells, axis=-1), xp.sum(cells, axis=-2)
        prevalence = prevalence if outside is None else prevalence + outside
        averaged = self._averaged(kernel, prevalence, bias, every)
        if kernel.target is not None:
            true = floating(prevalence)
            by = factors(true, xp.asarray(convert_like(kernel.target, true), dtype=true.dtype))
            cells = cells * by[..., None]
            outside = None if outside is None else outside * by
        make: Any = Contingency if kernel.over_cells else Counts
        view = make.from_cells(cells, outside)
        return kernel.function(view.averaging(averaged, kernel.undefined, ruled=kernel.ruled))

    def of_sets(self, true: Array, pred: Array, weights: Array | None, *, every: bool) -> Array:
        """The value of indicators or probabilities, items × classes."""
        kernel = self.kernel(int(true.shape[-1]))
        xp = namespace(true, pred)
        both = true * pred
        if kernel.over_items:
            one = xp.ones_like(both[..., 0]) if weights is None else weights
            hits, predicted, there = (xp.sum(x, axis=-1) for x in (both, pred, true))
            items = ItemArrays(hits, predicted, there, one, int(true.shape[-1]))
            return kernel.function(kernel.prepared(items))

        def added(x: Array) -> Array:
            return xp.sum(x if weights is None else x * weights[..., None], axis=-2)

        correct, bias, prevalence = added(both), added(pred), added(true)
        total = added(xp.ones_like(both[..., :1]))[..., 0]
        errors = (added(true * (1 - pred)), added((1 - true) * pred))
        averaged = self._averaged(kernel, prevalence, bias, every)
        c = Counts(correct, bias, prevalence, total, 0, averaged, kernel.undefined, errors)
        return kernel.function(c)

    def _averaged(self, kernel: Kernel, prevalence: Array, bias: Array, every: bool) -> Array:
        """The classes that are averaged, by what the tensor holds if a rule says so."""
        record = kernel.record
        if not isinstance(self.classes, str) or record.of_one_class:
            return convert_like(kernel.averaged, prevalence)
        rule = record.classes or self.classes
        if rule == "task":
            rule = "given" if every or self.task == "multi" else "true"
        if rule == "given" or (every and rule == "seen"):
            return convert_like(kernel.averaged, prevalence)
        true = prevalence > 0
        return true | (bias > 0) if rule == "seen" else true


@lru_cache(maxsize=512)
def _bound(measure: TensorMetric, k: int) -> Kernel:
    """The kernel, on a table in which each of the classes occurs once."""
    labels = list(range(k) if measure.labels is None else measure.labels)
    table: Any = (
        Confusion.from_labels(labels, labels, labels=labels)
        if measure.task == "single"
        else MultiLabel.from_indicators(np.eye(k, dtype=bool), np.eye(k, dtype=bool), labels=labels)
    )
    return bind(measure.metric, table, classes=measure.classes, undefined=measure.undefined)


class TensorLibrary(ABC):
    """Metrics and losses of the tensors of one library, with what they need of it.

    ``class_axis`` is that of scores; ``ignored`` is the code that the library's own losses leave
    out, ``None`` where those below 0 are.
    """

    package: ClassVar[str]
    arrays: ClassVar[str]
    class_axis: ClassVar[int]
    ignored: ClassVar[int | None] = None

    @abstractmethod
    def sums(self, places: Array, weights: Array | None, size: int) -> Array:
        """How often each place from 0 to ``size`` occurs, or the sum of its weights."""

    @abstractmethod
    def probabilities(self, logits: Array, *, several: bool) -> Array:
        """The softmax of the last axis; of ``several`` labels per item, the sigmoid."""

    @abstractmethod
    def item_weights(self, weights: Array, n: int) -> Array:
        """One weight an item."""

    def module(self, user: str, name: str = "") -> Any:
        """The library, or a module of it."""
        return tool(self.package + name, user, self.package)

    def is_known(self, codes: Array) -> bool:
        """Whether codes can be looked at."""
        return True

    def check_codes(self, codes: Array, low: int, k: int, what: str) -> None:
        """Codes must be of a class, or −1 where that is the least, as far as they are known."""
        if self.is_known(codes):
            check_codes(codes, low, k, what)

    def counted(
        self, y_true: Array, y_pred: Array, *, k: int, weights: Array | None = None
    ) -> Array:
        """Cells k × (k + 1), the last column predictions of no class (−1); on the same device."""
        self.module(f"counting {self.arrays}")
        if y_true.shape != y_pred.shape:
            shapes = f"{tuple(y_true.shape)} and {tuple(y_pred.shape)}"
            raise InputError(f"y_true and y_pred must have the same shape, got {shapes}")
        xp, size = namespace(y_true), k * (k + 1)
        if any(xp.isdtype(x.dtype, "real floating") for x in (y_true, y_pred)):
            kinds = f"{y_true.dtype} and {y_pred.dtype}"
            raise InputError(f"y_true and y_pred must be codes, got {kinds}")
        integer = xp.asarray(0).dtype  # narrower ones do not hold every place
        true, pred = (xp.astype(xp.reshape(x, (-1,)), integer) for x in (y_true, y_pred))
        self.check_codes(true, 0, k, "y_true")
        self.check_codes(pred, -1, k, "y_pred")
        column = xp.where((pred < 0) | (pred >= k), k, pred)
        places = xp.where((true < 0) | (true >= k), size, true * (k + 1) + column)
        if weights is not None:
            weights = self.item_weights(weights, len(true))
        return xp.reshape(self.sums(places, weights, size), (k, k + 1))

    def confusion(
        self, y_true: Array, y_pred: Array, *, k: int, weights: Array | None = None
    ) -> Array:
        """The k × k table of true and predicted codes, rows = true, on their device."""
        self.check_codes(y_pred, 0, k, "y_pred")
        return self.counted(y_true, y_pred, k=k, weights=weights)[:, :-1]

    def soft_table(
        self, y_true: Array, probabilities: Array, *, weights: Array | None = None
    ) -> Array:
        """The k × k table of true codes and probabilities (items × classes), with gradients."""
        k = int(probabilities.shape[-1])
        self.check_codes(y_true, 0, k, "y_true")
        return soft_cells(one_hot(y_true, k, probabilities), probabilities, weights)

    def measure(
        self,
        *data: Array,
        metrics: Metrics,
        k: int | None = None,
        weights: Array | None = None,
        task: Task = "single",
        **rules: Any,
    ) -> Any:
        """A metric of tensors as a tensor on their device; of a list of metrics, a dict of them.

        ``data`` are true and predicted codes 0 … k − 1 (a prediction of −1 is no class), or a table
        of cells (…, true, predicted), whose last column may be predictions of no class. With
        ``task="multi"`` they are indicators, items × classes. ``rules`` are ``labels``, which names
        the classes, ``classes`` and ``undefined``. The numbers are those of ``eh.score``. Inside
        ``jax.jit`` codes cannot be looked at: there an item whose true code is no class counts for
        nothing.
        """
        measures = {
            name: TensorMetric.from_metric(metric, **rules, task=task)
            for name, metric in named(several(metrics, list, task))
        }
        k = len(rules["labels"]) if k is None and rules.get("labels") is not None else k
        if task == "multi":
            true, pred = _sets(data)
            values = {n: m.of_sets(true, pred, weights, every=False) for n, m in measures.items()}
        else:
            cells, outside = _cells(data, k, weights, self.counted)
            for m in measures.values():
                m.kernel(int(cells.shape[-1]), weighted=weights is not None)
            values = {n: m.of_table(cells, outside, every=False) for n, m in measures.items()}
        return next(iter(values.values())) if alone(metrics) else values

    def soft_loss(
        self,
        metric: AnyMetric,
        *,
        probabilities: bool = False,
        ignore_index: int | None = None,
        **rules: Any,
    ) -> SoftLoss:
        """Any metric as a loss: its best value less its value on the soft table of the batch.

        Averages run over all k classes of the model, whether or not the batch has an item of each:
        otherwise the loss would be another function for every batch. ``rules`` are ``labels``,
        which names the classes for spellings (``f1:label=spam``) and for ``classes``, which lists
        those to average, ``undefined`` and ``task``: with ``task="multi"`` logits go through a
        sigmoid and the target has indicators. Items whose
        code is ``ignore_index`` do not count; without it −100 in torch, codes below 0 in JAX.
        """
        spec = as_spec(metric)
        if isinstance(spec, Spec):
            if spec.metric.better == "neither":
                raise MetricError(f"{spec} cannot be a loss: neither high nor low is better")
            if not spec.metric.smooth:
                raise MetricError(f"{spec} cannot be a loss: it has no gradient")
        measure = TensorMetric.from_metric(spec, **rules)
        left_out = self.ignored if ignore_index is None else ignore_index
        return SoftLoss(self, measure, probabilities, left_out)

    def soft_macro_f1_loss(self, input: Array, target: Array, **options: Any) -> Array:
        """1 − the mean of the classes' soft F1; options as :func:`soft_loss` has, and weights."""
        return self._loss("macro_f1", input, target, **options)

    def soft_f1_of_averages_loss(self, input: Array, target: Array, **options: Any) -> Array:
        """1 − F1 of the mean soft precision and recall; options as :func:`soft_loss` has."""
        return self._loss("f1_of_averages", input, target, **options)

    def soft_mcc_loss(self, input: Array, target: Array, **options: Any) -> Array:
        """1 − the Matthews correlation of the soft table; options as :func:`soft_loss` has."""
        return self._loss("mcc", input, target, **options)

    def _loss(self, metric: str, *data: Array, weights: Any = None, **options: Any) -> Array:
        return self.soft_loss(metric, **options)(*data, weights=weights)


def alone(metrics: Metrics | None) -> bool:
    """Whether one metric is asked for, whose value comes by itself and not by name."""
    return isinstance(metrics, str | Spec) or callable(metrics)


def _sets(data: tuple[Array, ...]) -> Iterable[Array]:
    if len(data) != 2 or data[0].ndim != 2 or data[0].shape != data[1].shape:
        shapes = ", ".join(str(tuple(x.shape)) for x in data)
        raise InputError(f"task 'multi' takes two tensors of items × classes, got {shapes}")
    return map(floating, data)


def _cells(
    data: tuple[Array, ...], k: int | None, weights: Array | None, counted: Callable[..., Array]
) -> tuple[Array, Array | None]:
    """Cells and the column of no class."""
    if len(data) == 2:
        if k is None:
            raise InputError("k must say how many classes there are, or labels name them")
        wide = counted(*data, k=k, weights=weights)
        return wide[..., :-1], wide[..., -1]
    if len(data) != 1 or weights is not None:
        raise InputError("measure takes true and predicted codes, or one table without weights")
    (table,) = data
    rows, columns = table.shape[-2:] if table.ndim >= 2 else (0, 0)
    if not rows or columns not in (rows, rows + 1) or k not in (None, rows):
        shapes = "k × k or k × (k + 1)" if k is None else f"{k} × {k} or {k} × {k + 1}"
        raise InputError(f"a table must be {shapes}, got shape {tuple(table.shape)}")
    return (table, None) if columns == rows else (table[..., :-1], table[..., -1])


def check_codes(codes: Array, low: int, k: int, what: str) -> None:
    """Codes must be of a class, or −1 where that is the least."""
    xp = namespace(codes)
    bad = xp.reshape((codes < low) | (codes >= k), (-1,))
    if bool(xp.any(bad)):
        at = int(xp.argmax(xp.astype(bad, xp.int32)))
        code = int(xp.reshape(codes, (-1,))[at])
        raise InputError(f"{what} must be {low} … {k - 1}, got {code} at item {at}")


# Soft tables, and losses made of them.


def soft_cells(true: Array, probabilities: Array, weights: Array | None = None) -> Array:
    """Cells k × k of items × classes: Σ over items of true · probability (· weight)."""
    xp = namespace(true, probabilities)
    true = true if weights is None else true * weights[..., None]
    return xp.matmul(xp.matrix_transpose(true), probabilities)


def one_hot(codes: Array, k: int, like: Array) -> Array:
    """Items × classes, 1 for the class of each item; a code that is no class has none."""
    xp = namespace(like)
    return xp.astype(codes[..., None] == convert_like(np.arange(k), codes), like.dtype)


@dataclass(frozen=True)
class SoftLoss:
    """How far a metric of the soft table is from its best: 0 is a table without an error.

    Of a metric without a best value it is the value, its sign turned where higher is better. It is
    called with logits (or ``probabilities``), then the target: codes, or (of the shape of the
    input) class probabilities; for label sets, indicators. Items whose code is ``ignore_index``,
    or below 0 without one, do not count.
    """

    library: TensorLibrary
    measure: TensorMetric
    are_probabilities: bool = False
    ignore_index: int | None = None

    def __call__(self, input: Array, target: Array, *, weights: Array | None = None) -> Array:
        """The loss of a batch, one number with a gradient."""
        xp, several = namespace(input), self.measure.task == "multi"
        if input.ndim < 2 or not xp.isdtype(input.dtype, "real floating"):
            raise InputError(
                "input must be floating point, items × classes, "
                f"got {input.dtype} of shape {tuple(input.shape)}"
            )
        scores = self._flat(input)
        if str(scores.dtype).rpartition(".")[2] in ("float16", "bfloat16"):
            scores = xp.astype(scores, xp.float32)  # sums of many items need more digits
        true = self._truth(target, input, scores)
        if weights is not None:
            weights = xp.astype(self.library.item_weights(weights, len(scores)), scores.dtype)
        if not self.are_probabilities:
            scores = self.library.probabilities(scores, several=several)
        return self.value(true, scores, weights)

    def value(self, true: Array, probabilities: Array, weights: Array | None = None) -> Array:
        """The loss of true classes and probabilities, both items × classes."""
        k = int(probabilities.shape[-1])
        record = self.measure.kernel(k, weighted=weights is not None).record
        if self.measure.task == "multi":
            value = self.measure.of_sets(true, probabilities, weights, every=True)
        else:
            value = self.measure.of_table(soft_cells(true, probabilities, weights), every=True)
        best = record.best if math.isfinite(record.best) else 0.0
        return best - value if record.better == "higher" else value - best

    def _flat(self, x: Array) -> Array:
        """Items × classes."""
        xp = namespace(x)
        last = xp.moveaxis(x, self.library.class_axis, -1)
        return xp.reshape(last, (-1, last.shape[-1]))

    def _truth(self, target: Array, input: Array, scores: Array) -> Array:
        """Items × classes: 1 for the true class, nothing for items that are left out."""
        xp = namespace(target)
        if target.shape == input.shape:
            return xp.astype(self._flat(target), scores.dtype)
        shape = list(input.shape)
        k = int(shape.pop(self.library.class_axis))
        several = self.measure.task == "multi"
        if several or list(target.shape) != shape or not xp.isdtype(target.dtype, "integral"):
            also = "" if several else f" {tuple(shape)} (codes), or"
            raise InputError(
                f"target must have the shape{also} {tuple(input.shape)} of input, "
                f"got {target.dtype} of {tuple(target.shape)}"
            )
        codes = xp.reshape(target, (-1,))
        left_out = codes < 0 if self.ignore_index is None else codes == self.ignore_index
        self.library.check_codes(xp.where(left_out, xp.zeros_like(codes), codes), 0, k, "target")
        return one_hot(xp.where(left_out, xp.full_like(codes, -1), codes), k, scores)
