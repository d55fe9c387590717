"""What planning takes of other libraries where they are installed, and what stands in for them where they are not.

Blocks, plans, planners and checker of plans need nothing but Python, so that other compilers can have them alone; only
what knows Programs needs tinsmith_ir. Without it, arguments of wrong types are not refused where they come in.
"""

import importlib
import importlib.util
from types import ModuleType
from typing import TYPE_CHECKING

__all__ = [
    "HAS_IR",
    "HAS_NUMPY",
    "Checked",
    "TinsmithError",
    "UsageError",
    "checked",
    "has_solver",
    "program_part",
    "visible",
]


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:
        return False


HAS_NUMPY = _is_there("numpy")
HAS_IR = HAS_NUMPY and _is_there("tinsmith_ir")


def has_solver() -> bool:
    """True if OR-tools can be imported."""
    return _is_there("ortools")


def program_part(module: str) -> ModuleType:
    """A module of this package that knows Programs.

    Raises ImportError, which says what to install, where something that it imports is absent.
    """
    try:
        return importlib.import_module(f"tinsmith_allocation.{module}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("tinsmith_allocation"):
            raise
        raise ImportError(
            f"tinsmith_allocation.{module} needs {error.name}, which is not installed: "
            "pip install 'tinsmith-allocation[program]'",
            name=error.name,
        ) from error


if TYPE_CHECKING or HAS_IR:
    from tinsmith_ir.checked import Checked, checked
    from tinsmith_ir.errors import TinsmithError, UsageError
    from tinsmith_ir.escape import visible
else:
    from tinsmith_allocation.stand_ins import Checked, TinsmithError, UsageError, checked, visible
