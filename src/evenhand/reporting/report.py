"""The report of one system or several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from evenhand.catalogue.binding import for_metrics, main_metric
from evenhand.catalogue.descriptions import advice_on
from evenhand.catalogue.lists import (
    HEADLINES,
    LEAD,
    AnyMetric,
    by_distance,
    by_growth,
    leading,
    named,
    several,
    sums,
)
from evenhand.catalogue.signature import Signature, method_words
from evenhand.catalogue.spelling import EXPECTED, called
from evenhand.charts.chart import Chart, names, panel, undefined_last
from evenhand.charts.confusion import confusion, reliability, worst
from evenhand.charts.curves import histogram, precision_recall, roc
from evenhand.comparing.charts import differences
from evenhand.comparing.compare import Comparison, compare, pairs_sheets
from evenhand.core.registry import find
from evenhand.data.arguments import VerbArguments, of_several, one_of, system_of, systems_of, verb
from evenhand.data.confusion import Confusion
from evenhand.data.sample import GRADED, Sample, SoftSample
from evenhand.errors import EvenhandError, InputError, Option
from evenhand.options import ReportOptions, ScoringOptions, heading
from evenhand.ranking.charts import leaderboard, ranks
from evenhand.ranking.leaderboard import (
    Leaderboard,
    flips_words,
    guessing_sheet,
    items_words,
    leaderboard_sheet,
    orders_sheet,
    orders_words,
    scores_sheet,
    slices_sheet,
)
from evenhand.ranking.rank import rank
from evenhand.ranking.ranks import share_letter
from evenhand.records import Method
from evenhand.results.document import (
    Block,
    Code,
    Content,
    Fact,
    Heading,
    KeyNumbers,
    Paragraph,
    Pictures,
    Section,
    Table,
)
from evenhand.results.metric_pages import explained_grid
from evenhand.results.operating_points import operating_table
from evenhand.results.result import Result, in_format
from evenhand.scoring.charts import MAX_PAIRS, gap, lemma, ring
from evenhand.scoring.charts import classes as classes_of
from evenhand.scoring.charts import thresholds as threshold_chart
from evenhand.scoring.macro_f1_gap import twins
from evenhand.scoring.score import score
from evenhand.scoring.scores import POINT, Scores, merged
from evenhand.scoring.thresholds import thresholds
from evenhand.shift.charts import prevalence
from evenhand.shift.sweeps import sweep
from evenhand.text import (
    Cell,
    Grid,
    Name,
    Sentence,
    TextCell,
    amount,
    counted,
    ends,
    group_by,
    joined,
    level_text,
    listed,
    move_text,
    number,
    percent,
    percents,
    points,
    share_cell,
    visible,
)
from evenhand.text import named as text_named
from evenhand.warnings import ResultWarning


def chart_of_scores(name: str, scores: Scores, data: Any, **options: Any) -> Chart:
    """What ``score --plot`` draws; of slices all together. ``options`` are those of averages."""
    if name == "classes":
        return classes_of(scores)
    curves: list[Callable[[Any], Chart]] = [reliability, roc, precision_recall, histogram]
    if curve := next((c for c in curves if c.__name__ == name), None):
        return curve(data)
    table, _ = for_metrics(data, ())[0].tables().sliced()
    if name == "gap":
        return gap(twins(table, **options, pairs=MAX_PAIRS))
    if name in ("lemma", "ring"):
        return (lemma if name == "lemma" else ring)(table, **options)
    if table.task == "multi":
        other = Option("chart", "classes")
        raise InputError("label sets have no confusion table: choose ", other)
    return confusion(table, normalise=None if name == "counts" else "true")


def chart_of_comparison(name: str, result: Comparison, sample: Any, **options: Any) -> Chart:
    """What ``compare --plot`` draws."""
    if name == "differences":
        return differences(result)
    first, second = result.systems[:2]
    return ring(*map(sample.table, (first, second)), systems=(first, second), **options)


# Sections that a report of one system and one of several have in common.

FORMULAS = (
    "Two formulas are called 'macro F1'. macro_f1 is the mean of the classes' F1. f1_of_averages "
    "is the F1 of averaged precision and averaged recall; it is never smaller, and rewards "
    "precision and recall that err in opposite directions in different classes."
)
SWEPT_METRICS = ("macro_f1", "f1_of_averages", "accuracy", "macro_recall")
MAX_CONFUSIONS, TOP = 20, 5
"""Confusions that the JSON of a report lists, and those that its reader is shown."""
SMALL_GAP = 1e-3
"""A gap between the two macro F1s that a sentence says well enough: 0.1 points."""
MAX_COPIED_ROWS = 2000
"""Rows of data that a reader takes along."""


def confusions_of(table: Confusion, name: str) -> list[Block]:
    """The heatmap of one system's table and its worst confusions."""
    largest = worst(table, MAX_CONFUSIONS)
    rows: list[list[Cell]] = [[str(a), str(b), n, share_cell(share)] for a, b, n, share in largest]
    grid = Grid(["true", "predicted", "items", "of the true class"], rows)
    heading = f"Confusions of {visible(name)}" if name else "Confusions"
    caption, noun = f"The {min(TOP, len(rows))} largest confusions", "confusions"
    tables = [Table(grid, caption, 2, most=TOP, rows=noun)] if rows else []
    return [Heading(heading), Pictures([confusion(table)]), *tables]


