"""The boards. Sizes and addresses are those of the boards' manuals as QEMU 7.2 models them, of PULP
chips those of the simulator's descriptions.

Counters were measured, not read in manuals: the FPGAIO counter of mps2-an505 and mps3-an547 runs at
the device's default of 20 MHz in QEMU 7.2, not at the board's documented clock.
"""

from dataclasses import replace

from tinsmith_target.model import (
    INSTRUCTIONS_A_JOB,
    Board,
    ChipConstant,
    Cluster,
    Counter,
    Memory,
    Qemu,
    Scratchpad,
    SocSimulator,
    Unpublished,
)

_KIB = 1024
_MIB = 1024 * 1024
# 64 ns of virtual time per instruction: the 20 to 25 MHz counters then resolve single instructions
# and wrap only after 2.7 thousand million of them.
_ARM_SHIFT = 6


def _mps2(machine: str) -> Qemu:
    counter = Counter("memory", 0x4002_8018, 25_000_000)
    return Qemu("qemu-system-arm", ("-M", machine), _ARM_SHIFT, counter)


def _mps2_memories(psram_origin: int) -> tuple[Memory, ...]:
    return (
        Memory("ssram1", 0x0000_0000, 4 * _MIB, "flash"),
        Memory("ssram2", 0x2000_0000, 4 * _MIB, "ram"),
        Memory("psram", psram_origin, 16 * _MIB, "ram"),
    )


_OF_DIANA = (
    Unpublished("channel-loops", ChipConstant("digital.depthwise_loop", 1)),
    Unpublished("instruction-lists", ChipConstant("digital.job_instructions", INSTRUCTIONS_A_JOB)),
    Unpublished("whole-vectors", ChipConstant("digital.fully_connected_outputs", 0)),
)
"""Of its digital array; switches of platforms/simulators/soc/chips/diana.soc, all off there."""

HOST = Board(
    name="host",
    description="this computer, no emulator",
    architecture="host",
    memories=(),
    code_memory="",
    weight_memory="",
    data_memory="",
    stack_bytes=0,
    clock_hz=0,
    emulator=None,
    source="-",
    # Of chips whose accelerators have twins here.
    unpublished=tuple(Unpublished(entry.feature) for entry in _OF_DIANA),
)

NRF51822 = Board(
    name="nrf51822-qfac",
    description="Nordic nRF51822 QFAC: Cortex-M0, 256 KB flash, 32 KB RAM",
    architecture="arm",
    memories=(
        Memory("flash", 0x0000_0000, 256 * _KIB, "flash"),
        Memory("ram", 0x2000_0000, 32 * _KIB, "ram"),
    ),
    code_memory="flash",
    weight_memory="flash",
    data_memory="ram",
    stack_bytes=4 * _KIB,
    clock_hz=16_000_000,
    # QEMU's micro:bit carries the QFAA part with 16 KB; the QFAC part differs in RAM alone.
    emulator=Qemu(
        "qemu-system-arm",
        ("-M", "microbit", "-global", f"nrf51-soc.sram-size={32 * _KIB}"),
        _ARM_SHIFT,
        Counter("nrf51-timer", 0x4000_8000, 16_000_000),
    ),
    source="nRF51822 Product Specification v3.4, section 10 (memory variants); QEMU nrf51_soc.c",
)

MPS2_AN385 = Board(
    name="mps2-an385",
    description="Arm MPS2 with FPGA image AN385: Cortex-M3",
    architecture="arm",
    memories=_mps2_memories(0x2100_0000),
    code_memory="ssram1",
    weight_memory="ssram1",
    data_memory="ssram2",
    stack_bytes=16 * _KIB,
    clock_hz=25_000_000,
    emulator=_mps2("mps2-an385"),
    source="Arm Application Note AN385, memory map; QEMU mps2.c",
)

MPS2_AN386 = Board(
    name="mps2-an386",
    description="Arm MPS2 with FPGA image AN386: Cortex-M4 with FPU",
    architecture="arm",
    memories=_mps2_memories(0x2100_0000),
    code_memory="ssram1",
    weight_memory="ssram1",
    data_memory="ssram2",
    stack_bytes=16 * _KIB,
    clock_hz=25_000_000,
    emulator=_mps2("mps2-an386"),
    source="Arm Application Note AN386, memory map; QEMU mps2.c",
)

MPS2_AN500 = Board(
    name="mps2-an500",
    description="Arm MPS2 with FPGA image AN500: Cortex-M7 with FPU",
    architecture="arm",
    memories=_mps2_memories(0x6000_0000),
    code_memory="ssram1",
    weight_memory="ssram1",
    data_memory="ssram2",
    stack_bytes=16 * _KIB,
    clock_hz=25_000_000,
    emulator=_mps2("mps2-an500"),
    source="Arm Application Note AN500, memory map; QEMU mps2.c",
)

