"""A confusion table that grows batch by batch, as a metric of torchmetrics."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, ClassVar

import torch
from torchmetrics import Metric
from torchmetrics.utilities import dim_zero_cat

from evenhand.bridges.tensors import TensorMetric, alone, flat
from evenhand.bridges.torch import TORCH
from evenhand.catalogue.lists import TWINS, Metrics, named, several
from evenhand.core.registry import Task
from evenhand.data.cells import DenseCells
from evenhand.data.confusion import Confusion
from evenhand.data.labels import Label, checked
from evenhand.data.multilabel import MultiLabel
from evenhand.errors import InputError, shown
from evenhand.options import Classes, Undefined
from evenhand.scoring.score import score


class Accumulator(Metric):
    """Counts batches into a k × (k + 1) table and scores it: by default both macro F1s.

    It is a ``torchmetrics.Metric``: ``update``, ``compute``, ``forward``, ``reset``,
    ``merge_state``, sums over processes, ``MetricCollection``, Lightning's ``log``. One metric
    alone gives a tensor, a list of them (and ``intervals=True``) a dict. Several in one collection
    count once, as their tables are one state.

    ``k`` says how many classes there are, or ``labels`` names them. ``ignore_index`` is a target
    that does not count. With ``weighted=True`` updates take ``weights``. With ``task="multi"``
    batches are indicators, items × classes, and are kept as they are, a byte an indicator: what
    is true of the same item together is lost in counts. Other options are those of torchmetrics,
    such as ``process_group``.

    >>> counter = Accumulator("macro_f1", k=2)
    >>> counter.update(torch.tensor([0, 1, 0]), torch.tensor([0, 1, 1]))
    >>> counter.compute()
    tensor(0.6667, dtype=torch.float64)
    """

    is_differentiable = False
    full_state_update = False
    __jit_unused_properties__: ClassVar[list[str]] = [
        *Metric.__jit_unused_properties__,
        "higher_is_better",
        "table",
    ]

    cells: torch.Tensor
    squares: torch.Tensor
    items: torch.Tensor
    sets: Any
    weights: Any

    def __init__(
        self,
        metrics: Metrics | None = None,
        *,
        k: int | None = None,
        labels: Iterable[Any] | None = None,
        classes: Classes = "task",
        undefined: Undefined = 0,
        intervals: bool = False,
        level: float = 0.95,
        ignore_index: int | None = None,
        weighted: bool = False,
        task: Task = "single",
        **torchmetrics: Any,
    ) -> None:
        super().__init__(**torchmetrics)
        if labels is None and k is None:
            raise InputError("k must say how many classes there are, or labels name them")
        self.labels: tuple[Label, ...] = tuple(range(k or 0)) if labels is None else checked(labels)
        self.k = len(self.labels)
        if k not in (None, self.k) or not self.k:
            raise InputError(f"labels must have length {k} (one a class), got {self.k}")
        names = named(several(metrics, lambda: TWINS, task))
        rules = (self.labels, classes, undefined, task)
        self.measures = {name: TensorMetric.from_metric(metric, *rules) for name, metric in names}
        self.metrics = [m.metric for m in self.measures.values()]
        self.alone = not intervals and alone(metrics)
        kernels = [m.kernel(self.k, weighted=weighted) for m in self.measures.values()]
        self._better = {kernel.record.better for kernel in kernels}
        self.classes, self.undefined = classes, undefined
        self.intervals, self.level = intervals, level
        self.ignore_index, self.weighted, self.task = ignore_index, weighted, task
        if task == "multi":
            if ignore_index is not None:
                raise InputError("ignore_index is a code, and indicators have none")
            self.add_state("sets", [], dist_reduce_fx="cat")
            if weighted:
                self.add_state("weights", [], dist_reduce_fx="cat")
            return
        kind = torch.float64 if weighted else torch.int64
        shape = (self.k, self.k + 1)
        self.add_state("cells", torch.zeros(shape, dtype=kind), dist_reduce_fx="sum")
        if weighted:
            nothing = torch.zeros(shape, dtype=kind)
            self.add_state("squares", nothing, dist_reduce_fx="sum")
            self.add_state("items", torch.zeros((), dtype=torch.int64), dist_reduce_fx="sum")

    @property
    def higher_is_better(self) -> bool | None:
        """Which values are better, where all metrics agree."""
        return True if self._better == {"higher"} else False if self._better == {"lower"} else None

    def update(
        self, preds: torch.Tensor, target: torch.Tensor, weights: torch.Tensor | None = None
    ) -> None:
        """Add a batch: codes (−1 is no class), or scores of the classes on axis 1; then the truth.

        The most probable class is the prediction of an item that has scores. Label sets are
        indicators on both sides, such as ``logits > 0``.
        """
        if weights is not None and not self.weighted:
            raise InputError("weights need Accumulator(…, weighted=True)")
        if self.task == "multi":
            self._keep(preds, target, weights)
            return
        if preds.ndim == target.ndim + 1 and preds.is_floating_point():
            if preds.shape[1] != self.k:
                raise InputError(f"preds must have {self.k} classes, got {preds.shape[1]}")
            preds = preds.argmax(dim=1)
        elif preds.is_floating_point() or target.is_floating_point():
            raise InputError(
                "preds must be codes of the shape of target, or scores with classes on axis 1, "
                f"got {preds.dtype} of {tuple(preds.shape)} for a target of {target.dtype} of "
                f"{tuple(target.shape)}"
            )
        if self.ignore_index is not None and preds.shape == target.shape:
            counted = target != self.ignore_index
            if weights is not None:
                weights = TORCH.item_weights(weights, counted.numel())[counted.reshape(-1)]
            preds, target = preds[counted], target[counted]
        if self.weighted and weights is None:
            weights = torch.ones_like(target, dtype=torch.float64)
        self.cells += TORCH.counted(target, preds, k=self.k, weights=weights)
        if weights is not None:
            square = weights.to(torch.float64) ** 2
            self.squares += TORCH.counted(target, preds, k=self.k, weights=square)
            self.items += target.numel()

    def _keep(self, preds: torch.Tensor, target: torch.Tensor, weights: Any) -> None:
        """Add a batch of label sets."""
        n = len(target) if target.ndim else 0
        both = [preds, target]
        if any(x.shape != (n, self.k) or bool(((x != 0) & (x != 1)).any()) for x in both):
            shapes = " and ".join(f"{x.dtype} of {tuple(x.shape)}" for x in both)
            raise InputError(
                f"preds and target must be 0 or 1 for each of {self.k} classes (of scores, say "
                f"preds > 0), got {shapes}"
            )
        self.sets.append(torch.stack([x.to(torch.uint8) for x in both], dim=1))
        if self.weighted:
            one = torch.ones(n, dtype=torch.float64, device=target.device)
            self.weights.append(
                one if weights is None else TORCH.item_weights(weights, n).to(torch.float64)
            )

    def _all_sets(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """True and predicted sets of all batches, items × classes, and the items' weights."""
        nothing = torch.zeros((0, 2, self.k), dtype=torch.uint8, device=self.device)
        sets = dim_zero_cat(self.sets) if len(self.sets) else nothing
        weights = None
        if self.weighted:
            weights = dim_zero_cat(self.weights) if len(self.weights) else torch.zeros(0)
        return sets[:, 1], sets[:, 0], weights

    def compute(self) -> Any:
        """The value, or the values by name; with intervals also their ends."""
        if self.intervals:
            kind: dict[str, Any] = {"dtype": torch.float64, "device": self.device}
            return {name: torch.tensor(value, **kind) for name, value in self._sure().items()}
        if self.task == "multi":
            true, pred, weights = self._all_sets()
            sides = (true.to(torch.float64), pred.to(torch.float64), weights)
            values = {name: m.of_sets(*sides, every=False) for name, m in self.measures.items()}
        else:
            cells = (self.cells[:, :-1], self.cells[:, -1])
            values = {name: m.of_table(*cells, every=False) for name, m in self.measures.items()}
        return next(iter(values.values())) if self.alone else values

    def _sure(self) -> dict[str, float]:
        if not bool(len(self.sets) if self.task == "multi" else self.cells.any()):
            return {n + end: math.nan for n in self.measures for end in ("", "_low", "_high")}
        rules: dict[str, Any] = {"classes": self.classes, "undefined": self.undefined}
        return flat(score(self.table, metrics=self.metrics, level=self.level, **rules))

    @property
    def table(self) -> Confusion | MultiLabel:
        """What was counted, for ``eh.score`` and all else; inside ``sync_context()`` by all."""
        if self.task == "multi":
            true, pred, weights = (None if x is None else x.cpu().numpy() for x in self._all_sets())
            return MultiLabel.from_indicators(true, pred, labels=self.labels, weights=weights)
        cells = self.cells.cpu().numpy().copy()
        if not self.weighted:
            return Confusion.from_cells(self.labels, DenseCells(cells))
        squares = self.squares.cpu().numpy().copy()
        return Confusion.from_cells(self.labels, DenseCells(cells, squares), n=int(self.items))

    def merge_state(self, incoming_state: Any) -> None:
        """Add what another accumulator of the same classes has counted."""
        if isinstance(incoming_state, Accumulator):
            if incoming_state.labels != self.labels:
                raise InputError(
                    f"labels must be {shown(self.labels)} to be merged, "
                    f"got {shown(incoming_state.labels)}"
                )
            self._update_count += incoming_state._update_count
        super().merge_state(incoming_state)
        self._computed = None  # or what was computed before would be given again
