import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from models import computed, declared, model, one
from onnx import TensorProto, helper, numpy_helper
from tinsmith_ir import (
    Array,
    ModelError,
    UnsupportedError,
    UsageError,
    evaluate_frames,
    evaluate_graph,
)
from tinsmith_ir.types import TensorType
from tinsmith_onnx import OperatorContext, Results, Rule, import_onnx
from tinsmith_tensors import Tensor
from tinsmith_tensors.elementwise import add

F32 = np.float32


def relu(shape: Sequence[int | str | None], kind: int = TensorProto.FLOAT) -> onnx.ModelProto:
    node = helper.make_node("Relu", ["x"], ["y"])
    return model([node], [declared("x", shape, kind)], [declared("y", shape, kind)])


def convolution(shape: Sequence[int | str | None] = (1, 3, 8, 6)) -> onnx.ModelProto:
    weights = np.random.default_rng(1).standard_normal((4, 3, 3, 3)).astype(F32)
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["y"]),
    ]
    return model(nodes, [declared("x", shape)], [declared("y", None)], {"w": weights})


def test_names_and_locations_are_those_of_the_file() -> None:
    graph = import_onnx(relu([2, 3]).SerializeToString(), source="net.onnx", name="net")
    assert graph.name == "net"
    assert [value.name for value in (*graph.inputs, *graph.outputs)] == ["x", "y"]
    assert str(graph.nodes[0].location) == "net.onnx: Relu 'y'"


def test_a_path_gives_graph_and_messages_their_name(tmp_path: Path) -> None:
    path = tmp_path / "my net.onnx"
    path.write_bytes(relu([2, 3]).SerializeToString())
    graph = import_onnx(path)
    assert graph.name == "my_net"
    assert graph.nodes[0].location.source == "my net.onnx"


def test_images_come_and_go_channels_last() -> None:
    warnings: list[str] = []
    data = convolution().SerializeToString()
    graph = import_onnx(data, on_warning=warnings.append)
    assert graph.inputs[0].type.shape == (1, 8, 6, 3)
    assert graph.outputs[0].type.shape == (1, 8, 6, 4)
    assert warnings == [
        "x is [1, 8, 6, 3], channels last (in the file [1, 3, 8, 6])",
        "y is [1, 8, 6, 4], channels last (in the file [1, 4, 8, 6])",
    ]
    as_in_file = import_onnx(data, channels_last=False)
    assert as_in_file.inputs[0].type.shape == (1, 3, 8, 6)
    x = np.random.default_rng(2).standard_normal((1, 3, 8, 6)).astype(F32)
    (first,) = evaluate_graph(as_in_file, [x]).values()
    (last,) = evaluate_graph(graph, [x.transpose(0, 2, 3, 1)]).values()
    assert np.array_equal(first.transpose(0, 2, 3, 1), last)


def test_an_open_batch_is_one_and_the_user_is_told() -> None:
    warnings: list[str] = []
    graph = import_onnx(relu(["N", 3]).SerializeToString(), on_warning=warnings.append)
    assert graph.inputs[0].type.shape == (1, 3)
    assert warnings == ["input 'x': its first dimension is open in the file, and 1 here"]


@pytest.mark.parametrize("shapes", [{"x": (2, 5)}, {"N": (2,), "T": (5,)}])
def test_open_sizes_are_given_by_input_or_by_dimension(shapes: dict[str, Sequence[int]]) -> None:
    graph = import_onnx(relu(["N", "T"]).SerializeToString(), input_shapes=shapes)
    assert graph.inputs[0].type.shape == (2, 5)


def test_one_dimension_has_one_size_in_all_inputs() -> None:
    node = helper.make_node("Add", ["a", "b"], ["y"])
    inputs = [declared("a", ["N", "T"]), declared("b", ["N", "T"])]
    made = model([node], inputs, [declared("y", ["N", "T"])])
    graph = import_onnx(made.SerializeToString(), input_shapes={"a": (2, 5)})
    assert graph.inputs[1].type.shape == (2, 5)


