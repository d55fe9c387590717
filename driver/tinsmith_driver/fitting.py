"""RAM as a contract: the pass that lets rows stream is given less and less to aim at, until the arena fits.

That pass counts what is live at once; placing buffers may take more, for alignment and gaps. So what is too much is
taken off its budget, and the cheapest plan below that is tried.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, cast

from tinsmith_ir.errors import ConstantsDoNotFitError, DoesNotFitError
from tinsmith_ir.passes import AnyPass, ShrinkingPass, Shrunk
from tinsmith_ir.pipeline import PipelineResult
from tinsmith_ir.program import Program

_MOST_TRIES = 24
_MOST_HALVINGS = 6
_MOST_PLANS = 256
_AIM_FALLS = 15, 16
"""Each aim is that part of the one before."""

_LEAST_AIM = 8
"""The part of the budget down to which aims fall."""

_ANY = 1 << 60
"""A budget within which every plan is."""

Run = Callable[[Sequence[AnyPass], Program], PipelineResult]


def shrinking_at(passes: Sequence[AnyPass]) -> int | None:
    """Where the pass stands that makes programs smaller; None if there is none, or it was told how small."""
    for at, found in enumerate(passes):
        if isinstance(found, ShrinkingPass) and found.ram_bytes is None:
            return at
    return None


def fitted(
    passes: Sequence[AnyPass],
    program: Program,
    ram_bytes: int,
    run: Run,
    *,
    is_thorough: bool = True,
) -> PipelineResult:
    """What the passes make of a program, at the least cost that fits `ram_bytes`.

    passes: the one that makes programs smaller, and those behind it. run: passes on a program. is_thorough: try every
    plan before nothing is said to fit, else those alone that have fewer live bytes than one that did not.
    Raises DoesNotFitError, of the plan that takes least once placed; of another memory, as the passes do.
    """
    fitting = _Fitting(passes, program, ram_bytes, run)
    whole = fitting.placed(None)
    if whole is not None:
        return whole
    # Less scratch lets a plan fit whose rows need not be computed twice, or makes one dearer that fits without.
    usual = fitting.by_budgets(less_scratch=False, is_thorough=is_thorough)
    below = inf if usual is None else _extra(usual)
    found = fitting.by_budgets(less_scratch=True, is_thorough=is_thorough, below=below) or usual
    if found is None and is_thorough:
        found = fitting.first_of_all() or fitting.first_below_what_is_needed()
    if found is None:
        raise fitting.refusal
    return found


def _extra(result: PipelineResult) -> float:
    """Instructions that a plan costs, about."""
    facts = result.records[0].facts
    return facts.extra if isinstance(facts, Shrunk) else 0.0


@dataclass(frozen=True)
class _Plan:
    """What the pass that makes programs smaller would make, told how. foreseen: None where it makes nothing smaller."""

    shrinking: ShrinkingPass
    foreseen: Shrunk | None

    @property
    def key(self) -> tuple[int, float, bool] | None:
        """Live bytes, extra instructions, whether less scratch was asked for: the same of plans that are alike."""
        if self.foreseen is None:
            return None
        return self.foreseen.live_bytes, self.foreseen.extra, self.shrinking.less_scratch

    @property
    def extra(self) -> float:
        """Instructions that it costs, about."""
        return 0.0 if self.foreseen is None else self.foreseen.extra

    @property
    def live_bytes(self) -> int | None:
        """As the pass counts them."""
        return None if self.foreseen is None else self.foreseen.live_bytes


class _Fitting:
    """Tries budgets.

    live_bytes: of the plan tried last, as the pass counts them. excess: bytes that it had too many of what is aimed at.
    """

    def __init__(
        self, passes: Sequence[AnyPass], program: Program, ram_bytes: int, run: Run
    ) -> None:
        self._shrinking, *self._behind = passes
        self._program = program
        self._ram_bytes = self._goal = ram_bytes
        self._run = run
        # The pass counts sizes rounded up, and what lies highest needs no padding behind it.
        self._padding = max((memory.alignment for memory in program.memories), default=1) - 1
        self._smallest: DoesNotFitError | None = None
        self._needed: dict[tuple[int, float, bool], int | None] = {}
        self.live_bytes: int | None = None
        self.excess = 0

    @property
    def refusal(self) -> DoesNotFitError:
        """Of the smallest plan that was tried."""
        assert self._smallest is not None
        return self._smallest

    def placed(self, budget: int | None, *, above: int = -1) -> PipelineResult | None:
        """What is made of that budget; None if it does not fit, or no more than `above` bytes are live."""
        plan = self._plan(budget)
        if plan.live_bytes is not None and plan.live_bytes <= above:
            self.live_bytes = plan.live_bytes
            return None
        return self._place(plan)

    def _plan(self, budget: int | None, aim: int | None = None) -> _Plan:
        """What the shrinking pass would make."""
        shrinking = told(self._shrinking, ram_bytes=budget, aim_bytes=aim)
        assert isinstance(shrinking, ShrinkingPass)
        return _Plan(shrinking, shrinking.foreseen(self._program))

    def _is_new(self, plan: _Plan) -> bool:
        """Whether no plan like it was tried, with scratch of either kind."""
        key = plan.key
        return key is not None and all(
            (*key[:2], less) not in self._needed for less in (False, True)
        )

    def _place(self, plan: _Plan) -> PipelineResult | None:
        """With all that is placed; None if it does not fit."""
        key = plan.key
        self.live_bytes = plan.live_bytes
        if key in self._needed:  # it did not fit
            self._keep(plan, self._needed[key])
            return None
        try:
            passes = (cast("AnyPass", plan.shrinking), *self._behind)
            return self._run(passes, self._program)
        except ConstantsDoNotFitError:
            if self._smallest is None:
                raise  # of whole tensors, too
            self._keep(plan, None)
            return None
        except DoesNotFitError as error:
            needed = error.needed_bytes
            if needed is None or error.available_bytes != self._ram_bytes:
                raise  # of another memory
            if self._smallest is None or needed < (self._smallest.needed_bytes or 0):
                self._smallest = error
            self._keep(plan, needed)
            return None

    def _keep(self, plan: _Plan, needed: int | None) -> None:
        """What a plan needs that does not fit; None for one whose constants are too many."""
        self.excess = 0 if needed is None else needed - self._goal
        if plan.key is not None:
            self._needed[plan.key] = needed

    def by_budgets(
        self, *, less_scratch: bool, is_thorough: bool, below: float = inf
    ) -> PipelineResult | None:
        """The cheapest plan that fits of budgets from the given one down, or if thorough, of aims below it.

        less_scratch: as of the pass, also for what is tried later. below: the cost from which on none is asked for.
        """
        self._shrinking = told(self._shrinking, less_scratch=less_scratch)
        most = budget = self._goal + self._padding
        too_much = most + 1
        for _ in range(_MOST_TRIES):
            plan = self._plan(budget)
            if budget == most and plan.extra >= below:
                return None  # what fits costs no less
            found = self._place(plan)
            if found is not None:
                return self.less_small(found, budget, too_much)
            if self.excess < 0:
                return None  # more than what is aimed at is reached
            live = self.live_bytes
            if live is None or live > budget:
                break  # the pass could not go as low
            # The plan stays the same down to what it has live.
            too_much = live
            budget = max(0, min(budget - self.excess, live - 1))
        # What has more live bytes than another plan may take fewer once placed.
        if not is_thorough:
            return None
        found = self.first_that_aims_lower(most)
        return None if found is None or _extra(found) >= below else found

    def first_that_aims_lower(self, budget: int) -> PipelineResult | None:
        """The first plan that fits, of a budget's whose parts take less than the largest has to; None if none does.

        Tensors that lie over what they are made of push this up, so that all of them matter.
        """
        aim = budget
        while aim > budget // _LEAST_AIM:
            aim = aim * _AIM_FALLS[0] // _AIM_FALLS[1]
            plan = self._plan(budget, aim)
            if plan.live_bytes is None or plan.live_bytes > budget:
                break  # its largest part alone is too much
            found = self._place(plan) if self._is_new(plan) else None
            if found is not None:
                return found
        return None

    def first_below_what_is_needed(self) -> PipelineResult | None:
        """The first plan that fits of those tried for a byte less than the smallest takes, until none is smaller.

        So a refusal names what is refused with a byte less: what is tried then is tried here.
        """
        needed = None
        while needed != self.refusal.needed_bytes:
            needed = self.refusal.needed_bytes
            assert needed is not None
            self._goal = needed - 1
            for less_scratch in (False, True):
                found = self.by_budgets(less_scratch=less_scratch, is_thorough=True)
                if found is not None:
                    return found
        return None

    def first_of_all(self) -> PipelineResult | None:
        """The first plan that fits of all that were not tried, from the cheapest on; None if none does."""
        budget = _ANY
        for _ in range(_MOST_PLANS):
            plan = self._plan(budget)
            found = self._place(plan) if self._is_new(plan) else None
            if found is not None:
                return found
            if plan.live_bytes is None or plan.live_bytes > budget:
                break  # the last one
            budget = plan.live_bytes - 1
        return None

    def less_small(self, found: PipelineResult, fits: int, too_much: int) -> PipelineResult:
        """A cheaper plan that fits, too, if one is found between two budgets: what was too much may have been taken off
        more than once.
        """
        live = self.live_bytes
        for _ in range(_MOST_HALVINGS):
            middle = (fits + too_much) // 2
            if live is None or middle <= fits:
                break
            better = self.placed(middle, above=live)
            if better is not None and self.live_bytes is not None and self.live_bytes <= middle:
                found, live, fits = better, self.live_bytes, middle
            elif self.live_bytes is not None and self.live_bytes <= live:
                fits = middle  # the same plan
            else:
                too_much = middle
        return found


def told(asked: AnyPass, **options: int | str | None) -> AnyPass:
    """A pass, which is a dataclass, with these options."""
    return cast("AnyPass", replace(cast("Any", asked), **options))
