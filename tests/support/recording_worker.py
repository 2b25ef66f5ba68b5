"""Worker processes whose work is to write down what they are given; run by test_rq_worker.py.

Arguments: the folder to write into, and how many processes.
"""

import os
import signal
import sys
import time
from pathlib import Path

from app import heartbeat, logs, runtime, worker
from app.adapters import rq_worker
from app.ports import WorkKind
from app.services.context import Context
from app.settings import Settings

DEADLINE_SECONDS = 60.0
folder = Path(sys.argv[1])


def note(*words: object) -> None:
    with (folder / "done").open("ab", buffering=0) as out:
        out.write((" ".join(map(str, words)) + "\n").encode())


def perform(context: Context, kind: WorkKind, work_id: str | None = None) -> bool:
    """What happens is in the id: it is slow, crashes, or fails."""
    assert work_id is not None
    note("begin", work_id, kind, os.getpid())
    if "crash" in work_id:
        os.kill(os.getpid(), signal.SIGKILL)
    if "fail" in work_id:
        raise RuntimeError("that went wrong")
    until = time.monotonic() + DEADLINE_SECONDS
    while "slow" in work_id and not (folder / work_id).exists() and time.monotonic() < until:
        time.sleep(0.01)
    note("end", work_id)
    return True


if __name__ == "__main__":
    runtime.perform = perform
    settings = Settings.load()
    # What does not end when asked is given up soon.
    worker.GRACE_SECONDS = 5
    if settings.heartbeat_file is not None:
        # A quick heart: RQ waits for work in calls of its worker's time less 15 s.
        worker.STALE_SECONDS = heartbeat.STALE_SECONDS = 4.0
        runtime.longest_seconds = lambda settings, kind: 4.0
        rq_worker._WORKER_TTL_SECONDS = 16
    logs.set_up(settings.log_level, settings.log_format, settings.secrets)
    worker.run_workers(settings.model_copy(update={"workers": int(sys.argv[2])}))
