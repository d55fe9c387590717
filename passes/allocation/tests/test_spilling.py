"""Buffers in several memories: which are spilled, what that moves, and what does not fit."""

import itertools
import random
from dataclasses import replace

import pytest
from tinsmith_allocation import Block, SpillBuffers, Spills, moved_bytes, traffic
from tinsmith_allocation.chosen import cheapest_choice
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import DoesNotFitError, UsageError
from tinsmith_ir.operators import Add, Relu
from tinsmith_ir.program import Call, Memory, Program, tensor
from tinsmith_ir.types import TensorType


def chain(*sizes: int) -> Program:
    """Tensors t0, t1, ... of so many bytes, each made from the one before by a call that reads all of it."""
    made = [
        tensor(f"t{at}", TensorType((size,), DType.INT8), "arena") for at, size in enumerate(sizes)
    ]
    steps = tuple(
        Call(f"c{at}", "k", Relu(), (f"t{at}",), (f"t{at + 1}",)) for at in range(len(sizes) - 1)
    )
    return Program(
        "net",
        "host",
        (Memory("arena"),),
        tuple(buffer for buffer, _ in made),
        tuple(view for _, view in made),
        (),
        steps,
        ("t0",),
        (f"t{len(sizes) - 1}",),
    )


def places(program: Program, memories: str) -> dict[str, str]:
    made = SpillBuffers(memories).run(program)
    return {buffer.name: buffer.memory for buffer in made.buffers}


def test_a_program_that_fits_the_first_memory_has_that_alone() -> None:
    made = SpillBuffers("fast:300+slow:1MiB").run(chain(128, 128, 128))
    assert [memory.name for memory in made.memories] == ["fast"]


def test_no_memories_leave_a_program_as_it_is() -> None:
    program = chain(16, 16)
    assert SpillBuffers().run(program) is program


def test_what_moves_fewest_bytes_is_spilled() -> None:
    # t1 beside t0 or t2 is too much for 256 bytes: one of 2 x 200, or both others of 100 each.
    found = places(chain(100, 200, 100), "fast:256+slow:1KiB")
    assert found == {"t0": "slow", "t1": "fast", "t2": "slow"}


def test_moved_bytes_are_those_of_reads_and_writes() -> None:
    outcome = SpillBuffers("fast:256+slow:1KiB").run_in_detail(chain(100, 200, 100))
    assert outcome.facts == Spills(moved_bytes=200, lower_bound=200)
    assert moved_bytes(outcome.ir, "slow") == 200
    assert moved_bytes(outcome.ir, "fast") == 400


def test_an_operand_that_a_call_has_twice_is_read_once() -> None:
    program = chain(64, 64)
    twice = Call("c0", "k", Add(), ("t0", "t0"), ("t1",))
    assert traffic(replace(program, steps=(twice,))) == {"t0": 64, "t1": 64}


def test_what_fits_neither_of_two_memories_goes_to_the_third() -> None:
    found = places(chain(100, 200, 400), "a:128+b:256+c:1KiB")
    assert found == {"t0": "a", "t1": "b", "t2": "c"}


def test_a_buffer_that_fits_no_memory_is_refused_with_the_name_of_the_last() -> None:
    with pytest.raises(DoesNotFitError, match=r"slow is too small: needed .*available 256 bytes"):
        SpillBuffers("fast:64+slow:256").run(chain(512, 16))


@pytest.mark.parametrize(
    "text", ["fast", "fast:0", "fast:1kb", "a:1KiB+a:2KiB", "fast:64+", "1a:64", "a=64"]
)
def test_text_that_says_no_memories_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="expected memories of different names"):
        SpillBuffers(text)


@pytest.mark.parametrize("seed", range(40))
def test_the_choice_is_the_cheapest_of_all(seed: int) -> None:
    source = random.Random(seed)
    blocks: list[Block] = []
    for at in range(9):
        first = source.randrange(8)
        blocks.append(Block(f"b{at}", source.randrange(1, 50), first, first + source.randrange(4)))
    costs = {block.name: source.randrange(0, 90) for block in blocks}
    budget = source.randrange(20, 120)
    pinned = frozenset({"b0"}) if blocks[0].size_bytes <= budget else frozenset[str]()
    wanted = min(
        sum(costs[block.name] for block, kept in zip(blocks, keeps, strict=True) if not kept)
        for keeps in itertools.product((False, True), repeat=len(blocks))
        if (keeps[0] or not pinned) and _live(blocks, keeps) <= budget
    )
    found = cheapest_choice(blocks, (), costs, budget, pinned)
    assert found is not None
    assert (found.cost, found.lower_bound) == (wanted, wanted)
    assert sum(costs[name] for name in found.spilled) == wanted
    assert not found.spilled & pinned


def test_there_is_no_choice_where_what_must_be_kept_does_not_fit() -> None:
    blocks = [Block("a", 10, 0, 1), Block("b", 10, 1, 2)]
    assert cheapest_choice(blocks, (), {}, 15, frozenset({"a", "b"})) is None


def _live(blocks: list[Block], keeps: tuple[bool, ...]) -> int:
    return max(
        sum(
            block.size_bytes
            for block, kept in zip(blocks, keeps, strict=True)
            if kept and block.first_step <= step <= block.last_step
        )
        for step in range(12)
    )
