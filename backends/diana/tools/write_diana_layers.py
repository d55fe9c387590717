"""Write random layers at the borders of what DIANA's digital array takes, each as a graph: `layer_SEED.tsm`.

python backends/diana/tools/write_diana_layers.py FOLDER [COUNT]
"""

import sys
from pathlib import Path

from tinsmith_diana.border_layers import border_layer
from tinsmith_ir import print_graph

_COUNT = 200


def main() -> int:
    """Write them, and print how many."""
    folder = Path(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else _COUNT
    for seed in range(count):
        text = print_graph(border_layer(seed))
        (folder / f"layer_{seed}.tsm").write_text(text, encoding="utf-8")
    print(count)
    return 0


if __name__ == "__main__":
    sys.exit(main())
