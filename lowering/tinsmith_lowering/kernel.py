"""What a backend declares: kernels, the rules under which each may be used, and the C of one call.

A kernel is data. `lower` asks its signature and its rules, a writer asks `Kernel.emit`, the report asks
`engine`, and the manual prints the docstrings of the rules; nothing is said twice.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol, TypeVar

from tinsmith_ir.arithmetic import MULTIPLIER_BITS
from tinsmith_ir.checked import Checked
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array
from tinsmith_ir.operators import Chain
from tinsmith_ir.operators.base import Operator, Rescaling
from tinsmith_ir.operators.weighted import Weighted
from tinsmith_ir.program import Option
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import TensorType
from tinsmith_target import Target

from tinsmith_lowering.fragments import Emission, Scope
from tinsmith_lowering.walk import Walk

AnyOperator = TypeVar("AnyOperator", bound=Operator)


CLUSTER_HEADER = "tinsmith/cluster.h"
"""What kernels include that share their work among cores."""

AS_THEY_LIE = "Operands lie in its layouts already"
"""What the error message and the manual print of `Kernel.as_they_lie`."""

CORES = "cores"
"""The option of kernels that share a call among cores, where they leave open among how many; and the engine that a
core is, or a cluster's are together.
"""


@dataclass(frozen=True)
class Kind:
    """What a kernel's declaration says of the layers it takes, rules aside; many layers of a network are of one kind.

    pattern: the operators. inputs: element types, None for an absent operand. roundings: those of the operators
    that may round. asymmetric_weights: whether the weights have a zero point other than 0. narrow: whether some
    multipliers have less bits than there may be.
    """

    pattern: tuple[type[Operator], ...]
    inputs: tuple[DType | None, ...]
    output: DType
    roundings: tuple[Rounding, ...]
    asymmetric_weights: bool
    narrow: bool


@dataclass(frozen=True)
class Layer(Checked):
    """One operation, or a chain of them, as a kernel sees it when it is chosen and when it is written.

    inputs: types, None for an absent optional operand. constants: the data of each operand that is
    known at compile time, else None; as many as inputs. options: none yet when a kernel is chosen; then one for
    each of its choices.
    """

    name: str
    operator: Operator
    inputs: tuple[TensorType | None, ...]
    outputs: tuple[TensorType, ...]
    constants: tuple[Array | None, ...]
    target: Target
    options: tuple[Option, ...] = ()

    def option(self, name: str) -> int | str:
        """The value that was chosen; raises ValueError if nothing was."""
        found = [option.value for option in self.options if option.name == name]
        if not found:
            raise ValueError(f"layer {self.name}: option {name} is not chosen")
        return found[0]

    @cached_property
    def kind(self) -> Kind:
        """What a kernel's declaration asks for."""
        return Kind(
            pattern_of(self.operator),
            tuple(value.dtype if value else None for value in self.inputs),
            self.output.dtype,
            _roundings(self),
            weights_offset(self) != 0,
            any(each.multiplier_bits < MULTIPLIER_BITS for each in _rescalings(self)),
        )

    @property
    def steps(self) -> tuple["Layer", ...]:
        """The operators of a chain as layers of their own, in which what lies between is computed; else this one."""
        chain = self.operator
        if not isinstance(chain, Chain):
            return (self,)
        data = chain.shared(self.constants, [None] * len(chain.links))
        return tuple(
            Layer(self.name, step.operator, step.inputs, step.outputs, tuple(own), self.target)
            for step, own in zip(chain.steps(self.inputs, self.outputs), data, strict=True)
        )

    def input(self, index: int) -> TensorType:
        """The type of an operand that must be there; raises ValueError if it is absent."""
        found = self.inputs[index] if index < len(self.inputs) else None
        if found is None:
            raise ValueError(f"layer {self.name}: operand {index} is absent")
        return found

    def has_input(self, index: int) -> bool:
        """True if the optional operand is given."""
        return index < len(self.inputs) and self.inputs[index] is not None

    def constant(self, index: int) -> Array | None:
        """Data of an operand, None if it is absent or computed at run time."""
        return self.constants[index] if index < len(self.constants) else None

    @property
    def output(self) -> TensorType:
        """The type of the first result."""
        return self.outputs[0]

    def operator_as(self, kind: type[AnyOperator]) -> AnyOperator:
        """The operator, known to be of `kind`; raises TypeError if it is not."""
        if not isinstance(self.operator, kind):
            raise TypeError(f"layer {self.name} is a {self.operator.title}")
        return self.operator


