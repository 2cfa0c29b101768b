"""Draw the poster 'Which macro F1 did you use?', one page as SVG and PDF: ``make pictures``."""

import re
from html import escape
from pathlib import Path

import evenhand as eh
from evenhand.charts.chart import FONT, Chart, require
from evenhand.papers.two_macro_f1 import TABLE_3
from evenhand.results.page import LIGHT

OUT = Path(__file__).parent / "pictures"
WIDTH, HEIGHT, LEFT, HALF = 595, 842, 40, 305
"""A4 in points, its margin, and where its right half begins."""


READING = """Each class is a dot: recall across,
precision up. The ring is the
average of the dots.

The mean of F1 is the mean of the
curves that the dots lie on; the F1
of averages is the ring’s curve.

Here the ring floats where no
class is: each dot is bad, their
average is not.

Above the diagonal a class is
predicted too rarely, below it
too often."""
BOUND = """The F1 of averages is never the smaller one. The gap is below 1/2, and for an odd number
k of classes below (k² − 1) / 2k²; it comes from pairs of classes that lean opposite ways."""
FOOTNOTE = """‘Macro F1 is the mean of the per-class F1 (Opitz & Burst 2019, eq. 2), over the
classes that occur in the truth; 0/0 counts as 0.’  evenhand score --footnote writes it for you."""


def words(x: float, y: float, text: str, size: int = 12, colour: str = "ink", **more: str) -> str:
    """Lines of text."""
    style = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in more.items())
    style += f' x="{x}" font-size="{size}" fill="{LIGHT[colour]}"'
    return "".join(
        f'<text y="{y + 1.45 * size * i:g}"{style}>{escape(line)}</text>'
        for i, line in enumerate(text.splitlines())
    )


def formula(x: float, colour: str, name: str, symbols: str, meaning: str) -> str:
    """One of the two formulas, under a line of its colour."""
    line = f'<rect x="{x}" y="112" width="250" height="4" fill="{LIGHT[colour]}"/>'
    bold = words(x, 136, name, 15, font_weight="bold")
    return line + bold + words(x, 161, symbols, 13) + words(x, 182, meaning)


def table(x: float, y: float) -> str:
    """Table 3: rows are true, columns predicted."""
    cells = "".join(
        f'<rect x="{x + 80 * j + 70}" y="{y + 30 * i}" width="78" height="28" rx="4" fill="none" '
        f'stroke="{LIGHT["line"]}"/>'
        + words(x + 80 * j + 140, y + 30 * i + 19, f"{TABLE_3[i][j]:,}", 13, text_anchor="end")
        for i in (0, 1)
        for j in (0, 1)
    )
    rows = "".join(words(x, y + 30 * i + 19, f"true {'ab'[i]}") for i in (0, 1))
    heads = "".join(
        words(x + 80 * j + 75, y - 6, f"predicted {'ab'[j]}", 11, "soft") for j in (0, 1)
    )
    return rows + heads + cells


def poster() -> str:
    """The page."""
    both = eh.twins(TABLE_3)
    chart = eh.plot.ring(eh.Confusion.from_matrix(TABLE_3, labels=["a", "b"]))
    picture = Chart(chart.spec, "", chart.description).to_svg()
    fitted = re.sub(
        r'<svg( [^>]*?) width="\d+" height="\d+"',
        rf'<svg x="{LEFT}" y="404" width="330" height="372"\1',
        picture,
        count=1,
    )
    lead = "Two formulas share the name. The same predictions, two different numbers."
    first = "every class has its own F1 first,\nthen they are averaged"
    second = "precision and recall are averaged first,\nthen one F1 is made of both"
    of_averages = "2 · mean P · mean R / (mean P + mean R)"
    parts = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{LIGHT["paper"]}"/>',
        words(LEFT, 62, "Which macro F1 did you use?", 32, font_weight="bold"),
        words(LEFT, 88, lead, 14, "soft"),
        formula(LEFT, "blue", "Mean of the classes’ F1", "(F1 of a + F1 of b + …) / k", first),
        formula(HALF, "orange", "F1 of the averages", of_averages, second),
        words(LEFT, 246, "One table, almost half of the scale apart", 15, font_weight="bold"),
        table(LEFT, 276),
        words(HALF, 284, f"{both.macro_f1:.2f}", 30, "blue", font_weight="bold"),
        words(HALF + 75, 284, "mean of the classes’ F1"),
        words(HALF, 324, f"{both.f1_of_averages:.2f}", 30, "orange", font_weight="bold"),
        words(HALF + 75, 324, "F1 of the averages"),
        words(LEFT, 358, BOUND, 11, "soft"),
        words(LEFT, 400, "The ring and the dots", 15, font_weight="bold"),
        fitted,
        words(385, 446, READING),
        words(LEFT, 796, FOOTNOTE, 11, "soft"),
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
    head += f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="{FONT}" role="img" '
    head += (
        'aria-label="Which macro F1 did you use? Two formulas, one table, the ring and the dots.">'
    )
    return head + "\n".join(parts) + "</svg>\n"


def main() -> None:
    """Both files."""
    drawing = poster()
    (OUT / "poster.svg").write_text(drawing, encoding="utf-8")
    (OUT / "poster.pdf").write_bytes(require().svg_to_pdf(drawing))
    print("docs/pictures/poster.svg, poster.pdf")


if __name__ == "__main__":
    main()
