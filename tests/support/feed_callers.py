"""Processes that call feeds at random, for races: each line that they leave names its feed."""

import random
from collections.abc import Iterator
from typing import Any

from tests.support.concurrent_processes import call, connected, record

Named = tuple[str, list[str]]


def calls_feeds_at_random(
    number: int, url: str, feeds: list[Named], count: int, victims_from: int
) -> Iterator[Any]:
    """Make a number of calls, each on one of the feeds: pulls, and confirms or rejects mostly of
    what the feed sent last. Processes from ``victims_from`` on call for as long as they live.

    Args:
        feeds: the tokens, each with the ids of its items.
    """
    rng = random.Random(number)
    last = {token: rng.choice(items) for token, items in feeds}
    done = 0
    with connected(url):
        while done < count or number >= victims_from:
            done += 1
            index = rng.randrange(len(feeds))
            token, items = feeds[index]
            verb = rng.choices(
                ["latest", "next", "items", "confirm", "reject"], [50, 10, 5, 20, 15]
            )[0]
            argument = None if rng.random() < 0.05 else "Tea"
            if verb in {"latest", "next"}:
                argument = None
            elif verb in {"confirm", "reject"}:
                argument = last[token] if rng.random() < 0.7 else rng.choice(items)
            result: list[Any] = []

            def operation(
                token: str = token, verb: str = verb, argument: str | None = argument
            ) -> Any:
                return call(token, verb, argument)

            for line in record(verb, argument, operation, result):
                yield [index, line]
            if isinstance(result[0], list) and result[0]:
                last[token] = result[0][0][0]
