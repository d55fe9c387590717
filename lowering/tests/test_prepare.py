"""Constants get their final bytes once, before anything is placed, and are held to them."""

from dataclasses import replace

import numpy as np
import pytest
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.graph import Graph
from tinsmith_ir.operators import Add, Relu
from tinsmith_ir.passes import AnyPass
from tinsmith_ir.pipeline import Pipeline
from tinsmith_ir.program import ConstantBuffer, Program
from tinsmith_ir.program_printer import print_program
from tinsmith_ir.testing import GraphBuilder, random_inputs
from tinsmith_ir.types import TensorType
from tinsmith_lowering import (
    AsGiven,
    Kernel,
    Layer,
    Lower,
    Prepare,
    Prepared,
    check_prepared,
    lower,
    prepare,
)
from tinsmith_lowering.testing import toys
from tinsmith_target import target

HOST = target("host")


def reversed_operand(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    data = layer.constant(1)
    assert data is not None
    return (Prepared("backwards", data[::-1]),)


def backward_add() -> Kernel:
    return replace(toys().add, name="toy_backward_add", prepare=reversed_operand)


def two_sums(second: str = "c") -> Graph:
    builder = GraphBuilder("sums")
    x = builder.input("x", TensorType((3,), DType.FLOAT32))
    c = builder.constant("c", np.array([1, 2, 3], np.float32))
    constants = {"c": c, "d": builder.constant("d", np.array([3, 2, 1], np.float32))}
    a = builder.add(Add(), [x, c], "a")
    return builder.build(builder.add(Add(), [a, constants[second]], "b"))


def prepared(graph: Graph, *kernels: Kernel) -> Program:
    return prepare(lower(graph, HOST, kernels), HOST, kernels)


def held(program: Program) -> dict[str, tuple[str, list[float]]]:
    return {c.name: (c.layout, c.data.tolist()) for c in program.constants}


def test_operands_are_read_as_they_are_unless_a_kernel_says_otherwise() -> None:
    program = prepared(two_sums("d"), toys().add)
    assert [call.reads for call in program.calls] == [("c",), ("d",)]
    assert held(program) == {"c": ("", [1, 2, 3]), "d": ("", [3, 2, 1])}


def test_an_operand_that_is_arranged_stays_as_the_meaning() -> None:
    program = prepared(two_sums("d"), backward_add())
    assert [call.reads for call in program.calls] == [("a.backwards",), ("b.backwards",)]
    assert [call.inputs[1] for call in program.calls] == ["c", "d"]
    assert held(program)["a.backwards"] == ("backwards", [3, 2, 1])


def test_equal_constants_are_there_once() -> None:
    program = prepared(two_sums("c"), backward_add())
    assert [call.reads for call in program.calls] == [("a.backwards",), ("a.backwards",)]


def test_what_one_operand_gives_twice_is_read_once() -> None:
    builder = GraphBuilder("twice")
    c = builder.constant("c", np.ones(3, np.float32))
    graph = builder.build(builder.add(Add(), [c, c], "y"))
    assert [call.reads for call in prepared(graph, toys().add).calls] == [("c",)]


def test_a_name_of_the_network_is_not_taken_again() -> None:
    graph = two_sums()
    renamed = GraphBuilder("sums")
    x = renamed.input("a.backwards", TensorType((3,), DType.FLOAT32))
    c = renamed.constant("c", np.ones(3, np.float32))
    graph = renamed.build(renamed.add(Add(), [x, c], "a"))
    program = prepared(graph, backward_add())
    assert program.calls[0].reads == ("a.backwards.2",)


def test_preparing_again_changes_nothing() -> None:
    program = prepared(two_sums("d"), backward_add())
    again = prepare(program, HOST, [backward_add()])
    assert print_program(again) == print_program(program)


def test_prepare_is_a_pass_that_changes_no_result() -> None:
    graph, kernels = two_sums(), (backward_add(),)
    passes: list[AnyPass] = [Lower(HOST, kernels), Prepare(HOST, kernels)]
    result = Pipeline(passes).run(graph, verify_inputs=random_inputs(graph))
    assert [(record.name, record.verified) for record in result.records][1] == ("prepare", True)
    assert print_program(result.program) == print_program(prepared(graph, *kernels))


def with_data(program: Program, data: list[float]) -> Program:
    """The program whose arranged constant holds other numbers."""
    array = np.array(data, np.float32)
    type_ = TensorType(array.shape, DType.FLOAT32)
    return replace(
        program,
        constants=tuple(
            ConstantBuffer(found.name, type_, array, found.layout) if found.layout else found
            for found in program.constants
        ),
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([3, 2, 7], "'backwards': it differs in 2 of 12 bytes, first in byte 10"),
        ([3, 2], "'backwards': it has 8 bytes, expected 12"),
    ],
)
def test_bytes_that_nothing_prepares_are_found(data: list[float], message: str) -> None:
    program = prepared(two_sums(), backward_add())
    check_prepared(program, HOST, [backward_add()])
    with pytest.raises(GraphError) as error:
        check_prepared(with_data(program, data), HOST, [backward_add()])
    assert "call a: %a.backwards is not what toy_backward_add prepares as " in str(error.value)
    assert message in str(error.value)


def test_a_call_that_reads_other_constants_is_found() -> None:
    program = prepared(two_sums(), backward_add())
    with pytest.raises(GraphError, match=r"call a: toy_add reads %c; got %a\.backwards"):
        check_prepared(
            replace(
                program, steps=tuple(replace(call, kernel="toy_add") for call in program.calls)
            ),
            HOST,
            [toys().add],
        )


def test_calls_without_constants_read_none() -> None:
    builder = GraphBuilder("plain")
    x = builder.input("x", TensorType((2,), DType.FLOAT32))
    program = prepared(builder.build(builder.add(Relu(), [x], "y")), toys().relu)
    assert program.calls[0].reads == ()
    check_prepared(program, HOST, [toys().relu])
