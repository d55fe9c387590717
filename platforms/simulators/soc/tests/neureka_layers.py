"""Layers for N-EUREKA at random, near the borders of its tiles."""

from random import Random

from neureka_model import TILE, Layer, Mode, Padding

_MODES: tuple[Mode, ...] = ("3x3", "depthwise", "1x1")


def random_layer(generator: Random, number: int) -> Layer:
    """Any of what the engine can do: modes and bits in turn by `number`, so that 21 layers have them all."""
    mode = _MODES[number % 3]
    height, width = generator.randint(1, 14), generator.randint(1, 14)
    linear = mode == "1x1" and generator.random() < 0.15
    if linear:
        height, width = 1, 1
    inputs, outputs = _channels(generator, mode), _channels(generator, mode)
    signed = generator.random() < 0.5
    norm_bits = generator.choice([0, 8, 32, 32])
    return Layer(
        mode,
        height,
        width,
        inputs=outputs if mode == "depthwise" else inputs,
        outputs=outputs,
        weight_bits=2 + number // 3 % 7,
        offset=generator.choice([0, -1, -2, -8, -128, generator.randint(-255, 255)]),
        signed=signed,
        padding=_padding(generator, mode, height, width, signed),
        norm_bits=norm_bits,
        bias=generator.random() < 0.8,
        relu=generator.random() < 0.5,
        output_bits=32 if norm_bits == 0 else generator.choice([8, 8, 32]),
        shift=generator.randint(0, 31),
        prefetch=generator.random() < 0.4,
        linear=linear,
        input_gap=generator.choice([0, 0, 1, 8]),
        output_gap=generator.choice([0, 0, 4, 12]),
    )


def _channels(generator: Random, mode: Mode) -> int:
    """A tile or two, also one more and one less."""
    tile = 32 if mode == "1x1" else 28
    return generator.choice(
        [generator.randint(1, tile), tile - 1, tile, tile + 1, generator.randint(1, 2 * tile + 3)]
    )


def _padding(generator: Random, mode: Mode, height: int, width: int, signed: bool) -> Padding:
    if mode == "1x1":
        return Padding()
    top, bottom = _sides(generator, height)
    left, right = _sides(generator, width)
    value = generator.randint(-128, 127) if signed else generator.randint(0, 255)
    return Padding(top, right, bottom, left, value)


def _sides(generator: Random, size: int) -> tuple[int, int]:
    """Before and after: at least one row or column is left, and the last tile hides its padding from others."""
    after = generator.randint(0, 2)
    if size > TILE:
        after = min(after, (size - 1) % TILE + 1)
    before = generator.randint(0, min(2, size + 1 - after))
    return before, after
