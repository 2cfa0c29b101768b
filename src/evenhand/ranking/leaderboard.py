"""The result of a ranking: a leaderboard, and what it says in words and tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Literal, TypeAlias, get_args

from evenhand.catalogue.lists import LEAD, TWINS, ranked_metrics
from evenhand.catalogue.signature import IntervalField, Signature, footnote
from evenhand.catalogue.spelling import called
from evenhand.errors import InputError
from evenhand.inference.prediction_powered import JudgedInterval
from evenhand.options import choice
from evenhand.ranking.ranks import Flip, share_letter
from evenhand.records import Interval, Record
from evenhand.results.document import (
    Block,
    Content,
    Heading,
    Paragraph,
    Table,
    group_equal,
    rounded,
)
from evenhand.results.operating_points import OperatingPoint, operating_table
from evenhand.results.result import Collection, Entry, ReportedResult, Result, in_format, of_metric
from evenhand.text import (
    Cell,
    Grid,
    IntervalCell,
    IntervalStyle,
    LimitsCell,
    MetricName,
    RankCell,
    RankedCell,
    Sentence,
    StarredCell,
    counted,
    group_by,
    joined,
    judged_columns,
    key_text,
    level_text,
    listed,
    named,
    number,
    percents,
    sentence_named,
    share_cell,
    shortened,
    span,
    visible,
)
from evenhand.warnings import LeftOut

Columns: TypeAlias = Literal["auto", "metrics", "slices"]
MAX_METRIC_COLUMNS = 8
"""Metrics that have a column each unless they were chosen."""
MEAN = "Mean"


STABILITY = "rank_low rank_high best_probability best_low best_high group"
"""How sure a rank is, as in JSON."""


class Standing(Entry, JudgedInterval, kw_only=True):
    """One system on one metric: score, interval, rank, and how stable the rank is.

    ``rank_low`` to ``rank_high`` are the ranks that the paired tests leave to it, all systems'
    together right at the level; ``best_probability`` is P(best), the probability
    that it is the best of them, between ``best_low`` and ``best_high`` by how far apart the true
    scores are taken to be. Tables alone have no rank interval, no P(best) and no group.

    >>> import evenhand as eh
    >>> board = eh.rank(list("aabb"), list("aabb"), list("abbb"), replicates=99)
    >>> board["B"]["accuracy"].value, board["B"]["accuracy"].rank
    (0.75, 2)
    """

    rank: int
    rank_low: int | None = None
    rank_high: int | None = None
    best_probability: float | None = None
    best_low: float | None = None
    best_high: float | None = None
    group: str | None = None


class RunSpread(Record):
    """Several runs of a system on one metric: what they vary by, and what the items do."""

    names: tuple[str, ...]
    values: tuple[float, ...]
    spread: float | None
    se_runs: float | None
    se_items: float | None


class RankStep(Interval, kw_only=True):
    """How far a system is ahead of the next one, on the chosen metric."""

    json_fields = "system difference low high p p_adjusted"

    system: str
    p: float | None = None
    p_adjusted: float | None = None

    @property
    def difference(self) -> float:
        """The system's score less the next one's."""
        return self.value


class System(Collection[str, Standing], Entry):
    """One system of a leaderboard, on every metric.

    >>> import evenhand as eh
    >>> board = eh.rank(list("aabb"), list("aabb"), list("abbb"), replicates=99)
    >>> board["A"].name, float(board["A"]["accuracy"])
    ('A', 1.0)
    """

    name: str
    n: int
    """Items in its table: of tables alone, each has its own."""
    standings: dict[str, Standing]
    signature: Signature
    next: RankStep | None = None
    runs: RunSpread | None = None
    never_true: float = 0.0
    """Share of its answers that are labels true of no item."""
    outside: float = 0.0
    """Share of items that it gave no class at all."""
    win_rate: float | None = None
    """Of grades: the mean share of common items on which it beats another system, ties half."""

    of_metrics = True
    parts_in = "standings"
    json_fields = f"""name n scores=standings ranks
    {" ".join(f"{name}=chosen.{name}" for name in STABILITY.split())} best_rank worst_rank next
    stability=standings({STABILITY}) runs never_true outside win_rate signature"""

    @property
    def best_rank(self) -> int:
        """Its best rank under any metric."""
        return min(s.rank for s in self.standings.values())

    @property
    def worst_rank(self) -> int:
        """Its worst rank under any metric."""
        return max(s.rank for s in self.standings.values())

    def grid(self) -> Grid:
        """One row a metric, or several that are one number: score, interval, rank."""
        own = self.standings
        groups = group_equal(
            own, lambda m: (own[m].rank, *rounded(own[m].value, own[m].low, own[m].high))
        )
        first = ((" = ".join(group), own[group[0]]) for group in groups)
        rows = [[MetricName(name), x.value, x.low, x.high, x.rank] for name, x in first]
        return Grid([self.name, "value", "low", "high", "rank"], rows)

    @property
    def ranks(self) -> dict[str, int]:
        """Its rank under each metric."""
        return {m: s.rank for m, s in self.standings.items()}

    @property
    def chosen(self) -> Standing:
        """Its standing on the first metric, the chosen one."""
        return next(iter(self.standings.values()))


class FormulaRanks(Record):
    """What becomes of the order between the two formulas called 'macro F1'."""

    changed: int
    systems: tuple[str, ...]
    largest_gap: float
    largest_gap_of: str


class MeanOfSlices(Interval, kw_only=True):
    """A system's mean over slices on the chosen metric, every slice weighing the same.

    Systems that share a letter of ``group`` have means that do not differ significantly.
    """

    json_fields = "name value low high rank group"

    name: str
    rank: int
    group: str | None = None


class Leaderboard(Collection[str, System], Result):
    """Systems best first, how sure that order is, and what other metrics make of it.

    >>> import evenhand as eh
    >>> board = eh.rank(list("aabb"), list("aabb"), list("abbb"), replicates=99)
    >>> list(board), board["B"]["macro_f1"].rank
    (['A', 'B'], 2)
    """

    metric: str
    metrics: tuple[str, ...]
    n: int
    varies: tuple[str, ...]
    """What intervals and tests take to be other ones another time: items or clusters, and runs."""
    level: float
    replicates: int | None
    systems: tuple[System, ...]
    correlation: dict[str, dict[str, dict[str, float]]]
    flips: tuple[Flip, ...]
    twins: FormulaRanks | None
    baselines: dict[str, dict[str, float]]
    signature: Signature
    key: Any = None
    lower: bool = False
    slices: tuple[Leaderboard, ...] = ()
    mean_of_slices: tuple[MeanOfSlices, ...] = ()
    telling: int | None = None
    """Items on which not all systems say the same, where items are known."""
    operating_points: tuple[OperatingPoint, ...] = ()
    """What the systems decide, where an area under a curve is among the metrics."""

    drawn_by = "ranking.charts.leaderboard"
    parts_in = "systems by name"
    json_fields = """signature metric n varies level replicates systems correlation flips winners
    twins baselines resolution operating_points verdict failed mean_of_slices?=slice_means"""

    def reported(self) -> Iterable[ReportedResult]:
        """Every system on every metric, of the whole and of each slice."""
        for part in (self, *self.slices):
            for s in part.systems:
                for name, standing in s.standings.items():
                    signature, level = of_metric(s.signature, name), part.level
                    yield ReportedResult(name, standing, s.n, signature, level, s.name, part.key)

    @property
    def defined(self) -> int:
        """Systems whose score by the chosen metric is defined."""
        return sum(not math.isnan(s.chosen.value) for s in self.systems)

    @property
    def orders(self) -> dict[tuple[int, ...], list[str]]:
        """The different orders that metrics give: the systems' ranks, and which metrics agree."""
        return group_by(self.metrics, lambda m: tuple(s.standings[m].rank for s in self.systems))

    @property
    def winners(self) -> dict[str, list[str]]:
        """Who is first under each metric; several where they are equal."""
        return {m: [s.name for s in self.systems if s.standings[m].rank == 1] for m in self.metrics}

    @property
    def resolution(self) -> dict[str, int] | None:
        """How many steps to the next system are significant, and items that tell systems apart."""
        if self.telling is None:
            return None
        items = self.n if self.samples_note is None else self.samples_note.items
        counts = (sum(map(self._ahead, self.systems)), len(self.systems) - 1, self.telling, items)
        return dict(zip(("separable", "neighbours", "telling", "items"), counts, strict=True))

    def _ahead(self, system: System) -> bool:
        """Whether a system is significantly better than the next."""
        p = None if system.next is None else system.next.p_adjusted
        return p is not None and p < 1 - self.level

    @property
    def failed(self) -> dict[str, str]:
        """Systems that were left out, and why."""
        return {n.system: n.reason for n in self.cautions if isinstance(n, LeftOut)}

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """In words: who is first, who ties, and whether the metric decides it."""
        return (*headline(self), *_metrics(self), *_guessing(self), *_slices(self))

    @property
    def verdict(self) -> str:
        """The same as one text."""
        return " ".join(self.sentences)

    @property
    def _by_slice(self) -> list[tuple[str, list[Any]]]:
        """Each slice and then their mean, with the scores of the systems in their order."""
        parts: list[Any] = [(key_text(p.key), {s.name: s.chosen for s in p.systems})
                            for p in self.slices]  # fmt: skip
        parts += [(MEAN, {m.name: m for m in self.mean_of_slices})] * bool(parts)
        return [(name, [own[s.name] for s in self.systems]) for name, own in parts]

    @property
    def slice_means(self) -> tuple[MeanOfSlices, ...] | None:
        """The means over slices, where there are any."""
        return self.mean_of_slices if self.slices else None

    def content(self, *, long: bool = False, explain: bool = True) -> Content:
        """The verdict, the leaderboard, its slices; unless ``explain`` is false, what other
        metrics and guessing say of it.

        Data frames and CSV have one row a system; ``long``, one a number.
        """
        systems = counted(len(self.systems), "system")
        title = f"{systems} by {called(self.metric)}, {items_words(self)}"
        verdict = self.sentences if explain else headline(self)
        blocks: list[Block] = [Paragraph(joined("\n", verdict), "verdict")]
        blocks.append(leaderboard_sheet(self, explain=explain))
        blocks += operating_table(self.operating_points)
        blocks += [slices_sheet(self)] if self.slices else []
        if len(self.metrics) > 1 and explain:
            blocks.append(orders_sheet(self))
            blocks += [Heading("Pairs that swap ranks"), *flips_words(self)]
        blocks += [guessing_sheet(self)] if explain and self.baselines else []
        blocks += [self.picture] if explain else []
        data = partial(_long if long else _wide, self)
        usual = {self.metric, *(m.name for m in ranked_metrics())}  # unless others were requested
        shown = {self.metric} if usual == set(self.metrics) else set(self.metrics)
        warnings, note = self.warnings_on(shown), footnote_of(self)
        return self.described(title, blocks, data, warnings=warnings, footnote=note)

    def __str__(self) -> str:
        return in_format(self.content(explain=False), "table")

    def paper(  # type: ignore[override]
        self, *, columns: Columns = "auto", intervals: IntervalStyle = "pm"
    ) -> Content:
        """Systems by slices, or by metrics, with what is best and what ties with it.

        ``intervals`` stand as ``pm`` (±), ``ends``, ``small`` or ``none``.
        """
        choice(columns, get_args(Columns), "columns")
        choice(intervals, get_args(IntervalStyle), "intervals")
        by_slice = bool(self.slices) if columns == "auto" else columns == "slices"
        if by_slice and not self.slices:
            raise InputError("columns can be slices where there are some, or several data sets")
        shown = self._by_slice
        if not by_slice:
            metrics: Iterable[str] = self.metrics
            if len(self.metrics) > MAX_METRIC_COLUMNS:
                metrics = dict.fromkeys((self.metric, *(m for m in LEAD if m in self.metrics)))
            shown = [(MetricName(m), [s.standings[m] for s in self.systems]) for m in metrics]
        names, standings = zip(*shown, strict=True)
        cells = [_paper_cells(column, intervals) for column in standings]
        rows: list[list[Cell]] = [
            [s.name, *row] for s, row in zip(self.systems, zip(*cells, strict=True), strict=True)
        ]
        legend = "Best in bold, second underlined"
        if any(cell.tied for column in cells for cell in column):
            held = f"{level_text(1 - self.level)}, Holm" if by_slice else tested(self)
            legend += f"; † no significant difference from the best ({PAIRED_TEST}, {held})"
        if intervals != "none" and any(x.low is not None for column in standings for x in column):
            what = "± is half the width of" if intervals == "pm" else "in brackets"
            legend += f"; {what} the {level_text(self.level)} interval"
        legend += f". {MEAN}: over the parts, each weighing the same." if by_slice else "."
        systems = counted(len(self.systems), "system")
        name = f"{systems} on {items_words(self)}"
        if by_slice:
            name = f" of {name} in {counted(len(self.slices), 'part')}"
            name = Sentence(MetricName(self.metric), name)
        sheet = Table(Grid(["system", *names], rows), name, rows="systems", note=legend)
        title, data = f"{systems} by {called(self.metric)}", partial(_wide, self)
        note = footnote_of(self, intervals=intervals != "none")
        warnings = self.warnings_on({self.metric, *names})
        return self.described(title, [sheet], data, warnings=warnings, footnote=note)


