import contextlib
import os
import struct
import zipfile
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from tinsmith_driver.inputs import load_samples, random_samples
from tinsmith_ir import DType, Graph, Node, Quantization, Softmax, TensorType, UsageError, Value

INT8 = TensorType((1, 2, 3), DType.INT8, Quantization.per_tensor(0.5, 0))


def _graph(*inputs: TensorType) -> Graph:
    values = tuple(Value(f"in{index}", type_) for index, type_ in enumerate(inputs))
    return Graph("test", values, values, ())


def _save(path: Path, **arrays: np.ndarray) -> Path:
    np.savez(path, allow_pickle=False, **arrays)
    return path


def test_a_group_without_batch_dimension_gets_one(tmp_path: Path) -> None:
    path = _save(tmp_path / "x.npz", x_real=np.zeros((4, 2, 3), np.int8))
    (samples,) = load_samples(path, _graph(INT8))
    assert samples.group == "real"
    assert samples.inputs[0].shape == (4, 1, 2, 3)


def test_groups_of_another_dtype_are_left_out(tmp_path: Path) -> None:
    path = _save(
        tmp_path / "x.npz",
        x_real=np.zeros((4, 2, 3), np.int8),
        x_float=np.zeros((4, 2, 3), np.float32),
    )
    assert [samples.group for samples in load_samples(path, _graph(INT8))] == ["real"]


def test_samples_that_are_channels_first_as_in_the_file_are_turned(tmp_path: Path) -> None:
    image = TensorType((1, 4, 5, 3), DType.INT8, Quantization.per_tensor(0.5, 0))
    x = np.arange(2 * 60, dtype=np.int8).reshape(2, 3, 4, 5)
    path = _save(tmp_path / "x.npz", x=x, y=x)
    (samples,) = load_samples(path, _graph(image), file_shapes={"in0": (1, 3, 4, 5)})
    assert np.array_equal(samples.inputs[0], x.transpose(0, 2, 3, 1)[:, None])
    assert samples.expected is not None
    assert np.array_equal(samples.expected[0], samples.inputs[0])
    with pytest.raises(UsageError, match=r"shape \[3, 4, 5\], the model wants \[1, 4, 5, 3\]"):
        load_samples(path, _graph(image))


def test_samples_that_fit_both_orders_are_channels_last_with_a_warning(tmp_path: Path) -> None:
    image = TensorType((1, 3, 3, 3), DType.INT8, Quantization.per_tensor(0.5, 0))
    x = np.arange(2 * 27, dtype=np.int8).reshape(2, 1, 3, 3, 3)
    path = _save(tmp_path / "x.npz", x=x, y=x)
    (samples,) = load_samples(path, _graph(image), file_shapes={"in0": (1, 3, 3, 3)})
    assert np.array_equal(samples.inputs[0], x)
    assert [warning.partition(", ")[0] for warning in samples.warnings] == [
        "x holds samples for in0",
        "y holds samples for in0",
    ]
    assert "which may be (N, H, W, C) or (N, C, H, W)" in samples.warnings[0]
    assert "give --as-in-file" in samples.warnings[0]
    (as_in_file,) = load_samples(path, _graph(image))
    assert as_in_file.warnings == ()


def test_an_order_that_makes_no_difference_needs_no_warning(tmp_path: Path) -> None:
    path = _save(tmp_path / "x.npz", x=np.zeros((2, 1, 1, 1), np.int8))
    pixel = TensorType((1, 1, 1, 1), DType.INT8, Quantization.per_tensor(0.5, 0))
    (samples,) = load_samples(path, _graph(pixel), file_shapes={"in0": (1, 1, 1, 1)})
    assert samples.warnings == ()


def _classifier() -> Graph:
    value = Value("in0", INT8)
    result = Value("out0", INT8)
    return Graph("test", (value,), (result,), (Node(Softmax(), (value,), (result,)),))


def test_labels_are_left_out_where_nothing_is_classified(tmp_path: Path) -> None:
    x = np.zeros((2, 2, 3), np.int8)
    (samples,) = load_samples(_save(tmp_path / "x.npz", x=x, label=np.array([0, 1])), _graph(INT8))
    assert samples.labels is None


def test_expected_outputs_and_labels_come_along(tmp_path: Path) -> None:
    x = np.arange(12, dtype=np.int8).reshape(2, 2, 3)
    path = _save(tmp_path / "x.npz", x=x, y=x, label=np.array([3, 1]))
    (samples,) = load_samples(path, _classifier())
    assert samples.expected is not None
    assert np.array_equal(samples.expected[0], x.reshape(2, 1, 2, 3))
    assert samples.labels is not None
    assert samples.labels.tolist() == [3, 1]


