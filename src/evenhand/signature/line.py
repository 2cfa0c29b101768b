"""Signature: one line that says exactly which score this is.

``metric:macro_f1|formula:mean-of-f1|classes:seen.3|undefined:0|…``: NAME:VALUE parts joined by
``|``, in a fixed order, empty ones left out; the short form has one or two letters a name. In a
value ``%``, ``|``, ``:`` and whatever cannot be printed are percent-encoded UTF-8.
``docs/signature.md`` has the grammar of each field.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any
from urllib.parse import quote, unquote

from evenhand._version import __version__
from evenhand.errors import InputError, shown

OF_THE_SYSTEM = frozenset({"outside", "missing", "table"})
"""Fields in which two systems scored alike on the same items may still differ."""


def _called(short: str, default: str = "") -> Any:
    """A field with what it is called in the short form."""
    return field(default=default, metadata={"short": short})


@dataclass(frozen=True)
class Signature:
    """The settings behind a score, as text fields in a fixed order; empty ones are left out.

    >>> one = Signature(metric="macro_fbeta:beta=2", classes="seen.3", undefined="0", version="1")
    >>> str(one)
    'metric:macro_fbeta%3Abeta=2|classes:seen.3|undefined:0|version:1'
    >>> one.short
    'm:macro_fbeta%3Abeta=2|c:seen.3|u:0|v:1'
    """

    metric: str = _called("m")
    formula: str = _called("f")
    parameters: str = _called("p")
    classes: str = _called("c")
    undefined: str = _called("u")
    prevalence: str = _called("pr")
    weights: str = _called("w")
    n: str = _called("n")
    outside: str = _called("o")
    missing: str = _called("mi")
    dropped: str = _called("d")
    interval: str = _called("i")
    table: str = _called("t")
    version: str = _called("v", __version__)

    def __str__(self) -> str:
        return "|".join(f"{name}:{_escaped(value)}" for name, value in self.items())

    @property
    def short(self) -> str:
        """The same in fewer characters, for a caption or a footnote."""
        return "|".join(f"{SHORT[name]}:{_escaped(value)}" for name, value in self.items())

    def items(self) -> list[tuple[str, str]]:
        """The fields that say something."""
        return [(f.name, getattr(self, f.name)) for f in fields(self) if getattr(self, f.name)]

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a signature back, in its long or its short form.

        >>> Signature.parse("m:macro_f1|undefined:0|version:0.1.0").metric
        'macro_f1'
        """
        if not isinstance(text, str):
            raise InputError(f"a signature is a text, got {type(text).__name__}")
        found: dict[str, str] = {}
        for part in text.strip().split("|"):
            name, colon, value = part.strip().partition(":")
            if not colon:
                raise InputError(f"a signature is NAME:VALUE|NAME:VALUE…, got {shown([part])}")
            name = _LONG.get(name, name)
            if name not in SHORT:
                known = ", ".join(SHORT)
                raise InputError(f"a signature has the fields {known}, got {shown([name])}")
            if name in found:
                raise InputError(f"a signature has each field once, got {name!r} twice")
            found[name] = _unescaped(value)
        return cls(**{"version": "", **found})

    def explain(self) -> str:
        """The signature in words, a line a field."""
        from evenhand.signature.explain import explained

        return "\n".join(f"{name}: {_printable(words)}" for name, words in explained(self))

    def differences(
        self, other: Signature, *, ignoring: Iterable[str] = ()
    ) -> dict[str, tuple[str, str]]:
        """The fields in which two signatures differ, with both values.

        >>> Signature(classes="seen.3").differences(Signature(classes="true.3"))
        {'classes': ('seen.3', 'true.3')}
        """
        left_out = set(ignoring)
        pairs = {name: (getattr(self, name), getattr(other, name)) for name in SHORT}
        return {k: (a, b) for k, (a, b) in pairs.items() if a != b and k not in left_out}


SHORT = {f.name: f.metadata["short"] for f in fields(Signature)}
"""What each field is called in the short form."""

_LONG = {short: name for name, short in SHORT.items()}


def difference_text(found: dict[str, tuple[str, str]]) -> str:
    """Differing fields in one line: ``classes (seen.3, true.3), n (100, 90)``."""
    said = [(name, a or "not said", b or "not said") for name, (a, b) in found.items()]
    return ", ".join(f"{name} ({a}, {b})" for name, a, b in said)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else quote(c, "", None, "surrogatepass") for c in text)


def _escaped(value: str) -> str:
    """Percent-encoding of what would end a field or could not be printed."""
    inner = range(len(value) - len(value.lstrip()), len(value.rstrip()))
    return "".join(
        c
        if c.isprintable() and c not in "%|:" and i in inner
        else quote(c, "", None, "surrogatepass")
        for i, c in enumerate(value)
    )


def _unescaped(value: str) -> str:
    try:
        return unquote(value, errors="surrogatepass")
    except UnicodeDecodeError:
        raise InputError(
            f"a signature's values must be percent-encoded UTF-8, got {shown([value])}"
        ) from None
