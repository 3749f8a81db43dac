"""`python -m river_nrrls` is the command `river-nrrls`."""

from __future__ import annotations

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
