"""Logs of evaluations of language models: each format becomes the same rows of graded answers.

Inspect (version 2, ``.eval`` and ``.json``), samples of lm-evaluation-harness, Every Eval Ever
(version 0) and promptfoo (version 3) are read; other versions are refused.
"""

from __future__ import annotations

import gc
import math
import os
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np

from evenhand.data.counting import keys_of
from evenhand.data.sample import GRADED, Sample, SoftSample
from evenhand.errors import InputError, Option, shown
from evenhand.io.columns import ReadOptions
from evenhand.io.delimited import HEAD, blocks, pieces, reading, zstandard_text
from evenhand.io.json import loads
from evenhand.io.sources import LIMIT, MANY, unpacking, zip_names
from evenhand.warnings import Note, ResultWarning, SamplesOfItems

Row: TypeAlias = tuple[str, str, str, int, str | None, str | None, float | None]
COLUMNS = ("model", "task", "id", "epoch", "target", "answer", "score")
"""What a row of a log holds."""
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "true": 1.0, "false": 0.0}
"""What Inspect's letters (correct, partly, incorrect, no answer) and truth values count as."""
FEW = 50
"""Targets that may be labels."""
CHOICE = r"^\(?[A-J0-9]\)?(, \(?[A-J0-9]\)?)*$"
"""Targets that are places of choices: one character, or several."""
ENDINGS = (".eval", ".json", ".jsonl", ".jsonl.gz")
"""How files in a folder end that may be logs."""
WIDTH = 40
"""Characters of an answer that are shown."""
ZSTANDARD = 93
"""How a zip archive numbers that compression."""


class LogUnfinished(ResultWarning):
    """A log of an evaluation that did not succeed."""

    template = "{file} is a log that did not succeed ({status}): {lacking} of {items:item} missing"

    file: str
    status: str
    lacking: int
    items: int


class UnparsedAnswers(ResultWarning):
    """Answers that are none of the labels, and the most frequent of them."""

    template = "{system}: {answers:answer} outside the labels{examples}"

    system: str
    answers: int
    examples: str


class DifferentItems(ResultWarning):
    """Systems that lack items of the others, and how many they have."""

    template = "{systems} of {items:item}: two systems are compared on those that both have"

    systems: str
    items: int


class GradesMissing(ResultWarning):
    """Samples without a grade, which count as 0."""

    template = "{system}: {samples:sample} without a grade, counted as 0"

    system: str
    samples: int


class LettersGraded(Note):
    """What letters of grades count as."""

    template = "grades: C counts as 1, P (partly) as 0.5, I and N (no answer) as 0"


class GradesRescaled(Note):
    """Grades of another range, which are shares of it."""

    template = "grades from {low:g} to {high:g} count as 0 to 1"

    low: float
    high: float


@dataclass(frozen=True)
class EvaluationLog:
    """The rows of a log as a frame, what else its systems were set to, and warnings.

    ``details`` are its version, and the scorer and the filter that count.
    """

    name: str
    format: str
    rows: Any
    details: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[ResultWarning, ...] = ()


class _LogRows(list[Row]):
    """The rows of a log, and beside each what the log says of its item."""

    def __init__(self, path: str, options: ReadOptions) -> None:
        self.path, self.columns = path, options.covariates
        if own := [c for c in self.columns if c in (*COLUMNS, "system")]:
            text = f"{path}: clusters and slices must be fields that logs have no columns for"
            raise InputError(f"{text}, got {shown(own)}")
        self.values: dict[str, list[str | None]] = {c: [] for c in self.columns}

    def add(self, row: Row, *about: Any) -> None:
        """Add a row; the columns of clusters and slices are fields of what is said of the item."""
        self.append(row)
        for column in self.columns:
            known = (_field(fields, column) for fields in about)
            self.values[column].append(next((str(x) for x in known if x is not None), None))

    def log(self, format: str, *more: Any) -> EvaluationLog:
        """The log of these rows, of which there must be one."""
        import polars as pl

        if all(answer is None and score is None for *_, answer, score in self):
            raise InputError(f"{self.path}: the log has no sample with an answer or a grade")
        for column, values in self.values.items():
            if None in values:
                item = self[values.index(None)][2]
                raise InputError(f"{self.path}: sample {item!r} has no field {column!r}")
        types = dict.fromkeys(COLUMNS, pl.String) | {"epoch": pl.Int64, "score": pl.Float64}
        columns = dict(zip(COLUMNS, zip(*self, strict=True), strict=True))
        frame = pl.DataFrame(columns, schema=types)
        more_columns = [pl.Series(c, values, pl.String) for c, values in self.values.items()]
        return EvaluationLog(self.path, format, frame.with_columns(more_columns), *more)


