"""How much of a board's RAM and flash is taken, as bars of the report's page."""

from collections.abc import Iterator
from dataclasses import dataclass

from tinsmith_driver.report_types import BufferKind, Flash, Ram, Report
from tinsmith_driver.table import thousands


@dataclass(frozen=True)
class Part:
    """label, and how many bytes, in words. share: of the bar, in percent. kind: whose colour it has."""

    label: str
    bytes: str
    share: str
    kind: BufferKind


@dataclass(frozen=True)
class Bar:
    """title: of what. text: bytes that are taken of those that there are. is_over: more than there are."""

    title: str
    text: str
    parts: list[Part]
    is_over: bool


_Pieces = tuple[tuple[str, int | None, BufferKind], ...]


def bars(report: Report) -> list[Bar]:
    """Of RAM, of flash where it was built, and of each memory where a plan has several; none on the host."""
    found = [*_whole(report["ram"], report["flash"])]
    memories = report["ram"]["memories"]
    if len(memories) > 1:
        for memory in memories:
            pieces: _Pieces = (("buffers", memory["bytes"], "activation"),)
            found += _bar(f"memory {memory['name']}", pieces, memory["available"])
    return found


def _whole(ram: Ram, flash: Flash) -> Iterator[Bar]:
    of_ram: _Pieces = (
        ("arena", ram["arena"], "activation"),
        ("data + bss", ram["data_bss"], "state"),
        ("stack", ram["stack"], "scratch"),
    )
    of_flash: _Pieces = (
        ("weights", flash["weights"], "constant"),
        ("code", flash["code"], "input"),
        ("other constants", flash["rodata"], "output"),
    )
    yield from _bar("RAM", of_ram, ram["available"])
    yield from _bar("flash", of_flash, flash["available"])


def _bar(title: str, pieces: _Pieces, available: int | None) -> Iterator[Bar]:
    if not available or all(size is None for _, size, _ in pieces):
        return
    taken = sum(size or 0 for _, size, _ in pieces)
    whole = max(taken, available)
    yield Bar(
        title,
        f"{thousands(taken)} of {thousands(available)} bytes, {taken / available:.1%}",
        [
            Part(label, thousands(size), f"{100 * size / whole:.2f}", kind)
            for label, size, kind in pieces
            if size
        ],
        taken > available,
    )
