"""What this library brings to the `tinsmith` command."""

from tinsmith_plugins import BackendEntry, KernelFiles, PassEntry, Plugin, Stage, kernel_folder

from tinsmith_diana import (
    DianaAnalogBackend,
    DianaBanks,
    DianaDigitalBackend,
    DianaPixels,
    DianaPlanes,
    DianaRows,
)
from tinsmith_diana.analog import AnalogConv2D, AnalogReferenceBackend, MapAnalog
from tinsmith_diana.analog.convolution import ACCELERATOR as ANALOG
from tinsmith_diana.fit_digital import FitDigital
from tinsmith_diana.keep_images import KeepImages
from tinsmith_diana.rules import ACCELERATOR as DIGITAL


def _files(room: str) -> KernelFiles:
    folder = kernel_folder(__file__, room)
    return KernelFiles(folder / "src", (folder / "include",), "Apache-2.0")


_SAMPLES = 16
"""Of those that are known, by which losses are measured: each is computed for each layer and gain."""

_DIANA = _files("diana")

PLUGIN = Plugin(
    "tinsmith_diana",
    operators=(AnalogConv2D,),
    layouts=(DianaRows, DianaPlanes, DianaPixels, DianaBanks),
    passes=(
        PassEntry(
            MapAnalog,
            # What it makes rounds as it needs it; sums that round down may give halves, and be the digital array's.
            after="set-rounding",
            runs=False,
            make=lambda setting: MapAnalog(
                target=setting.target, kernels=setting.kernels, samples=setting.samples[:_SAMPLES]
            ),
        ),
        # What it makes digital counts as that where the layers of the analog array are chosen; and again behind what
        # fuses ReLU with sums.
        PassEntry(FitDigital, before="map-analog", runs=False),
        PassEntry(FitDigital, Stage.FUSION, runs=False),
        PassEntry(
            KeepImages,
            # Kernels change, and so what they want prepared; tensors get their places later.
            before="prepare",
            make=lambda setting: KeepImages(setting.target, setting.kernels),
        ),
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
