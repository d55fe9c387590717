"""What this library brings to the `tinsmith` command."""

from collections.abc import Iterable, Mapping

from tinsmith_ir import Graph, UsageError
from tinsmith_plugins import ImportCase, Importer, ModelSource, Plugin

from tinsmith_torch.recognition import LARGEST_FILE_BYTES, is_pt2


def _read(file: ModelSource) -> Graph:
    try:
        from tinsmith_torch.from_source import read  # PyTorch, for its files alone
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "torch":
            raise
        raise UsageError(
            f"{file.name}: expected PyTorch, which opens its files; it is not installed: pip install torch"
        ) from error
    return read(file)


def _operators() -> Mapping[str, str]:
    from tinsmith_torch.operators import OF_COMPLEX, RULES

    both = dict(sorted({**OF_COMPLEX, **RULES}.items()))
    return {name: rule.remark for name, rule in both.items()}


def _cases() -> Iterable[ImportCase]:
    try:
        from tinsmith_torch.cases import cases
    except ImportError:  # without PyTorch there is nothing to compare with
        return ()
    return cases()


PLUGIN = Plugin(
    "tinsmith_torch",
    importers=(
        Importer("torch", (".pt2",), is_pt2, _read, LARGEST_FILE_BYTES, _cases, _operators),
    ),
)
