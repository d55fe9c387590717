"""Traces of runs: what is on their tracks, and layers by their names."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from tinsmith_ir.escape import visible

_STAGE = re.compile(r"stage ([1-9][0-9]*)")
_TRACK = "stages"
LAYERS = "layers"
"""The track of named layers."""

_FIRST = -1  # of what a track is sorted by: the cores begin with 0


class _Event(TypedDict):
    """args: of what names a track. ts, dur: of what took time, in cycles."""

    name: str
    ph: str
    tid: int
    ts: int
    dur: int
    args: Mapping[str, str]


@dataclass(frozen=True)
class Span:
    """From cycle `begin` to `end`."""

    name: str
    begin: int
    end: int


def tracks_of(trace: bytes) -> dict[str, list[Span]]:
    """What took time in a trace of Chrome's JSON format, by name of track, in order of beginnings."""
    content: Mapping[str, list[_Event]] = json.loads(trace)
    events = content["traceEvents"]
    names = {
        event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"
    }
    found: dict[str, list[Span]] = {name: [] for name in names.values()}
    for event in events:
        if event["ph"] == "X":
            span = Span(event["name"], event["ts"], event["ts"] + event["dur"])
            found[names[event["tid"]]].append(span)
    return {name: sorted(spans, key=lambda span: span.begin) for name, spans in found.items()}


def with_layer_names(trace: bytes, names: Sequence[str]) -> bytes:
    """A trace of Chrome's JSON format whose `stage N` on the track `stages` are called as layer N - 1 is, on a track in
    front of the others; as it was, where it has no such track.
    """
    content: Mapping[str, list[dict[str, object]]] = json.loads(trace)
    events = content["traceEvents"]
    track = next((e["tid"] for e in events if e.get("args") == {"name": _TRACK}), None)
    if track is None:
        return trace
    named = (_named(event, names) if event.get("tid") == track else event for event in events)
    lines = ",\n".join(json.dumps(event) for event in named)
    return f'{{"traceEvents": [\n{lines}\n]}}\n'.encode()


def _named(event: dict[str, object], names: Sequence[str]) -> dict[str, object]:
    name = str(event["name"])
    if name == "thread_name":
        return event | {"args": {"name": LAYERS}}
    if name == "thread_sort_index":
        return event | {"args": {"sort_index": _FIRST}}
    match = _STAGE.fullmatch(name)
    number = 0 if match is None else int(match[1])
    return event | {"name": visible(names[number - 1])} if 0 < number <= len(names) else event