Rule = Callable[[Layer], str | None]
"""None if the layer obeys, else what was found; the rule itself is the function's docstring, which
the error message and the manual print."""


def no_scratch(layer: Layer) -> int:
    """Scratch formula of kernels that work in place of nothing."""
    del layer
    return 0


@dataclass(frozen=True)
class Choice(Checked):
    """What a kernel leaves open: any of `values` gives the same bits.

    name: as the text of a Program has it, `{strip=4}`. values: integers or words, each once. default: what lowering
    takes, one of them.
    """

    name: str
    values: tuple[int | str, ...]
    default: int | str

    def __post_init__(self) -> None:
        """Raise ValueError for a default that is no value."""
        super().__post_init__()
        if self.default not in self.values:
            raise ValueError(f"choice {self.name}: {self.default} is none of {self.values}")

    def __str__(self) -> str:
        """`strip of 1 to 8`, `form of wide, tall`."""
        first, last = self.values[0], self.values[-1]
        if (
            isinstance(first, int)
            and isinstance(last, int)
            and len(self.values) > 2
            and self.values == tuple(range(first, last + 1))
        ):
            return f"{self.name} of {first} to {last}"
        return f"{self.name} of {', '.join(map(str, self.values))}"


def no_options(layer: Layer) -> tuple[Choice, ...]:
    """Of kernels that leave nothing open."""
    del layer
    return ()


@dataclass(frozen=True)
class Cost(Checked):
    """What a call takes, about. cycles: of one of several calls in a row. first: more for the first of them, whose
    instructions are not in a cache yet. start, wait: of a call beside the core (`Kernel.beside`), those of its cycles
    in which the core does nothing else: until it has been started, and behind its end until the wait returns.
    """

    cycles: int
    first: int = 0
    start: int = 0
    wait: int = 0


def no_cost(layer: Layer) -> Cost | None:
    """Of kernels that nobody has measured."""
    del layer


@dataclass(frozen=True)
class Loads(Checked):
    """How often a call goes over a constant, about; who loads byte by byte loads a word once, as it waits once for what
    a cache or a buffer holds then.

    weights: over its largest constant. others: over each of the others.
    """

    weights: int = 1
    others: int = 1


def loads_once(layer: Layer) -> Loads:
    """Of kernels that come back to no constant, or say nothing of it."""
    del layer
    return Loads()


def no_walk(layer: Layer) -> Walk | None:
    """Of kernels that promise nothing: they never write over what they read."""
    del layer


@dataclass(frozen=True)
class Signature(Checked):
    """Element types that a kernel takes and gives. The last input repeats for variadic operators."""

    inputs: tuple[DType, ...]
    output: DType

    def fits(self, inputs: Sequence[DType | None], output: DType) -> bool:
        """True if these are the element types, None being an absent operand."""
        wanted = [self.inputs[min(index, len(self.inputs) - 1)] for index in range(len(inputs))]
        fitting = all(have in (None, want) for have, want in zip(inputs, wanted, strict=True))
        return fitting and output is self.output

    def __str__(self) -> str:
        """As the manual prints it: `i8, i8, i32 -> i8`."""
        return f"{_names(self.inputs)} -> {self.output.value}"


def types_of(layer: Layer) -> str:
    """The layer's element types, written as a Signature is, and how it rounds if not as TFLite; an
    absent operand is a dash.
    """
    given = [value.dtype if value else None for value in layer.inputs]
    rounding = rounding_of(layer)
    rounded = "" if rounding is Rounding.TFLITE else f" rounded by {rounding.value}"
    asymmetric = " with asymmetric weights" if weights_offset(layer) else ""
    return f"{_names(given)} -> {layer.output.dtype.value}{asymmetric}{rounded}"


def rounding_of(layer: Layer) -> Rounding:
    """How the layer rounds, a chain as the first of its operators that rounds in another way than TFLite; TFLITE, the
    default, where there is nothing to round.
    """
    others = (found for found in _roundings(layer) if found is not Rounding.TFLITE)
    return next(others, Rounding.TFLITE)


