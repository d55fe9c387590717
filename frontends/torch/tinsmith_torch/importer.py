"""From a program of PyTorch to a Graph: parameters become known tensors, operators nodes, images channels last."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import torch
from tinsmith_ir.checked import checked
from tinsmith_ir.dtypes import COMPUTED_DTYPES, DType
from tinsmith_ir.errors import EvaluationError, GraphError, ModelError, UnsupportedError
from tinsmith_ir.files import read_file
from tinsmith_ir.graph import Array, Graph, Location
from tinsmith_ir.names import identifier
from tinsmith_ir.problems import Problems, RefusedError
from tinsmith_ir.types import TensorType
from tinsmith_tensors import Composer, Tensor
from tinsmith_tensors.images import Turned, channels_last_ends
from tinsmith_tensors.quantization import with_quantized_inputs
from torch.export import ExportedProgram

from tinsmith_torch.archive import checked_archive
from tinsmith_torch.context import OperatorContext, describe
from tinsmith_torch.exporting import decomposable, exported, program_of
from tinsmith_torch.loading import load
from tinsmith_torch.operators import OF_COMPLEX, RULES, rule_for, supported
from tinsmith_torch.program import Argument, Meta, Program, Reference, Step
from tinsmith_torch.recognition import LARGEST_FILE_BYTES
from tinsmith_torch.rules import Rule

_MOST_STEPS = 1 << 16
_DAMAGE = (
    ArithmeticError,
    AttributeError,
    IndexError,
    KeyError,
    OverflowError,
    TypeError,
    ValueError,
)
_DTYPES = {dtype.numpy: dtype for dtype in COMPUTED_DTYPES}


@checked
def import_torch(
    module: torch.nn.Module | ExportedProgram,
    example_inputs: Sequence[object] = (),
    *,
    name: str | None = None,
    example_kwargs: Mapping[str, object] | None = None,
    channels_last: bool = True,
    on_warning: Callable[[str], None] = lambda _: None,
    on_turned: Callable[[Turned], None] = lambda _: None,
    custom: Mapping[str, Rule] | None = None,
) -> Graph:
    """The network that a module computes, as a verified Graph.

    module: in evaluation mode, exported here for inputs of the shapes and types of `example_inputs` and
    `example_kwargs`; or what `torch.export.export` made of one, which needs none. name: of the graph.
    channels_last: whether images come and go channels last, (N, H, W, C), as they are computed; else as in the module.
    on_warning: is told what a user should know. on_turned: is told of each input and output that is channels last, of
    which there is a warning, too. custom: how operators of other libraries are imported, by `library.operator`.

    Buffers that the module changes are kept from run to run, as states of the graph.

    Raises UsageError for a module in training, UnsupportedError for what PyTorch cannot export or Tinsmith does not
    have.
    """
    rules = {**RULES, **(custom or {})}
    own = name or identifier(type(module).__name__)
    if not isinstance(module, ExportedProgram):
        module = exported(module, example_inputs, example_kwargs or {}, own)
    return _imported(module, rules, own, own, channels_last, on_warning, on_turned)


@checked
def import_pt2(
    path_or_bytes: str | os.PathLike[str] | bytes,
    *,
    name: str | None = None,
    source: str | None = None,
    channels_last: bool = True,
    on_warning: Callable[[str], None] = lambda _: None,
    on_turned: Callable[[Turned], None] = lambda _: None,
    custom: Mapping[str, Rule] | None = None,
) -> Graph:
    """The network in a file of `torch.export.save`, as a verified Graph; other arguments are those of `import_torch`.

    path_or_bytes: the file, or its content. source: what messages and locations call it. Nothing in a file is run:
    see `archive.py`.

    Raises ModelError for a file that is damaged or contradicts itself, UnsupportedError for what Tinsmith does not
    have or does not read of strangers, UsageError if there is no such file.
    """
    rules = {**RULES, **(custom or {})}
    if isinstance(path_or_bytes, bytes):
        data, source, name = path_or_bytes, source or "model.pt2", name or "model"
    else:
        path = Path(path_or_bytes)
        data = read_file(path, "a program of torch.export.save", LARGEST_FILE_BYTES)
        source, name = source or path.name, name or identifier(path.stem)
    program = load(checked_archive(data, source, {*rules, *OF_COMPLEX, *decomposable()}), source)
    try:
        return _imported(program, rules, source, name, channels_last, on_warning, on_turned)
    except (*_DAMAGE, RecursionError) as error:
        raise ModelError(
            f"{source}: expected a sound program, got one whose parts do not fit together "
            f"({type(error).__name__}: {error})"
        ) from error


def _imported(
    exported_program: ExportedProgram,
    rules: Mapping[str, Rule],
    source: str,
    name: str,
    channels_last: bool,
    on_warning: Callable[[str], None],
    on_turned: Callable[[Turned], None],
) -> Graph:
    program = program_of(exported_program, {*rules, *OF_COMPLEX}, source)
    try:
        graph = with_quantized_inputs(_Import(program, rules, source, name, on_warning).graph())
    except GraphError as error:
        raise UnsupportedError(f"{source}: breaks a rule of the graph: {error}") from error
    if not channels_last:
        return graph
    graph, turned = channels_last_ends(graph)
    for end in turned:
        on_warning(str(end))
        on_turned(end)
    return graph


class _RefusedBeforeError(Exception):
    """What an operator reads has problems, which are told already."""


class _Import:
    """One program on its way."""

    def __init__(
        self,
        program: Program,
        rules: Mapping[str, Rule],
        source: str,
        name: str,
        on_warning: Callable[[str], None],
    ) -> None:
        self._program = program
        self._rules = rules
        self._source = source
        self._on_warning = on_warning
        self._problems = Problems(source)
        held = sum(stored.array.nbytes for stored in program.stored.values())
        self._c = Composer(name, held)
        self._results: dict[str, Sequence[Tensor | None]] = {}
        self._complexes: set[str] = set()

    def graph(self) -> Graph:
        """The whole, or one error with all problems."""
        names = {name: self._c.reserve(name) for name in self._program.outputs}
        for own, stored in self._program.stored.items():
            array = stored.array
            if array.dtype.kind == "c":
                self._complexes.add(own)
                array = np.stack([array.real, array.imag], -1).astype("<f4")
            self._results[own] = [Tensor(array=array, hint=identifier(stored.path))]
        for input_, meta in self._program.inputs.items():
            with self._problems.gathered():
                self._results[input_] = [self._input(input_, meta)]
        self._define_states()
        if len(self._program.steps) > _MOST_STEPS:
            raise UnsupportedError(
                f"{self._source}: expected a network for a microcontroller of at most {_MOST_STEPS:,} operators, got "
                f"{len(self._program.steps):,}"
            )
        for step in self._program.steps:
            self._define(step)
        self._problems.raise_found()
        for buffer in self._program.kept:
            self._c.keep(self._states[buffer.name], self._next(buffer.next, buffer.name))
        outputs = {
            names[name]: self._output(name, value) for name, value in self._program.outputs.items()
        }
        if not outputs:
            raise UnsupportedError(f"{self._source}: expected results that are tensors, got none")
        for remark in self._c.remarks:
            self._on_warning(remark)
        return self._c.build(outputs)

    def _input(self, name: str, meta: Meta) -> Tensor:
        where = f"{self._source}: input {name!r}"
        if 0 in meta.shape:
            raise UnsupportedError(f"{where}: expected elements, got shape {list(meta.shape)}")
        dtype = DType.FLOAT32 if meta.dtype.kind == "f" else _DTYPES.get(meta.dtype)
        if dtype is None:
            known = ", ".join(dtype.value for dtype in COMPUTED_DTYPES)
            raise UnsupportedError(f"{where}: expected elements of {known}, got {meta.dtype}")
        if meta.dtype.kind == "f" and meta.dtype != dtype.numpy:
            self._on_warning(f"input {name!r} is {meta.dtype} in the program, and float32 here")
        return self._c.input(name, TensorType(meta.shape, dtype))

    def _define_states(self) -> None:
        self._states: dict[str, Tensor] = {}
        for buffer in self._program.kept:
            with self._problems.gathered():
                initial = _as_kept(buffer.stored.array)
                self._states[buffer.name] = self._c.state(buffer.stored.path, initial)
                self._results[buffer.name] = [self._states[buffer.name]]

    def _next(self, reference: Reference, name: str) -> Tensor:
        tensor = self._find(reference)
        if tensor.type.dtype != self._states[name].type.dtype:
            raise UnsupportedError(
                f"{self._source}: buffer {name!r}: expected to be kept as "
                f"{self._states[name].type.dtype.value}, got {tensor.type.dtype.value}"
            )
        return tensor

    def _output(self, name: str, argument: Argument) -> Tensor:
        if isinstance(argument, Reference) and argument.name in self._complexes:
            self._on_warning(
                f"output {name!r} is complex in the program; here its last axis is real and imaginary part"
            )
        context = OperatorContext(
            self._c, Step("output", "output", {"value": argument}), self._source, self._find
        )
        return context.tensor("value")

    def _find(self, reference: Reference) -> Tensor:
        if reference.name not in self._results:
            raise _RefusedBeforeError
        found = self._results[reference.name]
        if len(found) != 1 or found[0] is None:
            raise ModelError(
                f"{self._source}: expected {reference.name!r} to be a tensor, got {len(found)} results"
            )
        return found[0]

    def _define(self, step: Step) -> None:
        """The results of a step; none, if it depends on what was refused."""
        with self._problems.gathered(), suppress(_RefusedBeforeError):
            if step.operator == "getitem":
                self._results[step.name] = [self._entry(step)]
                return
            self._results[step.name] = self._composed(step)

    def _entry(self, step: Step) -> Tensor:
        source, index = step.arguments["source"], step.arguments["index"]
        if not isinstance(source, Reference) or not isinstance(index, int):
            raise ModelError(f"{self._source}: expected an entry of results, got {source!r}")
        if source.name not in self._results:
            raise _RefusedBeforeError
        results = self._results[source.name]
        found = results[index] if index < len(results) else None
        if found is None:
            raise UnsupportedError(
                f"{self._source}: result {index} of {source.name!r} is not supported"
            )
        return found

    def _composed(self, step: Step) -> Sequence[Tensor | None]:
        is_complex = self._is_complex(step)
        rule = rule_for(step.operator, OF_COMPLEX if is_complex else self._rules)
        if rule is None:
            what = f"{step.operator} of complex numbers" if is_complex else step.operator
            reason = f"{what} is not supported; express it with operators that are"
            self._problems.add(
                RefusedError(self._source, describe(step), reason),
                supported(OF_COMPLEX if is_complex else self._rules),
            )
            raise _RefusedBeforeError
        context = OperatorContext(self._c, step, self._source, self._find, self._complexes)
        location = Location(self._source, describe(step))
        try:
            with self._c.at(location, _hint(step)):
                results = rule.convert(context)
        except (GraphError, EvaluationError) as error:
            raise UnsupportedError(f"{context.where}: {error}") from error
        except UnsupportedError as error:
            if str(error).startswith(f"{self._source}: "):
                raise
            raise UnsupportedError(f"{context.where}: {error}") from error
        found = [results] if isinstance(results, Tensor) else list(results)
        self._check_shapes(step, found)
        return found

    def _is_complex(self, step: Step) -> bool:
        """Whether it reads or gives complex numbers; its results are known as such from here on."""
        gives = any(meta is not None and meta.dtype.kind == "c" for meta in step.results)
        if gives:
            self._complexes.add(step.name)
        return gives or any(
            isinstance(argument, Reference) and argument.name in self._complexes
            for value in step.arguments.values()
            for argument in (value if isinstance(value, tuple) else (value,))
        )

    def _check_shapes(self, step: Step, results: Sequence[Tensor | None]) -> None:
        """Hold a rule to what PyTorch says of the results."""
        for result, meta in zip(results, step.results, strict=False):
            if result is None or meta is None:
                continue
            shape = (*meta.shape, 2) if meta.dtype.kind == "c" else meta.shape
            if result.shape != shape:
                raise UnsupportedError(
                    f"{self._source}: {describe(step)}: expected a result of shape {list(shape)}, got "
                    f"{list(result.shape)}"
                )


def _hint(step: Step) -> str:
    """What values are called: after the module, and the operator in it."""
    operator = step.operator.split(".")[1] if "." in step.operator else step.operator
    return f"{step.module}.{operator}" if step.module else step.name


def _as_kept(array: Array) -> Array:
    return array.astype("<f4") if array.dtype.kind == "f" else array
