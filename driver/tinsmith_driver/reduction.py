"""`tinsmith reduce`: of a network that fails on a target, the smallest part that still fails in the same way.

Delta debugging (Zeller and Hildebrandt, 2002) over the nodes of the graph: what a part reads of the rest becomes
inputs, with the values that the evaluator recorded. Then axes of the outputs are made shorter.
"""

import re
import traceback
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from tinsmith_ir import Graph, TinsmithError, UsageError
from tinsmith_ir.boxes import Box

from tinsmith_driver.build import built
from tinsmith_driver.completions import with_early_engines
from tinsmith_driver.inputs import Samples
from tinsmith_driver.layers import with_layers
from tinsmith_driver.models import Model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.parts import Case, cut, of_samples, part, with_outputs
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.running import Difference, Measurement, compare, run_samples

# What names a part of one network and not of another: values, quoted names, shapes, numbers.
_PARTICULAR = re.compile(
    r"""%"(?:[^"\\]|\\.)*"|%[\w.@]+|"(?:[^"\\]|\\.)*"|'[^']*'|\[[^\]]*\]|-?\d[\d,.e+-]*"""
)


@dataclass(frozen=True)
class Failure:
    """How a network fails. kinds: of each problem, what stays the same in a smaller network. difference: where
    firmware was wrong.
    """

    message: str
    kinds: tuple[str, ...]
    difference: Difference | None = None

    def is_that_of(self, other: "Failure | None") -> bool:
        """Whether another network fails so: with the first problem of this one."""
        return other is not None and self.kinds[0] in other.kinds


@dataclass(frozen=True)
class Trial:
    """How a network is tried. layers: each layer is compared, and not outputs alone."""

    model: Model
    options: CompileOptions
    timeout_seconds: float
    layers: bool = False

    def failure(self, case: Case) -> Failure | None:
        """How the case fails; None if all is right."""
        return self.failure_of(case.graph, [case.samples])

    def failure_of(self, graph: Graph, groups: Sequence[Samples]) -> Failure | None:
        """How the graph fails on these samples."""
        try:
            measurement = self._verified(graph, groups)
        except TinsmithError as error:
            return Failure(str(error), tuple(map(_kind, error.problems)))
        except Exception as error:  # a defect, which is what this is for
            at = traceback.extract_tb(error.__traceback__)[-1]
            message = f"{type(error).__name__}: {error} (in {at.name}, {at.filename}:{at.lineno})"
            return Failure(message, (f"{_kind(message)} {at.lineno}",))
        if measurement.bit_exact:
            return None
        return Failure(f"not bit-exact: {measurement.reason}", ("difference",), measurement.first)

    def _verified(self, graph: Graph, groups: Sequence[Samples]) -> Measurement:
        compilation = compile_model(replace(self.model, graph=graph), self.options)
        with built(compilation) as build:
            measurement = run_samples(build, compilation.graph, groups, self.timeout_seconds)
        measurement = compare(measurement, compilation.reference)
        measurement = with_early_engines(compilation, measurement, self.timeout_seconds)
        if self.layers and measurement.bit_exact:
            return with_layers(compilation, measurement, self.timeout_seconds, compare=True)
        return measurement


@dataclass(frozen=True)
class Reduced:
    """The smallest case that was found, how it fails, and how many networks were tried."""

    case: Case
    failure: Failure
    tried: int


def reduced(
    trial: Trial, graph: Graph, groups: Sequence[Samples], on_step: Callable[[str], None]
) -> Reduced | None:
    """The smallest part of a graph that fails as the whole does; None if the whole does not fail.

    on_step: is told what is tried. Raises UsageError if one failing sample alone does not fail.
    """
    on_step("the whole network")
    samples = [replace(group, expected=None, labels=None) for group in groups]
    failure = trial.failure_of(graph, samples)
    if failure is None:
        trial = replace(trial, layers=True)
        failure = trial.failure_of(graph, samples)
        if failure is None:
            return None
    search = _Search(trial, failure, on_step)
    case = of_samples(graph, _failing(samples, failure.difference, has_states=bool(graph.states)))
    if not search.fails(case):
        raise UsageError(
            f"expected the same failure of the failing sample alone, got none of: {failure.message}"
        )
    return search.smallest(case)


