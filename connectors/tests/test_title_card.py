"""The drawn title card; where Pillow is not installed only what then happens is tested."""

import importlib.util
import io
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from copydesk_connectors.target.errors import ConfigError, Misconfigured
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table, read
from copydesk_connectors.targets import pictures, title_card
from copydesk_connectors.targets.pictures import ImageSettings

POST = Post(
    id="itm_1",
    title="How to descale an espresso machine",
    slug="descale",
    description="",
    keywords=(),
    html="",
    markdown="",
    generated_at=datetime(2026, 5, 1, tzinfo=UTC),
)
SIZE = (1200, 630)
needs_pillow = pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("PIL", "font_source_sans_pro"))),
    reason="needs the extra card",
)


def opened(content: bytes) -> Any:
    from PIL import Image  # type: ignore[import-not-found,unused-ignore]

    return Image.open(io.BytesIO(content)).convert("RGB")


def chosen(tmp_path: Path, **settings: object) -> ImageSettings:
    """The settings of a target."""
    table = Table(settings, "[[target]] 1", tmp_path / "copydesk.toml")
    return read(ImageSettings, table)


def luminance(colour: str) -> float:
    """As WCAG 2.2 defines it."""
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(("background", "accent"), title_card.COLOURS)
def test_all_colours_have_contrast(background: str, accent: str) -> None:
    """sufficient contrast (WCAG AA for large text, asserted)"""
    assert contrast(background, title_card.TITLE_COLOUR) >= 4.5
    assert contrast(background, accent) >= 4.5


@needs_pillow
def test_the_same_post_gives_the_same_bytes_and_another_id_another_card() -> None:
    """the same post gives the same bytes; colours chosen from the post's id"""
    first = title_card.draw(POST, site="Jo's blog")
    assert title_card.draw(replace(POST, html="<p>x</p>"), site="Jo's blog") == first
    assert opened(first).size == SIZE
    corners = {
        opened(title_card.draw(replace(POST, id=f"itm_{n}"))).getpixel((0, 0)) for n in range(90)
    }
    assert len(corners) == len(title_card.COLOURS)


TITLES = {
    "short": "Rinse",
    "plain": "How to descale an espresso machine",
    "umlauts": "Äpfel über Öfen: Größe, Maß & Łódź – Ωμέγα, Жизнь",
    "long": "How to descale an espresso machine without harming its seals " * 9,
    "one enormous word": "x" * 600,
    "long words": "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk " * 4,
    "wide": "W" * 25,
}


@needs_pillow
@pytest.mark.parametrize("site", ["", "Jo's blog", "A name that is far too long for a card " * 5])
@pytest.mark.parametrize("title", TITLES.values(), ids=TITLES)
def test_nothing_is_drawn_where_crops_may_cut(title: str, site: str) -> None:
    """safe margins for cropping"""
    picture = opened(title_card.draw(replace(POST, title=title), site=site))
    background = picture.getpixel((0, 0))
    from PIL import Image, ImageChops  # type: ignore[import-not-found,unused-ignore]

    left, top, right, bottom = ImageChops.difference(
        picture, Image.new("RGB", SIZE, background)
    ).getbbox()
    width, height = SIZE
    assert left >= width * 0.14
    assert right <= width * 0.86
    assert top >= height * 0.09
    assert bottom <= height * 0.91


@needs_pillow
def test_a_title_fits_in_five_lines_or_ends_in_an_ellipsis() -> None:
    """title wrapped to fit in at most five lines with an ellipsis"""
    face = title_card.Face(None)

    def lines(title: str) -> tuple[list[str], int]:
        return title_card._fit(title, face, 400)

    assert lines("Rinse twice") == (["Rinse twice"], 94)
    long, _ = lines("Rinse it once more " * 40)
    assert len(long) == 5
    assert long[-1].endswith(("Rinse…", "it…", "once…", "more…"))
    broken, _ = lines("x" * 600)
    assert len(broken) == 5
    assert broken[-1].endswith("x…")
    for title in TITLES.values():
        drawn, pixels = lines(title)
        assert max(map(face.sized(pixels).getlength, drawn)) <= 840
        if not drawn[-1].endswith("…"):
            assert "".join(drawn).replace(" ", "") == title.replace(" ", "")


@needs_pillow
def test_no_boxes_are_drawn(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """a title with characters that the font lacks must not print boxes"""
    plain = title_card.draw(replace(POST, title="Ten tips"))
    assert title_card.draw(replace(POST, title="🚀 Ten tips ✨️")) == plain
    for title in ("漢字 for beginners", "🚀", "\u200b"):
        with pytest.raises(title_card.Undrawable):
            title_card.draw(replace(POST, title=title))
    image = chosen(tmp_path, image="card")
    assert pictures.pick(image, replace(POST, title="漢字")) is None
    assert "the font has no 漢 字: let card_font name" in caplog.text


@needs_pillow
def test_an_owners_font_draws_the_rest(tmp_path: Path) -> None:
    """a setting card_font = path for the rest"""
    from font_source_sans_pro import (  # type: ignore[import-not-found,unused-ignore]
        SourceSansProLight,
    )

    (tmp_path / "mine.ttf").write_bytes(Path(SourceSansProLight).read_bytes())
    image = chosen(tmp_path, image="card", card_font="mine.ttf")
    picture = pictures.pick(image, POST, "Jo's blog")
    assert picture is not None
    assert (picture.name, picture.media_type) == ("descale.png", "image/png")
    assert picture.content == title_card.draw(POST, site="Jo's blog", font=tmp_path / "mine.ttf")
    assert picture.content != title_card.draw(POST, site="Jo's blog")


@needs_pillow
@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"image": "card", "card_font": "no.ttf"}, "card_font: the font"),
        ({"image": "card", "card_font": "copydesk.toml"}, "let card_font name a TrueType"),
        ({"card_font": "a.ttf"}, 'card_font: needs image = "card"'),
        ({"image": "cards"}, 'or "card"'),
    ],
)
def test_wrong_values_are_one_error(tmp_path: Path, settings: dict[str, str], said: str) -> None:
    """Misspelt or wrong values get the one clear error that Table gives."""
    (tmp_path / "copydesk.toml").write_text("no font")
    with pytest.raises(ConfigError) as caught:
        chosen(tmp_path, **settings)
    assert said in str(caught.value)


@pytest.mark.parametrize("missing", ["PIL", "font_source_sans_pro"])
def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    """a clear Misconfigured sentence when it is missing"""
    monkeypatch.setitem(sys.modules, missing, None)
    draw: Callable[[Post], bytes] = title_card.draw
    with pytest.raises(Misconfigured, match="cards cannot be drawn") as caught:
        draw(POST)
    assert caught.value.fix == "pip install ./sdk './connectors[card]'"
    with pytest.raises(ConfigError, match=r"pip install \./sdk '\./connectors"):
        chosen(tmp_path, image="card")
