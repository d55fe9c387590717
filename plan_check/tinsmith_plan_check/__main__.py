"""`python -m tinsmith_plan_check`."""

import sys

from tinsmith_plan_check.command import main

sys.exit(main())