def _roundings(layer: Layer) -> tuple[Rounding, ...]:
    return tuple(
        each.rounding if isinstance(each, Rescaling) else Rounding.TFLITE
        for each in _operators(layer)
    )


def _rescalings(layer: Layer) -> Iterator[Rescaling]:
    return (each for each in _operators(layer) if isinstance(each, Rescaling))


def _operators(layer: Layer) -> tuple[Operator, ...]:
    operator = layer.operator
    return operator.operators if isinstance(operator, Chain) else (operator,)


def weights_offset(layer: Layer) -> int:
    """What is added to each of the layer's weights: minus their zero point; 0 of what has none."""
    if isinstance(layer.operator, Chain):
        return sum(weights_offset(step) for step in layer.steps if step)
    if not isinstance(layer.operator, Weighted):
        return 0
    quantization = layer.input(1).quantization
    is_symmetric = quantization is None or not any(quantization.zero_points)
    return 0 if is_symmetric or quantization is None else -quantization.zero_point


def _names(dtypes: Sequence[DType | None]) -> str:
    return ", ".join("-" if dtype is None else dtype.value for dtype in dtypes)


def pattern_of(operator: Operator) -> tuple[type[Operator], ...]:
    """The class of an operator, or those of a chain."""
    return (
        tuple(map(type, operator.operators)) if isinstance(operator, Chain) else (type(operator),)
    )


@dataclass(frozen=True)
class Prepared(Checked):
    """A constant as a kernel reads it, with its final bytes.

    layout: tells it from the others of its call, and how it is arranged: `multipliers`, `weights dsp`. memory: of the
    board, from which the kernel reads it by itself, so that nobody copies it; "" for where constants lie, from where
    it may be copied near.
    """

    layout: str
    data: Array
    memory: str = ""


@dataclass(frozen=True)
class AsGiven(Checked):
    """A constant operand that a kernel reads as the graph has it. operand: its index."""

    operand: int


@dataclass(frozen=True)
class Layouts(Checked):
    """How a kernel takes its operands and gives its results: names of `ElementLayout`s by index, "" for dense tensors;
    what is left out is dense, too. Constants are arranged by `prepare` instead.

    behind: bytes behind each result that a call writes, too, with what nobody reads; they are the result's buffer's.
    """

    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    behind: tuple[int, ...] = ()

    @property
    def are_any(self) -> bool:
        """True if some operand or result does not lie densely, or a call writes behind a result."""
        return any((*self.inputs, *self.outputs, *self.behind))

    def of_input(self, index: int) -> str:
        """Of an operand."""
        return self.inputs[index] if index < len(self.inputs) else ""

    def of_output(self, index: int) -> str:
        """Of a result."""
        return self.outputs[index] if index < len(self.outputs) else ""

    def behind_output(self, index: int) -> int:
        """Bytes behind a result that a call may write, 0 or more."""
        return self.behind[index] if index < len(self.behind) else 0


def dense(layer: Layer) -> Layouts:
    """Of kernels that take and give dense tensors."""
    del layer
    return Layouts()


@dataclass(frozen=True)
class Beside(Checked):
    """What computes a kernel's calls beside the core, as an engine of the Program.

    name, is_fifo, depth: as of an `Engine`; it reaches the memory nearest to the cores, or its scratchpad. Of one with
    a scratchpad a call's operands, results and scratch lie there, but what its kernel copies by itself lies where the
    cores have it: copies_operands, copies_results.
    """

    name: str
    is_fifo: bool = True
    depth: int | None = None
    copies_operands: bool = False
    copies_results: bool = False

    @property
    def copies(self) -> bool:
        """Whether something is copied by the kernel itself."""
        return self.copies_operands or self.copies_results


Weigh = Callable[[Layer], int]
"""Of a tile, as a layer: more is better."""


@dataclass(frozen=True)
class Cuts(Checked):
    """How a call is cut into tiles that fit a scratchpad, one after the other.

    axes: of the result, along which it may be cut, and of what a part's extent is a multiple there; the last part along
    an axis, or the only one, may be less. tiles: names of kernels that compute tiles, the preferred one first; another
    one is taken where a tile cannot be copied to where the first would have it. weigh: how another compiler prefers
    tiles, for comparison; among those that are whole along the first axis, if there are any.
    """

    axes: tuple[tuple[int, int], ...]
    tiles: tuple[str, ...]
    weigh: Weigh


