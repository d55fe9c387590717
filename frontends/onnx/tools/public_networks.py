"""Import every .onnx under a folder and compare one inference with ONNX Runtime.

    python frontends/onnx/tools/public_networks.py DIR [--oracle VENV/bin/python] [--json FILE] [--only TEXT]

The oracle is a Python with ONNX Runtime, see runtime_oracle.py. Each network has its own process, with limits of time
and memory. Sizes that a file leaves open are those of the first guess that ONNX Runtime takes, and are printed.
Networks of more than 300 million multiplications are compared as C on this machine, all others by the evaluator,
behind the passes of a compilation. Prints a line for each network that is not equal, then how many there are of each
kind, by family and by the folder right below DIR; exit status 1 if a network differs, crashes or exceeds a limit.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping

from comparison import (
    CLOSE,
    EQUAL,
    NO_NETWORK,
    REFUSED,
    REFUSED_THERE,
    SLOW,
    Finding,
    as_dictionary,
    compare,
)
from runtime_oracle import MEMORY_BYTES, Oracle
from tinsmith_driver.table import table

_TIMEOUT_SECONDS = 150.0
_CRASHED = "crashed"
_GOOD = {EQUAL, CLOSE, REFUSED, REFUSED_THERE, NO_NETWORK}
_LONGEST_REASON = 140


def in_a_process(path: pathlib.Path, oracle: str) -> Finding:
    """`compare`, whatever the network does."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))

    command = [sys.executable, __file__, str(path), "--one", "--oracle", oracle]
    try:
        ended = subprocess.run(
            command, capture_output=True, timeout=_TIMEOUT_SECONDS, preexec_fn=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return Finding(SLOW, reason=f"more than {_TIMEOUT_SECONDS:g} s")
    if ended.returncode != 0:
        lines = ended.stderr.decode(errors="replace").strip().splitlines()
        return Finding(_CRASHED, reason=lines[-1] if lines else f"status {ended.returncode}")
    return Finding(**json.loads(ended.stdout.splitlines()[-1]))


def print_findings(found: Mapping[str, Finding]) -> None:
    """Those that are not equal, one by one; all of them as counts."""
    rows = [
        [
            name,
            finding.family,
            finding.kind,
            finding.sizes[:60],
            f"{finding.macs:,}",
            f"{finding.transposes}",
            f"{finding.seconds:g}",
            " ".join(finding.reason.split())[:_LONGEST_REASON],
        ]
        for name, finding in found.items()
        if finding.kind != EQUAL
    ]
    header = ["network", "family", "", "open sizes", "MACs", "transposes", "seconds", "reason"]
    print(table(header, rows))
    kinds = sorted({finding.kind for finding in found.values()})
    families = Counter((finding.family, finding.kind) for finding in found.values())
    folders = Counter((name.split("/")[0], finding.kind) for name, finding in found.items())
    for title, counts in (("family", families), ("source", folders)):
        names = sorted({name for name, _ in counts})
        print()
        print(
            table(
                [title, *kinds],
                [[name, *(f"{counts[name, kind]}" for kind in kinds)] for name in names],
            )
        )
    counted = [finding for finding in found.values() if finding.operators]
    print(
        f"\n{len(found)} networks; {sum(f.transposes for f in counted)} transposes are left in "
        f"{sum(1 for f in counted if f.transposes)} of {len(counted)} that were imported; "
        f"{max((f.seconds for f in counted), default=0):.1f} s at most for import and passes, "
        f"{max((f.growth for f in counted), default=0):.1f} times a file's size of memory"
    )


def main() -> int:
    """Compare, print; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=pathlib.Path, metavar="DIR")
    parser.add_argument(
        "--oracle", default=sys.executable, metavar="PYTHON", help="see runtime_oracle.py"
    )
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write all findings")
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="networks with this in their path"
    )
    parser.add_argument("--one", action="store_true", help="DIR is a network: print its finding")
    arguments = parser.parse_args()
    if arguments.one:
        oracle = Oracle(arguments.oracle)
        print(json.dumps(as_dictionary(compare(arguments.folder, oracle))))
        oracle.close()
        return 0
    names = {
        str(path.relative_to(arguments.folder)): path
        for path in sorted(arguments.folder.rglob("*.onnx"))
        if arguments.only in str(path)
    }
    found = {name: in_a_process(path, arguments.oracle) for name, path in names.items()}
    if arguments.json:
        text = json.dumps(
            {name: as_dictionary(finding) for name, finding in found.items()}, indent=1
        )
        arguments.json.write_text(text, encoding="utf-8")
    print_findings(found)
    return 0 if {finding.kind for finding in found.values()} <= _GOOD else 1


if __name__ == "__main__":
    sys.exit(main())
