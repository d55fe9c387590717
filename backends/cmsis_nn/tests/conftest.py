from pathlib import Path

import pytest
from tinsmith_c.testing import KernelObjects, host_compiler

KERNELS = Path(__file__).parents[3] / "kernels"


@pytest.fixture(scope="session")
def kernel_objects(tmp_path_factory: pytest.TempPathFactory) -> KernelObjects:
    if host_compiler() is None:
        pytest.skip("no C compiler on this machine")
    sources = [
        *sorted((KERNELS / "reference").glob("*.c")),
        *sorted((KERNELS / "cmsis_nn" / "src").rglob("*.c")),
    ]
    includes = [KERNELS / "include", KERNELS / "cmsis_nn" / "include", KERNELS / "cmsis_nn"]
    return KernelObjects(sources, includes, tmp_path_factory.mktemp("kernels"))
