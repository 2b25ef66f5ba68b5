"""Which providers the settings make, and that no key of theirs is shown."""

import pytest

from app.container import pick_research
from app.settings import Settings, SettingsError


def test_every_provider_that_is_set_is_asked() -> None:
    settings = Settings.from_env(
        {
            "COPYDESK_SOURCE_FEEDS": "https://a.example/feed?key=s3cret, https://b.example/page\n",
            "COPYDESK_SEARXNG_URL": "http://searx.internal:8080/",
            "COPYDESK_BRAVE_API_KEY": "s3cret",
            "COPYDESK_TAVILY_API_KEY": "s3cret",
            "COPYDESK_SOURCES_FRESH_HOURS": "24",
        }
    )
    research = pick_research(settings)
    names = [provider.name for provider in research.providers]
    assert names == ["feeds", "SearXNG", "Brave Search", "Tavily"]
    assert research.fresh_for.total_seconds() == 24 * 3600
    assert len(settings.source_feeds) == 2
    assert "s3cret" not in repr(settings) + repr(research) + repr(research.providers)


def test_without_a_provider_there_is_none() -> None:
    assert list(pick_research(Settings()).providers) == []


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("COPYDESK_SOURCE_FEEDS", "https://a.example ftp://b/?s3cret", "must begin with http://"),
        ("COPYDESK_SOURCE_FEEDS", "https://u:s3cret@b.example/", "must not contain a user name"),
        ("COPYDESK_SOURCE_FEEDS", "https://b.example:0x/?s3cret", "must be a complete URL"),
        ("COPYDESK_SEARXNG_URL", "searx:8080", "must begin with http://"),
        ("COPYDESK_BRAVE_API_KEY", "s3cret key", "must be printable ASCII"),
        ("COPYDESK_SOURCES_CACHE_MINUTES", "5", "must be at least 60"),
        ("COPYDESK_SOURCES_ALLOW_PRIVATE", "perhaps", "must be on or off"),
    ],
)
def test_a_wrong_setting_is_one_sentence(name: str, value: str, sentence: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({name: value})
    assert str(caught.value).startswith(f"{name}: ")
    assert sentence in str(caught.value)
    assert "s3cret" not in str(caught.value)
