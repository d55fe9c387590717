from pathlib import Path

import pytest
from tinsmith_c.testing import KernelObjects

KERNELS = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def kernel_objects(tmp_path_factory: pytest.TempPathFactory) -> KernelObjects:
    folder = tmp_path_factory.mktemp("kernels")
    return KernelObjects.of_repository(KERNELS, ["reference", "cmsis_nn"], folder)
