"""The planners against plans made by hand, against exhaustive search, and on random blocks."""

import itertools
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence

import pytest
from ortools.sat.python import cp_model
from tinsmith_allocation import (
    Block,
    Leave,
    Plan,
    PlanError,
    Status,
    check_plan,
    lower_bound,
    plan_exact,
    plan_greedy,
)

Planner = Callable[..., Plan]

# At most 6 bytes are live at once, yet no plan does with less than 7.
SEVEN_FOR_SIX = (
    Block("a", 3, 0, 0),
    Block("b", 3, 0, 1),
    Block("c", 1, 1, 3),
    Block("d", 2, 2, 3),
    Block("e", 2, 1, 4),
    Block("f", 1, 2, 4),
    Block("g", 3, 4, 5),
    Block("h", 3, 5, 5),
)

CHAIN = (
    Block("input", 490, -1, 0, 16),
    Block("conv1", 8000, 0, 1, 16),
    Block("conv2", 8000, 1, 2, 16),
    Block("output", 12, 2, 3, 16),
)


def random_blocks(seed: int, count: int, alignment: int = 1) -> tuple[Block, ...]:
    """Blocks that live for some of 8 steps, of 1 to 999 bytes."""
    source = random.Random(seed)
    blocks: list[Block] = []
    for index in range(count):
        first = source.randrange(8)
        last = min(7, first + int(source.expovariate(0.4)))
        blocks.append(Block(f"b{index}", source.randrange(1, 1000), first, last, alignment))
    return tuple(blocks)


def full_blocks(seed: int) -> tuple[Block, ...]:
    """Few blocks of 1 to 3 bytes that fill 5 bytes in each of 5 steps: little room to choose."""
    source = random.Random(seed)
    live: list[tuple[int, int]] = []
    blocks: list[Block] = []
    for step in range(6):
        ending = [block for block in live if step == 5 or source.random() < 0.45]
        live = [block for block in live if block not in ending]
        blocks += [Block(f"b{len(blocks)}_{i}", s, f, step - 1) for i, (s, f) in enumerate(ending)]
        while step < 5 and (free := 5 - sum(size for size, _ in live)):
            live.append((min(free, source.choice((1, 2, 2, 3))), step))
    return tuple(blocks)


def has_plan(
    blocks: tuple[Block, ...],
    arena_bytes: int,
    leaves: Sequence[Leave] = (),
    taken: tuple[int, ...] = (),
) -> bool:
    """Try all offsets for all blocks."""
    if len(taken) == len(blocks):
        return True
    block = blocks[len(taken)]
    return any(
        has_plan(blocks, arena_bytes, leaves, (*taken, offset))
        for offset in range(0, arena_bytes - block.size_bytes + 1, block.alignment)
        if all(
            offset >= at + other.size_bytes
            or at >= offset + block.size_bytes
            or has_leave(leaves, block, other, offset - at)
            for other, at in zip(blocks, taken, strict=False)
            if other.lives_with(block)
        )
    )


def has_leave(leaves: Sequence[Leave], block: Block, other: Block, distance: int) -> bool:
    return any(
        (
            (leave.output, leave.source) == (block.name, other.name)
            and leave.allows(distance, block, other)
        )
        or (
            (leave.output, leave.source) == (other.name, block.name)
            and leave.allows(-distance, other, block)
        )
        for leave in leaves
    )


def random_leaves(seed: int, blocks: tuple[Block, ...], *, one_step: bool) -> list[Leave]:
    """One for each block that ends where another begins, or else for some of all that live together."""
    source = random.Random(seed)
    return [
        Leave(
            output.name,
            other.name,
            source.choice([None, 0, -1, 1]),
            source.choice([None, None, 1, 2]),
            tuple(source.sample([-2, -1, 0, 1, 2], source.randint(0, 2))),
        )
        for output, other in itertools.permutations(blocks, 2)
        if (
            other.first_step < other.last_step == output.first_step
            if one_step
            else output.lives_with(other)
            and (other.first_step, other.name) < (output.first_step, output.name)
            and source.random() < 0.4
        )
    ]


@pytest.mark.parametrize("planner", [plan_greedy, plan_exact])
def test_a_chain_needs_its_two_largest_neighbours(planner: Planner) -> None:
    plan = planner(CHAIN)
    check_plan(plan)
    assert plan.arena_bytes == 16000
    assert plan.status is Status.OPTIMAL


@pytest.mark.parametrize("planner", [plan_greedy, plan_exact])
def test_nothing_needs_nothing(planner: Planner) -> None:
    plan = planner(())
    assert plan.arena_bytes == 0
    assert plan.status is Status.OPTIMAL
    assert plan.gap == 0.0


