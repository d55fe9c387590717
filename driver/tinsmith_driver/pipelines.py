"""The way of a model, from its file to placed C: the only place that knows the order of passes."""

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

import tinsmith_cmsis_nn
import tinsmith_reference
from tinsmith_allocation import AllocateBuffers, Plan, Status
from tinsmith_c import WriteOptions, write, write_harness_model
from tinsmith_fusion import (
    FoldBatchNormalization,
    FuseActivations,
    FusePadding,
    FuseRequantization,
    ReplaceMeans,
)
from tinsmith_ir import Graph, Program, UsageError
from tinsmith_ir.errors import DoesNotFitError
from tinsmith_ir.files import read_file
from tinsmith_ir.passes import BIT_EXACT, Pass, PassRecord, Pipeline
from tinsmith_ir.testing import random_inputs
from tinsmith_ir.verify import verify_program
from tinsmith_lowering import Backend, Kernel, lower
from tinsmith_scheduling import ScheduleNodes
from tinsmith_simplify import Simplify
from tinsmith_target import Target, target
from tinsmith_tflite import LARGEST_FILE_BYTES, import_tflite

from tinsmith_driver.options import CompileOptions, c_name
from tinsmith_driver.text_files import graph_from_text, is_text

_Result = TypeVar("_Result")

ARENA = "arena"
LOWER = "lower"
TEXT_FORMAT = "tsm"


def tool_version() -> str:
    """The version of the installed driver, or of this checkout."""
    try:
        return version("tinsmith-driver")
    except PackageNotFoundError:
        return "0.1.0"


@dataclass(frozen=True, eq=False)
class Model:
    """A model file as read: its graph before any pass, and where it came from.

    warnings: what the importer thinks a user should know.
    """

    path: Path
    format: str
    sha256: str
    graph: Graph
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Compilation:
    """All that compiling made.

    graph: after the graph passes; reference: what results must equal (see Optimized); program:
    placed. plan: of the arena; arena_without_scratch: the
    same without the kernels' scratch, in bytes. pass_records: of all but the writing of C.
    """

    model: Model
    options: CompileOptions
    target: Target
    kernels: Sequence[Kernel]
    graph: Graph
    reference: Graph
    program: Program
    plan: Plan
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

    @property
    def records(self) -> Sequence[PassRecord]:
        """How long each step took."""
        return (*self.pass_records, self._written[1])

    @cached_property
    def _written(self) -> tuple[dict[str, bytes], PassRecord]:
        options = WriteOptions(
            tool_version=tool_version(),
            model_sha256=self.model.sha256,
            options=_options_text(self.options),
        )
        return _timed("write-c", lambda: write(self.program, self.target, self.kernels, options))

    @property
    def arena_status(self) -> str:
        """`optimal`: no smaller plan for this order, and no order with fewer bytes live at once.
        `optimal_for_order`: the former alone. `feasible`: neither is proven.
        """
        is_order_proven = not any(
            record.warnings for record in self.records if record.name == ScheduleNodes().name
        )
        if self.plan.status is Status.OPTIMAL and not is_order_proven:
            return "optimal_for_order"
        return self.plan.status.value


def read_model(path: Path, name: str | None = None) -> Model:
    """Import a model file by its content: a TFLite file, or the IR as text (.tsm).

    Raises UsageError when it cannot be read, ModelError when it is not a model.
    """
    return model_of(read_model_file(path), path, name)


def model_of(data: bytes, path: Path, name: str | None = None) -> Model:
    """The model in the bytes of the file `path`; see read_model."""
    warnings: list[str] = []
    if is_text(data, path):
        graph = graph_from_text(data, path)
        format_, own_name = TEXT_FORMAT, graph.name
    else:
        graph = import_tflite(data, source=path.name, on_warning=warnings.append)
        format_, own_name = "tflite", c_name(path)
    graph = replace(graph, name=name or own_name)
    return Model(path, format_, hashlib.sha256(data).hexdigest(), graph, tuple(warnings))


def read_model_file(path: Path) -> bytes:
    """A model file's bytes. Raises UsageError when it cannot be read, ModelError when it is huge."""
    return read_file(path, "a model", LARGEST_FILE_BYTES)


def numeric_passes() -> tuple[Pass, ...]:
    """The passes up to the last that may change results (float32 only; each says how)."""
    return (Simplify(), FoldBatchNormalization())


def exact_passes() -> tuple[Pass, ...]:
    """The passes after those: bit-exact, all of them."""
    return (
        FuseRequantization(),
        FuseActivations(),
        FusePadding(),
        ReplaceMeans(),
        Simplify(),
        ScheduleNodes(),
    )


def graph_passes() -> tuple[Pass, ...]:
    """The passes that every target wants, in order."""
    return (*numeric_passes(), *exact_passes())


