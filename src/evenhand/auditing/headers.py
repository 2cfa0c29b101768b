"""Headers: what the headings of a table in a paper say, however they are spelled."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from evenhand.auditing.columns import PER_CLASS, Column, column

_AVERAGES = {
    "macro": "macro", "makro": "macro", "mac": "macro", "ma": "macro", "m": "macro",
    "unweighted": "macro", "ungewichtet": "macro",
    "micro": "micro", "mikro": "micro", "mic": "micro", "mi": "micro", "μ": "micro", "µ": "micro",
    "weighted": "weighted", "w": "weighted", "wtd": "weighted", "weight": "weighted",
    "wavg": "weighted", "wgt": "weighted", "weigh": "weighted",
    "gewichtet": "weighted", "gewichtete": "weighted", "gewichteter": "weighted",
    "gewichtetes": "weighted",
    "avg": "some", "average": "some", "averaged": "some", "averages": "some", "mean": "some",
    "overall": "some", "all": "some", "total": "some", "ave": "some",
    "mittel": "some", "mittelwert": "some", "durchschnitt": "some", "gesamt": "some",
}  # fmt: skip
_PARTS = {
    "p": "precision", "pre": "precision", "prec": "precision",
    "precision": "precision", "ppv": "precision",
    "präzision": "precision", "précision": "precision", "precisión": "precision",
    "rappel": "recall", "trefferquote": "recall", "sensitivität": "recall", "ausbeute": "recall",
    "exhaustividad": "recall", "sensibilidad": "recall",
    "r": "recall", "re": "recall", "rec": "recall", "recall": "recall", "tpr": "recall",
    "sensitivity": "recall", "sens": "recall",
    "f": "f1", "f1": "f1", "fscore": "f1", "fmeasure": "f1", "f1score": "f1", "f1measure": "f1",
    "support": "support", "supp": "support", "items": "items", "samples": "items",
    "instances": "items", "examples": "items",
    "acc": "accuracy", "accuracy": "accuracy", "accu": "accuracy", "oa": "accuracy",
    "genauigkeit": "accuracy", "treffergenauigkeit": "accuracy", "gesamtgenauigkeit": "accuracy",
    "korrektklassifikationsrate": "accuracy", "exactitude": "accuracy", "exactitud": "accuracy",
    "anzahl": "support", "stützung": "support",
    "kappa": "kappa", "κ": "kappa", "mcc": "mcc", "matthews": "mcc",
    "bacc": "balanced_accuracy", "uar": "macro_recall", "uap": "macro_precision",
    "war": "weighted_recall",
}  # fmt: skip
_WHOLE = ("accuracy", "kappa", "mcc", "balanced_accuracy", "macro_recall", "macro_precision",
          "weighted_recall")  # fmt: skip
"""Parts that say all: no average, no class."""
_SAYING_NOTHING = (
    "score scores measure value values cohen cohens s the of in percent corr coef coefficient "
    "correlation mass wert werte mesure medida"
)
_NOISE = frozenset(_SAYING_NOTHING.split())
_NAMED = (
    "name names system systems model models run runs team teams method methods approach approaches "
    "classifier classifiers algorithm algorithms architecture participant submission user "
    "modell modelle verfahren methode methoden ansatz klassifikator algorithmus lauf "
    "modèle modelo méthode método"
)
_NAMES = frozenset(_NAMED.split())
_CLASSES = frozenset(
    {"class", "classes", "label", "labels", "category", "categories", "klasse", "klassen",
     "kategorie", "classe", "clase"}
)  # fmt: skip
SPLITS = frozenset(
    {"dev", "test", "train", "val", "valid", "validation", "devel", "training", "testing", "eval"}
)
_GLUED = re.compile(
    r"(?P<before>macro|micro|weighted|avg|mac|mic|ma|mi|m|w)?"
    r"(?P<part>f1score|fscore|f1|f|precision|prec|recall|rec|accuracy|acc|p|r)"
    r"(?P<after>macro|micro|weighted|avg|mac|mic|ma|mi|w)?"
)
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
class Heading:
    """What a heading says: an average, a part (precision, …, a metric), and what is left over."""

    average: str = ""
    part: str = ""
    rest: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether it needs no average and no class."""
        return self.part in _WHOLE


def plain(text: str) -> str:
    """A heading without marks, arrows and signs of percent.

    >>> plain("F₁ (%) ↑†")
    'F1'
    """
    text = unicodedata.normalize("NFKC", _SCRIPTS.sub("", _BESIDE.sub("", text)))
    text = re.sub(r"[(\[]\s*(?:in\s*)?%\s*[)\]]|%|[(\[]?\s*[×x*]\s*100\b\s*[)\]]?", "", text)
    return _F1.sub(r"\g<1>1", re.sub(r"\s+", " ", text)).strip()


