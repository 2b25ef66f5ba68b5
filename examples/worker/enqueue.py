"""Queue the post of an order, in this folder:

python enqueue.py 2041 "cold brew" "coffee grinder"
"""

import os
import sys

from redis import Redis
from rq import Queue
from tasks import write_post

# The longest time of a call, and a minute to store the post.
JOB_SECONDS = 660

queue = Queue("posts", Redis.from_url(os.environ.get("REDIS_URL", "redis://127.0.0.1:6379")))
order_id, *keywords = sys.argv[1:]
job = queue.enqueue(write_post, order_id, keywords, job_timeout=JOB_SECONDS)
print(job.id)
