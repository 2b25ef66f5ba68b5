"""A task for RQ (https://python-rq.org) that writes the post of an order.

Start a worker in this folder:

    rq worker --with-scheduler posts
"""

import os
from pathlib import Path

from rq import Retry

from copydesk import Copydesk, CopydeskError


def write_post(order_id: str, keywords: list[str]) -> str | Retry:
    """Write the post of an order to POSTS/ORDER_ID.md; return its title.

    The order's idempotency key makes sure that the post is written and billed once, even if the
    order is queued twice or the worker is killed. RQ retries only errors that a retry can fix.
    """
    folder = Path(os.environ.get("POSTS", "posts"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with Copydesk() as client:
            generation = client.generate(keywords=keywords, idempotency_key=f"order-{order_id}")
    except CopydeskError as error:
        if error.transient:
            return Retry(max=5, interval=60)
        raise
    post = generation.rendered.markdown or ""
    (folder / f"{order_id}.md").write_text(post, encoding="utf-8")
    return generation.post.title
