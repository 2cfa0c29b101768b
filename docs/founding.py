"""The pages on the founding documents: every claim recomputed, and the papers' words."""

from __future__ import annotations

import re
from pathlib import Path

from evenhand.catalogue.lists import search, table_metrics
from evenhand.catalogue.names import having
from evenhand.errors import MetricError
from evenhand.text import markdown

PAGES = Path(__file__).parent
REDONE = {
    "000": "papers/opitz-burst-2019.md",
    "001": "papers/weighted-metrics-note.md",
    "002": "papers/shmueli-2019.md",
    "003": "papers/opitz-2022.md",
    "004": "papers/opitz-burst-2019.md#the-other-rendering",
}
"""The page that redoes each document."""
WORDS = ("bias", "prevalence", "macF1'", "RMSD", "inter-annotator", "class bags", "mf1", "λ")
"""Words of the papers that no metric has as its own, or has among others."""
FEW = 4
"""How many metrics and sections a word leads to."""


def papers_page() -> str:
    """Every claim of the founding documents, recomputed."""
    from evenhand.papers import Claims, recompute
    from evenhand.papers.claims import DOCUMENTS
    from evenhand.results.result import in_format

    lines = [
        "# The founding documents, recomputed",
        "",
        "Made by `make docs` with `evenhand papers`. A claim *holds*, perhaps *with a remark*, is",
        "a *misprint* (a corrected form holds), *fails as printed*, is damage of the *rendering*",
        "(another copy of the document has it right) or *cannot be checked*, because what it rests",
        "on is not printed. Each verdict is computed when asked; none is stored, but for the few",
        "whose basis is *read by eye*. `evenhand papers WORD…` finds claims by id,",
        "document, section and words (`evenhand papers Opitz 2022 calibration`),",
        "`evenhand papers figure 2a` what is said of a figure. With `--output DIR`,",
        "`papers figures` redraws all figures from fresh simulation, `papers figure 2a` that one.",
        "`papers --errata --format latex` (or markdown) is the list of what to correct.",
        "",
        *(f"- {key}: {d}: [redo it]({REDONE[key]})" for key, d in DOCUMENTS.items()),
        "",
        "[The papers' words](words.md) lead from their names for things to metrics and sections.",
        "Tables in the evidence have true classes as rows; 000, 003 and 004 print the transpose.",
    ]
    found = recompute()
    lines += ["", f"**{markdown(found.summary)}**"]
    for key, document in DOCUMENTS.items():
        own = Claims(tuple(j for j in found.judged if j.claim.id.startswith(key)))
        lines += ["", f"## {document}", "", in_format(own.content(full=True), "markdown")]
    return "\n".join(lines) + "\n"


def sections(name: str) -> dict[tuple[str, str], str]:
    """The text of each section of a page, by heading and address."""
    parts = re.split(r"^## (.*)\n", (PAGES / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    heads = zip(parts[1::2], parts[2::2], strict=True)
    return {(head, f"{name}#{address(head)}"): in_format for head, in_format in heads}


def address(heading: str) -> str:
    """What a heading is called in a link."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def words_page() -> str:
    """The papers' words, each with its metrics and the sections that redo it."""
    pages = sorted({page.partition("#")[0] for page in REDONE.values()})
    texts = {key: in_format for page in pages for key, in_format in sections(page).items()}
    heads = {key: key[0] for key in texts}
    lines = [
        "# The papers' words",
        "",
        "Made by `make docs` from the registry and the pages that redo the papers. On the command",
        "line `evenhand metrics WORD` and `evenhand papers WORD` find the metric and the claims.",
        "",
        "| word | metric | where it is redone |",
        "| --- | --- | --- |",
    ]
    own = {word for m in table_metrics().values() for word in m.words}
    for word in sorted({*own, *WORDS}, key=str.lower):
        try:
            found = sorted(search(word.split()), key=lambda m: word not in m.words)
        except MetricError:
            found = []
        named = ", ".join(f"[`{m.name}`](metrics.md#{m.name})" for m in found[:FEW])
        where = having([word], heads, texts)[:FEW]
        led = "; ".join(f"[{markdown(head)}]({link})" for head, link in where)
        lines.append(f"| {markdown(word)} | {named} | {led} |")
    return "\n".join(lines) + "\n"
