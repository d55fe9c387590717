"""Prints how many test cases passed, failed and were skipped, from the events that Bazel wrote.

A test of Bazel holds many cases (those of pytest, read from its test.xml); one without a report of its own,
or that broke before it could write one, counts as one case. Standard library only: this runs outside Bazel.
"""

import json
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlparse

_PASSED = ("PASSED", "FLAKY")


def main(events: str, bazel_status: str) -> int:
    """bazel_status: exit status of the run; a failure that no test shows, such as a bad BUILD file, is one case."""
    counts: Counter[str] = Counter()
    for status, report in _test_results(Path(events)):
        counts += _cases(status, report)
    if int(bazel_status) != 0 and not counts["failed"]:
        print(f"Bazel failed with status {bazel_status} outside the tests")
        counts["failed"] += 1
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 0


def _test_results(events: Path) -> Iterator[tuple[str, Path | None]]:
    """Status and test.xml of the last attempt at each test, and of tests that could not be built."""
    results: dict[str, tuple[str, Path | None]] = {}
    for line in events.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        label = event["id"].get("testResult", {}).get("label")
        if label and "testResult" in event:
            result = event["testResult"]
            outputs = {
                output["name"]: output.get("uri", "")
                for output in result.get("testActionOutput", [])
            }
            uri = urlparse(outputs.get("test.xml", ""))
            results[label] = (
                result["status"],
                Path(unquote(uri.path)) if uri.scheme == "file" else None,
            )
        broken = event["id"].get("targetCompleted", {}).get("label")
        if (
            broken
            and event.get("completed", {}).get("success") is not True
            and "aborted" not in event
        ):
            results.setdefault(broken, ("FAILED_TO_BUILD", None))
    yield from results.values()


def _cases(status: str, report: Path | None) -> Counter[str]:
    counts: Counter[str] = Counter()
    if report is not None and report.exists():
        for case in ElementTree.parse(report).iter("testcase"):
            kinds = {child.tag for child in case}
            failed = bool(kinds & {"failure", "error"})
            counts["failed" if failed else "skipped" if "skipped" in kinds else "passed"] += 1
    if status not in _PASSED and not counts["failed"]:
        counts["failed"] += 1
    return counts or Counter(passed=1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
