"""Jobs of random layers on the simulated accelerator: the evaluator's bytes, and the cycles that `jobs.cycles` says."""

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_emulators import MissingEmulatorError, need_emulator, run, trace
from tinsmith_ir import Graph
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.operators import Convolution
from tinsmith_ir.program import Option
from tinsmith_ir.testing import GraphBuilder
from tinsmith_lowering import Kernel, Layer, layer_of_call, lower
from tinsmith_neureka import convolution, jobs
from tinsmith_neureka.border_layers import border_inputs, border_layer
from tinsmith_target import ChipConstant, SocSimulator, Target, target
from tinsmith_toolchains import Firmware, MissingToolError, build_firmware

KERNELS = Path(__file__).parents[3] / "kernels"
SIRACUSA = target("siracusa")

_SEEDS = range(40)
_IMAGE_BYTES = 0x1C000
_ALIGNMENT = 16
_MOST_CONFLICTS, _USUAL_CONFLICTS = 0.1, 0.05
"""What waits for taken banks add to a job's cycles, and to those of all, where nobody else uses the memory."""


@dataclass(frozen=True, eq=False)
class Case:
    """A layer that the accelerator takes. given: input of a run of calls.c. after: the image."""

    seed: int
    job: jobs.Job
    given: bytes
    after: NDArray[np.uint8]


@pytest.fixture(scope="module")
def firmware(tmp_path_factory: pytest.TempPathFactory) -> Firmware:
    room = KERNELS / "neureka"
    sources = [room / "src" / "call.c", room / "src" / "engine.c", KERNELS / "cluster" / "pulp.c"]
    try:
        need_emulator(SIRACUSA.board)
        return build_firmware(
            SIRACUSA,
            sources,
            harness=[Path(__file__).parent / "calls.c"],
            include_directories=[KERNELS / "include", room / "include"],
            output_directory=tmp_path_factory.mktemp("calls"),
            cluster=True,
            extra_flags=["-Werror"],
        )
    except (MissingEmulatorError, MissingToolError) as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module", params=["beside", "near"])
def cases(host: Target, kernels: tuple[Kernel, ...], request: pytest.FixtureRequest) -> list[Case]:
    """Of some seeds, those that the accelerator takes, their weights in its own memory or the cluster's; of layers with
    strides all that it computes.
    """
    where = Option("weights", str(request.param))
    found: list[Case] = []
    for seed in _SEEDS:
        graph = border_layer(seed)
        program = lower(graph, host, kernels)
        (call,) = program.calls
        if call.kernel.startswith("tinsmith_neureka_call"):
            layer = layer_of_call(program, call, host)
            others = [option for option in layer.options if option.name != where.name]
            found.append(case(seed, graph, replace(layer, options=(*others, where))))
    return found


def case(seed: int, graph: Graph, layer: Layer) -> Case:
    """Its arrays one behind the other, in an image of other bytes."""
    job = convolution.job_of(layer)
    words, constants, weights = convolution.prepare(layer)
    inputs = border_inputs(graph, seed)[0]
    image = np.random.default_rng(seed).integers(0, 256, _IMAGE_BYTES, np.uint8)
    offsets = [0]
    for array in (constants.data, weights.data, inputs["x"]):
        image[offsets[-1] :][: array.nbytes] = array.reshape(-1).view(np.uint8)
        offsets.append(-(-(offsets[-1] + array.nbytes) // _ALIGNMENT) * _ALIGNMENT)
    is_beside = bool(weights.memory)
    sizes = (offsets[0], offsets[1], weights.data.nbytes, *offsets[2:])
    numbers = struct.pack("<7I", job.output[2], *sizes, is_beside)
    given = numbers + words.data.tobytes() + image.tobytes()
    if is_beside:
        image[offsets[1] :][: weights.data.nbytes] = 0
    return Case(seed, job, given, _after(image, offsets[-1], job, graph, layer, inputs["x"]))


def _after(
    image: NDArray[np.uint8],
    offset: int,
    job: jobs.Job,
    graph: Graph,
    layer: Layer,
    x: NDArray[np.generic],
) -> NDArray[np.uint8]:
    """The image with the evaluator's results of the layer without strides, of 1x1 with them."""
    if job.step == (1, 1):
        graph = _without_strides(graph, layer.operator_as(Convolution))
    (result,) = evaluate_graph(graph, {"x": x}).values()
    height, width, _ = job.output
    after = image.copy()
    kept = np.ascontiguousarray(result[0, :height, :width]).view(np.uint8)
    after[offset : offset + kept.size] = kept.reshape(-1)
    return after


def _without_strides(graph: Graph, operator: Convolution) -> Graph:
    (node,) = graph.nodes
    builder = GraphBuilder(graph.name)
    x = builder.input("x", node.present_inputs[0].type)
    constants = [
        builder.constant(
            value.name, graph.constant_data[value.name], value.type.quantization, value.type.dtype
        )
        for value in node.present_inputs[1:]
    ]
    dense = replace(operator, stride=(1, 1))
    result = node.outputs[0].type.quantization
    return builder.build(builder.add(dense, [x, *constants], "y", result))


def job_cycles(firmware: Firmware, chip: Target, given: bytes) -> int:
    """From the trigger of the only job to its event."""
    events = json.loads(trace(firmware, chip, given))["traceEvents"]
    (track,) = [
        event["tid"]
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "neureka"
    ]
    (job,) = [event for event in events if event["ph"] == "X" and event["tid"] == track]
    return int(job["dur"])


def test_jobs_leave_the_evaluators_bytes_and_touch_nothing_else(
    firmware: Firmware, cases: Sequence[Case]
) -> None:
    assert len(cases) > len(_SEEDS) // 3
    result = run(firmware, SIRACUSA, [it.given for it in cases])
    wrong = [
        it.seed
        for it, image in zip(cases, result.outputs, strict=True)
        if image != it.after.tobytes()
    ]
    assert wrong == []


def test_cycles_are_those_of_the_device(firmware: Firmware, cases: Sequence[Case]) -> None:
    """To the cycle with a bank for every word; with the chip's banks a few more, as weights and inputs meet in them."""
    emulator = SIRACUSA.board.emulator
    assert isinstance(emulator, SocSimulator)
    many = replace(emulator, constants=(ChipConstant("l1_banks", 65536),))
    without_conflicts = replace(SIRACUSA, board=replace(SIRACUSA.board, emulator=many))
    expected = [jobs.cycles(it.job) for it in cases]
    assert [job_cycles(firmware, without_conflicts, it.given) for it in cases] == expected
    took = [job_cycles(firmware, SIRACUSA, it.given) for it in cases]
    ratios = [measured / planned for measured, planned in zip(took, expected, strict=True)]
    assert min(ratios) >= 1
    assert max(ratios) <= 1 + _MOST_CONFLICTS
    assert sum(took) <= (1 + _USUAL_CONFLICTS) * sum(expected)
