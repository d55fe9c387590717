"""Operators of int16 by the public API: plain C on the host, and which layers it takes."""

from pathlib import Path

import pytest
from tinsmith_c.testing import CASES, Case, HostModel, KernelObjects, host_compiler
from tinsmith_cmsis_nn import backend, int16
from tinsmith_ir import parse_graph
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import lower
from tinsmith_reference import backend as reference
from tinsmith_target import target

HOST = target("host")
M4 = target("cortex-m4")
OPERATORS = ("conv2d", "depthwise", "fully_connected", "add", "mul", "pool", "residuals")
INT16_CASES = [
    case
    for case in CASES
    if case.name.endswith("_i16") and any(operator in case.name for operator in OPERATORS)
]

NETWORK = """graph 2 "g" {
  input %x: i16[1,6,5,4]<0.001, 0>
  const %w: i8[3,2,2,4]<0.02, 0> = [WEIGHTS]
  const %b: i32[3]<0.00002, 0> = [70000, -90000, 5]
  %y: i16[1,5,4,3]<0.002, 0> = conv2d(%x, %w, %b)
  output %y
}""".replace("WEIGHTS", ", ".join(str(i * 37 % 255 - 127) for i in range(48)))


@pytest.mark.skipif(host_compiler() is None, reason="no C compiler on this machine")
@pytest.mark.parametrize("packed", [True, False], ids=["packed", "public"])
@pytest.mark.parametrize("case", INT16_CASES, ids=lambda case: case.name)
def test_generated_c_equals_the_evaluator(
    case: Case, packed: bool, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    graph = case.build(seed=2)
    kernels = (*backend(packed=packed).kernels(HOST), *reference().kernels(HOST))
    model = HostModel.of_graph(graph, HOST, kernels, kernel_objects, tmp_path)
    for seed in range(3):
        assert model.wrong_results(random_inputs(graph, seed), graph) == []


PRODUCT = """graph 2 "g" {
  input %a: i16[2,9]<0.001, 0>
  input %b: i16[2,9]<0.002, 0>
  %y: i16[2,9]<0.003, 0> = mul(%a, %b)
  output %y
}"""


@pytest.mark.skipif(host_compiler() is None, reason="no C compiler on this machine")
@pytest.mark.parametrize("text", [NETWORK, PRODUCT], ids=["conv2d", "mul"])
def test_networks_give_what_the_evaluator_does(
    text: str, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    graph = parse_graph(text)
    kernels = backend().kernels(HOST)
    model = HostModel.of_graph(graph, HOST, kernels, kernel_objects, tmp_path)
    assert model.wrong_results(random_inputs(graph, 1), graph) == []


def test_cases_and_networks_reach_every_kernel() -> None:
    kernels = (*backend().kernels(HOST), *reference().kernels(HOST))
    graphs = [*(case.build() for case in INT16_CASES), parse_graph(PRODUCT)]
    called = {call.kernel for graph in graphs for call in lower(graph, HOST, kernels).calls}
    assert called >= {kernel.name for kernel in int16.kernels(HOST, either_library=False)}


@pytest.mark.parametrize(("name", "scratch"), [("cortex-m4", 64), ("cortex-m55", 132)])
def test_scratch_is_enough_for_either_library(name: str, scratch: int) -> None:
    """16 values: ours wants 36 bytes, with MVE 132, Arm's two windows, with MVE four."""
    chosen = target(name)
    program = lower(parse_graph(NETWORK), chosen, backend().kernels(chosen))
    (call,) = program.calls
    assert call.kernel == "arm_convolve_wrapper_s16"
    assert call.scratch is not None
    assert program.type_of(call.scratch).size_bytes == scratch


def test_a_layer_without_bias_goes_to_the_reference_kernels_with_a_reason() -> None:
    graph = parse_graph("""graph 2 "g" {
      input %x: i16[1,4]<0.5, 0>
      const %w: i8[2,4]<0.25, 0> = [1, -2, 3, 4, 1, -2, 3, -4]
      %y: i16[1,2]<4.0, 0> = fully_connected(%x, %w)
      output %y
    }""")
    (call,) = lower(graph, M4, (*backend().kernels(M4), *reference().kernels(M4))).calls
    assert call.kernel == "tinsmith_fully_connected_s16"
    assert "There is a bias, so that sums have 64 bits: there is none" in call.reason
