"""The child process that serves the local model: ``python -m app.adapters.local_model_server``.

It speaks the OpenAI protocol on loopback, to those who know the key it reads as the first line of
its stdin. Once it answers it prints one line, ``ready http://127.0.0.1:PORT``, and nothing else.
It ends when its stdin ends or its parent is gone, so it never outlives the one who started it.
"""

import argparse
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any


def main(argv: Sequence[str] | None = None) -> None:
    """Load the model and serve it until the parent goes away."""
    parser = argparse.ArgumentParser(prog="local_model_server")
    parser.add_argument("--model", required=True, help="path of a GGUF file")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--parallel", type=int, default=1, help="answers written at once")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--context", type=int, default=4096, help="tokens for each answer")
    args = parser.parse_args(argv)

    parent = os.getppid()
    api_key = sys.stdin.readline().strip()
    if not api_key:
        parser.error("expected the API key as the first line of stdin")
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    # stdout is for the ready line alone; whatever llama.cpp prints goes to stderr.
    ready = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    server = _serve(args, api_key)
    print(f"ready {server.listening_address}", file=ready, flush=True)
    # A fork of the parent may still hold the other end of stdin: look for the parent as well.
    while os.getppid() == parent:
        time.sleep(1)
    _end()


def _serve(args: argparse.Namespace, api_key: str) -> Any:
    # Before the import: threads that spin while they wait cost 3x on shared cores.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = args.model
    params.model_alias = {"local"}
    params.hostnames = ["127.0.0.1"]
    params.port = args.port
    params.api_keys = [api_key]
    params.n_parallel = args.parallel
    params.n_ctx = args.context * args.parallel  # llama.cpp divides it among the answers
    params.cpuparams.n_threads = args.threads
    params.cpuparams_batch.n_threads = args.threads
    params.n_threads_http = 16  # each waiting request holds one, and the health check wants one
    params.cache_ram_mib = 256
    params.ui = False
    params.offline = True
    params.verbosity = 1
    return xllamacpp.Server(params)


def _end_with_stdin() -> None:
    while sys.stdin.readline():
        pass
    _end()


def _end() -> None:
    # At once: there is nothing to save, and a computation under way would hold up a clean exit.
    os._exit(0)


if __name__ == "__main__":
    # The parent decides when this ends, also when Ctrl-C reaches the whole process group.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    main()
