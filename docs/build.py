"""Write the generated pages of the documentation: ``make docs``, checked by a test."""

from __future__ import annotations

import re
import sys
from dataclasses import fields
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from executed import BLOCK, executed
from founding import papers_page, words_page
from json_schemas import OUTPUTS, schema_text
from layers import drawing, packages_part
from map import folder
from walk import walk_part

from evenhand.auditing import reported as of_audits
from evenhand.catalogue.binding import worked_example
from evenhand.catalogue.descriptions import ADVICE, advice_on, meaning_lines, property_lines
from evenhand.catalogue.lists import table_metrics
from evenhand.catalogue.names import names_elsewhere
from evenhand.catalogue.spelling import written
from evenhand.core.registry import Metric, score_metrics
from evenhand.io import logs as of_logs
from evenhand.papers import figures as of_figures
from evenhand.results.metric_pages import extent
from evenhand.scoring import agreement as of_annotators
from evenhand.scoring import judged as of_judges
from evenhand.shift import warnings as of_mixes
from evenhand.text import markdown
from evenhand.warnings import Note, ResultWarning

PAGES = Path(__file__).parent


def metrics_page() -> str:
    """The catalogue with formula, range, properties and reference of each metric."""
    lines = [
        "# Metrics",
        "",
        "Made from the registry by `make docs`. Write them anywhere a metric name goes; see",
        "[conventions](concepts.md#conventions) for parameters, single classes and calibration. "
        "Examples",
        "are values on the table `[[6, 1, 1], [1, 5, 2], [2, 3, 7]]` (rows = true), for one-class",
        "metrics of its third class, for multi-label ones of",
        '`[{"a"}, {"a", "b"}]` against `[{"a"}, {"b", "c"}]`, for [those of',
        "probabilities](probabilities.md) of 0.1, 0.4, 0.35 and 0.8 for items of classes 0 0 1 1.",
        "",
        "Of every metric of one class x there are `macro_x` (with the generalised mean `p`, where",
        "x has two ends and none below 0), `micro_x` and `weighted_x`. Names of other libraries",
        "find their metric, whatever case, spaces, hyphens and kinds of prime. TP, FP, FN and TN",
        "are a class's hits, false alarms, misses and the rest; s is all items, m a cell. Verbal",
        "scales (slight, fair, substantial) are not offered: they are nobody's measurement.",
        "",
        "| metric | symbol | range | example | what |",
        "| --- | --- | --- | ---: | --- |",
    ]
    every = [*table_metrics().values(), *score_metrics()]
    for m in every:
        example = f"{worked_example(m):.4f}"
        lines.append(
            f"| [`{m.name}`](#{m.name}) | {m.symbol} | {extent(m)} | {example} | "
            f"{markdown(m.summary)} |"
        )
    for m in every:
        lines += ["", f"## {m.name}", "", *metric_part(m)]
    return "\n".join(lines) + "\n"


def metric_part(m: Metric) -> list[str]:
    """What the registry says of a metric."""
    facts = [
        ("also called", ", ".join(f"`{a}`" for a in m.aliases)),
        ("elsewhere", markdown(names_elsewhere().get(m.name, ""))),
        ("range", f"{extent(m)}, better: {m.better}"),
        ("signature", f"`{m.signature}`"),
        ("parameters", ", ".join(f"`{k}` ({written(v)})" for k, v in m.parameters.items())),
        ("tasks", ", ".join(f"{t}-label" for t in sorted(m.tasks))),
        *((name, markdown(text)) for name, text in meaning_lines(m)),
        *((name, markdown(text)) for name, text in property_lines(m)),
        ("reference", markdown(m.reference)),
        ("in the papers", markdown(", ".join(m.words))),
        *(("recommended", markdown(str(a))) for a in advice_on([m.name])),
    ]
    told = [f"- {name}: {text}" for name, text in facts if text]
    return [m.summary, "", f"    {m.formula}", "", *told]


def renewed(page: str, part: str, text: str) -> str:
    """A page as it is, with one part of it made again."""
    before, mark, rest = (PAGES / page).read_text(encoding="utf-8").partition(f"<!-- {part} -->\n")
    return f"{before}{mark}{text}\n<!-- /{part} -->{rest.partition(f'<!-- /{part} -->')[2]}"


def design_page() -> str:
    """The page as it is, with the part on packages made again."""
    return renewed("design.md", "packages", packages_part())


def walk_page() -> str:
    """The walk of one row, with every file and function that it passes."""
    return renewed("walk.md", "walk", walk_part())


def choosing_page() -> str:
    """The guide to metrics, with what the authors recommend."""
    return renewed("choosing.md", "recommended", "\n".join(f"- {markdown(str(a))}" for a in ADVICE))


def schemas_page() -> str:
    """The list of schemas, each with a command."""

    commands = {name: given[0].partition(" --metric")[0] for name, given in OUTPUTS.items()}
    rows = [f"- [{n}.json](schemas/{n}.json): `evenhand {c}`" for n, c in commands.items()]
    return renewed("schemas.md", "schemas", "\n".join(rows))