# Every number as rows.

STANDING = f"se low high {STABILITY}".split()


def _wide(board: Leaderboard) -> Grid:
    """One row a system: the chosen metric whole, then its score by the others and in slices."""
    (metric, *others), slices = board.metrics, board._by_slice
    head = ["rank", "system", metric, *STANDING, "never_true", "outside", *others]
    head += [f"{metric} in {name}" for name, _ in slices[:-1]] + ["mean_of_slices"] * bool(slices)
    rows: list[list[Cell]] = []
    for i, s in enumerate(board.systems):
        row = [s.chosen.rank, s.name, s.chosen.value, *_standing(s.chosen), s.never_true, s.outside]
        row += [*(s.standings[m].value for m in others), *(own[i].value for _, own in slices)]
        rows.append(row)
    return Grid(head, rows)


def _standing(x: Standing) -> list[Cell]:
    """How sure a score is, and how stable its rank."""
    return ["" if name == "group" and not x.group else getattr(x, name) for name in STANDING]


def _long(board: Leaderboard) -> Grid:
    """Every number: one row a system and metric, and a slice where there are any."""
    head = ["system", "metric", "value", "rank", *STANDING, "never_true", "outside"]

    def rows(part: Leaderboard) -> Iterable[list[Cell]]:
        for s in part.systems:
            for m, x in s.standings.items():
                yield [s.name, m, x.value, x.rank, *_standing(x), s.never_true, s.outside]

    return board._in_slices(head, rows)


