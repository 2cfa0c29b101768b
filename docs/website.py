"""Build the site: ``make docs``. Pages are gathered, the reference is made, Sphinx does the rest.

Pages stay plain Markdown that also reads on a code host: what a site needs beyond that (the
navigation, from docs/index.md; links to files outside docs) is added to copies of them.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

from behaviour import behaviour
from build import metric_part
from reference import command_page, python_pages

import evenhand as eh
from evenhand.catalogue.lists import table_metrics
from evenhand.catalogue.spelling import title as display_title
from evenhand.cli import every_command
from evenhand.core.properties import NAMES
from evenhand.core.registry import Metric, score_metrics

DOCS = Path(__file__).parent
ROOT = DOCS.parent
BUILD = ROOT / "build" / "docs"
FRONT = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
BLOCK = re.compile(r"^(```.*?^```)", re.MULTILINE | re.DOTALL)


def placed(path: Path) -> Path:
    """Where a file of the project stands in the site's source."""
    if path.is_relative_to(DOCS):
        return path.relative_to(DOCS)
    known = path.name.lower() if path.name in FRONT else str(path.relative_to(ROOT))
    return Path(known if path.suffix == ".md" else f"files/{known}")


def gathered(path: Path, source: Path) -> None:
    """Copy a page, its links leading to where things stand in the site."""
    here = placed(path)

    def led(link: re.Match[str]) -> str:
        name, mark, place = link[2].partition("#")
        if not name or re.match(r"[a-z]+:", name):
            return link[0]
        there = (path.parent / name).resolve()
        target = placed(there)
        if there.suffix != ".md" and not there.is_relative_to(DOCS):
            copied(there, source / target)
        elif there.suffix == ".md" and not (there.is_relative_to(DOCS) or there.name in FRONT):
            gathered(there, source)
        return f"{link[1]}{os.path.relpath(target, here.parent)}{mark}{place}{link[3]}"

    parts = BLOCK.split(path.read_text(encoding="utf-8"))
    text = "".join(p if p.startswith("```") else LINK.sub(led, p) for p in parts)
    write(source / here, text)


def copied(path: Path, target: Path) -> None:
    """A file that a page links to."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if path.is_file():
        shutil.copy(path, target)


def write(path: Path, text: str) -> None:
    """A page of the source."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def metric_pages(source: Path) -> list[str]:
    """A page a metric, with how it is called and pictures of how it behaves."""
    every = [*table_metrics().values(), *score_metrics()]
    for m in every:
        pictures = []
        for kind, chart in behaviour(m).items():
            write(source / "metrics" / f"{m.name}-{kind}.svg", chart.to_svg())
            pictures += ["", f"![{chart.title}. {chart.description}]({m.name}-{kind}.svg)"]
        write(source / "metrics" / f"{m.name}.md", "\n".join(metric_page(m, pictures)) + "\n")
    return [f"metrics/{m.name}" for m in every]


def metric_page(m: Metric, pictures: list[str]) -> list[str]:
    """Title, formula, properties, pictures, when and when not; then the details."""
    summary, _, _, _, *facts = metric_part(m)
    first = [f for f in facts if f.startswith(("- means", "- use it where", "- not where"))]
    title = escape(display_title(m.name))
    formula = re.sub(r"[A-Za-z]+(?:_\w+)?", r"<i>\g<0></i>", escape(m.formula))
    return [
        f"# {title}",
        "",
        f"`{m.name}`: {summary}",
        "",
        f'<p class="formula">{formula}</p>',
        f'<p class="chips">{"".join(chips(m))}</p>',
        *pictures,
        "",
        *first,
        "",
        *example_part(m),
        "",
        "## Details",
        "",
        *(f for f in facts if f not in first),
    ]


def chips(m: Metric) -> Iterator[str]:
    """The five properties, each a word that says whether the metric has it."""
    for name in NAMES if m.properties else ():
        has = bool(getattr(m.properties, name))
        words = name.replace("_", " ")
        kind, no = ("has", "") if has else ("lacks", "no ")
        yield f'<span class="chip {kind}">{no}{words}</span> '


def example_part(m: Metric) -> list[str]:
    """The example of a metric's function."""
    _, mark, example = (getattr(eh, m.name).__doc__ or "").partition(">>> ")
    return ["```pycon", f"{mark}{example.rstrip()}", "```"]


def catalogue(source: Path) -> None:
    """The catalogue, its table leading to the page of each metric, which hang below it."""
    pages = metric_pages(source)
    path = source / "metrics.md"
    row = re.compile(r"^(\| \[`\w+`\]\()#(\w+)\)", re.MULTILINE)
    text = row.sub(r"\1metrics/\2.md)", path.read_text(encoding="utf-8"))
    write(path, f"{text}\n{tree('Every metric', pages)}")


def reference(source: Path) -> dict[str, list[str]]:
    """The pages that are made from the code, by the title of their list."""
    names = {name: name.replace(" ", "-") for name, _ in every_command()}
    for name, place in names.items():
        write(source / "commands" / f"{place}.md", command_page(name))
    python = python_pages()
    for name, text in python.items():
        write(source / "python" / f"{name}.md", text)
    return {
        "Commands": [f"commands/{place}" for place in names.values()],
        "Python": [f"python/{name}" for name in python],
    }


def navigation(index: str) -> dict[str, list[str]]:
    """The lists of the front page: each heading, and the pages linked below it, by those names."""
    parts = re.split(r"^## (.*)\n", index, flags=re.MULTILINE)
    heads = zip(parts[1::2], parts[2::2], strict=True)
    named = re.compile(r"\[([^]]+)\]\(([^)#]+)\.md\)")
    return {head: [f"{t} <{page}>" for t, page in named.findall(text)] for head, text in heads}


def tree(caption: str, pages: list[str]) -> str:
    """A list of pages for Sphinx."""
    inside = "\n".join(pages)
    return f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{inside}\n```\n"


def staged(source: Path) -> None:
    """The whole source of the site."""
    shutil.rmtree(source, ignore_errors=True)
    for path in [*(ROOT / n for n in FRONT), *sorted(DOCS.rglob("*.md"))]:
        gathered(path, source)
    shutil.copytree(DOCS / "pictures", source / "pictures")
    shutil.copytree(DOCS / "schemas", source / "schemas")
    shutil.copy(DOCS / "conf.py", source)
    shutil.copy(DOCS / "search.js", source)
    copied(DOCS / "site.css", source / "static" / "site.css")
    catalogue(source)
    made = reference(source)
    links = [f"- {caption}: {linked(pages)}" for caption, pages in made.items()]
    index = source / "index.md"
    text, mark, project = index.read_text(encoding="utf-8").partition("## The project\n")
    lists = navigation(text) | made | navigation(mark + project)
    trees = [tree(caption, pages) for caption, pages in lists.items()]
    write(index, "\n".join([text + "## Reference", "", *links, "", mark + project, *trees]))


def linked(pages: list[str]) -> str:
    """Pages as links."""
    return ", ".join(f"[{page.partition('/')[2]}]({page}.md)" for page in pages)


def main(out: Path = BUILD) -> int:
    """Build it; a warning is an error."""
    from sphinx.cmd.build import build_main

    staged(out / "source")
    return int(build_main(["-q", "-W", "--keep-going", str(out / "source"), str(out / "site")]))


if __name__ == "__main__":
    code = main(*map(Path, sys.argv[1:]))
    if not code:
        print(f"open {BUILD / 'site' / 'index.html'}" if len(sys.argv) == 1 else "built")
    sys.exit(code)
