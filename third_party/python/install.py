"""Installs named distributions of lock files into ./site by pip and lists what each one brought.

Run by the repository rule in repositories.bzl: `install.py --lock FILE NAME...` in the new repository's folder.
Writes installed.json: {distribution: [top-level path below site, ...]}, without any if pip cannot get what is optional.

What lies in ./site is the same to the byte wherever and whenever it is made, so that caches of Bazel actions serve
every clone: compiled modules hold no times, scripts no path of an interpreter.
"""

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

_HASH_OF_PROGRAM = re.compile(r"^((?:\.\./)*bin/[^,]*),[^,]*,[^,]*$", re.MULTILINE)


def main() -> int:
    """Refuses names without a pin; pip refuses everything without a matching hash."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "names", nargs="+", metavar="NAME", help="in the order in which pip looks for them"
    )
    parser.add_argument("--lock", action="append", required=True, metavar="FILE")
    parser.add_argument("--without", action="append", default=[], metavar="FOLDER")
    parser.add_argument("--optional", action="store_true", help="pip may find none of it")
    options = parser.parse_args()
    entries = _entries("".join(Path(lock).read_text(encoding="utf-8") for lock in options.lock))
    missing = sorted(set(options.names) - set(entries))
    if missing:
        print(f"not in {', '.join(options.lock)}: {', '.join(missing)}", file=sys.stderr)
        return 1
    wanted = Path("wanted.lock")
    wanted.write_text("".join(entries[name] for name in options.names), encoding="utf-8")
    if not _install(wanted, options.names, options.optional):
        Path("installed.json").write_text("{}", encoding="utf-8")
        return 0 if options.optional else 1
    for folder in options.without:
        shutil.rmtree(Path("site", folder))
    _compile_modules(Path("site"))
    _name_no_interpreter(Path("site"))
    installed = {name: _top_level_paths(Path("site"), name) for name in options.names}
    Path("installed.json").write_text(json.dumps(installed, indent=1), encoding="utf-8")
    return 0


def _install(wanted: Path, names: list[str], optional: bool) -> bool:
    """Whether pip filled ./site. Where it may fail, one line says why, in place of all that pip says."""
    command = [sys.executable, "-m", "pip", "install", "-qq", "--no-input"]
    command += ["--disable-pip-version-check", "--no-warn-conflicts", "--root-user-action=ignore"]
    command += ["--require-hashes", "--no-deps", "--only-binary=:all:"]
    command += ["--no-compile", "--target", "site"]
    print(f"Installing {len(names)} Python wheels: {', '.join(names)}", file=sys.stderr, flush=True)
    result = subprocess.run(
        [*command, "--requirement", str(wanted)],
        stderr=subprocess.PIPE if optional else None,
        text=True,
    )
    if optional and result.returncode != 0:
        errors = re.findall(r"^ERROR: .*", result.stderr, re.MULTILINE)
        reason = errors[0].partition(" (from versions")[0] if errors else "nothing"
        print(f"They stay absent; pip says: {reason}", file=sys.stderr)
    return result.returncode == 0


def _compile_modules(site: Path) -> None:
    """As pip would, but for the source's time: Python takes these as they are, since nothing changes a wheel here."""
    command = [sys.executable, "-m", "compileall", "-qq", "--invalidation-mode", "unchecked-hash"]
    environment = dict(os.environ, PYTHONHASHSEED="0")
    # The status is 1 where a wheel brings files that are no modules of this Python.
    command += ["-j", "0", "-s", str(site), "-x", "^site/bin/", str(site)]
    subprocess.run(command, env=environment, check=False)


def _name_no_interpreter(site: Path) -> None:
    """Scripts find Python on the PATH; no RECORD keeps the hash of what pip wrote instead."""
    for script in (path for path in (site / "bin").glob("*") if path.is_file()):
        content = script.read_bytes()
        if content.startswith(b"#!"):
            _, _, rest = content.partition(b"\n")
            script.write_bytes(b"#!/usr/bin/env python3\n" + rest)
    for record in site.glob("*.dist-info/RECORD"):
        text = record.read_text(encoding="utf-8")
        record.write_text(_HASH_OF_PROGRAM.sub(r"\1,,", text), encoding="utf-8")


def _entries(text: str) -> dict[str, str]:
    """The lock's lines for each distribution name."""
    found = re.findall(r"^([a-z0-9.-]+)==((?:.*\\\n)*.*\n)", text, flags=re.MULTILINE)
    return {name: f"{name}=={rest}" for name, rest in found}


def _top_level_paths(site: Path, name: str) -> list[str]:
    """Folders and files of a distribution; its programs one by one, since all of them share `bin`."""
    info = next(
        path
        for path in site.glob("*.dist-info")
        if re.sub(r"[-_.]+", "-", path.name.removesuffix(".dist-info").rsplit("-", 1)[0]).lower()
        == name
    )
    paths: set[str] = set()
    with (info / "RECORD").open(encoding="utf-8", newline="") as record:
        for recorded, *_ in csv.reader(record):
            parts = [part for part in Path(recorded).parts if part != ".."]
            program = parts[0] == "bin"
            paths.add("/".join(parts[:2]) if program else parts[0])
    return sorted(path for path in paths if path != "__pycache__" and (site / path).exists())


if __name__ == "__main__":
    sys.exit(main())