# The verdict.


def headline(board: Leaderboard) -> tuple[Sentence, ...]:
    """Who is first and which systems tie with it, and whether the two macro F1s disagree."""
    return (_winner(board), *_twins(board))


def _winner(board: Leaderboard) -> Sentence:
    first = [s for s in board.systems if s.chosen.rank == 1]
    top, tied = first[0].chosen, len(first) > 1
    facts = f"{called(board.metric)} {number(top.value)}"
    if not tied and top.best_probability is not None:
        facts += f", P(best) {percents(top.best_low, top.best_high)}"
    claim = f" {'tie for first' if tied else 'is first'} ({facts})"
    clauses = [sentence_named(s.name for s in first), claim]
    rest = [s for s in board.systems if s not in first]
    if top.group is None or not rest:
        return Sentence(*clauses, ".")
    ties = [s.name for s in rest if share_letter(s.chosen.group or "", top.group)]
    if ties:
        return Sentence(*clauses, "; no significant difference from ", sentence_named(ties), ".")
    others = sentence_named([rest[0].name]) if len(rest) == 1 else "every other system"
    return Sentence(*clauses, ", significantly better than ", others, f" ({tested(board)}).")


PAIRED_TEST = "paired test by difference/SE"
"""The test of which daggers and letters tell."""


