"""Steps that are repeated, as loops: which are, which are not, and that unrolling gives them back."""

from collections.abc import Hashable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from tinsmith_ir import (
    Box,
    Call,
    GraphError,
    Loop,
    Program,
    UsageError,
    evaluate_graph,
    evaluate_program,
    parse_graph,
    parse_program,
    print_program,
    unrolled,
    verify_program,
)
from tinsmith_ir.expressions import Counter, Expression, Term
from tinsmith_ir.lifetimes import lifetimes
from tinsmith_ir.program import Step, View
from tinsmith_ir.random_programs import random_program
from tinsmith_ir.testing import random_graph, random_inputs
from tinsmith_lowering import cut, lower, prepare
from tinsmith_reference import backend
from tinsmith_rolling import RollLoops, roll
from tinsmith_rolling.items import changed
from tinsmith_target import target

HOST = target("host")
KERNELS = backend().kernels(HOST)

CHAIN = """graph 2 "chain" {
  input %x: i8[1,32,12,2]<0.5, 3>
  const %w: i8[3,3,3,2]<0.125, 0> = base64 "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyD//v38+/r5+Pf29fTz8vHw7+7t7Ovq"
  %a: i8[1,32,12,3]<0.5, -2> = conv2d(%x, %w, none) {padding=[1,1,1,1]}
  %b: i8[1,32,12,3]<0.5, -2> = relu(%a)
  %y: i8[1,16,6,3]<0.5, -2> = max_pool2d(%b) {window=[2,2], stride=[2,2]}
  output %y
}
"""


def program(buffers: str, *steps: str) -> Program:
    """A program on a memory of 64 bytes of input and of output."""
    text = f"""program 2 "p" for "host" {{
  memory "arena" align 1
  engine "dma" reaches "arena" align 1
  buffer %x: i8[64]<0.5, 3> in "arena"
  buffer %y: i8[64]<0.5, 3> in "arena"
  {buffers}
  input %x
  {chr(10).join(steps)}
  output %y
}}"""
    return parse_program(text)


def part(name: str, of: str, start: int, size: int = 4) -> str:
    return f"view %{name}: i8[{size}]<0.5, 3> of %{of} start {start}\n"


def ends(starts: list[int], to: list[int] | None = None) -> str:
    """Views x0, x1, … of the input and y0, y1, … of the output."""
    places = [part(f"x{index}", "x", start) for index, start in enumerate(starts)]
    places += [part(f"y{index}", "y", start) for index, start in enumerate(to or starts)]
    return "".join(places)


def relu(name: str, operand: str, result: str, operator: str = "relu") -> str:
    return f'call "{name}" kernel "k": %{result} = {operator}(%{operand})'


def relus(count: int) -> list[str]:
    return [relu(f"r{index}", f"x{index}", f"y{index}") for index in range(count)]


def lines(rolled: Program) -> list[str]:
    """The text of views and steps."""
    found = [line.strip() for line in print_program(rolled).splitlines()]
    return [line for line in found if line.startswith(("view", "loop", "call", "copy", "}"))][:-1]


def check(before: Program) -> Program:
    """The rolled program, which means the same."""
    after = roll(before)
    verify_program(after)
    assert_same_meaning(before, after)
    assert roll(after) is after
    text = print_program(after)
    assert print_program(parse_program(text)) == text
    return after


def assert_same_meaning(before: Program, after: Program) -> None:
    """The same steps on the same bytes; buffers may be one in whose place there were several, one after another."""
    one, two = unrolled(before), unrolled(after)
    assert len(one.steps) == len(two.steps)
    became: dict[str, str] = {}
    for mine, other in zip(one.steps, two.steps, strict=True):
        fields, views = taken_apart(one, mine)
        other_fields, other_views = taken_apart(two, other)
        assert fields == other_fields
        assert [place(view) for view in views] == [place(view) for view in other_views]
        for view, moved in zip(views, other_views, strict=True):
            assert became.setdefault(view.buffer, moved.buffer) == moved.buffer
            old, new = one.buffer[view.buffer], two.buffer[moved.buffer]
            assert replace(old, name="") == replace(new, name="")
    lives = lifetimes(one)
    for buffer in set(became.values()):
        spans = sorted(lives[name] for name in became if became[name] == buffer)
        assert all(first[1] < second[0] for first, second in pairwise(spans))


