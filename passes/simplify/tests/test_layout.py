"""SimplifyLayout: each pattern fires where it is exact, and only there."""

import pytest
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.testing import assert_rewrites
from tinsmith_simplify import SimplifyLayout


def graph(*lines: str) -> str:
    body = "\n".join(lines)
    return f'graph 2 "g" {{\n{body}\noutput %y\n}}'


def test_reshapes_merge() -> None:
    assert_rewrites(
        SimplifyLayout(),
        graph(
            "input %x: f32[2,6]",
            "%a: f32[12] = reshape(%x) {shape=[12]}",
            "%b: f32[3,4] = reshape(%a) {shape=[3,4]}",
            "%y: f32[3,4] = relu(%b)",
        ),
        graph(
            "input %x: f32[2,6]",
            "%b: f32[3,4] = reshape(%x) {shape=[3,4]}",
            "%y: f32[3,4] = relu(%b)",
        ),
    )


def test_a_reshape_that_others_read_stays_for_them() -> None:
    assert_rewrites(
        SimplifyLayout(),
        graph(
            "input %x: f32[2,6]",
            "%a: f32[12] = reshape(%x) {shape=[12]}",
            "%b: f32[12,1] = reshape(%a) {shape=[12,1]}",
            "%y: f32[12,12] = add(%a, %b)",
        ),
        graph(
            "input %x: f32[2,6]",
            "%a: f32[12] = reshape(%x) {shape=[12]}",
            "%b: f32[12,1] = reshape(%x) {shape=[12,1]}",
            "%y: f32[12,12] = add(%a, %b)",
        ),
    )


def test_a_layer_that_flattens_needs_no_reshape() -> None:
    assert_rewrites(
        SimplifyLayout(),
        graph(
            "input %x: f32[1,2,1,2]",
            "const %w: f32[1,4] = [1.0, 2.0, 3.0, 4.0]",
            "%a: f32[1,4] = reshape(%x) {shape=[1,4]}",
            "%y: f32[1,1] = fully_connected(%a, %w, none)",
        ),
        graph(
            "input %x: f32[1,2,1,2]",
            "const %w: f32[1,4] = [1.0, 2.0, 3.0, 4.0]",
            "%y: f32[1,1] = fully_connected(%x, %w, none)",
        ),
    )


def test_a_layer_that_keeps_dimensions_keeps_its_reshape() -> None:
    before = parse_graph(
        graph(
            "input %x: f32[1,2,1,2]",
            "const %w: f32[1,4] = [1.0, 2.0, 3.0, 4.0]",
            "%a: f32[1,4] = reshape(%x) {shape=[1,4]}",
            "%y: f32[1,1] = fully_connected(%a, %w, none) {keep_dims=true}",
        )
    )
    assert SimplifyLayout().run(before) is before


def test_transposes_merge_in_the_right_order() -> None:
    assert_rewrites(
        SimplifyLayout(),
        graph(
            "input %x: f32[2,3,4]",
            "%a: f32[3,4,2] = transpose(%x) {permutation=[1,2,0]}",
            "%y: f32[4,3,2] = transpose(%a) {permutation=[1,0,2]}",
        ),
        graph("input %x: f32[2,3,4]", "%y: f32[4,3,2] = transpose(%x) {permutation=[2,1,0]}"),
    )


def test_a_transpose_of_axes_of_length_one_is_a_reshape() -> None:
    assert_rewrites(
        SimplifyLayout(),
        graph("input %x: f32[1,3,1,4]", "%y: f32[3,4,1,1] = transpose(%x) {permutation=[1,3,0,2]}"),
        graph("input %x: f32[1,3,1,4]", "%y: f32[3,4,1,1] = reshape(%x) {shape=[3,4,1,1]}"),
    )


def test_pads_of_the_same_value_merge() -> None:
    """None is the zero point, here -3."""
    assert_rewrites(
        SimplifyLayout(),
        graph(
            "input %x: i8[2,2]<0.5, -3>",
            "%a: i8[3,4]<0.5, -3> = pad(%x) {padding=[1,0,0,2], value=-3}",
            "%y: i8[4,5]<0.5, -3> = pad(%a) {padding=[1,0,1,0]}",
        ),
        graph(
            "input %x: i8[2,2]<0.5, -3>",
            "%y: i8[4,5]<0.5, -3> = pad(%x) {padding=[2,0,1,2]}",
        ),
    )


