"""What the generated files say about their origin."""

import re
from dataclasses import dataclass

from tinsmith_ir.checked import Checked
from tinsmith_ir.errors import UsageError
from tinsmith_ir.escape import visible

_SECTION = re.compile(r"[\w.$,]{1,100}", re.ASCII)


@dataclass(frozen=True)
class WriteOptions(Checked):
    """Facts for the header comment; no time, no path, so that the same input gives the same bytes.

    tool_version: of Tinsmith. model_sha256: of the model file, "" if there is none.
    options: as given by the user, `target=cortex-m4`. weights_section: of object files, where constants of the network
    lie unless the C is compiled with another TINSMITH_WEIGHTS; "" for where constants lie.
    Raises UsageError for a section that no compiler takes.
    """

    tool_version: str = "0.1.0"
    model_sha256: str = ""
    options: tuple[str, ...] = ()
    weights_section: str = ""

    def __post_init__(self) -> None:
        """Check the section's name."""
        super().__post_init__()
        if self.weights_section and _SECTION.fullmatch(self.weights_section) is None:
            raise UsageError(
                "weights section: expected a name of letters, digits and . _ $ , such as .ext_flash, got "
                f"{visible(self.weights_section)!r}"
            )
