"""StreamFrames: what it makes of each operator along time, equal in every bit to the whole window."""

import numpy as np
import pytest
from tinsmith_ir import evaluate_frames, evaluate_graph, parse_graph, print_graph
from tinsmith_ir.testing import random_inputs
from tinsmith_streaming import StreamFrames, Streaming
from windows import assert_streams

CAUSAL = """graph 2 "g" {
  input %x: i8[1,6,1,1]<0.5, 3>
  const %w: i8[1,2,1,1]<0.25, 0> = [5, -7]
  %y: i8[1,6,1,1]<1.0, -2> = conv2d(%x, %w, none) {padding=[2,0,0,0], dilation=[2,1]}
  output %y
}"""

# The frames in front of the window are what the padding was: real zero, the integer 3.
STREAMED = """graph 2 "g" {
  input %x: i8[1,1,1,1]<0.5, 3>
  state %x.past: i8[1,2,1,1]<0.5, 3> = [3, 3] next %x.joined.kept
  const %w: i8[1,2,1,1]<0.25, 0> = [5, -7]
  %x.joined: i8[1,3,1,1]<0.5, 3> = concat(%x.past, %x) {axis=1}
  %x.joined.kept: i8[1,2,1,1]<0.5, 3> = slice(%x.joined) {begin=[0,1,0,0], shape=[1,2,1,1]}
  %y: i8[1,1,1,1]<1.0, -2> = conv2d(%x.joined, %w, none) {dilation=[2,1]}
  output %y
}"""


def test_states_keep_what_windows_read_of_earlier_frames() -> None:
    made = StreamFrames().run(parse_graph(CAUSAL))
    assert print_graph(made) == print_graph(parse_graph(STREAMED))


def test_frames_one_by_one() -> None:
    """By hand: 0.5 * 0.25 * (5 * (x[t-2] - 3) - 7 * (x[t] - 3)) - 2, halves away from zero."""
    made = StreamFrames().run(parse_graph(CAUSAL))
    frames = [[np.full((1, 1, 1, 1), value, np.int8)] for value in (11, 3, 19, 3)]
    assert [int(run["y"].item()) for run in evaluate_frames(made, frames)] == [-9, -2, -11, -2]


