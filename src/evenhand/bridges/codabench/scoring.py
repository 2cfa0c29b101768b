"""Scores a submission: python3 scoring.py INPUT OUTPUT

INPUT/ref has the gold file, INPUT/res the submission; OUTPUT gets scores.json and
detailed_results.html. This file is copied into a bundle as it is. Beside it there stand task.json
and the wheels that evenhand is installed from where it is not there yet: no network is needed.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent


def ready(version: str) -> bool:
    """Whether the evenhand that the bundle was made with is here."""
    try:
        from evenhand._version import __version__
    except ImportError:
        return False
    return __version__ == version


def install(version: str) -> None:
    """Put evenhand where only this run finds it."""
    place = tempfile.mkdtemp()
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--root-user-action=ignore", "--no-compile", "--no-index"]
    command += ["--find-links", str(PROGRAM / "wheels"), "--target", place]
    done = subprocess.run([*command, f"evenhand=={version}"], capture_output=True, text=True)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        print("The scoring program cannot be installed:", lines[-1], file=sys.stderr)
        sys.exit(1)
    sys.path.insert(0, place)


def main() -> None:
    """Score what the folders hold."""
    version = json.loads((PROGRAM / "task.json").read_text(encoding="utf-8"))["evenhand"]
    if not ready(version):
        install(version)
    from evenhand.bridges.codabench import run

    inputs, outputs = sys.argv[1:3] if len(sys.argv) > 2 else ("/app/input", "/app/output")
    sys.exit(run(PROGRAM, inputs, outputs))


if __name__ == "__main__":
    main()