def _field(fields: Any, name: str) -> Any:
    """A field of an object, or of one inside it: dots part the names."""
    if not isinstance(fields, dict):
        return None
    first, dot, rest = name.partition(".")
    return _field(fields.get(first), rest) if dot and name not in fields else fields.get(name)


def _choose(options: ReadOptions, option: str, names: Sequence[str], where: str) -> str | None:
    """The scorer (or metric) or the filter that counts; that of a log with one, if it has any."""
    chosen: str | None = getattr(options, option) if len(names) > 1 else next(iter(names), None)
    if chosen in names or not names:
        return chosen
    text = f"{where} has the {option}s {shown(names)}: say which with "
    raise InputError(text, Option(option, names[0]))


# Finding logs, by what files hold.


def log_format(path: str) -> str | None:
    """The format of a log, by its content; ``None`` for every other file."""
    if not os.path.isfile(path):
        return None
    if zipfile.is_zipfile(path):
        has_header = path.endswith(".eval") or not _HEADERS.isdisjoint(zip_names(path))
        return "Inspect" if has_header else None
    head = b""
    with suppress(InputError), reading(path) as file:
        head = file.read(HEAD)
    if path.endswith(".eval") and head.startswith(b"PK"):
        raise InputError(f"{path} is an archive that is cut short, or no log of Inspect")
    return next((name for name, (begins, _) in FORMATS.items() if begins.match(head)), None)


def is_log(name: str) -> bool:
    """Whether a name is that of a log, or of a folder with some."""
    return any(True for _ in log_files(name))


def log_files(name: str) -> Iterator[tuple[str, str]]:
    """The logs behind a name: a file, or those in a folder and below it; each with its format."""
    paths = [name]
    if os.path.isdir(name):
        files = (p for p in Path(name).rglob("*") if p.name.endswith(ENDINGS) and p.is_file())
        paths = sorted(map(str, files))
    for path in paths:
        if kind := log_format(path):
            yield path, kind


def read_logs(name: str, options: ReadOptions) -> Iterator[EvaluationLog]:
    """The logs behind the name of a file or folder."""
    kind = None
    for path, kind in log_files(name):
        gc.disable()  # it would go through all that is read again and again
        try:
            log = FORMATS[kind][1](path, options)
        except (LookupError, TypeError, AttributeError) as e:
            raise InputError(f"{path} is a damaged log of {kind}: {e!r}") from None
        finally:
            gc.enable()
        yield log
    if kind is None:
        raise InputError(f"{name} is no log of an evaluation, as others here are")


# Inspect: a zip archive with a file for each sample, or all in one JSON object.


_HEADERS = {"header.json", "_journal/start.json"}
"""Where an archive says what it is."""
_SAMPLE = ("id", "epoch", "target", "scores", "metadata")
"""What is kept of a sample, of which messages may be long."""
_SETTINGS = ("task_args", "model_args", "model_generate_config", "solver", "solver_args")
"""What tells apart two runs of one model."""


