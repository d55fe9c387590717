"""The debugger's stub: packets good and bad, links, and what it says of itself."""

import socket
from pathlib import Path
from xml.etree import ElementTree

import pytest
from gdb_client import (
    ENTRY,
    FIRST_CSR,
    HEAD,
    LOOP_COUNT,
    ONE_CORE,
    PC,
    TRAP,
    debugger,
)
from support import EXIT_USE, link, simulate


@pytest.fixture
def elf(tmp_path: Path) -> Path:
    return link(f"{HEAD} exit_with 7\n", tmp_path, symbols={})


def test_bad_checksums_are_refused_and_lost_replies_sent_again(elf: Path) -> None:
    with debugger(elf) as gdb:
        gdb.write(b"$p20#00")
        assert gdb.reader.read(1) == b"-"
        gdb.write(b"$p20#zz")
        assert gdb.reader.read(1) == b"-"
        gdb.send(b"p20")
        assert gdb.reader.read(1) == b"+"
        first = gdb.read_packet()
        gdb.write(b"-")
        assert gdb.read_packet() == first
        gdb.write(b"noise$garb$?#3f")
        assert gdb.receive() == TRAP


def test_packets_that_mean_nothing_do_no_harm(elf: Path) -> None:
    unknown = [
        "",
        "!",
        "vMustReplyEmpty",
        "qNothing",
        "Z5,0,4",
        "R00",
        "qXfer:memory-map:read::0,100",
    ]
    wrong = [
        "Z0",
        "Z0,x,4",
        "p",
        "pzz",
        "P1",
        "Pzz=00000000",
        "P1=00",
        "G00",
        "Cx",
        "s!",
        "vCont;t",
        "m1,x",
    ]
    with debugger(elf, *ONE_CORE) as gdb:
        assert [gdb.ask(packet) for packet in unknown] == [""] * len(unknown)
        assert [gdb.ask(packet) for packet in wrong] == ["E01"] * len(wrong)
        assert gdb.ask("M10000000,4:" + "0" * 40000) == ""
        assert gdb.ask("c") == "W07"


def test_no_acknowledgements_when_they_are_not_wanted(elf: Path) -> None:
    with debugger(elf) as gdb:
        assert gdb.ask("QStartNoAckMode") == "OK"
        gdb.send(b"?")
        assert gdb.reader.read(1) == b"$"
        assert gdb.reader.read(len(TRAP)) == TRAP.encode()


def test_description_names_the_registers_by_number(elf: Path) -> None:
    text = ""
    with debugger(elf) as gdb:
        while True:
            part = gdb.ask(f"qXfer:features:read:target.xml:{len(text):x},400")
            text += part[1:]
            if part[0] == "l":
                break
        assert gdb.ask("qXfer:features:read:target.xml:fffff,10") == "E01"
    assert "<osabi>none</osabi>" in text  # else GDB steps by breakpoints, and over hardware loops
    numbers = {
        reg.get("name"): int(reg.get("regnum", "-1"))
        for reg in ElementTree.fromstring(text).iter("reg")
    }
    assert [numbers[name] for name in ("zero", "sp", "pc", "ft0", "ft11")] == [0, 2, PC, 33, 64]
    assert numbers["mepc"] == FIRST_CSR + 0x341
    assert numbers["lpcount0"] == LOOP_COUNT


def test_there_is_one_thread(elf: Path) -> None:
    with debugger(elf, "--gdb-core", "fc") as gdb:
        assert gdb.ask("qfThreadInfo") == "m1"
        assert gdb.ask("qsThreadInfo") == "l"
        assert gdb.ask("qC") == "QC1"
        assert gdb.ask("Hg1") == "OK"
        assert gdb.ask("vCont?") == "vCont;c;C;s;S"
        assert bytes.fromhex(gdb.ask("qThreadExtraInfo,1")) == b"fabric controller"
        state = bytes.fromhex(gdb.ask("qRcmd,00")).decode().splitlines()
        assert state[0] == "cycle 0"
        assert state[1] == f"core 0: not started, at 0x{ENTRY:08x} in _start"
        assert state[-1] == f"fabric controller: runs, at 0x{ENTRY:08x} in _start"


def test_links_that_cannot_be_are_told(elf: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for where, message in (
            ("x", "neither stdio nor a port"),
            ("70000", "neither"),
            (port, "cannot be used"),
        ):
            run = simulate(elf, "--gdb", where)
            assert run.status == EXIT_USE
            assert message in run.messages
    assert "no core is called 12" in simulate(elf, "--gdb", "0", "--gdb-core", "12").messages
