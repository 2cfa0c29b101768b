"""The packages, read from the code: a table for docs/design.md, and a picture."""

from __future__ import annotations

import ast
import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "evenhand"
LAYERS = runpy.run_path(str(ROOT / "tests" / "structure" / "layers.py"))["LAYERS"]

CELL, LEFT, TOP = 20, 96, 84
INK, SOFT, LINE, ENTRY = "#1f4e8c", "#5b6570", "#e3e8ee", "#b35900"


def files_of(package: str) -> list[Path]:
    """The files of a package, the front one first."""
    return sorted(SOURCE.glob(f"{package}/**/*.py")) or [SOURCE / f"{package}.py"]


def used_by(package: str) -> list[str]:
    """The packages that a package imports from, lowest first."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in files_of(package))
    used = set(re.findall(r"^ *(?:from|import) evenhand\.(\w+)", text, re.MULTILINE))
    return [r for layer in LAYERS for r in layer if r in used and r != package]


def packages_part() -> str:
    """The packages, what each knows, and which it imports from, read from the code."""
    lines = ["| package | knows | imports from |", "| --- | --- | --- |"]
    for package in (package for layer in LAYERS for package in layer):
        front = SOURCE / package / "__init__.py"
        path = front if front.exists() else files_of(package)[0]
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        summary = " ".join((docstring or "").split("\n\n")[0].split())
        lines.append(f"| `{package}` | {summary} | {', '.join(used_by(package))} |")
    below = " → ".join("{" + ", ".join(x) + "}" if len(x) > 1 else x[0] for x in reversed(LAYERS))
    return "\n".join([*lines, "", f"Imports point one way: {below}."])


def drawing() -> str:
    """A row a package, lowest first; a dot in the column of each package that it imports from.

    Every dot is left of the diagonal, or an open one: an entry point, imported when it is called.
    """
    packages = [package for layer in LAYERS for package in layer]
    place = {package: i for i, package in enumerate(packages)}
    size = CELL * len(packages)
    parts = []
    at = 0
    for layer in LAYERS:  # packages of one layer do not import each other
        side = CELL * len(layer)
        where = f'x="{LEFT + at}" y="{TOP + at}"'
        parts.append(f'<rect {where} width="{side}" height="{side}" fill="{LINE}"/>')
        at += side
    for package, i in place.items():
        y, x = TOP + i * CELL, LEFT + i * CELL
        parts += [
            f'<path d="M{LEFT},{y + CELL}h{size}M{x + CELL},{TOP}v{size}" stroke="{LINE}"/>',
            f'<text x="{LEFT - 6}" y="{y + 14}" text-anchor="end">{package}</text>',
            f'<text transform="translate({x + 14},{TOP - 6}) rotate(-60)">{package}</text>',
        ]
        for other in used_by(package):
            j = place[other]
            fill = INK if j < i else "none"
            parts.append(
                f'<circle cx="{LEFT + j * CELL + 10}" cy="{y + 10}" r="5" fill="{fill}" '
                f'stroke="{INK if j < i else ENTRY}">'
                f"<title>{package} imports {other}</title></circle>"
            )
    whole, high = LEFT + size + 50, TOP + size + 30
    said = "row imports column; grey: one layer, whose packages do not import each other"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {high}" width="{whole}" '
        f'height="{high}" font-family="sans-serif" font-size="12" fill="{INK}" role="img">'
        "<title>The packages: each imports only from those before it</title>"
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}'
        f'<text x="{LEFT}" y="{high - 10}" fill="{SOFT}">{said}; open: an entry point'
        "</text></svg>\n"
    )
