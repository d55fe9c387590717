"""An option of a call, edited by hand in a plan: bit-exact firmware, or a reason."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tinsmith_driver.cli import main
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_ir import DType, print_graph
from tinsmith_ir.operators import Add, DepthwiseConv2D
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_target import target

Plan = Callable[[str, str], Path]


@pytest.fixture
def plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Plan:
    """A plan for cortex-m4 of a depthwise convolution and a residual, `old` as `new`."""
    builder = GraphBuilder("depthwise")
    x = builder.input("x", TensorType((1, 8, 9, 6), DType.INT8, Quantization.per_tensor(0.05, 11)))
    weights = np.random.default_rng(1).integers(-127, 128, (1, 3, 3, 6)).astype(np.int8)
    w = builder.constant("w", weights, Quantization.per_tensor(0.004, 0))
    operator = DepthwiseConv2D(padding=(1, 1, 1, 1))
    made = builder.add(operator, [x, w, None], "depthwise", Quantization.per_tensor(0.06, -3))
    y = builder.add(Add(), [made, x], "y", Quantization.per_tensor(0.07, 5))
    model = tmp_path / "model.tsm"
    model.write_text(print_graph(builder.build(y)))

    def edited(old: str, new: str) -> Path:
        shown = ["show", str(model), "--target", "cortex-m4", "--after", "allocate-buffers"]
        assert main([*shown, "--constants"]) == 0
        text = capsys.readouterr().out
        assert text.count(old) == 1
        path = tmp_path / "plan.tsm"
        path.write_text(text.replace(old, new))
        return path

    return edited


@pytest.mark.parametrize("strip", [1, 3])
def test_an_edited_strip_is_bit_exact(
    strip: int, plan: Plan, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = plan("{strip=8}", f"{{strip={strip}}}")
    compiled = ["compile", str(path), "--target", "cortex-m4", "-o", str(tmp_path / "out")]
    # Smaller strips read lines again that larger ones have read once: the result may lie less far over the operand.
    assert main(compiled) == 3
    found = re.search("cannot bear `(.+)`: expected at most `(.+)`", capsys.readouterr().err)
    assert found is not None
    path.write_text(path.read_text().replace(found[1], found[2]))
    assert main(compiled) == 0
    try:
        need_emulator(target("cortex-m4").board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))
    capsys.readouterr()
    assert main(["verify", str(path), "--target", "cortex-m4", "--layers", "--no-progress"]) == 0
    assert "layers: all equal\nbit-exact\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("new", "message"),
    [
        ("{strip=9}", "expected options strip of 1 to 8; got strip=9"),
        ("{strip=0}", "expected options strip of 1 to 8; got strip=0"),
        ("{strips=8}", "expected options strip of 1 to 8; got strips=8"),
        ("{cores=2, strip=8}", "expected options strip of 1 to 8; got cores=2"),
        ("{}", "expected options strip of 1 to 8; got no strip"),
        ("{strip=8, strip=8}", "expected each option once"),
    ],
)
def test_a_wrong_option_is_refused(
    new: str, message: str, plan: Plan, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = plan("{strip=8}", new)
    assert main(["compile", str(path), "--target", "cortex-m4", "-o", str(tmp_path / "out")]) != 0
    assert message in capsys.readouterr().err
