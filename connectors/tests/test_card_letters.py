"""What check says of title cards whose font lacks letters."""

import importlib.util
from pathlib import Path

import pytest

from copydesk_connectors.target.base import Level
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS
from copydesk_connectors.targets.pictures import Image, lacking_letters, letters

pytestmark = pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("PIL", "font_source_sans_pro"))),
    reason="needs the extra card",
)
CARDS = Image(None)
LETTERS = letters()
# What our own font is said to have: Latin, Greek and Cyrillic letters, and Vietnamese.
OTHERS = sorted(
    {"am", "ar", "bn", "fa", "gu", "he", "hi", "hy", "ja", "ka", "km", "ko", "ml", "mr"}
    | {"my", "pa", "ta", "te", "th", "ur", "zh"}
)
DRAWN = sorted(LETTERS.keys() - set(OTHERS) - {"kk"})


@pytest.mark.parametrize("language", DRAWN)
def test_our_font_has_the_languages_that_are_promised(language: str) -> None:
    """The letters are Latin, Greek and Cyrillic"""
    assert lacking_letters("blog", CARDS, language) == []


@pytest.mark.parametrize("language", OTHERS)
def test_of_other_scripts_the_letters_are_named(language: str) -> None:
    """check says which letters of the blog's language the title card's font lacks"""
    (found,) = lacking_letters("blog", CARDS, language)
    assert found.level is Level.WARNING
    assert LETTERS[language][0] in found.message
    assert found.fix == "let card_font name a font file that has them"


@pytest.mark.parametrize("tag", ["ja", "ja-JP", "ja_JP", "JA"])
def test_a_language_is_known_however_it_is_written(tag: str) -> None:
    assert 'language "ja"' in lacking_letters("blog", CARDS, tag)[0].message


@pytest.mark.parametrize("image", [None, Image(Path("picture.png"))])
def test_nothing_is_said_where_no_card_is_drawn(image: Image | None) -> None:
    assert lacking_letters("blog", image, "ja") == []
    assert lacking_letters("blog", CARDS, "") == []
    assert lacking_letters("blog", CARDS, "xx") == []


def test_check_says_it(tmp_path: Path) -> None:
    """copydesk-connect check says what is wrong and how to fix it."""
    settings = {"path": str(tmp_path / "public"), "image": "card", "language": "he"}
    file = tmp_path / "copydesk.toml"
    found = TARGETS["html"]("site", Table(settings, "[[target]] 1", file)).check()
    assert [finding.level for finding in found] == [Level.OK, Level.WARNING]
    assert "א" in found[1].message
    german = Table(settings | {"language": "de"}, "[[target]] 1", file)
    assert [one.level for one in TARGETS["html"]("site", german).check()] == [Level.OK]
