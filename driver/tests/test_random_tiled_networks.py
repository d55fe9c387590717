"""Random networks in tiles on the simulated cluster; driver/tools/random_tiled_networks.py tries as many as wanted."""

import pytest
from random_images import RandomNetwork
from random_tiled_networks import Trial, Tried
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_target import target

TARGET = "siracusa"


@pytest.fixture(autouse=True)
def simulator() -> None:
    try:
        need_emulator(target(TARGET).board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("seed", [2, 3, 9])
def test_a_refusal_names_the_least_memory_and_that_does(seed: int) -> None:
    trial = Trial(RandomNetwork(seed).graph(), TARGET)
    assert trial.tried(40) == Tried(was_refused=True, is_least=True)


def test_a_network_that_fits_is_right() -> None:
    assert Trial(RandomNetwork(2).graph(), TARGET).tried(20_000) == Tried()


@pytest.mark.parametrize("engines", ["both", "neureka"])
@pytest.mark.parametrize("seed", [3, 9])
def test_networks_on_two_engines_are_right(seed: int, engines: str) -> None:
    trial = Trial(RandomNetwork(seed).graph(), TARGET, engines)
    assert trial.tried(20_000) == Tried()
    assert trial.tried(40) == Tried(was_refused=True, is_least=True)
