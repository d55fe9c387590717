"""Walks that kernels declare, judged on emulated boards: results as far over their operands as they may lie."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
import tinsmith_cmsis_nn
import tinsmith_reference
from tinsmith_c.testing import CASES, random_windows, tight_program
from tinsmith_driver.cli import main
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_ir import Graph, Value, print_program
from tinsmith_ir.builder import GraphBuilder
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Conv2D, DepthwiseConv2D
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import lower, prepare
from tinsmith_target import target

_NETWORK = next(case for case in CASES if case.name == "network").build()


_GIVEN, _MADE = (Quantization.per_tensor(scale, -3) for scale in (0.05, 0.08))


def _layers(
    name: str, layers: Iterable[tuple[Conv2D | DepthwiseConv2D, tuple[int, ...], tuple[int, ...]]]
) -> Graph:
    """Side by side; of each the shapes of its input and its weights."""
    random = np.random.default_rng(3)
    builder = GraphBuilder(name)
    outputs: list[Value] = []
    for index, (operator, shape, weights) in enumerate(layers):
        x = builder.input(f"x{index}", TensorType(shape, DType.INT8, _GIVEN))
        data = random.integers(-127, 128, weights).astype(np.int8)
        w = builder.constant(f"w{index}", data, Quantization.per_tensor(0.004, 0))
        outputs.append(builder.add(operator, [x, w], f"y{index}", _MADE))
    return builder.build(outputs)


# 1x1 and 3x3, with as many channels and pixels as kernels do at once, fewer, and more.
_POINTWISE = _layers(
    "pointwise",
    [
        (Conv2D(), (1, pixels, 1, channels), (16, 1, 1, channels))
        for channels, pixels in ((8, 130), (16, 125), (24, 200), (5, 99))
    ],
)
_DEPTHWISE = _layers(
    "depthwise",
    [
        (
            DepthwiseConv2D(stride=(stride, stride), padding=(1, 1, 1, 1)),
            (1, 12, width, channels),
            (1, 3, 3, channels),
        )
        for channels, stride, width in ((8, 1, 9), (40, 1, 6), (21, 2, 5))
    ],
)


def _plan(graph: Graph, name: str, *, nearer: int = 0) -> str:
    chosen = target(name)
    kernels = (
        *tinsmith_cmsis_nn.backend().kernels(chosen),
        *tinsmith_reference.backend().kernels(chosen),
    )
    program = prepare(lower(graph, chosen, kernels), chosen, kernels)
    return print_program(tight_program(program, nearer=nearer))


@pytest.mark.parametrize(
    "graph",
    [_NETWORK, random_windows(0), _POINTWISE, _DEPTHWISE],
    ids=["network", "windows", "pointwise", "depthwise"],
)
@pytest.mark.parametrize("name", ["cortex-m4", "cortex-m55"])
def test_results_at_their_tightest_are_right(
    name: str, graph: Graph, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        need_emulator(target(name).board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))
    plan = tmp_path / "tight.tsm"
    plan.write_text(_plan(graph, name))
    status = main(["verify", str(plan), "--target", name])
    assert status == 0, capsys.readouterr()


def test_a_plan_that_says_more_than_a_walk_allows_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "nearer.tsm"
    plan.write_text(_plan(_NETWORK, "cortex-m4", nearer=1))
    status = main(["compile", str(plan), "--target", "cortex-m4", "-o", str(tmp_path / "c")])
    assert status == 3
    assert "cannot bear `over %" in capsys.readouterr().err
