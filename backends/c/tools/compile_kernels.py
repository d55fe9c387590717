"""All kernels in plain C as a static library under sanitizers, for the tests: `compile_kernels.py KERNELS OUTPUT`."""

import shutil
import sys
import tempfile
from pathlib import Path

from tinsmith_c.testing import BUILT_ROOMS, KernelObjects


def main(kernels: str, output: str) -> None:
    """kernels: the folder of that name. output: the library."""
    with tempfile.TemporaryDirectory() as folder:
        objects = KernelObjects.of_repository(Path(kernels), BUILT_ROOMS, Path(folder))
        shutil.copyfile(objects.archive(), output)


if __name__ == "__main__":
    main(*sys.argv[1:])
