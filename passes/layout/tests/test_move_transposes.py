"""MoveTransposes: what operators bear, what they do not, and where a transpose goes that has to be."""

import pytest
from channels_first import ChannelsFirst
from tinsmith_ir.graph import Graph
from tinsmith_ir.operators import Slice, Transpose
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.printer import print_graph
from tinsmith_ir.testing import assert_rewrites, assert_same_bits, random_graph
from tinsmith_layout import MoveTransposes
from tinsmith_layout.answers import Answers
from tinsmith_layout.layouts import Layouts
from tinsmith_layout.network import Network
from tinsmith_layout.rebuild import rebuilt


def graph(*lines: str) -> str:
    body = "\n".join(lines)
    return f'graph 2 "g" {{\n{body}\noutput %y\n}}'


def moved(*lines: str) -> Graph:
    """What the pass makes, which computes the same and is left alone from then on."""
    before = parse_graph(graph(*lines))
    after = MoveTransposes().run(before)
    assert_same_bits(before, after)
    assert MoveTransposes().run(after) is after
    return after


def mnemonics(made: Graph) -> list[str]:
    return [node.operator.mnemonic for node in made.nodes]


def text_of(made: Graph, mnemonic: str) -> str:
    """The line of the only node of a kind."""
    (line,) = [line for line in print_graph(made).splitlines() if f" = {mnemonic}(" in line]
    return line.strip()


X = "input %x: f32[2,4,5,3]"
FIRST = "%a: f32[2,3,4,5] = transpose(%x) {permutation=[0,3,1,2]}"


def last(name: str, shape: str, result: str = "y") -> str:
    """A result as channels last."""
    n, c, h, w = shape.split(",")
    return f"%{result}: f32[{n},{h},{w},{c}] = transpose(%{name}) {{permutation=[0,2,3,1]}}"


def test_two_that_cancel_are_gone() -> None:
    assert_rewrites(
        MoveTransposes(),
        graph(X, FIRST, "%b: f32[2,3,4,5] = relu(%a)", last("b", "2,3,4,5")),
        graph(X, "%y: f32[2,4,5,3] = relu(%x)"),
    )


def test_what_stands_alone_is_a_reshape_if_all_axes_between_have_length_one() -> None:
    assert_rewrites(
        MoveTransposes(),
        graph(
            "input %x: f32[1,4,1,3]",
            "%y: f32[4,1,3,1] = transpose(%x) {permutation=[1,0,3,2]}",
        ),
        graph("input %x: f32[1,4,1,3]", "%y: f32[4,1,3,1] = reshape(%x) {shape=[4,1,3,1]}"),
    )


def test_places_may_be_one_axis_between() -> None:
    """(N, H, W, C) to (N, C, H W) and back to (N, H W, C) moves nothing."""
    assert_rewrites(
        MoveTransposes(),
        graph(
            X,
            FIRST,
            "%b: f32[2,3,20] = reshape(%a) {shape=[2,3,20]}",
            "%y: f32[2,20,3] = transpose(%b) {permutation=[0,2,1]}",
        ),
        graph(X, "%y: f32[2,20,3] = reshape(%x) {shape=[2,20,3]}"),
    )


OPERANDS = {
    "a scalar": ("const %c: f32[] = [2.0]", "mul(%a, %c)"),
    "one number of lower rank": ("const %c: f32[1,1] = [2.0]", "mul(%c, %a)"),
    "a number for each channel": ("const %c: f32[3,1,1] = [2.0, 3.0, 4.0]", "mul(%a, %c)"),
    "with the batch": ("const %c: f32[1,3,1,1] = [2.0, 3.0, 4.0]", "sub(%c, %a)"),
    "a number for each column": (
        "const %c: f32[5] = [1.0, 2.0, 3.0, 4.0, 5.0]",
        "squared_difference(%a, %c)",
    ),
    "slopes": ("const %c: f32[3,1,1] = [0.5, -1.0, 2.0]", "prelu(%a, %c)"),
    "itself": ("const %c: f32[] = [2.0]", "maximum(%a, %a)"),
    "a choice": ("const %c: bool[3,1,1] = [true, false, true]", "select(%c, %a, %a)"),
}