def _failing(
    groups: Sequence[Samples], difference: Difference | None, *, has_states: bool
) -> Samples:
    """The sample that failed alone, with those before it if the network remembers them; else the first there is."""
    filled = [group for group in groups if len(group)]
    if difference is None:
        return filled[0].first(1)
    group = next(group for group in filled if group.group == difference.group)
    upto = group.first(difference.sample + 1)
    first = 0 if has_states else difference.sample
    return replace(upto, inputs=tuple(array[first:] for array in upto.inputs))


class _Search:
    """Tries parts. fails: whether a case does as the whole network does."""

    def __init__(self, trial: Trial, wanted: Failure, on_step: Callable[[str], None]) -> None:
        self._trial, self._wanted, self._on_step = trial, wanted, on_step
        self._found = wanted
        self._tried = 1

    def fails(self, case: Case) -> bool:
        self._tried += 1
        nodes, elements = len(case.graph.nodes), sum(v.type.elements for v in case.graph.outputs)
        self._on_step(f"{nodes} operators, {elements} elements of outputs")
        failure = self._trial.failure(case)
        if failure is None or not self._wanted.is_that_of(failure):
            return False
        self._found = failure
        return True

    def smallest(self, case: Case) -> Reduced:
        """Fewer outputs, fewer operators, fewer elements."""
        values = case.values()
        case = self._with_fewer_outputs(case)
        kept = self._fewest(case.units, lambda units: part(case, units, values))
        case = self._with_fewer_outputs(part(case, kept, values) or case)
        case = self._with_fewer_elements(case)
        # The last that was tried need not be the last that failed.
        failure = self._trial.failure(case) or self._found
        return Reduced(case, failure, self._tried)

    def _with_fewer_outputs(self, case: Case) -> Case:
        names = [value.name for value in case.graph.outputs]
        if len(names) == 1:
            return case
        values = case.values()
        kept = self._fewest(names, lambda some: with_outputs(case, some, values))
        return with_outputs(case, kept, values) or case

    def _fewest(
        self, items: Sequence[str], made: Callable[[Collection[str]], Case | None]
    ) -> Sequence[str]:
        """Some of the items, none of which can be left out any more: `ddmin`."""
        pieces = 2
        while len(items) > 1:
            size = -(-len(items) // pieces)
            starts = range(0, len(items), size)
            parts = [items[start : start + size] for start in starts]
            rests = [(*items[:start], *items[start + size :]) for start in starts]
            candidates = [*parts, *rests] if pieces > 2 else parts
            smaller = next((some for some in candidates if self._still_fails(made(some))), None)
            if smaller is not None:
                pieces = max(pieces - 1, 2) if len(smaller) > size else 2
                items = smaller
            elif pieces < len(items):
                pieces = min(2 * pieces, len(items))
            else:
                break
        return items

    def _still_fails(self, case: Case | None) -> bool:
        return case is not None and self.fails(case)

    def _with_fewer_elements(self, case: Case) -> Case:
        for index, output in enumerate(case.graph.outputs):
            for axis in range(len(output.type.shape)):
                case = self._shorter(case, index, axis)
        return case

    def _shorter(self, case: Case, index: int, axis: int) -> Case:
        """The case with as few elements along an axis of an output as fail."""
        size = case.graph.outputs[index].type.shape[axis]
        less = size // 2
        while less:
            output = case.graph.outputs[index]
            whole = Box.whole(output.type.shape)
            boxes = (whole.with_range(axis, 0, size - less), whole.with_range(axis, less, size))
            candidates = (cut(case, output.name, box) for box in boxes)
            smaller = next((some for some in candidates if self._still_fails(some)), None)
            if smaller is None:
                less //= 2
            else:
                case, size = smaller, size - less
                less = min(less, size // 2)
        return case


def _kind(message: str) -> str:
    """A message without what belongs to one network alone."""
    return " ".join(_PARTICULAR.sub("_", message).split())
