"""Runs samples through firmware and compares what comes back with what is right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from tinsmith_emulators import CoreCounts, RunResult, count_layers, run, trace
from tinsmith_ir import Array
from tinsmith_ir.escape import visible
from tinsmith_ir.tolerance import shares

from tinsmith_driver.build import Build
from tinsmith_driver.inputs import Samples
from tinsmith_driver.network import Network, evaluate
from tinsmith_driver.plugins import registry

# A thousand roundings of a float32; the MLPerf Tiny networks stay below 1e-8.
FLOAT_TOLERANCE = 1e-4


@dataclass(frozen=True)
class Difference:
    """The first tensor in which a sample went wrong.

    group, sample: which. tensor: its name. layer: index of the kernel call, None for an output.
    position: index of the first wrong element. expected, got: its values. kernel: what the layer calls.
    """

    group: str
    sample: int
    tensor: str
    layer: int | None
    position: tuple[int, ...]
    expected: float
    got: float
    kernel: str = ""

    def __str__(self) -> str:
        """One line for people."""
        tensor = visible(self.tensor)
        by = f", by {visible(self.kernel)}" if self.kernel else ""
        where = f"output {tensor}" if self.layer is None else f"layer {self.layer} ({tensor}{by})"
        at = ", ".join(map(str, self.position))
        group = f"{visible(self.group)} " if self.group else ""
        return f"{group}sample {self.sample}: {where}[{at}] is {self.got:g}, expected {self.expected:g}"


@dataclass(frozen=True)
class GroupResult:
    """What one group of samples gave.

    outputs: one array per output of the model, first axis the samples. mismatches: output bytes that
    differ from the evaluator; file_mismatches: from the integer outputs in the sample file, None
    without. file_share: largest difference of a float output from the file's, see `shares`; None
    without. file_first: the first that is beyond the tolerance.
    """

    samples: Samples
    outputs: tuple[Array, ...]
    mismatches: int | None = None
    file_mismatches: int | None = None
    max_abs_diff: float = 0.0
    first: Difference | None = None
    file_share: float | None = None
    file_first: Difference | None = None

    @property
    def predictions(self) -> np.ndarray:
        """Index of the largest value of the first output, by sample."""
        return np.argmax(self.outputs[0].reshape(len(self.samples), -1), axis=1)

    @property
    def correct(self) -> int | None:
        """How many predictions equal the label; None without labels."""
        labels = self.samples.labels
        return None if labels is None else int(np.count_nonzero(self.predictions == labels))


@dataclass(frozen=True)
class Measurement:
    """All groups, and the cost of the first inference.

    instructions, stack_bytes, cycles: None where nothing counts them. layer_*: empty there.
    float_tolerance: of float outputs against the file's, a share of the output's largest value.
    layer_arrays: of the layer that differs: `operand0`, `operand1`, ..., what is `expected` of them, what it `got`.
    layer_samples: of how many samples every layer's output was compared.
    engines_compared: whether it is right with work beside the core done as late as it may, and at once. cores: what
    each core of a cluster did in the first inference; empty where none runs it. Instructions and stack are of core 0.
    layer_cores: the same of each layer.
    """

    groups: tuple[GroupResult, ...]
    instructions: int | None
    cycles: int | None
    layer_instructions: tuple[int, ...]
    layer_cycles: tuple[int, ...]
    stack_bytes: int | None
    cycles_source: str
    layer_difference: Difference | None = None
    layer_arrays: Mapping[str, Array] = field(default_factory=dict[str, Array])
    layer_samples: int = 0
    engines_compared: bool = False
    float_tolerance: float = FLOAT_TOLERANCE
    cores: tuple[CoreCounts, ...] = ()
    layer_cores: tuple[tuple[CoreCounts, ...], ...] = ()

    @property
    def samples(self) -> int:
        """How many samples ran."""
        return sum(len(group.samples) for group in self.groups)

    @property
    def layers_compared(self) -> bool:
        """Whether outputs of layers were compared."""
        return self.layer_samples > 0

    @property
    def mismatches(self) -> int | None:
        """Output bytes that differ from the evaluator or the file; None when nothing was compared."""
        counts = [
            count
            for group in self.groups
            for count in (group.mismatches, group.file_mismatches)
            if count is not None
        ]
        return sum(counts) if counts else None

    @property
    def bit_exact(self) -> bool | None:
        """No byte differs, of outputs and of layers if those were compared; None: not compared."""
        if self.mismatches is None:
            return None
        return self.mismatches == 0 and self.layer_difference is None

    @property
    def file_share(self) -> float | None:
        """Largest difference of a float output from the file's; None where there is none."""
        return max((g.file_share for g in self.groups if g.file_share is not None), default=None)

    @property
    def beyond_tolerance(self) -> Difference | None:
        """The first float output that is too far from the file's."""
        return next((group.file_first for group in self.groups if group.file_first), None)

    @property
    def is_right(self) -> bool:
        """What was compared is bit-exact, or, of floats in the file, within the tolerance."""
        return self.bit_exact is True and self.beyond_tolerance is None

    @property
    def max_abs_diff(self) -> float | None:
        """Largest difference from the evaluator."""
        return max((group.max_abs_diff for group in self.groups), default=None)

    @property
    def first(self) -> Difference | None:
        """The first thing that went wrong: a layer if layers were compared, else an output."""
        outputs = [group.first for group in self.groups if group.first]
        return self.layer_difference or (outputs[0] if outputs else None)

    @property
    def reason(self) -> str:
        """Why the run was not bit-exact, in one line."""
        return str(self.first or "the outputs are the evaluator's, but not those of the file")


