"""How much is looked at as networks grow; no time is measured."""

from collections.abc import Iterator

import pytest
from tinsmith_ir.graph import Graph, Value
from tinsmith_ir.parser import parse_graph
from tinsmith_layout import MoveTransposes
from tinsmith_layout.cut import Cut
from tinsmith_layout.prices import Part, Prices
from tinsmith_layout.rearrangement import Rearrangement


def unrolled(steps: int) -> Graph:
    """A cell for each step, all with the same weight, which no transposition of one step could change."""
    lines = [f"input %x: f32[{steps},4,3]", "const %w: f32[3,4] = [1,2,3,4,5,6,7,8,9,10,11,12]"]
    for step in range(steps):
        lines += [
            f"%s{step}: f32[1,4,3] = slice(%x) {{begin=[{step},0,0], shape=[1,4,3]}}",
            f"%t{step}: f32[1,3,4] = transpose(%s{step}) {{permutation=[0,2,1]}}",
            f"%m{step}: f32[1,3,4] = mul(%t{step}, %w)",
            f"%y{step}: f32[1,3,4] = softmax(%m{step})",
            f"output %y{step}",
        ]
    return parse_graph('graph 2 "g" {\n' + "\n".join(lines) + "\n}")


def priced(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often the pass asks what it takes to read a root."""
    count = 0
    parts = Prices.parts

    def counted(self: Prices, root: Value, way: Rearrangement | None) -> Iterator[tuple[Part, int]]:
        nonlocal count
        count += 1
        return parts(self, root, way)

    with monkeypatch.context() as patch:
        patch.setattr(Prices, "parts", counted)
        MoveTransposes().run(graph)
    return count


def test_effort_grows_as_the_steps_of_a_cell_that_share_a_weight(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few, many = (priced(unrolled(steps), monkeypatch) for steps in (20, 80))
    assert few > 20
    assert many <= 4.5 * few


def test_prices_of_unrolled_steps_are_asked_only_as_far_as_something_speaks_for_them() -> None:
    """A long chain: what speaks for the first is spent by the third."""
    told: list[int] = []

    def tell(name: str) -> None:
        step = int(name)
        told.append(step)
        cut.if_any_done({name}, 5, unless=f"{step + 1}")
        cut.if_done(name, 3)

    cut = Cut(tell)
    cut.if_left("0", 7)
    assert cut.cheapest() == set()
    assert told == [0, 1, 2]
