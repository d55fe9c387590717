"""Kernels of several operators in a row, and kernels with options."""

from dataclasses import replace

import numpy as np
import pytest
from tinsmith_ir import (
    Box,
    Chain,
    Graph,
    GraphError,
    Option,
    Program,
    evaluate_graph,
    evaluate_program,
    parse_graph,
    parse_program,
    print_program,
    verify_graph,
)
from tinsmith_ir.dtypes import DType
from tinsmith_ir.evaluate import equal_arrays
from tinsmith_ir.operators import Add, Operator, Relu
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import (
    Choice,
    Emission,
    Kernel,
    Layer,
    Scope,
    Signature,
    check_calls,
    cut,
    layer_of_call,
    lift,
    lower,
    no_options,
    no_scratch,
)
from tinsmith_lowering.testing import toys
from tinsmith_target import target

HOST = target("host")
FLOATS = Signature((DType.FLOAT32,), DType.FLOAT32)


def emit(layer: Layer, scope: Scope) -> Emission:
    return Emission((f"  toy({layer.operator.title}, {scope.output});",))


def chain_kernel(
    name: str, *operators: type[Operator], backend: str = "fast", limit: int = 1 << 20
) -> Kernel:
    def is_small(layer: Layer) -> str | None:
        """A chain has few elements."""
        elements = layer.output.elements
        return None if elements <= limit else f"it has {elements}"

    first, *then = operators
    return Kernel(name, backend, first, FLOATS, ("toy.h",), emit, (is_small,), then=tuple(then))


ADD_RELU = chain_kernel("add_relu", Add, Relu)
ADD_RELU_ADD = chain_kernel("add_relu_add", Add, Relu, Add)
NETWORK = """graph 2 "g" {
  input %x: f32[4]
  const %c: f32[4] = [1.0, -2.0, 3.0, -4.0]
  %a: f32[4] = add(%c, %x)
  %b: f32[4] = relu(%a)
  %d: f32[4] = relu(%x)
  %y: f32[4] = add(%d, %b)
  output %y
}
"""


def lowered(graph: Graph, *kernels: Kernel) -> Program:
    """Lowered to the kernels, then those of the back end `slow`; it computes what the graph does."""
    program = lower(graph, HOST, [*kernels, *toys().all[1:]])
    inputs = random_inputs(graph)
    wanted, got = evaluate_graph(graph, inputs), evaluate_program(program, inputs)
    assert all(equal_arrays(wanted[name], got[name]) for name in wanted)
    assert print_program(parse_program(print_program(program))) == print_program(program)
    return program


def titles(program: Program) -> list[str]:
    return [f"{call.name}: {call.operator.title}" for call in program.calls]


def test_one_call_computes_a_chain_and_what_lies_between_needs_no_buffer() -> None:
    program = lowered(parse_graph(NETWORK), ADD_RELU)
    assert titles(program) == ["b: add then relu", "d: relu", "y: add"]
    assert program.calls[0].kernel == "add_relu"
    assert "a" not in program.view


def test_the_longest_chain_comes_first_and_stands_where_its_last_node_stood() -> None:
    program = lowered(parse_graph(NETWORK), ADD_RELU, ADD_RELU_ADD)
    assert titles(program) == ["d: relu", "y: add then relu then add"]
    chain = program.calls[1].operator
    assert isinstance(chain, Chain)
    assert [link.place for link in chain.links] == [0, 1]
    assert program.calls[1].inputs == ("c", "x", "d")


def test_a_rule_that_a_long_chain_breaks_leaves_the_shorter_one() -> None:
    strict = chain_kernel("add_relu_add", Add, Relu, Add, limit=3)
    program = lowered(parse_graph(NETWORK), strict, ADD_RELU)
    assert titles(program) == ["b: add then relu", "d: relu", "y: add"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("output %y", "output %y\n  output %a"),
        ("%d: f32[4] = relu(%x)", "%d: f32[4] = relu(%a)"),
        ("%b: f32[4] = relu(%a)", "%b: f32[4] = add(%a, %a)"),
    ],
)
def test_no_chain_goes_over_what_others_want(old: str, new: str) -> None:
    program = lowered(parse_graph(NETWORK.replace(old, new)), ADD_RELU)
    assert not any(isinstance(call.operator, Chain) for call in program.calls)


def test_no_chain_goes_over_the_next_of_a_state() -> None:
    text = NETWORK.replace("const", "state %s: f32[4] = [0.0, 0.0, 0.0, 0.0] next %a\n  const")
    program = lower(parse_graph(text), HOST, [ADD_RELU, *toys().all[1:]])
    assert not any(isinstance(call.operator, Chain) for call in program.calls)


def test_a_chain_may_read_a_state() -> None:
    text = NETWORK.replace("const", "state %s: f32[4] = [0.0, 0.0, 0.0, 0.0] next %y\n  const")
    text = text.replace("add(%c, %x)", "add(%s, %x)")
    program = lower(parse_graph(text), HOST, [ADD_RELU, *toys().all[1:]])
    assert titles(program) == ["b: add then relu", "d: relu", "y: add"]


def test_a_chain_takes_nothing_from_a_back_end_before_its_own() -> None:
    late = chain_kernel("late", Add, Relu, backend="late")
    program = lower(parse_graph(NETWORK), HOST, [*toys().all, late])
    assert not any(isinstance(call.operator, Chain) for call in program.calls)
    first = lower(parse_graph(NETWORK), HOST, [late, *toys().all])
    assert first.calls[0].kernel == "late"


