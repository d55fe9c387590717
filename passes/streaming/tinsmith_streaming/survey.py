"""What a walk over the whole network finds before anything is built: where time is, and how operators read along it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tinsmith_ir.checked import Checked
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.escape import print_name
from tinsmith_ir.graph import Graph, Node, Value
from tinsmith_ir.printer import print_node

from tinsmith_streaming.rules import reading_of
from tinsmith_streaming.tracks import AllFrames, NotInFramesError, Track, Window, frames_text


@dataclass(frozen=True)
class Survey(Checked):
    """tracks: of the values of frames, by name; what else depends on inputs is of all frames. readings: of the nodes
    that take frames, by the name of the node. frames: of the window.
    """

    tracks: Mapping[str, Track]
    readings: Mapping[str, Window | AllFrames]
    frames: int

    @property
    def hop(self) -> int:
        """The fewest frames of which every value of frames has a whole number of rows."""
        return math.lcm(*(track.step for track in self.tracks.values()))


def survey(graph: Graph, axis: int | None, *, gather: bool) -> Survey:
    """Follow time through a network; see `StreamFrames` for `axis` and `gather`.

    Raises UnsupportedError for a network that has no frames to stream, and, unless `gather`, for the first operator
    that needs others than a frame and earlier ones.
    """
    tracks = _inputs(graph, axis)
    frames = next(iter(tracks.values())).rows
    readings: dict[str, Window | AllFrames] = {}
    constant = {value.value.name for value in graph.constants}
    for node in graph.nodes:
        of_frames = [tracks.get(value.name) if value else None for value in node.inputs]
        if not any(of_frames):
            if all(value.name in constant for value in node.present_inputs):
                constant |= {value.name for value in node.outputs}
            continue
        readings[node.name] = reading = _reading(node, of_frames, constant, frames, gather=gather)
        if isinstance(reading, Window) and reading.rows > 1:
            step = reading.stride * next(track.step for track in of_frames if track)
            tracks[node.name] = Track(reading.axis, reading.rows, step)
    return Survey(tracks, readings, frames)


def _inputs(graph: Graph, axis: int | None) -> dict[str, Track]:
    if graph.states:
        kept = ", ".join(print_name(state.value.name) for state in graph.states)
        raise UnsupportedError(
            "stream-frames: expected a network that takes a whole window at once, got one that streams already: it "
            f"keeps {kept} from run to run"
        )
    tracks = {
        value.name: Track(time, value.type.shape[time], 1) for value, time in _times(graph, axis)
    }
    counts = {track.rows for track in tracks.values()}
    if len(counts) != 1:
        windows = ", ".join(f"{print_name(name)} of {track.rows}" for name, track in tracks.items())
        raise UnsupportedError(
            f"stream-frames: expected inputs of one number of frames, got {windows or 'no inputs'}"
        )
    return tracks


def _times(graph: Graph, axis: int | None) -> Sequence[tuple[Value, int]]:
    """The inputs and the axis along which each has its frames."""
    found: list[tuple[Value, int]] = []
    for value in graph.inputs:
        shape = value.type.shape
        longer = [at for at, size in enumerate(shape) if size > 1]
        chosen = axis if axis is not None else next((at for at in longer if at > 0), None)
        if chosen is None or chosen not in longer:
            option = "" if axis is None else f" at axis {axis}"
            raise UnsupportedError(
                f"stream-frames: expected an input of several frames{option}, got {print_name(value.name)} of shape "
                f"{shape}; the option `axis` says which axis is time"
            )
        found.append((value, chosen))
    return found


def _reading(
    node: Node, tracks: Sequence[Track | None], constant: set[str], frames: int, *, gather: bool
) -> Window | AllFrames:
    try:
        reading = reading_of(node, _known(node, tracks, constant))
        if isinstance(reading, Window):
            _check(reading, next(track for track in tracks if track), frames)
    except NotInFramesError as error:
        if gather:
            return AllFrames()
        raise UnsupportedError(
            f"stream-frames: {node.location}, in\n  {print_node(node)}\n: {error}. With the option gather=yes, the "
            "frames of a window are collected in front of it, and it and what follows are computed anew in each run"
        ) from error
    return reading


def _known(
    node: Node, tracks: Sequence[Track | None], constant: set[str]
) -> Sequence[Track | None]:
    """The tracks; raises NotInFramesError for an operand of all frames beside some of frames."""
    for value, track in zip(node.inputs, tracks, strict=True):
        if value is not None and track is None and value.name not in constant:
            raise NotInFramesError(
                f"{print_name(value.name)} is of all frames of a window, beside single frames"
            )
    return tracks


def _check(window: Window, track: Track, frames: int) -> None:
    """Raise NotInFramesError where a frame does not say enough, or padding is not in front of all frames."""
    ahead = window.ahead(track.rows)
    if ahead > 0:
        raise NotInFramesError(
            f"it looks {frames_text(ahead * track.step)} ahead: the last of its {window.rows} rows reads {ahead} "
            f"behind the {track.rows} of its operand. Causal padding, all of it in front, would not"
        )
    missing = frames - track.rows * track.step
    if window.before > 0 and missing > 0:
        raise NotInFramesError(
            "it pads in front of rows that do not begin with the window: its operand lacks the first "
            f"{frames_text(missing)}, as an operator before it has no padding there"
        )
