"""Between dense tensors and rows, by the core: what the digital accelerator reads and what it leaves, turned."""

from functools import partial

from tinsmith_ir import TensorType
from tinsmith_ir.operators import Reshape
from tinsmith_lowering import Cost, Emission, Kernel, Layer, Layouts, Scope

from tinsmith_diana.rules import ROWS, board_has_array, plane_kernel

TO_ROWS, FROM_ROWS = "tinsmith_diana_to_rows", "tinsmith_diana_from_rows"

# Cycles, measured on the simulator: of a call, of a row of a plane, of four bytes of several channels, or of one.
_CALL_CYCLES, _ROW_CYCLES, _WORD_CYCLES, _SWAPPED_CYCLES = 30, 25, 9, 5
_WORD_BYTES = 4


def has_rows(layer: Layer) -> str | None:
    """The tensor is one image or one vector, whose shape stays as it is."""
    shape = layer.output.shape
    if layer.input(0).shape != shape:
        return f"the shape {layer.input(0).shape} becomes {shape}"
    is_known = len(shape) == 1 or (len(shape) in (2, 4) and shape[0] == 1)
    return None if is_known else f"it has shape {shape}"


def is_image(layer: Layer) -> str | None:
    """The tensor is one image, whose shape stays as it is."""
    shape = layer.output.shape
    if layer.input(0).shape != shape:
        return f"the shape {layer.input(0).shape} becomes {shape}"
    return None if len(shape) == 4 and shape[0] == 1 else f"it has shape {shape}"


def is_computed(layer: Layer) -> str | None:
    """The tensor is computed at run time."""
    return None if layer.constant(0) is None else "it is a constant"


def image_of(type_: TensorType) -> tuple[int, int, int]:
    """Height, width and channels; of a vector, those of its one row."""
    if len(type_.shape) == 4:
        return type_.shape[1], type_.shape[2], type_.shape[3]
    return 1, type_.shape[-1], 1


def emit(layer: Layer, scope: Scope, *, name: str) -> Emission:
    """One call."""
    height, width, channels = image_of(layer.output)
    numbers = f"{height}u, {width}u, {channels}u"
    return Emission((f"  {name}({scope.input(0)}, {numbers}, {scope.output});",))


def cost(layer: Layer) -> Cost:
    """Cycles of the core, all in its memory; the same both ways."""
    height, width, channels = image_of(layer.output)
    words = -(-width // _WORD_BYTES)
    of_word = _SWAPPED_CYCLES if channels == 1 else _WORD_CYCLES
    return Cost(_CALL_CYCLES + channels * height * (_ROW_CYCLES + words * of_word))


def layouts(layer: Layer, *, operand: str = "", result: str = "") -> Layouts:
    """From one to the other; "" is dense."""
    del layer
    return Layouts((operand,), (result,))


def kernels() -> tuple[Kernel, ...]:
    """One for each way."""
    kernel = partial(
        plane_kernel,
        operator=Reshape,
        rules=(board_has_array, is_computed, has_rows),
        cost=cost,
    )
    return (
        kernel(
            name=TO_ROWS, emit=partial(emit, name=TO_ROWS), layouts=partial(layouts, result=ROWS)
        ),
        kernel(
            name=FROM_ROWS,
            emit=partial(emit, name=FROM_ROWS),
            layouts=partial(layouts, operand=ROWS),
        ),
    )
