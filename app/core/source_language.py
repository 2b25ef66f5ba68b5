"""In which language a page is: told from its function words in seven languages, else believed.

A page of 150 words has dozens of them, so that no model of a language is needed to tell these seven
from each other; what a page declares is often only its template's language.
"""

from app.core.text import fold, primary_subtag

_LISTED = {
    "en": "the of and to in is that it was for on with as are this be at by from have has not",
    "de": "der die und das ist den von mit zu nicht ein eine auf für im sich des dem auch wird",
    "fr": "le la les des et est une du dans que pour qui sur pas au avec ce sont par plus",
    "es": "el la los las de y que en es un una por con para del se como más su al",
    "it": "il la di che e è un una per non sono del della con si le dei gli anche più nel",
    "pt": "o a os as de e que é um uma em do da não para com por dos das ao mais na no",
    "nl": "de het een van en is dat niet op te zijn voor met aan er ook door naar werd deze",
}
FUNCTION_WORDS = {language: frozenset(words.split()) for language, words in _LISTED.items()}
_MIN_SHARE = 0.12
_JUDGED_WORDS = 400


def language_of(text: str, declared: str) -> str:
    """The primary subtag of a text's language.

    One of the seven where its function words are at least 12 % of the first 400 words; else what is
    declared, unless it is one of the seven, which then is not true; "" where nothing is known.
    """
    words = fold(text[: 12 * _JUDGED_WORDS]).split()[:_JUDGED_WORDS]
    shares = {
        language: sum(word in function_words for word in words) / max(1, len(words))
        for language, function_words in FUNCTION_WORDS.items()
    }
    best = max(shares, key=lambda language: shares[language])
    if shares[best] >= _MIN_SHARE:
        return best
    declared = primary_subtag(declared)
    return "" if declared in FUNCTION_WORDS else declared