def place(view: View) -> Hashable:
    return view.type, view.start, view.strides, view.ring


def taken_apart(owner: Program, step: Step) -> tuple[Step, list[View]]:
    """A step without names of its own and of views, and its views."""
    assert not isinstance(step, Loop)
    views: list[View] = []

    def placed(name: str) -> str:
        if name in owner.view:
            views.append(owner.view[name])
            return ""
        return name

    plain: Step = changed(step, placed, lambda token: token)
    if isinstance(plain, Call):
        plain = replace(plain, name="")
    return plain, views


def test_steps_whose_views_move_evenly_are_a_loop() -> None:
    rolled = check(program(ends([0, 4, 8, 12]), *relus(4)))
    assert lines(rolled) == [
        "view %x0.i: i8[4]<0.5, 3> of %x start 4*i",
        "view %y0.i: i8[4]<0.5, 3> of %y start 4*i",
        "loop i of 4 {",
        'call "r0" kernel "k": %y0.i = relu(%x0.i)',
        "}",
    ]


def test_other_steps_stay_around_a_loop() -> None:
    steps = relus(6)
    steps[0] = relu("r0", "x0", "y0", "relu6")
    steps[5] = relu("r5", "x5", "y5", "relu6")
    rolled = check(program(ends([0, 4, 8, 12, 16, 20]), *steps))
    kinds = [step.count if isinstance(step, Loop) else 1 for step in rolled.steps]
    assert kinds == [1, 4, 1]
    assert rolled.view["x1.i"].start.value({"i": 0}) == 4


def test_buffers_of_one_iteration_each_become_one() -> None:
    buffers = ends([0, 4, 8, 12]) + "".join(
        f'buffer %t{index}: i8[4]<0.5, 3> in "arena"\n' for index in range(4)
    )
    steps = [
        step
        for index in range(4)
        for step in (
            f"copy %x{index} -> %t{index}",
            relu(f"r{index}", f"t{index}", f"y{index}"),
        )
    ]
    rolled = check(program(buffers, *steps))
    assert [buffer.name for buffer in rolled.buffers] == ["x", "y", "t0"]
    assert lines(rolled)[2:] == [
        "loop i of 4 {",
        "copy %x0.i -> %t0",
        'call "r0" kernel "k": %y0.i = relu(%t0)',
        "}",
    ]


def test_an_iteration_begins_where_no_buffer_of_its_own_is_in_use() -> None:
    """As each result is read last, the steps are periodic from the second one on, too."""
    buffers = ends([0, 4, 8, 12]) + "".join(
        f'buffer %t{index}: i8[4]<0.5, 3> in "arena"\n' for index in range(4)
    )
    steps = [
        step
        for index in range(4)
        for step in (
            relu(f"r{index}", f"x{index}", f"t{index}"),
            f"copy %t{index} -> %y{index}",
        )
    ]
    steps[0] = relu("r0", "x0", "t0", "relu6")
    rolled = check(program(buffers, *steps))
    kinds = [step.count if isinstance(step, Loop) else 1 for step in rolled.steps]
    assert kinds == [1, 1, 3]


def test_buffers_that_live_from_one_iteration_to_the_next_stay_apart() -> None:
    buffers = ends([0]) + "".join(
        f'buffer %t{index}: i8[4]<0.5, 3> in "arena"\n' for index in range(5)
    )
    chain = [relu(f"r{index}", f"t{index}", f"t{index + 1}") for index in range(4)]
    given = program(buffers, "copy %x0 -> %t0", *chain, "copy %t4 -> %y0")
    assert roll(given) is given


