"""Recurrent layers of all forms, and their states, held to PyTorch."""

import pytest
import torch
from against_torch import check
from tinsmith_ir import UnsupportedError
from tinsmith_torch import import_torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence


def real(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.LSTM(3, 4, 2, bidirectional=True), (5, 2, 3)),
        (nn.LSTM(3, 4, proj_size=2), (5, 2, 3)),
        (nn.LSTM(3, 4, 2, bias=False, batch_first=True), (2, 5, 3)),
        (nn.LSTM(3, 4), (5, 3)),
        (nn.GRU(3, 4, 2, bidirectional=True, batch_first=True), (2, 5, 3)),
        (nn.GRU(3, 4, bias=False), (5, 1, 3)),
        (nn.RNN(3, 4, 2), (5, 2, 3)),
        (nn.RNN(3, 4, nonlinearity="relu", bidirectional=True), (5, 2, 3)),
        (nn.LSTMCell(3, 4), (2, 3)),
        (nn.GRUCell(3, 4), (2, 3)),
        (nn.RNNCell(3, 4), (2, 3)),
    ],
)
def test_layers_give_sequences_and_states(layer: nn.Module, shape: tuple[int, ...]) -> None:
    check(layer, (real(*shape),))


class Begun(nn.Module):
    """A layer whose first states are inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.LSTM(3, 4)

    def forward(self, x: Tensor, hidden: Tensor, cells: Tensor) -> object:
        return self.layer(x, (hidden, cells))


def test_states_may_be_given() -> None:
    check(Begun(), (real(5, 2, 3), real(1, 2, 4), real(1, 2, 4) + 1))


class Streaming(nn.Module):
    """A step at a time; states are kept."""

    hidden: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.GRU(3, 4)
        self.register_buffer("hidden", torch.zeros(1, 1, 4))

    def forward(self, x: Tensor) -> Tensor:
        result, hidden = self.layer(x, self.hidden)
        self.hidden.copy_(hidden)
        return result


def test_states_may_be_kept() -> None:
    frames = [(real(1, 1, 3) * step,) for step in range(1, 6)]
    graph = check(Streaming(), *frames)
    assert [state.value.name for state in graph.states] == ["hidden"]


class Packed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.GRU(3, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(pack_padded_sequence(x, torch.tensor([5, 3])))[1]


def test_packed_sequences_are_refused() -> None:
    with pytest.raises(UnsupportedError):
        import_torch(Packed().eval(), (real(5, 2, 3),))
