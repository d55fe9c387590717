"""Derivatives of float networks, against differences of what the networks give."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_ir import Graph, evaluate_graph, parse_graph
from tinsmith_ir.errors import UnsupportedError
from tinsmith_quantization.products import product_of
from tinsmith_quantization.training.exact import matmul, on_grid, total
from tinsmith_quantization.training.gradient_layers import LayerNumbers
from tinsmith_quantization.training.gradient_rounding import Rounding, rounded
from tinsmith_quantization.training.gradients import (
    Differentiable,
    Learning,
    computed,
    differentiable,
    layer_names,
    layer_numbers,
    real_numbers,
)

Reals = NDArray[np.float64]

_EPSILON = 2.0**-10

NETWORKS = {
    "conv2d": """
  const %w: f32[4,2,3,2]
  const %b: f32[4]
  const %v: f32[2,1,1,4]
  %c: f32[1,3,3,4] = conv2d(%x, %w, %b) {stride=[2,2], padding=[1,0,1,1], activation=relu}
  %y: f32[1,3,3,2] = conv2d(%c, %v)""",
    "groups": """
  const %w: f32[4,1,1,2]
  const %v: f32[6,3,3,2]
  const %b: f32[6]
  %c: f32[1,6,6,4] = conv2d(%x, %w)
  %y: f32[1,2,2,6] = conv2d(%c, %v, %b) {dilation=[2,2]}""",
    "depthwise": """
  const %w: f32[4,1,1,2]
  const %v: f32[1,3,3,4]
  const %b: f32[4]
  const %u: f32[1,2,2,8]
  %c: f32[1,6,6,4] = conv2d(%x, %w)
  %d: f32[1,3,3,4] = depthwise_conv2d(%c, %v, %b) {stride=[2,2], padding=[1,1,1,1], activation=relu6}
  %y: f32[1,2,2,8] = depthwise_conv2d(%d, %u)""",
    "pools": """
  const %w: f32[4,1,1,2]
  const %v: f32[3,4]
  const %b: f32[3]
  %c: f32[1,6,6,4] = conv2d(%x, %w)
  %m: f32[1,5,5,4] = max_pool2d(%c) {window=[2,2], stride=[1,1]}
  %a: f32[1,3,3,4] = average_pool2d(%m) {window=[3,3], stride=[2,2], padding=[1,1,1,1]}
  %n: f32[1,4] = mean(%a) {axes=[1,2]}
  %y: f32[1,3] = fully_connected(%n, %v, %b)""",
    "arithmetic": """
  const %w: f32[2,1,1,2]
  const %k: f32[2] = [0.5, -1.5]
  %c: f32[1,6,6,2] = conv2d(%x, %w)
  %s: f32[1,1,1,2] = mean(%c) {axes=[1,2], keep_dims=true}
  %g: f32[1,1,1,2] = logistic(%s)
  %m: f32[1,6,6,2] = mul(%c, %g)
  %a: f32[1,6,6,2] = add(%m, %k) {activation=relu}
  %d: f32[1,6,6,2] = div(%c, %g)
  %y: f32[1,6,6,2] = sub(%a, %d)""",
    "moves": """
  const %w: f32[2,1,1,2]
  %c: f32[1,6,6,2] = conv2d(%x, %w)
  %p: f32[1,8,7,2] = pad(%c) {padding=[0,0,1,1,0,1,0,0]}
  %t: f32[1,7,8,2] = transpose(%p) {permutation=[0,2,1,3]}
  %s: f32[1,3,4,2] = slice(%t) {begin=[0,1,6,0], shape=[1,3,4,2], strides=[1,2,-2,1]}
  %k: f32[1,3,8,2] = concat(%s, %s) {axis=2}
  %r: f32[1,6,8] = reshape(%k) {shape=[1,6,8]}
  %o: f32[1,6,8] = softmax(%r) {beta=0.5}
  %y: f32[1,6,8] = tanh(%o)""",
    "attention": """
  const %w: f32[4,1,1,2]
  const %v: f32[4,4]
  const %p: f32[6,4]
  const %far: f32[] = [-20.0]
  const %hidden: bool[1,6,6] = [HIDDEN]
  %c: f32[1,6,6,4] = conv2d(%x, %w)
  %m: f32[1,6,4] = mean(%c) {axes=[1]}
  %q: f32[6,4] = fully_connected(%m, %v)
  %s: f32[1,6,6] = batch_matmul(%q, %m) {transpose_rhs=true}
  %n: f32[1,6,6] = select(%hidden, %far, %s)
  %o: f32[1,6,6] = softmax(%n)
  %a: f32[1,4,6] = batch_matmul(%m, %o) {transpose_lhs=true, transpose_rhs=true}
  %t: f32[1,6,4] = batch_matmul(%o, %p)
  %b: f32[1,4,4] = batch_matmul(%a, %t)
  %y: f32[2,4,4] = broadcast(%b) {shape=[2,4,4]}""",
    "norms": """
  const %w: f32[4,1,1,2]
  const %g: f32[4]
  const %b: f32[4]
  %c: f32[1,6,6,4] = conv2d(%x, %w)
  %l: f32[1,6,6,4] = layer_norm(%c, %g, %b) {epsilon=0.01}
  %f: f32[1,6,6,4] = gelu(%l)
  %r: f32[1,6,6,4] = rms_norm(%f, %g) {epsilon=0.1}
  %o: f32[1,6,6,4] = layer_norm(%r, none, %b) {epsilon=0.1}
  %s: f32[1,6,6,4] = logistic(%o)
  %y: f32[1,6,6,4] = mul(%s, %o)""",
}


def network(name: str) -> tuple[Graph, Differentiable, dict[str, LayerNumbers]]:
    """With random weights."""
    random = np.random.default_rng(2)
    lines = NETWORKS[name].splitlines()
    text = ['graph 2 "g" {', "  input %x: f32[1,6,6,2]"]
    for line in lines:
        if line.strip().startswith("const") and "=" not in line:
            shape = [int(size) for size in line.split("[")[1].rstrip("]").split(",")]
            numbers = random.normal(size=int(np.prod(shape))).round(3)
            line += f" = [{', '.join(map(str, numbers))}]"
        text.append(line)
    hidden = ", ".join(str(bool(place % 7 == 3)).lower() for place in range(36))
    lines = "\n".join([*text, "  output %y", "}"]).replace("HIDDEN", hidden)
    graph = parse_graph(lines)
    found = differentiable(graph, graph.outputs)
    layers: dict[str, LayerNumbers] = {}
    for node in graph.nodes:
        product = product_of(node)
        if product is None:
            continue
        layers[node.name] = real_numbers(graph, product)
    assert layer_names(found) == list(layers)
    return graph, found, layers


def batch(count: int = 3) -> dict[str, Reals]:
    random = np.random.default_rng(5)
    real = random.normal(size=(count, 1, 6, 6, 2)).astype(np.float32)
    return {"x": real.astype(np.float64)}


@pytest.mark.parametrize("name", NETWORKS)
def test_results_are_those_of_the_evaluator(name: str) -> None:
    graph, found, layers = network(name)
    inputs = batch()
    (results,) = computed(found, inputs, layers).results
    for sample, result in zip(inputs["x"], results, strict=True):
        (wanted,) = evaluate_graph(graph, [sample.astype(np.float32)]).values()
        assert np.allclose(result, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", NETWORKS)
def test_derivatives_are_the_slopes_of_results(name: str) -> None:
    _, found, layers = network(name)
    inputs, random = batch(), np.random.default_rng(7)
    done = computed(found, inputs, layers)
    wanted = random.normal(size=done.results[0].shape)
    gradients = done.gradients([wanted]).layers
    assert gradients.keys() == layers.keys()
    for layer, numbers in layers.items():
        way = LayerNumbers(*(random.normal(size=a.shape) for a in (numbers.matrix, numbers.bias)))
        ends = [
            float((_results(found, inputs, layers, layer, way, sign * _EPSILON) * wanted).sum())
            for sign in (1, -1)
        ]
        slope = (ends[0] - ends[1]) / (2 * _EPSILON)
        got = float((gradients[layer].matrix * way.matrix).sum())
        got += float((gradients[layer].bias * way.bias).sum())
        assert got == pytest.approx(slope, rel=0.02, abs=0.02)


def _results(
    found: Differentiable,
    inputs: Mapping[str, Reals],
    layers: Mapping[str, LayerNumbers],
    moved: str,
    way: LayerNumbers,
    step: float,
) -> Reals:
    """With one layer's numbers a step further along a way."""
    numbers = layers[moved]
    further = LayerNumbers(numbers.matrix + step * way.matrix, numbers.bias + step * way.bias)
    return computed(found, inputs, {**layers, moved: further}).results[0]


