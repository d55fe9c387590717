"""The graph pass: a network over a window of frames as one that takes a frame, or a few, in each run."""

from dataclasses import dataclass
from typing import ClassVar

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.escape import print_name
from tinsmith_ir.graph import Graph
from tinsmith_ir.passes import Contract, InPieces, Outcome

from tinsmith_streaming.building import Building
from tinsmith_streaming.survey import Survey, survey
from tinsmith_streaming.tracks import frames_text


@dataclass(frozen=True)
class Streaming(Checked):
    """What the pass made. frames: of the window. hop: of them, in each run. state_bytes: of what is kept between runs.

    settled: the first run, counted from 1, of which all outputs are ones that the whole window has.
    """

    frames: int
    hop: int
    state_bytes: int
    settled: int

    @property
    def warnings(self) -> tuple[str, ...]:
        """That outputs of the first runs are of no window, if they are not."""
        if self.settled == 1:
            return ()
        taken = f"a run takes {frames_text(self.hop)} of {self.frames}"
        return (
            f"stream-frames: {taken}; outputs are those of a window from run {self.settled} on",
        )


@dataclass(frozen=True)
class StreamFrames(Checked):
    """Frames of a window, oldest first, one after the other: after the last of them each output is what it was for the
    whole window, or the newest rows of that, in every bit.

    axis: of the inputs that is time; None is the first one behind the batch that is longer than 1. hop: frames for each
    run; None takes as few as strides along time allow. gather: in front of an operator that cannot be computed frame by
    frame, collect the window and compute it and what follows on all of it, instead of refusing the network.
    """

    name: ClassVar[str] = "stream-frames"
    contract: ClassVar[Contract] = InPieces()

    axis: int | None = None
    hop: int | None = None
    gather: bool = False

    @checked
    def run(self, graph: Graph) -> Graph:
        """The network of one run. Raises UnsupportedError, see `run_in_detail`."""
        return self.run_in_detail(graph).ir

    @checked
    def run_in_detail(self, graph: Graph) -> Outcome[Graph]:
        """The network, and `Streaming` as facts.

        Raises UnsupportedError for a network that keeps states already or whose inputs have no frames along the axis,
        for an operator that looks ahead or mixes frames otherwise, naming it, and for a hop that strides do not allow.
        """
        found = survey(graph, self.axis, gather=self.gather)
        hop = found.hop if self.hop is None else self.hop
        if hop < 1 or hop % found.hop or hop > found.frames:
            raise UnsupportedError(
                f"{self.name}: expected a hop of {found.hop} frames or a multiple, as strides along time demand, and "
                f"of the {found.frames} of the window at most; got {hop}"
            )
        _check_outputs(graph, found, hop)
        made = Building(graph, found, hop).graph()
        kept = sum(state.value.type.size_bytes for state in made.states)
        facts = Streaming(found.frames, hop, kept, _settled(graph, found, hop))
        return Outcome(made, facts.warnings, facts)


def _settled(graph: Graph, found: Survey, hop: int) -> int:
    """See `Streaming`; what is of all frames comes with the last of them."""
    runs = -(-found.frames // hop)
    whole = [
        1 if track is None else track.rows * track.step // hop
        for track in (found.tracks.get(value.name) for value in graph.outputs)
    ]
    return runs + 1 - min(whole, default=1)


def _check_outputs(graph: Graph, found: Survey, hop: int) -> None:
    """Raise UnsupportedError for an output of which the whole window has fewer rows than one run would give."""
    for value in graph.outputs:
        track = found.tracks.get(value.name)
        if track is not None and track.rows * track.step < hop:
            raise UnsupportedError(
                f"{StreamFrames.name}: expected a hop of at most {track.rows * track.step} frames, got {hop}: a run "
                f"would give more rows than the {track.rows} that {print_name(value.name)} has of the whole window"
            )