@pytest.mark.parametrize("case", OPERANDS)
def test_other_operands_follow(case: str) -> None:
    constant, text = OPERANDS[case]
    made = moved(X, constant, FIRST, f"%b: f32[2,3,4,5] = {text}", last("b", "2,3,4,5"))
    assert mnemonics(made) == [text.split("(")[0]]


OPERATORS = {
    "pad": (
        "%b: f32[2,3,5,7] = pad(%a) {padding=[0,0,0,0,1,0,0,2], value=1.0}",
        "2,3,5,7",
        "padding=[0,0,1,0,0,2,0,0]",
    ),
    "slice": (
        "%b: f32[2,2,4,2] = slice(%a) {begin=[0,2,0,1], shape=[2,2,4,2], strides=[1,-1,1,3]}",
        "2,2,4,2",
        "begin=[0,0,1,2], shape=[2,4,2,2], strides=[1,1,3,-1]",
    ),
    "concat": ("%b: f32[2,6,4,5] = concat(%a, %a) {axis=1}", "2,6,4,5", "axis=3"),
    "cumsum": ("%b: f32[2,3,4,5] = cumsum(%a) {axis=2, reverse=true}", "2,3,4,5", "axis=1"),
    "reduce_max": (
        "%b: f32[2,1,4,1] = reduce_max(%a) {axes=[1,3], keep_dims=true}",
        "2,1,4,1",
        None,
    ),
    "mean": ("%b: f32[2,3,1,1] = mean(%a) {axes=[2,3], keep_dims=true}", "2,3,1,1", "axes=[1,2]"),
    "broadcast": ("%b: f32[2,3,4,5] = broadcast(%a) {shape=[2,3,4,5]}", "2,3,4,5", None),
    "gather": ("%b: f32[2,3,4,2] = gather(%a, %at) {axis=3}", "2,3,4,2", "axis=2"),
}


@pytest.mark.parametrize("mnemonic", OPERATORS)
def test_attributes_follow_their_axes(mnemonic: str) -> None:
    line, shape, said = OPERATORS[mnemonic]
    indices = "const %at: i32[2] = [3, 0]"
    made = moved(X, indices, FIRST, line, last("b", shape))
    if mnemonic == "reduce_max":  # two state of different signs may change places
        assert mnemonics(made) == ["transpose", "reduce_max", "reshape"]
        return
    assert mnemonics(made)[-1] in (mnemonic, "reshape")
    assert "transpose" not in mnemonics(made)
    assert said is None or said in text_of(made, mnemonic)


def test_reduced_axes_go_and_the_others_keep_theirs() -> None:
    assert_rewrites(
        MoveTransposes(),
        graph(X, FIRST, "%y: f32[2,3] = mean(%a) {axes=[2,3]}"),
        graph(X, "%y: f32[2,3] = mean(%x) {axes=[1,2]}"),
    )


def test_an_index_along_an_axis_is_found_wherever_that_is() -> None:
    made = moved(X, FIRST, "%y: i32[2,4,5] = arg_max(%a) {axis=1}")
    assert mnemonics(made) == ["arg_max"]
    assert "axis=3" in text_of(made, "arg_max")


def test_rows_are_of_the_last_axis() -> None:
    made = moved(
        X,
        "%a: f32[5,4,2,3] = transpose(%x) {permutation=[2,1,0,3]}",
        "%b: f32[5,4,2,3] = softmax(%a)",
        "%y: f32[2,4,5,3] = transpose(%b) {permutation=[2,1,0,3]}",
    )
    assert mnemonics(made) == ["softmax"]


@pytest.mark.parametrize(
    "norm", ["layer_norm(%b, none, %c)", "layer_norm(%b, %c, %c)", "rms_norm(%b, %c)"]
)
def test_rows_of_a_norm_are_in_any_order(norm: str) -> None:
    """Patches of an image as rows, and back."""
    made = moved(
        "input %x: f32[1,4,6,3]",
        "const %c: f32[3] = [1.0, 2.0, 3.0]",
        "%r: f32[2,2,3,2,3] = reshape(%x) {shape=[2,2,3,2,3]}",
        "%a: f32[2,3,2,2,3] = transpose(%r) {permutation=[0,2,1,3,4]}",
        "%b: f32[6,4,3] = reshape(%a) {shape=[6,4,3]}",
        f"%n: f32[6,4,3] = {norm}",
        "%d: f32[2,3,2,2,3] = reshape(%n) {shape=[2,3,2,2,3]}",
        "%e: f32[2,2,3,2,3] = transpose(%d) {permutation=[0,2,1,3,4]}",
        "%y: f32[1,4,6,3] = reshape(%e) {shape=[1,4,6,3]}",
    )
    assert "transpose" not in mnemonics(made)


