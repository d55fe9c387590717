"""Constants of a remote memory, brought near ahead of their use."""

from tinsmith_staging.rewrite import FIRST_TOKEN
from tinsmith_staging.schedule import Block, Placed, least_room, schedule
from tinsmith_staging.stage import StageConstants

__all__ = ["FIRST_TOKEN", "Block", "Placed", "StageConstants", "least_room", "schedule"]
