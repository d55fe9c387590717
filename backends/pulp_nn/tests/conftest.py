from pathlib import Path

import pytest
from tinsmith_c.testing import KernelObjects, host_compiler

KERNELS = Path(__file__).parents[3] / "kernels"


@pytest.fixture(scope="session")
def kernel_objects(tmp_path_factory: pytest.TempPathFactory) -> KernelObjects:
    """The plain C of the kernels, forks of one core that does the work of all, and a DMA that ends copies late."""
    if host_compiler() is None:
        pytest.skip("no C compiler on this machine")
    folder = tmp_path_factory.mktemp("kernels")
    rooms = ["reference", "pulp_nn", "cluster/host.c", "dma/host.c"]
    return KernelObjects.of_repository(KERNELS, rooms, folder)
