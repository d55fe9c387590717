"""StreamFrames: what it refuses, with the node and the number of frames, and what it gathers instead."""

import pytest
from tinsmith_ir import UnsupportedError, parse_graph
from tinsmith_streaming import StreamFrames
from windows import assert_streams

REFUSED = {
    "symmetric padding": (
        "%y: i8[1,6,1,1]<1.0, -2> = conv2d(%x, %w, none) {padding=[1,1,0,0]}",
        "conv2d.*: it looks 1 frame ahead: the last of its 6 rows reads 1 behind the 6 of its operand",
    ),
    "padding behind, in frames of the input": (
        "%z: i8[1,3,1,1]<0.5, 3> = max_pool2d(%x) {window=[2,1], stride=[2,1]}\n"
        "%y: i8[1,3,1,1]<1.0, -2> = conv2d(%z, %w, none) {padding=[0,2,0,0]}",
        "%y: .*: it looks 4 frames ahead: the last of its 3 rows reads 2 behind the 3",
    ),
    "padding of its own behind": (
        "%y: i8[1,7,1,1]<0.5, 3> = pad(%x) {padding=[0,0,0,1,0,0,0,0]}",
        "pad.*: it looks 1 frame ahead",
    ),
    "padding behind a layer without": (
        "%z: i8[1,4,1,1]<1.0, -2> = conv2d(%x, %w, none)\n"
        "%y: i8[1,4,1,1]<1.0, -2> = conv2d(%z, %w, none) {padding=[2,0,0,0]}",
        "%y: .*: it pads in front of rows that do not begin with the window: its operand lacks the first 2 frames",
    ),
    "means of fewer frames": (
        "%y: i8[1,6,1,1]<0.5, 3> = average_pool2d(%x) {window=[2,1], padding=[1,0,0,0]}",
        "its padding along time is not counted",
    ),
    "rows of other frames": (
        "%older: i8[1,4,1,1]<0.5, 3> = slice(%x) {begin=[0,0,0,0], shape=[1,4,1,1], strides=[1,1,1,1]}\n"
        "%rare: i8[1,3,1,1]<0.5, 3> = slice(%x) {begin=[0,0,0,0], shape=[1,3,1,1], strides=[1,2,1,1]}\n"
        "%z: i8[1,3,1,1]<0.5, 3> = max_pool2d(%older) {window=[2,1]}\n"
        "%y: i8[1,3,1,1]<0.5, 3> = add(%rare, %z)",
        "its operands are not of the same frames: 3 rows of 2 frames on axis 1, 3 rows of 1 frame on axis 1",
    ),
    "a whole beside frames": (
        "%m: i8[1,1,1,1]<0.5, 3> = mean(%x) {axes=[1], keep_dims=true}\n"
        "%y: i8[1,6,1,1]<0.5, 3> = sub(%x, %m)",
        "%m is of all frames of a window, beside single frames",
    ),
    "a constant for each frame": (
        "const %c: i8[1,6,1,1]<0.5, 0> = [1, 2, 3, 4, 5, 6]\n%y: i8[1,6,1,1]<0.5, 3> = add(%x, %c)",
        "a constant has other elements for each frame",
    ),
    "frames joined along time": (
        "%y: i8[1,12,1,1]<0.5, 3> = concat(%x, %x) {axis=1}",
        "concat goes along time",
    ),
    "softmax over time": (
        "%t: i8[1,1,1,6]<0.5, 3> = transpose(%x) {permutation=[0,2,3,1]}\n"
        "%y: i8[1,1,1,6]<0.00390625, -128> = softmax(%t)",
        "softmax goes along time",
    ),
    "backwards": (
        "%y: i8[1,6,1,1]<0.5, 3> = slice(%x) {begin=[0,5,0,0], shape=[1,6,1,1], strides=[1,-1,1,1]}",
        "frames are read backwards",
    ),
    "an operator that mixes": (
        "%y: i8[1,12,1,1]<0.5, 3> = resize_bilinear(%x) {size=[12,1]}",
        "nothing is known of how resize_bilinear reads along time",
    ),
    "products of frames": (
        "%y: i8[1,6,1,1]<1.0, 0> = batch_matmul(%x, %x)",
        "batch_matmul takes no frames but as its first operand",
    ),
    "time on channels": (
        "%t: i8[1,1,1,6]<0.5, 3> = transpose(%x) {permutation=[0,2,3,1]}\n"
        "const %v: i8[1,1,1,6]<0.25, 0> = [1, 2, 3, 4, 5, 6]\n"
        "%y: i8[1,1,1,1]<1.0, 0> = conv2d(%t, %v, none)",
        "time is on the axis of channels",
    ),
}