@dataclass(frozen=True, eq=False)
class Optimized:
    """graph: after all passes. reference: after those that may change results; firmware and `graph`
    must equal it bit by bit.
    """

    graph: Graph
    reference: Graph
    records: Sequence[PassRecord]


def optimize(model: Model, *, verify: bool = False) -> Optimized:
    """Run the graph passes; with `verify`, on random inputs before and after each."""
    inputs = random_inputs(model.graph, seed=0) if verify else None
    changed = Pipeline(numeric_passes()).run(model.graph, verify_inputs=inputs)
    result = Pipeline(exact_passes()).run(changed.graph, verify_inputs=inputs)
    return Optimized(result.graph, changed.graph, (*changed.records, *result.records))


def show_after(model: Model, options: CompileOptions, pass_name: str | None) -> Graph | Program:
    """The IR after the pass of that name; None is after all graph passes, "import" before any.

    Raises UsageError for an unknown name.
    """
    graph = model.graph
    if pass_name == "import":
        return graph
    for found in graph_passes():
        graph = found.run(graph)
        if found.name == pass_name:
            return graph
    if pass_name is None:
        return graph
    chosen = target(options.target)
    program = lower(graph, chosen, kernels_for(chosen, options.backend, packed=options.packed))
    if pass_name == LOWER:
        return program
    allocate = AllocateBuffers()
    if pass_name == allocate.name:
        return allocate.run(program)
    raise UsageError(f"unknown pass {pass_name!r}: expected one of {', '.join(pass_names())}")


def pass_names() -> list[str]:
    """What `show --after` may be given, in order."""
    return ["import", *(found.name for found in graph_passes()), LOWER, AllocateBuffers().name]


def board_ram_bytes(target_name: str) -> int | None:
    """What the board of a target leaves for the arena beside the stack; None on the host."""
    board = target(target_name).board
    if board.emulator is None:
        return None
    return board.memory(board.data_memory).size_bytes - board.stack_bytes


def kernels_for(chosen: Target, backend: str | None, *, packed: bool) -> Sequence[Kernel]:
    """The kernels a graph is lowered to, best first; the reference kernels are always the last."""
    preferred = backend or chosen.backend
    backends: list[Backend] = [tinsmith_reference.backend()]
    if preferred == "cmsis_nn":
        backends.insert(0, tinsmith_cmsis_nn.backend(packed=packed))
    return tuple(kernel for found in backends for kernel in found.kernels(chosen))


def compile_model(
    model: Model, options: CompileOptions, on_step: Callable[[str], None] = lambda _: None
) -> Compilation:
    """Passes, lowering, placement and C. on_step is told what starts.

    Raises UnsupportedError, DoesNotFitError (options.ram_bytes), or whatever a pass finds.
    """
    chosen = target(options.target)
    on_step("passes")
    optimized = optimize(model, verify=options.verify_passes)
    on_step("lowering")
    kernels = kernels_for(chosen, options.backend, packed=options.packed)
    lowered, lowering = _timed(LOWER, lambda: lower(optimized.graph, chosen, kernels))
    verify_program(lowered)
    on_step("allocation")
    allocate = AllocateBuffers(available_bytes=options.ram_bytes)
    allocation, placing = _timed(allocate.name, lambda: allocate.allocate(lowered))
    verify_program(allocation.program)
    _check_reach(allocation.plans[ARENA], chosen)
    without_scratch = (
        allocate.plan(lowered, ARENA, scratch=False)
        if any(call.scratch for call in lowered.calls)
        else allocation.plans[ARENA]
    ).arena_bytes
    on_step("C")
    return Compilation(
        model=model,
        options=options,
        target=chosen,
        kernels=kernels,
        graph=optimized.graph,
        reference=optimized.reference,
        program=allocation.program,
        plan=allocation.plans[ARENA],
        arena_without_scratch=without_scratch,
        pass_records=(*optimized.records, lowering, placing),
    )


def _check_reach(plan: Plan, chosen: Target) -> None:
    """Raise DoesNotFitError for an arena that no array of the target can hold, whatever its board."""
    most = chosen.board.largest_array_bytes
    if plan.arena_bytes > most:
        raise DoesNotFitError(
            f"the arena is too large for the addresses of {chosen.name}: needed {plan.arena_bytes:,} "
            f"bytes, and the largest array there has {most:,} bytes. Choose a network with smaller "
            "feature maps."
        )


def _options_text(options: CompileOptions) -> tuple[str, ...]:
    """The options that change the product, for its first lines."""
    backend = () if options.backend is None else (f"backend={options.backend}",)
    packed = () if options.packed else ("packed=no",)
    return (f"target={options.target}", *backend, *packed)


def _timed(name: str, work: Callable[[], _Result]) -> tuple[_Result, PassRecord]:
    start = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    return result, PassRecord(name=name, seconds=seconds, contract=BIT_EXACT, verified=False)
