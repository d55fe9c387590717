import numpy as np
import pytest
from tinsmith_ir import DType, Graph, Pipeline, UsageError, evaluate_graph, parse_graph, print_graph
from tinsmith_ir.operators import FullyConnected, Rescaling
from tinsmith_ir.parameters import fully_connected_channel_parameters
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import random_graph, random_inputs
from tinsmith_ir.verify import verify_graph
from tinsmith_rounding import SetRounding, narrow_bits

_LAYER = """graph 2 "g" {{
  input %x: i8[1,4]<0.5, {zero}>
  const %w: i8[2,4]<[0.25, 0.125], [0, 0], axis 0> = [127, -127, 100, {last}, 1, -2, 3, -4]
  const %b: i32[2] = [{bias}, -5]
  %y: i8[1,2]<4.0, -3> = fully_connected(%x, %w, %b)
  %r: i8[1,2]<4.0, -3> = relu(%y)
  output %r
}}"""


def layer(zero: int = 3, last: int = -128, bias: int = 1000) -> Graph:
    return parse_graph(_LAYER.format(zero=zero, last=last, bias=bias))


def roundings(graph: Graph) -> set[tuple[Rounding, int]]:
    operators = [node.operator for node in graph.nodes]
    return {(op.rounding, op.multiplier_bits) for op in operators if isinstance(op, Rescaling)}


@pytest.mark.parametrize("mode", ["nearest", "floor", "tflite"])
def test_every_step_gets_the_mode(mode: str) -> None:
    graph = SetRounding(mode).run(layer())
    assert roundings(graph) == {(Rounding(mode), 31)}
    assert SetRounding(mode).run(graph) is graph


@pytest.mark.parametrize(("result", "bits"), [("0.5", 1), ("0.25", 2), ("0.03125", 5)])
def test_a_ratio_that_so_few_bits_do_not_hold_gets_as_many_as_do(result: str, bits: int) -> None:
    graph = parse_graph(f"""graph 2 "g" {{
      input %x: i8[1,4]<0.5, 3>
      input %z: i8[1,4]<0.5, 3>
      %y: i8[1,4]<{result}, -3> = add(%x, %z)
      output %y
    }}""")
    set_ = SetRounding("floor", bits=1).run(graph)
    verify_graph(set_)
    assert roundings(set_) == {(Rounding.FLOOR, bits)}


def test_the_way_back_gives_the_graph_that_was() -> None:
    graph = layer()
    there = SetRounding("floor", bits=9).run(graph)
    assert there != graph
    assert print_graph(SetRounding("tflite").run(there)) == print_graph(graph)


def test_halves_go_away_from_zero() -> None:
    text = """graph 2 "g" {{
      input %x: f32[1,2,2,1]
      %q: i8[1,2,2,1]<0.5, 3> = quantize(%x){halves}
      %y: i8[1,1,1,1]<0.5, 3> = average_pool2d(%q) {{window=[2,2]{more}}}
      output %y
    }}"""
    graph = parse_graph(text.format(halves=" {halves_to_even=true}", more=", halves_to_even=true"))
    wanted = print_graph(parse_graph(text.format(halves="", more="")))
    assert print_graph(SetRounding("tflite").run(graph)) == wanted
    pooled = parse_graph(text.format(halves=" {halves_to_even=true}", more=""))
    assert print_graph(SetRounding("nearest", narrow=True).run(graph)) == print_graph(pooled)
    assert SetRounding("nearest").run(graph) is graph


def test_floats_and_sums_stay() -> None:
    graph = random_graph(4, dtype=DType.FLOAT32)
    assert SetRounding().run(graph) is graph
    sums = parse_graph("""graph 2 "sums" {
      input %x: i8[1,2]<0.5, 0>
      const %w: i8[1,2]<0.5, 0> = [1, 2]
      %y: i32[1,1]<0.25, 0> = fully_connected(%x, %w) {accumulator=i32}
      output %y
    }""")
    assert SetRounding().run(sums) is sums


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16])
@pytest.mark.parametrize(
    "pass_",
    [SetRounding("nearest"), SetRounding("floor"), SetRounding("nearest", narrow=True)],
    ids=["nearest", "floor", "narrow"],
)
def test_each_step_by_itself_moves_by_two_at_most(pass_: SetRounding, dtype: DType) -> None:
    for seed in range(6):
        graph = random_graph(2 * seed, dtype=dtype, nodes=10)
        result = Pipeline([pass_]).run(graph, verify_inputs=random_inputs(graph, seed))
        (record,) = result.records
        assert record.verified
        assert record.measured is not None
        assert record.measured <= (2.0 if pass_.narrow else 1.0), seed


