from pathlib import Path

import pytest
from tinsmith_c.testing import KernelObjects, host_compiler

KERNELS = Path(__file__).parents[3] / "kernels"


@pytest.fixture(scope="session")
def kernel_objects(tmp_path_factory: pytest.TempPathFactory) -> KernelObjects:
    if host_compiler() is None:
        pytest.skip("no C compiler on this machine")
    return KernelObjects.of_repository(KERNELS, ["reference"], tmp_path_factory.mktemp("kernels"))
