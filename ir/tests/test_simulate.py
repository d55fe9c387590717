"""Programs on simulated memories: right plans compute, wrong plans show."""

import numpy as np
import pytest
from tinsmith_ir import (
    Array,
    EvaluationError,
    GraphError,
    ParseError,
    Program,
    evaluate_program,
    parse_program,
    print_program,
)
from tinsmith_ir.program_parser import read_program
from tinsmith_ir.simulate import Completion


def program_of(body: str) -> str:
    return f"""program 2 "p" for "t" {{
      memory "m" align 4
      memory "far" align 4
      {body}
    }}"""


def run(body: str, *inputs: object) -> dict[str, Array]:
    program = parse_program(program_of(body))
    arrays = [
        np.array(value, program.type_of(name).dtype.numpy).reshape(program.type_of(name).shape)
        for value, name in zip(inputs, program.inputs, strict=True)
    ]
    return evaluate_program(program, arrays)


CHAIN = """
  buffer %x: f32[2] in "m" at {x}
  buffer %a: f32[2] in "m" at {a}
  buffer %b: f32[2] in "m" at {b}
  buffer %y: f32[2] in "m" at {y}
  input %x
  call "1" kernel "k": %a = relu(%x)
  call "2" kernel "k": %b = add(%a, %a)
  call "3" kernel "k": %y = sub(%a, %b)
  output %y"""


def test_buffers_may_share_bytes_when_not_live_together() -> None:
    assert run(CHAIN.format(x=0, a=8, b=0, y=16), [1, 2])["y"].tolist() == [-1, -2]


@pytest.mark.parametrize("far", [1 << 32, 1 << 40])
def test_what_lies_far_away_takes_no_memory_between(far: int) -> None:
    assert run(CHAIN.format(x=far, a=8, b=far, y=far + 8), [1, 2])["y"].tolist() == [-1, -2]


def test_live_buffers_in_one_place_give_a_wrong_result() -> None:
    body = """
      buffer %x: f32[2] in "m" at 0
      buffer %a: f32[2] in "m" at 8
      buffer %b: f32[2] in "m" at 8
      buffer %y: f32[2] in "m" at 16
      input %x
      call "1" kernel "k": %a = add(%x, %x)
      call "2" kernel "k": %b = relu(%x)
      call "3" kernel "k": %y = sub(%a, %x)
      output %y"""
    assert run(body, [1, 2])["y"].tolist() == [0, 0]
    assert run(body.replace('%b: f32[2] in "m" at 8', '%b: f32[2] in "m" at 24'), [1, 2])[
        "y"
    ].tolist() == [1, 2]


@pytest.mark.parametrize("b", [8, 4, 12])
def test_a_result_over_its_operand_is_an_error(b: int) -> None:
    text = CHAIN.format(x=0, a=8, b=b, y=24)
    with pytest.raises(
        GraphError, match=f"%b over %a at distance {b - 8}, which\n(.|\n)*no overlap"
    ):
        parse_program(program_of(text))
    with pytest.raises(EvaluationError, match=r"%a is read but [48] of its 8 bytes"):
        evaluate_program(read_program(program_of(text)), [np.array([1, 2], np.float32)])


OVER = """
  buffer %x: f32[4] in "m" at {x}
  buffer %y: f32[4] in "m" at {y}
  input %x
  call "1" kernel "k": %y = relu(%x) over %x {over}
  output %y"""


@pytest.mark.parametrize(
    ("y", "over"),
    [
        (32, "up to 0"),
        (28, "up to 0"),
        (16, "up to -4"),  # apart
        (28, "up to -4"),
        (28, "up to -8 at -4"),
        (36, "at 0 from 4"),
        (40, "from 4"),
    ],
)
def test_a_result_may_lie_over_an_operand_as_its_call_says(y: int, over: str) -> None:
    body = OVER.format(x=32, y=y, over=over)
    assert run(body, [1, -2, 3, -4])["y"].tolist() == [1, 0, 3, 0]
    program = parse_program(program_of(body))
    assert parse_program(print_program(program)).calls == program.calls
    assert f"over %x {over}" in print_program(program)


@pytest.mark.parametrize(
    ("y", "over"),
    [(36, "up to 0"), (32, "up to -4"), (28, "from 0"), (28, "at 0 at 4"), (20, "at -4 from 0")],
)
def test_a_result_nearer_than_its_call_says_is_refused_and_caught(y: int, over: str) -> None:
    text = program_of(OVER.format(x=32, y=y, over=over))
    message = (
        f"%y over %x at distance {y - 32} before its kernel has read it: expected `over %x {over}`"
    )
    with pytest.raises(GraphError, match=message):
        parse_program(text)
    with pytest.raises(EvaluationError, match="%x is read but"):
        evaluate_program(read_program(text), [np.array([1, 2, 3, 4], np.float32)])


