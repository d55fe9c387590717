"""What the operator of analog arrays computes, and which types and attributes it refuses."""

import dataclasses

import numpy as np
import pytest
from analog_layers import analog_layer, expected_results
from tinsmith_diana.analog import AnalogConv2D
from tinsmith_diana.analog.border_layers import analog_border_inputs
from tinsmith_ir import Graph, evaluate_graph, parse_graph, print_graph
from tinsmith_ir.boxes import Box
from tinsmith_ir.errors import EvaluationError, GraphError
from tinsmith_ir.types import DType, Quantization, TensorType
from tinsmith_ir.verify import verify_graph

_SEEDS = range(32)
_TINY = AnalogConv2D(gain=2, chunk_channels=2, shift=1)
_POINT = Quantization.per_tensor(0.5, 0)


def tiny(attributes: str) -> Graph:
    """Two outputs of a pixel of three channels."""
    return parse_graph(f"""graph 2 "tiny" {{
      input %x: i8[1,1,1,3]<0.5, 0>
      const %w: i8[2,1,1,3] = [1, -1, 1, 0, 1, 1]
      const %m: i8[2] = [3, -4]
      const %a: i8[2] = [7, 1]
      %y: i8[1,1,1,2]<0.25, 0> = analog_conv2d(%x, %w, %m, %a) {{{attributes}}}
      output %y
    }}""")


def result_of(graph: Graph, *x: int) -> list[int]:
    """Of one pixel."""
    found = evaluate_graph(graph, {"x": np.array(x, np.int8).reshape(1, 1, 1, 3)})
    return [int(value) for value in found["y"].reshape(-1)]


def test_each_chunk_is_rounded_down_by_itself_and_then_added() -> None:
    # Output 0: 5 - 8 = -3 -> -2, and 3 -> 1, together -1; (-1 * 3 + 7) >> 1.
    # Output 1: 8 -> 4, and 3 -> 1, together 5; (5 * -4 + 1) >> 1.
    assert result_of(tiny("gain=2, chunk_channels=2, shift=1"), 5, 8, 3) == [2, -10]
    # 0 -> 0; (0 + 7) >> 1. 11 -> 5; (5 * -4 + 1) >> 1.
    assert result_of(tiny("gain=2, chunk_channels=3, shift=1"), 5, 8, 3) == [3, -10]


def test_converters_clip_to_six_bits() -> None:
    # 60 + 63 = 123 -> 31; -60 - 63 = -123 -> -32.
    text = "gain=2, chunk_channels=3"
    assert result_of(tiny(text), 60, 0, 63) == [31 * 3 + 7, 31 * -4 + 1]
    assert result_of(tiny(text), -60, 0, -63) == [-32 * 3 + 7, 127]


def test_results_are_clipped_to_their_bits_and_to_zero_where_rectified() -> None:
    assert result_of(tiny("gain=2, chunk_channels=3, bits=7"), 60, 0, 63) == [63, -64]
    assert result_of(tiny("gain=2, chunk_channels=3, rectified=true"), 60, 0, 63) == [100, 0]


def test_addends_are_shifted_to_the_left() -> None:
    text = "gain=16, chunk_channels=3, shift=2, addend_shift=3"
    assert result_of(tiny(text), 0, 0, 0) == [7 * 8 >> 2, 8 >> 2]


@pytest.mark.parametrize("seed", _SEEDS)
def test_layers_are_those_of_the_formula(seed: int) -> None:
    graph = analog_layer(seed)
    for inputs in analog_border_inputs(graph, seed)[:2]:
        expected, _ = expected_results(graph, inputs["x"])
        assert np.array_equal(evaluate_graph(graph, inputs)["y"], expected)


def test_drawn_layers_clip_and_have_several_chunks() -> None:
    """What the test above stands for."""
    graphs = [analog_layer(seed) for seed in _SEEDS]
    shares = [
        expected_results(graph, analog_border_inputs(graph, 0)[0]["x"])[1] for graph in graphs
    ]
    assert sum(0.02 < share < 0.9 for share in shares) > 5
    assert sum(share == 0 for share in shares) > 5
    weights = [graph.nodes[0].present_inputs[1].type.shape for graph in graphs]
    assert sum(rows * columns * channels > 1152 for _, rows, columns, channels in weights) > 5
    inner = 0
    for graph in graphs:
        y = evaluate_graph(graph, analog_border_inputs(graph, 0)[0])["y"].astype(np.int64)
        inner += float(((np.abs(y) < 63) & (y != 0)).mean()) > 0.2
    assert inner > 10


@pytest.mark.parametrize("seed", _SEEDS[:8])
def test_text_reads_back(seed: int) -> None:
    graph = analog_layer(seed)
    text = print_graph(graph)
    assert print_graph(parse_graph(text)) == text
    assert parse_graph(text).nodes[0].operator == graph.nodes[0].operator


