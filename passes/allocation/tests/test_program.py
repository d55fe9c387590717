"""From the steps of a program to lifetimes, to offsets, and back through the checker."""

from dataclasses import replace

import pytest
from tinsmith_allocation import (
    AllocateBuffers,
    Block,
    Leave,
    PlanError,
    check_program,
    demand,
)
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import DoesNotFitError, GraphError
from tinsmith_ir.expressions import Expression
from tinsmith_ir.operators import Add, Relu
from tinsmith_ir.program import (
    Buffer,
    Call,
    Copy,
    Engine,
    Memory,
    Overlap,
    Program,
    Step,
    View,
    Wait,
)
from tinsmith_ir.types import TensorType

TOKEN = Expression(7)
RELU = Relu()
ADD = Add()


DMA = Engine("dma", ("ram", "tcm"))


def buffer(name: str, size_bytes: int, *, memory: str = "ram") -> Buffer:
    return Buffer(name, size_bytes, memory)


def view(name: str, size_bytes: int, of: str | None = None, start: int = 0) -> View:
    return View(name, TensorType((size_bytes,), DType.INT8), of or name, Expression(start))


def program(
    buffers: tuple[Buffer, ...],
    steps: tuple[Step, ...],
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    memories: tuple[Memory, ...] = (Memory("ram"),),
    views: tuple[View, ...] = (),
) -> Program:
    """Every buffer is a tensor; `views` are further ones."""
    tensors = (*(view(found.name, found.size_bytes) for found in buffers), *views)
    return Program("net", "host", memories, buffers, tensors, (), steps, inputs, outputs, (DMA,))


CHAIN = program(
    (buffer("x", 64), buffer("h", 32), buffer("scratch", 100), buffer("y", 48)),
    (
        Call("h", "relu", RELU, ("x",), ("h",), scratch="scratch"),
        Call("y", "relu", RELU, ("h",), ("y",)),
    ),
    ("x",),
    ("y",),
)


def test_lifetimes_of_inputs_results_scratch_and_outputs() -> None:
    assert demand(CHAIN, "ram").blocks == (
        Block("x", 64, -1, 0, 16),
        Block("h", 32, 0, 1, 16),
        Block("scratch", 100, 0, 0, 16),
        Block("y", 48, 1, 2, 16),
    )


def test_scratch_can_be_left_out() -> None:
    blocks = demand(CHAIN, "ram", scratch=False).blocks
    assert [block.name for block in blocks] == ["x", "h", "y"]
    assert AllocateBuffers().plan(CHAIN, "ram", scratch=False).arena_bytes == 96
    assert AllocateBuffers().plan(CHAIN, "ram").arena_bytes == 64 + 32 + 100


def test_a_view_lengthens_the_life_of_its_buffer() -> None:
    chain = program(
        (buffer("x", 64), buffer("h", 32), buffer("y", 16), buffer("z", 16)),
        (
            Call("h", "relu", RELU, ("x",), ("h",)),
            Call("y", "relu", RELU, ("h",), ("y",)),
            Call("z", "relu", RELU, ("flat",), ("z",)),
        ),
        ("x",),
        ("y", "z"),
        views=(view("flat", 32, "h"),),
    )
    assert demand(chain, "ram").blocks[1] == Block("h", 32, 0, 2, 16)
    check_program(AllocateBuffers().run(chain))


def test_parts_of_a_buffer_are_written_one_by_one() -> None:
    """What a concatenation without copies looks like."""
    joined = program(
        (buffer("x", 16), buffer("both", 32), buffer("y", 32)),
        (
            Call("low", "relu", RELU, ("x",), ("low",)),
            Call("high", "relu", RELU, ("x",), ("high",)),
            Call("y", "relu", RELU, ("both",), ("y",)),
        ),
        ("x",),
        ("y",),
        views=(view("low", 16, "both"), view("high", 16, "both", start=16)),
    )
    assert demand(joined, "ram").blocks[1] == Block("both", 32, 0, 2, 16)
    check_program(AllocateBuffers().run(joined))
    check_program(placed_at({"x": 32, "both": 0, "y": 32}, joined))
    with pytest.raises(PlanError, match=r"low, .* reads buffer x at 0 .* both has written byte 0"):
        check_program(placed_at({"x": 0, "both": 0, "y": 32}, joined))


def test_an_input_that_is_returned_is_live_from_before_the_start_to_after_the_end() -> None:
    through = program(
        (buffer("x", 64), buffer("y", 32)),
        (Call("y", "relu", RELU, ("x",), ("y",)),),
        ("x",),
        ("x", "y"),
    )
    assert demand(through, "ram").blocks[0] == Block("x", 64, -1, 1, 16)


