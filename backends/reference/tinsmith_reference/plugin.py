"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import BackendEntry, KernelFiles, Plugin, kernel_folder

from tinsmith_reference import backend

PLUGIN = Plugin(
    "tinsmith_reference",
    backends=(
        BackendEntry(
            "reference",
            lambda _: backend(),
            KernelFiles(
                kernel_folder(__file__, "reference"),
                (kernel_folder(__file__, "include"),),
                "Apache-2.0",
            ),
            serves_all=True,
        ),
    ),
)
