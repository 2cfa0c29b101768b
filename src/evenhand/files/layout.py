"""Layout: how text lies in files that do not say it themselves."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from evenhand.errors import InputError, Option, shown

TAB = r"\t"
"""How people type a tab."""


@dataclass(frozen=True)
class Layout:
    """Whether the first row names the columns; what separates fields, if not as usual; and what
    text is in, if not in UTF-8.
    """

    header: bool = True
    delimiter: str | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot tell fields apart, and an encoding that nobody knows."""
        if self.encoding is not None and not _is_encoding(self.encoding):
            raise InputError(
                f"text may be in cp1252, latin-1, utf-16, … but {shown([self.encoding])} is not "
                "known as an ",
                Option("encoding"),
            )
        mark = self.mark
        if mark is not None and (len(mark) != 1 or not mark.isascii() or mark in '"\r\n\0'):
            raise InputError(
                f"fields must be separated by one ASCII character, got {shown([self.delimiter])} "
                "as ",
                Option("delimiter"),
            )

    @property
    def mark(self) -> str | None:
        """The character that separates fields, if it has been said."""
        return "\t" if self.delimiter == TAB else self.delimiter


def _is_encoding(name: str) -> bool:
    try:
        return bool(getattr(codecs.lookup(name), "_is_text_encoding", True))
    except (LookupError, ValueError, UnicodeError):
        return False


USUAL = Layout()
"""A header, and commas or tabs as the name of the file says."""
