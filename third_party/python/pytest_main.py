"""Runs pytest for one Bazel test: `pytest_main.py FILE... [OPTION...]`, from the top of the runfiles."""

import os
import sys

import pytest


def main() -> int:
    """pytest's exit status; a test file without tests fails (status 5)."""
    sys.dont_write_bytecode = True
    options = ["-q", "-rs", "-p", "no:cacheprovider"]
    report = os.environ.get("XML_OUTPUT_FILE")
    if report:
        options.append(f"--junitxml={report}")
    scratch = os.environ.get("TEST_TMPDIR")
    if scratch:
        options.append(f"--basetemp={scratch}/pytest")
    selected = os.environ.get("TESTBRIDGE_TEST_ONLY")
    if selected:
        options += ["-k", selected]
    return pytest.main([*options, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