def test_a_product_exchanges_rows_and_columns_itself() -> None:
    made = moved(
        "input %x: f32[2,3,4]",
        "%a: f32[2,4,3] = transpose(%x) {permutation=[0,2,1]}",
        "%y: f32[2,3,3] = batch_matmul(%x, %a)",
    )
    assert text_of(made, "batch_matmul") == (
        "%y: f32[2,3,3] = batch_matmul(%x, %x) {transpose_rhs=true}"
    )
    assert mnemonics(made) == ["batch_matmul"]


def test_matrices_of_a_batch_may_be_in_another_order() -> None:
    made = moved(
        "input %x: f32[2,3,4,5]",
        "input %z: f32[5,4]",
        "%a: f32[3,2,4,5] = transpose(%x) {permutation=[1,0,2,3]}",
        "%b: f32[3,2,4,4] = batch_matmul(%a, %z)",
        "%y: f32[2,3,4,4] = transpose(%b) {permutation=[1,0,2,3]}",
    )
    assert mnemonics(made) == ["batch_matmul"]


def test_integers_are_cast_quantized_and_compared_where_they_lie() -> None:
    made = moved(
        X,
        FIRST,
        "%q: i8[2,3,4,5]<0.5, 3> = quantize(%a)",
        "%r: i8[2,3,4,5]<0.25, -3> = requantize(%q)",
        "%d: f32[2,3,4,5] = dequantize(%r)",
        "%c: bool[2,3,4,5] = compare(%d, %a) {relation=less}",
        "%i: i32[2,3,4,5] = cast(%c) {dtype=i32}",
        "%y: i32[2,4,5,3] = transpose(%i) {permutation=[0,2,3,1]}",
    )
    assert "transpose" not in mnemonics(made)


def test_a_transpose_of_bytes_is_preferred_to_one_of_floats() -> None:
    made = moved(
        X,
        FIRST,
        "%q: i8[2,3,4,5]<0.5, 3> = quantize(%a)",
        "%y: i8[6,20]<0.5, 3> = reshape(%q) {shape=[6,20]}",
    )
    assert mnemonics(made) == ["quantize", "transpose", "reshape"]


def test_a_transpose_stays_in_front_of_what_grows() -> None:
    made = moved(
        "input %x: f32[5,3]",
        "%a: f32[3,5] = transpose(%x) {permutation=[1,0]}",
        "%y: f32[7,3,5] = broadcast(%a) {shape=[7,3,5]}",
    )
    assert mnemonics(made) == ["transpose", "broadcast"]


def test_a_transpose_goes_behind_what_shrinks() -> None:
    made = moved(X, FIRST, "%y: f32[2,3,2,1] = slice(%a) {begin=[0,0,1,2], shape=[2,3,2,1]}")
    assert mnemonics(made) == ["slice", "transpose", "reshape"] or mnemonics(made) == [
        "slice",
        "transpose",
    ]


def test_one_stays_for_two_readers_that_want_it() -> None:
    made = moved(
        X,
        FIRST,
        "%f: f32[2,60] = reshape(%a) {shape=[2,60]}",
        "const %w: f32[1,60] = [" + ", ".join(f"{at}.0" for at in range(60)) + "]",
        "%b: f32[2,1] = fully_connected(%f, %w)",
        "%c: f32[2,1] = fully_connected(%f, %w)",
        "%y: f32[2,1] = add(%b, %c)",
    )
    assert mnemonics(made).count("transpose") == 1


def test_it_goes_where_most_of_it_cancels() -> None:
    """Through a sum with what comes channels first anyway: one transpose for two."""
    made = moved(
        X,
        "input %z: f32[2,3,4,5]",
        FIRST,
        "%b: f32[2,3,4,5] = add(%a, %z)",
        "%l: f32[2,4,5,3] = transpose(%b) {permutation=[0,2,3,1]}",
        "%y: f32[2,4,5,3] = softmax(%l)",
    )
    assert mnemonics(made).count("transpose") == 1
    assert "%x, " in text_of(made, "add")


