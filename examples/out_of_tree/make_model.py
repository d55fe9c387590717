"""Writes network.tflite: a convolution, the custom operator ThresholdedRelu, a max pool. `python make_model.py FILE`"""

import struct
import sys
from pathlib import Path
from typing import Any

import flatbuffers  # pyright: ignore[reportMissingTypeStubs]
import numpy as np
import tflite  # pyright: ignore[reportMissingTypeStubs]

THETA = 0.5
_FILTERS = 8


def model() -> bytes:
    """The file."""
    random = np.random.default_rng(1)
    b: Any = flatbuffers.Builder(1024)
    weights = random.integers(-127, 128, (_FILTERS, 3, 3, 4), np.int8)
    bias = random.integers(-500, 500, _FILTERS, np.int32)
    data = [None, weights, bias, None, None, None]
    # The first buffer is empty by custom; of each tensor without data, so is its own.
    buffers = [_table(b, "Buffer")] + [
        _table(b, "Buffer", **({} if a is None else {"Data": b.CreateByteVector(a.tobytes())}))
        for a in data
    ]
    tensors = [
        _tensor(b, 1, "image", (1, 16, 16, 4), "INT8", 0.05, -10),
        _tensor(b, 2, "weights", weights.shape, "INT8", 0.01, 0),
        _tensor(b, 3, "bias", bias.shape, "INT32", 0.0005, 0),
        _tensor(b, 4, "features", (1, 16, 16, _FILTERS), "INT8", 0.1, 3),
        _tensor(b, 5, "strong", (1, 16, 16, _FILTERS), "INT8", 0.1, 3),
        _tensor(b, 6, "pooled", (1, 8, 8, _FILTERS), "INT8", 0.1, 3),
    ]
    convolution = _table(b, "Conv2DOptions", StrideH=1, StrideW=1)
    pool = _table(b, "Pool2DOptions", StrideH=2, StrideW=2, FilterHeight=2, FilterWidth=2)
    custom = b.CreateByteVector(struct.pack("<f", THETA))
    operators = [
        _operator(b, 0, [0, 1, 2], [3], "Conv2DOptions", BuiltinOptions=convolution),
        _operator(b, 1, [3], [4], "NONE", CustomOptions=custom),
        _operator(b, 2, [4], [5], "Pool2DOptions", BuiltinOptions=pool),
    ]
    codes = [
        _code(b, "CONV_2D"),
        _code(b, "CUSTOM", CustomCode=b.CreateString("ThresholdedRelu")),
        _code(b, "MAX_POOL_2D"),
    ]
    graph = _table(
        b,
        "SubGraph",
        Tensors=_tables(b, tensors),
        Inputs=_integers(b, [0]),
        Outputs=_integers(b, [5]),
        Operators=_tables(b, operators),
    )
    parts = {"OperatorCodes": codes, "Subgraphs": [graph], "Buffers": buffers}
    b.Finish(
        _table(b, "Model", Version=3, **{name: _tables(b, part) for name, part in parts.items()}),
        b"TFL3",
    )
    return bytes(b.Output())


def _tensor(
    b: Any, buffer: int, name: str, shape: tuple[int, ...], kind: str, scale: float, zero: int
) -> int:
    quantization = _table(
        b,
        "QuantizationParameters",
        Scale=b.CreateNumpyVector(np.array([scale], np.float32)),
        ZeroPoint=b.CreateNumpyVector(np.array([zero], np.int64)),
    )
    return _table(
        b,
        "Tensor",
        Shape=_integers(b, shape),
        Type=getattr(tflite.TensorType, kind),
        Buffer=buffer,
        Name=b.CreateString(name),
        Quantization=quantization,
    )


def _operator(
    b: Any, code: int, inputs: list[int], outputs: list[int], options: str, **more: int
) -> int:
    return _table(
        b,
        "Operator",
        OpcodeIndex=code,
        Inputs=_integers(b, inputs),
        Outputs=_integers(b, outputs),
        BuiltinOptionsType=getattr(tflite.BuiltinOptions, options),
        **more,
    )


def _code(b: Any, kind: str, **more: int) -> int:
    code = getattr(tflite.BuiltinOperator, kind)
    return _table(
        b, "OperatorCode", DeprecatedBuiltinCode=code, BuiltinCode=code, Version=1, **more
    )


def _table(b: Any, kind: str, **fields: Any) -> int:
    """A table with these fields; what they point to is there already."""
    values = {
        name: b.CreateString(value) if isinstance(value, str) else value
        for name, value in fields.items()
    }
    getattr(tflite, f"{kind}Start")(b)
    for name, value in values.items():
        getattr(tflite, f"{kind}Add{name}")(b, value)
    return getattr(tflite, f"{kind}End")(b)


def _integers(b: Any, values: Any) -> int:
    return b.CreateNumpyVector(np.array(values, np.int32))


def _tables(b: Any, offsets: list[int]) -> int:
    b.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        b.PrependUOffsetTRelative(offset)
    return b.EndVector()


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(model())
