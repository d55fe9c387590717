"""Finding QEMU, and the command line that is made for a board."""

from pathlib import Path

import pytest
from tinsmith_emulators import MissingEmulatorError, find_qemu
from tinsmith_emulators.qemu import check_version, qemu_command
from tinsmith_target import Qemu, target


def test_missing_qemu_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    find_qemu.cache_clear()

    with pytest.raises(MissingEmulatorError, match="apt-get install qemu-system-misc"):
        find_qemu("qemu-system-riscv32")
    find_qemu.cache_clear()


def test_old_qemu_is_refused() -> None:
    check_version("qemu", "QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3)")
    check_version("qemu", "QEMU emulator version 10.0.0")
    with pytest.raises(MissingEmulatorError, match=r"version 5\.2; 7\.0 or newer"):
        check_version("qemu", "QEMU emulator version 5.2.0 (Debian 1:5.2)")
    with pytest.raises(MissingEmulatorError, match="not a QEMU"):
        check_version("qemu", "hello")


def test_command_counts_by_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(program: str) -> Path:
        return Path("/q") / program

    monkeypatch.setattr("tinsmith_emulators.qemu.find_qemu", find)
    emulator = target("cortex-m7").board.emulator
    assert isinstance(emulator, Qemu)

    command = " ".join(qemu_command(emulator, Path("/x/firmware.elf")))

    assert command.startswith("/q/qemu-system-arm -M mps2-an500 ")
    assert "-icount sleep=off,shift=6" in command
    assert "-semihosting-config enable=on,target=native" in command
    assert command.endswith("-kernel /x/firmware.elf")
