"""Causes: what may have gone wrong in a row, where a small change makes it consistent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, islice, pairwise

from evenhand.auditing.columns import PER_CLASS
from evenhand.auditing.examiner import Examiner, changed
from evenhand.auditing.printed import Printed, read_number
from evenhand.auditing.reported import Row

TRIALS = 120
"""Changes that are tried on one row."""

CLASSES = 20
"""Classes up to which as many are tried; of more, each takes longer."""


@dataclass(frozen=True)
class Causes:
    """What may have gone wrong: columns without any one of which the row is consistent, and words.

    >>> Causes(("f1[a]",), ("f1[a] looks copied",)).words
    ('f1[a] looks copied',)
    """

    suspects: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    def concerns(self, column: str, among: Sequence[str]) -> bool:
        """Whether a finding is about a suspect, and does not merely follow from another."""
        return column in self.suspects or not any(c in self.suspects for c in among)


def likely_causes(examiner: Examiner, row: Row, above: Row | None) -> Causes:
    """Explanations under each of which the whole row would be consistent."""
    columns = [h for h in row.scores if h in examiner.source.columns]
    if len(columns) > TRIALS:
        columns = [h for h in columns if examiner.source.columns[h].kind not in PER_CLASS]
    suspects = [h for h in columns if examiner.clean(changed(row, h, None))]
    causes = list(_copied(row, above, suspects))
    changes = chain(_exchanged(examiner, row), _transposed(row, suspects))
    trials = TRIALS * CLASSES // max(len(examiner.labels), CLASSES)
    for words, other, controls in islice(changes, trials):
        if len(causes) >= 3:
            break
        if examiner.clean(other) and not any(map(examiner.clean, controls)):
            causes.append(words)
    if len(suspects) == 1:
        causes.append(f"without {suspects[0]} the row is consistent")
    elif 1 < len(suspects) <= 4:
        causes.append(f"the row is consistent without any one of {', '.join(suspects)}")
    return Causes(tuple(suspects), tuple(causes))


def _copied(row: Row, above: Row | None, suspects: list[str]) -> Iterator[str]:
    """A value that does not fit and stands in the row above too, as few others do."""
    if above is None:
        return
    same = [h for h, w in row.scores.items() if h in above.scores and above.scores[h] == w]
    if len(same) * 3 <= len(row.scores):
        for h in suspects:
            if h in same:
                yield f"{h} looks copied from the row above ({above.name})"


Change = tuple[str, Row, list[Row]]
"""Words, the row with the change, and rows as like it that would make the change no evidence."""


def _exchanged(examiner: Examiner, row: Row) -> Iterator[Change]:
    """Precision and recall, of the averages or of a class, the other way round."""
    places = examiner.source.places
    pairs = [(("metric", "macro_precision"), ("metric", "macro_recall"))]
    pairs += [(("precision", v), ("recall", v)) for v in examiner.labels]
    for first, second in pairs:
        a, b = places.get(first, ""), places.get(second, "")
        if a in row.scores and b in row.scores and row.scores[a] != row.scores[b]:
            other = changed(changed(row, a, row.scores[b]), b, row.scores[a])
            yield f"{a} and {b} look swapped", other, []


def _transposed(row: Row, suspects: list[str]) -> Iterator[Change]:
    """Two neighbouring digits of one value the other way round, where little else would do."""
    for h in suspects:
        for text in _neighbours(row.scores[h].text):
            other = _like(row.scores[h], text)
            if other is not None:
                words = f"{h} looks like {text} with two digits transposed"
                unit = Fraction(11, 10**other.decimals) if other.decimals >= 0 else Fraction(11)
                beside = [replace(other, value=other.value + step) for step in (unit, -unit)]
                yield words, changed(row, h, other), [changed(row, h, w) for w in beside]


def _neighbours(text: str) -> Iterator[str]:
    digits = [i for i, c in enumerate(text) if c.isdigit()]
    for i, j in pairwise(digits):
        if text[i] != text[j]:
            yield text[:i] + text[j] + text[i + 1 : j] + text[i] + text[j + 1 :]


def _like(written: Printed, text: str) -> Printed | None:
    other = read_number(text)
    return other if other is not None and other.large == written.large else None
