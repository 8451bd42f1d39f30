"""`python -m engine`: the same as the console script `barpoint`."""

import sys

from engine.commands import main

if __name__ == "__main__":
    sys.exit(main())
