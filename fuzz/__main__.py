"""``python -m fuzz [TARGET…] --cases N --seed S``; ``--case SEED`` repeats one.

Exit code 1 if a single case is wrong, a traceback or a hang.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from fuzz.outcome import FAILURES, KINDS
from fuzz.run import Tally, outcomes_of, run
from fuzz.targets import SHARES, TARGETS


def main() -> None:
    """Run, print counts and failures."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--cases", type=int, default=100_000, help="in all [100000]")
    parser.add_argument("--seed", type=int, default=0, help="the same seed, the same cases [0]")
    parser.add_argument("--case", metavar="SEED", help="repeat one, e.g. 0.17")
    given = parser.parse_args()
    unknown = [t for t in given.targets if t not in TARGETS]
    if unknown:
        parser.error(f"no target {unknown[0]!r}; there are {', '.join(TARGETS)}")
    chosen = given.targets or list(TARGETS)
    if given.case is not None:
        sys.exit(sum(repeat(target, given.case) for target in chosen) > 0)
    whole = sum(SHARES[t] for t in chosen)
    print(f"seed {given.seed}", flush=True)
    found = {t: timed(t, round(given.cases * SHARES[t] / whole) or 1, given.seed) for t in chosen}
    for target, (tally, _) in found.items():
        print_failures(target, tally)
    print_counts(found)
    sys.exit(any(tally.failures for tally, _ in found.values()))


def timed(target: str, cases: int, seed: int) -> tuple[Tally, float]:
    begun = time.monotonic()
    return run(target, cases, seed), time.monotonic() - begun


def repeat(target: str, seed: str) -> int:
    """One seed again, every case of it; the number of failures."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        outcomes = outcomes_of(target, seed, Path(folder))
    for o in outcomes:
        print(f"{target} {seed}: {o.kind} {o.cause}".rstrip())
        if o.detail:
            print("  " + o.detail.replace("\n", "\n  "))
    return sum(o.kind in FAILURES for o in outcomes)


def print_failures(target: str, tally: Tally) -> None:
    """Failures by cause, most frequent first, each with its first cases."""
    for (kind, cause), number in tally.causes.most_common():
        print(f"{target}: {kind}, {number:,} times: {cause}")
        for seed, detail in tally.first[kind, cause]:
            print(f"  python -m fuzz {target} --case {seed}")
            print("    " + detail.replace("\n", "\n    "))
        print()


def print_counts(found: dict[str, tuple[Tally, float]]) -> None:
    """The closing table: cases by target and outcome."""
    head = ["target", "cases", *KINDS, "cases/s"]
    rows = [
        [target, tally.cases, *(tally.kinds[k] for k in KINDS), round(tally.cases / seconds)]
        for target, (tally, seconds) in found.items()
    ]
    sums = [sum(column) for column in list(zip(*rows, strict=True))[1:-1]]
    rows.append(["all", *sums, round(sums[0] / sum(seconds for _, seconds in found.values()))])
    for row in [head, *rows]:
        print("".join(f"{x:<12}" if i == 0 else f"{x:>12}" for i, x in enumerate(map(_text, row))))


def _text(x: str | int) -> str:
    return x if isinstance(x, str) else f"{x:,}"


if __name__ == "__main__":
    main()
