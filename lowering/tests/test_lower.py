from dataclasses import replace

import numpy as np
import pytest
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.graph import Graph, Location
from tinsmith_ir.operators import Add, Mul, Relu, Reshape
from tinsmith_ir.pipeline import Pipeline
from tinsmith_ir.program_printer import print_program
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import GraphBuilder, random_inputs
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import Layer, Lower, Signature, find_kernel, layer_of_call, lower
from tinsmith_lowering.testing import toys
from tinsmith_target import target

HOST = target("host")


def adder(elements: int) -> Graph:
    builder = GraphBuilder("adder")
    x = builder.input("x", TensorType((elements,), DType.FLOAT32))
    return builder.build(builder.add(Add(), [x, x], "sum"))


def test_the_first_kernel_whose_rules_hold_is_chosen() -> None:
    (call,) = lower(adder(8), HOST, toys().all).calls
    assert (call.kernel, call.reason) == ("toy_fast_add", "")


def test_a_kernel_that_does_not_pay_is_not_chosen_but_may_be_called() -> None:
    def is_long(layer: Layer) -> str | None:
        """Vectors have 100 elements."""
        return None if layer.output.elements >= 100 else f"it has {layer.output.elements}"

    dear = replace(toys().all[0], rules=(), pays=(is_long,))
    kernels = dear, *toys().all[1:]
    program = lower(adder(8), HOST, kernels)
    (call,) = program.calls
    assert call.kernel == "toy_add"
    assert call.reason.startswith("toy_fast_add: Vectors have 100 elements: it has 8")
    layer = layer_of_call(program, call, HOST)
    assert dear.broken_rule(layer) is None
    assert dear.why_not(layer) == "Vectors have 100 elements: it has 8"


def test_a_kernel_for_narrow_multipliers_is_not_asked_for_layers_of_wide_ones() -> None:
    type_ = TensorType((8,), DType.INT8, Quantization((0.5,), (0,)))
    signature = Signature((DType.INT8, DType.INT8), DType.INT8)
    once = replace(toys().fast_add, signature=signature, roundings=(Rounding.NEAREST,), rules=())
    kernels = replace(once, name="toy_narrow_add", narrow=True), once
    for bits, name in ((31, once.name), (30, "toy_narrow_add"), (8, "toy_narrow_add")):
        builder = GraphBuilder("g")
        x = builder.input("x", type_)
        operator = Add(rounding=Rounding.NEAREST, multiplier_bits=bits)
        value = builder.add(operator, [x, x], "y", quantization=type_.quantization)
        (call,) = lower(builder.build(value), HOST, kernels).calls
        assert (call.kernel, call.reason) == (name, "")


def test_lowering_is_a_pass_from_graph_to_program() -> None:
    graph = adder(8)
    result = Pipeline([Lower(HOST, toys().all)]).run(graph, verify_inputs=random_inputs(graph))
    assert print_program(result.program) == print_program(lower(graph, HOST, toys().all))
    assert [(record.name, record.verified) for record in result.records] == [("lower", True)]


def test_the_reason_for_a_fallback_is_kept() -> None:
    (call,) = lower(adder(9), HOST, toys().all).calls
    assert call.kernel == "toy_add"
    assert call.reason == "toy_fast_add: A tensor has at most 8 elements: it has 9"


def test_an_operator_that_the_best_backend_lacks_says_so() -> None:
    builder = GraphBuilder("g")
    x = builder.input("x", TensorType((2,), DType.FLOAT32))
    (call,) = lower(builder.build(builder.add(Relu(), [x], "y")), HOST, toys().all).calls
    assert call.reason == "fast has no kernel for relu of f32 -> f32"


def test_a_rounding_that_the_best_backend_lacks_is_told_from_those_it_has() -> None:
    type_ = TensorType((4,), DType.INT8, Quantization.per_tensor(0.5, 0))
    signature = Signature((DType.INT8,), DType.INT8)
    down = replace(toys().fast_add, signature=signature, roundings=(Rounding.FLOOR,), rules=())
    any_ = replace(toys().add, signature=signature, roundings=tuple(Rounding))
    builder = GraphBuilder("g")
    x = builder.input("x", type_)
    y = builder.add(Add(), [x, x], "y", quantization=type_.quantization)
    (call,) = lower(builder.build(y), HOST, (down, any_)).calls
    assert call.reason == (
        "fast has no kernel for add of i8, i8 -> i8; it has one rounded by floor, see set-rounding"
    )


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
    bytes_only = replace(
        toys().add, name="toy_add_s8", signature=Signature((DType.INT8,), DType.INT8)
    )
    (call,) = lower(adder(9), HOST, [bytes_only, toys().add]).calls
    assert (call.kernel, call.reason) == ("toy_add", "")


def test_reshapes_become_views_of_the_first_buffer() -> None:
    builder = GraphBuilder("g")
    x = builder.input("x", TensorType((2, 3), DType.FLOAT32))
    flat = builder.add(Reshape(shape=(6,)), [x], "flat")
    tall = builder.add(Reshape(shape=(3, 2)), [flat], "tall")
    program = lower(builder.build(builder.add(Relu(), [tall], "y")), HOST, toys().all)
    assert [call.name for call in program.calls] == ["y"]
    assert program.view["flat"].buffer == "x"
    assert program.view["tall"].buffer == "x"


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


def copier() -> Graph:
    builder = GraphBuilder("copier")
    return builder.build(builder.constant("c", np.ones(3, np.float32)))


def test_a_name_that_two_kernels_share_is_given_as_the_key() -> None:
    kernels = [replace(toys().copy, backend="other"), toys().copy]
    program = lower(copier(), HOST, kernels)
    (call,) = program.calls
    assert call.kernel == "other/toy_copy/reshape/f32 -> f32"
    found = find_kernel(call.kernel, layer_of_call(program, call, HOST), kernels)
    assert found is kernels[0]


def test_a_name_that_kernels_of_other_element_types_share_is_enough() -> None:
    kernels = [replace(toys().copy, signature=Signature((DType.INT8,), DType.INT8)), toys().copy]
    program = lower(copier(), HOST, kernels)
    (call,) = program.calls
    assert call.kernel == "toy_copy"
    found = find_kernel(call.kernel, layer_of_call(program, call, HOST), kernels)
    assert found is kernels[1]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "toy_copy",
            "call c.copy: 2 kernels for reshape of f32 -> f32 are called 'toy_copy'; name one of "
            "'other/toy_copy/reshape/f32 -> f32', 'slow/toy_copy/reshape/f32 -> f32'",
        ),
        (
            "toy_add",
            "call c.copy: no kernel 'toy_add' for reshape of f32 -> f32 is known; known: "
            "'other/toy_copy/reshape/f32 -> f32', 'slow/toy_copy/reshape/f32 -> f32'",
        ),
    ],
)
def test_a_kernel_that_cannot_be_told_is_refused_with_those_known(name: str, message: str) -> None:
    kernels = [replace(toys().copy, backend="other"), toys().copy, toys().add]
    program = lower(copier(), HOST, [toys().copy])
    layer = layer_of_call(program, program.calls[0], HOST)
    with pytest.raises(UnsupportedError) as error:
        find_kernel(name, layer, kernels)
    assert str(error.value) == message