def test_slopes_of_a_range_are_those_of_what_it_clips() -> None:
    _, found, layers = network("conv2d")
    found = differentiable(found.graph, found.ends, Learning(ranges=frozenset(("x", "c"))))
    inputs, random = batch(), np.random.default_rng(7)
    # So fine that rounding moves nothing by as much as the tolerance.
    ranges = {"x": Rounding(2.0**-15, 0, -32768, 32767), "c": Rounding(2.0**-14, 5000, 0, 32767)}
    done = computed(found, inputs, layers, ranges)
    wanted = random.normal(size=done.results[0].shape)
    gradients = done.gradients([wanted])
    assert gradients.ranges.keys() == ranges.keys()
    assert gradients.layers.keys() == layers.keys()
    for name, by in ranges.items():
        got = gradients.ranges[name]
        scales = [replace(by, scale=by.scale * np.exp(way)) for way in (_EPSILON, -_EPSILON)]
        zeros = [replace(by, zero=by.zero + way) for way in (8, -8)]
        ends = [
            float(
                (computed(found, inputs, layers, {**ranges, name: moved}).results[0] * wanted).sum()
            )
            for moved in (*scales, *zeros)
        ]
        slope = (ends[0] - ends[1]) / (2 * _EPSILON)
        assert abs(slope) > 1
        assert got.logarithm == pytest.approx(slope, rel=0.05)
        assert got.zero == pytest.approx((ends[2] - ends[3]) / 16, rel=0.05, abs=1e-4)


