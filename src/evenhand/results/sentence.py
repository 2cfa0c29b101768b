"""Sentences that know which of their words are names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Self

from evenhand.catalogue.titles import spoken, title
from evenhand.results.text import visible


class Name(str):
    """What a sentence is about, which stands out where a format can do that."""

    __slots__ = ()


class Sentence(str):
    """A text that remembers its parts; everywhere else it is the plain text.

    >>> said = Sentence("By accuracy, ", Name("ours"), " is first.")
    >>> said, in_lines(said, str, "*{}*".format)
    ('By accuracy, ours is first.', ['By accuracy, *ours* is first.'])
    """

    parts: tuple[str, ...]

    def __new__(cls, *parts: str) -> Self:
        """Of its parts, the parts of sentences among them."""
        made = super().__new__(cls, "".join(parts))
        made.parts = tuple(p for part in parts for p in parts_of(part))
        return made


def parts_of(text: str) -> tuple[str, ...]:
    """The parts of a sentence; any other text is one."""
    return text.parts if isinstance(text, Sentence) else (text,)


def joined(sign: str, texts: Iterable[str]) -> Sentence:
    """Texts one after another, the sign between them."""
    parts = [part for text in texts for part in (sign, text)]
    return Sentence(*parts[1:])


def said(text: str, escape: Callable[[str], str]) -> str:
    """A text escaped part by part."""
    return "".join(map(escape, parts_of(text)))


def in_lines(text: str, escape: Callable[[str], str], bold: Callable[[str], str]) -> list[str]:
    """Each line of a text, escaped part by part, names in ``bold``."""
    lines = [""]
    for part in parts_of(text):
        if isinstance(part, Name):
            lines[-1] += bold(escape(part))
            continue
        first, *rest = part.split("\n")
        lines[-1] += escape(first)
        lines += map(escape, rest)
    return lines


def named(names: Iterable[str], few: int = 6) -> Sentence:
    """Names as people say them, the rest by number; nothing in them repaints a screen.

    >>> named("abcdefgh")
    'a, b, c, d, e and 3 more'
    """
    every: list[str] = [Name(visible(n).strip() or "(empty)") for n in names]
    if len(every) > few:
        every = [*every[: few - 1], f"{len(every) - few + 1:,} more"]
    last = [" and ", every[-1]] if len(every) > 1 else []
    return Sentence(joined(", ", every[:-1] or every), *last)


def called(metric: str) -> str:
    """A metric inside a sentence, as people say it.

    >>> called("macro_f1"), called("accuracy"), called("mcc"), called("f1:label=spam")
    ('macro F1 (mean of F1)', 'accuracy', 'MCC', 'F1 of spam')
    """
    return spoken(visible(title(metric)))


def leading(metrics: Collection[str]) -> str:
    """The metric that a headline speaks of: macro F1 if it is there, else the first.

    >>> leading(["accuracy", "macro_f1"]), leading(["accuracy", "mcc"]), leading([])
    ('macro_f1', 'accuracy', '')
    """
    return "macro_f1" if "macro_f1" in metrics else next(iter(metrics), "")