def tested(board: Leaderboard) -> str:
    """The level of the paired tests, and for how many pairs they are corrected."""
    alpha = level_text(1 - board.level)
    pairs = math.comb(board.defined, 2)
    return f"{alpha}, Holm over {pairs:,} pairs" if pairs > 1 else alpha


def _metrics(board: Leaderboard) -> Iterable[Sentence]:
    if len(board.metrics) < 2:
        return
    each = (metric for metric, *_ in board.orders.values())  # metrics of one order count once
    by, ours = group_by(each, lambda m: tuple(board.winners[m])), tuple(board.winners[board.metric])
    if len(by) == 1:
        yield Sentence(f"{_same(ours)} first under all {orders_words(board)}.")
        return
    agree = by.pop(ours)
    ordered = sorted(by.items(), key=lambda p: -len(p[1]))
    others = (
        Sentence(sentence_named(names), f" in {len(ms)} (by {listed(map(called, ms), 3)})")
        for names, ms in ordered
    )
    orders = counted(len(board.orders), "different order")
    yield Sentence(
        f"The metric decides who wins: {counted(len(board.metrics), 'metric')} give {orders}; ",
        *(_are(ours), f" first in {len(agree)} of them, ", joined(", ", others), "."),
    )


def _are(names: Sequence[str]) -> Sentence:
    return Sentence(sentence_named(names), " is" if len(names) == 1 else " are")


