# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false
"""Run the cases of tests/golden_cases.py on TFLite's reference kernels; write tests/goldens.npz.

A development-time script: `pip install tflite-runtime==2.14.0 "numpy<2" tflite flatbuffers`
(Python 3.11), then `python make_goldens.py`. Cases that TFLite 2.14 itself refuses are left out of
the archive and listed.
"""

import pathlib
import sys

import numpy as np
from numpy.typing import NDArray
from tflite_runtime.interpreter import Interpreter, OpResolverType

TESTS = pathlib.Path(__file__).resolve().parent.parent / "tests"
sys.path.insert(0, str(TESTS))

from case_builder import Case  # noqa: E402 (needs the path set above)
from golden_cases import all_cases  # noqa: E402


def outputs(case: Case) -> NDArray[np.generic]:
    """The only output of the case in each run, with the BUILTIN_REF kernels; of an operator that is not among
    them (CEIL, ELU, ROUND) with the only kernel there is.
    """
    try:
        return invoked(case, OpResolverType.BUILTIN_REF)
    except ValueError:  # no such operator
        return invoked(case, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)


def invoked(case: Case, resolver: OpResolverType) -> NDArray[np.generic]:
    """The only output of the case in each run with the kernels of `resolver`."""
    interpreter = Interpreter(model_content=case.model, experimental_op_resolver_type=resolver)
    interpreter.allocate_tensors()
    found: list[NDArray[np.generic]] = []
    for frame in case.frames:
        for detail, array in zip(interpreter.get_input_details(), frame, strict=True):
            interpreter.set_tensor(detail["index"], array)
        interpreter.invoke()
        found.append(interpreter.get_tensor(interpreter.get_output_details()[0]["index"]))
    return np.stack(found)


def main() -> None:
    """Write name, place and bytes of each output; as few arrays as possible keep the file small."""
    names: list[str] = []
    ends: list[int] = []
    data = bytearray()
    for case in all_cases():
        try:
            output = outputs(case)
        except (RuntimeError, ValueError) as error:
            print(f"left out {case.name}: {str(error).splitlines()[0]}")
            continue
        names.append(case.name)
        data += output.astype(output.dtype.newbyteorder("<")).tobytes()
        ends.append(len(data))
    path = TESTS / "goldens.npz"
    np.savez_compressed(
        path, names=np.array(names), ends=np.array(ends), data=np.frombuffer(data, np.uint8)
    )
    print(f"{len(names)} cases, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
