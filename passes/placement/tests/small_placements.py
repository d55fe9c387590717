"""Small problems at random."""

from random import Random

from tinsmith_placement import Layer, Option, Problem, Turn

_ENGINES = ("cores", "digital", "analog")


def small_placement(seed: int, *, has_forms: bool = False) -> Problem:
    """Up to six layers on up to three engines, each reading what one or two layers before it wrote. has_forms: engines
    read and write forms of their own, between which cores turn.
    """
    rng = Random(seed)
    layers: list[Layer] = []
    tensors = ["x"]
    for number in range(rng.randint(1, 6)):
        operands = tuple(dict.fromkeys(rng.choice(tensors[-3:]) for _ in range(rng.randint(1, 2))))
        engines = rng.sample(_ENGINES, rng.randint(1, 3))
        options = tuple(_option(rng, name, len(operands), has_forms=has_forms) for name in engines)
        layers.append(Layer(f"l{number}", operands, (f"t{number}",), options))
        tensors.append(f"t{number}")
    most = rng.choice([None, 0.5 * len(layers)])
    if most is not None:
        layers = [_with_lossless(layer, has_forms=has_forms) for layer in layers]
    turns = [
        Turn(tensor, before, after, "cores", rng.randint(1, 30))
        for tensor in tensors
        for before in ("", *_ENGINES)
        for after in ("", *_ENGINES)
        if has_forms and before != after
    ]
    wanted = {tensors[-1]: ""}
    if not has_forms:
        wanted = {}
    ahead = rng.randint(1, 3)
    return Problem(tuple(layers), wanted=wanted, turns=tuple(turns), ahead=ahead, most_loss=most)


def _option(rng: Random, engine: str, operands: int, *, has_forms: bool) -> Option:
    form = engine if has_forms else ""
    return Option(
        engine,
        rng.randint(1, 50),
        held=("cores",) if rng.random() < 0.3 else (),
        fetch_cycles=rng.choice([0, 0, rng.randint(1, 60)]),
        loss=rng.choice([0.0, 0.25, 1.0]),
        takes=(form,) * operands,
        gives=(form,),
    )


def _with_lossless(layer: Layer, *, has_forms: bool) -> Layer:
    """With an option that any limit allows."""
    form = "cores" if has_forms else ""
    slow = Option("cores", 60, takes=(form,) * len(layer.operands), gives=(form,))
    return Layer(layer.name, layer.operands, layer.results, (*layer.options, slow))
