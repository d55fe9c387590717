"""Sample files: `.npz` archives with inputs and, if known, the expected outputs and labels.

Names of the arrays: `x` or `x_GROUP` is an input, first axis the samples; `y` or `y_GROUP` the outputs
that are expected for it; `label` the classes. A model with several inputs has `x0`, `x1` (or
`x0_GROUP`, …) and `y0`, `y1`. A group whose dtype is not the model's is left out: one file may serve
the int8 and the float network. Only where no group has the model's dtypes, those are taken that become them: narrower
floats, integers of the same sign that are narrower, float64, which is rounded, and int64 that int32 holds. Expected
outputs may be such, too. Where there are none of these either, real numbers for a network of integers become the
integers that stand for them, and what is expected of them is left out. Samples of inputs and outputs
that are channels first in the model's file may be so, too; what fits both orders is channels last, with a warning.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from tinsmith_ir import Array, DType, Graph, TensorType, UsageError, Value
from tinsmith_ir.operators import Dequantize, Quantize, Requantize, Reshape, Softmax

from tinsmith_driver.network import Network
from tinsmith_driver.npz import Archive, Header, open_npz

_ARRAY_NAME = re.compile(r"(?P<kind>[xy])(?P<index>\d{0,4})(?:_(?P<group>\w+))?|label", re.ASCII)
# Samples are held as a whole, about four times while they run: what a file may hold beyond its own size.
_EXPANSION_BYTES = 50_000_000

# Name of an array -> its header, for one kind of one group.
_Headers = Mapping[str, Header]
_Shapes = Mapping[str, tuple[int, ...]]
_Elements = np.dtype[np.generic]
# What NumPy makes of Python's numbers, and what models have for it: by rounding, and where all values fit.
_NUMPYS = {("f8", DType.FLOAT32.numpy), ("i8", DType.INT32.numpy)}


@dataclass(frozen=True)
class Samples:
    """Samples of one group, such as "real" or "random"; of a network that keeps states, the frames of one sequence.

    inputs, expected: one array per input or output of the model, first axis the samples; each sample
    has the shape of the model's tensor. expected and labels are None where the file has none. warnings: what a user
    should know of how they were read.
    """

    group: str
    inputs: tuple[Array, ...]
    expected: tuple[Array, ...] | None
    labels: Array | None
    warnings: tuple[str, ...] = ()

    @staticmethod
    def of(group: str, inputs: Sequence[Sequence[Array]]) -> "Samples":
        """Of the arrays of each input, one for each sample."""
        return Samples(group, tuple(np.stack(list(arrays)) for arrays in inputs), None, None)

    def __len__(self) -> int:
        """How many samples."""
        return len(self.inputs[0])

    def first(self, count: int | None) -> "Samples":
        """At most the first `count` samples, all of them for None."""
        return replace(
            self,
            inputs=tuple(array[:count] for array in self.inputs),
            expected=None if self.expected is None else tuple(y[:count] for y in self.expected),
            labels=None if self.labels is None else self.labels[:count],
        )

    def sample(self, index: int) -> tuple[Array, ...]:
        """The inputs of one sample, shaped as the model wants them."""
        return tuple(array[index] for array in self.inputs)

    @property
    def arrays(self) -> dict[str, Array]:
        """The inputs as a sample file calls them."""
        many = len(self.inputs) > 1
        suffix = f"_{self.group}" if self.group else ""
        return {f"x{at if many else ''}{suffix}": array for at, array in enumerate(self.inputs)}

    @property
    def frames(self) -> Iterator[tuple[Array, ...]]:
        """The inputs of one sample after another."""
        return map(self.sample, range(len(self)))

    def packed(self, index: int) -> bytes:
        """The bytes of all inputs of one sample, one after another, as firmware reads them."""
        return b"".join(np.ascontiguousarray(array).tobytes() for array in self.sample(index))


def load_samples(
    path: Path,
    graph: Network,
    most: int | None = None,
    file_shapes: Mapping[str, tuple[int, ...]] | None = None,
) -> list[Samples]:
    """Read every group of `path` that fits the inputs of `graph`, at most the first `most` samples of each.

    file_shapes: inputs and outputs that are channels first in the model's file, see `Model`.
    Nothing else in the file is read. Raises UsageError when the file cannot be read, holds nothing for this
    model or more than memory is meant for, or leaves open which array is which.
    """
    in_file = file_shapes or {}
    with open_npz(path) as archive:
        headers = archive.headers(_ARRAY_NAME)
        wanted = [value.type for value in graph.inputs]
        groups = _group_arrays(path, headers)
        layouts = [
            _layout(path, group, groups[group], graph, most, in_file)
            for group in _fitting({group: kinds["x"] for group, kinds in groups.items()}, wanted)
        ]
        if not layouts:
            inputs = ", ".join(f"{t.dtype.numpy.name}{list(t.shape)}" for t in wanted)
            names = "`x` or `x_GROUP`"
            if len(wanted) > 1:
                names = f"`x0` to `x{len(wanted) - 1}` (or `x0_GROUP`, ...)"
            present = ", ".join(f"{name}: {header}" for name, header in headers.items())
            raise UsageError(
                f"{path}: expected arrays {names} for the inputs {inputs}, got {present or 'none'}"
            )
        _check_size(path, archive.size_bytes, layouts)
        labels = headers.get("label")
        return [_samples(archive, layout, graph, labels, in_file) for layout in layouts]


def is_classifier(graph: Network) -> bool:
    """True if the first output is that of a softmax, so that labels are indices into it."""
    if not isinstance(graph, Graph):
        return False
    node = graph.producers.get(graph.outputs[0].name)
    while node is not None and isinstance(
        node.operator, Quantize | Dequantize | Requantize | Reshape
    ):
        node = graph.producers.get(node.present_inputs[0].name)
    return node is not None and isinstance(node.operator, Softmax)


def random_samples(graph: Network, count: int, seed: int = 0) -> Samples:
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


@dataclass(frozen=True)
class _Layout:
    """Where the samples of a group lie. total: how many the file has; count: how many are wanted of them.

    row_bytes: of one sample, with its expected outputs, in the file or as the model wants it, whichever is more.
    """

    group: str
    inputs: _Headers
    expected: _Headers
    total: int
    count: int
    row_bytes: int

    @property
    def size_bytes(self) -> int:
        """Bytes of the samples that are wanted."""
        return self.count * self.row_bytes


def _group_arrays(path: Path, headers: _Headers) -> dict[str, dict[str, _Headers]]:
    """Group name -> {"x": arrays by index, "y": arrays by index}; only groups that have inputs."""
    groups: dict[str, dict[str, dict[int, str]]] = {}
    for name in headers:
        match = _ARRAY_NAME.fullmatch(name)
        if match is None or match["kind"] is None:
            continue
        kinds = groups.setdefault(match["group"] or "", {"x": {}, "y": {}})
        index = int(match["index"] or 0)
        other = kinds[match["kind"]].setdefault(index, name)
        if other != name:
            raise UsageError(f"{path}: {other} and {name} are the same array, number {index}")
    return {
        group: {kind: _in_order(path, names, headers) for kind, names in kinds.items()}
        for group, kinds in groups.items()
        if kinds["x"]
    }


def _in_order(path: Path, names: Mapping[int, str], headers: _Headers) -> _Headers:
    for expected, index in enumerate(sorted(names)):
        if index != expected:
            raise UsageError(
                f"{path}: {names[index]} is there, but no array with number {expected} before it"
            )
    return {names[index]: headers[names[index]] for index in sorted(names)}


def _fitting(groups: Mapping[str, _Headers], types: Sequence[TensorType]) -> list[str]:
    """The groups whose inputs are of the model's dtypes; those whose inputs become them if there is none."""
    wanted = [type_.dtype.numpy for type_ in types]
    same = [
        group
        for group, headers in groups.items()
        if [header.dtype for header in headers.values()] == wanted
    ]
    become = same or [group for group, headers in groups.items() if _become(headers, types)]
    return become or [group for group, headers in groups.items() if _stand_for(headers, types)]


