"""A folder of awkward files, each of a kind that people really have: ``python make.py FOLDER``.

Twelve items with their true labels, a run that gets nine right and another that gets seven.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
import unicodedata
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GOLD = ["sport", "politik", "kultur", "sport", "politik", "kultur"] * 2
RUN = [*GOLD[:9], "politik", "kultur", "sport"]
OTHER = [*GOLD[:7], "sport", "sport", "politik", "kultur", "sport"]
IDS = [str(100 + i) for i in range(12)]
BY_ID = ("--id", "id", "--label", "label")


@dataclass(frozen=True)
class Case:
    """Files by name; which is the truth, the run and the other; and what is to become of them.

    Right is an accuracy of the run; ``refused`` is part of the line that says why not, ``says``
    of a warning. In one wide file, without a truth of its own, the columns are called gold, run
    and other.
    """

    name: str
    files: Mapping[str, bytes]
    run: str = "run.txt"
    gold: str | None = "gold.txt"
    other: str = "other.txt"
    options: tuple[str, ...] = ()
    accuracy: float = 0.75
    refused: str = ""
    several: str | None = None
    """What several systems are refused for, where one is not."""
    says: str = ""


def lines(labels: Iterable[str], end: str = "\n") -> bytes:
    return "".join(label + end for label in labels).encode()


def table(
    labels: Iterable[str], ids: Iterable[str] = IDS, header: str = "id,label", mark: str = ","
) -> bytes:
    rows = [f"{i}{mark}{label}\n" for i, label in zip(ids, labels, strict=True)]
    return (header.replace(",", mark) + "\n" + "".join(rows)).encode()


def wide(**columns: Sequence[Any]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue().encode()


def objects(labels: Iterable[Any], ids: Iterable[str] = IDS) -> list[dict[str, Any]]:
    return [{"id": i, "label": label} for i, label in zip(ids, labels, strict=True)]


def json_lines(rows: Iterable[Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def zipped(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def workbook(rows: Iterable[Sequence[str]]) -> bytes:
    """An Excel file of one sheet, as small as it can be."""
    spread = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    cells = "".join(
        "<row>" + "".join(f'<c t="inlineStr"><is><t>{v}</t></is></c>' for v in row) + "</row>"
        for row in rows
    )
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kinds}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kinds}.worksheet+xml"/>'
        "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{spread}" xmlns:r="{office}"><sheets>'
        '<sheet name="runs" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/>'
        "</Relationships>",
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{spread}"><sheetData>{cells}'
        "</sheetData></worksheet>",
    }
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return zipped({name: (head + text).encode() for name, text in parts.items()})


PLAIN = {"gold.txt": lines(GOLD), "other.txt": lines(OTHER)}
TABLES = {"gold.csv": table(GOLD), "other.csv": table(OTHER)}


def of_lines(name: str, run: bytes, *, file: str = "run.txt", **more: Any) -> Case:
    """The run is awkward, among files of one label per line."""
    return Case(name, {**PLAIN, **more.pop("files", {}), file: run}, run=file, **more)


def of_tables(name: str, run: bytes, *, file: str = "run.csv", **more: Any) -> Case:
    """The run is awkward, among tables with ids."""
    files = {**TABLES, **more.pop("files", {}), file: run}
    options = (*BY_ID, *more.pop("options", ()))
    return Case(name, files, run=file, gold="gold.csv", other="other.csv", options=options, **more)


UPPER = [v.upper() for v in RUN]
FINE = [f"{v}/{i % 2}" for i, v in enumerate(RUN)]
MAP = "".join(f"{fine},{label}\n" for fine, label in dict(zip(FINE, RUN, strict=True)).items())
TYPOS = [*RUN[:9], "sprot", "NaN", "nan"]
SHUFFLED = [7, 2, 11, 0, 5, 9, 1, 8, 3, 10, 4, 6]
TEXTS = [f'"said ""so"",\nand line {i}"' for i in range(12)]
ACCENTS = {"sport": "fútbol", "politik": "politik", "kultur": "música"}
SPANISH = [[ACCENTS[v] for v in labels] for labels in (GOLD, RUN, OTHER)]
SETS = [[[v, "x"] for v in labels] for labels in (GOLD, RUN, OTHER)]
TAGS = [[["O", v, "O"] for v in labels] for labels in (GOLD, RUN, OTHER)]


def three(make: Any, ending: str, of: Sequence[Any] = (GOLD, RUN, OTHER)) -> dict[str, bytes]:
    """Truth, run and other, written the same way."""
    names = ("gold", "run", "other")
    return {f"{n}.{ending}": make(labels) for n, labels in zip(names, of, strict=True)}


def alike(name: str, make: Any, ending: str, of: Any = (GOLD, RUN, OTHER), **more: Any) -> Case:
    """All three files are of the same awkward kind."""
    files = {**three(make, ending, of), **more.pop("files", {})}
    places = {"gold": f"gold.{ending}", "run": f"run.{ending}", "other": f"other.{ending}"}
    return Case(name, files, **places, **more)


NO_SHARED = "shares no label with"
CASES = [
    # One label per line.
    of_lines("plain lines", lines(RUN)),
    of_lines("byte order mark", b"\xef\xbb\xbf" + lines(RUN)),
    of_lines("CRLF", lines(RUN, "\r\n")),
    of_lines("CR", lines(RUN, "\r")),
    of_lines("no end of the last line", lines(RUN).rstrip()),
    of_lines("spaces around labels", lines(f"  {v}\t" for v in RUN)),
    of_lines("gz", gzip.compress(lines(RUN)), file="run.txt.gz"),
    of_lines("no ending", lines(RUN), file="run"),
    of_lines("empty", b"", refused="run.txt is empty, expected one label per line"),
    of_lines(
        "an empty line", lines([*RUN[:3], "", *RUN[4:]]), accuracy=8 / 12,
        says="counted as errors",
    ),
    of_lines(
        "a label short", lines(RUN[:-1]), refused="gold.txt has 12 labels and run.txt has 11"
    ),
    of_lines("a picture", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", refused="run.txt is a binary file"),
    of_lines("upper case", lines(UPPER), refused="differ in case, which --ignore-case ignores"),
    of_lines("upper case, ignored", lines(UPPER), options=("--ignore-case",)),
    of_lines("typos", lines(TYPOS), says="labels that never occur in the truth ('NaN'"),
    of_lines("fine against coarse", lines(FINE), refused=f"run.txt {NO_SHARED} gold.txt"),
    of_lines(
        "fine against coarse, mapped", lines(FINE), options=("--map", "map.csv"),
        files={"map.csv": MAP.encode()},
    ),
    of_lines("a copy of the truth", lines(GOLD), accuracy=1, says="run: no errors at all"),
    Case(
        "gold among the runs", {**PLAIN, "run.txt": lines(RUN)}, run="gold.txt",
        refused="gold.txt is the truth itself, expected predictions",
    ),
    alike("headers", lambda v: lines(["label", *v]), "txt",
          says="layout: gold.txt, run.txt"),
    alike("numbers as text", lambda v: lines(str(len(x) * 2) for x in v), "txt"),
    alike("accents", lines, "txt", SPANISH),
    alike(
        "accents in two forms", lines, "txt",
        [SPANISH[0], [unicodedata.normalize("NFD", v) for v in SPANISH[1]], SPANISH[2]],
        accuracy=3 / 12, says="differ only in case, spaces or Unicode form",
    ),
    alike(
        "cp1252", lambda v: lines(v).decode().encode("cp1252"), "txt", SPANISH,
        says="layout: gold.txt, run.txt",
    ),
    alike(
        "cp1252, told", lambda v: lines(v).decode().encode("cp1252"), "txt", SPANISH,
        options=("--encoding", "cp1252"),
    ),
    of_lines("UTF-16", lines(RUN).decode().encode("utf-16")),
    # Columns.
    of_tables("another order", table([RUN[i] for i in SHUFFLED], [IDS[i] for i in SHUFFLED])),
    of_tables("CSV with a byte order mark", b"\xef\xbb\xbf" + table(RUN)),
    of_tables("CSV with CR", table(RUN).replace(b"\n", b"\r")),
    of_tables("CSV with CRLF, packed", gzip.compress(table(RUN).replace(b"\n", b"\r\n")),
              file="run.csv.gz"),
    of_tables("TSV", table(RUN, mark="\t"), file="run.tsv"),
    of_tables(
        "quotes with line ends",
        table((f"{v},{t}" for v, t in zip(RUN, TEXTS, strict=True)), header="id,label,text"),
    ),
    of_tables("semicolons", table(RUN, mark=";"),
              says="layout: run.csv (fields between semicolons)"),
    of_tables("ragged", table(RUN).replace(b"103,sport\n", b"103\n"),
              refused="run.csv, line 5: expected 2 fields as in the header, got 1"),
    of_tables("wrong ids", table(RUN, [f"x{i}" for i in IDS]),
              refused="run.csv has 12 ids not in gold.csv"),
    of_tables("missing ids", table(RUN[:-2], IDS[:-2]),
              refused="run.csv lacks 2 ids of gold.csv: '110', '111'; --missing wrong"),
    of_tables("missing ids as errors", table(RUN[3:], IDS[3:]), accuracy=6 / 12,
              options=("--missing", "wrong"), says="counted as errors"),
    of_tables("an id twice", table([*RUN, "sport"], [*IDS, "100"]),
              refused="run.csv has 1 id more than once: '100'"),
    of_tables("ID for id", table(RUN, header="ID,label")),
    of_tables("a space in the header", table(RUN, header="id, label")),
    of_tables("a column twice",
              table((f"{v},{v}" for v in RUN), header="id,label,label"),
              refused="run.csv has more than one column called 'label'"),
    of_tables("only a header", b"id,label\n", refused="run.csv lacks 12 ids of gold.csv"),
    of_tables("an empty table", b"", refused="run.csv is empty, expected a header and rows"),
    of_tables("JSON Lines", json_lines(objects(RUN)), file="run.jsonl"),
    of_tables("JSON Lines of this and that",
              json_lines(objects([*RUN[:-1], 1])), file="run.jsonl",
              refused="run.jsonl, column 'label' must be of one type"),
    of_tables("half of a JSON line", json_lines(objects(RUN))[:-9], file="run.jsonl",
              refused="run.jsonl, line 12: expected JSON"),
    Case(
        "one wide file",
        {"all.csv": wide(id=IDS, text=TEXTS, gold=GOLD, run=RUN, other=OTHER)},
        run="all.csv", gold=None,
    ),
    Case(
        "one wide file with empty answers",
        {"all.csv": wide(gold=GOLD, run=[*RUN[:6], *[""] * 6], other=OTHER)},
        run="all.csv", gold=None, accuracy=6 / 12, says="counted as errors",
    ),
    Case(
        "one wide file without a truth for all",
        {"all.csv": wide(gold=[*GOLD[:-1], ""], run=RUN, other=OTHER)},
        run="all.csv", gold=None, refused="row 12",
    ),
    alike(
        "label sets", lambda v: json_lines({"label": s} for s in v), "jsonl", SETS,
        options=("--label", "label", "--metric", "subset_accuracy", "--kind", "multi-label"),
        several="every item must have one label here",
    ),
    # Kinds that take an option, or a choice.
    of_tables("semicolons, told", table(RUN, mark=";"), options=("--delimiter", ";"),
              files={"gold.csv": table(GOLD, mark=";"), "other.csv": table(OTHER, mark=";")}),
    of_tables("JSON array", json.dumps(objects(RUN)).encode(), file="run.json"),
    of_tables("Excel", workbook([("id", "label"), *zip(IDS, RUN, strict=True)]), file="run.xlsx"),
    alike(
        "nested", lambda v: json_lines({"id": i, "doc": {"label": x}}
                                       for i, x in zip(IDS, v, strict=True)), "jsonl",
        options=("--id", "id", "--label", "doc.label"),
    ),
    alike(
        "no header", lambda v: table(v, header="", mark="\t").lstrip(b"\t\n"), "tsv",
        options=("--no-header", "--true", "2", "--pred", "2"),
    ),
    of_lines("a zip of one run", zipped({"run.txt": lines(RUN)}), file="run.zip"),
    alike(
        "tag sequences", lambda v: json_lines({"label": s} for s in v), "jsonl", TAGS,
        options=("--label", "label"), refused="--kind",
    ),
]  # fmt: skip


def write(case: Case, folder: Path) -> None:
    """The files of a case, in a folder."""
    for name, content in case.files.items():
        (folder / name).write_bytes(content)


def main(folder: str) -> None:
    """All cases, each in a folder of its own."""
    for case in CASES:
        place = Path(folder) / case.name.replace(" ", "-").replace(",", "")
        place.mkdir(parents=True, exist_ok=True)
        write(case, place)


if __name__ == "__main__":
    main(sys.argv[1])
