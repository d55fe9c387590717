"""What comes of one public network: what Tinsmith makes of it, beside what ONNX Runtime computes."""

import resource
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import onnx
from model_inputs import (
    OpenInput,
    TextsError,
    known_inputs,
    open_inputs,
    random_inputs,
    shapes_to_try,
)
from runtime_oracle import Oracle, OracleError
from tinsmith_driver.build import built
from tinsmith_driver.inputs import Samples
from tinsmith_driver.models import Model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import compile_model, graph_passes, passes_for
from tinsmith_driver.running import run_samples
from tinsmith_ir import Graph
from tinsmith_ir.errors import TinsmithError
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.graph import Array
from tinsmith_ir.names import identifier
from tinsmith_ir.operators import Transpose
from tinsmith_ir.pipeline import Pipeline
from tinsmith_ir.tolerance import shares
from tinsmith_onnx import import_onnx
from tinsmith_tensors.images import Turned

FLOAT_TOLERANCE = 1e-4
_HALF_TOLERANCE = 1e-2
"""Of networks of float16, which are computed in float32 here."""
_NOISE = 1e-6
"""A sigmoid of 1.6e-5 is off by 1e-7 in ONNX Runtime."""
_MOST_EVALUATED_MACS = 300_000_000
_MOST_COMPILED_BYTES = 24 << 20
_RUN_SECONDS = 60.0
_FEWEST_OPERATORS = 4
"""Of a network; what is smaller tries an operator."""

EQUAL, CLOSE, DIFFERS = "equal", "1 LSB", "differs"
REFUSED, SLOW, REFUSED_THERE, NO_NETWORK = "refused", "too slow", "refused there", "no network"


@dataclass(frozen=True)
class Finding:
    """What comes of a network.

    kind: see above. family: float, quantized, or small. reason: why it is refused, or by how much it differs.
    sizes: of what the file leaves open. transposes: those that passes leave. seconds: of import and graph passes.
    growth: memory that import and passes took, as a multiple of the file; 0 for a small file. by: who computed.
    """

    kind: str
    family: str = "float"
    reason: str = ""
    sizes: str = ""
    operators: int = 0
    transposes: int = 0
    macs: int = 0
    seconds: float = 0.0
    growth: float = 0.0
    by: str = ""


@dataclass(frozen=True)
class Imported:
    """A graph behind all graph passes, and the graph of the file. turned: ends that are channels last, by name."""

    before: Graph
    graph: Graph
    turned: Mapping[str, Turned]
    seconds: float
    growth: float


def compare(path: Path, oracle: Oracle) -> Finding:
    """What comes of the network in a file."""
    model = onnx.ModelProto.FromString(path.read_bytes())
    family = family_of(model)
    try:
        inputs = open_inputs(model)
        arrays, wanted = answered(path, inputs, oracle)
    except TextsError as error:
        return Finding(NO_NETWORK, family, str(error))
    except OracleError as error:
        return Finding(REFUSED_THERE, family, str(error))
    sizes = _sizes(inputs, arrays)
    try:
        imported = imported_network(path, arrays)
    except TinsmithError as error:
        return Finding(REFUSED, family, str(error), sizes)
    graph = imported.graph
    facts = Finding(
        SLOW,
        family,
        "weights too large for C",
        sizes=sizes,
        operators=len(graph.nodes),
        transposes=sum(isinstance(node.operator, Transpose) for node in graph.nodes),
        macs=graph.macs,
        seconds=round(imported.seconds, 2),
        growth=round(imported.growth, 1),
        by="C" if graph.macs > _MOST_EVALUATED_MACS else "evaluator",
    )
    weights_bytes = sum(constant.data.nbytes for constant in graph.constants)
    if facts.by == "C" and weights_bytes > _MOST_COMPILED_BYTES:
        return facts
    found = outputs_of(imported, arrays, path, facts.by)
    kind, reason = judged(found, wanted, model, family)
    return replace(facts, kind=kind, reason=reason)


def family_of(model: onnx.ModelProto) -> str:
    """float, quantized, or small: too small for a network."""
    kinds = [node.op_type for node in model.graph.node]
    if any("Quantize" in kind or kind.startswith("QLinear") or "Integer" in kind for kind in kinds):
        return "quantized"
    return "float" if len(kinds) >= _FEWEST_OPERATORS else "small"


def answered(
    path: Path, inputs: list[OpenInput], oracle: Oracle
) -> tuple[dict[str, Array], list[Array]]:
    """The first inputs that ONNX Runtime takes, and its outputs. Raises the first OracleError if it takes none."""
    first: OracleError | None = None
    for shapes in shapes_to_try(inputs):
        arrays = random_inputs(inputs, shapes)
        try:
            return arrays, oracle.outputs(path, arrays)
        except OracleError as error:
            first = first or error
    assert first is not None
    raise first


def _sizes(inputs: list[OpenInput], arrays: Mapping[str, Array]) -> str:
    """The shapes of inputs of which the file leaves some open."""
    return " ".join(
        f"{each.name}={'x'.join(map(str, arrays[each.name].shape))}"
        for each in inputs
        if any(isinstance(size, str) for size in each.sizes)
    )