STAYS = {
    "the order of a sum": "%y: f32[] = sum(%a) {axes=[0,1,2,3]}",
    "the order of a product": "%y: f32[2] = reduce_prod(%a) {axes=[1,2,3]}",
    "the sign of an extreme zero": "%y: f32[2,4] = reduce_min(%a) {axes=[1,3]}",
    "the order of a row": "%y: f32[2,3,4,5] = log_softmax(%a)",
    "the order of a norm": "%y: f32[2,3,4,5] = l2_normalization(%a)",
    "what is normalized": "%y: f32[2,3,4,5] = layer_norm(%a)",
    "where the largest are": "%y: i32[2,3,4,2] = top_k_indices(%a) {count=2}",
    "what channels last means": "%y: f32[2,2,3,5] = max_pool2d(%a) {window=[2,2]}",
    "all elements in a row": "%y: f32[120] = reshape(%a) {shape=[120]}",
}


@pytest.mark.parametrize("why", STAYS)
def test_it_stays_for(why: str) -> None:
    before = parse_graph(graph(X, FIRST, STAYS[why]))
    after = MoveTransposes().run(before)
    assert mnemonics(after)[0] == "transpose"
    assert_same_bits(before, after)


def test_integers_have_sums_without_order() -> None:
    made = moved(
        "input %x: i8[2,4,5,3]<0.5, 3>",
        "%a: i8[2,3,4,5]<0.5, 3> = transpose(%x) {permutation=[0,3,1,2]}",
        "%y: i8[2,4]<0.5, 3> = mean(%a) {axes=[1,3]}",
    )
    assert mnemonics(made) == ["mean"]


def test_scales_for_each_channel_stay_where_they_are() -> None:
    line = "%y: i8[1,2,2]<0.5, 3> = requantize(%s)"
    before = (
        "input %x: i8[1,2,2]<0.5, 0>",
        "const %w: i8[2,2]<[0.5, 0.25], [0, 0], axis 0> = [1, 2, 3, 4]",
        "%a: i8[1,2,2]<0.5, 0> = transpose(%x) {permutation=[0,2,1]}",
        "%s: i32[1,2,2]<[0.25, 0.125], [0, 0], axis 2> = fully_connected(%a, %w) "
        "{keep_dims=true, accumulator=i32}",
        line,
    )
    assert mnemonics(moved(*before)) == ["transpose", "fully_connected", "requantize"]


def test_scales_of_weights_follow_their_channels() -> None:
    """Outputs of a layer are in another order, and so is what stands for each of them."""
    made = moved(
        "input %x: i8[1,2]<0.5, 0>",
        "const %w: i8[6,2]<[0.5, 0.25, 0.125, 1.0, 2.0, 4.0], [0, 0, 0, 0, 0, 0], axis 0> = "
        "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]",
        "%a: i8[1,6]<0.5, 3> = fully_connected(%x, %w)",
        "%b: i8[2,3]<0.5, 3> = reshape(%a) {shape=[2,3]}",
        "%y: i8[3,2]<0.5, 3> = transpose(%b) {permutation=[1,0]}",
    )
    assert "transpose" not in mnemonics(made)
    assert "axis 0> = [1, 2, 7, 8, 3, 4, 9, 10, 5, 6, 11, 12]" in print_graph(made)
    assert "<[0.5, 1.0, 0.25, 2.0, 0.125, 4.0]" in print_graph(made)


def test_weights_that_others_read_are_copied_only_if_that_is_less() -> None:
    """A copy stays in flash, and would take as much as is saved here."""
    weights = ", ".join(str(at % 100) for at in range(24 * 12))
    lines = (
        "input %x: i8[1,2,2,3]<0.5, 0>",
        f"const %w: i8[24,12]<0.5, 0> = [{weights}]",
        "%a: i8[1,3,2,2]<0.5, 0> = transpose(%x) {permutation=[0,3,1,2]}",
        "%b: i8[1,12]<0.5, 0> = reshape(%a) {shape=[1,12]}",
        "%c: i8[1,12]<0.5, 0> = reshape(%x) {shape=[1,12]}",
        "%d: i8[1,24]<2.0, 3> = fully_connected(%b, %w)",
        "%e: i8[1,24]<2.0, 3> = fully_connected(%c, %w)",
        "%y: i8[1,24]<2.0, 3> = add(%d, %e)",
    )
    assert "transpose" in mnemonics(moved(*lines))
    alone = [line.replace("fully_connected(%c, %w)", "fully_connected(%c, %v)") for line in lines]
    alone.insert(1, f"const %v: i8[24,12]<0.5, 0> = [{weights}]")
    assert "transpose" not in mnemonics(moved(*alone))


