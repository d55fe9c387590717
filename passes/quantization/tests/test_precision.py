"""Bits of layers: measured, and chosen exactly."""

import itertools

import numpy as np
import pytest
from tinsmith_ir import parse_graph
from tinsmith_ir.errors import DoesNotFitError, UsageError
from tinsmith_quantization import (
    Scheme,
    Sensitivity,
    bits_above,
    bits_within,
    quantize,
    scheme,
    sensitivities,
)

_RANDOM = np.random.default_rng(4)


def _weights(count: int, outlier: float = 0.0) -> list[float]:
    found = _RANDOM.normal(size=count).round(3)
    found[0] += outlier
    return [float(number) for number in found]


GRAPH = parse_graph(f"""graph 2 "g" {{
  input %x: f32[1,16]
  const %a: f32[8,16] = {_weights(128, 20.0)}
  const %b: f32[8,8] = {_weights(64)}
  const %c: f32[4,8] = {_weights(32)}
  %1: f32[1,8] = fully_connected(%x, %a) {{activation=relu}}
  %2: f32[1,8] = fully_connected(%1, %b) {{activation=relu}}
  %3: f32[1,4] = fully_connected(%2, %c)
  output %3
}}""")
SAMPLES = [{"x": _RANDOM.normal(size=(1, 16)).astype(np.float32)} for _ in range(40)]


def test_every_layer_is_measured_with_all_bits() -> None:
    found = sensitivities(GRAPH, SAMPLES, Scheme(weights="nearest"))
    assert [(each.name, each.bits, each.size_bytes) for each in found] == [
        *(("1", 4, 64), ("1", 8, 128)),
        *(("2", 4, 32), ("2", 8, 64)),
        *(("3", 4, 16), ("3", 8, 32)),
    ]
    assert all(
        narrow.sqnr_db < wide.sqnr_db for narrow, wide in zip(found[::2], found[1::2], strict=True)
    )
    assert found[1].sqnr_db > 35


def test_choices_are_the_best_of_all() -> None:
    random = np.random.default_rng(7)
    found = [
        Sensitivity(f"l{layer}", bits, size * bits, float(random.uniform(0, 1) / bits**2))
        for layer, size in enumerate((30, 7, 55, 20, 11, 64))
        for bits in (2, 4, 8)
    ]
    layers = [found[at : at + 3] for at in range(0, len(found), 3)]
    combinations = list(itertools.product(*layers))
    for budget in (400, 700, 1100):
        fitting = [each for each in combinations if sum(c.size_bytes for c in each) <= budget]
        least = min(sum(c.noise for c in each) for each in fitting)
        chosen = bits_within(found, budget)
        picked = [c for c in found if chosen[c.name] == c.bits]
        assert sum(c.size_bytes for c in picked) <= budget
        assert sum(c.noise for c in picked) == pytest.approx(least, rel=1e-6)
    for decibels in (3.0, 10.0):
        most = 10 ** (-decibels / 10)
        fitting = [each for each in combinations if sum(c.noise for c in each) <= most]
        least = min(sum(c.size_bytes for c in each) for each in fitting)
        chosen = bits_above(found, decibels)
        picked = [c for c in found if chosen[c.name] == c.bits]
        assert sum(c.noise for c in picked) <= most
        assert sum(c.size_bytes for c in picked) == least


def test_what_cannot_be_kept_is_refused() -> None:
    found = [Sensitivity("a", 4, 100, 0.1), Sensitivity("a", 8, 200, 0.01)]
    with pytest.raises(DoesNotFitError, match="take 100 bytes, available 99 bytes"):
        bits_within(found, 99)
    with pytest.raises(UsageError, match=r"at most 20\.0 dB, got 30"):
        bits_above(found, 30.0)


def test_a_chosen_network_keeps_its_budget_and_loses_less_than_the_fewest_bits() -> None:
    found = sensitivities(GRAPH, SAMPLES, scheme("int8"))
    bits = bits_within(found, 170)
    mixed = quantize(GRAPH, SAMPLES, scheme("int8"), bits=bits)
    assert sum(layer.size_bytes for layer in mixed.losses.weights) <= 170
    narrow = quantize(GRAPH, SAMPLES, scheme("int8"), bits=dict.fromkeys(bits, 4))
    assert mixed.losses.tensors[-1].sqnr_db > narrow.losses.tensors[-1].sqnr_db
