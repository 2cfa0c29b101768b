"""What ``calibrate`` and ``shift`` share: a class mix from an option, and tables at it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from evenhand.cli import options
from evenhand.cli.inputs import Loaded, data_from, label_list_of, named, reading_of, sample_from
from evenhand.count.predictions import read_predictions, read_shares
from evenhand.count.rename import read_map
from evenhand.count.saved import is_saved, load
from evenhand.count.written import read_matrix
from evenhand.errors import InputError
from evenhand.shift.curve import sweep
from evenhand.shift.estimate import estimate_prevalence
from evenhand.shift.estimation import PrevalenceEstimate
from evenhand.shift.expected import extrapolate
from evenhand.shift.extrapolation import Extrapolation
from evenhand.shift.sweeps import Sweep

AVERAGING = ("average", "classes", "exclude", "undefined")


def stated(text: str) -> Any:
    """A class mix from the command line: ``uniform``, a file, or ``a=0.2,b=0.8``."""
    if text.strip() == "uniform":
        return "uniform"
    if os.path.isfile(text):
        return read_shares(text)
    if "=" not in text:
        raise InputError(
            f"a class mix must be uniform, A=0.2,B=0.8 or a file that exists, got {text!r}"
        )
    return text


def extrapolated(
    files: tuple[str, ...], mix: str, given: dict[str, Any]
) -> tuple[Extrapolation, str]:
    """The table at a mix, and what a heading calls it."""
    source, how = _apart(given)
    target = stated(mix)
    loaded = _loaded(files, source, how)
    interval = how["interval"]
    found = extrapolate(
        loaded.table,
        to=target,
        metrics=how["metrics"],
        classes=_classes(loaded, how),
        undefined=how["undefined"],
        interval=None if interval == "none" else interval,
        level=how["level"],
        replicates=how["replicates"],
        seed=how["seed"],
    )
    return found.noted(*loaded.notes), _name(files, source)


def estimated(
    files: tuple[str, ...],
    path: str,
    given: dict[str, Any],
    *,
    column: str | None,
    method: str | None,
    mix: str | None,
    trained_on: str | None,
) -> tuple[PrevalenceEstimate, str]:
    """The mix of unlabelled predictions in a file, and what a heading calls the table."""
    source, how = _apart(given)
    if how["interval"] not in ("auto", "bootstrap"):
        raise click.UsageError("--unlabelled has bootstrap intervals: leave out --interval.")
    loaded = _loaded(files, source, how, items=bool(source["weights"]))
    labels = loaded.table.tables().labels
    found = estimate_prevalence(
        loaded.table,
        predicted=read_predictions(path, labels, column=column, rename=_renaming(source)),
        method=method,
        to=None if mix is None else stated(mix),
        trained_on=None if trained_on is None else stated(trained_on),
        metrics=how["metrics"],
        classes=_classes(loaded, how),
        undefined=how["undefined"],
        level=how["level"],
        replicates=how["replicates"],
        seed=how["seed"],
    )
    return found.noted(*loaded.notes), _name(files, source)


def swept(
    files: tuple[str, ...],
    label: str,
    given: dict[str, Any],
    *,
    against: str | None,
    points: str | None,
) -> tuple[Sweep, str]:
    """One class from rare to common, maybe against another system."""
    source, how = _apart(given)
    if how["interval"] not in ("auto", "delta", "none"):
        raise click.UsageError("--sweep has delta intervals; --interval may be auto or none.")
    loaded, other, names = _pair(files, source, how, against)
    rule: Any = _classes(loaded, how)
    found = sweep(
        loaded.table,
        label=label,
        metrics=how["metrics"],
        against=other,
        names=names,
        at=None if points is None else _points(points),
        classes=rule,
        undefined=how["undefined"],
        interval=None if how["interval"] == "none" else how["interval"],
        level=how["level"],
    )
    return found.noted(*loaded.notes), _name(files, source)


def _apart(given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Where the table comes from, and how it is scored."""
    context = click.get_current_context()

    def default(name: str) -> bool:
        return context.get_parameter_source(name) == click.core.ParameterSource.DEFAULT

    scoring = ("metrics", *AVERAGING, "interval", "level", "replicates", "seed", "cluster")
    how = {name: given[name] for name in scoring}
    how["metrics"] = list(given["metrics"]) or None
    return {name: v for name, v in given.items() if name not in scoring}, how


def _loaded(
    files: tuple[str, ...], source: dict[str, Any], how: dict[str, Any], items: bool = False
) -> Loaded:
    drawn = how["interval"] in ("bootstrap", "bca") and bool(source["weights"])
    return data_from(files, source, how["cluster"], items=bool(how["cluster"]) or drawn or items)


def _classes(loaded: Loaded, how: dict[str, Any]) -> Any:
    chosen = [how[name] for name in AVERAGING[:3]]
    return options.averaged_classes(loaded.table.tables(), *chosen)


def _name(files: tuple[str, ...], source: dict[str, Any]) -> str:
    return " × ".join(files) or named(source["matrix"])


def _pair(
    files: tuple[str, ...], source: dict[str, Any], how: dict[str, Any], against: str | None
) -> tuple[Loaded, Any, tuple[str, str]]:
    """The data; the other table where it shares no items; what the two are called."""
    nobody = ("first", "second")
    if against is None:
        return _loaded(files, source, how), None, nobody
    if source["matrix"] is not None:
        loaded = _loaded(files, source, how)
        order = label_list_of(reading_of(**source))
        return loaded, read_matrix(against, labels=order, rows=source["rows"]), nobody
    if len(files) == 1 and is_saved(files[0]):
        names = (Path(files[0]).stem, Path(against).stem)
        other = load(against).table
        return _loaded(files, source, how), other, names if names[0] != names[1] else nobody
    kept = {name: v for name, v in source.items() if name not in ("pred", "matrix", "rows")}
    pred = [source["pred"]] if source["pred"] else []
    if len(files) == 1:
        pred.append(against)  # another column of the same file
        return sample_from(files, pred=pred, cluster=how["cluster"], **kept), None, nobody
    loaded = sample_from([*files, against], pred=pred, cluster=how["cluster"], **kept)
    return loaded, None, nobody


def _renaming(source: dict[str, Any]) -> Callable[[Any], Any]:
    """What --map and --ignore-case did to the labels of the table."""
    names = read_map(source["mapping"]) if source["mapping"] else {}

    def rename(label: Any) -> Any:
        new = names.get(str(label), str(label)) if names else label
        return new.casefold() if source["ignore_case"] and isinstance(new, str) else new

    return rename


def _points(text: str) -> list[float]:
    try:
        return [float(v) for v in text.split(",")]
    except ValueError:
        raise InputError(f"--points must be shares such as 0.01,0.1,0.5, got {text!r}") from None
