"""From a Graph to a Program: choose a kernel for every node, and lay out buffers without addresses.

A reshape costs nothing here: its result shares the bytes of its operand. Where one kernel gives a layout and another
takes a different one, a call of a kernel that turns the one to the other stands between, or else a copy. A state has a
memory of its own; what it is next is copied there when all else is done, or written there at once if nobody reads the
state any more. Addresses are the business of an allocation pass, the order of steps that of a scheduling pass; this
keeps the graph's order.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from typing import ClassVar

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.escape import print_name, quoted, visible
from tinsmith_ir.graph import Graph, Node, Value
from tinsmith_ir.layouts import layout_bytes
from tinsmith_ir.operators import Reshape, Trait
from tinsmith_ir.passes import BIT_EXACT, Contract
from tinsmith_ir.program import (
    Buffer,
    Call,
    ConstantBuffer,
    Copy,
    Kept,
    Memory,
    Program,
    View,
    tensor,
)
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import TensorType
from tinsmith_target import Target

from tinsmith_lowering.chains import as_one_node, chains_from
from tinsmith_lowering.kernel import Kernel, Kind, Layer, pattern_of, types_of
from tinsmith_lowering.states import updating_states
from tinsmith_lowering.turning import turning, turning_node, turns
from tinsmith_lowering.walks import overlaps

ARENA = "arena"
STATE = "state"
"""The memory that keeps its bytes from run to run; of networks with states alone."""
ARENA_ALIGNMENT = 16


@dataclass(frozen=True)
class Lower(Checked):
    """`lower` as a pass. kernels: in order of preference, of one or several backends."""

    target: Target
    kernels: Sequence[Kernel]

    name: ClassVar[str] = "lower"
    # A kernel computes its operator, bit by bit.
    contract: ClassVar[Contract] = BIT_EXACT

    def run(self, graph: Graph) -> Program:
        """The program of `graph`; raises UnsupportedError for what no kernel takes."""
        return lower(graph, self.target, self.kernels)


@checked
def lower(graph: Graph, target: Target, kernels: Sequence[Kernel]) -> Program:
    """The program that computes `graph` with the first of `kernels` that accepts each node, or several in a row.

    Longer rows come first, and those that begin earlier in the graph before others. None takes a node from a back end
    that is preferred to its own, unless another of its nodes has no kernel by itself. Where a node names its engine,
    kernels of others are not asked, and nothing that would make a kernel pay is.

    kernels: in order of preference, of one or several backends. Buffers have no offset yet.
    Raises UnsupportedError naming every node that no kernel takes, and for each kernel the rule that
    it breaks.
    """
    lowering = _Lowering(graph, target, kernels)
    for value in graph.inputs:
        lowering.add_buffer(value)
    for state in graph.states:
        lowering.add_buffer(state.value, STATE)
    for node in graph.nodes:
        lowering.add_node(node)
    outputs = tuple(lowering.output_buffer(value) for value in graph.outputs)
    lowering.raise_refused()
    return lowering.program(outputs)


class _Lowering:
    """The parts of the program as they are found."""

    def __init__(self, graph: Graph, target: Target, kernels: Sequence[Kernel]) -> None:
        self.graph = graph
        self.target = target
        self.kernels = kernels
        self.buffers: list[Buffer] = []
        self.views: dict[str, View] = {}
        self.steps: list[Call | Copy] = []
        self.refused: list[str] = []
        # Calls whose C counts places from the start of the arena.
        self.within_arena: set[str] = set()
        # A view of the same tensor in another layout -> the view that was copied there.
        self.copies: dict[tuple[str, str], str] = {}
        # A reshape's buffer is that of what it reshapes; a state's has its name.
        self.kept = {state.value.name for state in graph.states}
        self.taken = {
            *(value.name for value in graph.inputs),
            *(constant.value.name for constant in graph.constants),
            *self.kept,
            *(value.name for node in graph.nodes for value in node.outputs),
        }
        # Nodes that one call computes -> the chain for the last of them, None for the others.
        self.chained: dict[str, Node | None] = {}
        # Back ends, the preferred one first.
        names = dict.fromkeys(kernel.backend for kernel in kernels)
        self.ranks = {name: rank for rank, name in enumerate(names)}

    def add_buffer(
        self, value: Value, memory: str = ARENA, layout: str = "", behind: int = 0
    ) -> None:
        """behind: bytes of the buffer behind the tensor, where its writer leaves what nobody reads."""
        buffer, view = tensor(value.name, value.type, memory)
        size = layout_bytes(layout, value.type) + behind
        self.buffers.append(replace(buffer, size_bytes=size))
        self.views[view.name] = replace(view, layout=layout)

    def in_layout(self, name: str, layout: str = "") -> str:
        """The view of a computed tensor in that layout, "" being dense: turned or copied there when first asked for."""
        view = self.views[name]
        if view.layout == layout:
            return name
        if (name, layout) not in self.copies:
            copy = self.fresh(f"{name}.{layout or 'dense'}")
            if not self.is_turned(view, copy, layout):
                self.add_buffer(Value(copy, view.type), layout=layout)
                self.steps.append(Copy(name, copy))
            self.copies[name, layout] = copy
        return self.copies[name, layout]

    def lies(self, name: str, layout: str) -> bool:
        """Whether a computed tensor is to be had in that layout without a step; what no node has given yet is dense."""
        view = self.views.get(name)
        own = "" if view is None else view.layout
        return own == layout or (name, layout) in self.copies

    def is_turned(self, view: View, turned: str, layout: str) -> bool:
        """Whether a kernel turns a tensor to a layout; its call is then the step that gives `turned`."""
        node = turning_node(Value(view.name, view.type), turned)
        layer = layer_of_node(self.graph, node, self.target)
        kernels = turning(self.kernels, layer, view.layout, layout)
        in_one_memory = view.buffer not in self.kept
        choice = _choose(layer, kernels, in_one_memory=in_one_memory, is_turned=True)
        if isinstance(choice, str):
            return False
        self.add_call_of(node, layer, choice)
        return True

    def fresh(self, name: str) -> str:
        """A name for a view of our own, that name if the graph and we have none of it yet."""
        found = name
        for number in count(2):
            if found not in self.taken and found not in self.views:
                break
            found = f"{name}.{number}"
        return found

    def add_node(self, node: Node) -> None:
        source = node.inputs[0] if Trait.SAME_BYTES in node.operator.traits else None
        if source is not None and source.name in self.views:
            (result,) = node.outputs
            source_view = self.views[self.in_layout(source.name)]
            self.views[result.name] = View(result.name, result.type, source_view.buffer)
            return
        if node.name not in self.chained:
            self.find_chain(node)
        together = self.chained.get(node.name, node)
        if together is not None:
            self.add_call(together)

    def find_chain(self, first: Node) -> None:
        """Let one call compute a node and those behind it if a kernel does; it stands where the last of them stood."""
        for nodes in chains_from(self.graph, first, self.kernels):
            together = as_one_node(nodes)
            if any(node.name in self.chained for node in nodes) or not self.is_better(
                together, nodes
            ):
                continue
            self.chained |= {node.name: None for node in nodes}
            self.chained[together.name] = together
            return

    def is_better(self, together: Node, nodes: Sequence[Node]) -> bool:
        """Whether a kernel computes them all; and one of them has none by itself, or none of them has one of a back end
        before that kernel's.
        """
        found = self.choice(together)
        if isinstance(found, str):
            return False
        rank = self.ranks[found[0].backend]
        alone = [choice for choice in map(self.choice, nodes) if not isinstance(choice, str)]
        return len(alone) < len(nodes) or all(
            rank <= self.ranks[kernel.backend] for kernel, _ in alone
        )

    def choice(self, node: Node) -> tuple[Kernel, str] | str:
        """The kernel of a node and why not a better one; or why there is none."""
        return self.choice_for(layer_of_node(self.graph, node, self.target), node)

    def choice_for(self, layer: Layer, node: Node) -> tuple[Kernel, str] | str:
        """The same of a node whose layer is known."""
        is_within_arena = not any(self.is_kept(value) for value in node.present_inputs)

        def lies(index: int, layout: str) -> bool:
            value = node.inputs[index]
            return value is not None and self.lies(value.name, layout)

        if not node.engine:
            return _choose(layer, self.kernels, in_one_memory=is_within_arena, lies=lies)
        kernels = [kernel for kernel in self.kernels if kernel.unit == node.engine]
        if not kernels:
            units = ", ".join(dict.fromkeys(quoted(kernel.unit) for kernel in self.kernels))
            return f"expected an engine of {units}, got {quoted(node.engine)}"
        choice = _choose(layer, kernels, in_one_memory=is_within_arena, is_chosen=True, lies=lies)
        return choice if not isinstance(choice, str) else f"on {quoted(node.engine)}: {choice}"

    def add_call(self, node: Node) -> None:
        layer = layer_of_node(self.graph, node, self.target)
        choice = self.choice_for(layer, node)
        if isinstance(choice, str):
            self.refused.append(
                f"{node.operator.title} {print_name(node.name)} ({node.location}): {choice}"
            )
            return
        self.add_call_of(node, layer, choice)

    def add_call_of(self, node: Node, layer: Layer, choice: tuple[Kernel, str]) -> None:
        """A call of the kernel that was chosen for a node's layer, its operands in the layouts that it takes."""
        kernel, reason = choice
        layer = kernel.with_options(layer)
        layouts = kernel.layouts(layer)
        names = tuple(
            self.in_layout(value.name, layouts.of_input(index))
            if value is not None and value.name in self.views
            else value and value.name
            for index, value in enumerate(node.inputs)
        )
        for index, value in enumerate(node.outputs):
            behind = layouts.behind_output(index)
            self.add_buffer(value, layout=layouts.of_output(index), behind=behind)
        outputs = tuple(value.name for value in node.outputs)
        if kernel.takes_offsets:
            self.within_arena.add(node.name)
        scratch = self.add_scratch(node.name, kernel.scratch_bytes(layer))
        self.steps.append(
            Call(
                node.name,
                _called(kernel, layer, self.kernels),
                node.operator,
                names,
                outputs,
                scratch,
                reason,
                location=node.location,
                over=overlaps(kernel, layer),
                options=layer.options,
            )
        )

    def is_kept(self, value: Value) -> bool:
        """True for a state, and for another shape of one."""
        node = self.graph.producer(value)
        while node is not None and Trait.SAME_BYTES in node.operator.traits:
            (value,) = node.present_inputs
            node = self.graph.producer(value)
        return value.name in self.kept

    def add_scratch(self, layer: str, size_bytes: int) -> str | None:
        if size_bytes == 0:
            return None
        name = self.fresh(f"{layer}.scratch")
        self.add_buffer(Value(name, scratch_type(size_bytes)))
        return name

    def output_buffer(self, value: Value) -> str:
        """The buffer of a graph output; an output that is a constant is copied into one."""
        if self.graph.constant(value) is None:
            return self.in_layout(value.name) if value.name in self.views else value.name
        copy = Value(f"{value.name}.copy", value.type)
        if copy.name not in self.views:
            self.add_node(Node(Reshape(shape=value.type.shape), (value,), (copy,)))
        return copy.name

    def raise_refused(self) -> None:
        if self.refused:
            raise UnsupportedError(
                f"target {self.target.name} cannot run {len(self.refused)} operation(s) of "
                f"{self.graph.name!r}:\n" + "\n".join(self.refused)
            )

    def program(self, outputs: tuple[str, ...]) -> Program:
        nexts = {
            state.value.name: self.in_layout(state.next.name)
            if state.next.name in self.views
            else state.next.name
            for state in self.graph.states
        }
        calls = [step for step in self.steps if isinstance(step, Call)]
        used = {name for call in calls for name in call.inputs} | {*nexts.values()}
        memories = [ARENA, STATE] if nexts else [ARENA]
        program = Program(
            name=self.graph.name,
            target=self.target.name,
            memories=tuple(Memory(name, None, ARENA_ALIGNMENT) for name in memories),
            buffers=tuple(self.buffers),
            views=tuple(self.views.values()),
            constants=tuple(
                ConstantBuffer(constant.value.name, constant.value.type, constant.data)
                for constant in self.graph.constants
                if constant.value.name in used
            ),
            steps=tuple(self.steps),
            inputs=tuple(value.name for value in self.graph.inputs),
            outputs=outputs,
            states=tuple(Kept(state.value.name, state.initial) for state in self.graph.states),
        )
        return updating_states(program, nexts, ARENA, self.within_arena)


