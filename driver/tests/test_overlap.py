"""The accelerator and the cores of a cluster at the same time: cycles, bytes, and what is said of a late wait."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from exact_cycles import exact_cycles
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.models import read_model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import compile_model
from tinsmith_emulators import FirmwareCrashError, MissingEmulatorError, need_emulator
from tinsmith_ir import GraphError, verify_program
from tinsmith_ir.program import Call, Program, Step, Wait
from tinsmith_lowering import find_kernel, layer_of_call
from tinsmith_target import target

# Two convolutions are the accelerator's, two poolings of the same input the cores', and a sum needs both.
_BRANCHES = f"""graph 2 "branches" {{
  input %x: i8[1,16,16,64]<0.05, -3>
  const %w: i8[64,3,3,64]<0.01, 0> = {[7, -3, 5, 1, -6, 2] * (64 * 9 * 64 // 6)}
  const %b: i32[64] = {[10, -10] * 32}
  %a: i8[1,16,16,64]<0.1, 5> = conv2d(%x, %w, %b) {{rounding=floor, multiplier_bits=8, padding=[1,1,1,1]}}
  %c: i8[1,16,16,64]<0.1, 5> = conv2d(%a, %w, %b) {{rounding=floor, multiplier_bits=8, padding=[1,1,1,1]}}
  %p: i8[1,16,16,64]<0.05, -3> = max_pool2d(%x) {{window=[3,3], stride=[1,1], padding=[1,1,1,1]}}
  %q: i8[1,16,16,64]<0.05, -3> = average_pool2d(%p) {{window=[3,3], stride=[1,1], padding=[1,1,1,1]}}
  %y: i8[1,16,16,64]<0.2, 0> = add(%c, %q) {{rounding=floor, multiplier_bits=8}}
  output %y
}}
"""

# Of tiles, each of which is a job.
_TILES = f"""graph 2 "tiles" {{
  input %x: i8[1,64,64,16]<0.05, -3>
  const %w: i8[16,3,3,16]<0.01, 0> = {[7, -3, 5, 1, -6, 2] * (16 * 9 * 16 // 6)}
  const %b: i32[16] = {[10, -10] * 8}
  %a: i8[1,64,64,16]<0.1, 5> = conv2d(%x, %w, %b) {{rounding=floor, multiplier_bits=8, padding=[1,1,1,1]}}
  %y: i8[1,64,64,16]<0.1, 5> = conv2d(%a, %w, %b) {{rounding=floor, multiplier_bits=8, padding=[1,1,1,1]}}
  output %y
}}
"""
_L1_BYTES = 64 * 1024

# Of the cores' own jobs, which compute parts of the floats at the same time.
_FLOATS = f"""graph 2 "floats" {{
  input %f: f32[1,8,8,16]
  %x: i8[1,8,8,16]<0.05, -3> = quantize(%f)
  const %w: i8[16,3,3,16]<0.01, 0> = {[7, -3, 5, 1, -6, 2] * (16 * 9 * 16 // 6)}
  const %b: i32[16] = {[10, -10] * 8}
  %a: i8[1,8,8,16]<0.1, 5> = conv2d(%x, %w, %b) {{rounding=floor, multiplier_bits=8, padding=[1,1,1,1]}}
  %p: i8[1,8,8,16]<0.05, -3> = max_pool2d(%x) {{window=[3,3], stride=[1,1], padding=[1,1,1,1]}}
  %y: i8[1,8,8,16]<0.2, 0> = add(%a, %p) {{rounding=floor, multiplier_bits=8}}
  output %y
}}
"""

_OF_TILES = 0.9
"""At most of the cycles of tiles that are waited for at once: core 0 starts jobs and copies meanwhile."""

_HIDDEN = 0.6
"""At least of the accelerator's cycles, which are fewer than the cores'; the rest is that both want the same banks of
memory, and that core 0 starts jobs.
"""

_TIMEOUT_SECONDS = 60


@pytest.fixture
def path(tmp_path: Path) -> Path:
    try:
        need_emulator(target("siracusa").board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))
    return tmp_path / "network.tsm"


def _compiled(path: Path, text: str, *without: str, l1_bytes: int | None = None) -> Compilation:
    path.write_text(text, encoding="utf-8")
    options = CompileOptions("siracusa", backend="neureka", without=without, l1_bytes=l1_bytes)
    return compile_model(read_model(path), options)


def _job_cycles(compilation: Compilation) -> int:
    """Of all jobs, as their kernels say."""
    found = 0
    for call in _jobs(compilation.program):
        layer = layer_of_call(compilation.program, call, compilation.target)
        cost = find_kernel(call.kernel, layer, compilation.kernels).cost(layer)
        found += 0 if cost is None else cost.cycles
    return found


def _jobs(program: Program) -> list[Call]:
    return [call for call in program.calls if call.engine == "neureka"]


def _moved(steps: Sequence[Step], step: Step, behind: int) -> list[Step]:
    """The steps with one of them elsewhere: behind so many of the others."""
    others = [other for other in steps if other is not step]
    return [*others[:behind], step, *others[behind:]]


def test_branches_run_at_the_same_time(path: Path) -> None:
    alone, both = _compiled(path, _BRANCHES, "overlap"), _compiled(path, _BRANCHES)
    assert [call.name for call in _jobs(both.program)] == ["a", "c"]
    assert _jobs(alone.program) == []
    saved = exact_cycles(alone) - exact_cycles(both)
    assert saved >= _HIDDEN * _job_cycles(both)


def test_cores_share_their_own_jobs_beside_the_accelerators(path: Path) -> None:
    alone, both = _compiled(path, _FLOATS, "overlap"), _compiled(path, _FLOATS)
    assert {call.engine for call in both.program.calls} >= {"cores", "neureka"}
    assert exact_cycles(both) <= exact_cycles(alone)


def test_tiles_are_started_while_the_one_before_is_computed(path: Path) -> None:
    one_by_one = _compiled(path, _TILES, "overlap", l1_bytes=_L1_BYTES)
    in_turns = _compiled(path, _TILES, l1_bytes=_L1_BYTES)
    assert _jobs(one_by_one.program) == []
    assert len(_jobs(in_turns.program)) == len(in_turns.program.calls) > 2
    assert exact_cycles(in_turns) <= _OF_TILES * exact_cycles(one_by_one)


def test_a_wait_that_is_too_late_is_found(path: Path) -> None:
    """By the verifier, and by the simulator where job and cores meet: the sum reads what the second job writes."""
    compilation = _compiled(path, _BRANCHES)
    program = compilation.program
    job = _jobs(program)[1]
    wait = [step for step in program.steps if isinstance(step, Wait) and step.token == job.token][
        -1
    ]
    started_late = _moved(program.steps, job, program.steps.index(wait) - 1)
    right = replace(program, steps=tuple(started_late))
    verify_program(right)
    wrong = replace(program, steps=tuple(_moved(started_late, wait, len(started_late))))
    with pytest.raises(GraphError, match="reads what is still being written"):
        verify_program(wrong)
    assert exact_cycles(replace(compilation, program=right)) > exact_cycles(compilation)
    with pytest.raises(FirmwareCrashError, match="race: "):
        exact_cycles(replace(compilation, program=wrong))
