"""Images that become rows of a fully connected layer, whose weights may take them channels first."""

from collections.abc import Mapping
from dataclasses import dataclass

from tinsmith_ir.graph import Graph, Node, Value
from tinsmith_ir.operators import Dequantize, FullyConnected, Mul, Reshape, Trait


@dataclass(frozen=True)
class Start:
    """Where an image becomes rows. result: of the Reshape, or of the layer itself. shape: of the image."""

    result: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Flattenings:
    """Of each layer that reads such rows, by the name of its result, where they begin."""

    by_layer: Mapping[str, Start]

    def start_of(self, layer: str) -> Start | None:
        """None for others."""
        return self.by_layer.get(layer)

    def is_start(self, result: str) -> bool:
        """Whether rows begin with it."""
        return any(start.result == result for start in self.by_layer.values())


def flattenings(graph: Graph) -> Flattenings:
    """Those of layers with constant weights, where each element between image and layer is computed by itself, and for
    nothing else.
    """
    found: dict[str, Start] = {}
    for node in graph.nodes:
        if not isinstance(node.operator, FullyConnected | Reshape):
            continue
        image = node.present_inputs[0].type.shape
        layer = node if isinstance(node.operator, FullyConnected) else _layer_behind(graph, node)
        if len(image) == 4 and layer is not None and _reads_images(graph, layer, image):
            found[layer.name] = Start(node.name, image)
    return Flattenings(found)


def _layer_behind(graph: Graph, node: Node) -> Node | None:
    """The layer whose rows are the result of a Reshape."""
    value = node.outputs[0]
    user = graph.only_user(value)
    while user is not None and _is_of_one(user):
        value = user.outputs[0]
        user = graph.only_user(value)
    if user is None or not isinstance(user.operator, FullyConnected):
        return None
    return user if user.inputs[0] == value else None


def _is_of_one(node: Node) -> bool:
    return Trait.ELEMENTWISE in node.operator.traits and len(node.present_inputs) == 1


def _reads_images(graph: Graph, layer: Node, image: tuple[int, ...]) -> bool:
    """Whether each row is an image, and the weights are known."""
    operator, weights = layer.operator, layer.present_inputs[1]
    batches, height, width, channels = image
    is_row = weights.type.shape[1] == height * width * channels
    is_whole = isinstance(operator, FullyConnected) and operator.accumulator is None
    is_rank_2 = len(layer.outputs[0].type.shape) == 2
    is_batch = layer.outputs[0].type.shape[0] == batches
    return is_row and is_whole and is_rank_2 and is_batch and _is_known(graph, weights)


def _is_known(graph: Graph, value: Value) -> bool:
    """Whether it is a constant, or the real numbers of one."""
    if graph.constant(value) is not None:
        return True
    node = graph.producer(value)
    if node is None or not isinstance(node.operator, Dequantize | Mul):
        return False
    return all(_is_known(graph, each) for each in node.present_inputs)
