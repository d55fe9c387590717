"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import BackendEntry, KernelFiles, Plugin, kernel_folder

from tinsmith_diana import DianaDigitalBackend, DianaRows
from tinsmith_diana.rules import ACCELERATOR

_KERNELS = kernel_folder(__file__, "diana")

PLUGIN = Plugin(
    "tinsmith_diana",
    layouts=(DianaRows,),
    backends=(
        BackendEntry(
            "diana_digital",
            lambda setting: DianaDigitalBackend(),
            KernelFiles(_KERNELS / "src", (_KERNELS / "include",)),
            behind="pulp_nn",
            accelerator=ACCELERATOR,
        ),
    ),
)
