"""Headings of reported tables: the metric or class of each column."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Literal, cast

Kind = Literal["name", "metric", "precision", "recall", "f1", "support", "n", "correct", "other"]

PER_CLASS = ("precision", "recall", "f1")

_HELD_AGAINST_OTHERS = (
    "accuracy micro_precision micro_recall micro_f1 macro_precision macro_recall balanced_accuracy "
    "reported_macro_f1 macro_f1 f1_of_averages f1_gap weighted_precision weighted_recall "
    "weighted_f1 weighted_f1_of_averages geometric_macro_recall harmonic_macro_recall kappa mcc"
)
CHECKED = tuple(_HELD_AGAINST_OTHERS.split())
"""Metrics that an audit can hold against others.

A column headed ``macro_f1`` is the question, ``reported_macro_f1``: any formula may be behind it.
The mean of F1 by its own name (``mean_of_f1``) is ``macro_f1``, as everywhere else.
"""

SIGNED_METRICS = frozenset({"kappa", "mcc"})

_COUNTS: dict[str, Kind] = {
    "n": "n", "items": "n", "total": "n", "correct": "correct", "hits": "correct"
}  # fmt: skip
_OWN = {"macro_f1": "reported_macro_f1", "mean_of_f1": "macro_f1"}
_CLASS = re.compile(r"\s*([^\[\]]+?)\s*\[(.*)\]\s*", re.DOTALL)


@dataclass(frozen=True)
class ReportedColumn:
    """A column: its header, its kind, and the name of its metric or class.

    ``printed`` is how a document has the header, where that is not it.
    """

    header: str
    kind: Kind
    name: str = ""
    printed: str = ""

    @property
    def taken_for(self) -> str:
        """What it holds, by the package's own names.

        >>> ReportedColumn("Acc.", "metric", "accuracy").taken_for
        'accuracy'
        """
        if self.kind == "metric":
            return self.name
        return f"{self.kind}[{self.name}]" if self.name else self.kind

    @property
    def heading(self) -> str:
        """The header as the document has it."""
        return self.printed or self.header


# Headings as papers spell them


def _read_words() -> dict[str, dict[str, str]]:
    """The words of headings and of rows, by what they say, with the meaning of those that have one.

    A ``part`` is a score; one of the ``whole`` needs no average and no class.
    """
    words: dict[str, dict[str, str]] = {}
    text = (files("evenhand.auditing") / "headings.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        kind, meaning, spellings = re.split(r"\s*\|\s*", line)
        words.setdefault(kind, {}).update(dict.fromkeys(spellings.split(", "), meaning))
    return words


WORDS = _read_words()
_AVERAGES, _WHOLE = WORDS["average"], WORDS["whole"]
_PARTS = WORDS["part"] | _WHOLE
_GLUED = re.compile(
    r"(?P<before>macro|micro|weighted|avg|mac|mic|ma|mi|m|w)?"
    r"(?P<part>f1score|fscore|f1|f|precision|prec|recall|rec|accuracy|acc|p|r)"
    r"(?P<after>macro|micro|weighted|avg|mac|mic|ma|mi|w)?"
)
_SURE = frozenset({"mac", "macro", "micro", "weighted"})
"""Averages that a single letter may follow."""
_TOKEN = re.compile(r"[^\W_]+(?:\.\d+)?|#")
_SCRIPTS = re.compile("[\u00b9\u00b2\u00b3\u2070-\u207f\u1d43-\u1d6a*†‡§¶↑↓⇑⇓]")
LONGEST = 4
"""Words of a heading among others that one space separates."""
_OTHERS = re.compile(
    r"@|\bR\s?(?:²|\^?2\b)|(?i:auc|roc\b|auprc|loss\b|\b[prft][\s\-]*(?:val|stat)|\bci\b)"
)
"""Scores that share letters with ours: P@1, R², PR-AUC, p-values, intervals."""
_BESIDE = re.compile(
    r"[(\[][^()\[\]]*(?:\b(?:ci|std|sd|s\.d|stdev|interval)\b|±)[^()\[\]]*[)\]]|^(?:eval|test)[/_]",
    re.IGNORECASE,
)
"""What a heading says of the numbers beside the scores, and of the data that all are of."""
_F1 = re.compile(r"\b([Ff])[\s_\-]?1\b")


@dataclass(frozen=True)
class ColumnHeading:
    """The parts of a heading: an average, a score, and the remaining text."""

    average: str = ""
    part: str = ""
    rest: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether it needs no average and no class."""
        return self.part in _WHOLE.values()


