"""The posts of Copydesk, judged by the npm package yoastseo.

    npm install --prefix FOLDER yoastseo
    python bench/yoast_posts.py FOLDER [RUN ...]

Asked are the assessments that a text alone can satisfy: none about links, images or the width of a
title in pixels. The posts are 20 of the scripted good writer, and the accepted ones of each RUN, a
folder of bench/editorial.py, as HTML. Printed are the assessments that are not green, and
how many posts have none of them, three times: with each cell of a table as a sentence, as yoastseo
reads them; with cells left out of the share of sentences with linking words, for which a cell has
no place; and without any table.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from slugify import slugify

from app.core.rendering.blocks import parse, to_html
from app.core.text import primary_subtag
from bench.desk_posts import good_posts
from bench.desk_yoast import ask
from bench.editorial_requests import load_requests

_SCRIPTED = 20
# As yoastseo colours its bullets: up to 4 is red, up to 7 is orange.
_RED, _ORANGE = 4, 7
_SKIPPED = {"headings"}
_LINKING = "textTransitionWords"
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_HEADING = re.compile(r"<h\d>.*?</h\d>")
_HALVES = ("tuned", "held out")
_PARTS = ("half", "language")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="has node_modules/yoastseo")
    parser.add_argument("runs", type=Path, nargs="*", help="folders of bench/editorial.py")
    options = parser.parse_args()
    report(options.folder, "the scripted good writer", list(_scripted()))
    for run in options.runs:
        posts = list(_written(run))
        report(options.folder, str(run.name), posts)
        parts = sorted({(part, post[part]) for post in posts for part in _PARTS})
        for part, name in parts:
            own = [post for post in posts if post[part] == name]
            report(options.folder, f"{run.name}, {name}", own)


def report(folder: Path, name: str, posts: Sequence[dict[str, str]]) -> None:
    """Print how many posts of one writer are green, and what the others fail."""
    if not posts:
        return
    whole = _scores(folder, posts)
    bare = _scores(folder, [{**post, "text": _TABLE.sub("", post["text"])} for post in posts])
    linked = [{**one, _LINKING: other[_LINKING]} for one, other in zip(whole, bare, strict=True)]
    for what, scores in (
        ("as published", whole), ("no cells among linked sentences", linked), ("no tables", bare)
    ):  # fmt: skip
        failed = [
            [
                f"{assessment}: {'red' if score <= _RED else 'orange'}"
                for assessment, score in each.items()
                if score is not None and score <= _ORANGE
            ]
            for each in scores
        ]
        green = sum(not each for each in failed)
        print(f"{name}, {what}: {green} of {len(posts)} posts have neither red nor orange")
        for line, times in Counter(chain.from_iterable(failed)).most_common():
            print(f"  {line} ({times})")


def _scores(folder: Path, posts: Sequence[dict[str, str]]) -> list[dict[str, float | None]]:
    """Return the score of each assessment of each post; None where it does not apply."""
    found: dict[int, dict[str, float | None]] = {}
    for language in sorted({post["language"] for post in posts}):
        own = {at: post for at, post in enumerate(posts) if post["language"] == language}
        pages = [
            {"headed": post["text"], "prose": _HEADING.sub("", post["text"])}
            for post in own.values()
        ]
        asked = {"timed": [], "pages": pages, "posts": [*own.values()]}
        result = ask(folder, asked, language)
        for at, page, scores in zip(own, result["pages"], result["posts"], strict=True):
            own_scores = {name: score for name, score in scores.items() if name not in _SKIPPED}
            found[at] = {**page["headed"], **own_scores}
    return [found[at] for at in range(len(posts))]


def _scripted() -> Iterator[dict[str, str]]:
    english = [(post, brief) for post, brief in good_posts() if brief.language == "en"]
    step = len(english) / _SCRIPTED
    for number in range(_SCRIPTED):
        post, brief = english[round(number * step)]
        blocks = []
        for section in post.sections:
            if section.heading:
                blocks.append(f"<h2>{section.heading}</h2>")
            if section.content_markdown:
                blocks.append(to_html(parse(section.content_markdown)))
        blocks += [f"<h3>{faq.question}</h3><p>{faq.answer}</p>" for faq in post.faqs]
        yield {
            "text": "\n".join(blocks),
            "language": "en",
            "keyword": brief.primary_keyword,
            "title": post.title,
            "slug": post.slug_suggestion,
            "description": post.meta.description,
        }


def _written(run: Path) -> Iterator[dict[str, str]]:
    requests = {each.name: each for each in load_requests()}
    for post in json.loads((run / "posts.json").read_text("utf-8"))["posts"]:
        if post["result"] == "accepted":
            yield {
                "text": post["html"],
                "language": primary_subtag(post["language"]),
                "half": _HALVES[post["heldOut"]],
                "keyword": requests[post["request"]].request.keywords[0],
                "title": post["title"],
                "slug": slugify(requests[post["request"]].request.keywords[0]),
                "description": post["description"],
            }


if __name__ == "__main__":
    main()