NETWORKS = {
    "causal": (CAUSAL, 1),
    "valid": (
        """input %x: i8[1,6,1,1]<0.5, 3>
        const %w: i8[1,3,1,1]<0.25, 0> = [5, -7, 9]
        %y: i8[1,4,1,1]<1.0, -2> = conv2d(%x, %w, none)
        output %y""",
        1,
    ),
    "time on columns, behind a reshape": (
        """input %x: i8[1,7,2]<0.5, 3>
        const %w: i8[2,1,3,2]<0.25, 0> = [5, -7, 9, 1, 2, 3, -4, 5, 6, 7, 8, -9]
        %image: i8[1,1,7,2]<0.5, 3> = reshape(%x) {shape=[1,1,7,2]}
        %z: i8[1,1,7,2]<1.0, -2> = conv2d(%image, %w, none) {padding=[0,0,2,0], activation=relu}
        %y: i8[1,7,2]<1.0, -2> = reshape(%z) {shape=[1,7,2]}
        output %y""",
        1,
    ),
    "features beside time are padded as before": (
        """input %x: i8[1,6,4,1]<0.5, 3>
        const %w: i8[1,3,3,1]<0.25, 0> = [5, -7, 9, 1, 2, 3, -4, 5, 6]
        %y: i8[1,6,4,1]<1.0, -2> = conv2d(%x, %w, none) {padding=[2,0,1,1]}
        output %y""",
        1,
    ),
    "floats": (
        """input %x: f32[1,6,1,2]
        const %w: f32[1,3,1,2] = [0.1, -0.7, 0.9, 1.3, 0.2, -0.3]
        const %b: f32[1] = [0.25]
        %z: f32[1,6,1,2] = tanh(%x)
        %y: f32[1,6,1,1] = conv2d(%z, %w, %b) {padding=[2,0,0,0]}
        output %y""",
        1,
    ),
    "padding of its own": (
        """input %x: i8[1,6,1,1]<0.5, 3>
        const %w: i8[1,3,1,1]<0.25, 0> = [5, -7, 9]
        %p: i8[1,8,1,3]<0.5, 3> = pad(%x) {padding=[0,0,2,0,0,0,1,1], value=7}
        %m: i8[1,8,1,1]<0.5, 3> = reduce_max(%p) {axes=[3], keep_dims=true}
        %y: i8[1,6,1,1]<1.0, -2> = conv2d(%m, %w, none)
        output %y""",
        1,
    ),
    "padding that two layers share": (
        """input %x: i8[1,6,1,1]<0.5, 3>
        const %w: i8[1,2,1,1]<0.25, 0> = [5, -7]
        const %v: i8[1,3,1,1]<0.25, 0> = [50, 70, -90]
        %p: i8[1,9,1,1]<0.5, 3> = pad(%x) {padding=[0,0,3,0,0,0,0,0], value=-20}
        %z: i8[1,8,1,1]<1.0, -2> = conv2d(%p, %w, none)
        %y: i8[1,6,1,1]<8.0, -2> = conv2d(%z, %v, none)
        output %y""",
        1,
    ),
    "residuals of valid layers": (
        """input %x: i8[1,8,1,1]<0.5, 3>
        const %w: i8[1,3,1,1]<0.25, 0> = [5, -7, 9]
        %z: i8[1,6,1,1]<1.0, -2> = conv2d(%x, %w, none)
        %late: i8[1,6,1,1]<0.5, 3> = slice(%x) {begin=[0,2,0,0], shape=[1,6,1,1]}
        %middle: i8[1,6,1,1]<0.5, 3> = slice(%x) {begin=[0,1,0,0], shape=[1,6,1,1]}
        %sum: i8[1,6,1,1]<1.0, 4> = add(%z, %late)
        %y: i8[1,6,1,2]<1.0, 4> = concat(%sum, %middle) {axis=3}
        output %y""",
        1,
    ),
    "strides": (
        """input %x: i8[1,12,1,1]<0.5, 3>
        const %w: i8[1,3,1,1]<0.25, 0> = [5, -7, 9]
        %z: i8[1,6,1,1]<1.0, -2> = conv2d(%x, %w, none) {padding=[1,0,0,0], stride=[2,1]}
        %y: i8[1,2,1,1]<1.0, -2> = max_pool2d(%z) {window=[3,1], stride=[3,1]}
        output %y""",
        6,
    ),
    "strides that leave the newest frames unread": (
        """input %x: i8[1,12,1,1]<0.5, 3>
        const %w: i8[1,3,1,1]<0.25, 0> = [5, -7, 9]
        %y: i8[1,4,1,1]<1.0, -2> = conv2d(%x, %w, none) {padding=[2,0,0,0], stride=[3,1]}
        output %y""",
        3,
    ),
    "strides wider than what they read": (
        """input %x: i8[1,12,1,1]<0.5, 3>
        %y: i8[1,4,1,1]<0.5, 3> = slice(%x) {begin=[0,1,0,0], shape=[1,4,1,1], strides=[1,3,1,1]}
        output %y""",
        3,
    ),
    "a window that is no multiple of the hop": (
        """input %x: i8[1,7,1,1]<0.5, 3>
        const %w: i8[1,2,1,1]<0.25, 0> = [5, -7]
        %y: i8[1,3,1,1]<1.0, -2> = conv2d(%x, %w, none) {stride=[2,1]}
        output %y""",
        2,
    ),
    "pools": (
        """input %x: i8[1,8,1,2]<0.5, 3>
        %m: i8[1,8,1,2]<0.5, 3> = max_pool2d(%x) {window=[3,1], padding=[2,0,0,0]}
        %y: i8[1,7,1,2]<0.5, 3> = average_pool2d(%m) {window=[2,1]}
        output %y""",
        1,
    ),
    "layers that pad one value differently": (
        """input %x: i8[1,8,1,1]<0.5, 3>
        const %w: i8[1,3,1,1]<0.25, 0> = [5, -7, 9]
        %y: i8[1,8,1,1]<1.0, -2> = conv2d(%x, %w, none) {padding=[2,0,0,0]}
        %m: i8[1,8,1,1]<0.5, 3> = max_pool2d(%x) {window=[3,1], padding=[2,0,0,0]}
        output %y
        output %m""",
        1,
    ),
    "depthwise, two layers": (
        """input %x: i8[1,8,1,2]<0.5, 3>
        const %w: i8[1,3,1,2]<0.25, 0> = [5, -7, 9, 11, -13, 15]
        %z: i8[1,8,1,2]<1.0, -2> = depthwise_conv2d(%x, %w, none) {padding=[2,0,0,0]}
        %y: i8[1,8,1,2]<1.0, -2> = depthwise_conv2d(%z, %w, none) {padding=[4,0,0,0], dilation=[2,1]}
        output %y""",
        1,
    ),
    "the last frame alone": (
        """input %x: i8[1,8,1,2]<0.5, 3>
        %z: i8[1,7,1,2]<0.5, 3> = max_pool2d(%x) {window=[2,1]}
        %y: i8[1,1,1,2]<0.5, 3> = slice(%z) {begin=[0,6,0,0], shape=[1,1,1,2]}
        output %y""",
        1,
    ),
    "the first frame alone": (
        """input %x: i8[1,8,1,2]<0.5, 3>
        %y: i8[1,1,1,2]<0.5, 3> = slice(%x) {begin=[0,0,0,0], shape=[1,1,1,2]}
        output %y""",
        1,
    ),
    "the mean of all frames": (
        """input %x: i8[1,8,1,2]<0.5, 3>
        const %w: i8[1,3,1,2]<0.25, 0> = [5, -7, 9, 11, -13, 15]
        %z: i8[1,8,1,2]<1.0, -2> = depthwise_conv2d(%x, %w, none) {padding=[2,0,0,0]}
        %m: i8[1,2]<1.0, -2> = mean(%z) {axes=[1,2]}
        %y: i8[1,2]<0.00390625, -128> = softmax(%m)
        output %y""",
        1,
    ),
    "an average pool of all frames": (
        """input %x: i8[1,8,2,1]<0.5, 3>
        %y: i8[1,1,1,1]<0.5, 3> = average_pool2d(%x) {window=[8,2], stride=[8,2]}
        output %y""",
        1,
    ),
    "layers of all frames": (
        """input %x: i8[1,4,1,2]<0.5, 3>
        const %w: i8[1,6]<0.25, 0> = [5, -7, 9, 11, -13, 15]
        %z: i8[1,3,1,2]<0.5, 3> = max_pool2d(%x) {window=[2,1]}
        %flat: i8[1,6]<0.5, 3> = reshape(%z) {shape=[1,6]}
        %y: i8[1,1]<1.0, -2> = fully_connected(%flat, %w, none)
        %same: i8[1,1]<1.0, -2> = fully_connected(%z, %w, none)
        output %y
        output %same""",
        1,
    ),
    "layers of each frame": (
        """input %x: i8[1,4,2]<0.5, 3>
        const %w: i8[3,2]<0.25, 0> = [5, -7, 9, 11, -13, 15]
        %rows: i8[4,3]<1.0, -2> = fully_connected(%x, %w, none)
        %y: i8[1,4,3]<1.0, -2> = fully_connected(%x, %w, none) {keep_dims=true}
        %likely: i8[1,4,3]<0.00390625, -128> = softmax(%y)
        %index: i32[1,4] = arg_max(%likely) {axis=2}
        output %rows
        output %index""",
        1,
    ),
    "layers of each frame with scales of blocks": (
        """input %x: i8[1,4,4]<0.5, 3>
        const %w: i4[2,4]<0.25, 0> = [5, -7, 3, 1, -8, 7, 2, -1]
        const %m: u8[2,2] = [1, 3, 2, 1]
        %rows: i8[4,2]<1.0, -2> = blockwise_fully_connected(%x, %w, none, %m) {block=2}
        %y: i8[1,4,2]<1.0, -2> = blockwise_fully_connected(%x, %w, none, %m) {block=2, keep_dims=true}
        output %rows
        output %y""",
        1,
    ),
    "other axes in front of time": (
        """input %x: i8[1,5,2,3]<0.5, 3>
        %turned: i8[1,3,5,2]<0.5, 3> = transpose(%x) {permutation=[0,3,1,2]}
        %max: i8[3,5,2]<0.5, 3> = reduce_max(%turned) {axes=[0]}
        %y: i8[3,4,2]<0.5, 3> = slice(%max) {begin=[0,0,0], shape=[3,4,2]}
        output %y""",
        1,
    ),
    "rows of several frames": (
        """input %x: i8[1,6,2]<0.5, 3>
        const %w: i8[1,4]<0.25, 0> = [5, -7, 9, 11]
        %stacked: i8[1,3,4]<0.5, 3> = reshape(%x) {shape=[1,3,4]}
        %y: i8[1,3,1]<1.0, -2> = fully_connected(%stacked, %w, none) {keep_dims=true}
        output %y""",
        2,
    ),
    "constants, and operands of fewer axes": (
        """input %x: i8[1,4,2]<0.5, 3>
        const %c: i8[2]<0.5, 0> = [5, -7]
        const %d: i8[1,1,2]<0.5, 0> = [15, 70]
        %bias: i8[1,1,2]<0.5, 0> = add(%c, %d)
        %y: i8[1,4,2]<0.5, 3> = mul(%x, %bias)
        output %y""",
        1,
    ),
    "two inputs": (
        """input %x: i8[1,4,2]<0.5, 3>
        input %other: i8[1,4,1]<0.25, 0>
        %y: i8[1,4,2]<0.5, 3> = add(%x, %other)
        output %y""",
        1,
    ),
    "16 bits": (
        """input %x: i16[1,6,1,1]<0.5, 0>
        const %w: i8[1,3,1,1]<0.25, 0> = [5, -7, 9]
        %y: i16[1,6,1,1]<1.0, 0> = conv2d(%x, %w, none) {padding=[2,0,0,0]}
        output %y""",
        1,
    ),
    "results that only choose are results": (
        """input %x: i8[1,6,1,1]<0.5, 3>
        %y: i8[1,4,1,1]<0.5, 3> = slice(%x) {begin=[0,2,0,0], shape=[1,4,1,1]}
        output %y
        output %x""",
        1,
    ),
}


