"""Programs on simulated memories: right plans compute, wrong plans show."""

import numpy as np
import pytest
from tinsmith_ir import Array, EvaluationError, evaluate_program, parse_program


def program_of(body: str) -> str:
    return f"""program "p" for "t" {{
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
    with pytest.raises(EvaluationError, match=r"%a is read but [48] of its 8 bytes"):
        run(CHAIN.format(x=0, a=8, b=b, y=24), [1, 2])


def test_a_kernel_that_works_in_place_may_write_where_an_operand_starts() -> None:
    body = """
      buffer %x: f32[2] in "m" at 0
      buffer %a: f32[2] in "m" at 0
      buffer %y: f32[2] in "m" at {y}
      input %x
      call "1" kernel "in_place": %a = add(%x, %x)
      call "2" kernel "in_place": %y = relu(%a)
      output %y"""
    inputs = [np.array([1, 2], np.float32)]
    program = parse_program(program_of(body.format(y=0)))
    got = evaluate_program(program, inputs, in_place_kernels={"in_place"})
    assert got["y"].tolist() == [2, 4]
    with pytest.raises(EvaluationError, match="%x is read"):
        evaluate_program(program, inputs)
    beside = parse_program(program_of(body.format(y=4)))
    with pytest.raises(EvaluationError, match="%a is read but 4 of its 8 bytes"):
        evaluate_program(beside, inputs, in_place_kernels={"in_place"})


def test_an_alias_may_be_computed_in_place() -> None:
    body = """
      buffer %x: f32[2] in "m" at 0
      buffer %y: f32[2] in "m" at 0 alias %x
      input %x
      call "1" kernel "k": %y = relu(%x)
      output %y"""
    assert run(body, [-1, 2])["y"].tolist() == [0, 2]


def test_an_alias_without_a_step_shares_the_bytes() -> None:
    body = """
      buffer %x: f32[4] in "m" at 0
      buffer %y: f32[2,2] in "m" at 0 alias %x
      input %x
      output %y"""
    assert run(body, [1, 2, 3, 4])["y"].tolist() == [[1, 2], [3, 4]]


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
  buffer %x: f32[2] in "far"
  buffer %n: f32[2] in "m"
  buffer %y: f32[2] in "m"
  const %c: f32[2] = [5.0, 6.0]
  input %x
  dma %x -> %n token 1
  {before}
  barrier 1
  {after}
  output %y"""


def test_a_copy_has_arrived_after_its_barrier() -> None:
    body = COPY.format(before="", after='call "1" kernel "k": %y = relu(%n)')
    assert run(body, [1, 2])["y"].tolist() == [1, 2]


def test_reading_before_the_barrier_is_an_error() -> None:
    body = COPY.format(before='call "1" kernel "k": %y = relu(%n)', after="")
    with pytest.raises(EvaluationError, match="not waited for"):
        run(body, [1, 2])


def test_a_source_overwritten_before_the_barrier_shows() -> None:
    body = COPY.format(
        before='call "0" kernel "k": %x = relu(%c)', after='call "1" kernel "k": %y = relu(%n)'
    )
    assert run(body, [1, 2])["y"].tolist() == [5, 6]


def test_constants_may_be_copied_and_steps_kept() -> None:
    body = """
      buffer %w: f32[2] in "m" at 0
      buffer %x: f32[2] in "m" at 8
      buffer %y: f32[2] in "m" at 0
      const %c: f32[2] = [5.0, -6.0]
      input %x
      dma %c -> %w token 9
      barrier 9
      call "1" kernel "k": %x = add(%w, %x)
      call "2" kernel "k": %y = relu(%x)
      output %y"""
    with pytest.raises(EvaluationError, match="%w is read"):
        run(body.replace("%x = add(%w, %x)", "%y = add(%w, %x)"), [1, 2])
    program = parse_program(program_of(body))
    kept = evaluate_program(program, [np.array([1, 2], np.float32)], keep=True)
    assert {name: array.tolist() for name, array in kept.items()} == {"x": [6, -4], "y": [6, 0]}


def test_wrong_inputs_are_refused() -> None:
    body = 'buffer %x: f32[2] in "m" input %x output %x'
    for wrong in ([np.zeros(2, np.int8)], [np.zeros(3, np.float32)], []):
        with pytest.raises(EvaluationError, match="expected"):
            evaluate_program(parse_program(program_of(body)), wrong)
