"""Refusals: how a model declines the task in so many words, in place of doing it.

A refusal opens the answer and speaks of the writer ("I", "we") and of the task. A post about
refusals speaks of others, or comes to it later: only how a text opens is looked at.
"""

import re

# What a model says before it declines: regret, courtesy, what it is.
_OPENING = r"""
    (?:(?:i['’]?\s?a?m\ (?:very\ |so\ |really\ |truly\ )?(?:sorry|afraid)|(?:i\ )?apologi[sz]e|sorry
      |my\ apologies|unfortunately|regrettably|thank\ you\ for\ (?:asking|your\ request)
      |i\ understand[^.!?\n]{0,80}|i\ appreciate[^.!?\n]{0,80}
      |i\ regret(?:\ to\ (?:say|inform\ you))?)
      [,.:;!—–-]*\s*)?
    (?:but\ |however,\ |that\ )?(?:as\ an?\ ai\b[^,.]{0,80},\ )?
"""
# "I cannot help but admire …" is prose.
_ENGLISH = rf"""{_OPENING}
    (?:(?:i|we)\ (?:must|have\ to|need\ to)\ (?:respectfully\ |politely\ )?(?:decline|refuse)\b
    |i(?:['’]m|\ am)\ going\ to\ (?:have\ to\ )?(?:decline|refuse)\b
    |i\ (?:respectfully\ |politely\ )?decline\ to\b
    |(?:i|we)(?:\ can['’]?t|\ cannot|\ can\ not|\ am\ unable\ to|\ are\ unable\ to|\ won['’]?t
      |\ will\ not|['’]m\ unable\ to|['’]re\ unable\ to|['’]m\ not\ able\ to|\ am\ not\ able\ to
      |['’]m\ not\ comfortable|\ am\ not\ comfortable|['’]m\ not\ allowed\ to|\ am\ not\ allowed\ to
      |['’]m\ not\ going\ to|\ am\ not\ going\ to|['’]d\ rather\ not|\ do\ not\ feel\ comfortable
      |\ don['’]t\ feel\ comfortable)\ (?:to\ |with\ )?
      (?:assist(?:ing)?|help(?:ing)?(?!\ but\b)|provid(?:e|ing)|creat(?:e|ing)|writ(?:e|ing)
      |fulfill?|comply|generat(?:e|ing)|produc(?:e|ing)|support|continu(?:e|ing)|engag(?:e|ing)
      |do(?:ing)?\ (?:that|this)|discuss(?:ing)?|answer)\b
    |(?:this|that|your)\ request\ (?:violates|goes\ against|conflicts\ with|is\ not\ something\ i)\b
    |(?:this|that)\ (?:is\ not|isn['’]t)\ something\ (?:that\ )?i\ can\ (?:help|assist|write|do)\b
    |it\ (?:would\ be|is)\ (?:inappropriate|unethical|against\ my\ (?:guidelines|policies))
      \b[^.!?\n]{{0,40}}\bfor\ me\ to\b
    |(?:content|response)\ (?:blocked|withheld|filtered)\ (?:by|due\ to)\b)
"""
_GERMAN = r"""
    (?:(?:es\ tut\ mir\ (?:sehr\ |wirklich\ )?leid|tut\ mir\ leid|leider|entschuldigung|entschuldige
      |entschuldigen\ sie|ich\ bitte\ um\ verständnis|ich\ verstehe[^.!?\n]{0,80})[,.:;!–-]*\s*)?
    (?:aber\ |dass\ |doch\ )?(?:als\ (?:eine?\ )?(?:ki|sprachmodell)\b[^,.]{0,60}\ )?
    (?:(?:ich|wir)\ (?:kann|darf|möchte|werde|können|dürfen|möchten|werden)
      \b[^.!?\n]{0,80}\b(?:nicht|kein\w*)\b[^.!?\n]{0,80}
      \b(?:helfen|behilflich|unterstützen|schreiben|erstellen|verfassen|erfüllen|nachkommen
      |beantworten
      |entsprechen|liefern|generieren|bereitstellen|weiterhelfen|dienen)\b
    |(?:kann|darf|möchte|werde)\ ich\b[^.!?\n]{0,80}\b(?:nicht|kein\w*)\b[^.!?\n]{0,80}
      \b(?:helfen|behilflich|unterstützen|schreiben|erstellen|verfassen|erfüllen|nachkommen
      |beantworten
      |entsprechen|liefern|generieren|bereitstellen|weiterhelfen|dienen)\b
    |ich\ (?:muss|möchte)\ (?:diese\ (?:anfrage|bitte)|das|dies)\ (?:leider\ )?ablehnen
    |(?:dabei|damit|hierbei)\ (?:kann|darf)\ ich\ (?:dir|ihnen|euch)?
      \s?(?:leider\ )?nicht\ (?:weiter)?helfen
    |diese\ anfrage\ (?:verstößt|kann\ ich\ nicht))
"""
_FRENCH = r"""
    (?:(?:(?:je\ suis\ |nous\ sommes\ )?(?:vraiment\ |sincèrement\ )?désolée?s?|malheureusement
      |je\ m['’]excuse|toutes\ mes\ excuses|je\ regrette|je\ comprends[^.!?\n]{0,80})[,.:;!–-]*\s*)?
    (?:mais\ |de\ vous\ dire\ que\ )?
    (?:en\ tant\ qu['’e][^,.]{0,60},\ )?
    (?:(?:je|nous)\ ne\ (?:peux|puis|pouvons|suis)\ (?:malheureusement\ )?(?:pas\ )?
      (?:en\ mesure\ de\ |autorisée?\ à\ |pas\ )?(?:vous\ |t['’]|te\ |l['’]|y\ )?
      (?:aider|assister|écrire|rédiger|créer|fournir|générer|produire|répondre|satisfaire|accéder)\b
    |je\ (?:dois|suis\ obligée?\ de)\ (?:décliner|refuser)\b
    |je\ refuse\ (?:d['’]écrire|de\ rédiger|de\ répondre)\b
    |je\ (?:suis\ dans\ l['’]incapacité|n['’]ai\ pas\ la\ possibilité)\ (?:de|d['’])
    |cette\ demande\ (?:enfreint|va\ à\ l['’]encontre))
"""
_SPANISH = r"""
    (?:(?:lo\ siento(?:\ mucho)?|lamentablemente|desafortunadamente|disculpa|disculpe|perdón
      |lamento(?:\ decir\ que)?|entiendo[^.!?\n]{0,80})[,.:;!–-]*\s*)?
    (?:pero\ |que\ )?(?:como\ (?:una?\ )?(?:ia|modelo\ de\ lenguaje)\b[^,.]{0,60},\ )?
    (?:(?:yo\ )?no\ (?:puedo|podemos|podré|voy\ a|me\ es\ posible|estoy\ autorizad[oa]\ a
      |estoy\ en\ condiciones\ de|estoy\ capacitad[oa]\ para)\ (?:te\ |le\ )?
      (?:ayudar|asistir|escribir|redactar|crear|proporcionar|generar|producir|cumplir|responder
      |atender|brindar)(?:te|le|los|les)?\b
    |(?:debo|tengo\ que)\ (?:rechazar|declinar|negarme)\b
    |me\ niego\ a\b
    |esta\ solicitud\ (?:infringe|va\ en\ contra|viola))
"""
_ITALIAN = r"""
    (?:(?:mi\ dispiace(?:\ molto)?|purtroppo|sfortunatamente|mi\ scuso|spiacente|scusa
      |capisco[^.!?\n]{0,80})
      [,.:;!–-]*\s*)?
    (?:ma\ )?(?:in\ quanto\ (?:ia|modello)[^,.]{0,60},\ )?
    (?:(?:io\ )?non\ (?:posso|possiamo|potrò|sono\ in\ grado\ di|mi\ è\ possibile
      |sono\ autorizzat[oa]\ a)[ ](?:aiutar|assister|scriver|redigere|crear|fornir|generar
      |produrr|soddisfar|risponder)\w*
    |(?:devo|debbo)\ (?:rifiutare|declinare|rifiutarmi)\b
    |mi\ rifiuto\ di\b
    |questa\ richiesta\ (?:viola|va\ contro))
"""
_PORTUGUESE = r"""
    (?:(?:sinto\ muito|lamento(?:\ informar)?|desculpe|desculpa|infelizmente|peço\ desculpas?
      |me\ desculpe|entendo[^.!?\n]{0,80})[,.:;!–-]*\s*)?
    (?:mas\ |que\ )?(?:como\ (?:uma?\ )?(?:ia|modelo\ de\ linguagem)\b[^,.]{0,60},\ )?
    (?:(?:eu\ )?não\ (?:posso|podemos|poderei|vou|consigo|estou\ autorizad[oa]\ a|sou\ capaz\ de
      |me\ é\ possível)\ (?:te\ |lhe\ |o\ )?
      (?:ajudar|auxiliar|escrever|redigir|criar|fornecer|gerar|produzir|cumprir|atender|responder)
      (?:-(?:te|lhe|lo|la))?\b
    |(?:devo|tenho\ (?:que|de))\ (?:recusar|declinar)\b
    |(?:eu\ )?me\ recuso\ a\b
    |(?:esta|essa)\ solicitação\ (?:viola|vai\ contra))
"""
_DUTCH = r"""
    (?:(?:het\ spijt\ me(?:\ zeer)?|sorry|helaas|mijn\ excuses
      |ik\ begrijp[^.!?\n]{0,80})[,.:;!–-]*\s*)?
    (?:maar\ )?(?:dat\ )?(?:als\ (?:een\ )?(?:ai|taalmodel)\b[^,.]{0,60}\ )?
    (?:(?:ik\ (?:kan|mag|zal|wil)|(?:kan|mag|zal|wil)\ ik|(?:we|wij)\ kunnen)
      \b[^.!?\n]{0,80}\b(?:niet|geen)\b[^.!?\n]{0,80}
      \b(?:helpen|assisteren|schrijven|maken|verstrekken|genereren|voldoen|beantwoorden|ondersteunen
      |leveren|ingaan)\b
    |ik\ moet\ (?:dit|dat|deze\ aanvraag|dit\ verzoek)\ (?:helaas\ )?(?:weigeren|afwijzen)
    |(?:daar|hier)(?:bij|mee|aan)?\ kan\ ik\ (?:je|u|jou)?
      \s?(?:helaas\ )?niet\ (?:bij|mee)?\s?helpen
    |(?:deze\ aanvraag|dit\ verzoek)\ (?:schendt|is\ in\ strijd))
"""
_REFUSAL = re.compile(
    "|".join(
        f"(?:{source})"
        for source in (_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _ITALIAN, _PORTUGUESE, _DUTCH)
    ),
    re.IGNORECASE | re.VERBOSE,
)
# An object instead of the words: {"error": "I cannot …"}, {"refusal": "…"}.
_OBJECT = re.compile(r'\{\s*"(?P<key>refusal|refused|error|message)"\s*:\s*"(?P<words>[^"]{1,400})')
# A text that opens with what somebody says, and goes on.
_QUOTED = re.compile(r"""\s{0,20}(?:["“„][^"“”\n]{1,300}["”“]|«[^»\n]{1,300}»)\s{0,5}\w""")
# Reasons for which endpoints say that an answer ended, when it is not one.
_REASONS = frozenset(
    {
        "content_filter", "content_filtered", "refusal", "safety", "prohibited_content",
        "blocklist", "spii", "guardrail_intervened", "moderation", "recitation",
    }
)  # fmt: skip


def is_refusal(text: str) -> bool:
    """Whether a model's text declines the task in so many words, in place of doing it."""
    if _QUOTED.match(text):
        return False
    opening = text.lstrip(" \t\r\n\"'“„«*_>¡¿")
    if opening.startswith("{") and (found := _OBJECT.match(opening)):
        return found["key"] in {"refusal", "refused"} or bool(_REFUSAL.match(found["words"]))
    return bool(_REFUSAL.match(opening))


def is_refusal_reason(finish_reason: str | None) -> bool:
    """Whether an endpoint's reason for the end of an answer says that it was declined."""
    return finish_reason is not None and finish_reason.lower() in _REASONS
