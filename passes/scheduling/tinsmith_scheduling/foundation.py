"""What ordering takes of tinsmith_ir where it is installed, and what stands in for it where it is not.

Tasks, problems and the search for orders need nothing but Python, so that other compilers can have them alone; only
what knows Programs needs tinsmith_ir. Without it, arguments of wrong types are not refused where they come in.
"""

import importlib.util
from typing import TYPE_CHECKING

__all__ = ["HAS_IR", "Checked", "TinsmithError", "UsageError", "checked", "visible"]


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:
        return False


HAS_IR = _is_there("numpy") and _is_there("tinsmith_ir")


if TYPE_CHECKING or HAS_IR:
    from tinsmith_ir.checked import Checked, checked
    from tinsmith_ir.errors import TinsmithError, UsageError
    from tinsmith_ir.escape import visible
else:
    from tinsmith_scheduling.stand_ins import Checked, TinsmithError, UsageError, checked, visible
