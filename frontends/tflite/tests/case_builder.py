"""A model of one operator under construction, with random inputs that are the same on every run."""

import zlib
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from tflite_builder import ModelBuilder, tflite
from tinsmith_ir.evaluate import varied_frames
from tinsmith_ir.types import Quantization

Array = NDArray[np.generic]
Shape = tuple[int, ...]
Kind = Literal["INT8", "INT16", "FLOAT32"]
KINDS: tuple[Kind, ...] = ("INT8", "FLOAT32", "INT16")
_LARGEST_VARIED_SIZE = 9
ACTIVATIONS = ("NONE", "RELU", "RELU6", "RELU_N1_TO_1")


def activation_code(name: str) -> int:
    """The schema's number of a fused activation."""
    return int(getattr(tflite.ActivationFunctionType, name))


@dataclass(frozen=True)
class Case:
    """A model, and one array per input of it. runs: of a model with a memory, see `varied_frames`."""

    name: str
    model: bytes
    inputs: tuple[Array, ...]
    runs: int = 1

    @property
    def frames(self) -> list[list[Array]]:
        """The inputs of each run."""
        named = {str(index): array for index, array in enumerate(self.inputs)}
        return [[*frame.values()] for frame in varied_frames(named, self.runs)]


class CaseBuilder:
    """A model of one operator under construction, with its own stream of random numbers.

    is_varied: whether shapes are drawn, too, where a family of golden cases has its own.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_varied = False
        self.random = np.random.RandomState(zlib.crc32(name.encode()))
        self.model = ModelBuilder()
        self.called: list[ModelBuilder] = []
        self.runs = 1
        self._inputs: list[int] = []
        self._arrays: list[Array] = []

    def shape(self, *sizes: int) -> Shape:
        """A shape of these sizes; of a varied model, of as many others."""
        (shape,) = self.shapes(sizes)
        return shape

    def shapes(self, *shapes: Shape) -> tuple[Shape, ...]:
        """Shapes that broadcast to one another; of a varied model, others that do."""
        if not self.is_varied:
            return shapes
        rank = max(len(shape) for shape in shapes)
        sizes = [int(size) for size in self.random.randint(1, _LARGEST_VARIED_SIZE + 1, rank)]
        return tuple(
            tuple(
                1 if size == 1 else new
                for size, new in zip(shape, sizes[rank - len(shape) :], strict=True)
            )
            for shape in shapes
        )

    def scale(self, near: float) -> float:
        """A float32 scale within a factor of two of `near`."""
        return float(np.float32(near * 2.0 ** self.random.uniform(-1, 1)))

    def zero_point(self, kind: Kind) -> int:
        """Any zero point of the kind; 0 for int16, as TFLite demands."""
        return int(self.random.randint(-128, 128)) if kind == "INT8" else 0

    def data(self, shape: Shape, kind: Kind) -> Array:
        """Elements over the whole range of the kind; about -4 to 4 for float32."""
        if kind == "FLOAT32":
            return np.asarray(self.random.standard_normal(shape) * 1.5, np.float32)
        info = np.iinfo(np.int8 if kind == "INT8" else np.int16)
        return self.random.randint(info.min, info.max + 1, shape).astype(info.dtype)

    def input(
        self,
        shape: Shape,
        kind: Kind,
        scale: float = 1.0,
        zero_point: int | None = None,
        *,
        positive: bool = False,
    ) -> int:
        """Add a graph input with random elements; integers get a quantization. positive: of float32."""
        quantization = self.quantization(kind, scale, zero_point)
        index = self.model.tensor(
            f"input{len(self._inputs)}", shape, kind, quantization=quantization
        )
        self._inputs.append(index)
        data = self.data(shape, kind)
        self._arrays.append(np.abs(data.astype(np.float32)) if positive else data)
        return index

    def integers(self, array: Array) -> int:
        """Add a graph input of int32 with these elements."""
        return self.plain(array, "INT32")

    def plain(self, array: Array, type_name: str, quantization: Quantization | None = None) -> int:
        """Add a graph input with these elements, without quantization or with this one."""
        name = f"input{len(self._inputs)}"
        index = self.model.tensor(name, array.shape, type_name, quantization=quantization)
        self._inputs.append(index)
        self._arrays.append(array)
        return index

    def variable(
        self, name: str, shape: Shape, kind: Kind, scale: float = 1.0, zero_point: int | None = None
    ) -> int:
        """Add a variable tensor."""
        quantization = self.quantization(kind, scale, zero_point)
        return self.model.tensor(name, shape, kind, quantization=quantization, IsVariable=1)

    def output(
        self, shape: Shape, kind: Kind, scale: float = 1.0, zero_point: int | None = None
    ) -> int:
        """Add the result."""
        quantization = self.quantization(kind, scale, zero_point)
        return self.model.tensor("result", shape, kind, quantization=quantization)

    def quantization(self, kind: Kind, scale: float, zero_point: int | None) -> Quantization | None:
        """None for float32; a random zero point for None."""
        if kind == "FLOAT32":
            return None
        return Quantization.per_tensor(
            scale, self.zero_point(kind) if zero_point is None else zero_point
        )

    def finish(self, output: int) -> Case:
        """The case."""
        model = self.model.finish(self._inputs, [output], called=self.called)
        return Case(self.name, model, tuple(self._arrays), self.runs)
