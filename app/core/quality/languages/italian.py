"""Italian. Flesch after Franchina and Vacca."""

import re

from app.core.quality.languages.rules import Passive, Phrases, Rules, either, one_of

RULES = Rules(
    hyphenation="it",
    flesch=(217.0, 1.3, 60.0),
    long_sentence=25,
    transitions=Phrases(
        """
# addition
inoltre|in più|per di più|oltre a ciò|oltretutto|altresì|nonché|neanche|nemmeno|in aggiunta
come pure|così come|tra l'altro|fra l'altro|peraltro|del resto|d'altronde|senza contare che
# contrast
ma|però|tuttavia|invece|bensì|mentre|al contrario|a differenza di|contrariamente a|viceversa
d'altra parte|d'altro canto|dall'altro lato|da un lato|da una parte|anziché|invece di|piuttosto che
altrimenti|in caso contrario|oppure|eppure|anzi|laddove
# concession
sebbene|benché|nonostante|nonostante ciò|nonostante tutto|malgrado|malgrado ciò|anche se|seppure
quantunque|ciononostante|ciò nonostante|nondimeno|ciò non di meno|comunque|in ogni caso
a dispetto di|quand'anche|perlomeno|è vero che|detto questo|ciò detto|dopotutto|in fin dei conti
# cause
perché|poiché|siccome|dato che|visto che|giacché|dal momento che|in quanto|per il fatto che
a causa di|per via di|grazie a|per questo motivo|per questa ragione|per queste ragioni
per tale motivo|alla luce di|in virtù di|in seguito a|infatti|tanto più che
# consequence
quindi|dunque|pertanto|perciò|di conseguenza|conseguentemente|cosicché|sicché|tanto che
al punto che|per cui|ecco perché|per questo|ne consegue che|ne deriva che|in tal modo
in questo modo|di modo che|in modo che
# condition
se|qualora|purché|a condizione che|a patto che|a meno che|salvo che|tranne che|nel caso in cui
in tal caso|in questo caso|ammesso che|supponendo che|se no|sempre che|nella misura in cui
# time and order
innanzitutto|anzitutto|prima di tutto|per prima cosa|in primo luogo|in secondo luogo|in terzo luogo
per cominciare|tanto per cominciare|poi|dopo|dopodiché|dopo che|in seguito|successivamente
più tardi|infine|alla fine|per finire|da ultimo|finalmente|all'inizio|inizialmente
in un primo momento|in un secondo momento|nel frattempo|intanto|contemporaneamente
allo stesso tempo|prima che|precedentemente|in precedenza|finché|fino a quando|finora|da quando
da allora|d'ora in poi|non appena|una volta che|ogni volta che|a questo punto|poco dopo|subito dopo
man mano che
# example
per esempio|ad esempio|come ad esempio|a titolo di esempio|in particolare|nello specifico
più precisamente|vale a dire|cioè|ossia|per fare un esempio
# emphasis
soprattutto|specialmente|in effetti|di fatto|effettivamente|senza dubbio|indubbiamente|senz'altro
certamente|ovviamente|naturalmente|chiaramente|va sottolineato che|è importante notare
a maggior ragione|per l'appunto|a dire il vero
# comparison
allo stesso modo|nello stesso modo|analogamente|similmente|parimenti|come se|proprio come
in confronto a|in confronto
# summary
in conclusione|concludendo|per concludere|in sintesi|in breve|in sostanza|sostanzialmente|insomma
riassumendo|per riassumere|in definitiva|tutto sommato|nel complesso|complessivamente|in generale
in poche parole|in una parola|in altre parole|in altri termini|detto altrimenti
# purpose
affinché|al fine di|allo scopo di|con l'obiettivo di|a tal fine|a questo scopo|a tale scopo
in modo da|così da|per evitare che
# in pairs
non solo … ma anche|non soltanto … ma anche|sia … sia|sia … che|né … né|da un lato … dall'altro
da una parte … dall'altra|così … che|tanto … che|talmente … che|se … allora|prima … poi|più … più
quanto più … tanto più|così … come
""",
        opening="allora|primo|secondo|ora",
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
