"""How much of what importers are given they import, and how right: the cases that importers bring, one by one.

A case is imported, goes through the graph passes as the command runs them for the host, and is evaluated; what it gives
is compared with what whoever made the case says. What a compiler has to know while it compiles (shapes, axes) is an
input of many of ONNX's node tests: where a case is refused, its inputs of integers are given as known, then all.
Networks that say a target take and give images channels last, and are compiled and run there, too.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from tinsmith_ir import Array, Graph, TinsmithError, UnsupportedError, evaluate_frames
from tinsmith_ir.errors import DoesNotFitError
from tinsmith_ir.escape import visible
from tinsmith_ir.operators import Transpose
from tinsmith_ir.pipeline import Pipeline
from tinsmith_plugins import ImportCase, ImportChoices, Importer, ModelSource

from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.build import built
from tinsmith_driver.inputs import random_samples
from tinsmith_driver.memory_limits import board_ram_bytes
from tinsmith_driver.models import Model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import compile_model, graph_passes, passes_for
from tinsmith_driver.plugins import registry
from tinsmith_driver.progress import progress
from tinsmith_driver.running import FLOAT_TOLERANCE, compare, run_samples
from tinsmith_driver.table import table

LEAST_SHARE: Mapping[str, float] = {"onnx": 0.8, "torch": 1.0}
"""Of an importer's cases that are counted, those that are right."""
_LONGEST_REASON = 110
_FRAMES = 2
_TIMEOUT_SECONDS = 600


@dataclass(frozen=True)
class Outcome:
    """What became of a case.

    verdict: right, differs (as it is meant to), wrong, refused, or left out. known: of which inputs the values were
    given. transposes: left by the passes. ran: the firmware, if there was any.
    """

    importer: str
    case: ImportCase
    verdict: str
    reason: str = ""
    known: str = ""
    transposes: int = 0
    ran: "Ran | None" = None

    @property
    def row(self) -> dict[str, object]:
        """For programs."""
        return {
            "importer": self.importer,
            "group": self.case.group,
            "name": self.case.name,
            "verdict": self.verdict,
            "reason": self.reason,
            "known": self.known,
            "transposes": self.transposes,
            **({} if self.ran is None else asdict(self.ran)),
        }


@dataclass(frozen=True)
class Ran:
    """A network as firmware. target: "" if it fits none of those asked for. instructions: per inference."""

    target: str
    bit_exact: bool | None = None
    instructions: int | None = None
    arena: int | None = None


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """Run the cases of all importers. models: groups of cases, such as operators; targets: importers."""
    groups = None if models is None else set(models.split(","))
    importers = None if targets is None else set(targets.split(","))
    outcomes: list[Outcome] = []
    for importer in registry().importers.values():
        if importers is None or importer.name in importers:
            outcomes += _outcomes(importer, groups)
    failures = [*_failures(outcomes)] if groups is None else []
    text = "\n\n".join(filter(None, _texts(outcomes))) or "no importer brings cases"
    return BenchmarkResult([outcome.row for outcome in outcomes], text, failures)


def _outcomes(importer: Importer, groups: set[str] | None) -> Iterator[Outcome]:
    passes = graph_passes(passes_for(CompileOptions("host")))
    cases = [case for case in importer.cases() if groups is None or case.group in groups]
    with progress(f"import {importer.name}", max(len(cases), 1)) as bar:
        for case in cases:
            bar.step(case.name)
            if case.left_out:
                yield Outcome(importer.name, case, "left out", case.left_out)
            else:
                yield tried(importer, case, Pipeline(passes))


def tried(importer: Importer, case: ImportCase, pipeline: Pipeline) -> Outcome:
    """Import a case, run the passes, evaluate, compare."""
    refusal: TinsmithError | None = None
    for known, what in _known_inputs(case):
        try:
            turned: set[str] = set()
            graph = importer.read(_source(case, known, turned))
            made = pipeline.run(graph).graph
            reason = _difference(case, made, known, turned)
        except UnsupportedError as error:
            refusal = refusal or error
            continue
        except TinsmithError as error:
            return Outcome(importer.name, case, "wrong", _short(str(error)), what)
        verdict = "right"
        if reason:
            verdict, reason = ("differs", case.differs) if case.differs else ("wrong", reason)
        ran = _ran(importer.name, case, graph) if case.targets else None
        return Outcome(importer.name, case, verdict, reason, what, _transposes(made), ran)
    return Outcome(importer.name, case, "refused", _short(str(refusal)))


