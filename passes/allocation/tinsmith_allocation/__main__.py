"""Runs the command `tinsmith-plan`: `python -m tinsmith_allocation buffers.csv`."""

import sys

from tinsmith_allocation.command import main

sys.exit(main())
