"""Fuzz every parser of foreign text with atheris, each in a process of its own.

    PYTHONPATH=. python bench/hostile_parsers.py [--only NAME] [--seconds 20] [--megabytes 200]

Coverage guides atheris through the code of Copydesk. An exception that bad input must not cause, an
input of 20 kB that takes more than ten seconds, or memory that grows beyond --megabytes above that
at the start, ends a parser's run; the input is printed. `make test-hostile` installs atheris first.
"""

import argparse
import os
import re
import resource
import sys
import tempfile
import traceback
from pathlib import Path

import atheris

with atheris.instrument_imports(
    include=["app", "copydesk", "copydesk_connectors"], enable_loader_override=False
):
    from tests.support.parsers import PIECES, SEEDS, Parser, parsers

    PARSERS = parsers()

INPUT_BYTES = 20_000
SECONDS_EACH = 10


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--only", default="", help="parsers whose name has this in it")
    parser.add_argument("--seconds", type=int, default=20, help="for each parser")
    parser.add_argument("--megabytes", type=int, default=200)
    options = parser.parse_args()
    chosen = {name: each for name, each in PARSERS.items() if options.only in name}
    faults = total = 0
    for name, (kind, read) in chosen.items():
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "log")
            code = _fuzzed(read, kind, Path(folder), log, options)
            said = log.read_text(errors="replace")
            counts = re.findall(r"^#(\d+)\s.*?rss: (\d+)Mb", said, re.MULTILINE)
            number, memory = counts[-1] if counts else ("0", "0")
            total += int(number)
            print(f"{name}: {int(number):,} inputs, {memory} MB{', FAULT' if code else ''}")
            if code:
                faults += 1
                print(_told(said, folder))
            sys.stdout.flush()
    print(f"{len(chosen)} parsers, {total:,} inputs, {faults} with a fault")
    return int(faults > 0)


def _fuzzed(read: Parser, kind: str, folder: Path, log: Path, options: argparse.Namespace) -> int:
    """Run a parser in a fork, and return its exit code."""
    for seed in SEEDS[kind]:
        read(seed.encode())  # loads what it needs
    corpus = folder / "corpus"
    corpus.mkdir()
    for number, seed in enumerate(SEEDS[kind]):
        (corpus / str(number)).write_bytes(seed.encode())
    words = folder / "words"
    words.write_text("".join(f'"{_escaped(piece)}"\n' for piece in PIECES if 0 < len(piece) < 60))
    child = os.fork()
    if not child:
        with log.open("wb") as output:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
        now = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        arguments = [
            sys.argv[0], str(corpus), f"-dict={words}", f"-artifact_prefix={folder}/",
            f"-max_total_time={options.seconds}", f"-max_len={INPUT_BYTES}", "-seed=1",
            f"-timeout={SECONDS_EACH}", f"-rss_limit_mb={now + options.megabytes}",
        ]  # fmt: skip
        try:
            atheris.Setup(arguments, read)
            atheris.Fuzz()
        except BaseException:  # noqa: BLE001 - the fork must not clean up what is its parent's
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _escaped(piece: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in piece)


def _told(said: str, folder: str) -> str:
    inputs = [
        file.read_bytes()[:500]
        for file in Path(folder).iterdir()
        if file.name.startswith(("crash-", "timeout-", "oom-", "slow-"))
    ]
    lines = [line for line in said.splitlines() if not line.startswith("#")]
    return "\n".join([*lines[-30:], *map(repr, inputs)])


if __name__ == "__main__":
    sys.exit(main())
