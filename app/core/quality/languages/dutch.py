"""Dutch. Flesch after Douma."""

import re

from app.core.quality.languages.rules import Passive, Phrases, Rules, either, one_of

RULES = Rules(
    hyphenation="nl_NL",
    flesch=(206.84, 0.93, 77.0),
    long_sentence=20,
    transitions=Phrases(
        """
# addition
bovendien|daarnaast|verder|eveneens|tevens|voorts|daarbij komt|daar komt bij|alsmede|alsook|evenals
evenmin|laat staan|om nog maar te zwijgen van|sterker nog|wat meer is|overigens|trouwens
op de koop toe
# contrast
maar|echter|daarentegen|terwijl|integendeel|in tegenstelling tot|aan de andere kant|aan de ene kant
enerzijds|anderzijds|in plaats van|in plaats daarvan|anders dan|zo niet|omgekeerd|daartegenover
daar staat tegenover
# concession
hoewel|ofschoon|alhoewel|toch|desondanks|desalniettemin|niettemin|niettegenstaande|ondanks
ondanks dat|ook al|zelfs als|weliswaar|hoe dan ook|in ieder geval|in elk geval|tenminste|toegegeven
dat gezegd hebbende|dat neemt niet weg dat|evengoed|ongeacht|per slot van rekening|tenslotte
# cause
omdat|want|doordat|aangezien|vanwege|wegens|dankzij|als gevolg van|ten gevolge van|om deze reden
om die reden|gelet op|immers|namelijk|op grond van|te meer daar|temeer omdat
# consequence
dus|daarom|daardoor|hierdoor|bijgevolg|derhalve|zodoende|dientengevolge|waardoor|zodat|vandaar dat
dat is waarom|als gevolg daarvan|met als gevolg dat|dit betekent dat|dat betekent dat
hieruit volgt dat|op die manier|op deze manier|aldus
# condition
als|indien|mits|tenzij|wanneer|op voorwaarde dat|in geval van|voor het geval dat|in dat geval|zo ja
stel dat|aangenomen dat|ervan uitgaande dat|zolang|voor zover|voorzover|onder die omstandigheden
# time and order
allereerst|ten eerste|ten tweede|ten derde|ten slotte|in de eerste plaats|in de tweede plaats
om te beginnen|eerst|vervolgens|daarna|hierna|waarna|naderhand|uiteindelijk|tot slot|aan het begin
in het begin|aanvankelijk|intussen|ondertussen|inmiddels|in de tussentijd|tegelijkertijd
gelijktijdig|voordat|alvorens|nadat|zodra|sinds|sindsdien|totdat|tot dusver|tot nu toe|voordien
eerder|voorheen|vanaf dat moment|kort daarna|telkens wanneer|naarmate
# example
bijvoorbeeld|zoals|zoals bijvoorbeeld|ter illustratie|onder andere|onder meer
bij wijze van voorbeeld|te weten|met name|in het bijzonder|meer bepaald|dat wil zeggen
# emphasis
vooral|bovenal|voornamelijk|inderdaad|ongetwijfeld|zonder twijfel|zonder meer|uiteraard|natuurlijk
vanzelfsprekend|het is duidelijk dat|in feite|opvallend is dat|belangrijk is dat|welteverstaan
# comparison
evenzo|net als|net zoals|op dezelfde manier|op dezelfde wijze|op gelijke wijze|vergelijkbaar met
in vergelijking met|vergeleken met|alsof
# summary
kortom|samengevat|samenvattend|concluderend|tot besluit|afsluitend|al met al|alles overziend
over het geheel genomen|in het algemeen|over het algemeen|in het kort|in een notendop
met andere woorden|anders gezegd|kort gezegd|in grote lijnen
# purpose
opdat|teneinde|met het oog op|met als doel|met het doel|daartoe|hiertoe|te dien einde
# in pairs
niet alleen … maar ook|niet alleen … ook|zowel … als|noch … noch|hetzij … hetzij|deels … deels
enerzijds … anderzijds|aan de ene kant … aan de andere kant|weliswaar … maar|zo … dat|zodanig … dat
dermate … dat|als … dan|even … als|net zo … als|om … te
""",
        opening="nog|doch|zo|toen|nu|dan",
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
