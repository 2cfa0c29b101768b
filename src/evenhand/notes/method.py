"""Method: how an interval was made."""

from __future__ import annotations

from typing import Literal, TypeAlias

Name: TypeAlias = Literal[
    "delta", "smoothed", "jackknife", "mover", "bootstrap", "bca", "wilson", "resampled t"
]
Scale: TypeAlias = Literal["logit", "fisher", "score", "cut", "runs"]


class Method(str):
    """A method as text, which knows its parts: the procedure, its scale, what it stands in for.

    ``scale`` is where a delta interval was made (log-odds, Fisher's z, Wilson's score), that it was
    cut at the ends of the metric's range, or that runs enter it; ``instead_of`` the method asked
    for, where that has no width.

    >>> Method("delta", "logit"), Method("delta", "logit").name
    ('delta, logit', 'delta')
    >>> Method("wilson", instead_of="bootstrap")
    'wilson (bootstrap has no width)'
    """

    __slots__ = ("instead_of", "name", "scale")

    name: Name
    scale: Scale | None
    instead_of: str | None

    def __new__(
        cls, name: Name, scale: Scale | None = None, instead_of: str | None = None
    ) -> Method:
        text = f"{name}, {scale}" if scale else str(name)
        made = super().__new__(cls, f"{text} ({instead_of} has no width)" if instead_of else text)
        made.name, made.scale, made.instead_of = name, scale, instead_of
        return made

    def __getnewargs__(self) -> tuple[Name, Scale | None, str | None]:  # type: ignore[override]
        return self.name, self.scale, self.instead_of
