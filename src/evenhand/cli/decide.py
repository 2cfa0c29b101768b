"""The commands gate, plan, shift and calibrate."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from evenhand.catalogue.spelling import prevalence_of
from evenhand.cli import options, sources
from evenhand.cli import output as out
from evenhand.cli.options import Flags, OutputOptions, SourceOptions, refuse
from evenhand.cli.sources import (
    data_from,
    matrix_from,
    named_system,
    systems_from,
    two_systems,
    whole_only,
)
from evenhand.errors import InputError, shown
from evenhand.inference.rows import Data
from evenhand.io.items import Renaming
from evenhand.io.loading import LoadedData
from evenhand.io.ratings import read_predictions, read_shares
from evenhand.io.saved import is_saved, load
from evenhand.io.scratch import atomic_write
from evenhand.io.sources import opened
from evenhand.options import (
    DriftOptions,
    ExtrapolateOptions,
    GateOptions,
    JudgingOptions,
    PlanOptions,
    PrevalenceOptions,
    SweepOptions,
)
from evenhand.shift.estimation import Drift, PrevalenceEstimate, drift, estimate_prevalence
from evenhand.shift.extrapolation import Extrapolation, extrapolate
from evenhand.shift.sweeps import Sweep, sweep

TOO_FEW = 3
"""The exit code of a gate that some slice has too few items for."""


@options.command(
    GateOptions,
    usual="margin min-items metric test by cluster true pred id system baseline level missing "
    "baseline-out format output",
)
@options.files(metavar="[GOLD OLD NEW | FILE | LOGS]")
@options.declared(
    GateOptions, "margin", "min_items", "test", "baseline", *JudgingOptions.declared()
)
@options.option(
    "--baseline-out",
    "Unless it fails, write NEW's answers there, items hashed: OLD of the next run.",
    "FILE",
    type=options.NamedParam("file"),  # which may be OLD, that was read before
)
@sources.several
@sources.judged_pairs
@options.footnote
@options.output()
def gate_command(source: SourceOptions, flags: Flags, output: OutputOptions) -> None:
    """Pass (exit code 0) if NEW is shown to be not worse than OLD by more than the margin, else
    fail (exit code 1): also where the items are too few to tell. Exit code 3: all passed but
    slices of fewer than --min-items.

    The input is GOLD, OLD and NEW, or one file with two columns of predictions, OLD's first. OLD
    may be a file that --baseline-out wrote. With --by it must be shown in every slice too,
    corrected over slices; in CI, "|| test $? -eq 3" lets exit code 3 pass. One line says what was
    decided; with --format or --output the whole result is written as well.

    \b
    evenhand gate gold.txt old.txt new.txt --margin 0.01
    evenhand gate old.eval new.eval --margin 1%
    evenhand gate gold.txt old.txt new.txt --margin 1% --metric macro_f1
    evenhand gate answers.csv --pred old --pred new --margin 2% --by language
    evenhand gate answers.csv --pred old --pred new --margin 2% --by language --min-items 200
    evenhand gate gold.txt baseline.csv new.txt --margin 0.01 --baseline-out baseline.csv
    evenhand gate gold.tsv old.tsv new.tsv --id id --label label --cluster user --margin 0.01
    evenhand gate gold.txt old.txt new.txt --margin 0 --test superior --output gate.json
    evenhand gate gold.txt old.txt new.txt --margin 0.01 --format markdown >> summary.md
    """
    from evenhand.deciding.gate import gate

    no_old = source.system and flags.baseline is None
    refuse(no_old, "With --system, say which system is OLD: --baseline NAME.")
    margins = dict(flags.margin)
    ambiguous = len(margins) < len(flags.margin) or None not in margins
    refuse(ambiguous, "Expected --margin NUMBER once, and --margin SLICE=NUMBER for each.")
    loaded = sources.judged_from(source, flags)
    if loaded is None:
        with with_baseline(source) as resolved:
            loaded = two_systems(resolved)
    arguments = flags.arguments(loaded.data) | {"margin": margins.pop(None)}
    arguments["slice_margins"] = margins
    arguments["baseline"] = named_system(flags.baseline, loaded.data.systems)
    result = gate(loaded.data, **arguments).noted(*loaded.notes)
    styled = options.on_command_line("style") or output.footnote or output.path == "-"
    if styled or output.path is not None:
        out.show(result, output)
    else:
        out.warn(result.warning_lines)
    out.line(result.message, to_stderr=styled, fold=True)
    if not styled and result.failures is not None:
        out.sheet(result.failures)
    if flags.baseline_out is not None and result.verdict != "failed":
        write_baseline(source, flags.baseline_out)
    if result.verdict == "too few items to judge":
        raise SystemExit(TOO_FEW)
    out.end(result.passed)


# Baselines of a gate: a system's answers in a file to commit, items by their hashes.

HEAD = ["evenhand_item", "label"]
"""The heading of a baseline, by which it is known."""
NO_CLASSES = ("\0",)
"""No column is called so: what is read are labels, no probabilities."""


@contextmanager
def with_baseline(source: SourceOptions) -> Iterator[SourceOptions]:
    """The files; for an OLD that is a baseline, a file with the answers that it holds."""
    path = "" if len(source.files) != 3 else source.files[1]
    if not is_baseline(path):
        yield source
        return
    with open(path, encoding="utf-8", newline="") as file:
        labels = dict(list(csv.reader(file))[1:])
    items = _hashed_items(source, source.files[0])
    lost = [name for key, name in items.items() if key not in labels]
    if lost or len(labels) != len(items):
        raise InputError(
            f"{path} must hold an answer to each item of {source.files[0]} as it is now: of "
            f"{len(labels):,} and {len(items):,} items it lacks {shown(lost) if lost else 'none'}; "
            "write it again with --baseline-out"
        )
    rows = [[name, labels[key]] for key, name in items.items()]
    rows = [[source.id, source.guess], *rows] if source.id else [row[1:] for row in rows]
    with TemporaryDirectory() as folder:
        old = Path(folder, f"{Path(path).stem}.{'csv' if source.id else 'txt'}")
        _write_rows(old, rows)
        yield replace(source, files=(source.files[0], str(old), source.files[2]))


def is_baseline(path: str) -> bool:
    """Whether a file begins as a baseline does."""
    with suppress(OSError), open(path, "rb") as file:
        return file.readline().strip() == ",".join(HEAD).encode()
    return False


def write_baseline(source: SourceOptions, path: str) -> None:
    """NEW's answers, each beside the hash of its item: no id and no text of an item is in it."""
    other = len(source.files) != 3 or source.sample
    refuse(other, "--baseline-out needs GOLD OLD NEW, and goes without --sample.")
    gold, _, new = source.files
    answers = _column(source, new, source.guess)
    labels = dict(zip(_hashed_items(source, new), answers, strict=True))
    keys = sorted(_hashed_items(source, gold))
    with atomic_write(path) as part:
        _write_rows(part, [HEAD, *([key, labels.get(key, "")] for key in keys)])


