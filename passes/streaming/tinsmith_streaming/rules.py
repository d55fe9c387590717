"""How each operator reads along time: `reading_of` is a table of them."""

import math
from collections.abc import Sequence
from dataclasses import replace

from tinsmith_ir.graph import Node
from tinsmith_ir.operators import (
    ArgExtremum,
    AveragePool2D,
    BlockwiseFullyConnected,
    Concat,
    Convolution,
    CumSum,
    FullyConnected,
    L2Normalization,
    LogSoftmax,
    MaxPool2D,
    Operator,
    Pad,
    Pool,
    Ranking,
    Reduction,
    Reshape,
    Slice,
    Softmax,
    Trait,
    Transpose,
)
from tinsmith_ir.operators.windows import spatial
from tinsmith_ir.parameters import zero_of
from tinsmith_ir.types import TensorType

from tinsmith_streaming.tracks import AllFrames, NotInFramesError, Track, Window, frames_text

Tracks = Sequence[Track | None]


def reading_of(node: Node, tracks: Tracks) -> Window | AllFrames:
    """How a node of the whole window reads its operands along time.

    tracks: of each operand, None of one that is not of frames but constant; at least one is of frames.
    Raises NotInFramesError for an operator that mixes frames in a way that no run of a few of them has.
    """
    operator = node.operator
    if Trait.ELEMENTWISE in operator.traits:
        return _elementwise(node, tracks)
    if isinstance(operator, Concat):
        return _joined(operator, node, tracks)
    track = tracks[0]
    if track is None or any(tracks[1:]) or len(node.outputs) != 1:
        raise NotInFramesError(f"{operator.title} takes no frames but as its first operand")
    input_, output = node.present_inputs[0].type, node.outputs[0].type
    match operator:
        case Convolution() | Pool():
            return _sliding(operator, node, track)
        case FullyConnected() | BlockwiseFullyConnected():
            return _rows_of_features(operator, node, track)
        case Softmax() | LogSoftmax() | L2Normalization() | Ranking():
            return _beside(operator, track, len(input_.shape) - 1, track.axis)
        case CumSum():
            return _beside(operator, track, operator.axis, track.axis)
        case Reduction():
            return _reduced(operator, track)
        case ArgExtremum():
            return _index(operator, track)
        case Transpose():
            return Window(operator, operator.permutation.index(track.axis), track.rows)
        case Reshape():
            return _reshaped(operator, input_, track)
        case Pad():
            return _padded(operator, output, track)
        case Slice():
            return _sliced(operator, input_, track)
        case _:
            raise NotInFramesError(f"nothing is known of how {operator.title} reads along time")


def _elementwise(node: Node, tracks: Tracks) -> Window:
    """Frame by frame, where all operands have time on the same axis, counted from the last one."""
    rank = len(node.outputs[0].type.shape)
    aligned = _common(
        [
            replace(track, axis=track.axis + rank - len(value.type.shape))
            for value, track in zip(node.inputs, tracks, strict=True)
            if value is not None and track is not None
        ]
    )
    for value, track in zip(node.inputs, tracks, strict=True):
        if value is not None and track is None:
            axis = aligned.axis - rank + len(value.type.shape)
            if axis >= 0 and value.type.shape[axis] != 1:
                raise NotInFramesError("a constant has other elements for each frame of the window")
    return Window(node.operator, aligned.axis, aligned.rows)


def _joined(operator: Concat, node: Node, tracks: Tracks) -> Window:
    """Frame by frame, along another axis."""
    track = _common([track for track in tracks if track is not None])
    if None in tracks:
        raise NotInFramesError("constants are joined with frames")
    return _beside(operator, track, operator.axis, track.axis)


def _common(tracks: Sequence[Track]) -> Track:
    if len(set(tracks)) > 1:
        rates = ", ".join(
            f"{track.rows} rows of {frames_text(track.step)} on axis {track.axis}"
            for track in tracks
        )
        raise NotInFramesError(f"its operands are not of the same frames: {rates}")
    return tracks[0]


def _beside(operator: Operator, track: Track, over: int, axis: int) -> Window:
    """Frame by frame, as the operator goes along axis `over`. axis: of time in the result."""
    if over == track.axis:
        raise NotInFramesError(f"{operator.title} goes along time")
    return Window(operator, axis, track.rows)