def plain(text: str) -> str:
    """A heading without footnote marks, arrows and percent signs.

    >>> plain("F₁ (%) ↑†")
    'F1'
    """
    text = unicodedata.normalize("NFKC", _SCRIPTS.sub("", _BESIDE.sub("", text)))
    text = re.sub(r"[(\[]\s*(?:in\s*)?%\s*[)\]]|%|[(\[]?\s*[×x*]\s*100\b\s*[)\]]?", "", text)
    return _F1.sub(r"\g<1>1", re.sub(r"\s+", " ", text)).strip()


def read_heading(text: str) -> ColumnHeading:
    """The parts of one heading.

    >>> read_heading("Prec. (spam)")
    ColumnHeading(average='', part='precision', rest='spam')
    """
    if _OTHERS.search(_BESIDE.sub("", text)):
        return ColumnHeading(rest=text)
    text = plain(text)
    average = part = ""
    leftovers, since = [], 0
    tokens = list(_TOKEN.finditer(text))
    for token in tokens:
        word = token[0].casefold()
        new_average, new_part = _average_and_part(word, alone=len(tokens) == 1)
        if (new_part and part) or (new_average not in ("", "some") and average not in ("", "some")):
            continue  # it belongs to the name of a class
        noise = word in WORDS["noise"] or (word == "test" and len(tokens) > 1)
        if new_average or new_part or noise:
            leftovers.append(text[since : token.start()])
            since = token.end()
        if new_average and average in ("", "some"):
            average = new_average
        if new_part == "accuracy" and re.search(r"\bbal", text, re.IGNORECASE):
            new_part = "balanced_accuracy"
        part = part or new_part
    rest = re.sub(r"\s+", " ", " ".join([*leftovers, text[since:]])).strip(" -_/:,.()[]'’|")
    if part == "balanced_accuracy":
        rest = re.sub(r"(?i)^bal\w*\W*$", "", rest)
    if not part and not (average and not rest):
        return ColumnHeading(rest=text)
    return ColumnHeading(average, part, rest)


def _average_and_part(word: str, *, alone: bool) -> tuple[str, str]:
    """The average and the score that one word names."""
    if word in _PARTS:
        return "", _PARTS[word]
    if word in _AVERAGES and not (alone and len(word) < 3):
        return _AVERAGES[word], ""
    match = _GLUED.fullmatch(word)
    if match is not None and (match["before"] or match["after"]):
        sides = match["before"] or "", match["after"] or ""
        short = match["part"] in "pr" and _SURE.isdisjoint(sides)
        if not short and not all(sides):  # mAP is no macro precision
            return _AVERAGES["".join(sides)], _PARTS[match["part"]]
    return "", "support" if word == "#" else ""


def is_name(text: str) -> bool:
    """Whether a heading says that systems stand below it."""
    return plain(text).casefold().strip(" .:") in WORDS["systems"]


def is_class(text: str) -> bool:
    """Whether a heading says that classes stand below it."""
    return plain(text).casefold().strip(" .:") in WORDS["classes"]


def heading_column(header: str) -> ReportedColumn:
    """The meaning of one header.

    >>> heading_column("Macro-F1").taken_for, heading_column("precision[spam]").name
    ('reported_macro_f1', 'spam')
    """
    match = _CLASS.fullmatch(_BESIDE.sub("", header))
    part = "" if match is None else read_heading(match[1]).part
    if match is not None and part in (*PER_CLASS, "support"):
        return ReportedColumn(header, cast(Kind, part), match[2].strip())
    name = re.sub(r"[^a-z0-9_]+", "_", plain(header).lower()).strip("_")
    name = _OWN.get(name, name)
    if name in _COUNTS:
        return ReportedColumn(header, _COUNTS[name])
    from evenhand.core.registry import find

    record = None if name in CHECKED else find(name)
    name = name if record is None else record.name
    if name in CHECKED:
        return ReportedColumn(header, "metric", name)
    if is_name(header):
        return ReportedColumn(header, "name")
    return _resolved(read_heading(header), header)


def meaning(levels: Sequence[str]) -> ReportedColumn:
    """The column under stacked headings, the topmost first.

    >>> meaning(["spam", "P"]).header, meaning(["Acc."]).name
    ('precision[spam]', 'accuracy')
    """
    texts = distinct(levels)
    return (
        heading_column(texts[0]) if len(texts) == 1 else _resolved(combined(texts), " ".join(texts))
    )


def distinct(levels: Sequence[str]) -> list[str]:
    """Stacked headings without repetitions and blanks.

    >>> distinct(["spam", "spam", "", "P"])
    ['spam', 'P']
    """
    return [text for text in dict.fromkeys(levels) if text.strip()]


def combined(texts: Sequence[str]) -> ColumnHeading:
    """Stacked headings as one."""
    headings = [read_heading(text) for text in distinct(texts)]
    averages = [h.average for h in headings if h.average]
    average = next((a for a in averages if a != "some"), "some" if averages else "")
    part = next((h.part for h in reversed(headings) if h.part), "")
    return ColumnHeading(average, part, " ".join(h.rest for h in headings if h.rest))


