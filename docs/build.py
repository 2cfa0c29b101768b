"""Write the generated pages of the documentation: ``make docs``, checked by a test."""

from __future__ import annotations

import sys
from pathlib import Path

from evenhand.catalogue import metrics, property_lines
from evenhand.format.catalogue import extent
from evenhand.format.text import markdown

PAGES = Path(__file__).parent


def metrics_page() -> str:
    """The catalogue with formula, range, properties and reference of each metric."""
    lines = [
        "# Metrics",
        "",
        "Made from the registry by `make docs`. Write them anywhere a metric name goes; see",
        "[conventions](conventions.md) for parameters, single classes and calibration. Examples",
        "are values on the table `[[6, 1, 1], [1, 5, 2], [2, 3, 7]]` (rows = true), for one-class",
        "metrics of its third class, for multi-label ones of",
        '`[{"a"}, {"a", "b"}]` against `[{"a"}, {"b", "c"}]`.',
        "",
        "| metric | symbol | range | example | what |",
        "| --- | --- | --- | ---: | --- |",
    ]
    for m in metrics().values():
        example = "" if m.example is None else f"{m.example:.4f}"
        lines.append(
            f"| [`{m.name}`](#{m.name}) | {m.symbol} | {extent(m)} | {example} | "
            f"{markdown(m.summary)} |"
        )
    for m in metrics().values():
        lines += ["", f"## {m.name}", "", m.summary, "", f"    {m.formula}", ""]
        facts = [
            ("also called", ", ".join(f"`{a}`" for a in m.aliases)),
            ("range", f"{extent(m)}, better: {m.better}"),
            ("signature", f"`{m.signature}`"),
            ("parameters", ", ".join(f"`{k}` ({v:g})" for k, v in m.parameters.items())),
            ("tasks", ", ".join(f"{t}-label" for t in sorted(m.tasks))),
            *((name, markdown(text)) for name, text in property_lines(m)),
            ("reference", markdown(m.reference)),
        ]
        lines += [f"- {name}: {text}" for name, text in facts if text]
    return "\n".join(lines) + "\n"


BUILT = {"metrics.md": metrics_page}


def main() -> None:
    """Write every page; with ``--check``, only say whether they are current."""
    stale = []
    for name, page in BUILT.items():
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
