"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import BackendEntry, KernelFiles, Plugin, kernel_folder

from tinsmith_cmsis_nn import backend

_KERNELS = kernel_folder(__file__, "cmsis_nn")

PLUGIN = Plugin(
    "tinsmith_cmsis_nn",
    backends=(
        BackendEntry(
            "cmsis_nn",
            lambda setting: backend(packed=setting.packed),
            KernelFiles(_KERNELS, (_KERNELS / "include", _KERNELS), "Apache-2.0"),
        ),
    ),
)
