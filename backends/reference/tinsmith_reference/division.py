"""FloorDiv and FloorMod, with broadcasting."""

from tinsmith_ir.operators import FloorDiv, FloorMod
from tinsmith_lowering import Signature, elementwise_walk

from tinsmith_reference.common import FLOAT32, INT32, INT64, SUFFIX, kernel
from tinsmith_reference.elementwise import emit_without_parameters, rank_fits

KERNELS = tuple(
    kernel(
        f"tinsmith_{operator.mnemonic}_{SUFFIX[dtype]}",
        operator,
        Signature((dtype, dtype), dtype),
        emit_without_parameters,
        (rank_fits,),
        walk=elementwise_walk,
    )
    for operator in (FloorDiv, FloorMod)
    for dtype in (INT32, INT64, FLOAT32)
)
