"""The way of a model, from its file to placed C; plug-ins say in which order passes run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from tinsmith_allocation import Allocation, Plan, bytes_without_scratch, plan_of
from tinsmith_ir import Graph, GraphError, ModelError, Program, UsageError, evaluate_program_frames
from tinsmith_ir.errors import DoesNotFitError, EvaluationError
from tinsmith_ir.escape import print_name, visible
from tinsmith_ir.evaluate import COMPARED_FRAMES, equal_arrays
from tinsmith_ir.graph import Array, Value
from tinsmith_ir.passes import AnyPass, BitExact, InPieces, levels
from tinsmith_ir.pieces import cut_in_pieces
from tinsmith_ir.pipeline import Pipeline, PipelineResult
from tinsmith_ir.simulate import Completion
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import check_calls, check_memories, check_near, check_prepared, prepare
from tinsmith_plugins import Setting

from tinsmith_driver.collector import collector_paused
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.decisions import PassLog, log_kernels, log_network, log_records, telling_trials
from tinsmith_driver.decompressing import in_pieces
from tinsmith_driver.fitting import fitted, shrinking_at
from tinsmith_driver.inputs import random_samples
from tinsmith_driver.memory_limits import check_reach, check_room, near_memory_bytes
from tinsmith_driver.models import Model
from tinsmith_driver.network import Network, evaluate
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.passes import chosen_passes
from tinsmith_driver.plugins import registry
from tinsmith_driver.spilling import spilled
from tinsmith_driver.targets import chosen_target

IMPORT = "import"


def show_after(model: Model, options: CompileOptions, pass_name: str | None) -> Graph | Program:
    """The IR after the (first) pass of that name; None is after all graph passes, "import" before any.

    Raises UsageError for an unknown name.
    """
    assert isinstance(model.graph, Graph)  # a Program is behind all passes, and shown as it is
    passes = passes_for(options, model.samples)
    log = PassLog(model.graph)
    if pass_name == IMPORT:
        return model.graph
    if pass_name is None:
        return Pipeline(graph_passes(passes)).run(model.graph, on_made=log.tell).ir
    names = [found.name for found in passes]
    if pass_name not in names:
        raise UsageError(
            f"unknown pass {visible(pass_name)!r}: expected one of {', '.join([IMPORT, *names])}"
        )
    return Pipeline(passes[: names.index(pass_name) + 1]).run(model.graph, on_made=log.tell).ir


def passes_for(
    options: CompileOptions, samples: Sequence[Mapping[str, Array]] = ()
) -> tuple[AnyPass, ...]:
    """The passes of a compilation, in order; raises UsageError for choices that are wrong. samples: of the network's
    inputs, for passes that look at what tensors hold.
    """
    chosen = chosen_target(options)
    kernels = registry().kernels(chosen, options.backend, packed=options.packed)
    setting = Setting(chosen, kernels, options.ram_bytes, samples)
    return chosen_passes(setting, options.all_passes, options.without)


def graph_passes(passes: Sequence[AnyPass]) -> tuple[AnyPass, ...]:
    """Those before lowering."""
    return tuple(found for found in passes if levels(found) == (Graph, Graph))


@collector_paused()
def compile_model(
    model: Model, options: CompileOptions, on_step: Callable[[str], None] = lambda _: None
) -> Compilation:
    """Passes, lowering, placement and C. on_step is told what starts.

    Raises UnsupportedError, DoesNotFitError (options.ram_bytes), or whatever a pass finds; of a plan, UsageError for
    another target than its own, ModelError for calls that their kernels do not take and for results that are wrong.
    """
    if model.program is not None:
        return _compile_plan(model, model.program, options, on_step)
    return Budgets(model, options, on_step).within(options.ram_bytes)


class Budgets:
    """A network that is compiled for one budget of RAM after another: the passes in front of the one that makes
    programs smaller run once.

    on_step is told what starts. Errors are those of `compile_model`.
    """

    @collector_paused()
    def __init__(
        self, model: Model, options: CompileOptions, on_step: Callable[[str], None] = lambda _: None
    ) -> None:
        assert isinstance(model.graph, Graph)
        self._model = model
        self._options = options
        self._on_step = on_step
        self._target = chosen_target(options)
        self._kernels = registry().kernels(self._target, options.backend, packed=options.packed)
        log_network(model.graph, model.format, self._target, self._kernels)
        self._inputs = random_inputs(model.graph, seed=0) if options.verify_passes else None
        self._made = _Made(model.graph)
        passes = passes_for(options, model.samples)
        at = shrinking_at(passes)
        self._at = _lowered_at(passes) if at is None else at
        self._begun = self._run(passes[: self._at], model.graph)
        self._inputs = _taken(self._inputs, model.graph, self._begun)

    @collector_paused()
    def within(self, ram_bytes: int | None) -> Compilation:
        """For an arena and states beside it of at most so many bytes; None is any size, and makes nothing smaller."""
        options = replace(self._options, ram_bytes=ram_bytes)
        begun, made = self._begun, self._made_within(options)
        result = PipelineResult(made.ir, (*begun.records, *made.records))
        program, chosen, kernels = result.program, self._target, self._kernels
        allocation = next(
            record.facts for record in result.records if isinstance(record.facts, Allocation)
        )
        plans = _own(program, allocation.plans)
        for plan in plans.values():
            check_reach(plan, chosen)
        check_memories(program, chosen)
        check_near(program, chosen, kernels)
        if (
            len(plans) > 1 and not options.memories
        ):  # of one alone, the planner has said it, and of what it is full
            near_bytes = near_memory_bytes(program, chosen, kernels, options)
            check_room(plans, chosen, ram_bytes, near_bytes)
        log_records(result.records)
        log_kernels(program, kernels)
        self._on_step("C")
        return Compilation(
            model=self._model,
            options=options,
            target=chosen,
            kernels=kernels,
            graph=self._made.graph,
            reference=self._made.reference,
            program=program,
            plans=plans,
            arena_without_scratch=sum(map(allocation.bytes_without_scratch, plans)),
            pass_records=result.records,
        )

    def _made_within(self, options: CompileOptions) -> PipelineResult:
        """What all passes make where states take their part of the RAM, of which passes know the arena alone."""
        ram_bytes, kept = options.ram_bytes, self._kept_bytes()
        arena = replace(options, ram_bytes=None if ram_bytes is None else max(ram_bytes - kept, 1))
        try:
            return in_pieces(
                passes_for(arena)[self._at :],
                whole=lambda told: self._run(told, self._begun.ir),
                fitted=lambda told: self._fitted(told, arena),
            )
        except DoesNotFitError as error:
            needed = error.needed_bytes
            if not kept or needed is None or error.available_bytes != arena.ram_bytes:
                raise
            raise DoesNotFitError(
                f"needed {needed + kept:,} bytes, {kept:,} of them for states, available {ram_bytes:,} bytes: {error}",
                needed_bytes=needed + kept,
                available_bytes=ram_bytes,
            ) from error

    def _kept_bytes(self) -> int:
        """What states take of the RAM in which an arena lies: all are live at all times, so in any order they take the
        same but for the padding behind the last.
        """
        program, board = self._begun.ir, self._target.board
        if not isinstance(program, Program):
            return 0
        kept = 0
        buffers = dict.fromkeys(program.buffer_of(state.view) for state in program.states)
        for memory in dict.fromkeys(buffer.memory for buffer in buffers):
            home = board.home(memory) if board.memories else None
            if home is not None and home.name != board.arena_home:
                continue
            step = program.memory[memory].alignment
            sizes = [buffer.size_bytes for buffer in buffers if buffer.memory == memory]
            kept += sum(-(-size // step) * step for size in sizes)
            kept -= max(-size % step for size in sizes)
        return kept

    def _fitted(self, passes: Sequence[AnyPass], options: CompileOptions) -> PipelineResult:
        """What the passes behind those that ran once make within the memories there are."""
        begun, is_shrinking = self._begun, shrinking_at(passes) == 0
        run = telling_trials(self._run)
        if options.memories:
            return spilled(passes, begun.ir, options.memories, run, is_shrinking=is_shrinking)
        if is_shrinking and options.ram_bytes is not None:
            # Constants are compressed anew for each plan.
            is_thorough = options.flash_bytes is None
            return fitted(passes, begun.program, options.ram_bytes, run, is_thorough=is_thorough)
        return self._run(passes, begun.ir)

    def _run(self, passes: Sequence[AnyPass], ir: Graph | Program) -> PipelineResult:
        log = PassLog(ir)

        def keep(pass_: AnyPass, made: Graph | Program) -> None:
            self._made.keep(pass_, made)
            log.tell(pass_, made)

        return Pipeline(passes, (self._are_prepared,)).run(
            ir,
            verify_inputs=self._inputs,
            on_start=lambda found: self._on_step(found.name),
            on_made=keep,
        )

    def _are_prepared(self, ir: Graph | Program) -> None:
        if isinstance(ir, Program):
            check_prepared(ir, self._target, self._kernels)


def _lowered_at(passes: Sequence[AnyPass]) -> int:
    """Where the first pass on Programs stands: in front of it is what no budget changes."""
    return next((at for at, found in enumerate(passes) if levels(found)[0] is Program), 0)


def _taken(
    inputs: Mapping[str, Array] | None, graph: Graph, begun: PipelineResult
) -> Mapping[str, Array] | None:
    """What of the inputs of a network a run takes behind passes: the first piece, if they come in pieces."""
    if inputs is None or not any(isinstance(made.contract, InPieces) for made in begun.records):
        return inputs
    made = begun.ir
    pieces = (
        made.inputs
        if isinstance(made, Graph)
        else [Value(name, made.type_of(name)) for name in made.inputs]
    )
    return cut_in_pieces(graph.inputs, pieces, inputs)[0]


def _own(program: Program, plans: Mapping[str, Plan]) -> Mapping[str, Plan]:
    """Those of memories that are not the caller's, and not of constants alone."""
    own = [memory.name for memory in program.planned_memories if not memory.is_caller]
    return {name: plan for name, plan in plans.items() if name in own}


