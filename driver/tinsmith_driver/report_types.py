"""The shape of the report as Python types; report.schema.json says the same to everybody else."""

from typing import Literal, NotRequired, TypedDict

BufferKind = Literal["input", "output", "state", "activation", "scratch", "constant"]


class ModelFacts(TypedDict):
    """The network."""

    name: str
    sha256: str
    format: str
    macs: int
    parameters: int


class TargetFacts(TypedDict):
    """What it was compiled for."""

    name: str
    board: str
    toolchain: str | None


class MemoryRow(TypedDict):
    """One memory of the program: bytes, how few no plan for its order of execution can do without, what that proves.

    gap: by how much of its bytes the optimum may be below them. available: what the board has of it, None on the host.
    peak, peak_step: the most bytes that hold something at once, and the first step in which they do.
    """

    name: str
    bytes: int
    lower_bound: int
    status: str
    gap: float
    available: int | None
    peak: int
    peak_step: int


class BufferRow(TypedDict):
    """Bytes of a memory, held from the first step to the last, both included."""

    name: str
    kind: BufferKind
    memory: str
    offset: int
    size: int
    first_step: int
    last_step: int


class Ram(TypedDict):
    """Bytes of RAM. moved: to and from slow memories by one inference; None where the arena is one.

    available: of the board's memories in which any of it lies; None on the host.
    """

    arena: int
    arena_without_scratch: int
    arena_lower_bound: int
    arena_status: str
    memories: list[MemoryRow]
    moved: int | None
    data_bss: int | None
    stack: int | None
    total: int | None
    available: int | None


class Flash(TypedDict):
    """Bytes of flash. available: of the board's memories in which any of it lies; None on the host."""

    weights: int | None
    code: int | None
    rodata: int | None
    total: int | None
    available: int | None


class CoreRow(TypedDict):
    """One core of a cluster in one inference; cycles are the sum of instructions and stalls."""

    name: str
    cycles: int
    instructions: int
    classes: dict[str, int]
    stalls: dict[str, int]


class ClusterShare(TypedDict):
    """Shares of the cycles of all cores of a cluster: with an instruction, and without by what they waited for."""

    utilisation: float
    waits: dict[str, float]


class ClusterRun(TypedDict):
    """What the cores of a cluster did: shares of the cycles of all of them."""

    cores: int
    utilisation: float
    waits: dict[str, float]
    by_core: list[CoreRow]


class GroupRow(TypedDict):
    """A group of samples: how many ran, how many of their labels the first output names, None without labels; bytes
    that differ from the evaluator's, and from the integers of the sample file, each None where it was not compared.
    """

    name: str
    samples: int
    right: int | None
    mismatches: int | None
    file_mismatches: int | None


class Accuracy(TypedDict):
    """Of the samples with labels, how many are right."""

    right: int
    labelled: int


class Run(TypedDict):
    """What running it showed. layers_equal: whether the outputs of layers are right, of `layer_samples` samples; None
    where they were not compared.
    """

    inputs: int
    groups: list[GroupRow]
    accuracy: Accuracy | None
    bit_exact: bool | None
    layer_samples: int
    layers_equal: bool | None
    mismatches: int | None
    max_abs_diff: float | None
    file_float_share: float | None
    float_tolerance: float | None
    instructions: int | None
    cycles: int | None
    cycles_source: str | None
    cluster: ClusterRun | None


class LayerRow(TypedDict):
    """One kernel call. in_shape: of its first operand that is no constant. weights: bytes of the constants it reads."""

    name: str
    op: str
    step: int
    in_shape: list[int] | None
    out_shape: list[int]
    weights: int
    scratch: int
    macs: int
    instructions: int | None
    cycles: int | None
    arena_live: int
    in_offset: int | None
    out_offset: int
    kernel: str
    engine: str
    cores: int | None
    cluster: ClusterShare | None


