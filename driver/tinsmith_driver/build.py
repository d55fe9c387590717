"""From a compilation to firmware: the generated C, the kernels it calls, and the test harness."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tinsmith_toolchains import Firmware, build_firmware, temporary_folder

from tinsmith_driver.compilation import Compilation
from tinsmith_driver.kernel_sources import (
    kernel_defines,
    kernel_include_directories,
    kernel_sources,
    needs_cluster,
)


@dataclass(frozen=True, eq=False)
class Build:
    """A program and the sizes of the product in it, in bytes, without the harness.

    weights: constants of the network; rodata: other constants.
    """

    firmware: Firmware

    @property
    def toolchain(self) -> str:
        """Compiler and version."""
        return self.firmware.compiler

    @property
    def weights(self) -> int:
        """Constants of the network: weights, biases, multipliers."""
        return self.firmware.sections.weights

    @property
    def code(self) -> int:
        """Machine code, and the initial values of data, which lie in flash, too."""
        return self.firmware.sections.code + self.firmware.sections.data

    @property
    def rodata(self) -> int:
        """Constants that are not weights."""
        return self.firmware.sections.rodata

    @property
    def data_bss(self) -> int:
        """Static RAM beside the arena."""
        return self.firmware.sections.data + self.firmware.sections.bss


@contextmanager
def built(
    compilation: Compilation, *, layer_hook: bool = False, engines_early: bool = False
) -> Generator[Build]:
    """Build firmware in a temporary folder that is gone afterwards.

    layer_hook: let the model report each layer, for counts and outputs by layer. engines_early: as of `kernel_sources`.
    """
    with temporary_folder("tinsmith-build-") as directory:
        yield build(compilation, directory, layer_hook=layer_hook, engines_early=engines_early)


def build(
    compilation: Compilation,
    directory: Path,
    *,
    layer_hook: bool = False,
    engines_early: bool = False,
) -> Build:
    """Build firmware in `directory`. Raises what `tinsmith_toolchains.build_firmware` does."""
    sources = _write_sources(compilation, directory)
    harness = directory / "harness_model.c"
    harness.write_bytes(compilation.harness)
    firmware = build_firmware(
        compilation.target,
        [*sources, *kernel_sources(compilation, engines_early=engines_early)],
        harness=[harness],
        include_directories=[directory, *kernel_include_directories()],
        output_directory=directory,
        define_files=kernel_defines(compilation),
        optimize=compilation.options.optimize,
        compiler=compilation.options.compiler,
        sanitize=compilation.options.sanitize,
        layer_hook=layer_hook,
        cluster=needs_cluster(compilation),
    )
    return Build(firmware)


def _write_sources(compilation: Compilation, directory: Path) -> Sequence[Path]:
    """Write the product; returns its C files."""
    for name, data in compilation.files.items():
        (directory / name).write_bytes(data)
    return [directory / name for name in compilation.files if name.endswith(".c")]
