"""A rule that runs again and again: how much of each item stands in the others already.

    python bench/freshness.py [--posts 12] [--keyword "cold brew coffee"]... [--write]

Uses the configured endpoint, else the local model, a database of its own and the service's own
code. Prints titles, angles and how alike each two posts are; with --write it keeps that, and the
texts, in docs/proofs/freshness.md. A rule writes one post for each of the sixteen angles of a
keyword, and then is saturated: for more posts, name more keywords.
"""

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import select

from app.adapters.weights import QWEN_CODER_1_5B
from app.commands.model import model_endpoint
from app.container import build, pick_models
from app.core.errors import ServiceError
from app.core.schemas.post import SEOPost
from app.rules.near_duplicates import NEAR_DUPLICATE, shingles, sign, similarity
from app.rules.passages import text_of
from app.services import accounts, rules, runs
from app.services.leased_work import perform
from app.services.rules import plan_rule
from app.settings import Settings
from app.store import database, models
from app.store.database import reading
from app.writing.angles import ANGLES, BY_KEY

# As many of them as the posts need.
KEYWORDS = (
    "cold brew coffee",
    "raised garden beds",
    "sourdough starter",
    "bicycle maintenance",
    "home composting",
    "mechanical keyboards",
    "indoor plants",
)
REPORT = Path(__file__).parents[1] / "docs" / "proofs" / "freshness.md"


@dataclass(frozen=True)
class Item:
    title: str
    angle: str
    text: str
    markdown: str


@dataclass(frozen=True)
class Outcome:
    """``failed`` has what was said of the runs that made no item; ``seconds`` counts all runs."""

    model: str
    items: Sequence[Item]
    failed: Sequence[str]
    seconds: float


def write_items(settings: Settings, keywords: Sequence[str], max_words: int, count: int) -> Outcome:
    """Run a new rule until it has made ``count`` items, has nothing left to write, or twice as many
    runs have ended."""
    context = build(settings).context
    database.migrate()
    failed: list[str] = []
    account = accounts.create_account(context, "Freshness", "scale")
    token = accounts.create_token(context, account, "A blog")
    request = {"keywords": list(keywords), "constraints": {"maxWords": max_words}}
    new = rules.NewRule(keywords[0], request, timedelta(hours=1))
    rule = rules.create_rule(context, token.secret, new)
    began, made = time.monotonic(), 0
    while made < count and made + len(failed) < 2 * count:
        if plan_rule(context, rule, 1).rule.left == 0:
            failed.append(f"after {made} items, the rule had nothing left to write")
            break
        run = runs.start_now(context, rule)
        try:
            perform(run, context)
        except ServiceError as failure:
            failed.append(failure.message)
            print(f"no item ({time.monotonic() - began:.0f} s): {failure.message}", flush=True)
        else:
            made += 1
            item = read_items()[-1]
            print(
                f"{made:2} {item.angle:17} {item.title} ({time.monotonic() - began:.0f} s)",
                flush=True,
            )
    name = context.model.name if settings.has_endpoint else f"local ({QWEN_CODER_1_5B.filename})"
    outcome = Outcome(name, read_items(), failed, time.monotonic() - began)
    database.dispose()
    return outcome


def read_items() -> list[Item]:
    with reading() as session:
        return [
            Item(
                row.title, row.angle or "", text_of(SEOPost.model_validate(row.post)), row.markdown
            )
            for row in session.scalars(
                select(models.FeedItem).order_by(models.FeedItem.generated_at, models.FeedItem.id)
            )
        ]


