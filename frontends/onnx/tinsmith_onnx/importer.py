"""From an ONNX file to a Graph: initializers become known tensors, operators become nodes, images channels last."""

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import onnx
from tinsmith_ir.checked import checked
from tinsmith_ir.errors import (
    EvaluationError,
    GraphError,
    ModelError,
    UnsupportedError,
    UsageError,
)
from tinsmith_ir.files import read_file
from tinsmith_ir.graph import Array, Graph, Location
from tinsmith_ir.names import identifier
from tinsmith_ir.problems import Problems, RefusedError
from tinsmith_tensors import Composer, Tensor
from tinsmith_tensors.images import Turned, channels_last_ends
from tinsmith_tensors.quantization import with_quantized_inputs

from tinsmith_onnx import elements
from tinsmith_onnx.calls import called, defined_function, functions_of
from tinsmith_onnx.context import (
    Item,
    OperatorContext,
    TensorList,
    definition_of,
    describe,
    schema_of,
)
from tinsmith_onnx.inputs import Choices, Inputs
from tinsmith_onnx.model_file import (
    OLDEST_OPSET,
    ModelFile,
    Stored,
    array_of,
    domain_of,
    opsets_of,
    shown,
    stored_in,
)
from tinsmith_onnx.operators import is_known_domain, supported, with_custom
from tinsmith_onnx.recognition import LARGEST_FILE_BYTES
from tinsmith_onnx.rules import Rule

_MOST_NODES = 1 << 16
"""Operators in all, those of functions, branches and iterations counted each time."""
_DEEPEST_CALL = 48
_DAMAGE = (IndexError, KeyError, OverflowError, TypeError, ValueError, ArithmeticError)


@checked
def import_onnx(
    path_or_bytes: str | os.PathLike[str] | bytes,
    *,
    name: str | None = None,
    source: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    input_shapes: Mapping[str, Sequence[int]] | None = None,
    input_values: Mapping[str, Array] | None = None,
    states: Mapping[str, str] | None = None,
    channels_last: bool = True,
    on_warning: Callable[[str], None] = lambda _: None,
    on_turned: Callable[[Turned], None] = lambda _: None,
    custom: Mapping[str, Rule] | None = None,
) -> Graph:
    """The network in an ONNX file, as a verified Graph.

    path_or_bytes: the file, or its content. name: of the graph; the file's by default. source: what messages and
    locations call the file. folder: where files with external data lie; the file's own by default.
    input_shapes: sizes of inputs that the file leaves open, by the input's name; or one size by a dimension's name.
    A first dimension that is left open is 1. input_values: inputs that are known, and so constants.
    states: inputs that are what an output was in the run before, each with that output's name; they begin as zeros.
    channels_last: whether images come and go channels last, (N, H, W, C), as they are computed; else as in the file.
    custom: how operators of other domains are imported, by `domain.name`. on_warning: is told what a user should know.
    on_turned: is told of each input and output that is channels last and was not in the file.

    Raises ModelError for a file that is damaged or contradicts itself, UnsupportedError for a sound one that uses what
    Tinsmith does not have, UsageError if there is no such file, or for choices that do not fit it.
    """
    choices = Choices(
        input_shapes or {}, input_values or {}, states or {}, channels_last, on_warning, on_turned
    )
    rules = with_custom(custom or {})
    path = None if isinstance(path_or_bytes, bytes) else Path(path_or_bytes)
    given = path_or_bytes if isinstance(path_or_bytes, bytes) else Path(path_or_bytes)
    called = source or (path.name if path else "model.onnx")
    place = Path(folder) if folder is not None else path and path.parent
    with _damage_told(called):
        file = _read(given, called, place)
        return _Import(
            file, name or (identifier(path.stem) if path else "model"), choices, rules
        ).graph()


def _read(given: bytes | Path, source: str, folder: Path | None) -> ModelFile:
    """The content of the file is gone when this returns, but for what the network needs."""
    is_path = isinstance(given, Path)
    data = read_file(given, "an ONNX model", LARGEST_FILE_BYTES) if is_path else given
    return ModelFile.read(data, source, folder)


@contextmanager
def _damage_told(source: str) -> Generator[None]:
    """The one place where what a damaged file can still upset becomes a ModelError."""
    try:
        yield
    except GraphError as error:
        raise ModelError(f"{source}: the model breaks a rule of the graph: {error}") from error
    except (*_DAMAGE, RecursionError) as error:
        raise ModelError(
            f"{source}: expected a sound file, got one whose contents do not fit together "
            f"({type(error).__name__}: {error})"
        ) from error