def _same(names: Sequence[str]) -> str:
    return f"The same {'system is' if len(names) == 1 else 'systems are'}"


def orders_words(board: Leaderboard) -> str:
    """How many metrics there are, and how many orders they make: equal ones count once."""
    metrics, orders = len(board.metrics), len(board.orders)
    if orders == 1 < metrics:
        return f"{counted(metrics, 'metric')}, which all give the same order"
    same = "" if orders == metrics else f", which give {counted(orders, 'different order')}"
    return counted(metrics, "metric") + same


def _twins(board: Leaderboard) -> Iterable[Sentence]:
    if board.twins is None or not {m.name for m in TWINS} & set(board.metrics):
        return
    changed, total = board.twins.changed, len(board.systems)
    if not changed:
        yield Sentence("The two macro F1s (mean of F1, F1 of averages) give the same order.")
        return
    moved = f"{changed} of {counted(total, 'system')} {'change' if changed > 1 else 'changes'} rank"
    clauses = [f"The two macro F1s disagree: {moved} (", sentence_named(board.twins.systems), ")"]
    ours, other = (board.winners.get(m.name) for m in TWINS)
    if other is not None and ours != other:
        clauses += ["; by F1 of averages, ", _are(other), " first"]
    yield Sentence(*clauses, ".")


