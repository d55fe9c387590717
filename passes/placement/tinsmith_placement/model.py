"""The problem: layers in order, for each of them what may compute it; and the plan that chooses. Neither knows a
Program or a target.
"""

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tinsmith_ir.checked import Checked
from tinsmith_ir.errors import TinsmithError


class PlacementError(TinsmithError):
    """A problem that contradicts itself, or a plan that does not follow from its problem."""


@dataclass(frozen=True)
class Option(Checked):
    """One way to compute a layer.

    engine: what computes. cycles: from its start to its end. held: engines that do nothing else meanwhile, as cores
    that wait. fetch_cycles: of what is brought for this layer alone before it starts, such as weights. loss: what it
    takes from the accuracy, in any unit that adds up. takes: the form of each operand; gives: of each result. Forms are
    words (a memory, a layout); tensors of another form have to be turned before they are read. () is the form "" for
    all. label: for people.
    """

    engine: str
    cycles: int
    held: tuple[str, ...] = ()
    fetch_cycles: int = 0
    loss: float = 0.0
    takes: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()
    label: str = ""

    def __post_init__(self) -> None:
        """Raise PlacementError for times and losses below 0."""
        super().__post_init__()
        if min(self.cycles, self.fetch_cycles, self.loss) < 0:
            raise PlacementError(
                f"option on {self.engine}: expected cycles, fetch_cycles and loss from 0, got {self.cycles}, "
                f"{self.fetch_cycles} and {self.loss:g}"
            )

    @property
    def engines(self) -> tuple[str, ...]:
        """All that are busy from its start to its end."""
        return (self.engine, *(name for name in self.held if name != self.engine))


@dataclass(frozen=True)
class Layer(Checked):
    """operands, results: names of tensors; those that nobody writes are there from the start. options: at least one."""

    name: str
    operands: tuple[str, ...]
    results: tuple[str, ...]
    options: tuple[Option, ...]

    def forms_read(self, option: Option) -> Mapping[str, str]:
        """The form of each operand by name."""
        return dict(zip(self.operands, option.takes or ("",) * len(self.operands), strict=True))

    def forms_written(self, option: Option) -> Mapping[str, str]:
        """The form of each result by name."""
        return dict(zip(self.results, option.gives or ("",) * len(self.results), strict=True))


@dataclass(frozen=True)
class Turn(Checked):
    """What it takes to give a tensor another form, which it then has beside the one before."""

    tensor: str
    before: str
    after: str
    engine: str
    cycles: int


@dataclass(frozen=True)
class Problem(Checked):
    """layers: in the order in which they are started, producers before readers. given: forms of tensors that are there
    from the start; "" where nothing is said. wanted: forms in which tensors are to be at the end. turns: those that
    there are. fetcher: the engine that brings what layers have for themselves. ahead: it may begin with a layer's when
    that many layers before it starts, and not earlier, as there is no room. most_loss: of all layers together; None for
    any.
    """

    layers: tuple[Layer, ...]
    given: Mapping[str, str] = field(default_factory=dict[str, str])
    wanted: Mapping[str, str] = field(default_factory=dict[str, str])
    turns: tuple[Turn, ...] = ()
    fetcher: str = "dma"
    ahead: int = 2
    most_loss: float | None = None

    def __post_init__(self) -> None:
        """Raise PlacementError for layers without options, of one name, with wrong numbers of forms, or in no order."""
        super().__post_init__()
        known: set[str] = set()
        written = {name for layer in self.layers for name in layer.results}
        seen: set[str] = set()
        if self.ahead < 1:
            raise PlacementError(f"expected to fetch 1 or more layers ahead, got {self.ahead}")
        for layer in self.layers:
            if layer.name in known:
                raise PlacementError(f"layer {layer.name}: expected each name once")
            known.add(layer.name)
            _check_options(layer)
            for name in layer.operands:
                if name in written and name not in seen:
                    raise PlacementError(f"layer {layer.name} reads {name} before it is written")
            for name in layer.results:
                if name in seen:
                    raise PlacementError(f"layer {layer.name} writes {name} once more")
            seen.update(layer.results)

    @cached_property
    def engines(self) -> tuple[str, ...]:
        """All that are named, each once, in the order in which they are."""
        names = [
            name for layer in self.layers for option in layer.options for name in option.engines
        ]
        return tuple(dict.fromkeys([*names, *(turn.engine for turn in self.turns), self.fetcher]))

    @cached_property
    def turn(self) -> Mapping[tuple[str, str, str], Turn]:
        """Turns by tensor, form before and form after."""
        return {(turn.tensor, turn.before, turn.after): turn for turn in self.turns}

    @cached_property
    def writer(self) -> Mapping[str, int]:
        """The index of the layer that writes a tensor."""
        return {name: at for at, layer in enumerate(self.layers) for name in layer.results}


def _check_options(layer: Layer) -> None:
    if not layer.options:
        raise PlacementError(f"layer {layer.name}: expected at least one option, got none")
    for option in layer.options:
        if len(option.takes) not in (0, len(layer.operands)) or len(option.gives) not in (
            0,
            len(layer.results),
        ):
            raise PlacementError(
                f"layer {layer.name}, on {option.engine}: expected forms of {len(layer.operands)} operands and "
                f"{len(layer.results)} results, got {len(option.takes)} and {len(option.gives)}"
            )


class Status(enum.Enum):
    """OPTIMAL: proven; FEASIBLE: not."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"


@dataclass(frozen=True)
class Turned(Checked):
    """A turn that the plan makes, and when it starts."""

    turn: Turn
    start: int


@dataclass(frozen=True)
class Plan(Checked):
    """chosen: for each layer the index of its option. starts: when each layer starts. fetched: when what it has for
    itself begins to come; None where there is nothing. turned: in the order of their starts. cycles: when all has
    ended. bound: no plan has fewer.
    """

    chosen: tuple[int, ...]
    starts: tuple[int, ...]
    fetched: tuple[int | None, ...]
    turned: tuple[Turned, ...]
    cycles: int
    bound: int
    status: Status

    @property
    def gap(self) -> float:
        """How far the cycles of the best plan may be below these, as a part of them."""
        return 0.0 if self.cycles == 0 else 1 - self.bound / self.cycles


def options_of(problem: Problem, chosen: Sequence[int]) -> tuple[Option, ...]:
    """The chosen option of each layer."""
    pairs = zip(problem.layers, chosen, strict=True)
    return tuple(layer.options[index] for layer, index in pairs)


def keeps_limit(problem: Problem, chosen: Sequence[int]) -> bool:
    """Whether losses stay within the limit, but for what is lost in rounding: three times 0.1 is within 0.3."""
    most = problem.most_loss
    return most is None or loss_of(problem, chosen) <= most * (1 + 2.0**-31)


def loss_of(problem: Problem, chosen: Sequence[int]) -> float:
    """Of all layers."""
    return sum(option.loss for option in options_of(problem, chosen))


def turns_needed(problem: Problem, chosen: Sequence[int]) -> frozenset[tuple[str, str, str]]:
    """Tensor, form before and form after, of all that is read in another form than it has."""
    own = dict(problem.given)
    needed: set[tuple[str, str, str]] = set()
    for layer, option in zip(problem.layers, options_of(problem, chosen), strict=True):
        reads = layer.forms_read(option).items()
        needed |= {(name, own.get(name, ""), form) for name, form in reads}
        own |= layer.forms_written(option)
    needed |= {(name, own.get(name, ""), form) for name, form in problem.wanted.items()}
    return frozenset(key for key in needed if key[1] != key[2])
