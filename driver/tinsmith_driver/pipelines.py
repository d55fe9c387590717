"""The way of a model, from its file to placed C; plug-ins say in which order passes run."""

import hashlib
import time
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

from tinsmith_allocation import (
    Allocation,
    Plan,
    Status,
    bytes_without_scratch,
    moved_bytes,
    plan_of,
)
from tinsmith_c import WriteOptions, write, write_harness_model
from tinsmith_ir import (
    Graph,
    GraphError,
    ModelError,
    Program,
    UsageError,
    evaluate_program_frames,
)
from tinsmith_ir.errors import DoesNotFitError, EvaluationError
from tinsmith_ir.escape import print_name, visible
from tinsmith_ir.evaluate import COMPARED_FRAMES, equal_arrays
from tinsmith_ir.files import read_file
from tinsmith_ir.graph import Array, Value
from tinsmith_ir.passes import BIT_EXACT, AnyPass, BitExact, InPieces, PassRecord, levels
from tinsmith_ir.pieces import cut_in_pieces
from tinsmith_ir.pipeline import Pipeline, PipelineResult
from tinsmith_ir.simulate import Completion
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import (
    Kernel,
    check_calls,
    check_memories,
    check_near,
    check_prepared,
    prepare,
)
from tinsmith_plugins import TOGETHER, ImportChoices, Importer, ModelSource, Setting
from tinsmith_target import Target

from tinsmith_driver.collector import collector_paused
from tinsmith_driver.decisions import PassLog, log_kernels, log_network, log_records, telling_trials
from tinsmith_driver.decompressing import in_pieces
from tinsmith_driver.fitting import fitted, shrinking_at
from tinsmith_driver.inputs import random_samples
from tinsmith_driver.network import Network, evaluate
from tinsmith_driver.options import CompileOptions, c_name
from tinsmith_driver.passes import chosen_passes
from tinsmith_driver.plugins import registry
from tinsmith_driver.spilling import spilled
from tinsmith_driver.targets import called_kernels, chosen_target, runs_on_cluster
from tinsmith_driver.text_files import (
    TEXT_SUFFIX,
    graph_from_text,
    is_program,
    is_text,
    network_of_program,
    placed_program_from_text,
)

_Result = TypeVar("_Result")
_Facts = TypeVar("_Facts")

IMPORT = "import"
TEXT_FORMAT = "tsm"
_LARGEST_TEXT_BYTES = 2**31 - 1

# Importers come as plug-ins; of those that are absent nobody else can say what to install.
_IMPORTING_PACKAGES = {
    ".onnx": "tinsmith-onnx",
    ".pt2": "tinsmith-torch",
    ".tflite": "tinsmith-tflite",
}


def tool_version() -> str:
    """The version of the installed driver, or of this checkout."""
    try:
        return version("tinsmith-driver")
    except PackageNotFoundError:
        project = Path(__file__).parents[1] / "pyproject.toml"
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])


@dataclass(frozen=True, eq=False)
class Model:
    """A model file as read: its graph before any pass, and where it came from.

    warnings: what the importer thinks a user should know. file_shapes: of inputs and outputs whose axes have another
    order in the file, channels first, by name. program: of a file that holds a plan, which is compiled as
    it stands; `graph` is what it computes. real: the float network that a graph of integers stands for, whose samples
    it is given, with the same names; choices: how it was quantized, as options; of what a command has quantized.
    samples: of that, what it was calibrated with, as integers by the names of inputs.
    """

    path: Path
    format: str
    sha256: str
    graph: Network
    warnings: tuple[str, ...] = ()
    file_shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    program: Program | None = None
    real: Graph | None = None
    choices: tuple[str, ...] = ()
    samples: Sequence[Mapping[str, Array]] = ()


