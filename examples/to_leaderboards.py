"""Scores of a shared task as records for leaderboards elsewhere.

python examples/to_leaderboards.py [FOLDER]
"""

import sys
from pathlib import Path

import evenhand as eh
from evenhand.bridges.leaderboards import every_eval_ever, save_every_eval_ever

here = Path(__file__).parent / "shared-task"
folder = Path(sys.argv[1] if len(sys.argv) > 1 else "examples/out")
gold = (here / "gold.txt").read_text().splitlines()
systems = {
    name: (here / "systems" / f"{name}.txt").read_text().splitlines()
    for name in ("balanced", "baseline")
}
board = eh.rank(gold, systems, metrics=["macro_f1", "f1_of_averages", "accuracy"])

# Every Eval Ever 0.3: one record a system, in the folders of its datastore.
records = every_eval_ever(
    board,
    dataset="moods",
    organization="Our lab",
    model={name: f"our-lab/{name}" for name in systems},
    relationship="first_party",
)
for path in save_every_eval_ever(records, folder):
    print(path)
print(records["balanced"]["evaluation_results"][0]["metric_config"]["metric_id"])
