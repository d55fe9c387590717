"""All that compiling a model has made."""

import time
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

from tinsmith_allocation import Plan, Status, moved_bytes
from tinsmith_c import WriteOptions, write, write_harness_model
from tinsmith_ir import Program
from tinsmith_ir.passes import BIT_EXACT, PassRecord
from tinsmith_lowering import Kernel
from tinsmith_plugins import TOGETHER
from tinsmith_target import Target

from tinsmith_driver.collector import collector_paused
from tinsmith_driver.models import Model
from tinsmith_driver.network import Network
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.targets import called_kernels, chosen_target

_Result = TypeVar("_Result")
_Facts = TypeVar("_Facts")


def tool_version() -> str:
    """The version of the installed driver, or of this checkout."""
    try:
        return version("tinsmith-driver")
    except PackageNotFoundError:
        project = Path(__file__).parents[1] / "pyproject.toml"
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])


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
        return timed("write-c", lambda: write(self.program, self.target, self.kernels, options))

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


def timed(name: str, work: Callable[[], _Result]) -> tuple[_Result, PassRecord]:
    """What `work` gives, and the record of a step of that name, which changes no bit."""
    start = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    return result, PassRecord(name=name, seconds=seconds, contract=BIT_EXACT, verified=False)
