"""Slices that are views begin at any byte: kernels read them there, on emulated boards."""

from pathlib import Path

import pytest
from tinsmith_driver.cli import main
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_target import target

# %wide is the most that is live at once, so that no view costs memory.
_ROWS = """
graph 2 "rows" {
  const %w: i8[2,1,1,3]<[0.5, 0.25], [0, 0], axis 0> = [1, -2, 3, -4, 5, -6]
  const %k: i8[1,2,2,3]<[0.5, 0.25, 0.5], [0, 0, 0], axis 3> = [1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -6]
  const %m: i8[2,9]<0.5, 0> = [1, -1, 2, -2, 3, -3, 4, -4, 5, 9, 8, 7, 6, 5, 4, 3, 2, 1]
  const %b: i32[2] = [7, -7]
  const %d: i32[3] = [7, -7, 0]
  input %x: i8[1,4,3,3]<0.5, 3>
  %wide: i8[1,24,9,3]<0.5, 3> = pad(%x) {padding=[0,0,10,10,3,3,0,0]}
  %a: i8[1,4,3,3]<0.5, 3> = average_pool2d(%wide) {window=[21,7]}
  %first: i8[1,1,3,3]<0.5, 3> = slice(%a) {begin=[0,1,0,0], shape=[1,1,3,3]}
  %last: i8[1,1,3,3]<0.5, 3> = slice(%a) {begin=[0,3,0,0], shape=[1,1,3,3]}
  %both: i8[1,3,3,3]<0.5, 3> = slice(%a) {begin=[0,1,0,0], shape=[1,3,3,3]}
  %sum: i8[1,1,3,3]<1.0, 3> = add(%first, %last)
  %product: i8[1,1,3,3]<4.0, 3> = mul(%last, %first)
  %conv: i8[1,3,3,2]<4.0, 3> = conv2d(%both, %w, %b)
  %depthwise: i8[1,2,2,3]<4.0, 3> = depthwise_conv2d(%both, %k, %d)
  %dense: i8[1,2]<8.0, 3> = fully_connected(%last, %m, %b)
  %most: i8[1,1,2,3]<0.5, 3> = max_pool2d(%first) {window=[1,2]}
  %mean: i8[1,1,2,3]<0.5, 3> = average_pool2d(%last) {window=[1,2]}
  output %sum
  output %product
  output %conv
  output %depthwise
  output %dense
  output %most
  output %mean
}
"""


@pytest.mark.parametrize("name", ["host", "cortex-m4", "cortex-m55"])
def test_views_at_odd_bytes_are_right(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        need_emulator(target(name).board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))
    model = tmp_path / "rows.tsm"
    model.write_text(_ROWS)

    status = main(["verify", str(model), "--target", name])

    output = capsys.readouterr().out
    assert status == 0, output
    assert "tinsmith_slice" not in output
