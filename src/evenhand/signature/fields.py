"""Fields: what those of a signature say, read back for use, and which settings they can hold."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from evenhand.catalogue.spelling import listed
from evenhand.errors import InputError, shown

DIGITS = 24
_INTERVAL = re.compile(
    r"([a-z_]+)(?:-([a-z+]+))?\.(\d+(?:\.\d+)?)"
    r"(\.stratified)?(\.clusters)?(?:\.(\d+\.seed\d+))?(?:\+margin\.(\d+(?:\.\d+)?))?",
    re.ASCII,
)
_RANKS, _TIES = "+joint-bootstrap.", "+paired-delta.holm"

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
class Draws:
    """How many replicates were drawn, and from which seed."""

    replicates: int
    seed: int

    def __str__(self) -> str:
        return f"{self.replicates}.seed{self.seed}"

    @classmethod
    def parse(cls, text: str) -> Draws:
        """Read ``REPLICATES.seedSEED``."""
        replicates, _, seed = text.partition(".seed")
        return cls(whole(replicates), whole(seed))


@dataclass(frozen=True)
class IntervalField:
    """The ``interval`` field: ``METHOD-SCALE.LEVEL``, and what it was made with.

    The level is in percent and may have decimals. Behind it stand, where they hold, ``stratified``,
    ``clusters`` and ``REPLICATES.seedSEED``. Differences are ``paired-TEST+TEST…`` in place of a
    method, and end in ``+margin.MARGIN`` where they were held against one; a ranking ends in
    ``+joint-bootstrap.REPLICATES.seedSEED+paired-delta.holm``.

    >>> str(IntervalField("delta", 0.95, "logit", clusters=True))
    'delta-logit.95.clusters'
    >>> IntervalField.parse("bootstrap.99.5.2000.seed0").drawn
    Draws(replicates=2000, seed=0)
    """

    method: str
    level: float
    scale: str | None = None
    tests: tuple[str, ...] = ()
    stratified: bool = False
    clusters: bool = False
    drawn: Draws | None = None
    ranked: Draws | None = None
    margin: float | None = None

    def __str__(self) -> str:
        kind = "+".join(self.tests) or self.scale
        percent = f"{_decimal(self.level).scaleb(2):f}"
        flags = {"stratified": self.stratified, "clusters": self.clusters}
        parts = [
            f"{self.method}-{kind}" if kind else self.method,
            percent,
            *(name for name, holds in flags.items() if holds),
            *([] if self.drawn is None else [str(self.drawn)]),
        ]
        ranks = "" if self.ranked is None else f"{_RANKS}{self.ranked}{_TIES}"
        margin = "" if self.margin is None else f"+margin.{_decimal(self.margin):f}"
        return ".".join(parts) + margin + ranks

    @classmethod
    def parse(cls, text: str) -> IntervalField | None:
        """Read the field; ``None`` for ``none`` and for text of another kind."""
        text, ranks, rest = text.partition(_RANKS)
        draws, plus, ties = rest.partition("+")
        ranked = Draws.parse(draws) if ranks else None
        found = _INTERVAL.fullmatch(text)
        if found is None or plus + ties not in ("", _TIES):
            return None
        method, kind, level, stratified, clusters, drawn, margin = found.groups()
        paired = method == "paired" and kind
        return cls(
            method,
            float(f"{level}e-2"),
            None if paired else kind,
            tuple(kind.split("+")) if paired else (),
            bool(stratified),
            bool(clusters),
            Draws.parse(drawn) if drawn else None,
            ranked,
            None if margin is None else float(margin),
        )


def _decimal(x: float) -> Decimal:
    """A number with the digits that it is written with."""
    return Decimal(repr(float(x)))


def whole(digits: str) -> int:
    """A whole number of a signature, which nobody could have meant beyond 24 digits."""
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
