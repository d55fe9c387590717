"""Compare random models of one operator each with TFLite's reference kernels, and C of them with the evaluator.

    python frontends/tflite/tools/random_models.py --models 20000 --oracle VENV/bin/python --c host 5000 --c riscv32 500

The families of models are those of tests/golden_cases.py, with drawn shapes, options, scales and data. The oracle is a
Python with TFLite, see oracle.py. With `--c TARGET COUNT`, as many of the models go through the compiler, those of one
firmware side by side, and every output byte is compared. Prints a table by operator and element type; exit status 1
if anything differs.
"""

import argparse
import contextlib
import itertools
import pathlib
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from tinsmith_driver.build import built
from tinsmith_driver.inputs import Samples
from tinsmith_driver.memory_limits import board_ram_bytes
from tinsmith_driver.models import Model
from tinsmith_driver.network import evaluate
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.running import different_bytes, run_samples
from tinsmith_driver.table import table
from tinsmith_ir import Graph, Value
from tinsmith_ir.errors import DoesNotFitError, UnsupportedError
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.graph import Constant, Node, State
from tinsmith_tflite import import_tflite
from tinsmith_tflite.model_file import ModelFile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests"))

from case_builder import Case
from golden_cases import random_cases
from oracle import Oracle, OracleError
from test_goldens import assert_right

_MODELS_OF_A_FIRMWARE = 25
_TIMEOUT_SECONDS = 120.0
_SHOWN = 40


@dataclass(frozen=True, eq=False)
class Imported:
    """A model as a graph. row: its operators and element type."""

    row: tuple[str, str]
    case: Case
    graph: Graph


@dataclass
class Counts:
    """What was tried of each row, by what came of it."""

    rows: dict[tuple[str, str], Counter[str]] = field(
        default_factory=dict[tuple[str, str], Counter[str]]
    )
    told: list[str] = field(default_factory=list[str])

    def count(self, row: tuple[str, str], what: str) -> None:
        """One more of `what`."""
        self.rows.setdefault(row, Counter())[what] += 1

    def differs(self, row: tuple[str, str], what: str, name: str, reason: object) -> None:
        """One more that is wrong."""
        self.count(row, f"{what}: wrong")
        self.told.append(f"{what}: {name}: {' '.join(str(reason).split())[:300]}")

    def text(self, columns: Sequence[str]) -> str:
        """The table."""
        names = ["models", "refused", "refused by TFLite", "wrong"]
        header = ["operator", "type", *names]
        for column in columns:
            header += [f"C {column}", "refused", "wrong"]
        keys = [f"evaluator: {name}" for name in names]
        keys += [
            f"{column}: {name}" for column in columns for name in names if "TFLite" not in name
        ]
        lines = [
            [*row, *(str(counts[key] or "-") for key in keys)]
            for row, counts in sorted(self.rows.items())
        ]
        totals = (str(sum(counts[key] for counts in self.rows.values()) or "-") for key in keys)
        return table(header, [*lines, ["all", "", *totals]])


def compared(
    cases: Iterable[tuple[str, Case]], oracle: Oracle, counts: Counts
) -> Iterator[Imported]:
    """The models that both take and compute alike."""
    for type_, case in cases:
        row = (_operators(case), type_)
        counts.count(row, "evaluator: models")
        try:
            graph = import_tflite(case.model)
            (output,) = evaluate_graph(graph, case.inputs).values()
        except UnsupportedError:
            counts.count(row, "evaluator: refused")
            continue
        except Exception as error:  # a sound model; whatever comes is a defect
            counts.differs(row, "evaluator", case.name, f"{type(error).__name__}: {error}")
            continue
        try:
            ((expected,),) = oracle.outputs(case.model, [case.inputs])
        except OracleError:
            counts.count(row, "evaluator: refused by TFLite")
            continue
        try:
            assert_right(case.name, output, expected.reshape(output.shape))
        except AssertionError as error:
            counts.differs(row, "evaluator", case.name, error)
            continue
        yield Imported(row, case, graph)


def _operators(case: Case) -> str:
    kinds = dict.fromkeys(operator.kind for operator in ModelFile(case.model, "").operators())
    return " ".join(kinds)


