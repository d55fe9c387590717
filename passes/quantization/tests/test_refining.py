"""Weights that are moved one by one: what they lose beside all others that there are, and in a network."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_ir import parse_graph
from tinsmith_ir.graph import Array, Graph
from tinsmith_qdq import FoldQuantization
from tinsmith_quantization import Scheme, quantize, scheme
from tinsmith_quantization.refining import refined, refined_rows
from tinsmith_quantization.weights import BlockScales, Rounded

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]


def drawn(seed: int, channels: int, terms: int) -> tuple[Reals, Reals]:
    """Weights (O, K) and the squares (K, K) of what a layer reads: rows that are alike, as those of images are."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(4 * terms, terms)) + 2 * random.normal(size=(4 * terms, 1))
    return random.normal(size=(channels, terms)), rows.T @ rows


def lost(wanted: Reals, integers: Integers, scales: Reals, squares: Reals) -> Reals:
    """Of each channel."""
    error = wanted - scales[:, None] * integers
    return np.asarray(np.einsum("ok,kl,ol->o", error, squares, error), np.float64)


def closest(wanted: Reals) -> tuple[Integers, Reals]:
    """The multiples of -1, 0, 1 that are nearest to weights themselves, with all counts of weights that stay."""
    order = np.argsort(-np.abs(wanted), axis=1)
    integers, scales = np.zeros(wanted.shape, np.int64), np.zeros(len(wanted))
    for channel, row in enumerate(wanted):
        sums = np.cumsum(np.abs(row)[order[channel]])
        count = int(np.argmax(sums**2 / np.arange(1, len(row) + 1))) + 1
        kept = order[channel][:count]
        integers[channel, kept] = np.sign(row[kept]).astype(np.int64)
        scales[channel] = sums[count - 1] / count
    return integers, scales


def least_of_all(wanted: Reals, squares: Reals) -> Reals:
    """What each channel loses with the best of all ternary weights, each with its best scale."""
    terms = wanted.shape[1]
    every = np.array(list(product((-1, 0, 1), repeat=terms)), np.float64)
    products = np.maximum(every @ squares @ wanted.T, 0.0)
    lengths = np.einsum("nk,kl,nl->n", every, squares, every)
    saved = products**2 / np.where(lengths > 0, lengths, np.inf)[:, None]
    signals = np.einsum("ok,kl,ol->o", wanted, squares, wanted)
    return np.asarray(signals - saved.max(axis=0), np.float64)


@pytest.mark.parametrize("seed", range(20))
def test_no_channel_loses_more_than_with_the_closest_weights(seed: int) -> None:
    wanted, squares = drawn(seed, 8, 32)
    first, scales = closest(wanted)
    integers, found = refined_rows(wanted, first, scales, 1, squares, is_free=True)
    assert set(np.unique(integers)) <= {-1, 0, 1}
    before, after = (lost(wanted, *each, squares) for each in ((first, scales), (integers, found)))
    assert (after <= before * (1 + 1e-9)).all()
    assert after.sum() < 0.7 * before.sum()


def test_what_is_found_is_mostly_the_best_there_is() -> None:
    """Of 200 channels of 6 weights, beside all 729 ternary ones; the others are near, too."""
    wanted, squares = drawn(3, 200, 6)
    first, scales = closest(wanted)
    found = lost(wanted, *refined_rows(wanted, first, scales, 1, squares, is_free=True), squares)
    best = least_of_all(wanted, squares)
    assert (found >= best * (1 - 1e-9)).all()

    assert (found <= best * (1 + 1e-9)).mean() > 0.8
    assert found.sum() < 1.1 * best.sum()


