"""Values of JSON: what each is, and what a column of them is."""

from __future__ import annotations

from typing import Any, NoReturn


class Object(list[tuple[str, Any]]):
    """The pairs of a JSON object, twins included."""


def no_number(text: str) -> NoReturn:
    """Refuse what Python would take for a number."""
    raise ValueError(f"{text}, which is no number of JSON")


def is_text(value: Any) -> bool:
    """Whether all text in a value is text: half of a surrogate pair is none."""
    if isinstance(value, list | tuple):
        return all(map(is_text, value))
    return not isinstance(value, str) or not any("\ud800" <= c <= "\udfff" for c in value)


def value_kind(value: Any) -> Any:
    """What a value is, and what a list is of; ``None`` for null."""
    if isinstance(value, Object):
        return dict
    if isinstance(value, list):
        return (list, *sorted({value_kind(v) for v in value} - {None}, key=str))
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 1 << 63:
        return "integers beyond 64 bits"
    return None if value is None else type(value)


def dtype_of(kinds: set[Any]) -> Any:
    """The one type of a column, or ``None``."""
    import polars as pl

    known = {str: pl.String(), int: pl.Int64(), float: pl.Float64(), bool: pl.Boolean()}
    if len(kinds) == 1:
        return known.get(next(iter(kinds)))
    inner = {kind[1:] for kind in kinds if isinstance(kind, tuple)} - {()}
    if len(inner) == 1 and all(isinstance(kind, tuple) for kind in kinds):
        of = known.get(*inner.pop())
        return of and pl.List(of)
    return None


def kind_words(kind: Any) -> str:
    """What a kind is called."""
    if isinstance(kind, tuple):
        return "lists"
    return {str: "text", int: "integers", float: "decimals", bool: "booleans", dict: "objects"}.get(
        kind, str(kind)
    )
