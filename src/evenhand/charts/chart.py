"""Charts as Vega-Lite records that show and save themselves."""

from __future__ import annotations

import json
import math
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from importlib.util import find_spec
from itertools import chain, count
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from evenhand.catalogue.binding import per_class
from evenhand.catalogue.spelling import brief, spoken
from evenhand.core.registry import find
from evenhand.data.arguments import stack_of
from evenhand.errors import InputError
from evenhand.io.scratch import atomic_write
from evenhand.options import ValueObject, file_name, heading, real_number, some_of
from evenhand.records import Interval
from evenhand.results.page import LIGHT, chart_page
from evenhand.results.result import encodable
from evenhand.text import html_text, interval, listed, number, shortened, visible
from evenhand.text import width as columns

SERIES = [LIGHT[c] for c in ("blue", "orange", "green", "purple", "gold", "teal")]
DASHES = [[1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [4, 4], [1, 3]]
"""Lines differ in dash as well as in colour, for print without colour."""

FONT = "Arial, Helvetica, Liberation Sans, sans-serif"
SIZE = 12
"""Of all type but titles, in pixels of a drawing."""
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"


def config() -> dict[str, Any]:
    """How every chart is drawn unless it says otherwise."""
    words: dict[str, Any] = {"labelFont": FONT, "titleFont": FONT, "labelColor": LIGHT["ink"]}
    words |= {"titleColor": LIGHT["soft"], "labelFontSize": SIZE, "titleFontSize": SIZE}
    words |= {"titleFontWeight": "normal"}
    unlimited = {"labelLimit": 0, "titleLimit": 0}
    lines = dict.fromkeys(("domainColor", "tickColor", "gridColor"), LIGHT["line"])
    return {
        "font": FONT,
        "background": LIGHT["paper"],
        "padding": 8,
        "view": {"stroke": None},
        "axis": {**words, **lines, "gridOpacity": 0.6, **unlimited, "labelOverlap": False},
        "axisQuantitative": {"labelOverlap": True, "labelSeparation": 4},
        "legend": {**words, **unlimited, "orient": "top", "title": None},
        "title": {
            "font": FONT,
            "color": LIGHT["ink"],
            "subtitleColor": LIGHT["soft"],
            "subtitleFont": FONT,
            "anchor": "start",
            "frame": "group",
            "fontSize": 14,
            "subtitleFontSize": SIZE,
            "limit": 0,
            "offset": 10,
        },
        "text": {"font": FONT, "fontSize": SIZE, "color": LIGHT["ink"]},
        "range": {"category": SERIES},
    }


# Layout.

CHARACTER_WIDTH = 6.6
"""Pixels that a character takes on average in the size of the theme."""
PADDING = 24
"""Pixels around a plot and between it and its names."""


class ChartLayout(ValueObject):
    """The width of a whole drawing in pixels; ``stacked`` sets names above what they name.

    >>> WIDE.plot_width(["ten letter"]), NARROW.plot_width(["ten letter"])
    (690, 326)
    """

    width: int
    stacked: bool = False

    def plot_width(self, names: Iterable[str], *, right: int = 0) -> int:
        """What is left for a plot whose rows have these names, with ``right`` to spare."""
        return int(self.width - PADDING - right - (0 if self.stacked else pixels(names)))

    def step(self, high: int) -> int:
        """The height of a row with its name, where the row alone would have ``high``."""
        return high + 16 * self.stacked

    def cell(self, names: Iterable[str], cells: int, most: int) -> float:
        """How wide the cells of a table are whose rows have these names at the left."""
        return min(most, (self.width - PADDING - pixels(names)) / max(cells, 1))

    def name(self, wide: int) -> int:
        """How many columns a name at the left of a table may take."""
        return min(wide, 14) if self.stacked else wide

    def wrapped(self, text: str) -> Any:
        """Words as lines that fit, for a title."""
        lines = textwrap.wrap(text, int(self.width / CHARACTER_WIDTH), break_on_hyphens=False)
        return lines if len(lines) > 1 else text


Draw: TypeAlias = Callable[[ChartLayout], dict[str, Any]]
"""Lays a chart out for a width."""

WIDE, NARROW = ChartLayout(780), ChartLayout(350, stacked=True)
"""For a page or a screen; and for a phone."""

INCH = 72 * SIZE // 8
"""Pixels of a drawing in an inch of paper, where type has 8 points."""
WIDTHS = {"column": "3.03in", "page": "6.3in"}
"""Of papers: the narrowest column and page in use, so that no style shrinks the type."""


def inches(width: object) -> float:
    """The width of a chart in a paper.

    >>> inches("column"), inches("127mm")
    (3.03, 5.0)
    """
    text = WIDTHS.get(width, width) if isinstance(width, str) else ""
    size = re.fullmatch(r"(\d+\.?\d*|\.\d+)(in|cm|mm)", text.replace(" ", ""))
    wide = float(size[1]) / {"in": 1, "cm": 2.54, "mm": 25.4}[size[2]] if size else 0
    if not 2 <= wide <= 20:
        raise InputError(
            f"a width must be column, page, or 2 to 20 inches such as 3.3in or 84mm, got {width!r}"
        )
    return wide


def pixels(names: Iterable[str]) -> float:
    """How wide the longest of these names is."""
    return CHARACTER_WIDTH * max(map(columns, names), default=0)


# Names in charts.

NAME_COLUMNS = 28


def metric_names(metrics: Iterable[str], columns: int = 44) -> list[str]:
    """Metrics as a chart writes them: in the words of people.

    >>> metric_names(["macro_f1", "mcc@uniform"])
    ['Macro F1', 'MCC with equal classes']
    """
    return names(map(brief, metrics), columns)


def merged_names(
    groups: Sequence[Sequence[str]], why: str, columns: int = 44
) -> tuple[list[str], str]:
    """A name for each group of metrics that are drawn as one, and ``why`` with those meant.

    >>> merged_names([["accuracy", "micro_f1"], ["mcc"]], "Equal here")
    (['Accuracy (+1)', 'MCC'], ' Equal here: accuracy = micro F1.')
    """
    first = metric_names((group[0] for group in groups), columns)
    more = [f" (+{len(group) - 1})" if len(group) > 1 else "" for group in groups]
    merged = ([spoken(visible(brief(m))) for m in group] for group in groups if len(group) > 1)
    same = [f"{one} = {listed(rest, 2)}" for one, *rest in merged]
    words = f" {why}: {'; '.join(same)}." if same else ""
    return [a + b for a, b in zip(first, more, strict=True)], words


def names(labels: Iterable[object], columns: int = NAME_COLUMNS) -> list[str]:
    """Labels as a chart writes them: nothing steers the text, none is long, none coincide.

    >>> names(["a", "b" * 60], 9)
    ['a', 'bbbb…bbbb']
    >>> names(["x" * 50 + "1" + "x" * 50, "x" * 50 + "2" + "x" * 50], 9)
    ['xxxx…xxxx', 'xxxx…xxxx (2)']
    """
    unique: dict[str, None] = {}
    for label in labels:
        text = shortened(visible(str(label)).strip() or "(empty)", columns)
        each = chain([text], (f"{text} ({i})" for i in count(2)))
        unique[next(name for name in each if name not in unique)] = None
    return list(unique)


# Drawing with vl-convert.

VERSION = "5.20"
"""Of Vega-Lite; the newest that every vl-convert from 1.7 on brings along."""


def available() -> bool:
    """Whether charts can be drawn here."""
    return find_spec("vl_convert") is not None


def require() -> Any:
    """The module that draws, or an error that says what to install."""
    try:
        import vl_convert
    except ImportError:
        raise InputError(
            "drawing a chart needs vl-convert: pip install 'evenhand[plot]' (.json needs nothing)"
        ) from None
    return vl_convert


def _drawn(kind: str, spec: dict[str, Any], **options: Any) -> Any:
    convert = getattr(require(), f"vegalite_to_{kind}")
    return convert(spec, vl_version=VERSION, allowed_base_urls=[], **options)


_TAG = re.compile(r"<[^<>]+>")
_LABEL = re.compile(r'^<(path|rect|line|circle)\b.*? aria-label="([^"]*)".*?/>$', re.DOTALL)
_UNUSED = re.compile(
    rf' (?:font-size="{SIZE}px"|font-weight="normal"|stroke-width="1"'
    r'|role="graphics-(?:symbol|object|document)"|aria-roledescription="[^"]*"'
    r'|aria-hidden="true"|aria-label="[^"]*"|pointer-events="none"|font-family="[^"]*"'
    r'|opacity="1"|class="(?:mark-|role-|background|foreground)[^"]*")'
)
_TITLE = re.compile(r"<title>[^<]*</title>")
TYPE = f' font-family="{FONT}" font-size="{SIZE}px"'
"""Of all words in a drawing that have no other."""


def svg(spec: dict[str, Any]) -> str:
    """An SVG document without attributes that no reader uses, each mark's words as its title.

    Only tags are touched: between them stand labels, which are nobody's to change.
    """
    head, brace, body = _drawn("svg", spec).partition(">")
    return f"{head}{TYPE}{brace}{_TAG.sub(lambda m: _titled(m[0]), body)}"


def _titled(tag: str) -> str:
    label, short = _LABEL.match(tag), _UNUSED.sub("", tag)
    if label is None:
        return short
    name, words = label.groups()
    return f"{short.removesuffix('/>')}><title>{words}</title></{name}>"


SCALE = 1.34
"""A page's column against the widest drawing: there, type has the size of the page's."""


def inline(drawing: str, description: str, name: str, kind: str) -> str:
    """A drawing for a page: colours as variables of the page, ids of its own, words for all.

    ``description``, ``name`` and ``kind``, its class, must be escaped already. A phone has nothing
    to hover with, so that marks of a narrow drawing go without words.
    """
    head, _, body = drawing.partition(">")
    w, h = re.findall(r'(?:width|height)="([\d.]+)"', head)[:2]
    shown = f'width="{SCALE * float(w):.0f}" height="{SCALE * float(h):.0f}"'
    body = re.sub(r'<rect width="[\d.]+" height="[\d.]+" fill="[^"]*"/>', "", body, count=1)
    body = _TAG.sub(lambda m: _themed(m[0], name), body)
    if kind == "narrow":
        body = _TITLE.sub("", body)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" role="img"'
        f' aria-label="{description}" {shown} viewBox="0 0 {w} {h}"{TYPE}>{body}'
    )


