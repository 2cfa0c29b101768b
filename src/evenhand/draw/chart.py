"""Chart: a Vega-Lite specification that shows itself and saves itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evenhand.draw import render
from evenhand.draw.layout import NARROW, WIDE, Layout
from evenhand.draw.theme import SCHEMA, config
from evenhand.errors import InputError
from evenhand.files.whole import whole
from evenhand.results.json import encodable
from evenhand.results.page import chart_page
from evenhand.results.text import html_text

ENDINGS = (".svg", ".png", ".pdf", ".html", ".json")


@dataclass(frozen=True)
class Chart:
    """One picture: what to draw, and in words what it shows.

    ``spec`` is a Vega-Lite specification of plain lists and dictionaries, its data inside;
    ``note`` says how to read it, ``narrow`` draws the same for a phone.
    Saving as SVG, PNG, PDF or HTML needs ``pip install 'evenhand[plot]'``; JSON needs nothing.

    >>> import evenhand as eh
    >>> eh.plot.confusion([[6, 1], [2, 5]]).title
    'Confusions, % of each true class'
    """

    spec: dict[str, Any]
    title: str
    description: str
    note: str = ""
    narrow: dict[str, Any] | None = None

    @classmethod
    def drawn(
        cls, draw: Callable[[Layout], dict[str, Any]], title: str, description: str, note: str = ""
    ) -> Chart:
        """A chart that ``draw`` lays out for every width."""
        return cls(draw(WIDE), title, description, note, draw(NARROW))

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

    def to_svg(self) -> str:
        """A drawing for papers and pages, on white."""
        return render.svg(self.to_dict())

    def to_png(self, *, scale: float = 2) -> bytes:
        """Pixels, ``scale`` times the size of the drawing."""
        return render.png(self.to_dict(), scale)

    def to_pdf(self) -> bytes:
        """One page as large as the drawing, for LaTeX."""
        return render.pdf(self.to_dict())

    def to_html(self) -> str:
        """A page of its own that needs no network and follows light and dark mode."""
        return chart_page(self)

    def inline(self, name: str) -> str:
        """SVG for a page, one drawing a width: in the page's colours, its ids beginning with
        ``name``. Title and note are the page's to write.
        """
        label = html_text(f"{self.title}. {self.description}")
        widths = {"wide": self.spec} | ({} if self.narrow is None else {"narrow": self.narrow})
        return "".join(
            render.inline(
                render.svg(self._themed(_untitled(spec))), label, f"{name}{kind[0]}", kind
            )
            for kind, spec in widths.items()
        )

    @property
    def drawable(self) -> bool:
        """Whether it can be drawn here."""
        return render.available()

    def to_altair(self) -> Any:
        """An Altair chart, for those who want to go on; needs ``pip install altair``."""
        try:
            import altair
        except ImportError:
            raise InputError("to_altair needs Altair: pip install altair") from None
        return altair.Chart.from_dict(self.to_dict(), validate=False)

    def save(self, path: str | Path) -> None:
        """Write the chart as the ending of ``path`` says: .svg, .png, .pdf, .html or .json."""
        content = self.encoded(path)
        with whole(path) as part:
            part.write_bytes(content)

    def encoded(self, path: str | Path) -> bytes:
        """What a file with this ending holds."""
        made: str | bytes = getattr(self, f"to_{ending_of(path)[1:]}")()
        return made if isinstance(made, bytes) else made.encode("utf-8")

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """For notebooks: the specification, and a drawing where it can be made."""
        bundle: dict[str, Any] = {
            "application/vnd.vegalite.v5+json": self.to_dict(),
            "text/plain": repr(self),
        }
        if render.available():
            bundle["image/svg+xml"] = self.to_svg()
        return bundle

    def __repr__(self) -> str:
        return f"Chart({self.title!r}: {self.description})"


def ending_of(path: str | Path) -> str:
    """The ending that decides the format; an error that lists them if it is none of them."""
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"a chart's file must end in {', '.join(ENDINGS)}, got {str(path)!r}")
    return ending


def rows(values: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Data of a specification: plain values, undefined ones null."""
    return {"values": encodable(list(values))}


def _untitled(spec: dict[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in spec.items() if name != "title"}
