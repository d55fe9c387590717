"""What networks have between layers with weights, on the simulated cluster: bit-exact, by its kernels alone."""

import json
from pathlib import Path

import pytest
from tinsmith_driver.cli import main
from tinsmith_driver.report_types import Report
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_target import target

SQUEEZE_AND_EXCITE = """graph 2 "squeeze_and_excite" {
  input %x: i8[1, 12, 12, 22]<0.05, 3>
  %swish: i8[1, 12, 12, 22]<0.04, -3> = hard_swish(%x)
  %mean: i8[1, 1, 1, 22]<0.03, 1> = mean(%swish) {axes=[1, 2], keep_dims=true}
  %gate: i8[1, 1, 1, 22]<0.00390625, -128> = logistic(%mean)
  %scaled: i8[1, 12, 12, 22]<0.03, 5> = mul(%swish, %gate)
  %y: i8[1, 12, 12, 22]<0.06, 0> = sub(%scaled, %x)
  output %y
}
"""
MOVES = """graph 2 "moves" {
  input %x: i8[1, 6, 7, 20]<0.05, 3>
  %a: i8[1, 9, 9, 20]<0.05, 3> = pad(%x) {padding=[0, 0, 1, 2, 2, 0, 0, 0]}
  %b: i8[1, 8, 8, 12]<0.05, 3> = slice(%a) {begin=[0, 1, 0, 4], shape=[1, 8, 8, 12]}
  %c: i8[1, 8, 12, 8]<0.05, 3> = transpose(%b) {permutation=[0, 2, 3, 1]}
  %d: i8[1, 8, 1, 12, 1, 8]<0.05, 3> = reshape(%c) {shape=[1, 8, 1, 12, 1, 8]}
  %e: i8[1, 8, 2, 12, 2, 8]<0.05, 3> = broadcast(%d) {shape=[1, 8, 2, 12, 2, 8]}
  %f: i8[1, 16, 24, 8]<0.05, 3> = reshape(%e) {shape=[1, 16, 24, 8]}
  %g: i8[1, 16, 24, 8]<0.05, 3> = relu(%f)
  %h: i8[1, 16, 24, 8]<0.05, 3> = maximum(%f, %g)
  %y: i8[1, 16, 24, 16]<0.05, 3> = concat(%f, %h) {axis=3}
  output %y
}
"""


@pytest.mark.parametrize("l1", ["16KiB", "64KiB"])
@pytest.mark.parametrize("text", [SQUEEZE_AND_EXCITE, MOVES], ids=["squeeze_and_excite", "moves"])
def test_all_cores_compute_what_lies_between_layers_with_weights(
    text: str, l1: str, tmp_path: Path
) -> None:
    try:
        need_emulator(target("siracusa").board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))
    model, report = tmp_path / "network.tsm", tmp_path / "report.json"
    model.write_text(text)
    options = ["--target", "siracusa", "--l1", l1, "--json", str(report), "--no-progress"]
    assert main(["verify", str(model), *options]) == 0
    found: Report = json.loads(report.read_text())
    kernels = {layer["kernel"] for layer in found["layers"]}
    assert kernels
    assert all(kernel.startswith("tinsmith_pulp_") for kernel in kernels), kernels
