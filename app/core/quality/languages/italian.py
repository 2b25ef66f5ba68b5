"""Italian. Flesch after Franchina and Vacca."""

import re

from app.core.quality.languages.rules import Passive, Phrases, Rules, either, one_of

RULES = Rules(
    hyphenation="it",
    flesch=(217.0, 1.3, 60.0),
    long_sentence=25,
    transitions=Phrases(
        """
a causa di|a condizione che|a differenza di|a dire il vero|a dispetto di|a meno che|a parte
a patto che|a proposito di|a tal fine|a tale scopo|a volte|affinché|al contrario|al fine di
al posto di|al tempo stesso|allo stesso modo|allo stesso tempo|allora|alla fine|all'inizio
altrettanto|altrimenti|anche|anche se|ancora|anzi|anzitutto|appena|benché|bensì|certamente|certo
che sia|chiaramente|cioè|ciò nonostante|ciononostante|com'è noto|come|come già detto
comunque|con il risultato che|così|così come|così che|cosicché|da allora|da un lato|da una parte
dal momento che|dall'altra parte|dall'altro|dapprima|dato che|davvero|del resto|di conseguenza
di fatto|di solito|difatti|dopo|dopo che|dopodiché|dopotutto|dove|dunque|durante|e quindi|eccetto
effettivamente|entro|eppure|fermo restando|finché|fino a|fintanto che|generalmente|già|grazie a
il risultato è|importante ricordare|in altre parole|in altri termini|in aggiunta|in breve
in caso di|in conclusione|in confronto|in definitiva|in effetti|in fin dei conti|in generale
in genere|in ogni caso|in ogni modo|in particolare|in poche parole|in primo luogo|in realtà
in secondo luogo|in seguito|in sintesi|in sostanza|in tal caso|in tal modo|in terzo luogo
in ultimo|in verità|inaspettatamente|infatti|infine|innanzitutto|inoltre|insomma|intanto|invece
ma|malgrado|mentre|nel caso|nel complesso|nel frattempo|nello stesso modo|nello specifico
nonché|nondimeno|nonostante|non appena|oltre a|oltretutto|onde|oppure|ora|ossia|ovvero|ovviamente
parallelamente|per cominciare|per concludere|per esempio|ad esempio|per finire|per fortuna
per il resto|per iniziare|per prima cosa|per questa ragione|per questo|per questo motivo
per quanto|per quanto riguarda|per riassumere|per tale motivo|perché|perciò|però|piuttosto|più tardi
poi|poiché|precedentemente|prima|prima di|prima di tutto|principalmente|proprio|purché|pure
purtroppo|quando|quindi|qualora|riassumendo|rispetto a|salvo|se|sebbene|secondo|seguentemente
sempre che|senza|senza dubbio|siccome|similmente|soprattutto|specialmente|specificamente
subito|successivamente|talvolta|tanto più|tra l'altro|tranne|tuttavia|tutto sommato|ultimo
una volta|vale a dire|viceversa|visto che
né … né|sia … sia|sia … che|non solo … anche|o … o
"""
    ),
    passive=Passive(
        auxiliaries=one_of(
            "è sono era erano fu furono sarà saranno sarebbe sarebbero stato stata stati state essere"
            " essendo sia siano viene vengono veniva venivano verrà verranno venne vennero venire"
        ),
        participle=re.compile(
            r"\w{2,}(?:at|ut|it)[oaie]"
            r"|(?:fatt|dett|scritt|descritt|lett|prodott|condott|ridott|tradott|costrutt|distrutt|mess"
            r"|ammess|permess|pres|compres|spes|chies|decis|divis|inclus|chius|espress|vist|previst"
            r"|apert|copert|scopert|offert|scelt|tolt|raccolt|risolt|rott|corrett|dirett|post|propost"
            r"|compost|spint|vint|tenut|stes|difes|richiest|aggiunt|raggiunt)[oaie]"
        ),
        not_participles=one_of(
            "lato lati stato stati mercato mercati risultato risultati andato andata andati andate"
            " arrivato arrivata arrivati diventato diventata tornato tornata uscito uscita uscite"
            " partito partita venuto venuta nato nata nati nate vita vite stata state aceto"
            " dato dati prato prati adatto adatta tutto tutta tutti tutte minuto minuti rimasto"
            " aiuto gratuito gratuita passato passata limite piatto gelato abito"
        ),
        between=one_of("che cui dove quando se perché e o ma mentre anche come"),
        before=one_of("il lo la i gli le un uno una molto più troppo così suo sua del della di al"),
    ),
    articles=one_of(
        "il lo la i gli le un uno una due tre quattro cinque sei sette otto nove dieci questo questa"
        " questi queste"
    ),
    self_reference=either(
        "articolo|post|testo|questa guida|questa pagina",
        r"""
\bin (?:questo|quest(?:'|’)|il seguente)\s?(?:articolo|post|testo)\b
\bin questa (?:guida|pagina)\b
\b(?:questo articolo|quest(?:'|’)articolo|questo post|questa guida|l(?:'|’)articolo) (?:presenta|esplora|spiega|affronta|descrive|tratta|offre|ti|vi)\b
"""
    ),
    assistant=either(
        """
in quanto|come ia|intelligenza artificiale|modello linguistico|assistente virtuale|sono ia|sono un
certo|certamente|ovviamente|volentieri|ecco|spero che|fammi sapere|i miei dati
""",
        r"""
\bin quanto (?:IA|intelligenza artificiale|modello linguistico|assistente virtuale)\b
\bcome (?:IA|intelligenza artificiale|modello linguistico|assistente virtuale)\b(?:,|[^.!?\n]{0,40}\b(?:posso|ho|sono|mi)\b)
\bsono (?:un(?:'|’|a)?\s?)?(?:IA|intelligenza artificiale|modello linguistico|assistente virtuale)\b
^[ \t]{0,20}(?:Certo|Certamente|Ovviamente|Volentieri)\s*[,!.]\s*(?:ecco|io|ti)\b
\becco (?:un|una|il|la|il tuo|l(?:'|’))\s?(?:\w{1,40} ){0,3}(?:paragrafo|introduzione|conclusione|articolo|bozza|meta descrizione)\b
\bspero che (?:questo|ciò|ti|vi) (?:ti |vi )?(?:aiuti|sia (?:utile|d(?:'|’)aiuto))\b
\bfammi sapere\b
\bi miei dati di addestramento\b
"""
    ),
    task_talk=either(
        "questo paragrafo",
        r"""
\bquesto paragrafo\b
"""
    ),
    placeholder=either(
        "[|<|{",
        r"""
[\[<{]\s*(?:inserire|inserisci|tuo|tua|il tuo|la tua|nome|azienda|marchio|prodotto|data|città|argomento|autore|aggiungi)\b[^\]>}\n]{0,200}[\]>}]
"""
    ),
    unfinished=re.compile(
        r"(?:^|\s)(?:e|o|il|lo|la|i|gli|le|un|una|perché|ma|che|di)(?:…|\.{2,})$", re.IGNORECASE
    ),
    empty_headings=frozenset(
        {"introduzione", "conclusione", "conclusioni", "riassunto", "domande frequenti"}
    ),
)  # fmt: skip
