"""Operators that stay float32 where integers are asked for."""

from pathlib import Path

import numpy as np
import pytest
from tinsmith_driver.cli import main
from tinsmith_driver.float_islands import FloatIslands, islands
from tinsmith_ir import UnsupportedError, UsageError, parse_graph

NETWORK = """graph 2 "g" {
  input %x: f32[1,8]
  input %z: f32[1,8]
  %s: f32[1,8] = add(%x, %z)
  %power: f32[1,8] = pow(%s, %z)
  %y: f32[1,8] = tanh(%power)
  output %y
}"""


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    (tmp_path / "g.tsm").write_text(NETWORK)
    drawn = np.random.default_rng(0).uniform(0.5, 2.0, (2, 4, 1, 8)).astype(np.float32)
    np.savez(tmp_path / "x.npz", x0=drawn[0], x1=drawn[1])
    place = str(tmp_path / "q.tsm")
    return [
        "quantize",
        str(tmp_path / "g.tsm"),
        "--calibration",
        str(tmp_path / "x.npz"),
        "-o",
        place,
    ]


def test_a_float_operator_is_refused_with_its_reason(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command) == 1
    said = capsys.readouterr().err
    assert "expected operators of integers alone, got of float32: pow power; allow" in said
    assert "pow stays float32: there is none of integers" in said
    assert not (tmp_path / "q.tsm").exists()


@pytest.mark.parametrize("allowed", ["yes", "pow", "power", "power,pow"])
def test_what_is_allowed_stays_and_is_a_warning(
    command: list[str], allowed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, "--float-islands", allowed]) == 0
    said = capsys.readouterr()
    assert "warning: pow stays float32: there is none of integers" in said.err
    assert "1 operators stay float32" in said.out
    graph = parse_graph((tmp_path / "q.tsm").read_text())
    assert [node.operator.mnemonic for node in islands(graph)] == ["pow"]


@pytest.mark.parametrize(
    ("allowed", "reason"),
    [
        ("power,y", "nothing named y stays float32; what does: pow power"),
        ("pow,", "expected no, yes, or names of results or kinds"),
    ],
)
def test_names_that_allow_nothing_are_wrong_use(
    command: list[str], allowed: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, "--float-islands", allowed]) == 2
    assert reason in capsys.readouterr().err


def test_compiling_refuses_them_as_well(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, data = command[1], command[3]
    compiling = ["compile", model, "--target", "host", "-o", str(tmp_path / "c")]
    assert main([*compiling, "--quantize", "int8", "--calibration", data]) == 1
    assert "got of float32: pow power" in capsys.readouterr().err
    assert not (tmp_path / "c").exists()
    assert main([*compiling, "--float-islands", "yes"]) == 2
    assert "--float-islands: expected --quantize beside it" in capsys.readouterr().err


def test_integers_need_no_permission() -> None:
    graph = parse_graph("""graph 2 "g" {
      input %x: f32[2]
      %q: i8[2]<0.5, 0> = quantize(%x)
      %y: i8[2]<0.5, 0> = relu(%q)
      %r: f32[2] = dequantize(%y)
      output %r
    }""")
    FloatIslands().check(graph, [])
    with pytest.raises(UsageError, match="nothing named relu stays float32; nothing does"):
        FloatIslands.parse("relu").check(graph, [])
    with pytest.raises(UnsupportedError, match="relu y"):
        FloatIslands().check(
            parse_graph("""graph 2 "g" {
          input %x: f32[2]
          %y: f32[2] = relu(%x)
          output %y
        }"""),
            [],
        )
