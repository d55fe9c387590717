"""The same network as a TFLite file and as a module of PyTorch: the same graph but for names, and the same memory; of
int8 too, if what TFLite rounds is rounded to the nearest.
"""

import importlib.util

import pytest
from canonical import assert_same
from figures import NEAREST, after_passes, averaged_to_even, compiled, weight_bytes
from networks import MLPERF_TINY, OWN, QUANTIZED, mlperf_tiny, quantized
from steps import channels_first
from tinsmith_ir import Graph


def _is_torch_there() -> bool:
    """A folder named so is a module without a file."""
    found = importlib.util.find_spec("torch")
    return found is not None and found.origin is not None


pytestmark = pytest.mark.skipif(
    not _is_torch_there(), reason="PyTorch is absent; third_party/README.md says how to have it"
)


def _network(name: str) -> Graph:
    graph = OWN[name]() if name in OWN else mlperf_tiny(name)
    if graph is None:
        pytest.skip("MLPerf Tiny models absent")
    return graph


def _from_torch(graph: Graph) -> Graph:
    from as_torch import Network, example_inputs
    from tinsmith_torch import import_torch

    steps = channels_first(graph)
    return import_torch(Network(steps).eval(), example_inputs(steps))


@pytest.mark.parametrize("name", [*OWN, *MLPERF_TINY])
def test_torch_gives_the_graph_of_tflite(name: str) -> None:
    graph = _network(name)
    assert_same(after_passes(graph), after_passes(_from_torch(graph)))


@pytest.mark.parametrize("name", [*OWN, *MLPERF_TINY])
def test_torch_takes_the_memory_of_tflite(name: str) -> None:
    graph = _network(name)
    one, other = compiled(graph), compiled(_from_torch(graph))
    assert other.arena_bytes == one.arena_bytes
    assert weight_bytes(other) == weight_bytes(one)


def _of_integers(name: str) -> Graph:
    graph = quantized(name)
    if graph is None:
        pytest.skip("MLPerf Tiny models absent")
    return graph


@pytest.mark.parametrize("name", QUANTIZED)
def test_torch_gives_the_integers_of_tflite(name: str) -> None:
    graph = _of_integers(name)
    result = after_passes(_from_torch(graph))
    assert_same(after_passes(averaged_to_even(graph), NEAREST), result)
    assert {node.outputs[0].type.dtype.value for node in result.nodes} == {"i8"}


@pytest.mark.parametrize("name", QUANTIZED)
def test_torch_takes_the_memory_of_tflites_integers(name: str) -> None:
    graph = _of_integers(name)
    one, other = compiled(graph, NEAREST), compiled(_from_torch(graph))
    assert other.arena_bytes == one.arena_bytes
    # Biases of nothing but zeros are one here, where TFLite has one for each scale.
    assert weight_bytes(other) <= weight_bytes(one)
