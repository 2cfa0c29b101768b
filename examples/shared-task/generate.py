"""A small invented shared task: the tone of 2,000 customer messages, eleven systems.

    python generate.py            write gold.txt, systems/*.txt and all.csv beside this file
    python generate.py --check    write nothing; exit 1 if a file differs from what would be written

The data are simulated, so that nobody's messages are in them, and seeded, so that they never
change. A system is its profile: how often it is right on each tone (`recall`), which tones its
mistakes run to (`lean`), and how much its luck on a message is the luck of the others (`shared`:
hard messages are hard for everybody). From a profile to predictions:

1. Each message has a difficulty, uniform on [0, 1). With probability `shared` a system meets it
   with that difficulty, otherwise with one of its own, so its recalls stay exactly its profile's.
2. It is right when the difficulty it meets is below its recall on the true tone.
3. Otherwise it names another tone, with chances CONFUSABLE[true tone] times its lean (a `blind`
   system: its lean alone).
4. A system with a `nerve` gives up above that difficulty and answers `neutral`.

Only `Generator.random` is drawn from and only compared, never passed through a transcendental
function, so every platform writes the same bytes; each system's generator is seeded by its own
name, so a new system leaves the others as they are.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SEED = 2019
HERE = Path(__file__).resolve().parent

TONES = ("neutral", "annoyed", "pleased", "confused", "worried")
SIZES = (1040, 480, 250, 150, 80)

# Which tone a wrong answer tends to be, before a system's own leaning: rows are the true tone.
CONFUSABLE = np.array(
    [
        [0, 4, 4, 3, 2],
        [5, 0, 1, 3, 3],
        [8, 1, 0, 1, 1],
        [5, 4, 1, 0, 3],
        [3, 5, 1, 4, 0],
    ],
    dtype=float,
)


@dataclass(frozen=True)
class Profile:
    """What a system is like; the tuples follow TONES."""

    recall: tuple[float, ...]
    lean: tuple[float, ...] = (1, 1, 1, 1, 1)
    shared: float = 0.6
    nerve: float = 1.0
    blind: bool = False  # mistakes follow the lean alone, whatever the message says
    copies: str | None = None  # the system whose answers it gives, except on a few messages


SYSTEMS = {
    # As often right as it is trusted: on every tone, precision and recall are close.
    "balanced": Profile((0.89, 0.83, 0.80, 0.76, 0.75), (2.2, 1.1, 0.9, 0.5, 0.35)),
    # One detector a tone, thresholds tuned apart: strict for two rare tones, loose for the third.
    "detectors": Profile((0.89, 0.84, 0.70, 0.94, 0.68), (1.6, 0.7, 0.06, 1.6, 0.03)),
    # Two checkpoints of one strong model.
    "strong-a": Profile((0.91, 0.80, 0.77, 0.70, 0.67), (2.4, 1.2, 0.8, 0.45, 0.2)),
    "strong-b": Profile(
        (0.91, 0.80, 0.77, 0.70, 0.67), (2.4, 1.2, 0.8, 0.45, 0.2), copies="strong-a"
    ),
    # Names a rare tone only when sure: precise there, but misses many.
    "cautious": Profile((0.95, 0.80, 0.66, 0.48, 0.40), (4, 1.5, 0.2, 0.1, 0.03)),
    # Trained with heavy weights on the rare tones: finds them, and many that are none.
    "eager": Profile((0.72, 0.70, 0.84, 0.86, 0.88), (0.5, 0.6, 1, 1.5, 1.6)),
    # Trained for accuracy: the more frequent a tone, the better.
    "accuracy-first": Profile((0.97, 0.72, 0.52, 0.28, 0.15), (6, 1.5, 0.5, 0.2, 0.1)),
    # Says `neutral` whenever a message is hard.
    "fallback": Profile((0.77, 0.73, 0.70, 0.64, 0.62), (1, 1, 0.7, 0.4, 0.3), nerve=0.86),
    # A bag of words: often wrong, not very one-sided.
    "baseline": Profile((0.72, 0.55, 0.50, 0.38, 0.32), (2.2, 1.2, 0.8, 0.5, 0.3), shared=0.4),
    # Guesses tones as often as they occur, whatever the message says.
    "random": Profile((0.52, 0.24, 0.125, 0.075, 0.04), SIZES, shared=0, blind=True),
    # Always the most frequent tone.
    "majority": Profile((1, 0, 0, 0, 0), (1, 0, 0, 0, 0)),
}


def generator(name: str) -> np.random.Generator:
    """The random generator that belongs to a name."""
    return np.random.default_rng([SEED, *name.encode()])


def messages() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The true tone of each message, its difficulty, and the mistake it invites."""
    rng = generator("messages")
    gold = np.repeat(np.arange(len(TONES)), SIZES)
    gold = gold[np.argsort(rng.random(gold.size), kind="stable")]
    return gold, rng.random(gold.size), rng.random(gold.size)


def answers(name: str, gold: np.ndarray, hard: np.ndarray, invites: np.ndarray) -> np.ndarray:
    """The predictions of one system."""
    profile, rng = SYSTEMS[name], generator(name)
    joins, own_hard, own_invites = rng.random((3, gold.size))
    hard = np.where(joins < profile.shared, hard, own_hard)
    invites = np.where(joins < profile.shared, invites, own_invites)

    other = 1 - np.eye(len(TONES)) if profile.blind else CONFUSABLE
    edges = np.cumsum(other * np.array(profile.lean), axis=1)
    mistake = (invites[:, None] * edges[gold, -1:] >= edges[gold]).sum(axis=1)

    predicted = np.where(hard < np.array(profile.recall)[gold], gold, mistake)
    predicted[hard >= profile.nerve] = TONES.index("neutral")
    if profile.copies is not None:
        original = answers(profile.copies, *messages())
        predicted = np.where(rng.random(gold.size) < 0.04, predicted, original)
    return predicted


def files() -> dict[Path, str]:
    """Every file of the task and its text."""
    gold, hard, invites = messages()
    columns = {"gold": gold} | {name: answers(name, gold, hard, invites) for name in SYSTEMS}
    tones = {name: [TONES[code] for code in codes] for name, codes in columns.items()}
    rows = zip(*tones.values(), strict=True)
    table = [",".join(("id", *tones))]
    table += [",".join((f"m{i:04}", *row)) for i, row in enumerate(rows, start=1)]
    texts = {HERE / "all.csv": table, HERE / "gold.txt": tones.pop("gold")}
    texts |= {HERE / "systems" / f"{name}.txt": lines for name, lines in tones.items()}
    return {path: "\n".join(lines) + "\n" for path, lines in texts.items()}


def stale(texts: dict[Path, str]) -> list[Path]:
    """The files that differ from their text, are missing, or belong to no system."""
    found = {p: p.read_bytes() for p in [*texts, *HERE.glob("systems/*")] if p.exists()}
    wanted = {p: text.encode() for p, text in texts.items()}
    return sorted(p for p in found | wanted if found.get(p) != wanted.get(p))


def main() -> int:
    parser = argparse.ArgumentParser(description="Generate the example shared task.")
    parser.add_argument("--check", action="store_true", help="exit 1 if a file differs")
    check = parser.parse_args().check
    texts = files()
    if check:
        different = stale(texts)
        for path in different:
            print(f"{path.relative_to(HERE)} differs from what generate.py makes", file=sys.stderr)
        return 1 if different else 0
    (HERE / "systems").mkdir(exist_ok=True)
    for path, text in texts.items():
        path.write_bytes(text.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
