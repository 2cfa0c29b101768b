"""The commands twins, metrics, properties, papers and signature."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from typing import Any

import click
from click import UsageError

from evenhand.charts.chart import ENDINGS
from evenhand.cli import options, sources
from evenhand.cli import output as out
from evenhand.cli.options import Flags, OutputOptions, SourceOptions, refuse
from evenhand.errors import MetricError, shown
from evenhand.options import AveragingOptions, TwinsOptions
from evenhand.text import counted
from evenhand.warnings import ResultWarning

OF_NUMBERS = ("files", "labels", "rows")
"""What bare numbers may come with."""


@options.command(
    TwinsOptions,
    usual="matrix rows true pred id by labels average classes pairs style format output",
)
@options.files(metavar="[K CELL… | GOLD PRED | FILE]")
@sources.one
@options.declared(TwinsOptions)
@options.option(
    "--style program", "Print bare numbers as the paper's program.", type=options.WordParam(["mf1"])
)
@options.output("gap", "lemma", "ring")
def twins_command(source: SourceOptions, flags: Flags, output: OutputOptions) -> None:
    """Both macro F1s of one table, their gap, and the pairs of classes that make it.

    Bare numbers are the number of classes and the cells row by row, rows = predicted, as the
    program printed by Opitz & Burst (2019) takes them. Any input of evenhand score works too.

    \b
    evenhand twins 2 100 10000 0 100
    evenhand twins 2 100 10000 0 100 --style mf1
    evenhand twins gold.txt pred.txt
    evenhand twins gold.txt pred.txt --plot lemma.svg --chart lemma
    evenhand twins --matrix "6 1 1; 1 5 2; 2 3 7" --format json
    """
    from evenhand.scoring.macro_f1_gap import twins

    refuse(source.cluster, "--cluster changes intervals, and twins has none: leave it out.")
    files = source.files
    notes: tuple[ResultWarning, ...] = ()
    if files and _is_number(files[0]) and (len(files) > 2 or _is_number(files[-1])):
        table = _as_the_paper_does(files, source)
        if flags.program:
            _as_the_paper_prints(table)
            return
        if not options.on_command_line("average") and not flags.classes:
            listed = tuple(map(str, table.labels))  # it lists them, true of some item or not
            flags = flags.replace(classes=listed)
    elif flags.program:
        raise UsageError("--style mf1 prints a matrix of bare numbers, as its program does.")
    else:
        loaded = sources.data_from(source)
        table, notes = loaded.data, loaded.notes
    result = twins(table, **{**flags.arguments(table), "pairs": None}).noted(*notes)
    out.show(result, output, pairs=flags.pairs)
    if output.plot is not None:
        from evenhand.scoring.charts import gap, lemma, ring

        binding = flags.arguments(table, AveragingOptions)
        draw = lemma if output.chart == "lemma" else ring
        chart = gap(result) if output.chart == "gap" else draw(table, **binding)
        out.draw(chart, output)


def _as_the_paper_prints(table: Any) -> None:
    """Every class counts there and the text is fixed, so that nothing else may be asked for."""
    from evenhand.papers.two_macro_f1 import printed

    others = (*options.AVERAGE, "undefined", *(f.name for f in fields(OutputOptions)))
    more = any(map(options.on_command_line, others))
    refuse(more, "--style mf1 prints what its program prints: no other choices.")
    click.echo(printed(table.cells.T.tolist()))


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?[0-9]+(\.[0-9]*)?([eE][0-9]+)?", text) is not None


def _as_the_paper_does(numbers: tuple[str, ...], source: SourceOptions) -> Any:
    from evenhand.data.confusion import Confusion
    from evenhand.io.matrices import number

    others = (f.name for f in fields(source) if f.name not in OF_NUMBERS)
    more = any(map(options.on_command_line, others))
    refuse(more, "Bare numbers are a matrix: they take no files and no columns.")
    for i, text in enumerate(numbers, 1):
        refuse(not _is_number(text), f"Expected a number in place {i}, got {shown([text])}.")
    size = re.fullmatch(r"0*[1-9][0-9]{0,8}", numbers[0])
    refuse(not size, f"Expected the number of classes first, got {numbers[0][:60]}.")
    k, cells = int(numbers[0]), numbers[1:]
    refuse(len(cells) != k * k, f"Expected {k * k} cells after K = {k}, got {len(cells)}.")
    values = list(map(number, cells))
    matrix = [values[i : i + k] for i in range(0, k * k, k)]
    letters = [chr(ord("a") + i) if i < 26 else f"class {i + 1}" for i in range(k)]
    rows = source.rows if options.on_command_line("rows") else "pred"
    return Confusion.from_matrix(matrix, labels=source.labels or letters, rows=rows)  # type: ignore[arg-type]


# ``evenhand metrics``: the catalogue.


@options.command()
@click.argument("names", nargs=-1, metavar="[NAME | WORD]…")
@options.option("--search", "Those of which these words are said.", "WORDS")
@options.option("--family", "Those of one family, such as agreement.", "FAMILY")
@options.flag("--per-class", "Those that have a value for each class.")
@options.option("--property", "Those with a property, such as monotone.", "PROPERTY")
@options.output()
def metrics_command(flags: Flags, output: OutputOptions) -> None:
    """List the metrics, or explain those named: formula, range, properties, reference.

    A name may be another library's or a paper's (TPR, f1_score, KAPPA, GmacR), and that of an
    average of any metric of one class (macro_jaccard, weighted_specificity, micro_npv).

    Words find the metrics of which documents say them: benevolent, doppelganger, macF1', F-score_M,
    class bags, bookmaker, inter-annotator, RMSD, bias, prevalence.

    \b
    evenhand metrics
    evenhand metrics doppelganger
    evenhand metrics macro_f1 f1_of_averages
    evenhand metrics --family agreement
    evenhand metrics --per-class --search "false alarms"
    evenhand metrics --property monotone
    evenhand metrics --format markdown
    """
    from evenhand.catalogue.descriptions import property_in
    from evenhand.catalogue.lists import filtered_metrics
    from evenhand.core.registry import find
    from evenhand.results.metric_pages import Catalogue

    having = property_in(flags.names)
    try:
        metrics = filtered_metrics(
            () if having else flags.names,
            (flags.search or "").split(),
            family=flags.family,
            per_class=flags.per_class,
            having_property=having or flags.property,
        )
    except MetricError as error:
        also = _in_the_papers(flags.names)
        raise MetricError(f"{error} ({also})" if also else str(error)) from None
    catalogue = Catalogue(tuple(metrics), having=having or "")
    few = len(catalogue) <= max(3, len(flags.names))
    out.show(catalogue, output, full=few)
    words = tuple(name for name in flags.names if find(name) is None)
    if words and (also := _in_the_papers(words)):
        out.line(also, to_stderr=True)


def _in_the_papers(words: tuple[str, ...]) -> str:
    """Where else words lead that are no metric's name: to claims of the papers."""
    from evenhand.papers.claims import all_claims, chosen

    claims = chosen(words, all_claims()) if words else []
    if not claims:
        return ""
    return f"of the papers: {counted(len(claims), 'claim')}, evenhand papers {' '.join(words)}"