def imported_network(path: Path, arrays: Mapping[str, Array]) -> Imported:
    """The network of a file behind all graph passes. Raises TinsmithError.

    Single integers are inputs if that can be, else known.
    """
    passes = graph_passes(passes_for(CompileOptions("host")))  # loads all libraries
    started, before = time.perf_counter(), _peak_bytes()
    turned: dict[str, Turned] = {}

    def read(known: Mapping[str, Array]) -> Graph:
        turned.clear()
        shapes = {name: array.shape for name, array in arrays.items() if name not in known}
        return import_onnx(
            path,
            input_shapes=shapes,
            input_values=known,
            on_turned=lambda end: turned.update({end.name: end}),
        )

    try:
        graph = read({})
    except TinsmithError:
        if not known_inputs(arrays):
            raise
        graph = read(known_inputs(arrays))
    behind = Pipeline(passes).run(graph).ir
    assert isinstance(behind, Graph)
    size = path.stat().st_size
    growth = (_peak_bytes() - before) / size if size > 1 << 22 else 0.0
    return Imported(graph, behind, turned, time.perf_counter() - started, growth)


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def outputs_of(imported: Imported, arrays: Mapping[str, Array], path: Path, by: str) -> list[Array]:
    """The outputs in the order of the graph, as in the file. by: "C" or "evaluator"."""
    graph = imported.graph
    named = {identifier(name): array for name, array in arrays.items()}
    if len(named) == len(graph.inputs):  # one that is an output, too, has another name here
        names = (value.name for value in graph.inputs)
        named = dict(zip(names, arrays.values(), strict=True))
    inputs = {
        value.name: _turned(named[value.name], imported.turned.get(value.name)).astype(
            value.type.dtype.numpy
        )
        for value in graph.inputs
    }
    if by == "C":
        outputs = _run_c(imported.before, [inputs[value.name] for value in graph.inputs], path)
    else:
        results = evaluate_graph(graph, inputs)
        outputs = [results[value.name] for value in graph.outputs]
    return [
        np.moveaxis(output, -1, 1) if value.name in imported.turned else output
        for value, output in zip(graph.outputs, outputs, strict=True)
    ]


def _turned(array: Array, end: Turned | None) -> Array:
    return array if end is None else np.ascontiguousarray(np.moveaxis(array, 1, -1))


def _run_c(graph: Graph, inputs: Sequence[Array], path: Path) -> list[Array]:
    compilation = compile_model(Model(path, "onnx", "0" * 64, graph), CompileOptions("host"))
    samples = Samples("", tuple(array[np.newaxis] for array in inputs), None, None)
    with built(compilation) as build:
        measured = run_samples(build, compilation.graph, [samples], _RUN_SECONDS)
    return [array[0] for array in measured.groups[0].outputs]


def judged(
    found: Sequence[Array], wanted: Sequence[Array], model: onnx.ModelProto, family: str
) -> tuple[str, str]:
    """Floats within the tolerance; of quantized networks, values one step apart."""
    if len(found) != len(wanted):
        return DIFFERS, f"{len(found)} outputs instead of {len(wanted)}"
    for output, reference in zip(found, wanted, strict=True):
        if output.shape != reference.shape:
            return DIFFERS, f"shape {list(output.shape)} instead of {list(reference.shape)}"
    steps = [_step(model, value.name) for value in model.graph.output]
    if family == "quantized":
        return _judged_steps(found, wanted, steps)
    share = max(
        (_share(reference, output) for output, reference in zip(found, wanted, strict=True)),
        default=0.0,
    )
    is_half = any(t.data_type == onnx.TensorProto.FLOAT16 for t in model.graph.initializer)
    limit = _HALF_TOLERANCE if is_half else FLOAT_TOLERANCE
    reason = f"by {share:.2g} of the largest" + (", float16" if is_half else "")
    return (EQUAL if share <= limit else DIFFERS), reason if share else ""


def _share(reference: Array, output: Array) -> float:
    """The largest difference as a share of the largest element; 0 where ONNX Runtime's own functions are as far off."""
    wanted, found = reference.astype(np.float64), output.astype(np.float64)
    same = (wanted == found) | (np.isnan(wanted) & np.isnan(found))
    with np.errstate(invalid="ignore"):
        is_noise = np.abs(wanted - found) <= _NOISE
    return float(np.where(same | is_noise, 0.0, shares(reference, output)).max(initial=0))


def _judged_steps(
    found: Sequence[Array], wanted: Sequence[Array], steps: Sequence[float | None]
) -> tuple[str, str]:
    """By the number of steps of quantization; floats without such a step by the tolerance."""
    most, different, elements, loosest = 0.0, 0, 0, 0.0
    for output, reference, step in zip(found, wanted, steps, strict=True):
        if reference.dtype.kind == "f" and step is None:
            loosest = max(loosest, _share(reference, output))
            continue
        apart = np.abs(output.astype(np.float64) - reference.astype(np.float64)) / (step or 1.0)
        most = max(most, float(apart.max(initial=0)))
        different += int(np.count_nonzero(apart > 0.5))
        elements += output.size
    told = f"{different:,} of {elements:,} by {most:.0f} steps at most" if different else ""
    if loosest > FLOAT_TOLERANCE:
        told = f"{told} floats by {loosest:.2g} of the largest".strip()
        return DIFFERS, told
    if most > 1.5:
        return DIFFERS, told
    return (CLOSE, told) if different else (EQUAL, f"floats by {loosest:.2g}" if loosest else "")


def _step(model: onnx.ModelProto, output: str) -> float | None:
    """Of an output that is dequantized with one scale, that scale, through operators that only move elements."""
    made = {name: node for node in model.graph.node for name in node.output}
    stored = {tensor.name: tensor for tensor in model.graph.initializer}
    node = made.get(output)
    while node is not None and node.op_type in ("Reshape", "Flatten", "Transpose", "Squeeze"):
        node = made.get(node.input[0])
    if node is None or node.op_type != "DequantizeLinear" or node.input[1] not in stored:
        return None
    scale = onnx.numpy_helper.to_array(stored[node.input[1]])
    return float(scale.reshape(-1)[0]) if scale.size == 1 else None


def as_dictionary(finding: Finding) -> dict[str, object]:
    """For JSON."""
    return asdict(finding)
