"""The folder in which pages are run: the example shared task, and what their examples name."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile

TASK = Path(__file__).parents[1] / "examples" / "shared-task"


@contextmanager
def folder() -> Iterator[str]:
    """A copy of the example shared task, from which Python also imports."""
    with TemporaryDirectory() as place:
        shutil.copytree(TASK, place, dirs_exist_ok=True)
        before = set(sys.modules)
        sys.path.insert(0, place)
        try:
            yield place
        finally:
            sys.path.remove(place)
            for name in set(sys.modules) - before:
                if str(getattr(sys.modules[name], "__file__", "")).startswith(place):
                    del sys.modules[name]


@contextmanager
def world() -> Iterator[dict[str, Any]]:
    """A folder with every file that the lists of commands name, and the names that Python has."""
    import numpy as np
    import polars as pl

    import evenhand as eh

    rng = np.random.default_rng(0)
    n = 300
    gold = np.where(rng.random(n) < 0.3, "spam", "ham")

    def answered(right: float) -> Any:
        return np.where(rng.random(n) < right, gold, rng.permutation(gold))

    runs = {name: answered(0.8) for name in ("pred", "other", "a", "b", "old", "pilot", "live")}
    runs["eager"] = np.where(rng.random(n) < 0.4, "spam", gold)
    runs["cautious"] = np.where(rng.random(n) < 0.4, "ham", gold)
    runs["new"] = np.where(rng.random(n) < 0.98, gold, runs["old"])
    spam = np.clip(np.where(gold == "spam", 0.7, 0.3) + rng.normal(0, 0.2, n), 0.01, 0.99)
    beside = {
        "id": [f"m{i}" for i in range(n)],
        "gold": gold,
        "label": gold,
        "language": np.array(["de", "en", "nl"])[np.arange(n) % 3],
        "document": np.arange(n) // 5,
        "user": np.arange(n) // 4,
        "fold": np.arange(n) % 5,
        "weight": np.arange(n) % 3 + 0.5,
    }
    soft = {"p_ham": 1 - spam, "p_spam": spam}
    named = {"system": runs["pred"], "A": runs["a"], "B": runs["b"]}
    table = pl.DataFrame({**beside, **named, **runs, **soft})
    with folder() as home:
        place = Path(home)
        shutil.rmtree(place / "systems")
        for name, answers in {"gold": gold, **runs}.items():
            (place / f"{name}.txt").write_text("\n".join(answers) + "\n")
        for path in ("systems/alpha.txt", "systems/beta.txt", *RUNS):
            (place / path).parent.mkdir(exist_ok=True)
            (place / path).write_text("\n".join(answered(0.9)) + "\n")
        for language in ("de", "nl"):
            shutil.copy(place / "gold.txt", place / language)
        table.write_csv(place / "answers.csv")
        table.select("gold", "p_ham", "p_spam").write_csv(place / "x.csv")
        pl.DataFrame({"p_ham": 1 - spam**2, "p_spam": spam**2}).write_csv(place / "y.csv")
        human = [label if i < 120 else None for i, label in enumerate(gold.tolist())]
        judged = {"human": human, "judge": runs["other"]}
        judged |= {"system": runs["pred"], "other": runs["a"]}
        pl.DataFrame(judged).write_csv(place / "all.csv")
        table.select("id", "label").write_csv(place / "gold.tsv", separator="\t")
        run = pl.DataFrame({"id": beside["id"], "label": runs["pred"]})
        run.write_csv(place / "run.tsv", separator="\t")
        for name, members in {"run": ["one.tsv"], "runs": ["one.tsv", "two.tsv"]}.items():
            with ZipFile(place / f"{name}.zip", "w") as packed:
                for member in members:
                    packed.write(place / "run.tsv", member)
        for path in ("logs/1.parquet", "logs/2.parquet", "shard-i/1.parquet"):
            (place / path).parent.mkdir(exist_ok=True)
            part = table.drop("id").slice(int(path[-9]), 200 + 10 * len(path))
            part.write_parquet(place / path)
        (place / "table.csv").write_text("name,macro P,macro R,macro F1\nA,71.3,68.4,69.8\n")
        (place / "classes.csv").write_text(CLASSES)
        (place / "wrong.csv").write_text("name,P spam,R spam,F1 spam\nA,80.0,60.0,75.0\n")
        (place / "paper.tex").write_text(TEX)
        (place / "open.csv").write_text("name,accuracy,macro F1\nA,81.0,69.8\nB,80.0,70.2\n")
        (place / "two.tex").write_text(TEX + OPEN + WRONG)
        rated = {"item": beside["id"], **{name: runs[name] for name in ("a", "b", "old")}}
        pl.DataFrame(rated).head(50).write_csv(place / "ratings.csv")
        shutil.copy(place / "a.txt", place / "copy.txt")
        (place / "broken.txt").write_text("spam\n")
        (place / "stray.txt").write_text("\n".join(["Spam", *runs["pred"][1:]]) + "\n")
        many = rng.integers(0, 7, n)
        guessed = np.where(rng.random(n) < 0.6, many, rng.integers(0, 7, n))
        for name, numbers in {"many": many, "guessed": guessed}.items():
            (place / f"{name}.txt").write_text("\n".join(map(str, numbers)) + "\n")
        long = [
            {"id": i, "gold": t, "system": name, "run": run, "answer": answer}
            for name, run in (("a", "old"), ("a", "other"), ("b", "b"), ("b", "pred"))
            for i, t, answer in zip(beside["id"], gold, runs[run], strict=True)
        ]
        pl.DataFrame(long).write_csv(place / "long.csv")
        graded = [
            {"question": i, "model": name, "passage": i // 4, "topic": "xy"[i % 2], "epoch": e}
            | {"correct": int(rng.random() < right)}
            for name, right in (("a", 0.6), ("b", 0.7))
            for i in range(60)
            for e in range(3)
        ]
        pl.DataFrame(graded).write_csv(place / "epochs.csv")
        once = pl.DataFrame(graded).filter(pl.col("epoch") == 0)
        once.write_csv(place / "graded.csv")
        (place / "evals").mkdir()
        for name, answers in {"a": runs["a"], "b": runs["b"], "run": runs["pred"]}.items():
            if name != "run":
                one = once.filter(pl.col("model") == name).drop("model", "epoch")
                one.write_csv(place / f"{name}-graded.csv")
                one.head(40).write_csv(place / "part-graded.csv")
            about = {"task": "spam", "model": f"org/{name}"}
            samples = [
                {"id": i, "epoch": 1, "target": t}
                | {"scores": {"match": {"value": "CI"[t != answer], "answer": str(answer)}}}
                for i, t, answer in zip(beside["id"], map(str, gold), answers, strict=True)
            ]
            log = {"version": 2, "status": "success", "eval": about, "samples": samples}
            for path in (f"{name}-log.json", f"evals/{name}.json"):
                (place / path).write_text(json.dumps(log))
        samples = [
            {"id": i, "sample": sample, "gold": t, "answer": answer}
            for sample in ("old", "other")
            for i, t, answer in zip(beside["id"], gold, runs[sample], strict=True)
        ]
        pl.DataFrame(samples).write_csv(place / "samples.csv")
        table.head(6).select("gold", "p_ham", "p_spam").write_csv(place / "few.csv")
        for name in ("one", "two"):
            part = eh.Confusion.from_labels(gold, runs["a" if name == "one" else "b"])
            part.save(place / f"{name}.json")
        (place / "mymetrics.py").write_text(METRICS)
        yield {
            "home": home,
            "eh": eh,
            **beside,
            **runs,
            "y_true": gold,
            "y_pred": runs["pred"],
            "c": runs["other"],
            "frame": table,
            "documents": beside["document"],
            "table": eh.Confusion.from_labels(gold, runs["pred"]),
            "sample": eh.Sample.from_labels(gold, {"A": runs["a"], "B": runs["b"]}),
            "p": np.stack([1 - spam, spam], axis=1),
        }


RUNS = [f"{where}/{name}.run" for where in ("de", "nl") for name in ("one", "two")]
TEX = r"""\begin{tabular}{lrrr}
Model & Macro P & Macro R & Macro F1 \\ \hline
Base & 71.3 & 68.4 & 69.8 \\
Ours & 78.9 & 70.2 & 74.3 \\
\end{tabular}
"""
OPEN = r"""\begin{tabular}{lrr}
Model & Accuracy & Macro F1 \\ \hline
Base & 81.0 & 69.8 \\
Ours & 80.0 & 70.2 \\
\end{tabular}
"""
WRONG = r"""\begin{tabular}{lrrr}
Model & P spam & R spam & F1 spam \\ \hline
Base & 80.0 & 60.0 & 75.0 \\
\end{tabular}
"""
CLASSES = """name,P spam,R spam,F1 spam,P ham,R ham,F1 ham,macro F1
A,80.0,60.0,68.6,90.0,96.0,92.9,80.8
B,75.0,70.0,72.4,92.0,94.0,93.0,82.7
"""
METRICS = '''from evenhand.core.ratio import ratio


def macro_jaccard(c):
    """Mean over classes of the share of right predictions among the items that concern it."""
    return c.mean(ratio(c.correct, c.bias + c.prevalence - c.correct, c.undefined))
'''
