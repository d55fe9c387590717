"""What tests of backends need: a trivial placement, a host build of generated C, graphs of every operator."""

from tinsmith_c.testing.batch import HostBatch
from tinsmith_c.testing.cases import CASES, Case
from tinsmith_c.testing.host import (
    BUILT_ROOMS,
    HostModel,
    KernelObjects,
    compile_c,
    host_compiler,
    place,
)
from tinsmith_c.testing.tight import random_windows, tight_program

__all__ = [
    "BUILT_ROOMS",
    "CASES",
    "Case",
    "HostBatch",
    "HostModel",
    "KernelObjects",
    "compile_c",
    "host_compiler",
    "place",
    "random_windows",
    "tight_program",
]
