"""From a file to C, and to a firmware that an emulator runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tinsmith_allocation import AllocateBuffers
from tinsmith_c import WriteOptions, write
from tinsmith_emulators import EmulatorError, RunResult, run
from tinsmith_ir import Graph, Program, TinsmithError
from tinsmith_lowering import Backend, Kernel, lower, prepare, supported_operators
from tinsmith_onnx import export_onnx, import_onnx
from tinsmith_reference import backend
from tinsmith_target import Target, target, targets
from tinsmith_tflite import export_tflite, import_tflite, is_tflite
from tinsmith_toolchains import Firmware, build_firmware


def read(path: Path) -> Graph:
    data = path.read_bytes()
    return import_tflite(path) if is_tflite(data) else import_onnx(path)


def files(graph: Graph, chosen: Target) -> Mapping[str, bytes]:
    own: Backend = backend()
    kernels: Sequence[Kernel] = own.kernels(chosen)
    program: Program = prepare(lower(graph, chosen, kernels), chosen, kernels)
    placed = AllocateBuffers().run(program)
    print(supported_operators(kernels).splitlines()[0])
    return write(placed, chosen, kernels, WriteOptions("1.0"))


def firmware(sources: Sequence[Path], folder: Path) -> Firmware:
    return build_firmware(target("cortex-m4"), sources, harness=[], output_directory=folder)


def outputs(built: Firmware, inputs: Sequence[bytes]) -> Sequence[bytes]:
    try:
        result: RunResult = run(built, built.target, inputs, timeout_seconds=20)
    except EmulatorError as error:
        raise SystemExit(error.exit_status) from error
    return result.outputs


def main(path: Path) -> None:
    try:
        graph = read(path)
    except TinsmithError as error:
        raise SystemExit(str(error)) from error
    for name, data in files(graph, next(iter(targets()))).items():
        Path(name).write_bytes(data)
    print(len(export_onnx(graph)), len(export_tflite(graph)))