def network(text: str) -> str:
    return text if text.startswith("graph") else f'graph 2 "g" {{\n{text}\n}}'


@pytest.mark.parametrize(("text", "hop"), NETWORKS.values(), ids=NETWORKS)
def test_runs_give_what_the_whole_window_gives(text: str, hop: int) -> None:
    graph = parse_graph(network(text))
    facts = StreamFrames().run_in_detail(graph).facts
    assert isinstance(facts, Streaming)
    assert facts.hop == hop
    assert_streams(graph)
    if 2 * hop <= facts.frames and facts.frames % (2 * hop) == 0:
        assert_streams(graph, StreamFrames(hop=2 * hop))


def test_every_window_of_a_longer_sequence_is_right_without_padding() -> None:
    graph = parse_graph(network(NETWORKS["an average pool of all frames"][0]))
    made = StreamFrames().run(graph)
    frames = np.random.default_rng(1).integers(-128, 128, (20, 1, 1, 2, 1)).astype(np.int8)
    runs = [run["y"] for run in evaluate_frames(made, [[frame] for frame in frames])]
    for newest in range(7, 20):
        window = np.concatenate([*frames[newest - 7 : newest + 1]], axis=1)
        np.testing.assert_array_equal(runs[newest], evaluate_graph(graph, [window])["y"])


