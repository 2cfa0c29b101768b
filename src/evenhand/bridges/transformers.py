"""Hugging Face: the ``compute_metrics`` of a ``Trainer``, with both macro F1s and intervals.

Nothing of transformers is imported: a ``Trainer`` hands over arrays or tensors.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from evenhand.bridges.tensors import check_codes, flat
from evenhand.catalogue.lists import TWINS, Metrics, named, several
from evenhand.catalogue.spelling import Spec
from evenhand.core.registry import Task
from evenhand.data.factorize import on_host
from evenhand.data.labels import Label, checked
from evenhand.data.multilabel import MultiLabel
from evenhand.errors import InputError
from evenhand.scoring.score import score
from evenhand.scoring.scores import Scores

IGNORED = -100
"""The label id that models leave out of their loss."""


class ComputeMetrics:
    """A function for ``Trainer(compute_metrics=…)``: each metric, ``_low`` and ``_high``.

    By default both macro F1s and accuracy. Predictions are logits, classes last, or codes; label
    ids of −100 do not count. Of tokens, which come as a matrix, a sequence is a cluster: its
    tokens stand or fall together, and the interval knows it. ``task="multi"`` takes indicators,
    with labels predicted where the logit is above 0. It also works batch by batch
    (``batch_eval_metrics=True``). Other options are those of ``eh.score``. ``scores`` is the result
    of the last evaluation, with its signature, classes and warnings.

    >>> import numpy as np
    >>> logits = np.array([[2.0, 0.1], [0.3, 0.9], [1.5, 1.0]])
    >>> found = compute_metrics(labels=["ham", "spam"])((logits, np.array([0, 1, 1])))
    >>> [name for name in found if not name.endswith(("_low", "_high"))]
    ['macro_f1', 'f1_of_averages', 'accuracy']
    """

    def __init__(
        self,
        metrics: Metrics | None = None,
        *,
        labels: Iterable[Any] | None = None,
        task: Task = "single",
        **options: Any,
    ) -> None:
        chosen = several(metrics, lambda: [*TWINS, Spec.parse("accuracy")], task)
        self.metrics = tuple(metric for _, metric in named(chosen))
        self.labels = None if labels is None else checked(labels)
        self.task, self.options = task, options
        self.scores: Scores | None = None
        self._batches: list[tuple[Any, Any]] = []

    def __call__(self, eval_pred: Any, compute_result: bool = True) -> dict[str, float]:
        """The scores as numbers by name; of a batch, with more to come, nothing yet."""
        predictions, truth = eval_pred[0], eval_pred[1]
        if isinstance(predictions, tuple | list):  # logits come first, then hidden states
            predictions = predictions[0]
        self._batches.append((np.asarray(on_host(predictions)), np.asarray(on_host(truth))))
        if not compute_result:
            return {}
        batches, self._batches = self._batches, []
        self.scores = self._scored(batches)
        return flat(self.scores)

    def _scored(self, batches: list[tuple[Any, Any]]) -> Scores:
        if self.task == "multi":
            logits, truth = (np.concatenate(side) for side in zip(*batches, strict=True))
            if logits.ndim != 2 or logits.shape != truth.shape:
                raise InputError(
                    "task 'multi' takes predictions and label ids of items × classes, "
                    f"got shapes {logits.shape} and {truth.shape}"
                )
            labels = self._labels(logits.shape[-1])
            table = MultiLabel.from_indicators(truth > 0.5, logits > 0, labels=labels)
            return score(table, metrics=self.metrics, **self.options)
        trues, preds, groups, sizes = zip(*(_decided(*batch) for batch in batches), strict=True)
        true, pred = np.concatenate(trues), np.concatenate(preds)
        labels = self._labels(max(*sizes, 1 + int(true.max(initial=-1))))
        check_codes(true, 0, len(labels), "label ids")
        check_codes(pred, -1, len(labels), "predictions")
        names = np.empty(len(labels) + 1, object)
        names[:] = [*labels, None]
        cluster = None
        if groups[0] is not None:  # sequences numbered over all batches
            lengths = [1 + int(group.max(initial=-1)) for group in groups]
            first = np.cumsum([0, *lengths[:-1]])
            cluster = np.concatenate([g + i for g, i in zip(groups, first, strict=True)]).tolist()
        data = (names[true].tolist(), names[pred].tolist())
        return score(*data, labels=labels, cluster=cluster, metrics=self.metrics, **self.options)

    def _labels(self, k: int) -> tuple[Label, ...]:
        if self.labels is None:
            return tuple(range(k))
        if len(self.labels) < k:
            raise InputError(f"labels must have length {k} (one a class), got {len(self.labels)}")
        return self.labels


def _decided(predictions: Any, truth: Any) -> tuple[Any, Any, Any, int]:
    """True and predicted codes, the sequence that each token is of, and how many classes."""
    k = 0
    if predictions.ndim == truth.ndim + 1:
        k, predictions = int(predictions.shape[-1]), predictions.argmax(axis=-1)
    if predictions.shape != truth.shape or truth.dtype.kind not in "iu":
        raise InputError(
            "predictions must be logits (classes last) or codes of the label ids' shape, got "
            f"{predictions.shape} for label ids of {truth.dtype} of {truth.shape}"
        )
    counted = truth != IGNORED
    group = None if truth.ndim == 1 else np.nonzero(counted)[0]
    return truth[counted], predictions[counted].astype(np.int64), group, k


compute_metrics = ComputeMetrics
