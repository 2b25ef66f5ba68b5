"""The child process that serves the local model: ``python -m app.adapters.local_model_server``.

It speaks the OpenAI protocol on loopback, for callers with the key that it reads as the first line
of its stdin. When it is ready it prints one line, ``ready http://127.0.0.1:PORT``, and nothing
else. It ends when its stdin ends or its parent is gone, so it never outlives its parent.
"""

import os
import signal
import sys
import threading
import time
from typing import Any

_LOG_SECONDS = 0.5


def main(path: str, *numbers: str) -> None:
    """Load the model and serve it until the parent ends.

    Args:
        path: of a GGUF file.
        numbers: the port (0 for any free one), the answers written at once, the threads, and the
            tokens of context for each answer.
    """
    parent = os.getppid()
    api_key = sys.stdin.readline().strip()
    if not api_key:
        sys.exit("expected the API key as the first line of stdin")
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    # stdout has only the ready line; everything that llama.cpp prints goes to stderr.
    ready = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    server = _serve(path, api_key, *map(int, numbers))
    print(f"ready {server.listening_address}", file=ready, flush=True)
    # A fork of the parent may keep stdin open, so watch the parent as well.
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


def _serve(path: str, api_key: str, port: int, parallel: int, threads: int, context: int) -> Any:
    # Set before the import: threads that spin while they wait cost 3x on shared cores.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = path
    params.model_alias = {"local"}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.api_keys = [api_key]
    params.n_parallel = parallel
    params.n_ctx = context * parallel  # llama.cpp divides it among the answers
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.n_threads_http = 16  # each waiting request holds one, and the health check needs one
    params.cache_ram_mib = 256
    params.ui = False
    params.offline = True
    params.verbosity = 1
    try:
        return xllamacpp.Server(params)
    except RuntimeError:
        # The error says nothing; the log does, which a thread of llama.cpp writes a little later.
        time.sleep(_LOG_SECONDS)
        raise


def _end_with_stdin() -> None:
    while sys.stdin.readline():
        pass
    # Immediately: there is nothing to save, and a running computation would delay a clean exit.
    os._exit(0)


if __name__ == "__main__":
    # The parent decides when this ends, also when Ctrl-C reaches the whole process group.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    main(*sys.argv[1:])
