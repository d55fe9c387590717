"""What a run function says of steps beside the core; that it is right, tests of the reference kernels tell."""

from dataclasses import replace

import pytest
from tinsmith_c import layer_facts, write
from tinsmith_ir.errors import GraphError
from tinsmith_ir.program_parser import parse_program
from tinsmith_lowering import Beside, Emission, Kernel, Layer, Scope
from tinsmith_lowering.testing import toys
from tinsmith_target import target

HOST = target("host")
PROGRAM = """program 2 "p" for "host" {
  memory "arena" align 16
  engine "dma" reaches "arena" align 1
  engine "NPU" reaches "arena" align 1
  engine "npu" reaches "arena" align 1
  buffer %x: f32[4] in "arena" at 0
  buffer %y: f32[4] in "arena" at 16
  view %a: f32[1] of %x start 4*i
  view %b: f32[1] of %y start 4*i
  input %x
  loop i of 4 {
    copy %a -> %b on "dma" token 5
    wait 5
    call "one" kernel "toy_relu": %b = relu(%a) on "npu" token 9+(i mod 2)
    wait 9+(i mod 2)
  }
  output %y
}
"""


def driving() -> Kernel:
    """A kernel that starts and waits by itself."""

    def emit(layer: Layer, scope: Scope) -> Emission:
        del layer
        start = f"  npu_start({scope.token}, {scope.input(0)}, {scope.output});"
        return Emission((start,), result=f"npu_status({scope.token})", wait=("  npu_wait();",))

    return replace(toys().relu, emit=emit)


def source(text: str, kernel: Kernel | None = None) -> str:
    return write(parse_program(text), HOST, [kernel or toys().relu])["p.c"].decode()


def test_copies_of_an_engine_that_only_copies_are_for_a_dma() -> None:
    text = source(PROGRAM)
    assert "tinsmith_dma_wait((uint32_t)(5));" in text
    assert text.count("tinsmith_engine_start(") == 1
    assert "jobs[2];" in text  # of tokens 9 and 10 alone


def test_copies_of_an_engine_that_computes_are_jobs_behind_its_calls() -> None:
    text = source(PROGRAM.replace('"dma" token 5', '"npu" token 5'))
    assert "tinsmith/dma.h" not in text
    assert text.count("tinsmith_engine_start(P_ENGINE_NPU_2, &job->job);") == 2
    assert "#include <string.h>" in text


SEVERAL = """program 2 "p" for "host" {
  memory "arena" align 16
  engine "cores" reaches "arena" unordered depth 4 align 1
  buffer %x: f32[4] in "arena" at 0
  buffer %a: f32[4] in "arena" at 16
  buffer %y: f32[4] in "arena" at 32
  view %x.i: f32[1] of %x start 4*i
  view %a.i: f32[1] of %a start 4*i
  view %a.j: f32[2] of %a start 8*j
  view %y.j: f32[2] of %y start 8*j
  input %x
  loop i of 4 {
    call "one" kernel "toy_relu": %a.i = relu(%x.i) on "cores" token i
  }
  loop k of 4 {
    wait k
  }
  loop j of 2 {
    call "two" kernel "toy_relu": %y.j = relu(%a.j) on "cores" token j
  }
  loop l of 2 {
    wait l
  }
  output %y
}
"""


def test_counters_of_jobs_that_never_meet_share_a_place() -> None:
    text = source(SEVERAL)
    assert "  union {\n    int32_t loop_i;\n    int32_t loop_j;\n  };\n" in text
    assert "layer_1_two(job->arena, job->loop_j);" in text
    assert "jobs[4];" in text


def test_counters_of_one_job_have_places_of_their_own() -> None:
    nested = SEVERAL.replace(
        'loop i of 4 {\n    call "one"', 'loop o of 1 {\n  loop i of 4 {\n    call "one"'
    )
    nested = nested.replace("token i\n  }\n", "token i\n  }\n  }\n").replace(
        "%x start 4*i", "%x start 4*i+4*o"
    )
    text = source(nested)
    assert "  union {\n    int32_t loop_o;\n    int32_t loop_j;\n  };\n  int32_t loop_i;\n" in text


