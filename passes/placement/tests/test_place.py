"""The pass: engines in graphs, and that lowering follows them."""

from dataclasses import replace

import pytest
from tinsmith_ir import Graph, UnsupportedError, UsageError, parse_graph, print_graph
from tinsmith_lowering import Kernel, PlacementPlan, lower
from tinsmith_neureka import NeurekaBackend
from tinsmith_placement import PlaceLayers, Status, check
from tinsmith_pulp_nn import PulpNnBackend
from tinsmith_reference import backend as reference
from tinsmith_target import target

_CHIP = target("siracusa")

_ATTRIBUTES = "{rounding=floor, multiplier_bits=8}"
_NETWORK = f"""graph 2 "g" {{
  input %x: i8[1,8,8,32]<0.5, 0>
  const %w: i8[32,1,1,32]<0.25, 0> = {[3] * 1024}
  const %b: i32[32]<0.125, 0> = {[7] * 32}
  const %v: i8[4,2048]<0.25, 0> = {[1] * 8192}
  const %c: i32[4]<0.125, 0> = {[9] * 4}
  %a: i8[1,8,8,32]<1.0, 0> = conv2d(%x, %w, %b) {_ATTRIBUTES}
  %p: i8[1,8,8,32]<1.0, 0> = max_pool2d(%a) {{window=[3,3], stride=[1,1], padding=[1,1,1,1]}}
  %f: i8[1,2048]<1.0, 0> = reshape(%p) {{shape=[1,2048]}}
  %y: i8[1,4]<64.0, 0> = fully_connected(%f, %v, %c) {_ATTRIBUTES}
  output %y
}}
"""


def _network() -> Graph:
    return parse_graph(_NETWORK)


def _kernels() -> tuple[Kernel, ...]:
    cores = (*PulpNnBackend().kernels(_CHIP), *reference().kernels(_CHIP))
    return (*NeurekaBackend().kernels(_CHIP), *cores)


def _engines(graph: Graph) -> list[str]:
    return [node.engine for node in graph.nodes]


def test_layers_go_where_they_are_faster() -> None:
    placed, placement = PlaceLayers(_CHIP, _kernels()).place(_network())
    assert _engines(placed) == ["neureka", "", "", placement.engines["y"]]
    assert placement.candidates is not None
    assert placement.plan is not None
    check(placement.candidates.problem, placement.plan)
    assert placement.plan.status is Status.OPTIMAL
    facts = placement.facts()
    assert facts is not None
    by_name = {layer.name: layer for layer in facts.layers}
    assert list(by_name) == ["a", "y"]
    assert facts.others == 1
    for layer in facts.layers:
        assert layer.cycles.keys() == {"neureka", "cores"}
    assert by_name["a"].cycles["neureka"] < by_name["a"].cycles["cores"]


def test_lowering_follows() -> None:
    placed, _ = PlaceLayers(_CHIP, _kernels(), on="a:cores+y:neureka").place(_network())
    kernels = [call.kernel for call in lower(placed, _CHIP, _kernels()).calls]
    assert "tinsmith_pulp" in kernels[0]
    assert "neureka" in kernels[-1]


def test_text_keeps_engines() -> None:
    placed = PlaceLayers(_CHIP, _kernels()).run(_network())
    text = print_graph(placed)
    assert 'multiplier_bits=8} on "neureka"' in text
    assert print_graph(parse_graph(text)) == text
    assert parse_graph(text).nodes == placed.nodes


def test_who_has_named_an_engine_has_decided() -> None:
    graph = _network()
    nodes = (replace(graph.nodes[0], engine="cores"), *graph.nodes[1:])
    placed, placement = PlaceLayers(_CHIP, _kernels()).place(replace(graph, nodes=nodes))
    assert _engines(placed)[0] == "cores"
    assert "a" not in placement.engines


def test_by_rule_the_first_engine_that_can() -> None:
    placed, placement = PlaceLayers(_CHIP, _kernels(), by="rule").place(_network())
    assert _engines(placed) == ["neureka", "", "", "neureka"]
    assert placement.facts() is None


def test_one_engine_is_no_choice() -> None:
    graph = _network()
    kernels = tuple(kernel for kernel in _kernels() if not kernel.accelerator)
    assert PlaceLayers(_CHIP, kernels).run(graph) is graph


def test_layers_of_one_engine_each_are_no_choice() -> None:
    graph = _network()
    pools = replace(graph, outputs=graph.nodes[1].outputs, nodes=graph.nodes[:2])
    named = replace(pools, nodes=(replace(pools.nodes[0], engine="neureka"), pools.nodes[1]))
    placed, placement = PlaceLayers(_CHIP, _kernels()).place(named)
    assert placed is named
    assert placement.facts() is None
    with pytest.raises(UsageError, match="one engine alone can compute each layer"):
        PlaceLayers(_CHIP, _kernels(), on="a:cores").place(named)


def test_the_pass_tells_what_is_proven() -> None:
    outcome = PlaceLayers(_CHIP, _kernels()).run_in_detail(_network())
    assert outcome.is_proven
    assert isinstance(outcome.facts, PlacementPlan)


def test_lowering_says_what_cannot_be_lowered() -> None:
    graph = parse_graph("""graph 2 "g" {
  input %x: i16[1,4]<0.5, 0>
  %y: i16[1,4]<0.5, 0> = gelu(%x)
  output %y
}""")
    kernels = tuple(kernel for kernel in _kernels() if kernel.backend != "reference")
    assert PlaceLayers(_CHIP, kernels).run(graph) is graph
    with pytest.raises(UnsupportedError):
        lower(graph, _CHIP, kernels)


def test_engines_that_cannot_are_named_by_lowering() -> None:
    graph = _network()
    for engine, message in (
        ("analog", "expected an engine of 'neureka', 'cores', got 'analog'"),
        ("neureka", "on 'neureka': no kernel computes max_pool2d"),
    ):
        nodes = [replace(n, engine=engine) if n.name == "p" else n for n in graph.nodes]
        with pytest.raises(UnsupportedError) as caught:
            lower(replace(graph, nodes=tuple(nodes)), _CHIP, _kernels())
        assert message in str(caught.value).replace('"', "'")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "luck"}, "by=cost or by=rule, got luck"),
        ({"time_limit": -1.0}, "time_limit from 0"),
        ({"on": "a"}, "LAYER:ENGINE"),
        ({"on": "a:cores+a:neureka"}, "each layer once"),
    ],
)
def test_wrong_options(options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        replace(PlaceLayers(_CHIP, _kernels()), **options)


@pytest.mark.parametrize(
    ("on", "message"),
    [("b:cores", "a layer of the network"), ("a:analog", "an engine of neureka, cores")],
)
def test_layers_that_cannot_be_placed_so(on: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        PlaceLayers(_CHIP, _kernels(), on=on).place(_network())
