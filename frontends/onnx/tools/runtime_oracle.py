# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false
"""ONNX Runtime, in a process of its own: some models end it, hang it, or take all memory.

`Oracle(python)` starts it; `python` is one of a venv with `pip install onnxruntime`. No optimization of its is on, so
that it computes what the file says operator by operator.
"""

import contextlib
import io
import pathlib
import resource
import select
import subprocess
import sys
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]
_LENGTH_BYTES = 8
MEMORY_BYTES = 6 << 30
_OUTPUT = "output "


class OracleError(Exception):
    """ONNX Runtime refuses the model or its inputs, or ends or hangs in it."""


class Oracle:
    """The process, which is started anew after one that a model has ended."""

    def __init__(self, python: str, timeout_seconds: float = 60) -> None:
        self._python, self._timeout_seconds = python, timeout_seconds
        self._process: subprocess.Popen[bytes] | None = None

    def outputs(self, model: pathlib.Path, inputs: Mapping[str, Array]) -> list[Array]:
        """The outputs in the order of the file. inputs: by their names there. Raises OracleError."""
        arrays: dict[str, Array] = {"model": np.array(str(model.resolve()))}
        arrays |= {f"input {name}": array for name, array in inputs.items()}
        found = self._asked(arrays)
        if "error" in found:
            raise OracleError(str(found["error"]))
        return [found[f"{_OUTPUT}{at}"] for at in range(len(found))]

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _asked(self, arrays: Mapping[str, Array]) -> Mapping[str, Array]:
        if self._process is None:
            self._process = subprocess.Popen(
                [self._python, str(pathlib.Path(__file__).resolve())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            _write(stdin, arrays)
            if not select.select([stdout], [], [], self._timeout_seconds)[0]:
                raise OracleError(f"no answer in {self._timeout_seconds:g} s")
            return _read(stdout)
        except (EOFError, OSError) as error:
            self.close()
            raise OracleError("its process ended") from error
        except OracleError:
            self.close()
            raise


def _write(stream, arrays: Mapping[str, Array]) -> None:
    buffer = io.BytesIO()
    # Names of arrays are names of files in an archive, which those of a model need not be.
    names = [*arrays]
    numbered = {str(at): arrays[name] for at, name in enumerate(names)}
    np.savez(buffer, names=np.array(names), **numbered)  # pyright: ignore[reportArgumentType]
    stream.write(len(buffer.getvalue()).to_bytes(_LENGTH_BYTES, "little") + buffer.getvalue())
    stream.flush()


def _read(stream) -> dict[str, Array]:
    head = stream.read(_LENGTH_BYTES)
    if len(head) < _LENGTH_BYTES:
        raise EOFError
    with np.load(io.BytesIO(stream.read(int.from_bytes(head, "little")))) as found:
        return {str(name): found[str(at)] for at, name in enumerate(found["names"])}


def computed(model: str, inputs: Mapping[str, Array]) -> list[Array]:
    """The outputs of a model file. Raises whatever ONNX Runtime does, and TypeError for an output that is no tensor of
    numbers.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    asked = {value.name: inputs[value.name] for value in session.get_inputs()}
    return [_numbers(result) for result in session.run(None, asked)]


def _numbers(result) -> Array:
    if not isinstance(result, np.ndarray) or result.dtype.kind not in "biuf":
        raise TypeError(f"an output is {type(result).__name__}, no tensor of numbers")
    return result


def _serve() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    with contextlib.suppress(EOFError):
        while True:
            asked = _read(sys.stdin.buffer)
            model = str(asked.pop("model"))
            inputs = {name.split(" ", 1)[1]: array for name, array in asked.items()}
            try:
                results = computed(model, inputs)
            except Exception as error:  # of kinds of its own
                _write(sys.stdout.buffer, {"error": np.array(str(error).split("\n")[0])})
                continue
            _write(
                sys.stdout.buffer,
                {f"{_OUTPUT}{at}": array for at, array in enumerate(results)},
            )


if __name__ == "__main__":
    _serve()