@pytest.mark.parametrize("seed", _SEEDS)
def test_any_box_of_a_result_can_be_computed_alone(seed: int) -> None:
    graph = analog_layer(seed)
    (node,) = graph.nodes
    inputs = [value.type for value in node.present_inputs]
    outputs = [node.outputs[0].type]
    given = analog_border_inputs(graph, seed)[0]
    arrays = [given["x"], *(graph.constant_data[value.name] for value in node.present_inputs[1:])]
    (whole,) = node.operator.evaluate(arrays, inputs, outputs)
    random = np.random.default_rng(seed)
    for _ in range(6):
        ends = [sorted(random.choice(size + 1, 2, replace=False)) for size in whole.shape]
        box = Box(tuple((int(begin), int(end)) for begin, end in ends))
        found = node.operator.restrict(box, inputs, outputs)
        assert found is not None
        parts = [
            array[part.slices]
            for array, part in zip(arrays, found.operands, strict=True)
            if part is not None
        ]
        types = found.cut_types(inputs)
        made = dataclasses.replace(outputs[0], shape=box.shape)
        assert found.operator.infer(types)[0].shape == box.shape
        (part,) = found.operator.evaluate(parts, types, [made])
        assert np.array_equal(part, whole[box.slices])


def test_inputs_of_eight_bits_are_refused() -> None:
    with pytest.raises(EvaluationError, match=r"an input .* in \[-64, 63\], got -65 to 0"):
        result_of(tiny("gain=2, chunk_channels=3"), -65, 0, 0)


def test_other_weights_than_ternary_ones_are_refused() -> None:
    graph = parse_graph(
        print_graph(tiny("gain=2, chunk_channels=3")).replace("[1, -1, 1,", "[1, -2, 1,")
    )
    with pytest.raises(EvaluationError, match=r"weights .* in \[-1, 1\], got -2 to 1"):
        result_of(graph, 0, 0, 0)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ("gain=0, chunk_channels=3", "expected gain from 1 to 131072, got 0"),
        ("gain=2, chunk_channels=0", "expected chunk_channels from 1 to 1152, .* got 0"),
        ("gain=2, chunk_channels=1153", "expected chunk_channels from 1 to 1152, .* got 1153"),
        ("gain=2, chunk_channels=3, shift=32", "expected shift from 0 to 31, got 32"),
        ("gain=2, chunk_channels=3, addend_shift=16", "expected addend_shift from 0 to 15, got 16"),
        ("gain=2, chunk_channels=3, bits=6", "expected bits from 7 to 8, got 6"),
        ("gain=2, chunk_channels=3, padding=[0,0,0,-1]", "expected padding"),
    ],
)
def test_attributes_that_the_array_has_not_are_refused(attributes: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        verify_graph(tiny(attributes))


@pytest.mark.parametrize(
    ("index", "changed", "message"),
    [
        (0, TensorType((1, 1, 1, 3), DType.INT8, Quantization.per_tensor(0.5, 3)), "zero point 0"),
        (0, TensorType((1, 1, 1, 3), DType.INT16, _POINT), "expected input of dtype i8"),
        (0, TensorType((1, 1, 1, 6), DType.INT8, _POINT), "in one group, got 3"),
        (0, TensorType((1, 3), DType.INT8, _POINT), "expected input of rank 4"),
        (1, TensorType((2, 1, 1, 3), DType.INT8, _POINT), "weights without quantization"),
        (2, TensorType((3,), DType.INT8), r"multipliers of shape \(2,\), got \(3,\)"),
        (3, TensorType((2,), DType.INT32), "expected addends of dtype i8"),
    ],
)
def test_types_are_refused(index: int, changed: TensorType, message: str) -> None:
    types = [
        TensorType((1, 1, 1, 3), DType.INT8, _POINT),
        TensorType((2, 1, 1, 3), DType.INT8),
        TensorType((2,), DType.INT8),
        TensorType((2,), DType.INT8),
    ]
    types[index] = changed
    made = TensorType((1, 1, 1, 2), DType.INT8, _POINT)

    def check() -> None:
        _TINY.infer(types)
        _TINY.verify(types, [made])

    with pytest.raises(GraphError, match=message):
        check()


def test_windows_of_more_taps_than_rows_are_refused() -> None:
    operator = AnalogConv2D(gain=1, chunk_channels=1)
    types = [
        TensorType((1, 40, 40, 1), DType.INT8, _POINT),
        TensorType((1, 40, 40, 1), DType.INT8),
        TensorType((1,), DType.INT8),
        TensorType((1,), DType.INT8),
    ]
    with pytest.raises(GraphError, match=r"a window of at most 1152 taps, .* got 40x40"):
        operator.verify(types, [TensorType((1, 1, 1, 1), DType.INT8, _POINT)])


def test_more_chunks_than_32_bits_hold_are_refused() -> None:
    operator = AnalogConv2D(gain=1, chunk_channels=1)
    channels = (1 << 18) + 1
    types = [
        TensorType((1, 1, 1, channels), DType.INT8, _POINT),
        TensorType((1, 1, 1, channels), DType.INT8),
        TensorType((1,), DType.INT8),
        TensorType((1,), DType.INT8),
    ]
    with pytest.raises(GraphError, match="expected at most 262144 chunks, got 262145"):
        operator.verify(types, [TensorType((1, 1, 1, 1), DType.INT8, _POINT)])
