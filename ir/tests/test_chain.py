"""Chains of operators, and the options of calls: text, rules, meaning, cuts."""

import itertools
import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from tinsmith_ir import (
    Array,
    Box,
    Chain,
    Graph,
    GraphError,
    Link,
    Node,
    Option,
    ParseError,
    Program,
    UsageError,
    Value,
    cut_type,
    evaluate_program,
    parse_program,
    print_program,
    unrolled,
    verify_graph,
    verify_program,
)
from tinsmith_ir.operators import Add, Conv2D, Mul, Relu
from tinsmith_ir.program import Call

IMAGE = "i8[1,4,4,2]<0.5, 3>"
CALL = (
    "conv2d(%x, %w, none) {padding=[1,1,1,1]} as i8[1,4,4,2]<0.25, -3> "
    "then add(%r, _) as i8[1,4,4,2]<0.75, 5> then relu(_)"
)


def program_of(call: str = CALL, kernel: str = '"k"', steps: str = "") -> Program:
    return parse_program(f"""program 2 "p" for "host" {{
  memory "m" align 4
  buffer %x: {IMAGE} in "m"
  buffer %r: {IMAGE} in "m"
  buffer %y: {IMAGE} in "m"
  const %w: i8[2,3,3,2]<0.00390625, 0> = base64
    "AQIDBAUGBwgJCgsMDQ4PEP/+/fz7+vn49/b19PPy8fDv7u3s"
  input %x
  input %r
  {steps or "call " + '"y"' + f" kernel {kernel}: %y = {call}"}
  output %y
}}
""")


def chain_of(program: Program) -> Chain:
    operator = program.calls[0].operator
    assert isinstance(operator, Chain)
    return operator


def images(seed: int) -> list[Array]:
    generator = np.random.default_rng(seed)
    return [generator.integers(-128, 128, (1, 4, 4, 2)).astype(np.int8) for _ in range(2)]


def one_by_one(chain: Chain, arrays: Sequence[Array | None], program: Program) -> Array:
    """The last result of the operators, each evaluated by itself."""
    result: list[Array] = []
    types = program.types_of(program.calls[0])
    at = 0
    for number, step in enumerate(chain.steps(*types)):
        link = chain.links[number - 1] if number else None
        count = chain.arity if link is None else link.arity - 1
        own = list(arrays[at : at + count])
        at += count
        if link is not None:
            own.insert(link.place, result[0])
        result = list(step.operator.evaluate(own, step.inputs, step.outputs))
    return result[0]


def test_text_is_read_back() -> None:
    program = program_of(kernel='"k" {cores=8, form=wide}')
    text = print_program(program)
    assert " ".join(CALL.split()) in " ".join(text.split())
    read = parse_program(text)
    assert print_program(read) == text
    assert read.calls == program.calls
    assert hash(read.calls[0].operator) == hash(program.calls[0].operator)


def test_chain_says_its_operators() -> None:
    chain = chain_of(program_of())
    assert chain.title == "conv2d then add then relu"
    assert [chain.operand_name(index) for index in range(4)] == [
        "input",
        "weights",
        "bias",
        "lhs_3",
    ]
    assert chain.links[0].place == 1


def test_chain_computes_what_its_operators_compute_one_by_one() -> None:
    program = program_of()
    for seed in range(5):
        x, r = images(seed)
        operands = [x, program.constant["w"].data, None, r]
        wanted = one_by_one(chain_of(program), operands, program)
        got = evaluate_program(program, [x, r])["y"]
        assert got.tobytes() == wanted.tobytes()
        assert len(np.unique(got)) > 3


def test_multiply_accumulates_are_those_of_all_operators() -> None:
    program = program_of()
    call = program.calls[0]
    assert call.operator.macs(*program.types_of(call)) == 16 * 2 * 18


def test_boxes_of_a_chain_put_together_are_the_whole() -> None:
    program = program_of()
    chain, (inputs, outputs) = chain_of(program), program.types_of(program.calls[0])
    x, r = images(7)
    arrays = [x, program.constant["w"].data, None, r]
    (whole,) = chain.evaluate(arrays, inputs, outputs)
    generator = random.Random(1)
    for _ in range(30):
        ranges = [
            tuple(sorted(generator.sample(range(size + 1), 2))) for size in outputs[0].shape[1:]
        ]
        box = Box(((0, 1), *((begin, end) for begin, end in ranges)))
        found = chain.restrict(box, inputs, outputs)
        assert found is not None
        parts = [
            None if array is None or read is None else array[read.slices]
            for array, read in zip(arrays, found.operands, strict=True)
        ]
        (part,) = found.operator.evaluate(
            found.taken(parts), found.cut_types(inputs), [cut_type(outputs[0], box)]
        )
        assert part.tobytes() == np.ascontiguousarray(whole[box.slices]).tobytes()


