"""Where the weights of a job lie: in the memory beside the accelerator, which reads them there while it computes, or in
the cluster's, where they are brought first.

The memory beside it is coupled with MRAM, which keeps its content without power [arXiv 2312.14750]: a program's weights
are there before it starts. Its address is that of pulp-nnx.
"""

from tinsmith_lowering import Choice, Layer

MEMORY = "weights"
"""The name of the memory among those of a board."""

_WEIGHTS, _BESIDE, _NEAR = "weights", "beside", "near"


def weight_choices(layer: Layer) -> tuple[Choice, ...]:
    """Beside the accelerator, where the board has that memory or this computer's twin takes any for it; or near."""
    values = (_BESIDE, _NEAR) if _has_memory(layer) else (_NEAR,)
    return (Choice(_WEIGHTS, values, values[0]),)


def are_beside(layer: Layer) -> bool:
    """Whether the weights lie in the memory beside the accelerator; by default, while a kernel is being chosen."""
    if not layer.options:
        return _has_memory(layer)
    return layer.option(_WEIGHTS) == _BESIDE


def _has_memory(layer: Layer) -> bool:
    board = layer.target.board
    return board.architecture == "host" or any(memory.name == MEMORY for memory in board.memories)
