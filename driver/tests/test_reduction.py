"""`verify --layers` and `reduce` on a kernel that is wrong on purpose, see wrong_kernel.py."""

from pathlib import Path

import numpy as np
import pytest
from tinsmith_driver.cli import main
from tinsmith_ir import DType, Graph, TensorType
from tinsmith_ir.builder import GraphBuilder
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.operators import Add, MaxPool2D, Mul, Neg, Reshape, Square, Tanh
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.printer import print_graph

WRONG = ("--plugin", "wrong_kernel:PLUGIN")
ON_HOST = ("--target", "host", "--backend", "wrong", "--no-progress", "--samples", "2")
SHAPE = (1, 4, 8, 2)


def _network(*, has_rank_3: bool = False) -> Graph:
    """A Neg in the midst of others, behind which a second branch ends."""
    b = GraphBuilder("mixed")
    x = b.input("x", TensorType(SHAPE, DType.FLOAT32))
    a = b.add(Add(), [x, b.constant("c", np.linspace(-1, 1, 64, dtype=np.float32).reshape(SHAPE))])
    t = b.add(Tanh(), [a])
    if has_rank_3:
        row = b.add(Neg(), [b.add(Reshape(shape=(4, 8, 2)), [t])], "refused")
        t = b.add(Reshape(shape=SHAPE), [row])
    s = b.add(Mul(), [b.add(Neg(), [t], "negated"), a])
    pooled = b.add(MaxPool2D(window=(2, 2), stride=(2, 2), padding=(0, 0, 0, 0)), [s])
    return b.build([pooled, b.add(Square(), [t])])


def _file(tmp_path: Path, graph: Graph) -> str:
    path = tmp_path / "mixed.tsm"
    path.write_text(print_graph(graph), encoding="utf-8")
    return str(path)


def test_the_first_layer_that_differs_is_named_and_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "difference.npz"
    model = _file(tmp_path, _network())
    asked = ("--layers", "--difference", str(place))
    assert main([*WRONG, "verify", model, *ON_HOST, *asked]) == 1
    printed = capsys.readouterr().out
    assert (
        "NOT bit-exact: random sample 0: layer 2 (negated, by wrong_neg_f32)[0, 0, 6, 0]" in printed
    )
    with np.load(place) as arrays:
        assert sorted(arrays) == ["expected", "got", "operand0"]
        operand, expected, got = (arrays[name] for name in ("operand0", "expected", "got"))
    np.testing.assert_array_equal(expected, -operand)
    np.testing.assert_array_equal(got.reshape(-1)[:12], expected.reshape(-1)[:12])
    np.testing.assert_array_equal(got.reshape(-1)[12:], operand.reshape(-1)[12:])


def test_without_a_difference_nothing_is_written(tmp_path: Path) -> None:
    place = tmp_path / "difference.npz"
    model = _file(tmp_path, _network())
    right = ("--target", "host", "--no-progress", "--samples", "1")
    assert main(["verify", model, *right, "--layers", "--difference", str(place)]) == 0
    assert not place.exists()
    assert main(["verify", model, *right, "--difference", str(place)]) == 2


def test_a_wrong_kernel_is_reduced_to_it_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, place = _file(tmp_path, _network()), tmp_path / "smallest.tsm"
    assert main([*WRONG, "reduce", model, *ON_HOST, "-o", str(place)]) == 0
    assert "by wrong" not in capsys.readouterr().err
    graph = parse_graph(place.read_text(encoding="utf-8"))
    (node,) = graph.nodes
    assert node.operator == Neg()
    assert node.outputs[0].type.elements == 14, "13 are wrong, but no box of this shape has them"
    with np.load(place.with_suffix(".npz")) as arrays:
        assert [*arrays] == ["x"]
        results = evaluate_graph(graph, [arrays["x"][0]])
    np.testing.assert_array_equal(results["negated"], -arrays_of(place)[0])
    again = ("--inputs", str(place.with_suffix(".npz")))
    assert main([*WRONG, "verify", str(place), *ON_HOST, *again]) == 1


def arrays_of(place: Path) -> np.ndarray:
    with np.load(place.with_suffix(".npz")) as arrays:
        return arrays["x"]


def test_a_crash_of_compiling_is_reduced_to_what_crashes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, place = _file(tmp_path, _network(has_rank_3=True)), tmp_path / "smallest.tsm"
    assert main([*WRONG, "reduce", model, *ON_HOST, "-o", str(place)]) == 0
    assert "IndexError: no axis 3 in refused" in capsys.readouterr().out
    (node,) = parse_graph(place.read_text(encoding="utf-8")).nodes
    assert (node.operator, node.outputs[0].type.shape) == (Neg(), (1, 1, 1))


def test_what_does_not_fail_is_not_reduced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = _file(tmp_path, _network())
    options = ("--target", "host", "--no-progress", "--samples", "1")
    assert main(["reduce", model, *options, "-o", str(tmp_path / "smallest.tsm")]) == 1
    assert "mixed does not fail on host" in capsys.readouterr().out
    assert not (tmp_path / "smallest.tsm").exists()
    assert main(["reduce", model, *options, "-o", model]) == 2
    assert main(["reduce", model, *options, "-o", str(tmp_path / "smallest.txt")]) == 2
