"""Notes on class mixes: what the labelled data cannot tell, and what speaks against a mix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evenhand.notes.note import Note
from evenhand.notes.record import Record


class NeverLabelled(Note):
    """Classes without a labelled item: nothing is known of them."""

    labels: tuple[Any, ...]


class NoShare(Note):
    """Classes that have items and are given a share of 0."""

    labels: tuple[Any, ...]


@dataclass(frozen=True)
class FewItems(Record):
    """A class, how many items it has, and the share it is to have."""

    label: Any
    items: float
    share: float


class FewToLearnFrom(Note):
    """Classes with few items that are to be seen at another share, or at shares ``up_to`` it."""

    classes: tuple[FewItems, ...]
    up_to: bool = False


class LessThanAnItem(Note):
    """Classes predicted less often at a mix than one item of another class would add to it."""

    labels: tuple[Any, ...]


class TakenAsCertain(Note):
    """Classes whose recall is 0 or 1, beside intervals that take that for certain."""

    labels: tuple[Any, ...]


class GainPerItem(Note):
    """A metric that adds up over items is that of one item, where a mix is stated."""

    metric: str


class Unpaired(Note):
    """Two tables that do not say which items they share."""


class FewLabelled(Note):
    """Classes with few labelled items, whose rates are hardly known."""

    labels: tuple[Any, ...]
    few: int


class UnknownLabels(Note):
    """Labels predicted on the new items that the table does not know.

    ``share`` is that of all new predictions that are no class of the table.
    """

    labels: tuple[Any, ...]
    share: float


class NewKinds(Note):
    """Classes that are predicted on the new items and never on the labelled ones.

    ``outside`` says whether no class at all is among them; ``share`` is that of all together.
    """

    labels: tuple[Any, ...]
    outside: bool
    share: float


@dataclass(frozen=True)
class Farthest(Record):
    """The class whose predictions are farthest from what a mix must give, and both shares."""

    label: Any
    measured: float
    expected: float


class Misfit(Note):
    """A mix, stated or by a method, that does not explain the new predictions."""

    method: str
    p: float
    farthest: Farthest | None = None


class AboveOne(Note):
    """Classes whose precision by the measured share of predictions is above 1, and the largest."""

    labels: tuple[Any, ...]
    most: float


class OutsideSimplex(Note):
    """Shares by the adjusted count that are below 0 or above 1."""

    shares: tuple[tuple[Any, float], ...]


class SingularRates(Note):
    """Classes that are predicted alike, so that their shares cannot be told apart."""

    labels: tuple[Any, ...]


class IllConditionedRates(Note):
    """Classes that are predicted nearly alike, and what that multiplies an error by."""

    labels: tuple[Any, ...]
    amplification: float


class NotShownLikeliest(Note):
    """A mix that may lack some of the largest log-likelihood an item."""

    method: str
    lack: float


class DrawsNearTop(Note):
    """Draws whose mixes are near the most likely ones only."""


class ItemsForgotten(Note):
    """A weighted table, whose items cannot be drawn again."""


class SharesAlone(Note):
    """New predictions as shares, without the number of items."""


class FewerReplicates(Note):
    """Fewer draws than were asked for."""

    replicates: int
