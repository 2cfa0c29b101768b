"""Words on pictures."""

from __future__ import annotations

from evenhand.notes.pictures import NotDrawn
from evenhand.results.words.say import says


@says(NotDrawn)
def _not_drawn(note: NotDrawn) -> str:
    return (
        "pictures were not drawn: vl-convert-python is not installed (pip install "
        "'evenhand[plot]'); the data and the Vega-Lite specifications were written"
    )
