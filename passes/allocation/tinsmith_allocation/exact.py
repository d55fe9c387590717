"""Plans with the least arena, proven, by the CP-SAT solver of OR-tools.

Each block is a rectangle: its lifetime wide (fixed), its size high, its offset to be chosen. No two
rectangles overlap; the highest top edge is the objective. OR-tools is imported when a search is
needed, which it is not when a greedy plan meets the bound.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from tinsmith_ir.checked import checked

from tinsmith_allocation.greedy import plan_greedy
from tinsmith_allocation.model import Block, InPlace, Plan, PlanError, checked_in_place

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

_ALL_EFFORT_BLOCKS = 100
_NO_EFFORT_BLOCKS = 500


@checked
def plan_exact(
    blocks: Sequence[Block],
    *,
    in_place: Sequence[InPlace] = (),
    time_limit: float = 10.0,
    workers: int = 1,
    seed: int = 0,
) -> Plan:
    """The smallest plan, or the best one found with the bound that is proven.

    time_limit: in the solver's deterministic time, near a second each on a desktop, so the same
    input gives the same plan on any machine. Also with several workers, which then take turns. Less
    where there are more than 100 blocks, by the square of their number, as a second then lasts ever
    longer, and none from 500 on: what is left open is the plan's gap.
    Raises PlanError for blocks of the same name or a bad `in_place`.
    """
    greedy = plan_greedy(blocks, in_place=in_place)
    if greedy.arena_bytes == greedy.lower_bound or len(blocks) >= _NO_EFFORT_BLOCKS:
        return greedy
    effort = time_limit * min(1.0, _ALL_EFFORT_BLOCKS / len(blocks)) ** 2
    return _Search(greedy).solve(effort, workers, seed)


class _Search:
    """The model built around a greedy plan, which is its first solution and its upper bound.

    Offsets are counted in the smallest alignment, so that the solver sees small numbers.
    """

    def __init__(self, greedy: Plan) -> None:
        from ortools.sat.python import cp_model

        self._greedy = greedy
        self._model = cp_model.CpModel()
        self._unit = min(block.alignment for block in greedy.blocks)
        self._sources = checked_in_place(greedy.blocks, greedy.in_place)
        self._offsets = {block.name: self._offset(block) for block in greedy.blocks}
        self._times: list[cp_model.IntervalVar] = []
        self._ranges: list[cp_model.IntervalVar] = []
        self._shared: dict[str, list[cp_model.IntVar]] = {}
        for block in greedy.blocks:
            self._add_block(block)
        for literals in self._shared.values():
            self._model.add_at_most_one(literals)
        self._model.add_no_overlap_2d(self._times, self._ranges)
        self._arena = self._add_arena()

    def _offset(self, block: Block) -> "cp_model.LinearExpr":
        """The offset in units; steps of the block's own alignment."""
        steps = (self._greedy.arena_bytes - block.size_bytes) // block.alignment
        variable = self._model.new_int_var(0, steps, block.name)
        self._model.add_hint(variable, self._greedy.offsets[block.name] // block.alignment)
        return variable * (block.alignment // self._unit)

    def _add_block(self, block: Block) -> None:
        """Its rectangle; or two of which one is present, when it may be written over a source.

        Written over one, it keeps others away only from its second step on: in the first, the
        source does, being as large.
        """
        literals: list[cp_model.IntVar] = []
        for source in self._sources.get(block.name, ()):
            literal = self._model.new_bool_var(f"{block.name} over {source.name}")
            equal = self._offsets[block.name] == self._offsets[source.name]
            self._model.add(equal).only_enforce_if(  # pyright: ignore[reportUnknownMemberType]
                [literal]
            )
            literals.append(literal)
            self._shared.setdefault(source.name, []).append(literal)
        if not literals:
            self._add_rectangle(block, block.first_step, None)
            return
        apart = self._model.new_bool_var(f"{block.name} apart")
        self._model.add_exactly_one([apart, *literals])
        self._add_rectangle(block, block.first_step, apart)
        if block.last_step > block.first_step:
            self._add_rectangle(block, block.first_step + 1, ~apart)

    def _add_rectangle(
        self, block: Block, first_step: int, present: "cp_model.LiteralT | None"
    ) -> None:
        steps = block.last_step - first_step + 1
        units = -(-block.size_bytes // self._unit)
        offset = self._offsets[block.name]
        model = self._model
        if present is None:
            time = model.new_fixed_size_interval_var(first_step, steps, block.name)
            bytes_ = model.new_fixed_size_interval_var(offset, units, block.name)
        else:
            time = model.new_optional_fixed_size_interval_var(
                first_step, steps, present, block.name
            )
            bytes_ = model.new_optional_fixed_size_interval_var(offset, units, present, block.name)
        self._times.append(time)
        self._ranges.append(bytes_)

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
        return Plan(greedy.blocks, offsets, bound, greedy.in_place)
