"""A float network and the integers that stand for it."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_ir import Graph, evaluate_graph, parse_graph
from tinsmith_ir.errors import UnsupportedError, UsageError
from tinsmith_ir.printer import print_graph
from tinsmith_qdq import FoldQuantization, remaining
from tinsmith_quantization import Scheme, quantize, scheme, sqnr
from tinsmith_quantization.weights import scales_of

LAYER = """graph 2 "g" {
  input %x: f32[1,4,4,2]
  const %w: f32[3,2,2,2] = [0.5, -1.0, 0.25, 0.125, 1.0, 0.0, -0.5, 0.75,
                            0.3, -0.2, 0.1, 0.9, -0.4, 0.6, -0.7, 0.8,
                            0.01, -0.02, 0.03, -0.04, 0.05, -0.06, 0.07, -0.08]
  const %b: f32[3] = [0.1, -0.2, 0.3]
  %y: f32[1,3,3,3] = conv2d(%x, %w, %b) {activation=relu}
  %z: f32[1,27] = reshape(%y) {shape=[1,27]}
  %p: f32[1,27] = softmax(%z)
  output %p
}"""


def samples(graph: Graph, count: int = 6) -> list[dict[str, NDArray[np.generic]]]:
    random = np.random.default_rng(3)
    return [
        {
            value.name: random.normal(size=value.type.shape).astype(np.float32)
            for value in graph.inputs
        }
        for _ in range(count)
    ]


def integers(graph: Graph, chosen: Scheme) -> Graph:
    return FoldQuantization().run(quantize(graph, samples(graph), chosen).graph)


def decibels(graph: Graph, quantized: Graph) -> float:
    """Of the outputs, on the samples."""
    wanted: list[NDArray[np.generic]] = []
    got: list[NDArray[np.generic]] = []
    output = quantized.outputs[0].type.quantization
    assert output is not None
    for sample in samples(graph):
        stored: dict[str, NDArray[np.generic]] = {}
        for value in quantized.inputs:
            low, high = value.type.dtype.integer_range
            assert value.type.quantization is not None
            steps = sample[value.name].astype(np.float64) / value.type.quantization.scale
            rounded = np.rint(steps) + value.type.quantization.zero_point
            stored[value.name] = np.clip(rounded, low, high).astype(value.type.dtype.numpy)
        (real,) = evaluate_graph(graph, sample).values()
        (found,) = evaluate_graph(quantized, stored).values()
        wanted.append(real)
        got.append(output.scale * (found.astype(np.float64) - output.zero_point))
    return sqnr(wanted, got)


@pytest.mark.parametrize(
    ("name", "least"),
    [("int8", 25), ("int16x8", 45), ("int4", 25), ("power-of-two", 20), ("uint8", 25)],
)
def test_networks_keep_what_they_compute(name: str, least: float) -> None:
    graph = parse_graph(LAYER)
    quantized = integers(graph, scheme(name))
    assert not remaining(quantized)
    assert decibels(graph, quantized) > least


def test_a_bias_is_one_of_integers_before_they_are_made() -> None:
    """Of two bits, steps of the bias are so wide that rounding it later would move results."""
    graph = parse_graph(LAYER.replace("output %p", "output %y"))
    quantized = quantize(graph, samples(graph), Scheme(weight_bits=2, end_bits=2)).graph
    folded = FoldQuantization().run(quantized)
    random = np.random.default_rng(4)
    for _ in range(5):
        given = [random.integers(-128, 128, (1, 4, 4, 2)).astype(np.int8)]
        (wanted,) = evaluate_graph(quantized, given).values()
        (found,) = evaluate_graph(folded, given).values()
        assert np.array_equal(wanted, found)


MASKED = """graph 2 "g" {
  input %x: f32[1,3,3]
  const %m: MASK
  const %h: f32[1] = [HIDDEN]
  const %v: f32[1,3,4] = [1.0, -1.0, 0.5, 2.0, -2.0, 0.25, 1.5, -0.5, 0.0, 1.0, 2.0, -1.0]
  %s: f32[1,3,3] = mul(%x, %x)
  %a: f32[1,3,3] = MASKING
  %p: f32[1,3,3] = softmax(%a)
  %y: f32[1,3,4] = batch_matmul(%p, %v)
  output %y
}"""
ADDED = "f32[3,3] = [0.0, HIDDEN, HIDDEN, 0.0, 0.0, HIDDEN, 0.0, 0.0, 0.0]"
CHOSEN = "bool[3,3] = [false, true, true, false, false, true, false, false, false]"
UNCHOSEN = "bool[3,3] = [true, false, false, true, true, false, true, true, true]"


@pytest.mark.parametrize("hidden", ["-inf", "-1e9", "-3.4028234663852886e+38"])
@pytest.mark.parametrize(
    ("mask", "masking"),
    [
        (ADDED, "add(%s, %m)"),
        (ADDED, "add(%m, %s)"),
        (CHOSEN, "select(%m, %h, %s)"),
        (UNCHOSEN, "select(%m, %s, %h)"),
    ],
)
def test_masks_hide_what_they_hid(mask: str, masking: str, hidden: str) -> None:
    text = MASKED.replace("MASKING", masking).replace("MASK", mask).replace("HIDDEN", hidden)
    graph = parse_graph(text)
    quantized = integers(graph, scheme("int8"))
    assert not remaining(quantized)
    assert decibels(graph, quantized) > 25


def test_sums_with_other_constants_are_no_masks() -> None:
    text = MASKED.replace("MASKING", "add(%s, %m)").replace("MASK", ADDED)
    quantized = integers(parse_graph(text.replace("HIDDEN", "-4.0")), scheme("int8"))
    assert "add" in {node.operator.mnemonic for node in quantized.nodes}


@pytest.mark.parametrize("weights", ["nearest", "learned"])
@pytest.mark.parametrize("changes", [{}, {"power_of_two": True}, {"per_channel": False}])
def test_a_channel_that_is_its_bias_has_weights_of_wider_steps(
    changes: Mapping[str, bool], weights: str
) -> None:
    """In steps of a dead channel's weights, times those of int16, the bias would not fit into 32 bits."""
    graph = parse_graph("""graph 2 "g" {
      input %x: f32[1,4]
      const %w: f32[2,4] = [1e-7, -2e-7, 1e-7, 1e-7, 5e-7, -5e-7, 2e-7, 3e-7]
      const %b: f32[2] = [40.0, -35.0]
      %y: f32[1,2] = fully_connected(%x, %w, %b)
      output %y
    }""")
    chosen = replace(scheme("int16x8"), weights=weights, **changes)
    quantized = integers(graph, chosen)
    assert not remaining(quantized)
    assert decibels(graph, quantized) > 60


