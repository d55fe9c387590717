"""FoldQuantization: what becomes an operator of integers, and what does not."""

import re
from collections.abc import Mapping

import numpy as np
import pytest
from tinsmith_ir import Graph, Pipeline, parse_graph
from tinsmith_ir.dtypes import DType
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.graph import Array, Node
from tinsmith_ir.operators import Rescaling
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import random_inputs
from tinsmith_qdq import FoldQuantization, remaining

X = "i8[1,4,4,2]<0.5, -3>"
Y = "i8[1,4,4,2]<0.75, 5>"


def graph(body: str) -> Graph:
    return parse_graph('graph 2 "g" {' + body + "}")


def between(operator: str, result: str = Y, real: str = "", before: str = "") -> Graph:
    """An operator of float32 on what %x and %z stand for."""
    real = real or "f32" + re.sub(r"^\w+|<.*$", "", result)
    return graph(f"""
      input %x: {X}
      input %z: i8[1,4,4,2]<0.25, 4>
      %a: f32[1,4,4,2] = dequantize(%x)
      %b: f32[1,4,4,2] = dequantize(%z)
      {before}
      %r: {real} = {operator}
      %y: {result} = quantize(%r) {{halves_to_even=true}}
      output %y""")


def mnemonics(found: Graph) -> list[str]:
    return [node.operator.mnemonic for node in found.nodes]


def folded(before: Graph) -> Graph:
    """The graph behind the pass, of which each integer is within a step of what it was."""
    inputs = random_inputs(before, seed=3)
    return _graph(Pipeline([FoldQuantization()]).run(before, inputs).ir)


def _graph(found: object) -> Graph:
    assert isinstance(found, Graph)
    return found


def steps_apart(before: Graph, after: Graph, seed: int = 3) -> int:
    inputs: Mapping[str, Array] = random_inputs(before, seed=seed)
    pairs = zip(
        evaluate_graph(before, inputs).values(), evaluate_graph(after, inputs).values(), strict=True
    )
    return max(int(np.abs(a.astype(np.int64) - b.astype(np.int64)).max()) for a, b in pairs)


LAYERS = [
    (
        "const %w: i8[2,1,1,2]<0.25, 0> = [1, -2, 3, 100]\n%v: f32[2,1,1,2] = dequantize(%w)",
        "conv2d(%a, %v, none)",
        "conv2d",
    ),
    (
        "const %w: i8[2,1,1,2]<0.25, 7> = [1, -2, 3, 100]\n%v: f32[2,1,1,2] = dequantize(%w)\n"
        "const %bias: f32[2] = [1.0, -20.0]",
        "conv2d(%a, %v, %bias)",
        "conv2d",
    ),
    (
        "const %w: i8[1,3,3,2]<1.0, 0> = [9,8,7,6,5,4,3,2,1,-9,-8,-7,-6,-5,-4,-3,-2,-1]\n"
        "const %s: f32[1,1,1,2] = [0.125, 0.0625]\n%q: f32[1,3,3,2] = dequantize(%w)\n"
        "%v: f32[1,3,3,2] = mul(%q, %s)",
        "depthwise_conv2d(%a, %v, none) {padding=[1,1,1,1]}",
        "depthwise_conv2d",
    ),
    ("", "add(%a, %b)", "add"),
    ("", "sub(%a, %b)", "sub"),
    ("", "mul(%a, %b)", "mul"),
    ("const %half: f32[1] = [0.4]", "mul(%a, %half)", "mul"),
    ("const %more: f32[] = [-3.0]", "add(%more, %a)", "add"),
    ("const %three: f32[1] = [-3.0]", "div(%a, %three)", "mul"),
    ("", "logistic(%a)", "logistic"),
    ("", "tanh(%a)", "tanh"),
    ("", "leaky_relu(%a) {alpha=0.1}", "lookup"),
    ("", "sqrt(%a)", "lookup"),
    ("%s: f32[1,4,4,2] = logistic(%a)", "mul(%a, %s)", "lookup"),
    ("", "elu(%a)", "elu"),
    ("", "relu(%a)", "relu"),
    ("", "relu6(%a)", "relu6"),
]


