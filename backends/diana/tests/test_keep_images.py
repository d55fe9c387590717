"""Images that stay in banks of L1: programs as they should be, in the evaluator, on the twin; and where none stays."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from kept_networks import chain, chain_inputs, residual
from tinsmith_c.testing import HostModel, KernelObjects, place
from tinsmith_diana.analog import banks
from tinsmith_diana.keep_images import KeepImages
from tinsmith_diana.layouts import DianaBanks, DianaPixels
from tinsmith_diana.pixels import NAME as TO_PIXELS
from tinsmith_diana.rules import IN_BANKS, TO_BANKS
from tinsmith_ir import Graph, Program, TensorType, evaluate_graph, evaluate_program, verify_program
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.evaluate import equal_arrays
from tinsmith_ir.layouts import element_offsets
from tinsmith_lowering import Kernel, check_calls, lower, prepare
from tinsmith_target import Target, target

_SEEDS = range(8)
_BANK = 0x10000


def kept(graph: Graph, host: Target, kernels: Sequence[Kernel]) -> Program:
    """Prepared, and right by all rules."""
    program = prepare(KeepImages(host, kernels).run(lower(graph, host, kernels)), host, kernels)
    verify_program(program)
    check_calls(program, host, kernels)
    return program


def called(program: Program) -> list[str]:
    """Kernels, without those that the core turns dense tensors by."""
    return [
        call.kernel.removeprefix("tinsmith_diana_")
        for call in program.calls
        if not {
            program.view[name].layout
            for name in (*call.inputs, *call.outputs)
            if name is not None and name in program.view
        }
        & {""}
    ]


def test_elements_lie_in_banks_beside_others() -> None:
    """Of 70 channels the first 64 are in a word of each bank, the others in the next word."""
    type_ = TensorType((1, 1, 3, 70), DType.INT8)
    layout = DianaBanks()
    assert layout.own_runs(type_) == ((0, _BANK, 2 * _BANK, 3 * _BANK), 96)
    assert layout.size_bytes(type_) == 3 * _BANK + 96
    offsets = element_offsets(layout.name, type_).reshape(3, 70)
    assert offsets[1, [0, 15, 16, 63, 64, 69]].tolist() == [
        32 + 3,
        32 + 12,
        _BANK + 32 + 3,
        3 * _BANK + 32 + 12,
        48 + 3,
        48 + 6,
    ]
    one = TensorType((1, 5, 1, 16), DType.INT8)
    assert layout.own_runs(one) == ((0,), 96)
    assert (element_offsets(layout.name, one) == element_offsets(DianaPixels.name, one)).all()


@pytest.mark.parametrize(
    ("shape", "what"), [((1, 65, 64, 17), "at most 65,536 bytes"), ((2, 4, 4, 3), "one image")]
)
def test_what_has_no_place_in_banks_is_refused(shape: tuple[int, ...], what: str) -> None:
    with pytest.raises(GraphError, match=what):
        DianaBanks().size_bytes(TensorType(shape, DType.INT8))


def test_layers_in_a_row_copy_the_first_image_and_the_last(
    host: Target, both: tuple[Kernel, ...]
) -> None:
    program = kept(chain([(4, 8, 20), 70, 70, 70, 33]), host, both)
    assert called(program) == ["to_banks", *["analog_in_banks"] * 4, "from_banks"]
    views = {view.name: view for view in program.views if view.layout == DianaBanks.name}
    assert len({view.buffer for view in views.values()}) == 1
    # Images of one shape take turns.
    starts = [views[f"y{number}.diana_banks"].start.base for number in range(4)]
    assert starts == [512, 512 + 1024, 512, 512 + 2048]
    (buffer,) = {view.buffer for view in views.values()}
    assert program.buffer[buffer].size_bytes == 3 * _BANK + 512 + 2048 + 512


def test_who_else_reads_an_image_has_a_copy(host: Target, both: tuple[Kernel, ...]) -> None:
    """The second of three layers is an output, too."""
    program = kept(chain([(4, 8, 20), 16, 16, 40], outputs=(1, 2)), host, both)
    assert called(program) == [
        "to_banks",
        *["analog_in_banks"] * 2,
        "from_banks",
        "analog_in_banks",
        "from_banks",
    ]


def test_what_the_core_clips_is_copied_as_before(host: Target, both: tuple[Kernel, ...]) -> None:
    """Results that may leave 7 bits: the second layer has its image from the core's memory, and the third one, too."""
    program = kept(chain([(4, 8, 20), 16, 16, 40, 40], clipped=(1,)), host, both)
    assert called(program) == [
        "analog",
        "analog",
        "to_banks",
        "analog_in_banks",
        "analog_in_banks",
        "from_banks",
    ]