def test_an_operand_that_stands_twice_has_two_leaves() -> None:
    body = """
      buffer %x: f32[2] in "m" at 0
      buffer %y: f32[2] in "m" at 0
      input %x
      call "1" kernel "k": %y = add(%x, %x) over %x up to 0{second}
      output %y"""
    with pytest.raises(GraphError, match="%y over %x at distance 0"):
        parse_program(program_of(body.format(second="")))
    assert run(body.format(second=" over %x up to 0"), [1, 2])["y"].tolist() == [2, 4]
    with pytest.raises(ParseError, match="an operand of the call, each once, got x"):
        parse_program(program_of(body.format(second=" over %x up to 0" * 2)))


@pytest.mark.parametrize(
    "call",
    [
        "relu(%x) over %x",
        "add(%x, %c) over %c up to 0",
        'relu(%x) over %x up to 0 on "npu" token 1 wait 1',
    ],
)
def test_leaves_that_say_nothing_or_too_much_are_refused(call: str) -> None:
    body = f"""
      engine "npu" reaches "m" align 1
      buffer %x: f32[2] in "m" at 0
      buffer %y: f32[2] in "m" at 8
      const %c: f32[2] = [5.0, -6.0]
      input %x
      call "1" kernel "k": %y = {call}
      output %y"""
    with pytest.raises(GraphError, match="may lie over operands in memory"):
        parse_program(program_of(body))


def test_a_view_without_a_step_shares_the_bytes() -> None:
    body = """
      buffer %x: f32[4] in "m" at 0
      view %y: f32[2,2] of %x
      input %x
      output %y"""
    assert run(body, [1, 2, 3, 4])["y"].tolist() == [[1, 2], [3, 4]]


def test_copies_convert_between_layouts() -> None:
    body = """
      buffer %x: i8[3,4]<1.0, 0> in "m"
      buffer %padded: 30 bytes in "m"
      view %inner: i8[3,4]<1.0, 0> of %padded start 6 strides [5,1]
      view %all: i8[6,5]<1.0, 0> of %padded
      input %x
      fill %all with -7
      copy %x -> %inner
      output %all"""
    got = run(body, np.arange(12))["all"]
    assert got[1:4, 1:].tolist() == np.arange(12).reshape(3, 4).tolist()
    assert (got == -7).sum() == 18


def test_a_ring_counts_modulo_its_lines() -> None:
    body = """
      buffer %x: i8[6,2]<1.0, 0> in "m"
      buffer %lines: 8 bytes in "m"
      buffer %y: i8[3,2]<1.0, 0> in "m"
      view %row: i8[1,2]<1.0, 0> of %x start 2*i
      view %line: i8[1,2]<1.0, 0> of %lines start 2*(i mod 4)
      view %window: i8[3,2]<1.0, 0> of %lines ring axis 0 of 4 at 3
      input %x
      loop i of 6 {
        copy %row -> %line
      }
      copy %window -> %y
      output %y"""
    assert run(body, np.arange(12))["y"].tolist() == [[6, 7], [8, 9], [10, 11]]


def test_scratch_over_an_operand_or_a_result_is_an_error() -> None:
    body = """
      buffer %x: f32[2] in "m" at 0
      buffer %y: f32[2] in "m" at 8
      buffer %s: i8[4] in "m" at {s}
      input %x
      call "1" kernel "k": %y = relu(%x) scratch %s
      output %y"""
    assert run(body.format(s=16), [1, 2])["y"].tolist() == [1, 2]
    with pytest.raises(EvaluationError, match="%x is read but 4 of its 8 bytes, from byte 4"):
        run(body.format(s=4), [1, 2])
    with pytest.raises(EvaluationError, match="output: %y is read but 4 of its 8 bytes"):
        run(body.format(s=8), [1, 2])


def test_bytes_nothing_wrote_are_an_error_that_names_the_step() -> None:
    body = """
      buffer %x: f32[2] in "m"
      buffer %u: f32[2] in "m"
      buffer %y: f32[2] in "m"
      input %x
      call "1" kernel "k": %y = add(%x, %u) loc("a.tflite", "op 4")
      output %y"""
    with pytest.raises(EvaluationError, match=r"(?s)a.tflite: op 4.*%u is read but 8 of its 8"):
        run(body, [1, 2])


COPY = """
  engine "dma" reaches "m", "far" align 1
  buffer %x: f32[2] in "far"
  buffer %n: f32[2] in "m"
  buffer %y: f32[2] in "m"
  const %c: f32[2] = [5.0, 6.0]
  input %x
  copy %x -> %n on "dma" token 1
  {before}
  wait 1
  {after}
  output %y"""


