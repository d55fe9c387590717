"""A block of a decoder, as it is exported: one token in, one token out, and caches of keys and values beside them."""

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

WIDTH, HEADS, DEPTH, HIDDEN, POSITIONS = 16, 2, 8, 32, 8
CACHE = (1, HEADS, POSITIONS, DEPTH)


class Block:
    """The ONNX model: RMS norms, rotary embedding by the position, attention over the caches, a gated layer of SiLU.

    Inputs: `token` (1, 1, WIDTH), `past_key` and `past_value` (CACHE), `position` (1), int64. Outputs: `next`, `key`,
    `value`, the newest position of the caches last. Positions before the first token are hidden by the position.
    """

    def __init__(self, seed: int = 0, *, rotary_operator: bool = False) -> None:
        """rotary_operator: ONNX's, in the place of what PyTorch's exporter writes of `rotate_half`."""
        self._rotary_operator = rotary_operator
        self._random = np.random.default_rng(seed)
        self._nodes: list[onnx.NodeProto] = []
        self._stored: list[onnx.TensorProto] = []

    def model(self) -> onnx.ModelProto:
        """The whole."""
        normal = self._normalized("token")
        query, key, value = (self._heads(self._layer(normal, WIDTH, WIDTH)) for _ in range(3))
        tables = [self._row(table) for table in (np.cos(_angles()), np.sin(_angles()))]
        query, key = self._rotated(query, tables), self._rotated(key, tables)
        keys, values = (
            self._cached("past_key", key, "key"),
            self._cached("past_value", value, "value"),
        )
        turned = self._add("Transpose", keys, perm=[0, 1, 3, 2])
        scores = self._add("MatMul", query, turned)
        scaled = self._add("Mul", scores, self._constant(np.array(DEPTH**-0.5, np.float32)))
        shown = self._add(
            "Softmax", self._add("Where", self._hidden(), self._low(), scaled), axis=-1
        )
        mixed = self._add("Transpose", self._add("MatMul", shown, values), perm=[0, 2, 1, 3])
        joined = self._add("Reshape", mixed, self._constant(np.array([1, 1, WIDTH])))
        middle = self._add("Add", "token", self._layer(joined, WIDTH, WIDTH))
        normal = self._normalized(middle)
        gate, up = (self._layer(normal, WIDTH, HIDDEN) for _ in range(2))
        silu = self._add("Mul", gate, self._add("Sigmoid", gate))
        down = self._layer(self._add("Mul", silu, up), HIDDEN, WIDTH)
        self._nodes.append(helper.make_node("Add", [middle, down], ["next"]))
        return self._whole()

    def _whole(self) -> onnx.ModelProto:
        real = TensorProto.FLOAT
        inputs = [
            helper.make_tensor_value_info("token", real, (1, 1, WIDTH)),
            helper.make_tensor_value_info("past_key", real, CACHE),
            helper.make_tensor_value_info("past_value", real, CACHE),
            helper.make_tensor_value_info("position", TensorProto.INT64, (1,)),
        ]
        outputs = [
            helper.make_tensor_value_info("next", real, (1, 1, WIDTH)),
            helper.make_tensor_value_info("key", real, CACHE),
            helper.make_tensor_value_info("value", real, CACHE),
        ]
        graph = helper.make_graph(self._nodes, "block", inputs, outputs, self._stored)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)

    def _add(self, kind: str, *operands: str, **attributes: int | float | list[int]) -> str:
        name = f"{kind.lower()}_{len(self._nodes)}"
        node = helper.make_node(kind, operands, [name])
        node.attribute.extend(helper.make_attribute(*each) for each in attributes.items())
        self._nodes.append(node)
        return name

    def _constant(self, array: NDArray[np.generic]) -> str:
        name = f"constant_{len(self._stored)}"
        self._stored.append(numpy_helper.from_array(array, name))
        return name

    def _layer(self, x: str, width: int, result: int) -> str:
        weights = self._random.normal(0, width**-0.5, (width, result)).astype(np.float32)
        return self._add("MatMul", x, self._constant(weights))

    def _normalized(self, x: str) -> str:
        gain = self._random.uniform(0.5, 1.5, WIDTH).astype(np.float32)
        return self._add("RMSNormalization", x, self._constant(gain), axis=-1, epsilon=1e-5)

    def _heads(self, x: str) -> str:
        shape = self._constant(np.array([1, 1, HEADS, DEPTH]))
        return self._add("Transpose", self._add("Reshape", x, shape), perm=[0, 2, 1, 3])

    def _row(self, table: NDArray[np.float64]) -> str:
        """Of the token's position, (1, 1, DEPTH), or half of DEPTH for ONNX's operator."""
        halves = table if self._rotary_operator else np.tile(table, 2)
        whole = halves.astype(np.float32)[:, np.newaxis]
        return self._add("Gather", self._constant(whole), "position", axis=0)

    def _rotated(self, x: str, tables: list[str]) -> str:
        if self._rotary_operator:
            return self._add("RotaryEmbedding", x, *tables)
        first, second = (self._half(x, start) for start in (0, DEPTH // 2))
        turned = self._add("Concat", self._add("Neg", second), first, axis=-1)
        cosine, sine = tables
        return self._add("Add", self._add("Mul", x, cosine), self._add("Mul", turned, sine))

    def _half(self, x: str, start: int) -> str:
        ends = ([start], [start + DEPTH // 2], [3])
        return self._add("Slice", x, *(self._constant(np.array(end)) for end in ends))

    def _cached(self, past: str, newest: str, name: str) -> str:
        """All but the oldest position, and the newest."""
        ends = ([1], [POSITIONS], [2])
        kept = self._add("Slice", past, *(self._constant(np.array(end)) for end in ends))
        self._nodes.append(helper.make_node("Concat", [kept, newest], [name], axis=2))
        return name

    def _hidden(self) -> str:
        """Where the caches lie before the first token, (1, 1, POSITIONS)."""
        age = np.arange(POSITIONS)[::-1]
        table = (age > np.arange(2 * POSITIONS)[:, np.newaxis])[:, np.newaxis]
        return self._add("Gather", self._constant(table), "position", axis=0)

    def _low(self) -> str:
        return self._constant(np.array(-1e9, np.float32))


def _angles() -> NDArray[np.float64]:
    steps = 100.0 ** (-np.arange(DEPTH // 2) / (DEPTH // 2))
    return np.arange(2 * POSITIONS)[:, np.newaxis] * steps
