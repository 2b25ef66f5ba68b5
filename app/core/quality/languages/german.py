"""German. Flesch after Amstad."""

import re

from app.core.quality.languages.rules import Passive, Phrases, Rules, either, one_of

RULES = Rules(
    hyphenation="de_DE",
    flesch=(180.0, 1.0, 58.5),
    long_sentence=20,
    transitions=Phrases(
        """
# addition
außerdem|zudem|überdies|darüber hinaus|des weiteren|ferner|ebenfalls|ebenso|gleichfalls|zusätzlich
weiterhin|hinzu kommt|dazu kommt|obendrein|ganz zu schweigen von|sowie|im übrigen|übrigens
mehr noch
# contrast
aber|jedoch|doch|allerdings|dagegen|hingegen|sondern|während|wohingegen|im gegensatz dazu
im gegensatz zu|im gegenteil|andererseits|einerseits|andernfalls|ansonsten|sonst|stattdessen
anstatt|umgekehrt|vielmehr|demgegenüber|auf der einen seite|auf der anderen seite|im unterschied zu
alternativ|indessen
# concession
obwohl|obgleich|obschon|trotzdem|trotz|dennoch|gleichwohl|nichtsdestotrotz|nichtsdestoweniger
wenngleich|wenn auch|auch wenn|selbst wenn|immerhin|zugegeben|freilich|ungeachtet|dessen ungeachtet
wie dem auch sei|jedenfalls|auf jeden fall
# cause
weil|denn|aufgrund|wegen|dank|infolge|angesichts|aus diesem grund|aus diesen gründen|zumal|nämlich
weswegen|weshalb|insofern als
# consequence
deshalb|deswegen|daher|darum|demnach|folglich|infolgedessen|somit|mithin|demzufolge|also|sodass
so dass|dementsprechend|daraus folgt|das heißt|als folge
# condition
wenn|falls|sofern|solange|vorausgesetzt|unter der bedingung|unter der voraussetzung|für den fall
es sei denn|in diesem fall|soweit|je nachdem|außer wenn|unter diesen umständen
# time and order
zuerst|zunächst|erstens|zweitens|drittens|dann|danach|anschließend|daraufhin|darauf
im anschluss daran|schließlich|letztlich|letztendlich|zuletzt|zum schluss|am ende|endlich
inzwischen|unterdessen|mittlerweile|währenddessen|gleichzeitig|zugleich|bevor|nachdem|sobald
seitdem|seither|bisher|bis dahin|vorher|zuvor|nachher|hinterher|von nun an|zu beginn|anfangs
im folgenden|in der zwischenzeit|kurz darauf|an erster stelle|in erster linie|als erstes
als nächstes
# example
zum beispiel|beispielsweise|unter anderem|wie zum beispiel|insbesondere|im einzelnen
um ein beispiel zu nennen|als beispiel|und zwar|genauer gesagt
# emphasis
vor allem|vor allen dingen|tatsächlich|in der tat|zweifellos|ohne zweifel|ohne frage|sicherlich
selbstverständlich|natürlich|offensichtlich|wohlgemerkt|gerade deshalb|in wirklichkeit|bekanntlich
# comparison
ähnlich|ähnlich wie|genauso|genauso wie|ebenso wie|gleichermaßen|in gleicher weise
auf dieselbe weise|auf die gleiche weise|im vergleich zu|im vergleich dazu|verglichen mit|als ob
analog dazu
# summary
zusammenfassend|zusammengefasst|kurz gesagt|kurzum|kurz und gut|insgesamt|alles in allem
im großen und ganzen|im allgemeinen|abschließend|im wesentlichen|mit anderen worten|anders gesagt
anders ausgedrückt|unterm strich|im endeffekt
# purpose
damit nicht|zu diesem zweck|mit dem ziel|hierzu|ohne dass|indem
# in pairs
nicht nur … sondern auch|sowohl … als auch|weder … noch|entweder … oder|einerseits … andererseits
zum einen … zum anderen|teils … teils|zwar … aber|zwar … jedoch|so … dass|derart … dass|wenn … dann
je … desto|je … umso|ebenso … wie|um … zu|anstatt … zu|ohne … zu
""",
        opening="weiter|so|nun",
    ),
    passive=Passive(
        auxiliaries=one_of("werde wirst wird werden werdet wurde wurdest wurden wurdet worden"),
        participle=re.compile(
            r"(?:ab|an|auf|aus|bei|durch|ein|fest|frei|her|hin|los|mit|nach|um|vor|weg|weiter|wieder"
            r"|zu|zurück|zusammen|hinzu|heraus|bereit|fort|dar|bekannt|sicher)?ge\w{2,}(?:t|en)"
            r"|\w{2,}iert|(?:be|ver|er|ent|emp|zer|miss|über|unter|hinter|wider)\w{2,}t"
            r"|(?:be|ver|er|ent|emp|zer)\w*(?:oss|und|och|omm|ob|og|or|ott|ies|ieh|ung|orf|iff|itt|iss)en"
            r"|begonnen|behalten|beschlossen|beschrieben|betrieben|bewiesen|bezogen|empfohlen"
            r"|entnommen|entschieden|erhalten|erhoben|erschlossen|erwiesen|übernommen|überschrieben"
            r"|übertragen|unterbrochen|unternommen|unterschrieben|unterstrichen|verboten"
            r"|verbunden|vergessen|verglichen|verliehen|verloren|vermieden|verschoben|verschrieben"
            r"|verstanden|vertreten|vertrieben|verworfen"
        ),
        not_participles=one_of(
            "geben gehen gelten gewinnen gefallen gehören gelingen genießen geschehen gestalten"
            " gewöhnen genügen gelangen gegen gerecht gesamt gesund gewohnt geht gibt gelernten"
            " getrennten geraten gestehen geraden genauen gesamten großen bereit"
        ),
        between=one_of("dass weil wenn ob obwohl während nachdem bevor damit und oder aber sondern"),
        either_order=True,
    ),
    articles=one_of(
        "der die das den dem des ein eine einen einem einer eines eins zwei drei vier fünf sechs"
        " sieben acht neun zehn dieser diese dieses diesen diesem"
    ),
    self_reference=either(
        "artikel|beitrag|blogpost|ratgeber|text|leitfaden",
        r"""
\bin (?:diesem|dem folgenden|unserem) (?:Artikel|Beitrag|Blogbeitrag|Blogartikel|Blogpost|Ratgeber|Text|Leitfaden)\b
\b(?:dieser|der|unser) (?:Artikel|Beitrag|Blogbeitrag|Blogartikel|Blogpost|Ratgeber) (?:stellt|zeigt|erklärt|behandelt|beschreibt|befasst|beleuchtet|gibt|bietet|führt)\b
"""
    ),
    assistant=either(
        """
als ki|als ein ki|als eine ki|künstliche intelligenz|sprachmodell|ich bin|natürlich|gern
selbstverständlich|klar|hier ist|hier sind|hier kommt|ich hoffe|mich wissen|meine trainingsdaten
""",
        r"""
\bals (?:eine? )?(?:KI|künstliche Intelligenz|(?:großes )?Sprachmodell|KI-(?:Sprachmodell|Assistent|Modell))\b(?:,|[^.!?\n]{0,40}\b(?:ich|mir|mich)\b)
\bich bin (?:nur )?(?:eine? )?(?:KI|Sprachmodell|virtueller Assistent|künstliche Intelligenz)\b
^[ \t]{0,20}(?:Natürlich|Gerne|Gern|Selbstverständlich|Klar)\s*[,!.]\s*(?:hier|ich)\b
\bhier (?:ist|sind|kommt) (?:ein|eine|der|die|dein|deine|Ihr|Ihre) (?:\w{1,40} ){0,3}(?:Absatz|Einleitung|Fazit|Artikel|Blogbeitrag|Entwurf|Meta-Beschreibung)\b
\bich hoffe,? (?:das|dies|dieser Text) hilft\b
\blass(?:en Sie)? (?:es )?mich wissen,? (?:wenn|ob|falls)\b
\bmeine Trainingsdaten\b
"""
    ),
    task_talk=either(
        "dieser absatz",
        r"""
\bdieser Absatz\b
"""
    ),
    placeholder=either(
        "[|<|{",
        r"""
[\[<{]\s*(?:hier|Ihr|Ihre|Ihren|dein|deine|Firma|Firmenname|Unternehmen|Name|Produkt|Datum|Stadt|Thema|Marke|Autor|einfügen)\b[^\]>}\n]{0,200}[\]>}]
[\[<{][^\]>}\n]{1,80}\b(?:einfügen|einsetzen|eintragen)[\]>}]
"""
    ),
    unfinished=re.compile(
        r"(?:^|\s)(?:und|oder|der|die|das|den|dem|des|ein|eine|weil|dass|wenn|sowie)(?:…|\.{2,})$",
        re.IGNORECASE,
    ),
    empty_headings=frozenset(
        {"einleitung", "einführung", "fazit", "schluss", "zusammenfassung", "häufige fragen",
         "überblick", "schlussfolgerung"}
    ),
)  # fmt: skip