def run_samples(
    build: Build, graph: Network, groups: Sequence[Samples], timeout_seconds: float
) -> Measurement:
    """Run every sample; nothing is compared yet."""
    result = run_groups(build, graph, groups, timeout_seconds)
    outputs = _split_outputs(result, graph, groups)
    return Measurement(
        groups=tuple(
            GroupResult(samples, arrays) for samples, arrays in zip(groups, outputs, strict=True)
        ),
        instructions=result.instructions[0] if result.instructions else None,
        cycles=result.cycles[0] if result.cycles else None,
        layer_instructions=result.layer_instructions,
        layer_cycles=result.layer_cycles,
        stack_bytes=result.stack_bytes,
        cycles_source=result.cycles_source,
        cores=result.cores,
    )


def run_groups(
    build: Build,
    graph: Network,
    groups: Sequence[Samples],
    timeout_seconds: float,
    *,
    layers: bool = False,
) -> RunResult:
    """Run every sample, with the outputs of `layers` if they are asked for.

    A network that keeps states begins anew with each group, for which firmware is started again.
    """
    sequences = [[group] for group in groups] if graph.states else [groups]
    firmware = build.firmware
    results = [
        run(
            firmware,
            firmware.target,
            [samples.packed(index) for samples in sequence for index in range(len(samples))],
            layers=layers,
            timeout_seconds=timeout_seconds,
            runners=registry().runners,
        )
        for sequence in sequences
    ]
    depths = [result.stack_bytes for result in results if result.stack_bytes is not None]
    return replace(
        results[0],
        outputs=tuple(output for result in results for output in result.outputs),
        layer_outputs=tuple(output for result in results for output in result.layer_outputs),
        stack_bytes=max(depths, default=None),
    )


def counted_layers(
    build: Build, samples: Samples, layers: int, timeout_seconds: float
) -> tuple[tuple[CoreCounts, ...], ...]:
    """What each core of a cluster does in each of so many layers, in the run of the first of `samples`; empty where no
    cluster runs it.
    """
    firmware = build.firmware
    return count_layers(
        firmware,
        firmware.target,
        samples.packed(0),
        layers,
        timeout_seconds=timeout_seconds,
        runners=registry().runners,
    )


def traced(build: Build, samples: Samples, timeout_seconds: float) -> bytes:
    """A trace of the run of the first of `samples`. Raises UsageError where the target's emulator writes none."""
    firmware = build.firmware
    return trace(
        firmware,
        firmware.target,
        samples.packed(0),
        timeout_seconds=timeout_seconds,
        runners=registry().runners,
    )


def _split_outputs(
    result: RunResult, graph: Network, groups: Sequence[Samples]
) -> list[tuple[Array, ...]]:
    """The bytes of each run as arrays, by group."""
    runs = iter(result.outputs)
    return [_arrays([next(runs) for _ in range(len(samples))], graph) for samples in groups]


def _arrays(runs: Sequence[bytes], graph: Network) -> tuple[Array, ...]:
    arrays: list[Array] = []
    start = 0
    for value in graph.outputs:
        end = start + value.type.size_bytes
        data = b"".join(run_[start:end] for run_ in runs)
        flat = np.frombuffer(data, dtype=value.type.dtype.numpy)
        arrays.append(flat.reshape(len(runs), *value.type.shape))
        start = end
    return tuple(arrays)