def _guessing(board: Leaderboard) -> Iterable[Sentence]:
    sign = 1 if board.lower else -1
    scores = {kind: own[board.metric] for kind, own in board.baselines.items()}
    known = {kind: sign * v for kind, v in scores.items() if v == v}
    if not known:
        return
    kind = min(known, key=known.__getitem__)
    claims: dict[str, list[str]] = {"No better than": [], "Not significantly better than": []}
    for s in board.systems:
        x = s.chosen
        for claim, v in zip(claims, (x.value, x.high if board.lower else x.low), strict=True):
            if v is not None and sign * v >= known[kind]:
                claims[claim].append(s.name)
                break
    for claim, weak in claims.items():
        if weak:
            guess = f"{claim} guessing {GUESSES[kind]} ({number(scores[kind])}): "
            yield Sentence(guess, sentence_named(weak), ".")


def _slices(board: Leaderboard) -> Iterable[Sentence]:
    if not board.slices:
        return
    mean = [m.name for m in board.mean_of_slices if m.rank == 1]
    if set(board.winners[board.metric]) == set(mean):
        yield Sentence(f"{_same(mean)} first by the mean of slices.")
    else:
        yield Sentence("By the mean of slices ", _are(mean), " first.")


# Tables and paragraphs, which a report uses too.

SHOWN_FLIPS = 12
SHOWN_SYSTEMS = 25
"""Systems up to which each order of them is written out."""

GUESSES = {
    "majority": "the most frequent class",
    "uniform": "all classes equally often",
    "prevalence": "by the class mix",
}
"""What each kind of guessing does."""

GUESSED = ("accuracy", "macro_recall", "f1_of_averages", "kappa", "mcc")
"""Metrics other than the chosen one on which readers know what guessing scores."""


BRIEF = frozenset({"human labels alone", "P(best)", "group", "win rate", "no class"})
"""Columns of a leaderboard that are explained even where no explanation is asked for."""


def footnote_of(board: Leaderboard, *, intervals: bool = True) -> str:
    """Which score the leaderboard is of, with what its intervals came to."""
    signature = of_metric(board.signature, board.metric)
    interval = IntervalField.parse(signature.interval)
    standings = (s.chosen for s in board.systems)
    method = next((x.method for x in standings if x.method is not None), None)
    if interval is not None and method is not None:
        plain = replace(interval, method=method.name, scale=method.scale, ranked=None)
        signature = replace(signature, interval=str(plain))
    return footnote(signature, intervals=intervals)


def items_words(board: Leaderboard) -> str:
    """How many items there are, from the fewest to the most where tables have their own."""
    least = min(s.n for s in board.systems)
    many = board.items_text(board.n)
    return many if least == board.n else f"{least:,} to {many} (each table has its own)"


def leaderboard_sheet(board: Leaderboard, *, explain: bool = True) -> Table:
    """The chosen metric: score, interval, rank interval, P(best), group; to ``explain`` it, also
    the difference to the next system and the ranks by other metrics.
    """
    systems, several = board.systems, explain and len(board.metrics) > 1
    joint = any(s.chosen.group is not None for s in systems)
    strange = explain and any(s.never_true for s in systems)  # of which a warning tells
    judged = judged_columns(s.chosen for s in systems)[:2]
    grid = Grid.from_records(
        systems,
        "rank=chosen.rank, system=name",
        (MetricName(board.metric), "chosen.value"),
        (f"{level_text(board.level)} interval", lambda s: LimitsCell(s.chosen.low, s.chosen.high)),
        ("runs", lambda s: s.runs and len(s.runs.names)),
        ("sd of runs", lambda s: s.runs and s.runs.spread),
        ("se of items", lambda s: s.runs and s.runs.se_items),
        *((name, lambda s, cell=cell: cell(s.chosen)) for name, cell in judged),
        *["items=n"] * (joint and any(s.n < board.n for s in systems)),
        "win rate=win_rate:share",
        *[("rank interval", lambda s: _ranks(s.chosen.rank_low, s.chosen.rank_high))] * joint,
        *[("P(best)", lambda s: share_cell(s.chosen.best_low, s.chosen.best_high))]
        * (board.replicates is not None),
        "group=chosen.group",
        *[("to next", lambda s: s.next and StarredCell(s.next.value, board._ahead(s)))] * explain,
        *[("ranks by metric", lambda s: _ranks(s.best_rank, s.worst_rank))] * several,
        *["never true=never_true:share"] * strange,
        *["no class=outside:share"] * any(s.outside for s in systems),
    )
    name = f"Systems by {called(board.metric)} on {items_words(board)}" if explain else ""
    grid = grid.without_empty()
    headings = set(grid.columns) if explain else BRIEF.intersection(grid.columns)
    legend = {heading: text for heading, text in _legend(board).items() if heading in headings}
    return Table(grid, name, rows="systems", note=" ".join(legend.values()), legend=legend)


