"""The operators of a file in the order in which they run, with loops unrolled and branches taken.

A WHILE becomes its body, again and again while its condition, computed during import, holds: it is no more
than a way to write the same operators often. An IF becomes the branch that its condition chooses; where only
the run knows, both are computed, and their results are chosen from. Tensors of called subgraphs get indices
behind those of the first, new ones in each iteration but for constants; what a subgraph is given and gives
are the caller's own tensors. So whoever reads the operators sees one subgraph.
"""

import itertools
import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.problems import Problems

from tinsmith_tflite.context import options_of
from tinsmith_tflite.empty_tensors import EmptyTensors
from tinsmith_tflite.model_file import FileOperator, FileTensor, ModelFile, made_operator, quoted
from tinsmith_tflite.tensor_lists import LISTS, TensorLists
from tinsmith_tflite.values import Values

MOST_UNROLLED = 1 << 14
"""Operators of a network whose loops are unrolled, as many as a file may have."""
_DEEPEST = 16
_EFFECTS = frozenset({"ASSIGN_VARIABLE", "CALL_ONCE"})
_CALLERS = frozenset({"CALL", "CALL_ONCE", "IF", "WHILE"})

_Operators = Generator[FileOperator]
_Results = Generator[FileOperator, None, Sequence[int] | None]
"""Gives operators, and returns which tensors are the results; None if they cannot be had."""


class _TooLongError(Exception):
    """Nothing more is unrolled."""


@dataclass(frozen=True)
class _Subgraph:
    """A called subgraph: read once, run often. constants: its tensors with data, by their index there."""

    number: int
    file: ModelFile
    constants: dict[int, int] = field(default_factory=dict[int, int])
    _tensors: dict[int, FileTensor] = field(default_factory=dict[int, FileTensor])

    @cached_property
    def operators(self) -> Sequence[FileOperator]:
        place = f"of subgraph {self.number}"
        return [replace(operator, place=place) for operator in self.file.operators()]

    def tensor(self, index: int) -> FileTensor:
        if index not in self._tensors:
            tensor = self.file.tensor(index)
            origin = f"tensor {index} {quoted(tensor.name)} of subgraph {self.number}"
            self._tensors[index] = replace(tensor, origin=origin)
        return self._tensors[index]


@dataclass(frozen=True)
class _Frame:
    """A subgraph that is being run: which tensor of the whole network each of its tensors is.

    subgraph: None for the first one, whose tensors keep their indices. callers: subgraphs that led here.
    """

    network: ModelFile
    subgraph: _Subgraph | None = None
    places: dict[int, int] = field(default_factory=dict[int, int])
    callers: tuple[int, ...] = (0,)
    is_choice: bool = False

    def operators(self) -> Iterator[FileOperator]:
        if self.subgraph is None:
            return self.network.operators()
        return iter(self.subgraph.operators)

    def at(self, index: int) -> int:
        """The index in the network of tensor `index` here; -1 is none."""
        if index == -1 or index in self.places:
            return self.places.get(index, -1)
        if self.subgraph is None:
            return index
        known = self.subgraph.constants.get(index)
        if known is not None:
            return known
        tensor = self.subgraph.tensor(index)
        place = self.network.add_tensor(tensor)
        is_constant = len(self.network.buffer(tensor.buffer)) > 0
        (self.subgraph.constants if is_constant else self.places)[index] = place
        return place

    def placed(self, operator: FileOperator) -> FileOperator:
        """`operator` with the network's tensors."""
        if self.subgraph is None and not self.places:
            return operator
        inputs = tuple(self.at(index) for index in operator.inputs)
        outputs = tuple(self.at(index) for index in operator.outputs)
        return replace(operator, inputs=inputs, outputs=outputs, intermediates=())


