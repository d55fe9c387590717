"""From a Program back to its Graph, and whether its calls are such that their kernels may carry them out.

A plan that a person has edited is compiled as it stands. What it computes is what its calls say they do.
"""

import itertools
from collections.abc import Sequence

from tinsmith_ir.byte_places import places
from tinsmith_ir.checked import checked
from tinsmith_ir.errors import GraphError
from tinsmith_ir.escape import print_name, quoted, visible
from tinsmith_ir.graph import Constant, Graph, Location, Node, Value
from tinsmith_ir.operators import Chain, Reshape
from tinsmith_ir.program import Call, Overlap, Program, View
from tinsmith_ir.program_printer import print_overlap, print_step, print_view
from tinsmith_ir.types import TensorType
from tinsmith_target import Target

from tinsmith_lowering.behind import check_behind
from tinsmith_lowering.kernel import Kernel, Layouts
from tinsmith_lowering.lower import find_kernel, layer_of_call
from tinsmith_lowering.prepare import check_prepared
from tinsmith_lowering.walks import overlaps


@checked
def lift(program: Program) -> Graph:
    """The graph that a program of calls in order computes; a view that no call writes is a reshape.

    Raises GraphError for states and other steps than calls of the core, for a tensor that is written twice, and for
    one that is read and lies where nothing of its size was written.
    """
    if program.states:
        names = ", ".join(print_name(state.view) for state in program.states)
        raise GraphError(f"expected a program that keeps nothing from run to run, got {names}")
    lifting = _Lifting(program)
    for step in program.steps:
        if not isinstance(step, Call) or step.engine is not None:
            raise GraphError(f"expected calls of the core alone, got\n  {print_step(step)}\n")
        lifting.add(step)
    outputs = tuple(lifting.read(name, "the program's output") for name in program.outputs)
    operands = {name for node in lifting.nodes for name in _names(node)}
    constants = tuple(
        Constant(Value(constant.name, constant.type), constant.data)
        for constant in program.constants
        if constant.name in operands
    )
    inputs = tuple(Value(name, program.type_of(name)) for name in program.inputs)
    return Graph(program.name, inputs, outputs, tuple(lifting.nodes), constants)


@checked
def check_calls(program: Program, target: Target, kernels: Sequence[Kernel]) -> None:
    """Raise GraphError for a call whose kernel does not take its layer or its options, has too little scratch, reads
    other bytes than it prepares, or may write over its operands less than the call says; UnsupportedError for a kernel
    that nobody declares.
    """
    for call in program.calls:
        layer = layer_of_call(program, call, target)
        kernel = find_kernel(call.kernel, layer, kernels)
        where = f"call {visible(call.name)}: {kernel.name}"
        finding = kernel.broken_rule(layer)
        if finding is not None:
            raise GraphError(f"{where}: {finding}")
        check_layouts(program, call, kernel.layouts(layer))
        finding = kernel.option_finding(layer)
        if finding is not None:
            raise GraphError(f"{where}: {finding}")
        wanted = kernel.scratch_bytes(layer)
        got = 0 if call.scratch is None else program.view[call.scratch].type.size_bytes
        if got < wanted:
            raise GraphError(f"{where}: expected {wanted} bytes of scratch, got {got}")
        if not call.reads and kernel.prepare(layer):
            raise GraphError(f"{where}: expected the constants that it reads, got none")
        _check_overlaps(where, call, overlaps(kernel, layer))
    check_prepared(program, target, kernels)


def check_layouts(program: Program, call: Call, layouts: Layouts) -> None:
    """Raise GraphError for a computed operand or a result that lies otherwise than the call's kernel takes it, and for
    a result without the room behind it that the kernel writes.
    """
    ends = [(name, layouts.of_input(index)) for index, name in enumerate(call.inputs)]
    ends += [(name, layouts.of_output(index)) for index, name in enumerate(call.outputs)]
    for name, wanted in (*ends, (call.scratch, "")):
        view = program.view.get(name or "")
        if view is None or (view.layout == wanted and (wanted or view.is_dense)):
            continue
        takes = f"layout {quoted(wanted)}" if wanted else "what lies densely"
        raise GraphError(
            f"kernel {call.kernel!r} takes {takes}; copy it first: got\n"
            f"  {print_view(view)}\n  in {print_step(call)}\n"
        )
    for index, name in enumerate(call.outputs):
        check_behind(program, call, name, layouts.behind_output(index))


def _check_overlaps(where: str, call: Call, borne: tuple[Overlap, ...]) -> None:
    for wanted in call.over:
        if not any(has.operand == wanted.operand and has.covers(wanted) for has in borne):
            least = next((has for has in borne if has.operand == wanted.operand), None)
            bears = (
                "nothing over it" if least is None else f"at most `{print_overlap(call, least)}`"
            )
            raise GraphError(
                f"{where} cannot bear `{print_overlap(call, wanted)}`: expected {bears}"
            )


class _Lifting:
    """nodes: as they are found."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._defined = {name: Value(name, program.type_of(name)) for name in program.inputs}
        self._written = {self._place(program.view[name]): name for name in program.inputs}
        self.nodes: list[Node] = []

    def add(self, call: Call) -> None:
        where = f"\n  {print_step(call)}\n"
        inputs = tuple(None if name is None else self.read(name, where) for name in call.inputs)
        outputs = tuple(Value(name, self._program.type_of(name)) for name in call.outputs)
        for value in outputs:
            if value.name in self._defined:
                raise GraphError(f"{print_name(value.name)} is written once more in{where}")
            self._defined[value.name] = value
            self._written[self._place(self._program.view[value.name])] = value.name
        if isinstance(call.operator, Chain):
            self._add_chain(call.operator, inputs, outputs, call.location)
        else:
            self.nodes.append(Node(call.operator, inputs, outputs, call.location))

    def _add_chain(
        self,
        chain: Chain,
        inputs: Sequence[Value | None],
        outputs: tuple[Value, ...],
        location: Location,
    ) -> None:
        """A node for each operator; what lies between them has names of its own."""
        between = [self._fresh(outputs[0].name, link.taken) for link in chain.links]
        results = [*((value,) for value in between), outputs]
        for operator, taken, made in zip(
            chain.operators, chain.shared(inputs, between), results, strict=True
        ):
            self.nodes.append(Node(operator, tuple(taken), made, location))

    def _fresh(self, name: str, type_: TensorType) -> Value:
        """A value of no tensor of the program."""
        known = {*self._program.view, *self._program.constant, *self._defined}
        free = (f"{name}.{number}" for number in itertools.count(1))
        made = Value(next(found for found in free if found not in known), type_)
        self._defined[made.name] = made
        return made

    def read(self, name: str, reader: str) -> Value:
        """The value of that name; if nothing has it, a reshape of what was written where it lies."""
        if name in self._program.constant:
            return Value(name, self._program.type_of(name))
        if name not in self._defined:
            source = self._written.get(self._place(self._program.view[name]))
            if source is None:
                raise GraphError(f"{print_name(name)} is read, but nothing wrote it, by {reader}")
            value = Value(name, self._program.type_of(name))
            reshape = Reshape(shape=value.type.shape)
            self.nodes.append(Node(reshape, (self._defined[source],), (value,)))
            self._defined[name] = value
        return self._defined[name]

    def _place(self, view: View) -> tuple[str, int, int]:
        return view.buffer, places(view).begin, view.type.size_bytes


def _names(node: Node) -> list[str]:
    return [value.name for value in node.present_inputs]