def _inspect(path: str, options: ReadOptions) -> EvaluationLog:
    samples: Iterable[Any]
    if zipfile.is_zipfile(path):
        samples = _members(path, complete=bool(options.covariates))
        header = next(samples)
    else:
        header = _parsed(b"".join(pieces(path)), path)
        samples = header.get("samples") or []
    if header.get("version") != 2:
        version = header.get("version")
        raise InputError(f"{path}: Inspect logs of version 2 are read, got version {version}")
    about, status = header["eval"], header.get("status", "started")
    samples = [{name: sample.get(name) for name in _SAMPLE} for sample in samples]
    graded = [_grades(sample["scores"] or {}) for sample in samples]
    scorers = list(dict.fromkeys(name for grades in graded for name in grades))
    scorer = str(_choose(options, "scorer", scorers, path))
    rows, samples_of = _LogRows(path, options), dict[str, Any]()
    common = (about["model"], about["task"])
    for sample, grades in zip(samples, graded, strict=True):
        score, answer = grades.get(scorer, (None, None))
        item, target = str(sample["id"]), _text(sample["target"])
        row = (*common, item, sample["epoch"] or 1, target, answer, score)
        rows.add(row, sample["metadata"])
        samples_of[item] = target, sample["metadata"]
    config, data = about.get("config") or {}, about.get("dataset") or {}
    present = {row[2:4] for row in rows}
    epochs = range(1, 1 + (config.get("epochs") or 1))
    announced = list(map(str, data.get("sample_ids") or samples_of))
    for item, epoch in product(announced, epochs):
        if item in samples_of and (item, epoch) not in present:
            target, metadata = samples_of[item]
            rows.add((*common, item, epoch, target, None, None), metadata)
    lacking = len({*announced} - {*samples_of})
    failed = LogUnfinished(path, status, lacking, len({*announced, *samples_of}))
    settings: dict[str, str] = {}
    for name in _SETTINGS:
        value = about.get(name)
        parts = value.items() if isinstance(value, dict) else [(name, value)]
        settings |= {key: str(v) for key, v in parts if v not in (None, {}, [])}
    details = ("version 2", f"scorer {scorer}")
    values = [((s["scores"] or {}).get(scorer) or {}).get("value") for s in samples]
    letters = any(isinstance(v, str) and v in "PN" for v in values)
    notes = (*[failed] * (status != "success"), *[LettersGraded()] * letters)
    return rows.log("Inspect", details, settings, notes)


def _members(path: str, *, complete: bool) -> Iterator[Any]:
    """The header of an archive, then its samples, within the limits of archives."""
    with unpacking(path), zipfile.ZipFile(path) as archive:
        infos = {info.filename: info for info in archive.infolist()}
    samples = sorted(n for n in infos if re.fullmatch(r"samples/[^/]*\.json", n))
    header = max(_HEADERS.intersection(infos), default=None)
    if header is None:
        raise InputError(f"{path} is no log of Inspect: it has no header.json")
    if "summaries.json" in infos and not complete:  # of all samples, without deep metadata
        samples = ["summaries.json"]
    sizes = [infos[name].file_size for name in (header, *samples)]
    if sum(sizes) > LIMIT or len(samples) > 100 * MANY:
        raise InputError(f"{path} holds more than {LIMIT:,} bytes or {100 * MANY:,} samples")
    with unpacking(path), open(path, "rb") as file:
        for name in (header, *samples):
            value = _parsed(_unpacked(file, infos[name]), f"{path}/{name}")
            yield from value if isinstance(value, list) else [value]


def _unpacked(file: IO[bytes], info: zipfile.ZipInfo) -> bytes:
    """A file of an archive, of which no more is unpacked than it says to have.

    It is read where it lies: ``zipfile`` takes ten times as long, and knows no zstandard.
    """
    file.seek(info.header_offset)
    start = file.read(30)
    file.seek(sum(struct.unpack("<HH", start[26:])), os.SEEK_CUR)  # the name, and more
    packed = file.read(info.compress_size)
    if info.compress_type == ZSTANDARD:
        return zstandard_text(packed)
    if info.compress_type == zipfile.ZIP_STORED:
        return packed
    return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, info.file_size)


def _grades(scores: Mapping[str, Any]) -> dict[str, tuple[float | None, str | None]]:
    """The grade and the parsed answer by scorer; a scorer of several values is several."""
    grades: dict[str, tuple[float | None, str | None]] = {}
    for name, score in scores.items():
        value, answer = score.get("value"), _text(score.get("answer"))
        if isinstance(value, dict):
            grades |= {f"{name}.{key}": (_number(v), answer) for key, v in value.items()}
        else:
            grades[name] = _number(value), answer
    return grades


# lm-evaluation-harness: a line a sample and filter.

_HARNESS = ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
            "doc_hash", "prompt_hash", "target_hash")  # fmt: skip


