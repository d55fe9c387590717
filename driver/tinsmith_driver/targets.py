"""The target that a compilation is for: the one that is named, with as much of its cluster as was asked for; and
whether a program is the cluster's.
"""

from collections.abc import Iterable
from dataclasses import replace

from tinsmith_ir import Call, Program, UsageError
from tinsmith_ir.program import simple_steps
from tinsmith_lowering import Kernel
from tinsmith_target import Cluster, Target

from tinsmith_driver.options import CompileOptions
from tinsmith_driver.plugins import registry


def chosen_target(options: CompileOptions) -> Target:
    """What passes, kernels and build are to see. Raises UsageError for choices that the target does not have."""
    named = registry().target(options.target)
    if options.cores is None and options.l1_bytes is None:
        return named
    cluster = _cluster(named, "--cores" if options.cores is not None else "--l1")
    if options.cores is not None and not 1 <= options.cores <= cluster.cores:
        raise UsageError(
            f"--cores: expected 1 to {cluster.cores}, the cores of {named.board.name}, got {options.cores}"
        )
    chosen = replace(
        cluster,
        cores=options.cores or cluster.cores,
        network_bytes=min(options.l1_bytes or cluster.network_bytes, cluster.network_bytes),
    )
    return replace(named, board=replace(named.board, cluster=chosen))


def remarks(options: CompileOptions) -> list[str]:
    """Of choices that were not taken as they were made."""
    if options.l1_bytes is None:
        return []
    named = registry().target(options.target)
    cluster = _cluster(named, "--l1")
    if options.l1_bytes <= cluster.network_bytes:
        return []
    return [
        f"--l1 {options.l1_bytes:,} is cut down to {cluster.network_bytes:,} bytes, which is what stacks and variables "
        f"leave of {named.board.name}'s memory '{cluster.memory}'"
    ]


def runs_on_cluster(target: Target, program: Program, kernels: Iterable[Kernel]) -> bool:
    """Whether the board's cluster is to run the program: a kernel asks for it, or calls run at once."""
    kernels = tuple(kernels)
    is_wanted = asks_for_cluster(program, kernels) or computes_at_once(program, kernels)
    return target.board.cluster is not None and is_wanted


def asks_for_cluster(program: Program, kernels: Iterable[Kernel]) -> bool:
    """Whether a kernel that the program calls shares its work among cores, or gives it to an accelerator of theirs."""
    return any(kernel.of_cluster for kernel in called_kernels(program, kernels))


def computes_at_once(program: Program, kernels: Iterable[Kernel]) -> bool:
    """Whether jobs may run at the same time: an engine without an order computes them, so each one that does may be
    the cores of a cluster.
    """
    return {program.engine[name].is_fifo for name in job_engines(program, kernels)} == {False}


def job_engines(program: Program, kernels: Iterable[Kernel]) -> set[str]:
    """Engines that compute calls of kernels which know of no engine; not those that their kernels drive."""
    driven = {kernel.beside.name for kernel in kernels if kernel.beside is not None}
    computing = {
        step.engine
        for step in simple_steps(program.steps)
        if isinstance(step, Call) and step.engine is not None
    }
    return computing - driven


def called_kernels(program: Program, kernels: Iterable[Kernel]) -> list[Kernel]:
    """Those that the program calls; of one name in several libraries, all that are called so."""
    called = {call.kernel for call in program.calls}
    return [kernel for kernel in kernels if kernel.name in called or kernel.key in called]


def _cluster(named: Target, option: str) -> Cluster:
    if named.board.cluster is None:
        having = [target.name for target in registry().targets.values() if target.board.cluster]
        raise UsageError(
            f"{option}: expected a target with a cluster ({', '.join(having)}), got {named.name}"
        )
    return named.board.cluster