def test_several_inputs_are_numbered(tmp_path: Path) -> None:
    path = _save(
        tmp_path / "x.npz", x0=np.zeros((2, 2, 3), np.int8), x1=np.ones((2, 2, 3), np.int8)
    )
    (samples,) = load_samples(path, _graph(INT8, INT8))
    assert [int(array.max()) for array in samples.inputs] == [0, 1]


def test_names_of_several_inputs_are_told_where_they_are_missing(tmp_path: Path) -> None:
    path = _save(tmp_path / "x.npz", x_0=np.zeros((4, 2, 3), np.int8))
    with pytest.raises(
        UsageError, match=r"expected arrays `x0` to `x1` \(or `x0_GROUP`, ...\) for"
    ):
        load_samples(path, _graph(INT8, INT8))


_INT16 = TensorType((1, 2, 3), DType.INT16, Quantization.per_tensor(0.5, 0))
_INT32, _INT64, _FLOAT, _BOOL = (
    TensorType((1, 2, 3), dtype) for dtype in (DType.INT32, DType.INT64, DType.FLOAT32, DType.BOOL)
)


@pytest.mark.parametrize(
    ("found", "type_"),
    [
        (np.float16, _FLOAT),
        (np.float64, _FLOAT),
        (">f4", _FLOAT),
        (np.int8, _INT16),
        (np.int32, _INT64),
        (np.int64, _INT32),
        (np.bool_, _BOOL),
    ],
)
def test_samples_become_what_the_model_takes(
    found: np.dtype[np.generic] | str, type_: TensorType, tmp_path: Path
) -> None:
    x = np.array([[[0, 1, 2], [3, 4, 5]]]).astype(found)
    path = _save(tmp_path / "x.npz", x=x, y=x)
    (samples,) = load_samples(path, _graph(type_))
    assert samples.expected is not None
    for array in (*samples.inputs, *samples.expected):
        assert array.dtype == type_.dtype.numpy
        assert np.array_equal(array[0], x.astype(type_.dtype.numpy))


def test_float64_is_rounded_to_the_nearest(tmp_path: Path) -> None:
    x = np.full((1, 2, 3), 0.1)
    x[0, 0, :2] = np.nan, -np.inf
    (samples,) = load_samples(_save(tmp_path / "x.npz", x=x), _graph(_FLOAT))
    assert samples.inputs[0][0, 0, 1, 2] == np.float32(0.1)
    assert np.isnan(samples.inputs[0][0, 0, 0, 0])
    assert np.isneginf(samples.inputs[0][0, 0, 0, 1])


@pytest.mark.parametrize(
    ("found", "type_"),
    [
        (np.float32, _INT64),
        (np.int8, _FLOAT),
        (np.uint8, INT8),
        (np.uint8, _INT16),
        (np.int16, INT8),
        (np.int64, INT8),
        (np.bool_, INT8),
        (np.uint8, _BOOL),
    ],
)
def test_samples_of_another_kind_are_refused(
    found: type[np.generic], type_: TensorType, tmp_path: Path
) -> None:
    path = _save(tmp_path / "x.npz", x=np.zeros((4, 2, 3), found))
    with pytest.raises(UsageError, match=rf"got x: {np.dtype(found).name}\[4, 2, 3\]"):
        load_samples(path, _graph(type_))


@pytest.mark.parametrize(
    ("value", "found", "type_"), [(1 << 31, np.int64, _INT32), (-1e39, np.float64, _FLOAT)]
)
def test_samples_that_the_model_cannot_hold_are_refused(
    value: float, found: type[np.generic], type_: TensorType, tmp_path: Path
) -> None:
    x = np.zeros((4, 2, 3), found)
    x[3, 1, 2] = value
    path = _save(tmp_path / "x.npz", x=x)
    name = type_.dtype.numpy.name
    with pytest.raises(UsageError, match=rf"x\.npz: x: expected elements that {name} holds, got"):
        load_samples(path, _graph(type_))
    (samples,) = load_samples(path, _graph(type_), 3)
    assert not samples.inputs[0].any()


def test_groups_of_the_model_are_preferred_to_those_that_would_become_such(tmp_path: Path) -> None:
    zeros = np.zeros((4, 2, 3), np.int8)
    path = _save(tmp_path / "x.npz", x_narrow=zeros, x=zeros.astype(np.int16))
    assert [samples.group for samples in load_samples(path, _graph(_INT16))] == [""]


def test_samples_that_fill_the_memory_when_they_become_wider_are_refused(tmp_path: Path) -> None:
    path = _archive(tmp_path / "x.npz", x=_npy("(2000000, 2, 3)"))
    with pytest.raises(UsageError, match=r"96,000,000 bytes of samples"):
        load_samples(path, _graph(_INT64))


