"""``python -m fuzz.described [EXAMPLES]``: the API, asked by schemathesis from its own description.

Everything that the description allows, and what it forbids, must be answered, and never by a
server error. Verbs that start a process of their own get a tenth of the examples, drawn at random.
"""

from __future__ import annotations

import re
import subprocess
import sys

SLOW = "/(compare|rank|audit|look|evaluate|papers)$"
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance"


def main(examples: int) -> int:
    """Start a server, ask it, say how it went."""
    serve = [sys.executable, "-m", "evenhand", "serve", "--port", "0", "--no-browser"]
    with subprocess.Popen(serve, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            line = next(line for line in server.stderr if "evenhand is at" in line)
            address = re.search(r"http://\S+", line)[0]  # type: ignore[index]
            quick = asked(address, examples, "coverage,fuzzing", "--exclude-path-regex")
            slow = asked(address, max(1, examples // 10), "fuzzing", "--include-path-regex")
        finally:
            server.terminate()
    return max(quick, slow)


def asked(address: str, examples: int, phases: str, which: str) -> int:
    """Ask the addresses of a kind; not 0 if one of them failed."""
    run = [
        sys.executable, "-m", "schemathesis.cli", "run", f"{address}api/v1/openapi.json", which,
        SLOW, "--checks", CHECKS, "--phases", phases, "--seed", "0", "--no-color",
        "--max-examples", str(examples), "--request-timeout", "90", "--continue-on-failure",
        "--suppress-health-check", "all", "--warnings", "off", "--generation-database", "none",
    ]  # fmt: skip
    return subprocess.run(run, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
