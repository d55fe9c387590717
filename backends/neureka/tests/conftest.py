from dataclasses import replace
from pathlib import Path

import pytest
from tinsmith_c.testing import KernelObjects, host_compiler
from tinsmith_lowering import Kernel
from tinsmith_neureka import NeurekaBackend
from tinsmith_pulp_nn import PulpNnBackend
from tinsmith_reference import backend as reference
from tinsmith_target import Target, target

KERNELS = Path(__file__).parents[3] / "kernels"


@pytest.fixture(scope="session")
def kernel_objects(tmp_path_factory: pytest.TempPathFactory) -> KernelObjects:
    """The plain C of the kernels, the accelerator's twin, forks of one core that does the work of all."""
    if host_compiler() is None:
        pytest.skip("no C compiler on this machine")
    folder = tmp_path_factory.mktemp("kernels")
    rooms = ["reference", "pulp_nn", "neureka", "cluster/host.c", "dma/host.c"]
    return KernelObjects.of_repository(KERNELS, rooms, folder)


@pytest.fixture(scope="session")
def host() -> Target:
    """This machine, as if it had eight cores that share calls; one of them does the work of all."""
    chosen, cluster = target("host"), target("siracusa").board.cluster
    assert cluster is not None
    return replace(chosen, board=replace(chosen.board, cluster=cluster))


@pytest.fixture(scope="session")
def kernels(host: Target) -> tuple[Kernel, ...]:
    """Those of the accelerator, then the cluster's, as the plug-in puts them."""
    backends = (NeurekaBackend(), PulpNnBackend(), reference())
    return tuple(kernel for backend in backends for kernel in backend.kernels(host))
