from importlib.resources import files

import pytest
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from app.core.languages import identify, known_tags


@pytest.fixture(scope="module")
def library():
    """The library's own identifier of the same languages, with its own tables."""
    own = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    own.set_languages(sorted(identify._KNOWN & set(own.labels)))
    return own


@pytest.mark.parametrize("tag", known_tags())
def test_a_text_scores_as_by_the_tables_of_the_library(library, tag):
    text = (files("app.core.languages") / f"{tag}.toml").read_text("utf-8")
    assert identify.load().rank(text) == library.rank(text)


@pytest.mark.parametrize(
    "text",
    ["", "x", "ÉCRIT EN CAPITALES", "中文 한국어 عربي ไทย", "\x00\ud800\U0010ffff"],
    ids=ascii,
)
def test_an_unusual_text_scores_as_by_the_tables_of_the_library(library, text):
    assert identify.load().rank(text) == library.rank(text)
