"""What tests and importers build graphs with, and where the MLPerf Tiny files are."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, Constant, Graph, Location, Node, Value
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_ir.verify import verify_graph


class GraphBuilder:
    """Builds a Graph step by step; every value gets a name that is unique in it."""

    def __init__(self, name: str = "graph") -> None:
        """An empty graph called `name`."""
        self._name = name
        self._inputs: list[Value] = []
        self._constants: list[Constant] = []
        self._nodes: list[Node] = []
        self._names: set[str] = set()

    def input(self, name: str, type_: TensorType) -> Value:
        """Add a graph input."""
        value = Value(self._unique(name), type_)
        self._inputs.append(value)
        return value

    def constant(self, name: str, array: Array, quantization: Quantization | None = None) -> Value:
        """Add a constant of the array's shape and dtype; raises ValueError for a dtype without a
        DType.
        """
        dtype = dtype_of(array)
        value = Value(self._unique(name), TensorType(array.shape, dtype, quantization))
        self._constants.append(Constant(value, np.ascontiguousarray(array, dtype.numpy)))
        return value

    def add(
        self,
        operator: Operator,
        inputs: Sequence[Value | None],
        name: str | None = None,
        quantization: Quantization | None = None,
        location: Location = Location(),  # noqa: B008 (frozen)
    ) -> Value:
        """Add a node and return its result.

        name: of the result; the operator's mnemonic if not given. A taken name gets a number.
        quantization: of the result; if not given, what the operator infers.
        Raises GraphError when the operands do not fit together.
        """
        (inferred,) = operator.infer([value.type if value else None for value in inputs])
        chosen = inferred.quantization if quantization is None else quantization
        type_ = TensorType(inferred.shape, inferred.dtype, chosen)
        result = Value(self._unique(name or operator.mnemonic), type_)
        self._nodes.append(Node(operator, tuple(inputs), (result,), location))
        return result

    def build(self, outputs: Sequence[Value] | Value) -> Graph:
        """The graph that returns `outputs`; raises GraphError if it breaks a rule."""
        chosen = (outputs,) if isinstance(outputs, Value) else tuple(outputs)
        graph = Graph(
            self._name, tuple(self._inputs), chosen, tuple(self._nodes), tuple(self._constants)
        )
        verify_graph(graph)
        return graph

    def _unique(self, name: str) -> str:
        candidate, count = name, 0
        while candidate in self._names:
            count += 1
            candidate = f"{name}_{count}"
        self._names.add(candidate)
        return candidate


def dtype_of(array: Array) -> DType:
    """The DType of a numpy array; raises ValueError if there is none."""
    for dtype in DType:
        if dtype.numpy == array.dtype:
            return dtype
    raise ValueError(f"expected a dtype of the IR, got {array.dtype}")


def random_inputs(graph: Graph, seed: int = 0) -> Mapping[str, Array]:
    """One array per graph input: integers over their whole range, float32 from a normal
    distribution, int32 in [-1000, 1000].
    """
    generator = np.random.default_rng(seed)
    return {value.name: random_array(generator, value.type) for value in graph.inputs}


def random_array(generator: np.random.Generator, type_: TensorType) -> Array:
    """An array of `type_`, see `random_inputs`."""
    match type_.dtype:
        case DType.FLOAT32:
            return generator.standard_normal(type_.shape, np.float32)
        case DType.BOOL:
            return generator.integers(0, 2, type_.shape).astype(np.bool_)
        case DType.INT32:
            return generator.integers(-1000, 1001, type_.shape).astype(np.int32)
        case DType.INT8 | DType.INT16:
            low, high = type_.dtype.integer_range
            return generator.integers(low, high + 1, type_.shape).astype(type_.dtype.numpy)


def mlperf_tiny_dir() -> Path | None:
    """The folder with the MLPerf Tiny `.tflite` files, or None if they are not on this machine.

    Looked for in: the environment variable TINSMITH_MLPERF_TINY_DIR, Bazel's runfiles
    (`mlperf_tiny` beside the workspace), and `../shared/models/mlperf_tiny` of the checkout.
    """
    named = os.environ.get("TINSMITH_MLPERF_TINY_DIR")
    runfiles = os.environ.get("TEST_SRCDIR")
    candidates = [Path(named)] if named else []
    candidates += [Path(runfiles) / "mlperf_tiny"] if runfiles else []
    candidates += [_beside_checkout() / "models" / "mlperf_tiny"]
    return _first_with(candidates, "*.tflite")


def mlperf_tiny_inputs_dir() -> Path | None:
    """The folder with `{kws,vww,ic,ad,sww}.npz` (inputs and reference outputs), or None.

    Looked for in the environment variable TINSMITH_MLPERF_TINY_INPUTS_DIR, and `inputs` of the
    folder that holds `models/mlperf_tiny`.
    """
    named = os.environ.get("TINSMITH_MLPERF_TINY_INPUTS_DIR")
    candidates = [Path(named)] if named else []
    models = mlperf_tiny_dir()
    candidates += [models.parent.parent / "inputs"] if models else []
    candidates += [_beside_checkout() / "inputs"]
    return _first_with(candidates, "*.npz")


def _first_with(candidates: Sequence[Path], pattern: str) -> Path | None:
    return next((folder for folder in candidates if any(folder.glob(pattern))), None)


def _beside_checkout() -> Path:
    checkout = Path(__file__).resolve().parents[2]
    return checkout.parent / "shared"