def confusions_data(table: Confusion) -> list[dict[str, Any]]:
    """The same confusions as JSON has them."""
    names = ("true", "predicted", "items", "share")
    return [dict(zip(names, row, strict=True)) for row in worst(table, MAX_CONFUSIONS)]


def swept_class(table: Confusion) -> Any:
    """The class whose share is varied: the rarer of two, else the most frequent."""
    size = np.asarray(table.prevalence, np.float64).reshape(-1, table.k)[0]
    if np.count_nonzero(size) < 2:
        return None
    known = np.where(size > 0, size, np.nan)
    return table.labels[int(np.nanargmin(known) if table.k == 2 else np.nanargmax(known))]


def prevalence_section(
    data: Any, table: Confusion, metrics: Sequence[str], **options: Any
) -> list[Section]:
    """What another class mix would do: a sweep of one class, if it can be made."""
    label = swept_class(table)
    shown = [m for m in SWEPT_METRICS if m in metrics] or [m for m in metrics if find(m)][:2]
    if label is None or not shown:
        return []
    try:
        result = sweep(data, label=label, metrics=shown, **options)
    except EvenhandError:
        return []
    explanation = (
        "Scores hold for the class mix of this test set. If only the mix changes, recalls "
        f"stay and everything else follows; here the share of {visible(str(label))} goes from rare "
        "to common, the other classes in proportion."
    )
    blocks: list[Block] = [Paragraph(explanation), Pictures([prevalence(result, shown)])]
    return [Section("prevalence", "Prevalence", "What prevalence does", blocks)]


def probability_section(
    data: SoftSample, table: Confusion, metrics: Sequence[str], **options: Any
) -> tuple[list[Section], dict[str, Any]]:
    """What probabilities are worth, and a sweep of the threshold of one class; its JSON too."""
    label = swept_class(table)
    plain = [m for m in metrics if not m.startswith(EXPECTED)]
    lead = next((m for m in SWEPT_METRICS if m in plain), [*plain, "macro_f1"][0])
    if label is None:
        return [], {}
    try:
        result = thresholds(data, label=label, by_metric=lead, **options)
    except EvenhandError:
        return [], {}
    sentences = [
        f"{visible(str(label))} can be predicted from any threshold on, and else the most probable "
        "of the other classes.",
        f"{result.headline}.",
        *(f"{w}." for w in result.warnings),
    ]
    curves = [roc(data), precision_recall(data)]
    curves += [histogram(data, label=label), *([] if data.only_scores else [reliability(data)])]
    blocks: list[Block] = [Pictures(curves), *map(Paragraph, sentences)]
    blocks += [Pictures([threshold_chart(result)]), result.sheet]
    return [_probabilities(blocks)], {"thresholds": result.to_dict()}


