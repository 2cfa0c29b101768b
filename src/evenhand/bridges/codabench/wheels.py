"""Wheels: evenhand and what it needs, for a worker without a network.

evenhand's own wheel is made from the files that run here. Those it needs are downloaded for the
worker's Python and platform, taken from a folder, or made from what is installed here, which needs
neither a network nor a build tool but the same Python.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import evenhand._version as ours
from evenhand.errors import InputError

PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_17_x86_64",
             "manylinux2014_x86_64")  # fmt: skip
"""What wheels may be built for that run in a Debian container on a usual worker."""


def ship(folder: Path, *, python: str) -> None:
    """Our own wheel, and the wheels it needs as pip finds them for that Python and platform."""
    own(folder)
    command = [
        sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check",
        "--only-binary=:all:", "--implementation", "cp", "--python-version", python,
        "--dest", str(folder),
    ]  # fmt: skip
    for platform in PLATFORMS:
        command += ["--platform", platform]
    done = subprocess.run([*command, *pinned()], capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        reason = (lines or done.stderr.splitlines() or ["no reason given"])[-1]
        raise InputError(
            f"pip cannot get the wheels: {reason.removeprefix('ERROR: ')}; take them from a "
            "folder, from this environment, or leave them out"
        )


def collect(folder: Path, source: Path) -> None:
    """Our own wheel, and those of a folder."""
    found = sorted(source.glob("*.whl"))
    if not found:
        raise InputError(f"{source} must hold wheels, got none")
    own(folder)
    for path in found:
        if not path.name.startswith("evenhand-"):
            shutil.copyfile(path, folder / path.name)


def repack(folder: Path, *, python: str) -> None:
    """Our own wheel, and wheels made from what is installed here."""
    here = "{}.{}".format(*sys.version_info)
    if here != python:
        raise InputError(
            f"wheels made from this environment are for Python {here}, the worker has {python}"
        )
    own(folder)
    for name in closure("evenhand"):
        if name != "evenhand":
            _packed(metadata.distribution(name), folder)


def own(folder: Path) -> Path:
    """The wheel of evenhand as it runs here, installed or from its sources."""
    root = Path(ours.__file__).parent
    files = {
        f"evenhand/{path.relative_to(root).as_posix()}": path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    }
    dist = _dist("evenhand")
    about = f"evenhand-{ours.__version__}.dist-info"
    text = dist.read_text("METADATA") or ""
    text = re.sub(r"(?m)^Version: .*$", f"Version: {ours.__version__}", text)
    files[f"{about}/METADATA"] = text.encode()
    points = dist.read_text("entry_points.txt")
    if points:
        files[f"{about}/entry_points.txt"] = points.encode()
    kind = "Wheel-Version: 1.0\nGenerator: evenhand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{about}/WHEEL"] = kind.encode()
    return _zipped(folder / f"evenhand-{ours.__version__}-py3-none-any.whl", about, files)


def pinned() -> list[str]:
    """What evenhand needs, in the versions that run here, so that the numbers are the same."""
    return [f"{name}=={metadata.version(name)}" for name in _needs("evenhand")]


def closure(name: str) -> list[str]:
    """A package and all that it needs of what is installed here."""
    found: dict[str, None] = {}
    waiting = [name]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found[one] = None
            waiting += _needs(one)
    return list(found)


def _needs(name: str) -> Iterator[str]:
    """The packages that one needs here, without extras."""
    for text in _dist(name).requires or ():
        if "extra ==" in text:
            continue
        needed = re.match(r"[\w.-]+", text)
        assert needed is not None
        try:
            metadata.distribution(needed[0])
        except metadata.PackageNotFoundError:
            continue  # for another platform or Python
        yield needed[0]


def _dist(name: str) -> metadata.Distribution:
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        raise InputError(f"{name} must be installed to be shipped, e.g. by pip") from None


def _packed(dist: metadata.Distribution, folder: Path) -> Path:
    """The wheel that a package was installed from, made again from its files."""
    about = re.sub(r"[-_.]+", "_", dist.metadata["Name"]) + f"-{dist.version}"
    tags = re.findall(r"(?m)^Tag: (.+)$", dist.read_text("WHEEL") or "")
    if not tags or not dist.files:
        raise InputError(f"{about} was not installed from a wheel: take the wheels from a folder")
    parts = [tag.split("-") for tag in tags]
    tag = "-".join(".".join(dict.fromkeys(column)) for column in zip(*parts, strict=True))
    files = {
        file.as_posix(): Path(str(file.locate())).read_bytes()
        for file in dist.files
        if ".." not in file.parts
        and file.suffix != ".pyc"
        and file.name not in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
    }
    info = next(name for name in files if name.endswith(".dist-info/METADATA"))
    return _zipped(folder / f"{about}-{tag}.whl", info.partition("/")[0], files)


def _zipped(path: Path, about: str, files: dict[str, bytes]) -> Path:
    """A wheel of files, with the list of them and their hashes that pip checks."""
    listed = io.StringIO()
    rows = csv.writer(listed, lineterminator="\n")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as wheel:
        for name, data in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
            rows.writerow([name, f"sha256={digest.decode()}", len(data)])
            wheel.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data)
        rows.writerow([f"{about}/RECORD", "", ""])
        wheel.writestr(zipfile.ZipInfo(f"{about}/RECORD", (2020, 1, 1, 0, 0, 0)), listed.getvalue())
    return path
