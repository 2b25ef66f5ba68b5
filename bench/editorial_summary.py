"""The results of ``bench/editorial.py`` by group, and as a Markdown page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import StatisticsError, correlation, fmean
from typing import Any

from app.core.schemas.locales import language_name
from app.core.text import primary_subtag

Post = Mapping[str, Any]
_NOTHING = "–"
_SOURCES = (
    "With sources, these posts are made of short pages of this project's own. They were completed"
    " so that they answer what their requests ask, with decisions, steps in order, amounts, tables"
    " and questions, each with the page on which a reader finds the facts: three ways to arrange"
    " sentences that answer no request were marked 4.0 to 4.3 of 10, whatever the arrangement. Your"
    " own sources may not answer your request; then expect such marks."
)


@dataclass(frozen=True)
class Group:
    """Some posts of a run and their cost. Failed and rejected posts count as cost."""

    name: str
    posts: Sequence[Post]

    @property
    def accepted(self) -> list[Post]:
        return [post for post in self.posts if post["result"] == "accepted"]

    def cells(self) -> list[str]:
        """Return the cells of the group's row, as ``COLUMNS`` names them."""
        accepted = self.accepted
        words = sum(post["words"] for post in accepted)
        return [
            self.name,
            f"{len(accepted)} of {len(self.posts)}",
            _mean([post["score"] for post in accepted]),
            _mean([len(post["findings"]) for post in accepted]),
            _mean([post["calls"] for post in self.posts]),
            _per_word(sum(post["promptTokens"] for post in self.posts), words),
            _per_word(sum(post["completionTokens"] for post in self.posts), words),
            _mean([post["seconds"] for post in self.posts]),
        ]


COLUMNS = (
    "posts", "accepted", "mean score", "mean findings", "mean calls",
    "tokens in per accepted word", "tokens out per accepted word", "mean seconds",
)  # fmt: skip
POST_COLUMNS = (
    "request", "sources", "result", "words", "score", "findings", "revisions", "calls",
    "tokens in per word", "tokens out per word", "seconds",
)  # fmt: skip


def groups(posts: Sequence[Post]) -> list[Group]:
    """Return all posts, then each group of them that is not empty and not all of them."""
    languages = sorted({primary_subtag(post["language"]) for post in posts})
    found = [
        Group("tuned", [post for post in posts if not post["heldOut"]]),
        Group("held out", [post for post in posts if post["heldOut"]]),
        Group("with sources", [post for post in posts if post["sources"]]),
        Group("without sources", [post for post in posts if not post["sources"]]),
        *(
            Group(
                language_name(language),
                [post for post in posts if primary_subtag(post["language"]) == language],
            )
            for language in languages
        ),
    ]
    return [
        Group("all", posts),
        *(group for group in found if 0 < len(group.posts) < len(posts)),
    ]


def post_cells(post: Post) -> list[str]:
    """Return the cells of a post's row, as ``POST_COLUMNS`` names them."""
    words = post["words"] if post["result"] == "accepted" else 0
    return [
        post["request"],
        "with" if post["sources"] else "without",
        post["result"],
        str(post.get("words", _NOTHING)),
        str(post.get("score", _NOTHING)),
        str(len(post["findings"])),
        str(post.get("revisions", _NOTHING)),
        str(post["calls"]),
        _per_word(post["promptTokens"], words),
        _per_word(post["completionTokens"], words),
        f"{post['seconds']:.0f}",
    ]


