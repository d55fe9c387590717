"""What tests need: random networks and inputs, what a pass must keep, and where the MLPerf Tiny files are."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from tinsmith_ir.builder import GraphBuilder, dtype_of
from tinsmith_ir.dtypes import DType
from tinsmith_ir.evaluate import compared_frames, evaluate_frames
from tinsmith_ir.graph import Array, Graph
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.passes import GraphPass
from tinsmith_ir.printer import print_graph
from tinsmith_ir.random_graphs import random_graph
from tinsmith_ir.types import TensorType
from tinsmith_ir.verify import verify_graph

_SEEDS = 3

__all__ = [
    "GraphBuilder",
    "assert_rewrites",
    "assert_same_bits",
    "dtype_of",
    "mlperf_tiny_dir",
    "mlperf_tiny_inputs_dir",
    "random_array",
    "random_graph",
    "random_inputs",
]


def random_inputs(graph: Graph, seed: int = 0) -> Mapping[str, Array]:
    """One array per graph input: integers over their whole range, float32 from a normal
    distribution, int32 and int64 in [-1000, 1000].
    """
    generator = np.random.default_rng(seed)
    return {value.name: random_array(generator, value.type) for value in graph.inputs}


def random_array(generator: np.random.Generator, type_: TensorType) -> Array:
    """An array of `type_`, see `random_inputs`."""
    match type_.dtype:
        case DType.FLOAT32:
            return generator.standard_normal(type_.shape, np.float32)
        case DType.BOOL:
            return generator.integers(0, 2, type_.shape).astype(np.bool_)
        case DType.INT32 | DType.INT64:
            return generator.integers(-1000, 1001, type_.shape).astype(type_.dtype.numpy)
        case DType.INT2 | DType.INT4 | DType.INT8 | DType.UINT8 | DType.INT16:
            low, high = type_.dtype.integer_range
            return generator.integers(low, high + 1, type_.shape).astype(type_.dtype.numpy)


def assert_rewrites(pass_: GraphPass, before: str, after: str) -> None:
    """Assert that `pass_` turns the graph of one text into that of the other, valid and with the same
    bits, and has nothing more to do then.
    """
    graph = parse_graph(before)
    result = pass_.run(graph)
    assert print_graph(result) == print_graph(parse_graph(after))
    assert_same_bits(graph, result)
    assert print_graph(pass_.run(result)) == print_graph(result)


def assert_same_bits(before: Graph, after: Graph) -> None:
    """Assert that both graphs are valid, take and give the same values, and compute the same bits
    from random inputs, in each of several runs one after another.
    """
    verify_graph(before)
    verify_graph(after)
    assert before.inputs == after.inputs
    assert before.outputs == after.outputs
    for seed in range(_SEEDS):
        given = random_inputs(before, seed)
        frames = compared_frames(given, has_states=bool(before.states))
        runs = zip(evaluate_frames(before, frames), evaluate_frames(after, frames), strict=True)
        for wanted, got in runs:
            for name, array in wanted.items():
                assert array.tobytes() == got[name].tobytes(), name
                assert array.dtype == got[name].dtype
                assert array.shape == got[name].shape


def mlperf_tiny_dir() -> Path | None:
    """The folder with the MLPerf Tiny `.tflite` files, or None if they are not on this machine.

    Looked for in: the environment variable TINSMITH_MLPERF_TINY_DIR, Bazel's runfiles
    (`mlperf_tiny` beside the workspace), and `../shared/models/mlperf_tiny` of the checkout.
    """
    named = os.environ.get("TINSMITH_MLPERF_TINY_DIR")
    runfiles = os.environ.get("TEST_SRCDIR")
    candidates = [Path(named)] if named else []
    candidates += [Path(runfiles) / "mlperf_tiny"] if runfiles else []
    candidates += [_beside_checkout() / "models" / "mlperf_tiny"]
    return _first_with(candidates, "*.tflite")


def mlperf_tiny_inputs_dir() -> Path | None:
    """The folder with `{kws,vww,ic,ad,sww}.npz` (inputs and reference outputs), or None.

    Looked for in the environment variable TINSMITH_MLPERF_TINY_INPUTS_DIR, and `inputs` of the
    folder that holds `models/mlperf_tiny`.
    """
    named = os.environ.get("TINSMITH_MLPERF_TINY_INPUTS_DIR")
    candidates = [Path(named)] if named else []
    models = mlperf_tiny_dir()
    candidates += [models.parent.parent / "inputs"] if models else []
    candidates += [_beside_checkout() / "inputs"]
    return _first_with(candidates, "*.npz")


def _first_with(candidates: Sequence[Path], pattern: str) -> Path | None:
    return next((folder for folder in candidates if any(folder.glob(pattern))), None)


def _beside_checkout() -> Path:
    checkout = Path(__file__).resolve().parents[2]
    return checkout.parent / "shared"
