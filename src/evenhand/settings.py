"""Settings: what the fields of a signature say, read back for use."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evenhand.errors import InputError, shown
from evenhand.spelling import listed

DIGITS = 18
_INTERVAL = re.compile(r"([a-z][a-z_-]*)\.(\d+(?:\.\d+)?)(\.stratified)?(?:\.(\d+)\.seed(\d+))?")


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
