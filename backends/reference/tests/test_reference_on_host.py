from pathlib import Path

import numpy as np
import pytest
from tinsmith_c.testing import CASES, Case, HostModel, KernelObjects
from tinsmith_ir import parse_graph
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.testing import random_inputs
from tinsmith_reference import backend
from tinsmith_target import target

HOST = target("host")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_generated_c_equals_the_evaluator(
    case: Case, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    graph = case.build(seed=1)
    kernels = backend().kernels(HOST)
    model = HostModel.of_graph(graph, HOST, kernels, kernel_objects, tmp_path)
    for seed in range(3):
        assert model.wrong_results(random_inputs(graph, seed), graph) == []


_FLOATS = """
graph 2 "floats" {
  input %x: f32[1,2,4,2]
  %relu6: f32[1,2,4,2] = relu6(%x)
  %max: f32[1,2,2,2] = max_pool2d(%x) {window=[1,2], stride=[1,2]}
  %sum: f32[1,2,4,2] = add(%x, %x)
  %softmax: f32[1,2,4,2] = softmax(%x)
  %least: f32[1,2,4,2] = minimum(%x, %sum)
  %most: f32[1,2,4,2] = maximum(%relu6, %x)
  %logistic: f32[1,2,4,2] = logistic(%x)
  %tanh: f32[1,2,4,2] = tanh(%x)
  %leaky: f32[1,2,4,2] = leaky_relu(%x) {alpha=0.1}
  %prelu: f32[1,2,4,2] = prelu(%x, %sum)
  %swish: f32[1,2,4,2] = hard_swish(%x)
  %gelu: f32[1,2,4,2] = gelu(%x)
  %gelu_by_tanh: f32[1,2,4,2] = gelu(%x) {approximate=true}
  %erf: f32[1,2,4,2] = erf(%x)
  %exp: f32[1,2,4,2] = exp(%x)
  %acos: f32[1,2,4,2] = acos(%x)
  %acosh: f32[1,2,4,2] = acosh(%x)
  %asin: f32[1,2,4,2] = asin(%x)
  %asinh: f32[1,2,4,2] = asinh(%x)
  %atan: f32[1,2,4,2] = atan(%x)
  %atanh: f32[1,2,4,2] = atanh(%x)
  %cosh: f32[1,2,4,2] = cosh(%x)
  %sinh: f32[1,2,4,2] = sinh(%x)
  %tan: f32[1,2,4,2] = tan(%x)
  %log: f32[1,2,4,2] = log(%x)
  %elu: f32[1,2,4,2] = elu(%x)
  %sqrt: f32[1,2,4,2] = sqrt(%x)
  %rsqrt: f32[1,2,4,2] = rsqrt(%x)
  %abs: f32[1,2,4,2] = abs(%x)
  %square: f32[1,2,4,2] = squared_difference(%x, %abs)
  %neg: f32[1,2,4,2] = neg(%x)
  %sign: f32[1,2,4,2] = sign(%x)
  %floor: f32[1,2,4,2] = floor(%x)
  %ceil: f32[1,2,4,2] = ceil(%x)
  %round: f32[1,2,4,2] = round(%x)
  output %relu6
  output %max
  output %sum
  output %softmax
  output %least
  output %most
  output %logistic
  output %tanh
  output %leaky
  output %prelu
  output %swish
  output %gelu
  output %gelu_by_tanh
  output %erf
  output %exp
  output %acos
  output %acosh
  output %asin
  output %asinh
  output %atan
  output %atanh
  output %cosh
  output %sinh
  output %tan
  output %log
  output %elu
  output %sqrt
  output %rsqrt
  output %abs
  output %square
  output %neg
  output %sign
  output %floor
  output %ceil
  output %round
}"""


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf, -0.0, 1e-42, 3e38, -95.0])
def test_special_numbers_are_the_evaluators(
    special: float, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    graph = parse_graph(_FLOATS)
    kernels = backend().kernels(HOST)
    model = HostModel.of_graph(graph, HOST, kernels, kernel_objects, tmp_path)
    values = np.array([special, 0.0, 0.0, special, 1.0, special, -1.0, 2.0] * 2, np.float32)
    inputs = {"x": values.reshape(1, 2, 4, 2)}
    expected = evaluate_graph(graph, inputs)
    for name, result in zip(model.program.outputs, model.run(inputs), strict=True):
        np.testing.assert_array_equal(result, expected[name], err_msg=name)
        numbers = ~np.isnan(result)
        assert (np.signbit(result) == np.signbit(expected[name]))[numbers].all(), name


_SMOOTH = (
    *(
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atanh",
        "cos",
        "cosh",
        "elu",
        "erf",
        "exp",
        "gelu",
        "log",
    ),
    *("logistic", "rsqrt", "sin", "sinh", "sqrt", "tan", "tanh"),
)
_COUNT = 30000


def test_functions_have_the_evaluators_bits_everywhere(
    kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    body = "".join(f" %{name}: f32[{_COUNT}] = {name}(%x) output %{name}\n" for name in _SMOOTH)
    graph = parse_graph(f'graph 2 "smooth" {{ input %x: f32[{_COUNT}]\n{body} }}')
    kernels = backend().kernels(HOST)
    model = HostModel.of_graph(graph, HOST, kernels, kernel_objects, tmp_path)
    random = np.random.default_rng(7)
    bits = random.integers(0, 1 << 32, _COUNT // 3, dtype=np.uint32).view(np.float32)
    near = [random.uniform(-high, high, _COUNT // 3) for high in (1.2, 90.0)]
    x = np.concatenate([np.where(np.isnan(bits), np.float32(0), bits), *near]).astype(np.float32)
    assert model.wrong_results({"x": x}, graph) == []


_LARGE_MEAN = """
graph 2 "mean" {
  input %x: i16[1,300,300,1]<0.5, 0>
  %y: i16[1,1]<0.5, 0> = mean(%x) {axes=[1,2]}
  output %y
}"""


@pytest.mark.parametrize("value", [32767, -32768])
def test_sums_of_a_mean_go_round_like_the_evaluators(
    value: int, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    graph = parse_graph(_LARGE_MEAN)
    kernels = backend().kernels(HOST)
    model = HostModel.of_graph(graph, HOST, kernels, kernel_objects, tmp_path)
    inputs = {"x": np.full((1, 300, 300, 1), value, np.int16)}
    assert model.wrong_results(inputs, graph) == []
