"""Programs with loops, views, rings, copies and calls beside the core, as C: the same bytes as the evaluator's, however
late engines are.

    python test_programs_on_host.py 0 1000

tries programs of these seeds and two mutants of each, and says what differs; the tests take a few.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from tinsmith_c.scope import LayerScope
from tinsmith_c.testing import HostBatch, KernelObjects, host_compiler
from tinsmith_ir import (
    Array,
    Call,
    Copy,
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
from tinsmith_ir.operators import Add
from tinsmith_ir.program import changed_steps, simple_steps
from tinsmith_ir.random_programs import ARRANGED, mutant, random_program
from tinsmith_lowering import (
    Emission,
    Kernel,
    Layer,
    Prepared,
    Scope,
    check_prepared,
    layer_of_call,
    prepare,
)
from tinsmith_reference import backend
from tinsmith_target import target

HOST = target("host")


def arranging(kernel: Kernel) -> Kernel:
    """A kernel of two operands as one that reads the second one, a constant, arranged (`ARRANGED`)."""

    def prepare(layer: Layer) -> tuple[Prepared, ...]:
        data = layer.constant(1)
        assert data is not None
        return (Prepared(ARRANGED, data),)

    def emit(layer: Layer, scope: Scope) -> Emission:
        assert isinstance(scope, LayerScope)
        first, second = scope.inputs
        assert second is not None
        second = replace(second, expression=scope.prepared(ARRANGED), constant=None)
        return kernel.emit(layer, replace(scope, inputs=(first, second)))

    return replace(kernel, name=f"{kernel.name}_{ARRANGED}", prepare=prepare, emit=emit)


_GIVEN = backend().kernels(HOST)
KERNELS = (*_GIVEN, *(arranging(kernel) for kernel in _GIVEN if kernel.pattern == (Add,)))
ROOM = Path(__file__).parents[3] / "kernels"
_BATCH = 25


def with_kernels(program: Program) -> Program:
    """The program calling the reference kernels. What calls hold of constants they read arranged, as they did."""

    def chosen(step: SimpleStep) -> tuple[SimpleStep]:
        if not isinstance(step, Call):
            return (step,)
        layer = layer_of_call(program, step, HOST)
        names = [kernel.name for kernel in KERNELS if kernel.takes(layer.kind)]
        is_arranged = any(held.constant not in step.inputs for held in step.held)
        return (replace(step, kernel=names[-1 if is_arranged else 0]),)

    def kept(step: SimpleStep) -> tuple[SimpleStep]:
        held = holding.get(step.name) if isinstance(step, Call) else None
        return (step if held is None else replace(step, reads=held.reads, held=held.held),)

    holding = {call.name: call for call in program.calls if call.held}
    steps = changed_steps(program.steps, chosen)
    prepared = prepare(replace(program, steps=steps), HOST, KERNELS)
    steps = changed_steps(prepared.steps, kept)
    read = {name for step in simple_steps(steps) if isinstance(step, Call) for name in step.reads}
    made = [one for one in prepared.constants if not one.layout or one.name in read]
    arranged = [one for one in program.constants if one.layout]
    found = replace(prepared, steps=steps, constants=(*made, *arranged))
    check_prepared(found, HOST, KERNELS)
    return found


def sample(program: Program, seed: int) -> Array:
    type_ = program.type_of("x")
    generator = np.random.default_rng(seed)
    return generator.integers(-100, 100, type_.shape).astype(type_.dtype.numpy)


@dataclass(frozen=True)
class Compiled:
    """The reference kernels, and engines that end copies and jobs as late as they may and at once."""

    kernels: KernelObjects
    engines: Mapping[str, Sequence[KernelObjects]]

    @staticmethod
    def into(folder: Path) -> "Compiled":
        """Objects in a folder."""
        includes = [ROOM / "include"]
        kernels = KernelObjects.of_repository(ROOM, ["reference"], folder)
        files = {"latest": "host.c", "earliest": "host_early.c"}
        engines = {
            name: [
                KernelObjects([ROOM / room / file], includes, folder) for room in ("dma", "engine")
            ]
            for name, file in files.items()
        }
        return Compiled(kernels, engines)


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    if host_compiler() is None:
        pytest.skip("no C compiler on this machine")
    return Compiled.into(tmp_path_factory.mktemp("objects"))


def meaning(program: Program, x: Array) -> Array:
    """What it computes if every buffer has bytes of its own, wherever the plan puts it."""
    apart = tuple(replace(buffer, offset=None) for buffer in program.buffers)
    return evaluate_program(program.with_buffers(apart), [x])["y"]


def is_refused(program: Program, x: Array) -> bool:
    """By the verifier, by the evaluator, or as the memories do not hold what the steps say."""
    try:
        verify_program(program)
        placed = evaluate_program(program, [x])["y"]
        return meaning(program, x).tobytes() != placed.tobytes()
    except (GraphError, EvaluationError):
        return True


def differences(
    programs: Sequence[tuple[Program, Array]],
    compiled: Compiled,
    folder: Path,
    kernels: Sequence[Kernel] = KERNELS,
) -> dict[int, list[str]]:
    """Which of the programs do not give the bytes that they mean, and who gives others."""
    wanted = [meaning(program, x).tobytes() for program, x in programs]
    batch = HostBatch.build(
        [program for program, _ in programs], HOST, kernels, compiled.kernels.includes, folder
    )
    inputs = [x for _, x in programs]
    ran: dict[str, list[Array | str]] = {
        f"C, {name}": batch.run(batch.link(name, compiled.kernels, *engines), inputs)
        for name, engines in compiled.engines.items()
    }
    for name, evaluate in _EVALUATORS.items():
        ran[name] = [evaluate(program, x) for program, x in programs]
    found: dict[int, list[str]] = {}
    for name, results in ran.items():
        for index, got in enumerate(results):
            if isinstance(got, str):
                found.setdefault(index, []).append(f"{name}: {got}")
            elif got.tobytes() != wanted[index]:
                found.setdefault(index, []).append(name)
    for index, (program, _) in enumerate(programs):
        if not keeps_its_text(program):
            found.setdefault(index, []).append("text")
    return found


_EVALUATORS: Mapping[str, Callable[[Program, Array], Array]] = {
    "earliest": lambda program, x: evaluate_program(program, [x], completion="earliest")["y"],
    "latest": lambda program, x: evaluate_program(program, [x])["y"],
    "unrolled": lambda program, x: evaluate_program(unrolled(program), [x])["y"],
}


def keeps_its_text(program: Program) -> bool:
    text = print_program(program)
    parsed = parse_program(text)
    return (
        print_program(parsed) == text
        and (parsed.steps, parsed.views) == (program.steps, program.views)
        and (parsed.buffers, parsed.engines) == (program.buffers, program.engines)
    )


def right_program(seed: int) -> tuple[Program, Array]:
    program = with_kernels(random_program(seed))
    return program, sample(program, seed)


def accepted_mutants(seeds: range) -> list[tuple[Program, Array]]:
    """Two mutants of each program, but for those that are refused."""
    pairs: list[tuple[Program, Array]] = []
    for seed in seeds:
        program, x = right_program(seed)
        for number in (2 * seed, 2 * seed + 1):
            changed = mutant(program, number)
            if not is_refused(changed, x):
                pairs.append((changed, x))
    return pairs


def is_unordered(program: Program) -> Iterator[bool]:
    """Of each copy beside the core, whether its engine may end it before others."""
    for step in simple_steps(program.steps):
        if isinstance(step, Copy) and step.engine is not None:
            yield not program.engine[step.engine].is_fifo


def test_random_programs_compute_the_same_everywhere(compiled: Compiled, tmp_path: Path) -> None:
    programs = [right_program(seed) for seed in range(30)]
    assert not any(is_refused(program, x) for program, x in programs)
    held = [program for program, _ in programs if any(call.held for call in program.calls)]
    copied = [program for program, _ in programs if program.tables and program not in held]
    assert min(len(held), len(copied)) > 4
    assert len([program for program in held if any(is_unordered(program))]) > 1
    assert differences(programs, compiled, tmp_path) == {}


def test_mutants_are_refused_or_compute_the_same_everywhere(
    compiled: Compiled, tmp_path: Path
) -> None:
    accepted = accepted_mutants(range(12))
    assert 0 < len(accepted) < 24
    assert differences(accepted, compiled, tmp_path) == {}


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


def test_a_rolling_buffer_with_double_buffered_results(compiled: Compiled, tmp_path: Path) -> None:
    program = prepare(parse_program(ROLLING), HOST, KERNELS)
    x = sample(program, 1)
    assert differences([(program, x)], compiled, tmp_path) == {}
    whole = evaluate_program(program, [x])["y"]
    (call,) = program.calls
    weights = program.constant["w"].data
    types = [program.type_of("x"), program.type_of("w"), None]
    (wanted,) = call.operator.evaluate([x, weights, None], types, [program.type_of("y")])
    assert whole.tobytes() == wanted.tobytes()


def driving(kernel: Kernel, *, is_late: bool) -> Kernel:
    """The kernel as one that starts and waits by itself, and works where it starts or where it waits."""

    def emit(layer: Layer, scope: Scope) -> Emission:
        work = kernel.emit(layer, scope).statements
        start, wait = ((), work) if is_late else (work, ())
        return Emission(start, result=f"{scope.token} >= 32u ? 1 : 0", wait=wait)

    return replace(kernel, emit=emit)


def telling(kernel: Kernel) -> Kernel:
    """The kernel as one that says that it did its work."""

    def emit(layer: Layer, scope: Scope) -> Emission:
        return Emission(kernel.emit(layer, scope).statements, result=f"{scope.output} == NULL")

    return replace(kernel, emit=emit)


MANNERS: Mapping[str, Callable[[Kernel], Kernel]] = {
    "job": lambda kernel: kernel,
    "job that tells": telling,
    "start that works": lambda kernel: driving(kernel, is_late=False),
    "wait that works": lambda kernel: driving(kernel, is_late=True),
}


@pytest.mark.parametrize("manner", [*MANNERS][1:])
def test_kernels_of_any_manner_compute_the_same_beside_the_core(
    manner: str, compiled: Compiled, tmp_path: Path
) -> None:
    kernels = [MANNERS[manner](kernel) for kernel in KERNELS]
    programs = [
        (program, x)
        for program, x in map(right_program, range(16))
        if not any(call.engine == "dma" for call in program.calls)
        and any(call.engine for call in program.calls)
    ]
    assert len(programs) > 2
    assert differences(programs, compiled, tmp_path, kernels) == {}


MIXED = """program 2 "mixed" for "host" {
  memory "m" align 8
  engine "dma" reaches "m" align 1
  engine "npu" reaches "m" unordered align 1
  buffer %x: i8[9,4]<0.5, 3> in "m" at 0
  buffer %y: i8[9,4]<0.5, 3> in "m" at 40
  buffer %out: i8[1,4]<0.5, 3> in "m" at 80
  view %row: i8[1,4]<0.5, 3> of %x start 4*i
  view %to: i8[1,4]<0.5, 3> of %y start 4*i
  input %x
  loop i of 9 {
    copy %row -> %out on "dma" token 7+(i mod 2) when i from 0 below 2
    copy %row -> %out on "npu" token 7+(i mod 2) when i from 2 below 4
    call "relu" kernel "k": %out = relu(%row) on "npu" token 7+(i mod 2) when i from 4 below 7
    call "add" kernel "k": %out = add(%row, %row) on "npu" token 7+(i mod 2) when i from 7 below 9
    call "never" kernel "k": %out = add(%row, %row) on "npu" token 3 when i from 9 below 9
    wait 3 when i from 9 below 9
    wait 7+(i mod 2)
    copy %out -> %to
  }
  output %y
}
"""


@pytest.mark.parametrize("manner", MANNERS)
def test_a_wait_ends_whatever_was_started_with_its_token(
    manner: str, compiled: Compiled, tmp_path: Path
) -> None:
    program = with_kernels(parse_program(MIXED))
    kernels = [MANNERS[manner](kernel) for kernel in KERNELS]
    assert differences([(program, sample(program, 2))], compiled, tmp_path, kernels) == {}


def main(first: int, last: int) -> int:
    """Status 1 if a program or one of its two mutants differs, or a right program is refused."""
    made = refused = compared = 0
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        compiled = Compiled.into(Path(name))
        for start in range(first, last, _BATCH):
            seeds = range(start, min(start + _BATCH, last))
            right = [right_program(seed) for seed in seeds]
            mutants = accepted_mutants(seeds)
            made += 2 * len(seeds)
            refused += 2 * len(seeds) - len(mutants)
            compared += len(right) + len(mutants)
            wrong += [f"refused:\n{print_program(p)}" for p, x in right if is_refused(p, x)]
            with tempfile.TemporaryDirectory() as folder:
                for index, who in differences([*right, *mutants], compiled, Path(folder)).items():
                    program = [*right, *mutants][index][0]
                    wrong.append(f"seeds {seeds}, {who}:\n{print_program(program)}")
            print("\n".join(wrong[-3:]) or f"seeds below {seeds.stop}: right", flush=True)
    print(
        f"random programs {last - first}; mutants {made}, of which refused {refused} and as C "
        f"{made - refused}; programs compared {compared} (evaluator, unrolled, text, C under earliest and "
        f"latest DMA); wrong {len(wrong)}"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
