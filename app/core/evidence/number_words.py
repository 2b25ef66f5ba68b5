"""Numbers written in words, in the seven languages whose rules are here.

The names of the powers and of the first hundred numbers are all that a language needs: what
stands between follows by adding and multiplying. Compounds (German, Dutch, Italian) are cut into
the same names.
"""

from dataclasses import dataclass
from functools import cache

from app.core.evidence.words import word_set
from app.core.text import primary_subtag

_UNITS = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen",
    "de": "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn"
    " fünfzehn sechzehn siebzehn achtzehn neunzehn",
    "fr": "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze"
    " seize",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce"
    " quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés"
    " veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve",
    "it": "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici"
    " quattordici quindici sedici diciassette diciotto diciannove",
    "pt": "zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze"
    " dezesseis dezessete dezoito dezenove",
    "nl": "nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien"
    " vijftien zestien zeventien achttien negentien",
}
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "fr": "vingt trente quarante cinquante soixante septante huitante nonante",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "it": "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
    "pt": "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
    "nl": "twintig dertig veertig vijftig zestig zeventig tachtig negentig",
}
_MORE: dict[str, dict[str, int]] = {
    "en": {"hundred": 100, "dozen": 12},
    "de": {"hundert": 100, "ein": 1, "eine": 1, "einer": 1, "dutzend": 12, "dreissig": 30},
    "fr": {"cent": 100, "cents": 100, "une": 1, "vingts": 20, "douzaine": 12},
    "es": {
        "un": 1, "una": 1, "veintiún": 21, "veintiuna": 21, "cien": 100, "ciento": 100,
        "doscientos": 200, "trescientos": 300, "cuatrocientos": 400, "quinientos": 500,
        "seiscientos": 600, "setecientos": 700, "ochocientos": 800, "novecientos": 900,
        "doscientas": 200, "trescientas": 300, "cuatrocientas": 400, "quinientas": 500,
        "seiscientas": 600, "setecientas": 700, "ochocientas": 800, "novecientas": 900,
        "docena": 12,
    },
    "it": {"cento": 100, "cent": 100, "un": 1, "una": 1, "tré": 3, "dozzina": 12},
    "pt": {
        "uma": 1, "duas": 2, "dezasseis": 16, "dezassete": 17, "dezanove": 19, "cem": 100,
        "cento": 100, "duzentos": 200, "trezentos": 300, "quatrocentos": 400, "quinhentos": 500,
        "seiscentos": 600, "setecentos": 700, "oitocentos": 800, "novecentos": 900,
        "duzentas": 200, "trezentas": 300, "quatrocentas": 400, "quinhentas": 500,
        "seiscentas": 600, "setecentas": 700, "oitocentas": 800, "novecentas": 900, "dúzia": 12,
    },
    "nl": {"honderd": 100, "één": 1, "dozijn": 12},
}  # fmt: skip
_K, _M, _G, _T = 10**3, 10**6, 10**9, 10**12
SCALES: dict[str, dict[str, int]] = {
    "en": {"thousand": _K, "million": _M, "millions": _M, "mn": _M, "billion": _G, "bn": _G,
           "trillion": _T, "tn": _T},
    "de": {"tausend": _K, "million": _M, "millionen": _M, "mio": _M, "milliarde": _G,
           "milliarden": _G, "mrd": _G, "billion": _T, "billionen": _T},
    "fr": {"mille": _K, "million": _M, "millions": _M, "milliard": _G, "milliards": _G,
           "billion": _T, "billions": _T},
    "es": {"mil": _K, "millón": _M, "millones": _M, "billón": _T, "billones": _T},
    "it": {"mille": _K, "mila": _K, "milione": _M, "milioni": _M, "mln": _M, "miliardo": _G,
           "miliardi": _G, "mld": _G},
    "pt": {"mil": _K, "milhão": _M, "milhões": _M, "bilhão": _G, "bilhões": _G, "trilhão": _T,
           "trilhões": _T},
    "nl": {"duizend": _K, "miljoen": _M, "mln": _M, "miljard": _G, "mld": _G, "biljoen": _T},
}  # fmt: skip
DOZEN = 12
# Names for so many: "two dozen" are 24, "une vingtaine" is some twenty.
GROUPS: dict[str, dict[str, int]] = {
    "en": {"dozen": DOZEN},
    "de": {"dutzend": DOZEN},
    "fr": {"douzaine": DOZEN, "douzaines": DOZEN, "dizaine": 10, "quinzaine": 15, "vingtaine": 20,
           "trentaine": 30, "quarantaine": 40, "cinquantaine": 50, "soixantaine": 60,
           "centaine": 100, "millier": _K},
    "es": {"docena": DOZEN, "docenas": DOZEN, "decena": 10, "veintena": 20, "treintena": 30,
           "centenar": 100, "millar": _K},
    "it": {"dozzina": DOZEN, "dozzine": DOZEN, "decina": 10, "quindicina": 15, "ventina": 20,
           "trentina": 30, "cinquantina": 50, "centinaio": 100, "migliaio": _K},
    "pt": {"dúzia": DOZEN, "dúzias": DOZEN, "dezena": 10, "centena": 100, "milhar": _K},
    "nl": {"dozijn": DOZEN, "tiental": 10, "twintigtal": 20, "vijftigtal": 50, "honderdtal": 100},
}  # fmt: skip
# Half of what follows: half an hour, medio millón.
HALVES = {
    "en": word_set("half"), "de": word_set("halbe halben halbes halber"),
    "fr": word_set("demi demie"), "es": word_set("medio media"),
    "it": word_set("mezzo mezza mezz"), "pt": word_set("meio meia"), "nl": word_set("half halve"),
}  # fmt: skip
AND_HALF = {
    "en": (("and", "a", "half"),), "fr": (("et", "demi"), ("et", "demie")),
    "es": (("y", "medio"), ("y", "media")), "it": (("e", "mezzo"), ("e", "mezza")),
    "pt": (("e", "meio"), ("e", "meia")), "nl": (("en", "een", "half"), ("en", "een", "halve")),
}  # fmt: skip
# One word for a number and a half: anderthalb, zweieinhalb.
_ONE_AND_HALF = word_set("anderthalb anderthalbe anderhalf anderhalve")
_HALF_ENDS = {"de": ("einhalb", "einhalbe"), "nl": ("ënhalf", "enhalf", "ënhalve", "enhalve")}
# Scales that stand without an article as well: "casi millón y medio".
UNCOUNTED_SCALES = word_set("millón")
# What joins the parts of a number, as a word of its own or inside a compound.
_JOINERS = {
    "en": {"and"}, "de": {"und"}, "fr": {"et"}, "es": {"y"}, "it": {"e"}, "pt": {"e"},
    "nl": {"en", "ën"},
}  # fmt: skip
_COMPOUND = {"de", "nl", "it"}
_UNIT_FIRST = {"de", "nl"}
# Words for one are articles as well: alone they say no number.
ARTICLES = word_set("one eins ein eine einer un une uno una um uma een één")
_MAX_COMPOUND = 60


