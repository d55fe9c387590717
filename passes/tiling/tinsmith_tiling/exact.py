"""The best columns, homes and addresses for some layers in a row, by the CP-SAT solver of OR-tools.

First only bytes are counted: what is live in each layer must not exceed a memory, wherever it lies. That is a small
linear problem over Booleans, and its optimum bounds the whole. If its blocks find places, by first fit or by the
solver, it is the optimum. Else everything is chosen once more together with the addresses, as rectangles of layers
and bytes of which none overlaps another.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tinsmith_tiling.columns import Column
from tinsmith_tiling.cp import Answer, Effort, Rectangles, run
from tinsmith_tiling.facts import Block, Choice, Facts, Key, Placed
from tinsmith_tiling.place import first_fit
from tinsmith_tiling.window import Window

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

_RELAXED_SHARE = 0.6
_PLACING_SHARE = 0.1
"""Of the time limit: for the choice by bytes, and for the addresses of one; the rest is for both together."""


@dataclass(frozen=True)
class Outcome:
    """placed: None if nothing was found. bound: of the cycles of the whole choice, 0 if not all homes were tried."""

    placed: Placed | None
    bound: int


def best_of(facts: Facts, known: Placed | None, layers: range, effort: Effort) -> Outcome:
    """The best choice that differs from the known one in these layers alone, and is not worse.

    known: None only if `layers` are all.
    """
    window = Window(facts, known, layers)
    limit, seed = effort.time_limit, effort.seed
    relaxed = Model(window)
    found = relaxed.solve(Effort(limit * _RELAXED_SHARE, seed))
    if found.choice is None or window.is_no_better(found.choice):
        return _outcome(window, known, found)
    offsets = _offsets_of(window, found.choice, Effort(limit * _PLACING_SHARE, seed))
    if offsets is not None:
        return _outcome(window, Placed(found.choice, offsets), found)
    model = Model(window)
    model.add_addresses()
    model.add_bound(found.bound)
    whole = model.solve(Effort(max(0.0, limit * (1 - _PLACING_SHARE) - relaxed.time), seed))
    whole = replace(whole, bound=max(whole.bound, found.bound))
    if whole.choice is None or window.is_no_better(whole.choice):
        return _outcome(window, known, whole)
    return _outcome(window, Placed(whole.choice, whole.offsets), whole)


def _outcome(window: Window, placed: Placed | None, found: "_Found") -> Outcome:
    """What was found, with its bound if that is one of all choices."""
    return Outcome(placed, found.bound if window.has_all_homes else 0)


def least_cycles_of(facts: Facts, layers: range, effort: Effort) -> int:
    """A bound: with no choice do these layers take fewer cycles, be the others as they may."""
    window = Window(facts, None, layers)
    return Model(window).bound(effort) if window.has_all_homes else 0


def _offsets_of(window: Window, choice: Choice, effort: Effort) -> Mapping[Key, int] | None:
    """Places for the blocks of a choice, by first fit or else by the solver; None if it finds none in time."""
    from ortools.sat.python import cp_model

    facts, blocks = window.facts, window.blocks(choice)
    found = first_fit(blocks, window.fixed, window.fixed_offsets, facts.rooms)
    if found is not None:
        return {**window.fixed_offsets, **found}
    model = cp_model.CpModel()
    offsets: dict[tuple[Key, int], cp_model.IntVar] = {}
    for memory, room in enumerate(facts.rooms):
        if room is None:
            continue
        rectangles = Rectangles(model, room, None, offsets)
        for block in blocks:
            if block.memory == memory:
                rectangles.add(block, block.units, None)
        for block in window.fixed:
            if block.memory == memory:
                rectangles.add_fixed(block, window.fixed_offsets[block.key])
        rectangles.close()
    answer = run(model, effort)
    if not answer.has_values:
        return None
    moved = {key: answer.solver.value(at) for (key, _), at in offsets.items()}
    return {**window.fixed_offsets, **moved}


@dataclass(frozen=True)
class _Found:
    """offsets: of all blocks; none if the model has no addresses."""

    choice: Choice | None
    offsets: Mapping[Key, int]
    bound: int


class Model:
    """The solver's variables: a literal for each column, one for each home of a tensor, the time of each layer."""

    def __init__(self, window: Window) -> None:
        from ortools.sat.python import cp_model

        self._window = window
        self._facts = window.facts
        self._model = cp_model.CpModel()
        self._offsets: dict[tuple[Key, int], cp_model.IntVar] = {}
        self.time = 0.0
        self._columns = {layer: self._literals_of(layer) for layer in window.around}
        self._homes = {tensor: self._homes_of(tensor) for tensor in window.tensors}
        for layer in window.layers:
            self._link(layer)
        self._add_rooms()
        self._cycles = [self._add_cycles(layer) for layer in window.around]
        self._total = sum(self._cycles)
        self._model.minimize(self._total)

    def _literals_of(self, layer: int) -> "list[tuple[Column, cp_model.IntVar]]":
        """Exactly one is true."""
        known = self._window.known
        found: list[tuple[Column, cp_model.IntVar]] = []
        for column in self._window.columns[layer]:
            literal = self._model.new_bool_var(f"{layer}.{len(found)}")
            if known is not None:
                self._model.add_hint(literal, column == known.choice.columns[layer])
            found.append((column, literal))
        self._model.add_exactly_one(literal for _, literal in found)
        return found

    def _homes_of(self, tensor: int) -> "dict[int, cp_model.IntVar]":
        """Exactly one is true."""
        known = self._window.known
        found: dict[int, cp_model.IntVar] = {}
        for home in sorted(self._facts.usable[tensor]):
            found[home] = self._model.new_bool_var(f"{tensor} in {home}")
            if known is not None:
                self._model.add_hint(found[home], known.choice.homes[tensor] == home)
        self._model.add_exactly_one(found.values())
        return found

    def _link(self, layer: int) -> None:
        """A column is chosen only with its homes."""
        for at, tensor in enumerate(self._facts.tensors_of[layer]):
            for home, literal in self._homes.get(tensor, {}).items():
                with_home = [
                    mine for column, mine in self._columns[layer] if column.homes[at] == home
                ]
                self._model.add(sum(with_home) == literal)

    def _add_rooms(self) -> None:
        """What lives in a layer is no more than a memory holds."""
        for memory, room in enumerate(self._facts.rooms):
            if room is None:
                continue
            for layer in self._window.around:
                self._model.add(self._live_units(layer, memory) <= room)

    def _live_units(self, layer: int, memory: int) -> "cp_model.LinearExprT":
        facts, known = self._facts, self._window.known
        terms: list[cp_model.LinearExprT] = []
        for tensor in facts.live[layer]:
            units = facts.units(tensor, memory)
            if tensor in self._homes:
                if memory in self._homes[tensor]:
                    terms.append(units * self._homes[tensor][memory])
            elif known is not None and known.choice.homes[tensor] == memory:
                terms.append(units)
        if memory == 0:
            terms += [column.units * literal for column, literal in self._columns[layer]]
            terms.append(self._of_next(layer, lambda column: column.ahead_units))
        return sum(terms)

    def _of_next(self, layer: int, value: Callable[[Column], int]) -> "cp_model.LinearExpr | int":
        """A number of the next layer's column."""
        known = self._window.known
        if layer + 1 in self._columns:
            columns = self._columns[layer + 1]
            return sum(value(column) * literal for column, literal in columns if value(column))
        if known is None or layer + 1 >= len(self._facts.layers):
            return 0
        return value(known.choice.columns[layer + 1])

    def _add_cycles(self, layer: int) -> "cp_model.IntVar":
        """What the layer takes: core or DMA, whichever takes longer.

        The first constraint follows from the two others; it makes the linear relaxation tight.
        """
        columns = self._columns[layer]
        most = max((column.cycles() for column, _ in columns), default=0)
        following = self._window.columns.get(layer + 1, ())
        if not following and self._window.known is not None:
            following = self._window.known.choice.columns[layer + 1 : layer + 2]
        most += max((column.ahead_cycles for column in following), default=0)
        cycles = self._model.new_int_var(0, most, f"cycles {layer}")
        ahead = self._of_next(layer, lambda column: column.ahead_cycles)
        self._model.add(cycles >= sum(one.cycles() * literal for one, literal in columns))
        self._model.add(cycles >= ahead + sum(one.dma_cycles * literal for one, literal in columns))
        if self._window.known is not None:
            self._model.add_hint(cycles, self._window.known.choice.layer_cycles(layer))
        return cycles

    def add_bound(self, bound: int) -> None:
        """No choice takes fewer cycles."""
        self._model.add(self._total >= bound - self._elsewhere())

    def _elsewhere(self) -> int:
        """Cycles of the layers that are not around."""
        known = self._window.known
        if known is None:
            return 0
        return known.choice.cycles - sum(map(known.choice.layer_cycles, self._window.around))

    def add_addresses(self) -> None:
        """A rectangle for each block; of tensors and prefetched constants, if there is one."""
        for memory, room in enumerate(self._facts.rooms):
            if room is None:
                continue
            rectangles = Rectangles(self._model, room, self._window.known, self._offsets)
            for tensor in self._window.tensors:
                if (literal := self._homes[tensor].get(memory)) is not None:
                    block = self._facts.tensor_block(tensor, memory)
                    rectangles.add(block, block.units, literal)
            for layer in self._window.movable if memory == 0 else ():
                self._add_layer(rectangles, layer)
            for block in self._window.fixed:
                if block.memory == memory:
                    rectangles.add_fixed(block, self._window.fixed_offsets[block.key])
            rectangles.close()

    def _add_layer(self, rectangles: "Rectangles", layer: int) -> None:
        columns = self._columns[layer]
        for kind, first, units in (
            ("own", layer, [(column.own_units, literal) for column, literal in columns]),
            ("ahead", layer - 1, [(column.ahead_units, literal) for column, literal in columns]),
        ):
            most = max(value for value, _ in units)
            if not most:
                continue
            present = self._model.new_bool_var(f"{kind} {layer}")
            self._model.add(sum(literal for value, literal in units if value) == present)
            size = self._model.new_int_var(0, most, f"{kind} units {layer}")
            self._model.add(size == sum(value * literal for value, literal in units if value))
            rectangles.add(Block((kind, layer), 0, first, layer, most), size, present)

    def solve(self, effort: Effort) -> _Found:
        """What is found within the time limit."""
        answer, bound = self._run(effort)
        if not answer.has_values:
            return _Found(None, {}, bound)
        choice = self._choice(answer.solver)
        if not self._offsets:
            return _Found(choice, {}, bound)
        moved = {
            block.key: answer.solver.value(self._offsets[block.key, block.memory])
            for block in self._window.blocks(choice)
        }
        return _Found(choice, {**self._window.fixed_offsets, **moved}, bound)

    def bound(self, effort: Effort) -> int:
        """What is proven within the time limit."""
        return self._run(effort)[1]

    def _run(self, effort: Effort) -> tuple[Answer, int]:
        """The bound is one of the whole choice, 0 if there is none."""
        answer = run(self._model, effort)
        self.time = answer.solver.response_proto.deterministic_time
        if answer.bound is None:
            return answer, 0
        return answer, self._elsewhere() + math.ceil(max(0.0, answer.bound) - 1e-6)

    def _choice(self, solver: "cp_model.CpSolver") -> Choice:
        known = self._window.known
        chosen = {
            layer: next(column for column, literal in columns if solver.boolean_value(literal))
            for layer, columns in self._columns.items()
        }
        homes = {
            tensor: next(home for home, literal in found.items() if solver.boolean_value(literal))
            for tensor, found in self._homes.items()
        }
        if known is None:
            return Choice(
                tuple(chosen[layer] for layer in self._facts.layers),
                tuple(homes[tensor] for tensor in range(len(self._facts.problem.tensors))),
            )
        return Choice(
            tuple(chosen.get(layer, old) for layer, old in enumerate(known.choice.columns)),
            tuple(homes.get(tensor, old) for tensor, old in enumerate(known.choice.homes)),
        )
