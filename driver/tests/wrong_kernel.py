"""A plug-in whose kernel of Neg is wrong from the 13th element on, and refuses a tensor of 3 dimensions."""

from dataclasses import dataclass
from pathlib import Path

from tinsmith_c import call
from tinsmith_ir import DType
from tinsmith_ir.operators import Neg
from tinsmith_lowering import Emission, Kernel, Layer, Scope, Signature
from tinsmith_plugins import BackendEntry, KernelFiles, Plugin
from tinsmith_target import Target

FOLDER = Path(__file__).with_name("wrong_kernels")


def _emit(layer: Layer, scope: Scope) -> Emission:
    if len(layer.output.shape) == 3:
        raise IndexError(f"no axis {len(layer.output.shape)} in {layer.name}")
    arguments = [str(layer.output.elements), scope.input(0), scope.output]
    return Emission((call("wrong_neg_f32", arguments),))


_KERNELS = (
    Kernel(
        name="wrong_neg_f32",
        backend="wrong",
        operator=Neg,
        signature=Signature((DType.FLOAT32,), DType.FLOAT32),
        headers=("wrong_kernel.h",),
        emit=_emit,
    ),
)


@dataclass(frozen=True)
class WrongBackend:
    """The same kernel for every target."""

    name: str = "wrong"

    def kernels(self, target: Target) -> tuple[Kernel, ...]:
        """The only one."""
        del target
        return _KERNELS


PLUGIN = Plugin(
    "wrong_kernel",
    backends=(BackendEntry("wrong", lambda _: WrongBackend(), KernelFiles(FOLDER, (FOLDER,))),),
)
