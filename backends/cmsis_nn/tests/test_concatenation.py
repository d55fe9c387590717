"""Concat of int8 whose operands have several scales."""

from pathlib import Path

import numpy as np
import pytest
from tinsmith_c.testing import HostModel, KernelObjects, place
from tinsmith_cmsis_nn import backend
from tinsmith_ir import Graph, parse_graph
from tinsmith_ir.testing import random_array
from tinsmith_lowering import lower, prepare
from tinsmith_reference import backend as reference
from tinsmith_target import target

HOST = target("host")
KERNELS = (*backend().kernels(HOST), *reference().kernels(HOST))


def network(
    lhs: str = "[2,5,7]<0.1, 3>",
    rhs: str = "[2,5,9]<0.06, -9>",
    result: str = "[2,5,16]<0.1, 3>",
    options: str = "axis=2",
) -> Graph:
    return parse_graph(
        f"""graph 2 "g" {{
          input %a: i8{lhs}
          input %b: i8{rhs}
          %y: i8{result} = concat(%a, %b) {{{options}}}
          output %y
        }}"""
    )


NETWORKS = {
    "one": network(),
    "both": network(result="[2,5,16]<0.02, 100>"),
    "clamped": network(options="axis=2, activation=relu6"),
    "outermost": network(rhs="[3,5,7]<0.3, -9>", result="[5,5,7]<0.1, 3>", options="axis=0"),
    "middle": network(rhs="[2,3,7]<0.001, -9>", result="[2,8,7]<0.1, 3>", options="axis=1"),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_c_gives_what_the_evaluator_does(
    name: str, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    program = place(prepare(lower(NETWORKS[name], HOST, KERNELS), HOST, KERNELS))
    assert [call.kernel for call in program.calls] == ["tinsmith_rescale_s8_s8"]
    model = HostModel.build(program, HOST, KERNELS, kernel_objects, tmp_path)
    for seed in range(4):
        generator = np.random.default_rng(seed)
        inputs = {
            value: random_array(generator, program.type_of(value)) for value in program.inputs
        }
        assert model.wrong_results(inputs) == []


@pytest.mark.parametrize(
    ("graph", "reason"),
    [
        (network(rhs="[2,5,9]<0.1, 3>"), "all operands are copied"),
        (network(rhs="[2,5,9]<0.000001, 3>"), "the shift of one is -16"),
        (
            network("[1,40000]<0.1, 3>", "[1,30000]<0.2, 3>", "[1,70000]<0.1, 3>", "axis=1"),
            "there are 1 of 70000",
        ),
    ],
)
def test_the_reference_kernel_gets_the_others(graph: Graph, reason: str) -> None:
    (call,) = lower(graph, HOST, KERNELS).calls
    assert call.kernel == "tinsmith_copy_rows"
    assert reason in call.reason
