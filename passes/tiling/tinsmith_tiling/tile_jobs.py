"""The program pass: calls of accelerators whose tensors do not fit their scratchpad, in tiles that do."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import DoesNotFitError, UsageError
from tinsmith_ir.escape import visible
from tinsmith_ir.hazards import step_names, without_unused
from tinsmith_ir.names import FreshNames
from tinsmith_ir.passes import BIT_EXACT, Contract, Outcome
from tinsmith_ir.program import Call, Engine, Memory, Program, Step
from tinsmith_lowering import Cuts, Kernel, find_kernel, layer_of_call, touched_bytes
from tinsmith_target import Scratchpad, Target

from tinsmith_tiling.job_choice import Choice, Rule, choose
from tinsmith_tiling.job_steps import JobSteps
from tinsmith_tiling.job_tiles import JobCutter, JobWay


@dataclass(frozen=True)
class CutLayer(Checked):
    """A call that was cut. way: in words. tiles: how many. cycles: by the model. is_proven: no way is better."""

    name: str
    way: str
    tiles: int
    cycles: int
    is_proven: bool


@dataclass(frozen=True)
class TileJobs(Checked):
    """Cut the calls of accelerators that `use-scratchpad` has left with their tensors afar, since these do not fit the
    scratchpad together: operands of a tile come there, its jobs run, its result goes.

    kernels: at least those that the program was lowered with, and those of their tiles. tiles: which; `cost` takes
    those of fewest cycles by the kernels' costs and what copies take, and finds operands in the scratchpad that the
    tile before read, too; for comparison, `htvm` takes those that HTVM's weights prefer, and `largest` those of most
    bytes, and both copy operands anew for each tile.
    """

    target: Target
    kernels: Sequence[Kernel]
    tiles: str = Rule.COST.value

    name: ClassVar[str] = "tile-jobs"
    # Parts of operators compute what the whole does.
    contract: ClassVar[Contract] = BIT_EXACT

    def __post_init__(self) -> None:
        """Raise UsageError for tiles that are none of the rules."""
        super().__post_init__()
        names = [rule.value for rule in Rule]
        if self.tiles not in names:
            raise UsageError(
                f"{self.name}: expected tiles of {', '.join(names)}, got {visible(self.tiles)}"
            )

    def run(self, program: Program) -> Program:
        """The program whose accelerators compute from their scratchpad; see `run_in_detail`."""
        return self.run_in_detail(program).ir

    @checked
    def run_in_detail(self, program: Program) -> Outcome[Program]:
        """The program, with a `CutLayer` for each call that was cut as facts; the same object if there is none.

        program: as `use-scratchpad` makes it. Raises DoesNotFitError for a call no tile of which fits.
        """
        scratchpad = self.target.board.scratchpad
        large = {} if scratchpad is None else dict(self._large(program, scratchpad))
        if scratchpad is None or not large:
            return Outcome(program)
        near, copies = program.memory[scratchpad.memory], _copies(program, scratchpad.memory)
        names = {*program.buffer, *program.view, *program.constant, *program.table}
        fresh = FreshNames({*names, *(call.name for call in program.calls)})
        making = JobSteps(program, near.name, copies.name, fresh.name)
        facts: list[CutLayer] = []
        steps: list[Step] = []
        for step in program.steps:
            if not isinstance(step, Call) or step.name not in large:
                steps.append(step)
                continue
            choice = self._choice(program, step, large[step.name], scratchpad, near, copies)
            steps += making.of(step, choice)
            facts.append(_facts(step, choice))
        made = making.made
        program = replace(
            program,
            buffers=(*program.buffers, *made.buffers),
            views=(*program.views, *made.views),
            constants=(*program.constants, *made.constants.values()),
            steps=tuple(steps),
        )
        program = replace(program, engines=(*_reaching(program, scratchpad.memory),))
        program = self._sized(without_unused(program), made.far_ends)
        is_proven = all(each.is_proven for each in facts)
        return Outcome(program, facts=tuple(facts), found_by=self.tiles, is_proven=is_proven)

    def _sized(self, program: Program, far_ends: Mapping[str, int]) -> Program:
        """Without room behind tensors afar that only tiles' kernels wrote, which do so in the scratchpad. far_ends: by
        buffer, one behind the last byte that copies of tiles touch.
        """
        touched = touched_bytes(program, far_ends.keys(), self.target, self.kernels)
        buffers = (
            replace(each, size_bytes=max(touched[each.name], far_ends[each.name]))
            if each.name in far_ends
            else each
            for each in program.buffers
        )
        return replace(program, buffers=tuple(buffers))

    def _large(self, program: Program, scratchpad: Scratchpad) -> Iterator[tuple[str, Cuts]]:
        """Calls by name that have tensors elsewhere than their kernel reads and writes them, and how they are cut."""
        for call in program.calls:
            if call.engine is None:
                continue
            layer = layer_of_call(program, call, self.target)
            kernel = find_kernel(call.kernel, layer, self.kernels)
            is_own = kernel.beside is not None and kernel.beside.copies
            is_near = _memories(program, call) <= {scratchpad.memory}
            if kernel.accelerator not in scratchpad.accelerators or is_own or is_near:
                continue
            cuts = kernel.cuts(layer)
            if cuts is not None:
                yield call.name, cuts

    def _choice(
        self,
        program: Program,
        call: Call,
        cuts: Cuts,
        scratchpad: Scratchpad,
        near: Memory,
        copies: Engine,
    ) -> Choice:
        rule = Rule(self.tiles)
        room = near.size_bytes or 0
        cutter = JobCutter(program, call, cuts, self.target, self.kernels, scratchpad, copies)
        ways = [*cutter.ways(room, keeps=rule is Rule.COST)]

        def weigh(way: JobWay) -> int:
            return cuts.weigh(way.tiles[0].layer)

        found = choose(ways, room, rule, weigh)
        if found is not None:
            return replace(found, way=cutter.exact(found.way))
        least = min((way.bytes for way in ways), default=None)
        needs = "it cannot be cut" if least is None else f"its smallest tiles take {least:,}"
        raise DoesNotFitError(
            f"layer {visible(call.name)} does not fit into the {room:,} bytes of {near.name}: {needs}",
            needed_bytes=least,
            available_bytes=room,
        )


def _memories(program: Program, call: Call) -> set[str]:
    """Where a call's tensors lie."""
    reads, writes = step_names(call)
    views = (program.view.get(name) for name in (*reads, *writes))
    return {program.buffer[view.buffer].memory for view in views if view is not None}


def _copies(program: Program, memory: str) -> Engine:
    """The engine that copies to and from the scratchpad, and computes nothing."""
    computing = {call.engine for call in program.calls}
    return next(
        engine
        for engine in program.engines
        if memory in engine.reaches and engine.name not in computing
    )


def _reaching(program: Program, memory: str) -> Iterator[Engine]:
    """Engines of calls reach nothing any more that none of their calls touches."""
    for engine in program.engines:
        mine = [call for call in program.calls if call.engine == engine.name]
        read = (program.written_constant(name) for call in mine for name in call.reads)
        wanted = {memory, *(found.memory for found in read if found is not None)}
        wanted |= {found for call in mine for found in _memories(program, call)}
        kept = tuple(name for name in engine.reaches if name in wanted)
        yield replace(engine, reaches=kept) if mine else engine


def _facts(call: Call, choice: Choice) -> CutLayer:
    way = choice.way
    return CutLayer(call.name, way.label, len(way.tiles), way.cycles, choice.is_proven)
