"""The command tinsmith-order: files in and out, one line, exit statuses."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tinsmith_scheduling.command import main


def branches() -> dict[str, Any]:
    """Two branches from x, each with a large middle and a small end; both middles live at once."""
    return {
        "tinsmith_order": 1,
        "stores": {"x": 10, "a": 100, "b": 100, "a_end": 1, "b_end": 1, "y": 2},
        "inputs": ["x"],
        "outputs": ["y"],
        "nodes": [
            {"name": "a", "reads": ["x"]},
            {"name": "b", "reads": ["x"]},
            {"name": "a_end", "reads": ["a"]},
            {"name": "b_end", "reads": ["b"]},
            {"name": "y", "reads": ["a_end", "b_end"]},
        ],
    }


def written(folder: Path, data: object) -> str:
    path = folder / "graph.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return str(path)


def names(path: Path) -> list[str]:
    return [node["name"] for node in json.loads(path.read_text(encoding="utf-8"))["nodes"]]


def test_an_order_is_written_and_is_a_graph_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    order = tmp_path / "order.json"
    assert main([written(tmp_path, branches()), "-o", str(order)]) == 0
    said = "peak 111 bytes, optimal (bound 111 bytes), {} bytes as given, 5 nodes, "
    assert capsys.readouterr().out.startswith(said.format(210))
    assert names(order) == ["a", "a_end", "b", "b_end", "y"]
    facts = json.loads(order.read_text(encoding="utf-8"))
    assert (facts["peak"], facts["bound"], facts["status"]) == (111, 111, "optimal")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graph.json", "order.json"]
    assert main([str(order)]) == 0
    assert capsys.readouterr().out.startswith(said.format(111))


def test_scratch_and_what_lies_over_an_operand_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = branches()
    data["nodes"][0] |= {"scratch": 7}
    data["nodes"][3] |= {"over": {"b": 1}}
    assert main([written(tmp_path, data)]) == 0
    # a runs beside x and b_end, or alone with x: 10 + 100 + 7.
    assert capsys.readouterr().out.startswith("peak 117 bytes, optimal")


def test_nodes_stay_behind_those_whose_stores_they_write_over(tmp_path: Path) -> None:
    data = {
        "tinsmith_order": 1,
        "stores": {"s": 4, "big": 100, "y": 1, "z": 1},
        "inputs": ["s"],
        "outputs": ["y", "z"],
        "nodes": [
            {"name": "big", "reads": ["s"]},
            {"name": "y", "reads": ["big"]},
            {"name": "update", "reads": ["s"], "writes": ["s"]},
            {"name": "z", "reads": ["s"], "after": ["y"]},
        ],
    }
    order = tmp_path / "order.json"
    assert main([written(tmp_path, data), "-o", str(order)]) == 0
    found = names(order)
    assert found.index("big") < found.index("update") < found.index("z") > found.index("y")


def test_what_does_not_fit_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph = written(tmp_path, branches())
    assert main([graph, "--capacity", "111"]) == 0
    assert "fits 111 bytes" in capsys.readouterr().out
    assert main([graph, "--capacity", "110"]) == 1
    assert "does not fit 110 bytes: proven" in capsys.readouterr().out


def _instead(data: object) -> Callable[[dict[str, Any]], object]:
    return lambda _: data


def _with(**fields: object) -> Callable[[dict[str, Any]], object]:
    return lambda data: data | fields


def _node(**fields: object) -> Callable[[dict[str, Any]], object]:
    return lambda data: data | {"nodes": [data["nodes"][0] | fields, *data["nodes"][1:]]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_instead("{"), "graph.json, line 1, column 2: "),
        (_instead([1]), "the file: expected an object, got [1]"),
        (_with(tinsmith_order=2), 'expected "tinsmith_order": 1, got 2'),
        (_with(edges=[]), 'unknown field "edges": expected some of bound, inputs'),
        (_with(nodes=None), "nodes: expected a list, got nothing"),
        (_with(outputs=["z"]), "store z: it has no size"),
        (_with(inputs=[]), "task a: it reads store x, which no task that it stays behind fills"),
        (_node(name="b"), "nodes[1]: another node is called b, too"),
        (_node(scratch=-1), "nodes[0].scratch: expected an integer from 0 to 2**62 - 1, got -1"),
        (
            _node(scratch=True),
            "nodes[0].scratch: expected an integer from 0 to 2**62 - 1, got true",
        ),
        (_node(reads="x"), 'nodes[0].reads: expected a list, got "x"'),
        (_node(after=["y"]), "task a: it stays behind y, which is no task before it"),
        (_node(over={"x": 11}), "task a: expected to lie over 0 to 10 bytes of x, got 11"),
        (_node(over={"b": 1}), "task a: it may lie over b, which it does not read"),
        (_node(writes=["q"]), "task a: store q has no size"),
    ],
)
def test_a_bad_file_is_refused(
    change: Callable[[dict[str, Any]], object],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    graph = written(tmp_path, change(branches()))
    assert main([graph, "-o", str(tmp_path / "order.json")]) == 3
    assert said in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["graph.json"]


def test_wrong_use_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph = written(tmp_path, branches())
    for output, said in (
        (graph, "expected another file than the graph"),
        (str(tmp_path), "it is a folder"),
        (str(tmp_path / "none" / "order.json"), "expected a folder"),
    ):
        assert main([graph, "-o", output]) == 2
        assert said in capsys.readouterr().err
    assert main([str(tmp_path / "none.json")]) == 2
    assert "cannot read" in capsys.readouterr().err


def test_it_runs_as_a_module(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "tinsmith_scheduling", written(tmp_path, branches())],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("peak 111 bytes, optimal")
