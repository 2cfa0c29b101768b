"""What options of the command line are given: fit, extreme and hostile values, by option."""

from __future__ import annotations

from fuzz.signatures import EXAMPLES

COLUMNS = (
    "gold",
    "a",
    "b",
    "a",
    "b",
    "w",
    "c",
    "lang",
    "id",
    "none",
    "label",
    "p",
    "s",
    "",
    "nope",
    "*",
    "a b",
)
SPELLINGS = (
    "macro_f1", "accuracy", "kappa", "mcc", "f1_gap", "bookmaker_gain", "macro_fbeta:beta=2",
    "f1:label=a", "macro_f1@uniform", "macro_f1@a=0.2,b=0.3,c=0.5", "macro_recall:p=-2",
    "macro_fbeta:beta=1e200", "macro_fbeta:beta=-1", "f1", "nope", "hamming_loss", "fbeta:label=b",
)  # fmt: skip
MIXES = (
    "uniform",
    "a=0.2,b=0.3,c=0.5",
    "a=1",
    "a=0,b=0,c=1",
    "a=2,b=-1",
    "a=nan",
    "shares.csv",
    "",
)
MATRICES = (
    "6 1 1; 1 5 2; 2 3 7", "1,2;3,4", "[[1,2],[3,4]]", "1 2 3", "0 0; 0 0",
    "1e308 1e308; 1e308 1e308",
    "0x10 2; 3 4", "nan 1; 1 1", "-1 0; 0 1", "1.5 2; 0 1e-300", "9223372036854775807 1; 1 1", "",
    "matrix.csv", "matrix.txt", "5", "1 2; 3", "100 1; 2 3",
)  # fmt: skip
TEXTS: dict[str, tuple[str, ...]] = {
    "--metric": SPELLINGS,
    "--by-metric": SPELLINGS,
    "--matrix": MATRICES,
    "--to": MIXES,
    "--trained-on": MIXES,
    "--labels": ("a,b,c", "c,b,a", "a", "a,a", "", ",", '"a', "x,y,z", "1,2,3"),
    "--classes": ("a", "b", "z", ""),
    "--exclude": ("a", "b", "z", ""),
    "--sweep": ("a", "b", "z", ""),
    "--points": ("0.1,0.5", "0", "1", "x", "", "2", "nan", "1e-300"),
    "--map": ("map.csv", "shares.csv", "gold.txt", "broken.csv", "nope"),
    "--run": ("{system}-{run}", "{system}", "s", "id", "{x}"),
    "--support": ("a=10,b=5", "a=0", "a=-1", "a", "a=1e9", "a=" + "9" * 400),
    "--precision": ("0.725", "72,5", "0", "nan", "x", "1e400", "-1", "9" * 400),
    "--recall": ("0.5667", "56,67", "0", "inf", "", "100"),
    "--f1": ("0.6042", "63,61", "0", "1", "x"),
    "--output": ("out.txt", "out.json", "out.parquet", "-", "no/such/out", "",
        ".", "gold.txt", "all.csv"),
    "--plot": ("out.json", "out.xyz", "no/such/out.json", "gold.txt", "saved.json", ""),
    "--delimiter": (",", ";", "\t", r"\t", "|", " ", "", "ab", "a", '"', "ä"),
    "--encoding": ("utf-8", "cp1252", "latin-1", "utf-16", "utf-16-le", "cp9999", "base64", ""),
    "--unlabelled": ("a.txt", "all.csv", "empty.txt", "lists.jsonl"),
    "--against": ("b", "b.txt", "saved.json", "5 1 1; 1 5 2; 2 3 7", "nope"),
}  # fmt: skip
COLUMN_OPTIONS = (
    "--true", "--pred", "--label", "--id", "--weights", "--by", "--cluster", "--system",
    "--unlabelled-pred",
)  # fmt: skip
FIT = {"int": ("1", "2", "3", "10"), "float": ("0.95", "0.9", "0.5")}
WHOLE = ("0", "17", "-1", "x", "", "1.5", "1e3", "99999999999999999999", "٣")
SHARES = ("0.9999999999999999", "1e-300", "0", "1", "-1", "nan", "inf", "x", "")
STARTS: dict[str, tuple[str, ...]] = {
    "score": ("gold.txt a.txt", "all.csv --true gold --pred a", "--matrix '6 1; 2 3'",
        "saved.json"),
    "compare": ("gold.txt a.txt b.txt", "all.csv --true gold --pred a --pred b"),
    "gate": ("gold.txt a.txt b.txt --margin 0.1",
        "all.csv --true gold --pred a --pred b --margin 10%",
        "long.csv --true gold --pred p --system s --margin 0.1 --baseline a"),
    "plan": ("gold.txt a.txt --width 0.1", "gold.txt a.txt b.txt --margin 0.1",
        "--matrix '6 1; 2 3' --difference 0.1", "--recalls 0.8 --mix a=0.1,b=0.9 --width 0.1"),
    "rank": ("gold.txt a.txt b.txt", "all.csv --true gold --pred a --pred b",
        "--tables saved.json matrix.csv", "long.csv --true gold --pred p --system s"),
    "report": ("--format markdown gold.txt a.txt", "--format markdown gold.txt a.txt b.txt"),
    "calibrate": ("gold.txt a.txt", "--matrix '6 1; 2 3'", "saved.json"),
    "shift": ("gold.txt a.txt --to uniform", "gold.txt a.txt --sweep a",
        "gold.txt a.txt --unlabelled b.txt"),
    "twins": ("2 100 10000 0 100", "gold.txt a.txt", "all.jsonl --true gold --pred a"),
    "count": ("gold.txt a.txt", "all.parquet --true gold --pred a",
        "all.csv --true gold --pred a --by lang"),
    "merge": ("saved.json weighted.json", "saved.json stack.json", "weighted.json saved.json"),
    "audit": ("audit.csv", "audit-classes.csv"),
    "look": ("all.csv", "gold.txt", "all.jsonl", "all.parquet", "saved.json", "lists.jsonl"),
    "which": ("--precision 0.725 --recall 0.5667 --f1 0.6042",),
    "signature": (f"'{EXAMPLES[0]}'", f"'{EXAMPLES[1]}' '{EXAMPLES[2]}'"),
    "properties": ("nope", "macro_f1x", "a:b"),
    "papers": ("000-theorem-2", "000-theorem-1", "nope"),
    "metrics": ("", "macro_f1", "nope", "macro_fbeta:beta=2"),
    "agree": ("all.csv", "all.csv --id gold --distance ordinal", "long.csv --id s --pred p"),
    "publish codabench": ("task --gold gold.txt --no-wheels",
        "task --gold all.csv --label gold --no-wheels --intervals"),
    "publish page": ("--output page",),
    "publish records": ("gold.txt a.txt --dataset d --organization o --output board",
        "gold.txt a.txt b.txt --dataset d --organization o --output board"),
}  # fmt: skip
