"""Result: what every result can do, and what those that are collections can."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from difflib import get_close_matches
from os import PathLike, fspath
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from evenhand.core.equal import same
from evenhand.errors import InputError, MetricError, UnknownNameError, shown
from evenhand.format import grid as grids
from evenhand.format.grid import Grid
from evenhand.format.json import dumps
from evenhand.spelling import Spec

K = TypeVar("K")
V = TypeVar("V")


class Record:
    """Frozen data that are equal by value, copied and pickled or not: NaN is equal to NaN."""

    def __eq__(self, other: object) -> bool:
        return same(self, other) if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        plain = tuple(v for v in vars(self).values() if type(v) in (str, int, bool))
        return hash((type(self).__name__, plain))


class Measured(Record):
    """A record of one number: ``float()`` of it is its value."""

    value: float

    def __float__(self) -> float:
        return self.value


class Result(Record, ABC):
    """A result: frozen data that can say itself in every format."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """As the command prints it with ``--format json``."""

    @property
    @abstractmethod
    def long_grid(self) -> Grid:
        """Every number: what CSV and data frames hold."""

    def to_json(self) -> str:
        """The JSON text that the command prints."""
        return dumps(self.to_dict())

    def to_csv(self) -> str:
        """Every number as comma-separated text with full precision."""
        return grids.comma_separated(self.long_grid)

    def to_pandas(self) -> Any:
        """A pandas frame of every number."""
        return grids.to_pandas(self.long_grid)

    def to_polars(self) -> Any:
        """A Polars frame of every number."""
        grid = self.long_grid
        text = [c for j, c in enumerate(grid.columns) if any(type(r[j]) is str for r in grid.rows)]
        return grids.to_polars(grid, text=text)

    @abstractmethod
    def to_markdown(self, *, digits: int = 4) -> str:
        """Tables in Markdown."""

    @abstractmethod
    def to_latex(self, *, digits: int = 4) -> str:
        """A booktabs table for a paper."""

    def to_html(self) -> str:
        """Plain HTML tables, as a notebook shows them."""
        return self._repr_html_()

    @abstractmethod
    def _repr_html_(self) -> str: ...

    def save(self, path: str | PathLike[str]) -> None:
        """Write the result whole; the ending says how: .json, .csv, .md, .tex or .html."""
        from evenhand.count.whole import whole

        ending = Path(fspath(path)).suffix.lower()
        writers: dict[str, Callable[[], str]] = {
            ".json": self.to_json,
            ".csv": self.to_csv,
            ".md": self.to_markdown,
            ".tex": self.to_latex,
            ".html": self.to_html,
        }
        if ending not in writers:
            raise InputError(f"a result must end in one of {', '.join(writers)}, got {ending!r}")
        text = writers[ending]()
        with whole(path) as part:
            part.write_text(text + "\n", encoding="utf-8")


class Collection(Generic[K, V], ABC):
    """A mapping of names to parts: metrics in scores, systems in a leaderboard.

    A metric may be named by an alias or in any spelling. Where names have several parts, as
    those of a pair of systems on a metric, a part is enough if it fits one name only.
    """

    of_metrics: ClassVar[bool] = False

    @property
    @abstractmethod
    def parts(self) -> Mapping[K, V]:
        """The parts by name."""

    def __getitem__(self, name: Any) -> V:
        """The part called ``name``."""
        parts = self.parts
        if name in parts:
            return parts[name]
        wanted = [_metric_name(n) for n in (name if isinstance(name, tuple) else (name,))]
        if len(wanted) == 1 and wanted[0] in parts:
            return parts[wanted[0]]
        fits = [key for key in parts if isinstance(key, tuple) and _within(wanted, key)]
        if len(fits) == 1:
            return parts[fits[0]]
        if fits:
            raise UnknownNameError(f"{name!r} fits {len(fits)} of them: {shown(fits, 3)}")
        if self.of_metrics and isinstance(name, str):
            try:
                Spec.parse(name)
            except MetricError as e:  # which says what else might be meant
                raise UnknownNameError(str(e)) from None
        raise UnknownNameError(f"{name!r} is not one of {shown(parts)}{nearest(name, parts)}")

    def get(self, name: Any, default: Any = None) -> Any:
        """The part called ``name``, or ``default`` if there is none."""
        try:
            return self[name]
        except (UnknownNameError, TypeError):  # nothing that cannot be hashed is a name
            return default

    def __contains__(self, name: object) -> bool:
        return self.get(name, self) is not self

    def __iter__(self) -> Iterator[K]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __bool__(self) -> bool:
        return True

    def keys(self) -> KeysView[K]:
        """The names."""
        return self.parts.keys()

    def values(self) -> ValuesView[V]:
        """The parts."""
        return self.parts.values()

    def items(self) -> ItemsView[K, V]:
        """Names and parts."""
        return self.parts.items()


def nearest(name: Any, names: Iterable[Any]) -> str:
    """What may have been meant by a name, for the end of a message."""
    close = get_close_matches(str(name), list(map(str, names)), 1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _metric_name(name: Any) -> Any:
    """The one spelling of a metric; anything else as it is."""
    if not isinstance(name, str):
        return name
    try:
        return str(Spec.parse(name))
    except MetricError:
        return name


def _within(wanted: list[Any], key: tuple[Any, ...]) -> bool:
    """Whether the parts wanted stand in a name, in that order."""
    rest = iter(key)
    return all(any(part == at for at in rest) for part in wanted)
