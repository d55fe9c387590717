"""encode.c behind ctypes: layers in, words of jobs out."""

import ctypes
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOM = Path(__file__).parents[1]
_UPPER = 32

_SIZES = [
    *("mode", "input_height", "input_width", "input_channels"),
    *("output_height", "output_width", "output_channels"),
    *("input_row_bytes", "input_pixel_bytes", "output_row_bytes", "output_pixel_bytes"),
    *("pad_top", "pad_right", "pad_bottom", "pad_left"),
]


class Places(ctypes.Structure):
    """tinsmith_neureka_places_t; its addresses are only looked at."""

    _fields_ = [
        (name, ctypes.c_void_p) for name in ("input", "weights", "scales", "biases", "output")
    ]


class Layer(ctypes.Structure):
    """tinsmith_neureka_layer_t."""

    _fields_ = [
        *[(name, ctypes.c_uint32) for name in _SIZES],
        ("pad_value", ctypes.c_int32),
        ("input_is_signed", ctypes.c_bool),
        ("weight_bits", ctypes.c_uint32),
        ("weight_offset", ctypes.c_int32),
        ("in_weight_memory", ctypes.c_bool),
        ("prefetches", ctypes.c_bool),
        ("scale_bits", ctypes.c_uint32),
        ("shift", ctypes.c_uint32),
        ("is_rectified", ctypes.c_bool),
        ("output_bits", ctypes.c_uint32),
        ("places", Places),
    ]


class Job(ctypes.Structure):
    """tinsmith_neureka_job_t of computers whose addresses have 64 bits."""

    _fields_ = [("words", ctypes.c_uint32 * 24), ("upper", ctypes.c_uint32 * 6)]


@dataclass(frozen=True)
class Encoder:
    """The two functions of a compiled encode.c."""

    library: ctypes.CDLL

    def encode(self, layer: Layer, job: Job) -> int:
        """The status."""
        return int(self.library.tinsmith_neureka_encode(ctypes.byref(layer), ctypes.byref(job)))

    def place(self, job: Job, places: Places) -> None:
        self.library.tinsmith_neureka_place(ctypes.byref(job), ctypes.byref(places))


def encoder(folder: Path) -> Encoder:
    """Compile encode.c for this machine, with checks of undefined behaviour."""
    library = folder / "encode.so"
    flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-shared", "-fPIC"]
    checks = ["-fsanitize=undefined", "-fno-sanitize-recover=all"]
    compiler = os.environ.get("TINSMITH_HOST_CC", "cc")
    command = [compiler, *flags, *checks, f"-I{ROOM.parent / 'include'}", str(ROOM / "encode.c")]
    done = subprocess.run(
        [*command, "-o", str(library)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return Encoder(ctypes.CDLL(str(library)))


def words_of(job: Job) -> list[int]:
    return list(job.words)


def addresses_of(job: Job) -> list[int]:
    """Of weights, input, output, scales, shifts and biases."""
    return [
        low | high << _UPPER for low, high in zip(list(job.words)[:6], list(job.upper), strict=True)
    ]
