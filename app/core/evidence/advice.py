"""What a text says to its reader, not of the world: advice, and days that are no dates.

An editor asks for the source of "the walk took ten minutes", not of "take ten minutes for it". The
rules look at how a sentence begins and for a few words that say that something is enough; what they
do not know is a claim like any other.
"""

from collections.abc import Sequence

from app.core.evidence.fact import Fact, Kind
from app.core.evidence.tokens import Token
from app.core.evidence.words import word_set

# Verbs that begin a sentence only where it tells the reader what to do.
_IMPERATIVES = {
    "en": word_set(
        "add aim allow bake beat blend boil bring brush budget check chill choose combine cook cool"
        " count cover cut drain drill dry fill fold give grind heat keep knead lay leave let make"
        " measure mix move pack place plan plant pour press put read repeat rest rinse rub save set"
        " simmer sit sleep soak sow spend spread start steep stir store strain take test trim try"
        " turn use wait walk warm wash water weigh whisk work"
    ),
    "de": word_set("nimm gib lass lasse plane rechne warte stell stelle gönn gönne spar nutze"),
    "es": word_set(
        "dedique deje tome reserve espere añada use calcule guarde pon ponga mezcle cocine descanse"
    ),
    "fr": word_set("prends laisse attends ajoute mets prévois"),
    "it": word_set("prendi prenda lasci aspetti dedichi aggiungi metti"),
    "pt": word_set("dedique deixe espere reserve tome adicione use guarde separe calcule"),
    "nl": word_set("neem laat wacht geef zet reken bewaar voeg gebruik"),
}
# What may stand before an order, up to a comma: "If you have a garden, set aside an hour".
_CONDITIONS = word_set("if when before once to for wenn bevor si quand avant cuando antes se als")
# Sentences about whoever does something are about nobody who did.
_WHOEVER = word_set(
    "whoever anyone anybody everyone wer jeder quien quienes quiconque chi quem wie"
)
_ENOUGH = word_set(
    "enough suffice suffices genügen genügt reichen reicht suffit suffisent basta bastan bastano"
    " bastam volstaat volstaan"
)
_NO_ORDERS = word_set("chez assez rez nez suez")
_HOUR = 3600
_ARTICLES = word_set("a an any some ein einem einen un uno una um uma een")
_ON = word_set("on an in for auf für em en")


def is_advice(fact: Fact, sentence: Sequence[Token], language: str) -> bool:
    """Whether a measure or a weekday stands in a sentence that tells its reader what to do; where
    it only says what is enough, or is about whoever does something, up to an hour.
    """
    if fact.kind is not Kind.MEASUREMENT and not _is_weekday(fact):
        return False
    words = [token.low for token in sentence]
    starts = [0]
    if words[0] in _CONDITIONS and "," in words:
        starts.append(words.index(",") + 1)
    if any(_is_order(sentence[at : at + 2], language) for at in starts):
        return True
    short = _is_weekday(fact) or (fact.unit == "duration" and fact.high <= _HOUR)
    return short and (words[0] in _WHOEVER or not _ENOUGH.isdisjoint(words))


def _is_order(start: Sequence[Token], language: str) -> bool:
    if not start:
        return False
    first = start[0].low
    if first in _IMPERATIVES.get(language, frozenset()):
        return True
    if language == "fr":  # Prenez …
        return first.endswith("ez") and first not in _NO_ORDERS
    return (
        language == "de" and first.endswith("en") and len(start) > 1 and start[1].text == "Sie"
    )  # Nehmen Sie …


def _is_weekday(fact: Fact) -> bool:
    return fact.when is not None and fact.when.weekday is not None


def is_any_day(fact: Fact, before: Sequence[str]) -> bool:
    """Whether a weekday is any such day and no date: "on a Monday", "an einem stillen Sonntag".
    ``before`` are the words before it, in lower case."""
    if not _is_weekday(fact) or not before:
        return False
    if before[-1] in _ARTICLES:
        return True
    return len(before) > 2 and before[-2] in _ARTICLES and before[-3] in _ON