def layer_of_node(graph: Graph, node: Node, target: Target) -> Layer:
    """A node as kernels see it."""
    return Layer(
        name=node.name,
        operator=node.operator,
        inputs=tuple(value.type if value else None for value in node.inputs),
        outputs=tuple(value.type for value in node.outputs),
        constants=tuple(graph.constant(value) for value in node.inputs),
        target=target,
    )


def layer_of_call(program: Program, call: Call, target: Target) -> Layer:
    """A kernel call as kernels see it; of a table of constants, with the first."""
    constants = [program.written_constant(name) for name in call.inputs]
    inputs, outputs = program.types_of(call)
    return Layer(
        name=call.name,
        operator=call.operator,
        inputs=inputs,
        outputs=outputs,
        constants=tuple(constant and constant.data for constant in constants),
        target=target,
        options=call.options,
    )


def find_kernel(name: str, layer: Layer, kernels: Sequence[Kernel]) -> Kernel:
    """The declaration behind a call of `layer`. name: Call.kernel, a key or the name of a routine.

    Raises UnsupportedError for what nobody declares, and for a name that several kernels of the
    layer's operator and element types share.
    """
    found = _named(name, layer, kernels)
    if len(found) == 1:
        return found[0]
    where = f"call {visible(layer.name)}"
    operation = f"{layer.operator.title} of {types_of(layer)}"
    if found:
        raise UnsupportedError(
            f"{where}: {len(found)} kernels for {operation} are called {name!r}; "
            f"name one of {_keys(found)}"
        )
    known = _keys(_taking(layer.kind, tuple(kernels)))
    raise UnsupportedError(
        f"{where}: no kernel {name!r} for {operation} is known; known: {known or 'none'}"
    )


