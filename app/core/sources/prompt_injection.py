"""Detect text of web pages that addresses a language model instead of a reader.

There are three decisions. A page is *refused* for text that no reader is meant to see: the markup
of prompts, invisible text, the wording of well-known attacks. That may cost a post its source. A
sentence is *withheld* from the writer for much less: if it may address a model, or if it is not
plain prose. That costs one sentence. Where sentences are copied and no model reads them, those stay
that may just as well address a reader: an order to a model would do nothing there but puzzle
readers. `prompt_injection.toml` has the rules.

New wordings pass both. A post is also protected because the writer sees only a few sentences of a
page, marked as quotations, answers in a schema, and is checked.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

MAX_SHOWN_CHARS = 120
# Soft hyphens, zero-width characters, direction marks, fillers, variation selectors, tags.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]+"
)
# An invisible copy of ASCII. The flags of regions use up to six of these characters.
_TAGS = re.compile("[\U000e0020-\U000e007e]{8,}")
_ACCENTS = re.compile("[\u0300-\u036f]")
_LOOKALIKES = str.maketrans(
    "асеорхуіѕјԁɡһӏոΑΒΕΗΙΚΜΝΟΡΤΧΥΖοιανρκ", "aceopxyisjdghlnabehikmnoptxyzoiavpk"
)
# Letters of IPA, Greek, Cyrillic and Armenian among Latin ones; small capitals and mathematical
# letters anywhere.
_DISGUISE = re.compile(
    "[A-Za-z][\u0250-\u02af\u0370-\u058f]|[\u0250-\u02af\u0370-\u058f][A-Za-z]"
    "|[\u1d00-\u1d7f\U0001d400-\U0001d7ff]"
)
# The rest of a longer sentence counts as another one.
_SENTENCE = re.compile(r"[^.!?…\n]{1,600}")
# Labels of advice. What follows is judged like any sentence; a label of another kind can make it a
# turn of a conversation or an example to continue ("Answer:", "Thought:").
_ADVICE = (
    r"(?:pro )?tips?|note|warning|caution|danger|important|remember|good to know|exception"
    r"|tipp|hinweis|achtung|warnung|vorsicht|gefahr|wichtig|ausnahme|gut zu wissen"
    r"|astuce|conseil|remarque|attention|avertissement|à noter|bon à savoir"
    r"|consejo|truco|nota|atención|advertencia|precaución|importante|excepción"
    r"|consiglio|attenzione|avvertenza|eccezione|pericolo"
    r"|let op|opmerking|waarschuwing|belangrijk|uitzondering"
    r"|dica|atenção|aviso|cuidado|exceção"
)
# In this order: a row of signs, words without spaces, digits, commas or underscores inside words,
# spaced letters, hyphens in most words, entities, escapes, hexadecimal bytes, bits, signs for
# letters, a label with markup.
_NOT_PROSE = re.compile(
    r"[#=*-]{3}|\*\*|[!-~À-ɏ]{40}|[^\W\d_][\d,_]+[^\W\d_]|(?:\b[^\W\d_][\W_]{1,3}){5}"
    r"|(?:[^\W\d_]-[^\W\d_][^-]{0,40}){3}|&#?\w{2,8};"
    r"|%[0-9A-Fa-f]{2}(?:%|[A-Za-z])|\\[ux][0-9A-Fa-f]{2}|(?:\b[0-9A-Fa-f]{2}\s){5}|[01]{8}"
    r"|[@$!|][^\W\d_]|^(?=[^:]{0,40}[=\"<>])[^:;,.]{1,40}\s?:\s"
)
# A name in a program or a setting: integrity_check, sqlite3_rsync, COPYDESK_MODEL.
_NAME = re.compile(r"(?<![\w-])[A-Za-z]{2,20}\d?(?:_[A-Za-z]{2,20}){1,3}(?!\w)")
_JOINT = re.compile(r"\d?_")
# What a model may be told to call by such a name.
_TOOL = re.compile(
    r"(?i)\b(?:tools?|functions?|fonctions?|funci[oó]n(?:es)?|funzion[ei]|functies?|fun[cç](?:[aã]o"
    r"|[oõ]es)|funktion(?:en)?|werkzeuge?|outils?|herramientas?|strument[io]|ferramentas?|plug-?ins?"
    r"|apis?|commands?|scripts?)\b"
)
# Words with hyphens: Stratford-upon-Avon, Saint-Germain-en-Laye, long-term, follow-up.
_HYPHENED = re.compile(
    r"\b[A-ZÀ-Þ]\w+-(?:[a-zà-ÿ]{1,5}-){1,3}[A-ZÀ-Þ]\w+"
    r"|\b(?:follow|long|short|high|low|full|part|half|well|self|one|two|three|four|first|second)"
    r"-[a-z]{2,12}\b"
)
# A missing beginning, or a label of up to four words ("Output:"). A longer beginning is a sentence:
# "Never block the way out: ...".
_PART = re.compile(
    rf"^[a-zà-öø-ÿ]|^(?!(?i:{_ADVICE})\s?:)(?:[^\s:;,.]{{1,30}}\s){{0,3}}[^\s:;,.]{{1,30}}\s?:\s"
)
# A turn of a conversation with a model, or an example to continue.
_TURN = re.compile(
    r"^(?:[-*•]\s|\d{1,3}[.)]\s)?(?:\w|(?:(?i:example|sample|final|expected|new)\s)?(?i:input|output"
    r"|completion|prompt|system|user|human|thought|action|observation|question|answer|response|reply"
    r"|task|role|instructions?|configuration|ausgabe|eingabe|frage|antwort|aufgabe|gedanke|aktion"
    r"|rolle|anweisung(?:en)?|konfiguration|entrée|sortie|réponse|tâche|rôle|consignes?|salida"
    r"|entrada|pregunta|respuesta|tarea|acción|instrucci(?:ón|ones)|uscita|domanda|risposta|compito"
    r"|azione|istruzioni|uitvoer|invoer|vraag|antwoord|taak|actie|instructies?|saída|pergunta"
    r"|resposta|tarefa|ação|instruç(?:ão|ões))(?:\s(?:of|from|von|de|du|di|van)\s[^\s:;,.]{1,30})?"
    r"|(?:[^\s:;,.]{1,30}\s){0,3}?(?i:(?:l[’'])?assist[ea]nt\w*|asistent\w*|robots?)"
    r"(?:\s[^\s:;,.]{1,30})?)\s?:(?:\s|$)"
)
# This many invisible characters, or accents that belong to no letter, cannot be an accident.
_FEWEST_ODD = 3
# Shifted letters, as rot13 makes them, have fewer vowels than any language in Latin letters.
_JUDGED_LETTERS = 25
_VOWEL_SHARE = 0.28
# A sentence with two of these is in plain letters, however few vowels it has (test, by, press).
_PLAIN = re.compile(
    r"\b(?:the|and|each|with|your|for|from|by|at|in|is|it|not|of|on|that|they|to|when"
    r"|das|der|die|und|mit|bis|nach|ein|fur|im|ist|nicht|oft|von|zu|zum|les|des|pour|avec|est|pas|sur|los|las|con"
    r"|del|que|se|gli|che|non|het|een|met|niet|uma|com|nao)\b"
)


def detect(text: str) -> str | None:
    """Return the passage because of which a page is refused, or None.

    The passage is printable, in lower case, and at most 120 characters long. The time taken is
    linear in the length of the text.
    """
    if hidden := _TAGS.search(text):
        return _shown("".join(chr(ord(ch) - 0xE0000) for ch in hidden[0]))
    seen = _seen(text)
    rules = _rules()
    for pattern in rules.markup:
        if found := pattern.search(seen):
            return _shown(found[0])
    for match in _SENTENCE.finditer(seen):
        if rules.apply(rules.refused, match[0]):
            return _shown(match[0])
    return None


def may_address_a_model(sentence: str) -> bool:
    """Return whether to withhold a sentence from the writer. Includes some harmless ones."""
    return any(
        _PART.search(seen := _seen(reading)) is not None
        or _is_no_prose(reading)
        or _rules().apply(_rules().doubtful, seen)
        for reading in _readings(sentence)
    )


def is_no_text_for_readers(sentence: str) -> bool:
    """Return whether to leave a sentence out of a text that is copied for readers, which no model
    reads: it is not plain prose, or addresses a model and no reader.

    What tells a reader to do something is no order to a model: “Write down the date.”
    """
    return any(map(_is_no_prose, _readings(sentence)))


def _readings(sentence: str) -> Iterator[str]:
    """Yield a sentence as it is; or, if it has names in programs, such as “busy_timeout”, and is
    about no tool, with their words apart, and with them in one: either may hide an order."""
    if "_" not in sentence or _TOOL.search(sentence):
        yield sentence
        return
    yield _NAME.sub(lambda name: name[0].replace("_", " "), sentence)
    yield _NAME.sub(lambda name: _JOINT.sub("", name[0]), sentence)


def _is_no_prose(sentence: str) -> bool:
    seen = _seen(sentence)
    rules = _rules()
    return (
        _NOT_PROSE.search(_HYPHENED.sub("", seen)) is not None
        or _TURN.search(seen) is not None
        or _is_disguised(sentence, seen)
        or rules.apply(rules.withheld, seen)
    )


def has_no_word_of_orders(text: str) -> bool:
    """Return whether a text has no word that orders to a model are made of. Most sentences have
    none; one that has some is given only for other reasons, such as what it is about."""
    rules = _rules()
    return not rules.apply(rules.wording, _seen(text))


@dataclass(frozen=True)
class _Rules:
    markup: Sequence[re.Pattern[str]]
    refused: Sequence[Sequence[str]]
    withheld: Sequence[Sequence[str]]
    doubtful: Sequence[Sequence[str]]
    wording: Sequence[Sequence[str]]
    groups: Mapping[str, re.Pattern[str]]

    def apply(self, rules: Sequence[Sequence[str]], sentence: str) -> bool:
        """Return whether a sentence has every group of one of the rules."""
        sentence = " ".join(sentence.split())
        folded = _folded(sentence)

        @cache
        def has(group: str) -> bool:
            text = sentence if group == "AI" else folded
            return self.groups[group].search(text) is not None

        return any(all(map(has, rule)) for rule in rules)


@cache
def _rules() -> _Rules:
    source = files(__package__).joinpath("prompt_injection.toml")
    data = tomllib.loads(source.read_text("utf-8"))
    return _Rules(
        markup=[re.compile(each, re.IGNORECASE) for each in data["markup"]],
        refused=data["refused_rules"],
        withheld=data["withheld_rules"],
        doubtful=data["doubtful_rules"],
        wording=[*data["withheld_rules"], *data["wording_rules"]],
        groups={
            name: re.compile(rf"\b(?:{'|'.join(listed)})(?!\w)")
            for name, listed in data["groups"].items()
        },
    )


def _is_disguised(sentence: str, seen: str) -> bool:
    if not sentence.isascii() and (
        _DISGUISE.search(sentence) is not None
        or len(_INVISIBLE.findall(sentence.replace("\u00ad", ""))) >= _FEWEST_ODD
        or len(_ACCENTS.findall(seen)) >= _FEWEST_ODD
    ):
        return True
    folded = _folded(seen)
    if len(set(_PLAIN.findall(folded))) > 1:
        return False
    letters = re.findall("[a-z]", folded)
    vowels = sum(letter in "aeiou" for letter in letters)
    return len(letters) >= _JUDGED_LETTERS and vowels / len(letters) < _VOWEL_SHARE


def _seen(text: str) -> str:
    """Return a text as a reader sees it, with one spelling for characters that look the same."""
    return text if text.isascii() else unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))


def _folded(seen: str) -> str:
    """Return lower case without accents, with lookalike letters as Latin ones, to compare words."""
    if seen.isascii():
        return seen.lower()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", seen))
    return bare.translate(_LOOKALIKES).casefold()


def _shown(passage: str) -> str:
    kept = "".join(ch if ch.isprintable() else " " for ch in passage)
    return " ".join(kept.split())[:MAX_SHOWN_CHARS].rstrip().lower()
