"""Programs with loops, views, rings and copies, as C: the same bytes as the evaluator's, however late a DMA is.

    python test_programs_on_host.py 1000 2000

tries programs of these seeds and says what differs; the tests take a few.
"""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tinsmith_c.testing import HostModel, KernelObjects, host_compiler
from tinsmith_ir import (
    Array,
    Call,
    EvaluationError,
    GraphError,
    Program,
    SimpleStep,
    evaluate_program,
    parse_program,
    print_program,
    unrolled,
    verify_program,
)
from tinsmith_ir.program import changed_steps
from tinsmith_ir.random_programs import mutant, random_program
from tinsmith_lowering import layer_of_call, prepare
from tinsmith_reference import backend
from tinsmith_target import target

HOST = target("host")
KERNELS = backend().kernels(HOST)
ROOM = Path(__file__).parents[3] / "kernels"
_MUTANTS = 8


def with_kernels(program: Program) -> Program:
    """The program calling the reference kernels."""

    def chosen(step: SimpleStep) -> tuple[SimpleStep]:
        if not isinstance(step, Call):
            return (step,)
        layer = layer_of_call(program, step, HOST)
        return (replace(step, kernel=next(k.name for k in KERNELS if k.takes(layer))),)

    chosen_steps = changed_steps(program.steps, chosen)
    return prepare(replace(program, steps=chosen_steps), HOST, KERNELS)


def objects(folder: Path, *, is_early: bool) -> KernelObjects:
    """The reference kernels, and a DMA that ends copies at once or as late as it may."""
    folder.mkdir()
    dma = folder / "dma.c"
    dma.write_text(
        f"#define TINSMITH_DMA_EARLY {int(is_early)}\n" + (ROOM / "dma" / "host.c").read_text()
    )
    sources = [*sorted((ROOM / "reference").glob("*.c")), dma]
    return KernelObjects(sources, [ROOM / "include"], folder)


