"""Sample files: `.npz` archives with inputs and, if known, the expected outputs and labels.

Names of the arrays: `x` or `x_GROUP` is an input, first axis the samples; `y` or `y_GROUP` the outputs
that are expected for it; `label` the classes. A model with several inputs has `x0`, `x1` (or
`x0_GROUP`, …) and `y0`, `y1`. A group whose dtype is not the model's is left out: one file may serve
the int8 and the float network.
"""

import re
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from tinsmith_ir import Array, Graph, TensorType, UsageError
from tinsmith_ir.operators import Dequantize, Quantize, Requantize, Reshape, Softmax

# What NumPy and zipfile raise for files that are cut off, corrupt, encrypted, or promise terabytes.
_UNREADABLE = (
    OSError,
    ValueError,
    EOFError,
    RuntimeError,
    MemoryError,
    LookupError,
    TypeError,
    SyntaxError,
    zipfile.BadZipFile,
    zlib.error,
)
_ARRAY_NAME = re.compile(r"(?P<kind>[xy])(?P<index>\d*)(?:_(?P<group>\w+))?")


@dataclass(frozen=True)
class Samples:
    """Samples of one group, such as "real" or "random".

    inputs, expected: one array per input or output of the model, first axis the samples; each sample
    has the shape of the model's tensor. expected and labels are None where the file has none.
    """

    group: str
    inputs: tuple[Array, ...]
    expected: tuple[Array, ...] | None
    labels: Array | None

    def __len__(self) -> int:
        """How many samples."""
        return len(self.inputs[0])

    def first(self, count: int) -> "Samples":
        """At most the first `count` samples."""
        return replace(
            self,
            inputs=tuple(array[:count] for array in self.inputs),
            expected=None if self.expected is None else tuple(y[:count] for y in self.expected),
            labels=None if self.labels is None else self.labels[:count],
        )

    def sample(self, index: int) -> tuple[Array, ...]:
        """The inputs of one sample, shaped as the model wants them."""
        return tuple(array[index] for array in self.inputs)

    def packed(self, index: int) -> bytes:
        """The bytes of all inputs of one sample, one after another, as firmware reads them."""
        return b"".join(np.ascontiguousarray(array).tobytes() for array in self.sample(index))


def load_samples(path: Path, graph: Graph) -> list[Samples]:
    """Read every group of `path` that fits the inputs of `graph`.

    Raises UsageError when the file cannot be read, or holds nothing for this model.
    """
    arrays = _read_arrays(path)
    groups = _group_arrays(arrays)
    wanted = [value.type for value in graph.inputs]
    found = [
        _samples(path, group, kinds, graph, arrays.get("label"))
        for group, kinds in groups.items()
        if _dtypes_match(kinds["x"], wanted)
    ]
    if not found:
        inputs = ", ".join(f"{t.dtype.numpy.name}{list(t.shape)}" for t in wanted)
        present = ", ".join(f"{k}: {a.dtype}{list(a.shape)}" for k, a in arrays.items())
        raise UsageError(
            f"{path}: expected arrays `x` or `x_GROUP` for the inputs {inputs}, got {present or 'none'}"
        )
    return found


def is_classifier(graph: Graph) -> bool:
    """True if the first output is that of a softmax, so that labels are indices into it."""
    node = graph.producers.get(graph.outputs[0].name)
    while node is not None and isinstance(
        node.operator, Quantize | Dequantize | Requantize | Reshape
    ):
        node = graph.producers.get(node.present_inputs[0].name)
    return node is not None and isinstance(node.operator, Softmax)


def random_samples(graph: Graph, count: int, seed: int = 0) -> Samples:
    """Uniform int8 (or standard normal float) inputs, the same for the same seed."""
    generator = np.random.default_rng(seed)
    arrays = [_random_array(value.type, count, generator) for value in graph.inputs]
    return Samples("random", tuple(arrays), None, None)


def _random_array(type_: TensorType, count: int, generator: np.random.Generator) -> Array:
    shape = (count, *type_.shape)
    if type_.dtype.is_integer:
        low, high = type_.dtype.integer_range
        return generator.integers(low, high, size=shape, endpoint=True, dtype=type_.dtype.numpy)
    return generator.standard_normal(size=shape).astype(type_.dtype.numpy)


def _read_arrays(path: Path) -> dict[str, Array]:
    try:
        with path.open("rb") as stream:
            if not zipfile.is_zipfile(stream):
                raise UsageError(f"{path}: expected a whole .npz archive, got something else")
            stream.seek(0)
            with np.load(stream, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
    except _UNREADABLE as error:
        said = (error.strerror if isinstance(error, OSError) else None) or error
        raise UsageError(f"{path}: cannot read the samples: {said}") from error
    # a member that is no .npy file comes as its bytes
    return {name: array for name, array in arrays.items() if isinstance(array, np.ndarray)}


def _group_arrays(arrays: Mapping[str, Array]) -> dict[str, dict[str, list[Array]]]:
    """Group name -> {"x": arrays by index, "y": arrays by index}; only groups that have inputs."""
    groups: dict[str, dict[str, dict[int, Array]]] = {}
    for name, array in arrays.items():
        if match := _ARRAY_NAME.fullmatch(name):
            kinds = groups.setdefault(match["group"] or "", {"x": {}, "y": {}})
            kinds[match["kind"]][int(match["index"] or 0)] = array
    return {
        group: {kind: [indexed[i] for i in sorted(indexed)] for kind, indexed in kinds.items()}
        for group, kinds in groups.items()
        if kinds["x"]
    }


def _dtypes_match(arrays: Sequence[Array], types: Sequence[TensorType]) -> bool:
    return [array.dtype for array in arrays] == [type_.dtype.numpy for type_ in types]


def _samples(
    path: Path, group: str, kinds: Mapping[str, list[Array]], graph: Graph, labels: Array | None
) -> Samples:
    def shaped(kind: str, values: Sequence[TensorType]) -> tuple[Array, ...]:
        name = f"{kind}_{group}" if group else kind
        arrays = zip(kinds[kind], values, strict=True)
        return tuple(_shaped(path, name, array, type_) for array, type_ in arrays)

    inputs = shaped("x", [value.type for value in graph.inputs])
    outputs = [value.type for value in graph.outputs]
    if len({len(array) for array in inputs}) != 1:
        raise UsageError(f"{path}: the inputs of group {group!r} differ in their number of samples")
    has_expected = _dtypes_match(kinds["y"], outputs)
    expected = shaped("y", outputs) if has_expected else None
    if expected is not None and any(len(array) != len(inputs[0]) for array in expected):
        raise UsageError(f"{path}: group {group!r} has {len(inputs[0])} inputs but other outputs")
    is_labelled = (
        labels is not None
        and group != "random"
        and labels.shape == (len(inputs[0]),)
        and is_classifier(graph)
    )
    return Samples(group, inputs, expected, labels if is_labelled else None)


def _shaped(path: Path, name: str, array: Array, type_: TensorType) -> Array:
    """Give every sample the shape of the model's tensor; a missing batch dimension of 1 is added."""
    sample = array.shape[1:]
    if sample == type_.shape:
        return array
    if array.ndim > 0 and (1, *sample) == type_.shape:
        return array.reshape(len(array), *type_.shape)
    raise UsageError(
        f"{path}: {name} holds samples of shape {list(sample)}, the model wants {list(type_.shape)}"
    )
