"""A model file of the `tinsmith` command as a graph."""

from dataclasses import replace

from tinsmith_ir import Graph, UsageError
from tinsmith_plugins import ModelSource

from tinsmith_torch.importer import import_pt2
from tinsmith_torch.rules import Rule


def read(file: ModelSource) -> Graph:
    """See `import_pt2`. Sizes and states are those of the program, so the only choice is the order of axes."""
    replace(file, choices=replace(file.choices, as_in_file=False)).refuse_choices("PyTorch's")
    return import_pt2(
        file.data,
        source=file.name,
        channels_last=not file.choices.as_in_file,
        on_warning=file.on_warning,
        on_turned=lambda end: file.on_turned(end.name, end.before),
        custom={name: _rule(name, rule) for name, rule in file.converters.items()},
    )


def _rule(name: str, rule: object) -> Rule:
    if not isinstance(rule, Rule):
        raise UsageError(
            f"converter of {name!r}: expected a tinsmith_torch.Rule, got {type(rule).__name__}"
        )
    return rule
