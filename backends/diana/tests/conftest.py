from pathlib import Path

import pytest
from tinsmith_c.testing import KernelObjects, host_compiler
from tinsmith_diana import DianaAnalogBackend, DianaDigitalBackend
from tinsmith_diana.analog import AnalogReferenceBackend
from tinsmith_lowering import Kernel
from tinsmith_reference import backend as reference
from tinsmith_target import Target, target

KERNELS = Path(__file__).parents[3] / "kernels"


@pytest.fixture(scope="session")
def kernel_objects(tmp_path_factory: pytest.TempPathFactory) -> KernelObjects:
    """The plain C of the kernels, and the accelerator's twin."""
    if host_compiler() is None:
        pytest.skip("no C compiler on this machine")
    folder = tmp_path_factory.mktemp("kernels")
    return KernelObjects.of_repository(KERNELS, ["reference", "diana"], folder)


@pytest.fixture(scope="session")
def kernels_folder() -> Path:
    """Where the C of all kernels lies."""
    return KERNELS


@pytest.fixture(scope="session")
def host() -> Target:
    """This machine."""
    return target("host")


@pytest.fixture(scope="session")
def kernels(host: Target) -> tuple[Kernel, ...]:
    """Those of the accelerator, then the reference ones."""
    backends = (DianaDigitalBackend(), reference())
    return tuple(kernel for backend in backends for kernel in backend.kernels(host))


@pytest.fixture(scope="session")
def both(host: Target) -> tuple[Kernel, ...]:
    """Those of both accelerators, then the reference ones."""
    backends = (
        DianaDigitalBackend(),
        DianaAnalogBackend(),
        AnalogReferenceBackend(),
        reference(),
    )
    return tuple(kernel for backend in backends for kernel in backend.kernels(host))


@pytest.fixture(scope="session")
def both_objects(tmp_path_factory: pytest.TempPathFactory) -> KernelObjects:
    """The accelerators' twins, and plain C of what they are not given."""
    if host_compiler() is None:
        pytest.skip("no C compiler on this machine")
    folder = tmp_path_factory.mktemp("both")
    return KernelObjects.of_repository(KERNELS, ["reference", "diana", "analog"], folder)