@dataclass(frozen=True, eq=False)
class Compilation:
    """All that compiling made.

    graph: after the graph passes; reference: what results must equal bit by bit, the graph after
    the last pass that may change them; program: placed. plans: of each of its memories, by name;
    arena_without_scratch: of all of them without the kernels' scratch, in bytes. pass_records: of all but the
    writing of C.
    """

    model: Model
    options: CompileOptions
    target: Target
    kernels: Sequence[Kernel]
    graph: Network
    reference: Network
    program: Program
    plans: Mapping[str, Plan]
    arena_without_scratch: int
    pass_records: Sequence[PassRecord]

    @property
    def files(self) -> dict[str, bytes]:
        """Name -> bytes of the product; written when first wanted, as its text is far larger than weights."""
        return self._written[0]

    @cached_property
    def harness(self) -> bytes:
        """C that describes the model to the test harness."""
        return write_harness_model(self.program)

    def facts(self, kind: type[_Facts]) -> _Facts | None:
        """What a pass said whose facts are of that kind, of several the first; None if none did."""
        facts = (record.facts for record in self.pass_records)
        return next((found for found in facts if isinstance(found, kind)), None)

    @property
    def records(self) -> Sequence[PassRecord]:
        """How long each step took."""
        return (*self.pass_records, self._written[1])

    @cached_property
    @collector_paused()
    def _written(self) -> tuple[dict[str, bytes], PassRecord]:
        options = WriteOptions(
            tool_version=tool_version(),
            model_sha256=self.model.sha256,
            options=(*_options_text(self.options, self._called_backends), *self.model.choices),
            weights_section=self.options.weights_section,
        )
        return _timed("write-c", lambda: write(self.program, self.target, self.kernels, options))

    @property
    def _called_backends(self) -> Collection[str]:
        """Those of which a call has a kernel."""
        return {kernel.backend for kernel in called_kernels(self.program, self.kernels)}

    @property
    def arena_bytes(self) -> int:
        """Bytes of the arena, or of all memories."""
        return sum(plan.arena_bytes for plan in self.plans.values())

    @property
    def bytes_kept(self) -> int:
        """Of the memories that hold states."""
        program = self.program
        kept = {program.buffer_of(state.view).memory for state in program.states}
        return sum(self.plans[memory].arena_bytes for memory in kept)

    @property
    def bytes_shared(self) -> int:
        """Of the memories that another network may have between runs."""
        return self.arena_bytes - self.bytes_kept

    @property
    def arena_lower_bound(self) -> int:
        """Bytes that no plan for this order of execution can do without, of all memories."""
        return sum(plan.lower_bound for plan in self.plans.values())

    @property
    def slow_memories(self) -> Sequence[str]:
        """Those chosen by `--ram` that are not the fastest, and hold something."""
        return [name for name, _ in self.options.memories[1:] if name in self.plans]

    @property
    def bytes_moved(self) -> int:
        """Read and written in slow memories, by one inference."""
        return sum(moved_bytes(self.program, name) for name in self.slow_memories)

    @property
    def plans_for_size(self) -> Mapping[str, Plan]:
        """Those that take as few bytes as they can: not of a cluster's memory, which a pass fills for speed."""
        cluster = self.target.board.cluster
        near = "" if cluster is None else cluster.memory
        return {memory: plan for memory, plan in self.plans.items() if memory != near}

    @property
    def arena_status(self) -> str:
        """`optimal`: no smaller plan for this order, and no order with fewer bytes live at once.
        `optimal_for_order`: the former alone. `feasible`: neither is proven.
        """
        is_order_proven = [
            record.is_proven for record in self.records if record.is_proven is not None
        ]
        if any(plan.status is not Status.OPTIMAL for plan in self.plans_for_size.values()):
            return Status.FEASIBLE.value
        if not (is_order_proven and all(is_order_proven)):
            return "optimal_for_order"
        return Status.OPTIMAL.value


def read_model(path: Path, name: str | None = None, choices: ImportChoices | None = None) -> Model:
    """Import a model file by its content: one that an importer knows, or the IR as text (.tsm).

    name: of the graph. choices: what the file leaves open.
    Raises UsageError when it cannot be read, ModelError when it is not a model.
    """
    return model_of(read_model_file(path), path, name, choices)


