"""From which step to which the bytes of each buffer are needed."""

from tinsmith_ir.hazards import step_names
from tinsmith_ir.program import Call, Copy, Fill, Program, Wait

BEFORE_FIRST_STEP = -1
"""The step in front of all, in which the caller writes inputs; that behind all has the number of steps."""


def lifetimes(program: Program) -> dict[str, tuple[int, int]]:
    """Name of a buffer -> the first and the last step that need its bytes; without those that no step uses.

    program: without loops (`unrolled`). Inputs are needed from before the first step, outputs until after the last,
    states both, what an engine reads and writes at least until it is waited for.
    """
    lives: dict[str, tuple[int, int]] = {}

    def use(name: str, step: int) -> None:
        if name in program.view:
            buffer = program.view[name].buffer
            first, last = lives.get(buffer, (step, step))
            lives[buffer] = min(first, step), max(last, step)

    states = [state.view for state in program.states]
    for name in (*program.inputs, *states):
        use(name, BEFORE_FIRST_STEP)
    started: dict[int, tuple[str, ...]] = {}
    for index, step in enumerate(program.steps):
        if isinstance(step, Wait):
            names = started.pop(step.token.value({}), ())
        else:
            assert isinstance(step, Call | Copy | Fill)  # unrolled
            reads, writes = step_names(step)
            names = (*reads, *writes)
            if not isinstance(step, Fill) and step.token is not None:
                started[step.token.value({})] = names
        for name in names:
            use(name, index)
    for names in started.values():
        for name in names:
            use(name, len(program.steps))
    for name in (*states, *program.outputs):
        use(name, len(program.steps))
    return lives