@pytest.mark.parametrize(("before", "operator", "expected"), LAYERS)
def test_an_operator_between_integers_is_one_of_integers(
    before: str, operator: str, expected: str
) -> None:
    given = between(operator, before=before)
    found = folded(given)
    assert expected in mnemonics(found)
    assert not {"quantize", "dequantize"} & set(mnemonics(found))
    assert steps_apart(given, found) <= 1
    assert remaining(found) == ()
    for node in found.nodes:
        if isinstance(node.operator, Rescaling) and node.operator.mnemonic not in ("relu", "relu6"):
            assert node.operator.rounding is Rounding.NEAREST


def test_functions_of_one_integer_are_one_table() -> None:
    """softplus: max(x, 0) + log(1 + exp(-|x|)), and a clamp behind it."""
    given = graph("""
      input %x: i8[2,3]<0.05, 3>
      const %zero: f32[] = [0.0]
      const %one: f32[1] = [1.0]
      %a: f32[2,3] = dequantize(%x)
      %m: f32[2,3] = abs(%a)
      %n: f32[2,3] = sub(%zero, %m)
      %e: f32[2,3] = exp(%n)
      %p: f32[2,3] = add(%e, %one)
      %l: f32[2,3] = log(%p)
      %r: f32[2,3] = relu(%a)
      %s: f32[2,3] = add(%r, %l)
      %t: f32[2,3] = relu6(%s)
      %y: i8[2,3]<0.03, -128> = quantize(%t) {halves_to_even=true}
      output %y""")
    found = folded(given)
    assert mnemonics(found) == ["lookup"]
    assert all(steps_apart(given, found, seed) == 0 for seed in range(20))


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ("output %m", "a number in between is wanted"),
        ("%o: f32[2,3] = sqrt(%m)\noutput %o", "a number in between is read"),
    ],
)
def test_no_table_hides_what_others_read(more: str, why: str) -> None:
    given = graph(f"""
      input %x: i8[2,3]<0.05, 3>
      %a: f32[2,3] = dequantize(%x)
      %m: f32[2,3] = abs(%a)
      %e: f32[2,3] = erf(%m)
      %y: i8[2,3]<0.03, -128> = quantize(%e) {{halves_to_even=true}}
      {more}
      output %y""")
    assert "lookup" not in mnemonics(folded(given)), why


def test_a_function_that_depends_on_the_place_has_no_table() -> None:
    before = "const %c: f32[1,1,1,2] = [1.0, 2.0]\n%s: f32[1,4,4,2] = mul(%a, %c)"
    assert "quantize" in mnemonics(folded(between("erf(%s)", before=before)))


def test_a_bias_has_the_scale_of_its_products() -> None:
    given = between("conv2d(%a, %v, %bias)", before=LAYERS[1][0])
    (bias,) = [found for found in folded(given).constants if found.value.type.dtype is DType.INT32]
    # By 0.5 * 0.25.
    assert bias.data.tolist() == [8, -160]


def test_scales_along_another_axis_stay_float() -> None:
    before = (
        "const %w: i8[2,1,1,2]<1.0, 0> = [1, -2, 3, 100]\nconst %s: f32[1,1,1,2] = [0.5, 0.25]\n"
        "%q: f32[2,1,1,2] = dequantize(%w)\n%v: f32[2,1,1,2] = mul(%q, %s)"
    )
    found = folded(between("conv2d(%a, %v, none)", before=before))
    (left,) = remaining(found)
    assert left.node.operator.mnemonic == "conv2d"
    assert left.reason == (
        "its weights have scales that differ within an output channel, and more than 4 bits"
    )


@pytest.mark.parametrize(
    ("integers", "dtype"),
    [
        ("[1, -2, 7, -8]", DType.INT4),
        ("[1, -2, 0, 2]", DType.INT4),
        ("[1, -2, 0, -1]", DType.INT2),
        ("[1, -2, 0, 8]", DType.INT8),
    ],
)
def test_weights_take_the_fewest_bits_that_hold_all(integers: str, dtype: DType) -> None:
    before = f"const %w: i8[2,1,1,2]<0.25, 0> = {integers}\n%v: f32[2,1,1,2] = dequantize(%w)"
    (node,) = folded(between("conv2d(%a, %v, none)", before=before)).nodes
    assert node.present_inputs[1].type.dtype is dtype