def test_pads_of_images_of_one_channel_are_not_reshaped_for() -> None:
    assert_rewrites(
        SimplifyLayout(),
        graph(
            "input %x: i8[1,3,2,1]<0.5, -3>",
            "%a: i8[1,1,3,2]<0.5, -3> = reshape(%x) {shape=[1,1,3,2]}",
            "%b: i8[1,1,6,3]<0.5, -3> = pad(%a) {padding=[0,0,0,0,1,2,0,1], value=4}",
            "%y: i8[1,6,3,1]<0.5, -3> = reshape(%b) {shape=[1,6,3,1]}",
        ),
        graph(
            "input %x: i8[1,3,2,1]<0.5, -3>",
            "%y: i8[1,6,3,1]<0.5, -3> = pad(%x) {padding=[0,0,1,2,0,1,0,0], value=4}",
        ),
    )


def test_slices_merge() -> None:
    assert_rewrites(
        SimplifyLayout(),
        graph(
            "input %x: f32[9,6]",
            "%a: f32[4,3] = slice(%x) {begin=[8,1], shape=[4,3], strides=[-2,1]}",
            "%y: f32[2,2] = slice(%a) {begin=[3,0], shape=[2,2], strides=[-1,2]}",
        ),
        graph(
            "input %x: f32[9,6]",
            "%y: f32[2,2] = slice(%x) {begin=[2,1], shape=[2,2], strides=[2,2]}",
        ),
    )


def test_a_slice_that_others_read_stays() -> None:
    unchanged = graph(
        "input %x: f32[9]",
        "%a: f32[6] = slice(%x) {begin=[1], shape=[6]}",
        "%b: f32[3] = slice(%a) {begin=[0], shape=[3]}",
        "%c: f32[3] = slice(%a) {begin=[3], shape=[3]}",
        "%y: f32[3] = add(%b, %c)",
    )
    assert_rewrites(SimplifyLayout(), unchanged, unchanged)


def test_concats_along_one_axis_merge() -> None:
    assert_rewrites(
        SimplifyLayout(),
        graph(
            "input %x: f32[2]",
            "%a: f32[4] = concat(%x, %x)",
            "%y: f32[8] = concat(%x, %a, %x)",
        ),
        graph("input %x: f32[2]", "%y: f32[8] = concat(%x, %x, %x, %x)"),
    )


def test_an_integer_mean_of_single_elements_is_a_reshape() -> None:
    assert_rewrites(
        SimplifyLayout(),
        graph(
            "input %x: i8[1,1,1,256]<0.5, -3>",
            "%y: i8[1,256]<0.5, -3> = mean(%x) {axes=[1,2]}",
        ),
        graph(
            "input %x: i8[1,1,1,256]<0.5, -3>",
            "%y: i8[1,256]<0.5, -3> = reshape(%x) {shape=[1,256]}",
        ),
    )


@pytest.mark.parametrize(
    "text",
    [
        graph("input %x: f32[1,3,1,4]", "%y: f32[1,4,1,3] = transpose(%x) {permutation=[0,3,2,1]}"),
        graph(
            "input %x: i8[2,2]<0.5, -3>",
            "%a: i8[3,2]<0.5, -3> = pad(%x) {padding=[1,0,0,0], value=-4}",
            "%y: i8[4,2]<0.5, -3> = pad(%a) {padding=[1,0,0,0]}",
        ),
        graph(
            "input %x: f32[2,1]",
            "%a: f32[1,2] = reshape(%x) {shape=[1,2]}",
            "%b: f32[2,2] = pad(%a) {padding=[1,0,0,0]}",
            "%y: f32[4,1] = reshape(%b) {shape=[4,1]}",
        ),
        graph(
            "input %x: f32[4]",
            "%a: f32[2,2] = reshape(%x) {shape=[2,2]}",
            "%b: f32[2,3] = pad(%a) {padding=[0,0,1,0]}",
            "%y: f32[6] = reshape(%b) {shape=[6]}",
        ),
        graph(
            "input %x: f32[1,4]",
            "%a: f32[4] = reshape(%x) {shape=[4]}",
            "%b: f32[6] = pad(%a) {padding=[1,1]}",
            "%y: f32[2,3] = reshape(%b) {shape=[2,3]}",
        ),
        graph(
            "input %x: f32[2]",
            "%a: f32[3] = pad(%x) {padding=[1,0], value=-0.0}",
            "%y: f32[4] = pad(%a) {padding=[1,0], value=0.0}",
        ),
        graph(
            "input %x: f32[2,2]",
            "%a: f32[4,2] = concat(%x, %x) {axis=0}",
            "%y: f32[4,4] = concat(%a, %a) {axis=1}",
        ),
        graph(
            "input %x: f32[2]",
            "%a: f32[4] = concat(%x, %x) {activation=relu}",
            "%y: f32[6] = concat(%a, %x)",
        ),
        graph(
            "input %x: f32[2]",
            "%a: f32[4] = concat(%x, %x)",
            "%b: f32[4] = relu(%a)",
            "%y: f32[8] = concat(%a, %b)",
        ),
        graph(
            "input %x: i8[2]<0.5, 0>",
            "input %z: i8[2]<0.25, 0>",
            "%a: i8[4]<0.5, 0> = concat(%x, %z)",
            "%y: i8[6]<0.5, 0> = concat(%a, %x)",
        ),
        graph("input %x: f32[1,1,1,2]", "%y: f32[1,2] = mean(%x) {axes=[1,2]}"),
        graph("input %x: i8[1,2,1,2]<0.5, 0>", "%y: i8[1,2]<0.5, 0> = mean(%x) {axes=[1,2]}"),
        graph("input %x: i8[1,1,1,2]<0.5, 0>", "%y: i8[1,2]<0.25, 0> = mean(%x) {axes=[1,2]}"),
    ],
)
def test_it_stays(text: str) -> None:
    before = parse_graph(text)
    assert SimplifyLayout().run(before) is before


