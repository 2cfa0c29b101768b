"""The sentences of warnings, methods and notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from string import Formatter
from typing import Any, TypeAlias

from evenhand import warnings as w
from evenhand.data.labels import key_text
from evenhand.errors import shown
from evenhand.io.delimited import MARKS
from evenhand.results.text import counted, listed, number, p_words, percent, points, visible
from evenhand.warnings import ResultWarning

Sentence: TypeAlias = str | Callable[[Any], str]
"""A pattern over the facts of a note, or a function of the note."""


def _predictions(items: float, weighted: bool) -> str:
    """How much was predicted, as a number of predictions or as a weight."""
    if weighted:
        return f"predictions that weigh {items:,.6g} are"
    return f"{counted(items, 'prediction')} {'is' if items == 1 else 'are'}"


def _never_true(note: w.NeverTrue) -> str:
    items = sum(s.items for s in note.strays)
    names = shown(s.label for s in note.strays)
    system = "" if note.system is None else f"{note.system}: "
    text = f"{system}{_predictions(items, note.weighted)} of labels that are never true ({names})"
    lookalikes = [s for s in note.strays if s.like is not None]
    if lookalikes:
        pairs = listed((f"{s.label!r} and {s.like!r}" for s in lookalikes), 3)
        folds = all(str(s.label).casefold() == str(s.like).casefold() for s in lookalikes)
        text += f"; {pairs} differ in case, spaces or Unicode form only: is that meant? "
        text += "(they are one with case ignored)" if folds else "(a map of labels can join them)"
    if note.metric is None:
        return text
    return (
        f"{text}; {note.metric} is {number(note.value)} over the classes {note.rule} and "
        f"{number(note.other)} over those {note.other_rule}"
    )


def _more_never_true(note: w.MoreNeverTrue) -> str:
    # Every system is named: whoever publishes a ranking sees which teams it touches.
    each = [
        f"{n.system!r} {sum(s.items for s in n.strays):,.10g} ({shown(s.label for s in n.strays)})"
        for n in note.systems
    ]
    return f"further systems that predict labels which are never true: {', '.join(each)}"


def _no_class(note: w.NoClass) -> str:
    if note.systems:
        lost = listed(f"{name!r} {items:,.10g}" for name, items in note.systems)
        return f"predictions that are no class at all, counted as errors: {lost}"
    null = f", {note.missing:,} of them missing" if note.missing else ""
    null = ", but missing" if note.missing == note.items else null
    return f"{_predictions(note.items, note.weighted)} no class at all{null}: counted as errors"


def _two_formulas(note: w.TwoFormulas) -> str:
    return (
        "two formulas are called 'macro F1' and differ here by "
        f"{points(note.f1_of_averages - note.macro_f1)}: macro_f1 {number(note.macro_f1)}, "
        f"f1_of_averages {number(note.f1_of_averages)}; say which one you report"
    )


def _header_counted(note: w.HeaderCounted) -> str:
    firsts = listed(f"{name} ({label!r})" for name, label in note.files)
    return f"line 1 of {firsts} is a label found nowhere else: if it is a header, take it out"


def _columns_taken(note: w.ColumnsTaken) -> str:
    columns: dict[tuple[str, str], list[str]] = {}
    for c in note.columns:
        columns.setdefault((c.column, c.role), []).append(c.source)
    each = (f"{c!r} of {listed(files, 3)} for {role}" for (c, role), files in columns.items())
    return f"taken: {'; '.join(each)}"


def _matched_by_id(note: w.MatchedById) -> str:
    others = f" ({listed(map(repr, note.others))} elsewhere)" if note.others else ""
    return f"items are matched by {note.column!r}{others}, {counted(note.items, 'id')} in common"


def _layout_found(note: w.LayoutFound) -> str:
    """What shows of each file; files alike are one list."""
    files: dict[str, list[str]] = {}
    for file in note.files:
        words = [] if file.header is None else ["with a header" if file.header else "no header"]
        if file.delimiter is not None:
            words.append(f"fields between {MARKS.get(file.delimiter, repr(file.delimiter))}")
        words += [] if file.encoding is None else [f"text in {file.encoding}"]
        files.setdefault(", ".join(words), []).append(file.source)
    return "layout found: " + "; ".join(f"{listed(f)} ({words})" for words, f in files.items())


def _fields(note: w.NotRepeated | w.OtherData) -> str:
    return ", ".join(f"{k} ({a or 'not said'}, {b or 'not said'})" for k, a, b in note.fields)


def _average_unsaid(note: w.AverageUnsaid) -> str:
    readings = {
        "one": "F1 is 2PR/(P+R) in every row, as of one class, of micro averages, or as the F1 of "
        "macro averages: no formula can be told, unless the headings are said to mean those",
        "weighted": "taken for weighted averages, as recall is accuracy",
        "macro": "taken for macro averages",
    }
    return f"{shown(note.columns)}: it is not said which average; {readings[note.taken]}"


OF_DATA: dict[type[ResultWarning], Sentence] = {
    w.NeverTrue: _never_true,
    w.MoreNeverTrue: _more_never_true,
    w.CommonClasses: "groups are compared over the classes that are true in each, {labels}; "
    "left out of averages: {left}",
    w.NoCommonClass: "no class is true in every group, so that averages over classes are left "
    "out: {metrics:names}",
    w.NoClass: _no_class,
    w.Alphabetical: "classes are taken in the order of the alphabet, {labels}, by "
    "{metrics:names}; the option labels gives another",
    w.SameLabels: lambda n: (
        "labels that are written differently were taken for one: "
        + listed(f"{old!r} is {new!r}" for old, new in n.spellings)
    ),
    w.Copies: "{systems:names}: the same answer on every item; is one a copy?",
    w.RowsDropped: "{rows:row} without a true label {rows:was} left out",
    w.TwoFormulas: _two_formulas,
    w.EmptiedClass: "{metric}: {labels} has no items at this prevalence, and its recall, 0/0, "
    "counts as {worth:g}",
    w.ComparedAsText: "{source} holds {kind} and {text} text: compared as text",
    w.ColumnByNumber: "column {number} is {column!r}",
    w.FilesRead: "read: {files}",
    w.ColumnByCase: "{source}: column {column!r} is {name!r}",
    w.ColumnsTaken: _columns_taken,
    w.MatchedById: _matched_by_id,
    w.MatchedByRow: "{files:names}: no ids, so rows are taken in the order of {truth}",
    w.RolesUnsure: "unsure of {columns}: names and labels fit more than one role",
    w.TruthOrPredictions: "unsure whether {column!r} is truth or predictions: a file with "
    "one column of labels may be either",
    w.SamplesOfItems: "{samples:sample} of {items:item}: an item weighs 1, however many "
    "samples it has, and items are what varies",
    w.HeaderLikeData: "{source}: the first row was read as a header, but {fields} occurs "
    "again in its column: is it data? (with the option no-header it is)",
    w.EncodingGuessed: "{source} was read as {encoding}, which its first bytes say it is",
    w.LayoutFound: _layout_found,
    w.NotInEncoding: "{source} is UTF-8 and was read so, not as {encoding}",
    w.CountsRecovered: "{source} has scores and no matrix: scored is the one table of counts "
    "that prints these scores",
    w.CellsAsText: "{source}, column {column!r} holds text and other cells: all were read as text",
    w.LabelsRenamed: "{source} renamed {renamed:,} of {before:,} labels, leaving {after:,}",
    w.CaseIgnored: "ignoring case merged {before:,} labels into {after:,}",
    w.NoSystems: "{columns}: no labels like those of {truth}, so not taken for a system "
    "(name the systems if one is)",
    w.NoAnnotators: "{columns} has another value in every row: taken for ids, not for an annotator",
    w.EqualToTruth: "{systems:names}: every label is that of the truth; is it a copy of the truth?",
    w.HeaderCounted: _header_counted,
    w.EmptyFiles: "{empty:number} of {files:,} files have no rows: {empty}",
    w.NotRepeated: lambda n: f"not repeated from the signature (wanted, got): {_fields(n)}",
    w.Decided: lambda n: (
        f"labels are the most probable classes: {n.above_half!r} above a probability of 0.5"
        if n.above_half is not None
        else "labels are the most probable classes; of equal ones the first"
        if n.label is None
        else f"{n.label!r} is predicted from a probability of {n.threshold:g} on; if that was "
        "chosen on these items, their scores are optimistic"
    ),
    w.Renormalised: "{rows:,} of {total:,} rows of probabilities sum to {low:.8g} to "
    "{high:.8g}, as their digits allow: each was divided by its sum",
    w.NoSets: "{items:item} without a prediction: no label was predicted there",
    w.OtherData: lambda n: f"other data than those signed (wanted, got): {_fields(n)}",
    w.ClassesByHash: "the signature names its classes by a hash only: give them beside it",
    w.ClustersWanted: "the signature has intervals by clusters: give their column beside it",
    w.Undecided: "unknown for {systems:lines} ({systems}) whether a table exists: the margins "
    "allow more tables than were searched (a larger limit searches more)",
    w.AverageUnsaid: _average_unsaid,
    w.SpreadsBeside: "a spread is printed beside {columns}: every row was taken for the mean "
    "of some runs; with the option runs (1 if there was one) more can be checked",
    w.WeightsAsSizes: "the sizes of classes are no whole numbers, as sums of weights are, and "
    "were not used: {columns}",
    w.SeveralLabels: "micro precision, recall and F1 or accuracy differ, as where items have "
    "several labels or where not all classes are averaged: only what holds then was checked; if "
    "every item has one label and one prediction, with the option single-label more can be",
    w.TableNotRead: "{caption} was not read: {reason}",
    w.Outside: "consistent if some predictions are outside the classes: {systems:lines} "
    "({systems}); with the option abstentions the table is audited so",
    w.NotDrawn: "pictures were not drawn: vl-convert-python is not installed (pip install "
    "'evenhand[plot]'); the data and the Vega-Lite specifications were written",
}


# The words of notes on numbers: how sure they are, how they rank, another mix of classes.

_WIDTHLESS = {
    "score": "it would have no width, which a perfect score, a constant one or an infinite slope "
    "gives, and that is not certainty",
    "class": "it would have no width",
    "difference": "the difference would have no width, as between systems that never or always "
    "differ there, or an infinite slope, and that is not certainty",
}


def _few_to_learn_from(note: w.FewToLearnFrom) -> str:
    # of weighted items, as many as are worth as much
    to_be = "to be up to" if note.up_to else "to be"
    each = (
        f"{c.label!r} ({counted(float(f'{c.items:.3g}'), 'item')}, {to_be} {percent(c.share)})"
        for c in note.classes
    )
    return f"few items to learn from: {listed(each)}"


def _new_kinds(note: w.NewKinds) -> str:
    kinds = [*map(repr, note.labels), *["no class at all"] * note.outside]
    return (
        f"{percent(note.share)} of the new predictions are of a kind never predicted on the "
        f"labelled data ({listed(kinds)}): they say nothing about the mix and are left aside"
    )


_WHY = {
    "saerens": "more than the class mix has changed, or the probabilities are not calibrated",
    "stated": "the stated mix does not hold, or more than the class mix has changed",
}


def _misfit(note: w.Misfit) -> str:
    called = "stated mix" if note.method == "stated" else f"mix by {note.method}"
    far, detail = note.farthest, ""
    if far is not None:
        more = "more" if far.measured > far.expected else "less"
        detail = (
            f" (most of all {far.label!r}: {percent(far.measured)} of the predictions, "
            f"{points(abs(far.measured - far.expected))} {more} than expected)"
        )
    why = _WHY.get(note.method, "more than the class mix has changed")
    return (
        f"the {called} does not explain the predictions, {p_words(note.p)}{detail}: {why}, and "
        "the expected scores are not to be trusted"
    )


def _outside_simplex(note: w.OutsideSimplex) -> str:
    out = listed(f"{label!r} {number(share)}" for label, share in note.shares)
    return (
        f"the adjusted count leaves the simplex ({out}): no class mix gives exactly these shares; "
        "the likelihood stays inside"
    )


def _same_answers(note: w.SameAnswers) -> str:
    where = f"in {counted(note.slices, 'slice')} " if note.slices else ""
    items = f"{'as few as ' if note.slices > 1 else ''}{counted(note.items, 'item')}"
    items += f" that concern {note.metric}" if note.metric else ""
    return (
        f"{where}the two systems give the same answer on all of {items}: that passes, but so few "
        f"would be alike in 1 of {1 / (1 - note.level):.0f} cases if answers differed on "
        f"{percent(note.share)}"
    )


OF_NUMBERS: dict[type[ResultWarning], Sentence] = {
    w.FewTelling: "all annotators gave the commonest label to all but {items} of {n:item}: "
    "agreement and its interval rest on these few",
    w.NoWidth: lambda n: f"no interval for {listed(n.names, 4)}: {_WIDTHLESS[n.of]}",
    w.UnknownVariance: "no intervals: a table of fractions does not say how its items vary "
    "(give a Sample, or count the items with weights)",
    w.NoGradient: "no interval for {metric} but by the bootstrap: {reason}",
    w.FewTrueItems: "{labels:have} fewer than {few} true items ({labels}): intervals of "
    "averages over classes may be too narrow there",
    w.FewHits: lambda n: (
        f"{'1 class has' if len(n.labels) == 1 else f'{len(n.labels):,} classes have'} fewer than "
        f"{n.few} predictions or {n.hits} hits{f' by {listed(n.systems, 4)}' if n.systems else ''} "
        f"({shown(n.labels)}): intervals of averages over classes may be too narrow there"
    ),
    w.Biased: "no interval for {names:names}: chance makes it larger than it is, the more so "
    "the fewer items a class has (twins has it corrected)",
    w.ZeroOverZero: "some class's ratio is 0/0 and counts as {worth:g}: the delta intervals of "
    "{metrics:names} take it as fixed",
    w.SameAnswers: _same_answers,
    w.FewClusters: "only {clusters:cluster}: too few to rely on how clusters vary",
    w.ChosenHere: lambda n: (
        f"{n.metric} {number(n.value)} is that of a threshold chosen on these very items "
        f"({n.label!r} from {n.threshold:g} on), which flatters it by about {points(n.optimism)}"
        f"{'' if n.se is None else f' (± {points(n.se)})'}: of new items {number(n.expected)} can "
        "be expected"
    ),
    w.UnknownOptimism: "{metric} is that of a threshold chosen on these very items ({label!r} "
    "from {threshold:g} on), which flatters it; by how much, so few do not tell",
    w.OneCluster: lambda n: (
        f"slices left out: {listed(map(key_text, n.keys))}; one cluster tells nothing of how "
        "clusters vary"
    ),
    w.FoldsLackClasses: "in {lacking:,} of {folds:,} folds some class has no true item "
    "({labels}): averages run over the others there, and the mean of folds mixes the two; stratify "
    "the folds, or look at the pooled score",
    w.ManyPairs: "more than {classes:,} classes: their pairs are not looked at",
    w.TablesAlone: "tables alone: without the items, no rank intervals, no chance of being "
    "best, no tests between systems (give the label files)",
    w.OtherItems: "the tables do not have the same true labels, so the systems were not scored "
    "on the same items: differences may come from the items",
    w.OneRunOnly: "{systems}: one run only, so the spread between runs is not in its interval",
    w.UndefinedFor: "undefined for some system, which then ranks last: {metrics:names}",
    w.LeftOut: "left out {system}: {reason}",
    w.NeverLabelled: "{labels:classes} never true in the labelled data: nothing is known of such "
    "items, and their share is taken as 0",
    w.NoShare: "{labels:classes} given a share of 0: recall is 0/0 there, in averages too; leave "
    "such a class out of them",
    w.FewToLearnFrom: _few_to_learn_from,
    w.LessThanAnItem: "at this mix one more error of another class would more than double the "
    "predictions of {labels}: intervals of averages over classes may be too narrow there",
    w.TakenAsCertain: "recall of {labels} is 0 or 1, and these intervals make too much of that: "
    "they are too narrow",
    w.GainPerItem: "{metric} at a stated mix is the gain per item, not over all items",
    w.Unpaired: "the two tables do not say which items they share: the range of doubt takes them "
    "as independent",
    w.FewLabelled: "fewer than {few} labelled items of {labels}: their rates are hardly known",
    w.UnknownLabels: "predicted but unknown to the table: {labels}; counted as outside "
    "({share:share} of the predictions with those that are null)",
    w.NewKinds: _new_kinds,
    w.Misfit: _misfit,
    w.AboveOne: "precision of {labels} by the measured share of predictions is above 1 "
    "({most:score}): fewer predictions than this mix must give",
    w.OutsideSimplex: _outside_simplex,
    w.SingularRates: "the rates are singular: {labels} are predicted too much alike, so that "
    "their shares cannot be told apart; there is no adjusted count, and the likelihood has many "
    "tops of which it gives one",
    w.IllConditionedRates: "the rates are ill-conditioned: {labels} are predicted too much "
    "alike; an error of 1 point in the shares of predictions can move the mix by "
    "{amplification:hundredths}",
    w.NotShownLikeliest: "the mix by {method} is not shown to be the most likely one: another "
    "may have a log-likelihood larger by up to {lack:.1g} an item",
    w.DrawsNearTop: "the intervals rest on draws that EM alone brought near the top: more takes "
    "too long",
    w.ItemsForgotten: "no intervals: a weighted table has forgotten its items; give the labelled "
    "items themselves",
    w.SharesAlone: "shares without a number of items: the intervals cover the labelled sample "
    "alone, and there is no test of fit",
    w.FewerReplicates: "{replicates:,} replicates, not more: this many classes or items take long",
}


# The words of notes: one sentence a kind, in one voice.


def said(note: ResultWarning) -> str:
    """The note as a sentence."""
    wording = SENTENCES[type(note)]
    text = _FACTS.vformat(wording, (), vars(note)) if isinstance(wording, str) else wording(note)
    return visible(text)  # names of systems and slices are as hostile as labels


class _WarningFormatter(Formatter):
    """Facts in a pattern: several things are listed, ``{rows:row}`` is a number with its noun."""

    def format_field(self, value: Any, spec: str) -> str:
        if spec in _SPECS:
            return _SPECS[spec](value)
        if isinstance(value, tuple):
            return shown(value)
        noun = spec.isalpha() and len(spec) > 1  # "g" is a way to write a number
        return counted(value, spec) if noun else super().format_field(value, spec)


def _classes(labels: Sequence[Any]) -> str:
    return f"class {shown(labels)} is" if len(labels) == 1 else f"classes {shown(labels)} are"


_FACTS = _WarningFormatter()
_SPECS: dict[str, Callable[[Any], str]] = {
    "names": listed,
    "classes": _classes,
    "have": lambda x: "1 class has" if len(x) == 1 else f"{len(x):,} classes have",
    "number": lambda names: f"{len(names):,}",
    "lines": lambda names: counted(len(names), "row"),
    "was": lambda amount: "was" if amount == 1 else "were",
    "share": percent,
    "score": number,
    "points": points,
    "hundredths": lambda x: points(x / 100),
}


def _in_slices(note: w.InSlices) -> str:
    kind = next(kind for kind in SENTENCES if kind.code == note.of)
    keys = dict.fromkeys(
        f"({key_text(key)})" if isinstance(key, tuple) else key_text(key) for key, _ in note.slices
    )
    return f"{IN_SLICES[kind]} in {counted(len(keys), 'slice')} ({listed(keys, 12)})"


SENTENCES: dict[type[ResultWarning], Sentence] = {
    **OF_DATA,
    **OF_NUMBERS,
    w.InSlices: _in_slices,
}

IN_SLICES: dict[type[ResultWarning], str] = {
    w.NeverTrue: "labels that are never true there were predicted",
    w.NoClass: "some predictions are no class at all",
    w.RowsDropped: "rows without a true label were left out",
    w.TwoFormulas: "the two formulas called 'macro F1' differ by more than a point",
    w.EmptiedClass: "a class has no items at the prevalence asked for",
    w.NoWidth: "some scores have no interval, which would have no width,",
    w.UnknownVariance: "there are no intervals: tables of fractions do not say how items vary,",
    w.NoGradient: "a metric has no gradient, and so no interval,",
    w.FewTrueItems: "classes have few true items, and intervals of averages may be too narrow,",
    w.FewHits: "classes have few hits, and intervals of averages may be too narrow,",
    w.Biased: "few items push some numbers one way, which have no interval,",
    w.ZeroOverZero: "delta intervals take a ratio of 0/0 as fixed",
    w.FewClusters: "there are too few clusters to rely on how clusters vary",
    w.OneRunOnly: "a system has one run only, and the spread between runs is not known,",
    w.UndefinedFor: "metrics are undefined for some system, which then ranks last,",
    w.TablesAlone: "there are tables alone, without their items,",
    w.OtherItems: "the tables do not have the same true labels",
}
"""How a kind is said to hold in some slices: this goes before "in 3 slices (a, b, c)"."""
