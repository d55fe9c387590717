"""What the models have in common: rectangles of layers and units, and how the CP-SAT solver of OR-tools is run.

OR-tools is imported when a search is needed.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tinsmith_tiling.facts import Block, Key, Placed
from tinsmith_tiling.model import TilingError

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


@dataclass(frozen=True)
class Effort:
    """How long to search, in the solver's deterministic time, near a second each on a desktop."""

    time_limit: float
    seed: int


@dataclass(frozen=True)
class Answer:
    """has_values: a solution was found. bound: proven, of the objective; None if there is no solution."""

    solver: "cp_model.CpSolver"
    has_values: bool
    bound: float | None


class Rectangles:
    """Those of one memory, of which none overlaps another."""

    def __init__(
        self,
        model: "cp_model.CpModel",
        room: int,
        known: Placed | None,
        offsets: "dict[tuple[Key, int], cp_model.IntVar]",
    ) -> None:
        self._model = model
        self._room = room
        self._known = known
        self._offsets = offsets
        self._times: list[cp_model.IntervalVar] = []
        self._ranges: list[cp_model.IntervalVar] = []

    def add(
        self, block: Block, units: "cp_model.LinearExprT", present: "cp_model.IntVar | None"
    ) -> None:
        """A block of `units`, at most those it says, at an offset to be found; None if it is there in any case."""
        model, name = self._model, " ".join(map(str, block.key))
        offset = model.new_int_var(0, self._room, name)
        self._offsets[block.key, block.memory] = offset
        known = None if self._known is None else self._known.offsets.get(block.key)
        if known is not None:
            model.add_hint(offset, known)
        width = block.last - block.first + 1
        end = model.new_int_var(0, self._room, f"{name} end")
        if present is None:
            self._times.append(model.new_fixed_size_interval_var(block.first, width, name))
            self._ranges.append(model.new_interval_var(offset, units, end, name))
        else:
            time = model.new_optional_fixed_size_interval_var(block.first, width, present, name)
            self._times.append(time)
            self._ranges.append(model.new_optional_interval_var(offset, units, end, present, name))

    def add_fixed(self, block: Block, offset: int) -> None:
        """A block that lies still."""
        width, name = block.last - block.first + 1, " ".join(map(str, block.key))
        self._times.append(self._model.new_fixed_size_interval_var(block.first, width, name))
        self._ranges.append(self._model.new_fixed_size_interval_var(offset, block.units, name))

    def close(self) -> None:
        """No two overlap."""
        self._model.add_no_overlap_2d(self._times, self._ranges)


def run(model: "cp_model.CpModel", effort: Effort) -> Answer:
    """One worker, so that the same model gives the same solution on any machine."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.random_seed = effort.seed
    parameters.num_workers = 1
    parameters.max_deterministic_time = effort.time_limit
    parameters.linearization_level = 2
    # The relaxation is tight; looking for more in the model took thrice as long as solving it.
    parameters.cp_model_probing_level = 0
    parameters.symmetry_level = 0
    # The solver would take Ctrl-C for the end of its time, and the main thread in it hears none.
    parameters.catch_sigint_signal = False
    with ThreadPoolExecutor(max_workers=1) as pool:
        solving = pool.submit(solver.solve, model)
        try:
            status = solving.result()
        except BaseException:
            solver.stop_search()
            raise
    if status == cp_model.MODEL_INVALID:
        raise TilingError(f"the solver does not take the model: {model.validate()}")
    if status == cp_model.INFEASIBLE:
        return Answer(solver, False, None)
    has_values = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return Answer(solver, has_values, solver.best_objective_bound)
