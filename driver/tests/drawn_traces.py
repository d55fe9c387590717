"""Traces as the simulator writes them, made from a few spans."""

import json
from collections.abc import Sequence

Span = tuple[str, int, int]
"""Name, first cycle, cycles."""


def trace(**tracks: Sequence[Span]) -> bytes:
    """Tracks by name, underscores for blanks."""
    events: list[dict[str, object]] = []
    for number, (name, spans) in enumerate(tracks.items()):
        title: dict[str, object] = {"name": name.replace("_", " ")}
        events.append({"ph": "M", "tid": number, "name": "thread_name", "args": title})
        for span, begin, cycles in spans:
            events.append({"ph": "X", "tid": number, "name": span, "ts": begin, "dur": cycles})
    return json.dumps({"traceEvents": events}).encode()
