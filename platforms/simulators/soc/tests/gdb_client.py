"""A debugger as small as possible: packets of GDB's remote serial protocol to a simulator that it starts."""

import re
import socket
import subprocess
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from support import CHIP, program

PC = 32
FIRST_FLOAT = 33
FIRST_CSR = 65
LOOP_COUNT = FIRST_CSR + 0xCC2

HEAD = '#include "cluster.inc"\n.globl _start\n_start:\n'
ENTRY = 0x1C008000
ONE_CORE = ("--start-cluster", "--set", "cluster_cores=1")
TRAP = "T05thread:1;"

# a0 = 3 + 3 * 5; the loop's body is at body, and done is behind it.
SAMPLE = f"""{HEAD}
.balign 4
.option norvc
  addi a0, zero, 3
  addi a5, zero, 5
  loop_setup 0, a5, 1f
body:
  addi a0, a0, 1
  addi a0, a0, 1
  addi a0, a0, 1
1:
done:
  lui a1, %hi(variable)
  sw a0, %lo(variable)(a1)
  lw a4, %lo(variable)(a1)
  exit_with 7
.data
.balign 4
variable: .word 0
"""
BODY, DONE = ENTRY + 12, ENTRY + 24
_SECONDS = 60


def checksum(payload: bytes) -> bytes:
    return b"%02x" % (sum(payload) % 256)


@dataclass
class Debugger:
    process: "subprocess.Popen[bytes]"
    reader: IO[bytes]
    writer: IO[bytes]
    hang_up: Callable[[], None]  # without a word
    output: list[str] = field(default_factory=list[str])  # of packets O

    def write(self, data: bytes) -> None:
        self.writer.write(data)
        self.writer.flush()

    def send(self, payload: bytes) -> None:
        self.write(b"$" + payload + b"#" + checksum(payload))

    def read_packet(self) -> bytes:
        """The next packet; acknowledgements before it are skipped."""
        payload = b""
        while (byte := self.reader.read(1)) != b"$":
            assert byte in (b"+", b"-"), f"neither a packet nor an acknowledgement: {byte!r}"
        while (byte := self.reader.read(1)) != b"#":
            assert byte, "the simulator is gone"
            payload += byte
        assert self.reader.read(2) == checksum(payload)
        self.write(b"+")
        return payload

    def receive(self) -> str:
        """The next reply, after any output."""
        while (payload := self.read_packet()).startswith(b"O") and payload != b"OK":
            self.output.append(bytes.fromhex(payload[1:].decode()).decode())
        return payload.decode()

    def ask(self, packet: str) -> str:
        self.send(packet.encode())
        return self.receive()

    def register(self, number: int) -> int:
        return int.from_bytes(bytes.fromhex(self.ask(f"p{number:x}")), "little")

    def set_register(self, number: int, value: int) -> str:
        return self.ask(f"P{number:x}={value.to_bytes(4, 'little').hex()}")

    def memory(self, address: int, count: int) -> bytes:
        return bytes.fromhex(self.ask(f"m{address:x},{count:x}"))

    def exit_status(self) -> int:
        return self.process.wait(_SECONDS)


def _command(elf: Path, where: str, options: tuple[str, ...]) -> list[str]:
    return [str(program("soc")), "--chip", str(CHIP), "--gdb", where, *options, str(elf)]


@contextmanager
def debugger(elf: Path, *options: str) -> Generator[Debugger]:
    """Debugs a program over TCP; the simulator takes any free port, and says which."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(
            _command(elf, "0", options),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.PIPE,
        )
        assert process.stderr is not None
        try:
            told = process.stderr.readline().decode()
            port = re.search(r"127\.0\.0\.1:(\d+)", told)
            assert port is not None, told
            with (
                socket.create_connection(("127.0.0.1", int(port[1])), _SECONDS) as link,
                link.makefile("rb") as reader,
                link.makefile("wb") as writer,
            ):
                yield Debugger(process, reader, writer, lambda: link.shutdown(socket.SHUT_RDWR))
        finally:
            process.kill()
            process.wait()
            process.stderr.close()


@contextmanager
def piped_debugger(elf: Path, *options: str) -> Generator[Debugger]:
    """Debugs a program over the simulator's standard streams; its stderr is a pipe, too."""
    process = subprocess.Popen(
        _command(elf, "stdio", options),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield Debugger(process, process.stdout, process.stdin, process.stdin.close)
    finally:
        process.kill()
        with process:
            pass  # closes its streams
