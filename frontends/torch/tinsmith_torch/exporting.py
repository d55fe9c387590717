# pyright: reportPrivateUsage=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false
"""From a module of PyTorch to a program of plain records: exported, decomposed as far as no rule takes it whole.

PyTorch's types are partial here, and what says how operators are called has names for its own use.
"""

import operator
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
import torch
from tinsmith_ir.errors import UnsupportedError, UsageError
from tinsmith_ir.graph import Array
from tinsmith_ir.names import Names
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind
from torch.fx import Node
from torch.utils import _pytree as pytree

from tinsmith_torch.program import Argument, KeptBuffer, Meta, Program, Reference, Step, Stored

_WIDE = {torch.bfloat16: torch.float32}
"""Element types that NumPy does not have, and what holds all their numbers."""
_NO_MODULE = "_empty_nn_module_stack"
_CHECKS = frozenset(
    f"aten.{name}"
    for name in (
        "_assert_async",
        "_assert_scalar",
        "_assert_tensor_metadata",
        "sym_constrain_range",
        "sym_constrain_range_for_size",
    )
)
"""Operators without results, which stop PyTorch's run."""
_FUNCTIONAL = frozenset({"aten.batch_norm", "aten.dropout", "aten.fill", "aten.zero"})
"""Operators that become others where nothing is trained or changed in place."""
_OF_LIBRARIES = frozenset({"torchao.choose_qparams_affine"})
"""Operators of other libraries that PyTorch decomposes, by what these say of them."""
_STORED = frozenset({InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR})


def exported(
    module: torch.nn.Module,
    inputs: Sequence[object],
    keywords: Mapping[str, object],
    name: str,
) -> ExportedProgram:
    """The program of a module in evaluation mode, for inputs of these shapes.

    Raises UsageError for a module that is in training, UnsupportedError for one that PyTorch cannot export.
    """
    if module.training:
        raise UsageError(
            f"{name}: expected a module in evaluation mode, got one in training; call eval()"
        )
    try:
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of PyTorch about its own parts
            return torch.export.export(module, tuple(inputs), dict(keywords))
    except Exception as error:  # whatever the module does while it is traced
        raise UnsupportedError(
            f"{name}: expected a module that torch.export.export takes, which says: {_first_lines(error)}"
        ) from error


def program_of(exported_program: ExportedProgram, supported: Collection[str], name: str) -> Program:
    """The records of a program. supported: operators that stay whole, as `aten.linear` for all its forms.

    Raises UnsupportedError for sizes that are not fixed, and for elements that NumPy does not have.
    """
    fixed = _with_fixed_sizes(exported_program, name)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of PyTorch about its own parts
            decomposed = fixed.run_decompositions(_table(supported))
    except Exception as error:  # of whatever operator is decomposed
        raise UnsupportedError(
            f"{name}: expected a program that run_decompositions takes, which says: {_first_lines(error)}"
        ) from error
    return _Records(decomposed, name).program()


def decomposable() -> set[str]:
    """Operators, as `aten.linear`, that PyTorch makes of others by itself."""
    table = {entry.name() for entry in torch.export.default_decompositions()}
    implicit = torch._C._dispatch_get_registrations_for_dispatch_key("CompositeImplicitAutograd")
    names = {name.partition(".")[0].replace("::", ".") for name in (*table, *implicit)}
    return (
        {name for name in names if name.startswith("aten.")} | _FUNCTIONAL | _CHECKS | _OF_LIBRARIES
    )


def named(path: str, overload: str) -> str:
    """`aten.add.Tensor` of `aten::add` and `Tensor`."""
    return f"{path.replace('::', '.')}.{overload or 'default'}"


def _table(supported: Collection[str]) -> dict[torch._ops.OperatorBase, Callable[..., object]]:
    """How operators are decomposed: as core ATen is, but for those that rules take whole."""
    table = torch.export.default_decompositions()
    for entry in list(table.keys()):
        if entry.name().partition(".")[0].replace("::", ".") in supported:
            del table[entry]
    return table


def _with_fixed_sizes(program: ExportedProgram, name: str) -> ExportedProgram:
    """The same program; if it leaves sizes open, exported anew for the example's."""
    if not program.range_constraints:
        return program
    if program.example_inputs is None:
        raise UnsupportedError(
            f"{name}: expected fixed sizes, got a program with dynamic shapes and without example inputs; export it "
            "without dynamic_shapes"
        )
    inputs, keywords = program.example_inputs
    module = program.module()
    return exported(_Evaluated(module), inputs, keywords, name)


