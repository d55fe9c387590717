"""Flash as a contract: constants that take no more, right results, claims that hold, and refusals."""

import json
from pathlib import Path

import numpy as np
import pytest
from tinsmith_driver.certificate import plan_bytes
from tinsmith_driver.cli import main
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.models import read_model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.passes import PassChoice
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.support import constant_bytes
from tinsmith_ir.errors import ConstantsDoNotFitError, DoesNotFitError
from tinsmith_plan_check import check_plan, read_plan


def _text() -> str:
    random = np.random.default_rng(1)

    def weights(*shape: int) -> list[int]:
        return (
            np.clip(random.normal(0, 6, int(np.prod(shape))).round(), -127, 127)
            .astype(int)
            .tolist()
        )

    return f"""graph 2 "g" {{
  input %x: i8[1,16,16,8]<0.5, 0>
  const %w: i8[32,1,1,8]<0.25, 0> = {weights(32, 8)}
  const %b: i32[32] = {random.integers(-999, 999, 32).tolist()}
  %a: i8[1,16,16,32]<2, 0> = conv2d(%x, %w, %b)
  %m: i8[1,8,8,32]<2, 0> = max_pool2d(%a) {{window=[2,2], stride=[2,2]}}
  const %v: i8[32,3,3,32]<0.25, 0> = {weights(32, 288)}
  const %c: i32[32] = {random.integers(-999, 999, 32).tolist()}
  %p: i8[1,4,4,32]<40, 1> = conv2d(%m, %v, %c) {{stride=[2,2], padding=[0,1,0,1]}}
  const %u: i8[20,512]<0.25, 0> = {weights(20, 512)}
  %y: i8[1,20]<900, 2> = fully_connected(%p, %u)
  output %y
}}"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "g.tsm"
    path.write_text(_text())
    return path


def _compiled(model: Path, target: str, flash: int | None, **options: object) -> Compilation:
    chosen = CompileOptions(target, flash_bytes=flash, verify_passes=True, **options)  # pyright: ignore[reportArgumentType]
    return compile_model(read_model(model), chosen)


@pytest.mark.parametrize("target", ["host", "cortex-m4", "cortex-m55", "riscv32"])
@pytest.mark.parametrize("flash", [19_000, 17_000])
def test_constants_fit_and_the_certificate_holds(model: Path, target: str, flash: int) -> None:
    assert constant_bytes(_compiled(model, target, None)) > 19_900
    compilation = _compiled(model, target, flash)
    assert constant_bytes(compilation) <= flash
    check_plan(read_plan(plan_bytes(compilation)))


def test_smaller_pieces_where_ram_is_short(model: Path) -> None:
    """The largest tensor is 8 KiB, beside which the weights of the last layer find room; in less, rows stream."""
    roomy = _compiled(model, "cortex-m4", 17_500)
    for ram in (roomy.arena_bytes, 8000, 6000):
        compilation = _compiled(model, "cortex-m4", 17_500, ram_bytes=ram)
        assert compilation.arena_bytes <= ram
        assert constant_bytes(compilation) <= 17_500
        check_plan(read_plan(plan_bytes(compilation)))
    with pytest.raises(DoesNotFitError, match="arena is too small"):
        _compiled(model, "cortex-m4", 17_500, ram_bytes=1000)


def test_options_of_the_pass_stay(model: Path) -> None:
    small = PassChoice("compress-constants", {"tile_bytes": "512"})
    compilation = _compiled(model, "cortex-m4", 18_000, passes=(small,))
    assert constant_bytes(compilation) <= 18_000


def test_a_refusal_leaves_nothing_behind(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out"
    arguments = ["compile", str(model), "--target", "cortex-m4", "-o", str(output)]
    assert main([*arguments, "--flash", "4KiB"]) == 1
    message = capsys.readouterr().err
    assert "needed" in message
    assert "available 4,096 bytes" in message
    assert not output.exists()
    with pytest.raises(ConstantsDoNotFitError):
        _compiled(model, "cortex-m4", 4096, ram_bytes=20_000)


def test_the_report_says_what_is_compressed(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out"
    arguments = ["compile", str(model), "--target", "cortex-m4", "-o", str(output)]
    assert main([*arguments, "--flash", "18000"]) == 0
    assert "the weights of a layer are compressed: constants take" in capsys.readouterr().out
    report = json.loads((output / "report.json").read_text())
    facts = report["compression"]
    assert facts["after"] <= 18_000 < facts["before"]
    assert facts["layers"] == ["p"]
    assert "Compressed constants" in (output / "report.html").read_text()
    assert main([*arguments]) == 0
    assert json.loads((output / "report.json").read_text())["compression"] is None


def test_firmware_is_right(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for flash in ("19000", "16500"):
        assert main(["verify", str(model), "--target", "host", "--flash", flash]) == 0
        assert "bit-exact" in capsys.readouterr().out
