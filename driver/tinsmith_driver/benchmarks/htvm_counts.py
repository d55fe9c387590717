"""What HTVM's code does for a network on DIANA's digital array: jobs, copies, tensors that the core turns.

By the rules and with the defects of its code (KULeuven-MICAS/htvm, tiles by pulp-platform/dory), as of the networks on
which it was measured.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinsmith_ir import Graph, TensorType
from tinsmith_ir.operators import Add, Conv2D, DepthwiseConv2D, FullyConnected, Operator

_WEIGHT_MEMORY_BYTES = 64 * 1024
_LANES, _BIAS_BYTES, _WORD = 16, 4, 4
_INPUTS_TURNED = ("mobilenet", "toyadmos")
"""Networks whose input HTVM's layout pass turns on the core; of the others it takes it as the array reads it."""

_ARRAY: tuple[type[Operator], ...] = (Conv2D, DepthwiseConv2D, FullyConnected, Add)


@dataclass(frozen=True)
class Counts:
    """calls: of layers of the array. tiles: rounds of their loops. triggers: jobs. copies: those between L1 and L2, of
    which additions have one for each row of each operand, as its strides are those of another layout. turned: bytes of
    tensors that the core turns; slow: of those whose rows are no multiple of four.
    """

    calls: int
    tiles: int
    triggers: int
    copies: int
    turned: int
    slow: int


def counts(graph: Graph) -> Counts:
    """Of one of HTVM's networks as it was written, before passes."""
    layers = [node for node in graph.nodes if isinstance(node.operator, _ARRAY)]
    turned = [*_turned(graph)]
    tiles = triggers = copies = 0
    for node in layers:
        types = [value.type for value in node.inputs if value is not None]
        result = node.outputs[0].type
        rounds = _tiles(node.operator, types, result)
        tiles += rounds
        is_depthwise = isinstance(node.operator, DepthwiseConv2D)
        triggers += result.shape[3] if is_depthwise else rounds
        copies += _row_copies(result) if isinstance(node.operator, Add) else 2 * rounds
    return Counts(
        len(layers),
        tiles,
        triggers,
        copies,
        sum(type_.elements for type_ in turned),
        sum(type_.elements for type_ in turned if _width(type_) % _WORD),
    )


def _tiles(operator: Operator, types: Sequence[TensorType], result: TensorType) -> int:
    """Of 16 outputs of fully connected layers; of as many of convolutions as the weight memory takes."""
    if isinstance(operator, FullyConnected):
        return -(-result.shape[1] // _LANES)
    if not isinstance(operator, Conv2D):
        return 1
    outputs, *window = types[1].shape
    taps = window[0] * window[1] * window[2]
    padded = -(-outputs // _LANES) * _LANES
    return -(-padded * (taps + _BIAS_BYTES) // _WEIGHT_MEMORY_BYTES)


def _row_copies(result: TensorType) -> int:
    """Of an addition: each row of each channel of both operands, and the result."""
    _, height, _, channels = result.shape
    return 2 * channels * height + 1


def _turned(graph: Graph) -> Iterator[TensorType]:
    """Tensors between layers of the array and those of the core; a network's result is for the core."""
    by_array = {value.name: graph.name not in _INPUTS_TURNED for value in graph.inputs}
    by_array |= {
        value.name: isinstance(node.operator, _ARRAY)
        for node in graph.nodes
        for value in node.outputs
    }
    uses = [
        (value, isinstance(node.operator, _ARRAY))
        for node in graph.nodes
        for value in node.inputs
        if value is not None and value.name in by_array
    ]
    uses += [(value, False) for value in graph.outputs]
    found = {value.name: value.type for value, is_array in uses if by_array[value.name] != is_array}
    yield from found.values()


def _width(type_: TensorType) -> int:
    """Elements of a row: the array has images channel by channel."""
    return type_.shape[2] if len(type_.shape) == 4 else type_.elements
