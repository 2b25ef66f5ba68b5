"""Write the posts of the orders in a CSV file, several at once:

    python examples/batch/async_batch.py examples/batch/orders.csv posts

If it is killed, run it again: finished posts are skipped, and unfinished ones continue.
Exit codes: 0 all posts are there, 1 some are missing (reasons on stderr).
"""

import asyncio
import sys
from pathlib import Path

from orders import Order, open_orders, save

from copydesk import AsyncCopydesk, CopydeskError

# The service limits the calls in flight of an account, to 24 by default.
AT_ONCE = 8


async def main(file: Path, folder: Path) -> int:
    """Write the missing posts; return the exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    places = asyncio.Semaphore(AT_ONCE)
    async with AsyncCopydesk() as client:

        async def write(order: Order) -> bool:
            try:
                async with places:
                    generation = await client.generate(idempotency_key=order.key, **order.request)
            except CopydeskError as error:
                print(f"order {order.id}: {error}", file=sys.stderr)
                return False
            save(folder, order, generation)
            print(f"order {order.id}: {generation.post.title}")
            return True

        done = await asyncio.gather(*map(write, open_orders(file, folder)))
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]))))
