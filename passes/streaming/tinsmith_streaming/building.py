"""The network of one run: nodes on a few rows, states for the rows before them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from tinsmith_ir.checked import Checked
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.escape import print_name
from tinsmith_ir.evaluate import evaluate_node
from tinsmith_ir.graph import Array, Graph, Location, Node, State, Value
from tinsmith_ir.names import FreshNames
from tinsmith_ir.operators import Concat, Slice

from tinsmith_streaming.survey import Survey
from tinsmith_streaming.tracks import Track, Window


@dataclass(frozen=True, eq=False)
class Stream(Checked):
    """What a run has of a tensor of frames.

    value: the newest rows, oldest first. track: in the whole window. idle: one row, which is what all rows in front of
    the first run count as. lead: how many rows of the whole window lie in front of the first run; all of them are
    `idle`. If negative, so many rows of the first runs belong to no window.
    """

    value: Value
    track: Track
    idle: Array
    lead: int

    @property
    def rows(self) -> int:
        """In each run."""
        return self.value.type.shape[self.track.axis]


class Building:
    """Makes the network that takes `hop` frames in each run, node by node."""

    def __init__(self, graph: Graph, found: Survey, hop: int) -> None:
        self._graph = graph
        self._found = found
        self._hop = hop
        self._runs = -(-found.frames // hop)
        self._fresh = FreshNames(graph.values)
        self._streams: dict[str, Stream] = {}
        self._nodes: list[Node] = []
        self._states: list[State] = []
        # (name, rows kept, what they are at first) -> those rows and the newest ones, as one tensor
        self._joined: dict[tuple[str, int, bytes], Value] = {}
        self._gathered: dict[str, Value] = {}
        self._known = dict(graph.constant_data)

    def graph(self) -> Graph:
        """Raises UnsupportedError where padding and the first frames do not meet."""
        for value in self._graph.inputs:
            self._add_input(value)
        for node in self._graph.nodes:
            reading = self._found.readings.get(node.name)
            if isinstance(reading, Window):
                self._add_rows(node, reading)
            else:
                self._add_whole(node)
        return replace(
            self._graph,
            inputs=tuple(self._now(value) for value in self._graph.inputs),
            outputs=tuple(self._now(value) for value in self._graph.outputs),
            nodes=tuple(self._nodes),
            states=tuple(self._states),
        )

    def _now(self, value: Value) -> Value:
        """What a run has of a value, which is all of it if it is not of frames."""
        stream = self._streams.get(value.name)
        return value if stream is None else stream.value

    def _add_input(self, value: Value) -> None:
        track = self._found.tracks[value.name]
        cut = Value(value.name, track.cut(value.type, self._hop))
        idle = np.full(track.cut(value.type, 1).shape, _zero(value), value.type.dtype.numpy)
        self._streams[value.name] = Stream(cut, track, idle, track.rows - self._runs * self._hop)

    def _add_rows(self, node: Node, window: Window) -> None:
        """A node of some rows, or of the last that the window has of them."""
        streams = {
            value.name: self._streams[value.name]
            for value in node.present_inputs
            if value.name in self._streams
        }
        sources = {name: self._padded(stream, window, node) for name, stream in streams.items()}
        track = self._found.tracks.get(node.name)
        rows = 1 if track is None else self._hop // track.step
        count = window.extent + (rows - 1) * window.stride
        operands = {
            name: self._newest(source, count, -window.ahead(source.track.rows))
            for name, source in sources.items()
        }
        result = node.outputs[0]
        if track is None:
            self._append(node, window.operator_for(1), operands, result)
            return
        made = Value(result.name, track.cut(result.type, rows))
        if window.chooses and not self._graph.is_output(result):
            (made,) = operands.values()
        else:
            self._append(node, window.operator_for(rows), operands, made)
        lead = track.rows - self._runs * rows
        # Rows of the window that see padding alone follow from it; else no window depends on what is in front of it.
        idle = self._idle(node, window, sources if lead > 0 else streams)
        self._streams[node.name] = Stream(made, track, idle, lead)

    def _add_whole(self, node: Node) -> None:
        """A node of constants or of all frames."""
        self._nodes.append(
            node.with_inputs([value and self._whole(value) for value in node.inputs])
        )
        if all(value.name in self._known for value in node.present_inputs):
            results = evaluate_node(node, self._known)
            self._known |= {
                value.name: made for value, made in zip(node.outputs, results, strict=True)
            }

    def _append(
        self, node: Node, operator: object, operands: Mapping[str, Value], result: Value
    ) -> None:
        inputs = tuple(value and operands.get(value.name, value) for value in node.inputs)
        self._nodes.append(replace(node, operator=operator, inputs=inputs, outputs=(result,)))

    def _padded(self, stream: Stream, window: Window, node: Node) -> Stream:
        """The stream as a node sees it, which may take rows in front of the first as something else."""
        if window.fill is None:
            return stream
        idle = np.full_like(stream.idle, window.fill)
        if stream.lead < 0:
            raise UnsupportedError(
                f"stream-frames: expected a window of a multiple of {self._hop} frames, which one run takes, as "
                f"{print_name(node.name)} pads in front of it; got {self._found.frames}"
            )
        if stream.lead > 0 and idle.tobytes() != stream.idle.tobytes():
            raise UnsupportedError(
                f"stream-frames: {print_name(node.name)} pads in front of {print_name(stream.value.name)}, "
                "which is padded with another value; states have one for all rows in front of the first frame"
            )
        return replace(stream, idle=idle)

    def _idle(self, node: Node, window: Window, sources: Mapping[str, Stream]) -> Array:
        """The row that the node makes of rows in front of the first frame."""
        values = dict(self._known)
        types: dict[str, Value] = {}
        for name, source in sources.items():
            track = source.track
            values[name] = np.repeat(source.idle, window.extent, axis=track.axis)
            types[name] = Value(name, track.cut(source.value.type, window.extent))
        result = node.outputs[0]
        shape = (*result.type.shape[: window.axis], 1, *result.type.shape[window.axis + 1 :])
        inputs = tuple(value and types.get(value.name, value) for value in node.inputs)
        one = Value(result.name, result.type.with_shape(shape))
        row = replace(node, operator=window.operator_for(1), inputs=inputs, outputs=(one,))
        return evaluate_node(row, values)[0]

    def _newest(self, stream: Stream, count: int, skipped: int) -> Value:
        """So many rows, in front of the `skipped` newest."""
        kept = max(0, count + skipped - stream.rows)
        joined = self._with_kept(stream, kept) if kept else stream.value
        start = kept + stream.rows - skipped - count
        return self._part(joined, stream.track, start, count, "part")

    def _with_kept(self, stream: Stream, kept: int) -> Value:
        """The newest rows behind so many of earlier runs, which a state keeps."""
        key = stream.value.name, kept, stream.idle.tobytes()
        if key in self._joined:
            return self._joined[key]
        value, track = stream.value, stream.track
        past = Value(self._fresh.name(f"{value.name}.past"), track.cut(value.type, kept))
        both = track.cut(value.type, kept + stream.rows)
        joined = Value(self._fresh.name(f"{value.name}.joined"), both)
        self._nodes.append(
            Node(Concat(axis=track.axis), (past, value), (joined,), self._location(value))
        )
        later = self._part(joined, track, stream.rows, kept, "kept")
        self._states.append(State(past, np.repeat(stream.idle, kept, axis=track.axis), later))
        self._joined[key] = joined
        return joined

    def _part(self, value: Value, track: Track, start: int, count: int, name: str) -> Value:
        shape = value.type.shape
        if shape[track.axis] == count:
            return value
        begin = tuple(start if axis == track.axis else 0 for axis in range(len(shape)))
        type_ = track.cut(value.type, count)
        part = Value(self._fresh.name(f"{value.name}.{name}"), type_)
        node = Node(Slice(begin, type_.shape), (value,), (part,), self._location(value))
        self._nodes.append(node)
        return part

    def _whole(self, value: Value) -> Value:
        """All rows of the window."""
        stream = self._streams.get(value.name)
        if stream is None:
            return value
        if value.name not in self._gathered:
            self._gathered[value.name] = self._newest(stream, stream.track.rows, 0)
        return self._gathered[value.name]

    def _location(self, value: Value) -> Location:
        node = next((node for node in reversed(self._nodes) if value in node.outputs), None)
        return Location() if node is None else node.location


def _zero(value: Value) -> int:
    """What frames count as that came before the first."""
    quantization = value.type.quantization
    return 0 if quantization is None else quantization.zero_point
