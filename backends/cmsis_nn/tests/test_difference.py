"""Sub of int8 by Tinsmith's own kernels: which they take, and compiled C for either operand of larger scale."""

from pathlib import Path

import numpy as np
import pytest
from tinsmith_c.testing import HostModel, KernelObjects, place, tight_program
from tinsmith_cmsis_nn import backend
from tinsmith_ir import Graph, parse_graph
from tinsmith_ir.testing import random_array
from tinsmith_lowering import lower, prepare
from tinsmith_reference import backend as reference
from tinsmith_target import target

HOST = target("host")
KERNELS = (*backend().kernels(HOST), *reference().kernels(HOST))


def network(
    lhs: str = "[2,5,33]<0.1, 3>",
    rhs: str = "[2,5,33]<0.06, -9>",
    result: str = "[2,5,33]<0.13, -5>",
    options: str = "",
) -> Graph:
    return parse_graph(
        f"""graph 2 "g" {{
          input %a: i8{lhs}
          input %b: i8{rhs}
          %y: i8{result} = sub(%a, %b) {options}
          output %y
        }}"""
    )


NETWORKS = {
    "left_is_larger": network(),
    "right_is_larger": network(rhs="[2,5,33]<0.3, -9>"),
    "equal_scales": network(rhs="[2,5,33]<0.1, -128>"),
    "much_smaller": network(rhs="[2,5,33]<0.0001, 127>"),
    "fine_result": network(result="[2,5,33]<0.002, 127>"),
    "clamped": network(options="{activation=relu6}"),
    "right_repeats": network(rhs="[33]<0.06, -9>"),
    "right_repeats_and_is_larger": network(rhs="[33]<0.3, -9>"),
    "left_repeats": network(lhs="[5,1]<0.1, 3>"),
    "left_repeats_and_is_smaller": network(lhs="[1]<0.01, 3>", rhs="[2,5,33]<0.3, -9>"),
}


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("is_tight", [False, True], ids=["apart", "tight"])
def test_c_gives_what_the_evaluator_does(
    name: str, is_tight: bool, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    program = prepare(lower(NETWORKS[name], HOST, KERNELS), HOST, KERNELS)
    (call,) = program.calls
    wanted = "tinsmith_difference_broadcast_s8" if "repeats" in name else "tinsmith_difference_s8"
    assert call.kernel == wanted
    placed = tight_program(program) if is_tight else place(program)
    model = HostModel.build(placed, HOST, KERNELS, kernel_objects, tmp_path)
    for seed in range(4):
        generator = np.random.default_rng(seed)
        inputs = {value: random_array(generator, placed.type_of(value)) for value in placed.inputs}
        assert model.wrong_results(inputs) == []


@pytest.mark.parametrize(
    ("graph", "reason"),
    [
        (
            network(lhs="[30,1]<0.1, 3>", rhs="[7]<0.06, -9>", result="[30,7]<0.13, -5>"),
            "it spans 7",
        ),
        (network(rhs="[2,5,33]<0.00000001, 0>"), "the smaller operand's shift is -24"),
        (network(result="[2,5,33]<0.0000003, 0>"), "the output shift is 0"),
    ],
)
def test_the_reference_kernel_gets_the_others(graph: Graph, reason: str) -> None:
    (call,) = lower(graph, HOST, KERNELS).calls
    assert call.kernel == "tinsmith_sub_s8"
    assert reason in call.reason


def test_the_public_api_alone_has_none() -> None:
    kernels = (*backend(packed=False).kernels(HOST), *reference().kernels(HOST))
    (call,) = lower(network(), HOST, kernels).calls
    assert call.kernel == "tinsmith_sub_s8"