def test_one_dimension_of_two_sizes_is_wrong_use() -> None:
    node = helper.make_node("Add", ["a", "b"], ["y"])
    inputs = [declared("a", ["N", "T"]), declared("b", ["N", "T"])]
    data = model([node], inputs, [declared("y", ["N", "T"])]).SerializeToString()
    message = "dimension 'T': expected one size, got 6 along axis 1 of input 'a' and 7 along axis 1 of input 'b'"
    with pytest.raises(UsageError, match=message):
        import_onnx(data, input_shapes={"a": (1, 6), "b": (1, 7)})
    square = relu(["T", "T"]).SerializeToString()
    with pytest.raises(UsageError, match="got 2 along axis 0 of input 'x' and 3 along axis 1"):
        import_onnx(square, input_shapes={"x": (2, 3)})


def test_the_name_of_an_open_batch_is_one_along_every_axis() -> None:
    node = helper.make_node("Add", ["state", "x"], ["y"])
    inputs = [declared("state", [2, "batch", 3]), declared("x", ["batch", 3])]
    made = model([node], inputs, [declared("y", [2, "batch", 3])])
    graph = import_onnx(made.SerializeToString())
    assert [value.type.shape for value in graph.inputs] == [(2, 1, 3), (1, 3)]


def test_an_open_size_that_is_no_batch_is_asked_for() -> None:
    with pytest.raises(
        UnsupportedError, match=r"input 'x': .* axis 1 \('T'\) open; .*--input-shape x="
    ):
        import_onnx(relu(["N", "T"]).SerializeToString())


@pytest.mark.parametrize(
    ("name", "shape", "message"),
    [
        (
            "image in/0",
            ["N", 3, "H", "image W"],
            "axis 2 ('H') and axis 3 ('image W') open; give all of them: --input-shape 'image in/0'=..., "
            "or each by its name, such as --input-shape H=8 --input-shape 'image W'=8",
        ),
        (
            "x",
            [1, "T", "T"],
            "axis 1 ('T') and axis 2 ('T') open; give all of them: --input-shape x=..., "
            "or each by its name, such as --input-shape T=8",
        ),
        (
            "x",
            [1, None, "T"],
            "axis 1 and axis 2 ('T') open; give all of them: --input-shape x=...",
        ),
        ("x", None, "the shape open; give all of them: --input-shape x=..."),
    ],
)
def test_all_open_sizes_are_asked_for_at_once(
    name: str, shape: Sequence[int | str | None] | None, message: str
) -> None:
    node = helper.make_node("Relu", [name], ["y"])
    data = model([node], [declared(name, shape)], [declared("y", None)]).SerializeToString()
    with pytest.raises(UnsupportedError) as found:
        import_onnx(data)
    assert str(found.value).endswith(message)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"input_shapes": {"z": (1,)}}, "input_shapes: expected names among N, x, got z"),
        ({"input_shapes": {"x": (1, 2, 3)}}, r"expected a shape of 2 sizes, got \[1, 2, 3\]"),
        ({"input_shapes": {"x": (2, 4)}}, "expected 3 along axis 1, as the file says, got 4"),
        ({"input_shapes": {"N": (2, 4)}}, r"dimension 'N': expected one size, got \[2, 4\]"),
        (
            {"input_shapes": {"N": (2,), "x": (1, 3)}},
            "expected 2 along axis 0, as given for 'N', got 1",
        ),
        ({"states": {"x": "z"}}, "states' outputs: expected names among y, got z"),
        ({"states": {"x": "y"}}, "expected an output that is no state, got 1 that all are"),
    ],
)
def test_choices_that_do_not_fit_are_wrong_use(choices: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        import_onnx(relu(["N", 3]).SerializeToString(), **choices)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "remark"),
    [
        (TensorProto.FLOAT16, "float16 is computed as float32"),
        (TensorProto.DOUBLE, "float64 is computed as float32"),
    ],
)
def test_other_floats_are_computed_as_float32(kind: int, remark: str) -> None:
    warnings: list[str] = []
    graph = import_onnx(relu([2], kind).SerializeToString(), on_warning=warnings.append)
    assert graph.inputs[0].type == TensorType((2,), graph.inputs[0].type.dtype)
    assert graph.inputs[0].type.dtype.value == "f32"
    assert warnings == [f"input 'x': {remark}"]