def test_bound_counts_padding_between_blocks_but_not_above_the_highest() -> None:
    blocks = (Block("a", 5, 0, 1, 4), Block("b", 6, 0, 1, 4))
    assert lower_bound(blocks) == 8 + 5
    assert plan_exact(blocks).arena_bytes == 8 + 5


def test_bound_is_not_below_a_block_that_is_written_over_its_source() -> None:
    blocks = (Block("x", 8, 0, 1), Block("y", 8, 1, 1))
    assert lower_bound(blocks) == 16
    assert lower_bound(blocks, [Leave("y", "x")]) == 8


def test_exact_proves_that_more_is_needed_than_is_live() -> None:
    assert lower_bound(SEVEN_FOR_SIX) == 6
    assert not has_plan(SEVEN_FOR_SIX, 6)
    plan = plan_exact(SEVEN_FOR_SIX)
    check_plan(plan)
    assert (plan.arena_bytes, plan.lower_bound, plan.status) == (7, 7, Status.OPTIMAL)


def test_exact_without_time_gives_the_greedy_plan_and_no_false_proof() -> None:
    plan = plan_exact(SEVEN_FOR_SIX, time_limit=0.0)
    check_plan(plan)
    assert plan.arena_bytes == plan_greedy(SEVEN_FOR_SIX).arena_bytes
    assert plan.status is Status.FEASIBLE
    assert plan.gap == 1 - 6 / plan.arena_bytes


@pytest.mark.parametrize("seed", range(40))
def test_exact_equals_exhaustive_search(seed: int) -> None:
    blocks = full_blocks(seed)
    plan = plan_exact(blocks)
    check_plan(plan)
    assert plan.status is Status.OPTIMAL
    assert has_plan(blocks, plan.arena_bytes)
    assert not has_plan(blocks, plan.arena_bytes - 1)


@pytest.mark.parametrize("one_step", [True, False])
@pytest.mark.parametrize("seed", range(40))
def test_exact_with_leaves_equals_exhaustive_search(seed: int, one_step: bool) -> None:
    blocks = full_blocks(seed)
    leaves = random_leaves(seed, blocks, one_step=one_step)
    plan = plan_exact(blocks, leaves=leaves)
    check_plan(plan)
    check_plan(plan_greedy(blocks, leaves=leaves))
    assert plan.status is Status.OPTIMAL
    assert has_plan(blocks, plan.arena_bytes, leaves)
    assert not has_plan(blocks, plan.arena_bytes - 1, leaves)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("alignment", [1, 16])
def test_bound_with_leaves_is_not_above_the_optimum_and_greedy_plans_hold(
    seed: int, alignment: int
) -> None:
    blocks = random_blocks(seed, 9, alignment)
    source = random.Random(seed)
    leaves = [
        Leave(one.name, other.name, source.randrange(-500, 500), source.choice([None, 300]))
        for one, other in itertools.combinations(blocks, 2)
        if one.lives_with(other) and source.random() < 0.5
    ]
    greedy, exact = plan_greedy(blocks, leaves=leaves), plan_exact(blocks, leaves=leaves)
    for plan in (greedy, exact):
        check_plan(plan)
    assert exact.status is Status.OPTIMAL
    assert lower_bound(blocks, leaves) <= exact.arena_bytes <= greedy.arena_bytes


@pytest.mark.parametrize("seed", range(100))
def test_bound_of_two_blocks_is_the_optimum(seed: int) -> None:
    source = random.Random(seed)
    alignment = source.choice([1, 4])
    blocks = tuple(Block(name, source.randrange(1, 30), 0, 1, alignment) for name in "xy")
    low, high = source.randrange(-30, 10), source.randrange(0, 30)
    leave = Leave("y", "x", low, high, (source.randrange(-20, 20),))
    wanted = min(
        max(x + blocks[0].size_bytes, y + blocks[1].size_bytes)
        for x, y in itertools.product(range(0, 64, alignment), repeat=2)
        if leave.allows(y - x, blocks[1], blocks[0])
    )
    assert lower_bound(blocks, [leave]) == wanted
    assert plan_greedy(blocks, leaves=[leave]).arena_bytes == wanted