def read_heading(text: str) -> Heading:
    """The parts of one heading.

    >>> read_heading("Prec. (spam)")
    Heading(average='', part='precision', rest='spam')
    """
    if _OTHERS.search(_BESIDE.sub("", text)):
        return Heading(rest=text)
    text = plain(text)
    average = part = ""
    kept, since = [], 0
    tokens = list(_TOKEN.finditer(text))
    for token in tokens:
        word = token[0].casefold()
        new_average, new_part = _said(word, alone=len(tokens) == 1)
        if (new_part and part) or (new_average not in ("", "some") and average not in ("", "some")):
            continue  # it belongs to the name of a class
        noise = word in _NOISE or (word == "test" and len(tokens) > 1)
        if new_average or new_part or noise:
            kept.append(text[since : token.start()])
            since = token.end()
        if new_average and average in ("", "some"):
            average = new_average
        if new_part == "accuracy" and re.search(r"\bbal", text, re.IGNORECASE):
            new_part = "balanced_accuracy"
        part = part or new_part
    rest = re.sub(r"\s+", " ", " ".join([*kept, text[since:]])).strip(" -_/:,.()[]'’|")
    if part == "balanced_accuracy":
        rest = re.sub(r"(?i)^bal\w*\W*$", "", rest)
    if not part and not (average and not rest):
        return Heading(rest=text)
    return Heading(average, part, rest)


def _said(word: str, *, alone: bool) -> tuple[str, str]:
    """The average and the part that one word is."""
    if word in _PARTS:
        return "", _PARTS[word]
    if word in _AVERAGES and not (alone and len(word) < 3):
        return _AVERAGES[word], ""
    found = _GLUED.fullmatch(word)
    if found is not None and (found["before"] or found["after"]):
        sides = found["before"] or "", found["after"] or ""
        short = len(found["part"]) == 1 and found["part"] != "f" and max(map(len, sides)) < 5
        if not short and not all(sides):  # mAP is no macro precision
            return _AVERAGES["".join(sides)], _PARTS[found["part"]]
    return "", "support" if word == "#" else ""


def is_name(text: str) -> bool:
    """Whether a heading says that systems stand below it."""
    return plain(text).casefold().strip(" .:") in _NAMES


def is_class(text: str) -> bool:
    """Whether a heading says that classes stand below it."""
    return plain(text).casefold().strip(" .:") in _CLASSES


def meaning(levels: Sequence[str]) -> Column:
    """What a column with these headings, the topmost first, holds; a class keeps its own name.

    >>> meaning(["spam", "P"]), meaning(["Acc."]).of
    (Column(header='precision[spam]', kind='precision', of='spam', printed='spam P'), 'accuracy')
    """
    said = distinct(levels)
    header = " ".join(said)
    if len(said) == 1:
        exact = column(plain(said[0]))
        if exact.kind not in ("other", "name") or said[0].endswith("]"):
            return replace(exact, header=said[0])
        if exact.kind == "name" or is_name(said[0]):
            return Column(said[0], "name")
    return _resolved(combined(said), header)


def distinct(levels: Sequence[str]) -> list[str]:
    """Headings above each other without those that repeat one, or say nothing.

    >>> distinct(["spam", "spam", "", "P"])
    ['spam', 'P']
    """
    return [text for text in dict.fromkeys(levels) if text.strip()]


def combined(said: Sequence[str]) -> Heading:
    """Headings above each other as one."""
    average = part = ""
    rest: list[str] = []
    for text in said:
        one = read_heading(text)
        average = one.average if one.average and average in ("", "some") else average
        part = one.part or part
        rest += [one.rest] if one.rest else []
    return Heading(average, part, " ".join(rest))


def _resolved(heading: Heading, header: str) -> Column:
    """The column that a heading names."""
    average, part, rest = heading.average, heading.part, heading.rest
    if heading.is_whole and not rest:
        return Column(header, "metric", part)
    if part == "items" and not rest:
        return replace(column("n"), header=header)
    if part == "support":
        found = column(f"support[{rest}]" if rest else "n")
        return replace(found, printed=header) if rest else replace(found, header=header)
    if part not in PER_CLASS or rest.casefold() in SPLITS:
        return Column(header, "other")
    if rest and not average:
        return replace(column(f"{part}[{rest}]"), printed=header)
    if rest:
        return Column(header, "other")
    average = "macro" if average in ("", "some") else average
    return replace(column(f"{average}_{part}"), header=header)


def unsaid(levels: Sequence[str]) -> bool:
    """Whether a precision, recall or F1 does not say which average it is, or of which class."""
    heading = combined(distinct(levels))
    return heading.part in PER_CLASS and heading.average in ("", "some") and not heading.rest


def segmented(text: str, count: int) -> list[str]:
    """Headings that one space separates, as so many, most of them headings that are known.

    >>> segmented("System Macro P Macro R Macro F1", 4)
    ['System', 'Macro P', 'Macro R', 'Macro F1']
    """
    words = text.split()
    best: dict[tuple[int, int], tuple[float, list[str]]] = {(0, 0): (0.0, [])}
    for j in range(count):
        for i in range(len(words) + 1):
            if (i, j) not in best:
                continue
            worth, parts = best[i, j]
            for end in range(i, min(i + LONGEST, len(words)) + 1):
                said = " ".join(words[i:end])
                if (not said and j) or said.startswith(("(", "[")):
                    continue  # only names of systems may have no heading; "(macro)" ends one
                known = meaning([said]).kind != "other" if said else False
                total = worth + known - 0.01 * (not said)
                if (end, j + 1) not in best or total > best[end, j + 1][0]:
                    best[end, j + 1] = total, [*parts, said]
    found = best.get((len(words), count))
    return [text, *[""] * (count - 1)] if found is None else found[1]
