"""Networks that take and give uint8: sample files, headers and emulated boards hold it as it is."""

from pathlib import Path

import numpy as np
import pytest
from tinsmith_driver.cli import main
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_ir import evaluate_graph, parse_graph
from tinsmith_target import target

_NETWORK = """
graph 2 "bytes" {
  const %w: i8[2,3,3,1]<[0.5, 0.25], [0, 0], axis 0> = [1, 2, 3, 4, 5, -6, 7, 8, 9, -9, 8, 7, 6, -5, 4, 3, 2, 1]
  input %image: u8[1,5,7,1]<0.5, 131>
  %x: i8[1,5,7,1]<0.5, 3> = requantize(%image)
  %c: i8[1,3,5,2]<4.0, -5> = conv2d(%x, %w, none)
  %rescaled: u8[1,3,5,2]<3.0, 100> = requantize(%c) {dtype=u8}
  %last: u8[1,3,5,2]<4.0, 123> = requantize(%c) {dtype=u8}
  output %rescaled
  output %last
}
"""


@pytest.mark.parametrize(
    ("name", "kernels"),
    [
        ("host", ("tinsmith_recentre_u8_s8", "tinsmith_recentre_s8_u8")),
        ("cortex-m4", ("tinsmith_flip_signs",)),
        ("cortex-m55", ("tinsmith_flip_signs",)),
        ("riscv32", ("tinsmith_flip_signs",)),
    ],
)
def test_bytes_go_in_and_come_out(
    name: str, kernels: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        need_emulator(target(name).board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))
    model, samples = tmp_path / "bytes.tsm", tmp_path / "samples.npz"
    model.write_text(_NETWORK)
    images = np.arange(70).reshape(2, 1, 5, 7, 1).astype(np.uint8) * 3
    graph = parse_graph(_NETWORK)
    results = [tuple(evaluate_graph(graph, [image]).values()) for image in images]
    expected = [np.stack(result) for result in zip(*results, strict=True)]
    np.savez(samples, x=images, y_0=expected[0], y_1=expected[1])

    status = main(["verify", str(model), "--target", name, "--inputs", str(samples)])

    output = capsys.readouterr().out
    assert status == 0, output
    for kernel in kernels:
        assert kernel in output


def test_the_header_says_uint8(tmp_path: Path) -> None:
    model = tmp_path / "bytes.tsm"
    model.write_text(_NETWORK)

    assert main(["compile", str(model), "--target", "host", "-o", str(tmp_path / "c")]) == 0

    header = (tmp_path / "c" / "bytes.h").read_text()
    assert "(1, 5, 7, 1) u8, scale 0.5, zero point 131" in header
    assert "uint8_t *bytes_input_0(" in header
