"""Write the post of each order in a CSV file, one after the other, for example from cron:

    python examples/batch/nightly.py examples/batch/orders.csv posts

If it is killed, run it again: finished posts are skipped, and an unfinished one continues.
Exit codes: 0 all posts are there, 1 some are missing (reasons on stderr).
"""

import sys
from pathlib import Path

from orders import open_orders, save

from copydesk import (
    AuthenticationError,
    Copydesk,
    CopydeskError,
    PermissionDeniedError,
    QuotaExceededError,
)


def main(file: Path, folder: Path) -> int:
    """Write the missing posts; return the exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = 0
    with Copydesk() as client:
        for order in open_orders(file, folder):
            try:
                generation = client.generate(idempotency_key=order.key, **order.request)
            except (AuthenticationError, PermissionDeniedError, QuotaExceededError) as error:
                # The next order would fail in the same way.
                print(f"stopped at order {order.id}: {error}", file=sys.stderr)
                return 1
            except CopydeskError as error:
                print(f"order {order.id}: {error}", file=sys.stderr)
                missing += 1
            else:
                save(folder, order, generation)
                print(f"order {order.id}: {generation.post.title}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