@dataclass(frozen=True)
class _Scope:
    """Tensors by their names in one graph of the file, and those around it. refused: what could not be imported.
    absent: operands that the caller of a function left out. declared: the element types that the file says.
    """

    opsets: Mapping[str, int]
    outer: "_Scope | None" = None
    tensors: dict[str, Item] = field(default_factory=dict[str, Item])
    refused: set[str] = field(default_factory=set[str])
    absent: set[str] = field(default_factory=set[str])
    declared: Mapping[str, int] = field(default_factory=dict[str, int])
    depth: int = 0

    def find(self, name: str) -> Item | None:
        """What is of that name here, or around."""
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.tensors:
                return scope.tensors[name]
            scope = scope.outer
        return None

    def is_refused(self, name: str) -> bool:
        """Whether it depends on what could not be imported."""
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.refused or name in scope.tensors:
                return name not in scope.tensors
            scope = scope.outer
        return False

    def declared_type(self, name: str) -> int:
        """What the file says of the elements of what is of that name here, or around; 0 if it does not."""
        scope: _Scope | None = self
        while scope is not None and name not in scope.tensors:
            scope = scope.outer
        return 0 if scope is None else scope.declared.get(name, 0)

    def is_absent(self, name: str) -> bool:
        """Whether it is an operand that the caller of the function, in which this is, left out."""
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.absent or name in scope.tensors:
                return name not in scope.tensors
            scope = scope.outer
        return False