def test_wrong_shape_names_both_shapes(tmp_path: Path) -> None:
    path = _save(tmp_path / "x.npz", x=np.zeros((4, 3, 2), np.int8))
    with pytest.raises(UsageError, match=r"\[3, 2\].*\[1, 2, 3\]"):
        load_samples(path, _graph(INT8))


def test_wrong_shape_names_that_of_the_file_too(tmp_path: Path) -> None:
    image = TensorType((1, 8, 8, 3), DType.INT8, Quantization.per_tensor(0.5, 0))
    path = _save(tmp_path / "x.npz", x=np.zeros((4, 8, 3, 8), np.int8))
    wanted = r"wants \[1, 8, 8, 3\] or, as in its file, \[1, 3, 8, 8\]$"
    with pytest.raises(UsageError, match=wanted):
        load_samples(path, _graph(image), file_shapes={"in0": (1, 3, 8, 8)})


def test_a_file_without_inputs_for_the_model_is_refused(tmp_path: Path) -> None:
    path = _save(tmp_path / "x.npz", x=np.zeros((4, 2, 3), np.uint8))
    with pytest.raises(UsageError, match="x_GROUP"):
        load_samples(path, _graph(INT8))


def test_real_numbers_become_the_integers_that_stand_for_them(tmp_path: Path) -> None:
    """Where there are no integers; what was expected was of another network."""
    type_ = TensorType((1, 2, 3), DType.INT8, Quantization.per_tensor(0.5, 3))
    x = np.array([[[0.0, 0.5, -0.7], [1e9, -1e9, 0.24]]], np.float32)
    path = _save(tmp_path / "x.npz", x=x, y=x)
    (samples,) = load_samples(path, _graph(type_))
    assert samples.inputs[0].tolist() == [[[[3, 4, 2], [127, -128, 3]]]]
    assert samples.expected is None
    both = _save(tmp_path / "both.npz", x_real=x, x=np.zeros((1, 2, 3), np.int8))
    assert [found.group for found in load_samples(both, _graph(type_))] == [""]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not a zip", b"plain text"])
def test_a_file_that_is_no_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.npz"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"x\.npz"):
        load_samples(path, _graph(INT8))


def test_inputs_and_outputs_must_be_as_many(tmp_path: Path) -> None:
    x = np.zeros((2, 2, 3), np.int8)
    path = _save(tmp_path / "x.npz", x=x, y=x[:1])
    with pytest.raises(UsageError, match="2 inputs"):
        load_samples(path, _graph(INT8))


def test_random_samples_are_the_same_every_time_and_use_the_whole_range() -> None:
    samples = random_samples(_graph(INT8), 200)
    again = random_samples(_graph(INT8), 200)
    assert np.array_equal(samples.inputs[0], again.inputs[0])
    assert samples.inputs[0].min() == -128
    assert samples.inputs[0].max() == 127


def test_labels_of_another_shape_are_left_out(tmp_path: Path) -> None:
    x = np.zeros((2, 2, 3), np.int8)
    for number, label in enumerate((np.array(3), np.zeros((2, 6)), np.zeros(3))):
        path = _save(tmp_path / f"{number}.npz", x=x, label=label)
        assert load_samples(path, _classifier())[0].labels is None


def _npy(shape: str) -> bytes:
    """An .npy file of 24 zeros, whatever its header says of them."""
    header = f"{{'descr': '|i1', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(24)


