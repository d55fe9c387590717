"""Golden cases of operators that normalize rows of the last axis."""

from case_builder import Case, CaseBuilder, Kind, Shape
from tflite_builder import options

_SHAPES: tuple[Shape, ...] = ((3, 10), (2, 3, 5), (1, 2, 2, 7), (1, 120))


def log_softmax(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """LOG_SOFTMAX: from flat rows to ones that differ by more than 16."""
    if kind == "INT16":
        return None
    shape = _SHAPES[index % 4]
    source = b.input(shape, kind, b.scale((0.001, 0.02, 0.1, 1.0)[index // 4 % 4]))
    output = b.output(shape, kind, 1 / 16, 127)
    version = 1 if kind == "FLOAT32" else 2
    b.model.operator(
        "LOG_SOFTMAX", [source], [output], options("LogSoftmaxOptions"), version=version
    )
    return b.finish(output)


def l2_normalization(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """L2_NORMALIZATION of rows of several lengths."""
    if kind == "INT16":
        return None
    shape = _SHAPES[index % 4]
    source = b.input(shape, kind, b.scale(0.05))
    output = b.output(shape, kind, 1 / 128, 0)
    version = 1 if kind == "FLOAT32" else 2
    b.model.operator(
        "L2_NORMALIZATION", [source], [output], options("L2NormOptions"), version=version
    )
    return b.finish(output)
