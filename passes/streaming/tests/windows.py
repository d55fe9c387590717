"""What tests of streaming networks share: every row that a run gives, compared with the network of the whole window."""

import numpy as np
from tinsmith_ir import Array, Graph, Value, evaluate_frames, evaluate_graph, verify_graph
from tinsmith_ir.evaluate import equal_arrays
from tinsmith_ir.pieces import cut_in_pieces, piece_axis
from tinsmith_ir.testing import random_inputs
from tinsmith_streaming import StreamFrames


def assert_streams(graph: Graph, pass_: StreamFrames | None = None, *, seeds: int = 3) -> Graph:
    """The network of one run, whose rows, each in its run, are those of the whole window in every bit; what has no
    rows is compared behind the last frame.
    """
    made = (pass_ or StreamFrames()).run(graph)
    verify_graph(made)
    for seed in range(seeds):
        inputs = random_inputs(graph, seed)
        pieces = cut_in_pieces(graph.inputs, made.inputs, inputs)
        whole, runs = evaluate_graph(graph, inputs), [*evaluate_frames(made, pieces)]
        for old, new in zip(graph.outputs, made.outputs, strict=True):
            compared = [
                equal_arrays(*pair)
                for pair in _pairs(old, new, whole[old.name], [run[new.name] for run in runs])
            ]
            assert compared
            assert all(compared), (old.name, compared)
    return made


def _pairs(old: Value, new: Value, whole: Array, runs: list[Array]) -> list[tuple[Array, Array]]:
    """What is wanted and what came, of each run that gives rows which the whole window has."""
    axis = piece_axis(old.type, new.type)
    if axis is None:
        return [(whole, runs[-1])]
    size, total = new.type.shape[axis], old.type.shape[axis]
    pairs: list[tuple[Array, Array]] = []
    for number, got in enumerate(runs, 1):
        begin = total - (len(runs) - number + 1) * size
        if begin >= 0:
            wanted = np.take(whole, range(begin, begin + size), axis=axis)
            pairs.append((np.ascontiguousarray(wanted), got))
    return pairs
