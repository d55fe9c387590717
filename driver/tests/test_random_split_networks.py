"""Random networks in less memory, on this computer; driver/tools/random_split_networks.py tries as many as wanted."""

import pytest
from random_split_networks import Counts, Trial


@pytest.mark.parametrize("seed", range(8))
def test_a_network_fits_or_is_refused_with_what_it_needs(seed: int) -> None:
    assert Trial(seed, "host").tried(Counts()) == ""
