"""``python -m evenhand.web.job VERB FORM`` answers one request, read from standard input."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from evenhand.errors import EvenhandError, MetricError
from evenhand.results.result import dumps
from evenhand.web.answers import VERBS, FieldError, written
from evenhand.web.command import limit
from evenhand.web.work import Settings

REFUSED = 3
"""Exit code of a request that cannot be answered; standard output says why."""


def main(verb: str, form: str) -> int:
    """Answer on standard output."""
    settings = Settings.from_environment()
    limit(settings)
    shape, answer = VERBS[verb]
    field: str | None
    try:
        body = shape.model_validate(json.loads(sys.stdin.buffer.read()))
        sys.stdout.write(written(answer(body, settings), form))
    except ValidationError as e:
        message, field = misfit(e.errors())
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as e:
        message, field = f"expected JSON, got something else: {e}", "body"
    except EvenhandError as e:
        message, field = why(e)
    else:
        return 0
    sys.stdout.write(dumps({"message": message, "field": field}))
    return REFUSED


def misfit(errors: Sequence[Any]) -> tuple[str, str]:
    """The first of what does not fit, in words and by its field: ``matrix.0.1``."""
    first = errors[0]
    inner = ("constrained", "list[", "dict[", "literal[", "function", "body")
    place = [str(w) for w in first["loc"] if not str(w).startswith(inner)]
    return first["msg"].removeprefix("Value error, "), ".".join(place) or "body"


def why(error: EvenhandError) -> tuple[str, str | None]:
    """What the library says of data that it cannot score, and the field if that is known."""
    if isinstance(error, FieldError):
        return str(error), error.field
    return str(error), "metrics" if isinstance(error, MetricError) else None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