def _harness(path: str, options: ReadOptions) -> EvaluationLog:
    """The samples of a task; the folder is that of the model, the file has the name of the task."""
    lines = list(_lines(path))
    filters = list(dict.fromkeys(str(x["filter"]) for x in lines if "filter" in x))
    chosen = _choose(options, "filter", filters, path)
    lines = [x for x in lines if chosen is None or x.get("filter") == chosen]
    first = lines[0]
    metrics = [m for m in first.get("metrics") or first if m not in _HARNESS and m in first]
    metrics = [m for m in metrics if isinstance(_number(first[m]), float)]
    likelihood = "acc" in metrics and options.scorer not in {*metrics} - {"acc"}
    scorer = "acc" if likelihood else _choose(options, "scorer", metrics, path)
    choices = {tuple(_choices(x)) for x in lines}
    same = next(iter(choices)) if len(choices) == 1 else ()
    stem = Path(path).name.removesuffix(".gz").removesuffix(".jsonl")
    named = re.fullmatch(r"samples_(.+?)(_\d{4}-\d\d-\d\dT.*)?", stem)
    folder = Path(path).resolve().parent.name.replace("__", "/")
    rows, task = _LogRows(path, options), named[1] if named else stem
    for x in lines:
        target, answer = _harness_answer(x, same)
        if len(x.get("filtered_resps") or []) > 1 and not likelihood:
            answer = None  # which another metric chooses
        score = None if scorer is None else _number(x.get(scorer))
        row = (folder, task, str(x["doc_id"]), 1, target, answer, score)
        rows.add(row, x.get("doc"), x)
    details = (f"scorer {scorer}", *[f"filter {chosen}"] * bool(chosen))
    return rows.log("lm-evaluation-harness", details, {"filter": chosen} if chosen else {})


def _harness_answer(
    line: Mapping[str, Any], choices: Sequence[str]
) -> tuple[str | None, str | None]:
    """The target and the answer; of log-likelihoods the numbers of choices, or the choices."""
    answers, target = line.get("filtered_resps") or [], _text(line.get("target"))
    if not all(isinstance(a, list) and len(a) == 2 for a in answers) or len(answers) < 2:
        return target, _text(answers[0]) if len(answers) == 1 else None
    scores = [-math.inf if (n := _number(a[0])) is None else n for a in answers]
    best = scores.index(max(scores))
    number, own = str(target), _choices(line)
    if number not in map(str, range(len(answers))) and number in own:
        number = str(own.index(number))
    if choices and number.isdecimal():
        return choices[int(number)], choices[best]
    return number, str(best)


def _choices(line: Mapping[str, Any]) -> list[str]:
    """The continuations whose likelihoods were compared."""
    arguments = line.get("arguments") or []
    if isinstance(arguments, dict):
        arguments = [list(v.values()) if isinstance(v, dict) else v for v in arguments.values()]
    texts = [a[1] for a in arguments if isinstance(a, list) and len(a) > 1]
    return [t.strip() for t in texts] if all(isinstance(t, str) for t in texts) else []


# Every Eval Ever: a line a sample.


def _every_eval(path: str, options: ReadOptions) -> EvaluationLog:
    rows, versions = _LogRows(path, options), set[str]()
    for x in _lines(path):
        version = str(x.get("schema_version"))
        versions.add(version)
        if not version.startswith("0."):
            raise InputError(
                f"{path}: samples of Every Eval Ever of version 0 are read, got version {version}"
            )
        about, parts = x.get("input") or {}, x.get("answer_attribution") or []
        final = [a for a in parts if a.get("is_terminal")] or parts
        answer = _text(final[-1].get("extracted_value")) if final else None
        target, answer = _letters(_text(about.get("reference")), answer, about.get("choices") or ())
        result = x.get("evaluation") or {}
        score = _number(result.get("score"))
        score = _number(result.get("is_correct")) if score is None else score
        if x.get("error"):
            answer = score = None
        common = (x["model_id"], x["evaluation_name"], str(x["sample_id"]), 1)
        rows.add((*common, target, answer, score), x.get("metadata"), x)
    return rows.log("Every Eval Ever", tuple(f"version {v}" for v in sorted(versions)))


def _letters(
    target: str | None, answer: str | None, choices: Sequence[str]
) -> tuple[str | None, str | None]:
    """Choices by their letters, where the target is one of them."""
    letters = {str(choice).strip(): chr(65 + i) for i, choice in enumerate(choices)}
    if target not in letters:
        return target, answer
    return letters[target], letters.get(str(answer), answer)


# promptfoo: a result for each test, prompt and provider.


