"""DIANA's analog accelerator: values against numpy, for layers at random; cycles; layouts; what is doubtful; noise."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from analog_cycles import job_cycles
from analog_model import Chip, Layer, Post, compute, convert, instruction
from analog_programs import Program, checked, draw, place, random_layer
from diana_programs import run
from digital_model import pad
from support import count, read_trace, seeded

_MOST_WEIGHTS = 180_000  # of a program, in bytes


def _weight_bytes(layer: Layer) -> int:
    return layer.lines * pad(layer.outputs, 128) // 8


def _check(layers: list[Layer], folder: Path) -> None:
    """One after the other, in one program: all of L1, and the cycles of each job."""
    rng = np.random.default_rng(seeded().randrange(2**32))
    program = checked(layers, rng)
    trace = folder / "trace.json"
    memory = run(program, folder, "--trace", str(trace))
    assert memory == program.expected, layers
    jobs = [it for it in read_trace(trace)["analog"] if it.name.startswith("conv")]
    took = [job.ended - job.began for job in jobs]
    assert took == [job_cycles(layer) for layer in layers]


def test_random_layers_are_exact_and_take_the_cycles_of_the_model(tmp_path: Path) -> None:
    generator = seeded()
    layers = [random_layer(generator, number) for number in range(count("DIANA", 36))]
    together: list[Layer] = []
    for layer in layers:
        if sum(map(_weight_bytes, [*together, layer])) > _MOST_WEIGHTS:
            _check(together, tmp_path)
            together = []
        together.append(layer)
    _check(together, tmp_path)


def test_the_whole_array_computes(tmp_path: Path) -> None:
    _check([Layer(128, 512, 3, 3, (3, 3), pads=(1, 1, 1, 1))], tmp_path)


def _weights(column: int, line: int, lines: int = 32) -> bytes:
    """One cell's line is set: lines of 16 bytes, columns from the upper bit of each word on."""
    content = bytearray(16 * lines)
    content[16 * line + (column // 8 ^ 3)] = 0x80 >> column % 8
    return bytes(content)


@pytest.mark.parametrize(
    ("channel", "line", "column", "block", "sign"),
    [
        (0, 30, 0, 0, -1),  # row 15: the last one of sixteen is the first channel's
        (0, 31, 0, 0, 1),  # and its second line is that of the minus ones
        (15, 0, 0, 0, -1),
        (1, 28, 1, 0, -1),
        (1, 28, 1, 8, -1),
        (1, 28, 1, 9, 1),
        (1, 28, 0, 6, 1),
        (1, 28, 0, 11, 1),
        (1, 28, 0, 12, -1),
        (1, 28, 37, 0, -1),
    ],
)
def test_a_cell_is_two_bits_and_its_sign_is_the_places(
    channel: int, line: int, column: int, block: int, sign: int, tmp_path: Path
) -> None:
    """By hand: sixteen channels, 48 outputs, one cell, the only input that is not zero is 33."""
    program = Program()
    program.l1[channel ^ 3] = 33
    layer = Layer(16, 48, block=block)
    words = instruction(layer, (0, 16))
    program.steps.append(program.job(_weights(column, line), b"", words))
    memory = run(program, tmp_path, device="adc_gain=1")
    wanted = bytearray(48 // 16 * 16)
    wanted[column // 16 * 16 + (column % 16 ^ 3)] = max(-32, min(31, 33 * sign)) & 0xFF
    found = b"".join(memory[16 + 0x10000 * bank :][:16] for bank in range(3))
    assert found == bytes(wanted)


def test_converters_round_down_and_clip(tmp_path: Path) -> None:
    """By hand: 1x1 of one channel to one output, weight 1, pixels from -64 on."""
    program = Program()
    pixels = [-64, -33, -17, -16, -1, 0, 1, 15, 16, 63]
    for number, value in enumerate(pixels):
        program.l1[16 * number + 3] = value & 0xFF
    layer = Layer(1, 1, 1, len(pixels))
    words = instruction(layer, (0, 0x400))
    cell = _weights(0, 31)  # the minus line of a turned cell
    program.steps.append(program.job(cell, b"", words))
    memory = run(program, tmp_path)
    found = np.frombuffer(memory[0x403::16][: len(pixels)], np.int8).tolist()
    assert found == [-4, -3, -2, -1, -1, 0, 0, 0, 1, 3]
    memory = run(program, tmp_path, device="adc_gain=1")
    found = np.frombuffer(memory[0x403::16][: len(pixels)], np.int8).tolist()
    assert found == [-32, -32, -17, -16, -1, 0, 1, 15, 16, 31]


_PROCESSED = Post(scales=True, residual=True, relu=False, quantize=True, shift=2, offset_shift=3)


@pytest.mark.parametrize(
    ("device", "chip", "post"),
    [
        ("adc_gain=5", Chip(gain=5), Post()),
        ("row_order=1", Chip(rows_by_tap=True), Post()),
        ("sign_pattern=0", Chip(signs=False), Post()),
        ("line_columns=512", Chip(line=512), Post()),
        ("output_bits=7", Chip(bits=7), Post(scales=True, quantize=True, shift=1)),
        (
            "output_bits=7 symmetric_output=1",
            Chip(bits=7, symmetric=True),
            Post(scales=True, quantize=True, shift=1),
        ),
        ("any_sequence=1", Chip(), _PROCESSED),
        ("post_vector=3", Chip(), Post(relu=True, quantize=True)),
    ],
)
def test_what_is_doubtful_may_be_otherwise(
    device: str, chip: Chip, post: Post, tmp_path: Path
) -> None:
    layer = Layer(24, 40, 6, 7, (3, 3), pads=(1, 1, 1, 1), post=post)
    program = checked([layer], np.random.default_rng(5), chip)
    trace = tmp_path / "trace.json"
    assert run(program, tmp_path, "--trace", str(trace), device=device) == program.expected
    (job,) = (it for it in read_trace(trace)["analog"] if it.name.startswith("conv"))
    vectors = 6 * 7 * 3 * 3 if device == "post_vector=3" else 0
    assert job.ended - job.began == job_cycles(layer) + vectors


@pytest.mark.parametrize(("word", "low"), [(0xC000, 0), (0x0003, 1), (0xFFFF, 0), (0xFFFF, 1)])
def test_blocks_of_columns_count_from_either_end(word: int, low: int, tmp_path: Path) -> None:
    layer = Layer(8, 40, 2, 2)
    tensors = draw(layer, np.random.default_rng(6))
    program = Program()
    place_out = place(program, layer, tensors, w20=word)
    program.expect(place_out, compute(layer, tensors))
    assert run(program, tmp_path, device=f"low_column_blocks={low}") == program.expected


@pytest.mark.parametrize(
    ("layer", "weights", "evaluations"),
    [
        # MobileNet's third layer, two of ResNet's, one of ToyAdmos; columns of an evaluation as DORY has them.
        (Layer(16, 32, 24, 24, unroll=4), 8 * 16, 163 * 24 * 6),
        (
            Layer(16, 16, 32, 32, (3, 3), pads=(1, 1, 1, 1), unroll=4),
            8 * 144,
            105 * 32 * 8,
        ),
        (Layer(64, 64, 8, 8, (3, 3), pads=(1, 1, 1, 1), unroll=4), 8 * 576, 105 * 8 * 2),
        (Layer(128, 128), 8 * 128, 163),
    ],
)
def test_layers_of_htvms_networks_take_the_cycles_of_the_published_model(
    layer: Layer, weights: int, evaluations: int, tmp_path: Path
) -> None:
    """Eight cycles for a row of weights, and evaluations; a job's beginning is 48 cycles, two loads are 22."""
    trace = tmp_path / "trace.json"
    program = checked([layer], np.random.default_rng(3))
    assert run(program, tmp_path, "--trace", str(trace)) == program.expected
    slices = {it.name.split()[0]: it.ended - it.began for it in read_trace(trace)["analog"]}
    assert slices["weights"] == weights + 22
    assert slices["compute"] == evaluations
    assert slices["conv"] == 48 + 22 + weights + evaluations


@pytest.mark.parametrize("counts", [0, 1])
def test_columns_of_outputs_are_counted_or_evaluations_are(counts: int, tmp_path: Path) -> None:
    """Eight columns, four of an evaluation."""
    layer = Layer(8, 20, 2, 8, unroll=4)
    tensors = draw(layer, np.random.default_rng(6))
    program = Program()
    place_out = place(program, layer, tensors, w13=8 if counts else 2)
    program.expect(place_out, compute(layer, tensors))
    trace = tmp_path / "trace.json"
    device = f"counts_columns={counts}"
    assert run(program, tmp_path, "--trace", str(trace), device=device) == program.expected
    (job,) = (it for it in read_trace(trace)["analog"] if it.name.startswith("conv"))
    assert job.ended - job.began == job_cycles(layer)


def test_wide_inputs_are_clipped_where_the_chip_does(tmp_path: Path) -> None:
    layer = Layer(8, 16, 4, 4)
    tensors = draw(layer, np.random.default_rng(6))
    wide = np.random.default_rng(7).integers(-128, 128, tensors.image.shape, np.int8)
    program = Program()
    place_out = place(program, layer, replace(tensors, image=wide))
    program.expect(place_out, compute(layer, replace(tensors, image=np.clip(wide, -64, 63))))
    assert run(program, tmp_path, device="wide_inputs=1") == program.expected


def test_more_rows_than_the_array_has_are_summed_in_parts(tmp_path: Path) -> None:
    """200 channels of 3x3: 128 of them are converted, then 72 and the former's results, with scales and ReLU behind."""
    rng = np.random.default_rng(9)
    first = Layer(128, 32, 4, 4, (3, 3), pads=(1, 1, 1, 1))
    post = Post(partial=True, scales=True, relu=True, quantize=True, shift=3)
    second = replace(first, channels=72, post=post)
    tensors = [draw(layer, rng) for layer in (first, second)]
    program = Program()
    place_between = place(program, first, tensors[0])
    place_out = place(program, second, tensors[1], w4=place_between // 16)
    between = compute(first, tensors[0])
    program.expect(place_between, between)
    program.expect(place_out, compute(second, replace(tensors[1], partial=between)))
    assert run(program, tmp_path) == program.expected


def test_noise_is_a_share_of_the_result_and_of_its_seed(tmp_path: Path) -> None:
    """A normal deviate with a 25th of the result as its deviation, rounded: at 16 it is 0.64, and 0 is undisturbed."""
    layer = Layer(8, 64, 32, 32)
    tensors = draw(layer, np.random.default_rng(10))
    image = np.zeros_like(tensors.image)
    image[0, :16] = 16
    weights = np.zeros_like(tensors.weights)
    weights[:, 0] = 1
    exact = replace(tensors, image=image, weights=weights)
    program = Program()
    place_out = place(program, layer, exact)
    assert np.all(convert(layer, exact, Chip(gain=1))[:, :16] == 16)

    def results(device: str) -> np.ndarray:
        memory = run(program, tmp_path, device=f"adc_gain=1 {device}")
        banks = [memory[place_out + 0x10000 * bank :][: 16 * 1024] for bank in range(4)]
        return np.stack([np.frombuffer(bank, np.int8) for bank in banks])

    quiet, loud = results("noise=0"), results("noise=25")
    assert set(quiet[:, : 16 * 512].ravel()) == {16}
    disturbed = loud[:, : 16 * 512].astype(np.float64)
    assert abs(disturbed.mean() - 16) < 0.02
    assert abs(disturbed.std() - np.hypot(0.64, np.sqrt(1 / 12))) < 0.02
    assert not loud[:, 16 * 512 :].any()
    assert np.array_equal(results("noise=25"), loud)
    assert not np.array_equal(results("noise=25 noise_seed=2"), loud)
