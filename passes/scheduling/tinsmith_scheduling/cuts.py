"""Where few bytes are live: sets of finished tasks that some best order passes.

Between two sets of finished tasks, `low` in `high`, take a set in which the fewest bytes are live. Some best order from
`low` to `high` passes it: of any order first run the tasks of the set, as they come in the order, then the others. As
live bytes are submodular, neither half ever has more live than the order had when it came to the same task. So a
problem falls into independent ones at all such sets. They are the minimum cuts of a network of tasks and stores.
"""

from tinsmith_scheduling.flow import SINK, SOURCE, Network
from tinsmith_scheduling.lattice import Lattice, positions


def least_live(lattice: Lattice, low: int, high: int) -> list[int]:
    """A longest chain of the sets between `low` and `high`, both included, in which the fewest bytes are live, from
    the smallest set.
    """
    inside = high & ~low
    tasks = list(positions(inside))
    nodes = {position: number for number, position in enumerate(tasks, 2)}
    network = Network(len(tasks) + 2)
    for position in tasks:
        for other in positions(lattice.after[position] & inside):
            network.bind(nodes[position], nodes[other])
    for store in lattice.stores_of(inside):
        is_begun = store.is_first or store.writers & low != 0
        stays = store.is_kept or store.users & ~high != 0
        writers, users = store.writers & inside, store.users & inside
        if (is_begun and stays) or not (is_begun or writers) or not (stays or users):
            continue
        begun, ended = SOURCE, SINK
        if not is_begun:
            begun = network.add_node()
            for position in positions(writers):
                network.bind(nodes[position], begun)
        if not stays:
            ended = network.add_node()
            for position in positions(users):
                network.bind(ended, nodes[position])
        network.add(begun, ended, store.size_bytes)
    network.saturate()
    found: list[int] = []
    finished = low
    for group in network.cut_groups():
        for node in group:
            if 2 <= node < len(tasks) + 2:
                finished |= 1 << tasks[node - 2]
        if not found or found[-1] != finished:
            found.append(finished)
    return found