def test_places_that_turn_are_modulo() -> None:
    rolled = check(program(ends([8, 16, 0, 8, 16, 0, 8], [24, 0, 8, 16, 24, 0, 8]), *relus(7)))
    assert lines(rolled)[:2] == [
        "view %x0.i: i8[4]<0.5, 3> of %x start 8*((i+1) mod 3)",
        "view %y0.i: i8[4]<0.5, 3> of %y start 8*((i+3) mod 4)",
    ]
    backwards = check(program(ends([0, 16, 8, 0, 16]), *relus(5)))
    assert lines(backwards)[0].endswith("start 8*((2*i) mod 3)")


def test_places_without_a_rule_are_a_table_where_that_is_less_code() -> None:
    rolled = check(program(ends([0, 20, 4, 44, 12]), *relus(5)))
    assert lines(rolled)[0].endswith("start table(i: 0, 20, 4, 44, 12)")
    copies = program(
        ends([0, 20, 4, 44, 12], [20, 0, 44, 4, 12]), "copy %x0 -> %y0", "copy %x1 -> %y1"
    )
    assert roll(copies) is copies


def test_rows_and_columns_are_loops_in_a_loop() -> None:
    starts = [16 * row + 4 * column for row in range(4) for column in range(3)]
    rolled = check(program(ends(starts), *relus(12)))
    assert lines(rolled)[0].endswith("start 16*i1+4*i")
    assert [line for line in lines(rolled) if line.startswith("loop")] == [
        "loop i1 of 4 {",
        "loop i of 3 {",
    ]


def test_what_runs_beside_the_core_is_rolled_with_its_tokens() -> None:
    buffers = ends([0, 4, 8, 12, 16, 20])
    buffers += 'buffer %t: 8 bytes in "arena"\n' + part("t0", "t", 0) + part("t1", "t", 4)
    steps = ['copy %x0 -> %t0 on "dma" token 0']
    for index in range(5):
        steps.append(f'copy %x{index + 1} -> %t{(index + 1) % 2} on "dma" token {(index + 1) % 2}')
        steps.append(f"wait {index % 2}")
        steps.append(relu(f"r{index}", f"t{index % 2}", f"y{index}"))
    rolled = check(program(buffers, *steps, "wait 1"))
    assert print_program(rolled).count("token ((i+1) mod 2)") == 1
    assert "wait (i mod 2)" in print_program(rolled)


def test_rings_turn_with_the_counter() -> None:
    buffers = ends([0, 4, 8, 12, 16, 20]) + 'buffer %r: 12 bytes in "arena"\n'
    buffers += "view %all: i8[12]<0.5, 3> of %r\n"
    buffers += "".join(
        f"view %r{at}: i8[2,4]<0.5, 3> of %r strides [4,1] ring axis 0 of 3 at {at}\n"
        f"view %z{at}: i8[2,4]<0.5, 3> of %y start {8 * at}\n"
        for at in range(5)
    )
    copies = [f"copy %r{at} -> %z{at}" for at in range(5)]
    rolled = check(program(buffers, "fill %all with 0", *copies))
    assert "ring axis 0 of 3 at i" in print_program(rolled)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"k": %y1', '"other": %y1'),
        ("relu(%x1)", "relu6(%x1)"),
        ("of %x start 4", "of %x start 4 strides [2]"),
        ("= relu(%x1)", '= relu(%x1) reason "of its own"'),
    ],
)
def test_what_differs_otherwise_is_not_repeated(old: str, new: str) -> None:
    text = print_program(program(ends([0, 4]), *relus(2)))
    assert isinstance(roll(parse_program(text)).steps[0], Loop)
    given = parse_program(text.replace(old, new))
    assert given.steps != parse_program(text).steps or given.views != parse_program(text).views
    assert roll(given) is given


