"""The best plan: options, turns and times in one model of the CP-SAT solver of OR-tools, which is imported when it is
needed.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tinsmith_placement.model import (
    PlacementError,
    Plan,
    Problem,
    Status,
    Turn,
    Turned,
    turns_needed,
)

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

    Var = cp_model.IntVar
    Interval = cp_model.IntervalVar

_LOSS_STEPS = 1 << 40


@dataclass(frozen=True)
class Effort:
    """How long to search, in the solver's deterministic time, near a second each on a desktop."""

    time_limit: float = 5.0
    seed: int = 0


def solve_exact(problem: Problem, known: Plan, effort: Effort) -> Plan:
    """The best plan that is found, `known` if none is better; with what is proven of it."""
    model = _Model(problem, known)
    return model.solved(effort)


class _Model:
    """known: a plan that keeps all limits, whose cycles are the horizon."""

    def __init__(self, problem: Problem, known: Plan) -> None:
        from ortools.sat.python import cp_model

        self._problem = problem
        self._known = known
        self._model = cp_model.CpModel()
        self._horizon = known.cycles
        self._busy: dict[str, list[Interval]] = {name: [] for name in problem.engines}
        self._work: dict[str, list[cp_model.LinearExprT]] = {name: [] for name in problem.engines}
        self._taken: list[list[Var]] = []
        self._starts: list[Var] = []
        self._ends: list[Var] = []
        self._fetches: list[Var | None] = []
        self._turns: dict[tuple[str, str, str], tuple[Var, Var]] = {}
        for at in range(len(problem.layers)):
            self._add_layer(at)
        for at in range(len(problem.layers)):
            self._add_reads(at)
        self._cycles = self._time("cycles")
        self._add_ends()
        self._add_losses()
        for name, intervals in self._busy.items():
            self._model.add_no_overlap(intervals)
            if self._work[name]:
                self._model.add(sum(self._work[name]) <= self._cycles)
        self._model.minimize(self._cycles)

    def _time(self, name: str) -> "Var":
        return self._model.new_int_var(0, self._horizon, name)

    def _occupy(self, engine: str, start: "Var", cycles: int, present: "Var", name: str) -> None:
        interval = self._model.new_optional_fixed_size_interval_var(start, cycles, present, name)
        self._busy[engine].append(interval)
        self._work[engine].append(cycles * present)

    def _if(
        self, wanted: "cp_model.BoundedLinearExpression | bool", conditions: "list[Var]"
    ) -> None:
        """What is wanted holds where all conditions do."""
        self._model.add(wanted).only_enforce_if(  # pyright: ignore[reportUnknownMemberType]
            conditions
        )

    def _add_layer(self, at: int) -> None:
        model, problem, known = self._model, self._problem, self._known
        layer = problem.layers[at]
        start, end = self._time(f"{layer.name} starts"), self._time(f"{layer.name} ends")
        taken = [
            model.new_bool_var(f"{layer.name} by {number}") for number in range(len(layer.options))
        ]
        model.add_exactly_one(taken)
        model.add_hint(start, known.starts[at])
        for number, (option, present) in enumerate(zip(layer.options, taken, strict=True)):
            model.add_hint(present, number == known.chosen[at])
            for engine in option.engines:
                self._occupy(engine, start, option.cycles, present, f"{layer.name} on {engine}")
        cycles = sum(
            option.cycles * present for option, present in zip(layer.options, taken, strict=True)
        )
        model.add(end == start + cycles)
        if at:
            model.add(start >= self._starts[at - 1])
        self._taken.append(taken)
        self._starts.append(start)
        self._ends.append(end)
        self._fetches.append(self._add_fetch(at))

    def _add_fetch(self, at: int) -> "Var | None":
        """When what a layer has for itself begins to come; one layer's after the other's."""
        model, problem = self._model, self._problem
        layer = problem.layers[at]
        if not any(option.fetch_cycles for option in layer.options):
            return None
        begin = self._time(f"{layer.name} is fetched")
        for option, present in zip(layer.options, self._taken[at], strict=True):
            if option.fetch_cycles:
                name = f"{layer.name} is fetched for {option.engine}"
                self._occupy(problem.fetcher, begin, option.fetch_cycles, present, name)
                self._if(self._starts[at] >= begin + option.fetch_cycles, [present])
        if at >= problem.ahead:
            model.add(begin >= self._starts[at - problem.ahead])
        return begin

    def _add_reads(self, at: int) -> None:
        layer = self._problem.layers[at]
        for option, present in zip(layer.options, self._taken[at], strict=True):
            for name, form in layer.forms_read(option).items():
                self._add_read(name, form, self._starts[at], present)

    def _add_read(self, name: str, form: str, start: "Var", present: "Var | None") -> None:
        """A tensor is there in a form when `start` comes, if `present`; None is always."""
        model, problem = self._model, self._problem
        conditions = [] if present is None else [present]
        at = problem.writer.get(name)
        if at is None:
            self._add_form(name, problem.given.get(name, ""), form, start, conditions)
            return
        model.add(start >= self._ends[at])
        writer = problem.layers[at]
        for option, taken in zip(writer.options, self._taken[at], strict=True):
            own = writer.forms_written(option)[name]
            self._add_form(name, own, form, start, [*conditions, taken])

    def _add_form(
        self, name: str, own: str, form: str, start: "Var", conditions: "list[Var]"
    ) -> None:
        """Under these conditions a tensor of form `own` has the other one, too, when `start` comes."""
        model = self._model
        if own == form:
            return
        turn = self._problem.turn.get((name, own, form))
        if turn is None:
            model.add_bool_or([condition.negated() for condition in conditions])
            return
        present, begin = self._turned(turn)
        model.add_bool_or([present, *(condition.negated() for condition in conditions)])
        self._if(start >= begin + turn.cycles, conditions)

    def _turned(self, turn: Turn) -> "tuple[Var, Var]":
        """Whether a turn is made, and when it starts."""
        key = turn.tensor, turn.before, turn.after
        if key not in self._turns:
            label = f"{turn.tensor} from {turn.before!r} to {turn.after!r}"
            present, begin = self._model.new_bool_var(label), self._time(f"{label} starts")
            self._turns[key] = present, begin
            self._occupy(turn.engine, begin, turn.cycles, present, label)
            at = self._problem.writer.get(turn.tensor)
            if at is not None:
                self._model.add(begin >= self._ends[at])
        return self._turns[key]

    def _add_ends(self) -> None:
        for end in self._ends:
            self._model.add(self._cycles >= end)
        for name, form in self._problem.wanted.items():
            self._add_read(name, form, self._cycles, None)

    def _add_losses(self) -> None:
        most = self._problem.most_loss
        if most is None:
            return
        options = [option for layer in self._problem.layers for option in layer.options]
        losses, limit = _integers([option.loss for option in options], most)
        taken = [present for own in self._taken for present in own]
        self._model.add(
            sum(loss * present for loss, present in zip(losses, taken, strict=True)) <= limit
        )

    def solved(self, effort: Effort) -> Plan:
        from ortools.sat.python import cp_model

        solver = cp_model.CpSolver()
        parameters = solver.parameters
        parameters.random_seed = effort.seed
        # One worker, so that the same problem gives the same plan on any machine.
        parameters.num_workers = 1
        parameters.max_deterministic_time = effort.time_limit
        # The solver would take Ctrl-C for the end of its time, and the main thread in it hears none.
        parameters.catch_sigint_signal = False
        with ThreadPoolExecutor(max_workers=1) as pool:
            solving = pool.submit(solver.solve, self._model)
            try:
                status = solving.result()
            except BaseException:
                solver.stop_search()
                raise
        if status == cp_model.MODEL_INVALID:
            raise PlacementError(f"the solver does not take the model: {self._model.validate()}")
        bound = max(0, round(solver.best_objective_bound))
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return replace(self._known, bound=min(bound, self._known.cycles))
        return self._plan(solver, bound, is_proven=status == cp_model.OPTIMAL)

    def _plan(self, solver: "cp_model.CpSolver", bound: int, *, is_proven: bool) -> Plan:
        chosen = tuple(
            next(at for at, present in enumerate(taken) if solver.value(present))
            for taken in self._taken
        )
        cycles = solver.value(self._cycles)
        if cycles >= self._known.cycles:
            status = Status.OPTIMAL if is_proven else Status.FEASIBLE
            return replace(self._known, bound=min(bound, self._known.cycles), status=status)
        fetched = tuple(
            None if begin is None or not layer.options[index].fetch_cycles else solver.value(begin)
            for begin, layer, index in zip(self._fetches, self._problem.layers, chosen, strict=True)
        )
        turned = [
            Turned(self._problem.turn[key], solver.value(begin))
            for key, (_, begin) in self._turns.items()
            if key in turns_needed(self._problem, chosen)
        ]
        return Plan(
            chosen,
            tuple(solver.value(start) for start in self._starts),
            fetched,
            tuple(sorted(turned, key=lambda each: each.start)),
            cycles,
            min(bound, cycles),
            Status.OPTIMAL if is_proven else Status.FEASIBLE,
        )


def _integers(losses: Sequence[float], most: float) -> tuple[list[int], int]:
    """Losses and their limit as integers of 40 bits; the limit a little higher, as losses are rounded."""
    if most == 0:
        return [int(loss > 0) for loss in losses], 0
    scaled = (min(loss / most, 2.0) for loss in losses)
    return [round(loss * _LOSS_STEPS) for loss in scaled], _LOSS_STEPS + (_LOSS_STEPS >> 30)