def model_of(
    data: bytes, path: Path, name: str | None = None, choices: ImportChoices | None = None
) -> Model:
    """The model in the bytes of the file `path`; see read_model."""
    chosen = choices or ImportChoices()
    warnings: list[str] = []
    file_shapes: dict[str, tuple[int, ...]] = {}
    program: Program | None = None
    if is_text(data, path):
        ModelSource(b"", str(path), choices=chosen).refuse_choices("IR text")
    if is_text(data, path) and is_program(data):
        program = placed_program_from_text(data, path)
        program = replace(program, name=name or program.name)
        graph, format_, own_name = network_of_program(program), TEXT_FORMAT, program.name
    elif is_text(data, path):
        graph = graph_from_text(data, path)
        format_, own_name = TEXT_FORMAT, graph.name
    else:
        importer = _importer(data, path)
        converters = registry().converters_for(importer)
        # What lies beside a model lies beside the file itself, not beside a link to it.
        folder = path.resolve().parent if path.is_symlink() else path.parent
        source = ModelSource(
            data,
            path.name,
            folder,
            on_warning=warnings.append,
            on_turned=file_shapes.__setitem__,
            converters=converters,
            choices=chosen,
        )
        graph = importer.read(source)
        format_, own_name = importer.name, c_name(path)
    if isinstance(graph, Graph):
        graph = replace(graph, name=name or own_name)
    sha256 = hashlib.sha256(data).hexdigest()
    return Model(path, format_, sha256, graph, tuple(warnings), file_shapes, program)


def read_model_file(path: Path) -> bytes:
    """A model file's bytes. Raises UsageError when it cannot be read, ModelError when it is huge."""
    sizes = [importer.largest_bytes for importer in registry().importers.values()]
    return read_file(path, "a model", max(sizes, default=_LARGEST_TEXT_BYTES))


def _importer(data: bytes, path: Path) -> Importer:
    """Who reads a file, or is to say what is wrong with it. Raises UsageError where no such importer is installed."""
    found = registry().importer_of(data)
    importers = sorted(registry().importers.values(), key=lambda each: not each.explains_others)
    named = (importer for importer in importers if path.suffix.lower() in importer.suffixes)
    chosen = found or next(named, None)
    absent = _IMPORTING_PACKAGES.get(path.suffix.lower())
    if chosen is None and absent is not None:
        raise UsageError(
            f"{path}: such files are read by {absent}, which is not installed: pip install {absent}"
        )
    chosen = chosen or next(iter(importers), None)
    if chosen is None:
        raise UsageError(
            f"{path}: there is no importer; install one, or give IR text ({TEXT_SUFFIX})"
        )
    return chosen


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


def board_ram_bytes(target_name: str) -> int | None:
    """What the board of a target leaves for the arena beside the stack; None on the host."""
    board = registry().target(target_name).board
    if board.emulator is None:
        return None
    return board_memory_bytes(target_name, board.arena_home)


def board_memories(target_name: str) -> tuple[str, ...]:
    """The names of the RAMs of a target's board."""
    board = registry().target(target_name).board
    return tuple(memory.name for memory in board.memories if memory.kind == "ram")


def board_memory_bytes(target_name: str, name: str) -> int | None:
    """What a board's RAM of that name leaves for an arena, beside the stack if that is there; None if it has none."""
    if name not in board_memories(target_name):
        return None
    return registry().target(target_name).board.arena_room(name)


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
            _check_reach(plan, chosen)
        check_memories(program, chosen)
        check_near(program, chosen, kernels)
        if (
            len(plans) > 1 and not options.memories
        ):  # of one alone, the planner has said it, and of what it is full
            near_bytes = _near_bytes(program, chosen, kernels, options)
            _check_room(plans, chosen, ram_bytes, near_bytes)
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
        _check_reach(plan, chosen)
    check_memories(program, chosen)
    check_near(program, chosen, kernels)
    near_bytes = _near_bytes(program, chosen, kernels, options)
    _check_room(plans, chosen, options.ram_bytes, near_bytes)
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