def test_an_input_that_nobody_reads_gives_way_to_the_first_result() -> None:
    unread = program(
        (buffer("x", 64), buffer("unread", 64), buffer("y", 64)),
        (Call("y", "relu", RELU, ("x",), ("y",)),),
        ("x", "unread"),
        ("y",),
    )
    placed = AllocateBuffers().run(unread)
    assert placed.buffer["y"].offset == placed.buffer["unread"].offset


def test_a_copy_holds_source_and_destination_until_its_wait() -> None:
    copying = program(
        (buffer("x", 64), buffer("near", 64, memory="tcm"), buffer("h", 64), buffer("y", 64)),
        (
            Copy("x", "near", "dma", TOKEN),
            Call("h", "relu", RELU, ("x",), ("h",)),
            Call("y", "relu", RELU, ("h",), ("y",)),
            Wait(TOKEN),
        ),
        ("x",),
        ("y", "near"),
        (Memory("ram"), Memory("tcm", 64, 4)),
    )
    assert demand(copying, "ram").blocks[0] == Block("x", 64, -1, 3, 16)
    assert demand(copying, "tcm").blocks == (Block("near", 64, 0, 4, 4),)
    assert AllocateBuffers().run(copying).buffer["near"].offset == 0


def test_a_buffer_that_no_step_uses_is_refused() -> None:
    with pytest.raises(GraphError, match="buffer lost is used by no step"):
        AllocateBuffers().run(CHAIN.with_buffers((*CHAIN.buffers, buffer("lost", 4))))


def test_does_not_fit_tells_needed_available_and_the_largest_live_tensors() -> None:
    small = replace(CHAIN, memories=(Memory("ram", 150),))
    with pytest.raises(DoesNotFitError) as error:
        AllocateBuffers().run(small)
    message = str(error.value)
    assert "needed 196 bytes, available 150 bytes" in message
    assert "scratch (100 bytes), x (64 bytes), h (32 bytes)" in message


def test_a_memory_without_a_size_has_what_the_option_says() -> None:
    with pytest.raises(DoesNotFitError, match=r"ram is too small: needed 196 .* available 195"):
        AllocateBuffers(available_bytes=195).run(CHAIN)
    AllocateBuffers(available_bytes=196).run(CHAIN)
    AllocateBuffers(available_bytes=1).run(replace(CHAIN, memories=(Memory("ram", 196),)))


def test_what_fits_exactly_fits() -> None:
    placed = AllocateBuffers().run(replace(CHAIN, memories=(Memory("ram", 196),)))
    check_program(placed)


ADDITION = program(
    (buffer("x", 64), buffer("y", 64), buffer("sum", 64), buffer("z", 64)),
    (
        Call("sum", "add", ADD, ("x", "y"), ("sum",)),
        Call("z", "add", ADD, ("sum", "y"), ("z",)),
    ),
    ("x", "y"),
    ("z",),
)


OVER = program(
    ADDITION.buffers,
    (
        Call("sum", "add", ADD, ("x", "y"), ("sum",), over=(Overlap(0, 0), Overlap(1, 0))),
        Call("z", "add", ADD, ("sum", "y"), ("z",), over=(Overlap(0, 0), Overlap(1, -64, 64))),
    ),
    ("x", "y"),
    ("z",),
)


def test_results_lie_over_operands_as_calls_say() -> None:
    assert demand(OVER, "ram").leaves == (
        Leave("sum", "x", 0, 64),
        Leave("z", "sum", 0, 64),
        Leave("z", "y", -64, 64),
    )
    apart = AllocateBuffers().allocate(ADDITION)
    over = AllocateBuffers().allocate(OVER)
    assert apart.plans["ram"].arena_bytes == 192
    assert over.plans["ram"].arena_bytes == 128


def test_a_result_slides_over_an_operand() -> None:
    """The result is larger: it begins 32 bytes before the operand."""
    sliding = program(
        (buffer("x", 64), buffer("y", 96)),
        (Call("y", "widen", RELU, ("x",), ("y",), over=(Overlap(0, -32),)),),
        ("x",),
        ("y",),
    )
    for exact in (False, True):
        plan = AllocateBuffers(exact=exact).allocate(sliding).plans["ram"]
        assert (plan.arena_bytes, plan.lower_bound) == (96, 96)
        assert plan.offsets == {"x": 32, "y": 0}


