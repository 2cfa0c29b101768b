"""JSON Lines: an object a line, checked before Polars, which is forgiving, reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from glob import escape
from typing import Any

from evenhand.errors import InputError, shown
from evenhand.files.blocks import Block, ahead, blocks, plain
from evenhand.files.json_forms import Form, keys_twice, parsed_object

LONGEST = 50_000
"""Characters of a pattern that is still quick; what it does not know, Python reads."""


@dataclass
class Learnt:
    """What files of objects hold: how many, of which form, and where keys came more than once."""

    form: Form = field(default_factory=Form)
    rows: int = 0
    twice: dict[str, str] = field(default_factory=dict)
    pattern: str = r"[^\s\S]"  # which nothing is
    full: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """The columns and their types; one that holds this and that has none."""
        import polars as pl

        types = {key: form.dtype for key, form in self.form.fields.items()}
        return {key: pl.Null() if dtype is None else dtype for key, dtype in types.items()}

    @property
    def mixed(self) -> dict[str, str]:
        """The columns that hold this and that, and what."""
        return {key: form.words for key, form in self.form.fields.items() if form.dtype is None}

    def refuse(self, name: str, paths: Sequence[tuple[str, ...]]) -> None:
        """Fields must be of one type, and each key stand once in a line, to be asked for."""
        for path in paths:
            if path[0] in self.twice:
                again = f"got {shown([path[0]])} more than once"
                raise InputError(f"{self.twice[path[0]]}: expected each key once, {again}")
            form = self.form
            for i, key in enumerate(path, 1):
                form = form.fields[key]
                if form.dtype is None:
                    raise InputError(
                        f"{name}, column {'.'.join(path[:i])!r} must be of one type, got "
                        f"{form.words}; 1, '1', 1.0 and True are different labels"
                    )

    def refuse_like(self, name: str, column: str, others: Sequence[str]) -> None:
        """The same of those that hold, among others, what the column does."""
        fields = self.form.fields
        kinds = fields[column].kinds if column in fields else set()
        self.refuse(name, [(c,) for c in others if fields[c].kinds & kinds - {"null"}])

    def take(self, block: Block, name: str, unit: str) -> None:
        """Learn from the lines of a block whatever the pattern does not know, and check them."""
        import polars as pl

        lines = pl.read_lines(block.text, name="line").with_row_index("at")
        self.rows += len(lines)
        new = self._unknown(lines)
        while len(new):
            (at, line), new = new.row(0), new.slice(1)
            if not line.strip(" \t") and unit == "line":  # no item of an array may lack
                self.rows -= 1
                continue
            where = f"{name}, {unit} {block.line + at}"
            found = parsed_object(line, where)
            self.form.add(found)
            for key in keys_twice(found):
                self.twice.setdefault(key, where)
            if not self.full:
                pattern = rf"^[ \t]*{self.form.pattern}[ \t]*$"
                self.full = len(pattern) > LONGEST
                if pattern != self.pattern and not self.full:
                    self.pattern = pattern
                    new = self._unknown(new)

    def _unknown(self, lines: Any) -> Any:
        return lines.filter(~lines["line"].str.contains(self.pattern))


def learnt(files: Sequence[tuple[str, str]], unit: str = "line") -> Learnt:
    """What files of objects hold, each a path and what to call it, as is every line; strictly.

    ``unit`` is what errors call a line.
    """
    found = Learnt()
    for path, name in files:
        for block in ahead(blocks(path, name)):
            found.take(block, name, unit)
    return found


def scan_json_lines(files: Sequence[tuple[str, str]], known: Learnt) -> Any:
    """Files of objects of which all is known, as a lazy Polars frame."""
    import polars as pl

    found = [plain(path, name) for path, name in files]
    sources = [escape(text) if isinstance(text, str) else text for text in found]
    return pl.scan_ndjson(sources, schema=known.schema)