def test_constants_are_the_same_in_all_iterations() -> None:
    def steps(second: str) -> list[str]:
        return [
            f'call "a{index}" kernel "k": %y{index} = add(%x{index}, %{name})'
            for index, name in enumerate(["c", second])
        ]

    constants = "const %c: i8[4]<0.5, 3> = [1, 2, 3, 4]\nconst %d: i8[4]<0.5, 3> = [1, 2, 3, 5]\n"
    assert isinstance(check(program(ends([0, 4]) + constants, *steps("c"))).steps[0], Loop)
    given = program(ends([0, 4]) + constants, *steps("d"))
    assert roll(given) is given


def test_the_pass_is_bit_exact_and_its_own_name() -> None:
    given = program(ends([0, 4, 8]), *relus(3))
    assert RollLoops().run(given).steps == roll(given).steps
    assert RollLoops.name == "roll-loops"


def test_a_counter_outside_of_its_loop_is_refused() -> None:
    given = program(ends([0, 4]), *relus(2))
    views = tuple(
        replace(view, start=Expression(0, (Term(1, Counter("i")),))) if view.name == "x0" else view
        for view in given.views
    )
    with pytest.raises(GraphError, match="counter i is read outside of its loop"):
        roll(replace(given, views=views))


def grid(shape: tuple[int, ...], rows: list[int], columns: list[int]) -> list[Box]:
    """Boxes of rows and columns that begin there, row by row."""
    pairs = [
        [*zip(begins, [*begins[1:], shape[axis]], strict=True)]
        for axis, begins in ((1, rows), (2, columns))
    ]
    whole = Box.whole(shape)
    return [
        whole.with_range(1, *row).with_range(2, *column) for row in pairs[0] for column in pairs[1]
    ]


def chain(rows: list[int], columns: list[int]) -> Program:
    whole = lower(parse_graph(CHAIN), HOST, KERNELS)
    names = [call.name for call in whole.calls]
    shape = whole.type_of("y").shape
    return prepare(cut(whole, names, grid(shape, rows, columns), HOST, KERNELS), HOST, KERNELS)


def test_tiles_of_a_cut_chain_are_written_once_each() -> None:
    """Corners, borders and what lies between: nine kinds of tiles, however many there are."""
    few = check(chain([*range(0, 16, 4)], [0, 2, 4]))
    many = check(chain([*range(16)], [*range(6)]))
    assert len(chain([*range(16)], [*range(6)]).calls) == 16 * 6 * 3
    assert len(few.calls) == len(many.calls) == 27
    inputs = random_inputs(parse_graph(CHAIN), 1)
    wanted = evaluate_graph(parse_graph(CHAIN), inputs)["y"]
    assert evaluate_program(many, inputs)["y"].tobytes() == wanted.tobytes()


@pytest.mark.parametrize("seed", range(20))
def test_random_programs_unrolled_and_rolled_again(seed: int) -> None:
    given = unrolled(random_program(seed))
    rolled = check(given)
    x = np.arange(given.type_of("x").elements).reshape(given.type_of("x").shape)
    inputs = [x.astype(given.type_of("x").dtype.numpy)]
    wanted, got = evaluate_program(given, inputs)["y"], evaluate_program(rolled, inputs)["y"]
    assert wanted.tobytes() == got.tobytes()


def test_loops_that_are_there_stay() -> None:
    for seed in range(10):
        check(random_program(seed))


def test_random_networks_in_tiles() -> None:
    loops = 0
    for seed in range(15):
        graph = random_graph(seed, nodes=6)
        whole = lower(graph, HOST, KERNELS)
        last = whole.calls[-1]
        shape = whole.type_of(last.outputs[0]).shape
        axis = int(np.argmax(shape)) if shape else 0
        boxes = [
            Box.whole(shape).with_range(axis, at, at + 1)
            for at in range(shape[axis] if shape else 0)
        ]
        try:
            parts = cut(whole, [last.name], boxes, HOST, KERNELS)
        except (GraphError, UsageError):
            continue
        rolled = check(prepare(parts, HOST, KERNELS))
        loops += any(isinstance(step, Loop) for step in rolled.steps)
    assert loops > 3