def _write_rows(path: Path, rows: Iterable[list[Any]]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def _hashed_items(source: SourceOptions, path: str) -> dict[str, Any]:
    """What the items of a file are called, by hash: of their ids, or of their row and truth."""
    no_label = source.id and not (source.truth and source.guess)
    refuse(no_label, "With --id a baseline needs --label, or --true and --pred too.")
    ids: dict[str, Any]
    if source.id:
        ids = {name: name for name in _column(source, path, source.id)}
    else:  # rows are those of GOLD, so that another truth is another item
        truth = _column(source, source.files[0], source.truth)
        ids = {f"{row} {label}": row for row, label in enumerate(truth, 1)}
    return {sha256(text.encode()).hexdigest()[:16]: name for text, name in ids.items()}


def _column(source: SourceOptions, path: str, column: str | None) -> list[str]:
    """A column of a file, or its lines, as the command reads it."""
    values = read_predictions(path, NO_CLASSES, column=column, layout=source.layout)
    return ["" if v is None else str(v) for v in values.data]


# ``evenhand plan``: how many items must a test set have?

GOALS = [name for name in PlanOptions.declared() if name not in JudgingOptions.declared()]
"""The options of ``plan`` alone, which its help has first."""


@options.command(
    PlanOptions,
    usual="width difference margin power recalls mix true pred id cluster matrix metric level "
    "format output",
)
@options.files(metavar="[GOLD PRED | GOLD A B | FILE | LOGS]")
@options.declared(PlanOptions, *GOALS, *JudgingOptions.declared())
@sources.planned
@sources.judged
@options.written("--label-next", "With --judge: the items, with those to label next.")
@options.output()
def plan_command(source: SourceOptions, flags: Flags, output: OutputOptions) -> None:
    """Say how many items a test set needs for an interval of a given width, to show a difference
    between two systems, or to let equally good ones pass a gate.

    The input is a pilot of one system or of two, a confusion table, or recalls and a class mix.

    \b
    evenhand plan gold.txt pilot.txt --width 0.05
    evenhand plan gold.txt old.txt new.txt --difference 0.02 --power 0.9
    evenhand plan old.eval new.eval --difference 0.02
    evenhand plan gold.txt old.txt new.txt --margin 0.01 --metric accuracy
    evenhand plan --matrix "45 5; 10 40" --width 0.1 --metric macro_recall
    evenhand plan --recalls spam=0.8,ham=0.95 --mix spam=0.05,ham=0.95 --width 0.05
    evenhand plan answers.csv --true gold --pred a --cluster document --width 0.05
    """
    from evenhand.deciding.plan import Plan, plan
    from evenhand.scoring.samples import samples_of

    refuse(source.by, "plan looks at all items together: leave out --by.")
    loaded = sources.judged_from(source, flags)
    if loaded is not None:
        labels = plan(loaded.data, **flags.arguments(loaded.data)).noted(*loaded.notes)
        if flags.label_next is not None:
            write_next(source, flags, labels)
        out.show(labels, output)
        return
    refuse(flags.label_next is not None, "--label-next goes with --judge.")
    if (flags.recalls is None and flags.mix is None) or source.files or source.matrix:
        read = data_from if sources.of_one(source) else systems_from
        loaded = read(source, soft=source.decide is None)
    if loaded is None:
        out.show(plan(**{**flags.arguments(None), "recalls": _rates(flags.recalls)}), output)
        return
    data, arguments = loaded.data, flags.arguments(loaded.data)
    result = plan(data, **{**arguments, "recalls": _rates(flags.recalls)})
    own = samples_of(data, loaded.notes)
    if own is not None and isinstance(result, Plan):
        result = result.of_samples(own.k, own.advice * (len(data.systems or "1") == 1))
    out.show(result.noted(*loaded.notes), output)


def write_next(source: SourceOptions, flags: Flags, labels: Any) -> None:
    """Write the items with two more columns: which to label next, and with which probability."""
    import polars as pl

    with opened(source.files[0], columns=True, layout=source.layout, names=source.names) as file:
        rows = file.frame.collect(engine="streaming").with_row_index("evenhand:row")
    free, drawn = pl.col(str(source.true)).is_null(), list[pl.DataFrame]()
    for stratum in labels.strata:
        own = rows.filter(free & (pl.col(flags.judge) == str(stratum.judge)))
        drawn.append(own.sample(stratum.label_next, seed=0).select("evenhand:row"))
    chances = {str(s.judge): s.probability for s in labels.strata}
    text = rows.with_columns(
        label_next=pl.col("evenhand:row").is_in(pl.concat(drawn)["evenhand:row"].implode()),
        label_probability=pl.col(flags.judge).replace_strict(chances, default=None),
    )
    out.write(text.drop("evenhand:row").write_csv().rstrip("\n"), flags.label_next)


def _rates(text: str | None) -> str | float | None:
    """One number for all classes, or one each."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


# ``evenhand shift``: what the scores become elsewhere.


def _check_mixes(flags: Flags) -> None:
    """Refuse options that ask for no class mix, or for two at once."""
    stated, swept = flags.mix is not None, flags.sweep is not None
    live, drift = flags.unlabelled is not None, flags.alert is not None
    of_sweeps = flags.points is not None or flags.against is not None
    of_live = flags.unlabelled_pred or flags.method or flags.trained_on or drift
    nothing = not (stated or swept or live)
    refuse(nothing, "Expected --to MIX, --sweep CLASS or --unlabelled FILE.")
    both = swept and (stated or live)
    refuse(both, "--sweep goes through all mixes: leave out --to and --unlabelled.")
    refuse(of_sweeps and not swept, "--points and --against go with --sweep CLASS.")
    words = "--unlabelled-pred, --method, --trained-on, --alert need --unlabelled."
    refuse(of_live and not live, words)
    refuse(stated and drift, "--alert asks which mix there is: leave out --to.")


@options.command(
    ExtrapolateOptions,
    usual="to sweep against unlabelled alert method true pred id matrix metric interval plot "
    "format output",
)
@options.files(metavar="[GOLD PRED | FILE]")
@options.mix("--to mix", "The class mix there; with --unlabelled it is tested.")
@options.option("--sweep", "Let this class go from rare to common.", "CLASS")
@options.option("--points", "Shares of the swept class: 0.01,0.1,0.5.", "S,S,…")
@options.file("--against", "With --sweep: another system, file or column.", metavar="OTHER")
@options.file("--unlabelled", "Predictions there, without truth: labels or probabilities.")
@options.column("--unlabelled-pred", "Column of the labels in that file.")
@options.option(
    "--alert",
    "Drift: exit code 1 if a class's share has moved by more than this, e.g. 0.02 or 2%.",
    "NUMBER",
    type=options.SizeParam(0, min_open=True),
)
@options.declared(PrevalenceOptions, "method")
@options.mix("--trained-on", "The class mix that the probabilities were trained on.")
@sources.one
@options.declared(ExtrapolateOptions)
@options.printed
@options.footnote
@options.output()
@options.plot
def shift_command(source: SourceOptions, flags: Flags, output: OutputOptions) -> None:
    """What the scores become where classes are more or less frequent (another class mix):
    stated, swept or estimated.

    Each class's errors are taken from the labelled data; precision and every metric follow from
    the mix. This holds if only the mix changes, and with --unlabelled it is tested. Intervals
    cover the labelled items, and with --unlabelled the new items too. With --alert it says whether
    the live data have drifted. Where a judge labels the new items, score --judge answers it better.

    \b
    evenhand shift gold.txt pred.txt --to spam=0.01,ham=0.99
    evenhand shift gold.txt pred.txt --sweep spam --against other.txt
    evenhand shift gold.txt pred.txt --unlabelled live.txt
    evenhand shift gold.txt pred.txt --unlabelled live.txt --alert 0.02
    evenhand shift gold.txt pred.txt --unlabelled live.parquet --method saerens --format json
    """
    from evenhand.results.result import Result

    _check_mixes(flags)
    whole_only(source, "shift", "macro_f1@A=0.2,B=0.8")
    at_one_mix = extrapolated if flags.unlabelled is None else estimated
    result: Result = (at_one_mix if flags.sweep is None else swept)(source, flags)
    out.show(result, output, source.name)
    if output.plot is not None:
        from evenhand.reporting import plot

        draw: Any = plot.mixes if flags.sweep is None else plot.prevalence
        out.draw(draw(result), output)
    if isinstance(result, Drift):
        out.end(not result.alarm)


# Class mixes, for ``shift`` and ``calibrate``.

NAMES = ("first", "second")
"""What two systems are called that have no names."""


def stated(text: str | None) -> Any:
    """A class mix from the command line: ``uniform``, a file, or ``a=0.2,b=0.8``; if any."""
    if text is None:
        return None
    if text.strip() == "uniform":
        return "uniform"
    if os.path.isfile(text):
        return read_shares(text)
    if "=" in text:
        return text
    raise InputError(
        f"a class mix must be uniform, A=0.2,B=0.8 or a file that exists, got {text!r}"
    )


def single_label(
    source: SourceOptions, *, drawn: bool = False, soft: bool = False
) -> LoadedData[Any]:
    """The data of one system, of which a class mix can be spoken."""
    loaded = data_from(source, drawn=drawn, soft=soft)
    if loaded.data.task == "multi":
        raise InputError("a class mix needs one label per item, got lists of labels")
    if not loaded.data.systems and loaded.data.shape:
        raise InputError(f"{source.name} holds slices, and a class mix is of one table")
    return loaded


def extrapolated(source: SourceOptions, flags: Flags, scale: str | None = None) -> Extrapolation:
    """The table at a mix, or at the one that it has with its true classes scaled."""
    target = stated(flags.mix)
    loaded = single_label(source, drawn=flags.drawn)
    if scale is not None:
        target = _scaled(loaded.data, scale)
    arguments = flags.arguments(loaded.data, ExtrapolateOptions)
    return extrapolate(loaded.data, to=target, **arguments).noted(*loaded.notes)


def _scaled(data: Any, scale: str) -> dict[Any, float]:
    """The class mix of the data after prevalence scaling by ``a=1,b=2``."""
    table = data.tables()[0] if data.systems else data.tables()
    factors = dict(prevalence_of(scale, scale))
    if not factors:
        raise InputError(f"factors of classes must be such as a=1,b=2, got {scale!r}")
    scaled = table.scale(factors)
    if not scaled.total:
        raise InputError(f"no item is left of classes scaled by {scale}")
    shares = scaled.prevalence / scaled.total
    return dict(zip(table.labels, shares.tolist(), strict=True))


def estimated(source: SourceOptions, flags: Flags) -> PrevalenceEstimate | Drift:
    """The mix of unlabelled predictions in a file, or whether it has drifted."""
    other = flags.interval not in ("auto", "bootstrap")
    refuse(other, "--unlabelled has bootstrap intervals: leave out --interval.")
    loaded = single_label(source, drawn=True, soft=source.decide is None)
    new = read_predictions(
        flags.unlabelled,
        loaded.data.tables().labels,
        column=flags.unlabelled_pred,
        rename=Renaming(source),
        layout=source.layout,
    )
    trained_on, notes = stated(flags.trained_on), (*loaded.notes, *new.notes)
    if flags.alert is not None:
        shared = flags.arguments(loaded.data, DriftOptions)
        return drift(loaded.data, new.data, trained_on=trained_on, **shared).noted(*notes)
    arguments = flags.arguments(loaded.data, PrevalenceOptions)
    arguments |= {"predicted": new.data, "to": stated(flags.mix), "trained_on": trained_on}
    return estimate_prevalence(loaded.data, **arguments).noted(*notes)


def swept(source: SourceOptions, flags: Flags) -> Sweep:
    """One class from rare to common, maybe against another system."""
    other = flags.interval not in ("auto", "delta", None)
    refuse(other, "--sweep has delta intervals; --interval may be auto or none.")
    loaded, other, names = _pair(source, flags.against)
    at = None if flags.points is None else _points(flags.points)
    arguments = flags.arguments(loaded.data, SweepOptions)
    arguments |= {"label": flags.sweep, "against": other, "names": names, "at": at}
    return sweep(loaded.data, **arguments).noted(*loaded.notes)


def _pair(
    source: SourceOptions, against: str | None
) -> tuple[LoadedData[Data], Any, tuple[str, str]]:
    """The data; the other table where it shares no items; what the two are called."""
    files = source.files
    if against is None:
        return single_label(source), None, NAMES
    if source.matrix is not None:
        return data_from(source), matrix_from(against, source)[0], NAMES
    if len(files) == 1 and is_saved(files[0]):
        names = (Path(files[0]).stem, Path(against).stem)
        other = load(against).table
        return data_from(source), other, names if names[0] != names[1] else NAMES
    if len(files) == 1:  # another column of the same file
        return systems_from(replace(source, pred=(*source.pred, against))), None, NAMES
    return systems_from(replace(source, files=(*files, against))), None, NAMES


def _points(text: str) -> list[float]:
    try:
        return [float(v) for v in text.split(",")]
    except ValueError:
        raise InputError(f"--points must be shares such as 0.01,0.1,0.5, got {text!r}") from None


# ``evenhand calibrate``: every metric at another class mix.


@options.command(
    ExtrapolateOptions,
    usual="to scale true pred id by cluster matrix rows labels metric interval level format output",
)
@options.files(metavar="[GOLD PRED | FILE]")
@options.mix("--to mix", "The class mix: a FILE has lines of LABEL,SHARE.", default="uniform")
@options.option("--scale", "Multiply the items of true classes by these factors (λ).", "A=1,B=2")
@sources.one
@options.declared(ExtrapolateOptions)
@options.printed
@options.footnote
@options.output()
def calibrate_command(source: SourceOptions, flags: Flags, output: OutputOptions) -> None:
    """Every metric as observed and with true classes reweighted to another class mix, side by
    side, with intervals.

    This calibration is of classes, not of probabilities: each true class is multiplied, so that
    systems scored on different test sets can be compared. It depends on the data, and the intervals
    include that. Prevalence scaling by factors (--scale) is the same, said another way.

    \b
    evenhand calibrate gold.txt pred.txt
    evenhand calibrate gold.txt pred.txt --to mix.csv --metric macro_f1
    evenhand calibrate --matrix "15 10; 5 10" --labels a,b --to a=0.2,b=0.8
    evenhand calibrate --matrix "15 5; 10 10" --rows pred --labels a,b --scale a=1,b=2
    """
    whole_only(source, "calibrate", "macro_f1@uniform")
    both = flags.scale is not None and options.on_command_line("mix")
    refuse(both, "--scale gives another class mix than --to: leave one out.")
    result = extrapolated(source, flags, flags.scale)
    out.show(result, output, source.name, classes=False)
