"""Codes of integers: there and back, what they take, and bytes that are no code."""

import numpy as np
import pytest
from tinsmith_ir import EvaluationError, GraphError
from tinsmith_ir.boxes import Box
from tinsmith_ir.compression import Compression, compress, decompress
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Decompress
from tinsmith_ir.types import Quantization, TensorType


@pytest.mark.parametrize("code", Compression)
@pytest.mark.parametrize("spread", [0.2, 1, 8, 60, 400])
def test_there_and_back(code: Compression, spread: float) -> None:
    random = np.random.default_rng(int(spread * 10))
    for size in (0, 1, 2, 12, 13, 17, 300, 5000):
        data = np.clip(random.normal(0, spread, size).round(), -128, 127).astype(np.int8)
        for repeats in (1, 30):
            values = np.repeat(data, repeats)
            found = compress(values, code)
            assert decompress(found.tobytes(), values.size, code) == values.tobytes()
            assert compress(values, code).tobytes() == found.tobytes()


def test_rice_by_hand() -> None:
    """z of 0, -1, 1 and 2 is 0, 1, 2 and 4; with k = 0 these are as many ones and a zero."""
    values = np.array([0, -1, 1, 2, 0, 0, 0, 0], np.int8)
    code = compress(values, Compression.RICE)
    assert code.tolist() == [0, 0b01011011, 0b11000000, 0, 0, 0, 0]
    largest = compress(np.array([-128] + [0] * 30, np.int8), Compression.RICE)
    assert largest.tolist()[:4] == [0, 0xFF, 0xFF, 0xFF]


def test_lz4_by_hand() -> None:
    """A literal, 94 times the byte before, and five literals to end with."""
    code = compress(np.full(100, 7, np.int8), Compression.LZ4)
    assert code.tolist() == [0x1F, 7, 1, 0, 94 - 4 - 15, 0x50, 7, 7, 7, 7, 7]


def test_little_is_taken_of_what_has_little_in_it() -> None:
    random = np.random.default_rng(1)
    normal = np.clip(random.normal(0, 4, 10_000).round(), -128, 127).astype(np.int8)
    _, counts = np.unique(normal, return_counts=True)
    share = counts / normal.size
    entropy = -(share * np.log2(share)).sum() / 8 * normal.size
    assert compress(normal, Compression.RICE).size < 1.06 * entropy
    sparse = np.zeros(60_000, np.int8)
    sparse[random.integers(0, sparse.size, 300)] = 5
    assert compress(sparse, Compression.LZ4).size < 0.04 * sparse.size


@pytest.mark.parametrize(
    ("code", "data", "size", "message"),
    [
        (Compression.RICE, b"", 1, "begins with a k"),
        (Compression.RICE, b"\x08\0\0\0\0\0", 1, "begins with a k"),
        (Compression.RICE, b"\0\0\0\0\0\0", 9, "Rice code of 9 integers, got 8"),
        (Compression.RICE, b"\7\xff\xfe\0\0\0\0\0\0", 1, "Rice code of int8"),
        (Compression.LZ4, b"", 1, "a whole LZ4 block"),
        (Compression.LZ4, b"\x50ab", 5, "a whole LZ4 block"),
        (Compression.LZ4, b"\x10a", 2, "LZ4 block of 2 bytes, got 1"),
        (Compression.LZ4, b"\x10a\2\0\0", 5, "matches lie within"),
        (Compression.LZ4, b"\x10a\1\0\0", 3, "matches lie within"),
    ],
)
def test_what_is_no_code_is_refused(
    code: Compression, data: bytes, size: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        decompress(data, size, code)
    given = np.frombuffer(data, np.uint8)
    types = [TensorType((max(1, given.size),), DType.UINT8)], [TensorType((size,), DType.INT8)]
    with pytest.raises(EvaluationError, match=message):
        Decompress(code, (size,)).evaluate([given], *types)


def test_only_int8_is_compressed() -> None:
    with pytest.raises(ValueError, match="expected int8 to compress, got int16"):
        compress(np.zeros(3, np.int16), Compression.RICE)


def test_types() -> None:
    code = TensorType((9,), DType.UINT8)
    operator = Decompress(Compression.LZ4, (2, 3))
    (result,) = operator.infer([code])
    assert result == TensorType((2, 3), DType.INT8)
    operator.verify([code], [result])
    with pytest.raises(GraphError, match="expected code of dtype u8, got i8"):
        operator.verify([TensorType((9,), DType.INT8)], [result])
    with pytest.raises(GraphError, match="expected a code without quantization"):
        operator.verify([TensorType((9,), DType.UINT8, Quantization.per_tensor(1, 0))], [result])
    with pytest.raises(GraphError, match="expected code of rank 1"):
        operator.infer([TensorType((3, 3), DType.UINT8)])


def test_the_first_integers_of_a_rice_code() -> None:
    values = np.arange(-12, 12, dtype=np.int8).reshape(4, 6)
    for code in Compression:
        data = compress(values, code)
        given, made = [TensorType(data.shape, DType.UINT8)], [TensorType((4, 6), DType.INT8)]
        operator = Decompress(code, (4, 6))
        found = operator.restrict(Box(((0, 3), (0, 6))), given, made)
        if code is Compression.LZ4:
            assert found is None
            continue
        assert found is not None
        (part,) = found.operator.evaluate([data], given, found.operator.infer(given))
        assert (part == values[:3]).all()
        assert operator.restrict(Box(((1, 3), (0, 6))), given, made) is None
        assert operator.restrict(Box(((0, 3), (0, 5))), given, made) is None
