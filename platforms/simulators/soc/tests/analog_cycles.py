"""What DIANA's analog accelerator takes: PLiNIO's terms, fitted ones and estimates, written anew here."""

from analog_model import Layer
from digital_cycles import JOB, LOAD, transfer
from digital_model import pad

LINE = 4
_BYTES = 64  # of the configuration, and of an instruction


def set_up_cycles(instructions: int = 2) -> int:
    """instructions: with the one that stops. Three loads, the last of nothing."""
    return JOB + 3 * LOAD + transfer(_BYTES) + transfer(instructions * _BYTES)


def load_cycles(layer: Layer, init: bool = True) -> int:
    """Of weights and scales, be there some or not."""
    packets = pad(layer.outputs) // 16 if init and layer.post.scales else 0
    return 2 * LOAD + (LINE * layer.lines if init else 0) + transfer(32 * packets)


def compute_cycles(layer: Layer) -> int:
    evaluations = layer.output_height * layer.output_width // layer.unroll
    return evaluations * (163 if layer.kernel == (1, 1) else 105)


def job_cycles(layer: Layer, init: bool = True) -> int:
    """Of a job of one instruction."""
    return set_up_cycles() + load_cycles(layer, init) + compute_cycles(layer)
