"""StreamFrames on random temporal networks: every row of every run, and what comes of all frames, in every bit."""

import pytest
from temporal_networks import random_temporal_network
from tinsmith_ir import Graph, UnsupportedError
from tinsmith_ir.pieces import piece_axis
from tinsmith_streaming import StreamFrames, Streaming
from windows import assert_streams

SEEDS = 120


@pytest.mark.parametrize("seed", range(SEEDS))
def test_frames_are_those_of_the_window(seed: int) -> None:
    graph = random_temporal_network(seed)
    facts = StreamFrames().run_in_detail(graph).facts
    assert isinstance(facts, Streaming)
    assert_streams(graph, seeds=2)
    hops = {2 * facts.hop, facts.frames}
    for hop in [hop for hop in hops if facts.frames % hop == 0 == hop % facts.hop]:
        if hop <= largest_hop(graph, facts.hop):
            assert_streams(graph, StreamFrames(hop=hop), seeds=1)
        else:
            with pytest.raises(UnsupportedError, match="a run would give more rows than"):
                StreamFrames(hop=hop).run(graph)


def largest_hop(graph: Graph, hop: int) -> int:
    """That of which a run gives no more of an output than the whole window does."""
    made = StreamFrames(hop=hop).run(graph)
    pairs = zip(graph.outputs, made.outputs, strict=True)
    axes = [(old.type.shape, new.type.shape, piece_axis(old.type, new.type)) for old, new in pairs]
    return min(
        (hop * (old[at] // new[at]) for old, new, at in axes if at is not None), default=1000
    )


def test_networks_differ() -> None:
    """What the seeds are meant to draw, they draw."""
    found = [StreamFrames().run_in_detail(random_temporal_network(seed)) for seed in range(SEEDS)]
    hops = {made.facts.hop for made in found if isinstance(made.facts, Streaming)}
    assert {1, 2, 4} <= hops
    assert any(
        made.facts.frames % made.facts.hop for made in found if isinstance(made.facts, Streaming)
    )
    mnemonics = {node.operator.mnemonic for made in found for node in made.ir.nodes}
    assert {"conv2d", "depthwise_conv2d", "max_pool2d", "average_pool2d", "mean"} <= mnemonics
    assert sum(bool(made.ir.states) for made in found) > SEEDS // 2
