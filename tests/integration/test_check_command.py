"""`copydesk-server check FILE`: the rules on any Markdown file, by the real program."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

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
TODO: in code
```
"""
MARK = "utm_source=chatgpt"


def check(
    folder: Path, *arguments: str, text: bytes | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "app.cli", "check", *arguments],
        input=text and text.decode(),
        capture_output=True,
        text=True,
        timeout=300,
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
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "post.md: 0 blockers, 0 warnings; score 70\n"


def test_standard_input_and_json(post: Path) -> None:
    done = check(post.parent, "-", "--json", "--keyword", "espresso", text=post.read_bytes())
    value = json.loads(done.stdout)
    assert (value["file"], value["passes"], done.returncode) == ("<stdin>", False, 1)
    assert [entry["check"] for entry in value["findings"]] == ["keyword_missing"]
    assert "link" in value["skipped"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("latin.md",), "latin.md is not UTF-8: byte 13 (line 2)"),
        (("nothing.md",), "Invalid value for 'FILE': 'nothing.md': No such file or directory"),
        (("post.md", "--language", "xx-"), "--language must be a BCP 47 language code"),
        (("post.md", "--keyword", "..."), "--keyword must contain a letter or a digit"),
        (("long.md",), "long.md has more than 64 KiB, some 10,000 words. Check its parts one by"),
        ((), "Missing argument 'FILE'"),
    ],
)
def test_a_wrong_call_says_what_is_wrong_and_ends_with_2(
    post: Path, arguments: tuple[str, ...], why: str
) -> None:
    (post.parent / "latin.md").write_bytes(b"A line.\nA caf\xe9.\n")
    (post.parent / "long.md").write_bytes(b"word" * 16_384 + b"s")
    done = check(post.parent, *arguments)
    assert done.returncode == 2
    assert why in done.stderr
    assert done.stdout == ""


def test_a_file_without_text_gets_a_sentence_and_no_score(post: Path) -> None:
    """“an empty file is a clear sentence and not a score of 70”"""
    done = check(post.parent, "-", text=b"\n \n")
    assert done.returncode == 1
    assert done.stdout.startswith("<stdin>:1:1: blocker empty: ")
    assert done.stderr == "<stdin>: There is no text to check, so it has no score.\n"


def test_the_worst_findings_are_first_and_all_are_counted(post: Path) -> None:
    """“worst first, ending with a summary line of counts”; with the lines of Windows, a finding has
    the line and column of the file"""
    more = ("He said [TODO] twice.", "Never end a fence.", f"See a.example?{MARK} there.")
    text = GOOD + "\n\n".join(("", *more, "That is [TODO] again."))
    post.write_text(text, encoding="utf-8", newline="\r\n")
    done = check(post.parent, "post.md", "--keyword", "espresso")
    last = text.count("\n") + 1
    assert [line.split(" ")[:3] for line in done.stdout.splitlines()] == [
        ["post.md:1:1:", "blocker", "keyword_missing:"],
        [f"post.md:{last - 2}:15:", "blocker", "leftover:"],
        [f"post.md:{last - 6}:9:", "warning", "leftover:"],
        [f"post.md:{last}:9:", "warning", "leftover:"],
    ]
    assert done.stderr == "post.md: 2 blockers, 2 warnings; score 46\n"