class _Evaluated(torch.nn.Module):
    """A module of a program, which has no mode, as one in evaluation."""

    def __init__(self, inner: torch.nn.Module) -> None:
        super().__init__()
        self.inner = inner
        self.training = False

    def forward(self, *inputs: object, **keywords: object) -> object:
        """What the inner one gives."""
        return self.inner(*inputs, **keywords)


class _Records:
    """One decomposed program on its way to records."""

    def __init__(self, program: ExportedProgram, name: str) -> None:
        self._program = program
        self._name = name
        self._signature = program.graph_signature
        self._nodes: list[Node] = list(program.graph.nodes)

    def program(self) -> Program:
        """The whole."""
        placeholders = {node.name: node for node in self._nodes if node.op == "placeholder"}
        inputs: dict[str, Meta] = {}
        stored: dict[str, Stored] = {}
        for spec in self._signature.input_specs:
            argument = spec.arg.name
            if spec.kind in _STORED:
                stored[argument] = self._stored(spec.target or argument)
            elif spec.kind is InputKind.USER_INPUT:
                meta = self._meta(placeholders[argument])
                if meta is not None:
                    inputs[argument] = meta
            else:
                raise UnsupportedError(
                    f"{self._name}: input {argument!r}: expected a tensor, got {spec.kind.name.lower()}"
                )
        kept = self._kept(stored)
        for buffer in kept:
            del stored[buffer.name]
        steps = tuple(
            self._step(node)
            for node in self._nodes
            if node.op == "call_function" and str(node.target).rpartition(".")[0] not in _CHECKS
        )
        attributes = {
            node.name: Stored(
                str(node.target),
                array_of(_attribute(self._program, str(node.target), self._name), self._name),
            )
            for node in self._nodes
            if node.op == "get_attr"
        }
        return Program(inputs, stored | attributes, kept, steps, self._outputs())

    def _stored(self, target: str) -> Stored:
        state: Mapping[str, torch.Tensor] = self._program.state_dict
        tensor = state[target] if target in state else self._program.constants[target]
        if not isinstance(tensor, torch.Tensor):
            raise UnsupportedError(
                f"{self._name}: constant {target!r}: expected a tensor, got {type(tensor).__name__}"
            )
        return Stored(target, array_of(tensor, f"{self._name}: {target!r}"))

    def _kept(self, stored: Mapping[str, Stored]) -> tuple[KeptBuffer, ...]:
        """Buffers that a run changes, and what each becomes."""
        by_target = {
            spec.target: spec.arg.name
            for spec in self._signature.input_specs
            if spec.kind is InputKind.BUFFER
        }
        kept: list[KeptBuffer] = []
        for spec in self._signature.output_specs:
            if spec.kind is OutputKind.BUFFER_MUTATION:
                name = by_target[spec.target]
                kept.append(KeptBuffer(name, stored[name], Reference(spec.arg.name)))
            elif spec.kind is not OutputKind.USER_OUTPUT:
                raise UnsupportedError(
                    f"{self._name}: expected results and buffers that change, got {spec.kind.name.lower()} of "
                    f"{spec.target!r}; what is to be kept between runs has to be a buffer of the module"
                )
        return tuple(kept)

    def _outputs(self) -> dict[str, Argument]:
        """By the names of their places: keys, and numbers of entries; a single one is `output`."""
        results: Sequence[object] = self._nodes[-1].args[0]  # pyright: ignore[reportAssignmentType]
        values = [
            result
            for spec, result in zip(self._signature.output_specs, results, strict=True)
            if spec.kind is OutputKind.USER_OUTPUT
        ]
        names = _output_names(self._program, len(values))
        outputs = {name: self._argument(value) for name, value in zip(names, values, strict=True)}
        return {name: value for name, value in outputs.items() if value is not None}

    def _step(self, node: Node) -> Step:
        target = node.target
        if target is operator.getitem:
            source, index = node.args
            arguments = {"source": self._argument(source), "index": self._argument(index)}
            return Step(node.name, "getitem", arguments, (self._meta(node),))
        if not isinstance(target, torch._ops.OpOverload):
            positional = {str(index): self._argument(arg) for index, arg in enumerate(node.args)}
            return Step(node.name, _python_name(target), positional, self._metas(node))
        return Step(
            node.name,
            named(target._schema.name, target._schema.overload_name),
            self._arguments(node, target),
            self._metas(node),
            _module_path(node),
        )

    def _arguments(self, node: Node, target: torch._ops.OpOverload) -> dict[str, Argument]:
        """All of the schema, by name."""
        found: dict[str, Argument] = {}
        for index, entry in enumerate(target._schema.arguments):
            if index < len(node.args):
                value: object = node.args[index]
            elif entry.name in node.kwargs:
                value = node.kwargs[entry.name]
            else:
                value = entry.default_value
            found[entry.name] = self._argument(value)
        return found

    def _argument(self, value: object) -> Argument:
        match value:
            case Node():
                return Reference(value.name)
            case bool() | int() | float() | str():
                return value
            case torch.dtype():
                return dtype_of(value, self._name)
            case list() | tuple():
                return tuple(self._argument(entry) for entry in value)
            case torch.SymInt() | torch.SymFloat() | torch.SymBool():
                raise UnsupportedError(
                    f"{self._name}: expected fixed sizes, got {value}, which depends on elements"
                )
            case complex():
                raise UnsupportedError(f"{self._name}: expected real numbers, got {value}")
            case _:
                return None

    def _metas(self, node: Node) -> tuple[Meta | None, ...]:
        found: object = node.meta.get("val")
        if isinstance(found, (list, tuple)):
            return tuple(self._meta_of(entry) for entry in found)
        return (self._meta_of(found),)

    def _meta(self, node: Node) -> Meta | None:
        return self._meta_of(node.meta.get("val"))

    def _meta_of(self, value: object) -> Meta | None:
        if not isinstance(value, torch.Tensor):
            return None
        sizes: list[object] = list(value.shape)
        fixed = tuple(size for size in sizes if isinstance(size, int))
        if len(fixed) < len(sizes):
            raise UnsupportedError(
                f"{self._name}: expected fixed sizes, got {sizes}, which depend on elements"
            )
        return Meta(fixed, dtype_of(value.dtype, self._name))