def test_an_input_may_be_what_an_output_was_before() -> None:
    nodes = [
        helper.make_node("Add", ["x", "sum"], ["new_sum"]),
        helper.make_node("Neg", ["new_sum"], ["y"]),
    ]
    inputs, outputs = (
        [declared("x", [2]), declared("sum", [2])],
        [declared("y", [2]), declared("new_sum", [2])],
    )
    graph = import_onnx(
        model(nodes, inputs, outputs).SerializeToString(), states={"sum": "new_sum"}
    )
    assert [value.name for value in graph.inputs] == ["x"]
    frames = [[np.array(pair, F32)] for pair in ((1, 2), (3, 4), (5, 6))]
    results = [frame["y"].tolist() for frame in evaluate_frames(graph, frames)]
    assert results == [[-1, -2], [-4, -6], [-9, -12]]


def test_an_input_whose_value_is_given_is_a_constant() -> None:
    node = helper.make_node("Reshape", ["x", "shape"], ["y"])
    inputs = [declared("x", [2, 3]), declared("shape", [2], TensorProto.INT64)]
    made = model([node], inputs, [declared("y", [3, 2])])
    with pytest.raises(UnsupportedError, match=r"operand 1 'shape' to be known while importing"):
        import_onnx(made.SerializeToString())
    x = np.arange(6, dtype=F32).reshape(2, 3)
    (y,) = computed(made, {"x": x}, input_values={"shape": np.array([3, -1])})
    assert np.array_equal(y, x.reshape(3, 2))


def test_an_output_may_be_an_input_a_constant_or_there_twice() -> None:
    nodes = [helper.make_node("Identity", ["x"], ["a"]), helper.make_node("Identity", ["x"], ["b"])]
    nodes.append(helper.make_node("Identity", ["w"], ["c"]))
    outputs = [declared(name, [2]) for name in "abc"]
    made = model(nodes, [declared("x", [2])], outputs, {"w": np.array([5, 6], F32)})
    graph = import_onnx(made.SerializeToString())
    x = np.array([1, 2], F32)
    results = evaluate_graph(graph, [x])
    assert {name: array.tolist() for name, array in results.items()} == {
        "a": [1, 2],
        "b": [1, 2],
        "c": [5, 6],
    }


def test_all_problems_are_told_at_once_and_what_follows_from_them_is_not() -> None:
    nodes = [
        helper.make_node("NoSuchThing", ["x"], ["a"]),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("StringNormalizer", ["x"], ["c"]),
        helper.make_node("Add", ["b", "c"], ["y"]),
    ]
    made = model(nodes, [declared("x", [2])], [declared("y", [2])])
    with pytest.raises(UnsupportedError) as caught:
        import_onnx(made.SerializeToString(), source="net.onnx")
    first, second = [*caught.value.problems]
    assert first.startswith("net.onnx: NoSuchThing 'a': NoSuchThing is not supported;")
    assert second.startswith("net.onnx: StringNormalizer 'c': StringNormalizer is not supported;")
    assert str(caught.value).count("Supported operators: Abs, ") == 1


