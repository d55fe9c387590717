"""Rows that stream, where tensors do not fit whole: what the report and the command say of them."""

from tinsmith_ir.escape import visible
from tinsmith_lowering import StreamPlan

from tinsmith_driver.compilation import Compilation
from tinsmith_driver.report_types import SegmentFacts, StreamFacts
from tinsmith_driver.table import thousands


def stream_facts(compilation: Compilation) -> StreamFacts | None:
    """None if all tensors are whole."""
    plan = compilation.facts(StreamPlan)
    if plan is None or not plan.segments:
        return None
    return {
        "live": plan.live_bytes,
        "extra": round(plan.extra),
        "segments": [
            {
                "layers": [*segment.layers],
                "rows": segment.rows,
                "live": segment.live_bytes,
                "windows": [
                    {"tensor": window.tensor, "lines": window.lines} for window in segment.windows
                ],
                "patched": [call.name for call in segment.patched if not call.is_sum],
            }
            for segment in plan.segments
        ],
    }


def stream_text(facts: StreamFacts) -> str:
    """A line for each segment."""
    return "\n".join(
        f"rows stream through {_layers(segment['layers'])}, {segment['rows']} at a time, "
        f"{len(segment['windows'])} windows, {_patched(segment)}{thousands(segment['live'])} bytes live"
        for segment in facts["segments"]
    )


def _layers(names: list[str]) -> str:
    first, last = visible(names[0]), visible(names[-1])
    return first if len(names) == 1 else f"{len(names)} layers from {first} to {last}"


def _patched(segment: SegmentFacts) -> str:
    count = len(segment["patched"])
    return f"{count} layers in patches, " if count else ""