def test_views_count_from_where_they_begin_in_their_buffers() -> None:
    half = program(
        (buffer("x", 64), buffer("y", 32)),
        (Call("y", "half", RELU, ("upper",), ("y",), over=(Overlap(0, 0),)),),
        ("x",),
        ("y",),
        views=(view("upper", 32, "x", 32),),
    )
    placed = AllocateBuffers().run(half)
    assert demand(placed, "ram").leaves == (Leave("y", "x", 32, 64),)
    assert placed.buffer["y"].offset == 0


def test_an_operand_that_is_read_again_is_not_written_over() -> None:
    both = program(
        (*OVER.buffers, buffer("w", 64)),
        (*OVER.calls, Call("w", "add", ADD, ("z", "x"), ("w",))),
        ("x", "y"),
        ("w",),
    )
    assert "x" not in {leave.source for leave in demand(both, "ram").leaves}


def test_greedy_alone_also_places_a_program() -> None:
    check_program(AllocateBuffers(exact=False).run(ADDITION))


def placed_at(offsets: dict[str, int], what: Program = ADDITION) -> Program:
    return what.with_buffers(tuple(replace(b, offset=offsets[b.name]) for b in what.buffers))


def test_checker_passes_a_plan_written_by_hand() -> None:
    check_program(placed_at({"x": 0, "y": 64, "sum": 128, "z": 0}))


@pytest.mark.parametrize(
    ("offsets", "reason"),
    [
        (
            {"x": 0, "y": 64, "sum": 0, "z": 128},
            "sum, which writes before it has read all, .* x ",
        ),
        (
            {"x": 0, "y": 48, "sum": 128, "z": 0},
            "the start reads buffer x at 0 .* y has writ",
        ),
        ({"x": 0, "y": 8, "sum": 128, "z": 0}, "buffer y at 8: expected a multiple of 16"),
        ({"x": 0, "y": 64, "sum": 128, "z": 80}, "z, which writes before .* reads buffer sum"),
        ({"x": -16, "y": 64, "sum": 128, "z": 192}, "outside of ram"),
    ],
)
def test_checker_names_the_reader_and_the_culprit(offsets: dict[str, int], reason: str) -> None:
    with pytest.raises(PlanError, match=reason):
        check_program(placed_at(offsets))


def test_checker_allows_a_result_over_an_operand_as_its_call_says() -> None:
    check_program(placed_at({"x": 16, "y": 80, "sum": 0, "z": 160}, OVER))
    with pytest.raises(PlanError, match="reads buffer x"):
        check_program(placed_at({"x": 0, "y": 128, "sum": 16, "z": 64}, OVER))
    with pytest.raises(PlanError, match="reads buffer x"):
        check_program(placed_at({"x": 16, "y": 80, "sum": 0, "z": 160}))


def test_checker_sees_scratch_over_an_input_and_over_the_output() -> None:
    for scratch_at in (0, 64):
        offsets = {"x": 0, "h": 64, "scratch": scratch_at, "y": 192}
        with pytest.raises(PlanError, match=r"h.* reads buffer (x|scratch)"):
            check_program(placed_at(offsets, CHAIN))


def test_checker_wants_offsets() -> None:
    with pytest.raises(PlanError, match="buffer x has no offset"):
        check_program(CHAIN)


def test_checker_watches_a_copy_until_its_wait() -> None:
    copying = program(
        (buffer("x", 16), buffer("near", 16), buffer("y", 16)),
        (
            Copy("x", "near", "dma", TOKEN),
            Call("y", "relu", RELU, (None,), ("y",)),
            Wait(TOKEN),
        ),
        ("x",),
        ("near", "y"),
    )
    check_program(placed_at({"x": 0, "near": 16, "y": 32}, copying))
    with pytest.raises(PlanError, match="the end of the copy to near reads buffer x"):
        check_program(placed_at({"x": 0, "near": 16, "y": 0}, copying))


def test_the_walk_costs_nothing_for_bytes_that_no_buffer_has() -> None:
    """A place beyond any memory of the machine that checks."""
    places = {"x": 1 << 60, "h": 0, "scratch": 1 << 50, "y": 1 << 61}
    buffers = tuple(replace(found, offset=places[found.name]) for found in CHAIN.buffers)
    check_program(CHAIN.with_buffers(buffers))
    clash = tuple(
        replace(found, offset=(1 << 60) + 48) if found.name == "scratch" else found
        for found in buffers
    )
    with pytest.raises(PlanError, match=f"but scratch has written byte {(1 << 60) + 48}"):
        check_program(CHAIN.with_buffers(clash))
