"""Which requests are about current events."""

import pytest

from app.sources.current_events import is_current_event


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "bitcoin news"),
        ("en", "Latest news on tea"),
        ("en-GB", "today's news"),
        ("de", "Bitcoin Nachrichten"),
        ("de", "Breaking News Köln"),
        ("de-AT", "Aktuelle Nachrichten zum Strompreis"),
        ("es", "últimas noticias de fútbol"),
        ("fr", "Dernières nouvelles du vélo"),
        ("it", "ultime notizie sul caffè"),
        ("nl", "laatste nieuws fietsen"),
        ("pt-BR", "últimas notícias de café"),
        ("ja", "bitcoin news"),
    ],
)
def test_what_leaves_no_doubt(language: str, text: str) -> None:
    """ "current-event topics (rule flag, or recognised from the request)"."""
    assert is_current_event(["coffee", text], language)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "cold brew"),
        ("en", "newsletter ideas"),
        ("en", "how to spot fake news"),
        ("en", "news"),
        ("en", "start saving today"),
        ("en", "best laptops 2026"),
        ("de", "SMS Nachrichten"),
        ("de", "gute Nachrichten"),
        ("es", "buenas noticias"),
        ("de", "últimas noticias"),
        ("en", "good-news"),
    ],
)
def test_what_may_be_about_anything(language: str, text: str) -> None:
    assert not is_current_event([text], language)