def _resolved(heading: ColumnHeading, header: str) -> ReportedColumn:
    """The column that a heading names."""
    average, part, rest = heading.average, heading.part, heading.rest
    if heading.is_whole and not rest:
        return ReportedColumn(header, "metric", part)
    if part in ("items", "support") and not rest:
        return replace(heading_column("n"), header=header)
    of_class = bool(rest and not average and rest.casefold() not in WORDS["split"])
    if part == "support" or (part in PER_CLASS and of_class):
        return replace(heading_column(f"{part}[{rest}]"), printed=header)
    if part not in PER_CLASS or rest:
        return ReportedColumn(header, "other")
    average = "macro" if average in ("", "some") else average
    return replace(heading_column(f"{average}_{part}"), header=header)


def is_unspecified(levels: Sequence[str]) -> bool:
    """Whether a precision, recall or F1 does not say which average it is, or of which class."""
    heading = combined(levels)
    return heading.part in PER_CLASS and heading.average in ("", "some") and not heading.rest


def segmented(text: str, count: int) -> list[str]:
    """Split headings that single spaces separate into ``count``, most of them known.

    >>> segmented("System Macro P Macro R Macro F1", 4)
    ['System', 'Macro P', 'Macro R', 'Macro F1']
    """
    words = text.split()
    best: dict[tuple[int, int], tuple[float, list[str]]] = {(0, 0): (0.0, [])}
    for j in range(count):
        for i in range(len(words) + 1):
            if (i, j) not in best:
                continue
            score, parts = best[i, j]
            for end in range(i, min(i + LONGEST, len(words)) + 1):
                heading = " ".join(words[i:end])
                if (not heading and j) or heading.startswith(("(", "[")):
                    continue  # only names of systems may have no heading; "(macro)" ends one
                known = meaning([heading]).kind != "other" if heading else False
                total = score + known - 0.01 * (not heading)
                if (end, j + 1) not in best or total > best[end, j + 1][0]:
                    best[end, j + 1] = total, [*parts, heading]
    split = best.get((len(words), count))
    return [text, *[""] * (count - 1)] if split is None else split[1]


# Headings whose meaning depends on other columns

_NUMBERED = re.compile(r"[Rr][\s_]?(\d+)")
"""The recall of a class by number, beside macro recall; alone, R1 is often another score."""
_SHORT_MACRO = re.compile(r"Ma?[\s_.\-]?([PR])")
"""Macro precision and recall by their letters, beside a macro F1; alone, MR is often another."""
_AVERAGE_ACCURACY = re.compile(r"aa|(?:average|avg|ave|mean)\.? acc(?:uracy|\.)?", re.IGNORECASE)


def meanings(
    levels: Mapping[int, Sequence[str]], labels: Collection[str] = ()
) -> dict[int, ReportedColumn]:
    """The meaning of each column, from its headings and those of the other columns.

    Numbered classes are those of the ``labels``, in order, if there are as many of these.

    >>> [c.name for c in meanings({1: ["OA"], 2: ["AA"]}).values()]
    ['accuracy', 'macro_recall']
    """
    columns = {j: meaning(headings) for j, headings in levels.items()}
    texts = {j: plain(" ".join(distinct(headings))) for j, headings in levels.items()}
    averages = [j for j, text in texts.items() if _AVERAGE_ACCURACY.fullmatch(text)]
    accuracy = any(c.name == "accuracy" for j, c in columns.items() if j not in averages)
    renamed = dict.fromkeys(averages, "macro_recall") if accuracy else {}
    short = {j: m[1] for j, text in texts.items() if (m := _SHORT_MACRO.fullmatch(text))}
    asked = any(c.name == "reported_macro_f1" for c in columns.values())
    if asked and sorted(short.values()) == ["P", "R"]:
        renamed |= {j: f"macro_{WORDS['part'][part.lower()]}" for j, part in short.items()}
    columns |= {j: replace(columns[j], kind="metric", name=n) for j, n in renamed.items()}
    numbered = {j: m[1] for j, text in texts.items() if (m := _NUMBERED.fullmatch(text))}
    numbers = [str(i + 1) for i in range(len(numbered))]
    is_count = len(numbers) > 1 and sorted(numbered.values(), key=int) == numbers
    if is_count and any(c.name == "macro_recall" for c in columns.values()):
        named = len(labels) == len(numbers) and set(labels).isdisjoint(numbers)
        of_number = dict(zip(numbers, labels if named else numbers, strict=True))
        columns |= {
            j: replace(heading_column(f"recall[{of_number[i]}]"), printed=texts[j])
            for j, i in numbered.items()
        }
    return columns
