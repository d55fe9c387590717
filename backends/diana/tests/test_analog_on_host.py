"""The plain C of analog layers on this computer, under sanitizers: the evaluator's bytes."""

from pathlib import Path

import numpy as np
import pytest
from analog_layers import analog_layer
from tinsmith_c.testing import HostModel, KernelObjects, tight_program
from tinsmith_diana.analog import AnalogReferenceBackend
from tinsmith_diana.analog.border_layers import analog_border_inputs
from tinsmith_ir import Graph, parse_graph
from tinsmith_ir.errors import UnsupportedError
from tinsmith_lowering import Kernel, lower, prepare
from tinsmith_target import Target

_SEEDS = range(24)
# The result of the other one is so much larger than its input that it overtakes it.
_OVERLAPPING = [seed for seed in range(16) if seed != 4]


@pytest.fixture(scope="module")
def objects(kernels_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> KernelObjects:
    """The analog layers' C alone: it needs no other."""
    folder = tmp_path_factory.mktemp("analog")
    return KernelObjects.of_repository(kernels_folder, ["analog"], folder)


@pytest.fixture(scope="module")
def analog(host: Target) -> tuple[Kernel, ...]:
    """The kernels under test."""
    return AnalogReferenceBackend().kernels(host)


@pytest.mark.parametrize("seed", _SEEDS)
def test_c_gives_the_bytes_of_the_evaluator(
    seed: int, host: Target, analog: tuple[Kernel, ...], objects: KernelObjects, tmp_path: Path
) -> None:
    graph = analog_layer(seed)
    model = HostModel.of_graph(graph, host, analog, objects, tmp_path)
    for inputs in analog_border_inputs(graph, seed):
        assert model.wrong_results(inputs, graph) == []


def random_inputs_of(names: list[tuple[str, tuple[int, ...]]]) -> dict[str, np.ndarray]:
    random = np.random.default_rng(3)
    return {name: random.integers(-64, 64, shape).astype(np.int8) for name, shape in names}


def test_results_may_lie_over_inputs(host: Target, analog: tuple[Kernel, ...]) -> None:
    programs = [lower(analog_layer(seed), host, analog) for seed in _OVERLAPPING]
    assert all(program.calls[0].over for program in programs)


@pytest.mark.parametrize("seed", _OVERLAPPING)
def test_results_lie_over_inputs_as_the_walk_says(
    seed: int, host: Target, analog: tuple[Kernel, ...], objects: KernelObjects, tmp_path: Path
) -> None:
    tight = tight_program(prepare(lower(analog_layer(seed), host, analog), host, analog))
    model = HostModel.build(tight, host, analog, objects, tmp_path)
    names = [(name, tight.view[name].type.shape) for name in tight.inputs]
    assert model.wrong_results(random_inputs_of(names)) == []


def with_weights(weights: str, constant: str) -> Graph:
    """A pixel of two channels."""
    return parse_graph(f"""graph 2 "g" {{
      input %x: i8[1,1,1,2]<0.5, 0>
      {weights}
      const %m: i8[1] = [3]
      const %a: i8[1] = [7]
      %y: i8[1,1,1,1]<0.25, 0> = analog_conv2d(%x, {constant}, %m, %a) {{gain=2, chunk_channels=2}}
      output %y
    }}""")


def test_other_weights_are_refused_with_a_reason(host: Target, analog: tuple[Kernel, ...]) -> None:
    graph = with_weights("const %w: i8[1,1,1,2] = [1, -2]", "%w")
    with pytest.raises(UnsupportedError, match="each -1, 0 or 1: there is -2"):
        lower(graph, host, analog)
    graph = with_weights("input %w: i8[1,1,1,2]", "%w")
    with pytest.raises(UnsupportedError, match="weights are computed at run time"):
        lower(graph, host, analog)


def test_weights_are_four_to_a_byte(host: Target, analog: tuple[Kernel, ...]) -> None:
    graph = analog_layer(3)
    count = graph.nodes[0].present_inputs[1].type.elements
    program = prepare(lower(graph, host, analog), host, analog)
    weights, *_ = program.calls[0].reads
    assert program.constant[weights].type.size_bytes == -(-count // 4)
