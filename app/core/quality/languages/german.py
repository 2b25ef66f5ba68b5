"""German. Flesch after Amstad."""

import re

from app.core.quality.languages.rules import Passive, Phrases, Rules, either, one_of

RULES = Rules(
    hyphenation="de_DE",
    flesch=(180.0, 1.0, 58.5),
    long_sentence=20,
    transitions=Phrases(
        """
aber|abgesehen davon|abschließend|allerdings|also|alsdann|anders ausgedrückt|andererseits
andernfalls|anfangs|anschließend|anstatt|auch|aufgrund|aus diesem Grund|außer|außerdem|bald
beispielsweise|bevor|bezüglich|bis|da|dabei|dadurch|dafür|dagegen|daher|dahingehend|damals|damit
danach|daneben|dank|dann|darauf|daraufhin|darüber hinaus|darum|das heißt|dass|davor|dazu|dementgegen
dementsprechend|demgegenüber|demnach|demzufolge|denn|dennoch|des Weiteren|deshalb|desto|deswegen
doch|drittens|ebenfalls|ebenso|ein Beispiel|einerseits|einschließlich|endlich|ergo|erst|erstens
etwa|falls|ferner|folglich|genau genommen|genauso|gleichermaßen|gleichfalls|gleichwohl|gleichzeitig
hauptsächlich|hierbei|hierdurch|hierfür|hingegen|im Allgemeinen|im Anschluss|im Folgenden
im Gegensatz|im Gegenteil|im Großen und Ganzen|im Grunde|im Hinblick auf|im Prinzip
im Vergleich|in Bezug auf|in der Folge|in der Regel|in diesem Fall|in diesem Sinne
in jedem Fall|indem|indes|indessen|infolge|infolgedessen|inklusive|insbesondere|insofern|insoweit
inzwischen|jedenfalls|jedoch|kurz gesagt|kurzum|letztendlich|letztlich|mit anderen Worten|mithin
mittlerweile|möglicherweise|nachdem|nachher|natürlich|nebenbei|nebst|nichtsdestotrotz
nichtsdestoweniger|nicht zuletzt|nun|nunmehr|ob|obgleich|obschon|obwohl|ohne|ohnehin|schließlich
seit|seitdem|selbst wenn|so|sobald|sodann|sodass|sofern|sofort|sogar|solange|somit|sondern|sonst
soweit|sowie|sowohl|später|stattdessen|tatsächlich|trotz|trotzdem|überdies|überhaupt|übrigens
um|umso|unabhängig davon|ungeachtet|unter anderem|vielmehr|vor allem|vorausgesetzt|vorher|während
währenddessen|wegen|weil|weiterhin|weiters|wenn|wenngleich|wie gesagt|wiederum|wobei|wodurch
wogegen|wohingegen|womit|z. B.|zu diesem Zweck|zudem|zuerst|zufolge|zugleich|zuletzt|zum Beispiel
zum einen|zum anderen|zum Schluss|zumal|zumindest|zunächst|zusammenfassend|zusätzlich|zuvor|zwar
zweitens|zwischenzeitlich|damit|bevor|ehe|d. h.
entweder … oder|weder … noch|nicht nur … auch|je … desto
"""
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
