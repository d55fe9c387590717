"""Which constants are copied to faster memory, for the report and for people."""

from tinsmith_allocation import HeldConstants

from tinsmith_driver.compilation import Compilation
from tinsmith_driver.report_types import HeldFacts
from tinsmith_driver.table import thousands


def held_facts(compilation: Compilation) -> HeldFacts | None:
    """None if all constants are read where they lie."""
    found = compilation.facts(HeldConstants)
    if found is None:
        return None
    return {
        "constants": [*found.constants],
        "bytes": found.copied_bytes,
        "saved": found.saved_cycles,
    }


def held_text(facts: HeldFacts) -> str:
    """One line."""
    count = len(facts["constants"])
    what = "a constant is" if count == 1 else f"{count} constants are"
    return (
        f"{what} copied to faster memory in each inference, {thousands(facts['bytes'])} bytes: "
        f"{thousands(facts['saved'])} cycles of waiting less, about"
    )
