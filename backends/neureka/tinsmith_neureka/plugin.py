"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import BackendEntry, KernelFiles, Plugin, kernel_folder

from tinsmith_neureka import NeurekaBackend

_KERNELS = kernel_folder(__file__, "neureka")

PLUGIN = Plugin(
    "tinsmith_neureka",
    backends=(
        BackendEntry(
            "neureka",
            lambda setting: NeurekaBackend(),
            KernelFiles(_KERNELS / "src", (_KERNELS / "include",), "Apache-2.0"),
            behind="pulp_nn",
        ),
    ),
)