def _ranks(low: int | None, high: int | None) -> RankCell:
    return RankCell(low, span(low, high))


def _legend(board: Leaderboard) -> dict[str, str]:
    """What the columns of the leaderboard mean."""
    judged = board.systems[0].chosen.judged
    power = 0.0 if judged is None else judged.power
    draws = f"{number(board.replicates)} {'normal draws' if judged else 'bootstrap replicates'}"
    legend = {
        f"{level_text(board.level)} interval": "Intervals and tests allow for other "
        f"{named(board.varies)} of the same kind.",
        "human labels alone": f"The judge's labels count with λ = {power:.2f}.",
        "P(best)": "P(best): probability of being the best of these systems, a lower and an upper "
        f"estimate ({draws}).",
        "group": f"Systems that share a letter tie: no significant difference ({tested(board)}).",
        "rank interval": "To next: the difference to the next system, * if significant. Rank "
        "interval: the ranks below all significantly better systems and above all significantly "
        "worse ones.",
        "win rate": "Win rate: the share of items on which it beats another, on average; ties "
        "half.",
        "ranks by metric": "Ranks by metric: the best and the worst rank over "
        f"{orders_words(board)}.",
        "never true": "Never true: predicted labels that are true of no item.",
        "no class": "No class: items without a prediction that is a class.",
    }
    if board.resolution is not None:
        separable, neighbours, telling, items = board.resolution.values()
        differ = "differs" if separable == 1 else "differ"
        legend["win rate"] += (
            f" Resolution: {separable:,} of {counted(neighbours, 'pair')} of neighbours in rank "
            f"{differ} significantly; systems differ on {telling:,} of {counted(items, 'item')}."
        )
    return legend


def orders_sheet(board: Leaderboard) -> Table:
    """One row for each order that some metric gives: who is where, and who wins how surely."""
    few, joint = len(board.systems) <= SHOWN_SYSTEMS, board.replicates is not None
    head = ["metric", "more", *["ranks, as above"] * few, "winner", *["P(best)"] * joint]
    rows: list[list[Cell]] = []
    for places, metrics in board.orders.items():
        m, won = metrics[0], board.winners[metrics[0]]
        more = f"+{len(metrics) - 1}" * (len(metrics) > 1)
        row: list[Cell] = [MetricName(m), more, *[" ".join(map(str, places))] * few]
        row.append(won[0] if len(won) == 1 else f"{len(won)} equal")
        first = board[won[0]].standings[m]
        row += [] if first.best_low is None else [share_cell(first.best_low, first.best_high)]
        row += [board.correlation[kind][board.metric][m] for kind in ("spearman", "kendall")]
        rows.append(row)
    name = f"Ranks under every metric, correlated with {called(board.metric)}"
    return Table(Grid([*head, "Spearman", "Kendall"], rows), name, digits=2, rows="orders", wide=90)