def test_a_reduction_for_a_layer_keeps_its_dimensions() -> None:
    assert_rewrites(
        SimplifyLayout(),
        graph(
            "input %x: f32[1,2,2,2]",
            "const %w: f32[1,2] = [1.0, 2.0]",
            "%a: f32[1,2] = reduce_max(%x) {axes=[1,2]}",
            "%y: f32[1,1] = fully_connected(%a, %w, none)",
        ),
        graph(
            "input %x: f32[1,2,2,2]",
            "const %w: f32[1,2] = [1.0, 2.0]",
            "%a.kept: f32[1,1,1,2] = reduce_max(%x) {axes=[1,2], keep_dims=true}",
            "%y: f32[1,1] = fully_connected(%a.kept, %w, none)",
        ),
    )


def test_a_reduction_for_others_drops_its_dimensions() -> None:
    before = parse_graph(
        graph(
            "input %x: f32[1,2,2,2]",
            "const %w: f32[1,2] = [1.0, 2.0]",
            "%a: f32[1,2] = reduce_max(%x) {axes=[1,2]}",
            "%b: f32[1,1] = fully_connected(%a, %w, none)",
            "%y: f32[1,2] = add(%a, %b)",
        )
    )
    assert SimplifyLayout().run(before) is before


@pytest.mark.parametrize("keeps", ["false", "true"])
def test_a_reduction_reads_what_was_given_an_axis(keeps: str) -> None:
    shape = "[1,1,2]" if keeps == "true" else "[1,2]"
    assert_rewrites(
        SimplifyLayout(),
        graph(
            "input %x: f32[1,1,4,2]",
            "%a: f32[1,4,2] = reshape(%x) {shape=[1,4,2]}",
            f"%m: f32{shape} = mean(%a) {{axes=[1], keep_dims={keeps}}}",
            f"%y: f32{shape} = relu(%m)",
        ),
        graph(
            "input %x: f32[1,1,4,2]",
            "%m.reduced: f32[1,1,1,2] = mean(%x) {axes=[2], keep_dims=true}",
            f"%m: f32{shape} = reshape(%m.reduced) {{shape={shape}}}",
            f"%y: f32{shape} = relu(%m)",
        ),
    )


@pytest.mark.parametrize(
    "lines",
    [
        (
            "input %x: f32[8,2]",
            "%a: f32[2,4,2] = reshape(%x) {shape=[2,4,2]}",
            "%m: f32[2,2] = mean(%a) {axes=[1]}",
            "%y: f32[2,2] = relu(%m)",
        ),
        (
            "input %x: f32[4,2]",
            "%a: f32[1,4,2] = reshape(%x) {shape=[1,4,2]}",
            "%m: f32[4,2] = mean(%a) {axes=[0]}",
            "%y: f32[4,2] = relu(%m)",
        ),
        (
            "input %x: f32[4,2]",
            "%a: f32[1,4,2] = reshape(%x) {shape=[1,4,2]}",
            "%y: f32[1,2] = mean(%a) {axes=[1]}",
        ),
    ],
    ids=["other_axes", "nothing_is_reduced", "result"],
)
def test_a_reduction_of_another_reshape_stays(lines: tuple[str, ...]) -> None:
    before = parse_graph(graph(*lines))
    assert SimplifyLayout().run(before) is before
