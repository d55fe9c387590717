"""The records that describe hardware. They hold facts and do nothing; tools read them."""

from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from tinsmith_ir.checked import Checked

Feature = Literal["dsp", "fpu", "mve"]
"""What code may use beyond the base instructions: Arm DSP extension, float unit, Helium."""


Dma = Literal["mchan", "diana"]
"""A DMA that Tinsmith drives: mchan, that of PULP's clusters; the copy engine of DIANA's digital accelerator."""


@dataclass(frozen=True)
class Memory(Checked):
    """One address range of a board.

    origin: first address. size_bytes: length. kind: "flash" keeps its content without power (or is
    loaded before start, as on FPGA boards) and is only read; "ram" is read and written. wait_states: cycles that a load
    of up to four bytes there waits on average, seen from the core that runs networks; 0 also where nobody has a number.
    is_remote: no core loads from it; what lies there is copied by what the board's `fetch` names.
    """

    name: str
    origin: int
    size_bytes: int
    kind: Literal["flash", "ram"]
    wait_states: float = 0.0
    is_remote: bool = False

    @property
    def end(self) -> int:
        """The first address behind this memory."""
        return self.origin + self.size_bytes


@dataclass(frozen=True)
class Counter(Checked):
    """A counter that the test harness reads before and after a run.

    kind: "memory" is a register that counts up by itself; "nrf51-timer" a TIMER peripheral that has
    to be started and captured; "minstret" the RISC-V CSR of retired instructions.
    address: of the register (or of the peripheral), 0 for a CSR. tick_hz: counting frequency in the
    emulator, 0 if it counts instructions.
    """

    kind: Literal["memory", "nrf51-timer", "minstret"]
    address: int
    tick_hz: int

    def instructions_per_tick(self, icount_shift: int) -> float:
        """Instructions per tick when each one takes 2**icount_shift ns of QEMU's clock."""
        if self.tick_hz == 0:
            return 1.0 / (1 << icount_shift)
        return 1e9 / self.tick_hz / (1 << icount_shift)


@runtime_checkable
class Emulator(Protocol):
    """What a record says that describes how a board is emulated; who runs it knows the record's class."""

    @property
    def counts_cycles(self) -> bool:
        """Whether its cycles are those of the chip, or near them."""
        ...

    @property
    def counter(self) -> Counter:
        """What the test harness reads."""
        ...

    @property
    def instructions_per_tick(self) -> float:
        """What a tick of the counter stands for."""
        ...


@dataclass(frozen=True)
class Qemu(Checked):
    """How QEMU runs a board.

    program: executable. arguments: machine and CPU, without files. icount_shift: virtual time per
    instruction is 2**icount_shift ns; the larger, the finer a slow counter resolves instructions.
    """

    program: str
    arguments: tuple[str, ...]
    icount_shift: int
    counter: Counter

    @property
    def counts_cycles(self) -> bool:
        """No: instructions."""
        return False

    @property
    def instructions_per_tick(self) -> float:
        """What a tick of `counter` stands for."""
        return self.counter.instructions_per_tick(self.icount_shift)


@dataclass(frozen=True)
class ChipConstant(Checked):
    """A number of a chip's description, by its name there."""

    name: str
    value: int


@dataclass(frozen=True)
class SocSimulator(Checked):
    """How the simulator of platforms/simulators/soc runs a board: on its fabric controller.

    chip: name of a description, `chips/<chip>.soc` there. constants: of it, or `part.key` of its parts, that are others
    here.
    """

    chip: str
    constants: tuple[ChipConstant, ...] = ()

    @property
    def counts_cycles(self) -> bool:
        """By mcycle: approximate, from the chip's description."""
        return True

    @property
    def counter(self) -> Counter:
        """The CSR of retired instructions."""
        return Counter("minstret", 0, 0)

    @property
    def instructions_per_tick(self) -> float:
        """Each is counted."""
        return 1.0


@dataclass(frozen=True)
class Cluster(Checked):
    """Cores of a board that start together and share a near memory, beside the core that boots it.

    cores: how many compute. memory: name of the board's memory that they reach at once. network_bytes: what a network
    may use of it. stack_bytes: kept there for the stack of core 0, which runs the network; worker_stack_bytes: of each
    other core, which runs shares of its kernels. variable_bytes: kept there for variables of theirs. accelerators:
    names of those that compute beside the cores, from this memory.
    """

    cores: int
    memory: str
    network_bytes: int
    stack_bytes: int
    worker_stack_bytes: int
    variable_bytes: int
    accelerators: tuple[str, ...] = ()

    @property
    def reserved_bytes(self) -> int:
        """What no network can use: stacks and variables."""
        workers = self.worker_stack_bytes * (self.cores - 1)
        return self.stack_bytes + workers + self.variable_bytes


