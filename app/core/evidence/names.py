"""Proper names: people, organisations, places and products.

In most languages they are the words with a capital that do not begin a sentence. German writes
every noun so: there only runs of two capitalised words and more count, words of a name's shape
(HWA, BioTech), and words after a title or beside a verb of saying.
"""

from collections.abc import Iterator, Sequence

from app.core.evidence.fact import Fact, Kind
from app.core.evidence.tokens import Token
from app.core.evidence.words import SAYING, SMALL, TITLES, word_set

_PARTICLES = word_set(
    "of de la le van von der den del di da du des dos do della delle zu y e & and the"
)
_SIMPLE_PARTICLES = {"and", "the", "e", "y"}
# In German every noun has a capital: "die Zahl der Fahrgäste" is no name.
_GERMAN_ARTICLES = _SIMPLE_PARTICLES | {"der", "den"}
# Nouns that measure the noun after them: ein Blatt Papier.
_MEASURES = word_set(
    "blatt glas tasse becher stück scheibe flasche dose kanne löffel teelöffel esslöffel prise"
    " handvoll portion paar haufen menge reihe kiste sack packung tüte liter kilo gramm meter"
)
# Words that begin a sentence or a heading and are no names, as far as they are short.
_SHORT = word_set(
    "a an the in on at by for to of or and but so if as is it its we he she you i my our his her no"
    " not all any one two six ten new now how why who yet nor per via let do did has had was are"
    " can may see get use yes too both few most out up off add set put try der die das ein im am es"
    " er sie wir so um zu auf aus bei bis für mit von vor wie wer was le la les un une il elle on"
    " en et au aux ce ces son sa ses sur par pas el los las una se su sus lo al del con por y no"
    " sin ya i gli di da in e ma se si o os as um uma no na nos nas em ao de het een op te ze hij"
    " wij je u uit ook al er dat dit die is mr ms dr nun ihr man seit dem den des ob nur dann also"
)
_ANYONE = word_set(
    "nobody everybody somebody anybody everyone someone anyone none nothing everything neither"
    " either one people police management research science history legend tradition staff"
)
# Known to every reader, and no claim.
_COMMON = word_set("ok tv pc diy faq faqs pdf seo ai it us uk eu usa un url html id gps usb q")
_ENDS = {".", "!", "?", ":", "…", "•", ";", "(", "“", "„", "«", '"', "‘", "-", "–", "—", "¿", "¡"}
_MAX_WORDS = 8


def names(
    found: Sequence[Token],
    text: str,
    language: str,
    *,
    taken: frozenset[int],
    ordinary: frozenset[str],
    known: frozenset[str],
) -> Iterator[Fact]:
    """The names of one sentence.

    ``taken`` is where the words begin that other facts have; ``ordinary`` words are
    written small somewhere, ``known`` ones with a capital inside a sentence: they
    tell what a sentence begins with.
    """
    at = 0
    while at < len(found):
        run = _run(found, at, taken, language)
        if not run:
            at += 1
            continue
        at = run[-1] + 1
        kept = _kept(found, run, language, ordinary, known)
        words = tuple(found[i].low for i in kept if found[i].is_word)
        words = tuple(word for i, word in enumerate(words) if word not in _PARTICLES or i > 0)
        while words and words[-1] in _PARTICLES:
            words, kept = words[:-1], kept[:-1]
        if not words or all(word in _COMMON for word in words):
            continue
        span = (found[kept[0]].start, found[kept[-1]].end)
        yield Fact(Kind.NAME, text[slice(*span)], span, words=words)


def _run(found: Sequence[Token], at: int, taken: frozenset[int], language: str) -> list[int]:
    """Indices of the capitalised words, particles and hyphens that belong together."""
    if not _is_name_word(found[at], taken):
        return []
    run = [at]
    particles = _PARTICLES - (_GERMAN_ARTICLES if language == "de" else _SIMPLE_PARTICLES)
    while len(run) < _MAX_WORDS:
        after = run[-1] + 1
        if after >= len(found):
            break
        gap = found[after].start - found[after - 1].end
        if _is_name_word(found[after], taken) and gap <= 1:
            run.append(after)
        elif (
            after + 1 < len(found)
            and _is_name_word(found[after + 1], taken)
            and (
                (found[after].low in {"-", "'", "’", "&"} and gap <= 1)
                or (found[after].low == "." and len(found[after - 1].text) <= 2)
                or found[after].low in particles
            )
        ):
            run += [after, after + 1]
        else:
            break
    return run


def _is_name_word(token: Token, taken: frozenset[int]) -> bool:
    if not token.is_word:
        return False
    shaped = token.is_capitalised or any(ch.isupper() for ch in token.text[1:])
    return shaped and token.start not in taken


def _may_be_ordinary(found: Sequence[Token], run: list[int], language: str) -> bool:
    """Whether the first word of a sentence, met nowhere else, may be no part of the name that
    follows: "Customers of Tessaly", and in German any noun.
    """
    return len(run) > 1 and (language == "de" or found[run[0] + 1].low == "of")


def _kept(
    found: Sequence[Token],
    run: list[int],
    language: str,
    ordinary: frozenset[str],
    known: frozenset[str],
) -> list[int]:
    """The run without titles and without the word that a sentence happens to begin with."""
    small = SMALL.get(language, frozenset())
    saying = SAYING.get(language, frozenset())
    starts = run[0] == 0 or found[run[0] - 1].low in _ENDS
    titled = run[0] > 0 and found[run[0] - 1].low in TITLES
    while run and starts:
        first = found[run[0]].low
        if not found[run[0]].is_word:
            run = run[1:]
        elif (
            first in _SHORT
            or first in small
            or (first in ordinary and first not in known)
            or (first not in known and _may_be_ordinary(found, run, language))
        ):
            run = run[1:]
            starts = False
        else:
            break
    while run and (found[run[0]].low in TITLES or not found[run[0]].is_word):
        titled = titled or found[run[0]].low in TITLES
        run = run[1:]
        starts = False
    if not run:
        return []
    after = found[run[-1] + 1].low if run[-1] + 1 < len(found) else ""
    before = found[run[0] - 1].low if run[0] else ""
    token = found[run[0]]
    # "Krämer said", but not "the speaker said" nor "Officials said".
    alone = starts or (run[0] > 0 and not found[run[0] - 1].is_word)
    said = before in saying or (after in saying and (alone or language != "de"))
    if starts and (language != "en" or token.low.endswith("s") or token.low in _ANYONE):
        said = False
    single = sum(found[i].is_word for i in run) == 1
    shaped = len(token.text) > 1 and any(ch.isupper() for ch in token.text[1:])
    if single and len(token.text) == 1:
        return []
    if language == "de" and token.low in _MEASURES and not shaped:
        return []
    if language == "de":
        return (
            run
            if shaped or titled or said or (not single and not starts)
            else (run if not single and all(found[i].low not in ordinary for i in run) else [])
        )
    if single and starts and not (said or titled or shaped or token.low in known):
        return []
    return run
