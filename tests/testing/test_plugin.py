"""Metrics of an installed package: really installed, really broken, read only when needed."""

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import evenhand

EXAMPLE = Path(__file__).parents[2] / "examples" / "own-metric"
SOURCE = Path(evenhand.__file__).parents[1]
MATRIX = "6 1 1; 1 5 2; 2 3 7"


def wheel(folder, name, version, module, entries):
    """A wheel by hand, so that no build tool is needed."""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    about = f"{name}-{version}.dist-info"
    points = "".join(f"{key} = {value}\n" for key, value in entries.items())
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(f"{name}.py", module)
        file.writestr(
            f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        file.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        file.writestr(f"{about}/entry_points.txt", f"[evenhand.metrics]\n{points}")
        file.writestr(f"{about}/RECORD", "")
    return path


def installed(folder, *wheels):
    target = folder / "site"
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps"]
    subprocess.run([*command, "--target", target, *wheels], check=True, capture_output=True)
    return target


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plugin")
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    entries = project["entry-points"]["evenhand.metrics"]
    module = (EXAMPLE / "patience.py").read_text()
    return installed(folder, wheel(folder, project["name"], project["version"], module, entries))


def ran(site, *command, check=True):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (SOURCE, site)))}
    environment.pop("PYTHONWARNINGS", None)
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=site,
    )
    assert not check or done.returncode == 0, done.stderr
    return done


def scored(site, *metrics):
    asked = [part for m in metrics for part in ("--metric", m)]
    done = ran(site, "-m", "evenhand", "score", "--matrix", MATRIX, *asked, "--format", "json")
    return json.loads(done.stdout)["metrics"], done.stderr


def test_the_commands_of_the_page(site):
    page = (EXAMPLE.parents[1] / "docs" / "own-metrics.md").read_text(encoding="utf-8")
    first, *commands = re.search(r"^```text\n(.*?)^```", page, re.M | re.S)[1].splitlines()
    assert first == f"$ pip install ./examples/{EXAMPLE.name}"
    for name in ("gold", "pred"):
        (site / f"{name}.txt").write_text("a\nb\nb\n")
    assert len(commands) == 2
    for command in commands:
        assert "patience" in ran(site, "-m", *command.removeprefix("$ ").split()).stdout


def test_on_the_command_line(site):
    found, warnings = scored(site, "macro_patience:slack=2", "alert_error", "patience:label=0")
    assert found["macro_patience:slack=2"]["value"] == pytest.approx((6 / 14 + 5 / 16 + 7 / 18) / 3)
    assert found["alert_error"]["value"] == pytest.approx(10 / 28)
    assert found["alert_error"]["low"] < 10 / 28 < found["alert_error"]["high"]
    assert found["patience:label=0"]["value"] == pytest.approx(6 / 9.5)
    code = (
        "import evenhand as eh\n"
        "found = eh.score([[6, 1], [1, 5]], metrics='alert_error')['alert_error']\n"
        "print(found.signature.formula)"
    )
    assert ran(site, "-c", code).stdout == "own-alert-error of patience 0.1.0\n"
    assert "left out" not in warnings


def test_in_the_catalogue(site):
    text = ran(site, "-m", "evenhand", "metrics", "--family", "own").stdout
    assert "patience (Pat)" in text and "from        patience 0.1.0" in text
    listed = json.loads(ran(site, "-m", "evenhand", "metrics", "--format", "json").stdout)
    assert list(listed["metrics"])[-2:] == ["patience", "alert_error"]
    code = "import evenhand as eh; print(eh.alert_error(['a', 'b'], ['a', 'a']), *eh.metrics())"
    assert ran(site, "-c", code).stdout.split()[0] == "0.5"
    assert "patience" in ran(site, "-c", code).stdout.split()


def test_ranked_compared_and_looked_into(site):
    (site / "gold.txt").write_text("a\nb\nc\n" * 20)
    (site / "one.txt").write_text("a\nb\nc\n" * 15 + "a\na\na\n" * 5)
    (site / "two.txt").write_text("a\nb\nb\n" * 20)
    files = ["gold.txt", "one.txt", "two.txt"]
    board = ran(site, "-m", "evenhand", "rank", *files, "--by-metric", "macro_patience").stdout
    assert board.index("one") < board.index("two")
    done = ran(
        site, "-m", "evenhand", "compare", *files, "--metric", "alert_error", "--format", "json"
    )
    (pair,) = json.loads(done.stdout)["pairs"]
    assert pair["difference"] == pytest.approx(10 / 60 - 20 / 60)
    assert "monotonicity" in ran(site, "-m", "evenhand", "properties", "alert_error").stdout


def test_its_own_tests_pass(site):
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", EXAMPLE / "test_patience.py"]
    assert "4 passed" in ran(site, *command).stdout


def test_nothing_is_read_for_names_that_are_known(site):
    code = (
        "import sys, evenhand as eh\n"
        "eh.score([[6, 1], [1, 5]]), eh.score([[6, 1], [1, 5]], metrics=['TPR:label=0', 'mcc'])\n"
        "eh.macro_f1([[6, 1], [1, 5]]), eh.rank(list('ab'), {'A': list('ab'), 'B': list('aa')})\n"
        "print('patience' in sys.modules, 'importlib.metadata' in sys.modules)"
    )
    assert ran(site, "-c", code).stdout.split()[0] == "False"


BROKEN = {
    "no module": ("nowhere_else:lost", "No module named 'nowhere_else'"),
    "no name": ("plain:found", "module 'plain' has no attribute 'found'"),
    "an error": ("failing:lost", "no luck"),
    "an exit": ("leaving:lost", "SystemExit: 3"),
    "no metric": ("plain:lost", "it must be a function under @evenhand.metric(…), got lost"),
    "a name of ours": ("taking:macro_f1", "the name 'macro_f1' is taken"),
    "another name of ours": (
        "renaming:sensitivity",
        "the name 'sensitivity' is taken: it is recall",
    ),
}
MODULES = {
    "failing": "raise RuntimeError('no luck\\nand more')",
    "leaving": "import sys; sys.exit(3)",
    "plain": "def lost(c): return 1",
    "taking": "import evenhand as eh\n@eh.metric()\ndef macro_f1(c): return 1",
    "renaming": "import evenhand as eh\n@eh.metric()\ndef sensitivity(c): return 1",
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_one_is_one_line_and_the_others_work(site, tmp_path, kind):
    entry, reason = BROKEN[kind]
    name = entry.partition(":")[0].partition("_")[0]
    made = wheel(tmp_path, name, "2.0", MODULES.get(name, ""), {"lost": entry})
    broken = installed(tmp_path, made)
    both = f"{site}{os.pathsep}{broken}"
    asked = ["-m", "evenhand", "score", "--matrix", MATRIX, "--metric", "alert_error"]
    environment = {**os.environ, "PYTHONPATH": f"{SOURCE}{os.pathsep}{both}"}
    done = subprocess.run(
        [sys.executable, *asked], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0
    assert "0.3571" in done.stdout
    line = f"warning: the metric 'lost' of {name} 2.0 is left out: {reason}\n"
    assert done.stderr == line


def test_an_unknown_name_is_still_one_line(site):
    done = ran(
        site, "-m", "evenhand", "score", "--matrix", MATRIX, "--metric", "patiens", check=False
    )
    assert done.returncode == 2
    assert done.stderr == "evenhand: error: no metric is called 'patiens'; did you mean patience?\n"