def test_chain_is_not_cut_where_an_operator_is_not() -> None:
    program = parse_program("""program 2 "p" for "host" {
  memory "m" align 4
  buffer %x: f32[2,4] in "m"
  buffer %y: f32[2,4] in "m"
  input %x
  call "y" kernel "k": %y = relu(%x) as f32[2,4] then softmax(_)
  output %y
}
""")
    call = program.calls[0]
    types = program.types_of(call)
    assert call.operator.restrict(Box(((0, 2), (0, 2))), *types) is None
    assert call.operator.restrict(Box(((0, 1), (0, 4))), *types) is not None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (f"mul(%x, %r) as {IMAGE} then add(%x, %r)", "one operand _ of add"),
        (f"mul(%x, %r) as {IMAGE} then add(_, _)", "one operand _ of add"),
        ("mul(%x, %r) then add(_, %r)", "got .then."),
        (f"mul(%x, _) as {IMAGE} then relu(_)", "a %name"),
        (f"mul(%x, %r) as {IMAGE} relu(_)", "'then'"),
    ],
)
def test_text_of_a_wrong_chain_is_refused(call: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        program_of(call)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            "mul(%x, %r) as i8[1,4,2,2]<0.5, 3> then relu(_)",
            r"expected i8\[1, 4, 4, 2\] behind mul",
        ),
        ("mul(%x, %r) as i8[1,4,4,2]<0.5, 300> then relu(_)", "zero points lie within"),
        (f"relu(%x) as {IMAGE} then add(_, none)", "add of relu then add: expected operand 'rhs'"),
        (f"relu(%x) as {IMAGE} then add(_)", "add of relu then add: expected operand 'rhs'"),
        ("relu(%x) as i8[1,4,4,2] then relu(_)", "relu of relu then relu"),
        (
            f"relu(%x) {{multiplier_bits=8}} as {IMAGE} then relu(_)",
            "expected multiplier_bits of 31 for tflite",
        ),
    ],
)
def test_wrong_chain_is_refused(call: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        program_of(call)


def test_records_of_no_chain_are_refused() -> None:
    type_ = program_of().type_of("x")
    link = Link(Relu(), type_)
    with pytest.raises(UsageError, match="two or more operators"):
        Chain(Relu(), 1, ())
    with pytest.raises(UsageError, match="no chain among them"):
        Chain(Chain(Relu(), 1, (link,)), 1, (link,))
    with pytest.raises(UsageError, match="take the result"):
        Chain(Relu(), 1, (Link(Add(), type_, 2, 2),))


def test_operands_that_a_chain_does_not_have_are_refused() -> None:
    program = program_of()
    call = program.calls[0]
    short = replace(program, steps=(replace(call, inputs=call.inputs[:3]),))
    with pytest.raises(GraphError, match="expected 4 operands of conv2d then add then relu, got 3"):
        verify_program(short)


def test_graph_has_no_chains() -> None:
    type_ = program_of().type_of("x")
    x, y = Value("x", type_), Value("y", type_)
    chain = Chain(Relu(), 1, (Link(Relu(), type_),))
    graph = Graph("g", (x,), (y,), (Node(chain, (x,), (y,)),))
    with pytest.raises(GraphError, match=r"a node is one operator: .*relu then relu"):
        verify_graph(graph)


def test_order_of_written_options_does_not_matter() -> None:
    one, other = (program_of(kernel=f'"k" {{{text}}}') for text in ("a=1, b=x", "b=x, a=1"))
    assert one.calls == other.calls
    assert one.calls[0].options == (Option("a", 1), Option("b", "x"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{a=1, a=2}", "each option once, got 'a'"),
        ("{a=%x}", "a number or word"),
        ("{a}", "'='"),
        ("{=1}", "the name of an option"),
        ("{a=1.5}", "an integer"),
    ],
)
def test_text_of_wrong_options_is_refused(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        program_of(kernel=f'"k" {text}')


@pytest.mark.parametrize(
    "options",
    [
        (Option("b", 1), Option("a", 1)),
        (Option("a", 1), Option("a", 2)),
        (Option("a b", 1),),
        (Option("a", "two words"),),
    ],
)
def test_options_out_of_order_or_no_words_are_refused(options: tuple[Option, ...]) -> None:
    program = program_of()
    call = replace(program.calls[0], options=options)
    with pytest.raises(GraphError, match="options are words, in their order, each once"):
        verify_program(replace(program, steps=(call,)))


def test_loops_keep_chains_and_options() -> None:
    steps = (
        'loop i of 2 { call "y" kernel "k" {cores=2}: %y = '
        f"mul(%x, %r) as {IMAGE} then relu(_) }}"
    )
    calls = [step for step in unrolled(program_of(steps=steps)).steps if isinstance(step, Call)]
    assert [call.name for call in calls] == ["y@i=0", "y@i=1"]
    for call in calls:
        assert call.options == (Option("cores", 2),)
        assert isinstance(call.operator, Chain)


def test_operators_of_a_chain_share_its_operands() -> None:
    type_ = program_of().type_of("x")
    for places in itertools.product((0, 1), repeat=2):
        links = tuple(Link(Mul(), type_, 2, place) for place in places)
        taken = Chain(Conv2D(), 3, links).shared("abcde", "12")
        assert taken[0] == ["a", "b", "c"]
        for own, operand, result, place in zip(taken[1:], "de", "12", places, strict=True):
            assert own == ([result, operand] if place == 0 else [operand, result])