def test_before_the_window_is_full_frames_of_zero_are_in_front() -> None:
    graph = parse_graph(network(NETWORKS["an average pool of all frames"][0]))
    frames = np.random.default_rng(1).integers(-128, 128, (3, 1, 1, 2, 1)).astype(np.int8)
    runs = [
        run["y"]
        for run in evaluate_frames(StreamFrames().run(graph), [[frame] for frame in frames])
    ]
    zero = np.full((1, 5, 2, 1), 3, np.int8)
    window = np.concatenate([zero, *frames], axis=1)
    np.testing.assert_array_equal(runs[-1], evaluate_graph(graph, [window])["y"])


def test_padding_of_maxima_is_no_frame() -> None:
    """Rows in front of the window are maxima of zeros, not of the least number there is."""
    graph = parse_graph(
        network("""input %x: f32[1,4,1,1]
        %m: f32[1,4,1,1] = max_pool2d(%x) {window=[2,1], padding=[1,0,0,0]}
        %y: f32[1,1] = mean(%m) {axes=[1,2]}
        output %y""")
    )
    made = assert_streams(graph)
    first = evaluate_graph(made, [np.full((1, 1, 1, 1), 8, np.float32)])["y"]
    assert first.item() == 2.0


def test_padded_layers_go_on_as_those_of_a_longer_window() -> None:
    longer = parse_graph(CAUSAL.replace("[1,6,", "[1,15,"))
    inputs = random_inputs(longer, 1)
    frames = np.split(inputs["x"], 15, axis=1)
    runs = evaluate_frames(StreamFrames().run(parse_graph(CAUSAL)), [[frame] for frame in frames])
    rows = np.concatenate([run["y"] for run in runs], axis=1)
    np.testing.assert_array_equal(rows, evaluate_graph(longer, inputs)["y"])