def test_weights_of_zeros_leave_room_for_their_bias() -> None:
    """A quantizer gives them a scale by which the bias is beyond int32."""
    before = (
        "const %w: i8[2,1,1,2]<1.0, 0> = [0, 0, 3, 100]\nconst %s: f32[2,1,1,1] = [1e-12, 0.25]\n"
        "%q: f32[2,1,1,2] = dequantize(%w)\n%v: f32[2,1,1,2] = mul(%q, %s)\n"
        "const %bias: f32[2] = [20.0, 1.0]"
    )
    given = between("conv2d(%a, %v, %bias)", before=before)
    found = folded(given)
    assert mnemonics(found) == ["conv2d"]
    assert (
        evaluate_graph(found, random_inputs(found))["y"][..., 0].tolist()
        == np.full((1, 4, 4), round(20 / 0.75) + 5).tolist()
    )
    assert steps_apart(given, found) == 0


@pytest.mark.parametrize(
    ("operator", "result", "expected"),
    [
        ("average_pool2d(%a) {window=[2,2]}", "i8[1,3,3,2]<0.5, -3>", ["average_pool2d"]),
        ("average_pool2d(%a) {window=[2,2]}", "i8[1,3,3,2]<0.3, 4>", ["depthwise_conv2d"]),
        ("average_pool2d(%a) {window=[4,4]}", "i8[1,1,1,2]<0.3, 4>", ["mean"]),
        (
            "average_pool2d(%a) {window=[2,2], padding=[1,1,1,1]}",
            "i8[1,5,5,2]<0.75, 4>",
            ["average_pool2d", "requantize"],
        ),
        ("mean(%a) {axes=[1,2]}", "i8[1,2]<0.3, 4>", ["mean"]),
        ("sum(%a) {axes=[1,2]}", "i8[1,2]<3.0, 4>", ["sum"]),
        ("softmax(%a)", "i8[1,4,4,2]<0.00390625, -128>", ["softmax"]),
        ("softmax(%a)", "i8[1,4,4,2]<0.004, -120>", ["softmax", "requantize"]),
        ("max_pool2d(%a) {window=[2,2]}", "i8[1,3,3,2]<0.5, -3>", ["max_pool2d"]),
        ("max_pool2d(%a) {window=[2,2]}", "i8[1,3,3,2]<0.75, 4>", ["max_pool2d", "requantize"]),
        ("reshape(%a) {shape=[32]}", "i8[32]<0.5, -3>", ["reshape"]),
        ("reduce_max(%a) {axes=[3]}", "i8[1,4,4]<0.5, -3>", ["reduce_max"]),
        ("concat(%a, %b) {axis=3}", "i8[1,4,4,4]<0.5, -3>", ["requantize", "concat"]),
        ("minimum(%a, %b)", "i8[1,4,4,2]<0.5, -3>", ["requantize", "minimum"]),
        ("pad(%a) {padding=[0,0,1,1,0,0,0,0]}", "i8[1,6,4,2]<0.5, -3>", ["pad"]),
        ("pad(%a) {padding=[0,0,1,1,0,0,0,0], value=0.7}", "i8[1,6,4,2]<0.5, -3>", ["pad"]),
    ],
)
def test_what_moves_averages_and_chooses(operator: str, result: str, expected: list[str]) -> None:
    given = between(operator, result)
    found = folded(given)
    assert sorted(mnemonics(found)) == sorted(expected)
    assert steps_apart(given, found) <= 1


def test_what_is_added_by_a_pad_is_rounded_as_the_quantize_would() -> None:
    given = between("pad(%a) {padding=[0,0,1,1,0,0,0,0], value=0.7}", "i8[1,6,4,2]<0.5, -3>")
    found = folded(given)
    assert steps_apart(given, found) == 0
    assert evaluate_graph(found, random_inputs(found))["y"][0, 0, 0, 0] == -2


def test_padding_that_counts_as_nothing_keeps_a_finer_result_float() -> None:
    given = between("average_pool2d(%a) {window=[2,2], padding=[1,1,1,1]}", "i8[1,5,5,2]<0.1, 4>")
    (left,) = remaining(folded(given))
    assert "finer scale" in left.reason