def unverified(body: str) -> Program:
    """What the verifier would refuse: the evaluator has to see it, too."""
    return read_program(program_of(body))


@pytest.mark.parametrize("completion", ["earliest", "latest"])
def test_a_copy_has_arrived_after_its_wait(completion: Completion) -> None:
    body = COPY.format(before="", after='call "1" kernel "k": %y = relu(%n)')
    program = parse_program(program_of(body))
    x = [np.array([1, 2], np.float32)]
    assert evaluate_program(program, x, completion=completion)["y"].tolist() == [1, 2]


@pytest.mark.parametrize("completion", ["earliest", "latest"])
def test_reading_before_the_wait_is_an_error(completion: Completion) -> None:
    body = COPY.format(before='call "1" kernel "k": %y = relu(%n)', after="")
    with pytest.raises(EvaluationError, match="not waited for"):
        evaluate_program(unverified(body), [np.zeros(2, np.float32)], completion=completion)


def test_a_source_overwritten_before_the_wait_gives_different_results() -> None:
    body = COPY.format(
        before='call "0" kernel "k": %x = relu(%c)', after='call "1" kernel "k": %y = relu(%n)'
    )
    got = [
        evaluate_program(unverified(body), [np.array([1, 2], np.float32)], completion=completion)
        for completion in ("earliest", "latest")
    ]
    assert [one["y"].tolist() for one in got] == [[1, 2], [5, 6]]


def test_waiting_for_a_later_step_of_a_queue_ends_those_before() -> None:
    body = """
      engine "dma" reaches "m" align 1
      buffer %x: f32[2] in "m"
      buffer %a: f32[2] in "m"
      buffer %b: f32[2] in "m"
      buffer %y: f32[2] in "m"
      input %x
      copy %x -> %a on "dma" token 1
      copy %a -> %b on "dma" token 2
      wait 2
      call "sum" kernel "k": %y = add(%a, %b)
      wait 1
      output %y"""
    program = parse_program(program_of(body))
    for completion in ("earliest", "latest"):
        x = [np.array([1, 2], np.float32)]
        assert evaluate_program(program, x, completion=completion)["y"].tolist() == [2, 4]


@pytest.mark.parametrize("completion", ["earliest", "latest"])
def test_a_call_may_run_beside_the_core(completion: Completion) -> None:
    body = """
      engine "npu" reaches "m" align 1
      buffer %x: f32[2] in "m"
      buffer %a: f32[2] in "m"
      buffer %b: f32[2] in "m"
      buffer %y: f32[2] in "m"
      input %x
      call "1" kernel "k": %a = add(%x, %x) on "npu" token 7
      call "2" kernel "k": %b = relu(%x)
      wait 7
      call "3" kernel "k": %y = sub(%a, %b)
      output %y"""
    program = parse_program(program_of(body))
    x = [np.array([1, 2], np.float32)]
    got = evaluate_program(program, x, keep=True, completion=completion)
    assert {name: array.tolist() for name, array in got.items()} == {
        "x": [1, 2],
        "a": [2, 4],
        "b": [1, 2],
        "y": [1, 2],
    }


def test_constants_may_be_copied_and_steps_kept() -> None:
    body = """
      engine "dma" reaches "m" align 1
      buffer %w: f32[2] in "m" at 0
      buffer %x: f32[2] in "m" at 8
      buffer %y: f32[2] in "m" at 0
      buffer %z: f32[2] in "m" at 16
      const %c: f32[2] = [5.0, -6.0]
      input %x
      copy %c -> %w on "dma" token 9
      wait 9
      call "1" kernel "k": %z = add(%w, %x)
      call "2" kernel "k": %y = relu(%z)
      output %y"""
    with pytest.raises(GraphError, match="%y over %w"):
        run(body.replace("%z = add(%w, %x)", "%y = add(%w, %x)"), [1, 2])
    program = parse_program(program_of(body))
    kept = evaluate_program(program, [np.array([1, 2], np.float32)], keep=True)
    assert {name: array.tolist() for name, array in kept.items()} == {
        "w": [5, -6],
        "x": [1, 2],
        "z": [6, -4],
        "y": [6, 0],
    }


def test_wrong_inputs_are_refused() -> None:
    body = 'buffer %x: f32[2] in "m" input %x output %x'
    for wrong in ([np.zeros(2, np.int8)], [np.zeros(3, np.float32)], []):
        with pytest.raises(EvaluationError, match="expected"):
            evaluate_program(parse_program(program_of(body)), wrong)