@dataclass(frozen=True)
class Scratchpad(Checked):
    """A memory from which accelerators compute and that no core reaches: tensors come and go by copies.

    memory: name of the board's memory. accelerators: names of those that read and write it; each copies, too, one thing
    after the other, and a copy goes to the first of them that does nothing. alignment: of tensors
    there, and of lengths of copies, in bytes. address_alignment: of addresses of copies; 0 is as much.
    copy_setup_cycles: of the core that starts and waits for a copy; copy_line_cycles: more of each further line of
    bytes; copy_bytes_per_cycle: what one moves besides.
    """

    memory: str
    accelerators: tuple[str, ...]
    alignment: int
    address_alignment: int = 0
    copy_setup_cycles: int = 0
    copy_line_cycles: int = 0
    copy_bytes_per_cycle: int = 16


AcceleratorFeature = Literal["channel-loops", "instruction-lists", "whole-vectors"]
"""What accelerators may be asked beyond what published software asks of them.

channel-loops: an instruction goes over channels of a depthwise layer. instruction-lists: a job has several
instructions, up to `INSTRUCTIONS_A_JOB`. whole-vectors: an instruction computes any number of fully connected outputs.
"""

INSTRUCTIONS_A_JOB = 16
"""With instruction-lists."""


@dataclass(frozen=True)
class Unpublished(Checked):
    """A feature that a chip may have or not: nobody who knows has said. constant: by which the simulator has it; None
    where programs run directly.
    """

    feature: AcceleratorFeature
    constant: ChipConstant | None = None


@dataclass(frozen=True)
class Board(Checked):
    """A board: its memories, what lies where, and how to emulate it.

    architecture: of its CPU. code_memory: vectors, code and constants. weight_memory: weights.
    data_memory: stack, data, bss and arena. arena_memory: of the arena, if that lies elsewhere.
    stack_bytes: kept free for the stack. clock_hz: of the CPU on real silicon or FPGA, 0 if there is none.
    emulator: None if programs run directly (host).
    source: where the numbers come from. has_memory_protection: whether start-up code can make the
    code memory read-only (RISC-V's PMP). dma: what copies beside the core; None if nothing that Tinsmith drives.
    cluster: cores that run the networks whose kernels ask for them; None if there is one core. fetch: what copies from
    a remote memory beside the cores; None if there is no such memory. fetch_setup_cycles: from
    the start of a copy, before which there is none, to its first byte; fetch_bytes_per_cycle: what long ones move from
    then on. scratchpad: of accelerators that compute from a memory of their own; None if there are none.
    unpublished: what a target of the board may be named with; accelerator_features: what this one is named with.
    """

    name: str
    description: str
    architecture: Literal["host", "arm", "riscv"]
    memories: tuple[Memory, ...]
    code_memory: str
    weight_memory: str
    data_memory: str
    stack_bytes: int
    clock_hz: int
    emulator: Emulator | None
    source: str
    has_memory_protection: bool = False
    dma: Dma | None = None
    cluster: Cluster | None = None
    fetch: Literal["udma"] | None = None
    fetch_setup_cycles: int = 0
    fetch_bytes_per_cycle: float = 0.0
    scratchpad: Scratchpad | None = None
    arena_memory: str | None = None
    unpublished: tuple[Unpublished, ...] = ()
    accelerator_features: frozenset[AcceleratorFeature] = frozenset()

    @property
    def largest_array_bytes(self) -> int:
        """What a C array can have here at most: half of 32 bits of addresses, as the difference of two
        pointers has a sign; on a computer the 47 bits that its system leaves to a program.
        """
        return 1 << 47 if self.architecture == "host" else (1 << 31) - 1

    @property
    def has_remote_weights(self) -> bool:
        """Whether weights lie in a memory from which no core loads."""
        return bool(self.weight_memory) and self.memory(self.weight_memory).is_remote

    def memory(self, name: str) -> Memory:
        """The memory of that name. Raises KeyError if the board has none."""
        for memory in self.memories:
            if memory.name == name:
                return memory
        raise KeyError(f"board {self.name} has no memory '{name}'")

    @property
    def arena_home(self) -> str:
        """The memory in which an arena lies."""
        return self.data_memory if self.arena_memory is None else self.arena_memory

    def arena_room(self, name: str) -> int:
        """What the memory of that name leaves for arenas: a stack lies in the one for data.

        Raises KeyError if the board has none.
        """
        return self.memory(name).size_bytes - (self.stack_bytes if name == self.data_memory else 0)

    def home(self, name: str) -> Memory:
        """Where a program's memory of that name lies: in the RAM that the board calls so, else where an arena does.

        Raises KeyError for a board without memories (host).
        """
        for memory in self.memories:
            if memory.name == name and memory.kind == "ram":
                return memory
        return self.memory(self.arena_home)


@dataclass(frozen=True)
class Target(Checked):
    """What `--target` names: a CPU with its features on a board, and the backend made for it.

    cpu: key of the compiler flags (`platforms/toolchains/flags.bzl`). features: what code may use beyond the base
    instructions; kernels ask for them. backend: name of the back end that serves it best, such as `reference`,
    `cmsis_nn` or `pulp_nn`.
    """

    name: str
    description: str
    cpu: str
    features: frozenset[Feature]
    board: Board
    backend: str
