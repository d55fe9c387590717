"""An ONNX file as it is written: nodes, initializers, and names that nobody else has."""

from collections.abc import Iterable, Sequence

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, Value

OPSET = 21
"""The first that has integers of 4 and 16 bits in QuantizeLinear and DequantizeLinear."""
IR_VERSION = 10
"""Of files, as old as operator set 21."""
PRODUCER = "tinsmith"
DEFAULT_NAME = "graph"
"""Of a graph without one."""

KINDS = {
    DType.INT8: TensorProto.INT8,
    DType.UINT8: TensorProto.UINT8,
    DType.INT16: TensorProto.INT16,
    DType.INT32: TensorProto.INT32,
    DType.INT64: TensorProto.INT64,
    DType.FLOAT32: TensorProto.FLOAT,
    DType.BOOL: TensorProto.BOOL,
    DType.INT4: TensorProto.INT4,
    DType.INT2: TensorProto.INT4,
}
"""Element types of the graph, and the file's; operator set 21 has none of two bits."""

Attribute = int | float | str | Sequence[int]


class Model:
    """A file that grows. taken: names of the graph's values, which are given to nothing else."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self._initializers: list[onnx.TensorProto] = []
        self._taken = set(taken)
        self._shared: dict[tuple[str, tuple[int, ...], bytes], str] = {}

    def fresh(self, hint: str) -> str:
        """A name that nothing has."""
        name, count = hint, 0
        while name in self._taken:
            count += 1
            name = f"{hint}_{count}"
        self._taken.add(name)
        return name

    def node(
        self,
        kind: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        attributes: dict[str, Attribute],
    ) -> None:
        """One node more. "" is an operand that is absent."""
        while inputs and not inputs[-1]:
            inputs = inputs[:-1]
        made = helper.make_node(kind, inputs, outputs, name=outputs[0])
        made.attribute.extend(
            helper.make_attribute(key, attributes[key]) for key in sorted(attributes)
        )
        self.nodes.append(made)

    def known(self, array: Array, hint: str, dtype: DType | None = None) -> str:
        """An initializer that many may read: a shape, a scale, a bound. dtype: int4 or int2, if int8 holds that."""
        key = (str(dtype or array.dtype), array.shape, array.tobytes())
        if key not in self._shared:
            self._shared[key] = self.fresh(hint)
            self.store(self._shared[key], array, dtype)
        return self._shared[key]

    def store(self, name: str, array: Array, dtype: DType | None = None) -> None:
        """An initializer of that name."""
        if dtype is None or not dtype.is_packed:
            dense = np.ascontiguousarray(array).reshape(array.shape)
            self._initializers.append(numpy_helper.from_array(dense, name))
            return
        integers: list[int] = array.reshape(-1).tolist()
        self._initializers.append(helper.make_tensor(name, KINDS[dtype], array.shape, integers))

    def rename_last(self, name: str, wanted: str) -> bool:
        """Let the result that the last node alone has made have another name. Whether that was so."""
        if not self.nodes or list(self.nodes[-1].output) != [name]:
            return False
        self.nodes[-1].output[0] = wanted
        self.nodes[-1].name = wanted
        return True

    def content(
        self, name: str, inputs: Sequence[Value], outputs: Sequence[Value], remarks: dict[str, str]
    ) -> bytes:
        """The file. remarks: its metadata. The same bytes for the same calls."""
        graph = helper.make_graph(
            self.nodes,
            name or DEFAULT_NAME,
            [_declared(value) for value in inputs],
            [_declared(value) for value in outputs],
            self._initializers,
        )
        model = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
            producer_name=PRODUCER,
        )
        helper.set_model_props(model, remarks)
        return model.SerializeToString(deterministic=True)


def _declared(value: Value) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(
        value.name, KINDS[value.type.dtype], list(value.type.shape)
    )
