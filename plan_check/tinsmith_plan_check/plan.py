"""The records of a plan, `tinsmith.plan/1`: what `reader.py` makes of a file.

Whether the claims are true is not asked here.
"""

from collections.abc import Iterator
from dataclasses import dataclass

SCHEMA = "tinsmith.plan/1"


@dataclass(frozen=True)
class Progression:
    """`count` numbers, each `increment` more than the one before and there `repeats` times."""

    first: int
    increment: int
    count: int
    repeats: int


@dataclass(frozen=True)
class Walk:
    """In which step of a kernel each of some equal pieces of its result is written first, and of an operand read last.

    In each step all reading is before all writing.
    """

    written: tuple[Progression, ...]
    read: tuple[Progression, ...]


@dataclass(frozen=True)
class Run:
    """`count` runs of `length` bytes, each beginning `stride` bytes behind where the one before does."""

    start: int
    length: int
    stride: int
    count: int


@dataclass(frozen=True)
class Piece:
    """`length` bytes of a tensor from byte `start` on."""

    tensor: str
    start: int
    length: int


@dataclass(frozen=True)
class Access:
    """Bytes of a buffer that are read or written, in the order of the elements, and which bytes of which tensors they
    hold then. runs: counted from the buffer's first byte.
    """

    view: str
    buffer: str
    runs: tuple[Run, ...]
    pieces: tuple[Piece, ...]

    def spans(self) -> Iterator[tuple[int, int]]:
        """Begin and end of each run, in bytes of the buffer."""
        for run in self.runs:
            for index in range(run.count):
                begin = run.start + index * run.stride
                yield begin, begin + run.length

    @property
    def is_dense(self) -> bool:
        """True if its bytes lie side by side."""
        return len(self.runs) == 1 and self.runs[0].count == 1

    @property
    def size(self) -> int:
        """In bytes."""
        return sum(run.length * run.count for run in self.runs)


@dataclass(frozen=True)
class Memory:
    """home: the memory of the board that it lies in, "" for the one where arenas lie. budget: what there is there for
    all, in bytes; None for any size. is_caller: it belongs to who calls the program.

    bytes: from its start to the end of what lies highest. bound: what no plan of these lives and leaves can go below.
    searched_bound: what the planner's search says of the same, which nobody can check here.
    """

    name: str
    alignment: int
    home: str
    budget: int | None
    is_caller: bool
    bytes: int
    bound: int
    searched_bound: int
    status: str
    gap: float


@dataclass(frozen=True)
class Buffer:
    """lives: first and last step of each stretch in which it holds something that is still read, both included."""

    name: str
    memory: str
    offset: int
    bytes: int
    is_scratch: bool
    lives: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Tensor:
    """What bytes are told apart by: each of its bytes is made once. is_constant: copied from where constants are."""

    name: str
    bytes: int
    is_constant: bool


@dataclass(frozen=True)
class Engine:
    """What runs steps beside the core. is_fifo: it ends them in the order in which they were started."""

    name: str
    is_fifo: bool


@dataclass(frozen=True)
class View:
    """A tensor's place on a buffer."""

    name: str
    buffer: str
    shape: tuple[int, ...]
    element_bytes: int


@dataclass(frozen=True)
class Leave:
    """`output` may lie over `source` while both live, at some distances (offset less offset): up to one, from one on,
    others.
    """

    output: str
    source: str
    at_most: int | None
    at_least: int | None
    exactly: tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """One step as often as it runs. order: for an operand, by index in `reads`, which of the walks says in which order
    the kernel reads it and writes the result. ends: indices of steps that have ended behind this one.
    """

    name: str
    kind: str
    kernel: str
    engine: str | None
    reads: tuple[Access, ...]
    writes: tuple[Access, ...]
    scratch: Access | None
    order: tuple[tuple[int, int], ...]
    ends: tuple[int, ...]


@dataclass(frozen=True)
class Loop:
    """Steps first to first + length * count - 1 are `count` times the same."""

    counter: str
    first: int
    length: int
    count: int


@dataclass(frozen=True)
class CutRead:
    """Of each row of a result, the first row of an operand that it needs, and one behind the last."""

    tensor: str
    start: int
    row_bytes: int
    begins: tuple[Progression, ...]
    ends: tuple[Progression, ...]


@dataclass(frozen=True)
class Cut:
    """A call of the network that is computed in parts, each some rows of its result.

    parts: step, first row and one behind the last. window: lines that are kept of the result, None for all.
    """

    layer: str
    tensor: str
    start: int
    rows: int
    row_bytes: int
    window: int | None
    parts: tuple[tuple[int, int, int], ...]
    reads: tuple[CutRead, ...]


Range = tuple[int, int]
"""First index along an axis, and one behind the last."""


@dataclass(frozen=True)
class PatchRead:
    """An operand of a call in patches. layer: the call in patches that makes it, whose elements lie where its parts put
    them; or "" and the tensor that holds all of it, from byte `start` on.
    """

    layer: str
    tensor: str
    start: int
    shape: tuple[int, ...]
    element_bytes: int


@dataclass(frozen=True)
class PatchPart:
    """box: of the result, a range along each axis. needs: of each operand; () for none."""

    step: int
    box: tuple[Range, ...]
    needs: tuple[tuple[Range, ...], ...]


@dataclass(frozen=True)
class Patches:
    """A call of the network that is computed in parts, some elements more than once.

    tensor: what holds the result, from byte `start` on; "" if only calls in patches read it. window: lines that are
    kept of it, None for all. is_sum: each part is all of the result: the sum over a range of the first operand, and,
    but for the first part, over what the part before has made, which is the second operand.
    """

    layer: str
    tensor: str
    start: int
    shape: tuple[int, ...]
    element_bytes: int
    window: int | None
    is_sum: bool
    parts: tuple[PatchPart, ...]
    reads: tuple[PatchRead, ...]


@dataclass(frozen=True)
class Plan:
    """The whole file. given: what the caller has written before the first step. taken: what it reads behind the last
    one.
    """

    tinsmith: str
    model: str
    sha256: str
    target: str
    memories: tuple[Memory, ...]
    buffers: tuple[Buffer, ...]
    engines: tuple[Engine, ...]
    tensors: tuple[Tensor, ...]
    views: tuple[View, ...]
    leaves: tuple[Leave, ...]
    walks: tuple[Walk, ...]
    given: tuple[Access, ...]
    steps: tuple[Step, ...]
    taken: tuple[Access, ...]
    loops: tuple[Loop, ...]
    cuts: tuple[Cut, ...]
    patches: tuple[Patches, ...]
