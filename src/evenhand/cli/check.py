"""The commands audit, which and agree."""

from __future__ import annotations

from typing import Any

import click

from evenhand.cli import options, sources
from evenhand.cli import output as out
from evenhand.cli.options import Flags, OutputOptions, refuse
from evenhand.options import AgreeOptions, AuditOptions


@options.command(AuditOptions)
@click.argument("file", type=options.FILE, metavar="FILE")
@options.by_name("--support supports", "Class sizes (repeatable).", metavar="LABEL=N,…")
@options.by_name(
    "--map meanings",
    "What headings mean that are not recognised (repeatable); HEADING=- is not used.",
    metavar="HEADING=SCORE,…",
)
@options.declared(AuditOptions)
@options.printed
@options.output()
def audit_command(flags: Flags, output: OutputOptions) -> None:
    """Which formula is behind each reported macro F1, and which numbers cannot be true.

    FILE is a document: LaTeX, Markdown, HTML, text copied from a PDF, CSV, TSV, Excel, what
    scikit-learn and caret print, or - for standard input. Every table in it is audited.
    Headings are read as papers write them (P, R, F1, Prec., macro-F1, Acc., κ, a class over its
    columns, systems or classes down), and what each was taken for is shown. Values are read as
    they are written: 75.2, 75.20, .752, 75,2 %, 75.2 ± 0.4. Exit code 1 says that something was
    found, 2 that nothing could be read.

    \b
    evenhand audit table.csv
    evenhand audit paper.tex --support positive=1200,negative=1500,neutral=900
    evenhand audit - < copied.txt
    evenhand audit table.md --map 'F=macro_f1,Score=accuracy'
    evenhand audit table.csv --runs 5 --rerank --format json
    """
    from evenhand.auditing.audit import audits, single
    from evenhand.auditing.content import unused_rates
    from evenhand.auditing.numbers import read_count
    from evenhand.results.document import Paragraph

    chosen = flags.arguments(None) | {"meanings": flags.meanings}
    chosen["support"] = {k: read_count(v, f"--support {k}") or 0 for k, v in flags.supports.items()}
    with out.progress("auditing") as advance:
        result = audits(flags.file, progress=lambda done, rows: advance(1), **chosen)
    missed = [heading for one in result.values() for heading in unused_rates(one)]
    words = f"--map {missed[0]}=macro_precision says what a column holds." if missed else ""
    more = [Paragraph(words, "note")] * bool(missed)
    name = "standard input" if flags.file == "-" else flags.file
    out.show(single(result), output, name, more)
    out.end(result.ok)


# ``evenhand which``: the formula behind one precision, recall and macro F1.


@options.command()
@options.option("--precision", "Reported macro precision.", "P", required=True)
@options.option("--recall", "Reported macro recall.", "R", required=True)
@options.option("--f1", "Reported macro F1.", "F", required=True)
@options.number("--runs", 1, "The scores are means of N runs.", metavar="N")
@options.output()
def which_command(flags: Flags, output: OutputOptions) -> None:
    """Tell which formula gave a reported macro F1: the mean of F1, or the F1 of averages.

    Give the values with all the decimals that are printed: rounding is part of the answer.
    Exit code 1 says that no formula gives it.

    \b
    evenhand which --precision 0.725 --recall 0.5667 --f1 0.6042
    evenhand which --precision 72,5 --recall 56,67 --f1 63,61
    evenhand which --precision 0.70 --recall 0.50 --f1 0.90 --runs 5
    """
    from evenhand.auditing.audit import which

    result = which(flags.precision, flags.recall, flags.f1, runs=flags.runs)
    out.show(result, output)
    out.end(result.ok)


# ``evenhand agree``: how well any number of annotators agree.


@options.command(AgreeOptions)
@options.files(required=True, metavar="FILE")
@options.declared(AgreeOptions, "distance")
@options.column("--id", "Column of the item; all others are annotators unless named.")
@options.column("--annotator", "Column of the annotator (one row per item and annotator).")
@options.column("--label", "With --annotator: column of the label.")
@options.column("--pred", "Column of an annotator's labels (repeatable).", multiple=True)
@sources.labels
@options.declared(AgreeOptions, "level")
@sources.layout
@options.output()
def agree_command(flags: Flags, output: OutputOptions) -> None:
    """How well annotators agree: Krippendorff's alpha, of two also Cohen's kappa.

    Not all need have rated every item. The file has a column for each annotator and a row for each
    item, empty where there is no rating; or a row for each rating, with columns for the item, the
    annotator and the label.

    \b
    evenhand agree ratings.csv --id item
    evenhand agree ratings.csv --pred anna --pred ben --distance ordinal
    evenhand agree long.csv --id item --annotator worker --label answer
    evenhand agree ratings.csv --distance ordinal --labels low,middle,high --format json
    """
    from evenhand.core.contingency import APART
    from evenhand.io.delimited import TextLayout
    from evenhand.io.matrices import read_distance
    from evenhand.io.ratings import read_ratings
    from evenhand.scoring.agreement import agree

    long = (flags.annotator, flags.label)
    one_file = "agree takes one file, with a column for each annotator: join them first."
    refuse(len(flags.files) > 1, one_file)
    incomplete = len(set(map(bool, long))) > 1 or (flags.annotator and flags.id is None)
    refuse(incomplete, "A row per rating needs --id, --annotator and --label.")
    both = flags.annotator and flags.pred
    refuse(both, "--pred names the annotators' columns: leave out --annotator.")
    layout = TextLayout(False if flags.no_header else None, flags.delimiter, flags.encoding)
    ratings = read_ratings(flags.files[0], item=flags.id, long=long, own=flags.pred, layout=layout)
    distance = flags.distance if flags.distance in APART else read_distance(flags.distance)
    arguments: dict[str, Any] = {n: n for n in ("item", "annotator", "label") if flags.annotator}
    arguments |= {"distance": distance, "labels": flags.labels, "level": flags.level}
    result = agree(ratings.data, **arguments)
    out.show(result.noted(*ratings.notes), output, flags.files[0])
