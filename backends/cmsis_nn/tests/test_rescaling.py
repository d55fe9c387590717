"""Requantize and rectifiers by Tinsmith's own kernels: which they take, and compiled C, over operands, too."""

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


def network(source: str, result: str, operation: str) -> Graph:
    element = result.split("<")[0]
    return parse_graph(
        f"""graph 2 "g" {{
          input %x: {source.replace("<", "[3,2,101]<")}
          %y: {result.replace("<", "[3,2,101]<")} = {operation.replace("ELEMENT", element)}
          output %y
        }}"""
    )


REQUANTIZE = "requantize(%x) {dtype=ELEMENT}"
NETWORKS = {
    "s8_s8": network("i8<0.1, 3>", "i8<0.07, -5>", REQUANTIZE),
    "s8_s8 smaller": network("i8<0.1, 3>", "i8<1.7, -5>", REQUANTIZE),
    "s8_s8 clamped": network(
        "i8<0.1, 3>", "i8<0.2, -5>", "requantize(%x) {dtype=ELEMENT, activation=relu6}"
    ),
    "s8_u8": network("i8<0.1, 3>", "u8<0.05, 7>", REQUANTIZE),
    "u8_s8": network("u8<0.1, 100>", "i8<0.1, 7>", REQUANTIZE),
    "s8_s16": network("i8<0.1, 3>", "i16<0.001, 0>", REQUANTIZE),
    "s16_s8": network("i16<0.001, 0>", "i8<0.2, 4>", REQUANTIZE),
    "s16_s8 shifted": network("i16<0.001, 32767>", "i8<0.2, 4>", REQUANTIZE),
    "s16_s16": network("i16<0.001, 0>", "i16<0.0012, 0>", REQUANTIZE),
    "s8_s8 relu": network("i8<0.1, 3>", "i8<0.07, -5>", "relu(%x)"),
    "s16_s16 relu": network("i16<0.001, 0>", "i16<0.0005, 0>", "relu_n1_to_1(%x)"),
}


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("is_tight", [False, True], ids=["apart", "tight"])
def test_c_gives_what_the_evaluator_does(
    name: str, is_tight: bool, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    program = prepare(lower(NETWORKS[name], HOST, KERNELS), HOST, KERNELS)
    placed = tight_program(program) if is_tight else place(program)
    assert {call.kernel for call in program.calls} == {f"tinsmith_rescale_{name.split()[0]}"}
    model = HostModel.build(placed, HOST, KERNELS, kernel_objects, tmp_path)
    for seed in range(3):
        generator = np.random.default_rng(seed)
        inputs = {value: random_array(generator, placed.type_of(value)) for value in placed.inputs}
        assert model.wrong_results(inputs) == []


@pytest.mark.parametrize("is_tight", [False, True], ids=["apart", "tight"])
@pytest.mark.parametrize(
    ("source", "result"),
    [("u8<0.1, 100>", "i8<0.1, -28>"), ("i8<0.1, 3>", "u8<0.1, 131>")],
)
def test_signs_are_flipped(
    source: str, result: str, is_tight: bool, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    program = prepare(lower(network(source, result, REQUANTIZE), HOST, KERNELS), HOST, KERNELS)
    assert [call.kernel for call in program.calls] == ["tinsmith_flip_signs"]
    placed = tight_program(program) if is_tight else place(program)
    model = HostModel.build(placed, HOST, KERNELS, kernel_objects, tmp_path)
    generator = np.random.default_rng(5)
    inputs = {value: random_array(generator, placed.type_of(value)) for value in placed.inputs}
    assert model.wrong_results(inputs) == []


@pytest.mark.parametrize(
    ("source", "result", "kernel", "reason"),
    [
        ("i8<0.1, 3>", "i8<0.0000001, 0>", "tinsmith_requantize_s8_s8", "the shift is 20"),
        ("i16<0.001, 0>", "i8<100, 0>", "tinsmith_requantize_s16_s8", "the shift is -16"),
    ],
)
def test_the_reference_kernels_get_the_others(
    source: str, result: str, kernel: str, reason: str
) -> None:
    (call,) = lower(network(source, result, REQUANTIZE), HOST, KERNELS).calls
    assert call.kernel == kernel
    assert reason in call.reason


def test_the_public_api_alone_has_none() -> None:
    kernels = (*backend(packed=False).kernels(HOST), *reference().kernels(HOST))
    (call,) = lower(NETWORKS["s8_s8"], HOST, kernels).calls
    assert call.kernel == "tinsmith_requantize_s8_s8"
