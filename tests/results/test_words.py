"""Notes: each kind has a code of its own and words, in one voice."""

import json
import re
from dataclasses import fields, is_dataclass, replace

import pytest

import evenhand.io.logs
import evenhand.scoring.agreement
import evenhand.scoring.judged  # noqa: F401  (whose warnings are among the kinds)
from evenhand.auditing.reported import AverageUnsaid
from evenhand.results.result import encodable
from evenhand.shift.warnings import Farthest, FewItems
from evenhand.warnings import (
    FileLayout,
    InferredColumn,
    InSlices,
    NeverTrue,
    NoClass,
    Note,
    ResultWarning,
    Stray,
)


def kinds(of=ResultWarning):
    for kind in of.__subclasses__():
        yield from [kind] * (kind is not Note)
        yield from kinds(kind)


KINDS = sorted(kinds(), key=lambda kind: kind.code)
EXAMPLES = {
    "str": "x",
    "str | None": "x",
    "int": 2,
    "int | None": 3,
    "float": 2.5,
    "float | None": 2.5,
    "bool": True,
    "Any": "x",
    "tuple[str, ...]": ("a", "b"),
    "tuple[Any, ...]": ("a", 1),
    "tuple[Stray, ...]": (Stray("A", 2.0, "a"), Stray("x", 1.0)),
    "tuple[FewItems, ...]": (FewItems("a", 3.0, 0.25),),
    "Farthest | None": Farthest("a", 0.25, 0.5),
    "tuple[tuple[str, float], ...]": (("a", 2.0),),
    "tuple[tuple[str, str], ...]": (("g.txt", "label"),),
    "tuple[NeverTrue, ...]": (NeverTrue((Stray("x", 1.0),), system="a"),),
    "tuple[tuple[Any, float], ...]": (("a", 2.0),),
    "tuple[tuple[Any, Any], ...]": (("1.0", "1"),),
    "tuple[InferredColumn, ...]": (
        InferredColumn("g.csv", "label", "truth"),
        InferredColumn("p.csv", "y", "predictions"),
    ),
    "tuple[FileLayout, ...]": (FileLayout("g.csv", False, ";", "cp1252"),),
    "dict[str, dict[str, str | tuple[str, ...]]]": {"g.csv": {"true": "label", "by": ("x", "y")}},
    "dict[str, dict[str, str | bool | None]]": {"g.csv": {"format": "csv", "header": True}},
    "tuple[tuple[str, str, str], ...]": (("classes", "true.2", "true.3"),),
}


def example(kind):
    if kind is InSlices:
        return InSlices("no_class", (("mon", NoClass(2.0)), (("tue", 1), NoClass(1.0))))
    if kind is AverageUnsaid:
        return AverageUnsaid(("P", "R"), "macro")
    made = {}
    for f in fields(kind):
        if f.type in EXAMPLES:
            made[f.name] = EXAMPLES[f.type]
        elif "Literal" in f.type:
            made[f.name] = eval(f.type.partition("[")[2].partition(",")[0].rstrip("]"))
        else:
            raise AssertionError(f"{kind.__name__}.{f.name} is of a type without an example")
    return kind(**made)


def test_codes_are_names_of_their_own():
    assert len({kind.code for kind in KINDS}) == len(KINDS) > 20


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
def test_every_kind_has_words(kind):
    assert is_dataclass(kind)
    text = example(kind).sentence
    assert text == text.strip()
    assert not text.endswith(".")
    assert "\n" not in text
    assert "(s)" not in text  # nouns agree with their numbers


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
def test_every_fact_is_in_the_json(kind):
    note = example(kind)
    found = encodable(note.to_dict())
    assert found["code"] == kind.code
    assert set(found) == {"code", *(f.name for f in fields(kind))}
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_what_holds_in_slices_can_be_said_of_them():
    slices = example(InSlices)
    first, second = (note.sentence for _, note in slices.slices)
    assert first != second
    assert slices.sentence == f"in 2 slices (mon, (tue, 1)), such as mon: {first}"
    alike = replace(slices, slices=tuple((key, slices.slices[0][1]) for key, _ in slices.slices))
    assert alike.sentence == f"in 2 slices (mon, (tue, 1)): {first}"


def test_a_kind_has_one_sentence():
    """A template over its facts, or a method; never both."""
    for kind in KINDS:
        assert bool(kind.template) != ("_sentence" in vars(kind)), kind.code


def test_words_are_asked_for_where_people_are_spoken_to(request):
    """Whoever has no words cannot decide by looking into them."""
    source = request.config.rootpath / "src" / "evenhand"
    speakers = {"results", "cli", "warnings.py"}
    asking = {
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        if ".sentence" in re.sub(r"\.sentences|\w+\.sentence\(", "", path.read_text())
        and path.relative_to(source).parts[0] not in speakers
    }
    # These warn where a verb or a metric is called, or where frames are joined.
    speaking = {"data/arguments.py", "data/matching.py", "scoring/metric_functions.py"}
    assert asking == speaking