def test_a_product_of_two_computed_matrices() -> None:
    given = graph("""
      input %x: i8[2,3,4]<0.5, -3>
      input %z: i8[2,4,5]<0.25, 4>
      %a: f32[2,3,4] = dequantize(%x)
      %b: f32[2,4,5] = dequantize(%z)
      %r: f32[2,3,5] = batch_matmul(%a, %b)
      %y: i8[2,3,5]<2.0, 5> = quantize(%r) {halves_to_even=true}
      output %y""")
    found = folded(given)
    assert mnemonics(found) == ["batch_matmul"]
    assert steps_apart(given, found) <= 1


def test_transposes_around_a_layer_are_of_integers() -> None:
    given = graph("""
      input %x: i8[1,2,4,4]<0.5, -3>
      const %w: i8[3,1,1,2]<0.25, 0> = [1, -2, 3, 100, 5, 6]
      %v: f32[3,1,1,2] = dequantize(%w)
      %a: f32[1,2,4,4] = dequantize(%x)
      %t: f32[1,4,4,2] = transpose(%a) {permutation=[0,2,3,1]}
      %c: f32[1,4,4,3] = conv2d(%t, %v, none)
      %u: f32[1,3,4,4] = transpose(%c) {permutation=[0,3,1,2]}
      %p: f32[1,3,4,4] = relu(%u)
      %y: i8[1,3,4,4]<0.75, -128> = quantize(%p) {halves_to_even=true}
      output %y""")
    found = folded(given)
    assert mnemonics(found) == ["transpose", "conv2d", "transpose", "relu"]
    assert steps_apart(given, found) == 0


def test_one_scale_after_another_is_a_requantize() -> None:
    given = between("reshape(%a) {shape=[1,4,4,2]}")
    found = folded(given)
    assert "requantize" in mnemonics(found)
    (node,) = [each for each in found.nodes if each.operator.mnemonic == "requantize"]
    assert isinstance(node.operator, Rescaling)
    assert node.operator.rounding is Rounding.NEAREST
    assert steps_apart(given, found) <= 1


def test_indices_of_the_largest_are_those_of_integers() -> None:
    given = graph("""
      input %x: f32[2,8]
      %q: i8[2,8]<0.5, -3> = quantize(%x) {halves_to_even=true}
      %a: f32[2,8] = dequantize(%q)
      %y: i32[2] = arg_max(%a) {axis=1}
      output %y""")
    assert mnemonics(folded(given)) == ["quantize", "arg_max"]


def test_uint8_is_int8_between_operators() -> None:
    given = graph("""
      input %x: u8[1,2,8]<0.5, 125>
      %i: i8[1,2,8]<0.5, -3> = requantize(%x)
      %a: f32[1,2,8] = dequantize(%i)
      %r: f32[1,2,8] = add(%a, %a)
      %j: i8[1,2,8]<1.0, -28> = quantize(%r) {halves_to_even=true}
      %k: u8[1,2,8]<1.0, 100> = requantize(%j) {dtype=u8}
      %t: u8[1,8,2]<1.0, 100> = transpose(%k) {permutation=[0,2,1]}
      %l: i8[1,8,2]<1.0, -28> = requantize(%t)
      %b: f32[1,8,2] = dequantize(%l)
      %s: f32[1,8,2] = tanh(%b)
      %m: i8[1,8,2]<0.0078125, 0> = quantize(%s) {halves_to_even=true}
      %y: u8[1,8,2]<0.0078125, 128> = requantize(%m) {dtype=u8}
      output %y""")
    found = folded(given)
    assert mnemonics(found) == ["requantize", "add", "transpose", "tanh", "requantize"]
    assert [value.type.dtype for value in (*found.inputs, *found.outputs)] == [DType.UINT8] * 2
    assert steps_apart(given, found) <= 1


REFUSED = [
    ("add(%a, %c)", "const %c: f32[1,1,1,2] = [1.0, 2.0]", "constant that is not quantized"),
    ("add(%a, %s)", "input %f: f32[1,4,4,2]\n%s: f32[1,4,4,2] = sqrt(%f)", "computed by sqrt in"),
    ("conv2d(%a, %w, none)", "const %w: f32[2,1,1,2] = [1.0, 2.0, 3.0, 4.0]", "not quantized cons"),
    ("pow(%a, %b)", "", "there is none of integers"),
    ("div(%a, %b)", "", "by one constant number alone"),
    ("relu_n1_to_1(%s)", "input %f: f32[1,4,4,2]\n%s: f32[1,4,4,2] = sqrt(%f)", ""),
]


