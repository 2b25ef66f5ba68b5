"""Break the service on purpose, and see that the tests of docs/proofs/conformance.md notice.

    python -m tests.conformance.mutants [NAME ...]

Each mutant of mutants.toml, or those whose names contain a NAME, is applied to a copy of the tree,
one at a time, and its test has to fail there by an assertion, with the service as one process.
Without a mutant, all of these tests have to pass. Exits 1 if one does not do so.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from typing import Literal
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
TABLE = Path(__file__).with_name("mutants.toml")
_AT_ONCE = 2
_SECONDS = 600
_PACKAGES = {"app": ".", "scheduler": ".", "copydesk": "sdk"}
# How pytest reports an assertion that did not hold, one of pytest.raises, and an error of the
# service that the SDK raised in place of the one that was expected.
_ASSERTION = re.compile(
    r"assert |AssertionError|Failed: "
    r"|copydesk\.errors\.(?:Quality|ProhibitedInput|Validation|NotFound|Conflict|Quota\w*|RateLimit)Error"
)

Outcome = Literal["killed", "survived", "error"]


@dataclass(frozen=True)
class Mutant:
    """``text``, which ``file`` has exactly once, becomes ``to``: ``claim`` is no longer kept, which
    ``test`` (a file of tests/acceptance and a name) has to notice."""

    name: str
    file: str
    text: str
    to: str
    claim: str
    test: str

    def mutated(self, root: Path) -> str:
        """What the file has with it.

        Raises:
            ValueError: the file does not have the text, or has it more than once.
        """
        source = (root / self.file).read_text(encoding="utf-8")
        if (times := source.count(self.text)) != 1:
            raise ValueError(f"{self.name}: {self.file} has {self.text!r} {times} times")
        return source.replace(self.text, self.to)


def mutants() -> list[Mutant]:
    """The table."""
    entries = tomllib.loads(TABLE.read_text(encoding="utf-8"))["mutant"]
    return [Mutant(**entry) for entry in entries]


class Copy:
    """A copy of the tree whose packages are imported in place of the installed ones."""

    # A file's compiled form is told by the second of its change: each change has its own.
    _seconds = count(int(time.time()) - 1_000_000)

    def __init__(self, folder: Path) -> None:
        self.root = folder
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, folder / name)
        paths = [str(folder / part) for part in (".", "sdk", "connectors")]
        unset = {"CI", "TESTS", "PYTHONDONTWRITEBYTECODE"}
        self._env = {name: value for name, value in os.environ.items() if name not in unset}
        self._env["PYTHONPATH"] = os.pathsep.join(paths)
        self._require_own_packages()

    def _require_own_packages(self) -> None:
        script = "import sys; [print(__import__(name).__file__) for name in sys.argv[1:]]"
        done = subprocess.run(
            [sys.executable, "-c", script, *_PACKAGES],
            cwd=self.root, env=self._env, check=True, capture_output=True, text=True,
        )  # fmt: skip
        for file, (name, place) in zip(done.stdout.split(), _PACKAGES.items(), strict=True):
            if Path(file).parent != (self.root / place / name).resolve():
                raise RuntimeError(f"the copy imports {name} from {file}")

    @contextmanager
    def with_mutant(self, mutant: Mutant) -> Iterator[None]:
        """Applied for the length of a block."""
        path = self.root / mutant.file
        original = path.read_text(encoding="utf-8")
        self._write(path, mutant.mutated(self.root))
        try:
            yield
        finally:
            self._write(path, original)

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text, encoding="utf-8")
        second = next(self._seconds)
        os.utime(path, (second, second))

    def run(self, *tests: str, workers: int = 0) -> tuple[dict[str, set[str]], str]:
        """Run tests; the outcomes of each (passed, failed, error), and what pytest said."""
        report = self.root / "report.xml"
        report.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", "-qx", "--no-header", f"--junitxml={report}"]
        command += ["-n", str(workers), *(f"tests/acceptance/{test}" for test in tests)]
        done = subprocess.run(
            command, cwd=self.root, env=self._env, capture_output=True, text=True, timeout=_SECONDS
        )
        said = done.stdout + done.stderr
        found: dict[str, set[str]] = {}
        if report.exists():
            for case in ElementTree.parse(report).iter("testcase"):
                name = f"{case.get('classname', '').rsplit('.', 1)[-1]}.py::{case.get('name')}"
                found.setdefault(name.partition("[")[0], set()).add(_outcome(case))
        return found, said


def _outcome(case: ElementTree.Element) -> str:
    if case.find("error") is not None:
        return "error"
    failure = case.find("failure")
    if failure is not None:
        return "failed" if _ASSERTION.match(failure.get("message", "")) else "error"
    return "skipped" if case.find("skipped") is not None else "passed"


def try_out(copy: Copy, mutant: Mutant) -> tuple[Outcome, str]:
    """Whether the mutant's test notices it, and what pytest said."""
    with copy.with_mutant(mutant):
        found, said = copy.run(mutant.test)
    outcomes = found.get(mutant.test, set())
    if "failed" in outcomes:
        return "killed", said
    return ("survived" if "passed" in outcomes and "error" not in outcomes else "error"), said


def _unbroken(copy: Copy, tests: Sequence[str]) -> bool:
    found, said = copy.run(*tests, workers=_AT_ONCE)
    wrong = [test for test in tests if found.get(test, set()) - {"skipped"} != {"passed"}]
    if wrong:
        print(said, "Without a mutant, these do not pass:", *wrong, sep="\n")
    return not wrong


def main(names: Sequence[str]) -> int:
    wanted = [one for one in mutants() if not names or any(name in one.name for name in names)]
    for mutant in wanted:
        mutant.mutated(ROOT)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="copydesk-mutants-") as folder:
        copies: SimpleQueue[Copy] = SimpleQueue()
        for number in range(_AT_ONCE):
            (Path(folder) / str(number)).mkdir()
            copies.put(Copy(Path(folder).resolve() / str(number)))
        first = copies.get()
        if not _unbroken(first, sorted({mutant.test for mutant in wanted})):
            return 1
        copies.put(first)

        def judge(mutant: Mutant) -> Outcome:
            copy, start = copies.get(), time.monotonic()
            try:
                outcome, said = try_out(copy, mutant)
            finally:
                copies.put(copy)
            seconds = f"{time.monotonic() - start:4.0f} s"
            lines = [f"{outcome:9}{seconds}  {mutant.name:48} {mutant.test}"]
            print("\n".join(lines if outcome == "killed" else [*lines, said]), flush=True)
            return outcome

        with ThreadPoolExecutor(_AT_ONCE) as pool:
            outcomes = list(pool.map(judge, wanted))
    killed = outcomes.count("killed")
    minutes = (time.monotonic() - began) / 60
    print(f"{killed} of {len(wanted)} mutants turned their test red ({minutes:.1f} min)")
    return 0 if killed == len(wanted) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