def _compile_plan(
    model: Model, program: Program, options: CompileOptions, on_step: Callable[[str], None]
) -> Compilation:
    """A program as it stands: no pass runs, but all that passes are held to is checked.

    One whose calls name nothing that their kernels read is given it, as no person could write it down.
    """
    if options.target != program.target:
        raise UsageError(
            f"{model.path}: the plan is for target {visible(program.target)}, got --target {options.target}"
        )
    if options.passes or options.without:
        raise UsageError(
            f"{model.path}: a plan is behind all passes, so there is no --pass and --without"
        )
    chosen = chosen_target(options)
    kernels = registry().kernels(chosen, options.backend, packed=options.packed)
    if options.io != "arena":
        raise UsageError(
            f"{model.path}: a plan says where its inputs and outputs lie, so there is no --io"
        )
    if options.memories:
        raise UsageError(
            f"{model.path}: a plan says where its buffers lie, so --ram takes the bytes of one memory"
        )
    on_step("checking the plan")
    memories = [memory.name for memory in program.planned_memories if not memory.is_caller]
    try:
        if not any(call.reads for call in program.calls):
            program = prepare(program, chosen, kernels)
        check_calls(program, chosen, kernels)
        _check_results(model.graph, program)
        plans = {memory: plan_of(program, memory) for memory in memories}
        without_scratch = [bytes_without_scratch(program, memory) for memory in memories]
    except (GraphError, EvaluationError) as error:
        raise ModelError(f"{model.path}: {error}") from error
    for plan in plans.values():
        check_reach(plan, chosen)
    check_memories(program, chosen)
    check_near(program, chosen, kernels)
    near_bytes = near_memory_bytes(program, chosen, kernels, options)
    check_room(plans, chosen, options.ram_bytes, near_bytes)
    log_kernels(program, kernels)
    on_step("C")
    return Compilation(
        model=model,
        options=options,
        target=chosen,
        kernels=kernels,
        graph=model.graph,
        reference=model.graph,
        program=program,
        plans=plans,
        arena_without_scratch=sum(without_scratch),
        pass_records=(),
    )


def _check_results(graph: Network, program: Program) -> None:
    """Raise GraphError or EvaluationError if memory does not hold what the calls say, however late engines are."""
    samples = random_samples(graph, COMPARED_FRAMES if program.states else 1)
    wanted = [*evaluate(graph, samples.frames)]
    completions: tuple[Completion, ...] = ("latest", "earliest") if program.engines else ("latest",)
    for completion in completions:
        got = evaluate_program_frames(program, samples.frames, completion=completion)
        for expected, found in zip(wanted, got, strict=True):
            for name, array in expected.items():
                if not equal_arrays(array, found[name]):
                    raise GraphError(
                        f"output {print_name(name)} is not what the calls say: a result is overwritten "
                        "before it is read"
                    )


class _Made:
    """The graphs that later steps ask for, of all that passes make.

    graph: the last. reference: what results must equal, after the last pass that is not bit-exact.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.reference = graph

    def keep(self, pass_: AnyPass, ir: Graph | Program) -> None:
        if isinstance(ir, Graph):
            self.graph = ir
            if not isinstance(pass_.contract, BitExact):
                self.reference = ir
