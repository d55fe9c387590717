"""What splitting channels that stand out gains, as a table: beside the same scheme without it.

The last softmax makes large errors of small ones where classes are near to one another, and none where one is far
ahead; so what it reads is judged, too, and decides.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinsmith_ir.operators import Softmax

from tinsmith_driver.quantizing import QuantizedModel
from tinsmith_driver.table import table, thousands

SPLIT = 0.05
SPLIT_SCHEMES = ("int8{per_channel=no}", "power-of-two", "int4")


@dataclass(frozen=True)
class SplitRow:
    """A network by a scheme without and with split=SPLIT. scores: in dB, of what the network's softmax reads, of its
    output if it has none; sqnr: of the output. channels: how many were added. weights: bytes. status: of the network
    with the channels on a board.
    """

    network: str
    scheme: str
    scores: float
    split_scores: float
    sqnr: float
    split_sqnr: float
    channels: int
    weights: int
    split_weights: int
    status: str


def split_text(text: str) -> str:
    """A scheme with the share of channels."""
    option = f"split={SPLIT:g}"
    return f"{text[:-1]},{option}}}" if text.endswith("}") else f"{text}{{{option}}}"


def scores_of(made: QuantizedModel) -> float:
    """Signal to noise of what the last softmax reads, in decibels, on the samples of calibration."""
    (value, *_) = made.real.outputs
    node = made.real.producer(value)
    if node is not None and isinstance(node.operator, Softmax):
        value = node.present_inputs[0]
    return next(found.sqnr_db for found in made.losses.tensors if found.name == value.name)


def split_misses(rows: Sequence[SplitRow]) -> Iterator[str]:
    """Each scheme has to gain on average over the networks, and boards to give the evaluator's bytes."""
    for scheme in dict.fromkeys(row.scheme for row in rows):
        gains = [row.split_scores - row.scores for row in rows if row.scheme == scheme]
        mean = sum(gains) / len(gains)
        if mean <= 0:
            yield f"{split_text(scheme)}: {mean:.1f} dB more on average, expected more than 0"
    for row in rows:
        if row.status != "ok":
            yield f"{row.network}, {split_text(row.scheme)}: {row.status}"


def split_table(rows: Sequence[SplitRow]) -> str:
    """Without lines if there are no rows."""
    header = ["network", "scheme", "scores", "split", "gain", "SQNR", "split"]
    header += ["channels", "weights", "split", "times", "status"]
    lines = [
        [
            row.network,
            row.scheme,
            f"{row.scores:.1f}",
            f"{row.split_scores:.1f}",
            f"{row.split_scores - row.scores:+.1f}",
            f"{row.sqnr:.1f}",
            f"{row.split_sqnr:.1f}",
            f"+{row.channels}",
            thousands(row.weights),
            thousands(row.split_weights),
            f"{row.split_weights / row.weights:.2f}",
            row.status,
        ]
        for row in rows
    ]
    return table(header, lines) if lines else ""
