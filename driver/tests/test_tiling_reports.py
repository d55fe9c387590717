"""What reports say of networks in tiles: a chain of convolutions on the simulated cluster, and small pieces by hand."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import jsonschema
import pytest
from tinsmith_driver.benchmarks.pulp import chain
from tinsmith_driver.cli import main
from tinsmith_driver.models import TEXT_FORMAT, Model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.report import report, schema
from tinsmith_driver.report_types import Report, TiledLayerRow, TilingFacts
from tinsmith_driver.tiling import copied_bytes, tiling_table, tiling_text
from tinsmith_driver.timeline import timeline
from tinsmith_driver.traces import with_layer_names
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_ir import parse_program
from tinsmith_ir.printer import print_graph
from tinsmith_target import target

Events = Sequence[Mapping[str, object]]


def network(folder: Path) -> Path:
    path = folder / "chain.tsm"
    path.write_text(print_graph(chain(4)))
    return path


def verified(folder: Path, *options: str) -> tuple[Report, TilingFacts]:
    """The report of the chain in 8 KiB, where none of its tensors, of 9 KiB, fits whole."""
    try:
        need_emulator(target("siracusa").board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))
    path = folder / "report.json"
    asked = ["--target", "siracusa", "--l1", "8KiB", "--samples", "1", "--no-progress"]
    assert main(["verify", str(network(folder)), *asked, "--json", str(path), *options]) == 0
    found: Report = json.loads(path.read_text())
    jsonschema.validate(found, schema())
    assert found["tiling"] is not None
    return found, found["tiling"]


def row(name: str, modelled: int, cycles: int | None, waits: Mapping[str, float]) -> TiledLayerRow:
    return {
        "name": name,
        "calls": [name],
        "way": "1 x 1 tiles",
        "tiles": 1,
        "near": [],
        "prefetched": False,
        "modelled": modelled,
        "cycles": cycles,
        "difference": None if cycles is None else modelled / cycles - 1,
        "cluster": None
        if cycles is None
        else {"utilisation": round(1 - sum(waits.values()), 6), "waits": {**waits}},
    }


def facts(*rows: TiledLayerRow, gap: float = 0.0) -> TilingFacts:
    cycles = [found["cycles"] for found in rows if found["cycles"] is not None]
    modelled = sum(found["modelled"] for found in rows)
    total = sum(cycles) if cycles else None
    return {
        "status": "feasible" if gap else "optimal",
        "modelled": modelled,
        "bound": modelled,
        "gap": gap,
        "cycles": total,
        "difference": None if total is None else modelled / total - 1,
        "memory": "l1",
        "memory_bytes": 8192,
        "used": 4096,
        "bytes_in": 1000,
        "bytes_out": 10,
        "layers": [*rows],
    }


def test_a_run_is_told_layer_by_layer_beside_the_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    found, tiling = verified(tmp_path, "--layers", "--html", str(page))
    rows = {layer["name"]: layer for layer in found["layers"]}
    for layer in tiling["layers"]:
        cycles = [rows[call]["cycles"] for call in layer["calls"]]
        assert layer["cycles"]
        assert layer["cycles"] == sum(count for count in cycles if count is not None)
        assert layer["difference"] == pytest.approx(
            layer["modelled"] / layer["cycles"] - 1, abs=1e-4
        )
        assert layer["cluster"] is not None
        shares = layer["cluster"]["utilisation"] + sum(layer["cluster"]["waits"].values())
        assert shares == pytest.approx(1, abs=1e-4)
    assert any(layer["tiles"] > 1 for layer in tiling["layers"])
    assert tiling["modelled"] == sum(layer["modelled"] for layer in tiling["layers"])
    assert tiling["used"] <= tiling["memory_bytes"] == 8192
    assert "run" in found
    assert found["run"]["cycles"] is not None
    # What marks the end of a call takes a part of its cycles, nothing else lies between calls.
    assert tiling["cycles"] is not None
    assert 1 < tiling["cycles"] / found["run"]["cycles"] < 1.04
    said = capsys.readouterr().out
    assert tiling_text(tiling) in said
    assert tiling_table(tiling) in said
    text = page.read_text()
    assert '<h2 id="tiles">Tiles' in text
    assert tiling["layers"][0]["way"] in text


def test_without_layers_the_text_is_two_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, tiling = verified(tmp_path)
    said = capsys.readouterr().out
    assert tiling_text(tiling) in said
    assert "tiled layer" not in said


def test_a_trace_names_layers_and_has_the_copies_that_the_report_counts(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    found, tiling = verified(tmp_path, "--trace", str(path))
    events: Events = json.loads(path.read_text())["traceEvents"]
    tracks = _tracks(events)
    assert {"layers", *(f"core {core}" for core in range(8))} <= tracks.keys()
    assert {event["name"] for event in tracks["layers"]} == {
        layer["name"] for layer in found["layers"]
    }
    assert len(tracks["layers"]) == sum(layer["tiles"] for layer in tiling["layers"])
    copies = [event for name, track in tracks.items() if "DMA" in name for event in track]
    assert _bytes(copies, " to L1") == tiling["bytes_in"]
    assert _bytes(copies, " from L1") == tiling["bytes_out"]


def _tracks(events: Events) -> dict[str, list[Mapping[str, object]]]:
    names = {e["tid"]: e["args"] for e in events if e["name"] == "thread_name"}
    found: dict[str, list[Mapping[str, object]]] = {}
    for event in events:
        if event["ph"] == "X":
            name = json.loads(json.dumps(names[event["tid"]]))["name"]
            found.setdefault(name, []).append(event)
    return found


def _bytes(copies: Events, direction: str) -> int:
    found = [e["args"] for e in copies if str(e["name"]).endswith(direction)]
    return sum(int(json.loads(json.dumps(arguments))["bytes"]) for arguments in found)


def test_what_was_only_compiled_has_the_model_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--target", "siracusa", "--l1", "8KiB", "--no-progress", "-o", str(tmp_path / "c")]
    assert main(["compile", str(network(tmp_path)), *asked]) == 0
    found: Report = json.loads((tmp_path / "c" / "report.json").read_text())
    jsonschema.validate(found, schema())
    tiling = found["tiling"]
    assert tiling is not None
    assert tiling["cycles"] is tiling["difference"] is None
    assert all(layer["cluster"] is None for layer in tiling["layers"])
    assert tiling_text(tiling) in capsys.readouterr().out
    assert "simulated" not in tiling_text(tiling)
    assert "utilisation" not in tiling_table(tiling)
    page = (tmp_path / "c" / "report.html").read_text()
    assert '<h2 id="tiles">Tiles' in page
    assert "simulated" not in page


@pytest.mark.parametrize("name", ["host", "cortex-m4"])
def test_without_a_cluster_there_are_no_tiles(name: str) -> None:
    model = Model(Path("chain.tsm"), TEXT_FORMAT, "0" * 64, chain(2))
    assert report(compile_model(model, CompileOptions(name)))["tiling"] is None


def test_copies_in_loops_count_as_often_as_they_run() -> None:
    program = parse_program("""program 2 "rows" for "two-memories" {
  memory "l2" size 4096 align 16
  memory "l1" size 64 align 4
  engine "dma" reaches "l2", "l1" align 1
  buffer %x: i8[4,16]<0.5, 0> in "l2" at 0
  view %next: i8[1,16]<0.5, 0> of %x start 16*i+16
  view %start: i8[1,16]<0.5, 0> of %x
  buffer %tiles: 32 bytes in "l1" at 0
  view %first: i8[1,16]<0.5, 0> of %tiles
  view %row: i8[1,16]<0.5, 0> of %tiles start 16*((i+1) mod 2)
  buffer %y: i8[1,16]<0.5, 0> in "l2" at 64
  input %x
  copy %start -> %first on "dma" token 0
  loop i of 4 {
    copy %next -> %row on "dma" token ((i+1) mod 2) when i from 0 below 3
    wait (i mod 2)
  }
  copy %first -> %y on "dma" token 0
  wait 0
  copy %first -> %y
  output %y
}""")
    assert copied_bytes(program, "l1") == (4 * 16, 16)


def test_a_plan_that_is_not_proven_says_how_far_it_may_be() -> None:
    text = tiling_text(facts(row("a", 100, 80, {}), gap=0.021))
    assert text.startswith(
        "tiles: feasible, the best plan takes at most 2.1% less; 100 cycles by the model, "
        "80 simulated (+25.0%)"
    )


def test_the_table_has_the_largest_waits() -> None:
    waits = {"dispatch": 0.3, "l1_conflict": 0.2, "branch": 0.1, "l2": 0.05}
    line = tiling_table(facts(row("a", 100, 80, waits))).splitlines()[-1]
    assert line.endswith("-  dispatch 30.0%, l1 conflict 20.0%, branch 10.0%")


def test_a_timeline_has_layers_as_long_as_they_took_and_as_the_model_has_them() -> None:
    made = timeline(facts(row("a", 100, 300, {"barrier": 0.25}), row("b", 300, 100, {})))
    assert [name for name, _ in made.rows] == ["simulated", "modelled"]
    work, waits, other, *bars = made.parts
    assert work.width == waits.width == pytest.approx(3 * other.width, abs=0.1)
    assert work.height == pytest.approx(3 * waits.height)
    assert waits.y + waits.height == pytest.approx(work.y)
    assert other.height == pytest.approx(work.height + waits.height)
    assert bars[1].width == pytest.approx(3 * bars[0].width, abs=0.1)
    assert [name for name, _ in made.legend] == ["work", "barrier"]
    assert made.ticks[-1][1] == "400"


def test_a_timeline_of_what_was_not_run_has_the_model_alone() -> None:
    made = timeline(facts(row("a", 100, None, {})))
    assert [name for name, _ in made.rows] == ["modelled"]
    assert not made.legend


def test_stages_of_a_trace_are_called_as_layers_are() -> None:
    events: list[dict[str, object]] = [
        {"ph": "M", "pid": 1, "tid": 4, "name": "thread_name", "args": {"name": "stages"}},
        {"ph": "M", "pid": 1, "tid": 4, "name": "thread_sort_index", "args": {"sort_index": 3}},
        {"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 1, "name": "stage 1", "args": {}},
        {"ph": "X", "pid": 1, "tid": 4, "ts": 0, "dur": 1, "name": "stage 2", "args": {}},
        {"ph": "X", "pid": 1, "tid": 4, "ts": 1, "dur": 1, "name": "stage 3", "args": {}},
    ]
    given = json.dumps({"traceEvents": events}).encode()
    made = json.loads(with_layer_names(given, ["a", "b\n"]))["traceEvents"]
    assert [event["name"] for event in made[2:]] == ["stage 1", r"b\x0a", "stage 3"]
    assert made[0]["args"] == {"name": "layers"}
    assert made[1]["args"] == {"sort_index": -1}


def test_a_trace_without_stages_stays_as_it_is() -> None:
    given = b'{"traceEvents": []}'
    assert with_layer_names(given, ["a"]) is given
