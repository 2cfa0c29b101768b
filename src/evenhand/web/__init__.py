"""The web page and its API.

``evenhand.web.create_app()`` is an application for any ASGI server, with ``evenhand.web.Settings``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.web.app import create_app as create_app
    from evenhand.web.work import Settings as Settings

_HOMES = {"create_app": "app", "Settings": "work"}


def __getattr__(name: str) -> Any:
    """What people deploy, loaded when it is asked for: it needs the extra ``web``."""
    if name not in _HOMES:
        raise AttributeError(f"module 'evenhand.web' has no attribute {name!r}")
    return getattr(import_module(f"evenhand.web.{_HOMES[name]}"), name)