@pytest.mark.parametrize(("operator", "before", "reason"), REFUSED)
def test_what_stays_float_says_why(operator: str, before: str, reason: str) -> None:
    found = folded(between(operator, before=before))
    assert "quantize" in mnemonics(found)
    reasons = [left.reason for left in remaining(found)]
    assert any(reason in each for each in reasons), reasons


def test_a_result_that_is_read_as_float_too_stays_float() -> None:
    given = graph(f"""
      input %x: {X}
      %a: f32[1,4,4,2] = dequantize(%x)
      %r: f32[1,4,4,2] = add(%a, %a)
      %y: {Y} = quantize(%r) {{halves_to_even=true}}
      %z: f32[1,4,4,2] = sqrt(%r)
      output %y
      output %z""")
    outcome = FoldQuantization().run_in_detail(given)
    assert outcome.ir is given
    assert outcome.warnings == (
        "add stays float32: its result is read as float32, too, or quantized in several ways: r",
        "sqrt stays float32: the network gives its result: z",
    )


def test_networks_of_tflite_stay_as_they_are() -> None:
    given = graph(f"""
      input %x: {X}
      %a: f32[1,4,4,2] = dequantize(%x)
      %r: f32[1,4,4,2] = add(%a, %a)
      %y: {Y} = quantize(%r)
      output %y""")
    assert FoldQuantization().run(given) is given


def test_networks_without_such_a_quantize_have_no_warnings() -> None:
    given = graph(f"""
      input %x: {X}
      %a: f32[1,4,4,2] = dequantize(%x)
      %r: f32[1,4,4,2] = add(%a, %a)
      output %r""")
    outcome = FoldQuantization().run_in_detail(given)
    assert outcome.ir is given
    assert outcome.warnings == ()


def test_a_table_of_integers_is_gathered_from_as_it_is() -> None:
    given = graph("""
      input %i: i32[3]
      const %t: i8[4,2]<0.5, 1> = [1, 2, 3, 4, 5, 6, 7, 8]
      %a: f32[4,2] = dequantize(%t)
      %g: f32[3,2] = gather(%a, %i)
      %y: i8[3,2]<0.5, 1> = quantize(%g) {halves_to_even=true}
      output %y""")
    assert mnemonics(folded(given)) == ["gather"]


@pytest.mark.parametrize(("count", "is_folded"), [(2, True), (4, True), (2000, False)])
def test_weights_are_seen_through_some_moves(count: int, is_folded: bool) -> None:
    lines = [
        "const %w: i8[2,1,1,2]<0.25, 0> = [1, -2, 3, 100]",
        "%v0: f32[2,1,1,2] = dequantize(%w)",
    ]
    lines += [
        f"%v{index + 1}: f32[2,1,1,2] = transpose(%v{index}) {{permutation=[3,1,2,0]}}"
        for index in range(count)
    ]
    found = FoldQuantization().run(between(f"conv2d(%a, %v{count}, none)", before="\n".join(lines)))
    assert ("quantize" not in mnemonics(found)) == is_folded


def test_a_long_chain_ends() -> None:
    lines = ["input %x: i8[4]<0.5, 0>", "%v0: f32[4] = dequantize(%x)"]
    for index in range(200):
        shape = "[4]" if index % 2 else "[2,2]"
        lines.append(f"%v{index + 1}: f32{shape} = reshape(%v{index}) {{shape={shape}}}")
    lines += ["%y: i8[4]<0.5, 0> = quantize(%v200) {halves_to_even=true}", "output %y"]
    assert set(mnemonics(folded(graph("\n".join(lines))))) == {"reshape"}


def nodes_of(found: Graph, mnemonic: str) -> list[Node]:
    return [node for node in found.nodes if node.operator.mnemonic == mnemonic]


