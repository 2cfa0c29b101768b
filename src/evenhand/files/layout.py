"""Layout: how text lies in files that do not say it themselves."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.errors import InputError, Option, shown

TAB = r"\t"
"""How people type a tab."""


@dataclass(frozen=True)
class Layout:
    """Whether the first row names the columns, and what separates fields if not as usual."""

    header: bool = True
    delimiter: str | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot tell fields apart."""
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


USUAL = Layout()
"""A header, and commas or tabs as the name of the file says."""
