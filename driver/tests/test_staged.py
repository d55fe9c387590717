"""Networks whose constants lie in a remote memory, on the simulated chip: results, reports, plans."""

import json
from pathlib import Path

import jsonschema
import pytest
from tinsmith_driver.benchmarks.mobilenet_v2 import mobilenet_v2
from tinsmith_driver.cli import main
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.models import TEXT_FORMAT, Model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.passes import PassChoice
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.report import report, schema
from tinsmith_driver.report_types import Report, StagedFacts
from tinsmith_driver.staged import staged_text
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_ir import Copy, Graph, print_graph
from tinsmith_ir.program import simple_steps
from tinsmith_target import target


def network() -> Graph:
    """170 KB of constants, most of them of the last two layers."""
    return mobilenet_v2(32, 0.1, classes=40)


def compiled(name: str, *passes: str) -> Compilation:
    chosen = tuple(map(PassChoice.parse, passes))
    model = Model(Path("network.tsm"), TEXT_FORMAT, "0" * 64, network())
    return compile_model(model, CompileOptions(name, passes=chosen))


def verified(folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> Report:
    """The report of a network that is right."""
    try:
        need_emulator(target("gap9").board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))
    model, path = folder / "network.tsm", folder / "report.json"
    model.write_text(print_graph(network()))
    asked = ["--target", "gap9", "--samples", "1", "--no-progress", "--json", str(path)]
    assert main(["verify", str(model), *asked, *options]) == 0
    found: Report = json.loads(path.read_text())
    jsonschema.validate(found, schema())
    assert "bit-exact" in capsys.readouterr().out
    return found


def test_weights_in_a_remote_memory_are_there_in_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = verified(tmp_path, capsys)
    staged = found["staged"]
    assert staged is not None
    assert staged["fetched"] == staged["far_bytes"] > 170_000
    assert staged["used"] <= staged["room"]
    assert staged["waiting"] == 0.0


def test_a_room_for_less_than_half_of_them_gives_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In tiles, the constants of which loops read one after another."""
    room = "stage-constants{available_bytes=40KiB}"
    found = verified(tmp_path, capsys, "--l1", "16KiB", "--pass", room)
    staged = found["staged"]
    assert staged is not None
    assert staged["used"] <= staged["room"] < 40 * 1024 < staged["fetched"]
    assert staged["waiting"] is not None
    assert 0 < staged["waiting"] < 0.2
    assert "run" in found
    cluster = found["run"]["cluster"]
    assert cluster is not None
    core = cluster["by_core"][0]
    assert staged["waiting"] == pytest.approx(
        core["stalls"]["fetch_wait"] / core["cycles"], abs=1e-6
    )


def test_plans_of_what_is_fetched_hold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "plan.json"
    verified(tmp_path, capsys, "--plan", str(plan))
    assert main(["check-plan", str(plan)]) == 0
    assert "l3" not in {memory["name"] for memory in json.loads(plan.read_text())["memories"]}


def test_without_a_remote_memory_nothing_is_fetched() -> None:
    compilation = compiled("siracusa")
    found = report(compilation, None, None)
    jsonschema.validate(found, schema())
    assert found["staged"] is None
    assert not any(
        isinstance(step, Copy) and step.engine == "udma"
        for step in simple_steps(compilation.program.steps)
    )


def test_options_of_the_pass_come_from_the_command() -> None:
    whole = report(compiled("gap9"), None, None)["staged"]
    part = report(compiled("gap9", "stage-constants{resident_bytes=60KiB}"), None, None)["staged"]
    assert whole is not None
    assert part is not None
    assert part["far_bytes"] + 50_000 < whole["far_bytes"]
    assert part["resident"] > 50_000
    assert whole["waiting"] is None


def test_one_line_for_people() -> None:
    facts: StagedFacts = {
        "engine": "udma",
        "far": "l3",
        "far_bytes": 3000,
        "fetches": 4,
        "fetched": 4000,
        "memory": "arena",
        "used": 2000,
        "room": 9000,
        "resident": 40,
        "waiting": 0.125,
    }
    line = "l3: 4,000 bytes fetched by udma in each inference, 4 times, to 2,000 of 9,000 bytes of arena"
    assert staged_text(facts) == f"{line}; waiting for it: 12.5%"
    assert staged_text({**facts, "waiting": None}) == line
