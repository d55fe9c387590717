# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false
"""Run the cases that TFLite Micro alone can run on its interpreter; write tests/micro_goldens.npz.

A development-time script: `pip install tflite-micro "numpy<3" tflite flatbuffers` (Python 3.11), then
`python make_micro_goldens.py`.
"""

import pathlib
import sys

import numpy as np
from tflite_micro.python.tflite_micro import runtime

TESTS = pathlib.Path(__file__).resolve().parent.parent / "tests"
sys.path.insert(0, str(TESTS))

from case_builder import Case  # noqa: E402 (needs the path set above)
from cases_recurrent import micro_cases  # noqa: E402

_ARENA_BYTES = 200_000


def outputs(case: Case) -> np.ndarray:
    """The only output of the case in each run."""
    interpreter = runtime.Interpreter.from_bytes(case.model, arena_size=_ARENA_BYTES)
    found = []
    for frame in case.frames:
        for index, array in enumerate(frame):
            interpreter.set_input(array, index)
        interpreter.invoke()
        found.append(np.array(interpreter.get_output(0)))
    return np.stack(found)


def main() -> None:
    """Write the outputs of each case by its name."""
    path = TESTS / "micro_goldens.npz"
    found = {case.name: outputs(case) for case in micro_cases()}
    np.savez_compressed(path, allow_pickle=False, **found)
    print(f"{path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
