"""Constants that fit: what is compressed, how, and that nothing else changes."""

import math
from itertools import product

import numpy as np
import pytest
from tinsmith_cmsis_nn import backend as cmsis_nn
from tinsmith_compression import CompressConstants
from tinsmith_compression.choice import Saving, cheapest
from tinsmith_ir import Graph, evaluate_program, parse_graph, parse_program, verify_program
from tinsmith_ir.compression import Compression
from tinsmith_ir.errors import ConstantsDoNotFitError, UsageError
from tinsmith_ir.operators import Decompress
from tinsmith_ir.program import Program
from tinsmith_ir.program_printer import print_program
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import CompressedConstants, check_prepared, lower, prepare, stored_bytes
from tinsmith_reference import backend as reference
from tinsmith_target import target


def network(seed: int, spread: float, *, repeats: int = 1) -> Graph:
    """A convolution of one pixel, one of nine, and a fully connected layer.

    spread: of normal weights; from 100 on all integers are as likely. repeats: how often each stands in a row.
    """
    random = np.random.default_rng(seed)

    def weights(*shape: int) -> list[int]:
        count = int(np.prod(shape))
        size = -(-count // repeats)
        normal = np.clip(random.normal(0, spread, size).round(), -127, 127)
        values = normal if spread < 100 else random.integers(-128, 128, size)
        return np.repeat(values.astype(int), repeats)[:count].tolist()

    return parse_graph(f"""graph 2 "g" {{
      input %x: i8[1,6,6,16]<0.5, 3>
      const %w: i8[48,1,1,16]<0.25, 0> = {weights(48, 1, 1, 16)}
      const %b: i32[48] = {random.integers(-999, 999, 48).tolist()}
      %a: i8[1,6,6,48]<4, -5> = conv2d(%x, %w, %b)
      const %v: i8[32,3,3,48]<0.25, 0> = {weights(32, 3, 3, 48)}
      const %c: i32[32] = {random.integers(-999, 999, 32).tolist()}
      %p: i8[1,3,3,32]<60, 1> = conv2d(%a, %v, %c) {{stride=[2,2], padding=[0,1,0,1]}}
      const %u: i8[40,288]<0.25, 0> = {weights(40, 288)}
      const %d: i32[40] = {random.integers(-999, 999, 40).tolist()}
      %y: i8[1,40]<900, 2> = fully_connected(%p, %u, %d)
      output %y
    }}""")


def prepared(graph: Graph, name: str) -> tuple[Program, CompressConstants]:
    """The program for a target, and the pass."""
    chosen = target(name)
    kernels = (*cmsis_nn().kernels(chosen), *reference().kernels(chosen))
    program = prepare(lower(graph, chosen, kernels), chosen, kernels)
    return program, CompressConstants(chosen, kernels)


def compressed(program: Program) -> list[Decompress]:
    operators = (call.operator for call in program.calls)
    return [operator for operator in operators if isinstance(operator, Decompress)]


def assert_same(before: Program, after: Program, graph: Graph) -> None:
    verify_program(after)
    for seed in range(3):
        inputs = random_inputs(graph, seed)
        wanted, got = (evaluate_program(found, inputs)["y"] for found in (before, after))
        assert (wanted == got).all()


@pytest.mark.parametrize("name", ["cortex-m0", "cortex-m4", "cortex-m55", "host"])
@pytest.mark.parametrize("tile_bytes", [512, 4096, 1 << 20])
def test_constants_fit_and_results_stay(name: str, tile_bytes: int) -> None:
    graph = network(1, 5)
    program, pass_ = prepared(graph, name)
    whole = stored_bytes(program)
    for share in (0.95, 0.88, 0.82):
        limit = int(share * whole)
        found = CompressConstants(pass_.target, pass_.kernels, limit, tile_bytes)
        outcome = found.run_in_detail(program)
        assert stored_bytes(outcome.ir) <= limit
        facts = outcome.facts
        assert isinstance(facts, CompressedConstants)
        assert (facts.bytes_before, facts.bytes_after) == (whole, stored_bytes(outcome.ir))
        assert_same(program, outcome.ir, graph)
        check_prepared(outcome.ir, pass_.target, pass_.kernels)
        sizes = [math.prod(operator.shape) for operator in compressed(outcome.ir)]
        largest = max(view.type.size_bytes for view in program.views)
        assert max(sizes) <= max(tile_bytes, largest)
        again = parse_program(print_program(outcome.ir, constants="inline"))
        assert print_program(again) == print_program(outcome.ir)


def test_what_fits_stays() -> None:
    program, pass_ = prepared(network(1, 5), "cortex-m4")
    assert pass_.run(program) is program
    limit = stored_bytes(program)
    assert CompressConstants(pass_.target, pass_.kernels, limit).run(program) is program
    less = CompressConstants(pass_.target, pass_.kernels, limit - 1).run(program)
    # One call is enough, and the smallest is the cheapest.
    assert len(compressed(less)) == 1


def test_the_code_is_the_better_one() -> None:
    for graph, code in (
        (network(2, 5), Compression.RICE),
        (network(2, 5, repeats=40), Compression.LZ4),
    ):
        program, pass_ = prepared(graph, "host")
        limit = int(0.8 * stored_bytes(program))
        found = CompressConstants(pass_.target, pass_.kernels, limit).run(program)
        assert {operator.compression for operator in compressed(found)} == {code}
        assert_same(program, found, graph)


def test_a_refusal_says_how_little_would_do() -> None:
    program, pass_ = prepared(network(3, 5), "cortex-m4")
    with pytest.raises(ConstantsDoNotFitError, match="available 100 bytes") as caught:
        CompressConstants(pass_.target, pass_.kernels, 100).run(program)
    needed = int(str(caught.value).split("needed ")[1].split(" bytes")[0].replace(",", ""))
    assert (
        stored_bytes(CompressConstants(pass_.target, pass_.kernels, needed).run(program)) <= needed
    )
    with pytest.raises(ConstantsDoNotFitError):
        CompressConstants(pass_.target, pass_.kernels, needed - 1).run(program)
    noise = network(4, 500)
    program, pass_ = prepared(noise, "cortex-m4")
    with pytest.raises(ConstantsDoNotFitError):
        CompressConstants(pass_.target, pass_.kernels, stored_bytes(program) * 97 // 100).run(
            program
        )


def test_options_are_checked() -> None:
    host = target("host")
    with pytest.raises(UsageError, match="expected flash-bytes from 0, got -1"):
        CompressConstants(host, (), -1)
    with pytest.raises(UsageError, match="expected tile-bytes from 1, got 0"):
        CompressConstants(host, (), 1, 0)


def test_the_choice_is_the_cheapest() -> None:
    random = np.random.default_rng(5)
    for _ in range(60):
        ways = [
            [Saving(*map(int, random.integers(1, 40, 2))) for _ in range(random.integers(0, 3))]
            for _ in range(6)
        ]
        wanted = int(random.integers(0, 120))
        options = [(None, *range(len(item))) for item in ways]
        costs = [
            sum(item[at].cost for item, at in zip(ways, chosen, strict=True) if at is not None)
            for chosen in product(*options)
            if sum(item[at].saved for item, at in zip(ways, chosen, strict=True) if at is not None)
            >= wanted
        ]
        found = cheapest(ways, wanted)
        if not costs:
            assert found is None
            continue
        assert found is not None
        taken = [item[at] for item, at in zip(ways, found, strict=True) if at is not None]
        assert sum(way.saved for way in taken) >= wanted
        assert sum(way.cost for way in taken) == min(costs)


def test_many_bytes_are_counted_in_larger_units() -> None:
    ways = [[Saving(1 << 20, 5)], [Saving((1 << 20) + 3, 4)], [], [Saving(7, 1)]]
    assert cheapest(ways, 1 << 20) == (None, 0, None, None)
    assert cheapest(ways, (1 << 21) - 9) == (0, 0, None, None)
    assert cheapest(ways, (1 << 21) + 10) == (0, 0, None, 0)
    assert cheapest(ways, (1 << 21) + 11) is None
