"""What a library brings to the `tinsmith` command: records alone, which the driver reads.

Every library does it in this way, Tinsmith's own too: a module `plugin` holds one `Plugin`, which an entry point names.
"""

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tinsmith_ir.checked import Checked
from tinsmith_ir.errors import UsageError
from tinsmith_ir.graph import Array, Graph
from tinsmith_ir.layouts import ElementLayout
from tinsmith_ir.operators import Operator
from tinsmith_ir.passes import AnyPass
from tinsmith_lowering import Backend, Kernel
from tinsmith_target import Board, Emulator, Target


class Stage(enum.Enum):
    """The parts of the way from a model to placed buffers, in order.

    Whatever may change results comes before FUSION: the graph behind NUMERICS is what firmware has to equal.
    """

    INTEGERS = "integers"
    """Integers that a quantizer wrote as float32, while constants still say which integers they were."""
    CLEANUP = "cleanup"
    """What importers leave: constants to fold, operators that do nothing."""
    LAYOUT = "layout"
    """In which order of their axes tensors lie; where constants meet channels is last from here on."""
    NUMERICS = "numerics"
    """Passes whose contract is not bit-exact."""
    FUSION = "fusion"
    """Fewer operators for the same result."""
    TIDYING = "tidying"
    """What fusion leaves."""
    LOWERING = "lowering"
    """From Graph to Program."""
    ORDER = "order"
    """The order of steps."""
    PREPARATION = "preparation"
    """Constants get their final bytes."""
    PLACEMENT = "placement"
    """Buffers get their addresses."""


@dataclass(frozen=True)
class Setting(Checked):
    """What passes are made for. ram_bytes: what the arena may take, None for any size. samples: inputs of runs by name,
    where some are known, as of a network that was quantized here.
    """

    target: Target
    kernels: Sequence[Kernel]
    ram_bytes: int | None = None
    samples: Sequence[Mapping[str, Array]] = ()


@dataclass(frozen=True)
class PassEntry(Checked):
    """A pass, and where it stands: at the end of a stage, or right behind (`after`) or in front of (`before`)
    the pass of that name; one of the three.

    make: the pass with the options that the setting gives; by default it is made without any. runs: without being
    asked for. needed: why it cannot be left out, "" if it can.
    """

    kind: type[AnyPass]
    stage: Stage | None = None
    after: str = ""
    before: str = ""
    make: Callable[[Setting], AnyPass] | None = None
    runs: bool = True
    needed: str = ""

    def __post_init__(self) -> None:
        """Raise UsageError for a pass that says no place, or several."""
        super().__post_init__()
        if sum((self.stage is not None, bool(self.after), bool(self.before))) != 1:
            raise UsageError(
                f"pass {self.name!r}: expected one place, by stage, after or before, got {self.place or 'none'}"
            )

    @property
    def name(self) -> str:
        """As users write it."""
        return self.kind.name

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        stage = self.stage and f"stage {self.stage.value}"
        after, before = (
            self.after and f"after {self.after!r}",
            self.before and f"before {self.before!r}",
        )
        return ", ".join(part for part in (stage, after, before) if part)

    def made(self, setting: Setting) -> AnyPass:
        """The pass."""
        return self.kind() if self.make is None else self.make(setting)


@dataclass(frozen=True)
class KernelFiles(Checked):
    """The C behind a back end's kernels. folder: all its .c files are compiled, but those under a folder `tests`.

    include_directories: for `-I`. license: of all these files, an SPDX expression such as `Apache-2.0`, which bundles
    hand on; "" if nobody says. The text of another than ours lies in the folder, `LICENSE`.
    """

    folder: Path
    include_directories: tuple[Path, ...]
    license: str = ""

    @property
    def sources(self) -> list[Path]:
        """The C files, sorted. Raises UsageError if the folder is not there."""
        if not self.folder.is_dir():
            raise UsageError(
                f"the C sources of kernels are not there: expected a folder {self.folder}"
            )
        return sorted(
            path
            for path in self.folder.rglob("*.c")
            if "tests" not in path.relative_to(self.folder).parts
        )


