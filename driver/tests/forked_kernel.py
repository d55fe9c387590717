"""A plug-in whose kernel of Neg shares its work among the cores of a cluster."""

from dataclasses import dataclass
from pathlib import Path

from tinsmith_c import call
from tinsmith_ir import DType
from tinsmith_ir.operators import Neg
from tinsmith_lowering import Emission, Kernel, Layer, Scope, Signature
from tinsmith_plugins import BackendEntry, KernelFiles, Plugin
from tinsmith_target import Target

FOLDER = Path(__file__).with_name("forked_kernels")
# Where one core does the work of all.
_CORES_WITHOUT_A_CLUSTER = 4


@dataclass(frozen=True)
class ForkedBackend:
    """The same kernel for every target, for as many cores as its cluster has."""

    name: str = "forked"

    def kernels(self, target: Target) -> tuple[Kernel, ...]:
        """The only one."""
        cluster = target.board.cluster
        cores = _CORES_WITHOUT_A_CLUSTER if cluster is None else cluster.cores

        def emit(layer: Layer, scope: Scope) -> Emission:
            arguments = [f"{cores}u", f"{layer.output.elements}u", scope.input(0), scope.output]
            return Emission((call("forked_neg_f32", arguments),))

        return (
            Kernel(
                name="forked_neg_f32",
                backend="forked",
                operator=Neg,
                signature=Signature((DType.FLOAT32,), DType.FLOAT32),
                headers=("forked_kernel.h", "tinsmith/cluster.h"),
                emit=emit,
            ),
        )


PLUGIN = Plugin(
    "forked_kernel",
    backends=(BackendEntry("forked", lambda _: ForkedBackend(), KernelFiles(FOLDER, (FOLDER,))),),
)
