"""Reject words that tools/words.toml lists, in prose and in names.

    python tools/check_words.py [--counts] [PATH ...]

Prints ``file:line: phrase: suggestion`` for each hit. With --counts, prints the number of hits for
each directory instead. Exit codes: 0 no hit, 1 hits.
"""

import argparse
import io
import re
import subprocess
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[1]
SUFFIXES = {".py", ".md", ".toml"}
_PROSE = {"COMMENT", "STRING", "FSTRING_MIDDLE"}
_QUOTATION = re.compile(r"“[^”]*”")
_CODE_BLOCK = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


class WordList:
    """The patterns and the scope of one words.toml."""

    def __init__(self, text: str) -> None:
        rules = tomllib.loads(text)
        self.paths: list[str] = rules["paths"]
        self.excluded: list[str] = rules["excluded"]
        self._names = [_compiled(*rule) for rule in rules["names"].items()]
        self._phrases = [_compiled(*rule) for rule in rules["phrases"].items()] + self._names

    def hits(self, name: str, text: str) -> Iterator[tuple[int, str, str]]:
        """Yield line, phrase and suggestion for each hit in a file of this name."""
        if name.endswith(".py"):
            prose, names = _split(text)
            yield from _search(self._names, names)
        else:
            prose = text.split("\n## ", 2)
            prose = "\n## ".join(prose[:2]) if name.endswith("CHANGELOG.md") else text
            prose = _CODE_BLOCK.sub(_blank, prose)
        yield from _search(self._phrases, _QUOTATION.sub(_blank, prose))

    def files(self, paths: Iterable[str]) -> Iterator[str]:
        """Yield the tracked files below the paths that are not excluded."""
        listed = subprocess.run(
            ["git", "ls-files", "--", *paths], cwd=ROOT, capture_output=True, text=True, check=True
        )  # fmt: skip
        for file in listed.stdout.splitlines():
            excluded = any(fnmatch(file, pattern) for pattern in self.excluded)
            if not excluded and Path(file).suffix in SUFFIXES and (ROOT / file).is_file():
                yield file


def _compiled(pattern: str, suggestion: str) -> tuple[re.Pattern[str], str]:
    return re.compile(re.sub(r"(?<!\[) ", r"\\s{1,60}", pattern), re.IGNORECASE), suggestion


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _split(source: str) -> tuple[str, str]:
    """Return the prose and the names of Python code, each on its line."""
    lines = source.splitlines(keepends=True)
    prose = [re.sub(r"[^\n]", " ", line) for line in lines]
    names = ["" for _ in lines]
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        kind = tokenize.tok_name[token.type]
        (first, start), (last, end) = token.start, token.end
        if kind == "NAME":
            # Words of a name are told apart by underscores and capitals.
            names[first - 1] += re.sub(r"_|(?<=[a-z])(?=[A-Z])", " ", token.string) + " | "
        elif kind in _PROSE:
            for number in range(first - 1, min(last, len(lines))):
                left = start if number == first - 1 else 0
                right = end if number == last - 1 else len(lines[number])
                part = re.sub(r"[\"'#]", " ", lines[number][left:right])
                prose[number] = prose[number][:left] + part + prose[number][right:]
    return "".join(prose), "\n".join(names)


def _search(
    rules: Sequence[tuple[re.Pattern[str], str]], text: str
) -> Iterator[tuple[int, str, str]]:
    for pattern, suggestion in rules:
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield line, " ".join(match[0].split()), suggestion


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Reject words that tools/words.toml lists.")
    parser.add_argument("paths", nargs="*", help="what to check instead of the listed paths")
    parser.add_argument("--counts", action="store_true", help="print hits for each directory")
    options = parser.parse_args(arguments)
    words = WordList((ROOT / "tools" / "words.toml").read_text("utf-8"))
    counts: Counter[str] = Counter()
    for file in words.files(options.paths or words.paths):
        for line, phrase, suggestion in sorted(words.hits(file, (ROOT / file).read_text("utf-8"))):
            counts[str(Path(file).parent)] += 1
            if not options.counts:
                print(f"{file}:{line}: {phrase}: {suggestion}")
    if options.counts:
        for folder, count in sorted(counts.items()):
            print(f"{count:6} {folder}")
    return 1 if counts else 0


if __name__ == "__main__":
    raise SystemExit(main())
