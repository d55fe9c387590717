"""The same network as a TFLite and as an ONNX file: the same graph but for names, the same memory, the same work.

`test_torch_side.py` has PyTorch's side; `measure.py` prints figures of all networks.
"""

import onnx
import pytest
from as_onnx import NEW, OLD, Style, as_onnx
from canonical import assert_same
from figures import after_passes, compiled, measured, weight_bytes
from networks import MLPERF_TINY, OWN, mlperf_tiny
from steps import channels_first
from tinsmith_ir import Graph
from tinsmith_onnx import import_onnx

_STYLES = {"new": NEW, "old": OLD}
_SHARE = 0.02
"""Of instructions, by which sides may differ."""


def _network(name: str) -> Graph:
    graph = OWN[name]() if name in OWN else mlperf_tiny(name)
    if graph is None:
        pytest.skip("MLPerf Tiny models absent")
    return graph


@pytest.mark.parametrize("style", _STYLES)
@pytest.mark.parametrize("name", [*OWN, *MLPERF_TINY])
def test_onnx_gives_the_graph_of_tflite(name: str, style: str) -> None:
    graph = _network(name)
    other = import_onnx(as_onnx(channels_first(graph), _STYLES[style]))
    assert_same(after_passes(graph), after_passes(other))


@pytest.mark.parametrize("style", _STYLES)
@pytest.mark.parametrize("name", [*OWN, *MLPERF_TINY])
def test_onnx_takes_the_memory_of_tflite(name: str, style: str) -> None:
    graph = _network(name)
    one = compiled(graph)
    other = compiled(import_onnx(as_onnx(channels_first(graph), _STYLES[style])))
    assert other.arena_bytes == one.arena_bytes
    assert weight_bytes(other) == weight_bytes(one)


def test_onnx_takes_the_instructions_of_tflite() -> None:
    graph = _network("squeeze_excite")
    one = measured(compiled(graph))
    other = measured(compiled(import_onnx(as_onnx(channels_first(graph), OLD))))
    assert other.instructions == pytest.approx(one.instructions, rel=_SHARE)
    assert (other.arena, other.weights) == (one.arena, one.weights)


def test_styles_say_the_same_in_different_words() -> None:
    words = {"BatchNormalization", "Div", "MatMul", "Pad", "ReduceMean", "Shape"}
    assert _kinds(NEW) & words == set()
    assert _kinds(OLD) >= words


def _kinds(style: Style) -> set[str]:
    """Of operators in the file of one network."""
    model = onnx.load_from_string(as_onnx(channels_first(OWN["squeeze_excite"]()), style))
    return {node.op_type for node in model.graph.node}
