"""``python -m benchmarks.check [--record]``: is anything slower than when it was last recorded?

Every case is CPU time against a yardstick that runs by turns with it in one process: another
library, or the sums and loops that any implementation needs. The least of several rounds counts,
as it is disturbed least. ``record.json`` holds the ratios, not times, so that another machine can
check them; a case fails whose ratio is more than ``SLOWER`` times the recorded one, measured again
once before that is said.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness import Timing

RECORD = Path(__file__).with_name("record.json")
SLOWER = 1.25
DATA = """
import contextlib, io, json, os, tempfile, warnings
import numpy as np, polars as pl, evenhand as eh
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
def labels(n, k, systems=1):
    true = rng.integers(0, k, n)
    wrong = rng.integers(0, k, (systems, n))
    right = rng.random((systems, n)) < np.linspace(0.7, 0.8, systems)[:, None]
    return true, *np.where(right, true, wrong)
def command(*words):
    from evenhand.cli import group
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
        group.main([*words])
def sums(times, n=20_000, width=50):
    x = rng.random((n, width))
    for _ in range(times):
        y = np.sqrt(x)
        y *= x
        y.sum(axis=0)
def loop(n):
    counts = {}
    for i in range(n):
        counts[i % 100] = counts.get(i % 100, 0) + 1
"""
FILE = """
folder = tempfile.TemporaryDirectory()
path = os.path.join(folder.name, "data.{0}")
gold, pred = labels(300_000, 5)
frame = pl.DataFrame({{"gold": gold.astype(str), "pred": pred.astype(str)}})
frame.write_{0}(path)
words = ("score", path, "--true", "gold", "--pred", "pred", "--metric", "macro_f1")
"""
REPORT = "from sklearn.metrics import classification_report\ntrue, pred = labels(20_000, {0})"
PAIR = "true, a, b = labels({1}, {0}, 2)"
TABLE = """
each = np.arange(200)
scores = {"precision": 0.5 + each / 1000, "recall": 0.6 + each / 2000, "f1": 0.55 + each / 1500}
text = {name: [f"{x:.3f}" for x in values] for name, values in scores.items()}
frame = pl.DataFrame({"system": [f"system {i}" for i in each], **text})
"""
PAGE = """
import vl_convert
points = [{{"x": i, "y": i % 7}} for i in range(50)]
fields = {{axis: {{"field": axis, "type": "quantitative"}} for axis in "xy"}}
chart = {{"data": {{"values": points}}, "mark": "line", "encoding": fields}}
true, *systems = labels(2000, 5, {0})
runs = {{f"s{{i}}": s for i, s in enumerate(systems)}}
"""


@dataclass(frozen=True)
class Check:
    """A statement and the yardstick it is held against, after a setup."""

    setup: str
    statement: str
    yardstick: str
    rounds: int = 7

    def ratio(self) -> float:
        """CPU time of the statement against the yardstick's, the least of all rounds each."""
        names = {"ours": self.statement, "yardstick": self.yardstick}
        setup = f"{DATA}{self.setup}\nimport time\ncodes = {names!r}\nbest = {{}}\n" + TURNS.format(
            self.rounds + 1
        )
        result = Timing("", setup, "pass", repeat=1).run()
        if result.seconds is None:
            raise RuntimeError(result.note)
        best = json.loads(result.note)
        return float(best["ours"] / best["yardstick"])


TURNS = """
for turn in range({0}):
    for name, code in codes.items():
        start = time.process_time()
        exec(code, globals())
        spent = time.process_time() - start
        if turn:
            best[name] = min(spent, best.get(name, spent))
note = json.dumps(best)
"""

CHECKS = {
    **{
        f"core: score of {k} classes / scikit-learn's report": Check(
            REPORT.format(k), "eh.score(true, pred)", "classification_report(true, pred)", 15
        )
        for k in (2, 10, 100)
    },
    "core: every metric of 10 classes / sums": Check(
        "true, pred = labels(20_000, 10)", 'eh.score(true, pred, metrics="all")', "sums(20)"
    ),
    "core: macro F1 of 20,000 tables / sums": Check(
        "table = eh.Confusion.from_matrix(rng.poisson(20, (20_000, 10, 10)))",
        "eh.macro_f1(table)",
        "sums(5)",
    ),
    "counting: 2 million integers / bincount": Check(
        "true, pred = labels(2_000_000, 10)",
        "eh.Confusion.from_labels(true, pred)",
        "np.bincount(true * 10 + pred, minlength=100)",
    ),
    "counting: 200,000 words / Polars": Check(
        "true, pred = (x.astype(str) for x in labels(200_000, 10))",
        "eh.Confusion.from_labels(true, pred)",
        'pl.DataFrame({"t": true, "p": pred}).group_by("t", "p").len()',
    ),
    **{
        f"counting: score of {ending} / Polars": Check(
            FILE.format(ending),
            "command(*words)",
            f'pl.scan_{ending}(path).group_by("gold", "pred").len().collect(engine="streaming")',
        )
        for ending in ("csv", "parquet")
    },
    "counting: score of a JSON array / orjson": Check(
        FILE.format("json") + "import orjson",
        "command(*words)",
        'orjson.loads(open(path, "rb").read())',
    ),
    "inference: compare, 3 classes / sums": Check(
        PAIR.format(3, 2000), "eh.compare(true, a, b)", "sums(20)", 3
    ),
    "inference: compare, 100 classes / sums": Check(
        PAIR.format(100, 5000), "eh.compare(true, a, b)", "sums(20)", 2
    ),
    "ranking: 20 systems / sums": Check(
        "true, *systems = labels(2000, 5, 20)\nruns = {f's{i}': s for i, s in enumerate(systems)}",
        "eh.rank(true, runs)",
        "sums(50)",
        2,
    ),
    **{
        f"report: {name} / a drawing of vl-convert": Check(
            PAGE.format(systems),
            f"eh.report(true, {data}).to_html()",
            "vl_convert.vegalite_to_svg(chart)",
            5,
        )
        for name, systems, data in (("one system", 1, "systems[0]"), ("five systems", 5, "runs"))
    },
    "audit: 200 systems / a loop": Check(TABLE, "eh.audit(frame)", "loop(1_000_000)", 2),
}


def main() -> None:
    """Measure, and record or compare."""
    recorded = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    ratios, failed = {}, 0
    for name, check in CHECKS.items():
        ratio, before = check.ratio(), recorded.get(name)
        if before is not None and ratio > SLOWER * before:
            ratio = min(ratio, check.ratio())
        ratios[name] = float(f"{ratio:.3g}")
        slower = before is not None and ratio > SLOWER * before
        failed += slower
        held = "new" if before is None else f"{before:.3g} recorded"
        print(f"{name}: {ratio:.3g} ({held}){', slower' if slower else ''}", flush=True)
    if "--record" in sys.argv[1:]:
        RECORD.write_text(json.dumps(ratios, indent=1) + "\n")
    elif failed or recorded.keys() != ratios.keys():
        sys.exit(f"{failed} of {len(ratios)} slower than recorded, or the record has other cases")


if __name__ == "__main__":
    main()
