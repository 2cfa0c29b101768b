"""The picture of rooms and imports, drawn from the code: docs/pictures/rooms.svg."""

from __future__ import annotations

from build import LAYERS, used_by

CELL, LEFT, TOP = 20, 96, 84
INK, SOFT, LINE, DOOR = "#1f4e8c", "#5b6570", "#e3e8ee", "#b35900"


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
