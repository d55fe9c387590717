"""Decompress."""

from tinsmith_c import call
from tinsmith_ir.compression import Compression
from tinsmith_ir.operators import Decompress
from tinsmith_lowering import Emission, Layer, Scope, Signature

from tinsmith_reference.common import INT8, UINT8, kernel


def emit_decompress(layer: Layer, scope: Scope) -> Emission:
    """All of it."""
    name = _name(layer.operator_as(Decompress).compression)
    return Emission((call(name, [scope.input(0), str(layer.output.elements), scope.output]),))


def _name(compression: Compression) -> str:
    return f"tinsmith_decompress_{compression.value}"


def is_rice(layer: Layer) -> str | None:
    """It is a Rice code."""
    return _other_than(Compression.RICE, layer)


def is_lz4(layer: Layer) -> str | None:
    """It is an LZ4 block."""
    return _other_than(Compression.LZ4, layer)


def _other_than(wanted: Compression, layer: Layer) -> str | None:
    found = layer.operator_as(Decompress).compression
    return None if found is wanted else f"it is {found.value}"


KERNELS = tuple(
    kernel(
        _name(compression), Decompress, Signature((UINT8,), INT8), emit_decompress, rules=(rule,)
    )
    for compression, rule in ((Compression.RICE, is_rice), (Compression.LZ4, is_lz4))
)