def test_inputs_and_outputs_keep_names_and_shapes_and_are_integers() -> None:
    quantized = integers(parse_graph(LAYER), scheme("int8"))
    assert [(v.name, v.type.shape, v.type.dtype.value) for v in quantized.inputs] == [
        ("x", (1, 4, 4, 2), "i8")
    ]
    (output,) = quantized.outputs
    assert (output.name, output.type.shape, output.type.dtype.value) == ("p", (1, 27), "i8")
    assert output.type.quantization is not None
    assert (output.type.quantization.scale, output.type.quantization.zero_point) == (1 / 256, -128)


def test_ends_of_uint8_lie_128_higher() -> None:
    signed = integers(parse_graph(LAYER), scheme("int8")).inputs[0].type
    unsigned = integers(parse_graph(LAYER), scheme("uint8")).inputs[0].type
    assert (unsigned.dtype.value, signed.dtype.value) == ("u8", "i8")
    assert unsigned.quantization is not None
    assert signed.quantization is not None
    assert unsigned.quantization.zero_point == signed.quantization.zero_point + 128


def test_the_same_samples_give_the_same_bytes() -> None:
    graph = parse_graph(LAYER)
    first, second = (print_graph(integers(graph, scheme("int4"))) for _ in range(2))
    assert first == second


def test_learned_weights_lose_less_than_the_nearest() -> None:
    """What four bits lose of a layer is less by far if the errors of weights go against one another."""
    graph = parse_graph(
        """graph 2 "g" {
      input %x: f32[1,16,16,4]
      const %a: f32[4,3,3,4] = RANDOM
      const %b: f32[4,3,3,4] = RANDOM
      const %c: f32[4,3,3,4] = RANDOM
      %1: f32[1,14,14,4] = conv2d(%x, %a)
      %2: f32[1,12,12,4] = conv2d(%1, %b)
      %3: f32[1,10,10,4] = conv2d(%2, %c)
      output %3
    }""".replace("RANDOM", str(list(np.random.default_rng(5).normal(size=144).round(3).tolist())))
    )
    made = {
        weights: quantize(graph, samples(graph), Scheme(weight_bits=4, weights=weights))
        for weights in ("learned", "nearest")
    }
    learned, nearest = (made[each].losses.tensors[-1].sqnr_db for each in ("learned", "nearest"))
    assert learned > nearest + 3