def _ran(importer: str, case: ImportCase, graph: Graph) -> Ran:
    """The network on the first of its targets that has room for it."""
    model = Model(Path(case.name), importer, "", graph)
    for target in case.targets:
        options = CompileOptions(target, ram_bytes=board_ram_bytes(target))
        try:
            compilation = compile_model(model, options)
            samples = random_samples(graph, _FRAMES)
            with built(compilation) as build:
                measurement = run_samples(build, compilation.graph, [samples], _TIMEOUT_SECONDS)
        except DoesNotFitError:
            continue
        compared = compare(measurement, compilation.reference, FLOAT_TOLERANCE)
        return Ran(target, compared.bit_exact, compared.instructions, compilation.arena_bytes)
    return Ran("")


def _known_inputs(case: ImportCase) -> Iterator[tuple[Mapping[str, Array], str]]:
    """What is given as known, in the order of trying: nothing, integers, all."""
    yield {}, ""
    if len(case.frames) != 1:
        return
    (frame,) = case.frames
    integers = {name: array for name, array in frame.items() if array.dtype.kind in "iub"}
    if integers:
        yield integers, "integers"
    if len(integers) < len(frame):
        yield frame, "all"


def _source(case: ImportCase, known: Mapping[str, Array], turned: set[str]) -> ModelSource:
    """The model, with the shapes of what is not known. turned: is told which inputs and outputs are channels last."""
    source = case.make()

    def is_turned(name: str, shape: tuple[int, ...]) -> None:
        del shape
        turned.add(name)

    if case.targets:
        return replace(source, on_turned=is_turned)
    given = [(name, array) for frame in case.frames[:1] for name, array in frame.items()]
    shapes = {name: array.shape for name, array in given if name not in known}
    choices = ImportChoices(input_shapes=shapes, input_values=known, as_in_file=True)
    return replace(source, choices=choices)


def _difference(
    case: ImportCase, graph: Graph, known: Mapping[str, Array], turned: set[str]
) -> str:
    """What is wrong with the results; "" if nothing is. turned: ends that are channels last."""

    def as_in_graph(name: str, array: Array) -> Array:
        return np.ascontiguousarray(np.moveaxis(array, 1, -1)) if name in turned else array

    frames = [
        [
            as_in_graph(value.name, array.astype(value.type.dtype.numpy))
            for value, array in zip(
                graph.inputs,
                (array for name, array in frame.items() if name not in known and array.size),
                strict=True,
            )
        ]
        for frame in case.frames
    ]
    for results, expected in zip(evaluate_frames(graph, frames), case.expected, strict=True):
        for (name, got), wanted in zip(results.items(), expected, strict=True):
            reason = _off(case, got, as_in_graph(name, wanted))
            if reason:
                return reason
    return ""


def _off(case: ImportCase, got: Array, wanted: Array) -> str:
    """How far results are off, if that is too far."""
    if got.shape != wanted.shape:
        return f"expected shape {list(wanted.shape)}, got {list(got.shape)}"
    real, exact = got.astype(np.float64), wanted.astype(np.float64)
    largest = np.abs(exact[np.isfinite(exact)]).max(initial=0.0)
    absolute = max(case.absolute, case.share * float(largest))
    if np.allclose(real, exact, rtol=case.relative, atol=absolute, equal_nan=True):
        return ""
    with np.errstate(invalid="ignore"):
        distance = np.nanmax(np.abs(real - exact), initial=0.0)
    return f"off by {distance:.3g}, of results up to {largest:.3g}"


def _transposes(graph: Graph) -> int:
    return sum(isinstance(node.operator, Transpose) for node in graph.nodes)