def _probabilities(blocks: list[Block]) -> Section:
    return Section("probabilities", "Probabilities", "How good the probabilities are", blocks)


def intervals_words(level: float | None, methods: Mapping[str, Method | None]) -> str:
    """How the interval of each metric was made."""
    known = {metric: method for metric, method in methods.items() if method is not None}
    if level is None or not known:
        return "There are no intervals here."
    by = group_by(known, lambda m: method_words(known[m].name, known[m].scale))
    each = (f"{text} for {listed(map(called, names), 3)}" for text, names in by.items())
    return f"Intervals are at {level_text(level)}: {'; '.join(each)}."


def method_section(
    signature: Signature, sentences: Iterable[str], metrics: Iterable[str]
) -> Section:
    """How the numbers came about, and what the authors of the metrics recommend."""
    blocks: list[Block] = [Paragraph(s) for s in sentences]
    if advice := advice_on(metrics):
        blocks += [Heading("What the authors recommend"), *(Paragraph(str(a)) for a in advice)]
    quote = Paragraph("Quote it with the scores: it says how they were made.")
    explained = Table(explained_grid(signature), "The signature in words", wide=100)
    blocks += [Heading("Signature"), quote, Code(str(signature)), explained]
    return Section("method", "Method", "Method and signature", blocks)


# Report: everything about one system or several, to publish.


class Report(Result):
    """Everything about one system or several, verdict first.

    ``data`` is the JSON of the scores or the leaderboard that it shows, ``rows`` their
    table of every number, ``copies`` are texts for the reader to take along.

    >>> import evenhand as eh
    >>> eh.report([[6, 1], [2, 5]], metrics="macro_f1", title="Ours").title
    'Ours'
    """

    title: str
    kind: str
    blocks: Sequence[Block]
    signature: str
    data: dict[str, Any]
    rows: Grid
    copies: Sequence[tuple[str, str]] = ()

    @classmethod
    def _on(cls, result: Any, title: str, kind: str, parts: list[Any], data: Any) -> Report:
        """The report on scores or a leaderboard."""
        content = result.content()
        grid, signature = content.data(), str(result.signature)
        forms = {"CSV": replace(content, data=lambda: grid.cut(MAX_COPIED_ROWS))}
        forms |= {"LaTeX": content, "Markdown": content}
        copies = [(name, in_format(form, name.lower())) for name, form in forms.items()]
        return cls(title, kind, parts, signature, data, grid, copies, cautions=result.cautions)

    def to_json_object(self) -> dict[str, Any]:
        """The JSON of what it shows."""
        return {name: part for name, part in self.data.items() if name != "schema"}

    def content(self) -> Content:
        """The verdict, the numbers that stand out, then section by section."""
        more: Any = {"kind": self.kind, "json": self.to_dict(), "copies": self.copies}
        return self.described(self.title, self.blocks, lambda: self.rows, **more)


def _lead(verdict: Iterable[str], numbers: Iterable[Fact]) -> list[Block]:
    return [Paragraph(joined("\n", verdict), "verdict"), KeyNumbers(list(numbers))]


# The report of one system.


def report_of_scores(
    scores: Scores, data: Any, *, title: str, classes: Any = "task", undefined: Any = 0
) -> Report:
    """Everything about one system: what ``evenhand score`` found of its data, also in pictures.

    Items with probabilities have a section of their own.
    """
    graded = getattr(data, "graded", False)
    table, _ = for_metrics(data, ())[0].tables().sliced()
    one: Confusion | None = table if table.task == "single" and not graded else None
    metrics, options = list(scores.metrics), {"classes": classes, "undefined": undefined}
    both = _has_formulas(data, metrics)
    sections = [_panel(scores), *[_formula(scores, one, **options)] * both]
    if not graded:  # grades have no classes
        sections.append(_classes(scores, one))
    facts = scores.to_dict()
    if one is not None:
        facts["confusions"] = confusions_data(one)
        sections += prevalence_section(one, one, metrics, **options)
        if data.soft and data.systems:
            probabilities, choice = probability_section(data, one, metrics, **options)
            sections += probabilities
            facts |= choice
    verdict = _verdict(scores, one, both=both)
    parts = [*_lead(verdict, _numbers(scores)), *sections, _method(scores)]
    return Report._on(scores, title, "Evaluation of one system", parts, facts)


