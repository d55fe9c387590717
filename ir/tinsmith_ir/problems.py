"""Gathers what is refused in a file, so that a user learns all of it at once."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tinsmith_ir.errors import ModelError, UnsupportedError

_MOST_SUBJECTS = 3
_MOST_SHOWN = 30
_MOST_KEPT = 1000


class RefusedError(UnsupportedError):
    """An UnsupportedError whose reason may hold for several parts of a file.

    subject: the part ("tensor 3 'x'"). reason: what is wrong with it, and the remedy.
    """

    def __init__(self, model: str, subject: str, reason: str) -> None:
        super().__init__(f"{model}: {subject}: {reason}")
        self.subject = subject
        self.reason = reason


@dataclass
class _Problem:
    """One reason, the first parts that it holds for, and for how many."""

    reason: str
    subjects: list[str] = field(default_factory=list[str])
    count: int = 0
    last: str = ""

    def add(self, subject: str) -> None:
        """Count `subject`, unless it is known or was the last."""
        if subject in (self.last, *self.subjects):
            return
        self.last = subject
        self.count += 1
        if len(self.subjects) < _MOST_SUBJECTS:
            self.subjects.append(subject)

    def __str__(self) -> str:
        """One line."""
        more = self.count - len(self.subjects)
        subjects = [*self.subjects, *([f"and {more} more"] if more else [])]
        return ": ".join([", ".join(subjects), self.reason] if subjects else [self.reason])


class Problems:
    """The problems of one file by reason, in the order in which they were found.

    Keeps few of them, since a damaged file may have millions.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._problems: dict[str, _Problem] = {}
        self._is_damaged = False
        self._hints: dict[str, None] = {}

    def add(self, error: ModelError | UnsupportedError, hint: str = "") -> None:
        """One problem more; the same one twice counts once. hint: to be shown behind all problems."""
        if isinstance(error, RefusedError):
            reason, subject = error.reason, error.subject
        else:
            reason, subject = str(error).removeprefix(f"{self._model}: "), ""
        if len(self._problems) < _MOST_KEPT or reason in self._problems:
            problem = self._problems.setdefault(reason, _Problem(reason))
            if subject:
                problem.add(subject)
        self._is_damaged |= isinstance(error, ModelError)
        if hint:
            self._hints[hint] = None

    @contextmanager
    def gathered(self) -> Generator[None]:
        """Add what is raised inside, and go on behind."""
        try:
            yield
        except (ModelError, UnsupportedError) as error:
            self.add(error)

    def raise_found(self) -> None:
        """Raise one error with all problems, if there are any: ModelError if one of them was."""
        texts = [str(problem) for problem in self._problems.values()]
        if not texts:
            return
        lines = [f"{len(texts)} problems:", *(f"  {text}" for text in texts[:_MOST_SHOWN])]
        if len(texts) == 1:
            lines = texts
        elif len(texts) > _MOST_SHOWN:
            lines.append(f"  {len(texts) - _MOST_SHOWN} more problems")
        kind = ModelError if self._is_damaged else UnsupportedError
        raise kind(
            "\n".join([f"{self._model}: {lines[0]}", *lines[1:], *self._hints]),
            problems=[f"{self._model}: {text}" for text in texts],
        )
