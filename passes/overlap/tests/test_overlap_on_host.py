"""The C of programs behind the pass on this computer, whose accelerator ends jobs at once or as late as it may."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from overlapped_networks import network
from tinsmith_c.testing import HostModel, KernelObjects, host_compiler
from tinsmith_ir import Graph
from tinsmith_ir.program import Buffer, Call, Program, Wait
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import Kernel, lower, prepare
from tinsmith_neureka import NeurekaBackend
from tinsmith_overlap import OverlapCalls
from tinsmith_pulp_nn import PulpNnBackend
from tinsmith_reference import backend as reference
from tinsmith_target import Target, target
from tinsmith_tiling import TileCalls

KERNELS = Path(__file__).parents[3] / "kernels"

_NEAR_BYTES = 40 * 1024
_ALIGNMENT = 16
_NETWORKS = {
    "branches": network("a = conv x, c = conv a, p = pool x, q = pool p, y = add c q", "y"),
    "a chain": network("a = conv x, b = conv a, c = conv b, y = conv c", "y"),
    "strides": network("a = keep x, b = keep x, c = conv a, y = add b c", "y", side=16),
    "tiles": network("a = conv x, y = conv a", "y", side=48),
}

# What engine.c includes elsewhere, but for the driver that ends jobs at once.
_EARLY = """#include "kernels/neureka/encode.c"
#include "kernels/neureka/host_early.c"
#include "kernels/neureka/twin.c"
"""


def _host() -> Target:
    """This computer, as if it had Siracusa's cluster with little memory; one core does the work of all."""
    chosen, other = target("host"), target("siracusa").board
    assert other.cluster is not None
    cluster = replace(other.cluster, network_bytes=_NEAR_BYTES)
    board = replace(chosen.board, memories=other.memories, cluster=cluster)
    return replace(chosen, board=board)


HOST = _host()
CHOICE: tuple[Kernel, ...] = tuple(
    kernel
    for backend in (NeurekaBackend(), PulpNnBackend(), reference())
    for kernel in backend.kernels(HOST)
)


@pytest.fixture(scope="session", params=["late", "early"])
def objects(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> KernelObjects:
    """The kernels, with a DMA and an accelerator that work as late as they may, or at once."""
    if host_compiler() is None:
        pytest.skip("no C compiler on this machine")
    folder = tmp_path_factory.mktemp("kernels")
    rooms = ["reference", "pulp_nn", "neureka", "cluster/host.c", "dma/host.c"]
    late = KernelObjects.of_repository(KERNELS, rooms, folder)
    if request.param == "late":
        return late
    early = folder / "early_engine.c"
    early.write_text(_EARLY, encoding="utf-8")
    # The room is taken from here as a whole: the linker looks behind for what is not in it alone.
    room = KernelObjects.of_repository(KERNELS, ["neureka"], folder)
    sources = [early if source.name == "engine.c" else source for source in room.sources]
    return KernelObjects(sources, [*late.includes, KERNELS.parent], folder, behind=late)


def _overlapped(graph: Graph) -> Program:
    whole = prepare(lower(graph, HOST, CHOICE), HOST, CHOICE)
    program = OverlapCalls(HOST, CHOICE).run(TileCalls(HOST, CHOICE).run(whole))
    assert any(call.engine is not None for call in program.calls)
    return program.with_buffers(tuple(_placed(program.buffers)))


def _placed(buffers: Sequence[Buffer]) -> Sequence[Buffer]:
    """Those far away one behind the other; those near stay where the pass has put them."""
    found: list[Buffer] = []
    offset = 0
    for buffer in buffers:
        if buffer.offset is not None:
            found.append(buffer)
            continue
        found.append(replace(buffer, offset=offset))
        offset += -(-buffer.size_bytes // _ALIGNMENT) * _ALIGNMENT
    return found


@pytest.mark.parametrize("name", _NETWORKS)
def test_bytes_are_the_evaluators_whenever_jobs_end(
    name: str, objects: KernelObjects, tmp_path: Path
) -> None:
    graph = _NETWORKS[name]
    model = HostModel.build(_overlapped(graph), HOST, CHOICE, objects, tmp_path)
    for seed in range(3):
        assert model.wrong_results(random_inputs(graph, seed), graph) == []


def test_a_job_that_is_not_waited_for_gives_other_bytes_if_it_ends_late(
    objects: KernelObjects, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    graph = _NETWORKS["branches"]
    program = _overlapped(graph)
    job = next(call for call in program.calls if call.name == "c")
    steps = [
        step for step in program.steps if not isinstance(step, Wait) or step.token != job.token
    ]
    (wait,) = [step for step in program.steps if isinstance(step, Wait) and step not in steps]
    assert isinstance(job, Call)
    wrong = replace(program, steps=(*steps, wait))
    model = HostModel.build(wrong, HOST, CHOICE, objects, tmp_path)
    is_late = request.node.callspec.params["objects"] == "late"
    assert bool(model.wrong_results(random_inputs(graph, 1), graph)) == is_late
