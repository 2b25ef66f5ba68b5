"""Runs ``copydesk-connect once`` for each line of its input, in a process that it may kill.

    python run_driver.py < passes

A line is a JSON object: ``folder`` with the configuration, ``feed`` the address of the feed, and
``kill``, the number of the point at which the process ends itself by SIGKILL (see kill_driver.py),
or null. The answer is a line with ``ended``, the exit status, negative for a signal. Nothing waits
between two tries, so that what a server still works on is met at once.
"""

import json
import os
import sys
from pathlib import Path

import copydesk._transport
from copydesk_connectors.target import http_api

sys.path.insert(0, str(Path(__file__).parent))

import kill_driver


def main() -> None:
    """The passes."""
    http_api.sleep = lambda _: None
    copydesk._transport.sleep = lambda _: None
    for line in sys.stdin:
        wanted = json.loads(line)
        status = kill_driver.child(Path(wanted["folder"]), wanted["feed"], wanted["kill"])
        print(json.dumps({"ended": os.waitstatus_to_exitcode(status)}), flush=True)


if __name__ == "__main__":
    main()
