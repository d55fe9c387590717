"""`python -m tinsmith_driver`."""

import sys

from tinsmith_driver import main

sys.exit(main())
