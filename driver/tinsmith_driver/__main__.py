"""`python -m tinsmith_driver`."""

import sys

try:
    from tinsmith_driver.cli import main
except KeyboardInterrupt:  # importing takes a moment, in which nobody else would answer
    sys.exit(130)

sys.exit(main())