def test_a_chain_is_taken_for_what_has_no_kernel_by_itself() -> None:
    late = chain_kernel("late", Add, Relu, backend="late")
    graph = parse_graph(NETWORK.replace("relu(%x)", "add(%x, %x)"))
    program = lower(graph, HOST, [toys().add, late])
    assert program.calls[0].kernel == "late"


def test_layers_of_a_chain_have_its_types_and_constants() -> None:
    program = lowered(parse_graph(NETWORK), ADD_RELU_ADD)
    layer = layer_of_call(program, program.calls[1], HOST)
    first, second, third = layer.steps
    assert first.constant(0) is not None
    assert (first.constant(1), second.constant(0), third.constant(0)) == (None, None, None)
    assert [len(step.inputs) for step in layer.steps] == [2, 1, 2]
    assert third.operator_as(Add) == Add()


def test_lifted_chains_are_nodes_of_their_own() -> None:
    program = lowered(parse_graph(NETWORK), ADD_RELU_ADD)
    graph = lift(program)
    verify_graph(graph)
    assert [node.operator.mnemonic for node in graph.nodes] == ["relu", "add", "relu", "add"]
    x = [np.array([1, -2, 3, -4], np.float32)]
    assert equal_arrays(evaluate_graph(graph, x)["y"], evaluate_program(program, x)["y"])


def test_a_chain_is_cut_by_its_operators() -> None:
    kernels = [ADD_RELU, *toys().all[1:]]
    program = lowered(parse_graph(NETWORK), *kernels[:1])
    parts = cut(program, ["b"], [Box(((0, 3),)), Box(((3, 4),))], HOST, kernels)
    assert titles(parts)[:2] == ["b.0: add then relu", "b.1: add then relu"]
    x = [np.array([1, -2, 3, -4], np.float32)]
    assert equal_arrays(evaluate_program(parts, x)["y"], evaluate_program(program, x)["y"])


def strips(layer: Layer) -> tuple[Choice, ...]:
    elements = layer.output.elements
    return (
        Choice("strip", tuple(range(1, elements + 1)), elements),
        Choice("form", ("wide", "tall"), "wide"),
    )


def scratch_of_strip(layer: Layer) -> int:
    strip = layer.option("strip")
    assert isinstance(strip, int)
    return 8 * strip


STRIPED = replace(toys().relu, options=strips, scratch_bytes=scratch_of_strip)
RELU = 'graph 2 "g" {\n  input %x: f32[4]\n  %y: f32[4] = relu(%x)\n  output %y\n}\n'


def striped(program_text_change: tuple[str, str] = ("", "")) -> Program:
    program = lower(parse_graph(RELU), HOST, [STRIPED])
    text = print_program(program)
    assert "{form=wide, strip=4}" in text
    return parse_program(text.replace(*program_text_change))


def test_lowering_takes_the_default_of_every_choice() -> None:
    (call,) = striped().calls
    assert call.options == (Option("form", "wide"), Option("strip", 4))
    assert striped().type_of(str(call.scratch)).size_bytes == 32
    check_calls(striped(), HOST, [STRIPED])


def test_an_edited_option_that_the_kernel_has_is_taken() -> None:
    check_calls(striped(("strip=4", "strip=2")), HOST, [STRIPED])
    check_calls(striped(("form=wide", "form=tall")), HOST, [STRIPED])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("strip=4", "strip=5", "expected options strip of 1 to 4; form of wide, tall; got strip=5"),
        ("strip=4", "strip=0", "got strip=0"),
        ("strip=4", "strip=four", "got strip=four"),
        ("strip=4", "cores=4, strip=4", "got cores=4"),
        (", strip=4", "", "got no strip"),
        ("{form=wide, strip=4}", "", "got no form"),
    ],
)
def test_options_that_a_kernel_does_not_have_are_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        check_calls(striped((old, new)), HOST, [STRIPED])


def test_options_of_a_kernel_without_choices_are_refused() -> None:
    kernel = replace(STRIPED, options=no_options, scratch_bytes=no_scratch)
    with pytest.raises(GraphError, match="expected options none; got form=wide"):
        check_calls(striped(), HOST, [kernel])


def test_scratch_that_is_too_small_for_an_option_is_refused() -> None:
    program = striped(("strip=4", "strip=2"))
    text = print_program(program).replace("i8[32]", "i8[15]")
    with pytest.raises(GraphError, match="expected 16 bytes of scratch, got 15"):
        check_calls(parse_program(text), HOST, [STRIPED])


def test_parts_keep_options_that_they_can() -> None:
    program = striped(("form=wide, strip=4", "form=tall, strip=2"))
    boxes = [Box(((0, 3),)), Box(((3, 4),))]
    parts = cut(program, ["y"], boxes, HOST, [STRIPED])
    strip = [[option.value for option in call.options] for call in parts.calls]
    assert strip == [["tall", 2], ["tall", 1]]


def test_choice_has_its_default_among_its_values() -> None:
    with pytest.raises(ValueError, match="choice strip: 3 is none of"):
        Choice("strip", (1, 2), 3)


def test_layer_whose_options_are_not_chosen_says_so() -> None:
    layer = Layer("l", Relu(), (), (), (), HOST)
    with pytest.raises(ValueError, match="layer l: option strip is not chosen"):
        layer.option("strip")