@pytest.mark.parametrize(
    ("zero", "last", "bias"), [(3, -128, 1000), (-128, 1, 0), (127, -128, -(1 << 22))]
)
def test_narrow_products_fit_into_32_bits(zero: int, last: int, bias: int) -> None:
    graph = SetRounding("nearest").run(layer(zero, last, bias))
    node = graph.nodes[0]
    bits = narrow_bits(graph, node)
    assert bits is not None
    narrow = SetRounding("nearest", narrow=True).run(layer(zero, last, bias)).nodes[0].operator
    assert isinstance(narrow, FullyConnected)
    assert narrow.multiplier_bits == bits
    types = [value.type for value in node.present_inputs]
    p = fully_connected_channel_parameters(narrow, types, node.outputs[0].type)
    weights = graph.constant_data["w"].astype(np.int64)
    biases = graph.constant_data["b"].astype(np.int64)
    varying = np.array(
        [abs(bias) < 1 << 20, True]
    )  # else the clamp gives the first channel one value
    for sign in (-1, 1):
        # The input that makes each channel's sum as large, or as small, as it gets.
        x = np.where(sign * weights > 0, 127, -128)
        acc = ((x - zero) * weights).sum(axis=1) + biases
        half = np.int64(1) << (30 - p.shifts.astype(np.int64))
        fits = np.abs(acc * p.multipliers) + half <= (1 << 31) - 1
        assert fits[varying].all()


def test_no_width_is_named_where_few_bits_fit() -> None:
    # About 125 steps for the first channel, by a scale of 2**-16.
    text = _LAYER.replace("[0.25,", "[0.0001220703125,").format(zero=3, last=-128, bias=1 << 23)
    graph = SetRounding("nearest").run(parse_graph(text))
    assert narrow_bits(graph, graph.nodes[0]) is None
    narrow = SetRounding("nearest", narrow=True).run(parse_graph(text))
    assert (Rounding.NEAREST, 31) in roundings(narrow)


def test_a_channel_of_one_value_does_not_count() -> None:
    graph = SetRounding("nearest").run(layer(bias=1 << 25))
    small = SetRounding("nearest").run(layer(bias=0, last=0))
    bits = narrow_bits(graph, graph.nodes[0])
    without = narrow_bits(small, small.nodes[0])
    assert bits is not None
    assert without is not None
    # The second channel's sums are smaller than any of the first one's.
    assert bits > without


def test_one_bit_is_a_plain_shift() -> None:
    text = """graph 2 "shift" {
      input %x: i8[4]<0.5, 0>
      %y: i8[4]<2.0, 0> = requantize(%x)
      output %y
    }"""
    graph = SetRounding("floor", bits=1).run(parse_graph(text))
    x = np.array([-5, -4, 7, 127], np.int8)
    assert evaluate_graph(graph, {"x": x})["y"].tolist() == (x >> 2).tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "up"}, "expected a mode of rounding of tflite, nearest, floor, got 'up'"),
        ({"bits": 0}, "expected bits from 1 to 31, got 0"),
        ({"mode": "tflite", "bits": 8}, "neither bits nor narrow"),
        ({"mode": "tflite", "narrow": True}, "neither bits nor narrow"),
    ],
)
def test_options_that_no_mode_has_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        SetRounding(**options)  # pyright: ignore[reportArgumentType]


def test_the_zero_point_of_weights_counts_in_their_sums() -> None:
    text = """graph 2 "g" {{
      input %x: i8[1,4]<0.5, 0>
      const %w: i8[1,4]<0.25, {zero}> = [1, 1, 1, 1]
      %y: i8[1,1]<4.0, -3> = fully_connected(%x, %w, none)
      output %y
    }}"""
    graphs = [parse_graph(text.format(zero=zero)) for zero in (0, -127)]
    small, large = (narrow_bits(graph, graph.nodes[0]) for graph in graphs)
    assert small is not None
    assert large is not None
    # Sums of 4 * 128 * 1, and of 4 * 128 * 128.
    assert small - large == 7


def test_multipliers_of_blocks_count_in_their_sums() -> None:
    text = """graph 2 "g" {{
      input %x: i8[1,4]<0.5, 0>
      const %w: i4[1,4]<0.25, 0> = [1, 1, 1, 1]
      const %m: u8[1,2] = [{low}, {high}]
      %y: i8[1,1]<16.0, -3> = blockwise_fully_connected(%x, %w, none, %m) {{block=2}}
      output %y
    }}"""
    widths: list[int] = []
    for low, high in ((1, 1), (1, 31)):
        graph = SetRounding("nearest").run(parse_graph(text.format(low=low, high=high)))
        bits = narrow_bits(graph, graph.nodes[0])
        assert bits is not None
        widths.append(bits)
    # Sums of 4 * 128, and of 2 * 128 * (1 + 31).
    assert widths[0] - widths[1] == 4
