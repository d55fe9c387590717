"""Quantizes a network by several schemes, judges each by the same samples, and measures it on a target's emulator."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tinsmith_emulators import need_emulator
from tinsmith_ir import DoesNotFitError, Graph, UnsupportedError, UsageError

from tinsmith_driver.comparison import FLOAT, ComparedRow, Comparison, empty_row
from tinsmith_driver.decibels import decibels
from tinsmith_driver.inputs import Samples
from tinsmith_driver.measuring import measured_row
from tinsmith_driver.memory_limits import board_ram_bytes
from tinsmith_driver.models import Model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.output_losses import losses_of, network_outputs, right_answers
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.plugins import registry
from tinsmith_driver.quantizing import QuantizeChoice, QuantizedModel, as_integers, quantized
from tinsmith_driver.sweep import Row, flash_bytes, refused

_RAN = 4
_TIMEOUT_SECONDS = 300
_FLOAT_BYTES = 4


@dataclass(frozen=True)
class ComparedSchemes:
    """What is to be compared. target: whose emulator measures it, None for accuracy alone."""

    choices: tuple[QuantizeChoice, ...]
    target: str | None = None

    @staticmethod
    def parse(text: str, chosen: QuantizeChoice, target: str | None) -> "ComparedSchemes":
        """Of `SCHEME,SCHEME{option=value,...},...`; all else is as of `chosen`, but for bits of layers.

        Raises UsageError for another text, a scheme that stands twice, and an unknown target; MissingEmulatorError
        where nothing runs programs for the target.
        """
        given = chosen.calibration, chosen.most, chosen.islands
        parsed = (QuantizeChoice.parse(part, *given, option="--compare") for part in _parts(text))
        choices = tuple(replace(one, same=chosen.same, kept=chosen.kept) for one in parsed)
        for at, choice in enumerate(choices):
            for other in choices[:at]:
                if choice.scheme == other.scheme:
                    raise UsageError(
                        f"--compare: expected each scheme once, got {other.text} and {choice.text}, which are the same"
                    )
        if target is not None:
            need_emulator(registry().target(target).board, registry().runners)
        return ComparedSchemes(choices, target)


def _parts(text: str) -> list[str]:
    """What stands between the commas outside of braces."""
    parts, depth = [""], 0
    for character in text:
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def compared(
    model: Model,
    schemes: ComparedSchemes,
    made: QuantizedModel,
    chosen: QuantizeChoice,
    groups: Sequence[Samples],
    on_step: Callable[[str], None] = lambda _: None,
) -> Comparison:
    """The float network and what each scheme makes of it.

    model: of float32. made: what the choice `chosen` made of it, which is not made again. groups: samples of the float
    network; those of random numbers count only where there are no others. on_step: is told what starts.
    """
    judged = [group for group in groups if group.group != "random"] or list(groups)
    judge = _Judge(judged, made.real, schemes.target)
    on_step(FLOAT)
    rows = [judge.float_row(model, made)]
    for choice in schemes.choices:
        try:
            found = made if choice == chosen else quantized(model, choice, on_step)
            on_step(choice.text)
            rows.append(judge.row(choice.text, found))
        except UnsupportedError as refusal:
            rows.append(_refused(choice.text, refusal))
    return Comparison(
        target=schemes.target,
        groups=[group.group for group in judged],
        samples=sum(map(len, judged)),
        ran=min(_RAN, len(judged[0])) if schemes.target is not None else 0,
        rows=rows,
    )


def _refused(scheme: str, refusal: UnsupportedError) -> ComparedRow:
    row = empty_row(scheme)
    row.update(status="refused", reason=str(refusal))
    return row


class _Judge:
    """Judges networks by the same samples, beside the float network, whose outputs are computed once."""

    def __init__(self, groups: Sequence[Samples], real: Graph, target: str | None) -> None:
        self._groups, self._real, self._target = groups, real, target
        self._wanted = [network_outputs(real, group) for group in groups]

    def float_row(self, model: Model, made: QuantizedModel) -> ComparedRow:
        """Of the network as it was, whose weights are those of the layers that were quantized."""
        row = empty_row(FLOAT)
        elements = sum(found.elements for found in made.losses.weights)
        elements -= sum(found.elements for found in made.added)
        row.update(
            agree=losses_of(self._real, self._groups, self._wanted, self._wanted).agree,
            right=right_answers(self._groups, self._wanted),
            weight_bytes=_FLOAT_BYTES * elements,
        )
        self._measure(row, model, self._groups[0])
        return row

    def row(self, scheme: str, made: QuantizedModel) -> ComparedRow:
        """Of what a scheme has made."""
        assert isinstance(made.model.graph, Graph)
        types = [value.type for value in made.model.graph.inputs]
        groups = [as_integers(group, types) for group in self._groups]
        got = [network_outputs(made.model.graph, group) for group in groups]
        losses = losses_of(self._real, self._groups, self._wanted, got)
        row = empty_row(scheme)
        row.update(
            sqnr_db=decibels(losses.sqnr),
            agree=losses.agree,
            right=right_answers(self._groups, got),
            weight_bytes=sum(found.size_bytes for found in made.losses.weights),
        )
        self._measure(row, made.model, groups[0])
        return row

    def _measure(self, row: ComparedRow, model: Model, samples: Samples) -> None:
        """Put in what the target says; nothing without one."""
        if self._target is not None:
            first = replace(samples.first(_RAN), expected=None)
            _put_costs(row, _on_target(row["scheme"], model, self._target, first))


def _on_target(name: str, model: Model, target: str, samples: Samples) -> Row:
    """Within the RAM of the target's board; of what it cannot run, a row that says so."""
    try:
        options = CompileOptions(target, ram_bytes=board_ram_bytes(target))
        return measured_row(name, compile_model(model, options), [samples], _TIMEOUT_SECONDS)
    except (DoesNotFitError, UnsupportedError) as refusal:
        return refused(name, target, refusal)


def _put_costs(row: ComparedRow, found: Row) -> None:
    row.update(
        status=found["status"],
        reason=found["reason"],
        flash_bytes=flash_bytes(found),
        arena_bytes=found["arena_bytes"],
        ram_bytes=found["ram_bytes"],
        instructions=found["instructions"],
        cycles=found["cycles"],
        bytes_different=found["bytes_different"],
    )