class _Import:
    """One model on its way."""

    def __init__(
        self,
        file: ModelFile,
        name: str,
        choices: Choices,
        rules: Mapping[str, Rule],
    ) -> None:
        self._file = file
        self._source = file.name
        self._choices = choices
        self._rules = rules
        self._graph = file.graph
        self._functions = functions_of(file.functions)
        self._opsets = opsets_of(file.opset_import, file.name)
        self._problems = Problems(file.name)
        held = sum(array.nbytes for array in file.stored.arrays.values())
        self._c = Composer(name, held + file.graph.ByteSize())
        self._count = 0
        # Of each inner graph, which is held so that its id stays its own.
        self._stored: dict[int, tuple[onnx.GraphProto, Stored]] = {}

    def graph(self) -> Graph:
        """The whole, or one error with all problems."""
        scope = _Scope(self._opsets, declared=_declared(self._graph))
        names = [(output.name, self._c.reserve(output.name)) for output in self._graph.output]
        self._define_stored(self._file.stored, scope)
        inputs = Inputs(self._c, self._source, self._graph, self._choices)
        inputs.define(scope.tensors, scope.refused, self._problems)
        self._run(self._graph.node, scope)
        outputs: dict[str, Tensor] = {}
        for name in dict(names):
            found = scope.find(name)
            if isinstance(found, Tensor) and found.elements:
                outputs[name] = found
            elif found is not None:
                got = "none" if isinstance(found, Tensor) else "a sequence"
                self._problems.add(
                    UnsupportedError(
                        f"{self._source}: expected output {shown(name)!r} to be a tensor with elements, got {got}"
                    )
                )
            elif not scope.is_refused(name):
                self._problems.add(
                    ModelError(
                        f"{self._source}: expected output {shown(name)!r} to be computed, nothing does"
                    )
                )
        self._problems.raise_found()
        self._keep_states(outputs, scope)
        kept = {
            own: outputs[name] for name, own in names if name not in self._choices.states.values()
        }
        if not kept and names:
            raise UsageError(
                f"{self._source}: expected an output that is no state, got {len(names)} that all are"
            )
        if not kept:
            raise ModelError(f"{self._source}: expected outputs, got none")
        for output in self._graph.output:
            self._compare_with_declared(output, outputs[output.name])
        for remark in self._c.remarks:
            self._choices.on_warning(remark)
        graph = with_quantized_inputs(self._c.build(kept))
        if self._choices.channels_last:
            graph, turned = channels_last_ends(graph)
            for end in turned:
                self._choices.on_warning(str(end))
                self._choices.on_turned(end)
        return graph

    # What is there before any operator

    def _define_stored(self, stored: Stored, scope: _Scope) -> None:
        """Initializers, as known tensors."""
        for name, array in stored.arrays.items():
            scope.tensors[name] = Tensor(array=array, hint=identifier(name))
        for name, error in stored.errors.items():
            self._problems.add(error)
            scope.refused.add(name)

    def _keep_states(self, outputs: Mapping[str, Tensor], scope: _Scope) -> None:
        for name, output in self._choices.states.items():
            state = scope.tensors[name]
            assert isinstance(state, Tensor)  # as all inputs are
            kept = outputs[output]
            if (state.shape, state.type.dtype) != (kept.shape, kept.type.dtype):
                raise UsageError(
                    f"{self._source}: state {shown(name)!r}: expected an output of its type, {_type(state)}, "
                    f"got {shown(output)!r} of {_type(kept)}"
                )
            self._c.keep(state, kept)

    def _compare_with_declared(self, output: onnx.ValueInfoProto, found: Tensor) -> None:
        """Tell of an output that is not what the file says of it, which computes all the same."""
        said = output.type.tensor_type
        where = f"output {shown(output.name)!r}"
        sizes = [size.dim_value for size in said.shape.dim]  # 0 for those that are left open
        is_shape = len(sizes) == found.rank and all(
            size in (0, is_) for size, is_ in zip(sizes, found.shape, strict=True)
        )
        if said.HasField("shape") and not is_shape:
            self._choices.on_warning(
                f"{where}: has shape {list(found.shape)}, where the file says "
                f"[{', '.join(str(size or '?') for size in sizes)}]"
            )
        with suppress(UnsupportedError):  # of types that computed elements cannot have
            if said.elem_type and found.type.dtype != elements.graph_dtype(said.elem_type):
                self._choices.on_warning(
                    f"{where}: has elements of {found.type.dtype.value}, where the file says "
                    f"{elements.name_of(said.elem_type)}"
                )

    # Operators

    def _run(self, nodes: Sequence[onnx.NodeProto], scope: _Scope) -> None:
        """Import operators in order; what depends on one that was refused is left out."""
        for node in nodes:
            self._count_one()
            if not any(scope.is_refused(name) for name in node.input if name):
                with self._problems.gathered(), suppress(_RefusedInsideError):
                    self._define_results(node, scope)
                    continue
            scope.refused.update(name for name in node.output if name)

    def _count_one(self) -> None:
        self._count += 1
        if self._count > _MOST_NODES:
            raise UnsupportedError(
                f"{self._source}: expected a network for a microcontroller of at most {_MOST_NODES:,} operators"
            )

    def _define_results(self, node: onnx.NodeProto, scope: _Scope) -> None:
        operands = [self._operand(name, node, scope) for name in node.input]
        location = Location(self._source, describe(node))
        hint = next((name for name in node.output if name), node.op_type)
        try:
            with self._c.at(location, hint):
                results = self._results(node, operands, scope)
        except (GraphError, EvaluationError) as error:
            raise UnsupportedError(f"{self._source}: {describe(node)}: {error}") from error
        except UnsupportedError as error:
            if str(error).startswith(f"{self._source}: "):
                raise
            raise UnsupportedError(f"{self._source}: {describe(node)}: {error}") from error
        except _DAMAGE as error:
            raise ModelError(
                f"{self._source}: {describe(node)}: expected operands and attributes that fit together, got others "
                f"({type(error).__name__}: {error})"
            ) from error
        for name, result in zip(node.output, results, strict=False):
            if name in scope.tensors:
                raise ModelError(
                    f"{self._source}: {describe(node)}: expected results of names of their own, got {shown(name)!r}, "
                    "which is there already"
                )
            if name and result is not None:
                scope.tensors[name] = result
        missing = [name for name in node.output if name and name not in scope.tensors]
        if missing:
            raise UnsupportedError(
                f"{self._source}: {describe(node)}: result {shown(missing[0])!r} is not supported"
            )

    def _operand(self, name: str, node: onnx.NodeProto, scope: _Scope) -> Item | None:
        if not name or scope.is_absent(name):
            return None
        found = scope.find(name)
        if found is None:
            raise ModelError(
                f"{self._source}: {describe(node)}: expected operand {shown(name)!r} to be an input, a constant or the "
                "result of an operator before it"
            )
        return found

    def _results(
        self, node: onnx.NodeProto, operands: Sequence[Item | None], scope: _Scope
    ) -> Sequence[Item | None]:
        domain = domain_of(node)
        function = self._functions.get((node.domain, node.op_type, node.overload))
        if function is not None:
            return self._call(function, node, operands, scope)
        rule = self._rules.get(f"{domain}.{node.op_type}" if domain else node.op_type)
        if rule is not None:
            self._check_age(node, domain, scope)
            self._check_definition(node, domain, scope)
            context = OperatorContext(
                self._c,
                node,
                operands,
                scope.opsets.get(domain, 1),
                self._source,
                lambda graph, given: self._subgraph(graph, given, scope),
                lambda tensor, where: array_of(tensor, self._file.folder, where),
                scope.declared_type,
            )
            results = rule.convert(context)
            return [results] if isinstance(results, Tensor | TensorList) else results
        if domain in scope.opsets:
            function = defined_function(node, operands, scope.opsets[domain])
            if function is not None:
                return self._call(function, node, operands, scope)
        self._refuse(node, domain)
        raise _RefusedInsideError

    def _refuse(self, node: onnx.NodeProto, domain: str) -> None:
        """Add the problem of an operator that nobody knows. The list of those that are helps with a known domain."""
        reason = f"{shown(node.op_type)} is not supported; express it with operators that are"
        hint = supported(self._rules)
        if not is_known_domain(domain, self._rules):
            reason = (
                f"{shown(node.op_type)} is not supported: domain {shown(domain)!r} is unknown; a plug-in can bring its "
                "operators, see docs/writing_a_plugin.md"
            )
            hint = ""
        self._problems.add(RefusedError(self._source, describe(node), reason), hint)

    def _check_age(self, node: onnx.NodeProto, domain: str, scope: _Scope) -> None:
        """Before version 7 of the main set, operators are taken that are the same since."""
        version = scope.opsets.get(domain, 1)
        if domain or version >= OLDEST_OPSET:
            return
        then, later = (schema_of(node.op_type, each, domain) for each in (version, OLDEST_OPSET))
        if then is None or later is None or then.since_version != later.since_version:
            raise UnsupportedError(
                f"{self._source}: {describe(node)}: expected the operator of operator set {OLDEST_OPSET} or newer, got "
                f"{version}; convert the model by onnx.version_converter"
            )

    def _check_definition(self, node: onnx.NodeProto, domain: str, scope: _Scope) -> None:
        """That one of the main set has nothing which its definition does not know, and which rules would not read."""
        definition = definition_of(node.op_type, scope.opsets.get(domain, 1), domain)
        if domain or definition is None:
            return
        unknown = [each.name for each in node.attribute if each.name not in definition.attributes]
        if unknown:
            known = ", ".join(sorted(definition.attributes)) or "none"
            raise ModelError(
                f"{self._source}: {describe(node)}: expected attributes among {known}, got {shown(unknown[0])!r}"
            )
        if len(node.input) > definition.most_operands:
            raise ModelError(
                f"{self._source}: {describe(node)}: expected at most {definition.most_operands} operands, got "
                f"{len(node.input)}"
            )

    def _call(
        self,
        function: onnx.FunctionProto,
        node: onnx.NodeProto,
        operands: Sequence[Item | None],
        scope: _Scope,
    ) -> list[Item | None]:
        """What a function gives: its nodes, in a scope of their own."""
        if scope.depth == _DEEPEST_CALL:
            raise ModelError(
                f"{self._source}: {describe(node)}: expected calls that end, got one in itself"
            )
        opsets = opsets_of(function.opset_import, self._source)
        inner = _Scope(opsets, depth=scope.depth + 1)
        for name, operand in zip(function.input, operands, strict=False):
            if operand is not None:
                inner.tensors[name] = operand
        inner.absent.update(name for name in function.input if name not in inner.tensors)
        self._run(called(function, node), inner)
        return [_found(inner, name) for name in function.output]

    def _subgraph(
        self, graph: onnx.GraphProto, given: Mapping[str, Item], scope: _Scope
    ) -> list[Item]:
        if scope.depth == _DEEPEST_CALL:
            raise ModelError(f"{self._source}: expected graphs in at most {_DEEPEST_CALL} graphs")
        self._count_one()  # a loop may have nothing in its body
        inner = _Scope(scope.opsets, scope, declared=_declared(graph), depth=scope.depth + 1)
        self._define_stored(self._stored_inside(graph), inner)
        inner.tensors.update(given)
        self._run(graph.node, inner)
        outputs: list[Item] = []
        for output in graph.output:
            found = _found(inner, output.name)
            if found is None:
                raise ModelError(
                    f"{self._source}: expected output {shown(output.name)!r} of an inner graph, nothing computes it"
                )
            outputs.append(found)
        return outputs

    def _stored_inside(self, graph: onnx.GraphProto) -> Stored:
        """Initializers of an inner graph, the same ones in each iteration of a loop."""
        if id(graph) not in self._stored:
            self._stored[id(graph)] = graph, stored_in(graph, self._source, self._file.folder)
        return self._stored[id(graph)][1]


def _type(tensor: Tensor) -> str:
    return f"{tensor.type.dtype.value}{list(tensor.shape)}"


def _declared(graph: onnx.GraphProto) -> dict[str, int]:
    """Element types of tensors by their names."""
    values = (*graph.value_info, *graph.input, *graph.output)
    return {value.name: value.type.tensor_type.elem_type for value in values}


class _RefusedInsideError(Exception):
    """The problems of an operator, or of what it calls, are told already."""


def _found(scope: _Scope, name: str) -> Item | None:
    if scope.is_refused(name):
        raise _RefusedInsideError
    return scope.find(name)
