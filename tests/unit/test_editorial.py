"""The editorial bench: its requests, the page for marking, and the summary of marks."""

import json
import re
from dataclasses import asdict
from pathlib import Path

import pytest

from bench.editorial import PLAIN, SERVICE, Post, make_page, pairs, summary


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Both posts of two requests, as `write` stores them."""
    cost = {"words": 500, "calls": 4, "prompt_tokens": 7000, "completion_tokens": 2000}
    store(tmp_path, Post("bread", SERVICE, "# Ours\n\n> Said.\n\nText.", **cost))
    store(tmp_path, Post("bread", PLAIN, "# Theirs\n\n**Meta descripción:** Told.\n\nText."))
    store(tmp_path, Post("tea", SERVICE, "# Rejected", problem="It breaks a rule.", words=400))
    store(tmp_path, Post("tea", PLAIN, "# <script>x</script> Tea\n\nText."))
    return tmp_path


def store(folder: Path, post: Post) -> None:
    (folder / f"{post.request}.{post.arm}.json").write_text(json.dumps(asdict(post)), "utf-8")


def verdict(
    folder: Path, name: str, *, ours: float, plain: float, ours_is: str
) -> dict[str, object]:
    """A reader's verdict, in the order in which the page shows the posts."""
    at = next(each for each in pairs(folder) if each[0] == name)[1][0].arm == PLAIN
    better = at if ours_is == "better" else not at
    return {
        "marks": [plain, ours] if at else [ours, plain],
        "better": int(better),
        "smoother": None,
    }


def test_the_page_tells_nothing_of_the_arms_and_runs_nothing_of_a_post(folder: Path) -> None:
    text = make_page(folder).read_text("utf-8")
    assert {"Ours", "Theirs", "Rejected"} <= set(re.findall(r"\w+", text))
    for hidden in (SERVICE, PLAIN, "breaks a rule", "7000", "Meta"):
        assert hidden not in re.sub(r"<style.*?</style>|<script>.*?</script>", "", text, flags=re.S)
    assert not re.search(r"<(?:script|img|iframe)[^>]+src=|<link|@import|url\(", text)
    assert "<script>x" not in text


def test_the_summary_counts_pairs_and_costs(folder: Path) -> None:
    marks = {
        "bread": verdict(folder, "bread", ours=8, plain=7, ours_is="better"),
        "tea": verdict(folder, "tea", ours=4, plain=6.5, ours_is="worse"),
    }
    text = summary(folder, [marks])
    assert "| bread | 8 | 7 | service |" in text
    assert "| tea | 4 | 6.5 | plain |" in text
    assert (
        "better in 1 of 2, smoother in 0 of 2; marks differ by -0.75 on average, at worst -2.5"
        in text
    )
    assert "accepted: 1 of 2; calls: median 4" in text
    assert "14.0 in, 4.0 out" in text