@pytest.mark.parametrize(
    ("name", "hop", "settled"),
    [
        ("causal", 1, 1),
        ("valid", 1, 3),
        ("valid", 2, 2),
        ("the mean of all frames", 1, 8),
        ("a window that is no multiple of the hop", 2, 2),
    ],
)
def test_it_is_said_from_which_run_on_outputs_are_of_a_window(
    name: str, hop: int, settled: int
) -> None:
    made = StreamFrames(hop=hop).run_in_detail(parse_graph(network(NETWORKS[name][0])))
    assert isinstance(made.facts, Streaming)
    assert made.facts.settled == settled
    said = [f"outputs are those of a window from run {settled} on"] if settled > 1 else []
    assert [text.split("; ")[1] for text in made.warnings] == said


def test_layers_that_read_as_far_back_share_a_state() -> None:
    made = StreamFrames().run(
        parse_graph(
            network("""input %x: i8[1,6,1,1]<0.5, 3>
            %low: i8[1,4,1,1]<0.5, 3> = average_pool2d(%x) {window=[3,1]}
            %high: i8[1,4,1,1]<0.5, 3> = max_pool2d(%x) {window=[3,1]}
            output %low
            output %high""")
        )
    )
    assert [state.value.name for state in made.states] == ["x.past"]


def test_axis_may_be_chosen() -> None:
    graph = parse_graph(
        network("""input %x: i8[1,2,5,1]<0.5, 3>
        %y: i8[1,2,4,1]<0.5, 3> = max_pool2d(%x) {window=[1,2]}
        output %y""")
    )
    made = assert_streams(graph, StreamFrames(axis=2))
    assert made.inputs[0].type.shape == (1, 2, 1, 1)
