"""A graph whose layers become analog one by one, with what each tensor then is on some samples."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.evaluate import Inputs, evaluate_frames, evaluate_node
from tinsmith_ir.graph import Array, Constant, Graph, Node, Value
from tinsmith_ir.operators import Operator, Requantize, Reshape, Weighted
from tinsmith_ir.operators.checks import check_quantized
from tinsmith_ir.passes import Metric
from tinsmith_ir.rewrite import erase_dead, fresh_name
from tinsmith_ir.types import DType, TensorType

from tinsmith_diana.analog.array import AnalogLayer, layer_of, why_not
from tinsmith_diana.analog.fitting import Fit, Source, fitted, narrowing
from tinsmith_diana.analog.folding import with_halved_sums
from tinsmith_diana.analog.operator import AnalogConv2D

_Values = Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class Candidate:
    """One way to compute a layer. made: of each sample, the tensors that are new. noise: see Metric.NOISE_OF_EACH, of
    the worst sample; where the result goes on in 7 bits, of these. largest: difference in steps of the result.
    narrowed: the result in 7 bits, if it has no more. needs_clip: these are clipped behind the array.
    """

    operator: AnalogConv2D
    chunks: int
    nodes: tuple[Node, ...]
    constants: tuple[Constant, ...]
    made: tuple[_Values, ...]
    noise: float
    largest: int
    narrowed: Value | None
    needs_clip: bool

    @property
    def sqnr_db(self) -> float:
        """What is left of the signal beside the noise."""
        return math.inf if self.noise == 0 else -20 * math.log10(self.noise)


class Rewriting:
    """Layers are taken in the order of the graph. Tensors that a layer of the graph reads keep what they were there, so
    that each analog layer is judged by itself; but one of 7 bits goes on as it is.

    stay: layers that are not to become analog, each with the reason. ternarize: weights that are not ternary become it.
    """

    def __init__(
        self,
        graph: Graph,
        samples: Sequence[Inputs],
        stay: Mapping[str, str] | None = None,
        *,
        ternarize: bool = False,
    ) -> None:
        self._graph = graph
        known = stay or {}
        self._reasons = {
            node.name: known.get(node.name) or why_not(graph, node, ternarize=ternarize)
            for node in graph.nodes
            if isinstance(node.operator, Weighted)
        }
        self._values = [dict(found) for found in evaluate_frames(graph, samples, keep=True)]
        for found in self._values:
            found.update(graph.constant_data)
        self._narrowed: dict[str, Source] = {}
        self._narrowing: dict[str, Node] = {}
        self._taken: dict[str, Candidate] = {}

    def why_not(self, node: Node) -> str | None:
        """Why a layer does not become analog."""
        return self._reasons[node.name]

    def layer(self, node: Node) -> AnalogLayer:
        """What one that it can compute is made of."""
        return layer_of(self._graph, node)

    def goes_on_narrow(self, node: Node) -> bool:
        """Whether all that reads its result are layers that want it in 7 bits."""
        (value,) = node.outputs
        readers = self._graph.readers(value)
        return (
            bool(readers)
            and value.name not in self._graph.kept
            and all(self._reasons.get(reader.name, "other") is None for reader in readers)
        )

    def source(self, node: Node) -> Source:
        """Its input in 7 bits."""
        given = node.present_inputs[0]
        if given.name not in self._narrowed:
            operator, type_ = narrowing(given.type)
            value = Value(self._fresh(f"{given.name}.narrow"), type_)
            made = Node(operator, (given,), (value,), node.location)
            for found in self._values:
                (found[value.name],) = evaluate_node(made, found)
            self._narrowed[given.name] = Source(value, self._lost(given, value))
            self._narrowing[node.name] = made
        return self._narrowed[given.name]

    def _lost(self, given: Value, narrowed: Value) -> float:
        """By how many of its steps it is too small, in the mean of all samples."""
        lost = [
            _in_steps(found[given.name], given, narrowed).mean() - found[narrowed.name].mean()
            for found in self._values
        ]
        return float(np.mean(lost))

    def candidate(
        self, node: Node, layer: AnalogLayer, source: Source, gain: int, *, is_whole: bool
    ) -> Candidate | None:
        """The layer with that gain and that kind of scale (see `fitted`); None if its multipliers are too large."""
        (result,) = node.outputs
        bits = 7 if self.goes_on_narrow(node) else 8
        fit = fitted(layer, source, bits, gain, is_whole=is_whole)
        if fit is None:
            return None
        steps = _steps(self._graph, node, layer, source.value, fit)
        made: list[dict[str, Array]] = []
        noise, largest = 0.0, 0
        for found in self._values:
            known = {**found, **{each.value.name: each.data for each in steps.constants}}
            for each in steps.nodes:
                (known[each.name],) = evaluate_node(each, known)
            wanted, got = found[result.name], known.pop(result.name)
            read = got if bits == 8 else _in_steps(known[steps.made.name], steps.made, result)
            noise = max(noise, Metric.NOISE_OF_EACH.of(wanted, read))
            largest = max(
                largest, int(np.abs(wanted.astype(np.int64) - got.astype(np.int64)).max())
            )
            made.append({name: known[name] for name in known.keys() - found.keys()})
        return Candidate(
            fit.operator,
            layer.chunks,
            steps.nodes,
            steps.constants,
            tuple(made),
            noise,
            largest,
            steps.made if bits == 7 else None,
            fit.needs_clip,
        )

    def take(self, node: Node, candidate: Candidate) -> None:
        """Compute the layer so."""
        self._taken[node.name] = candidate
        for found, made in zip(self._values, candidate.made, strict=True):
            found.update(made)
        if candidate.narrowed is not None:
            self._narrowed[node.name] = Source(candidate.narrowed)

    def graph(self) -> Graph:
        """With the layers that were taken; the same object if none was."""
        if not self._taken:
            return self._graph
        nodes: list[Node] = []
        for node in self._graph.nodes:
            if node.name in self._narrowing:
                nodes.append(self._narrowing[node.name])
            taken = self._taken.get(node.name)
            nodes += [node] if taken is None else taken.nodes
        constants = [constant for taken in self._taken.values() for constant in taken.constants]
        whole = self._graph.rebuilt(nodes=nodes, constants=[*self._graph.constants, *constants])
        return with_halved_sums(erase_dead(whole))

    def _fresh(self, hint: str) -> str:
        return fresh_name(self._graph, hint)


@dataclass(frozen=True, eq=False)
class _Steps:
    """The nodes of a candidate. made: the array's result, of the layer's shape."""

    nodes: tuple[Node, ...]
    constants: tuple[Constant, ...]
    made: Value


def _steps(graph: Graph, node: Node, layer: AnalogLayer, source: Value, fit: Fit) -> _Steps:
    """The analog layer, reshapes around a row, and a rescaling where the layer's result has another type."""
    nodes: list[Node] = []
    (result,) = node.outputs

    def add(operator: Operator, inputs: tuple[Value, ...], role: str, type_: TensorType) -> Value:
        value = Value(fresh_name(graph, f"{result.name}.{role}"), type_)
        nodes.append(Node(operator, inputs, (value,), node.location))
        return value

    constants = tuple(
        Constant(Value(fresh_name(graph, f"{result.name}.{role}"), _plain(data)), data)
        for role, data in (
            ("ternary", layer.weights.astype(np.int8)),
            ("multipliers", fit.multipliers),
            ("addends", fit.addends),
        )
    )
    made = source
    if layer.is_row:
        image = (1, 1, 1, source.type.elements)
        made = add(Reshape(shape=image), (made,), "image", source.type.with_shape(image))
    operands = (made, *(constant.value for constant in constants))
    (inferred,) = fit.operator.infer([value.type for value in operands])
    made = add(
        fit.operator,
        operands,
        "analog",
        TensorType(inferred.shape, inferred.dtype, fit.quantization),
    )
    if layer.is_row:
        shape = result.type.shape
        made = add(Reshape(shape=shape), (made,), "row", made.type.with_shape(shape))
    if made.type == result.type and fit.operator.bits == 8:
        nodes[-1] = replace(nodes[-1], outputs=(result,))
    else:
        nodes.append(Node(Requantize(), (made,), (result,), node.location))
    return _Steps(tuple(nodes), constants, made)


def _in_steps(data: Array, made: Value, result: Value) -> NDArray[np.float64]:
    """Numbers of `made` in steps of the result, beyond its type's ends, too: what is not clipped goes on as it is."""
    own = check_quantized(made.type, "result")
    wanted = check_quantized(result.type, "result")
    steps = data.astype(np.float64) - own.zero_point
    return steps * (own.scale / wanted.scale) + wanted.zero_point


def _plain(data: Array) -> TensorType:
    return TensorType(data.shape, DType.INT8)
