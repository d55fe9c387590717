"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import BackendEntry, KernelFiles, PassEntry, Plugin, Stage, kernel_folder

from tinsmith_diana import (
    DianaAnalogBackend,
    DianaDigitalBackend,
    DianaPixels,
    DianaPlanes,
    DianaRows,
)
from tinsmith_diana.analog import AnalogConv2D, AnalogReferenceBackend, MapAnalog
from tinsmith_diana.analog.convolution import ACCELERATOR as ANALOG
from tinsmith_diana.fit_digital import FitDigital
from tinsmith_diana.rules import ACCELERATOR as DIGITAL


def _files(room: str) -> KernelFiles:
    folder = kernel_folder(__file__, room)
    return KernelFiles(folder / "src", (folder / "include",))


_DIANA = _files("diana")

PLUGIN = Plugin(
    "tinsmith_diana",
    operators=(AnalogConv2D,),
    layouts=(DianaRows, DianaPlanes, DianaPixels),
    passes=(
        PassEntry(
            MapAnalog,
            # What it makes rounds as it needs it; sums that round down may give halves, and be the digital array's.
            after="set-rounding",
            runs=False,
            make=lambda setting: MapAnalog(target=setting.target, kernels=setting.kernels),
        ),
        PassEntry(FitDigital, Stage.FUSION, runs=False),
    ),
    backends=(
        BackendEntry(
            "diana_digital",
            lambda setting: DianaDigitalBackend(),
            _DIANA,
            behind="pulp_nn",
            accelerator=DIGITAL,
        ),
        BackendEntry(
            "diana_analog",
            lambda setting: DianaAnalogBackend(),
            _DIANA,
            behind="pulp_nn",
            accelerator=ANALOG,
        ),
        BackendEntry(
            "analog_reference",
            lambda setting: AnalogReferenceBackend(),
            _files("analog"),
            serves_all=True,
        ),
    ),
)