def test_a_state_is_of_its_outputs_type() -> None:
    node = helper.make_node("Concat", ["x", "s"], ["z"], axis=0)
    other = helper.make_node("Neg", ["x"], ["y"])
    inputs = [declared("x", [2]), declared("s", [2])]
    made = model([node, other], inputs, [declared("y", [2]), declared("z", [4])])
    message = r"state 's': expected an output of its type, f32\[2\], got 'z' of f32\[4\]"
    with pytest.raises(UsageError, match=message):
        import_onnx(made.SerializeToString(), states={"s": "z"})


def test_one_output_may_be_listed_twice() -> None:
    node = helper.make_node("Neg", ["x"], ["y"])
    made = model([node], [declared("x", [2])], [declared("y", [2]), declared("y", [2])])
    results = evaluate_graph(import_onnx(made.SerializeToString()), [np.array([1, 2], F32)])
    assert [array.tolist() for array in results.values()] == [[-1, -2], [-1, -2]]


def test_outputs_that_are_not_as_declared_are_told() -> None:
    warnings: list[str] = []
    node = helper.make_node("Relu", ["x"], ["y"])
    for shape, kind in (([2, "N"], TensorProto.FLOAT), ([2, 4], TensorProto.INT8)):
        made = model([node], [declared("x", [2, 3])], [declared("y", shape, kind)])
        import_onnx(made.SerializeToString(), on_warning=warnings.append)
    assert warnings == [
        "output 'y': has shape [2, 3], where the file says [2, 4]",
        "output 'y': has elements of f32, where the file says int8",
    ]


@pytest.mark.parametrize(
    ("names", "constants", "message"),
    [
        ("xx", "", "expected inputs of different names, got one twice"),
        ("x", "ww", "initializer 'w': expected one of that name, got two"),
        ("xy", "", "Relu 'y': expected results of names of their own, got 'y', which is there"),
        ("x", "y", "Relu 'y': expected results of names of their own, got 'y', which is there"),
    ],
)
def test_a_name_that_is_there_twice_is_damage(names: str, constants: str, message: str) -> None:
    made = relu([2])
    made.graph.input.clear()
    made.graph.input.extend(declared(name, [2]) for name in names)
    made.graph.initializer.extend(
        numpy_helper.from_array(np.zeros(2, F32), name) for name in constants
    )
    with pytest.raises(ModelError, match=message):
        import_onnx(made.SerializeToString())


def test_what_an_operators_definition_does_not_know_is_damage() -> None:
    ends = [declared("x", [2])], [declared("y", [2])]
    stray = helper.make_node("LeakyRelu", ["x"], ["y"], slope=0.5)
    with pytest.raises(ModelError, match="'y': expected attributes among alpha, got 'slope'"):
        import_onnx(model([stray], *ends).SerializeToString())
    more = helper.make_node("Relu", ["x", "x"], ["y"])
    with pytest.raises(ModelError, match="'y': expected at most 1 operands, got 2"):
        import_onnx(model([more], *ends).SerializeToString())


def test_what_nothing_computes_is_damage() -> None:
    made = model(
        [helper.make_node("Relu", ["z"], ["y"])], [declared("x", [2])], [declared("y", [2])]
    )
    message = "Relu 'y': expected operand 'z' to be an input, a constant or the result of an operator before it"
    with pytest.raises(ModelError, match=message):
        import_onnx(made.SerializeToString())


def test_an_output_that_nothing_computes_is_damage() -> None:
    made = model(
        [helper.make_node("Relu", ["x"], ["z"])], [declared("x", [2])], [declared("y", [2])]
    )
    with pytest.raises(ModelError, match="expected output 'y' to be computed, nothing does"):
        import_onnx(made.SerializeToString())


@pytest.mark.parametrize("data", [b"", b"\x08", b"\x08\x07\x12\x04abc", b"TFL3" * 9, bytes(100)])
def test_other_data_is_no_model(data: bytes) -> None:
    with pytest.raises(ModelError, match="expected an ONNX file"):
        import_onnx(data)


