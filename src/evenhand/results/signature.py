"""A signature in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenhand.notes.note import Note
from evenhand.results.content import Content, Sheet
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Result
from evenhand.results.text import counted
from evenhand.signature.explain import explained

if TYPE_CHECKING:
    from evenhand.signature.line import Signature


@dataclass(frozen=True, eq=False, repr=False)
class Explained(Result):
    """A signature, field by field.

    >>> from evenhand.signature.line import Signature
    >>> Explained(Signature.parse("m:macro_f1|n:3"))
    <Explained: m:macro_f1|n:3 in words>
    """

    signature: Signature
    cautions: tuple[Note, ...] = ()

    def facts(self) -> dict[str, Any]:
        """What ``evenhand signature --format json`` prints."""
        words = dict(explained(self.signature))
        fields = {k: {"value": v, "meaning": words[k]} for k, v in self.signature.items()}
        return {"signature": str(self.signature), "short": self.signature.short, "fields": fields}

    def content(self) -> Content:
        """Each field with its value and what it means."""
        grid = explained_grid(self.signature)
        title = f"{self.signature.short} in words"
        return Content(
            title, [Sheet(grid, wide=200)], lambda: grid, str(self.signature), self.warnings
        )


@dataclass(frozen=True, eq=False, repr=False)
class Differences(Collection[str, tuple[str, str]], Result):
    """The fields in which two signatures differ.

    >>> from evenhand.signature.line import Signature
    >>> found = Differences(Signature.parse("n:3"), Signature.parse("n:4"))
    >>> found, found["n"], found.ok
    (<Differences: 1 field differs>, ('3', '4'), False)
    """

    first: Signature
    second: Signature
    cautions: tuple[Note, ...] = ()

    @property
    def parts(self) -> dict[str, tuple[str, str]]:
        """Both values of each field that differs."""
        return self.first.differences(self.second)

    @property
    def ok(self) -> bool:
        """Whether there is no difference."""
        return not self.parts

    def facts(self) -> dict[str, Any]:
        """What ``evenhand signature --format json`` prints of two."""
        return {"differences": self.parts}

    def content(self) -> Content:
        """The fields that differ, side by side."""
        said = [] if self.ok else [Sheet(self._data(), wide=200)]
        title = "no difference"
        if said:
            title = f"{counted(len(self), 'field')} {'differs' if len(self) == 1 else 'differ'}"
        return Content(title, said, self._data, warnings=self.warnings)

    def _data(self) -> Grid:
        return Grid(["field", "first", "second"], [[name, *both] for name, both in self.items()])


def explained_grid(signature: Signature) -> Grid:
    """One row a field: its name, its value, its meaning."""
    words = dict(explained(signature))
    return Grid(["field", "value", "meaning"], [[k, v, words[k]] for k, v in signature.items()])
