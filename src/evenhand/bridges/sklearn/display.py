"""The confusion matrix as a picture, under the name that scikit-learn gives it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from evenhand.bridges.sklearn.options import one_of
from evenhand.bridges.sklearn.reading import single
from evenhand.draw.chart import Chart
from evenhand.draw.confusion import confusion
from evenhand.tables.confusion import Confusion
from evenhand.tables.labels import plain


@dataclass(frozen=True)
class ConfusionMatrixDisplay:
    """A confusion matrix that draws itself: ``plot()`` gives a chart that shows and saves itself.

    It needs no matplotlib, and so takes none of its options.

    >>> shown = ConfusionMatrixDisplay([[5, 1], [2, 4]], display_labels=["cat", "dog"])
    >>> shown.plot().title
    'Confusions, counts'
    """

    confusion_matrix: Any
    display_labels: Any = None
    normalize: Literal["true", "pred", "all"] | None = None

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        normalize: Literal["true", "pred", "all"] | None = None,
        display_labels: Any = None,
    ) -> ConfusionMatrixDisplay:
        """From true and predicted labels.

        >>> ConfusionMatrixDisplay.from_predictions([0, 1, 1], [0, 1, 0]).display_labels
        [0, 1]
        """
        one_of("normalize", normalize, ("true", "pred", "all", None))
        found = single(y_true, y_pred, sample_weight)
        names = found.labels if labels is None else labels
        shown = list(map(plain, names if display_labels is None else display_labels))
        return cls(found.cells(labels), shown, normalize)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, **options: Any
    ) -> ConfusionMatrixDisplay:
        """From a fitted model and data; options as :meth:`from_predictions` takes them."""
        return cls.from_predictions(y, estimator.predict(X), **options)

    def plot(self, *, title: str | None = None) -> Chart:
        """The picture."""
        table = Confusion.from_matrix(self.confusion_matrix, labels=self.display_labels)
        return confusion(table, normalise=self.normalize, title=title)
