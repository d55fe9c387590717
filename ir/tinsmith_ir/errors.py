"""The errors of the IR and what a reader can decide by their class: whose fault, and what to do."""

from collections.abc import Sequence

from tinsmith_ir.escape import visible_lines

# A file may hold an attribute of megabytes. Both ends of a line are shown: the reason often comes last.
_SHOWN_END = 1000


class TinsmithError(Exception):
    """Base of every error that Tinsmith raises on purpose; its text is meant for the user, and what it
    quotes of a file cannot command a terminal.

    exit_status: what the command line returns for it (1 the answer is no, 2 wrong use, 3 bad model
    file, 4 internal error). problems: each by itself, where the text tells of several.
    """

    exit_status: int = 4

    def __init__(self, text: str, *, problems: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.problems: tuple[str, ...] = tuple(problems) or (text,)

    def __str__(self) -> str:
        """The message, with control characters in their visible form and without the middle of endless lines."""
        lines = visible_lines(super().__str__()).split("\n")
        return "\n".join(
            line if len(line) <= 2 * _SHOWN_END else f"{line[:_SHOWN_END]} ... {line[-_SHOWN_END:]}"
            for line in lines
        )


class ArgumentError(TinsmithError):
    """A function or record was given an argument of a wrong type: a defect of what called it."""


class GraphError(TinsmithError):
    """A Graph or Program breaks a rule of the IR. From a pass, it is a defect of that pass."""


class EvaluationError(TinsmithError):
    """The evaluator was given values that do not fit the graph, or a Program read stale memory."""

    exit_status = 2


class ParseError(TinsmithError):
    """IR text that does not parse; the message carries line and column."""

    exit_status = 3


class ModelError(TinsmithError):
    """A model file that is truncated, malformed, or uses something Tinsmith cannot represent; says where (3)."""

    exit_status = 3


class UnsupportedError(TinsmithError):
    """A valid model that the chosen target cannot run, or that uses what Tinsmith does not have; says what (1)."""

    exit_status = 1


class DoesNotFitError(TinsmithError):
    """The model needs more memory than the target has: needed, available, largest live tensors.

    needed_bytes, available_bytes: of the memory in question, where one is; None else.
    """

    exit_status = 1

    def __init__(
        self,
        text: str,
        *,
        problems: Sequence[str] = (),
        needed_bytes: int | None = None,
        available_bytes: int | None = None,
    ) -> None:
        super().__init__(text, problems=problems)
        self.needed_bytes = needed_bytes
        self.available_bytes = available_bytes


class ConstantsDoNotFitError(DoesNotFitError):
    """The constants of a network take more flash than there is; a smaller arena would not help."""


class UsageError(TinsmithError):
    """A wrong option, file name, target name or argument: what was expected, and what came (2)."""

    exit_status = 2
