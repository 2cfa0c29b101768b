"""Job: ``python -m evenhand.web.job VERB FORM`` answers one request, read from standard input."""

from __future__ import annotations

import sys

from evenhand.errors import EvenhandError
from evenhand.results.json import dumps
from evenhand.web.answers import VERBS, FieldError, written
from evenhand.web.command import limit
from evenhand.web.settings import Settings

REFUSED = 3
"""Exit code of a request that cannot be answered; standard output says why."""


def main(verb: str, form: str) -> int:
    """Answer on standard output."""
    settings = Settings.from_environment()
    limit(settings)
    shape, answer = VERBS[verb]
    body = shape.model_validate_json(sys.stdin.buffer.read())
    try:
        sys.stdout.write(written(answer(body, settings), form))
    except EvenhandError as e:
        field = e.field if isinstance(e, FieldError) else None
        sys.stdout.write(dumps({"message": str(e), "field": field}))
        return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
