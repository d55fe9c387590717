"""Bits of layers, measured."""

import numpy as np
from tinsmith_ir import parse_graph
from tinsmith_quantization import (
    Budget,
    Scheme,
    chosen_bits,
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


def test_a_chosen_network_keeps_its_budget_and_loses_less_than_the_fewest_bits() -> None:
    found = sensitivities(GRAPH, SAMPLES, scheme("int8"))
    bits = chosen_bits(found, Budget(size_bytes=170))
    mixed = quantize(GRAPH, SAMPLES, scheme("int8"), bits=bits)
    assert sum(layer.size_bytes for layer in mixed.losses.weights) <= 170
    narrow = quantize(GRAPH, SAMPLES, scheme("int8"), bits=dict.fromkeys(bits, 4))
    assert mixed.losses.tensors[-1].sqnr_db > narrow.losses.tensors[-1].sqnr_db
