"""The child process that serves the local model: ``python -m app.adapters.local_model_server``.

It speaks the OpenAI protocol on loopback, for callers with the key that it reads from stdin. When
it is ready it prints its address, ``http://127.0.0.1:PORT``, and nothing else. It ends when its
parent is gone.
"""

import os
import signal
import sys
import time
from typing import Any

_LOG_SECONDS = 0.5


def main(path: str, parent: int, parallel: int, threads: int, context: int) -> None:
    """Load the model and serve it until the parent ends.

    Args:
        path: of a GGUF file.
        parent: its process id.
        parallel: the answers written at once.
        context: the tokens of context for each answer.
    """
    # The parent decides when this ends, also when Ctrl-C reaches the whole process group.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # stdout has only the address; everything that llama.cpp prints goes to stderr.
    ready = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    # Set before the import: threads that spin while they wait cost 3x on shared cores.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # noqa: TID251 - for llama.cpp
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = path
    params.model_alias = {"local"}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [sys.stdin.read()]
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
        server: Any = xllamacpp.Server(params)
    except RuntimeError:
        # The error says nothing; the log does, which a thread of llama.cpp writes a little later.
        time.sleep(_LOG_SECONDS)
        raise
    print(server.listening_address, file=ready, flush=True)
    while os.getppid() == parent:
        time.sleep(1)
    # Immediately: there is nothing to save, and a running computation would delay a clean exit.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
