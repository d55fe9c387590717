"""Runs the command `tinsmith-order`: `python -m tinsmith_scheduling graph.json`."""

import sys

from tinsmith_scheduling.command import main

sys.exit(main())