def _become(headers: _Headers, types: Sequence[TensorType]) -> bool:
    """Whether there are as many arrays as types, and each is, or may be converted to, what its type wants."""
    return len(headers) == len(types) and all(
        _converts(header.dtype, type_.dtype.numpy)
        for header, type_ in zip(headers.values(), types, strict=True)
    )


def _stand_for(headers: _Headers, types: Sequence[TensorType]) -> bool:
    """Whether arrays are real numbers for which the integers of the types stand, and else become what is wanted."""
    return len(headers) == len(types) and all(
        _is_real_for(header.dtype, type_) or _converts(header.dtype, type_.dtype.numpy)
        for header, type_ in zip(headers.values(), types, strict=True)
    )


def _is_real_for(found: _Elements, type_: TensorType) -> bool:
    return found.kind == "f" and type_.dtype.is_integer and type_.quantization is not None


def integers_of(array: Array, type_: TensorType) -> Array:
    """The integers of a type that are nearest to real numbers; the array itself where that has no quantization."""
    if type_.quantization is None or array.dtype.kind != "f":
        return array
    return Quantize(type_.dtype, halves_to_even=True).evaluate([array], [None], [type_])[0]


def _converts(found: _Elements, wanted: _Elements) -> bool:
    """Whether elements may become others of the same kind: where nothing is lost, and where NumPy's own dtypes for
    floats and integers are wider than the model's.
    """
    if found.kind != wanted.kind:
        return False
    is_numpys = (found.kind + str(found.itemsize), wanted) in _NUMPYS
    return is_numpys or np.can_cast(found, wanted, "safe")


