"""The pass that writes operators as what the digital array computes, bit by bit, where it would refuse them.

A sum with ReLU becomes a sum and a convolution by 1, which has one; a convolution with a stride of two by a window
that the array has not, one of the image's squares of 2x2 pixels as channels, by a window half as large. Before, images
are turned where that saves time (`turned_images`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.activation import Activation
from tinsmith_ir.checked import checked
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Constant, Graph, GraphView, Node, Value
from tinsmith_ir.operators import Add, Conv2D, Operator, Pad, Reshape, Transpose
from tinsmith_ir.parameters import weighted_sum_parameters
from tinsmith_ir.passes import BIT_EXACT, Contract
from tinsmith_ir.rewrite import Rewrite, apply_patterns, fresh_name
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import Quantization, TensorType

from tinsmith_diana import jobs
from tinsmith_diana.addition import shift_of
from tinsmith_diana.turned_images import with_turned_images

LARGEST_SIDE = 7
"""Of windows, in rows and columns."""
_MOST_CHANNELS = 256
"""Of a sum: its ones are as many weights squared."""
_ONE = Quantization.per_tensor(1.0, 0)
_EXACT = (Rounding.FLOOR, Rounding.NEAREST)
"""Of a multiplication by 1."""


@dataclass(frozen=True)
class FitDigital:
    """Let the digital array compute sums with ReLU, and convolutions with a stride of two by larger windows."""

    name: ClassVar[str] = "fit-digital"
    # A multiplication by 1 rounds nothing; the squares of pixels are all that a window saw, and zeros.
    contract: ClassVar[Contract] = BIT_EXACT

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with more layers for the array; `graph` itself if there are none."""
        return apply_patterns(with_turned_images(graph), [rectifies_sum, gathers_squares])


def rectifies_sum(graph: GraphView, node: Node) -> Rewrite | None:
    """A sum of int8 images without its ReLU, and behind it a convolution by 1 with one. Only of a sum that is the
    array's then: its operands have one scale, no zero points, and are computed.
    """
    operator = node.operator
    if not isinstance(operator, Add) or operator.activation is not Activation.RELU:
        return None
    values = [*node.present_inputs, *node.outputs]
    is_image = len(node.outputs[0].type.shape) == 4 and node.outputs[0].type.shape[0] == 1
    if not is_image or len({value.type.shape for value in values}) > 1:
        return None
    if any(value.type.dtype is not DType.INT8 or _point(value) != 0 for value in values):
        return None
    if any(graph.constant(value) is not None for value in node.present_inputs):
        return None
    channels = node.outputs[0].type.shape[3]
    if channels > _MOST_CHANNELS or operator.rounding not in _EXACT:
        return None
    plain = replace(operator, activation=Activation.NONE)
    types = [value.type for value in node.present_inputs]
    if shift_of(weighted_sum_parameters(plain, types, node.outputs[0].type)) is None:
        return None
    total = Value(fresh_name(graph, f"{node.name}_sum"), node.outputs[0].type)
    ones = np.eye(channels, dtype=np.int8).reshape(channels, 1, 1, channels)
    weights = _constant(graph, f"{node.name}_ones", ones, _ONE)
    rectifier = Conv2D(activation=Activation.RELU, rounding=operator.rounding)
    return Rewrite(
        node.outputs,
        (
            replace(node, operator=plain, outputs=(total,)),
            Node(rectifier, (total, weights.value, None), node.outputs, node.location),
        ),
        (weights,),
    )


@dataclass(frozen=True)
class _Squares:
    """Of a convolution with a stride of two. zeros: above and below the image, left and right of it, such that squares
    begin where windows do. image: rows and columns of squares. window: in squares. padding: of squares.
    """

    zeros: tuple[int, int, int, int]
    image: tuple[int, int]
    window: tuple[int, int]
    padding: tuple[int, int, int, int]


