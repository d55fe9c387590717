"""Images of a network turned, columns for rows, where that takes the digital array less time.

It computes 16 columns at once, so that an image of 25 rows and 5 columns takes 25 passes, and one of 5 rows and 25
columns takes 10. A network all of whose images end in means of whole images computes the same with all of them turned:
only what comes in is turned for it, by the core.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Constant, Graph, Node, Value
from tinsmith_ir.operators import Add, AveragePool2D, Convolution, DepthwiseConv2D, Transpose
from tinsmith_ir.rewrite import erase_dead, fresh_name
from tinsmith_ir.types import TensorType

from tinsmith_diana import jobs
from tinsmith_diana.layouts import LANES, padded

_TURN = (0, 2, 1, 3)
_CYCLES_A_BYTE = 20
"""Of the core, to turn what comes in: as measured on the simulator, with 600 bytes."""


def with_turned_images(graph: Graph) -> Graph:
    """The graph with all images turned; `graph` itself where that saves nothing, or another operator reads one."""
    readers = [node for node in graph.nodes if any(map(_is_image, _data(node)))]
    if not readers or not all(_may_turn(graph, node) for node in readers):
        return graph
    made = {value.name for node in readers for value in node.outputs if _is_image(value)}
    kept = {name for name, value in graph.kept.items() if value.name in made}
    if kept or any(graph.is_output(graph.values[name]) for name in made):
        return graph
    return _Turning(graph, readers, frozenset(made)).graph()


@dataclass(frozen=True, eq=False)
class _Turning:
    """readers: all nodes that read images. made: names of images that they give."""

    source: Graph
    readers: list[Node]
    made: frozenset[str]

    def graph(self) -> Graph:
        """The source where nothing is saved."""
        source = self.source
        images = {
            value.name: value for node in self.readers for value in _data(node) if _is_image(value)
        }
        entries = [value for name, value in images.items() if name not in self.made]
        lost = _CYCLES_A_BYTE * sum(value.type.elements for value in entries)
        before, after = (
            sum(_cycles(node, turned=each) for node in self.readers) for each in (False, True)
        )
        if after + lost >= before:
            return source
        names = {value.name: fresh_name(source, f"{value.name}_turned") for value in entries}
        weights = dict(self._weights())
        nodes = [self._turn(value, names[value.name]) for value in entries if self._is_given(value)]
        for node in source.nodes:
            is_reader = node in self.readers
            nodes.append(_turned(node, names, weights) if is_reader else node)
            nodes += [self._turn(v, names[v.name]) for v in node.outputs if v.name in names]
        constants = (*source.constants, *weights.values())
        return erase_dead(source.rebuilt(nodes=nodes, constants=constants))

    def _is_given(self, value: Value) -> bool:
        """Whether no node gives it."""
        return self.source.producer(value) is None

    def _turn(self, value: Value, name: str) -> Node:
        return Node(Transpose(_TURN), (value,), (Value(name, _swapped(value.type)),))

    def _weights(self) -> Iterator[tuple[str, Constant]]:
        """Name of constants -> the same turned."""
        for node in self.readers:
            if isinstance(node.operator, Convolution):
                value = node.present_inputs[1]
                data = self.source.constant(value)
                assert data is not None  # _may_turn
                name = fresh_name(self.source, f"{value.name}_turned")
                yield (
                    value.name,
                    Constant(Value(name, _swapped(value.type)), data.transpose(_TURN).copy()),
                )


def _is_image(value: Value) -> bool:
    """Whether it has rows or columns of more than one pixel."""
    shape = value.type.shape
    return len(shape) == 4 and value.type.dtype is DType.INT8 and shape[1:3] != (1, 1)


def _may_turn(graph: Graph, node: Node) -> bool:
    """Whether a node that reads images computes the same of them turned."""
    shape = node.present_inputs[0].type.shape
    if any(value.type.dtype is not DType.INT8 for value in node.outputs):
        return False
    if any(graph.constant(value) is not None and _is_image(value) for value in _data(node)):
        return False
    match node.operator:
        case Convolution():
            return graph.constant(node.present_inputs[1]) is not None
        case Add():
            return len({value.type.shape for value in node.present_inputs}) == 1
        case AveragePool2D(window=window, padding=padding):
            return window == shape[1:3] and not any(padding)
        case _:
            return False


def _data(node: Node) -> tuple[Value, ...]:
    """What a node reads but for weights."""
    is_layer = isinstance(node.operator, Convolution)
    return tuple(node.present_inputs[:1] if is_layer else node.present_inputs)


def _turned(node: Node, names: dict[str, str], weights: dict[str, Constant]) -> Node:
    """names: of turned images that come in. weights: turned, by the name of what they were."""
    inputs: list[Value | None] = []
    for index, value in enumerate(node.inputs):
        if value is not None and index == 1 and isinstance(node.operator, Convolution):
            inputs.append(weights[value.name].value)
        elif value is not None and _is_image(value):
            inputs.append(Value(names.get(value.name, value.name), _swapped(value.type)))
        else:
            inputs.append(value)
    outputs = tuple(
        Value(value.name, _swapped(value.type)) if len(value.type.shape) == 4 else value
        for value in node.outputs
    )
    operator = node.operator
    if isinstance(operator, Convolution):
        top, bottom, left, right = operator.padding
        operator = replace(
            operator,
            stride=operator.stride[::-1],
            dilation=operator.dilation[::-1],
            padding=(left, right, top, bottom),
        )
    elif isinstance(operator, AveragePool2D):
        operator = replace(operator, window=operator.window[::-1], stride=operator.stride[::-1])
    return replace(node, operator=operator, inputs=tuple(inputs), outputs=outputs)


def _swapped(type_: TensorType) -> TensorType:
    images, rows, columns, channels = type_.shape
    return type_.with_shape((images, columns, rows, channels))


def _cycles(node: Node, *, turned: bool) -> int:
    """Of the array, for the blocks of a convolution's columns; 0 of others, which take about as long either way."""
    operator = node.operator
    if not isinstance(operator, Convolution):
        return 0
    _, _, _, inputs = node.present_inputs[0].type.shape
    _, height, width, outputs = node.outputs[0].type.shape
    _, window_rows, window_columns, _ = node.present_inputs[1].type.shape
    if turned:
        height, width = width, height
        window_rows, window_columns = window_columns, window_rows
    is_depthwise = isinstance(operator, DepthwiseConv2D)
    blocks = height * (padded(width) // LANES)
    channels = 1 if is_depthwise else inputs
    groups = outputs if is_depthwise else padded(outputs) // LANES
    return blocks * groups * jobs.block_cycles(channels * window_rows, window_columns)
