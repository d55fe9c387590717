"""Constants of a remote memory, brought near ahead of their use."""

from tinsmith_staging.schedule import Block, Placed, least_room, schedule
from tinsmith_staging.stage import FIRST_TOKEN, StageConstants, StagedConstants

__all__ = [
    "FIRST_TOKEN",
    "Block",
    "Placed",
    "StageConstants",
    "StagedConstants",
    "least_room",
    "schedule",
]