def _promptfoo(path: str, options: ReadOptions) -> EvaluationLog:
    root = _parsed(b"".join(pieces(path)), path)["results"]
    if root.get("version") != 3:
        version = root.get("version")
        raise InputError(f"{path}: promptfoo's results of version 3 are read, got {version}")
    results = root["results"]
    prompts = {x.get("promptIdx", 0) for x in results}
    rows, times = _LogRows(path, options), Counter[tuple[str, str]]()
    for x in results:
        provider = x.get("provider") or {}
        model = str(provider.get("label") or provider.get("id") or provider)
        model += f"/prompt {x.get('promptIdx', 0)}" if len(prompts) > 1 else ""
        number = str(x.get("testIdx", x.get("id")))
        times[model, number] += 1
        equals = [a for a in (x.get("testCase") or {}).get("assert") or () if a["type"] == "equals"]
        target = _text(equals[0].get("value")) if len(equals) == 1 else None
        answer, score = _text((x.get("response") or {}).get("output")), _number(x.get("score"))
        if x.get("error") and not x.get("gradingResult"):
            answer = score = None
        epoch = times[model, number]
        row = (model, Path(path).stem, number, epoch, target, answer, score)
        rows.add(row, x.get("vars"), x.get("metadata"), x)
    return rows.log("promptfoo", ("version 3",))


FORMATS: dict[str, tuple[re.Pattern[bytes], Callable[[str, ReadOptions], EvaluationLog]]] = {
    "Inspect": (re.compile(rb'\s*\{\s*"version":\s*\d+,\s*"status":\s*"\w+",\s*"eval":'), _inspect),
    "lm-evaluation-harness": (
        re.compile(rb'\s*\{"doc_id":.*"(filtered_)?resps":', re.DOTALL),
        _harness,
    ),
    "Every Eval Ever": (
        re.compile(rb'\s*\{"schema_version":.*"evaluation_name":.*"sample_id":', re.DOTALL),
        _every_eval,
    ),
    "promptfoo": (
        re.compile(rb'\s*\{\s*"evalId":.*"results":\s*\{\s*"version":', re.DOTALL),
        _promptfoo,
    ),
}
"""What a log begins with, and what reads it, by the name of the format."""


# What the formats share.


def _lines(path: str) -> Iterator[dict[str, Any]]:
    """The objects of a file, one per line."""
    for block in blocks(path, path):
        lines = filter(None, map(bytes.strip, block.text.split(b"\n")))
        yield from _parsed(b"[%s]" % b",\n".join(lines), path)


def _parsed(data: bytes, where: str) -> Any:
    """A value of JSON, in which Inspect writes ``NaN`` too."""
    try:
        return loads(data)
    except (ValueError, RecursionError) as e:
        raise InputError(f"{where}: expected JSON, got {e}") from None


def _text(value: Any) -> str | None:
    """A target or an answer as text; several are one label."""
    if isinstance(value, list):
        return ", ".join(str(v).strip() for v in value) or None
    return None if value is None or value == "" else str(value).strip()


