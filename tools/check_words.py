"""Reject words that tools/words.toml lists.

    python tools/check_words.py

Prints ``file:line: phrase: suggestion`` for each hit. Exit codes: 0 no hit, 1 hits.
"""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[1]
SUFFIXES = (".py", ".md", ".toml")
_NOT_OURS = re.compile(r"“[^”]*”|^```.*?^```", re.DOTALL | re.MULTILINE)


def hits(words: Mapping[str, str], name: str, text: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, phrase and suggestion for each hit in a file, aside from quotations and code."""
    if name.endswith("CHANGELOG.md"):
        text = "\n## ".join(text.split("\n## ", 2)[:2])  # earlier versions stay as they are
    prose = _NOT_OURS.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for pattern, suggestion in words.items():
        # A phrase can go on in the next line of a comment or of a string.
        spaced = re.sub(r"(?<!\[) ", r"[\\s#\"']{1,60}", pattern)
        for match in re.finditer(spaced, prose, re.IGNORECASE):
            line = prose.count("\n", 0, match.start()) + 1
            yield line, " ".join(match[0].split()), suggestion


def main() -> int:
    """Print the hits in the tracked files; return the exit code."""
    rules = tomllib.loads((ROOT / "tools" / "words.toml").read_text("utf-8"))
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    found = [
        f"{file}:{line}: {phrase}: {suggestion}"
        for file in tracked
        if file.endswith(SUFFIXES) and (ROOT / file).is_file()
        if not any(fnmatch(file, pattern) for pattern in rules["excluded"])
        for line, phrase, suggestion in sorted(
            hits(rules["phrases"], file, (ROOT / file).read_text("utf-8"))
        )
    ]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