@pytest.fixture(scope="session", params=["early", "late"])
def dma_objects(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> KernelObjects:
    if host_compiler() is None:
        pytest.skip("no C compiler on this machine")
    is_early = str(request.param) == "early"
    return objects(tmp_path_factory.mktemp("objects") / str(request.param), is_early=is_early)


def sample(program: Program, seed: int) -> Array:
    type_ = program.type_of("x")
    generator = np.random.default_rng(seed)
    return generator.integers(-100, 100, type_.shape).astype(type_.dtype.numpy)


def differences(program: Program, seed: int, compiled: KernelObjects, folder: Path) -> list[str]:
    """What does not give the bytes that the evaluator gives."""
    x = sample(program, seed)
    wanted = evaluate_program(program, [x])["y"]
    others = {
        "earliest": evaluate_program(program, [x], completion="earliest")["y"],
        "unrolled": evaluate_program(unrolled(program), [x])["y"],
        "C": HostModel.build(program, HOST, KERNELS, compiled, folder).run({"x": x})[0],
    }
    return [name for name, got in others.items() if got.tobytes() != wanted.tobytes()]


@pytest.mark.parametrize("seed", range(6))
def test_a_random_program_computes_the_same_everywhere(
    seed: int, dma_objects: KernelObjects, tmp_path: Path
) -> None:
    program = with_kernels(random_program(seed))
    text = print_program(program)
    parsed = parse_program(text)
    assert print_program(parsed) == text
    assert (parsed.steps, parsed.views, parsed.buffers, parsed.engines) == (
        program.steps,
        program.views,
        program.buffers,
        program.engines,
    )
    assert differences(program, seed, dma_objects, tmp_path) == []


def is_refused(program: Program, x: Array) -> bool:
    try:
        verify_program(program)
        evaluate_program(program, [x])
    except (GraphError, EvaluationError):
        return True
    return False


def test_a_mutant_is_refused_or_computes_the_same_everywhere(
    dma_objects: KernelObjects, tmp_path: Path
) -> None:
    refused = 0
    for seed in range(_MUTANTS):
        program = mutant(with_kernels(random_program(seed)), seed)
        if is_refused(program, sample(program, seed)):
            refused += 1
            continue
        folder = tmp_path / str(seed)
        folder.mkdir()
        assert differences(program, seed, dma_objects, folder) == []
    assert 0 < refused < _MUTANTS


ROLLING = """program 2 "rolling" for "host" {
  memory "l2" size 4096 align 16
  memory "l1" size 512 align 8
  engine "dma" reaches "l2", "l1" align 1
  buffer %x: i8[1,8,6,2]<0.5, 3> in "l2" at 0
  buffer %y: i8[1,6,4,3]<0.25, -2> in "l2" at 96
  view %first: i8[1,1,6,2]<0.5, 3> of %x
  view %second: i8[1,1,6,2]<0.5, 3> of %x start 12
  view %third: i8[1,1,6,2]<0.5, 3> of %x start 24
  view %next: i8[1,1,6,2]<0.5, 3> of %x start 12*i+36
  view %to: i8[1,1,4,3]<0.25, -2> of %y start 12*i
  buffer %lines: 48 bytes in "l1" at 0
  view %line0: i8[1,1,6,2]<0.5, 3> of %lines
  view %line1: i8[1,1,6,2]<0.5, 3> of %lines start 12
  view %line2: i8[1,1,6,2]<0.5, 3> of %lines start 24
  view %line: i8[1,1,6,2]<0.5, 3> of %lines start 12*((i+3) mod 4)
  view %rolling: i8[1,3,6,2]<0.5, 3> of %lines ring axis 1 of 4 at i
  buffer %window: i8[1,3,6,2]<0.5, 3> in "l1" at 48
  buffer %rows: 24 bytes in "l1" at 96
  view %row: i8[1,1,4,3]<0.25, -2> of %rows start 12*(i mod 2)
  const %w: i8[3,3,3,2]<0.125, 0> = base64 "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyD//v38+/r5+Pf29fTz8vHw7+7t7Ovq"
  input %x
  copy %first -> %line0 on "dma" token 4
  copy %second -> %line1 on "dma" token 4+1
  copy %third -> %line2 on "dma" token 6
  wait 4
  wait 5
  wait 6
  loop i of 6 {
    copy %next -> %line on "dma" token 2 when i from 0 below 5
    copy %rolling -> %window
    wait 8+(i mod 2) when i from 2 below 6
    call "conv" kernel "tinsmith_conv2d_s8": %row = conv2d(%window, %w, none) {activation=relu}
    copy %row -> %to on "dma" token 8+(i mod 2)
    wait 2 when i from 0 below 5
  }
  wait 8
  wait 9
  output %y
}
"""


def test_a_rolling_buffer_with_double_buffered_results(
    dma_objects: KernelObjects, tmp_path: Path
) -> None:
    program = prepare(parse_program(ROLLING), HOST, KERNELS)
    x = sample(program, 1)
    assert differences(program, 1, dma_objects, tmp_path) == []
    whole = evaluate_program(program, [x])["y"]
    (call,) = program.calls
    weights = program.constant["w"].data
    types = [program.type_of("x"), program.type_of("w"), None]
    (wanted,) = call.operator.evaluate([x, weights, None], types, [program.type_of("y")])
    assert whole.tobytes() == wanted.tobytes()


def main(first: int, last: int) -> int:
    """Status 1 if a program or a mutant of it differs."""
    wrong, refused = 0, 0
    with tempfile.TemporaryDirectory() as name:
        both = [objects(Path(name) / f"objects_{early}", is_early=early) for early in (False, True)]
        for seed in range(first, last):
            for program in (
                with_kernels(random_program(seed)),
                mutant(with_kernels(random_program(seed)), seed),
            ):
                if is_refused(program, sample(program, seed)):
                    refused += 1
                    continue
                for early, compiled in enumerate(both):
                    with tempfile.TemporaryDirectory() as folder:
                        found = differences(program, seed, compiled, Path(folder))
                    if found:
                        wrong += 1
                        print(f"seed {seed}, early {early}: {found}\n{print_program(program)}")
    print(f"programs {2 * (last - first)} refused {refused} wrong {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