def _archive(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return path


@pytest.mark.parametrize(
    "shape",
    [
        "(10**15, 2, 3)",
        "(-4, 2, 3)",
        "(100, 2, 3)",
        "(1, 2, 3)",
        "(4, 2, 3), 'more': 1",
        pytest.param("(" * 500, id="nested"),
        pytest.param("(" * 9000, id="nested deeply"),
        pytest.param("9" * 900 + ",", id="long number"),
    ],
)
def test_a_header_that_lies_is_wrong_use(shape: str, tmp_path: Path) -> None:
    path = _archive(tmp_path / "x.npz", x=_npy(shape))
    with pytest.raises(UsageError, match="cannot read the samples"):
        load_samples(path, _graph(INT8))


def test_samples_that_fill_the_memory_are_refused_unless_fewer_are_wanted(tmp_path: Path) -> None:
    zeros = _npy("(1000000000000, 2, 3)")
    path = _archive(tmp_path / "x.npz", x=zeros, y=zeros, x_other=zeros)
    with pytest.raises(UsageError, match=r"12,000,000,000,000|--samples"):
        load_samples(path, _graph(INT8))
    assert [len(samples) for samples in load_samples(path, _graph(INT8), 4)] == [4, 4]


def test_only_the_samples_that_are_wanted_are_read(tmp_path: Path) -> None:
    x = np.arange(60, dtype=np.int8).reshape(10, 2, 3)
    path = _save(tmp_path / "x.npz", x=x, y=x, label=np.arange(10))
    (samples,) = load_samples(path, _classifier(), 3)
    assert np.array_equal(samples.inputs[0][:, 0], x[:3])
    assert samples.expected is not None
    assert np.array_equal(samples.expected[0][:, 0], x[:3])
    assert samples.labels is not None
    assert samples.labels.tolist() == [0, 1, 2]


@pytest.mark.parametrize("order", ["C", "F"])
def test_column_major_arrays_hold_the_same_samples(
    order: Literal["C", "F"], tmp_path: Path
) -> None:
    x = np.arange(60, dtype=np.int8).reshape(10, 2, 3)
    path = _save(tmp_path / "x.npz", x=np.array(x, order=order))
    (samples,) = load_samples(path, _graph(INT8), 4)
    assert np.array_equal(samples.inputs[0][:, 0], x[:4])


def test_large_column_major_arrays_are_refused(tmp_path: Path) -> None:
    path = _archive(tmp_path / "x.npz", x=_npy("(10000000, 2, 3)").replace(b"False", b"True "))
    with pytest.raises(UsageError, match="ascontiguousarray"):
        load_samples(path, _graph(INT8), 1)


@pytest.mark.parametrize("names", [("x", "x0"), ("x0", "x00"), ("x_real", "x0_real")])
def test_two_names_for_one_array_are_refused(names: tuple[str, str], tmp_path: Path) -> None:
    x = np.zeros((2, 2, 3), np.int8)
    path = _save(tmp_path / "x.npz", **dict.fromkeys(names, x))
    with pytest.raises(UsageError, match=f"{names[0]} and {names[1]} are the same"):
        load_samples(path, _graph(INT8))


def test_two_arrays_of_one_name_are_refused(tmp_path: Path) -> None:
    path = _archive(tmp_path / "x.npz", x=_npy("(2, 2, 3)"))
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("x.npy", _npy("(4, 2, 3)"))
    with pytest.raises(UsageError, match="two arrays called x"):
        load_samples(path, _graph(INT8))


def test_a_number_that_is_left_out_is_refused(tmp_path: Path) -> None:
    x = np.zeros((2, 2, 3), np.int8)
    with pytest.raises(UsageError, match="x2 is there, but no array with number 1"):
        load_samples(_save(tmp_path / "x.npz", x0=x, x2=x), _graph(INT8, INT8))


def test_a_number_that_nobody_can_read_is_no_number(tmp_path: Path) -> None:
    x = _npy("(2, 2, 3)")
    path = _archive(tmp_path / "x.npz", **{"x" + "9" * 5000: x})
    with pytest.raises(UsageError, match="got none"):
        load_samples(path, _graph(INT8))


def test_outputs_of_another_dtype_are_refused(tmp_path: Path) -> None:
    x = np.zeros((2, 2, 3), np.int8)
    path = _save(tmp_path / "x.npz", x=x, y=x.astype(np.float32))
    with pytest.raises(
        UsageError, match=r"int8\[1, 2, 3\].*float32\[2, 2, 3\].*group of their own"
    ):
        load_samples(path, _graph(INT8))


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no file"):
        load_samples(Path(os.devnull), _graph(INT8))
    with pytest.raises(UsageError, match="no file"):
        load_samples(tmp_path, _graph(INT8))


def test_every_single_byte_may_be_wrong(tmp_path: Path) -> None:
    good = _save(tmp_path / "good.npz", x=np.zeros((2, 2, 3), np.int8)).read_bytes()
    path = tmp_path / "bad.npz"
    for position in range(len(good)):
        path.write_bytes(good[:position] + bytes([good[position] ^ 0x55]) + good[position + 1 :])
        with contextlib.suppress(UsageError):
            load_samples(path, _graph(INT8))


def test_an_npy_file_is_not_an_archive(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((2, 2, 3), np.int8))
    with pytest.raises(UsageError, match="whole"):
        load_samples(tmp_path / "x.npy", _graph(INT8))


def test_members_that_are_no_arrays_are_left_out(tmp_path: Path) -> None:
    path = _save(tmp_path / "x.npz", x=np.zeros((2, 2, 3), np.int8))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("x_note.txt", "hello")
        archive.writestr("x_other", "hello")
    assert len(load_samples(path, _graph(INT8))) == 1