def _converted(rows: Array, wanted: _Elements, where: str) -> Array:
    """The same elements; floats are rounded to the nearest. Raises UsageError for those beyond what `wanted` holds.

    where: file and array, for the message.
    """
    if rows.dtype == wanted:
        return rows
    with np.errstate(over="ignore", invalid="ignore"):
        made = rows.astype(wanted)
    is_held = np.isfinite(made) | ~np.isfinite(rows) if wanted.kind == "f" else made == rows
    if not is_held.all():
        value = rows[~is_held].flat[0]
        raise UsageError(
            f"{where}: expected elements that {wanted.name} holds, got {value} as {rows.dtype.name}; "
            "save what the model takes"
        )
    return made


def _layout(
    path: Path,
    group: str,
    kinds: Mapping[str, _Headers],
    graph: Network,
    most: int | None,
    in_file: _Shapes,
) -> _Layout:
    inputs, expected = kinds["x"], kinds["y"]
    _check_shapes(path, inputs, graph.inputs, in_file)
    totals = {header.shape[0] for header in inputs.values()}
    if len(totals) != 1:
        raise UsageError(f"{path}: the inputs of group {group!r} differ in their number of samples")
    (total,) = totals
    outputs = [value.type for value in graph.outputs]
    if any(
        _is_real_for(header.dtype, value.type)
        for header, value in zip(inputs.values(), graph.inputs, strict=True)
    ):
        expected = dict[str, Header]()
    if expected and not _become(expected, outputs):
        wanted = ", ".join(f"{t.dtype.numpy.name}{list(t.shape)}" for t in outputs)
        present = ", ".join(f"{name}: {header}" for name, header in expected.items())
        raise UsageError(
            f"{path}: expected outputs {wanted} for group {group!r}, got {present}; "
            "outputs of another network belong in a group of their own"
        )
    _check_shapes(path, expected, graph.outputs, in_file)
    if any(header.shape[0] != total for header in expected.values()):
        raise UsageError(f"{path}: group {group!r} has {total} inputs but other outputs")
    row_bytes = sum(
        math.prod(header.shape[1:]) * max(header.dtype.itemsize, value.type.dtype.size_bytes)
        for headers, values in ((inputs, graph.inputs), (expected, graph.outputs))
        for header, value in zip(headers.values(), values, strict=bool(headers))
    )
    count = total if most is None else min(total, most)
    return _Layout(group, inputs, expected, total, count, row_bytes)


