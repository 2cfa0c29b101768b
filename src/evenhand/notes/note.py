"""Note: a fact that a reader must know, by its code; ``results.words`` says it."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from typing import Any, ClassVar, dataclass_transform

from evenhand.notes.record import Record


@dataclass_transform(frozen_default=True)
class Note(Record):
    """A kind of fact, named by its code, with what is to be known of it: a frozen dataclass.

    The code is the class's name in small letters: ``FewClusters`` is ``few_clusters``. ``about``
    is the field that names the metrics, or the one, that it holds for; empty: for all.
    """

    code: ClassVar[str] = ""
    about: ClassVar[str] = ""

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        dataclass(frozen=True)(cls)

    def concerning(self, metrics: Container[str]) -> Note | None:
        """What of it a reader must know who sees these ``metrics`` only; nothing: ``None``."""
        if not self.about:
            return self
        own = getattr(self, self.about)
        if isinstance(own, str):
            return self if own in metrics else None
        kept = tuple(name for name in own if name in metrics)
        return type(self)(**{**vars(self), self.about: kept}) if kept else None

    def to_dict(self) -> dict[str, Any]:
        """The code and the facts, as JSON has them."""
        return {"code": self.code, **super().to_dict()}
