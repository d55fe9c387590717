"""Names of any characters, from file to terminal, C and page: nothing of them acts."""

import io
import json
import sys
from pathlib import Path

import pytest
from tinsmith_driver.cli import main

_HOSTILE = [
    "i\rint injected = 42; //",
    "\x1b]0;title\x07\x1b[2Jbit-exact",
    "line\nbit-exact",
    "</title><script>alert(1)</script>",
    "back\\",
    "??/",
    "\u202eevil\u2028\x85\x0b\x0c\x00\x7f",
    "\ud800 lone",
    "größe",
]


def _model(name: str) -> str:
    """A network of two layers in which everything is called `name`."""
    text = json.dumps(name)
    x, y, z = (f"%{json.dumps(name + suffix)}" for suffix in ("", "\ny", "\rz"))
    type_ = "i8[1,4]<0.05, 0>"
    return f"""graph 2 {text} {{
  input {x}: {type_}
  {y}: {type_} = relu({x}) loc({text}, {text})
  {z}: {type_} = add({x}, {y}) loc({text}, {text})
  output {z}
}}"""


def _is_harmless(text: str) -> bool:
    return all(line.isprintable() for line in text.split("\n")) and "\nbit-exact\n" not in text


@pytest.mark.parametrize("name", _HOSTILE)
def test_nothing_of_a_name_acts(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, out = tmp_path / "model.tsm", tmp_path / "out"
    model.write_text(_model(name))
    assert main(["show", str(model)]) == 0
    assert main(["check", str(model), "--target", "host"]) == 0
    assert main(["compile", str(model), "--target", "host", "-o", str(out), "--name", name]) == 0
    assert main(["check", str(model), "--target", "cortex-m4", "--ram", "1"]) == 1
    captured = capsys.readouterr()
    assert _is_harmless(captured.out)
    assert _is_harmless(captured.err)
    for path in out.iterdir():
        assert path.name.isascii()
        assert _is_harmless(path.read_text(encoding="utf-8"))
    assert "<script>" not in (out / "report.html").read_text(encoding="utf-8")


def test_firmware_of_hostile_names_is_bit_exact(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "model.tsm"
    model.write_text(_model("".join(_HOSTILE)))
    assert main(["verify", str(model), "--target", "host", "--layers"]) == 0
    assert _is_harmless(capsys.readouterr().out.removesuffix("bit-exact\n"))


def test_a_terminal_that_is_not_utf_8_gets_escapes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(screen, encoding="ascii"))
    model = tmp_path / "model.tsm"
    model.write_text(_model("größe"))
    assert main(["check", str(model), "--target", "host"]) == 0
    assert b"runs gr\\xf6\\xdfe:" in screen.getvalue()
