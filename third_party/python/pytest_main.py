"""Runs pytest for one Bazel test: `pytest_main.py FILE... [OPTION...]`, from the top of the runfiles."""

import os
import sys
from pathlib import Path

import pytest

MODEL_FOLDERS = {
    "TINSMITH_MLPERF_TINY_DIR": "models",
    "TINSMITH_MLPERF_TINY_INPUTS_DIR": "inputs",
}


def main() -> int:
    """pytest's exit status; a test file without tests fails (status 5)."""
    sys.dont_write_bytecode = True
    options = ["-q", "-rs", "-p", "no:cacheprovider"]
    report = os.environ.get("XML_OUTPUT_FILE")
    if report:
        options.append(f"--junitxml={report}")
    _name_model_folders()
    scratch = os.environ.get("TEST_TMPDIR")
    if scratch:
        options.append(f"--basetemp={scratch}/pytest")
    selected = os.environ.get("TESTBRIDGE_TEST_ONLY")
    if selected:
        options += ["-k", selected]
    return pytest.main([*options, *sys.argv[1:]])


def _name_model_folders() -> None:
    """Tests that list the MLPerf Tiny files in `data` find them through the environment, as outside Bazel.

    The folder's name ends so; as a module's repository it also says which module declares it.
    """
    runfiles = Path(os.environ.get("TEST_SRCDIR", ".."))
    for variable, folder in MODEL_FOLDERS.items():
        for path in runfiles.glob(f"*tinsmith_mlperf_tiny/{folder}"):
            os.environ[variable] = str(path.absolute())


if __name__ == "__main__":
    sys.exit(main())