def kernel_folder(module_file: str, name: str) -> Path:
    """The folder `kernels/<name>` nearest above a module: beside its package in a checkout or in Bazel's runfiles,
    inside of it in a wheel. Where there is none, the one that should be there.

    module_file: the module's `__file__`.
    """
    # As it is called first: in Bazel's runfiles, whose links lead to files that are not declared.
    here = Path(module_file)
    for parent in (*here.parents, *here.resolve().parents):
        candidate = parent / "kernels" / name
        if candidate.is_dir():
            return candidate
    return here.parent / "kernels" / name


@dataclass(frozen=True)
class BackendSetting(Checked):
    """What a back end is made for. packed: whether kernels beyond a public API may be called, whose library could then
    not be another's.
    """

    packed: bool = True


@dataclass(frozen=True)
class BackendEntry(Checked):
    """A back end, and the C of its kernels.

    name: as in `--backend`, `Target.backend` and `Kernel.backend`. serves_all: its kernels stand behind those of the
    preferred back end, for every target; the others serve where they are preferred. behind: the back end that takes
    what this one leaves, where it is preferred: an accelerator's is that of the cores beside it. accelerator: which one
    of a board it drives, `Kernel.accelerator` of its kernels; the back end's name if "".
    """

    name: str
    make: Callable[[BackendSetting], Backend]
    files: KernelFiles
    serves_all: bool = False
    behind: str | None = None
    accelerator: str = ""


@dataclass(frozen=True)
class ImportChoices(Checked):
    """What a user may say of a model file that the file leaves open; for importers that ask for it.

    input_shapes: sizes by the name of an input, or one size by the name of a dimension. input_values: inputs that are
    known, and so constants. states: inputs that are what an
    output was in the run before, each with that output's name. as_in_file: images come and go as the file has them,
    channels first, too. real_weights: integers that only stand for weights of a float network become float32; no user
    says it, but what quantizes the network anew.
    """

    input_shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    input_values: Mapping[str, Array] = field(default_factory=dict[str, Array])
    states: Mapping[str, str] = field(default_factory=dict[str, str])
    as_in_file: bool = False
    real_weights: bool = False

    @property
    def given(self) -> tuple[str, ...]:
        """Those that say something, as options of the command, for importers that take none of them."""
        named = {
            "--input-shape": self.input_shapes,
            "input values": self.input_values,
            "--state": self.states,
            "--as-in-file": self.as_in_file,
        }
        return tuple(name for name, choice in named.items() if choice)


def _tells_nobody(text: str) -> None:
    del text


def _turns_nothing(name: str, shape: tuple[int, ...]) -> None:
    del name, shape


@dataclass(frozen=True)
class ModelSource(Checked):
    """A model file that is to be imported.

    data: its bytes. name: of the file, for messages. folder: where it lies, with what belongs to it; None if it comes
    from nowhere. on_warning: is told what users should know. on_turned: is told of each input and output that is
    channels first in the file and not in the graph: its name, and its shape in the file. converters: those of
    `Converter.operator` for the importer. choices: what the file leaves open.
    """

    data: bytes
    name: str
    folder: Path | None = None
    on_warning: Callable[[str], None] = _tells_nobody
    on_turned: Callable[[str, tuple[int, ...]], None] = _turns_nothing
    converters: Mapping[str, object] = field(default_factory=dict[str, object])
    choices: ImportChoices = field(default_factory=ImportChoices)

    def refuse_choices(self, importer: str) -> None:
        """Raise UsageError for choices, of an importer whose files leave nothing open."""
        if self.choices.given:
            raise UsageError(
                f"{self.name}: expected no {' and '.join(self.choices.given)}: {importer} files say it themselves"
            )


