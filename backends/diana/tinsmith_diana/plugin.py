"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import BackendEntry, KernelFiles, PassEntry, Plugin, Stage, kernel_folder

from tinsmith_diana import DianaAnalogBackend, DianaDigitalBackend, DianaPixels, DianaRows
from tinsmith_diana.analog import AnalogConv2D, AnalogReferenceBackend, MapAnalog
from tinsmith_diana.analog.convolution import ACCELERATOR as ANALOG
from tinsmith_diana.rules import ACCELERATOR as DIGITAL

_KERNELS = kernel_folder(__file__, "diana")
_ANALOG = kernel_folder(__file__, "analog")

PLUGIN = Plugin(
    "tinsmith_diana",
    operators=(AnalogConv2D,),
    layouts=(DianaRows, DianaPixels),
    passes=(PassEntry(MapAnalog, Stage.NUMERICS, runs=False),),
    backends=(
        BackendEntry(
            "diana_digital",
            lambda setting: DianaDigitalBackend(),
            KernelFiles(_KERNELS / "src", (_KERNELS / "include",)),
            behind="pulp_nn",
            accelerator=DIGITAL,
        ),
        BackendEntry(
            "diana_analog",
            lambda setting: DianaAnalogBackend(),
            KernelFiles(_KERNELS / "src", (_KERNELS / "include",)),
            behind="pulp_nn",
            accelerator=ANALOG,
        ),
        BackendEntry(
            "analog_reference",
            lambda setting: AnalogReferenceBackend(),
            KernelFiles(_ANALOG / "src", (_ANALOG / "include",)),
            serves_all=True,
        ),
    ),
)
