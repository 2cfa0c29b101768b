"""Describing: the documentation of the API as a page, made from its OpenAPI description."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from evenhand.results.text import html_text

EXAMPLES: dict[str, Any] = {
    "score": {"matrix": [[6, 1, 1], [1, 5, 2], [2, 3, 7]], "labels": ["bird", "cat", "dog"]},
    "play": {"matrix": [[6, 1], [1, 5]], "mix": {"0": 0.1, "1": 0.9}},
    "find": {"goal": "disagree", "one": "accuracy", "two": "macro_f1"},
    "twins": {"matrix": [[100, 0], [10000, 100]]},
    "calibrate": {"matrix": [[80, 20], [10, 90]], "labels": ["a", "b"], "to": {"a": 0.1, "b": 0.9}},
    "sweep": {"matrix": [[80, 20], [10, 90]], "labels": ["a", "b"], "label": "a", "at": [0.1, 0.9]},
    "compare": {"true": ["a", "b", "a"], "systems": {"A": ["a", "b", "b"], "B": ["a", "a", "a"]}},
    "rank": {"true": ["a", "b", "a"], "systems": {"A": ["a", "b", "b"], "B": ["a", "a", "a"]}},
    "audit": {"text": "| Model | P | R | F1 |\n|---|---|---|---|\n| ours | 70.0 | 50.0 | 90.0 |"},
    "which": {"precision": "0.725", "recall": "0.5667", "f1": "0.6042"},
    "picture": {"matrix": [[6, 1], [1, 5]], "labels": ["a", "b"]},
}
"""One request to each address that takes JSON."""


def described(openapi: Mapping[str, Any], at: str) -> str:
    """The page: every address, what it takes and what it answers."""
    title = f"The API of {openapi['info']['title']}"
    parts = "".join(
        _address(path, method, told, openapi)
        for path, methods in openapi["paths"].items()
        for method, told in methods.items()
    )
    links = " ".join(f'<a href="#{_name(path)}">{_name(path)}</a>' for path in openapi["paths"])
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html_text(title)}</title>\n"
        '<link rel="stylesheet" href="/page/report.css">\n'
        '<link rel="stylesheet" href="/page/page.css">\n<link rel="icon" href="data:,">\n'
        '</head>\n<body>\n<header class="top">'
        '<p class="brand"><a href="/">evenhand</a></p></header>'
        f"\n<main><section><h1>{html_text(title)}</h1>\n<p>JSON in, JSON out, with the keys of the "
        f'command line. The same for programs: <a href="{at}">{at}</a>. Answers to what cannot be '
        "taken have a status of 400 to 422 and say which field it is; 503 and 504 say that there "
        f'was too much to do, or too little time.</p>\n<p class="bar">{links}</p>\n'
        f"{parts}</section></main>\n</body>\n</html>\n"
    )


def _name(path: str) -> str:
    return html_text(path.rsplit("/", 1)[-1])


def _address(path: str, method: str, told: Mapping[str, Any], openapi: Mapping[str, Any]) -> str:
    name = _name(path)
    rows = "".join(
        f'<tr><th scope="row"><code>{html_text(field)}</code></th><td>{html_text(kind)}</td>'
        f"<td>{html_text(default)}</td></tr>"
        for field, kind, default in _fields(told, openapi)
    )
    table = (
        f'<div class="frame" tabindex="0" role="region" aria-label="Fields of {name}">'
        '<table class="fields">'
        '<thead><tr><th scope="col">field</th><th scope="col">takes</th>'
        f'<th scope="col">default</th></tr></thead><tbody>{rows}</tbody></table></div>'
    )
    example = ""
    if name in EXAMPLES:
        body = json.dumps(EXAMPLES[name], ensure_ascii=False)
        example = f'<pre tabindex="0"><code>{html_text(body)}</code></pre>'
    said = (told.get("description") or "").split("\n\n")[0]
    return (
        f'<h2 id="{name}" class="address"><code>{method.upper()} {html_text(path)}</code></h2>'
        f"<p>{html_text(said)}</p>{example}{table if rows else ''}"
    )


def _fields(told: Mapping[str, Any], openapi: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Each field of the address and of the body: its name, what it takes, its default."""
    for one in told.get("parameters", ()):
        yield one["name"], f"in the address: {_kind(one['schema'])}", _default(one["schema"])
    for content in told.get("requestBody", {}).get("content", {}).values():
        schema = content["schema"]
        ref = schema.get("$ref") or next((r["$ref"] for r in schema.get("allOf", ())), "")
        shape = openapi["components"]["schemas"].get(ref.rsplit("/", 1)[-1], schema)
        needed = shape.get("required", ())
        for field, of in shape.get("properties", {}).items():
            yield field, _kind(of), "needed" if field in needed else _default(of)


def _kind(schema: Mapping[str, Any]) -> str:
    """What a field takes, in words."""
    if "enum" in schema:
        return " or ".join(json.dumps(e) for e in schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_kind, schema["anyOf"])))
    if schema.get("format") == "binary" or "contentMediaType" in schema:
        return "file"
    kind = str(schema.get("type", "anything"))
    if kind == "array":
        return f"list of ({_kind(schema.get('items', {}))})"
    if kind == "object":
        inner = schema.get("additionalProperties")
        return f"object of ({_kind(inner)})" if isinstance(inner, Mapping) else kind
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    span = f" {low:g} to {high:g}" if low is not None and high is not None else ""
    return f"{kind}{span}"


def _default(schema: Mapping[str, Any]) -> str:
    return json.dumps(schema["default"]) if "default" in schema else ""