def no_cuts(layer: Layer) -> Cuts | None:
    """Of kernels whose calls are computed as a whole."""
    del layer


def constant_operands(layer: Layer) -> tuple[AsGiven, ...]:
    """All of them, as they are: what most kernels read."""
    return tuple(AsGiven(i) for i, data in enumerate(layer.constants) if data is not None)


@dataclass(frozen=True, eq=False)
class Kernel(Checked):
    """A C routine and when it may be used. Two are equal if they are one.

    name: of the routine; one may compute several operators, of several element types. headers: to be
    included, as written between quotes. emit: the C of one call. prepare: the constants that a call
    reads; `emit` names them and no others. scratch_bytes: working memory of one call, live during it
    only. engine: the unit of the CPU that does the work, for the report. roundings: the modes that it
    computes. narrow: it is for layers with multipliers of less bits than there may be, and for no others. pays: rules
    of layers for which no kernel behind this one is better; a part of a layer that has this kernel may break them, as
    another one would be code and constants more. asymmetric_weights: it is for layers whose
    weights have a zero point other than 0, and for no others; None is for both. checks: conditions in C that the
    generated file asserts of the headers (their version, say). guards: C text in front of the headers, which refuses a
    compiler for another CPU than constants and scratch are made for. walk: the order in which a call reads and writes,
    from which follows how its
    result may lie over its operands; None is not over them at all. takes_offsets: the C of a call has no pointers to
    its operands, but `arena`, the start of the one memory that all of them lie in, and where they lie there
    (`Operand.offset`), which no loop moves. layouts: in which its operands lie and its results come; `lower` puts
    copies between kernels that do not agree. Where it has any, it bears no result over an operand. then: of a kernel
    that computes a chain, the operators behind `operator`; its layers have the operands of all of them (see
    `Layer.steps`), and what lies between need not exist. options: what it leaves open; `emit`, `scratch_bytes`,
    `walk` and `cost` see what was taken (`Layer.option`). cost: what a call takes that finds all in the
    memory nearest to its cores, where there is such a memory and somebody has measured; who tiles asks for it, and
    leaves calls of other kernels whole; of parts of a layer that have one shape and one operator it is the same, as is
    their scratch. loads: how often a call comes back to its constants, so that who places them knows which of them are
    worth fast memory. near: it reaches the cluster's memory alone, and that in which it wants a constant to lie;
    whoever places buffers and constants has `check_near`. accelerator: that of the target's which computes it, "" for
    the cores. beside: the engine that its calls may be given, as `emit` gives start and wait apart; None for none.
    as_they_lie: it is for computed operands that lie in its layouts already: to turn one for it would cost more than
    it saves. cuts: how calls are cut that do not fit the scratchpad of its accelerator; None for calls that are not.
    """

    name: str
    backend: str
    operator: type[Operator]
    signature: Signature
    headers: tuple[str, ...]
    emit: Callable[[Layer, Scope], Emission]
    rules: tuple[Rule, ...] = ()
    scratch_bytes: Callable[[Layer], int] = field(default=no_scratch)
    prepare: Callable[[Layer], tuple[Prepared | AsGiven, ...]] = field(default=constant_operands)
    engine: str = "cpu"
    roundings: tuple[Rounding, ...] = (Rounding.TFLITE,)
    narrow: bool = False
    pays: tuple[Rule, ...] = ()
    asymmetric_weights: bool | None = False
    checks: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    walk: Callable[[Layer], Walk | None] = field(default=no_walk)
    takes_offsets: bool = False
    layouts: Callable[[Layer], Layouts] = field(default=dense)
    then: tuple[type[Operator], ...] = ()
    options: Callable[[Layer], tuple[Choice, ...]] = field(default=no_options)
    cost: Callable[[Layer], Cost | None] = field(default=no_cost)
    loads: Callable[[Layer], Loads] = field(default=loads_once)
    near: bool = False
    accelerator: str = ""
    beside: Beside | None = None
    as_they_lie: bool = False
    cuts: Callable[[Layer], Cuts | None] = field(default=no_cuts)

    @property
    def unit(self) -> str:
        """What of the target computes it: an accelerator by its name, or CORES."""
        return self.accelerator or CORES

    @cached_property
    def pattern(self) -> tuple[type[Operator], ...]:
        """The operators that one call computes, in order; mostly one."""
        return (self.operator, *self.then)

    @property
    def of_cluster(self) -> bool:
        """Whether a cluster's core has to issue it, and no other work around it: it shares its work among the cores by
        itself, or is an accelerator's beside them.
        """
        return self.near or CLUSTER_HEADER in self.headers

    @cached_property
    def computes(self) -> str:
        """The pattern in words: `add`, `add then requantize`."""
        return " then ".join(operator.mnemonic for operator in self.pattern)

    @cached_property
    def key(self) -> str:
        """What no other kernel is called: `reference/tinsmith_copy/reshape/i8 -> i8`."""
        return f"{self.backend}/{self.name}/{self.computes}/{self.signature}"

    def takes(self, kind: Kind) -> bool:
        """True if layers of this kind are this kernel's; rules may still refuse one."""
        return (
            self.matches(kind.pattern)
            and self.signature.fits(kind.inputs, kind.output)
            and self.asymmetric_weights in (None, kind.asymmetric_weights)
            and all(found in self.roundings for found in kind.roundings)
            and (kind.narrow or not self.narrow)
        )

    def matches(self, pattern: Sequence[type[Operator]]) -> bool:
        """True if it computes operators of these classes."""
        pairs = zip(pattern, self.pattern, strict=False)
        return len(pattern) == len(self.pattern) and all(issubclass(*pair) for pair in pairs)

    def with_options(self, layer: Layer, wanted: Sequence[Option] = ()) -> Layer:
        """A layer that it takes, all choices made: as wanted where that is a value of one, else by default."""
        values = {option.name: option.value for option in wanted}
        chosen = [
            Option(choice.name, values[choice.name])
            if values.get(choice.name) in choice.values
            else Option(choice.name, choice.default)
            for choice in self.options(layer)
        ]
        return replace(layer, options=tuple(sorted(chosen, key=lambda option: option.name)))

    def option_finding(self, layer: Layer) -> str | None:
        """What is wrong with the options of a layer that it takes; None if each choice is made."""
        choices = {choice.name: choice for choice in self.options(layer)}
        known = "; ".join(map(str, choices.values())) or "none"
        for option in layer.options:
            if option.name not in choices or option.value not in choices[option.name].values:
                return f"expected options {known}; got {option.name}={option.value}"
        missing = choices.keys() - {option.name for option in layer.options}
        return f"expected options {known}; got no {min(missing)}" if missing else None

    def broken_rule(self, layer: Layer) -> str | None:
        """The first rule that `layer` breaks and what was found; None if it obeys all.

        The layer's operator, element types and rounding must be this kernel's.
        """
        return _broken(self.rules, layer)

    def why_not(self, layer: Layer) -> str | None:
        """The same, of rules and of what makes the kernel pay: why it is not chosen."""
        return self.broken_rule(layer) or _broken(self.pays, layer)

    def lie_finding(self, layer: Layer, lies: Callable[[int, str], bool]) -> str | None:
        """Of a layer that obeys the rules: which operand would be turned for a kernel that takes them as they lie.

        lies: whether that computed operand is to be had in that layout, "" being dense.
        """
        if not self.as_they_lie:
            return None
        layouts = self.layouts(layer)
        for index, type_ in enumerate(layer.inputs):
            wanted = layouts.of_input(index)
            is_computed = type_ is not None and layer.constant(index) is None
            if is_computed and not lies(index, wanted):
                return f"{AS_THEY_LIE}: operand {index} is not {wanted or 'dense'}"
        return None


def _broken(rules: Sequence[Rule], layer: Layer) -> str | None:
    for rule in rules:
        finding = rule(layer)
        if finding is not None:
            return f"{rule_text(rule)}: {finding}"
    return None


def rule_text(rule: Rule) -> str:
    """The sentence of a rule, for messages and the manual: its docstring on one line."""
    return " ".join((rule.__doc__ or "").split()).rstrip(".")


class Backend(Protocol):
    """What a plug-in's entry of a back end makes."""

    @property
    def name(self) -> str:
        """As users write it in `--backend`."""
        ...

    def kernels(self, target: Target) -> tuple[Kernel, ...]:
        """The kernels for a target, the best first."""
        ...