def compare(
    measurement: Measurement, graph: Network, float_tolerance: float = FLOAT_TOLERANCE
) -> Measurement:
    """Compare every output with the evaluator's of `graph`, and with the file's where it has them."""
    return replace(
        measurement,
        groups=tuple(_compared(group, graph, float_tolerance) for group in measurement.groups),
        float_tolerance=float_tolerance,
    )


def _compared(group: GroupResult, graph: Network, float_tolerance: float) -> GroupResult:
    mismatches, largest, first = 0, 0.0, None
    for index, results in enumerate(evaluate(graph, group.samples.frames)):
        for value, got in zip(graph.outputs, group.outputs, strict=True):
            expected = results[value.name]
            different = different_bytes(expected, got[index])
            if different == 0:
                continue
            mismatches += different
            largest = max(largest, largest_difference(expected, got[index]))
            if first is None:
                first = difference_at(
                    group.samples.group, index, value.name, None, expected, got[index]
                )
    file_share, file_first = _file_floats(group, graph, float_tolerance)
    return replace(
        group,
        mismatches=mismatches,
        max_abs_diff=largest,
        first=first,
        file_mismatches=_file_mismatches(group, graph),
        file_share=file_share,
        file_first=file_first,
    )


def _file_mismatches(group: GroupResult, graph: Network) -> int | None:
    """Bytes that differ from the file's integer outputs."""
    if group.samples.expected is None:
        return None
    pairs = zip(group.samples.expected, group.outputs, graph.outputs, strict=True)
    compared = [(e, g) for e, g, value in pairs if value.type.dtype.is_integer]
    return sum(different_bytes(e, g) for e, g in compared) if compared else None


def _file_floats(
    group: GroupResult, graph: Network, tolerance: float
) -> tuple[float | None, Difference | None]:
    """Largest share by which a float output differs from the file's, and where the tolerance ends."""
    largest, first = None, None
    for value, expected, got in zip(
        graph.outputs, group.samples.expected or (), group.outputs, strict=False
    ):
        if value.type.dtype.is_integer:
            continue
        for index in range(len(group.samples)):
            share = shares(expected[index], got[index])
            largest = max(largest or 0.0, float(share.max(initial=0.0)))
            if first is None and largest > tolerance:
                flat = int(np.argmax(share > tolerance))
                first = _difference(
                    group.samples.group, index, value.name, None, expected[index], got[index], flat
                )
    return largest, first


def different_bytes(expected: Array, got: Array) -> int:
    """How many bytes differ. Both have the same dtype and number of elements."""
    return int(np.count_nonzero(_bytes(expected) != _bytes(got)))


def largest_difference(expected: Array, got: Array) -> float:
    """Largest absolute difference; the largest finite number where one of two is not finite."""
    left, right = expected.astype(np.float64), got.astype(np.float64)
    same = (left == right) | (np.isnan(left) & np.isnan(right))
    with np.errstate(invalid="ignore"):
        difference = np.where(same, 0.0, np.abs(left - right))
    limit = np.finfo(np.float64).max
    return float(np.nan_to_num(difference, nan=limit, posinf=limit).max(initial=0.0))


def difference_at(
    group: str, sample: int, tensor: str, layer: int | None, expected: Array, got: Array
) -> Difference:
    """The first element whose bytes differ."""
    width = expected.dtype.itemsize
    different = (_bytes(expected) != _bytes(got)).reshape(-1, width).any(axis=1)
    flat = int(np.flatnonzero(different)[0])
    return _difference(group, sample, tensor, layer, expected, got, flat)


def _difference(
    group: str,
    sample: int,
    tensor: str,
    layer: int | None,
    expected: Array,
    got: Array,
    flat: int,
) -> Difference:
    position = tuple(int(i) for i in np.unravel_index(flat, expected.shape))
    return Difference(
        group,
        sample,
        tensor,
        layer,
        position,
        float(expected.reshape(-1)[flat]),
        float(got.reshape(-1)[flat]),
    )


def _bytes(array: Array) -> NDArray[np.uint8]:
    """The bytes of the elements in order. Every NaN is the same: processors differ in its sign."""
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), array.dtype.type(np.nan), array)
    return np.frombuffer(np.ascontiguousarray(array).tobytes(), np.uint8)
