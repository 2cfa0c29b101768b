"""Several systems from files, counted into a sample."""

from __future__ import annotations

from pathlib import Path

from evenhand.count.files import numbers_in, read_columns, read_lines
from evenhand.count.samples import count_sample
from evenhand.errors import InputError, shown
from evenhand.sample import Sample


def sample_of_line_files(
    gold: str, systems: list[str], *, labels: list[str] | None = None
) -> Sample:
    """The sample of one file of truth and one of predictions a system, one label a line."""
    truth = read_lines(gold)
    guesses = {}
    for path, name in zip(systems, system_names(systems), strict=True):
        guess = read_lines(path)
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
    text = [true, *systems, *([cluster] if cluster else [])]
    frame = read_columns(path, text, [weights] if weights else [])
    return count_sample(
        frame[true],
        {name: frame[name] for name in systems},
        labels=labels,
        weights=numbers_in(frame[weights], path, weights) if weights else None,
        cluster=frame[cluster] if cluster else None,
    )


def system_names(paths: list[str]) -> list[str]:
    """Systems are called as their files, without folder and ending while that tells them apart."""
    for short in (lambda p: p.stem, lambda p: p.name, str):
        names = [str(short(Path(p))) for p in paths]
        if len(set(names)) == len(names):
            return names
    raise InputError(f"a system must be named once, got {shown(paths)}")
