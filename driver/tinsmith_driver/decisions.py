"""What was decided of a network, in lines of the log: by each pass, of each kernel, of each plan that was tried.

Passes say nothing themselves: they return what they decided, and the driver tells it.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from tinsmith_allocation import Allocation
from tinsmith_ir import Graph, Program
from tinsmith_ir.errors import DoesNotFitError
from tinsmith_ir.passes import AnyPass, PassRecord, ShrinkingPass, Shrunk
from tinsmith_ir.pipeline import PipelineResult
from tinsmith_ir.printer import print_graph
from tinsmith_ir.program_printer import print_program
from tinsmith_lowering import Kernel
from tinsmith_target import Target

from tinsmith_driver.logs import (
    decisions_are_logged,
    details_are_logged,
    log_decision,
    log_detail,
)
from tinsmith_driver.network import Network
from tinsmith_driver.table import listed, thousands
from tinsmith_driver.targets import called_kernels

_Level = Graph | Program
_SHOWN_NAMES = 8


class PassLog:
    """Tells what each pass made of what the one before made; `before` is what the first is given."""

    def __init__(self, before: _Level) -> None:
        self._before = before

    def tell(self, pass_: AnyPass, after: _Level) -> None:
        """Of a pass that has just run: a decision if it changed something, else a detail."""
        before, self._before = self._before, after
        if not decisions_are_logged():
            return
        if before is after or _text(before) == _text(after):
            log_detail(f"pass {pass_.name}: nothing to do")
            return
        log_decision(f"pass {pass_.name}: {_change(before, after)}")
        if details_are_logged():
            gone, new = _names(before) - _names(after), _names(after) - _names(before)
            for what, names in (("gone", gone), ("new", new)):
                if names and type(before) is type(after):
                    log_detail(f"pass {pass_.name}: {what}: {listed(sorted(names), _SHOWN_NAMES)}")


def log_records(records: Sequence[PassRecord]) -> None:
    """Tell what passes say of their decisions."""
    if not decisions_are_logged():
        return
    for record in records:
        parts = [_facts(record.facts)]
        if record.found_by and not hasattr(record.facts, "found_by"):
            parts.append(f"found by {record.found_by}")
        if record.is_proven is not None:
            parts.append(
                "proven to be the best" if record.is_proven else "not proven to be the best"
            )
        if any(parts):
            log_decision(f"pass {record.name}: {', '.join(part for part in parts if part)}")


def log_kernels(program: Program, kernels: Sequence[Kernel]) -> None:
    """Tell the kernel of each call, and why no better one was taken."""
    if not decisions_are_logged():
        return
    known = {kernel.name: kernel for kernel in called_kernels(program, kernels)}
    known |= {kernel.key: kernel for kernel in known.values()}
    for call in program.calls:
        kernel = known.get(call.kernel)
        whose = f" of {kernel.backend}" if kernel is not None else ""
        refused = f"; refused: {call.reason}" if call.reason else ""
        log_decision(f"kernel of {call.name}: {call.kernel}{whose}{refused}")


def telling_trials(
    run: Callable[[Sequence[AnyPass], _Level], PipelineResult],
) -> Callable[[Sequence[AnyPass], _Level], PipelineResult]:
    """The same, which tells of each plan how it was asked for, and whether it fits."""

    def trial(passes: Sequence[AnyPass], ir: _Level) -> PipelineResult:
        try:
            made = run(passes, ir)
        except DoesNotFitError as error:
            log_decision(f"plan {_asked(passes)}: does not fit: {str(error).splitlines()[0]}")
            raise
        log_decision(f"plan {_asked(passes)}: {_outcome(made)}")
        return made

    return trial


def log_network(graph: Network, format_: str, target: Target, kernels: Sequence[Kernel]) -> None:
    """Tell what is compiled for what."""
    if not decisions_are_logged():
        return
    operators = f", {len(graph.nodes)} operators" if isinstance(graph, Graph) else ""
    backends = ", ".join(dict.fromkeys(kernel.backend for kernel in kernels))
    log_decision(f"network {graph.name}: {format_}{operators}; for {target.name} by {backends}")


def _text(ir: _Level) -> str:
    if isinstance(ir, Graph):
        return print_graph(ir, constants="summary")
    return print_program(ir, constants="summary")


def _change(before: _Level, after: _Level) -> str:
    if isinstance(before, Graph) and isinstance(after, Graph):
        was, now = len(before.nodes), len(after.nodes)
        return f"{was} -> {now} operators" if was != now else f"{now} operators, some changed"
    if isinstance(before, Program) and isinstance(after, Program):
        return ", ".join(
            f"{thousands(was)} -> {thousands(now)} {what}"
            if was != now
            else f"{thousands(now)} {what}"
            for what, was, now in (
                ("steps", len(before.steps), len(after.steps)),
                ("buffers", len(before.buffers), len(after.buffers)),
                ("constants", len(before.constants), len(after.constants)),
            )
        )
    return f"{len(_names(before))} operators -> {len(_names(after))} calls"


def _names(ir: _Level) -> set[str]:
    return {node.name for node in ir.nodes} if isinstance(ir, Graph) else {c.name for c in ir.calls}


def _facts(facts: object) -> str:
    """What a pass says, in a line: numbers and words as they are, of the rest how many there are."""
    if isinstance(facts, Allocation):
        return ", ".join(
            f"{memory} {thousands(plan.arena_bytes)} bytes ({plan.status.value}, at least "
            f"{thousands(plan.lower_bound)})"
            for memory, plan in facts.plans.items()
        )
    if not dataclasses.is_dataclass(facts):
        return ""
    found: list[str] = []
    for field in dataclasses.fields(facts):
        value: object = getattr(facts, field.name)
        name = field.name.replace("_", " ")
        if isinstance(value, bool):
            found.append(f"{name}: {'yes' if value else 'no'}")
        elif isinstance(value, int):
            found.append(f"{name}: {thousands(value)}")
        elif isinstance(value, float | str) and value != "":
            found.append(f"{name}: {value:.4g}" if isinstance(value, float) else f"{name}: {value}")
        elif isinstance(value, Sequence | Mapping) and value:
            found.append(f"{name}: {len(cast('Sequence[Any]', value))}")
    return ", ".join(found)


def _asked(passes: Sequence[AnyPass]) -> str:
    """How the pass was told that makes programs smaller, which stands first if there is one."""
    first = passes[0] if passes else None
    if not isinstance(first, ShrinkingPass) or not dataclasses.is_dataclass(first):
        return "of whole tensors"
    told = {
        field.name.replace("_", " "): getattr(first, field.name)
        for field in dataclasses.fields(first)
        if isinstance(getattr(first, field.name), int | str)
        and getattr(first, field.name) != field.default
    }
    said = (name if value is True else f"{name} {_shown(value)}" for name, value in told.items())
    return f"for {', '.join(said)}" if told else "of whole tensors"


def _shown(value: int | str) -> str:
    return thousands(value) if isinstance(value, int) else value


def _outcome(made: PipelineResult) -> str:
    """What a plan takes that fits."""
    shrunk = next((r.facts for r in made.records if isinstance(r.facts, Shrunk)), None)
    found = next((r.facts for r in made.records if isinstance(r.facts, Allocation)), None)
    extra = "" if shrunk is None else f", about {thousands(round(shrunk.extra))} instructions more"
    if found is None:
        return f"made{extra}"
    return f"fits with {thousands(sum(p.arena_bytes for p in found.plans.values()))} bytes{extra}"
