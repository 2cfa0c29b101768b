"""Files of every kind, small, whole and broken, for command lines to name."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import polars as pl

import evenhand as eh

GOLD, A, B = list("aabbbccaab"), list("aabbccccab"), list("abbbcaccbb")
TEXTS = {
    "gold.txt": "\n".join(GOLD) + "\n",
    "a.txt": "\n".join(A) + "\n",
    "b.txt": "\n".join(B) + "\n",
    "short.txt": "a\nb\n",
    "holes.txt": "a\n\nb\n",
    "empty.txt": "",
    "map.csv": "a,x\nb,x\n",
    "shares.csv": "a,0.2\nb,0.3\nc,0.5\n",
    "matrix.csv": "6,1,1\n1,5,2\n2,3,7\n",
    "matrix.txt": "6 1 1\n1 5 2\n2 3 7\n",
    "audit.csv": "name,macro_precision,macro_recall,macro_f1,accuracy\n"
    "x,72.5,56.67,63.61,70\ny,0.7,0.6,0.9,0.5\n",
    "audit-classes.csv": "name,precision[a],recall[a],support[a],precision[b],recall[b],support[b],"
    "macro_f1,n\nx,0.5,0.25,8,0.75,0.9,20,0.6,28\ny,0,0,0,1,1,5,0.5,0\n",
    "broken.csv": 'gold,a,b\n"a,a,b\nb,b\n',
    "ragged.tsv": "gold\ta\n1\t2\t3\n",
    "header.csv": "gold,a,b\n",
    "floats.txt": "0.0\n\n1.0\n1.0\n0.0\n0.0\n1.0\n1.0\n0.0\n1.0\n",
    "lists.json": '[{"a": ["x"], "b": ["y"], "gold": ["x"]}, {"a": [], "b": null, "gold": [null]}]',
    "deep.jsonl": '{"a":' * 900 + "1" + "}" * 900 + "\n",
    "broken.jsonl": '{"gold": "a", "a": "a"}\n{"gold": \n',
    "lists.jsonl": '{"gold": ["a"], "a": ["a", "b"], "b": []}\n{"gold": [], "a": ["c"], "b": []}\n',
    "mixed.jsonl": '{"gold": 1, "a": "1", "b": 1.5}\n{"gold": true, "a": null, "b": 2}\n',
    "hostile.csv": 'gold,a,b\n"\x1b[31m","a\tb",<b>\n$x$,"a\nb",\u202e\n%,\\,_\n',
    "damaged.json": '{"format": "evenhand-table", "version": 1, "labels": [',
    "other.json": '{"a": 1}\n',
    "spaced name.csv": "gold,a\nx,x\n",
}


def pool(folder: Path) -> list[str]:
    """Write them all; their names."""
    folder.mkdir(exist_ok=True)
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    columns = {
        "id": list(range(10)), "gold": GOLD, "a": A, "b": B, "w": [0.5, 1.0, 2.0, 1.0, 3.0] * 2,
        "c": list("xxyyzzxxyy"), "lang": ["de"] * 5 + ["en"] * 5, "none": [None] * 10,
    }  # fmt: skip
    frame = pl.DataFrame(columns, schema_overrides={"none": pl.String})
    frame.write_csv(folder / "all.csv")
    frame.write_csv(folder / "all.tsv", separator="\t")
    frame.write_ndjson(folder / "all.jsonl")
    frame.write_parquet(folder / "all.parquet")
    frame.write_ipc(folder / "all.arrow")
    frame.select("id", label="gold").write_csv(folder / "gold.csv")
    frame.select("id", label="a").reverse().write_csv(folder / "run.csv")
    long = pl.concat(
        [frame.select("id", "gold", pl.col(s).alias("p"), pl.lit(s).alias("s")) for s in "ab"]
    )
    long.write_csv(folder / "long.csv")
    (folder / "all.csv.gz").write_bytes(gzip.compress((folder / "all.csv").read_bytes()))
    (folder / "cut.csv.gz").write_bytes((folder / "all.csv.gz").read_bytes()[:-9])
    (folder / "cut.parquet").write_bytes((folder / "all.parquet").read_bytes()[:-9])
    (folder / "latin.csv").write_bytes(b"gold,a,b\ncaf\xe9,a,b\n")
    (folder / "nul.txt").write_bytes(b"a\nb\0\n")
    (folder / "cr.txt").write_bytes(b"a\rb\r")
    table = eh.Confusion.from_labels(GOLD, A)
    table.save(str(folder / "saved.json"))
    stack = eh.Confusion.from_frame(frame, true="gold", pred=["a", "b"], by="lang")
    stack.save(str(folder / "stack.json"))
    eh.Confusion.from_labels(GOLD, B, weights=columns["w"]).save(str(folder / "weighted.json"))
    record = json.loads((folder / "saved.json").read_text())
    record["version"] = 99
    (folder / "later.json").write_text(json.dumps(record))
    return sorted(p.name for p in folder.iterdir() if p.is_file())
