# pyright: basic, reportMissingImports=false
"""Train three networks on scikit-learn's digits, and export each as a .pt2 file with images beside it.

A development-time script: Bazel does not run it (`pip install torch scikit-learn`). The data are 1797 grey images of
8x8 pixels, here of 16x16; 360 of them (20 % of each class) are held out. Weights are not kept: minutes make them anew.

    python examples/quantization/train.py FOLDER [NETWORK ...]

writes NETWORK.pt2, `held_out.npz` (x, label) and `calibration.npz` (x: ten images that were trained on) to FOLDER.
"""

import pathlib
import sys
from collections.abc import Callable

import numpy as np
import torch
from networks import NETWORKS
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import Tensor, nn
from torch.nn import functional

SEED = 0
TEST_IMAGES = 360
CALIBRATION_IMAGES = 10
SIZE = 16
BATCH = 64
EPOCHS = {"mobilenet_v2": 40, "resnet18": 15, "vit": 80}
RATES = {"mobilenet_v2": 4e-3, "resnet18": 2e-3, "vit": 2e-3}


def images(size: int = SIZE) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Images to train on and held-out ones, (N, 1, size, size) from 0 to 1, and the labels of both."""
    digits = load_digits()
    x = torch.tensor(digits.images[:, None] / 16, dtype=torch.float32)
    x = functional.interpolate(x, (size, size), mode="bilinear", align_corners=False)
    labels = torch.tensor(digits.target)
    chosen = train_test_split(
        np.arange(len(x)), test_size=TEST_IMAGES, random_state=SEED, stratify=digits.target
    )
    training, held_out = (torch.tensor(each) for each in chosen)
    return x[training], x[held_out], labels[training], labels[held_out]


def shifted(x: Tensor) -> Tensor:
    """Each image moved by up to an eighth of its side in each direction, zeros moving in."""
    size = x.shape[-1]
    most = size // 8
    padded = functional.pad(x, (most, most, most, most))
    moves = torch.randint(0, 2 * most + 1, (len(x), 2)).tolist()
    moved = [p[:, r : r + size, c : c + size] for p, (r, c) in zip(padded, moves, strict=True)]
    return torch.stack(moved)


def fit(
    net: nn.Module,
    x: Tensor,
    labels: Tensor,
    epochs: int,
    rate: float,
    on_step: Callable[[float], None] = lambda _: None,
) -> None:
    """Train in place; the learning rate rises for a tenth of the time, then falls to 0 as a cosine.

    on_step: is told behind each step what share of all of them is done.
    """
    steps = epochs * -(-len(x) // BATCH)
    optimizer = torch.optim.AdamW(net.parameters(), weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, steps, pct_start=0.1)
    net.train()
    done = 0
    for _ in range(epochs):
        for some in torch.randperm(len(x)).split(BATCH):
            optimizer.zero_grad()
            scores = net(shifted(x[some]))
            functional.cross_entropy(scores, labels[some], label_smoothing=0.05).backward()
            optimizer.step()
            schedule.step()
            done += 1
            on_step(done / steps)
    net.eval()


def accuracy(net: nn.Module, x: Tensor, labels: Tensor) -> float:
    """The share of images whose largest score is that of their label."""
    with torch.no_grad():
        return float((net(x).argmax(1) == labels).float().mean())


def main() -> None:
    """Train those that are named, or all."""
    folder, *names = sys.argv[1:]
    target = pathlib.Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)  # sums do not depend on how many cores there are
    x, held_out, labels, wanted = images()
    np.savez_compressed(target / "held_out.npz", x=held_out.numpy(), label=wanted.numpy())
    np.savez_compressed(target / "calibration.npz", x=x[:CALIBRATION_IMAGES].numpy())
    for name in names or NETWORKS:
        torch.manual_seed(SEED)
        net = NETWORKS[name]()
        fit(net, x, labels, EPOCHS[name], RATES[name])
        count = sum(each.numel() for each in net.parameters())
        share = accuracy(net, held_out, wanted)
        print(f"{name}: {count} parameters, held-out accuracy {share:.4f}", flush=True)
        torch.export.save(torch.export.export(net, (x[:1],)), target / f"{name}.pt2")


if __name__ == "__main__":
    main()
