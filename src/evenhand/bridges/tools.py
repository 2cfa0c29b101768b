"""Tools: other people's libraries, imported when used; a missing one is one line."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from evenhand.errors import InputError

CALLED = {"sklearn": "scikit-learn"}
"""What a package is called that its modules are not named for."""


def tool(module: str, user: str, extra: str) -> Any:
    """The module that ``user`` needs, or an error that says what to install.

    >>> tool("nowhere_to_be_found", "soft_loss", "torch")
    Traceback (most recent call last):
    evenhand.errors.InputError: soft_loss needs nowhere_to_be_found: pip install 'evenhand[torch]'
    """
    name = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as e:
        if e.name not in (module, name):  # the tool is there, and something that it needs is not
            raise
        called = CALLED.get(name, name)
        raise InputError(f"{user} needs {called}: pip install 'evenhand[{extra}]'") from None
