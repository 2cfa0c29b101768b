"""From a command's arguments to a table or a sample."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from evenhand.cli.options import label_list
from evenhand.count.files import count_columns, count_line_files, is_table_file, read_matrix
from evenhand.count.systems import sample_of_columns, sample_of_line_files
from evenhand.sample import Sample
from evenhand.table import Confusion


def table_from(
    files: Sequence[str],
    *,
    true: str | None = None,
    pred: str | None = None,
    weights: str | None = None,
    by: Sequence[str] = (),
    matrix: str | None = None,
    rows: str = "true",
    labels: str | None = None,
) -> Confusion:
    """The table that the arguments describe: a matrix, one file with columns, or two of lines."""
    order = label_list(labels)
    if matrix is not None:
        if files or true or pred:
            raise click.UsageError("--matrix takes no label files beside it.")
        return read_matrix(matrix, labels=order, rows=rows)
    if len(files) == 1:
        if not (true and pred):
            raise click.UsageError(_which_columns(files[0]))
        return count_columns(
            files[0], true=true, pred=pred, weights=weights, by=list(by), labels=order
        )
    if len(files) == 2:
        _refuse_columns(files, "--true, --pred, --weights and --by", true or pred or weights or by)
        return count_line_files(files[0], files[1], labels=order)
    raise click.UsageError(
        f"Expected GOLD PRED, one file with --true and --pred, or --matrix; got {len(files)} files."
    )


def sample_from(
    files: Sequence[str],
    *,
    true: str | None = None,
    pred: Sequence[str] = (),
    weights: str | None = None,
    cluster: str | None = None,
    labels: str | None = None,
) -> Sample:
    """Systems on the same items: one file with columns, or GOLD and files of lines."""
    order = label_list(labels)
    if len(files) == 1:
        if not (true and pred):
            raise click.UsageError(_which_columns(files[0]))
        return sample_of_columns(
            files[0], true=true, systems=list(pred), weights=weights, cluster=cluster, labels=order
        )
    if not files:
        raise click.UsageError("Expected GOLD A B…, or one file with --true and --pred.")
    given = true or pred or weights or cluster
    _refuse_columns(files, "--true, --pred, --weights and --cluster", given)
    return sample_of_line_files(files[0], list(files[1:]), labels=order)


def _refuse_columns(files: Sequence[str], options: str, given: object) -> None:
    """Several files hold one label a line: they have no columns to name."""
    if given:
        count = "two" if len(files) == 2 else "several"
        raise click.UsageError(
            f"{options} name columns of one file; {count} files hold one label a line."
        )
    for name in files:
        if is_table_file(name):
            raise click.UsageError(_which_columns(name))


def _which_columns(name: str) -> str:
    from evenhand.count.files import column_names

    if not is_table_file(name) and not Path(name).exists():
        return f"{name} does not exist; expected GOLD PRED, or one file with --true and --pred."
    if not is_table_file(name):
        return f"{name}: one file of lines is not enough; give GOLD and PRED."
    columns = ", ".join(column_names(name)[:12])
    return f"{name} has columns {columns}: say which with --true COL --pred COL."
