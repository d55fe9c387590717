"""Networks that a cluster runs, or one core in its place, by the kernel of forked_kernel.py."""

import json
from pathlib import Path

import jsonschema
import pytest
from tinsmith_driver.cli import main
from tinsmith_driver.cluster import cluster_run, cluster_text
from tinsmith_driver.report import schema
from tinsmith_driver.report_types import Report
from tinsmith_emulators import CoreCounts, MissingEmulatorError, need_emulator
from tinsmith_target import target

FORKED = ("--plugin", "forked_kernel:PLUGIN")
NETWORK = """graph 2 "negated" {
  input %x: f32[1, 40]
  %a: f32[1, 40] = neg(%x)
  %b: f32[1, 40] = relu(%a)
  %y: f32[1, 40] = neg(%b)
  output %y
}
"""


def verified(folder: Path, name: str, *options: str) -> Report:
    """The report of a network that is right."""
    try:
        need_emulator(target(name).board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))
    model, report = folder / "negated.tsm", folder / "report.json"
    model.write_text(NETWORK)
    asked = ["--target", name, "--backend", "forked", "--json", str(report), "--no-progress"]
    assert main([*FORKED, "verify", str(model), *asked, *options]) == 0
    found: Report = json.loads(report.read_text())
    jsonschema.validate(found, schema())
    return found