def _named(name: str, layer: Layer, kernels: Sequence[Kernel]) -> list[Kernel]:
    """The kernels that `name` may mean there."""
    return [
        kernel
        for kernel in _taking(layer.kind, tuple(kernels))
        if name in (kernel.name, kernel.key)
    ]


@lru_cache(maxsize=1024)
def _taking(kind: Kind, kernels: tuple[Kernel, ...]) -> tuple[Kernel, ...]:
    """The kernels for layers of a kind; there are many kernels, and each call of a network asks for its own."""
    return tuple(kernel for kernel in kernels if kernel.takes(kind))


def _called(kernel: Kernel, layer: Layer, kernels: Sequence[Kernel]) -> str:
    """What the call says: the kernel's name where that is enough, else its key."""
    is_enough = len(_named(kernel.name, layer, kernels)) == 1
    return kernel.name if is_enough else kernel.key


def _keys(kernels: Sequence[Kernel]) -> str:
    return ", ".join(repr(kernel.key) for kernel in kernels)


def scratch_type(size_bytes: int) -> TensorType:
    """The type of the view of a kernel's working memory."""
    return TensorType((size_bytes,), DType.INT8)


def choose_kernel(
    layer: Layer, kernels: Sequence[Kernel], *, in_one_memory: bool = True
) -> tuple[Kernel, str, str]:
    """The first kernel that takes `layer`, why not a better one, and what a call of it says.

    in_one_memory: all that it reads and writes lies in one memory, as some kernels want it.
    Raises UnsupportedError with the reasons if there is none.
    """
    choice = _choose(layer, kernels, in_one_memory=in_one_memory)
    if isinstance(choice, str):
        raise UnsupportedError(choice)
    kernel, reason = choice
    return kernel, reason, _called(kernel, layer, kernels)