def _near_bytes(
    program: Program, chosen: Target, kernels: Sequence[Kernel], options: CompileOptions
) -> int | None:
    """What there is of a cluster's memory; None is all, where no cluster runs and nobody chose."""
    cluster = chosen.board.cluster
    is_bounded = options.l1_bytes is not None or runs_on_cluster(chosen, program, kernels)
    return cluster.network_bytes if cluster is not None and is_bounded else None


def _check_room(
    plans: Mapping[str, Plan], chosen: Target, ram_bytes: int | None, near_bytes: int | None
) -> None:
    """Raise DoesNotFitError for memories that are larger than those of the board that they lie in.

    ram_bytes: what there is where an arena lies; None is as much as needed. near_bytes: as of `_near_bytes`.
    """
    found = _rooms(plans, chosen, ram_bytes, near_bytes)
    for home in dict.fromkeys(home for home, _ in found.values()):
        names = [name for name in plans if found[name][0] == home]
        needed = sum(plans[name].arena_bytes for name in names)
        available = found[names[0]][1]
        where = f" of {chosen.board.name}'s memory '{home}'" if home else ""
        if available is not None and needed > available:
            raise DoesNotFitError(
                f"{visible(', '.join(names))} is too small: needed {needed:,} bytes, "
                f"available {available:,} bytes{where}"
            )


def rooms(compilation: Compilation) -> Mapping[str, tuple[str, int | None]]:
    """Of each memory that is not the caller's, the memory of the board that it lies in, "" for the one of arenas, and
    the bytes that all memories there may take; None for any number.
    """
    found, chosen = compilation, compilation.target
    near_bytes = _near_bytes(found.program, chosen, found.kernels, found.options)
    rooms = _rooms(found.plans, chosen, found.options.ram_bytes, near_bytes)
    return rooms | {name: (name, size) for name, size in found.options.memories if name in rooms}


def _rooms(
    plans: Mapping[str, Plan], chosen: Target, ram_bytes: int | None, near_bytes: int | None
) -> dict[str, tuple[str, int | None]]:
    """See `rooms`, and for the rest `_check_room`."""
    board = chosen.board
    found: dict[str, tuple[str, int | None]] = {}
    for name in plans:
        home = board.home(name) if board.memories else None
        found[name] = "", ram_bytes
        if home is not None and home.name != board.arena_home:
            is_near = board.cluster is not None and home.name == board.cluster.memory
            available = near_bytes if near_bytes is not None and is_near else home.size_bytes
            found[name] = home.name, available
    return found


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


def _check_reach(plan: Plan, chosen: Target) -> None:
    """Raise DoesNotFitError for an arena that no array of the target can hold, whatever its board."""
    most = chosen.board.largest_array_bytes
    if plan.arena_bytes > most:
        raise DoesNotFitError(
            f"the arena is too large for the addresses of {chosen.name}: needed {plan.arena_bytes:,} "
            f"bytes, and the largest array there has {most:,} bytes. Choose a network with smaller "
            "feature maps."
        )


def _options_text(options: CompileOptions, called: Collection[str]) -> tuple[str, ...]:
    """The options that change the product, for its first lines. called: back ends; of several that are preferred, those
    behind the first are said only if they are among them.
    """
    backend: tuple[str, ...] = ()
    if options.backend is not None:
        first, *others = options.backend.split(TOGETHER)
        backend = (f"backend={TOGETHER.join([first, *(x for x in others if x in called)])}",)
    packed = () if options.packed else ("packed=no",)
    passes = (f"pass={choice}" for choice in options.all_passes)
    without = (f"without={name}" for name in options.without)
    cluster = chosen_target(options).board.cluster
    cores = () if options.cores is None else (f"cores={options.cores}",)
    l1 = () if options.l1_bytes is None or cluster is None else (f"l1={cluster.network_bytes}",)
    section = (f"weights-section={options.weights_section}",) if options.weights_section else ()
    return (f"target={options.target}", *backend, *packed, *cores, *l1, *passes, *without, *section)


def _timed(name: str, work: Callable[[], _Result]) -> tuple[_Result, PassRecord]:
    start = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    return result, PassRecord(name=name, seconds=seconds, contract=BIT_EXACT, verified=False)
