"""A model file of the `tinsmith` command as a graph."""

from tinsmith_ir import Graph, UsageError
from tinsmith_plugins import ModelSource

from tinsmith_onnx.importer import import_onnx
from tinsmith_onnx.rules import Rule


def read(file: ModelSource) -> Graph:
    """See `import_onnx`."""
    choices = file.choices
    return import_onnx(
        file.data,
        source=file.name,
        folder=file.folder,
        input_shapes=choices.input_shapes,
        input_values=choices.input_values,
        states=choices.states,
        channels_last=not choices.as_in_file,
        on_warning=file.on_warning,
        on_turned=lambda end: file.on_turned(end.name, end.before),
        custom={name: _rule(name, rule) for name, rule in file.converters.items()},
    )


def _rule(name: str, rule: object) -> Rule:
    if not isinstance(rule, Rule):
        raise UsageError(
            f"converter of {name!r}: expected a tinsmith_onnx.Rule, got {type(rule).__name__}"
        )
    return rule