def kernels_by_unit(layer: Layer, kernels: Sequence[Kernel]) -> Mapping[str, Kernel]:
    """Each engine that can compute a layer, with the kernel that it is lowered to if a node names the engine; whether
    it pays is not asked. The engine of the first of the kernels comes first. Kernels that take operands as they lie
    make no engine able: where operands lie is not known before all layers have their kernels.
    """
    found: dict[str, Kernel] = {}
    for unit in dict.fromkeys(kernel.unit for kernel in _taking(layer.kind, tuple(kernels))):
        own = [kernel for kernel in kernels if kernel.unit == unit and not kernel.as_they_lie]
        choice = _choose(layer, own, in_one_memory=True, is_chosen=True)
        if not isinstance(choice, str):
            found[unit] = choice[0]
    return found


def _choose(
    layer: Layer,
    kernels: Sequence[Kernel],
    *,
    in_one_memory: bool,
    is_chosen: bool = False,
    is_turned: bool = False,
    lies: Callable[[int, str], bool] | None = None,
) -> tuple[Kernel, str] | str:
    """The kernel and why not a better one; or why there is none. is_chosen: somebody knows that these pay. is_turned:
    the layer turns a tensor to another layout, which the kernels are known to do; else none that turns is taken. lies:
    as of `Kernel.lie_finding`, which is not asked where nobody knows.
    """
    broken: list[str] = []
    for kernel in _taking(layer.kind, tuple(kernels)):
        if not is_turned and turns(kernel, layer):
            continue
        finding = kernel.broken_rule(layer) if is_chosen else kernel.why_not(layer)
        if finding is None and kernel.takes_offsets and not in_one_memory:
            finding = "Operands and results lie in one memory: one of them is a state"
        if finding is None and lies is not None:
            finding = kernel.lie_finding(layer, lies)
        if finding is None:
            return kernel, "; ".join(broken) or _missing(layer, kernel, kernels)
        # No reason to anybody where the same accelerator computes what lies otherwise.
        if not (kernel.as_they_lie and _has_other(kernel, layer, kernels)):
            broken.append(f"{kernel.name}: {finding}")
    if broken:
        return "; ".join(broken)
    pattern = pattern_of(layer.operator)
    candidates = [kernel for kernel in kernels if kernel.matches(pattern)]
    if not candidates:
        return f"no kernel computes {layer.operator.title}"
    known = ", ".join(f"{kernel.name} ({kernel.signature})" for kernel in candidates)
    return f"no kernel takes the element types {types_of(layer)}; there are {known}"


def _has_other(kernel: Kernel, layer: Layer, kernels: Sequence[Kernel]) -> bool:
    """Whether another kernel of its accelerator computes the layer, however operands lie."""
    return kernel.accelerator != "" and any(
        other.accelerator == kernel.accelerator
        and not other.as_they_lie
        and other.why_not(layer) is None
        for other in _taking(layer.kind, tuple(kernels))
    )


def _missing(layer: Layer, kernel: Kernel, kernels: Sequence[Kernel]) -> str:
    """What the best backend lacks when `kernel` is another one's."""
    best = kernels[0].backend
    if kernel.backend == best:
        return ""
    missing = f"{best} has no kernel for {layer.operator.title} of {types_of(layer)}"
    of_any_rounding = _taking(replace(layer.kind, roundings=()), tuple(kernels))
    others = [
        kernel
        for kernel in of_any_rounding
        if kernel.backend == best and not kernel.takes(layer.kind)
    ]
    modes = [mode.value for mode in Rounding if any(mode in each.roundings for each in others)]
    if not modes:
        return missing
    return f"{missing}; it has one rounded by {' or '.join(modes)}, see set-rounding"