_ROLES = {colour: f"var(--{role})" for role, colour in LIGHT.items()} | {"white": "var(--paper)"}
_COLOUR = re.compile(r'(?<=(?:fill|roke)=")[^"]+')  # of a stroke too: what is behind has one width


def _themed(tag: str, name: str) -> str:
    tag = _COLOUR.sub(lambda m: _ROLES.get(m[0].lower(), m[0]), tag)
    tag = re.sub(r' id="([^"]+)"', rf' id="{name}-\1"', tag)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", tag)


# The chart.

ENDINGS = (".svg", ".png", ".pdf", ".html", ".json")


class Chart(ValueObject):
    """One picture: what to draw, and in words what it shows.

    ``spec`` is a Vega-Lite specification of plain lists and dictionaries, its data inside;
    ``note`` says how to read it, ``narrow`` draws the same for a phone, ``draw`` for any width.
    Saving as SVG, PNG, PDF or HTML needs ``pip install 'evenhand[plot]'``; JSON needs nothing.
    For a paper, ``width`` is ``"column"``, ``"page"`` or such as ``"3.3in"``: the drawing is as
    wide as that, its type has 8 points, and its title is the paper's to write.

    >>> import evenhand as eh
    >>> eh.plot.confusion([[6, 1], [2, 5]]).title
    'Confusions, % of each true class'
    """

    spec: dict[str, Any]
    title: str
    description: str
    note: str = ""
    narrow: dict[str, Any] | None = None
    draw: Draw | None = field(default=None, compare=False, repr=False)

    @classmethod
    def drawn(cls, draw: Draw, title: str, description: str, note: str = "") -> Chart:
        """A chart that ``draw`` lays out for every width."""
        return cls(draw(WIDE), title, description, note, draw(NARROW), draw)

    def to_dict(self) -> dict[str, Any]:
        """The whole specification, title, theme and description included."""
        words = {"text": self.title, "subtitle": self.note}
        lines = {kind: WIDE.wrapped(text) for kind, text in words.items() if text}
        own = self.spec.get("title", {})
        return self._themed({**self.spec, "title": {**lines, **own}})

    def _themed(self, spec: dict[str, Any]) -> dict[str, Any]:
        return {"$schema": SCHEMA, "description": self.description, **spec, "config": config()}

    def to_json(self) -> str:
        """The specification for any Vega-Lite viewer."""
        return json.dumps(self.to_dict(), ensure_ascii=True, indent=1, allow_nan=False)

    def to_svg(self, *, width: str | None = None) -> str:
        """A drawing for papers and pages, on white."""
        return svg(self.to_dict()) if width is None else self._for_paper(inches(width))

    def to_png(self, *, scale: float = 2, width: str | None = None) -> bytes:
        """Pixels, ``scale`` times the size of the drawing; for a paper 600 an inch."""
        real_number(scale, "scale", "a number from 0.1 to 20", lambda x: 0.1 <= x <= 20)
        if width is not None:
            return bytes(require().svg_to_png(self.to_svg(width=width), scale=600 / 96))
        return bytes(_drawn("png", self.to_dict(), scale=float(scale)))

    def to_pdf(self, *, width: str | None = None) -> bytes:
        """One page as large as the drawing, for LaTeX."""
        if width is not None:
            return bytes(require().svg_to_pdf(self._for_paper(inches(width), "", 72)))
        return bytes(_drawn("pdf", self.to_dict()))

    def _for_paper(self, wide: float, unit: str = "in", per_inch: int = 1) -> str:
        """A drawing of so many inches: laid out again until it fits, in the middle."""
        have: float = round(wide * INCH)
        room = int(have)
        for _ in range(5):
            draw = self.draw or (lambda _: self.spec)
            spec = draw(ChartLayout(room, stacked=have < 5 * INCH))
            drawn = svg({**self._themed(spec), "title": None, "padding": 1})
            w, h = map(float, re.findall(r'(?:width|height)="([\d.]+)"', drawn)[:2])
            if w <= have:
                break
            room -= math.ceil(w - have)
        have = max(have, w)
        size = wide * per_inch
        shown = f'width="{size:g}{unit}" height="{h * size / have:.4f}{unit}" '
        shown += f'viewBox="{(w - have) / 2:g} 0 {have:g} {h:g}"'
        return re.sub(r'width="[\d.]+" height="[\d.]+" viewBox="[^"]*"', shown, drawn, count=1)

    def to_html(self) -> str:
        """A page of its own that needs no network and follows light and dark mode."""
        require()
        return chart_page(self)

    def inline(self, name: str) -> str:
        """SVG for a page, one drawing a width: in the page's colours, its ids beginning with
        ``name``; none where it cannot be drawn. Title and note are the page's to write.
        """
        label = html_text(f"{self.title}. {self.description}")
        drawings = []
        for kind, spec in (("wide", self.spec), ("narrow", self.narrow)):
            if spec is not None and available():
                drawn = svg(self._themed({part: v for part, v in spec.items() if part != "title"}))
                drawings.append(inline(drawn, label, f"{name}{kind[0]}", kind))
        return "".join(drawings)

    def save(self, path: str | Path, *, width: str | None = None) -> None:
        """Write the chart as the ending of ``path`` says: .svg, .png, .pdf, .html or .json."""
        form = ending_of(path, width)[1:]
        own = {} if width is None else {"width": width}
        content: str | bytes = getattr(self, f"to_{form}")(**own)
        with atomic_write(path) as part:
            part.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """For notebooks: the specification, and a drawing where it can be made."""
        bundle = {"application/vnd.vegalite.v5+json": self.to_dict(), "text/plain": repr(self)}
        return bundle | ({"image/svg+xml": self.to_svg()} if available() else {})

    def __repr__(self) -> str:
        return f"Chart({self.title!r}: {self.description})"


