import os
from pathlib import Path

import numpy as np
import onnx
import pytest
from models import declared, model
from onnx import TensorProto, helper
from onnx.external_data_helper import (
    convert_model_to_external_data,
    load_external_data_for_model,
    write_external_data_tensors,
)
from tinsmith_ir import ModelError, TinsmithError, UsageError, evaluate_graph
from tinsmith_onnx import import_onnx

WEIGHTS = np.arange(4, dtype=np.float32)


def saved(folder: Path, location: str, **entries: str) -> Path:
    """A model whose addend lies in a file of its own."""
    made = model(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        [declared("x", [4])],
        [declared("y", [4])],
        {"w": WEIGHTS},
    )
    tensor = made.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, text in {"location": location, **entries}.items():
        tensor.external_data.add(key=key, value=text)
    path = folder / "net.onnx"
    path.write_bytes(made.SerializeToString())
    return path


def test_data_beside_the_model_are_read(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "w.bin").write_bytes(b"\0" * 8 + WEIGHTS.tobytes() + b"\0")
    path = saved(tmp_path, "data/w.bin", offset="8", length="16")
    (y,) = evaluate_graph(import_onnx(path), [np.zeros(4, np.float32)]).values()
    assert np.array_equal(y, WEIGHTS)


def test_files_that_the_onnx_package_writes_are_read(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(WEIGHTS.tobytes())
    made = onnx.ModelProto.FromString(saved(tmp_path, "w.bin").read_bytes())
    load_external_data_for_model(made, str(tmp_path))
    convert_model_to_external_data(made, location="other.bin", size_threshold=0)
    (tmp_path / "other.onnx").write_bytes(
        write_external_data_tensors(made, str(tmp_path)).SerializeToString()
    )
    assert import_onnx(tmp_path / "other.onnx").constants[0].data.tolist() == WEIGHTS.tolist()


@pytest.mark.parametrize(
    "location",
    [
        "",
        "..",
        "../secret.bin",
        "a/../../secret.bin",
        "/etc/passwd",
        "a\\b",
        "//host/x",
        "a\0b",
        "~root/../../x",
    ],
)
def test_nothing_outside_of_the_folder_is_read(location: str, tmp_path: Path) -> None:
    (tmp_path / "secret.bin").write_bytes(WEIGHTS.tobytes())
    (tmp_path / "inner").mkdir()
    path = saved(tmp_path / "inner", location)
    with pytest.raises(TinsmithError, match="below the model's folder"):
        import_onnx(path)


@pytest.mark.parametrize("is_folder", [False, True])
def test_links_are_not_followed(tmp_path: Path, is_folder: bool) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "w.bin").write_bytes(WEIGHTS.tobytes())
    inner = tmp_path / "inner"
    inner.mkdir()
    if is_folder:
        (inner / "data").symlink_to(outside)
        path = saved(inner, "data/w.bin")
    else:
        (inner / "w.bin").symlink_to(outside / "w.bin")
        path = saved(inner, "w.bin")
    with pytest.raises(UsageError, match="a plain file below the model's folder"):
        import_onnx(path)


def test_what_is_no_plain_file_is_not_opened_for_ever(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "w.bin")
    with pytest.raises(ModelError, match="a plain file"):
        import_onnx(saved(tmp_path, "w.bin"))


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"offset": "1"}, r"expected 16 bytes for float\[4\], got 15"),
        ({"offset": "17"}, "expected 0 bytes from 17 on in w.bin, which has 16"),
        (
            {"length": "99999999999"},
            r"expected 99,999,999,999 bytes from 0 on in w.bin, which has 16",
        ),
        ({"length": "-1"}, "expected length in bytes, got '-1'"),
        ({"offset": "1e3"}, "expected offset in bytes, got '1e3'"),
    ],
)
def test_places_must_be_in_the_file(entries: dict[str, str], message: str, tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(WEIGHTS.tobytes())
    with pytest.raises(ModelError, match=message):
        import_onnx(saved(tmp_path, "w.bin", **entries))


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"initializer 'w': cannot read its data in w\.bin.*No such file"
    ):
        import_onnx(saved(tmp_path, "w.bin"))


def test_bytes_have_no_folder(tmp_path: Path) -> None:
    data = saved(tmp_path, "w.bin").read_bytes()
    with pytest.raises(UsageError, match="give the model as a path, not as bytes"):
        import_onnx(data)
    (tmp_path / "w.bin").write_bytes(WEIGHTS.tobytes())
    assert import_onnx(data, folder=tmp_path).constants[0].data.tolist() == WEIGHTS.tolist()
