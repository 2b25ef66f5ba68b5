"""Which earlier posts a post is compared with, and what that costs in a large archive."""

from collections.abc import Callable, Iterable
from random import Random

import pytest
from sqlalchemy import insert

from app.rules.near_duplicates import bands, sign, similarity
from app.services.near_duplicates import NearDuplicate, candidates, nearest
from app.store import database, models
from tests.support.integration import Feed

WORDS = [f"word{number}" for number in range(2000)]


def article(number: int, words: int = 200) -> str:
    return " ".join(Random(number).choices(WORDS, k=words))


def stored(scope: str, post_id: str, content: str, also: Iterable[int] = ()) -> None:
    """As it is, whatever it is like, with other bands as well."""
    signature = sign(content)
    found = sorted({*bands(signature), *also})
    with database.writing() as session:
        signed = insert(models.Signature)
        session.execute(signed.values(post_id=post_id, scope=scope, signature=signature))
        rows = [{"scope": scope, "band": band, "post_id": post_id} for band in found]
        session.execute(insert(models.Band), rows)


def found(scope: str, content: str) -> NearDuplicate | None:
    with database.reading() as session:
        return nearest(session, scope, sign(content))


def test_more_than_half_is_refused_and_less_is_not(feed: Feed) -> None:
    """“Jaccard >= 0.5 refuses”"""

    def sharing(words: int) -> str:
        """Return a text of this number of words of the article, then others."""
        return " ".join([*article(1).split()[:words], *article(2).split()[: 200 - words]])

    stored("tkn_1", "itm_1", article(1))
    # 147 of the 196 runs of each: 147 of 245 are in both, which is 0.6.
    likeness = found("tkn_1", sharing(151))
    assert likeness is not None
    assert likeness.similarity == pytest.approx(0.6, abs=0.13)
    # 120 of 272: 0.44. It is compared, and may stay.
    less = sign(sharing(124))
    assert not bands(less).isdisjoint(bands(sign(article(1))))
    assert similarity(less, sign(article(1))) == pytest.approx(0.44, abs=0.13)
    assert found("tkn_1", sharing(124)) is None


def test_the_most_alike_is_named(feed: Feed) -> None:
    stored("tkn_1", "itm_1", " ".join([*article(1).split()[:160], *article(2).split()[:40]]))
    stored("tkn_1", "itm_2", " ".join([*article(1).split()[:190], *article(2).split()[:10]]))
    stored("tkn_1", "itm_3", " ".join([*article(1).split()[:170], *article(2).split()[:30]]))
    likeness = found("tkn_1", article(1))
    assert likeness is not None
    assert likeness.post_id == "itm_2"


def test_of_very_many_that_share_a_band_those_that_share_most_are_compared(feed: Feed) -> None:
    """“Cost must not grow with the archive”, not even where all of it is a little alike."""
    signature = sign(article(1))
    shared = sorted(bands(signature))
    for number in range(120):
        also = shared[: 3 if number == 77 else 1]
        stored("tkn_1", f"itm_{number:03}", article(number + 2), also)
    with database.reading() as session:
        compared = candidates(session, "tkn_1", bands(signature))
    assert len(compared) == 50
    assert "itm_077" in {post_id for post_id, _ in compared}


def crowd(signature: bytes, posts: int, shared: Callable[[int], Iterable[int]]) -> None:
    """Add a number of posts, oldest first; ``shared`` gives the bands of each by their places."""
    mine = sorted(bands(signature))
    random = Random(posts)
    numbers = [f"itm_{number:05}" for number in range(posts)]
    with database.writing() as session:
        session.execute(
            insert(models.Signature),
            [{"post_id": post, "scope": "tkn_1", "signature": random.randbytes(504)}
             for post in numbers],
        )  # fmt: skip
        session.execute(
            insert(models.Band),
            [{"scope": "tkn_1", "band": mine[place], "post_id": post}
             for number, post in enumerate(numbers) for place in shared(number)],
        )  # fmt: skip


def test_a_band_that_all_share_hides_no_other(feed: Feed) -> None:
    """Of it the newest fifty count; the old post that is alike is found by its other bands."""
    alike = " ".join([*article(1).split()[:170], *article(2).split()[:30]])
    signature, old = sign(article(1)), sign(alike)
    both = sorted(bands(signature) & bands(old))
    places = [n for n, band in enumerate(sorted(bands(signature))) if band not in both][:7]
    assert len(both) > 7
    stored("tkn_1", "itm_00000_old", alike)
    crowd(signature, 2_000, lambda _: places)
    likeness = found("tkn_1", article(1))
    assert likeness is not None
    assert likeness.post_id == "itm_00000_old"


def test_of_a_band_that_very_many_share_the_newest_count(feed: Feed) -> None:
    """The last posts of a feed are those that a reader remembers."""
    signature = sign(article(1))
    crowd(signature, 300, lambda _: [0])
    with database.reading() as session:
        compared = candidates(session, "tkn_1", bands(signature))
    assert {post_id for post_id, _ in compared} == {f"itm_{n:05}" for n in range(250, 300)}