def _number(value: Any) -> float | None:
    """A grade as a number: letters as Inspect counts them, true and false as 1 and 0."""
    if isinstance(value, str):
        value = GRADES[value] if value in GRADES else GRADES.get(value.lower(), value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return None if math.isnan(number) else number


def refuse_unknown(options: ReadOptions, logs: Sequence[EvaluationLog]) -> None:
    """Refuse a scorer or a filter that no log has."""
    for option in ("scorer", "filter"):
        chosen = getattr(options, option)
        details = (x.partition(" ") for log in logs for x in log.details)
        names = dict.fromkeys(name for kind, _, name in details if kind == option)
        if chosen is not None and chosen not in names:
            raise InputError(f"no log has the {option} {chosen!r}, they have {shown(names)}")


def system_names(logs: Sequence[EvaluationLog]) -> list[dict[str, str]]:
    """The name of each model of each log, with the settings or the file that tell two apart."""
    tasks = [set(log.rows.select("model", "task").unique().rows()) for log in logs]
    names = []
    for log, pairs in zip(logs, tasks, strict=True):
        same = [o for o, p in zip(logs, tasks, strict=True) if o is not log and p & pairs]
        keys = sorted({k for o in (log, *same) for k in o.settings})
        apart = [k for k in keys if any(o.settings.get(k) != log.settings.get(k) for o in same)]
        label = ", ".join(f"{k}={log.settings[k]}" for k in apart if k in log.settings)
        suffix = f" ({label or Path(log.name).stem})" if same else ""
        names.append({model: f"{model}{suffix}" for model, _ in pairs})
    return names


def are_labels(rows: Any) -> bool:
    """Whether targets are a few labels, most answers are such, and grades do not contradict."""
    import polars as pl

    targets, answers = rows["target"].unique(), rows["answer"].drop_nulls()
    most = min(FEW, max(2, rows["id"].n_unique() // 3))
    if targets.null_count() or not 1 < len(targets) <= most:
        return False
    if not len(answers) or 2 * answers.is_in(targets.implode()).sum() < len(answers):
        return False
    score, hit = pl.col("score"), pl.col("answer").eq_missing(pl.col("target"))
    agrees = score.is_null() | (score == 1) | ((score == 0) & ~hit)
    return bool(rows.select(agrees.all()).item())


def are_choices(targets: Any) -> bool:
    """Whether targets are places of choices, such as A to D, and no words."""
    return bool(targets.str.contains(CHOICE).all())


def unparsed(rows: Any, *, shown: bool) -> Iterator[ResultWarning]:
    """A warning a system of its answers that are no label, with the ten most frequent."""
    import polars as pl

    strange = rows.filter(~pl.col("answer").is_in(rows["target"].unique().implode()))
    for (system,), part in strange.group_by("system", maintain_order=True):
        counts = part.group_by("answer", maintain_order=True).len()
        first = counts.sort("len", descending=True, maintain_order=True).head(10).rows()
        parts = ", ".join(f"{text[:WIDTH]!r} {times}" for text, times in first)
        yield UnparsedAnswers(system, len(part), f" ({parts})" if shown else "")


def graded_sample(
    frame: Any, missing: str, *, cluster: str | None = None, by: Sequence[str] = ()
) -> tuple[SoftSample, list[ResultWarning]]:
    """Grades from 0 to 1 as the probability of the right answer: their mean is a score.

    The frame has a row for each ``system``, ``id`` and ``epoch``, with the ``score``. Samples of an
    item weigh their share and are one cluster. Samples without a grade count as 0; those that a
    system lacks do so only where ``missing`` is ``"wrong"``. Else samples are averaged within
    items, and an item of others is one that the system was not asked.
    """
    import polars as pl

    systems = frame["system"].unique(maintain_order=True).to_list()
    strange = frame.filter(~pl.col("score").is_between(0, 1))["score"]
    if len(strange):
        raise InputError(
            f"grades must lie between 0 and 1, got {shown(strange.to_list())}: say where they lie "
            "with ",
            Option("score_range", "LOW,HIGH"),
        )
    twice = frame.filter(frame.select("system", "id", "epoch").is_duplicated())
    if len(twice):
        raise InputError(
            f"{len(twice):,} rows are of the same system and item, such as {twice['id'][0]!r}; "
            "several rows per item need ",
            *(Option("system"), ", or ", Option("sample"), " if they are independent answers"),
        )
    nulls = frame.filter(pl.col("score").is_null()).group_by("system", maintain_order=True).len()
    notes: list[ResultWarning] = [GradesMissing(*row) for row in nulls.rows()]
    keys = ["id", *([cluster] if cluster else []), *by]
    frame = frame.with_columns(pl.col("score").fill_null(0.0))
    pivoted = partial(frame.pivot, "system", values="score", sort_columns=False)
    wide = pivoted(index=["epoch", *keys]).sort("id", "epoch", *keys[1:])
    if missing == "wrong":
        wide = wide.with_columns(pl.col(systems).fill_null(0.0))
    elif sum(wide.select(pl.col(systems).null_count()).row(0)):
        wide = pivoted(index=keys, aggregate_function="mean").sort(keys)
        present = wide.select(pl.col(systems).count()).row(0, named=True)
        parts = [f"{s} has {n:,}" for s, n in present.items() if n < len(wide)]
        notes += [DifferentItems(", ".join(parts), len(wide))] * bool(parts)
    share = wide.select(1 / pl.len().over("id", *by)).to_series()
    repeated = bool((share < 1).any())
    notes += [SamplesOfItems(wide["id"].n_unique(), len(wide))] * repeated
    group = cluster or ("id" if repeated else None)
    sample = Sample.from_probabilities(
        [GRADED[1]] * len(wide),
        {s: np.column_stack([1 - wide[s].to_numpy(), wide[s].to_numpy()]) for s in systems},
        labels=GRADED,
        weights=share.to_numpy() if repeated else None,
        cluster=None if group is None else wide[group],
        by=keys_of([wide[c].to_list() for c in by]),
    )
    return sample, notes


def grade(value: Any, where: str) -> float | None:
    """A grade as a number; what is none is refused, and nothing is no grade."""
    number = _number(value)
    if number is None and value not in (None, ""):
        raise InputError(
            f"{where}: expected grades from 0 to 1, true and false, or C, P, I and N, got {value!r}"
        )
    return number
