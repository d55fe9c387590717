"""What planning takes of other libraries where they are installed, and what stands in for them where they are not.

Blocks, plans, planners and checker of plans need nothing but Python, so that other compilers can have them alone; only
what knows Programs needs tinsmith_ir. Without it, arguments of wrong types are not refused where they come in.
"""

import importlib.util
from typing import TYPE_CHECKING

__all__ = [
    "HAS_IR",
    "HAS_NUMPY",
    "Checked",
    "TinsmithError",
    "UsageError",
    "checked",
    "has_solver",
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


if TYPE_CHECKING or HAS_IR:
    from tinsmith_ir.checked import Checked, checked
    from tinsmith_ir.errors import TinsmithError, UsageError
    from tinsmith_ir.escape import visible
else:
    from tinsmith_allocation.stand_ins import Checked, TinsmithError, UsageError, checked, visible
