"""What was compressed, for the report and for people."""

from tinsmith_lowering import CompressedConstants

from tinsmith_driver.compilation import Compilation
from tinsmith_driver.report_types import CompressionFacts
from tinsmith_driver.table import thousands


def compression_facts(compilation: Compilation) -> CompressionFacts | None:
    """None if all constants are as kernels read them."""
    found = compilation.facts(CompressedConstants)
    if found is None:
        return None
    return {
        "layers": [*found.calls],
        "before": found.bytes_before,
        "after": found.bytes_after,
        "extra": found.extra,
    }


def compression_text(facts: CompressionFacts) -> str:
    """One line."""
    count = len(facts["layers"])
    whose = "a layer" if count == 1 else f"{count} layers"
    return (
        f"the weights of {whose} are compressed: constants take {thousands(facts['after'])} bytes of "
        f"{thousands(facts['before'])}, for {thousands(facts['extra'])} instructions, about"
    )