@pytest.mark.parametrize("seed", range(60))
def test_bound_is_not_above_what_any_offsets_need(seed: int) -> None:
    """Of few small blocks, all offsets being tried."""
    source = random.Random(seed)
    alignment = source.choice([1, 2])
    blocks: list[Block] = []
    for name in "abcd"[: source.randint(2, 4)]:
        first = source.randint(0, 3)
        blocks.append(Block(name, source.randint(1, 6), first, source.randint(first, 4), alignment))
    leaves = [
        Leave(
            *source.choice([(one.name, other.name), (other.name, one.name)]),
            source.choice([None, source.randint(-6, 6)]),
            source.choice([None, source.randint(-6, 6)]),
            tuple(source.sample(range(-5, 6), source.randint(0, 1))),
        )
        for one, other in itertools.combinations(blocks, 2)
        if one.lives_with(other) and source.random() < 0.8
    ]
    bound = lower_bound(blocks, leaves)
    assert not has_plan(tuple(blocks), bound - 1, leaves)


def test_bound_knows_that_outputs_share_the_same_dead_bytes_of_a_source() -> None:
    """Its first 4 bytes are dead: both outputs may lie there, but not at once."""
    blocks = (Block("x", 12, 0, 2), Block("y", 8, 1, 3), Block("z", 8, 1, 3))
    leaves = [Leave("y", "x", -4), Leave("z", "x", -4)]
    assert lower_bound(blocks, leaves) == 24
    assert plan_greedy(blocks, leaves=leaves).arena_bytes == 24


def test_bound_counts_what_two_outputs_need_behind_their_source() -> None:
    """Each alone may lie in the source; in its last steps, too, the two are apart."""
    blocks = (Block("x", 8, 0, 2), Block("y", 8, 1, 4), Block("z", 8, 1, 4))
    leaves = [Leave("y", "x"), Leave("z", "x")]
    assert lower_bound(blocks, leaves) == 16
    assert plan_exact(blocks, leaves=leaves).arena_bytes == 16


@pytest.mark.parametrize("planner", [plan_greedy, plan_exact])
def test_rows_slide_over_what_they_are_made_from(planner: Planner) -> None:
    """The source is the largest, and yet does not lie at the bottom, or the output finds no place before it."""
    blocks = (
        Block("x", 27648, -1, 47, 16),
        Block("y", 18432, 0, 48, 16),
        Block("scratch", 140, 20, 20, 16),
    )
    plan = planner(blocks, leaves=[Leave("y", "x", -384)])
    check_plan(plan)
    assert plan.arena_bytes == 384 + 27648 + 140
    assert plan.status is Status.OPTIMAL


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("alignment", [1, 16])
def test_random_plans_hold_and_are_in_order_of_effort(seed: int, alignment: int) -> None:
    blocks = random_blocks(seed, 20, alignment)
    first = plan_greedy(blocks, improvements=0)
    greedy = plan_greedy(blocks)
    exact = plan_exact(blocks)
    for plan in (first, greedy, exact):
        check_plan(plan)
        assert plan.lower_bound >= lower_bound(blocks)
    assert first.arena_bytes >= greedy.arena_bytes >= exact.arena_bytes >= exact.lower_bound


def test_exact_keeps_each_of_several_alignments() -> None:
    blocks = tuple(
        Block(block.name, block.size_bytes, block.first_step, block.last_step, 4 << (index % 4))
        for index, block in enumerate(random_blocks(3, 20))
    )
    plan = plan_exact(blocks)
    check_plan(plan)
    assert plan.arena_bytes <= plan_greedy(blocks).arena_bytes


@pytest.mark.parametrize("planner", [plan_greedy, plan_exact])
def test_an_output_is_written_over_its_dying_source(planner: Planner) -> None:
    blocks = (Block("x", 64, 0, 1), Block("y", 64, 0, 2), Block("sum", 64, 1, 2))
    plan = planner(blocks, leaves=[Leave("sum", "x")])
    check_plan(plan)
    assert plan.arena_bytes == 128
    assert plan.offsets["sum"] == plan.offsets["x"]


def test_exact_takes_a_leave_that_greedy_misses_or_not_but_never_breaks_it() -> None:
    for seed in range(30):
        blocks = random_blocks(seed, 12)
        leaves = [
            Leave(output.name, source.name)
            for output in blocks
            for source in blocks
            if source.first_step < source.last_step == output.first_step
        ]
        plan = plan_exact(blocks, leaves=leaves)
        check_plan(plan)
        assert plan.arena_bytes <= plan_greedy(blocks, leaves=leaves).arena_bytes
        assert plan.arena_bytes <= plan_exact(blocks).arena_bytes


def test_two_outputs_are_not_written_over_the_same_source() -> None:
    blocks = (Block("x", 8, 0, 1), Block("y", 8, 1, 1), Block("z", 8, 1, 1))
    plan = plan_exact(blocks, leaves=[Leave("y", "x"), Leave("z", "x")])
    check_plan(plan)
    assert plan.arena_bytes == 16


