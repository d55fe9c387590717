"""Plans with the least arena, proven: by our own search, then by the CP-SAT solver of OR-tools.

To the solver, each block is a rectangle: its lifetime wide (fixed), its size high, its offset to be chosen. No two
rectangles overlap; the highest top edge is the objective. OR-tools is imported when a search is
needed, which it is not when a greedy plan meets the bound.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from tinsmith_allocation.followers import without_followers
from tinsmith_allocation.foundation import checked, has_solver
from tinsmith_allocation.greedy import plan_greedy
from tinsmith_allocation.model import Block, Leave, Plan, PlanError, checked_leaves
from tinsmith_allocation.search import WORK_PER_SECOND, improved

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

_ALL_EFFORT_BLOCKS = 100
_NO_EFFORT_BLOCKS = 500


@checked
def plan_exact(
    blocks: Sequence[Block],
    *,
    leaves: Sequence[Leave] = (),
    time_limit: float = 10.0,
    workers: int = 1,
    seed: int = 0,
) -> Plan:
    """The smallest plan, or the best one found with the bound that is proven.

    time_limit: in the solver's deterministic time, near a second each on a desktop, so the same
    input gives the same plan on any machine. Also with several workers, which then take turns. Less
    where there are more than 100 blocks, by the square of their number, as a second then lasts ever
    longer, and none from 500 on: what is left open is the plan's gap. A quarter of it, at most, goes into `improved`
    where there are no leaves; then comes the solver, where it is installed.
    Raises PlanError for blocks of the same name or a bad leave.
    """
    planned = without_followers(blocks, checked_leaves(blocks, leaves))
    plan = plan_greedy(planned.blocks, leaves=leaves)
    count = len(planned.blocks)
    if plan.arena_bytes > plan.lower_bound and count < _NO_EFFORT_BLOCKS:
        effort = _effort(time_limit, count)
        plan = improved(plan, int(effort / 4 * WORK_PER_SECOND), seed)
        if plan.arena_bytes > plan.lower_bound and has_solver():
            plan = _Search(plan).solve(effort, workers, seed)
    return planned.completed(plan, blocks)


@checked
def plan_within(
    blocks: Sequence[Block],
    capacity_bytes: int | None = None,
    *,
    leaves: Sequence[Leave] = (),
    time_limit: float = 10.0,
    seed: int = 0,
) -> Plan:
    """A plan of at most `capacity_bytes`, or the smallest one found; the smallest one if there is no capacity.

    More is tried than by `plan_exact`, which makes up for many problems in a compiler: all of `time_limit` goes into
    `improved`, of whatever number of blocks, and as much as there into the solver, if anything is open then. The
    same arguments, the same plan. That nothing fits is proven if the plan's bound is above the capacity.
    Raises PlanError for blocks of the same name, a bad leave, or offsets in each other's way.
    """

    def is_open(plan: Plan) -> bool:
        target = max(plan.lower_bound, capacity_bytes or 0)
        return plan.arena_bytes > target and capacity_bytes in (None, target)

    planned = without_followers(blocks, checked_leaves(blocks, leaves))
    plan = plan_greedy(planned.blocks, leaves=leaves)
    if is_open(plan):
        plan = improved(plan, int(time_limit * WORK_PER_SECOND), seed, capacity_bytes)
    count = len(planned.blocks)
    if is_open(plan) and count < _NO_EFFORT_BLOCKS and has_solver():
        plan = _Search(plan).solve(_effort(time_limit, count), 1, seed)
    return planned.completed(plan, blocks)


def _effort(time_limit: float, count: int) -> float:
    """What is left of the time for so many blocks: a second lasts ever longer then."""
    return time_limit * min(1.0, _ALL_EFFORT_BLOCKS / count) ** 2


class _Search:
    """The model built around a greedy plan, which is its first solution and its upper bound.

    Offsets are counted in the smallest alignment, so that the solver sees small numbers.
    """

    def __init__(self, greedy: Plan) -> None:
        from ortools.sat.python import cp_model

        self._greedy = greedy
        self._model = cp_model.CpModel()
        self._unit = min(block.alignment for block in greedy.blocks)
        self._leaves = checked_leaves(greedy.blocks, greedy.leaves)
        self._offsets = {block.name: self._offset(block) for block in greedy.blocks}
        self._times: list[cp_model.IntervalVar] = []
        self._ranges: list[cp_model.IntervalVar] = []
        for block in greedy.blocks:
            self._add_block(block)
        self._model.add_no_overlap_2d(self._times, self._ranges)
        self._arena = self._add_arena()

    def _offset(self, block: Block) -> "cp_model.LinearExpr":
        """The offset in units; steps of the block's own alignment."""
        if block.offset is not None:
            return self._model.new_constant(block.offset // self._unit)
        steps = (self._greedy.arena_bytes - block.size_bytes) // block.alignment
        variable = self._model.new_int_var(0, steps, block.name)
        self._model.add_hint(variable, self._greedy.offsets[block.name] // block.alignment)
        return variable * (block.alignment // self._unit)

    def _add_block(self, block: Block) -> None:
        """Its rectangle; of one that may be written over sources, from the first step on in which none of them lives:
        before, it is compared with each block that lives then.
        """
        found = self._leaves.get(block.name, {})
        leaves = [leave for leave in found.values() if leave[1] is block]
        if not leaves:
            self._add_rectangle(block, block.first_step)
            return
        last_shared = min(block.last_step, max(source.last_step for _, _, source in leaves))
        if block.last_step > last_shared:
            self._add_rectangle(block, last_shared + 1)
        others = [
            other
            for other in self._greedy.blocks
            if other.first_step <= last_shared
            and block.first_step <= other.last_step
            and other is not block
            and other.name not in found
        ]
        mine = self._bytes(block)
        theirs = [self._bytes(other) for other in others]
        if self._live_apart(others, block.first_step):
            self._model.add_no_overlap([mine, *theirs])
        else:
            for other in theirs:
                self._model.add_no_overlap([mine, other])
        for leave, _, source in leaves:
            self._add_leave(leave, block, source)

    def _live_apart(self, blocks: Sequence[Block], step: int) -> bool:
        """True if all live in that step and there is no leave between two of them."""
        names = {block.name for block in blocks}
        return all(
            block.first_step <= step <= block.last_step
            and names.isdisjoint(self._leaves.get(block.name, {}))
            for block in blocks
        )

    def _add_leave(self, leave: Leave, output: Block, source: Block) -> None:
        """The distances at which the two may lie: up to one, from one on, or one of a few."""
        model = self._model
        distance = self._offsets[output.name] - self._offsets[source.name]
        low, high = leave.bounds(output, source)
        below, above = low // self._unit, -(-high // self._unit)
        exactly = [found // self._unit for found in leave.exactly if found % self._unit == 0]
        choices = [distance <= below, distance >= above, *(distance == found for found in exactly)]
        literals: list[cp_model.IntVar] = []
        for index, choice in enumerate(choices):
            literal = model.new_bool_var(f"{output.name} over {source.name} {index}")
            model.add(choice).only_enforce_if(  # pyright: ignore[reportUnknownMemberType]
                [literal]
            )
            literals.append(literal)
        model.add_bool_or(literals)

    def _add_rectangle(self, block: Block, first_step: int) -> None:
        steps = block.last_step - first_step + 1
        time = self._model.new_fixed_size_interval_var(first_step, steps, block.name)
        self._times.append(time)
        self._ranges.append(self._bytes(block))

    def _bytes(self, block: Block) -> "cp_model.IntervalVar":
        units = -(-block.size_bytes // self._unit)
        return self._model.new_fixed_size_interval_var(self._offsets[block.name], units, block.name)

    def _add_arena(self) -> "cp_model.IntVar":
        """The objective, in bytes."""
        greedy = self._greedy
        arena = self._model.new_int_var(greedy.lower_bound, greedy.arena_bytes, "arena")
        for block in greedy.blocks:
            top = self._offsets[block.name] * self._unit + block.size_bytes
            self._model.add(top <= arena)
        self._model.add_hint(arena, greedy.arena_bytes)
        self._model.minimize(arena)
        return arena

    def solve(self, time_limit: float, workers: int, seed: int) -> Plan:
        """Run the solver; raises PlanError if it finds no plan at all, which is a defect here."""
        from ortools.sat.python import cp_model

        solver = cp_model.CpSolver()
        parameters = solver.parameters
        parameters.random_seed = seed
        parameters.num_workers = workers
        parameters.interleave_search = workers > 1
        parameters.max_deterministic_time = time_limit
        parameters.use_energetic_reasoning_in_no_overlap_2d = True
        # The solver would take Ctrl-C for the end of its time, and the main thread in it hears none.
        parameters.catch_sigint_signal = False
        with ThreadPoolExecutor(max_workers=1) as pool:
            solving = pool.submit(solver.solve, self._model)
            try:
                status = solving.result()
            except BaseException:
                solver.stop_search()
                raise
        greedy = self._greedy
        if status == cp_model.UNKNOWN:
            return greedy
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            raise PlanError(f"a plan is known, yet the solver says {solver.status_name(status)}")
        offsets = {
            name: solver.value(offset) * self._unit for name, offset in self._offsets.items()
        }
        bound = round(solver.best_objective_bound)
        return Plan(greedy.blocks, offsets, bound, greedy.leaves)