def gathers_squares(graph: GraphView, node: Node) -> Rewrite | None:
    """A convolution with a stride of two, by a window of which the array has only the half, as one with a stride of one
    over squares of 2x2 pixels.
    """
    operator, data = node.operator, graph.constant(node.inputs[1] if len(node.inputs) > 1 else None)
    if not isinstance(operator, Conv2D) or data is None or data.dtype != np.int8:
        return None
    image = node.present_inputs[0].type
    is_known = operator.stride == (2, 2) and operator.dilation == (1, 1) and image.shape[0] == 1
    is_large = max(data.shape[1:3]) > LARGEST_SIDE
    if not is_known or not is_large or data.shape[3] != image.shape[3]:
        return None
    squares = _squares(operator, image, node.outputs[0].type, (data.shape[1], data.shape[2]))
    if squares is None or _weight_point(node) != 0:
        return None
    nodes = list(_gathered(graph, node, squares))
    by_squares = _by_squares(data.astype(np.int8), squares.window)
    weights = _constant(graph, f"{node.name}_weights", by_squares, _weights_of(node))
    smaller = replace(operator, stride=(1, 1), padding=squares.padding)
    operands = (nodes[-1].outputs[0], weights.value, *node.inputs[2:])
    nodes.append(replace(node, operator=smaller, inputs=operands))
    return Rewrite(node.outputs, tuple(nodes), (weights,))


def _squares(
    operator: Conv2D, image: TensorType, result: TensorType, window: tuple[int, int]
) -> _Squares | None:
    """None if the window is too large, or does not reach the last row or column of squares."""
    before = operator.padding[0], operator.padding[2]
    odd = [each % 2 for each in before]
    filled = [each + first for each, first in zip(image.shape[1:3], odd, strict=True)]
    sides = [-(-each // 2) for each in filled]
    halves = [-(-each // 2) for each in window]
    ends = [
        outputs - 1 + half - front // 2 - side
        for outputs, half, front, side in zip(result.shape[1:3], halves, before, sides, strict=True)
    ]
    if max(halves) > LARGEST_SIDE or min(ends) < 0:
        return None
    if max(*ends, before[0] // 2, before[1] // 2) > jobs.MOST_PADDING:
        return None
    return _Squares(
        (odd[0], 2 * sides[0] - filled[0], odd[1], 2 * sides[1] - filled[1]),
        (sides[0], sides[1]),
        (halves[0], halves[1]),
        (before[0] // 2, ends[0], before[1] // 2, ends[1]),
    )


def _gathered(graph: GraphView, node: Node, squares: _Squares) -> list[Node]:
    """Nodes that make (1, rows, columns, 4 channels) of the image, a square's pixels row by row."""
    rows, columns = squares.image
    channels = node.present_inputs[0].type.shape[3]
    above, below, left, right = squares.zeros
    steps: Mapping[str, tuple[Operator, tuple[int, ...]]] = {
        "padded": (
            Pad((0, 0, above, below, left, right, 0, 0)),
            (1, 2 * rows, 2 * columns, channels),
        ),
        "parted": (
            Reshape((rows, 2, columns, 2 * channels)),
            (rows, 2, columns, 2 * channels),
        ),
        "turned": (Transpose((0, 2, 1, 3)), (rows, columns, 2, 2 * channels)),
        "squares": (
            Reshape((1, rows, columns, 4 * channels)),
            (1, rows, columns, 4 * channels),
        ),
    }
    found: list[Node] = []
    source = node.present_inputs[0]
    for name, (operator, shape) in steps.items():
        made = Value(fresh_name(graph, f"{node.name}_{name}"), source.type.with_shape(shape))
        found.append(Node(operator, (source,), (made,), node.location))
        source = made
    return found


def _by_squares(data: NDArray[np.int8], window: tuple[int, int]) -> NDArray[np.int8]:
    """Weights (outputs, height, width, channels) of squares: (outputs, half, half, 4 channels), with zeros where the
    window ends within one.
    """
    outputs, height, width, channels = data.shape
    rows, columns = window
    ends = ((0, 0), (0, 2 * rows - height), (0, 2 * columns - width), (0, 0))
    parts = np.pad(data, ends).reshape(outputs, rows, 2, columns, 2 * channels)
    return parts.transpose(0, 1, 3, 2, 4).reshape(outputs, rows, columns, 4 * channels)


def _constant(
    graph: GraphView, name: str, data: NDArray[np.int8], quantization: Quantization | None
) -> Constant:
    type_ = TensorType(data.shape, DType.INT8, quantization)
    return Constant(Value(fresh_name(graph, name), type_), data)


def _weights_of(node: Node) -> Quantization | None:
    return node.present_inputs[1].type.quantization


def _weight_point(node: Node) -> int | None:
    """0 where all channels' are."""
    found = _weights_of(node)
    return None if found is None or any(found.zero_points) else 0


def _point(value: Value) -> int | None:
    """The zero point of a tensor that has one scale."""
    found = value.type.quantization
    return None if found is None or len(found.scales) > 1 else found.zero_point
