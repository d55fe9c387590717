"""What a program's bytes are for: code, constants, weights, data, or the test harness."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tinsmith_toolchains.elf import Section, read_sections

# The rule of the linker scripts, for objects that no linker script has sorted (host programs).
_WEIGHTS = re.compile(r"\.rodata\.((tinsmith_weights|tinsmith_remote)(\..*)?|.*_weights_.*)")

_PRODUCT_KINDS = ("code", "rodata", "weights", "data", "bss", "arena")


@dataclass(frozen=True)
class Sections:
    """Sizes in bytes. The product: code, rodata, weights, data, bss, arena. Not the product:
    harness_flash and harness_ram (start-up, semihosting, main), stack (space kept free for it).

    rodata is without weights, bss without the arena. The mini C library and compiler-rt count as
    product as far as they are linked.
    """

    code: int
    rodata: int
    weights: int
    data: int
    bss: int
    arena: int
    harness_flash: int
    harness_ram: int
    stack: int

    @property
    def flash(self) -> int:
        """Flash of the product: code, constants, weights and the initial values of data."""
        return self.code + self.rodata + self.weights + self.data

    @property
    def ram(self) -> int:
        """Static RAM of the product: arena, data and bss; the stack comes on top."""
        return self.arena + self.data + self.bss


def firmware_sections(elf: Path) -> Sections:
    """Sizes of a program linked with a script of `tinsmith_boards.linker_script`."""
    sizes = {section.name: section.size_bytes for section in read_sections(elf)}

    def size(name: str) -> int:
        return sizes.get(name, 0)

    return Sections(
        code=size(".text"),
        rodata=size(".rodata"),
        weights=size(".weights") + size(".remote"),
        data=size(".data"),
        bss=size(".bss") + size(".near_bss"),
        arena=sum(bytes_ for name, bytes_ in sizes.items() if name.startswith(".arena")),
        harness_flash=size(".harness_text") + size(".harness_data"),
        harness_ram=size(".harness_data") + size(".harness_bss"),
        stack=size(".stack") + size(".worker_stacks") + size(".boot_stack"),
    )


def object_sections(product: Iterable[Path], harness: Iterable[Path]) -> Sections:
    """Sizes of object files before linking: an upper bound, since unused functions are still in.

    For programs of the host, whose linker mixes in a whole C library.
    """
    totals: dict[str, int] = dict.fromkeys(_PRODUCT_KINDS, 0)
    for path in product:
        for section in read_sections(path):
            if kind := _kind(section):
                totals[kind] += section.size_bytes
    flash = ram = 0
    for path in harness:
        for section in read_sections(path):
            match _kind(section):
                case "":
                    pass
                case "arena":
                    totals["arena"] += section.size_bytes
                case "data" | "bss":
                    ram += section.size_bytes
                case _:
                    flash += section.size_bytes
    return Sections(**totals, harness_flash=flash, harness_ram=ram, stack=0)


def _kind(section: Section) -> str:
    """Which total a section of an object file belongs to; "" for none."""
    if not section.is_allocated or section.name.startswith((".eh_frame", ".ARM.ex", ".note")):
        return ""
    if section.name.startswith(".arena"):
        return "arena"
    if section.is_executable:
        return "code"
    if section.is_writable:
        return "data" if section.has_content else "bss"
    return "weights" if _WEIGHTS.fullmatch(section.name) else "rodata"
