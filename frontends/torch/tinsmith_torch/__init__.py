"""Import of programs that `torch.export` wrote: `import_torch(module, inputs)` gives a verified `tinsmith_ir` Graph."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tinsmith_torch.context import OperatorContext
    from tinsmith_torch.importer import import_pt2, import_torch
    from tinsmith_torch.recognition import LARGEST_FILE_BYTES, is_pt2
    from tinsmith_torch.rules import Results, Rule

__all__ = [
    "LARGEST_FILE_BYTES",
    "OperatorContext",
    "Results",
    "Rule",
    "import_pt2",
    "import_torch",
    "is_pt2",
]

_MODULES = {
    "OperatorContext": "context",
    "import_pt2": "importer",
    "import_torch": "importer",
    "LARGEST_FILE_BYTES": "recognition",
    "is_pt2": "recognition",
    "Results": "rules",
    "Rule": "rules",
}


if not TYPE_CHECKING:  # to a checker, whatever is misspelt would be there

    def __getattr__(name: str) -> object:
        """Public names when they are asked for: PyTorch takes seconds to import, and the command knows this library at
        every start.
        """
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
