"""What Bazel compiled for each platform is code for that CPU, and all of it is there."""

import struct
from pathlib import Path

import pytest
from tinsmith_target import target, targets

_HERE = Path(__file__).parent
_ARM, _RISCV, _X86_64, _AARCH64 = 40, 243, 62, 183

# Tag_CPU_name of the Arm attributes: the CPU that the compiler was told.
_ARM_CPUS = ["cortex-m0", "cortex-m3", "cortex-m4", "cortex-m7", "cortex-m33", "cortex-m55"]
_RISCV_CPUS = ["riscv32", "riscv32-corev"]
# For which Bazel compiles the kernels, too.
_LINKED_CPUS = ["cortex-m0", "cortex-m55", "riscv32-corev"]


def members(archive: Path) -> dict[str, bytes]:
    """The object files of an `ar` archive, by name; GNU's long names resolved."""
    data = archive.read_bytes()
    assert data.startswith(b"!<arch>\n")
    found: dict[str, bytes] = {}
    names = b""
    position = 8
    while position < len(data):
        header = data[position : position + 60]
        size = int(header[48:58])
        body = data[position + 60 : position + 60 + size]
        name = header[:16].rstrip().decode()
        if name == "//":
            names = body
        elif name not in ("/", "/SYM64/"):
            if name.startswith("/"):
                start = int(name[1:])
                name = names[start : names.index(b"\n", start)].decode()
            found[name.rstrip("/")] = body
        position += 60 + size + size % 2
    return found


def objects(cpu: str) -> dict[str, bytes]:
    """All object files built for a CPU."""
    folder = _HERE / cpu.replace("-", "_")
    archives = sorted(path for path in folder.glob("*.a") if not path.name.endswith(".pic.a"))
    assert archives, f"nothing was built in {folder}"
    return {
        f"{archive.name}({name})": body
        for archive in archives
        for name, body in members(archive).items()
    }


def machine(elf: bytes) -> int:
    """e_machine of an ELF file."""
    assert elf[:4] == b"\x7fELF"
    return struct.unpack_from("<H", elf, 18)[0]


@pytest.mark.parametrize("cpu", _ARM_CPUS)
def test_objects_are_for_the_arm_cpu(cpu: str) -> None:
    for name, elf in objects(cpu).items():
        assert machine(elf) == _ARM, name
        assert cpu.encode() + b"\x00" in elf, name


@pytest.mark.parametrize("cpu", _RISCV_CPUS)
def test_objects_are_for_riscv32(cpu: str) -> None:
    for name, elf in objects(cpu).items():
        assert machine(elf) == _RISCV, name
        assert elf[4] == 1, f"{name} is not 32-bit"


def test_objects_are_for_the_host() -> None:
    for name, elf in objects("host").items():
        assert machine(elf) in (_X86_64, _AARCH64), name


@pytest.mark.parametrize("cpu", _LINKED_CPUS)
def test_network_and_kernels_are_there(cpu: str) -> None:
    names = " ".join(objects(cpu))
    for library in ("libdigits.a", "libcmsis_nn.a", "libreference.a"):
        assert library in names
    assert ("libpulp_nn.a" in names) == (cpu == "riscv32-corev")


@pytest.mark.parametrize("cpu", _LINKED_CPUS)
def test_firmware_is_a_whole_program(cpu: str) -> None:
    elf = (_HERE / cpu.replace("-", "_") / "firmware").read_bytes()
    executable = 2
    assert struct.unpack_from("<H", elf, 16)[0] == executable
    assert machine(elf) == (_RISCV if cpu in _RISCV_CPUS else _ARM)


def kernels(name: str) -> str:
    """What decides whether a network compiled for a target is right on a CPU: what its kernels are built as."""
    features = target(name).features
    return "mve" if "mve" in features else "dsp" if "dsp" in features else "c"


@pytest.mark.parametrize("board", {found.cpu: found.name for found in targets()}.values())
@pytest.mark.parametrize("name", [found.name for found in targets()])
def test_bazel_takes_a_platform_whose_kernels_are_those_of_the_target(
    name: str, board: str
) -> None:
    folder = _HERE / target(board).cpu.replace("-", "_")
    right = name == "host" or kernels(name) == kernels(board)
    assert (folder / f"verdict_on_{name}").read_text() == ("accepted" if right else "refused")


@pytest.mark.parametrize("name", [found.name for found in targets()])
def test_bazel_leaves_other_boards_to_their_compiler(name: str) -> None:
    assert (_HERE / "on_their_board" / f"verdict_on_{name}").read_text() == "accepted"


def test_nn_library_with_a_target_has_these_constraints() -> None:
    constraints = (_HERE / "cortex_m4" / "constraints_of_digits_for_m4").read_text()
    assert constraints.split() == ["//platforms:cpu_with_dsp_kernels"]


def test_wrong_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.a"
    path.write_bytes(b"no archive")
    with pytest.raises(AssertionError):
        members(path)
