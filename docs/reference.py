"""The reference pages of the site: commands from their options, Python from its docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import click

import evenhand as eh
from evenhand.cli import every_command, group
from evenhand.errors import InputError
from evenhand.text import markdown

MODULES = {
    "shift": "evenhand.shift",
    "plot": "evenhand.reporting.plot",
    "properties": "evenhand.properties",
    "papers": "evenhand.papers",
    "simulate": "evenhand.simulate",
}
"""Modules that are public as ``eh.NAME``."""
SHARED = ("Result.", "Record.", "Collection.", "Mapping.")
"""What all results have is said once."""
BESIDE = (
    "evenhand.testing",
    "evenhand.bridges.sklearn",
    "evenhand.bridges.torch",
    "evenhand.bridges.jax",
)
"""Modules that are imported by themselves."""


def command_page(name: str) -> str:
    """What a command does, its examples, its options."""
    command = dict(every_command())[name]
    context = click.Context(
        command, parent=click.Context(group, **group.context_settings), info_name=f"evenhand {name}"
    )
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f"# evenhand {name}", "", (command.help or "").partition("\n\n")[0], ""]
    lines += ["```text", f"evenhand {name} {usage}", "```", "", *helped(command.help or "")]
    lines += ["", "## Options", "", "| option | what |", "| --- | --- |"]
    for option in command.get_params(context):
        record = option.get_help_record(context)
        if isinstance(option, click.Option) and record is not None:
            flags, told = record
            lines.append(f"| `{flags.replace('|', '¦')}` | {markdown(told)} |")
    return "\n".join(lines).replace("¦", "\\|") + "\n"


def helped(text: str) -> Iterator[str]:
    """The help of a command in Markdown: paragraphs, and examples as they stand."""
    for part in text.split("\n\n")[1:]:
        if "\b" in part:
            examples = [line.strip() for line in part.replace("\b", "").splitlines()]
            yield from ("```console", *filter(None, examples), "```", "")
        else:
            yield from (prose(part), "")


def python_pages() -> dict[str, str]:
    """The pages of the Python reference by name."""
    kinds: dict[str, dict[str, Any]] = {"verbs": {}, "data": {}, "results": {}, "errors": {}}
    for name in eh.__all__:
        if name not in MODULES and name != "__version__":
            kinds[kind(getattr(eh, name))][f"eh.{name}"] = getattr(eh, name)
    heads = {
        "verbs": ("Verbs", "Functions of `import evenhand as eh`. Metrics are functions too: each"
                  " has a page under Metrics."),
        "data": ("Data", "What is counted, and how it comes to be."),
        "results": ("Results", "What verbs return: frozen, equal by value; each also has"
                    " `to_dict`, `to_json`, `to_pandas`, `to_polars`, `to_csv`, `to_markdown`,"
                    " `to_latex`, `to_html` and `save`."),
        "errors": ("Errors", "All that evenhand raises on purpose."),
    }  # fmt: skip
    pages = {k: page(*heads[k], members) for k, members in kinds.items()}
    for name, home in [*MODULES.items(), *((home, home) for home in BESIDE)]:
        module = import_module(home)
        short = f"eh.{name}" if name in MODULES else name
        members = {f"{short}.{n}": found for n, found in there(module)}
        pages[name.rpartition(".")[2]] = page(short, first(module), members)
    return pages


def there(module: Any) -> Iterator[tuple[str, Any]]:
    """The public names of a module, but for those whose tool is not installed."""
    for name in module.__all__:
        try:
            yield name, getattr(module, name)
        except InputError:
            continue


def kind(thing: Any) -> str:
    """Which page a public name stands on."""
    if not inspect.isclass(thing):
        return "verbs"
    if issubclass(thing, Exception):
        return "errors"
    package = thing.__module__.split(".")[1]
    return "data" if package in ("data", "core") else "results"


def first(thing: Any) -> str:
    """The first paragraph of a docstring."""
    return " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())


def page(title: str, intro: str, members: dict[str, Any]) -> str:
    """One page with a section for each name."""
    lines = [f"# {title}", "", prose(intro), ""]
    for name, thing in members.items():
        lines += [f"## {name}", "", *described(name, thing)]
    return "\n".join(lines) + "\n"


def described(name: str, thing: Any) -> Iterator[str]:
    """Signature, docstring and, of a class, its methods and properties."""
    yield from ("```python", f"{name}{signature(thing)}", "```", "", *told(thing), "")
    if inspect.isclass(thing):
        for part, member in inspect.getmembers_static(thing):
            if part.startswith("_") or not getattr(plain(member), "__doc__", None):
                continue
            function = plain(member)
            if callable(function) and str(getattr(function, "__module__", "")).startswith(
                "evenhand"
            ):
                if function.__qualname__.startswith(SHARED) or part in ("content", "facts"):
                    continue
                if isinstance(member, property):
                    yield from (f"`.{part}`: {prose(first(function))}", "")
                else:
                    call = f".{part}{signature(function)}"
                    yield from ("```python", call, "```", "", *told(function), "")


def plain(member: Any) -> Any:
    """The function behind a method or a property."""
    if isinstance(member, property):
        return member.fget
    return getattr(member, "__func__", getattr(member, "func", member))


class Plain(str):
    """Text that shows itself without quotes."""

    def __repr__(self) -> str:
        return str(self)


def signature(thing: Any) -> str:
    """How it is called, without what Python passes itself; on several lines where it is long."""
    try:
        found = inspect.signature(thing)
    except (ValueError, TypeError):
        return ""

    def plain(kind: Any) -> Any:
        return Plain(kind) if isinstance(kind, str) else kind

    kept = [
        p.replace(annotation=plain(p.annotation))
        for p in found.parameters.values()
        if p.name not in ("self", "cls")
    ]
    told = plain(found.return_annotation)
    whole = readable(inspect.Signature(kept, return_annotation=told))
    if len(whole) < WIDE:
        return whole
    ends = str(inspect.Signature([], return_annotation=told))
    parts = readable(inspect.Signature(kept))[1:-1]
    return "(\n    " + ",\n    ".join(re.split(r", (?=\*|/|\w+:|\w+=)", parts)) + f",\n{ends[1:]}"


def readable(found: inspect.Signature) -> str:
    """A signature whose defaults are Python: classes by name, other objects as an ellipsis."""
    return re.sub(r"<[^<>]*>", "...", re.sub(r"<class '([\w.]+)'>", r"\1", str(found)))


WIDE = 80


def told(thing: Any) -> Iterator[str]:
    """A docstring in Markdown: paragraphs, and examples as a session."""
    for part in (inspect.getdoc(thing) or "").split("\n\n"):
        if part.startswith(">>> "):
            yield from ("```pycon", part, "```", "")
        else:
            words, mark, example = part.partition("\n>>> ")
            yield from (prose(words), "")
            if mark:
                yield from ("```pycon", f">>> {example}", "```", "")


def prose(text: str) -> str:
    """A paragraph: names set as code, whatever role they have, other marks plain."""
    text = re.sub(r":(?:func|meth|class|mod):(?=`)", "", " ".join(text.split()))
    parts = re.split(r"(``.+?``|`[^`]+`)", text)
    return "".join(f"`{p.strip('`')}`" if p.startswith("`") else markdown(p) for p in parts)