def compare_c(models: Sequence[Imported], target: str, counts: Counts) -> None:
    """Compile models side by side into one firmware, run it, and compare. What is refused is found by halves."""
    try:
        different = _different(models, target)
    except Exception as error:  # of which model?
        if len(models) > 1:
            half = len(models) // 2
            compare_c(models[:half], target, counts)
            compare_c(models[half:], target, counts)
            return
        (model,) = models
        counts.count(model.row, f"{target}: models")
        if isinstance(error, UnsupportedError | DoesNotFitError):
            counts.count(model.row, f"{target}: refused")
        else:
            counts.differs(model.row, target, model.case.name, f"{type(error).__name__}: {error}")
        return
    for number, model in enumerate(models):
        counts.count(model.row, f"{target}: models")
        if number in different:
            reason = f"{different[number]} bytes differ"
            counts.differs(model.row, target, model.case.name, reason)


def _different(models: Sequence[Imported], target: str) -> dict[int, int]:
    """Number of each model whose C computes something else -> bytes that differ."""
    graphs = [_renamed(model.graph, f"m{number}_") for number, model in enumerate(models)]
    graph = Graph(
        "models",
        tuple(value for each in graphs for value in each.inputs),
        tuple(value for each in graphs for value in each.outputs),
        tuple(node for each in graphs for node in each.nodes),
        tuple(constant for each in graphs for constant in each.constants),
        tuple(state for each in graphs for state in each.states),
    )
    arrays = tuple(array[None] for model in models for array in model.case.inputs)
    samples = Samples("", arrays, None, None)
    options = CompileOptions(target, ram_bytes=board_ram_bytes(target))
    compilation = compile_model(Model(pathlib.Path("models.tflite"), "tflite", "", graph), options)
    with built(compilation) as build:
        measurement = run_samples(build, compilation.graph, [samples], _TIMEOUT_SECONDS)
    (wanted,) = evaluate(compilation.reference, samples.frames)
    different: dict[int, int] = {}
    for value, got in zip(graph.outputs, measurement.groups[0].outputs, strict=True):
        count = different_bytes(wanted[value.name], got[0])
        if count:
            different[int(value.name[1:].split("_")[0])] = count
    return different


def _renamed(graph: Graph, prefix: str) -> Graph:
    """The graph, with a prefix to all its names."""

    def value(found: Value) -> Value:
        return replace(found, name=prefix + found.name)

    def node(found: Node) -> Node:
        inputs = tuple(None if operand is None else value(operand) for operand in found.inputs)
        return replace(found, inputs=inputs, outputs=tuple(map(value, found.outputs)))

    return replace(
        graph,
        inputs=tuple(map(value, graph.inputs)),
        outputs=tuple(map(value, graph.outputs)),
        nodes=tuple(map(node, graph.nodes)),
        constants=tuple(Constant(value(found.value), found.data) for found in graph.constants),
        states=tuple(
            State(value(found.value), found.initial, value(found.next)) for found in graph.states
        ),
    )


def main() -> int:
    """Compare, print, also when interrupted; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--models", type=int, default=2000, help="default: %(default)s")
    parser.add_argument("--first", type=int, default=0, help="leave out as many before")
    parser.add_argument("--oracle", default=sys.executable, metavar="PYTHON", help="see oracle.py")
    parser.add_argument(
        "--c",
        nargs=2,
        action="append",
        default=[],
        metavar=("TARGET", "COUNT"),
        help="as many of the models as C on this target; `tinsmith targets` lists them",
    )
    arguments = parser.parse_args()
    counts, oracle = Counts(), Oracle(arguments.oracle)
    wanted = {target: int(count) for target, count in arguments.c}
    waiting: dict[str, list[Imported]] = {target: [] for target in wanted}
    cases = itertools.islice(random_cases(), arguments.first, arguments.first + arguments.models)
    with contextlib.suppress(KeyboardInterrupt):  # what was tried until then is shown
        for number, model in enumerate(compared(cases, oracle, counts)):
            for target, models in waiting.items():
                share = wanted[target] / arguments.models
                if int(number * share) < int((number + 1) * share):
                    models.append(model)
                if len(models) == _MODELS_OF_A_FIRMWARE:
                    compare_c(models, target, counts)
                    models.clear()
        for target, models in waiting.items():
            if models:
                compare_c(models, target, counts)
    oracle.close()
    print(counts.text([*wanted]))
    print("\n".join(counts.told[:_SHOWN]))
    return 1 if counts.told else 0


if __name__ == "__main__":
    sys.exit(main())