def ending_of(path: str | Path, width: str | None = None) -> str:
    """The ending that decides the format; an error that lists them if it is none of them."""
    ending = Path(file_name(path)).suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"a chart's file must end in {', '.join(ENDINGS)}, got {str(path)!r}")
    if width is not None and inches(width) and ending in (".html", ".json"):
        raise InputError(f"{ending} has no width: for a paper, save as .svg, .pdf or .png")
    return ending


def rows(values: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Data of a specification: plain values, undefined ones null."""
    return {"values": encodable(list(values))}


# Parts of Vega-Lite specifications.

Spec = dict[str, Any]


def nominal(field: str, **more: Any) -> Spec:
    """A field of the rows that has names."""
    return {"field": field, "type": "nominal", **more}


def quantity(field: str, **more: Any) -> Spec:
    """A field of the rows that has numbers."""
    return {"field": field, "type": "quantitative", **more}


TIP: Spec = dict.fromkeys(("tooltip", "description"), nominal("tip"))
"""Each mark says in words what it stands for: on hover, and to a screen reader."""

MIN_TEXT_STEP = 22
"""Pixels from which on a cell has room for a number."""

TEXT: Spec = {"text": nominal("text")}
"""What is written at a mark stands in its row."""


def named(field: str, names: Sequence[str], *, title: str | None = None, **axis: Any) -> Spec:
    """A discrete axis with exactly these names in this order."""
    look = {"ticks": False, "domain": False, "labelPadding": 6, "grid": False, **axis}
    return nominal(field, sort=None, scale={"domain": list(names)}, title=title, axis=look)


def lines(
    field: str, names: Sequence[str], layout: ChartLayout, *, above: int = 13, **axis: Any
) -> Spec:
    """Names of rows: at their left, or ``above`` the middle of each where there is no room."""
    if layout.stacked:
        axis |= {"labelAlign": "left", "labelPadding": 0, "labelOffset": -above, "title": None}
    return named(field, names, **axis)


def numbers(field: str, title: str | list[str] | None, **scale: Any) -> Spec:
    """A continuous axis."""
    ends = {"zero": False, "nice": True, **scale}
    return quantity(field, title=title, scale=ends, axis={"tickCount": 6})


def series(field: str, names: Sequence[str], out: Sequence[object], **more: Any) -> Spec:
    """A colour, dash or shape for each name."""
    return nominal(field, scale={"domain": list(names), "range": list(out)}, **more)


def either(test: str | Spec, yes: object, no: object) -> Spec:
    """One value where a row passes the test, another where it does not."""
    return {"condition": {"test": test, "value": yes}, "value": no}


def slant(names: Sequence[str], step: float) -> Spec:
    """How names stand under columns: upright where they fit, else on their side."""
    longest = max(map(len, names), default=0)
    if longest * CHARACTER_WIDTH <= step - 4:
        return {"labelAngle": 0}
    return {"labelAngle": -90 if step < 22 else -45, "labelAlign": "right"} | (
        {"labelBaseline": "middle"} if step < 22 else {}
    )


def layered(values: Sequence[Spec], width: Any, height: Any, *layer: Spec, **shared: Any) -> Spec:
    """Layers over rows of data; ``shared`` is what all of them have."""
    return {"data": rows(values), "width": width, "height": height, **shared, "layer": [*layer]}


def heat_map(
    values: Sequence[Spec], x: Spec, y: Spec, step: float, height: float, colour: Any, *under: Spec
) -> Spec:
    """Cells in shades of a colour by their ``shade``, 0 to 1, over the layers ``under``; their
    text stands where it has room.
    """
    scale = {"domain": [0, 1], "range": [0.04, 1]}
    opacity = quantity("shade", scale=scale, legend=None)
    fill = colour if isinstance(colour, dict) else {"value": colour}
    cells = {"mark": {"type": "rect"}, "encoding": {"fill": fill, "fillOpacity": opacity, **TIP}}
    layer, room = [*under, cells], min(step, height)
    if room >= MIN_TEXT_STEP:
        ink = either("datum.shade > 0.62", LIGHT["paper"], LIGHT["ink"])
        layer.append(text({}, {**TEXT, "color": ink}))
    return layered(values, {"step": step}, {"step": height}, *layer, encoding={"x": x, "y": y})


def interval_row(x: Interval, before: str, after: str = "", **fields: Any) -> Spec:
    """A row of data: a number with its interval, written at its mark and told in words."""
    tip = f"{before} {interval(x.value, x.low, x.high, 3)}{after}"
    return {**fields, **x.select("value low high"), "text": number(x.value, 3), "tip": tip}


def silent(kind: str, encoding: Spec, **mark: Any) -> Spec:
    """A layer of marks of a kind, of which screen readers hear nothing."""
    return {"mark": {"type": kind, **mark, "aria": False}, "encoding": encoding}


def between(axis: str, scale: Spec, encoding: Spec, **mark: Any) -> Spec:
    """A layer from ``low`` to ``high`` on one axis, in the rows that have an interval."""
    ends = {axis: {**scale, "field": "low"}, f"{axis}2": {"field": "high"}}
    style, known = {"type": "rule", "aria": False, **mark}, [{"filter": "isValid(datum.low)"}]
    return {"mark": style, "encoding": {**ends, **encoding}, "transform": known}


def points(encoding: Spec, **mark: Any) -> Spec:
    """A layer of dots that say what they stand for."""
    style = {"type": "point", "filled": True, "opacity": 1, **mark}
    return {"mark": style, "encoding": {**encoding, **TIP}}


def bars(
    values: Sequence[Spec], layout: ChartLayout, *, title: str, colour: str, name: str
) -> Spec:
    """A bar of ``value`` for each ``pair`` of classes, with its text at the end."""
    labels = [row["pair"] for row in values]
    x = quantity("value", title=title, axis={"tickCount": 4})
    right = int(pixels(row["text"] for row in values))
    return layered(
        values, layout.plot_width(labels, right=right), {"step": layout.step(24)} if values else 24,
        {"mark": {"type": "bar", "color": colour, "height": 14}, "encoding": TIP},
        text({"align": "left", "dx": 4}, TEXT),
        encoding={"y": lines("pair", labels, layout, above=15, title=name or None), "x": x},
    )  # fmt: skip


def dots(
    values: Sequence[Spec],
    field: str,
    names: Sequence[str],
    x: Spec,
    layout: ChartLayout,
    *,
    colour: Spec | None = None,
) -> Spec:
    """A dot on its interval for each row, named by ``field``, with its text at the end."""
    right = 0 if layout.stacked else 12 + int(pixels(row["text"] for row in values))
    inner = layout.plot_width(names, right=right)
    end: Spec = {"x": inner + 10, "align": "left"}
    if layout.stacked:  # on the line of the name
        end = {"x": inner, "align": "right", "dy": -13}
    paint = {"color": colour or {"value": LIGHT["blue"]}}
    marks = [
        between("x", x, paint, strokeWidth=2),
        points({"x": x, **paint}, size=50),
        text(end, TEXT),
    ]
    step = layout.step(24 if len(names) <= 60 else 16)
    y = lines(field, names, layout)
    return layered(values, inner, {"step": step}, *marks, encoding={"y": y})


SHAPES = ("circle", "square", "triangle-right", "diamond", "triangle-up", "cross")


def grouped_dots(
    values: Sequence[Spec],
    field: str,
    names: Sequence[str],
    by: str,
    order: Sequence[str],
    x: Spec,
    layout: ChartLayout,
    *under: Spec,
    title: str | None = None,
    **encoding: Any,
) -> Spec:
    """A dot on its interval for each of ``order`` in each row, in a colour and a shape of its own,
    over the layers ``under``.
    """
    several = len(order) > 1
    step = 18 if not several else 12 if len(names) <= 25 else 8
    legend = {"columns": int(layout.width // (pixels(order) + 40)) or 1} if several else None
    colour = series(by, order, SERIES[: len(order)], legend=legend)
    shape = series(by, order, SHAPES[: len(order)], legend=legend)
    y = lines(field, names, layout, above=step * len(order) // 2 + 8 * several + 1, title=title)
    offset = nominal(by, sort=None, scale={"domain": list(order)})
    inner = 0.42 if layout.stacked else 0.25
    y["scale"] |= {"paddingInner": inner, "paddingOuter": inner / 2}
    marks = [
        between("x", x, {"color": colour}, strokeWidth=1.5),
        points(
            {"x": x, "stroke": colour, "fill": colour, "shape": shape, **encoding},
            size=45, strokeWidth=1.5,
        ),
    ]  # fmt: skip
    rows = {"encoding": {"y": y, "yOffset": offset}, "layer": marks}
    height = {"step": step, "for": "offset"}
    return layered(values, layout.plot_width(names), height, *under, rows)


def text(mark: Spec, encoding: Spec, **more: Any) -> Spec:
    """A layer of words, silent to screen readers: the marks under it speak."""
    return {"mark": {"type": "text", "aria": False, **mark}, "encoding": encoding, **more}


DASHED: Spec = {"color": LIGHT["soft"], "strokeDash": [3, 3], "aria": False}


def dashed(*ends: Spec, **more: Any) -> Spec:
    """A dashed line through these points, silent to screen readers."""
    return {"data": {"values": list(ends)}, "mark": {"type": "line", **DASHED}, **more}


def rule_at(value: float, **mark: Any) -> Spec:
    """A line down the chart at one value."""
    style = {"type": "rule", **DASHED, **mark}
    return {"data": {"values": [{"at": value}]}, "mark": style, "encoding": {"x": quantity("at")}}


def bounded(metric: str) -> bool:
    """Whether a metric can stand on the axis of scores: it is neither a gain nor a gap."""
    record = find(metric.split("@")[0].split(":")[0])
    return record is None or (record.better != "neither" and record.high == 1)


def undefined_last(value: float) -> tuple[bool, float]:
    """What puts scores in order where some are undefined."""
    return math.isnan(value), value


# The chart of systems by classes.

MAX_SYSTEMS, MAX_CLASSES = 60, 50


def panel(data: Any, *, systems: list[str] | None = None, title: str | None = None) -> Chart:
    """The F1 of every class for every system, as shades: rows are systems, columns classes.

    Beyond 50 classes those with the most items are shown, beyond 60 systems the first.

    >>> import evenhand as eh
    >>> sample = eh.Sample.from_labels("aabb", {"A": list("aabb"), "B": list("abab")})
    >>> panel(sample).description
    'The lowest F1 is 0.50, of B on a and of B on b.'
    """
    tables = stack_of(data)
    available_systems = [str(k) for k in tables.keys[0]]
    order = available_systems if systems is None else some_of(systems, available_systems, "systems")
    at = [available_systems.index(s) for s in order][:MAX_SYSTEMS]
    f1 = np.asarray(per_class("f1", tables, undefined=0.0), np.float64)[at]
    size = np.asarray(tables.prevalence, np.float64)[at[0]]
    shown = np.sort(np.argsort(-size, kind="stable")[:MAX_CLASSES])
    columns = names([tables.labels[j] for j in shown], 20)
    lines = names(order[:MAX_SYSTEMS])
    f1 = f1[:, shown]

    def draw(layout: ChartLayout) -> Spec:
        rows = names(order[:MAX_SYSTEMS], layout.name(NAME_COLUMNS))
        values = [
            {
                "system": rows[i],
                "label": columns[j],
                "shade": x**2,
                "text": f"{x:.2f}".replace("0.", "."),
                "tip": f"{lines[i]}, {columns[j]}: F1 {x:.3f}",
            }
            for (i, j), x in np.ndenumerate(f1)
        ]
        step, high = layout.cell(rows, len(columns), 150), 24 if len(lines) <= 30 else 15
        x = named("label", columns, orient="bottom", **slant(columns, step))
        return heat_map(values, x, named("system", rows), step, high, LIGHT["green"])

    low = float(f1.min())
    worst = [f"of {lines[i]} on {columns[j]}" for i, j in np.argwhere(f1 == low)[:2]]
    description = f"The lowest F1 is {low:.2f}, {' and '.join(worst)}."
    return Chart.drawn(draw, heading(title, "F1 of every class for every system"), description)
