"""What ordering takes of tinsmith_ir where it is installed, and what stands in for it where it is not.

Tasks, problems and the search for orders need nothing but Python, so that other compilers can have them alone; only
what knows Programs needs tinsmith_ir. Without it, arguments of wrong types are not refused where they come in.
"""

import importlib
import importlib.util
from types import ModuleType
from typing import TYPE_CHECKING

__all__ = ["HAS_IR", "Checked", "TinsmithError", "UsageError", "checked", "program_part", "visible"]


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:
        return False


HAS_IR = _is_there("numpy") and _is_there("tinsmith_ir")


def program_part(module: str) -> ModuleType:
    """A module of this package that knows Programs.

    Raises ImportError, which says what to install, where something that it imports is absent.
    """
    try:
        return importlib.import_module(f"tinsmith_scheduling.{module}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("tinsmith_scheduling"):
            raise
        raise ImportError(
            f"tinsmith_scheduling.{module} needs {error.name}, which is not installed: "
            "pip install 'tinsmith-scheduling[program]'",
            name=error.name,
        ) from error


if TYPE_CHECKING or HAS_IR:
    from tinsmith_ir.checked import Checked, checked
    from tinsmith_ir.errors import TinsmithError, UsageError
    from tinsmith_ir.escape import visible
else:
    from tinsmith_scheduling.stand_ins import Checked, TinsmithError, UsageError, checked, visible
