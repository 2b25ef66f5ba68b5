"""Dutch. Flesch after Douma."""

import re

from app.core.quality.languages.rules import Passive, Phrases, Rules, either, one_of

RULES = Rules(
    hyphenation="nl_NL",
    flesch=(206.84, 0.93, 77.0),
    long_sentence=20,
    transitions=Phrases(
        """
aangezien|al met al|als|als gevolg|als laatste|alsmede|alsof|alvorens|anders|anders gezegd
behalve|bij gevolg|bijgevolg|bijvoorbeeld|bovendien|concluderend|daar|daarbij|daarbovenop
daardoor|daarenboven|daarentegen|daarna|daarnaast|daarom|daartoe|daarvoor|dan|dat wil zeggen
deels|dankzij|des te|desalniettemin|deswege|desondanks|dientengevolge|doch|doordat|dus|echter
eerst|eindelijk|en toch|enerzijds|anderzijds|er is sprake van|evenals|eveneens|evenwel|evenzeer
evenzo|gelet op|gesteld dat|gezien|hetzelfde als|hierbij|hierdoor|hieruit|hiervoor|hoe dan ook
hoewel|immers|in dat geval|in dit geval|in de eerste plaats|in de tweede plaats|in conclusie
in feite|in het algemeen|in het bijzonder|in het kort|in het verlengde|in plaats van|in tegendeel
in tegenstelling tot|in vergelijking met|in verband met|indien|ingeval|integendeel|intussen
inmiddels|kortom|later|maar|met andere woorden|met als doel|met betrekking tot|met dien verstande
met name|mits|na|naarmate|nadat|namelijk|natuurlijk|naast|net als|net zoals|niet alleen
niettegenstaande|niettemin|nochtans|nogmaals|nu|ofschoon|om|om die reden|om te beginnen|omdat
ondanks|ondertussen|ook|op deze manier|op dezelfde manier|op die manier|op grond van|opdat
overigens|over het algemeen|pas|sinds|slotsom|sindsdien|sommige|stel dat|samengevat|samenvattend
te danken aan|te wijten aan|teneinde|tenminste|ten minste|tenslotte|ten slotte|ten eerste|ten tweede
ten derde|ten gevolge van|ter conclusie|tenzij|terwijl|tevens|toch|toen|toch|totdat|tot slot
uit|uiteindelijk|uiteraard|vanwege|vanzelfsprekend|verder|vergeleken met|vervolgens|vooral|vooraleer
vooralsnog|voorheen|voordat|voor zover|voorts|vroeger|waardoor|waarna|wanneer|want|weliswaar|wegens
ter illustratie|te weten|voornamelijk|zelfs|zo|zoals|zodat|zodoende|zodra|zolang|zonder|zowel
een voorbeeld|onder andere|onder meer|want
hetzij … hetzij|noch … noch|zowel … als|niet alleen … ook|of … of|hoe … hoe
"""
    ),
    passive=Passive(
        auxiliaries=one_of("word wordt worden werd werden geworden"),
        participle=re.compile(
            r"(?:aan|achter|af|bij|binnen|door|in|mee|na|neer|om|onder|op|over|samen|terug|toe|uit"
            r"|vast|voor|vrij|weg|plaats)?ge\w{2,}(?:d|t|en)|(?:be|er|her|ont|ver)\w{2,}(?:d|t|en)"
            r"|gedaan|gezien|ondersteund|onderzocht|overwogen|voltooid|misbruikt"
        ),
        not_participles=one_of(
            "geen gegeven geheel gelijk gemeen genoeg gewoon geleden geweest geworden gebied"
            " gezond gezonde getal bent best bekend verder vervolgens beter beste echt erg eerst"
            " bedrijven verschillende vent hert het"
        ),
        between=one_of("dat omdat als of hoewel terwijl nadat voordat en maar die toen"),
        either_order=True,
    ),
    articles=one_of("de het een één twee drie vier vijf zes zeven acht negen tien deze dit die dat"),
    self_reference=either(
        "artikel|blog|bericht|stuk|deze gids|handleiding|deze post",
        r"""
\bin (?:dit|het volgende) (?:artikel|blog|blogbericht|bericht|stuk)\b
\bin deze (?:blog|blogpost|gids|handleiding|post)\b
\b(?:dit artikel|deze blog|deze blogpost|deze gids|het artikel) (?:introduceert|verkent|bespreekt|behandelt|beschrijft|legt|geeft|biedt|laat)\b
"""
    ),
    assistant=either(
        """
als ai|als een ai|kunstmatige intelligentie|taalmodel|virtuele assistent|ik ben|natuurlijk|zeker
uiteraard|graag|hier is|hier zijn|hier volgt|ik hoop dat|me weten|mij weten|het weten
mijn trainingsgegevens
""",
        r"""
\bals (?:een )?(?:AI|kunstmatige intelligentie|(?:groot )?taalmodel|AI-(?:taalmodel|assistent|model)|virtuele assistent)\b(?:,|[^.!?\n]{0,40}\b(?:ik|mij|mijn)\b)
\bik ben (?:een )?(?:AI|taalmodel|virtuele assistent|kunstmatige intelligentie)\b
^[ \t]{0,20}(?:Natuurlijk|Zeker|Uiteraard|Graag)\s*[,!.]\s*(?:hier|ik)\b
\bhier (?:is|zijn|volgt) (?:een|de|het|je|jouw|uw) (?:\w{1,40} ){0,3}(?:alinea|inleiding|conclusie|artikel|blogpost|concept|metabeschrijving)\b
\bik hoop dat (?:dit|het) helpt\b
\blaat (?:het )?(?:me|mij) (?:het )?weten\b
\bmijn trainingsgegevens\b
"""
    ),
    task_talk=either(
        "deze alinea",
        r"""
\bdeze alinea\b
"""
    ),
    placeholder=either(
        "[|<|{",
        r"""
[\[<{]\s*(?:voeg|vul|uw|jouw|je|naam|bedrijf|bedrijfsnaam|merk|product|datum|stad|onderwerp|auteur)\b[^\]>}\n]{0,200}[\]>}]
"""
    ),
    unfinished=re.compile(
        r"(?:^|\s)(?:en|of|de|het|een|omdat|maar|dat|van)(?:…|\.{2,})$", re.IGNORECASE
    ),
    empty_headings=frozenset(
        {"inleiding", "introductie", "conclusie", "samenvatting", "veelgestelde vragen", "slot"}
    ),
)  # fmt: skip