def _failures(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for name, least in LEAST_SHARE.items():
        counted = [each for each in outcomes if each.importer == name and not each.case.left_out]
        right = sum(each.verdict == "right" for each in counted)
        if counted and right < least * len(counted):
            yield f"{name}: {right} of {len(counted)} cases are right, fewer than {least:.0%}"
    for outcome in outcomes:
        name = f"{outcome.importer} {outcome.case.name}"
        if outcome.verdict == "wrong":
            yield f"{name}: {outcome.reason}"
        if outcome.ran is not None and outcome.ran.bit_exact is False:
            yield f"{name}: on {outcome.ran.target} not what the evaluator gives"
        allowed = outcome.case.transposes
        if allowed is not None and outcome.transposes > allowed:
            yield f"{name}: {outcome.transposes} transposes are left, {allowed} are its mathematics"


def _texts(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for name in dict.fromkeys(outcome.importer for outcome in outcomes):
        own = [outcome for outcome in outcomes if outcome.importer == name]
        yield _network_table(own)
        yield _group_table(own)
        yield _reason_table(own)
        yield _summary(name, own)


def _network_table(outcomes: Sequence[Outcome]) -> str:
    """A line for each network that was to run."""
    rows: list[list[str]] = []
    for outcome in outcomes:
        ran = outcome.ran
        if ran is None:
            continue
        exact = {True: "yes", False: "no", None: "-"}[ran.bit_exact]
        numbers = (
            f"{number:,}" if number is not None else "-" for number in (ran.arena, ran.instructions)
        )
        transposes = f"{outcome.transposes} of {outcome.case.transposes}"
        target = ran.target or "fits none"
        rows.append([outcome.case.name, outcome.verdict, transposes, target, *numbers, exact])
    head = ["network", "outputs", "transposes", "target", "arena", "instructions", "bit-exact"]
    return table(head, rows) if rows else ""


def _group_table(outcomes: Sequence[Outcome]) -> str:
    """A line for each group of which not all is right."""
    rows: list[list[str]] = []
    for group in sorted({outcome.case.group for outcome in outcomes}):
        own = Counter(each.verdict for each in outcomes if each.case.group == group)
        counted = sum(own.values()) - own["left out"]
        if own["right"] < counted:
            numbers = (own["right"], counted, own["differs"], own["wrong"], own["refused"])
            rows.append([visible(group), *map(str, numbers)])
    return (
        table(["not all right", "right", "of", "differs", "wrong", "refused"], rows) if rows else ""
    )


def _reason_table(outcomes: Sequence[Outcome]) -> str:
    """Why cases are refused or wrong, what holds for most first."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for outcome in outcomes:
        if outcome.verdict in ("differs", "wrong", "refused"):
            reasons.setdefault((outcome.verdict, outcome.reason), []).append(outcome.case.name)
    rows = [
        [verdict, str(len(names)), visible(names[0]), reason]
        for (verdict, reason), names in sorted(
            reasons.items(), key=lambda item: (item[0][0], -len(item[1]), item[1])
        )
    ]
    return table(["verdict", "cases", "such as", "reason"], rows) if rows else ""


def _summary(name: str, outcomes: Sequence[Outcome]) -> str:
    counts = Counter(outcome.verdict for outcome in outcomes)
    known = Counter(each.known for each in outcomes if each.verdict == "right" and each.known)
    left_out = Counter(each.reason for each in outcomes if each.verdict == "left out")
    counted = sum(counts.values()) - counts["left out"]
    share = counts["right"] / counted if counted else 1.0
    parts = ", ".join(f"{count} of {reason}" for reason, count in sorted(left_out.items()))
    return (
        f"{name}: {counts['right']} of {counted} cases are right ({share:.1%}), {counts['differs']} differ as they are "
        f"meant to, {counts['wrong']} are wrong, {counts['refused']} refused; {counts['left out']} are not counted "
        f"({parts or 'none'}). Of the right ones, {known['integers']} had their inputs of integers given as known, "
        f"{known['all']} all inputs. Transposes left: {sum(outcome.transposes for outcome in outcomes)}"
    )


def _short(reason: str) -> str:
    """One line of sane length, without the name of the test's file."""
    line = visible(" ".join(reason.removeprefix("test.onnx: ").split()))
    return line if len(line) <= _LONGEST_REASON else f"{line[:_LONGEST_REASON]}..."