@pytest.mark.parametrize(
    ("leave", "reason"),
    [
        (Leave("late", "x"), "share a step, got steps 3 to 4 and 0 to 1"),
        (Leave("x", "x"), "expected two blocks"),
        (Leave("x", "nothing"), "no block has the name"),
    ],
)
def test_leaves_that_make_no_sense_are_refused(leave: Leave, reason: str) -> None:
    blocks = (Block("x", 8, 0, 1), Block("late", 8, 3, 4))
    with pytest.raises(PlanError, match=reason):
        plan_greedy(blocks, leaves=[leave])


@pytest.mark.parametrize(
    ("size", "first", "last", "alignment", "reason"),
    [(0, 0, 0, 1, "1 byte"), (1, 2, 1, 1, "ends at step 1"), (1, 0, 0, 12, "power of two")],
)
def test_blocks_that_make_no_sense_are_refused(
    size: int, first: int, last: int, alignment: int, reason: str
) -> None:
    with pytest.raises(PlanError, match=reason):
        Block("b", size, first, last, alignment)


def test_two_blocks_of_one_name_are_refused() -> None:
    with pytest.raises(PlanError, match="same name"):
        plan_greedy((Block("b", 1, 0, 0), Block("b", 1, 1, 1)))


def unchanged(plan: Plan, work: int, seed: int) -> Plan:
    """Instead of our own search, which would leave nothing to the solver."""
    return plan


def test_the_same_blocks_give_the_same_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = random_blocks(6, 20, 16)
    assert plan_greedy(blocks).status is Status.FEASIBLE  # else the solver would not be asked
    monkeypatch.setattr("tinsmith_allocation.exact.improved", unchanged)
    assert dict(plan_exact(blocks).offsets) == dict(plan_exact(blocks).offsets)
    one, two = plan_exact(blocks, workers=2), plan_exact(blocks, workers=2)
    assert dict(one.offsets) == dict(two.offsets)


def test_a_search_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    solve, stop_search = cp_model.CpSolver.solve, cp_model.CpSolver.stop_search
    stopped = threading.Event()

    class Interruption(cp_model.CpSolverSolutionCallback):
        """Ctrl-C while the solver is at work, which goes on only when it has been told to stop."""

        def on_solution_callback(self) -> None:
            os.kill(os.getpid(), signal.SIGINT)
            assert stopped.wait(60)

    def solve_and_interrupt(
        solver: cp_model.CpSolver, model: cp_model.CpModel
    ) -> cp_model.CpSolverStatus:
        return solve(solver, model, Interruption())

    def stop(solver: cp_model.CpSolver) -> None:
        stop_search(solver)
        stopped.set()

    monkeypatch.setattr(cp_model.CpSolver, "solve", solve_and_interrupt)
    monkeypatch.setattr(cp_model.CpSolver, "stop_search", stop)
    blocks = random_blocks(0, 120, 16)
    assert plan_greedy(blocks).status is Status.FEASIBLE  # else the solver would not be asked
    monkeypatch.setattr("tinsmith_allocation.exact.improved", unchanged)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored
    try:
        with pytest.raises(KeyboardInterrupt):
            plan_exact(blocks, time_limit=1e6)
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_plan_that_our_own_search_proves_does_not_import_ortools() -> None:
    program = (
        "import sys; from tinsmith_allocation import Block, plan_exact;"
        "plan = plan_exact([Block(*b) for b in %r]);"
        "assert plan.status.value == 'optimal';"
        "assert 'ortools' not in sys.modules"
    )
    blocks = [(b.name, b.size_bytes, b.first_step, b.last_step) for b in SEVEN_FOR_SIX]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", program % blocks], check=True, env=environment)


def test_thousands_of_blocks_that_live_together_are_stacked() -> None:
    blocks = [Block(f"b{index}", 1 + index % 7, 0, 1, 8) for index in range(2000)]
    plan = plan_exact(blocks)
    check_plan(plan)
    assert sorted(plan.offsets.values()) == list(range(0, 16_000, 8))


def test_a_block_that_no_machine_has_is_refused() -> None:
    with pytest.raises(PlanError, match="at most 1099511627776 bytes"):
        Block("giant", (1 << 40) + 1, 0, 0)


def test_a_search_of_many_blocks_is_left_to_the_greedy_planner_with_its_gap() -> None:
    many = tuple(
        Block(
            f"{block.name}{copy}",
            block.size_bytes,
            block.first_step + 6 * copy,
            block.last_step + 6 * copy,
        )
        for copy in range(70)
        for block in SEVEN_FOR_SIX
    )
    plan = plan_exact(many)
    assert plan.offsets == plan_greedy(many).offsets
    assert (plan.status, plan.lower_bound) == (Status.FEASIBLE, 6)
    assert plan.gap == 1 - 6 / plan.arena_bytes