def test_slopes_of_rounding_are_what_it_moved_in_steps() -> None:
    step = rounded(np.array([[0.3, -0.9, 7.0, -7.0]]), Rounding(0.5, 1, -2, 3))
    assert step.result.tolist() == [[0.5, -1.0, 1.0, -1.5]]
    gradient = np.array([[1.0, 10.0, 100.0, 1000.0]])
    assert step.back(gradient).tolist() == [[1.0, 10.0, 0.0, 0.0]]
    slopes = step.slopes(gradient)
    # Of 0.6 and -1.8 steps; of the ends, 2 and -3 steps.
    assert slopes.logarithm == pytest.approx(0.5 * (0.4 * 1 - 0.2 * 10 + 2 * 100 - 3 * 1000))
    assert slopes.zero == pytest.approx(-0.5 * 1100)


def test_layers_that_are_fixed_have_no_derivatives_of_weights() -> None:
    graph, _, layers = network("conv2d")
    learning = Learning(layers=False, ranges=frozenset({"c"}))
    found = differentiable(graph, graph.outputs, learning)
    assert found.trained == {"c", "y"}
    done = computed(found, batch(), layers, {"c": Rounding(0.1, 0, -8, 7)})
    gradients = done.gradients([np.ones_like(done.results[0])])
    assert not gradients.layers
    assert gradients.ranges.keys() == {"c"}


def test_what_nothing_learns_in_front_of_may_be_any_operator() -> None:
    graph = parse_graph("""graph 2 "g" {
  input %i: i32[1,3]
  const %t: f32[4,2] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
  const %w: f32[2,2] = [1.0, 0.5, -1.0, 2.0]
  %e: f32[1,3,2] = gather(%t, %i)
  %r: f32[3,2] = reshape(%e) {shape=[3,2]}
  %y: f32[3,2] = fully_connected(%r, %w)
  output %y
}""")
    found = differentiable(graph, graph.outputs)
    given = np.array([[[0, 3, 1]], [[2, 2, 0]]])
    (results,) = computed(found, {"i": given.astype(np.float64)}, layer_numbers(found)).results
    wanted = [evaluate_graph(graph, [ids.astype(np.int32)])["y"] for ids in given]
    assert np.array_equal(results, wanted)
    with pytest.raises(UnsupportedError, match="got gather for 'e'"):
        differentiable(graph, graph.outputs, Learning(ranges=frozenset({"i"})))


def test_operators_without_a_derivative_are_refused_by_name() -> None:
    text = """graph 2 "g" {
  input %x: f32[1,4]
  const %w: f32[4,4] = [1.0, 0.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.5, 0.25, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]
  %f: f32[1,4] = fully_connected(%x, %w)
  %y: f32[1,4] = l2_normalization(%f)
  output %y
}"""
    graph = parse_graph(text)
    with pytest.raises(
        UnsupportedError, match=r"known derivatives .* got l2_normalization for 'y'"
    ):
        differentiable(graph, graph.outputs)


def test_sums_do_not_depend_on_their_order() -> None:
    random = np.random.default_rng(11)
    lhs, rhs = random.normal(size=(3, 500)), random.normal(size=(500, 4))
    order = random.permutation(500)
    assert np.array_equal(matmul(lhs, rhs), matmul(lhs[:, order], rhs[order]))
    assert np.array_equal(total(lhs, (1,)), total(lhs[:, order], (1,)))
    assert np.allclose(matmul(lhs, rhs), lhs @ rhs, rtol=1e-4, atol=1e-3)


def test_a_grid_keeps_the_leading_bits() -> None:
    numbers = np.array([0.7, -0.3, 1e-9, 0.0])
    assert on_grid(numbers, 4).tolist() == [0.6875, -0.3125, 0.0, 0.0]
    assert on_grid(np.zeros(3), 4).tolist() == [0.0, 0.0, 0.0]
