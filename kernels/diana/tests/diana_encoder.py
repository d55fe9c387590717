"""encode.c behind ctypes: layers in, words of records out."""

import ctypes
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from diana_steps import Step

ROOM = Path(__file__).parents[1]
WORDS = 40
NOTHING = 0xA5A5A5A5

_FIELDS = [
    *("mode", "input_height", "input_width", "input_channels"),
    *("output_height", "output_width", "output_channels"),
    *("kernel_height", "kernel_width", "stride"),
    *("pad_top", "pad_bottom", "pad_width", "shift"),
]


class _Layer(ctypes.Structure):
    """tinsmith_diana_layer_t."""

    _fields_ = [
        *[(name, ctypes.c_uint32) for name in _FIELDS],
        ("is_rectified", ctypes.c_bool),
        ("gives_pixels", ctypes.c_bool),
        ("features", ctypes.c_uint32),
    ]


@dataclass(frozen=True)
class Encoder:
    """A compiled encode.c."""

    library: ctypes.CDLL

    def encode(self, layer: Step) -> tuple[int, list[int]]:
        """The status, and the words, all NOTHING before."""
        numbers = [getattr(layer, name) for name in _FIELDS]
        record = (ctypes.c_uint32 * WORDS)(*[NOTHING] * WORDS)
        flags = bool(layer.is_rectified), bool(layer.gives_pixels)
        it = _Layer(*numbers, *flags, layer.features)
        status = self.library.tinsmith_diana_digital_encode(ctypes.byref(it), ctypes.byref(record))
        return int(status), list(record)


def encoder(folder: Path) -> Encoder:
    """Compile encode.c for this machine, with checks of undefined behaviour."""
    return Encoder(compiled("encode.c", folder))


def compiled(source: str, folder: Path) -> ctypes.CDLL:
    """A file of this room, for this machine, with checks of undefined behaviour."""
    library = folder / "encode.so"
    flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-shared", "-fPIC"]
    checks = ["-fsanitize=undefined", "-fno-sanitize-recover=all"]
    compiler = os.environ.get("TINSMITH_HOST_CC", "cc")
    headers = [f"-I{ROOM.parent / 'include'}", f"-I{ROOM / 'include'}"]
    command = [compiler, *flags, *checks, *headers, str(ROOM / source)]
    done = subprocess.run(
        [*command, "-o", str(library)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(library))