@dataclass(frozen=True)
class _Names:
    values: dict[str, int]
    joiners: frozenset[str]
    unit_first: bool
    compound: bool
    longest: int
    french: bool


@cache
def _names(language: str) -> _Names | None:
    if language not in _UNITS:
        return None
    values = {word: value for value, word in enumerate(_UNITS[language].split())}
    tens = _TENS[language].split()
    values |= {word: (index + 2) * 10 for index, word in enumerate(tens)}
    if language == "it":  # ventuno, trentotto: the ten loses its vowel
        values |= {word[:-1]: (index + 2) * 10 for index, word in enumerate(tens)}
    values |= _MORE[language] | SCALES[language]
    return _Names(
        values,
        frozenset(_JOINERS[language]),
        language in _UNIT_FIRST,
        language in _COMPOUND,
        max(map(len, values)),
        language == "fr",
    )


def read(words: list[str], language: str) -> tuple[int, int]:
    """The number that a list of lower-case words begins with, and how many words it takes.

    Hyphens are boundaries of words here. ``(0, 0)`` where it begins with none.
    """
    names = _names(primary_subtag(language))
    if names is None or not words:
        return 0, 0
    total = current = used = 0
    started = pending = False
    for index, word in enumerate(words[:24]):
        if word in names.joiners:
            if not started or pending:
                break
            pending = True
            continue
        parts = _parts(word, names)
        if not parts:
            break
        step = _compose(total, current, parts, names, joined=pending)
        if step is None:
            break
        total, current = step
        started, pending, used = True, False, index + 1
    return (total + current, used) if started else (0, 0)


def with_half(word: str, language: str) -> float | None:
    """The value of one word for a number and a half; None for any other word."""
    ends = _HALF_ENDS.get(language, ())
    if ends and word in _ONE_AND_HALF:
        return 1.5
    for end in ends:
        if word.endswith(end):
            value, used = read([word.removesuffix(end)], language)
            return value + 0.5 if used else None
    return None


def _parts(word: str, names: _Names) -> list[int | None]:
    """A word's parts; None is a joiner inside a compound."""
    if word in names.values:
        return [names.values[word]]
    if not names.compound or len(word) > _MAX_COMPOUND:
        return []
    word = word.replace("centott", "centoott")  # centotto, centottanta: one o stands for two
    parts: list[int | None] = []
    at = 0
    while at < len(word):
        for length in range(min(names.longest, len(word) - at), 1, -1):
            piece = word[at : at + length]
            if piece in names.values:
                parts.append(names.values[piece])
                break
            if piece in names.joiners and parts:
                parts.append(None)
                break
        else:
            return []
        at += length
    return parts if parts[-1] is not None and len(parts) > 1 else []


def _compose(
    total: int, current: int, parts: list[int | None], names: _Names, *, joined: bool
) -> tuple[int, int] | None:
    """The sum with these parts added, or None where they do not go on from it."""
    for part in parts:
        if part is None:
            joined = True
            continue
        if part >= _K:
            if total and part >= _lowest_power(total):
                if current:
                    return None
                total *= part  # mil millones
            else:
                total += max(current, 1) * part
            current = 0
        elif part == 100:
            # twelve hundred is one number, forty hundred and two hundreds are none
            if current >= 100 or (current % 10 == 0 and current):
                return None
            current = max(current, 1) * 100
        elif not _fits(current, part, names, joined=joined):
            return None
        elif names.french and part == 20 and current % 100 == 4:
            current += 76
        else:
            current += part
        joined = False
    return total, current


def _fits(current: int, part: int, names: _Names, *, joined: bool) -> bool:
    rest = current % 100
    if part >= 100:
        return current == 0
    if rest == 0:
        return True
    if names.french and part == 20 and rest == 4:
        return True
    if names.unit_first and joined and 0 < rest < 10:
        return part >= 20 and part % 10 == 0
    if names.french and (rest in {60, 80} or (rest == 10 and part >= 7)):
        return part < 20 if rest > 10 else part < 10  # soixante-dix, quatre-vingt-dix-sept
    return rest >= 20 and rest % 10 == 0 and part < 10


def _lowest_power(value: int) -> int:
    for power in (_T, _G, _M, _K):
        if value % power == 0:
            return power
    return 1