MPS2_AN505 = Board(
    name="mps2-an505",
    description="Arm MPS2+ with FPGA image AN505: Cortex-M33 with FPU, Secure addresses",
    architecture="arm",
    memories=(
        Memory("ssram1", 0x1000_0000, 4 * _MIB, "flash"),
        Memory("ssram2", 0x3800_0000, 4 * _MIB, "ram"),
        Memory("psram", 0x8000_0000, 16 * _MIB, "ram"),
    ),
    code_memory="ssram1",
    weight_memory="ssram1",
    data_memory="ssram2",
    stack_bytes=16 * _KIB,
    clock_hz=20_000_000,
    emulator=Qemu(
        "qemu-system-arm",
        ("-M", "mps2-an505"),
        _ARM_SHIFT,
        Counter("memory", 0x5030_2018, 20_000_000),
    ),
    source="Arm Application Note AN505, memory map; QEMU mps2-tz.c",
)

MPS3_AN547 = Board(
    name="mps3-an547",
    description="Arm MPS3 with FPGA image AN547 (Corstone-300): Cortex-M55 with Helium",
    architecture="arm",
    memories=(
        Memory("itcm", 0x0000_0000, 512 * _KIB, "flash"),
        Memory("sram", 0x0100_0000, 2 * _MIB, "flash"),
        Memory("dtcm", 0x2000_0000, 512 * _KIB, "ram"),
    ),
    code_memory="itcm",
    # ITCM is small and fast: code. Weights are read in order and live well in the larger SRAM.
    weight_memory="sram",
    data_memory="dtcm",
    stack_bytes=16 * _KIB,
    clock_hz=32_000_000,
    emulator=Qemu(
        "qemu-system-arm",
        ("-M", "mps3-an547"),
        _ARM_SHIFT,
        Counter("memory", 0x4930_2018, 20_000_000),
    ),
    source="Arm Application Note AN547, memory map; QEMU mps2-tz.c",
)

RISCV_VIRT = Board(
    name="riscv-virt",
    description="QEMU's RISC-V virt machine with rv32imc, its DRAM split in flash and RAM",
    architecture="riscv",
    memories=(
        Memory("rom", 0x8000_0000, 16 * _MIB, "flash"),
        Memory("ram", 0x8100_0000, 16 * _MIB, "ram"),
    ),
    code_memory="rom",
    weight_memory="rom",
    data_memory="ram",
    stack_bytes=16 * _KIB,
    clock_hz=0,
    # After reset mstatus.FS and VS are off: an instruction on floats or vectors traps. Switching the
    # extensions themselves off is spelled differently by each version of QEMU.
    emulator=Qemu(
        "qemu-system-riscv32",
        ("-M", "virt", "-cpu", "rv32", "-m", "32M", "-bios", "none"),
        0,
        Counter("minstret", 0, 0),
    ),
    source="QEMU hw/riscv/virt.c, VIRT_DRAM",
    has_memory_protection=True,
)


_L2_WAITS = 14.0
"""Of the cluster's cores: l2_cluster of the descriptions, without the load itself."""


def _l2(data_kib: int, code_kib: int) -> tuple[Memory, Memory]:
    """A PULP chip's one L2, split in two. Data at its lower end: a stack that overflows leaves the
    memory and faults.
    """
    data = Memory("l2_data", 0x1C00_0000, data_kib * _KIB, "ram", _L2_WAITS)
    return data, Memory("l2_code", data.end, code_kib * _KIB, "flash", _L2_WAITS)


def _l1(size_kib: int) -> Memory:
    return Memory("l1", 0x1000_0000, size_kib * _KIB, "ram")


_CLUSTER_CORES = 8
# All compute: the README says why.
_GAP9_CORES = 9
# The README says what was measured.
_STACK_BYTES = 3 * _KIB
_WORKER_STACK_BYTES = 1280
_VARIABLE_BYTES = 512


def _cluster(l1: Memory, *accelerators: str, cores: int = _CLUSTER_CORES) -> Cluster:
    """The cores at a first-level memory, of which a network has all that stacks and variables leave."""
    reserved = _STACK_BYTES + (cores - 1) * _WORKER_STACK_BYTES + _VARIABLE_BYTES
    return Cluster(
        cores=cores,
        memory=l1.name,
        network_bytes=l1.size_bytes - reserved,
        stack_bytes=_STACK_BYTES,
        worker_stack_bytes=_WORKER_STACK_BYTES,
        variable_bytes=_VARIABLE_BYTES,
        accelerators=accelerators,
    )


