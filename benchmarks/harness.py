"""How a benchmark is run: every timing in a process of its own, medians, ratios."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

RUNNER = """
import json, resource, sys, time
job = json.load(sys.stdin)
space = {}
exec(job["setup"], space)
code = compile(job["statement"], "statement", "exec")
clock, times = getattr(time, job["clock"]), []
for _ in range(job["repeat"]):
    start = clock()
    exec(code, space)
    times.append(clock() - start)
usage = (resource.getrusage(w).ru_maxrss for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
peak = max(usage) / 1024
print(json.dumps({"times": times, "peak": peak, "note": str(space.get("note", ""))}))
"""


@dataclass(frozen=True)
class Timing:
    """Something to time: a statement after a setup, and how many units one call handles."""

    name: str
    setup: str
    statement: str
    repeat: int = 7
    units: float = 1.0
    environment: dict[str, str] = field(default_factory=dict)
    clock: str = "perf_counter"

    def run(self) -> Result:
        """The median of ``repeat`` calls in a fresh process."""
        job = {
            "setup": self.setup,
            "statement": self.statement,
            "repeat": self.repeat,
            "clock": self.clock,
        }
        done = subprocess.run(
            [sys.executable, "-c", RUNNER],
            input=json.dumps(job),
            capture_output=True,
            text=True,
            env={**os.environ, **self.environment},
        )
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
            return Result(self, None, None, reason)
        found = json.loads(done.stdout.splitlines()[-1])
        seconds = statistics.median(found["times"]) / self.units
        return Result(self, seconds, found["peak"], found["note"])


@dataclass(frozen=True)
class Result:
    """Seconds a unit and the peak memory of the process in MB; or why it failed."""

    timing: Timing
    seconds: float | None
    peak: float | None
    note: str = ""


@dataclass(frozen=True)
class Case:
    """One claim: ours first, then what it is compared with."""

    title: str
    data: str
    timings: tuple[Timing, ...]
    claim: str
    unit: str = "call"

    def table(self) -> str:
        """Run all, and write the claim and the numbers as Markdown."""
        results = [t.run() for t in self.timings]
        ours = results[0].seconds
        lines = [
            f"### {self.title}",
            "",
            f"{self.data} {calls(self.timings)} Wanted: {self.claim}.",
            "",
            f"| what | time a {self.unit} | against evenhand | peak memory |",
            "| --- | ---: | ---: | ---: |",
        ]
        for r in results:
            if r.seconds is None or ours is None:
                lines.append(f"| {r.timing.name} | failed: {r.note} | | |")
                continue
            against = "" if r is results[0] else f"{_ratio(r.seconds / ours)} ×"
            note = f" ({r.note})" if r.note else ""
            lines.append(
                f"| {r.timing.name}{note} | {shown(r.seconds)} | {against} | {r.peak:,.0f} MB |"
            )
        return "\n".join(lines)


def calls(timings: tuple[Timing, ...]) -> str:
    """How many calls a median is of."""
    least, most = min(t.repeat for t in timings), max(t.repeat for t in timings)
    return f"Median of {least} calls." if least == most else f"Median of {least} to {most} calls."


def _ratio(x: float) -> str:
    return f"{x:,.0f}" if x >= 100 else f"{x:.3g}"


def shown(seconds: float) -> str:
    """A time in a unit that suits it."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def write(page: Path, group: str, text: str) -> None:
    """Put a group's results between its marks on the page, leaving the other groups alone."""
    begin, end = f"<!-- {group} -->", f"<!-- end {group} -->"
    old = page.read_text(encoding="utf-8") if page.exists() else ""
    section = f"{begin}\n{text}\n{end}"
    if begin in old and end in old:
        head, rest = old.split(begin, 1)
        new = head + section + rest.split(end, 1)[1]
    else:
        new = f"{old.rstrip()}\n\n{section}\n".lstrip()
    page.write_text(new, encoding="utf-8")


@dataclass(frozen=True)
class Interleaved:
    """Statements run by turns in one process, for overheads too small for anything else."""

    title: str
    data: str
    setup: str
    statements: dict[str, str]
    claim: str
    rounds: int

    def table(self) -> str:
        """Run all, and write the medians and their ratio to the last as Markdown."""
        turns = "\n".join(f"turn({name!r}, {code!r})" for name, code in self.statements.items())
        setup = f"{self.setup}\n{TURNS}\nfor _ in range({self.rounds + 1}):\n" + "\n".join(
            f"    {line}" for line in turns.splitlines()
        )
        note = "\nnote = json.dumps({k: statistics.median(v[1:]) for k, v in times.items()})"
        result = Timing(self.title, setup + note, "pass", repeat=1).run()
        lines = [
            f"### {self.title}",
            "",
            f"{self.data} Median of {self.rounds}, after one that does not count. "
            f"Wanted: {self.claim}.",
            "",
            "| what | time | against the last row |",
            "| --- | ---: | ---: |",
        ]
        if result.seconds is None:
            return "\n".join([*lines, f"| failed: {result.note} | | |"])
        medians = json.loads(result.note)
        last = list(medians.values())[-1]
        lines += [f"| {k} | {shown(v)} | {v / last:.3f} × |" for k, v in medians.items()]
        return "\n".join(lines)


TURNS = """
import json, statistics, time
times = {}
def turn(name, code):
    start = time.perf_counter()
    exec(code, globals())
    times.setdefault(name, []).append(time.perf_counter() - start)
"""