def test_no_move_of_one_weight_saves_anything_more() -> None:
    """With scales that stay, of weights of 4 bits."""
    wanted, squares = drawn(5, 4, 12)
    scales = np.full(4, 0.5)
    first = np.clip(np.rint(wanted / 0.5), -7, 7).astype(np.int64)
    integers, found = refined_rows(wanted, first, scales, 7, squares, is_free=False)
    assert (found == scales).all()
    least = lost(wanted, integers, scales, squares)
    for term in range(12):
        for step in (-2, -1, 1, 2):
            other = integers.copy()
            other[:, term] += step
            assert (lost(wanted, other, scales, squares) >= least * (1 - 1e-9)).all()


def test_the_bias_makes_good_what_weights_lose_in_the_mean() -> None:
    random = np.random.default_rng(6)
    rows = np.concatenate([random.uniform(1.0, 3.0, (50, 8)), np.ones((50, 1))], axis=1)
    wanted = random.normal(size=(1, 5, 9))
    integers = np.sign(wanted[:, :, :-1]).astype(np.int64)
    given = Rounded(integers, BlockScales(np.ones((1, 5))), wanted[:, :, -1])
    found = refined(wanted, given, (rows.T @ rows)[None], 1, np.zeros((1, 5)), is_free=True)
    assert found.bias is not None
    made = np.concatenate([found.real, found.bias[:, :, None]], axis=2)
    errors = rows @ (wanted - made)[0].T
    assert np.abs(errors.mean(axis=0)).max() < 1e-6


def two_layers() -> tuple[Graph, list[dict[str, Array]]]:
    random = np.random.default_rng(7)
    sizes = {"w1": (16, 24), "w2": (16, 16), "w3": (4, 16)}
    consts = "\n".join(
        f"const %{name}: f32[{rows},{columns}] = "
        f"{[round(float(each), 4) for each in random.normal(size=rows * columns)]}"
        for name, (rows, columns) in sizes.items()
    )
    graph = parse_graph(f"""graph 2 "g" {{
      input %x: f32[1,24]
      {consts}
      %a: f32[1,16] = fully_connected(%x, %w1) {{activation=relu}}
      %b: f32[1,16] = fully_connected(%a, %w2) {{activation=relu}}
      %y: f32[1,4] = fully_connected(%b, %w3)
      output %y
    }}""")
    drawn = random.normal(size=(64, 1, 24)).astype(np.float32)
    return graph, [{"x": each} for each in drawn]


CHOSEN = replace(scheme("power-of-two"), per_channel=False)


def test_refined_weights_of_a_network_lose_less() -> None:
    graph, given = two_layers()
    decibels = [
        quantize(graph, given, replace(CHOSEN, weights=each, free_few_bits=True), bits={"b": 2})
        .losses.tensors[-1]
        .sqnr_db
        for each in ("nearest", "learned", "refined")
    ]

    assert decibels == sorted(decibels)


@pytest.mark.parametrize("weights", ["nearest", "learned", "refined", "distilled"])
def test_weights_of_few_bits_have_scales_of_their_own_among_powers_of_two(weights: str) -> None:
    graph, given = two_layers()
    found = {
        free: _scales(graph, given, replace(CHOSEN, weights=weights, steps=20, free_few_bits=free))
        for free in (False, True)
    }
    assert len(found[False]["b"]) == 1
    assert len(set(found[True]["b"])) == 16
    for scales in (*found[False].values(), found[True]["a"], found[True]["y"]):
        assert len(scales) == 1
        assert np.frexp(scales[0])[0] == 0.5


def _scales(
    graph: Graph, given: list[dict[str, Array]], chosen: Scheme
) -> dict[str, tuple[float, ...]]:
    made = FoldQuantization().run(quantize(graph, given, chosen, bits={"b": 2}).graph)
    found: dict[str, tuple[float, ...]] = {}
    for node in made.nodes:
        if node.operator.mnemonic == "fully_connected":
            quantization = node.present_inputs[1].type.quantization
            assert quantization is not None
            found[node.name] = quantization.scales
    return found


def test_blocks_are_not_refined() -> None:
    with pytest.raises(Exception, match="weights `learned` or `nearest`"):
        replace(scheme("int4-block32"), weights="refined")