def scores_sheet(board: Leaderboard) -> Table:
    """One row a system: its score by every metric; those that are always equal stand together."""
    values = {m: [s.standings[m].value for s in board.systems] for m in board.metrics}
    groups = group_equal(values, lambda m: rounded(*values[m]))
    columns = {MetricName(group[0]): values[group[0]] for group in groups}
    same = "; ".join(" = ".join(map(called, group)) for group in groups if len(group) > 1)
    note = f"Equal for every system here: {same}." if same else ""
    rows = list(map(list, zip(board.parts, *columns.values(), strict=True)))
    name = "Score of every system by every metric"
    return Table(Grid(["system", *columns], rows), name, 3, rows="systems", note=note)


def slices_sheet(board: Leaderboard) -> Table:
    """One row a system: its score and rank in every slice, pooled, and their mean."""
    *slices, (_, means) = board._by_slice
    head = ["system", *(name for name, _ in slices), "pooled", "mean of slices"]
    sizes = [number(p.n) for p in (*board.slices, board)]
    rows: list[list[Cell]] = [[board.unit, *sizes, ""]]
    for i, (s, mean) in enumerate(zip(board.systems, means, strict=True)):
        own = (*(scores[i] for _, scores in slices), s.chosen)
        row: list[Cell] = [IntervalCell(Interval(x.value), x.rank) for x in own]
        rows.append([s.name, *row, IntervalCell(mean, mean.rank)])
    return Table(Grid(head, rows), f"Slices, {called(board.metric)} (rank)", rows="systems")


def guessing_sheet(board: Leaderboard) -> Table:
    """What guessing scores, on the metrics that readers know best."""
    metrics = [board.metric, *(m for m in board.metrics if m in GUESSED and m != board.metric)]
    rows: list[list[Cell]] = [
        [GUESSES[kind], *(scores[m] for m in metrics)] for kind, scores in board.baselines.items()
    ]
    return Table(Grid(["guessing", *map(MetricName, metrics)], rows), "What guessing would score")


def flips_words(board: Leaderboard) -> list[Paragraph]:
    """How many pairs of systems swap ranks under another metric; then which, sure ones first."""
    if not board.flips:
        return [Paragraph("None: every metric orders every pair of systems alike.")]
    by = group_by(board.flips, lambda flip: flip.systems)
    sure = {systems: sum(f.sure for f in flips) for systems, flips in by.items()}
    total = math.comb(len(board.systems), 2)
    summary = f"{len(by):,} of {total:,} pairs of systems swap ranks under another metric"
    if board.replicates is not None:
        summary += f", {sum(n > 0 for n in sure.values()):,} of them significantly both ways (*)"
    first = sorted(by, key=lambda systems: -sure[systems])[:SHOWN_FLIPS]
    lines = [f"  {_turned(systems, by[systems])}" for systems in first]
    lines += [f"  … and {len(by) - len(first):,} more pairs"] * (len(by) > len(first))
    return [Paragraph(f"{summary}:"), Paragraph("\n".join(lines))]


def _turned(systems: tuple[str, str], flips: list[Flip]) -> str:
    """By which metric one system is ahead of another, and by which behind."""
    a, b = (shortened(visible(s), 30) for s in systems)
    others = sorted(flips, key=lambda f: not f.significant[1])
    by, but = ([called(f.metrics[i]) + "*" * bool(f.significant[i]) for f in part]
               for i, part in enumerate((flips, others)))  # fmt: skip
    return f"{a} > {b} by {by[0]}, but {b} > {a} by {listed(but, 3)}"


# The table as papers print it.


def _paper_cells(
    standings: Sequence[Standing | MeanOfSlices], style: IntervalStyle
) -> list[RankedCell]:
    """Of the ranks that occur the first two are marked, and who ties with the best."""
    ranks = sorted({s.rank for s in standings})
    top = next(s.group or "" for s in standings if s.rank == 1)
    tied = (s.rank > 1 and share_letter(s.group or "", top) for s in standings)
    rows = zip(standings, tied, strict=True)
    return [RankedCell(s, style, ranks.index(s.rank) + 1, tie) for s, tie in rows]