def _sliding(operator: Convolution | Pool, node: Node, track: Track) -> Window:
    """Windows over rows or columns; images of a batch are frames, too."""
    input_, output = node.present_inputs[0].type, node.outputs[0].type
    rows = output.shape[track.axis]
    if track.axis == 0:
        return Window(operator, 0, rows)
    if track.axis == 3:
        raise NotInFramesError("time is on the axis of channels, which are summed up")
    at = track.axis - 1
    before = operator.padding[2 * at]
    padding = tuple(0 if side // 2 == at else size for side, size in enumerate(operator.padding))
    if isinstance(operator, Pool):
        size, spread = operator.window[at], 1
    else:
        size, spread = spatial(node.present_inputs[1].type.shape)[at], operator.dilation[at]
    if before and isinstance(operator, AveragePool2D):
        raise NotInFramesError(
            "its padding along time is not counted, so that means are of fewer frames"
        )
    return Window(
        replace(operator, padding=padding),
        track.axis,
        rows,
        extent=(size - 1) * spread + 1,
        stride=operator.stride[at],
        before=before,
        fill=_fill(operator, input_) if before else None,
    )


def _fill(operator: Convolution | Pool, input_: TensorType) -> int | float:
    """What padding counts as."""
    if not isinstance(operator, MaxPool2D):
        return zero_of(input_)
    return input_.dtype.integer_range[0] if input_.dtype.is_integer else -math.inf


def _rows_of_features(
    operator: FullyConnected | BlockwiseFullyConnected, node: Node, track: Track
) -> Window | AllFrames:
    shape = node.present_inputs[0].type.shape
    depth = node.present_inputs[1].type.shape[1]
    if operator.keep_dims:
        return _beside(operator, track, len(shape) - 1, track.axis)
    if math.prod(shape[: track.axis]) == 1 and math.prod(shape[track.axis + 1 :]) == depth:
        return Window(operator, 0, track.rows)
    return AllFrames()


def _reduced(operator: Reduction, track: Track) -> Window | AllFrames:
    if track.axis in operator.axes:
        return AllFrames()
    dropped = 0 if operator.keep_dims else sum(axis < track.axis for axis in operator.axes)
    return Window(operator, track.axis - dropped, track.rows)


def _index(operator: ArgExtremum, track: Track) -> Window | AllFrames:
    if operator.axis == track.axis:
        return AllFrames()
    return Window(operator, track.axis - (operator.axis < track.axis), track.rows)


def _reshaped(operator: Reshape, input_: TensorType, track: Track) -> Window | AllFrames:
    """Time stays an axis, or each row of the result is of some rows of the operand; else it is of all of them."""
    front = math.prod(input_.shape[: track.axis])
    for axis, size in enumerate(operator.shape):
        is_behind = math.prod(operator.shape[:axis]) == front
        if is_behind and size > 1 and track.rows % size == 0:
            grouped = track.rows // size
            return Window(operator, axis, size, extent=grouped, stride=grouped)
    return AllFrames()


def _padded(operator: Pad, output: TensorType, track: Track) -> Window:
    before, behind = operator.padding[2 * track.axis : 2 * track.axis + 2]
    padding = (*operator.padding[: 2 * track.axis], 0, 0, *operator.padding[2 * track.axis + 2 :])
    return Window(
        replace(operator, padding=padding),
        track.axis,
        track.rows + before + behind,
        before=before,
        fill=(zero_of(output) if operator.value is None else operator.value) if before else None,
        chooses=not any(padding),
    )


def _sliced(operator: Slice, input_: TensorType, track: Track) -> Window:
    axis = track.axis
    step = operator.steps[axis]
    if step < 0:
        raise NotInFramesError("frames are read backwards")
    begin = (*operator.begin[:axis], 0, *operator.begin[axis + 1 :])
    others = [size for at, size in enumerate(operator.shape) if at != axis]
    whole = [size for at, size in enumerate(input_.shape) if at != axis]
    return Window(
        replace(operator, begin=begin),
        axis,
        operator.shape[axis],
        stride=step,
        before=-operator.begin[axis],
        chooses=step == 1 and others == whole and min(operator.steps) > 0,
    )