@pytest.mark.parametrize(("name", "cores"), [("pulp-open", 8), ("siracusa", 8), ("gap9", 9)])
def test_a_network_whose_kernels_fork_runs_on_the_cluster(
    name: str, cores: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = verified(tmp_path, name, "--layers")
    assert "run" in report
    run = report["run"]
    cluster = run["cluster"]
    assert cluster is not None
    assert [core["name"] for core in cluster["by_core"]] == [f"core {n}" for n in range(cores)]
    assert run["cycles"] is not None
    for core in cluster["by_core"]:
        assert core["cycles"] == core["instructions"] + sum(core["stalls"].values())
        assert core["cycles"] == pytest.approx(run["cycles"], abs=60)
        # Two forks of five elements a core, or of four or five.
        assert core["classes"]["load"] >= 2 * (40 // cores)
    assert cluster["utilisation"] + sum(cluster["waits"].values()) == pytest.approx(1, abs=1e-4)
    assert f"cluster: {cores} cores, utilisation {cluster['utilisation']:.1%}\nwaits: " in (
        capsys.readouterr().out
    )
    layers = [layer["cycles"] for layer in report["layers"]]
    assert all(cycles is not None and cycles > 0 for cycles in layers)


def test_a_network_runs_on_as_many_cores_as_were_chosen(tmp_path: Path) -> None:
    report = verified(tmp_path, "pulp-open", "--cores", "3")
    assert "run" in report
    cluster = report["run"]["cluster"]
    assert cluster is not None
    assert cluster["cores"] == len(cluster["by_core"]) == 3


@pytest.mark.parametrize("name", ["host", "cortex-m4"])
def test_without_a_cluster_one_core_does_the_work_of_all(name: str, tmp_path: Path) -> None:
    report = verified(tmp_path, name)
    assert "run" in report
    assert report["run"]["cluster"] is None


def test_kernels_that_do_not_fork_run_on_the_controller(tmp_path: Path) -> None:
    report = verified(tmp_path, "pulp-open", "--backend", "reference", "--without", "spread-calls")
    assert "run" in report
    assert report["run"]["cluster"] is None


def test_a_trace_is_written_beside_the_page_that_names_it(tmp_path: Path) -> None:
    trace, page = tmp_path / "traces" / "a trace.json", tmp_path / "report.html"
    trace.parent.mkdir()
    verified(tmp_path, "pulp-open", "--trace", str(trace), "--html", str(page))
    names = {event["name"] for event in json.loads(trace.read_text())["traceEvents"]}
    assert {"main", "tinsmith_cluster_fork", "sleep: dispatch"} <= names
    text = page.read_text()
    assert '<a href="traces/a%20trace.json">' in text
    assert '<th scope="row">core 7</th>' in text


def test_a_trace_is_refused_where_nothing_writes_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "negated.tsm"
    model.write_text(NETWORK)
    trace = ["--trace", str(tmp_path / "t.json"), "--no-progress"]
    assert main(["verify", str(model), "--target", "cortex-m4", *trace]) == 2
    assert "mps2-an386 writes no trace: expected a simulated chip" in capsys.readouterr().err


def test_loops_that_ask_for_the_dma_are_waits_and_no_work() -> None:
    cores = [
        CoreCounts("core 0", 100, 60, {"alu": 40, "dma_poll": 20}, {"dma_wait": 40}),
        CoreCounts("core 1", 100, 10, {"alu": 10}, {"dispatch": 90}),
    ]
    found = cluster_run(cores)
    assert found is not None
    assert found["utilisation"] == 0.25
    assert found["waits"] == {"dispatch": 0.45, "dma_wait": 0.2, "dma_poll": 0.1}
    assert cluster_text(found) == (
        "2 cores, utilisation 25.0%\nwaits: dispatch 45.0%, dma wait 20.0%, dma poll 10.0%"
    )
    assert cluster_run([]) is None


SPREAD = """graph 2 "spread" {
  input %x: f32[1, 12, 5, 8]
  const %s: f32[8] = [1.5, -0.25, 0.5, 3.0, 1.0, 2.0, 4.0, -8.0]
  %a: f32[1, 12, 5, 8] = mul(%x, %s)
  %b: f32[1, 6, 5, 8] = max_pool2d(%a) {window=[2, 1], stride=[2, 1]}
  %y: f32[1, 6, 8, 5] = transpose(%b) {permutation=[0, 1, 3, 2]}
  output %y
}
"""


def spread(folder: Path, name: str, *options: str, network: str = SPREAD) -> Report:
    try:
        need_emulator(target(name).board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))
    model, report = folder / "spread.tsm", folder / "report.json"
    model.write_text(network)
    asked = ["--target", name, "--json", str(report), "--no-progress", "--layers"]
    assert main(["verify", str(model), *asked, *options]) == 0
    found: Report = json.loads(report.read_text())
    jsonschema.validate(found, schema())
    return found


@pytest.mark.parametrize("name", ["pulp-open", "siracusa", "gap9"])
def test_kernels_that_do_not_fork_compute_rows_on_all_cores(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = spread(tmp_path, name)
    assert [(layer["name"], layer["cores"]) for layer in report["layers"]] == [
        ("a.0", 6),
        ("b.0", 6),
        ("y.0", 6),
    ]
    assert "run" in report
    assert report["run"]["cluster"] is not None
    header, _, row = capsys.readouterr().out.splitlines()[:3]
    assert header.split()[:5] == ["layer", "op", "kernel", "MACs", "cores"]
    assert row.split()[4] == "6"


def test_nine_cores_have_as_many_rows_each(tmp_path: Path) -> None:
    """Jobs of all cores run at once: none of them waits for a second turn."""
    network = SPREAD.replace("[1, 12, 5, 8]", "[1, 18, 5, 8]").replace("[1, 6, ", "[1, 9, ")
    report = spread(tmp_path, "gap9", network=network)
    assert {layer["cores"] for layer in report["layers"]} == {9}
    assert "run" in report
    cluster = report["run"]["cluster"]
    assert cluster is not None
    stores = [core["classes"].get("store", 0) for core in cluster["by_core"]]
    assert len(stores) == 9
    assert max(stores[1:]) < 1.1 * min(stores[1:])
    assert stores[0] < 1.5 * min(stores)


def test_rows_are_spread_over_the_cores_that_there_are(tmp_path: Path) -> None:
    report = spread(tmp_path, "siracusa", "--cores", "3")
    assert {layer["cores"] for layer in report["layers"]} == {3}


def test_without_the_pass_the_core_that_boots_runs_the_network(tmp_path: Path) -> None:
    report = spread(tmp_path, "siracusa", "--without", "spread-calls")
    assert [(layer["name"], layer["cores"]) for layer in report["layers"]] == [
        ("a", 1),
        ("b", 1),
        ("y", 1),
    ]
    assert "run" in report
    assert report["run"]["cluster"] is None


def test_a_plan_of_calls_at_the_same_time_is_read_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, plan = tmp_path / "spread.tsm", tmp_path / "plan.tsm"
    model.write_text(SPREAD)
    command = ["show", str(model), "--target", "siracusa", "--after", "allocate-buffers"]
    assert main([*command, "--constants"]) == 0
    text = capsys.readouterr().out
    assert "loop i of 6 {" in text
    assert 'on "cores" token i+16' in " ".join(text.split())
    plan.write_text(text)
    assert main(["check", str(plan), "--target", "siracusa"]) == 0
    overlapping = text.replace("of %a start 320*i", "of %a start 160*i")
    assert overlapping != text
    plan.write_text(overlapping)
    assert main(["check", str(plan), "--target", "siracusa"]) == 3
    assert "writes what is still being written by" in capsys.readouterr().err


def test_on_one_core_the_rest_of_a_network_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "resized.tsm"
    resized = SPREAD.replace(
        "  output %y",
        "  %r: f32[1, 240] = reshape(%y) {shape=[1, 240]}\n  %z: f32[1, 240] = softmax(%r)\n  output %z",
    )
    model.write_text(resized)
    out = str(tmp_path / "out")
    assert main(["compile", str(model), "--target", "siracusa", "-o", out, "--no-progress"]) == 0
    said = capsys.readouterr()
    assert "z: on one core: softmax is not cut" in (said.out + said.err)
