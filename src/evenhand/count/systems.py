"""Several systems from files, counted into a sample."""

from __future__ import annotations

from pathlib import Path

from evenhand.count.files import columns_of, numeric
from evenhand.count.samples import count_sample
from evenhand.count.sources import check, explained, lines_of, opened, scan
from evenhand.errors import InputError, shown
from evenhand.sample import Sample


def sample_of_line_files(
    gold: str, systems: list[str], *, labels: list[str] | None = None
) -> Sample:
    """The sample of one file of truth and one of predictions a system, one label a line."""
    truth = _lines(gold)
    guesses = {}
    for path, name in zip(systems, system_names(systems), strict=True):
        guess = _lines(path)
        if len(guess) != len(truth):
            raise InputError(
                f"{gold} has {len(truth):,} labels and {path} has {len(guess):,}: "
                "they must have one each for the same items"
            )
        guesses[name] = guess
    return count_sample(truth, guesses, labels=labels)


def sample_of_columns(
    path: str,
    *,
    true: str,
    systems: list[str],
    weights: str | None = None,
    cluster: str | None = None,
    labels: list[str] | None = None,
) -> Sample:
    """The sample of one file with a column of truth and one of predictions a system."""
    if len(set(systems)) != len(systems):
        raise InputError(f"a system must be named once, got {shown(systems)}")
    extra = [c for c in (cluster, weights) if c]
    with opened(path, columns=True) as source, explained(source):
        frame = scan(source)
        columns_of(frame, source, [true, *systems, *extra])
        if weights:
            frame = numeric(frame, weights, source.name)
        check(source)
        frame = frame.select(list(dict.fromkeys([true, *systems, *extra]))).collect()
    if not len(frame):
        raise InputError(f"{path} has a header but no rows")
    return count_sample(
        frame[true],
        {name: frame[name] for name in systems},
        labels=labels,
        weights=frame[weights].to_numpy() if weights else None,
        cluster=frame[cluster] if cluster else None,
    )


def system_names(paths: list[str]) -> list[str]:
    """Systems are called as their files, without folder and ending while that tells them apart."""
    for short in (lambda p: p.stem, lambda p: p.name, str):
        names = [str(short(Path(p))) for p in paths]
        if len(set(names)) == len(names):
            return names
    raise InputError(f"a system must be named once, got {shown(paths)}")


def _lines(path: str) -> list[str]:
    with opened(path) as source:
        if source.has_columns:
            raise InputError(f"{path} has columns: give one file with --true COL and --pred COL")
        check(source)
        found = list(lines_of(source))
    if not found:
        raise InputError(f"{path} is empty, expected one label a line")
    if "" in found:
        raise InputError(f"{path}, line {found.index('') + 1}: expected a label, got an empty line")
    return found
