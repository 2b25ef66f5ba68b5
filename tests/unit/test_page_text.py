"""The text of a web page."""

from app.adapters.page_text import read_html


def test_a_page_may_have_control_characters_by_reference() -> None:
    """Behind a hidden element and in a numbered list, they ended the reading of a page."""
    page = (
        "<p><b hidden>x</b>Tea&#1; steeps for five minutes in a warm pot, and is then poured.</p>"
        "<ol><li>Boil&#11; the water in a kettle.</li><li>Pour it over the leaves.</li></ol>"
        "<p>Then serve the tea in warm cups to your guests, and keep the pot under a cosy.</p>"
    )
    body = f"<html><body><article>{page}</article></body></html>".encode()
    text = read_html(body, "", "https://a.example/")["text"]
    assert text.startswith("Tea steeps for five minutes")
    assert "1. Boil the water in a kettle." in text