# ``evenhand properties``: which of the five properties a metric has.


@options.command()
@click.argument("metrics", nargs=-1, metavar="[METRIC | MODULE:FUNCTION]…")
@options.label(
    "--classes",
    "Numbers of classes to search tables of (repeatable).",
    metavar=None,
    type=click.IntRange(2, 6),
    default=(2, 3, 4),
)
@options.number("--seed", 0, "The same seed, the same tables.", 0)
@options.flag("--all every", "Search tables for every metric of the catalogue.")
@options.output()
def properties_command(flags: Flags, output: OutputOptions) -> None:
    """Say which properties a metric has: monotonicity, class sensitivity, decomposability over
    classes, prevalence invariance, chance correction.

    A property it lacks comes with the smallest table found that shows it. A property that was
    not refuted comes with what was tried and, where one is known, a derivation. Without a
    metric, what the catalogue says of all, with no search. MODULE:FUNCTION is a function of your
    own, of Counts or of a matrix (rows = true): naming it runs the module.

    \b
    evenhand properties mcc kappa
    evenhand properties macro_fbeta:beta=2 macro_f1@uniform
    evenhand properties mymetrics:macro_jaccard --format json
    evenhand properties --all --format markdown --output properties.md
    """
    from evenhand.properties.profile import SIZES, Profiles, check, registered, stated

    refuse(flags.every and flags.metrics, "--all searches every metric: leave out the names.")
    names, sizes, seed = flags.metrics, flags.classes, flags.seed
    names = registered() if flags.every else names
    no_search = not names and (sizes, seed) != (SIZES, 0)
    refuse(no_search, "--classes and --seed are of a search: name a metric, or give --all.")
    profiles = []
    with out.progress("searching", len(names)) as advance:
        for name in names:
            profiles.append(check(name, sizes=sizes, seed=seed))
            advance(1)
    searched = Profiles(tuple(profiles), tuple(sorted(set(sizes))), seed)
    out.show(searched if names else stated(), output)


