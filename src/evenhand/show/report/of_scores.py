"""The report of one system."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

from evenhand.catalogue.lists import shown_in, sums
from evenhand.draw.confusion import worst
from evenhand.draw.names import names
from evenhand.results.cells import Cell, MetricName, Sure
from evenhand.results.content import Block, Fact, Heading, Pictures, Section, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.sentence import Name, Sentence, called, leading
from evenhand.results.text import amount, counted, ends, number, percent, points, visible
from evenhand.scoring.cautions import POINT
from evenhand.scoring.charts import PAIRS, classes, gap
from evenhand.scoring.charts import scores as metric_chart
from evenhand.scoring.content import ARGMAX, merged
from evenhand.scoring.scores import Scores
from evenhand.scoring.twins import twins
from evenhand.show.report.document import Report
from evenhand.show.report.sections import (
    FORMULAS,
    MANY,
    at_uniform,
    confusions_data,
    confusions_of,
    copies,
    intervals_words,
    method_section,
    prevalence_section,
    probability_section,
    uniform_table,
)
from evenhand.signature.explain import method_words
from evenhand.tables.confusion import Confusion
from evenhand.tables.labels import key_text
from evenhand.tables.multilabel import MultiLabel

LEAD = shown_in("lead")


def report_of_scores(
    scores: Scores,
    table: Confusion | MultiLabel,
    data: Any = None,
    *,
    title: str,
    classes: Any = "task",
    undefined: Any = 0,
) -> Report:
    """Everything about one system: what ``evenhand score`` found, in words and pictures.

    ``data`` are its items, where they are known: probabilities have a section of their own.
    """
    one = cast(Confusion, table) if table.task == "single" else None
    if one is not None and one.shape:
        one = sum(one[1:], start=one[0])
    sections = [_panel(scores), _formula(scores, one, classes, undefined)]
    sections += [_classes(scores, one)]
    facts, content = scores.to_dict(), scores.content()
    if one is not None:
        how = {"classes": classes, "undefined": undefined}
        uniform = at_uniform(one, list(scores.metrics), **how)
        facts |= {"confusions": confusions_data(one), "uniform": uniform}
        found = prevalence_section(one, one, list(scores.metrics), **how)
        if found is not None:
            sections.append(replace(found, blocks=[*found.blocks, *uniform_table(uniform)]))
        probable = probability_section(data, one, list(scores.metrics), **how)
        if probable is not None:
            section, swept = probable
            sections.append(section)
            facts |= {"thresholds": swept}
    sections += [_agreement(scores), _method(scores)]
    return Report(
        title=title,
        kind="Evaluation of one system",
        verdict=list(_verdict(scores, one)),
        numbers=list(_numbers(scores)),
        sections=sections,
        signature=str(scores.signature),
        data=facts,
        rows=content.data(),
        copies=copies(content, content.data().cut(MANY)),
        cautions=scores.cautions,
    )


def _verdict(scores: Scores, table: Confusion | None) -> Iterable[str]:
    t, lead = scores.twins, scores.metrics[leading(scores.metrics)]
    sure = "" if lead.low is None else f" (interval {ends(lead.low, lead.high, 3)})"
    name = called(lead.metric)
    said = f"{name[0].upper()}{name[1:]} is {number(lead.value, 3)}{sure}"
    size = counted(len(scores.labels), "class", "classes")
    yield f"{said} on {counted(scores.n, 'item')} and {size}."
    if t.gap > POINT:
        yield (
            "Say which 'macro F1' you report: the F1 of averages is "
            f"{number(t.f1_of_averages, 3)}, {points(t.gap)} above the mean of F1."
        )
    else:
        yield f"The two formulas called 'macro F1' differ by {points(t.gap)} here."
    known = [c for c in scores.classes if c.prevalence > 0 and c.f1 == c.f1]
    if known:
        weak, strong = min(known, key=lambda c: c.f1), max(known, key=lambda c: c.f1)
        a, b = names([weak.label, strong.label])
        low, high, size = number(weak.f1, 3), number(strong.f1, 3), amount(weak.prevalence)
        weakest = ("The weakest class is ", Name(a), f" (F1 {low}, {size} items)")
        yield Sentence(*weakest, ", the strongest ", Name(b), f" ({high}).")
    found = worst(table, 1) if table is not None else []
    if found:
        (a, b), n, share = names(found[0][:2]), found[0][2], found[0][3]
        often = f": {amount(n)} times, {percent(share)} of its items."
        yield Sentence("Most often ", Name(a), " is taken for ", Name(b), often)


def _first(scores: Scores) -> list[str]:
    """The metrics that stand out."""
    return [m for m in LEAD if m in scores.metrics] or list(scores.metrics)[:5]


def _numbers(scores: Scores) -> Iterable[Fact]:
    for m in _first(scores):
        s = scores.metrics[m]
        yield Fact(called(m), number(s.value, 3), ends(s.low, s.high, 3))
    lost = f"{amount(scores.outside)} no class" if scores.outside else ""
    yield Fact("items", f"{scores.n:,}", lost)
    yield Fact("classes", f"{len(scores.labels):,}")


def _panel(scores: Scores) -> Section:
    blocks: list[Block] = [Pictures([metric_chart(scores)])]
    grown = sums(scores.metrics)
    first = [m for m in shown_in("score") if m in scores.metrics]
    groups = merged(scores, dict.fromkeys((*first, *scores.metrics)))
    for name, kept in (
        ("Every metric with its interval", [g for g in groups if g[0] not in grown]),
        ("Gains over the items", [g for g in groups if g[0] in grown]),
    ):
        blocks += [Sheet(_measured(scores, kept), name)] if kept else []
    if scores.slices:
        shown = _first(scores)
        lines: list[list[Cell]] = [
            [key_text(p.key), p.n, *(p.metrics[m].value for m in shown)] for p in scores.slices
        ]
        blocks += [Heading("Slices"), Sheet(Grid(["slice", "items", *shown], lines), "Slices")]
    return Section("scores", "Scores", "Scores and how sure they are", blocks)


def _measured(scores: Scores, groups: list[list[str]]) -> Grid:
    """A row a number with its interval, and the metrics that it is of."""
    head = ["metric", "value", "low", "high", "interval by"]
    rows: list[list[Cell]] = []
    for group in groups:
        s = scores.metrics[group[0]]
        by = "" if s.method is None else method_words(s.method.name, s.method.scale)
        rows.append([MetricName(" = ".join(group)), s.value, s.low, s.high, by])
        if scores.argmax is not None:
            rows[-1].append(Sure(scores.argmax.metrics[group[0]]))
    return Grid([*head, *[ARGMAX] * (scores.argmax is not None)], rows)


def _formula(scores: Scores, table: Any, classes: Any, undefined: Any) -> Section:
    t = scores.twins
    said = (
        f"Here macro_f1 is {number(t.macro_f1)} and f1_of_averages {number(t.f1_of_averages)}: a "
        f"gap of {points(t.gap)}, at most {100 * t.bound:.1f} points for so many classes."
    )
    blocks: list[Block] = [Words(FORMULAS), Words(said)]
    if t.gap > 1e-4 and t.gap_by_lemma is not None and table is not None:
        found = twins(table, classes=classes, undefined=undefined, pairs=PAIRS)
        blocks += [
            Words("Each bar is a pair of classes whose precision and recall lean opposite ways."),
            Pictures([gap(found)]),
        ]
    return Section("formula", "Formula", "Which formula, and why it matters here", blocks)


def _classes(scores: Scores, table: Confusion | None) -> Section:
    sheet = Sheet(scores.class_grid, "Each class; low and high are the interval of F1", 3)
    more = [] if table is None else confusions_of(table, "")
    blocks = [Pictures([classes(scores)]), sheet, *more]
    return Section("classes", "Classes", "Class by class", blocks)


def _agreement(scores: Scores) -> Section:
    known = {m: s.value for m, s in scores.metrics.items() if s.value == s.value}
    blocks: list[Block] = []
    same = [" = ".join(map(called, g)) for g in merged(scores, known) if len(g) > 1]
    if same:
        blocks.append(Words(f"The same number under several names here: {'; '.join(same)}."))
    a, b = known.get("accuracy"), known.get("macro_recall")
    if a is not None and b is not None:
        side = f"is better on {'frequent' if a > b else 'rare'} classes, by {points(abs(a - b))}"
        if abs(a - b) < 0.005:
            side = "is about as good on rare as on frequent classes"
        said = f"accuracy weighs every item the same ({number(a, 3)})"
        said += f", macro_recall every class ({number(b, 3)}): the system {side}."
        blocks.append(Words(said))
    said = "Whether metrics agree on an order of systems needs several systems: evenhand rank."
    blocks.append(Words(said))
    return Section("agreement", "Agreement", "Agreement between metrics", blocks)


def _method(scores: Scores) -> Section:
    level = next((s.level for s in scores.metrics.values() if s.level is not None), None)
    said = [
        "Rows of the confusion table are true classes, columns predictions.",
        intervals_words(level, {m: s.method for m, s in scores.metrics.items()}),
    ]
    if scores.outside:
        said.append(f"{visible(amount(scores.outside))} predictions are no class: errors.")
    return method_section(scores.signature, said, scores.metrics)