def network(body: str) -> str:
    return f"""graph 2 "g" {{
      input %x: i8[1,6,1,1]<0.5, 3>
      const %w: i8[1,3,1,1]<0.25, 0> = [5, -7, 9]
      {body}
      output %y
    }}"""


@pytest.mark.parametrize(("body", "message"), REFUSED.values(), ids=REFUSED)
def test_refusals_say_where_and_why(body: str, message: str) -> None:
    with pytest.raises(UnsupportedError, match=f"(?s)stream-frames: .*{message}"):
        StreamFrames().run(parse_graph(network(body)))


@pytest.mark.parametrize("body", [body for body, _ in REFUSED.values()], ids=REFUSED)
def test_what_is_refused_can_be_gathered(body: str) -> None:
    assert_streams(parse_graph(network(body)), StreamFrames(gather=True))


def test_strides_say_which_hops_there_are() -> None:
    graph = parse_graph(
        network("%y: i8[1,3,1,1]<0.5, 3> = max_pool2d(%x) {window=[2,1], stride=[2,1]}")
    )
    for hop in (0, 3, 8):
        with pytest.raises(UnsupportedError, match=f"hop of 2 frames or a multiple.*; got {hop}"):
            StreamFrames(hop=hop).run(graph)


def test_padding_needs_a_window_of_whole_runs() -> None:
    text = network(
        "%y: i8[1,3,1,1]<1.0, -2> = conv2d(%x, %w, none) {padding=[1,0,0,0], stride=[2,1]}"
    )
    graph = parse_graph(text.replace("[1,6,", "[1,7,").replace("padding=[1", "padding=[0"))
    assert_streams(graph)
    padded = parse_graph(
        text.replace("%y: i8[1,3,", "%y: i8[1,4,")
        .replace("[1,6,", "[1,7,")
        .replace("padding=[1", "padding=[2")
    )
    with pytest.raises(
        UnsupportedError, match=r"a multiple of 2 frames.* as %y pads in front.*got 7"
    ):
        StreamFrames().run(padded)


def test_two_paddings_of_different_values_are_refused() -> None:
    body = """%p: i8[1,8,1,1]<0.5, 3> = pad(%x) {padding=[0,0,2,0,0,0,0,0], value=9}
    %y: i8[1,8,1,1]<1.0, -2> = conv2d(%p, %w, none) {padding=[2,0,0,0]}"""
    with pytest.raises(UnsupportedError, match=r"%y pads in front of .* padded with another value"):
        StreamFrames().run(parse_graph(network(body)))
    assert_streams(parse_graph(network(body.replace("value=9", "value=3"))))


@pytest.mark.parametrize("axis", [0, 2, 4])
def test_axis_is_one_of_several_frames(axis: int) -> None:
    graph = parse_graph(network("%y: i8[1,6,1,1]<0.5, 3> = relu(%x)"))
    with pytest.raises(UnsupportedError, match=f"several frames at axis {axis}, got %x"):
        StreamFrames(axis=axis).run(graph)


def test_one_frame_is_no_window() -> None:
    graph = parse_graph('graph 2 "g" { input %x: f32[4,1] %y: f32[4,1] = relu(%x) output %y }')
    with pytest.raises(UnsupportedError, match="expected an input of several frames, got %x"):
        StreamFrames().run(graph)


def test_inputs_have_one_number_of_frames() -> None:
    text = """graph 2 "g" {
      input %x: f32[1,4]
      input %z: f32[1,3]
      %y: f32[1,4] = relu(%x)
      %w: f32[1,3] = relu(%z)
      output %y
      output %w
    }"""
    with pytest.raises(UnsupportedError, match="one number of frames, got %x of 4, %z of 3"):
        StreamFrames().run(parse_graph(text))


def test_streams_are_not_streamed_again() -> None:
    graph = parse_graph(network("%y: i8[1,4,1,1]<1.0, -2> = conv2d(%x, %w, none)"))
    with pytest.raises(
        UnsupportedError, match=r"streams already: it keeps %x\.past from run to run"
    ):
        StreamFrames().run(StreamFrames().run(graph))
