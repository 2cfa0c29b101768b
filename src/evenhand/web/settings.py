"""Settings: what a server may be asked for, in one typed place."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from evenhand.errors import InputError

LOOPBACK = ("127.0.0.1", "::1", "localhost")
PREFIX = "EVENHAND_WEB_"


@dataclass(frozen=True)
class Settings:
    """Limits, addresses and what is enabled; each is also ``EVENHAND_WEB_`` and its name.

    ``hosts`` are the names under which the page may be asked for; others are refused, so that no
    foreign page can reach a server on somebody's own machine under a name of its own. ``body`` are
    the bytes of one request, ``json`` those of one that brings no files, ``together`` those of all
    that are being answered. ``seconds`` is how long one job may take, ``jobs`` how many run at
    once, ``memory`` what each may hold, ``unpacked`` what each may write.

    >>> Settings.from_environment({"EVENHAND_WEB_CLASSES": "50"}).classes
    50
    """

    hosts: tuple[str, ...] = LOOPBACK
    body: int = 64 << 20
    json: int = 16 << 20
    together: int = 256 << 20
    unpacked: int = 512 << 20
    files: int = 100
    classes: int = 500
    items: int = 2_000_000
    replicates: int = 20_000
    systems: int = 200
    seconds: float = 60.0
    jobs: int = 2
    waiting: int = 32
    memory: int = 2 << 30
    evaluate: bool = True
    audit: bool = True

    @classmethod
    def from_environment(cls, given: Mapping[str, str] | None = None) -> Settings:
        """The defaults, with what the environment says instead."""
        given = os.environ if given is None else given
        known = {PREFIX + f.name.upper(): f.name for f in fields(cls)}
        unknown = sorted(name for name in given if name.startswith(PREFIX) and name not in known)
        if unknown:
            raise InputError(f"{unknown[0]} is no setting; there are {', '.join(known)}")
        return cls(
            **{known[n]: _read(n, known[n], text) for n, text in given.items() if n in known}
        )

    def to_environment(self) -> dict[str, str]:
        """The same settings for another process."""
        return {PREFIX + f.name.upper(): _written(getattr(self, f.name)) for f in fields(self)}


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(value)
    return str(int(value) if isinstance(value, bool) else value)


def _read(name: str, field: str, text: str) -> Any:
    """A setting as text, in the type of its default."""
    default = getattr(Settings, field)
    if isinstance(default, tuple):
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if isinstance(default, bool):
        if text not in ("0", "1"):
            raise InputError(f"{name} must be 0 or 1, got {text!r}")
        return text == "1"
    try:
        value = type(default)(text)
    except ValueError:
        value = -1
    if not value > 0:
        raise InputError(f"{name} must be a positive number, got {text!r}")
    return value