# ``evenhand papers``: the founding documents' claims recomputed, their figures redrawn.


@options.command()
@click.argument("words", nargs=-1, metavar="[WORD]…")
@options.number("--seed", 0, "Of what is simulated: figures, and claims about them.", 0)
@options.number("--draws", 200, "Simulated tasks a point of the figures 2 and 3 that are drawn.")
@options.option(
    "--mix mixes",
    "A class mix of figure 1b, such as 70:30, in the place of ours (repeatable).",
    "A:B:…",
    multiple=True,
    callback=lambda context, option, values: tuple(map(_shares, values)),
)
@options.flag("--errata", "Only what is wrong in each document, with what is right.")
@options.output()
def papers_command(flags: Flags, output: OutputOptions) -> None:
    """Recompute every claim of the documents behind the metrics, or those with the words in their
    id, document (author, year, title, arXiv number), section or text.

    \b
    000  Opitz & Burst 2019, Macro F1 and Macro F1 (arXiv:1911.03347); 004 another rendering
    001  a note: Calculating Accuracy, Weighted Precision, … and Weighted F1-Score
    002  Shmueli 2019, A Tale of Two Macro-F1's
    003  Opitz 2022, From Bias and Prevalence to Macro F1, Kappa, and MCC

    A claim holds, perhaps with a remark, is a misprint (a corrected form holds), fails as printed,
    is damage of the rendering (another copy has it right) or cannot be checked, because what it
    rests on is not printed. Nothing is stored: each verdict is computed now, but for the few that
    are marked as read by eye.

    The word figures (or figure 2a, figure table 8) with --output redraws the figures, or that one,
    from fresh simulation into the directory; 000-figure-1a with --output FILE.svg, that picture.

    \b
    evenhand papers
    evenhand papers 000-theorem-2
    evenhand papers Opitz 2022 calibration
    evenhand papers 003 --format json
    evenhand papers 003 --errata --format latex
    evenhand papers figure 2a
    evenhand papers figures --output figures
    evenhand papers figure 1b --mix 90:10 --mix 60:30:10 --output figure-1b.svg
    """
    words = flags.words
    drawing = words[:1] in (("figure",), ("figures",))
    simulation = {"seed": flags.seed, "draws": flags.draws, "mixes": flags.mixes}
    if (output.path or "").endswith(ENDINGS[:3]):
        from evenhand.papers.figures import figures

        picture, *others = figures(words[drawing:], **simulation)
        refuse(others, "One picture has one figure: name it, or give a directory.")
        picture.chart.save(str(output.path))
        return
    if drawing and output.path and output.path != "-":
        from evenhand.papers.figures import redraw

        with out.progress("drawing"):
            drawn = redraw(output.path, words[1:], **simulation)
        out.show(drawn, replace(output, path=None))
        return
    refuse(flags.mixes, "--mix draws figure 1b: say where to with --output.")
    from evenhand.papers import recompute

    with out.progress("recomputing"):
        result = recompute(("figure", *words[1:]) if drawing else words, seed=flags.seed)
    if flags.errata:
        out.show(result.errata, output, errata=True, full=output.style == "table")
    else:
        out.show(result, output)


def _shares(text: str) -> tuple[float, ...]:
    """A class mix in parts, such as 70:30."""
    try:
        return tuple(map(float, text.split(":")))
    except ValueError:
        raise UsageError(f"--mix takes A:B:… such as 70:30, got {text!r}") from None


# ``evenhand signature``: a signature in words.


@options.command()
@click.argument("text", metavar="TEXT")
@click.argument("other", required=False, metavar="[OTHER]")
@options.output()
def signature_command(flags: Flags, output: OutputOptions) -> None:
    """Explain a signature field by field; with a second one, name the fields that differ.

    Exit code 1 says that two signatures differ.

    \b
    evenhand signature "metric:macro_f1|formula:mean-of-f1|classes:seen.3"
    evenhand signature "m:macro_f1|c:seen.3" "m:macro_f1|c:true.3"
    evenhand signature "m:macro_f1|c:seen.3" --format json
    """
    from evenhand.catalogue.signature import Signature
    from evenhand.results.metric_pages import Differences, Explained

    signature = Signature.parse(flags.text)
    if flags.other is None:
        out.show(Explained(signature), output)
        return
    unlike = Differences(signature, Signature.parse(flags.other))
    out.show(unlike, output)
    out.end(unlike.ok)
