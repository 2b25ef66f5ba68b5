"""Whether a request is about what happens now: then it is written from fresh sources or not at all.

Only what leaves no doubt counts ("bitcoin news", "election yesterday"). A post that is refused for
want of sources where none were needed is worse than one whose owner has to say `verified` himself.
"""

import re
from collections.abc import Iterable

from app.core.text import fold, primary_subtag

# What can only be meant of these days, as words of the text once it is folded.
_PHRASES = {
    "en": "breaking news|latest news|news today|today s news|news of the day|news this week"
    "|this week s news|recent news|current news|live updates|just announced|yesterday s",
    "de": "eilmeldung|aktuelle nachrichten|neueste nachrichten|nachrichten von heute"
    "|nachrichten heute|liveticker|soeben angekündigt",
    "es": "últimas noticias|noticias de hoy|última hora|noticias de última hora"
    "|noticias de esta semana|recién anunciado",
    "fr": "dernières nouvelles|dernières actualités|actualités du jour|info en direct"
    "|actualité du jour|vient d être annoncé",
    "it": "ultime notizie|notizie di oggi|ultim ora|ultima ora|notizie della settimana"
    "|appena annunciato",
    "nl": "laatste nieuws|nieuws van vandaag|nieuws vandaag|breaking nieuws|net aangekondigd",
    "pt": "últimas notícias|notícias de hoje|notícias de última hora|última hora"
    "|notícias da semana|acaba de ser anunciado",
}
# What a text ends with that asks for the news of something ("bitcoin news", "Bitcoin-Nachrichten").
_ENDINGS = {
    "en": "news",
    "de": "nachrichten|news",
    "es": "noticias",
    "fr": "actualités|actualité",
    "it": "notizie",
    "nl": "nieuws",
    "pt": "notícias",
}
# "Fake news", "good news": the word itself is the subject.
_NO_NEWS = {
    "en": "fake|good|bad|the|on|about|tv|read|reading|watch|watching|write|writing",
    "de": "fake|gute|schlechte|sms|push",
    "es": "buenas|malas|falsas|las|de",
    "fr": "bonnes|mauvaises|fausses|les|d|l",
    "it": "buone|cattive|false|le|di",
    "nl": "nep|goed|slecht|het",
    "pt": "boas|más|falsas|as|de",
}


def _pattern(language: str) -> re.Pattern[str]:
    phrases, endings, excluded = _PHRASES[language], _ENDINGS[language], _NO_NEWS[language]
    return re.compile(
        rf"\b(?:{phrases})\b|^(?!.*\b(?:{excluded}) (?:{endings})$)\S.* (?:{endings})$"
    )


_PATTERNS = {language: _pattern(language) for language in _PHRASES}


def is_current_event(texts: Iterable[str], language: str) -> bool:
    """Whether one of the texts (keywords, the topic) asks for current events, in the language of
    the post or in English; in a language without rules, in English only."""
    spoken = {primary_subtag(language), "en"} & _PATTERNS.keys()
    folded = [" ".join(fold(text).split()) for text in texts]
    return any(_PATTERNS[each].search(text) for each in spoken for text in folded)