def _check_shapes(path: Path, headers: _Headers, values: Sequence[Value], in_file: _Shapes) -> None:
    for (name, header), value in zip(headers.items(), values, strict=bool(headers)):
        sample, wanted, first = header.shape[1:], value.type.shape, in_file.get(value.name)
        if not header.shape or not (_fits(sample, wanted) or _fits(sample, first)):
            also = "" if first in (None, wanted) else f" or, as in its file, {list(first)}"
            raise UsageError(
                f"{path}: {name} holds samples of shape {list(sample)}, the model wants {list(wanted)}{also}"
            )


def _fits(sample: tuple[int, ...], wanted: tuple[int, ...] | None) -> bool:
    """Whether samples have that shape, but for a missing batch dimension of 1."""
    return wanted is not None and wanted in (sample, (1, *sample))


def _warnings(headers: _Headers, values: Sequence[Value], in_file: _Shapes) -> Iterator[str]:
    """Of each array whose samples are an image in either order of axes: channels as many as rows and columns."""
    for name, value in zip(headers, values, strict=bool(headers)):
        shape = value.type.shape
        if shape == in_file.get(value.name) and shape[-1] > 1:
            last, first = _axes(shape, "{}, C"), _axes(shape, "C, {}")
            yield (
                f"{name} holds samples for {value.name}, {list(shape)}, which may be {last} or {first}: they are read "
                f"as {last}, channels last; if they are {first}, as in the model's file, give --as-in-file, which "
                "keeps that order for the model and all samples"
            )


def _axes(shape: tuple[int, ...], order: str) -> str:
    """As in (N, H, W, C). order: of the axes behind the batch, where {} stands for all but the channels."""
    between = "DHW"[-(len(shape) - 2) :]
    return f"(N, {order.format(', '.join(between))})"


def _turned(rows: Array, wanted: tuple[int, ...], in_file: tuple[int, ...] | None) -> Array:
    """Samples as the model wants them, which may be channels first, (N, C, ...), as in its file."""
    if _fits(rows.shape[1:], wanted) or in_file is None:
        return rows.reshape(len(rows), *wanted)
    return np.ascontiguousarray(np.moveaxis(rows.reshape(len(rows), *in_file), 2, -1))


def _check_size(path: Path, file_bytes: int, layouts: Sequence[_Layout]) -> None:
    wanted = sum(layout.size_bytes for layout in layouts)
    limit = file_bytes + _EXPANSION_BYTES
    if wanted > limit:
        raise UsageError(
            f"{path}: {file_bytes:,} bytes that hold {wanted:,} bytes of samples, more than {limit:,}; "
            "ask for fewer by --samples"
        )


def _samples(
    archive: Archive, layout: _Layout, graph: Network, labels: Header | None, in_file: _Shapes
) -> Samples:
    def array(name: str, value: Value) -> Array:
        found = integers_of(archive.rows(name, layout.count), value.type)
        rows = _converted(found, value.type.dtype.numpy, f"{archive.path}: {name}")
        return _turned(rows, value.type.shape, in_file.get(value.name))

    def arrays(headers: _Headers, values: Sequence[Value]) -> tuple[Array, ...]:
        return tuple(array(name, value) for name, value in zip(headers, values, strict=True))

    is_labelled = (
        labels is not None
        and labels.dtype.kind in "iuf"
        and layout.group != "random"
        and labels.shape == (layout.total,)
        and is_classifier(graph)
    )
    return Samples(
        layout.group,
        arrays(layout.inputs, graph.inputs),
        arrays(layout.expected, graph.outputs) if layout.expected else None,
        archive.rows("label", layout.count) if is_labelled else None,
        (
            *_warnings(layout.inputs, graph.inputs, in_file),
            *_warnings(layout.expected, graph.outputs, in_file),
        ),
    )