def _has_formulas(data: Any, metrics: Iterable[str]) -> bool:
    """Whether the two macro F1s matter: not to grades and choices, unless one is named."""
    return main_metric(data) == "macro_f1" or "macro_f1" in metrics


def _verdict(scores: Scores, table: Confusion | None, *, both: bool) -> Iterable[str]:
    t, lead = scores.twins, scores.metrics[leading(scores.metrics)]
    sure = "" if lead.low is None else f" (interval {ends(lead.low, lead.high, 3)})"
    name = called(lead.metric)
    score_text = f"{name[0].upper()}{name[1:]} is {number(lead.value, 3)}{sure}"
    size = counted(len(scores.labels), "class", "classes")
    if not both:
        yield f"{score_text} on {scores.items_text(scores.n)}."
        return
    yield f"{score_text} on {counted(scores.n, 'item')} and {size}."
    if t.gap > POINT:
        yield (
            "Say which 'macro F1' you report: the F1 of averages is "
            f"{number(t.f1_of_averages, 3)}, {points(t.gap)} above the mean of F1."
        )
    else:
        yield f"The two formulas called 'macro F1' differ by {points(t.gap)} here."
    yield classes_of(scores).description
    largest = worst(table, 1) if table is not None else []
    if largest:
        (a, b), n, share = names(largest[0][:2]), largest[0][2], largest[0][3]
        often = f": {amount(n)} times, {percent(share)} of its items."
        yield Sentence("Most often ", Name(a), " is taken for ", Name(b), often)


def _numbers(scores: Scores) -> Iterable[Fact]:
    for m in [m for m in LEAD if m in scores.metrics] or list(scores.metrics)[:5]:
        s = scores.metrics[m]
        yield Fact(called(m), number(s.value, 3), ends(s.low, s.high, 3))
    lost = f"{amount(scores.outside)} no class" if scores.outside else ""
    yield Fact("items", f"{scores.n:,}", lost)
    if scores.labels:
        yield Fact("classes", f"{len(scores.labels):,}")


def _panel(scores: Scores) -> Section:
    first = [m for m in HEADLINES if m in scores.metrics]
    groups = by_growth(merged(scores, dict.fromkeys((*first, *scores.metrics))))
    tables = (t for rows in groups if rows for t in scores.metric_tables(rows, every=False))
    return Section("scores", "Scores", "Scores and how sure they are", list(tables))


def _formula(scores: Scores, table: Any, **options: Any) -> Section:
    t = scores.twins
    sentence = (
        f"Here macro_f1 is {number(t.macro_f1)} and f1_of_averages {number(t.f1_of_averages)}: a "
        f"gap of {points(t.gap)}, at most {100 * t.bound:.1f} points for so many classes."
    )
    blocks: list[Block] = [Paragraph(FORMULAS), Paragraph(sentence)]
    if table is not None and not table.soft:
        blocks.append(Pictures([ring(table, **options)]))
    if t.gap >= SMALL_GAP and t.gap_by_lemma is not None and table is not None:
        words = "Each bar is a pair of classes whose precision and recall lean opposite ways."
        blocks += [Paragraph(words), Pictures([gap(twins(table, **options, pairs=MAX_PAIRS))])]
    return Section("formula", "Formula", "Which formula, and why it matters here", blocks)


def _classes(scores: Scores, table: Confusion | None) -> Section:
    grid, f1 = scores.class_grid, [c.f1 for c in scores.classes]
    order = sorted(range(len(f1)), key=lambda i: undefined_last(f1[i]))
    grid = replace(grid, rows=[grid.rows[i] for i in order])
    sheet = Table(grid, "Each class, the lowest F1 first; low and high are its interval", 3)
    more = [] if table is None else confusions_of(table, "")
    blocks = [Pictures([classes_of(scores)]), sheet, *more]
    return Section("classes", "Classes", "Class by class", blocks)


