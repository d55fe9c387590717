"""ONNX files by the command: what they leave open is chosen, samples come as the file or as the graph has them."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tinsmith_driver.cli import main

F32 = np.float32


def network(path: Path) -> str:
    """A convolution with a clamp, and a mean: (N, 2, H, 6) -> (N, 3), and the image between."""
    weights = np.random.default_rng(0).standard_normal((3, 2, 3, 3)).astype(F32)
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["image"]),
        helper.make_node("ReduceMean", ["image"], ["mean"], axes=[2, 3], keepdims=0),
    ]
    tensors = {"x": ["N", 2, "H", 6], "image": ["N", 3, "H", 6], "mean": ["N", 3]}
    x, *outputs = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in tensors.items()
    )
    graph = helper.make_graph(nodes, "g", [x], outputs, [numpy_helper.from_array(weights, "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    path.write_bytes(model.SerializeToString())
    return str(path)


def accumulator(path: Path) -> str:
    """A sum that the network is given back."""
    node = helper.make_node("Add", ["x", "past"], ["present"])
    twice = helper.make_node("Add", ["present", "present"], ["y"])
    x, past, present, y = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [2])
        for name in ("x", "past", "present", "y")
    )
    graph = helper.make_graph([node, twice], "g", [x, past], [y, present])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    path.write_bytes(model.SerializeToString())
    return str(path)


def test_samples_may_be_channels_first_or_last(tmp_path: Path) -> None:
    model = network(tmp_path / "net.onnx")
    first = np.random.default_rng(1).standard_normal((4, 2, 5, 6)).astype(F32)
    results: list[list[np.ndarray]] = []
    for name, x in (("first", first), ("last", np.moveaxis(first, 1, -1))):
        np.savez(tmp_path / f"{name}.npz", x=x)
        arguments = ["run", model, "--target", "host", "--input-shape", "x=1,2,5,6"]
        files = ["--inputs", str(tmp_path / f"{name}.npz"), "--outputs", str(tmp_path / "y.npz")]
        assert main([*arguments, *files]) == 0
        with np.load(tmp_path / "y.npz") as outputs:
            results.append([outputs[key] for key in ("y0", "y1")])
    assert all(np.array_equal(*pair) for pair in zip(*results, strict=True))
    assert results[0][0].shape == (4, 1, 5, 6, 3)


def test_samples_that_fit_both_orders_are_told_and_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = np.random.default_rng(0).standard_normal((3, 3, 1, 1)).astype(F32)
    node = helper.make_node("Conv", ["x", "w"], ["y"])
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, 3, 3, 3]) for n in "xy")
    graph = helper.make_graph([node], "g", [x], [y], [numpy_helper.from_array(weights, "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    (tmp_path / "net.onnx").write_bytes(model.SerializeToString())
    images = np.random.default_rng(1).standard_normal((2, 3, 3, 3)).astype(F32)
    results = np.einsum("oi,nihw->nohw", weights[:, :, 0, 0], images)
    np.savez(tmp_path / "xy.npz", x=images, y=results)
    report = tmp_path / "report.json"
    arguments = ["verify", str(tmp_path / "net.onnx"), "--target", "host", "--json", str(report)]
    arguments += ["--inputs", str(tmp_path / "xy.npz")]
    assert main(arguments) == 1
    error = capsys.readouterr().err
    for name in "xy":
        assert error.count(f"warning: {name} holds samples for {name}, [1, 3, 3, 3]") == 1
    told = [text for text in json.loads(report.read_text())["warnings"] if "holds samples" in text]
    assert len(told) == 2
    assert main([*arguments, "--as-in-file"]) == 0
    assert "holds samples" not in capsys.readouterr().err


def test_as_in_file_images_stay_channels_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = network(tmp_path / "net.onnx")
    shape = ["--input-shape", "H=5"]
    assert main(["show", model, *shape]) == 0
    assert "input %x: f32[1,5,6,2]" in capsys.readouterr().out
    assert main(["show", model, *shape, "--as-in-file"]) == 0
    assert "input %x: f32[1,2,5,6]" in capsys.readouterr().out


def test_sizes_that_are_open_are_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = network(tmp_path / "net.onnx")
    assert main(["check", model, "--target", "host"]) == 1
    assert "axis 2 ('H') open; give all of them: --input-shape x=" in capsys.readouterr().err
    assert main(["check", model, "--target", "host", "--input-shape", "x=1,2,5,6"]) == 0
    error = capsys.readouterr().err
    assert "warning: x is [1, 5, 6, 2], channels last (in the file [1, 2, 5, 6])" in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--input-shape", "x"], "expected NAME=VALUE, got 'x'"),
        (["--input-shape", "x=1,a"], "expected a whole number from 1, got 'a'"),
        (["--input-shape", "H=5", "--input-shape", "H=6"], "expected each name once, got H, H"),
        (["--input-shape", "z=5"], "expected names among H, N, x, got z"),
        (["--state", "x=y"], "expected names among image, mean, got y"),
    ],
)
def test_choices_that_are_wrong_are_wrong_use(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = network(tmp_path / "net.onnx")
    assert main(["check", model, "--target", "host", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_files_that_leave_nothing_open_take_no_choice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "net.tsm"
    text.write_text('graph 2 "g" {\n input %x: f32[2]\n %y: f32[2] = relu(%x)\n output %y\n}')
    assert main(["check", str(text), "--target", "host", "--as-in-file"]) == 2
    assert "expected no --as-in-file: IR text files say it themselves" in capsys.readouterr().err


def test_a_state_is_kept_from_run_to_run(tmp_path: Path) -> None:
    model = accumulator(tmp_path / "sum.onnx")
    np.savez(
        tmp_path / "x.npz", x=np.array([[1, 2], [3, 4]], F32), y=np.array([[2, 4], [8, 12]], F32)
    )
    report = tmp_path / "report.json"
    arguments = ["verify", model, "--target", "cortex-m4", "--state", "past=present"]
    files = ["--inputs", str(tmp_path / "x.npz"), "--json", str(report)]
    assert main([*arguments, *files]) == 0
    assert json.loads(report.read_text())["run"]["bit_exact"]


def test_external_data_are_found_through_a_link_to_the_model(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    model = onnx.ModelProto.FromString(Path(network(tmp_path / "net.onnx")).read_bytes())
    tensor = model.graph.initializer[0]
    (folder / "w.bin").write_bytes(tensor.raw_data)
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="w.bin")
    (folder / "net.onnx").write_bytes(model.SerializeToString())
    (tmp_path / "link.onnx").symlink_to(folder / "net.onnx")
    shape = ["--input-shape", "H=5"]
    assert main(["check", str(tmp_path / "link.onnx"), "--target", "host", *shape]) == 0
