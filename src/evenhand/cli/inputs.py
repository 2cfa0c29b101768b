"""From a command's arguments to a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from evenhand.cli.options import label_list
from evenhand.count.files import count_columns, count_line_files, is_table_file, read_matrix
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
        if files or true or pred or weights or by:
            raise click.UsageError("--matrix takes no label files and no columns beside it.")
        return read_matrix(matrix, labels=order, rows=rows)
    if rows != "true":
        raise click.UsageError("--rows says how a --matrix reads; label files have no such rows.")
    if len(files) == 1:
        if not (true and pred):
            raise click.UsageError(_which_columns(files[0]))
        return count_columns(
            files[0], true=true, pred=pred, weights=weights, by=list(by), labels=order
        )
    if len(files) == 2:
        if true or pred or weights or by:
            raise click.UsageError(
                "--true, --pred, --weights and --by name columns of one file; "
                "two files hold one label a line."
            )
        for name in files:
            if is_table_file(name):
                raise click.UsageError(_which_columns(name))
        return count_line_files(files[0], files[1], labels=order)
    raise click.UsageError(
        f"Expected GOLD PRED, one file with --true and --pred, or --matrix; got {len(files)} files."
    )


def named(matrix: str) -> str:
    """What a heading calls the matrix: its file, if it has one."""
    return matrix if Path(matrix).is_file() else "matrix"


def _which_columns(name: str) -> str:
    from evenhand.count.files import column_names

    if not is_table_file(name) and not Path(name).exists():
        return f"{name} does not exist; expected GOLD PRED, or one file with --true and --pred."
    if not is_table_file(name):
        return f"{name}: one file of lines is not enough; give GOLD and PRED."
    columns = ", ".join(column_names(name)[:12])
    return f"{name} has columns {columns}: say which with --true COL --pred COL."
