# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false
"""TFLite's reference kernels, in a process of their own: some models end it, and it needs another Python than ours.

`Oracle(python)` starts it; `python` is one of a venv with `pip install tflite-runtime==2.14.0 "numpy<2"` (Python 3.11).
"""

import contextlib
import io
import pathlib
import resource
import select
import subprocess
import sys
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]
_LENGTH_BYTES = 8
MEMORY_BYTES = 4 << 30


class OracleError(Exception):
    """TFLite refuses the model, or ends or hangs in it."""


class Oracle:
    """The process, which is started anew after one that a model has ended."""

    def __init__(self, python: str, timeout_seconds: float = 60) -> None:
        self._python, self._timeout_seconds = python, timeout_seconds
        self._process: subprocess.Popen[bytes] | None = None

    def outputs(self, model: bytes, frames: Sequence[Sequence[Array]]) -> list[list[Array]]:
        """The outputs of each frame, one after another on one interpreter. Raises OracleError."""
        arrays: dict[str, Array] = {"model": np.frombuffer(model, np.uint8)}
        for number, inputs in enumerate(frames):
            arrays |= {f"{number} {at}": array for at, array in enumerate(inputs)}
        found = self._asked(arrays)
        if "error" in found:
            raise OracleError(str(found["error"]))
        return [
            [found[f"{number} {at}"] for at in range(int(found["outputs"]))]
            for number in range(len(frames))
        ]

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
    np.savez(buffer, **arrays)  # pyright: ignore[reportArgumentType]
    stream.write(len(buffer.getvalue()).to_bytes(_LENGTH_BYTES, "little") + buffer.getvalue())
    stream.flush()


def _read(stream) -> dict[str, Array]:
    head = stream.read(_LENGTH_BYTES)
    if len(head) < _LENGTH_BYTES:
        raise EOFError
    with np.load(io.BytesIO(stream.read(int.from_bytes(head, "little")))) as found:
        return dict(found)


def interpreted(model: bytes, frames: Sequence[Sequence[Array]]) -> list[list[Array]]:
    """The outputs of each frame with the BUILTIN_REF kernels; of a model with an operator that is not among them (CEIL,
    ELU, ROUND) with the only kernels there are.
    """
    from tflite_runtime.interpreter import Interpreter, OpResolverType

    def run(resolver: OpResolverType) -> list[list[Array]]:
        interpreter = Interpreter(model_content=model, experimental_op_resolver_type=resolver)
        interpreter.allocate_tensors()
        results: list[list[Array]] = []
        for inputs in frames:
            for detail, array in zip(interpreter.get_input_details(), inputs, strict=True):
                interpreter.set_tensor(detail["index"], array)
            interpreter.invoke()
            outputs = interpreter.get_output_details()
            results.append([interpreter.get_tensor(detail["index"]) for detail in outputs])
        return results

    try:
        return run(OpResolverType.BUILTIN_REF)
    except ValueError:  # no such operator
        return run(OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)


def _serve() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    with contextlib.suppress(EOFError):
        while True:
            asked = _read(sys.stdin.buffer)
            model = asked.pop("model").tobytes()
            frames: dict[int, list[Array]] = {}
            for name, array in asked.items():
                frames.setdefault(int(name.split()[0]), []).append(array)
            try:
                results = interpreted(model, [*frames.values()])
            except (RuntimeError, ValueError, MemoryError) as error:
                _write(sys.stdout.buffer, {"error": np.array(str(error).split("\n")[0])})
                continue
            arrays = {"outputs": np.array(len(results[0]))}
            for number, outputs in enumerate(results):
                arrays |= {f"{number} {at}": array for at, array in enumerate(outputs)}
            _write(sys.stdout.buffer, arrays)


if __name__ == "__main__":
    _serve()
