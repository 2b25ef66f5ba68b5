"""`copydesk-server check FILE`: the desk on any Markdown file, as a linter, by the real program."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.long_tests import EVERYTHING

GOOD = """---
title: TODO in the front matter is nobody's business
---

# Cold brew at home

Cold brew is **slow**, and that is its charm. Weigh [the grounds](https://example.com/a) once.

- one jar, no full stop
- one lid

| jar | size |
|-----|------|
| big | 2 l  |

> Patience, said the barista.

```
TODO in code
```
"""


def check(
    folder: Path, *arguments: str, text: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "app.cli", "check", *arguments],
        input=text,
        capture_output=True,
        timeout=60,
        env={"PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONUTF8": "1"},
        cwd=folder,
    )


@pytest.fixture
def post(tmp_path: Path) -> Path:
    path = tmp_path / "post.md"
    path.write_text(GOOD, encoding="utf-8")
    return path


def test_a_good_file_has_nothing_to_say_and_ends_with_0(post: Path) -> None:
    done = check(post.parent, "post.md", "--keyword", "cold brew")
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.decode() == (
        "post.md: score 70 of 100 (mechanics 100, structure 100, consistency 100, substance not"
        " examined, grounding not examined)\n"
    )


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_findings_have_the_line_and_column_of_the_file(post: Path, line_end: str) -> None:
    """Behind bold words, a link, an escape, an entity, in a list, a table and a quotation."""
    planted = (
        GOOD.replace(
            "grounds](https://example.com/a) once", r"g](https://e.x/a) \* &amp; [TODO] it"
        )
        .replace("one lid", "one lid, lorem ipsum")
        .replace("2 l ", "{{size}}")
        .replace("the barista", "the barista. As an AI, I wait")
    )
    post.write_bytes(planted.replace("\n", line_end).encode())
    done = check(post.parent, "post.md")
    places = [line.split(" ")[:3] for line in done.stdout.decode().splitlines()]
    lines = planted.split("\n")

    def place(words: str) -> str:
        row = next(i for i, line in enumerate(lines) if words in line and i > 3)
        return f"post.md:{row + 1}:{lines[row].index(words) + 1}:"

    assert places == [
        [place("[TODO]"), "blocker", "placeholder:"],
        [place("lorem ipsum"), "blocker", "placeholder:"],
        [place("{{size}}"), "blocker", "placeholder:"],
        [place("As an AI"), "blocker", "assistant_talk:"],
    ]
    assert done.returncode == 1


def test_warnings_alone_end_with_0(post: Path) -> None:
    post.write_text(GOOD + "\nIn this article we will look at jars.\n", encoding="utf-8")
    done = check(post.parent, "post.md")
    assert b": warning self_reference: " in done.stdout
    assert done.returncode == 0


def test_standard_input_and_json(post: Path) -> None:
    done = check(post.parent, "-", "--json", "--keyword", "espresso", text=post.read_bytes())
    value = json.loads(done.stdout)
    assert (value["file"], value["passes"], done.returncode) == ("<stdin>", False, 1)
    assert [entry["check"] for entry in value["findings"]] == ["keyword_missing", "keyword_place"]
    assert "link" in value["skipped"]


def test_a_paragraph_in_another_language(post: Path) -> None:
    foreign = "Der Kaffee ruht über Nacht im Kühlschrank und schmeckt am Morgen wunderbar mild."
    post.write_text(f"{GOOD}\n{foreign}\n", encoding="utf-8")
    assert b"blocker language" in check(post.parent, "post.md").stdout
    done = check(post.parent, "post.md", "--language", "fi", "--json")
    assert "flesch" in json.loads(done.stdout)["skipped"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("latin.md",), "latin.md is not UTF-8: byte 13 (line 2)"),
        (("nothing.md",), "nothing.md cannot be read: No such file or directory"),
        (("post.md", "--language", "xx-"), "not a BCP 47 language code"),
        (("post.md", "--keyword", "..."), "has no letter or digit"),
        ((), "Missing argument 'FILE'"),
    ],
)
def test_a_wrong_call_says_what_is_wrong_and_ends_with_2(
    post: Path, arguments: tuple[str, ...], why: str
) -> None:
    (post.parent / "latin.md").write_bytes(b"A line.\nA caf\xe9.\n")
    done = check(post.parent, *arguments)
    assert done.returncode == 2
    assert why in done.stderr.decode()
    assert done.stdout == b""


def test_an_empty_file_is_no_post(post: Path) -> None:
    post.write_bytes(b"")
    done = check(post.parent, "post.md")
    assert done.returncode == 1
    assert done.stdout.startswith(b"post.md:1:1: blocker empty: ")


def test_a_file_of_a_megabyte_takes_seconds(post: Path) -> None:
    """A quarter of one outside CI: time that grows faster than a text shows there, too."""
    count = 19_000 if EVERYTHING else 4_800
    paragraphs = (f"Cup {n} rests on the shelf number {n}. Then it is full." for n in range(count))
    post.write_text("\n\n".join(paragraphs), encoding="utf-8")
    assert post.stat().st_size > count * 50
    began = time.monotonic()
    assert check(post.parent, "post.md").returncode == 0
    assert time.monotonic() - began < 45


@pytest.mark.parametrize("pattern", ["“", "“a ", "[", "a <!-- ", " "])
def test_a_hostile_file_gets_its_answer(tmp_path: Path, pattern: str) -> None:
    hostile = (pattern * 300_000)[:300_000]
    (tmp_path / "post.md").write_text(f"{GOOD}\n{hostile}\n\nTODO: an end.\n", encoding="utf-8")
    done = check(tmp_path, "post.md", "--json")
    assert done.returncode == 1
    last = (GOOD + hostile).count("\n") + 4
    found = [(one["line"], one["check"]) for one in json.loads(done.stdout)["findings"]]
    assert (last, "placeholder") in found
