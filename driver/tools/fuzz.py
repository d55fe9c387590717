"""Give damaged .tflite and .onnx files, IR texts and plans to what reads them: each has to be taken, or to be refused.

    python driver/tools/fuzz.py --files 100000 --onnx 100000 --texts 100000 --plans 10000 [--seed 7] [--keep DIR]

Any other exception, an internal error, more than 10 seconds of the processor, or more memory than four times the file
and 200 MB is a failure. Prints how many were taken and refused; exit status 1 after one, whose input is written to DIR.
"""

import argparse
import multiprocessing
import pathlib
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FrameType

from tinsmith_driver.models import Model, model_of
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import compile_model
from tinsmith_ir import TinsmithError, parse_graph, print_graph
from tinsmith_ir.errors import GraphError, ModelError, ParseError, UnsupportedError, UsageError
from tinsmith_ir.program_printer import print_program
from tinsmith_ir.testing import random_graph
from tinsmith_onnx import import_onnx
from tinsmith_tflite import import_tflite

_ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [
    str(_ROOT / "driver" / "tests"),
    *(str(_ROOT / "frontends" / name / "tests") for name in ("onnx", "tflite")),
]

from damaged_models import damaged_models  # noqa: E402 (needs the path set above)
from damaged_texts import damaged_texts  # noqa: E402
from fuzzing import damaged  # noqa: E402
from golden_cases import all_cases  # noqa: E402

SECONDS = 10
MEMORY_BYTES = 200_000_000
MEMORY_OF_A_BYTE = 4
_VARIANTS = 50
"""Of one sound input."""
_NODES_OF_A_PLAN = 4


class _TooSlowError(BaseException):
    """No Exception, which what is tried might take for one of its own."""


@dataclass
class Found:
    """What became of inputs. failures: input and reason. slowest: in seconds."""

    counts: Counter[str] = field(default_factory=Counter[str])
    failures: list[tuple[bytes, str]] = field(default_factory=list[tuple[bytes, str]])
    slowest: float = 0.0

    def __str__(self) -> str:
        """One line."""
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(self.counts.items()))
        return f"{kinds or 'nothing'}; the slowest took {self.slowest:.2f} s"


def read_file(data: bytes) -> None:
    """A .tflite file."""
    import_tflite(data)


def read_onnx(data: bytes) -> None:
    """An .onnx file."""
    import_onnx(data)


def read_text(data: bytes) -> None:
    """The text of a graph; what is taken is printed so that it reads back."""
    text = print_graph(parse_graph(data.decode("utf-8", "replace")))
    if print_graph(parse_graph(text)) != text:
        raise AssertionError("the text does not read back as it is")


def read_plan(data: bytes) -> None:
    """The text of a placed program, which is compiled as `tinsmith compile` does."""
    model = model_of(data, pathlib.Path("plan.tsm"))
    target = "host" if model.program is None else model.program.target
    assert compile_model(model, CompileOptions(target)).files


def is_refusal(reader: Callable[[bytes], None], error: TinsmithError) -> bool:
    """Whether an error is one that what is read may have."""
    if reader is read_text:
        return isinstance(error, ParseError | GraphError)
    if reader is read_file:
        return isinstance(error, ModelError | UnsupportedError)
    if reader is read_onnx:  # one whose data seem to lie in another file is to be given as a path
        return isinstance(error, ModelError | UnsupportedError | UsageError)
    return error.exit_status != TinsmithError.exit_status  # that of a defect


def tried(reader: Callable[[bytes], None], inputs: Iterator[bytes]) -> Found:
    """Give inputs to a reader, one after the other."""
    found = Found()
    signal.signal(signal.SIGPROF, _stop)
    for data in inputs:
        start = time.process_time()
        most = _address_space() + MEMORY_BYTES + MEMORY_OF_A_BYTE * len(data)
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            reader(data)
            found.counts["taken"] += 1
        except _TooSlowError:
            found.failures.append((data, f"more than {SECONDS} s"))
        except MemoryError:
            found.failures.append((data, "too much memory"))
        except TinsmithError as error:
            if is_refusal(reader, error):
                found.counts["refused"] += 1
            else:
                found.failures.append((data, f"{type(error).__name__}: {error}"))
        except Exception as error:  # which is what this is for
            found.failures.append((data, f"{type(error).__name__}: {error}"))
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
        found.slowest = max(found.slowest, time.process_time() - start)
    found.counts["wrong"] += len(found.failures)
    return found


def _stop(number: int, frame: FrameType | None) -> None:
    raise _TooSlowError


def _address_space() -> int:
    pages = int(pathlib.Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()


def files(count: int, seed: int) -> Iterator[bytes]:
    """Damaged models of one operator each."""
    models = [case.model for case in all_cases()]
    for number in range(0, count, _VARIANTS):
        model = models[(seed + number // _VARIANTS) % len(models)]
        yield from damaged(model, min(_VARIANTS, count - number), seed + number)


def texts(count: int, seed: int) -> Iterator[bytes]:
    """Damaged texts of random networks."""
    for number in range(0, count, _VARIANTS):
        text = print_graph(random_graph(seed + number))
        few = min(_VARIANTS, count - number)
        yield from (variant.encode() for variant in damaged_texts(text, few, seed + number))


def plans(count: int, seed: int) -> Iterator[bytes]:
    """Damaged texts of small networks that are compiled."""
    for number in range(0, count, _VARIANTS):
        graph = random_graph(seed + number, nodes=_NODES_OF_A_PLAN)
        model = Model(pathlib.Path("plan.tsm"), "tsm", "", graph)
        program = compile_model(model, CompileOptions("host")).program
        text = print_program(program, constants="inline")
        few = min(_VARIANTS, count - number)
        yield from (variant.encode() for variant in damaged_texts(text, few, seed + number))


KINDS = {
    "files": (files, read_file),
    "onnx": (damaged_models, read_onnx),
    "texts": (texts, read_text),
    "plans": (plans, read_plan),
}
"""Name -> what makes damaged inputs, and what reads them."""


def _in_a_process(kind: str, count: int, seed: int) -> Found:
    """As `tried`; an end of the process is a failure, too."""
    made, reader = KINDS[kind]
    ours, theirs = multiprocessing.Pipe(duplex=False)

    def work() -> None:
        theirs.send(tried(reader, made(count, seed)))

    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        process.join()
        return Found(failures=[(b"", f"its process ended, exit code {process.exitcode}")])


def main() -> int:
    """Try all kinds, print; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    for kind in KINDS:
        parser.add_argument(f"--{kind}", type=int, default=0, metavar="COUNT")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="for inputs of failures")
    arguments = parser.parse_args()
    failed = False
    for kind in KINDS:
        count = getattr(arguments, kind)
        if not count:
            continue
        found = _in_a_process(kind, count, arguments.seed)
        print(f"{kind}: {found}", flush=True)
        for number, (data, reason) in enumerate(found.failures):
            failed = True
            print(f"  {' '.join(reason.split())[:300]}")
            if arguments.keep:
                arguments.keep.mkdir(parents=True, exist_ok=True)
                (arguments.keep / f"{kind}_{number}").write_bytes(data)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
