"""`python -m tinsmith_driver`."""

import sys

from tinsmith_driver.cli import main

sys.exit(main())