def test_outputs_keep_their_names_and_inputs_theirs() -> None:
    before = parse_graph(
        "\n".join(
            [
                'graph 2 "g" {',
                X,
                FIRST,
                "%b: f32[2,4,5,3] = transpose(%a) {permutation=[0,2,3,1]}",
                "%c: f32[2,3,4,5] = relu(%a)",
                "%d: f32[2,4,5,3] = transpose(%c) {permutation=[0,2,3,1]}",
                "%e: f32[2,4,5,3] = transpose(%c) {permutation=[0,2,3,1]}",
                "output %b",
                "output %c",
                "output %d",
                "output %e",
                "}",
            ]
        )
    )
    after = MoveTransposes().run(before)
    assert_same_bits(before, after)
    assert mnemonics(after).count("transpose") == 1


def test_every_other_pixel_is_taken_channels_last() -> None:
    """As YOLO networks begin: rows and columns side by side as channels, in front of the first convolution."""
    n = ChannelsFirst()
    x = n.first(n.given(1, 4, 6, 3))
    corners = [(row, column) for row in range(2) for column in range(2)]
    parts = [
        n.add(Slice((0, 0, row, column), (1, 3, 2, 3), (1, 1, 2, 2)), x) for row, column in corners
    ]
    before = n.build(n.last(n.concat(*parts)))
    after = MoveTransposes().run(before)
    assert_same_bits(before, after)
    assert mnemonics(after) == ["slice"] * 4 + ["concat"]


def test_a_state_lies_as_what_reads_it() -> None:
    """Rows of a convolution over time that remembers: neither it nor what is put behind it is transposed."""
    n = ChannelsFirst()
    x = n.first(n.given(1, 1, 3))
    state = n.state(1, 3, 2)
    whole = n.concat(state, x, axis=2)
    n.builder.keep(state, n.part(whole, 2, 1, 3))
    before = n.build(n.last(n.relu(n.unpadded_conv1d(whole, 4, 3))))
    after = MoveTransposes().run(before)
    assert not [node for node in after.nodes if isinstance(node.operator, Transpose)]
    assert after.states[0].value.type.shape == (1, 2, 3)
    assert_same_bits(before, after)


@pytest.mark.parametrize("seed", range(40))
def test_graphs_without_transposes_are_left_alone(seed: int) -> None:
    given = random_graph(seed, nodes=12)
    if "transpose" not in mnemonics(given):
        assert MoveTransposes().run(given) is given


def test_two_stay_if_one_would_have_more_dimensions_than_kernels_take() -> None:
    """Six axes turned round, one of which is then taken apart."""
    made = moved(
        "input %x: f32[4,3,2,3,2,3]",
        "%a: f32[3,2,3,2,3,4] = transpose(%x) {permutation=[5,4,3,2,1,0]}",
        "%b: f32[216,2] = reshape(%a) {shape=[216,2]}",
        "%y: f32[2,216] = transpose(%b) {permutation=[1,0]}",
    )
    assert mnemonics(made).count("transpose") == 2


def test_one_transposition_is_read_in_two_shapes() -> None:
    """Each reading has its own, whichever comes first."""
    before = parse_graph("""graph 2 "g" {
      input %x: f32[1,3,2,7]
      %a: f32[1,3,1,7] = reduce_max(%x) {axes=[2], keep_dims=true}
      %t: f32[1,7,3,1] = transpose(%a) {permutation=[0,3,1,2]}
      %u: f32[21,1,1,1] = reshape(%t) {shape=[21,1,1,1]}
      %s: f32[4,1,1,1] = slice(%u) {begin=[2,0,0,0], shape=[4,1,1,1]}
      %b: f32[1,3,1] = reduce_max(%t) {axes=[1]}
      %y: f32[1,3,1] = softmax(%b)
      output %s
      output %y
    }""")
    network = Network(before)
    result = rebuilt(network, Layouts(network, Answers(may_round=False)))
    assert sum(node.operator.mnemonic == "transpose" for node in result.nodes) == 1
    assert_same_bits(before, result)