def array_of(tensor: torch.Tensor, where: str) -> Array:
    """The elements of a tensor, in memory of their own order."""
    plain = tensor.detach()
    wide = _WIDE.get(plain.dtype)
    dtype_of(plain.dtype, where)
    if plain.is_sparse or plain.is_quantized:
        raise UnsupportedError(
            f"{where}: expected a plain tensor, got {plain.layout}, {plain.dtype}"
        )
    return (plain if wide is None else plain.to(wide)).cpu().contiguous().numpy()


def dtype_of(dtype: torch.dtype, where: str) -> np.dtype[np.generic]:
    """In NumPy's terms. Raises UnsupportedError for elements that it does not have."""
    try:
        return torch.empty(0, dtype=_WIDE.get(dtype, dtype)).numpy().dtype
    except (TypeError, RuntimeError) as error:
        raise UnsupportedError(f"{where}: expected elements that NumPy has, got {dtype}") from error


def _attribute(program: ExportedProgram, target: str, name: str) -> torch.Tensor:
    found: object = program.graph_module
    for part in target.split("."):
        found = getattr(found, part)
    if not isinstance(found, torch.Tensor):
        raise UnsupportedError(
            f"{name}: expected a tensor as attribute {target!r}, got a program of its own, as torch.cond has; compute "
            "both branches, and choose by torch.where"
        )
    return found


def _python_name(target: object) -> str:
    return f"python.{getattr(target, '__name__', type(target).__name__)}"


def _module_path(node: Node) -> str:
    """Of the innermost module that called the operator; "" for the outermost."""
    stack: Mapping[str, tuple[str, object]] = node.meta.get("nn_module_stack") or {}
    paths = [path for path, _ in stack.values() if not path.startswith(_NO_MODULE)]
    return paths[-1] if paths else ""


def _output_names(program: ExportedProgram, count: int) -> list[str]:
    """Of the outputs in order."""
    spec = program.call_spec.out_spec
    if spec is None or spec.num_leaves != count:
        return [f"output_{index}" for index in range(count)]
    tree = pytree.tree_unflatten(list(range(count)), spec)
    paths = [path for path, _ in pytree.tree_flatten_with_path(tree)[0]]
    names = Names()  # places may read alike: a_0, and the first of a
    return [names.unique("_".join(map(_key, path)) or "output") for path in map(_named_path, paths)]


def _named_path(path: Sequence[object]) -> Sequence[object]:
    """Places that are numbers alone are numbers of outputs."""
    is_number = bool(path) and isinstance(path[0], pytree.SequenceKey)
    return ["output", *path] if is_number else path


def _key(entry: object) -> str:
    for attribute in ("key", "idx", "name"):
        if hasattr(entry, attribute):
            return str(getattr(entry, attribute))
    return str(entry)


def _first_lines(error: Exception) -> str:
    """Of a message of PyTorch, which may fill pages."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {' '.join(lines[:3])[:400]}"