def report(outcome: Outcome, keywords: Sequence[str], max_words: int) -> Iterator[str]:
    items = outcome.items
    signatures = [sign(item.text) for item in items]
    pairs = list(combinations(range(len(items)), 2))
    alike = {pair: similarity(signatures[pair[0]], signatures[pair[1]]) for pair in pairs}
    exact = {}
    for one, other in pairs:
        mine, theirs = shingles(items[one].text), shingles(items[other].text)
        exact[one, other] = len(mine & theirs) / len(mine | theirs)
    most = max(pairs, key=lambda pair: (alike[pair], exact[pair]))
    titles = {item.title.casefold() for item in items}
    quoted = ", ".join(f"“{keyword}”" for keyword in keywords)
    yield from (
        "# How fresh a feed stays",
        "",
        f"One rule with the {'keyword' if len(keywords) == 1 else 'keywords'} {quoted} and at most"
        f" {max_words} words a post, run until it had made {len(items)} items; written by the model"
        f" `{outcome.model}`. Made by `python bench/freshness.py --write`.",
        "",
        f"- {len(titles)} of {len(items)} titles and {len({item.angle for item in items})} angles"
        " differ",
        f"- runs that made no item: {len(outcome.failed)}",
        f"- {outcome.seconds:.0f} s in all, {outcome.seconds / len(items):.0f} s an item, at a load"
        f" of {os.getloadavg()[0]:.0f} on {os.cpu_count()} processors (other work included)",
        f"- most alike are {most[0] + 1} and {most[1] + 1}: estimated {alike[most]:.3f}, exactly"
        f" {exact[most]:.3f}; a post is rewritten from {NEAR_DUPLICATE}",
        f"- the greatest exact value of all {len(pairs)} pairs is {max(exact.values()):.3f}, their"
        f" mean {sum(exact.values()) / len(pairs):.3f}",
        "",
        "| | title | angle |",
        "|---:|---|---|",
        *(f"| {n} | {item.title} | {BY_KEY[item.angle].name} |" for n, item in numbered(items)),
        "",
        "How alike they are: the estimate by which the service compares, the share of runs of five"
        " words of both that are in both.",
        "",
        f"| | {' | '.join(str(n) for n, _ in numbered(items))} |",
        f"|---:|{'---:|' * len(items)}",
    )
    for row in range(len(items)):
        cells = (
            "·" if column == row else f"{alike[min(row, column), max(row, column)]:.2f}"
            for column in range(len(items))
        )
        yield f"| {row + 1} | {' | '.join(cells)} |"
    if outcome.failed:
        yield from ("", "What was said of the runs that made no item:", "")
        yield from (f"- {message}" for message in outcome.failed)


def texts(items: Sequence[Item]) -> Iterator[str]:
    yield from ("", "## The posts, as they came", "")
    for number, item in numbered(items):
        yield from (
            f"<details><summary>{number}. {item.title}</summary>",
            "",
            item.markdown.replace("\n## ", "\n#### ").strip(),
            "",
            "</details>",
            "",
        )


def numbered(items: Sequence[Item]) -> Iterator[tuple[int, Item]]:
    return enumerate(items, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--posts", type=int, default=12)
    parser.add_argument(
        "--keyword", dest="keywords", action="append", help="repeatable; sixteen posts each"
    )
    parser.add_argument("--max-words", type=int, default=220)
    parser.add_argument(
        "--write", action="store_true", help="keep the result in docs/proofs/freshness.md"
    )
    options = parser.parse_args()
    keywords = options.keywords or KEYWORDS[: -(-options.posts // len(ANGLES))]
    if options.posts > len(keywords) * len(ANGLES):
        most = len(keywords) * len(ANGLES)
        parser.error(f"a rule with {len(keywords)} keywords writes at most {most} posts")
    with model_endpoint(Settings.load()) as settings, TemporaryDirectory() as folder:
        own = settings.model_copy(
            update={
                "data_dir": Path(folder),
                "database_url": None,
                # Nobody pulls the items.
                "queue_cap": options.posts + 1,
            }
        )
        print(f"model: {pick_models(own)[0].name}\n", flush=True)
        outcome = write_items(own, keywords, options.max_words, options.posts)
    if len(outcome.items) < 2:
        raise SystemExit("Fewer than two items were made: there is nothing to compare.")
    lines = list(report(outcome, keywords, options.max_words))
    print("\n" + "\n".join(lines))
    if options.write:
        text = "\n".join([*lines, *texts(outcome.items)]).rstrip() + "\n"
        REPORT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
