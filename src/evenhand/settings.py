"""Settings: what the fields of a signature say, read back for use."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from typing import Any

from evenhand.errors import InputError, shown
from evenhand.spelling import listed

DIGITS = 18
_INTERVAL = re.compile(r"([a-z][a-z_-]*)\.(\d+(?:\.\d+)?)(\.stratified)?(?:\.(\d+)\.seed(\d+))?")

MOST_REPLICATES = 1_000_000
HIGHEST_LEVEL = 1 - 1e-12
"""Beyond it the quantile of a level runs out of digits."""


def checked_level(level: Any) -> None:
    """A confidence level must lie between 0 and 1, and have a quantile."""
    try:
        fits = 0 < level < 1
    except TypeError:
        fits = False
    if not fits:
        raise InputError(f"level must be between 0 and 1, got {level}")
    if level > HIGHEST_LEVEL:
        raise InputError(f"level must be at most 0.999999999999, got {level!r}")


def checked_replicates(replicates: Any) -> None:
    """As many draws as can be held."""
    if _whole(replicates, "replicates") < 1:
        raise InputError(f"replicates must be at least 1, got {replicates}")
    if replicates > MOST_REPLICATES:
        raise InputError(f"replicates must be at most {MOST_REPLICATES:,}, got {replicates:,}")


def checked_seed(seed: Any) -> None:
    """A seed is any whole number from 0 on."""
    if _whole(seed, "seed") < 0:
        raise InputError(f"seed must be a whole number ≥ 0, got {seed}")


def _whole(value: Any, what: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise InputError(f"{what} must be a whole number, got {value!r}") from None


@dataclass(frozen=True)
class IntervalText:
    """The ``interval`` field: ``METHOD.LEVEL``, or ``METHOD.LEVEL.REPLICATES.seedSEED``.

    ``.stratified`` may follow the level.

    The level is in percent and may have decimals; replicates and seed come together.

    >>> IntervalText.parse("bootstrap.95.2000.seed0")
    IntervalText(method='bootstrap', level='95', replicates=2000, seed=0, stratified=False)
    >>> IntervalText.parse("delta.99.5").level
    '99.5'
    """

    method: str
    level: str
    replicates: int | None = None
    seed: int | None = None
    stratified: bool = False

    @classmethod
    def parse(cls, text: str) -> IntervalText | None:
        """Read the field; ``None`` for ``none`` and for text of another kind."""
        found = _INTERVAL.fullmatch(text)
        if found is None:
            return None
        method, level, stratified, replicates, seed = found.groups()
        if seed is None:
            return cls(method, level, stratified=bool(stratified))
        return cls(method, level, whole(replicates), whole(seed), bool(stratified))


def whole(digits: str) -> int:
    """A whole number of a signature, which nobody could have meant beyond 18 digits."""
    if not (digits.isascii() and digits.isdigit() and len(digits) <= DIGITS):
        raise InputError(
            f"a number in a signature must have 1 to {DIGITS} digits, got {shown([digits])}"
        )
    return int(digits)


@dataclass(frozen=True)
class ClassesText:
    """The ``classes`` field: ``RULE.NUMBER``, for listed classes ``listed.NUMBER.LABEL,LABEL…``.

    Lists too long to write out end in ``#`` and a hash of the labels.

    >>> ClassesText.parse("listed.2.cat,dog").labels
    ('cat', 'dog')
    """

    rule: str
    number: str
    labels: tuple[str, ...] | None = None
    digest: str = ""

    @classmethod
    def parse(cls, text: str) -> ClassesText:
        """Read the field."""
        rule, _, rest = text.partition(".")
        number, dot, which = rest.partition(".")
        if not dot:
            return cls(rule, number)
        if which.startswith("#"):
            return cls(rule, number, None, which[1:])
        return cls(rule, number, tuple(listed(which)))
