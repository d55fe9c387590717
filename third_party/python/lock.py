"""Writes requirements.lock from requirements.in: exact versions and the sha256 of every wheel that may be installed.

Run by hand when a version changes: `python third_party/python/lock.py`. It asks pip's configured index, and pip
itself chooses the wheels, once per supported Python and machine; nothing is installed. What is locked keeps its version
but for the distributions that `--upgrade NAME...` names; `--upgrade` alone names all.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TypedDict, cast

FOLDER = Path(__file__).parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
MACHINES = ("x86_64", "aarch64")
# Newest first, as pip ranks them; ruff and ziglang tag several at once.
GLIBC_TAGS = ("2_34", "2_31", "2_28", "2_27", "2_26", "2_24", "2_17", "2_12", "2_5")
HEADER = """\
# Written by lock.py from requirements.in; do not edit. Hashes cover CPython {pythons} on Linux {machines}.
"""


class _Metadata(TypedDict):
    name: str
    version: str


class _Archive(TypedDict):
    hashes: dict[str, str]


class _Download(TypedDict):
    archive_info: _Archive


class _Item(TypedDict):
    metadata: _Metadata
    download_info: _Download


class _Report(TypedDict):
    install: list[_Item]


def main() -> int:
    """Resolve on the oldest Python first; the others must agree with its versions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--upgrade", nargs="*", metavar="NAME")
    kept = _kept(parser.parse_args().upgrade)
    hashes: dict[tuple[str, str], set[str]] = defaultdict(set)
    for machine in MACHINES:
        for python in PYTHONS:
            pins = {f"{name}=={version}" for name, version in hashes}
            for item in _resolve(python, machine, sorted(pins.union(kept))):
                name = item["metadata"]["name"].lower().replace("_", "-").replace(".", "-")
                key = (name, item["metadata"]["version"])
                hashes[key].add(item["download_info"]["archive_info"]["hashes"]["sha256"])
            print(f"Python {python} on {machine}: {len(hashes)} distributions so far", flush=True)
    versions: dict[str, set[str]] = defaultdict(set)
    for name, version in hashes:
        versions[name].add(version)
    doubles = {name: sorted(found) for name, found in versions.items() if len(found) > 1}
    if doubles:
        print(f"lock.py: more than one version of {doubles}", file=sys.stderr)
        return 1
    (FOLDER / "requirements.lock").write_text(_format(hashes), encoding="utf-8")
    return 0


def _kept(upgraded: list[str] | None) -> list[str]:
    """The `name==version` of what the lock has and may not change. upgraded: what may, None for nothing, [] for all."""
    text = (FOLDER / "requirements.lock").read_text(encoding="utf-8")
    pins: list[str] = re.findall(r"^[a-z0-9.-]+==[^ \\\n]+", text, flags=re.MULTILINE)
    if upgraded is None:
        return pins
    return [pin for pin in pins if upgraded and pin.partition("==")[0] not in upgraded]


def _resolve(python: str, machine: str, pins: list[str]) -> list[_Item]:
    """What pip would install for requirements.in on that Python and machine."""
    with tempfile.TemporaryDirectory() as scratch:
        constraints = Path(scratch) / "constraints.txt"
        constraints.write_text("\n".join(pins), encoding="utf-8")
        report = Path(scratch) / "report.json"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run"]
        command += ["--ignore-installed", "--only-binary=:all:", "--target", f"{scratch}/none"]
        command += ["--implementation", "cp", "--python-version", python]
        for tag in GLIBC_TAGS:
            command += ["--platform", f"manylinux_{tag}_{machine}"]
        command += ["--platform", f"manylinux2014_{machine}"]
        command += ["--constraint", str(constraints), "--report", str(report)]
        command += ["--requirement", str(FOLDER / "requirements.in")]
        subprocess.run(command, check=True)
        return cast(_Report, json.loads(report.read_text(encoding="utf-8")))["install"]


def _format(hashes: dict[tuple[str, str], set[str]]) -> str:
    lines = [HEADER.format(pythons=", ".join(PYTHONS), machines=", ".join(MACHINES))]
    for (name, version), values in sorted(hashes.items()):
        parts = [f"{name}=={version}", *(f"    --hash=sha256:{value}" for value in sorted(values))]
        lines.append(" \\\n".join(parts) + "\n")
    return "".join(lines)


if __name__ == "__main__":
    sys.exit(main())