PULP_OPEN = Board(
    name="pulp-open",
    description="PULP-open, simulated: RV32IMC cores with CORE-V, 1.5 MB L2, 64 KB L1",
    architecture="riscv",
    memories=(*_l2(data_kib=576, code_kib=1024), _l1(64)),
    code_memory="l2_code",
    weight_memory="l2_code",
    data_memory="l2_data",
    stack_bytes=16 * _KIB,
    clock_hz=0,
    emulator=SocSimulator("pulp-open"),
    dma="mchan",
    cluster=_cluster(_l1(64)),
    source="platforms/simulators/soc/chips/pulp-open.soc; GVSoC's cluster.json and soc.json",
)

SIRACUSA = Board(
    name="siracusa",
    description="Siracusa, simulated with CORE-V cores: 2 MB L2, 256 KB L1, N-EUREKA with 4 MB for weights",
    architecture="riscv",
    memories=(
        *_l2(data_kib=1024, code_kib=1024),
        _l1(256),
        # The accelerator's own, by which it is coupled with non-volatile MRAM [arXiv 2312.14750]: loaded before start.
        Memory("weights", 0x1040_0000, 4 * _MIB, "flash", _L2_WAITS),
    ),
    code_memory="l2_code",
    weight_memory="l2_code",
    data_memory="l2_data",
    stack_bytes=16 * _KIB,
    clock_hz=360_000_000,
    emulator=SocSimulator("siracusa"),
    dma="mchan",
    cluster=_cluster(_l1(256), "neureka"),
    source="platforms/simulators/soc/chips/siracusa.soc; clock at 0.8 V: arXiv 2312.14750",
)

GAP9 = Board(
    name="gap9",
    description="GAP9-like, simulated with CORE-V cores: 1.5 MB L2, 128 KB L1, 8 MB L3 behind a uDMA",
    architecture="riscv",
    memories=(
        *_l2(data_kib=1024, code_kib=512),
        _l1(128),
        # Waits as those of L2, where cores read what was copied.
        Memory("l3", 0x8000_0000, 8 * _MIB, "flash", _L2_WAITS, is_remote=True),
    ),
    code_memory="l2_code",
    weight_memory="l3",
    data_memory="l2_data",
    stack_bytes=16 * _KIB,
    clock_hz=370_000_000,
    emulator=SocSimulator("gap9"),
    dma="mchan",
    cluster=_cluster(_l1(128), cores=_GAP9_CORES),
    fetch="udma",
    # By the chip's description: setup and a burst's command; bursts of 1024 bytes, each with its command.
    fetch_setup_cycles=95,
    fetch_bytes_per_cycle=1.04,
    source="platforms/simulators/soc/chips/gap9.soc; clock at 0.8 V: MLPerf Tiny v1.0",
)

DIANA = Board(
    name="diana",
    description="DIANA's host, simulated with CORE-V: 512 KB L2; 256 KB L1 of accelerators, which it does not reach",
    architecture="riscv",
    # One L2, to a host without waits. Its private banks, the first 64 KB, are where accelerators do not get: what cores
    # alone touch lies there, weights and arenas behind.
    memories=(
        Memory("l2_data", 0x1C00_0000, 24 * _KIB, "ram"),
        Memory("l2_code", 0x1C00_6000, 72 * _KIB, "flash"),
        Memory("l2_weights", 0x1C01_8000, 328 * _KIB, "flash"),
        Memory("l2_arena", 0x1C06_A000, 88 * _KIB, "ram"),
        _l1(256),
    ),
    code_memory="l2_code",
    weight_memory="l2_weights",
    data_memory="l2_data",
    arena_memory="l2_arena",
    stack_bytes=16 * _KIB,
    clock_hz=260_000_000,
    emulator=SocSimulator("diana"),
    dma="diana",
    scratchpad=Scratchpad(
        "l1",
        ("digital", "analog"),
        alignment=32,
        address_alignment=16,
        copy_setup_cycles=165,
        # As measured of 36 lines of 480 bytes.
        copy_line_cycles=68,
        copy_bytes_per_cycle=16,
    ),
    unpublished=_OF_DIANA,
    source="platforms/simulators/soc/chips/diana.soc; set-up of copies: measured there; clock: arXiv 2406.07453",
)

DIANA_IMAGES = replace(
    DIANA,
    name="diana-images",
    description="DIANA's host as above, with most of L2 for tensors instead of weights",
    memories=(
        Memory("l2_data", 0x1C00_0000, 24 * _KIB, "ram"),
        Memory("l2_code", 0x1C00_6000, 72 * _KIB, "flash"),
        Memory("l2_weights", 0x1C01_8000, 96 * _KIB, "flash"),
        Memory("l2_arena", 0x1C03_0000, 320 * _KIB, "ram"),
        _l1(256),
    ),
)