def test_a_block_with_the_digital_array_stays(host: Target, both: tuple[Kernel, ...]) -> None:
    """A convolution gives pixels at once; the sum and its half are the digital array's, bank by bank."""
    program = kept(residual((4, 16), 32), host, both)
    assert called(program) == [
        TO_BANKS.removeprefix("tinsmith_diana_"),
        "analog_in_banks",
        "analog_in_banks",
        *[IN_BANKS.removeprefix("tinsmith_diana_")] * 2,
        "analog_in_banks",
        "from_banks",
    ]


@pytest.mark.parametrize(("width", "channels"), [(16, 80), (9, 32)])
def test_a_convolution_gives_pixels_where_it_can(
    width: int, channels: int, host: Target, both: tuple[Kernel, ...]
) -> None:
    """Of several words, by one job; of padded rows, to the core's memory, row by row."""
    program = kept(residual((4, width), channels), host, both)
    name = called(program)[0]
    assert name == (TO_BANKS if width % 16 == 0 else TO_PIXELS).removeprefix("tinsmith_diana_")
    assert not [call for call in program.calls if call.name.endswith(".diana_pixels")]


def test_a_convolution_whose_rows_others_read_stays(host: Target, both: tuple[Kernel, ...]) -> None:
    program = kept(residual((4, 16), 32, read_twice=True), host, both)
    assert [call.kernel for call in program.calls if call.name == "d"] == ["tinsmith_diana_digital"]


def test_groups_end_where_l1_is_full(host: Target, both: tuple[Kernel, ...]) -> None:
    """Images of 16 KiB in each bank and of different shapes, of which four have room in each of 64 KiB."""
    program = kept(chain([(32, 32, 64), 63, 62, 61, 60, 59, 58]), host, both)
    group = ["to_banks", *["analog_in_banks"] * 3, "from_banks"]
    assert called(program) == group * 2
    sizes = {
        buffer.name: buffer.size_bytes
        for buffer in program.buffers
        if buffer.name.endswith(".images")
    }
    assert len(sizes) > 1
    assert max(sizes.values()) <= 4 * _BANK


def test_the_same_program_comes_back_where_nothing_stays(
    host: Target, both: tuple[Kernel, ...]
) -> None:
    for graph in (chain([(4, 8, 20), 16]), chain([(4, 8, 20), 16, 16], clipped=(0, 1))):
        program = lower(graph, host, both)
        assert KeepImages(host, both).run(program) is program


def test_other_targets_are_left_alone(host: Target, both: tuple[Kernel, ...]) -> None:
    program = lower(chain([(4, 8, 20), 16, 16]), host, both)
    without = [kernel for kernel in both if kernel.name != banks.NAME]
    assert KeepImages(host, without).run(program) is program
    assert KeepImages(target("cortex-m4"), both).run(program) is program


@pytest.mark.parametrize("seed", _SEEDS)
def test_random_chains_have_the_evaluators_bytes(
    seed: int, host: Target, both: tuple[Kernel, ...], both_objects: KernelObjects, tmp_path: Path
) -> None:
    """In the evaluator of programs, whenever jobs end, and on the twin under sanitizers."""
    random = np.random.default_rng([seed, 0xBA2])
    shape = tuple(int(random.integers(1, most)) for most in (7, 20, 100))
    widths = [int(random.choice([1, 16, 17, 33, 64, 65, 128])) for _ in range(4)]
    graph = chain(
        [(shape[0], shape[1], shape[2]), *widths],
        outputs=(int(random.integers(4)), 3),
        clipped=(int(random.integers(8)),),
        seed=seed,
    )
    check(kept(graph, host, both), graph, host, both, both_objects, tmp_path)


@pytest.mark.parametrize("channels", [16, 20, 32, 64])
def test_blocks_have_the_evaluators_bytes(
    channels: int,
    host: Target,
    both: tuple[Kernel, ...],
    both_objects: KernelObjects,
    tmp_path: Path,
) -> None:
    for width in (16, 9):
        graph = residual((3, width), channels)
        folder = tmp_path / str(width)
        folder.mkdir()
        check(kept(graph, host, both), graph, host, both, both_objects, folder)


def check(
    program: Program,
    graph: Graph,
    host: Target,
    kernels: Sequence[Kernel],
    objects: KernelObjects,
    folder: Path,
) -> None:
    model = HostModel.build(place(program), host, kernels, objects, folder)
    for seed in range(2):
        inputs = chain_inputs(graph, seed)
        assert model.wrong_results(inputs, graph) == []
        found, wanted = evaluate_program(program, inputs), evaluate_graph(graph, inputs)
        assert all(map(equal_arrays, found.values(), wanted.values()))
