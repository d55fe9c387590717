from dataclasses import replace

import numpy as np
import pytest
from tinsmith_c import Kernel, Signature, lower
from tinsmith_c.testing import CASES, toys
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.graph import Graph, Location
from tinsmith_ir.operators import Add, Conv2D, Mul, Relu, Reshape
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import TensorType
from tinsmith_target import target

HOST = target("host")


def adder(elements: int) -> Graph:
    builder = GraphBuilder("adder")
    x = builder.input("x", TensorType((elements,), DType.FLOAT32))
    return builder.build(builder.add(Add(), [x, x], "sum"))


def test_the_first_kernel_whose_rules_hold_is_chosen() -> None:
    (call,) = lower(adder(8), HOST, toys().all).calls
    assert (call.kernel, call.reason) == ("toy_fast_add", "")


def test_the_reason_for_a_fallback_is_kept() -> None:
    (call,) = lower(adder(9), HOST, toys().all).calls
    assert call.kernel == "toy_add"
    assert call.reason == "toy_fast_add: A tensor has at most 8 elements: it has 9"


def test_an_operator_that_the_best_backend_lacks_says_so() -> None:
    builder = GraphBuilder("g")
    x = builder.input("x", TensorType((2,), DType.FLOAT32))
    (call,) = lower(builder.build(builder.add(Relu(), [x], "y")), HOST, toys().all).calls
    assert call.reason == "fast has no kernel for relu of f32 -> f32"


def test_every_unsupported_node_is_named_with_each_broken_rule() -> None:
    builder = GraphBuilder("bad")
    x = builder.input("x", TensorType((9,), DType.FLOAT32))
    first = builder.add(Mul(), [x, x], "product", location=Location("m.tflite", "op 0"))
    y = builder.add(Add(), [first, x], "sum")
    with pytest.raises(UnsupportedError) as error:
        lower(builder.build(y), HOST, [toys().fast_add])
    text = str(error.value)
    assert "cannot run 2 operation(s) of 'bad'" in text
    assert "mul %product (m.tflite: op 0): no kernel computes mul" in text
    assert "toy_fast_add: A tensor has at most 8 elements: it has 9" in text


def test_element_types_that_nobody_takes_are_named() -> None:
    builder = GraphBuilder("g")
    x = builder.input("x", TensorType((2,), DType.INT32))
    graph = builder.build(builder.add(Add(), [x, x], "y"))
    with pytest.raises(UnsupportedError) as error:
        lower(graph, HOST, toys().all)
    assert "no kernel takes the element types i32, i32 -> i32" in str(error.value)
    assert "toy_add (f32 -> f32)" in str(error.value)


def test_kernels_of_other_element_types_are_no_reason() -> None:
    case = next(case for case in CASES if case.name == "conv2d_f32")
    program = lower(case.build(), HOST, toys_for_convolution())
    assert {call.reason for call in program.calls} == {""}


def toys_for_convolution() -> tuple[Kernel, ...]:
    first = replace(toys().add, operator=Conv2D, signature=Signature((DType.INT8,), DType.INT8))
    second = replace(toys().add, operator=Conv2D, name="toy_conv")
    return first, second


def test_reshapes_become_aliases_of_the_first_buffer() -> None:
    builder = GraphBuilder("g")
    x = builder.input("x", TensorType((2, 3), DType.FLOAT32))
    flat = builder.add(Reshape(shape=(6,)), [x], "flat")
    tall = builder.add(Reshape(shape=(3, 2)), [flat], "tall")
    program = lower(builder.build(builder.add(Relu(), [tall], "y")), HOST, toys().all)
    assert [call.name for call in program.calls] == ["y"]
    assert program.buffer["flat"].alias_of == "x"
    assert program.buffer["tall"].alias_of == "x"


def test_scratch_is_a_buffer_of_its_own() -> None:
    program = lower(adder(4), HOST, toys().all)
    (call,) = program.calls
    assert call.scratch is not None
    assert program.buffer[call.scratch].size_bytes == 16


def test_a_constant_output_is_copied_into_the_arena() -> None:
    builder = GraphBuilder("g")
    c = builder.constant("c", np.ones(3, np.float32))
    program = lower(builder.build(c), HOST, toys().all)
    assert [call.kernel for call in program.calls] == ["toy_copy"]
    assert program.outputs == ("c.copy",)


def test_constants_that_nothing_reads_are_left_out() -> None:
    builder = GraphBuilder("g")
    x = builder.input("x", TensorType((2,), DType.FLOAT32))
    builder.constant("unused", np.ones(3, np.float32))
    graph = builder.build(builder.add(Relu(), [x], "y"))
    assert lower(graph, HOST, toys().all).constants == ()
