"""Float kernels at the edge of the numbers: subnormal inputs, products and quotients, and a NaN."""

from pathlib import Path

import numpy as np
import pytest
from tinsmith_driver.cli import main
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_target import target

_KERNELS = """
graph 2 "floats" {
  const %weights: f32[2,1,1,4] = [1e-30, 1.0, -1e-20, 0.5, 1e-38, -0.25, 2e-30, 1e-12]
  const %bias: f32[2] = [1e-40, -3e-39]
  input %x: f32[1,2,4,4]
  %sum: f32[1,2,4,4] = add(%x, %x)
  %difference: f32[1,2,4,4] = sub(%x, %sum)
  %product: f32[1,2,4,4] = mul(%x, %x)
  %relu6: f32[1,2,4,4] = relu6(%difference)
  %max: f32[1,2,2,4] = max_pool2d(%x) {window=[1,2], stride=[1,2]}
  %mean: f32[1,2,2,4] = average_pool2d(%x) {window=[1,2], stride=[1,2]}
  %conv: f32[1,2,4,2] = conv2d(%x, %weights, %bias)
  %softmax: f32[1,2,4,4] = softmax(%x)
  %logistic: f32[1,2,4,4] = logistic(%x)
  %tanh: f32[1,2,4,4] = tanh(%x)
  %leaky: f32[1,2,4,4] = leaky_relu(%x) {alpha=0.1}
  %prelu: f32[1,2,4,4] = prelu(%x, %x)
  %swish: f32[1,2,4,4] = hard_swish(%x)
  %gelu: f32[1,2,4,4] = gelu(%x)
  %gelu_by_tanh: f32[1,2,4,4] = gelu(%x) {approximate=true}
  %erf: f32[1,2,4,4] = erf(%x)
  %exp: f32[1,2,4,4] = exp(%x)
  %acos: f32[1,2,4,4] = acos(%x)
  %acosh: f32[1,2,4,4] = acosh(%x)
  %asin: f32[1,2,4,4] = asin(%x)
  %asinh: f32[1,2,4,4] = asinh(%x)
  %atan: f32[1,2,4,4] = atan(%x)
  %atanh: f32[1,2,4,4] = atanh(%x)
  %cosh: f32[1,2,4,4] = cosh(%x)
  %sinh: f32[1,2,4,4] = sinh(%x)
  %tan: f32[1,2,4,4] = tan(%x)
  %log: f32[1,2,4,4] = log(%x)
  %elu: f32[1,2,4,4] = elu(%x)
  %sqrt: f32[1,2,4,4] = sqrt(%x)
  %rsqrt: f32[1,2,4,4] = rsqrt(%x)
  %abs: f32[1,2,4,4] = abs(%x)
  %square: f32[1,2,4,4] = squared_difference(%x, %abs)
  %neg: f32[1,2,4,4] = neg(%x)
  %sign: f32[1,2,4,4] = sign(%x)
  %floor: f32[1,2,4,4] = floor(%x)
  %ceil: f32[1,2,4,4] = ceil(%x)
  %round: f32[1,2,4,4] = round(%x)
  output %sum
  output %difference
  output %product
  output %relu6
  output %max
  output %mean
  output %conv
  output %softmax
  output %logistic
  output %tanh
  output %leaky
  output %prelu
  output %swish
  output %gelu
  output %gelu_by_tanh
  output %erf
  output %exp
  output %acos
  output %acosh
  output %asin
  output %asinh
  output %atan
  output %atanh
  output %cosh
  output %sinh
  output %tan
  output %log
  output %elu
  output %sqrt
  output %rsqrt
  output %abs
  output %square
  output %neg
  output %sign
  output %floor
  output %ceil
  output %round
}
"""


@pytest.mark.parametrize(
    ("name", "optimize"),
    [
        *((name, "speed") for name in ("cortex-m0", "cortex-m4", "cortex-m55", "riscv32")),
        ("cortex-m55", "fast"),
    ],
)
def test_kernels_keep_subnormal_numbers(
    name: str, optimize: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        need_emulator(target(name).board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))
    model, inputs = tmp_path / "floats.tsm", tmp_path / "floats.npz"
    model.write_text(_KERNELS)
    generator = np.random.default_rng(3)
    x = generator.choice([1e-45, 3e-42, -7e-39, 2e-38, -1e-20, 1e-9, 88.0, -95.0], (3, 1, 2, 4, 4))
    x[2, 0, 1, 1, 3] = np.nan
    np.savez(inputs, x=x.astype(np.float32))
    options = ["--target", name, "--inputs", str(inputs), "--optimize", optimize]

    status = main(["verify", str(model), *options])

    assert status == 0, capsys.readouterr().out
