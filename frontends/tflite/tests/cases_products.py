"""Golden cases of BATCH_MATMUL."""

from case_builder import Case, CaseBuilder, Kind, Shape
from tflite_builder import options

_BATCHES: tuple[tuple[Shape, Shape], ...] = (
    ((), ()),
    ((2,), (2,)),
    ((3,), (1,)),
    ((2, 1), (1, 3)),
    ((), (2,)),
    ((2, 2), ()),
)


def batch_matmul(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """Batches that broadcast, each operand as it is or transposed."""
    lhs_batch, rhs_batch = _BATCHES[index % 6]
    rows, depth, columns = (int(size) for size in b.random.randint(1, 9, 3))
    adj_x, adj_y = index // 2 % 2 == 1, index // 3 % 2 == 1
    if adj_x and not adj_y:
        # TFLite 2.14 reads beyond its memory where batches then broadcast.
        lhs_batch = rhs_batch = max(lhs_batch, rhs_batch)
    lhs: Shape = (*lhs_batch, *((depth, rows) if adj_x else (rows, depth)))
    rhs: Shape = (*rhs_batch, *((columns, depth) if adj_y else (depth, columns)))
    batch = [1] * max(len(lhs_batch), len(rhs_batch))
    for part in (lhs_batch, rhs_batch):
        for at, size in enumerate(reversed(part), 1):
            batch[-at] = max(batch[-at], size)
    near = 0.05 if kind == "INT8" else 0.0002
    scales = b.scale(near), b.scale(near)
    spread = 60 if kind == "INT8" else 15000
    result = b.scale(scales[0] * scales[1] * spread * float(depth) ** 0.5)
    operands = [b.input(lhs, kind, scales[0]), b.input(rhs, kind, scales[1])]
    output = b.output((*batch, rows, columns), kind, result)
    chosen = options("BatchMatMulOptions", AdjX=adj_x, AdjY=adj_y)
    version = {"FLOAT32": 1, "INT8": 2, "INT16": 3}[kind]
    b.model.operator("BATCH_MATMUL", operands, [output], chosen, version=version)
    return b.finish(output)
