"""Several models in one arena: those that never run at the same time lie over one another, others beside."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from tinsmith_allocation.check import check_plan
from tinsmith_allocation.exact import plan_within
from tinsmith_allocation.foundation import Checked, UsageError, checked
from tinsmith_allocation.model import Block, Leave, Plan, PlanError, Status

# All orders of so many models are tried.
_ALL_ORDERS_MODELS = 6


@dataclass(frozen=True)
class Model(Checked):
    """What one model wants of the arena. Its steps are its own: nothing is known of when those of others come."""

    name: str
    blocks: tuple[Block, ...]
    leaves: tuple[Leave, ...] = ()


@dataclass(frozen=True)
class JointPlan(Checked):
    """One arena for several models.

    plans: of each model by name, with offsets in the common arena. lower_bound: no plan that gives each model a range
    of bytes of its own needs fewer.
    """

    plans: Mapping[str, Plan]
    lower_bound: int

    @property
    def arena_bytes(self) -> int:
        """Bytes of the common arena."""
        return max((plan.arena_bytes for plan in self.plans.values()), default=0)

    @property
    def status(self) -> Status:
        """Optimal when the arena is as small as the bound."""
        return Status.OPTIMAL if self.arena_bytes == self.lower_bound else Status.FEASIBLE


@checked
def plan_jointly(
    models: Sequence[Model],
    *,
    together: Sequence[Collection[str]] = (),
    capacity_bytes: int | None = None,
    time_limit: float = 10.0,
    seed: int = 0,
) -> JointPlan:
    """A plan for each model, in a common arena.

    together: groups of names; models of a group may run at the same time, so their arenas share no byte. All others
    share theirs, and so keep nothing from one run to the next. capacity_bytes: of the common arena, see `plan_within`;
    models of a group are planned as small as can be.
    Each arena begins at a multiple of the largest alignment in it. A block with an offset of its own has it in the
    common arena, so a model with such a block begins at 0. Raises UsageError for names that are unknown or not unique,
    PlanError for two models of a group that both have to begin at 0.
    """
    names = [model.name for model in models]
    apart = models_apart(names, together)
    plans = {
        model.name: plan_within(
            model.blocks,
            None if apart[model.name] else capacity_bytes,
            leaves=model.leaves,
            time_limit=time_limit,
            seed=seed,
        )
        for model in models
    }
    fixed = [model.name for model in models if any(b.offset is not None for b in model.blocks)]
    for name in fixed:
        if others := sorted(apart[name] & set(fixed)):
            raise PlanError(
                f"models {name} and {others[0]} run at the same time and both have blocks with an offset: "
                f"expected at most one such model of a group"
            )
    stacks = [_stacked(order, plans, apart) for order in _orders(names, fixed, plans)]
    bases = min(stacks, key=lambda bases: _top(bases, plans))
    bound = _bound(plans, apart)
    return JointPlan({name: _moved(plan, bases[name]) for name, plan in plans.items()}, bound)


@checked
def check_jointly(plans: Mapping[str, Plan], together: Sequence[Collection[str]] = ()) -> None:
    """Raise PlanError for a plan of a model that does not hold (`check_plan`), or for two models of a group of which
    one has a byte between the first and the last of the other.

    plans: by name of the model, offsets in the common arena.
    """
    for plan in plans.values():
        check_plan(plan)
    for name, others in models_apart([*plans], together).items():
        for other in sorted(others):
            start = max(_base(plans[name]), _base(plans[other]))
            end = min(plans[name].arena_bytes, plans[other].arena_bytes)
            if start < end:
                raise PlanError(
                    f"models {name} and {other} run at the same time and share bytes {start} to {end - 1}"
                )


def _base(plan: Plan) -> int:
    return min(plan.offsets.values(), default=0)


def _moved(plan: Plan, base: int) -> Plan:
    return replace(plan, offsets={name: base + offset for name, offset in plan.offsets.items()})


def models_apart(names: Sequence[str], together: Iterable[Collection[str]]) -> dict[str, set[str]]:
    """Name of a model -> those with which it may share no byte. Raises UsageError for a name that is unknown or not
    unique.
    """
    if len(set(names)) < len(names):
        raise UsageError("two models have the same name: expected each to have its own")
    found: dict[str, set[str]] = {name: set() for name in names}
    for group in together:
        for name in group:
            if name not in found:
                raise UsageError(
                    f"no model has the name {name}: expected one of {', '.join(names)}"
                )
            found[name] |= {other for other in group if other != name}
    return found


def _orders(
    names: Sequence[str], fixed: Sequence[str], plans: Mapping[str, Plan]
) -> Iterable[Sequence[str]]:
    """Those with fixed blocks first; of few others all orders, of many the largest first."""
    others = [name for name in names if name not in fixed]
    if len(others) > _ALL_ORDERS_MODELS:
        return [[*fixed, *sorted(others, key=lambda name: -plans[name].arena_bytes)]]
    return ([*fixed, *order] for order in permutations(others))


def _stacked(
    order: Sequence[str], plans: Mapping[str, Plan], apart: Mapping[str, set[str]]
) -> dict[str, int]:
    """Each model at the lowest base at which it shares no byte with those before it that it must not."""
    bases: dict[str, int] = {}
    for name in order:
        size, alignment = plans[name].arena_bytes, _alignment(plans[name])
        base = 0
        taken = sorted(
            (bases[other], bases[other] + plans[other].arena_bytes)
            for other in apart[name]
            if other in bases
        )
        for start, end in taken:
            if start < base + size:
                base = max(base, end + -end % alignment)
        bases[name] = base
    return bases


def _top(bases: Mapping[str, int], plans: Mapping[str, Plan]) -> int:
    return max((base + plans[name].arena_bytes for name, base in bases.items()), default=0)


def _bound(plans: Mapping[str, Plan], apart: Mapping[str, set[str]]) -> int:
    """The most that models that all run together need, by their own bounds: each, and each found by adding others."""
    best = 0
    for name in plans:
        group = [name]
        for other in sorted(apart[name], key=lambda other: -plans[other].lower_bound):
            if apart[other] >= set(group):
                group.append(other)
        best = max(best, sum(plans[member].lower_bound for member in group))
    return best


def _alignment(plan: Plan) -> int:
    return max((block.alignment for block in plan.blocks), default=1)
