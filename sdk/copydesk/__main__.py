"""``python -m copydesk``."""

import sys

from copydesk.cli import main

sys.exit(main())
