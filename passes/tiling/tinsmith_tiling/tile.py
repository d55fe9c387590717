"""The program pass: calls in tiles that fit the memory nearest to the cores, and the copies between."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import UsageError
from tinsmith_ir.passes import BIT_EXACT, Contract, Outcome
from tinsmith_ir.program import Memory, Program
from tinsmith_lowering import Kernel, TiledLayer, TilePlan
from tinsmith_target import Target

from tinsmith_tiling.constants import NEAR_ALIGNMENT
from tinsmith_tiling.formulate import Formulation, formulate
from tinsmith_tiling.greedy import solve_greedy
from tinsmith_tiling.model import Plan
from tinsmith_tiling.rewrite import rewrite
from tinsmith_tiling.solve import solve


@dataclass(frozen=True, eq=False)
class Tiling(Checked):
    """What was decided. plan: None where the target has no cluster, or no call can be tiled.

    tiles: of each call that was tiled, the names of those of the tiled program that compute its tiles.
    """

    plan: Plan | None
    formulation: Formulation | None
    tiles: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def facts(self) -> TilePlan | None:
        """The same for reports."""
        if self.plan is None or self.formulation is None or self.formulation.problem is None:
            return None
        plan = self.plan
        buffers = {tensor: buffer for buffer, tensor in self.formulation.buffers.items()}
        layers: list[TiledLayer] = []
        for index, layer in enumerate(self.formulation.problem.layers):
            way = layer.ways[plan.ways[index]]
            layers.append(
                TiledLayer(
                    name=layer.name,
                    calls=self.tiles[layer.name],
                    way=way.label,
                    tiles=way.tiles,
                    near=tuple(buffers[name] for name in layer.tensors if plan.homes[name] == 0),
                    is_prefetched=plan.prefetched[index] > 0,
                    cycles=plan.layer_cycles[index],
                )
            )
        return TilePlan(layers, plan.status.value, plan.bound, plan.gap)


@dataclass(frozen=True)
class TileCalls(Checked):
    """Cut the calls of kernels that know their cost, for the cluster of the target; other targets are left alone.

    kernels: at least those that the calls name. exact: search for the best plan, else take the greedy one.
    time_limit: of that search, in the solver's deterministic time (near a second each). seed: of the search.
    """

    target: Target
    kernels: Sequence[Kernel]
    exact: bool = True
    time_limit: float = 10.0
    seed: int = 0

    name: ClassVar[str] = "tile"
    # Parts of operators compute what the whole does.
    contract: ClassVar[Contract] = BIT_EXACT

    def __post_init__(self) -> None:
        """Raise UsageError for a time that is none."""
        super().__post_init__()
        if self.time_limit < 0:
            raise UsageError(f"{self.name}: expected time_limit from 0, got {self.time_limit:g}")

    def run(self, program: Program) -> Program:
        """The tiled program; see `tile` for its plan too."""
        return self.tile(program)[0]

    def run_in_detail(self, program: Program) -> Outcome[Program]:
        """The tiled program, with a TilePlan as facts, and warnings of calls that no near memory of the board holds."""
        tiled, tiling = self.tile(program)
        warnings = () if tiling.formulation is None else tiling.formulation.warnings
        return Outcome(tiled, warnings, tiling.facts())

    @checked
    def tile(self, program: Program) -> tuple[Program, Tiling]:
        """The tiled program and the plan that it follows.

        A call that would not fit the whole near memory of the board either, however it is cut, is left as it is.

        Raises DoesNotFitError where the near memory is too small for another one; it names the least that is not.
        """
        cluster = self.target.board.cluster
        if cluster is None:
            return program, Tiling(None, None)
        room = cluster.network_bytes
        formulation = formulate(program, self.target, self.kernels, room)
        if formulation.problem is None:
            return program, Tiling(None, formulation)
        if self.exact:
            plan = solve(formulation.problem, time_limit=self.time_limit, seed=self.seed)
        else:
            plan = solve_greedy(formulation.problem)
        near = Memory(cluster.memory, room, NEAR_ALIGNMENT)
        tiled, tiles = rewrite(program, formulation, plan, near)
        return tiled, Tiling(plan, formulation, tiles)
