"""Which layers become analog where it is by cost: against every other choice, and what is said of those that stay."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from analog_graphs import mapped
from tinsmith_diana import DianaAnalogBackend, DianaDigitalBackend
from tinsmith_diana.analog import AnalogConv2D, AnalogMapping, AnalogReferenceBackend, MapAnalog
from tinsmith_diana.analog.array import ternarized
from tinsmith_ir import Graph, parse_graph
from tinsmith_ir.errors import UsageError
from tinsmith_lowering import Kernel
from tinsmith_placement import PlacementError, Problem, check, solve
from tinsmith_pulp_nn import PulpNnBackend
from tinsmith_target import Target, target

_CHIP = target("diana")


@pytest.fixture(scope="module")
def both() -> tuple[Kernel, ...]:
    """Of both arrays and of the core."""
    backends = (
        DianaDigitalBackend(),
        DianaAnalogBackend(),
        PulpNnBackend(),
        AnalogReferenceBackend(),
    )
    return tuple(kernel for backend in backends for kernel in backend.kernels(_CHIP))


def _layers(*shapes: str, side: int = 8) -> Graph:
    """Convolutions in a row, each of ternary weights (O, side, side, C), four of five of them 0; scales are powers of
    two.
    """
    random = np.random.default_rng(5)
    lines: list[str] = []
    before, channels = "x", shapes[0].split(",")[3]
    for number, shape in enumerate(shapes):
        sizes = [int(size) for size in shape.split(",")]
        data = random.choice([-1, 0, 1], sizes, p=[0.1, 0.8, 0.1]).reshape(-1).tolist()
        pad = sizes[1] // 2
        # So that results are about as large as inputs.
        scale = 2.0 ** round(-np.log2(0.2 * np.prod(sizes[1:])) / 2)
        lines.append(f"const %w{number}: i8[{shape}]<{scale}, 0> = {json.dumps(data)}")
        lines.append(
            f"%y{number}: i8[1,{side},{side},{sizes[0]}]<0.125, 0> = conv2d(%{before}, %w{number}) "
            f"{{padding=[{pad},{pad},{pad},{pad}], rounding=floor}}"
        )
        before = f"y{number}"
    return parse_graph(
        f'graph 2 "g" {{\n  input %x: i8[1,{side},{side},{channels}]<0.125, 0>\n  '
        + "\n  ".join(lines)
        + f"\n  output %{before}\n}}"
    )


def _by_cost(both: tuple[Kernel, ...], **options: float) -> MapAnalog:
    pass_ = MapAnalog(gain=16, least_db=6.1, by="cost", ternarize=True, target=_CHIP, kernels=both)
    return replace(pass_, **options)


def _analog(mapping: AnalogMapping) -> list[str]:
    return [layer.name for layer in mapping.layers]


def test_large_layers_become_analog_and_small_ones_stay(both: tuple[Kernel, ...]) -> None:
    """64 channels by 3x3 take the digital array four times as long as the analog one, 16 by 1x1 a quarter of it."""
    graph = _layers("16,1,1,16", "16,1,1,16", "64,3,3,16", "64,3,3,64", side=32)
    after, mapping = mapped(graph, _by_cost(both))
    analog = _analog(mapping)
    assert {"y2", "y3"} <= {*analog}
    assert sum(isinstance(node.operator, AnalogConv2D) for node in after.nodes) == len(analog)
    (name, reason) = mapping.left[-1]
    assert name == "y1"
    assert reason.startswith("by cost it stays on digital, ")
    assert mapping.lines[-1].startswith(f"by cost {len(analog)} layers are analog: ")
    assert mapping.lines[-1].endswith(" cycles by the model, optimal")


def test_small_layers_follow_large_ones_where_turning_takes_longer(
    both: tuple[Kernel, ...],
) -> None:
    """The same of a quarter of the pixels: 4,162 cycles more for each of two layers, whose images stay in L1 then,
    against some 10,000 for turning what lies between the arrays.
    """
    graph = _layers("16,1,1,16", "16,1,1,16", "64,3,3,16", "64,3,3,64", side=16)
    _, mapping = mapped(graph, _by_cost(both))
    assert mapping.choice is not None
    cycles = [
        _cycles(mapping.choice.problem, analog)
        for analog in (("y2", "y3"), tuple(_analog(mapping)))
    ]
    assert _analog(mapping) == ["y0", "y1", "y2", "y3"]
    assert cycles[1] < cycles[0]


@pytest.mark.parametrize(
    "shapes",
    [
        ("16,3,3,16", "48,3,3,16", "32,1,1,48", "64,3,3,32"),
        ("64,3,3,3", "64,3,3,64", "16,1,1,64", "16,1,1,16"),
    ],
)
def test_no_other_choice_takes_fewer_cycles_by_the_model(
    both: tuple[Kernel, ...], shapes: tuple[str, ...]
) -> None:
    """Every choice of layers, each forced by leaving its layers one option."""
    _, mapping = mapped(_layers(*shapes), _by_cost(both))
    choice = mapping.choice
    assert choice is not None
    check(choice.problem, choice.plan)
    names = [layer.name for layer in choice.problem.layers]
    found = {
        analog: _cycles(choice.problem, analog)
        for size in range(len(names) + 1)
        for analog in itertools.combinations(names, size)
    }
    assert min(found.values()) == choice.plan.cycles
    assert found[tuple(name for name in names if name in choice.analog)] == choice.plan.cycles
    assert len(set(found.values())) > 2


def _cycles(problem: Problem, analog: tuple[str, ...]) -> float:
    """With these layers alone analog; infinity if that is not possible."""
    layers = [
        replace(
            layer,
            options=tuple(
                option
                for option in layer.options
                if (option.engine == "analog") == (layer.name in analog)
            ),
        )
        for layer in problem.layers
    ]
    try:
        return solve(replace(problem, layers=tuple(layers))).cycles
    except PlacementError:
        return float("inf")


def test_what_all_layers_lose_together_is_limited(both: tuple[Kernel, ...]) -> None:
    graph = _layers("64,3,3,64", "64,3,3,64", "64,3,3,64")
    _, free = mapped(graph, _by_cost(both))
    assert len(free.layers) == 3
    losses = [10 ** (-layer.sqnr_db / 10) for layer in free.layers]
    of_two = -10 * float(np.log10(sum(losses) - min(losses)))
    _, limited = mapped(graph, _by_cost(both, all_db=of_two))
    assert 0 < len(limited.layers) < 3
    _, none = mapped(graph, _by_cost(both, all_db=60.0))
    assert none.layers == ()


def test_layers_that_the_array_refuses_stay_with_its_reason(both: tuple[Kernel, ...]) -> None:
    _, mapping = mapped(_layers("64,3,3,64"), _by_cost(both, gain=32))
    assert mapping.layers == ()
    assert dict(mapping.left)["y0"].startswith("The gain is 16, the converters' own")


def test_without_a_target_there_is_no_cost() -> None:
    with pytest.raises(
        UsageError, match=r"^map-analog, by=cost: expected a target and its kernels$"
    ):
        MapAnalog(by="cost")
    with pytest.raises(UsageError, match=r"^map-analog: expected by=cost or by=rule, got speed$"):
        MapAnalog(by="speed")
    with pytest.raises(UsageError, match=r"expected all_db from 0, and only with by=cost, got 9$"):
        MapAnalog(all_db=9)


def test_the_closest_ternary_weights_are_found() -> None:
    """Against all 3**5 patterns of five weights, each with its best factor."""
    rows = np.random.default_rng(1).integers(-9, 10, (40, 5))
    rows[0], rows[1] = 0, [4, 0, -4, 4, 0]
    patterns = np.array(list(itertools.product((-1, 0, 1), repeat=5)))
    found, sizes = ternarized(rows)
    lengths = np.maximum((patterns**2).sum(axis=1), 1)
    for row, pattern, size in zip(rows, found, sizes, strict=True):
        best = np.maximum(patterns @ row, 0) ** 2 / lengths
        assert ((row - size * pattern) ** 2).sum() == pytest.approx((row**2).sum() - best.max())
    assert not found[0].any()
    assert found[1].tolist() == [1, 0, -1, 1, 0]
    assert sizes[1] == 4


def test_a_graph_for_a_computer_is_left_to_the_core(host: Target, both: tuple[Kernel, ...]) -> None:
    """Plain C says no cycles, so there is nothing to weigh: the twin takes what the rules give it."""
    pass_ = _by_cost(both)
    _, mapping = mapped(_layers("64,3,3,64"), replace(pass_, target=host))
    assert len(mapping.layers) + len(mapping.left) == 1
