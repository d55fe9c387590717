"""What DIANA's digital accelerator takes: MATCH's terms, and the estimates of the chip's file, written anew here."""

from digital_model import LANES, Connected, Convolution, pad

JOB, LOAD, LOADS, COPY = 3, 11, 7, 8
_CONFIGURATION_BYTES = 64
_INSTRUCTION_BYTES = 128


def _rows_inside(layer: Convolution, output_row: int) -> int:
    first = output_row * layer.stride - layer.top
    return sum(0 <= first + y < layer.height for y in range(layer.kernel[0]))


def compute_cycles(layer: Convolution | Connected, strided_block: int = 0) -> int:
    """Of the array alone, for the whole layer, however many jobs it is cut into."""
    if isinstance(layer, Connected):
        return pad(layer.outputs) // LANES * (pad(layer.inputs) // LANES + 20)
    inputs = 1 if layer.depthwise else layer.inputs
    block_end = 23 + (strided_block if layer.stride == 2 else 0)
    column = sum(
        inputs * _rows_inside(layer, row) * (layer.kernel[1] + 2) + block_end
        for row in range(layer.output_height)
    )
    repeats = layer.outputs if layer.depthwise else pad(layer.outputs) // LANES
    return repeats * pad(layer.output_width) // LANES * column


def job_cycles(compute: int, weight_bytes: int, instructions: int = 2) -> int:
    """From a trigger to the end, with `compute` cycles of the array in one instruction and one that stops."""
    moved = [_CONFIGURATION_BYTES, instructions * _INSTRUCTION_BYTES, weight_bytes]
    return JOB + LOADS * LOAD + sum(transfer(size) for size in moved) + compute


def transfer(size: int) -> int:
    return -(-size // 16)


def copy_cycles(size: int) -> int:
    return COPY + transfer(pad(size, 32))
