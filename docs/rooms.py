"""The rooms of the house, read from the code: a table for docs/design.md, and a picture."""

from __future__ import annotations

import ast
import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "evenhand"
LAYERS = runpy.run_path(str(ROOT / "tests" / "structure" / "rooms.py"))["LAYERS"]

CELL, LEFT, TOP = 20, 96, 84
INK, SOFT, LINE, DOOR = "#1f4e8c", "#5b6570", "#e3e8ee", "#b35900"


def files_of(room: str) -> list[Path]:
    """The files of a room, the front one first."""
    return sorted(SOURCE.glob(f"{room}/**/*.py")) or [SOURCE / f"{room}.py"]


def used_by(room: str) -> list[str]:
    """The rooms that a room imports from, lowest first."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in files_of(room))
    used = set(re.findall(r"^ *(?:from|import) evenhand\.(\w+)", text, re.MULTILINE))
    return [r for layer in LAYERS for r in layer if r in used and r != room]


def rooms_part() -> str:
    """The rooms, what each knows, and which it imports from, read from the code."""
    lines = ["| room | knows | imports from |", "| --- | --- | --- |"]
    for room in (room for layer in LAYERS for room in layer):
        front = SOURCE / room / "__init__.py"
        path = front if front.exists() else files_of(room)[0]
        told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        said = " ".join((told or "").split("\n\n")[0].split())
        lines.append(f"| `{room}` | {said} | {', '.join(used_by(room))} |")
    below = " → ".join("{" + ", ".join(x) + "}" if len(x) > 1 else x[0] for x in reversed(LAYERS))
    return "\n".join([*lines, "", f"Imports point one way: {below}."])


def drawing() -> str:
    """A row a room, lowest first; a dot in the column of each room that it imports from.

    Every dot is left of the diagonal, or an open one: a door, imported when it is called.
    """
    rooms = [room for layer in LAYERS for room in layer]
    place = {room: i for i, room in enumerate(rooms)}
    size = CELL * len(rooms)
    parts = []
    at = 0
    for layer in LAYERS:  # rooms of one layer do not import each other
        side = CELL * len(layer)
        where = f'x="{LEFT + at}" y="{TOP + at}"'
        parts.append(f'<rect {where} width="{side}" height="{side}" fill="{LINE}"/>')
        at += side
    for room, i in place.items():
        y, x = TOP + i * CELL, LEFT + i * CELL
        parts += [
            f'<path d="M{LEFT},{y + CELL}h{size}M{x + CELL},{TOP}v{size}" stroke="{LINE}"/>',
            f'<text x="{LEFT - 6}" y="{y + 14}" text-anchor="end">{room}</text>',
            f'<text transform="translate({x + 14},{TOP - 6}) rotate(-60)">{room}</text>',
        ]
        for other in used_by(room):
            j = place[other]
            fill = INK if j < i else "none"
            parts.append(
                f'<circle cx="{LEFT + j * CELL + 10}" cy="{y + 10}" r="5" fill="{fill}" '
                f'stroke="{INK if j < i else DOOR}"><title>{room} imports {other}</title></circle>'
            )
    whole, high = LEFT + size + 50, TOP + size + 30
    said = "row imports column; grey: one layer, whose rooms do not import each other"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {high}" width="{whole}" '
        f'height="{high}" font-family="sans-serif" font-size="12" fill="{INK}" role="img">'
        "<title>The rooms of the house: each imports only from rooms before it</title>"
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}'
        f'<text x="{LEFT}" y="{high - 10}" fill="{SOFT}">{said}; open: a door</text></svg>\n'
    )