def test_several_reasons_of_one_kind_are_one_line() -> None:
    lines = ["input %x: f32[4]", "%q: i8[4]<0.5, 0> = quantize(%x) {halves_to_even=true}"]
    lines.append("%v0: f32[4] = dequantize(%q)")
    lines += [f"%v{index + 1}: f32[4] = sqrt(%v{index})" for index in range(5)]
    given = graph("\n".join([*lines, "output %v5"]))
    assert len(nodes_of(given, "sqrt")) == 5
    assert FoldQuantization().run_in_detail(given).warnings == (
        "sqrt stays float32: its result is not quantized: v1, v2, v3 and 1 more",
        "sqrt stays float32: the network gives its result: v5",
    )


def test_a_quantize_goes_in_front_of_a_long_chain_at_once() -> None:
    lines = ["input %x: f32[4]", "const %c: f32[1] = [0.6]", "%v0: f32[4] = sqrt(%x)"]
    for index in range(1000):
        made = f"%v{index + 1}: f32[4]"
        lines.append(
            f"{made} = minimum(%c, %v{index})"
            if index % 2
            else f"{made} = reshape(%v{index}) {{shape=[4]}}"
        )
    lines += ["%y: i8[4]<0.25, 0> = quantize(%v1000) {halves_to_even=true}", "output %y"]
    given = graph("\n".join(lines))
    found = folded(given)
    assert mnemonics(found)[:2] == ["sqrt", "quantize"]
    assert [value.type.dtype for node in nodes_of(found, "reshape") for value in node.outputs] == [
        DType.INT8
    ] * 500
    assert steps_apart(given, found) == 0


def test_a_quantize_goes_in_front_of_both_parts_of_a_concat() -> None:
    given = graph("""
      input %x: f32[1,2]
      %a: f32[1,2] = sqrt(%x)
      %b: f32[1,2] = square(%x)
      %c: f32[1,4] = concat(%a, %b) {axis=1}
      %t: f32[4,1] = transpose(%c) {permutation=[1,0]}
      %y: i8[4,1]<0.25, 0> = quantize(%t) {halves_to_even=true}
      output %y""")
    found = folded(given)
    assert sorted(mnemonics(found)) == [
        "concat",
        "quantize",
        "quantize",
        "sqrt",
        "square",
        "transpose",
    ]
    assert steps_apart(given, found) == 0


def test_what_arranges_elements_of_what_stays_is_not_listed() -> None:
    given = graph("""
      input %x: i8[1,2,4]<0.5, -3>
      %a: f32[1,2,4] = dequantize(%x)
      %t: f32[1,4,2] = transpose(%a) {permutation=[0,2,1]}
      %s: f32[1,4,2] = sin(%t)
      %r: f32[8] = reshape(%s) {shape=[8]}
      output %r""")
    found = folded(given)
    assert [left.node.operator.mnemonic for left in remaining(found)] == ["sin"]


MASKED = """
  input %x: i8[2,2]<0.5, -3>
  const %m: f32[2,2] = [0.0, {hidden}, 0.0, 0.0]
  %a: f32[2,2] = dequantize(%x)
  %r: f32[2,2] = add({operands})
  %y: i8[2,2]<0.25, 5> = quantize(%r) {{halves_to_even=true}}
  output %y"""


@pytest.mark.parametrize("hidden", ["-1e9", "-100.0", str(float(np.finfo(np.float32).min))])
@pytest.mark.parametrize("operands", ["%a, %m", "%m, %a"])
def test_a_mask_hides_elements_and_leaves_the_others_their_bits(hidden: str, operands: str) -> None:
    before = graph(MASKED.format(hidden=hidden, operands=operands))
    after = folded(before)
    assert mnemonics(after) == ["add"]
    assert not remaining(after)
    for integers in ([127, 127, 20, -128], [-128, -128, 0, 7]):
        given = {"x": np.array(integers, np.int8).reshape(2, 2)}
        one, other = (evaluate_graph(each, given)["y"] for each in (before, after))
        np.testing.assert_array_equal(one, other)
        assert other[0, 1] == -128


@pytest.mark.parametrize("number", ["-90.0", "0.5", "inf", "nan"])
def test_numbers_that_do_not_hide_all_are_no_mask(number: str) -> None:
    # The largest element stands for 65, and 98.25 is the way to the least result from there: -33.25.
    before = graph(MASKED.format(hidden=number, operands="%a, %m"))
    (found,) = remaining(FoldQuantization().run(before))
    assert "not quantized" in found.reason