class Unrolling:
    """The operators of a file as one sequence, made while it is read: conditions want to be known.

    values, problems, refused: of the import, which has gone through an operator when the next one is asked for.
    """

    def __init__(self, values: Values, problems: Problems, refused: set[int]) -> None:
        self._values = values
        self._file = values.file
        self._problems = problems
        self._refused = refused
        self._first = _Frame(values.file)
        self._subgraphs: dict[int, _Subgraph] = {}
        self._lists = TensorLists(values)
        self._empty = EmptyTensors(values)
        self._unrolled = 0
        self.has_callers = False

    def operators(self) -> Iterator[FileOperator]:
        """The operators that are left to do, in their order."""
        try:
            yield from self._run(self._first)
        except _TooLongError:
            self._refused.update(self._first.at(index) for index in self._file.outputs)

    def outputs(self) -> Sequence[int]:
        """The tensors that the network gives."""
        return [self._first.at(index) for index in self._file.outputs]

    def _run(self, frame: _Frame) -> _Operators:
        for operator in frame.operators():
            self.has_callers |= operator.kind in _CALLERS
            if frame.subgraph is not None:
                self._count(operator)
            with self._problems.gathered():
                if (yield from self._follow(frame, operator)):
                    continue
            self._refused.update(frame.at(index) for index in operator.outputs)

    def _follow(self, frame: _Frame, operator: FileOperator) -> Generator[FileOperator, None, bool]:
        """What is left to do of one operator; False if its results cannot be had, which has been said."""
        if operator.kind in ("IF", "WHILE"):
            flow = self._if if operator.kind == "IF" else self._while
            results = yield from flow(frame, operator)
            if results is not None:
                frame.places.update(zip(operator.outputs, results, strict=True))
            return results is not None
        placed = frame.placed(operator)
        is_sound = self._refused.isdisjoint(placed.inputs)
        if operator.kind in LISTS:
            if is_sound:
                alias = yield from self._lists.follow(placed)
                if alias is not None:
                    frame.places[operator.outputs[0]] = alias
            return is_sound
        if operator.kind in _EFFECTS and frame.is_choice:
            raise UnsupportedError(
                f"{self._file.name}: {operator}: expected no variable to change where a condition of "
                "the run decides; choose the value and assign it always"
            )
        left = self._empty.without(placed) if is_sound else placed
        if left is not None:
            yield left
        return True

    def _while(self, frame: _Frame, operator: FileOperator) -> _Results:
        """What the last iteration gives; what the first one is given, if there is none."""
        self._file.allow_repeats()
        table = options_of(self._file, operator, "WhileOptions")
        condition, body = (
            self._subgraph(frame, operator, table.integer(f"{what}SubgraphIndex"))
            for what in ("Cond", "Body")
        )
        state: Sequence[int] = [frame.at(index) for index in operator.inputs]
        self._check_count(operator, "results", len(operator.outputs), len(state))
        for iteration in itertools.count():
            self._count(operator, iteration)
            (decision,) = yield from self._call(frame, operator, condition, state, 1)
            if decision in self._refused:
                return None
            holds = self._known(decision)
            if holds is None:
                raise UnsupportedError(
                    f"{self._file.name}: {operator}: expected a loop whose number of iterations is "
                    f"known, got a condition, {self._file.tensor(decision)}, that depends on the "
                    "network's inputs; count to a constant"
                )
            if not holds:
                return state
            state = yield from self._call(frame, operator, body, state, len(state))
        raise AssertionError  # counting does not end

    def _if(self, frame: _Frame, operator: FileOperator) -> _Results:
        """What the branch gives that the condition chooses, or a choice from what both give."""
        table = options_of(self._file, operator, "IfOptions")
        branches = [
            self._subgraph(frame, operator, table.integer(f"{what}SubgraphIndex"))
            for what in ("Then", "Else")
        ]
        if not operator.inputs:
            raise ModelError(f"{self._file.name}: {operator}: expected a condition, got no inputs")
        decision, *given = (frame.at(index) for index in operator.inputs)
        if decision in self._refused:
            return None
        holds, count = self._known(decision), len(operator.outputs)
        if holds is not None:
            branch = branches[0 if holds else 1]
            return (yield from self._call(frame, operator, branch, given, count))
        chosen = replace(frame, is_choice=True)
        on_true = yield from self._call(chosen, operator, branches[0], given, count)
        on_false = yield from self._call(chosen, operator, branches[1], given, count)
        results = [frame.at(index) for index in operator.outputs]
        for result, *sides in zip(results, on_true, on_false, strict=True):
            yield made_operator(operator, "SELECT_V2", (decision, *sides), (result,))
        return results

    def _call(
        self,
        frame: _Frame,
        operator: FileOperator,
        subgraph: _Subgraph,
        given: Sequence[int],
        count: int,
    ) -> Generator[FileOperator, None, Sequence[int]]:
        """Run a subgraph; what it gives, of which there must be `count`."""
        inputs, outputs = subgraph.file.inputs, subgraph.file.outputs
        self._check_count(operator, "inputs of its subgraph", len(inputs), len(given))
        self._check_count(operator, "outputs of its subgraph", len(outputs), count)
        for index, place in zip(inputs, given, strict=True):
            self._check_same(operator, subgraph.tensor(index), place)
        inner = _Frame(
            self._file,
            subgraph,
            dict(zip(inputs, given, strict=True)),
            (*frame.callers, subgraph.number),
            frame.is_choice,
        )
        yield from self._run(inner)
        return [inner.at(index) for index in outputs]

    def _subgraph(self, frame: _Frame, operator: FileOperator, number: int) -> _Subgraph:
        where = f"{self._file.name}: {operator}"
        if not 0 < number < self._file.subgraph_count:
            raise ModelError(
                f"{where}: expected a subgraph from 1 to {self._file.subgraph_count - 1}, got {number}"
            )
        if number in frame.callers:
            raise ModelError(
                f"{where}: expected subgraphs that end, got {number}, which calls itself"
            )
        if len(frame.callers) > _DEEPEST:
            raise UnsupportedError(f"{where}: expected at most {_DEEPEST} subgraphs in one another")
        if number not in self._subgraphs:
            self._subgraphs[number] = _Subgraph(number, self._file.subgraph(number))
        return self._subgraphs[number]

    def _known(self, index: int) -> bool | None:
        """What a condition is, None if only the run knows."""
        tensor = self._file.tensor(index)
        if tensor.type_name != "BOOL" or math.prod(tensor.shape) != 1:
            raise ModelError(
                f"{self._file.name}: {tensor}: expected a condition, one BOOL, got "
                f"{tensor.type_name}{list(tensor.shape)}"
            )
        if not self._values.is_constant(index):
            return None
        return bool(self._values.known_array(index).any())

    def _check_same(self, operator: FileOperator, wanted: FileTensor, place: int) -> None:
        """The integers of what is given mean the same in the subgraph."""
        if place == -1:
            raise ModelError(
                f"{self._file.name}: {operator}: expected all inputs, got one left out"
            )
        given = self._file.tensor(place)
        is_float = wanted.type_name.startswith("FLOAT")
        same = given.type_name == wanted.type_name
        if not same or (not is_float and given.quantization != wanted.quantization):
            raise ModelError(
                f"{self._file.name}: {operator}: expected {given} and {wanted}, to which it is given, "
                f"of one type, got {given.type_name} and {wanted.type_name} or other scales"
            )

    def _check_count(self, operator: FileOperator, what: str, count: int, wanted: int) -> None:
        if count != wanted:
            raise ModelError(
                f"{self._file.name}: {operator}: expected {wanted} {what}, got {count}"
            )

    def _count(self, operator: FileOperator, iteration: int | None = None) -> None:
        """One more step of what is unrolled."""
        self._unrolled += 1
        if self._unrolled > MOST_UNROLLED:
            at = "" if iteration is None else f" in iteration {iteration:,} of it"
            text = (
                f"expected a network of at most {MOST_UNROLLED:,} operators once its loops are "
                f"unrolled, got more{at}; make fewer or shorter loops"
            )
            self._problems.add(UnsupportedError(f"{self._file.name}: {operator}: {text}"))
            raise _TooLongError
