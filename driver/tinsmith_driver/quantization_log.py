"""What was decided where a network was quantized, in lines of the log."""

from tinsmith_quantization import Quantized

from tinsmith_driver.logs import decisions_are_logged, log_decision, log_detail
from tinsmith_driver.table import thousands


def log_quantization(text: str, sample_count: int, made: Quantized) -> None:
    """Tell what was chosen of a network that a scheme, `text`, makes integers of, and what each tensor loses by it."""
    if not decisions_are_logged():
        return
    losses = made.losses
    ranges = f"ranges of {len(losses.tensors)} tensors from {sample_count} samples"
    log_decision(f"quantize {text}: {ranges}")
    if losses.learning is not None:
        learned, calibrated = losses.learning.learned_db, losses.learning.calibrated_db
        taken = "taken" if losses.learning.is_adopted else "not taken"
        log_decision(
            f"learned ranges: {taken}; SQNR of outputs {learned:.1f} dB, {calibrated:.1f} dB with calibrated ones"
        )
    for channels in made.added:
        log_decision(
            f"split channels of {channels.name}: {channels.given} more given, {channels.read} more read"
        )
    for layer in losses.weights:
        log_decision(
            f"weights of {layer.name}: {layer.bits} bits, {thousands(layer.size_bytes)} bytes, "
            f"SQNR {layer.sqnr_db:.1f} dB"
        )
    for tensor in losses.tensors:
        clipped = f", {tensor.clipped:.2%} clipped" if tensor.clipped else ""
        log_detail(
            f"tensor {tensor.name}: {tensor.dtype} of {tensor.scale:.4g}, zero at {tensor.zero_point}; "
            f"{tensor.low:.4g} to {tensor.high:.4g}{clipped}, SQNR {tensor.sqnr_db:.1f} dB"
        )
