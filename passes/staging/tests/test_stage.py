"""The pass on small networks: what is fetched when, and that results stay, however late copies end."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from far_networks import STATIC_BYTES, Network, far_target, staged, tiled
from tinsmith_ir import (
    Copy,
    DoesNotFitError,
    Graph,
    Loop,
    Program,
    UsageError,
    Wait,
    evaluate_program,
    parse_graph,
    parse_program,
    print_program,
    verify_program,
)
from tinsmith_ir.errors import ConstantsDoNotFitError
from tinsmith_ir.program import SimpleStep, simple_steps
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import StagedConstants
from tinsmith_staging import FIRST_TOKEN, StageConstants
from tinsmith_target import target


def chain() -> Graph:
    network = Network(1, 8, 8, 16)
    x = network.x
    for channels in (24, 32, 48):
        x = network.conv(network.depthwise(x), channels)
    return network.build(x)


def matrices() -> Graph:
    network = Network(1, 256)
    return network.build(network.linear(network.linear(network.x, 100), 100))


def most_under_way(steps: Sequence[SimpleStep]) -> int:
    """Of fetches that are started and not waited for; without loops."""
    most, flights = 0, set[object]()
    for step in steps:
        if isinstance(step, Copy) and step.engine == "udma":
            flights.add(step.token)
        elif isinstance(step, Wait):
            flights.discard(step.token)
        most = max(most, len(flights))
    return most


def fetches(steps: Sequence[SimpleStep]) -> list[Copy]:
    return [step for step in steps if isinstance(step, Copy) and step.engine == "udma"]


def far_bytes(program: Program) -> int:
    return sum(it.type.size_bytes for it in program.constants if it.memory == "l3")


def test_with_room_for_all_every_fetch_starts_before_the_first_step() -> None:
    program, facts = staged(chain(), far_target(20_000))
    first = [*simple_steps(program.steps)][: facts.fetches]
    assert len(fetches(first)) == facts.fetches == facts.most_under_way == 6
    assert facts.used_bytes <= facts.room_bytes
    assert facts.far_bytes == facts.fetched_bytes == far_bytes(program)
    tokens = [step.token.value({}) for step in fetches(first) if step.token is not None]
    assert tokens == [*range(FIRST_TOKEN, FIRST_TOKEN + 6)]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_no_more_fetches_are_under_way_than_the_engine_holds(depth: int) -> None:
    chip, graph = far_target(20_000), chain()
    program = StageConstants(chip, 0, depth=depth).run(tiled(graph, chip))
    verify_program(program)
    assert program.engine["udma"].depth == depth
    assert most_under_way([*simple_steps(program.steps)]) == depth


def test_each_is_waited_for_right_before_it_is_read() -> None:
    program, _ = staged(chain(), far_target(20_000))
    steps = [*simple_steps(program.steps)]
    of_fetch = {step.token for step in fetches(steps)}
    for at, step in enumerate(steps):
        if isinstance(step, Wait) and step.token in of_fetch:
            reader = steps[at + 1]
            assert isinstance(reader, Copy)
            assert reader.engine == "dma"
            assert program.view[reader.source].buffer == "staged"


def test_fetches_keep_the_order_of_use() -> None:
    program, _ = staged(chain(), far_target(3_500), 9_000)
    order = [step.source for step in fetches([*simple_steps(program.steps)])]
    layers = [int((re.match(r"y_?(\d*)", name) or ["", ""])[1] or 0) for name in order]
    assert layers == sorted(layers)
    assert max(layers) == 5


def test_nobody_reads_a_remote_constant_but_the_engine_that_fetches() -> None:
    program, _ = staged(chain(), far_target(20_000))
    remote = {it.name for it in program.constants if it.memory == "l3"}
    for step in simple_steps(program.steps):
        if isinstance(step, Copy) and step.source in remote:
            assert step.engine == "udma"
    assert parse_program(print_program(program)).constants[-1].memory == "l3"


def test_fetches_start_within_loops_where_room_becomes_free_there() -> None:
    program, facts = staged(matrices(), far_target(4_000), 14_000)
    assert facts.fetched_bytes > facts.room_bytes  # not all at once
    loop = next(step for step in program.steps if isinstance(step, Loop))
    own = fetches([*simple_steps(loop.body)])
    assert own
    begins = [step.guard.begin for step in own if step.guard is not None]
    assert len(begins) == len(own)
    assert begins == sorted(begins)
    # The next layer's constants are on their way while this one computes.
    assert any(step.source.startswith("y_1") for step in own)


def test_members_that_loops_read_are_fetched_together_where_there_is_room() -> None:
    _, alone = staged(matrices(), far_target(4_000), 14_000)
    _, together = staged(matrices(), far_target(4_000), 300_000)
    assert together.fetches < alone.fetches


@pytest.mark.parametrize("l2_bytes", [8_200, 8_500, 9_000, 10_000, 12_000, 20_000, None])
@pytest.mark.parametrize("near_bytes", [3_500, 6_000, 20_000])
def test_results_stay_in_any_room(near_bytes: int, l2_bytes: int | None) -> None:
    chip, given = far_target(near_bytes), None if l2_bytes is None else l2_bytes + STATIC_BYTES
    program, facts = staged(chain(), chip, given)
    assert facts.used_bytes <= facts.room_bytes
    assert program.buffer["staged"].size_bytes == facts.used_bytes


def test_a_room_that_is_too_small_is_refused_with_numbers() -> None:
    with pytest.raises(DoesNotFitError, match="arena is too small to fetch") as caught:
        staged(chain(), far_target(3_500), 5_500)
    assert caught.value.available_bytes == 5_500
    assert caught.value.needed_bytes is not None
    assert f"needed {caught.value.needed_bytes:,} bytes" in str(caught.value)
    assert "y_5.constants.3 (2,152 bytes)" in str(caught.value)
    staged(chain(), far_target(3_500), caught.value.needed_bytes + 512)


def test_a_remote_memory_that_is_too_small_is_refused() -> None:
    with pytest.raises(ConstantsDoNotFitError, match="l3 is too small for constants: needed 5,"):
        staged(chain(), far_target(20_000, far_bytes=4096))


def test_small_constants_stay_where_the_code_is() -> None:
    program, facts = staged(chain(), far_target(20_000), least_bytes=600)
    assert facts.resident_bytes == 376 + 544
    assert facts.far_bytes == far_bytes(program)
    sources = {step.source for step in simple_steps(program.steps) if isinstance(step, Copy)}
    assert {"y.constants.3", "y_2.constants.3"} <= sources
    assert not program.constant["y.constants.3"].memory


def test_no_more_stay_than_there_is_room_for_beside_the_code() -> None:
    chip = far_target(20_000)
    memories = tuple(
        replace(memory, size_bytes=16 * 400) if memory.name == "l2_code" else memory
        for memory in chip.board.memories
    )
    chip = replace(chip, board=replace(chip.board, memories=memories))
    _, facts = staged(chain(), chip, least_bytes=600)
    assert facts.resident_bytes == 376


def test_more_stay_where_that_is_wished() -> None:
    """The last ones: what is fetched in time for the first layers costs nothing."""
    chip, program = far_target(20_000), tiled(chain(), far_target(20_000))
    outcome = StageConstants(chip, 0, resident_bytes=2_152 + 600).run_in_detail(program)
    verify_program(outcome.ir)
    assert isinstance(outcome.facts, StagedConstants)
    sources = {step.source for step in simple_steps(outcome.ir.steps) if isinstance(step, Copy)}
    assert {"y_5.constants.3", "y_2.constants.3"} <= sources
    assert outcome.facts.resident_bytes == 2_152 + 544
    assert StageConstants(chip, 0, resident_bytes=1 << 20).run(program) is program


def test_kernels_find_what_they_read_themselves() -> None:
    """A kernel that knows nothing of cores reads its weights in L2, on each of them."""
    graph = parse_graph(_FLOATS)
    program, facts = staged(graph, far_target(20_000))
    assert facts.far_bytes == 3 * 3 * 3 * 8 * 4
    assert all(call.held for call in program.calls)


_FLOATS = """graph 2 "g" {
  input %x: f32[1,8,8,3]
  const %w: f32[8,3,3,3] = base64 "{data}"
  %y: f32[1,8,8,8] = conv2d(%x, %w, none) {padding=[1,1,1,1]}
  output %y
}""".replace("{data}", "AACAPw" * 192)


NESTED = """program 2 "p" for "siracusa" {
  memory "arena" align 16
  memory "l1" size 64 align 4
  engine "dma" reaches "arena", "l1" unordered align 1
  buffer %x: i8[4]<0.5, 0> in "arena"
  buffer %y: i8[4]<0.5, 0> in "arena"
  buffer %near: i8[4]<0.5, 0> in "l1" at 0
  const %c0: i8[4]<0.5, 0> = [1, 2, 3, 4]
  const %c1: i8[4]<0.5, 0> = [10, 20, 30, 40]
  const %c2: i8[4]<0.5, 0> = [11, 21, 31, 41]
  table %c = %c0, %c1, %c2 at {index}
  input %x
  copy %x -> %y
  loop i of 2 {
    loop j of 2 {
      copy %c -> %near on "dma" token 3
      wait 3
      call "a" kernel "k": %y = add(%y, %near) over %y up to 0
    }
  }
  output %y
}
"""


@pytest.mark.parametrize("index", ["i+j", "i", "j", "2*(j mod 2)", "2"])
@pytest.mark.parametrize("l2_bytes", [64, 80, 96, 4096])
def test_tables_that_inner_loops_read(index: str, l2_bytes: int) -> None:
    plain = parse_program(NESTED.replace("{index}", index))
    program = StageConstants(far_target(4096), 0, l2_bytes).run(plain)
    verify_program(program)
    assert fetches([*simple_steps(program.steps)])
    x = np.array([1, -2, 3, 0], np.int8)
    expected = evaluate_program(plain, [x])["y"]
    for completion in ("earliest", "latest"):
        got = evaluate_program(program, [x], completion=completion)["y"]
        assert got.tolist() == expected.tolist()


def test_other_boards_and_programs_of_one_core_stay_as_they_are() -> None:
    chip = far_target(20_000)
    program = tiled(chain(), chip)
    assert StageConstants(target("siracusa")).run(program) is program
    assert StageConstants(target("host")).run(program) is program
    alone = replace(parse_program(_ALONE), target="siracusa")
    assert StageConstants(chip).run(alone) is alone


_ALONE = """program 2 "p" for "t" {
  memory "arena" align 16
  buffer %x: i8[4]<0.5, 0> in "arena"
  const %c: i8[4]<0.5, 0> = [1, 2, 3, 4]
  input %x
  copy %c -> %x
  output %x
}
"""


def test_a_program_is_staged_the_same_each_time() -> None:
    chip = far_target(4_000)
    texts = {print_program(staged(matrices(), chip, 14_000)[0]) for _ in range(2)}
    assert len(texts) == 1


def test_sizes_and_queues_that_are_none_are_refused() -> None:
    with pytest.raises(UsageError, match="expected least_bytes from 0, got -1"):
        StageConstants(far_target(4_000), -1)
    with pytest.raises(UsageError, match="expected resident_bytes from 0, got -1"):
        StageConstants(far_target(4_000), resident_bytes=-1)
    with pytest.raises(UsageError, match="expected depth from 1, got 0"):
        StageConstants(far_target(4_000), depth=0)


def test_random_inputs_give_what_the_tiled_program_gives() -> None:
    graph, chip = matrices(), far_target(4_000)
    plain = tiled(graph, chip)
    program = StageConstants(chip, 0, 14_000).run(plain)
    for seed in range(3):
        inputs = random_inputs(graph, seed)
        (expected,) = evaluate_program(plain, inputs).values()
        (got,) = evaluate_program(program, inputs).values()
        assert got.tobytes() == expected.tobytes()
