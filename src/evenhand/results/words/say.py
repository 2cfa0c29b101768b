"""Say: the sentence of a note, found by its kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from evenhand.notes.note import Note

N = TypeVar("N", bound=Note)


class Wording(NamedTuple):
    """How a kind of note is said: of one result, and that it holds in some slices."""

    sentence: Callable[[Any], str]
    in_slices: str


WORDS: dict[type[Note], Wording] = {}


def says(kind: type[N], in_slices: str = "") -> Callable[[Callable[[N], str]], Callable[[N], str]]:
    """The sentence of a kind of note; ``in_slices`` goes before "in 3 slices (a, b, c)"."""

    def register(sentence: Callable[[N], str]) -> Callable[[N], str]:
        WORDS[kind] = Wording(sentence, in_slices)
        return sentence

    return register


def said(note: Note) -> str:
    """The note as a sentence, without a capital or a full stop."""
    return WORDS[type(note)].sentence(note)
