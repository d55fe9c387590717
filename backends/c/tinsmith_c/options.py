"""What the generated files say about their origin."""

from dataclasses import dataclass

from tinsmith_ir.checked import Checked


@dataclass(frozen=True)
class WriteOptions(Checked):
    """Facts for the header comment; no time, no path, so that the same input gives the same bytes.

    tool_version: of Tinsmith. model_sha256: of the model file, "" if there is none.
    options: as given by the user, `target=cortex-m4`.
    """

    tool_version: str = "0.1.0"
    model_sha256: str = ""
    options: tuple[str, ...] = ()
