import base64
import itertools
import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import jsonschema
import numpy as np
import pytest
from tinsmith_driver import demonstration
from tinsmith_driver.cli import main
from tinsmith_driver.demonstration import find_example
from tinsmith_driver.plugins import registry
from tinsmith_driver.report import schema
from tinsmith_ir import Graph, UsageError
from tinsmith_plugins import ModelSource, Registry
from tinsmith_tflite import import_tflite

EXAMPLE = find_example()
MODEL = str(EXAMPLE.model)


def _report(path: Path) -> dict[str, dict[str, int]]:
    report = json.loads(path.read_text())
    jsonschema.validate(report, schema())
    return report


def test_version_of_a_checkout_is_that_of_its_library(capsys: pytest.CaptureFixture[str]) -> None:
    project = Path(__file__).parents[1] / "pyproject.toml"
    version = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"]
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"tinsmith {version}\n"


def test_compile_writes_the_same_bytes_into_two_folders(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        assert main(["compile", MODEL, "--target", "cortex-m4", "-o", str(tmp_path / folder)]) == 0
    names = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert names == ["digits_int8.c", "digits_int8.h", "plan.json", "report.html", "report.json"]
    for name in names[:2]:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert _report(tmp_path / "a" / "report.json")["ram"]["arena"] > 0


def test_verify_is_bit_exact_on_the_host(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.json"
    arguments = ["verify", MODEL, "--target", "host", "--inputs", str(EXAMPLE.inputs)]
    page = tmp_path / "report.html"
    reports = ["--json", str(report), "--html", str(page)]
    assert main([*arguments, "--samples", "5", "--layers", *reports]) == 0
    assert "bit-exact" in page.read_text(encoding="utf-8")
    assert "bit-exact" in capsys.readouterr().out
    assert _report(report)["run"]["mismatches"] == 0


@pytest.mark.parametrize(
    ("error", "options", "status"),
    [(1e-6, (), 0), (1e-2, (), 1), (1e-2, ("--float-tolerance", "0.02"), 0)],
)
def test_verify_holds_floats_to_those_of_the_file(
    error: float,
    options: tuple[str, ...],
    status: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    model, inputs, report = (tmp_path / name for name in ("m.tsm", "i.npz", "r.json"))
    model.write_text(
        'graph 2 "m" {\n  input %x: f32[1,2]\n  %y: f32[1,2] = relu6(%x)\n  output %y\n}\n'
    )
    x = np.array([[[2.0, -3.0]], [[4.0, 1.0]]], np.float32)
    y = np.maximum(x, 0) + np.array([[[0.0, 0.0]], [[0.0, 4.0 * error]]], np.float32)
    np.savez(inputs, x=x, y=y)
    arguments = ["verify", str(model), "--target", "host", "--inputs", str(inputs), *options]

    assert main([*arguments, "--json", str(report)]) == status

    run, said = _report(report)["run"], capsys.readouterr().out
    assert run["bit_exact"]
    assert run["file_float_share"] == pytest.approx(error, rel=0.1)
    assert f"(tolerance {run['float_tolerance']:g})" in said
    assert ("sample 1: output y[0, 1] is 1, expected 1.04" in said) == (status == 1)


def test_verify_on_the_simulator_reports_cycles(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report, page = tmp_path / "report.json", tmp_path / "report.html"
    arguments = ["verify", MODEL, "--target", "pulp-open", "--inputs", str(EXAMPLE.inputs)]
    files = ["--json", str(report), "--html", str(page)]
    assert main([*arguments, "--samples", "2", "--layers", *files]) == 0
    said = capsys.readouterr().out
    found = json.loads(report.read_text(encoding="utf-8"))
    jsonschema.validate(found, schema())
    run, layers = found["run"], found["layers"]
    assert run["bit_exact"]
    assert "cycle-approximate" in run["cycles_source"]
    assert f"cycles per inference: {run['cycles']:,} ({run['cycles_source']})" in said
    # No core issues more than an instruction a cycle; layers, with the call of what marks their ends, are all that
    # a network is.
    assert run["cycles"] > run["instructions"] > 0
    assert all(layer["cycles"] > layer["instructions"] > 0 for layer in layers)
    together = sum(layer["cycles"] for layer in layers)
    assert 0.99 * run["cycles"] < together < 1.01 * run["cycles"] + 250 * len(layers)
    assert f"{layers[0]['cycles']:,}" in page.read_text(encoding="utf-8")


def test_cycles_are_null_where_nothing_models_them(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    arguments = ["run", MODEL, "--target", "host", "--inputs", str(EXAMPLE.inputs)]
    assert main([*arguments, "--samples", "1", "--json", str(report)]) == 0
    found = json.loads(report.read_text(encoding="utf-8"))
    assert found["run"]["cycles"] is None
    assert found["run"]["cycles_source"].startswith("none: ")


@pytest.mark.parametrize("is_shown", [True, False])
@pytest.mark.parametrize("command", ["compile", "run", "verify"])
def test_progress_is_shown_where_it_is_wanted(
    command: str,
    is_shown: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tinsmith_driver.progress._QUIET_SECONDS", 0)
    option = "--progress" if is_shown else "--no-progress"
    files = (
        ["-o", str(tmp_path)]
        if command == "compile"
        else ["--samples", "1", "--inputs", str(EXAMPLE.inputs)]
    )
    assert main([command, MODEL, "--target", "host", option, *files]) == 0
    erased = "\r\033[K"
    assert (erased in capsys.readouterr().err) == is_shown


def test_run_keeps_the_outputs(tmp_path: Path) -> None:
    outputs = tmp_path / "y.npz"
    arguments = [
        "run",
        MODEL,
        "--target",
        "host",
        "--inputs",
        str(EXAMPLE.inputs),
        "--samples",
        "3",
    ]
    assert main([*arguments, "--outputs", str(outputs)]) == 0
    with np.load(outputs) as archive, np.load(EXAMPLE.inputs) as inputs:
        assert np.array_equal(archive["y"].reshape(3, -1), inputs["y"][:3].reshape(3, -1))


def test_show_prints_what_show_reads_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", MODEL, "--constants"]) == 0
    text = capsys.readouterr().out
    path = tmp_path / "digits.tsm"
    path.write_text(text)
    assert main(["show", str(path), "--after", "import", "--constants"]) == 0
    assert capsys.readouterr().out == text


def test_show_is_short_unless_all_digits_are_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["show", MODEL]) == 0
    short = capsys.readouterr().out
    assert "input %image: i8[1,8,8,1]<~0.003922, -128>" in short
    assert max(map(len, short.splitlines())) <= 80
    for option in ("--full", "--exact", "--constants"):
        assert main(["show", MODEL, option]) == 0
        assert "input %image: i8[1,8,8,1]<0.003921568859368563, -128>" in capsys.readouterr().out


def test_check_prints_a_kernel_for_every_layer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", MODEL, "--target", "cortex-m4"]) == 0
    out = capsys.readouterr().out
    assert "softmax" in out
    assert "per inference" not in out  # nothing is measured


def test_targets_lists_every_target(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["targets"]) == 0
    out = capsys.readouterr().out
    assert all(
        name in out
        for name in ("host", "cortex-m0", "riscv32", "pulp-open", "siracusa", "gap9", "diana")
    )
    assert "\nbehind diana and diana-images, of accelerators what nobody has published:\n" in out
    assert "+whole-vectors" in out.splitlines()[-1]
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ([], 2),
        (["compile", MODEL], 2),
        (["check", MODEL, "--target", "z80"], 2),
        (["check", "absent.tflite", "--target", "host"], 2),
        (["check", __file__, "--target", "host"], 3),
        (["show", MODEL, "--after", "nothing"], 2),
        (["bench", "nothing"], 2),
        (["verify", MODEL, "--target", "host", "--samples", "0"], 2),
        (["verify", MODEL, "--target", "host", "--inputs", __file__], 2),
        (["verify", MODEL, "--target", "host", "--samples", "1", "--json", "/proc/x.json"], 2),
        (["verify", MODEL, "--target", "host", "--samples", "1", "--json", "/"], 2),
        (["verify", MODEL, "--target", "cortex-m4", "--sanitize"], 2),
        (["show", MODEL, "--target", "z80"], 2),
        (["compile", MODEL, "--target", "host", "-o", __file__], 2),
    ],
)
def test_wrong_use_is_told_apart(
    arguments: list[str], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == status
    assert capsys.readouterr().err


@pytest.mark.parametrize("content", [b"", b"\0" * 64, b"\x1c\0\0\0TFL3" + b"\xff" * 200])
def test_a_bad_model_file_is_status_3_and_leaves_nothing(tmp_path: Path, content: bytes) -> None:
    model = tmp_path / "bad.tflite"
    model.write_bytes(content)
    assert main(["compile", str(model), "--target", "host", "-o", str(tmp_path / "out")]) == 3
    assert not (tmp_path / "out").exists()


def test_a_network_that_does_not_fit_is_status_1_and_says_what_is_large(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["check", MODEL, "--target", "cortex-m4", "--ram", "1000"]) == 1
    assert "The largest tensors" in capsys.readouterr().err


@pytest.mark.parametrize("place", ["folder", "file/y.npz", "/proc/y.npz"])
def test_outputs_that_cannot_be_written_are_wrong_use(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    inputs = ["--inputs", str(EXAMPLE.inputs), "--samples", "1"]
    outputs = ["--outputs", str(tmp_path / place)]
    assert main(["run", MODEL, "--target", "host", *inputs, *outputs]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_outputs_of_the_file_that_differ_are_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with np.load(EXAMPLE.inputs) as archive:
        np.savez(tmp_path / "wrong.npz", x=archive["x"][:1], y=archive["y"][:1] ^ 1)
    arguments = ["verify", MODEL, "--target", "host", "--inputs", str(tmp_path / "wrong.npz")]
    assert main(arguments) == 1
    assert "not those of the file" in capsys.readouterr().out


def _tinsmith(*arguments: str, stdout: int | IO[bytes]) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "tinsmith_driver", *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("PYTHONUNBUFFERED", None)
    return subprocess.Popen(command, stdout=stdout, stderr=subprocess.PIPE, env=environment)


def _status_with(streams: str, *arguments: str) -> tuple[int, bytes]:
    """Exit status, and what came out, of the command started with a shell's redirections."""
    command = [sys.executable, "-m", "tinsmith_driver", *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    shell = ["bash", "-c", f'"$@" {streams}; exit "${{PIPESTATUS[0]}}"', "bash", *command]
    done = subprocess.run(
        shell, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, check=False
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    "streams", ["| true", ">&-", "2>&-", ">&- 2>&-", "2>&1 | true", "2>/dev/full"]
)
def test_streams_that_nobody_reads_change_no_answer(streams: str, tmp_path: Path) -> None:
    with np.load(EXAMPLE.inputs) as archive:
        np.savez(tmp_path / "wrong.npz", x=archive["x"][:1], y=archive["y"][:1] ^ 1)
    inputs = ["--inputs", str(tmp_path / "wrong.npz")]
    status, said = _status_with(streams, "verify", MODEL, "--target", "host", *inputs)
    assert status == 1
    assert b"Traceback" not in said
    assert b"Exception" not in said


@pytest.mark.parametrize("streams", ["2>&-", "2>/dev/full", "2>&1 | true"])
def test_wrong_use_stays_so_when_nobody_is_told(streams: str) -> None:
    assert _status_with(streams, "verify", "--no-such-option") == (2, b"")
    assert _status_with(streams, "check", "absent.tflite", "--target", "host") == (2, b"")


def test_a_full_disk_is_said_in_one_line() -> None:
    with Path("/dev/full").open("wb") as full, _tinsmith("targets", stdout=full) as process:
        _, said = process.communicate()
    assert said == b"tinsmith: error: standard output: No space left on device\n"
    assert process.returncode == 2


def test_a_computer_without_memory_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def evaluate() -> None:
        raise MemoryError("unable to allocate 9 TiB")

    monkeypatch.setattr("tinsmith_driver.lists.registry", evaluate)
    assert main(["targets"]) == 2
    said = "tinsmith: error: this computer has too little memory: unable to allocate 9 TiB\n"
    assert capsys.readouterr().err == said


def test_standard_output_may_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["targets"]) == 0


def _chain(path: Path, length: int) -> str:
    """A model file with `length` additions in a row."""
    names = [f"what_all_names_begin_with_{index}" for index in range(length + 1)]
    steps = itertools.pairwise(names)
    lines = [f"%{result}: f32[64] = add(%{value}, %{value})" for value, result in steps]
    ends = f"input %{names[0]}: f32[64]", f"output %{names[-1]}"
    path.write_text("\n".join(['graph 2 "chain" {', ends[0], *lines, ends[1], "}"]))
    return str(path)


def test_check_says_no_to_constants_larger_than_the_flash(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "large.tsm"
    elements = 70_000  # of 4 bytes, where the board has 256 KiB
    zeros = base64.b64encode(bytes(4 * elements)).decode()
    constant = f'const %table: f32[{elements}] = base64 "{zeros}"'
    lines = ['graph 2 "large" {', f"input %x: f32[{elements}]", constant]
    path.write_text("\n".join([*lines, f"%y: f32[{elements}] = add(%x, %table)", "output %y", "}"]))
    assert main(["check", str(path), "--target", "cortex-m0", "--ram", "9000000"]) == 1
    assert "needed 280,000 bytes besides code, available 262,144" in capsys.readouterr().err
    assert main(["check", str(path), "--target", "cortex-m4"]) == 0


def _check_json(model: str, path: Path, *options: str) -> tuple[int, dict[str, Any]]:
    """The status of `check` and what it wrote, which the schema allows."""
    status = main(["check", model, "--target", "cortex-m0", "--json", str(path), *options])
    found = json.loads(path.read_text())
    jsonschema.validate(found, schema())
    assert found["exit_status"] == status
    assert found["supported"] == (status == 0) == (not found["problems"])
    return status, found


def test_check_writes_its_answer_as_json_whoever_gives_it(tmp_path: Path) -> None:
    assert _check_json(MODEL, tmp_path / "yes.json")[0] == 0
    status, found = _check_json(MODEL, tmp_path / "large.json", "--ram", "100")
    assert (status, len(found["problems"])) == (1, 1)
    assert "arena is too small" in found["problems"][0]
    (tmp_path / "other.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    status, found = _check_json(str(tmp_path / "other.h5"), tmp_path / "other.json")
    assert status == 3
    assert "what seems to be an HDF5 file (Keras)" in found["problems"][0]
    (tmp_path / "bad.tsm").write_text("graph")
    status, found = _check_json(str(tmp_path / "bad.tsm"), tmp_path / "text.json")
    assert status == 3


def test_check_tells_every_op_that_no_kernel_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_kernels(*_: object, **__: object) -> tuple[()]:
        return ()

    monkeypatch.setattr(Registry, "kernels", no_kernels)
    status, found = _check_json(_chain(tmp_path / "two.tsm", 2), tmp_path / "two.json")
    assert (status, len(found["problems"])) == (1, 2)
    assert all("no kernel computes add" in problem for problem in found["problems"])
    first, *others = capsys.readouterr().err.splitlines()
    assert first == "tinsmith: error: 2 of 2 ops cannot run on cortex-m0:"
    assert any("what_all_names_begin_with_2" in line for line in others)


def test_check_as_wrong_use_writes_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "no.json"
    assert main(["check", "absent.tflite", "--target", "host", "--json", str(path)]) == 2
    assert not path.exists()


@pytest.mark.parametrize("change", [{"supported": "yes"}, {"more": 1}, {"schema": "other"}])
def test_the_schema_refuses_what_check_does_not_write(
    change: dict[str, object], tmp_path: Path
) -> None:
    _, found = _check_json(MODEL, tmp_path / "yes.json")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**found, **change}, schema())


def test_layers_that_fall_back_for_one_reason_are_one_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", _chain(tmp_path / "five.tsm", 5), "--target", "cortex-m4"]) == 0
    (warning,) = capsys.readouterr().err.splitlines()
    assert "_with_3 and 2 more: tinsmith_add_f32 because cmsis_nn" in warning


def _fan(path: Path, branches: int) -> str:
    """A model file with sums of x and a constant each, all of them computed before they are added up."""
    ends = "input %x: f32[64]", f"output %y{branches - 1}"
    lines: list[str] = []
    for index in range(branches):
        data = base64.b64encode(np.full(64, index + 2, np.float32).tobytes()).decode()
        lines.append(f'const %c{index}: f32[64] = base64 "{data}"')
    lines += [f"%m{index}: f32[64] = mul(%x, %c{index})" for index in range(branches)]
    lines.append("%y1: f32[64] = add(%m0, %m1)")
    for index in range(2, branches):
        lines.append(f"%y{index}: f32[64] = add(%y{index - 1}, %m{index})")
    path.write_text("\n".join(['graph 2 "fan" {', ends[0], *lines, ends[1], "}"]))
    return str(path)


def test_an_arena_is_optimal_only_if_the_order_is_proven(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = _fan(tmp_path / "fan.tsm", 60)
    for looks, order, status in (
        ("200000", "optimal", "optimal"),
        ("0", "feasible", "optimal_for_order"),
    ):
        chosen = f"schedule-calls{{max_expansions={looks}}}"
        arguments = ["--target", "host", "--pass", chosen, "-o", str(tmp_path)]
        assert main(["compile", model, *arguments]) == 0
        printed = capsys.readouterr()
        assert printed.out.endswith(f" bytes, {status.replace('_', ' ')}\n")
        result = json.loads((tmp_path / "report.json").read_text())
        jsonschema.validate(result, schema())
        assert result["ram"]["arena_status"] == status
        found = result["order"]
        assert found["status"] == order
        assert (found["gap"] == 0.0) == (found["peak"] == found["lower_bound"]) == (looks != "0")
        is_warned = any("order of 119 operations" in warning for warning in result["warnings"])
        assert is_warned == ("order of 119 operations" in printed.err) == (looks == "0")
        page = (tmp_path / "report.html").read_text()
        assert ("feasible, heuristic, bound" in page) == (looks == "0")


def test_what_the_importer_warns_of_is_shown_and_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def warned(file: ModelSource) -> Graph:
        file.on_warning("the weights grow")
        return import_tflite(file.data, source=file.name)

    importer = replace(registry().importers["tflite"], read=warned)
    monkeypatch.setitem(vars(registry()), "importers", {"tflite": importer})
    assert main(["check", MODEL, "--target", "host"]) == 0
    assert "warning: the weights grow\n" in capsys.readouterr().err
    assert main(["compile", MODEL, "--target", "host", "-o", str(tmp_path)]) == 0
    assert "warning: the weights grow\n" in capsys.readouterr().err
    assert json.loads((tmp_path / "report.json").read_text())["warnings"] == ["the weights grow"]


def test_the_page_says_the_ends_of_long_names(tmp_path: Path) -> None:
    model = _chain(tmp_path / "long.tsm", 20)
    assert main(["compile", model, "--target", "host", "-o", str(tmp_path)]) == 0
    page = (tmp_path / "report.html").read_text()
    assert page.endswith("</html>")
    assert "_17</text>" in page


def test_a_program_that_show_printed_is_read_and_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lowered = ["--target", "cortex-m4", "--after", "allocate-buffers", "--constants"]
    assert main(["show", MODEL, *lowered]) == 0
    text = capsys.readouterr().out
    path = tmp_path / "digits.tsm"
    path.write_text(text)
    assert main(["show", str(path), "--constants"]) == 0
    assert capsys.readouterr().out == text
    assert main(["check", str(path), "--target", "cortex-m4"]) == 0
    capsys.readouterr()
    path.write_text(re.sub(r'in "arena" at \d+', 'in "arena" at 0', text))
    assert main(["show", str(path)]) == 3
    assert "digits.tsm: " in capsys.readouterr().err


@pytest.mark.parametrize(
    "body", ["%y: f32[5] = add(%x, %x)", "%y: f32[4] = add(%x, %z)", "%y = add(", "\xff"]
)
def test_a_text_that_breaks_a_rule_is_a_bad_model(
    body: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.tsm"
    path.write_text(f'graph 2 "g" {{\ninput %x: f32[4]\n{body}\noutput %y\n}}')
    assert main(["check", str(path), "--target", "host"]) == 3
    assert "bad.tsm: " in capsys.readouterr().err


def test_a_network_without_inputs_has_nothing_to_run_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "constant.tsm"
    path.write_text('graph 2 "g" {\nconst %c: f32[2] = [1, 2]\noutput %c\n}')
    assert main(["verify", str(path), "--target", "host"]) == 2
    assert "no inputs" in capsys.readouterr().err


def test_the_example_is_found_from_an_installation_in_a_clone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demonstration, "__file__", str(tmp_path / "demonstration.py"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="run the demo in a clone"):
        find_example()
    monkeypatch.chdir(EXAMPLE.model.parents[2])
    assert find_example().model.samefile(EXAMPLE.model)


def test_demo_writes_one_file_where_json_is_wanted_and_nothing_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    (tmp_path / "wanted").mkdir()
    wanted = tmp_path / "wanted" / "demo.json"
    assert main(["demo", "--target", "host", "--json", str(wanted)]) == 0
    assert [path.name for path in wanted.parent.iterdir()] == ["demo.json"]
    assert _report(wanted)["run"]["mismatches"] == 0


@pytest.mark.parametrize(
    "options",
    [
        ["compile", "-o", "{0}/out", "--json", "{0}/out/digits.c"],
        ["compile", "-o", "{0}/out", "--json", "{0}/out"],
        ["verify", "--json", "{0}/report", "--html", "{0}/report"],
        ["verify", "--json", "{0}/digits.tflite"],
        ["run", "--inputs", "{0}/digits.npz", "--outputs", "{0}/digits.npz"],
        ["check", "--json", "{0}/digits.tflite"],
    ],
)
def test_a_file_is_not_written_over_another_of_the_same_command(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, inputs = tmp_path / "digits.tflite", tmp_path / "digits.npz"
    model.write_bytes(EXAMPLE.model.read_bytes())
    inputs.write_bytes(EXAMPLE.inputs.read_bytes())
    command, *others = [word.format(tmp_path) for word in options]
    assert main([command, str(model), "--target", "host", *others]) == 2
    assert "collides with" in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == [inputs, model]
    assert model.read_bytes() == EXAMPLE.model.read_bytes()
    assert inputs.read_bytes() == EXAMPLE.inputs.read_bytes()