@pytest.mark.parametrize(
    ("opset", "end"), [(0, "0"), (-3, "-3"), (999, "999; install a newer onnx package")]
)
def test_operator_sets_that_are_not_known_are_refused(opset: int, end: str) -> None:
    made = relu([2])
    made.opset_import[0].version = opset
    with pytest.raises(UnsupportedError, match=rf"set 1 to \d+, got {end}$"):
        import_onnx(made.SerializeToString())


def test_of_old_sets_those_operators_are_taken_that_are_the_same_since() -> None:
    old = relu([2])
    old.opset_import[0].version = 6
    assert import_onnx(old.SerializeToString()).nodes[0].name == "y"
    node = helper.make_node("Add", ["x", "x"], ["y"], broadcast=1)
    made = model([node], [declared("x", [2])], [declared("y", [2])], opset=6)
    with pytest.raises(UnsupportedError, match="operator set 7 or newer, got 6; convert the model"):
        import_onnx(made.SerializeToString())


def test_initializers_must_hold_what_they_say() -> None:
    made = convolution()
    made.graph.initializer[0].raw_data = made.graph.initializer[0].raw_data[:-4]
    with pytest.raises(
        ModelError, match=re.escape("expected 432 bytes for float[4, 3, 3, 3], got 428")
    ):
        import_onnx(made.SerializeToString())


def test_a_sparse_initializer_is_dense() -> None:
    values = onnx.numpy_helper.from_array(np.array([2, 3], F32), "w")
    indices = onnx.numpy_helper.from_array(np.array([[0, 1], [1, 0]]), "w_indices")
    made = model(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        [declared("x", [2, 2])],
        [declared("y", [2, 2])],
    )
    made.graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [2, 2]))
    (y,) = computed(made, {"x": np.zeros((2, 2), F32)})
    assert y.tolist() == [[0, 2], [3, 0]]
    indices.CopyFrom(onnx.numpy_helper.from_array(np.array([[0, 1], [2, 0]]), "w_indices"))
    made.graph.sparse_initializer[0].indices.CopyFrom(indices)
    with pytest.raises(ModelError, match="expected a place within"):
        import_onnx(made.SerializeToString())


def test_operators_of_other_domains_are_imported_by_a_users_rules() -> None:
    def doubled(context: OperatorContext) -> Results:
        x: Tensor = context.tensor(0)
        return add(context.c, x, x)

    node = helper.make_node("Twice", ["x"], ["y"], domain="acme")
    made = model([node], [declared("x", [2])], [declared("y", [2])], domains=["acme"])
    with pytest.raises(UnsupportedError) as found:
        import_onnx(made.SerializeToString(), source="net.onnx")
    assert str(found.value) == (
        "net.onnx: acme.Twice 'y': Twice is not supported: domain 'acme' is unknown; a plug-in can bring its "
        "operators, see docs/writing_a_plugin.md"
    )
    with pytest.raises(UnsupportedError, match=r"express it .*\n.* acme\.Thrice,"):
        import_onnx(made.SerializeToString(), custom={"acme.Thrice": Rule(doubled)})
    (y,) = computed(made, {"x": np.array([1, 2], F32)}, custom={"acme.Twice": Rule(doubled)})
    assert y.tolist() == [2, 4]


def test_attributes_of_another_type_are_damage() -> None:
    made = model(
        [helper.make_node("Concat", ["x"], ["y"], axis=0.5)],
        [declared("x", [2])],
        [declared("y", [2])],
    )
    with pytest.raises(ModelError, match="expected attribute 'axis' of type INT, got FLOAT"):
        import_onnx(made.SerializeToString())


@pytest.mark.parametrize("exponent", [np.array(2, np.int64), np.array(2.0, F32)])
def test_integers_are_raised_to_known_powers_exactly(exponent: Array) -> None:
    x = np.array([5001, -40001], np.int64)
    (found,) = computed(one("Pow", [x, exponent], known=[1]), {"x0": x})
    assert found.tolist() == [5001**2, 40001**2]
