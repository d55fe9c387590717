"""The header's functions for floats: what there is, and that it gives the evaluator's bits."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from tinsmith_c import write
from tinsmith_c.testing import compile_c, place
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Dequantize, Quantize
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import lower, prepare
from tinsmith_target import target

HOST = target("host")
ELEMENTS = 2048
INTEGERS = [
    (DType.INT8, 0.5, -3),
    (DType.INT8, 0.0039215689, -128),
    (DType.UINT8, 0.25, 7),
    (DType.INT16, 0.0001, 0),
    (DType.INT8, 1e-38, 5),
]


def header(*types: TensorType) -> str:
    """Of a network that gives its inputs back."""
    builder = GraphBuilder("q")
    inputs = [builder.input(f"in/{at}", type_) for at, type_ in enumerate(types)]
    program = place(prepare(lower(builder.build(inputs), HOST, ()), HOST, ()))
    return write(program, HOST, ())["q.h"].decode()


def reals(scale: float) -> np.ndarray:
    """Around every half, far beyond what elements say, and what is no number."""
    halves = np.arange(-300, 300, dtype=np.float32) / np.float32(2) * np.float32(scale)
    near = [np.nextafter(halves, np.float32(side)) for side in (-np.inf, np.inf)]
    odd = [np.nan, np.inf, -np.inf, 0.0, -0.0, 3e38, -3e38, 1e-45]
    found = np.concatenate([halves, *near, np.array(odd, np.float32)])
    return np.resize(found, ELEMENTS).astype(np.float32)


@pytest.mark.parametrize(("dtype", "scale", "zero_point"), INTEGERS)
def test_bits_are_the_evaluators(
    dtype: DType, scale: float, zero_point: int, tmp_path: Path
) -> None:
    type_ = TensorType((ELEMENTS,), dtype, Quantization.per_tensor(scale, zero_point))
    real = TensorType((ELEMENTS,), DType.FLOAT32)
    (tmp_path / "q.h").write_text(header(type_))
    element = f"{'u' if dtype is DType.UINT8 else ''}int{dtype.numpy.itemsize * 8}_t"
    (tmp_path / "main.c").write_text(
        f"""
#include "q.h"
#include <stdio.h>
static float real[{ELEMENTS}];
static {element} elements[{ELEMENTS}];
int main(void) {{
  if (fread(real, sizeof real, 1, stdin) != 1) return 1;
  q_quantize_input(real, elements);
  q_dequantize_output(elements, real);
  return fwrite(elements, sizeof elements, 1, stdout) != 1 || fwrite(real, sizeof real, 1, stdout) != 1;
}}
"""
    )
    program = tmp_path / "main"
    compile_c([tmp_path / "main.c", f"-I{tmp_path}", "-o", program])
    given = reals(scale)
    out = subprocess.run([program], input=given.tobytes(), capture_output=True, check=True).stdout
    (wanted,) = Quantize(dtype, halves_to_even=True).evaluate([given], [real], [type_])
    (back,) = Dequantize().evaluate([wanted], [type_], [real])
    size = wanted.nbytes
    np.testing.assert_array_equal(np.frombuffer(out[:size], dtype.numpy), wanted)
    assert out[size:] == back.astype(np.float32).tobytes()


def test_several_tensors_are_told_apart_by_their_names() -> None:
    quantized = TensorType((4,), DType.INT8, Quantization.per_tensor(0.5, 0))
    text = header(quantized, quantized)
    for name in ("quantize_input_in_0", "quantize_input_in_1", "dequantize_output_in_1"):
        assert f"q_{name}(" in text


def test_floats_and_plain_integers_have_none() -> None:
    text = header(TensorType((4,), DType.FLOAT32), TensorType((4,), DType.INT8))
    assert "quantize" not in text
    assert "nearest" not in text