class TiledLayerRow(TypedDict):
    """One call of the network in tiles; cycles as modelled and as simulated."""

    name: str
    calls: list[str]
    way: str
    tiles: int
    near: list[str]
    prefetched: bool
    modelled: int
    cycles: int | None
    difference: float | None
    cluster: ClusterShare | None


class PlacedRow(TypedDict):
    """A layer that several engines can compute: the modelled cycles of each, and of what is brought for it before."""

    name: str
    engine: str
    modelled: dict[str, int]
    fetched: dict[str, int]


class PlacementFacts(TypedDict):
    """Which engine computes which layer. others: layers without a choice."""

    status: str
    modelled: int
    bound: int
    others: int
    layers: list[PlacedRow]


class TilingFacts(TypedDict):
    """What was decided of tiles, and what a run showed of it."""

    status: str
    modelled: int
    bound: int
    gap: float
    cycles: int | None
    difference: float | None
    memory: str
    memory_bytes: int
    used: int
    bytes_in: int
    bytes_out: int
    layers: list[TiledLayerRow]


class PassRow(TypedDict):
    """One pass."""

    name: str
    contract: str
    verified: bool
    measured: float | None
    found_by: str


class OrderFacts(TypedDict):
    """The order of execution, before copies become views and tensors are cut: the most bytes live at once, and how few
    are in every order; gap as a part of the peak.
    """

    peak: int
    lower_bound: int
    status: str
    gap: float
    found_by: str


class WindowFacts(TypedDict):
    """Lines that are kept of a tensor."""

    tensor: str
    lines: int


class SegmentFacts(TypedDict):
    """Layers whose rows stream together; bytes that are live meanwhile. patched: those in patches."""

    layers: list[str]
    rows: int
    live: int
    windows: list[WindowFacts]
    patched: list[str]


class StreamFacts(TypedDict):
    """All of them; extra: instructions more than whole tensors take, about."""

    live: int
    extra: int
    segments: list[SegmentFacts]


class CompressionFacts(TypedDict):
    """layers: whose weights are compressed. before, after: bytes of all constants. extra: instructions, about."""

    layers: list[str]
    before: int
    after: int
    extra: int


class HeldFacts(TypedDict):
    """constants: names of those that are copied to faster memory in each inference. bytes: of all of them.

    saved: cycles that loads wait less, about, what copying costs taken off.
    """

    constants: list[str]
    bytes: int
    saved: int


class StagedFacts(TypedDict):
    """Constants that `engine` fetches from the remote memory `far`, where far_bytes of them lie, to `memory`.

    fetches: copies in an inference, of `fetched` bytes. used: bytes of `memory` that they take, out of `room`.
    resident: bytes of small ones that lie with the code. waiting: share of its cycles in which the core that fetches
    waited for that; None if nothing was simulated.
    """

    engine: str
    far: str
    far_bytes: int
    fetches: int
    fetched: int
    memory: str
    used: int
    room: int
    resident: int
    waiting: float | None


class Report(TypedDict):
    """The whole report."""

    schema: str
    tinsmith: str
    model: ModelFacts
    target: TargetFacts
    ram: Ram
    flash: Flash
    run: NotRequired[Run]
    layers: list[LayerRow]
    buffers: list[BufferRow]
    placement: PlacementFacts | None
    tiling: TilingFacts | None
    streams: StreamFacts | None
    compression: CompressionFacts | None
    held: HeldFacts | None
    staged: StagedFacts | None
    order: OrderFacts | None
    passes: list[PassRow]
    warnings: list[str]


class TogetherReport(TypedDict):
    """Of networks that take turns in one arena of `arena` bytes; each keeps its states, `states` bytes in all."""

    schema: str
    tinsmith: str
    arena: int
    states: int
    networks: list[Report]


class CheckReport(TypedDict):
    """The answer of `tinsmith check`."""

    schema: str
    tinsmith: str
    target: str
    supported: bool
    exit_status: int
    problems: list[str]
