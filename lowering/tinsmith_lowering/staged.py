"""What a pass decided of constants that lie in a remote memory, for reports."""

from dataclasses import dataclass

from tinsmith_ir.checked import Checked


@dataclass(frozen=True)
class StagedConstants(Checked):
    """What was decided.

    memory, far: names of the memory to which constants come and of the remote one. fetches: how many copies an
    inference makes, of fetched_bytes in all. far_bytes: of constants in the remote memory. resident_bytes: of small
    ones that stayed. used_bytes: of the memory, out of room_bytes that there are. most_under_way: fetches at once.
    """

    memory: str
    far: str
    fetches: int
    fetched_bytes: int
    far_bytes: int
    resident_bytes: int
    used_bytes: int
    room_bytes: int
    most_under_way: int
