"""Random signatures and metric spellings: written and read back they must not change.

A spelling or a signature that was built reads back as itself; any other text is refused in one
line or means something that, written out, reads back as the same. Reading takes time in
proportion to the text: a long one has to be done before the watchdog barks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import evenhand as eh
from evenhand.catalogue.signature import SHORT, Signature
from evenhand.catalogue.spelling import Spec
from evenhand.errors import MetricError
from fuzz.outcome import REFUSED, RIGHT, HangError, Outcome, hang, tried, watchdog
from fuzz.tables import singles
from fuzz.words import damaged, label

LONG = 300_000
LONG_SECONDS = 2
BATCH = 40


def signatures(rng: Random, folder: Path) -> Iterator[Outcome]:
    """Some of every kind; now and then a very long one."""
    for _ in range(BATCH):
        yield rng.choice((spelling, spelling_text, fields, signature_text, scored))(rng)
    if rng.random() < 0.01:
        yield long_text(rng)


def spelling(rng: Random) -> Outcome:
    """A spelling built from its parts."""
    spec, failed = tried("a random Spec", lambda: random_spec(rng))
    if failed is not None:
        return failed
    text = str(spec)
    return stable(f"Spec.parse({text!r})", spec, text, Spec.parse, str)


def random_spec(rng: Random) -> Spec:
    """Any metric with parameters, a class and a mix."""
    metric = rng.choice(list(singles().values()))
    given = {}
    for name, default in metric.parameters.items():
        value = rng.choice((default, 0.0, 0.1, 1 / 3, 1e-9, 1e22, 5e-324, inf, -2.0, rng.random()))
        if value != default:
            given[name] = value
    mix = None
    if rng.random() < 0.4:
        shares = {label(rng): rng.choice((0.1, rng.random(), 1e-300)) for _ in range(3)}
        mix = rng.choice(((), tuple(shares.items())))
    name = label(rng) if metric.of_one_class else None
    return Spec(metric, tuple(given.items()), name, mix)


def spelling_text(rng: Random) -> Outcome:
    """Text that looks like a spelling."""
    try:
        text = damaged(rng, str(random_spec(rng)), rng.choice((1, 1, 2, 5)))
    except MetricError:
        text = label(rng, 0.5)
    found, failed = tried(f"Spec.parse({text!r})", lambda: Spec.parse(text))
    if failed is not None:
        return failed
    return stable(f"Spec.parse({text!r})", found, str(found), Spec.parse, str)


def fields(rng: Random) -> Outcome:
    """A signature of random fields."""
    given = {name: label(rng, 0.3) for name in SHORT if rng.random() < 0.5}
    signature = Signature(**{"version": "", **given})
    if not signature.items():
        return RIGHT
    written: Callable[[Signature], str] = rng.choice((str, lambda s: s.short))
    return stable(repr(signature), signature, written(signature), Signature.parse, written)


def signature_text(rng: Random) -> Outcome:
    """Text that looks like a signature; whatever it is read as can be explained."""
    text = damaged(rng, rng.choice(EXAMPLES), rng.choice((1, 1, 2, 5)))
    call = f"Signature.parse({text!r})"
    found, failed = tried(call, lambda: Signature.parse(text))
    if failed is not None:
        return failed
    words, failed = tried(f"{call}.explain()", found.explain)
    if failed is not None:
        return failed
    if len(words.splitlines()) != len(found.items()):
        return Outcome("wrong", "explained in too many lines", f"{call}.explain()\n{words!r}")
    return stable(call, found, str(found), Signature.parse, str)


EXAMPLES = (
    "metric:macro_f1|formula:mean-of-f1|classes:seen.3|undefined:0|prevalence:observed|"
    "weights:none|n:28|outside:0|missing:0|dropped:0|interval:none|table:0123456789ab|version:1",
    "m:macro_fbeta%3Abeta=2|p:beta=2|c:listed.2.a,b|u:nan|pr:a=0.5,b=0.5|i:bootstrap.95.99.seed0",
    "m:f1%3Alabel=a|c:true.2-3|o:3.errors|d:2.left-out|i:delta.99.5.stratified|v:0.1",
    "c:listed.9.#0123456789ab|i:auto.95+joint-bootstrap.10.seed0+paired-delta.holm|pr:sweep.a",
)


def scored(rng: Random) -> Outcome:
    """The signatures of a real score."""
    labels = list(dict.fromkeys(v for v in (label(rng) for _ in range(4)) if v))
    cells = [[rng.randint(0, 3) for _ in labels] for _ in labels]
    call = f"eh.score(eh.Confusion.from_matrix({cells}, labels={labels}), metrics=['macro_f1'])"
    classes: Any = rng.choice(("task", "seen", "true", labels[:2]))
    scores, failed = tried(
        call,
        lambda: eh.score(
            eh.Confusion.from_matrix(cells, labels=labels),
            metrics=["macro_f1"],
            classes=classes,
            undefined=rng.choice((0, 1, "nan")),
            interval=None,
        ),
    )
    if failed is not None:
        return failed
    found = scores["macro_f1"].signature
    return stable(call, found, str(found), Signature.parse, str)


def stable(
    call: str, thing: Any, text: str, parse: Callable[[str], Any], write: Callable[[Any], str]
) -> Outcome:
    """Whether the text of a thing reads back as that thing, and is written the same again."""
    again, failed = tried(f"{call} written as {text!r}", lambda: parse(text))
    if failed is REFUSED:
        return Outcome("wrong", "refuses what it wrote", f"{call}\nwritten as {text!r}")
    if failed is not None:
        return failed
    if again != thing or write(again) != text:
        return Outcome("wrong", "reads back as another", f"{call}\n{text!r}\n{write(again)!r}")
    if parse is Signature.parse and not text.isprintable():
        return Outcome("wrong", "written with what cannot be printed", f"{call}\n{text!r}")
    return RIGHT


def long_text(rng: Random) -> Outcome:
    """A text of hundreds of kilobytes."""
    head, parse = rng.choice(
        (
            ("f1:label=", Spec.parse),
            ("macro_f1@", Spec.parse),
            ("macro_fbeta:", Spec.parse),
            ("", Spec.parse),
            ("m:", Signature.parse),
            ("", Signature.parse),
            ("c:listed.2.", lambda t: Signature.parse(t).explain()),
            ("i:", lambda t: Signature.parse(t).explain()),
        )
    )
    unit = rng.choice(("a", " ", "\\", "a,", "a=1,", "beta=1,", "%41", ":", "|", "a:b|", "1", "é"))
    text = head + unit * (LONG // len(unit))
    call = f"{head!r} + {unit!r} * {LONG // len(unit)}"
    try:
        with watchdog(LONG_SECONDS):
            _, failed = tried(call, lambda: parse(text))
    except HangError as e:
        return hang(e, f"time grows too fast: {call}")
    return failed or RIGHT
