"""What -v and --log-file say of a network's way."""

import re
from pathlib import Path

import pytest
from tinsmith_driver import main
from tinsmith_driver.demonstration import find_example

MODEL = str(find_example().model)

# Layers of rows that may stream, so that less memory costs something.
_CHAIN = """graph 2 "chain" {
  input %x: f32[1,16,16,4]
  %a: f32[1,16,16,4] = relu(%x)
  %b: f32[1,16,16,4] = relu6(%a)
  output %b
}
"""


def _compile(folder: Path, *options: str, model: str = MODEL) -> int:
    return main(["compile", model, "--target", "cortex-m4", "-o", str(folder / "c"), *options])


def test_without_v_nothing_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _compile(tmp_path) == 0
    assert capsys.readouterr().err == ""


def test_v_says_in_a_line_each_what_was_decided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _compile(tmp_path, "-v") == 0
    lines = capsys.readouterr().err.splitlines()
    assert "network digits_int8: tflite, 9 operators; for cortex-m4 by cmsis_nn" in lines[0]
    assert "pass lower: 9 operators -> 9 calls" in lines
    assert "kernel of pool_1_MaxPool2d: arm_max_pool_s8 of cmsis_nn" in lines
    assert any(re.match(r"pass allocate-buffers: arena [\d,]+ bytes \(optimal", x) for x in lines)
    assert not any("nothing to do" in line for line in lines)


def test_vv_says_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _compile(tmp_path, "-v") == 0
    decisions = set(capsys.readouterr().err.splitlines())
    assert _compile(tmp_path, "--verbosity=2") == 0
    details = set(capsys.readouterr().err.splitlines())
    assert decisions < details
    assert "pass fuse-padding: nothing to do" in details


def test_kernels_that_were_refused_are_said_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "chain.tsm"
    model.write_text(_CHAIN)
    assert _compile(tmp_path, "-v", model=str(model)) == 0
    said = capsys.readouterr().err
    assert re.search(r"kernel of b: \S+ of reference; refused: cmsis_nn has no kernel for", said)


def test_what_the_quantizer_chose_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    digits = find_example().model.parent
    data = ["--calibration", str(digits / "digits_calibration.npz"), "--calibration-samples", "2"]
    command = [
        "quantize",
        str(digits / "digits_float.tflite"),
        *data,
        "-o",
        str(tmp_path / "q.tsm"),
    ]
    assert main([*command, "--scheme", "int4", "-vv"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert "quantize int4: ranges of 10 tensors from 2 samples" in lines
    assert any(re.match(r"weights of \S+: 4 bits, 1,536 bytes, SQNR [\d.]+ dB$", x) for x in lines)
    assert any(re.match(r"tensor image: i8 of 0\.0039\d+, zero at -128; 0 to 1", x) for x in lines)
    assert any(line.startswith("pass fold-quantization: ") for line in lines)
    assert main(command) == 0
    assert capsys.readouterr().err == ""


def test_plans_that_were_tried_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _compile(tmp_path, "-v", "--ram", "1500") in (0, 1)
    said = capsys.readouterr().err
    assert re.search(r"plan of whole tensors: does not fit: .*needed 2,112 bytes", said)
    assert re.search(r"plan for ram bytes [\d,]+: (fits with|does not fit)", said)


def test_the_log_file_has_the_lines_with_times_and_standard_error_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log"
    assert _compile(tmp_path, "-v") == 0
    decisions = capsys.readouterr().err.splitlines()
    assert _compile(tmp_path, "--log-file", str(log)) == 0
    assert capsys.readouterr().err == ""
    lines = log.read_text(encoding="utf-8").splitlines()
    times = r"I\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ decisions\.py:\d+\] "
    assert all(re.match(times, line) for line in lines)
    assert [re.sub(times, "", line) for line in lines] == decisions


def test_alsologtostderr_says_the_lines_of_the_file_on_standard_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _compile(tmp_path, "--log-file", str(tmp_path / "log"), "--alsologtostderr") == 0
    assert "pass lower: 9 operators -> 9 calls" in capsys.readouterr().err


def test_a_log_dir_has_a_file_and_standard_error_has_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    assert _compile(tmp_path, "-v", f"--log_dir={logs}") == 0
    assert capsys.readouterr().err == ""
    assert "pass lower" in (logs / "tinsmith.INFO").read_text(encoding="utf-8")
    assert _compile(tmp_path, "-v", f"--log_dir={logs}", "--logtostderr") == 0
    assert "pass lower" in capsys.readouterr().err


def test_a_log_file_that_cannot_be_written_is_told_before_any_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for place in (tmp_path, tmp_path / "absent" / "log"):
        assert _compile(tmp_path, "--log-file", str(place)) == 2
        assert "--log-file: expected a file that can be written" in capsys.readouterr().err
    assert not (tmp_path / "c").exists()


def test_a_log_file_is_no_file_that_the_command_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "chain.tsm"
    model.write_text(_CHAIN)
    assert _compile(tmp_path, "--log-file", str(model), model=str(model)) == 2
    assert "--log-file collides with MODEL" in capsys.readouterr().err
    assert model.read_text() == _CHAIN


def test_names_from_files_do_not_act(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "chain.tsm"
    model.write_text(_CHAIN.replace("%b", '%"b\\u001b[2J\\n"'))
    assert _compile(tmp_path, "-vv", model=str(model)) == 0
    said = capsys.readouterr().err
    assert "\x1b" not in said
    assert r"kernel of b\x1b[2J\x0a" in said