def summary(record: Mapping[str, Any], marks: Mapping[str, Any]) -> str:
    """Return the Markdown page of a run.

    Args:
        marks: the marks of the posts by id, as the page saves them; empty without marks.
    """
    run, posts = record["run"], record["posts"]
    of_posts = {post["id"]: marks.get(post["id"], {}) for post in posts}
    lines = [
        f"# {len(posts)} posts by {run['model']}",
        "",
        f"Written by `python bench/editorial.py` on {run['started']}, with the model"
        f" `{run['model']}` and {_editor(run)}; strategy `{run['writing']}`, temperature"
        f" {run['temperature']}, seed {run['seed']}, version {run['qualityVersion']} of the checks,"
        f" {run['processors']} processors. Prompts and checks are not tuned on held-out requests."
        " Cost includes rejected and failed posts. Tokens are the endpoint's count.",
        "",
        *([_SOURCES, ""] if run["writing"] == "notes" else []),
        _marking(list(of_posts.values())),
        "",
        *_table(
            [*COLUMNS, "mean mark"],
            [
                [*group.cells(), _mean_mark(of_posts, group.posts)]
                for group in groups(posts)
            ],
        ),
        "",
        *_correlation(posts, of_posts),
        "## Posts",
        "",
        *_table(
            [*POST_COLUMNS, "mark"],
            [[*post_cells(post), _mark(of_posts[post["id"]])] for post in posts],
        ),
    ]  # fmt: skip
    for post in posts:
        lines += ["", *_whole(post, of_posts[post["id"]])]
    return "\n".join(lines) + "\n"


def _editor(run: Mapping[str, Any]) -> str:
    return f"the editor `{run['editor']}`" if run["editor"] else "no editor"


def _marking(marks: Sequence[Mapping[str, Any]]) -> str:
    given = [mark for mark in marks if mark.get("mark") is not None]
    if not given:
        return "Nobody has marked these posts."
    blind = sum(1 for mark in given if mark["blind"])
    return (
        f"{len(given)} of {len(marks)} posts have a mark from 0 to 10, {blind} of them given before"
        " the results were shown."
    )


def _correlation(posts: Sequence[Post], marks: Mapping[str, Mapping[str, Any]]) -> list[str]:
    pairs = [
        (float(post["score"]), float(marks[post["id"]]["mark"]))
        for post in posts
        if "score" in post and marks[post["id"]].get("mark") is not None
    ]
    try:
        value = correlation(*map(list, zip(*pairs, strict=True)))
    except (StatisticsError, TypeError):  # too few pairs, or all of them equal
        return []
    return [f"Correlation of score and mark over {len(pairs)} posts: {value:.2f}.", ""]


def _whole(post: Post, mark: Mapping[str, Any]) -> list[str]:
    sources = "with" if post["sources"] else "without"
    lines = [f"## {post['request']}, {sources} sources", ""]
    lines.append(f"Result: {post['result']}. Mark: {_mark(mark)}.")
    if post.get("problem"):
        lines += ["", f"Problem: {_one_line(post['problem'])}"]
    if mark.get("changes"):
        lines += ["", "To change:", "", *(f"- {_one_line(each)}" for each in mark["changes"])]
    if post["findings"]:
        lines += ["", "Findings:", ""]
        lines += [
            f"- {found['severity']} `{found['check']}` in `{found['section']}`:"
            f" {_one_line(found['reason'])}"
            for found in post["findings"]
        ]
    if "markdown" in post:
        text = [f"**{post['title']}**", "", f"*{post['description']}*", ""]
        text += post["markdown"].rstrip().splitlines()
        lines += ["", *(f"> {line}".rstrip() for line in text)]
    return lines


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [
        _row(head),
        "|---" * len(head) + "|",
        *(_row(row) for row in rows),
    ]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_one_line(cell).replace('|', ' ') for cell in cells)} |"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _mark(mark: Mapping[str, Any]) -> str:
    return _NOTHING if mark.get("mark") is None else f"{mark['mark']:g}"


def _mean_mark(marks: Mapping[str, Mapping[str, Any]], posts: Sequence[Post]) -> str:
    given = [marks[post["id"]].get("mark") for post in posts]
    return _mean([mark for mark in given if mark is not None])


def _mean(values: Sequence[float]) -> str:
    return f"{fmean(values):.1f}" if values else _NOTHING


def _per_word(tokens: int, words: int) -> str:
    return f"{tokens / words:.2f}" if words and tokens else _NOTHING
