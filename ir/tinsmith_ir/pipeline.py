"""Runs passes over both levels, times them, and holds them to their contracts."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

import numpy as np

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import EvaluationError, GraphError
from tinsmith_ir.evaluate import (
    COMPARED_FRAMES,
    Inputs,
    compared_frames,
    equal_arrays,
    evaluate_frames,
    evaluate_graph,
    named_inputs,
)
from tinsmith_ir.graph import Array, Graph, Node, Value
from tinsmith_ir.operators import Dequantize, Operator, Quantize, Requantize
from tinsmith_ir.passes import (
    IR,
    AnyPass,
    BitExact,
    DetailedPass,
    InPieces,
    Metric,
    Outcome,
    Pass,
    PassRecord,
    Retyped,
    Tolerance,
    levels,
)
from tinsmith_ir.pieces import check_pieces, cut_in_pieces, last_rows
from tinsmith_ir.printer import print_name, print_node, print_type
from tinsmith_ir.program import Program
from tinsmith_ir.program_printer import print_step
from tinsmith_ir.simulate import evaluate_program_frames
from tinsmith_ir.types import TensorType
from tinsmith_ir.verify import verify_graph, verify_program

_Level = TypeVar("_Level", Graph, Program)


@dataclass(frozen=True)
class PipelineResult(Checked):
    """What the last pass made, and one record per pass in order."""

    ir: IR
    records: tuple[PassRecord, ...]

    @property
    def graph(self) -> Graph:
        """The result, known to be a Graph; raises GraphError if it is a Program."""
        return _as(Graph, self.ir)

    @property
    def program(self) -> Program:
        """The result, known to be a Program; raises GraphError if it is a Graph."""
        return _as(Program, self.ir)


@dataclass(frozen=True)
class Pipeline(Checked):
    """Passes to run in order.

    checks: rules beside those of the IR that hold behind any pass, looked at where inputs are given;
    each raises GraphError.
    """

    passes: Sequence[AnyPass]
    checks: Sequence[Callable[[IR], None]] = ()

    @checked
    def run(
        self,
        ir: IR,
        verify_inputs: Inputs | None = None,
        *,
        on_start: Callable[[AnyPass], None] = lambda _: None,
        on_made: Callable[[AnyPass, IR], None] = lambda _pass, _ir: None,
    ) -> PipelineResult:
        """Run the passes and verify what each makes.

        verify_inputs: if given, what each pass makes is evaluated on them, Graph or Program, and
        compared as its contract says. on_start is told what starts, on_made what came out.
        Raises GraphError naming the first pass that broke a rule, the inputs and outputs, or its
        contract, and then the first tensor that differs.
        """
        _verify(ir)
        check = None if verify_inputs is None else _Comparison(ir, verify_inputs)
        records: list[PassRecord] = []
        for pass_ in self.passes:
            on_start(pass_)
            ir, record = _run_one(pass_, ir, check, self.checks)
            on_made(pass_, ir)
            records.append(record)
        return PipelineResult(ir, tuple(records))


def _as(kind: type[_Level], ir: IR) -> _Level:
    if not isinstance(ir, kind):
        raise GraphError(f"the pipeline made a {type(ir).__name__}; expected a {kind.__name__}")
    return ir


def _verify(ir: IR) -> None:
    if isinstance(ir, Graph):
        verify_graph(ir)
    else:
        verify_program(ir)


def _run_one(
    pass_: AnyPass,
    before: IR,
    check: "_Comparison | None",
    more: Sequence[Callable[[IR], None]],
) -> tuple[IR, PassRecord]:
    takes, makes = levels(pass_)
    if not isinstance(before, takes):
        raise GraphError(
            f"pass {pass_.name!r} takes a {takes.__name__}, but stands where there is a "
            f"{type(before).__name__}"
        )
    start = time.perf_counter()
    outcome = _outcome(pass_, before)
    seconds = time.perf_counter() - start
    after = outcome.ir
    if not isinstance(after, makes):
        raise GraphError(
            f"pass {pass_.name!r}: expected a {makes.__name__}, got a {type(after).__name__}"
        )
    _check_rules(pass_, before, after, more if check else ())
    _check_interface(pass_, before, after)
    measured = check.measure(pass_, before, after) if check else None
    is_compared = check is not None and not isinstance(pass_.contract, Retyped)
    record = PassRecord(
        pass_.name,
        seconds,
        pass_.contract,
        is_compared,
        outcome.warnings,
        measured if isinstance(pass_.contract, Tolerance) else None,
        outcome.facts,
        outcome.found_by,
        outcome.is_proven,
    )
    return after, record


def _outcome(pass_: AnyPass, before: IR) -> Outcome[IR]:
    if isinstance(pass_, DetailedPass):
        return cast("DetailedPass[IR, IR]", pass_).run_in_detail(before)
    return Outcome(cast("Pass[IR, IR]", pass_).run(before))


def _check_rules(
    pass_: AnyPass, before: IR, after: IR, more: Sequence[Callable[[IR], None]]
) -> None:
    """What a pass left untouched was verified before it."""
    if after is before:
        return
    try:
        if isinstance(after, Graph):
            verify_graph(after, verified=before if isinstance(before, Graph) else None)
        else:
            verify_program(after, verified=before)
        for rule in more:
            rule(after)
    except GraphError as error:
        raise GraphError(
            f"pass {pass_.name!r} made a {_kind(after)} that is not valid: {error}"
        ) from error


def _check_interface(pass_: AnyPass, before: IR, after: IR) -> None:
    """Inputs and outputs keep names and types. Where the level changes, an output may have another name
    (that of the buffer that a constant is copied to); types are the business of a Retyped pass, sizes along one
    axis that of one whose inputs come in pieces.
    """
    if isinstance(pass_.contract, InPieces):
        _check_pieces(pass_, before, after)
        return
    of_names = type(before) is type(after)
    of_types = not isinstance(pass_.contract, Retyped)
    wanted = _described(before, names=of_names, types=of_types)
    got = _described(after, names=of_names, types=of_types)
    if wanted != got:
        raise GraphError(
            f"pass {pass_.name!r}: expected the inputs and outputs to stay {', '.join(wanted)}; "
            f"got {', '.join(got)}"
        )


def _check_pieces(pass_: AnyPass, before: IR, after: IR) -> None:
    try:
        check_pieces(_inputs(before), _inputs(after))
        check_pieces(_outputs(before), _outputs(after))
    except GraphError as error:
        raise GraphError(f"pass {pass_.name!r}: inputs and outputs: {error}") from error


def _described(ir: IR, *, names: bool, types: bool) -> list[str]:
    """The inputs, whose names always stay, and the outputs, as messages name them."""
    tensors = [("input", value, True) for value in _inputs(ir)]
    tensors += [("output", value, names) for value in _outputs(ir)]
    return [
        " ".join(
            [
                kind,
                *([print_name(value.name)] if is_named else []),
                print_type(value.type) if types else str(value.type.shape),
            ]
        )
        for kind, value, is_named in tensors
    ]


def _inputs(ir: IR) -> Sequence[Value]:
    if isinstance(ir, Graph):
        return ir.inputs
    return [Value(name, ir.type_of(name)) for name in ir.inputs]


def _outputs(ir: IR) -> Sequence[Value]:
    if isinstance(ir, Graph):
        return ir.outputs
    return [Value(name, ir.type_of(name)) for name in ir.outputs]


def _kind(ir: IR) -> str:
    return type(ir).__name__.lower()


def _evaluate(ir: IR, frames: Sequence[Inputs], *, keep: bool = False) -> list[dict[str, Array]]:
    if isinstance(ir, Graph):
        return [*evaluate_frames(ir, frames, keep=keep)]
    return [*evaluate_program_frames(ir, frames, keep=keep)]


class _Comparison:
    """What the last pass made, evaluated on the given inputs; what keeps states, on several frames made of them."""

    def __init__(self, ir: IR, inputs: Inputs) -> None:
        given = named_inputs(_inputs(ir), inputs)
        self._frames = compared_frames(given, has_states=bool(ir.states))
        self._wanted = self._results(ir)

    def measure(self, pass_: AnyPass, before: IR, after: IR) -> float:
        """How far the outputs are from what they were, in the contract's metric.

        Raises GraphError if that is more than the contract allows.
        """
        if after is before:
            return 0.0
        if isinstance(pass_.contract, InPieces):
            self._cut(pass_, before, after)
            return 0.0
        if isinstance(pass_.contract, Retyped):
            self._frames = [_retyped(pass_, frame, before, after) for frame in self._frames]
        try:
            got = self._results(after)
        except EvaluationError as error:
            raise GraphError(
                f"pass {pass_.name!r} made a {_kind(after)} that cannot be run: {error}"
            ) from error
        wanted, self._wanted = self._wanted, got
        contract = pass_.contract
        match contract:
            case Retyped():
                return 0.0
            case Tolerance(
                Metric.STEPS_OF_EACH | Metric.SHARE_OF_EACH | Metric.NOISE_OF_EACH as metric, bound
            ):
                distance, far = self._farthest(before, after, metric)
                is_kept = distance <= bound
                by = f"by {distance:g}, most in {print_name(far)}"
            case Tolerance(metric, bound):
                pairs = zip(wanted, got, strict=True)
                distance = max((metric.of(*pair) for pair in pairs), default=0.0)
                is_kept, by = distance <= bound, f"by {distance:g}"
            case BitExact():
                distance, by = 0.0, ""
                is_kept = all(map(equal_arrays, wanted, got))
        if not is_kept:
            where = f"changed outputs {by}, first" if by else "changed"
            raise GraphError(
                f"pass {pass_.name!r} promised {contract} but {where} "
                + _first_difference(before, after, self._frames)
            )
        return distance

    def _cut(self, pass_: AnyPass, before: IR, after: IR) -> None:
        """Compare the run of the last piece with that of the whole; what follows is held to the first pieces.

        Raises GraphError if an output differs.
        """
        whole = named_inputs(_inputs(before), self._frames[0])
        pieces = cut_in_pieces(_inputs(before), _inputs(after), whole)
        last = _evaluate(after, pieces)[-1]
        for old, new, wanted in zip(_outputs(before), _outputs(after), self._wanted, strict=False):
            rows = last_rows(wanted, old, new)
            if not equal_arrays(rows, last[new.name]):
                raise GraphError(
                    f"pass {pass_.name!r} promised {pass_.contract} but changed {print_name(new.name)} in "
                    f"{_differing(rows, last[new.name])} of run {len(pieces)}"
                )
        self._frames = pieces[:COMPARED_FRAMES]
        self._wanted = self._results(after)

    def _farthest(self, before: IR, after: IR, metric: Metric) -> tuple[float, str]:
        """The largest distance of a result of `after`, computed from operands as they were, and its name."""
        if not isinstance(after, Graph):
            raise GraphError("expected graphs where each operator is compared by itself")
        return max(
            _farthest_result(after, {**frame, **wanted}, metric)
            for frame, wanted in zip(
                self._frames, _evaluate(before, self._frames, keep=True), strict=True
            )
        )

    def _results(self, ir: IR) -> list[Array]:
        return [
            found[value.name] for found in _evaluate(ir, self._frames) for value in _outputs(ir)
        ]


def _farthest_result(
    graph: Graph, wanted: Mapping[str, Array], metric: Metric
) -> tuple[float, str]:
    """The largest distance of a result from `wanted`, computed from operands as they are there, and its name."""
    known = {**graph.constant_data, **wanted}
    distance, far = 0.0, ""
    for node in graph.nodes:
        operands = [None if value is None else known[value.name] for value in node.inputs]
        types = [None if value is None else value.type for value in node.inputs]
        results = [value.type for value in node.outputs]
        with np.errstate(all="ignore"):
            found = node.operator.evaluate(operands, types, results)
        for value, array in zip(node.outputs, found, strict=True):
            if value.name not in wanted:
                known[value.name] = array
                continue
            here = metric.of(wanted[value.name], array)
            distance, far = max((distance, far), (here, value.name))
    return distance, far


def _first_difference(before: IR, after: IR, frames: Sequence[Inputs]) -> str:
    """The first result in the new order that has another value than the tensor of that name had."""
    runs = zip(
        _evaluate(before, frames, keep=True), _evaluate(after, frames, keep=True), strict=True
    )
    for number, (wanted, got) in enumerate(runs):
        for name, where in _steps(after):
            if name in wanted and not equal_arrays(wanted[name], got[name]):
                frame = f" of frame {number}" if len(frames) > 1 else ""
                what = f"{print_name(name)} in {_differing(wanted[name], got[name])}{frame}"
                return f"{what}, computed by {where}\n"
    return "an output"


def _steps(ir: IR) -> list[tuple[str, str]]:
    """Every computed tensor in order, with where it comes from and the text of what computes it."""
    if isinstance(ir, Graph):
        return [
            (value.name, f"{node.location} in\n  {print_node(node)}")
            for node in ir.nodes
            for value in node.outputs
        ]
    return [
        (name, f"{call.location} in\n  {print_step(call)}")
        for call in ir.calls
        for name in call.outputs
    ]


def _differing(wanted: Array, got: Array) -> str:
    if wanted.shape != got.shape or wanted.dtype != got.dtype:
        return "its shape or dtype"
    return f"{int((wanted != got).sum())} of {wanted.size} elements"


def _retyped(
    pass_: AnyPass, inputs: Mapping[str, Array], before: IR, after: IR
) -> dict[str, Array]:
    """The same numbers, as near as the new types have them."""
    old = {value.name: value.type for value in _inputs(before)}
    new = {value.name: value.type for value in _inputs(after)}
    return {name: _converted(pass_, array, old[name], new[name]) for name, array in inputs.items()}


def _converted(pass_: AnyPass, array: Array, old: TensorType, new: TensorType) -> Array:
    if old == new:
        return array
    operator: Operator = Requantize()
    if old.dtype is DType.FLOAT32:
        operator = Quantize()
    elif new.dtype is DType.FLOAT32:
        operator = Dequantize()
    given, made = Value("given", old), Value("made", new)
    graph = Graph("conversion", (given,), (made,), nodes=(Node(operator, (given,), (made,)),))
    try:
        verify_graph(graph)
    except GraphError as error:
        raise GraphError(
            f"pass {pass_.name!r}: nothing converts {print_type(old)} to {print_type(new)}"
        ) from error
    return evaluate_graph(graph, [array])[made.name]