@dataclass(frozen=True)
class ImportCase(Checked):
    """A model whose results are known, for the benchmark of imports.

    group, name: of the case; of one operator, the group is its name. make: the model, which may be made when it is
    asked for. frames: inputs by name, of one run after another, as in the file; expected: results in order, of each
    run. relative, absolute: how far results may be off, each by each; share: instead, of the largest of all. left_out:
    why the case is not counted, "" if it is. differs: why results are others, where that is meant. transposes: at
    most as many are its mathematics, None if nobody counted. targets: it is run on the first that it fits.
    """

    group: str
    name: str
    make: Callable[[], ModelSource]
    frames: tuple[Mapping[str, Array], ...]
    expected: tuple[tuple[Array, ...], ...]
    relative: float = 0.0
    absolute: float = 0.0
    share: float = 0.0
    left_out: str = ""
    differs: str = ""
    transposes: int | None = None
    targets: tuple[str, ...] = ()


def _no_cases() -> Iterable[ImportCase]:
    return ()


def _no_operators() -> Mapping[str, str]:
    return {}


@dataclass(frozen=True)
class Importer(Checked):
    """Reads files of one format.

    recognises: whether bytes say of themselves that they are of the format; they may be damaged. suffixes: of files, in
    lower case with their dot; what nobody recognises is given to the importer of its suffix, which says what is wrong.
    read: the graph in a file. largest_bytes: what a file may have. cases: for `tinsmith bench import`. operators: those
    of the format that it takes, each with what of it is left out, "" for nothing; for the documentation.
    explains_others: whether its errors say what a file of another kind seems to be, so that it is given those of no
    known suffix.
    """

    name: str
    suffixes: tuple[str, ...]
    recognises: Callable[[bytes], bool]
    read: Callable[[ModelSource], Graph]
    largest_bytes: int
    cases: Callable[[], Iterable[ImportCase]] = _no_cases
    operators: Callable[[], Mapping[str, str]] = _no_operators
    explains_others: bool = False


@dataclass(frozen=True)
class Exporter(Checked):
    """Writes files of one format.

    suffixes: of such files, in lower case with their dot. write: the bytes of a file that computes what the graph says,
    the same for the same graph; raises UnsupportedError that names every operator which the format cannot say, with
    what could be done.
    """

    name: str
    suffixes: tuple[str, ...]
    write: Callable[[Graph], bytes]


@dataclass(frozen=True)
class Converter(Checked):
    """How an importer reads an operator that its format leaves to others.

    importer, operator: their names; rule: what that importer documents, such as `tinsmith_tflite.Rule`.
    """

    importer: str
    operator: str
    rule: object


def _says_itself(board: Board, report: str) -> str:
    del board, report
    return ""


@dataclass(frozen=True)
class Runner(Checked):
    """Runs programs for boards of one kind of emulator.

    kind: the class of their `Board.emulator`. find: raises an error that says what to install unless they can run on
    this computer. command: the command line that runs an ELF file, whose files lie in the current directory.
    cycles_source: who counted the cycles of a run, and how well. crash_reason: what a crash comes from if all that was
    printed tells but does not say; "" if not. counting: arguments right behind the first word of the command, by which
    it also checks the cores of a cluster for races and writes `counters.json` about them; tracing: by which it
    writes `trace.json` for ui.perfetto.dev. Empty if it cannot.
    """

    kind: type[Emulator]
    find: Callable[[Board], object]
    command: Callable[[Board, Path], list[str]]
    cycles_source: Callable[[Board], str]
    crash_reason: Callable[[Board, str], str] = field(default=_says_itself)
    counting: tuple[str, ...] = ()
    tracing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plugin(Checked):
    """All that a library brings.

    name: by custom the package's. operators: those it defines, which register themselves; naming them has their
    modules imported; layouts: the same. The others: see their classes.
    """

    name: str
    operators: tuple[type[Operator], ...] = ()
    layouts: tuple[type[ElementLayout], ...] = ()
    importers: tuple[Importer, ...] = ()
    exporters: tuple[Exporter, ...] = ()
    converters: tuple[Converter, ...] = ()
    passes: tuple[PassEntry, ...] = ()
    backends: tuple[BackendEntry, ...] = ()
    targets: tuple[Target, ...] = ()
    runners: tuple[Runner, ...] = ()