def _method(scores: Scores) -> Section:
    rows = "Rows of the confusion table are true classes, columns predictions."
    intervals = intervals_words(scores.level, {m: s.method for m, s in scores.metrics.items()})
    outside = f"{amount(scores.outside)} predictions are missing or no class, counted as errors."
    sentences = [*[rows] * bool(scores.labels), intervals, *[outside] * bool(scores.outside)]
    return method_section(scores.signature, sentences, scores.metrics)


# The report of several systems.

MAX_FLIPS = 300
"""Changes of order between metrics that the JSON of a report lists."""
MAX_METRICS = 18
"""Metrics on which the first two are compared at most."""
PAIR_REPLICATES = 2000
"""Replicates of that comparison, where the leaderboard has none."""


def report_of_board(
    board: Leaderboard,
    data: Any,
    items: Any,
    *,
    title: str | None = None,
    metrics: Iterable[AnyMetric] = (),
    distance: Any = None,
    seed: int = 0,
    **options: Any,
) -> Report:
    """Everything about several systems: what ``evenhand rank`` found, in words and pictures.

    ``data`` are their tables or items as ranked, ``items`` those with the probabilities that there
    are; ``metrics``, ``distance`` and the ``options`` of averages are those of the leaderboard.
    """
    graded = getattr(data, "graded", False)
    curved = isinstance(items, SoftSample) and not graded
    of_items = data.soft and curved and not board.metric.startswith(EXPECTED)
    tables = (data.decided() if of_items else data).tables()
    pair, both, result = _first_two(board, data), _both_formulas(board), None
    if pair is not None:
        own = dict(named(metrics))  # of a user's own functions a leaderboard has the names alone
        grown = [m for m in sums(board.metrics) if not by_distance(m)]
        plain = [m for m in board.metrics if "@" not in m and m not in grown][:MAX_METRICS]
        requested = [own.get(m, m) for m in dict.fromkeys((board.metric, *plain))]
        drawn: Any = {"replicates": board.replicates or PAIR_REPLICATES, "seed": seed, **options}
        result = compare(pair, metrics=requested, distance=distance, level=board.level, **drawn)
    best = None
    sections = [_standing(board), _sure(board, result)]
    if not graded:  # grades have no classes
        formula = _of_board_formula(board, both, tables, options)
        sections[1:1] = [formula] * _has_formulas(data, board.metrics)
        sections.append(_of_board_classes(board, tables))
        best = _table(tables, board.systems[0].name)
    seen: Any = best if pair is None else pair  # neither of grades
    if seen is not None:
        sections += prevalence_section(seen, tables, board.metrics, **options)
    if curved and swept_class(tables) is not None:
        sections.append(_probabilities([Pictures([roc(items), precision_recall(items)])]))
    sections += [_of_board_agreement(board), _of_board_method(board)]
    facts = _slim(board.to_dict()) | {"twins_by_system": both}
    facts |= {} if best is None else {"confusions": confusions_data(best)}
    facts |= {} if result is None else {"comparison": result.to_dict()}
    name = heading(title, f"{counted(len(board.systems), 'system')} by {called(board.metric)}")
    parts = [*_lead(board.sentences, _of_board_numbers(board, tables)), *sections]
    return Report._on(board, name, "Evaluation of several systems", parts, facts)


def _first_two(board: Leaderboard, data: Any) -> Sample | None:
    """The items as the first two saw them, where labels of items are known."""
    first = [s.name for s in board.systems[:2]]
    if data.soft or board.systems[0].runs is not None or not set(first) <= set(data.systems):
        return None
    at = [data.systems.index(name) for name in first]
    pair: Sample = replace(
        data, systems=tuple(first), pred=data.pred[:, at], missing=data.missing[at], slices=()
    )
    return pair


def _slim(data: dict[str, Any]) -> dict[str, Any]:
    """The JSON without what grows with the square of the systems; it says what it left out."""
    if len(data["flips"]) > MAX_FLIPS:
        words = f"flips after the first {MAX_FLIPS}"
        data |= {"flips": data["flips"][:MAX_FLIPS], "left_out": [words]}
    return data