def json_page() -> str:
    """The keys of JSON, with the code of every warning."""
    assert of_mixes and of_audits and of_figures and of_logs  # whose warnings are in the list too
    assert of_annotators and of_judges
    kinds = {*ResultWarning.__subclasses__(), *Note.__subclasses__()} - {Note}
    warnings = (kind for kind in kinds if not kind.is_record)
    kinds = sorted(warnings, key=lambda kind: kind.code)
    rows = ["| code | when | facts |", "| --- | --- | --- |"]
    for kind in kinds:
        when = (kind.__doc__ or "").partition("\n")[0].replace("``", "`")
        when = f"note: {when}" if issubclass(kind, Note) else when
        facts = ", ".join(f"`{field.name}`" for field in fields(kind))
        rows.append(f"| `{kind.code}` | {when} | {facts} |")
    return renewed("json.md", "codes", "\n".join(rows))


def properties_page() -> str:
    """Table 5 of Opitz (2022) for every metric, with the evidence."""
    from evenhand.properties import registered, table

    intro = """# Properties

Made by `make docs`, with `evenhand properties`. Five properties by which Opitz (2022) judges a
metric, each with evidence:

- **I monotonicity**: a right prediction never lowers the score, a wrong one never raises it.
- **II class sensitivity**: hits, or errors, of different classes can weigh differently.
- **III class decomposability**: it is a generalised mean over classes of a score of each class.
- **IV prevalence invariance**: it stays when a class becomes more or less frequent.
- **V chance correction**: the best random classifier's score is a function c(k) of the number of
  classes alone; *strict* if every random classifier scores c, *complete* if c does not depend on k.

A property that is *refuted* comes with the smallest tables found that show it, those without an
empty class first. *Derived* means that a search found nothing against it and a derivation says why
there is nothing to find; the registry has the derivations, and a test holds every one of them
against the search. What is only *not refuted* is not claimed: so it is with functions of your own.

```console
evenhand properties
evenhand properties mcc kappa
evenhand properties macro_fbeta:beta=2 macro_f1@uniform
evenhand properties mymetrics:macro_jaccard --format json
```

Without a metric it lists what the catalogue says of all, at once and without a search; `--all`
searches for every metric. `mymetrics:macro_jaccard` is a function of yours, of `Counts` or of a
matrix (rows = true). In Python: `eh.properties.check(metric, sizes=(2, 3, 4), seed=0)`,
`eh.properties.table()`.

`eh.properties.find("disagree", "accuracy", "macro_f1", k=3, n=60)` finds tables of two systems on
the same items that two metrics order differently; `"alike"` those where one metric stays and the
other falls; `"gap"` the table with the two macro F1s furthest apart. [Play](web.md) asks the same.

How the search works: all small tables up to renaming of classes, then random larger ones, as one
stack; what is found is
certified in exact fractions, on which the same kernels run, and made smaller while it still shows
the same. III goes by interactions: adding an item must change some power of the score by the same
amount whether or not an item was added in a cell without a common class. V goes by products of a
class mix and a random classifier, on a grid with its corners and then by local search. Every class
is averaged throughout, and 0/0 counts as 0. Tables below have true classes as rows.
"""
    found = table(metrics=[*registered(), *CALIBRATED])
    return f"{intro}\n{found.to_markdown()}\n"


CALIBRATED = [
    f"{name}@uniform"
    for name in ("accuracy", "kappa", "mcc", "macro_precision", "macro_f1", "f1_of_averages")
]


def readme_page() -> str:
    """The README with the number of claims that there are."""
    from evenhand.papers.claims import all_claims

    text = (PAGES / README).read_text(encoding="utf-8")
    return re.sub(r"\d+(?= claims recomputed)", str(len(all_claims())), text)


def readme_run() -> str:
    """The README with its examples run again too."""
    with folder() as place:
        return executed(readme_page(), place)


def redone_page(name: str) -> str:
    """A page with its examples run again; one that needs torch stays where there is none."""
    text = (PAGES / name).read_text(encoding="utf-8")
    if needs_torch(text) and find_spec("torch") is None:
        return text
    with folder() as place:
        return executed(text, place)


def needs_torch(text: str) -> bool:
    """Whether the examples of a page import torch."""
    return bool(re.search(r"^>>> .*import .*torch", text, re.MULTILINE))


def shown() -> list[str]:
    """The pages that show what commands and Python print."""
    pages = sorted(path.relative_to(PAGES).as_posix() for path in PAGES.rglob("*.md"))
    return [name for name in pages if BLOCK.search((PAGES / name).read_text(encoding="utf-8"))]


README = "../README.md"
BUILT = {
    "choosing.md": choosing_page,
    "design.md": design_page,
    "json.md": json_page,
    "metrics.md": metrics_page,
    "pictures/layers.svg": drawing,
    README: readme_page,
    "schemas.md": schemas_page,
    **{f"schemas/{name}.json": partial(schema_text, name) for name in OUTPUTS},
    "words.md": words_page,
}
SLOW = {
    README: readme_run,
    **{name: partial(redone_page, name) for name in shown()},
    "properties.md": properties_page,
    "papers.md": papers_page,
    "walk.md": walk_page,
}
"""A minute of running, searching and simulating: not part of ``--check``."""


def main() -> None:
    """Write every page; with ``--check``, only say whether the quick ones are current."""
    stale = []
    for name, page in (BUILT if "--check" in sys.argv else BUILT | SLOW).items():
        text = page()
        path = PAGES / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if "--check" not in sys.argv:
                path.write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv:
        sys.exit(f"docs are not current: {', '.join(stale)}; run make docs")


if __name__ == "__main__":
    main()
