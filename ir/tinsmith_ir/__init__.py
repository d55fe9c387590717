"""Tinsmith's intermediate representation: Graph, Program, operators, verifier, evaluator, text.

What is public stands in `public.py`, which is imported when a name of it is asked for: who wants a module alone, such
as the errors, does not wait for a hundred others.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # mypy knows lists of names, not sums of them: it would miss the operators in public's.
    from tinsmith_ir.operators import *  # noqa: F403
    from tinsmith_ir.public import *  # noqa: F403
    from tinsmith_ir.public import __all__ as __all__

if not TYPE_CHECKING:  # to a checker, whatever is misspelt would be there

    def __getattr__(name: str) -> object:
        """A public name, or their list."""
        if name.startswith("__") and name != "__all__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        public = importlib.import_module(f"{__name__}.public")
        if name != "__all__" and name not in public.__all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found: object = getattr(public, name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    """For completion."""
    return sorted({*globals(), *importlib.import_module(f"{__name__}.public").__all__})