def _table(tables: Confusion, name: str) -> Confusion | None:
    keys = [str(k) for k in tables.keys[0]]
    return tables[keys.index(name)] if name in keys else None


def _of_board_numbers(board: Leaderboard, tables: Confusion) -> Iterable[Fact]:
    m, first = board.metric, board.systems[0]
    x = first.standings[m]
    yield Fact("first", names([first.name])[0], f"by {called(m)}")
    yield Fact(called(m), number(x.value, 3), ends(x.low, x.high, 3))
    if x.best_probability is not None:
        yield Fact("P(best)", percents(x.best_low, x.best_high), "of these systems")
    if x.group is not None:
        tied = sum(share_letter(s.standings[m].group or "", x.group) for s in board.systems) - 1
        yield Fact("tied with it", str(tied), "systems" if tied != 1 else "system")
    winners = len({tuple(w) for w in board.winners.values()})
    yield Fact("winners", str(winners), f"over {orders_words(board)}")
    lost = f"{len(board.failed)} left out" * bool(board.failed)
    yield Fact("systems", f"{len(board.systems):,}", lost)
    many, _, _ = items_words(board).partition(" item")
    kinds = "" if tables.labels == GRADED else counted(tables.k, "class", "classes")
    yield Fact("items", many, kinds)


def _standing(board: Leaderboard) -> Section:
    blocks: list[Block] = [Pictures([leaderboard(board)]), leaderboard_sheet(board)]
    blocks += operating_table(board.operating_points)
    blocks += [scores_sheet(board)] if len(board.metrics) > 1 else []
    blocks += [slices_sheet(board)] if board.slices else []
    blocks += [guessing_sheet(board)] if board.baselines else []
    return Section("leaderboard", "Leaderboard", "Leaderboard", blocks)


def _both_formulas(board: Leaderboard) -> list[dict[str, Any]]:
    """Both macro F1s of every system, where both were asked for."""
    if not {"macro_f1", "f1_of_averages"} <= set(board.metrics):
        return []
    names = "name macro_f1 rank_macro_f1 f1_of_averages rank_f1_of_averages gap_points move"
    rows = []
    for s in board.systems:
        a, b = s.standings["macro_f1"], s.standings["f1_of_averages"]
        ends = (100 * (b.value - a.value), a.rank - b.rank)
        rows.append((s.name, a.value, a.rank, b.value, b.rank, *ends))
    return [dict(zip(names.split(), row, strict=True)) for row in rows]


def _of_board_formula(
    board: Leaderboard, both: list[dict[str, Any]], tables: Confusion, options: dict[str, Any]
) -> Section:
    blocks: list[Block] = [Paragraph(FORMULAS)]
    t = board.twins
    if t is not None:
        (name,) = names([t.largest_gap_of])
        changes = f"{t.changed} of {len(board.systems)} systems change place between the two. "
        largest = ("The gap is largest for ", Name(name), f": {points(t.largest_gap)}.")
        blocks.append(Paragraph(Sentence(changes, *largest)))
    first = [s.name for s in board.systems[:2]]
    two = [_table(tables, name) for name in first]
    if tables.task == "single" and not tables.soft and None not in two:
        blocks.append(Pictures([ring(*two, systems=names(first), **options)]))
    if both:
        rows: list[list[Cell]] = [
            [*list(t.values())[:-1], TextCell(t["move"], move_text(t["move"]))] for t in both
        ]
        head = ["system", "macro_f1", "rank", "f1_of_averages", "rank ", "gap, points", "moves"]
        note = "Moves: places that f1_of_averages puts a system up (↑) or down (↓)."
        blocks.append(Table(Grid(head, rows), "Both macro F1s of every system", 3, note=note))
    return Section("formula", "Formula", "Which formula, and why it matters here", blocks)


