"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import BackendEntry, KernelFiles, Plugin, kernel_folder

from tinsmith_pulp_nn import PulpNnBackend

_KERNELS = kernel_folder(__file__, "pulp_nn")

PLUGIN = Plugin(
    "tinsmith_pulp_nn",
    backends=(
        BackendEntry(
            "pulp_nn",
            lambda setting: PulpNnBackend(),
            KernelFiles(_KERNELS / "src", (_KERNELS / "include",), "Apache-2.0"),
        ),
    ),
)