def test_a_kernel_that_forks_is_refused_beside_the_core() -> None:
    forking = replace(toys().relu, headers=("tinsmith/cluster.h",))
    with pytest.raises(GraphError, match=r"is a cluster.s, which work on an engine cannot call"):
        source(SEVERAL, forking)


def test_layers_on_a_cluster_say_how_many_cores_compute_them() -> None:
    siracusa = target("siracusa")
    kernels = [toys().relu]
    program = parse_program(SEVERAL)
    facts = layer_facts(program, siracusa, kernels)
    assert [(fact.name, fact.cores) for fact in facts] == [("one", 4), ("two", 2)]
    alone = parse_program(SEVERAL.replace("unordered ", ""))
    assert [fact.cores for fact in layer_facts(alone, siracusa, kernels)] == [1, 1]
    assert [fact.cores for fact in layer_facts(program, HOST, kernels)] == [None, None]


def test_engines_have_numbers_and_names_of_their_own() -> None:
    header = write(parse_program(PROGRAM), HOST, [toys().relu])["p.h"].decode()
    assert "#define P_ENGINE_NPU_2 2u\n" in header
    assert "P_ENGINE_DMA" not in header
    assert "(tinsmith/engine.h)" in header


def test_a_kernel_that_drives_its_engine_has_a_start_and_a_wait() -> None:
    text = source(PROGRAM, driving())
    assert "tinsmith/engine.h" not in text
    assert "  npu_start(token, input, output);\n}" in text
    assert "  npu_wait();\n  return npu_status(token);\n}" in text
    assert "refused |= layer_0_one_end(&jobs[(loop_i & 1)]);" in text
    on_the_core = source(
        PROGRAM.replace(' on "npu" token 9+(i mod 2)\n    wait 9+(i mod 2)', ""), driving()
    )
    assert (
        "_start(arena, loop_i, 0u);\n  return layer_0_one_wait(arena, loop_i, 0u);" in on_the_core
    )
    assert "refused |= layer_0_one(bytes, loop_i);" in on_the_core


def test_an_engine_in_order_is_driven_in_one_way() -> None:
    text = PROGRAM.replace('"dma" token 5', '"npu" token 5')
    with pytest.raises(GraphError, match=r"'npu' ends steps in the order(.|\n)*relu(.|\n)*copy"):
        source(text, driving())
    unordered = text.replace('"npu" reaches "arena"', '"npu" reaches "arena" unordered')
    assert "tinsmith_engine_start(" in source(unordered, driving())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("9+(i mod 2)", "30+i", "expected tokens from 0 to 31, got 32 in\n  call"),
        ("wait 9+(i mod 2)", "wait 8", "nothing was started with the token of\n  wait 8"),
    ],
)
def test_tokens_that_have_no_place_are_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        source(PROGRAM.replace(old, new))


def test_a_kernel_of_a_cluster_is_called_on_the_engine_that_it_drives() -> None:
    text = source(PROGRAM, replace(driving(), near=True, beside=Beside("npu")))
    assert "layer_0_one_start(" in text
    assert "tinsmith_engine_start(" not in text


def test_a_kernel_is_not_called_on_another_engine_than_it_drives() -> None:
    for near in (False, True):
        kernel = replace(driving(), near=near, beside=Beside("NPU"))
        with pytest.raises(GraphError, match="drives engine 'NPU' alone"):
            source(PROGRAM, kernel)


def test_a_kernel_of_a_cluster_is_no_job() -> None:
    with pytest.raises(GraphError, match="is a cluster's, which work on an engine cannot call"):
        source(PROGRAM, replace(toys().relu, near=True))