def test_powers_of_two_are_all_scales() -> None:
    quantized = integers(parse_graph(LAYER), scheme("power-of-two"))
    scales = [
        scale
        for value in quantized.values.values()
        if value.type.quantization is not None
        for scale in value.type.quantization.scales
    ]
    assert scales
    assert all(np.log2(scale) == round(np.log2(scale)) for scale in scales)


def test_elements_that_move_keep_their_quantization() -> None:
    graph = parse_graph("""graph 2 "g" {
      input %x: f32[1,4]
      input %y: f32[1,4]
      const %k: f32[1,2] = [9.0, -3.0]
      %c: f32[1,10] = concat(%x, %y, %k) {axis=1}
      %s: f32[1,4] = slice(%c) {begin=[0,2], shape=[1,4]}
      output %s
    }""")
    quantized = integers(graph, scheme("int8"))
    types = {value.type.quantization for value in (*quantized.inputs, *quantized.outputs)}
    assert len(types) == 1
    assert {node.operator.mnemonic for node in quantized.nodes} == {"concat", "slice"}


def test_a_function_of_several_operators_is_one_table() -> None:
    text = """graph 2 "g" {
      input %x: f32[1,8]
      %s: f32[1,8] = logistic(%x)
      %y: f32[1,8] = mul(%x, %s)
      output %y
    }"""
    quantized = integers(parse_graph(text), scheme("int8"))
    assert [node.operator.mnemonic for node in quantized.nodes] == ["lookup"]
    without = integers(parse_graph(text), Scheme(tables=False))
    assert [node.operator.mnemonic for node in without.nodes] == ["logistic", "mul"]


def test_layers_may_have_bits_of_their_own() -> None:
    graph = parse_graph(LAYER)
    made = quantize(graph, samples(graph), scheme("int8"), bits={"y": 4})
    (layer,) = made.losses.weights
    assert (layer.name, layer.bits, layer.size_bytes) == ("y", 4, 12)
    with pytest.raises(UsageError, match=r"bits of 'p': expected a layer with weights, one of y"):
        quantize(graph, samples(graph), scheme("int8"), bits={"p": 4})


Samples = list[dict[str, NDArray[np.generic]]]
WRONG: list[tuple[Samples, str]] = [
    ([], "expected at least one sample, got none"),
    ([{}], "sample 0: expected arrays for the inputs x, got none"),
    ([{"x": np.zeros((1, 4, 4, 2), np.float32)}], "is 0 everywhere in all 1 samples"),
    ([{"x": np.zeros((1, 4, 4, 2), np.int8)}], "expected real numbers .*, got int8"),
    ([{"x": np.zeros((1, 2, 4, 4), np.float32)}], r"shape \[1, 4, 4, 2\], got \[1, 2, 4, 4\]"),
    ([{"x": np.full((1, 4, 4, 2), np.nan, np.float32)}], "finite numbers, got NaN or infinity"),
]


@pytest.mark.parametrize(("wrong", "reason"), WRONG)
def test_samples_that_are_not_fit_are_refused(wrong: Samples, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        quantize(parse_graph(LAYER), wrong, scheme("int8"))


def test_what_is_quantized_already_is_refused() -> None:
    graph = parse_graph("""graph 2 "g" {
      input %x: i8[1,4]<0.5, 0>
      %y: i8[1,4]<0.5, 0> = relu(%x)
      output %y
    }""")
    with pytest.raises(UnsupportedError, match="is it quantized already"):
        quantize(graph, [{"x": np.zeros((1, 4), np.int8)}], scheme("int8"))


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"weight_bits": 5}, "expected weight_bits of 2, 3, 4, 8, got 5"),
        ({"method": "best"}, "expected method of minmax, .*, got 'best'"),
    ],
)
def test_schemes_that_are_none_are_refused(wrong: dict[str, object], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        Scheme(**wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="unknown scheme 'int5': expected one of int8, "):
        scheme("int5")


def test_scales_of_few_bits_are_the_best_powers_of_two() -> None:
    random = np.random.default_rng(6)
    matrix = random.normal(size=(1, 5, 30))
    (found,) = scales_of(matrix, 2, power_of_two=True)
    for weights, scale in zip(matrix[0], found, strict=True):
        errors = {
            exponent: float(((np.clip(np.rint(weights / s), -1, 1) * s - weights) ** 2).sum())
            for exponent in range(-3, 4)
            for s in [2.0**exponent]
        }
        assert scale == 2.0 ** min(errors, key=lambda exponent: errors[exponent])