def _sure(board: Leaderboard, result: Comparison | None) -> Section:
    tested = any(s.standings[board.metric].rank_low is not None for s in board.systems)
    parts = ["Rank intervals"] * tested + ["P(best)"] * (board.replicates is not None)
    sentence = "Tables alone say nothing of how ranks vary: give the label files."
    if parts:
        sentence = f"{' and '.join(parts)} of every system stand in the leaderboard."
    blocks: list[Block] = [Paragraph(sentence)]
    if result is not None:
        a, b = names(result.systems)
        blocks.append(Heading(f"The first two: {a} and {b}"))
        blocks += [*map(Paragraph, result.verdict), Pictures([differences(result)])]
        blocks += pairs_sheets(result, f"{a} minus {b}")
    return Section("intervals", "Intervals", "How sure the order is", blocks)


def _of_board_classes(board: Leaderboard, tables: Confusion) -> Section:
    keys = [str(k) for k in tables.keys[0]]
    order = [s.name for s in board.systems if s.name in keys] or keys
    best = confusions_of(tables[keys.index(order[0])], order[0])
    blocks = [Pictures([panel(tables, systems=order)]), *best]
    return Section("classes", "Classes", "Class by class", blocks)


def _of_board_agreement(board: Leaderboard) -> Section:
    blocks: list[Block] = [Paragraph("Only one metric was asked for.")]
    if len(board.metrics) > 1:
        blocks = [Pictures([ranks(board)])] if len(board.orders) > 1 else []
        blocks += [orders_sheet(board), *flips_words(board)]
    return Section("agreement", "Agreement", "Agreement between metrics", blocks)


def _of_board_method(board: Leaderboard) -> Section:
    sentences = [
        f"Systems are ordered by {called(board.metric)}; equal scores share the smallest rank.",
        intervals_words(board.level, {m: x.method for m, x in board.systems[0].standings.items()}),
    ]
    if board.replicates is not None:
        sentences.append(
            f"Intervals and tests allow for other {text_named(board.varies)} of the same kind. "
            f"P(best) comes from {board.replicates:,} joint bootstrap replicates and is a range, "
            "since it depends on how far apart the true scores are; pairs are tested by paired "
            "standard errors with Holm's correction over all pairs, and rank intervals leave out "
            "the ranks that these exclude."
        )
    return method_section(board.signature, sentences, board.metrics)


# report: data of one system or several as a report to publish.


@verb(ReportOptions)
def report(arguments: VerbArguments, options: ReportOptions) -> Report:
    """A report on one system, or on several that are ranked by ``by_metric``.

    Takes whatever ``score`` takes (one system), or ``rank`` (several). The result has
    ``to_html``, ``to_markdown`` and ``save``; ``by`` adds slices. Pictures need
    ``pip install 'evenhand[plot]'``.

    >>> made = report(list("aabbab"), list("aabbbb"), metrics="macro_f1")
    >>> made.title
    'How good is the system?'
    """
    if of_several(arguments):
        return report_on(systems_of(arguments, soft=True), options)
    one = one_of("report", system_of(arguments, soft=True))
    return report_on(one, options, name="the system")


def report_on(
    data: Any, options: ReportOptions, *, name: str = "", notes: Iterable[ResultWarning] = ()
) -> Report:
    """The report on data, with ``notes`` on how they were read; one system has a ``name``."""
    scoring = {f.name: getattr(options, f.name) for f in fields(ScoringOptions)}
    if name:
        scores, title = score(data, **scoring).noted(*notes), f"How good is {name}?"
        title = heading(options.title, title)
        return report_of_scores(scores, data, title=title, **options.binding)
    by_metric = main_metric(data) if options.by_metric is None else options.by_metric
    requested = [by_metric, *several(options.metrics, list, or_none=True)]
    systems, requested = for_metrics(data, requested)
    scoring["metrics"] = None if options.metrics is None else requested
    drawing: Any = {"runs": options.runs, "progress": options.progress}
    board = rank(systems, by_metric=requested[0], **scoring, **drawing).noted(*notes)
    same: dict[str, Any] = {"metrics": requested, "seed": options.seed, **options.binding}
    same |= {"title": options.title, "distance": options.distance}
    return report_of_board(board, systems, data, **same)
