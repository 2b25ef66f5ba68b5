"""The words that say how a fact is meant: hedges, directions, shares, saying, and the small ones.

A language that is not here has none of these rules; `LANGUAGES` is the list of those that are.
"""

from enum import StrEnum

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")


class Hedge(StrEnum):
    """How a number is hedged: about it, above or below it, and near to it on one of its sides."""

    ABOUT = "about"
    OVER = "over"
    UNDER = "under"
    JUST_OVER = "just over"
    NEARLY = "nearly"


def word_set(text: str) -> frozenset[str]:
    """The words of a text that lists them."""
    return frozenset(text.split())


def _table(**texts: str) -> dict[str, frozenset[str]]:
    """Words by language, separated by spaces; `_` stands for a space in what has two words."""
    return {
        language: frozenset(word.replace("_", " ") for word in text.split())
        for language, text in texts.items()
    }


_ABOUT = _table(
    en="about around roughly approximately circa ca some approx nearly_about in_the_region_of"
    " close_to",
    de="etwa rund ungefähr circa ca zirka gut_etwa",
    fr="environ quelque autour_de près_de à_peu_près",
    es="unos unas aproximadamente alrededor_de cerca_de",
    it="circa intorno_a",
    pt="aproximadamente cerca_de em_torno_de",
    nl="ongeveer circa rond zo'n omstreeks",
)
_OVER = _table(
    en="over above more_than at_least upwards_of in_excess_of well_over exceeding",
    de="über mehr_als mindestens",
    fr="plus_de plus_d au_moins",
    es="más_de al_menos",
    it="più_di oltre almeno",
    pt="mais_de pelo_menos",
    nl="meer_dan minstens",
)
_JUST_OVER = _table(
    en="just_over just_above little_over slightly_over little_more_than slightly_more_than",
    de="gut etwas_mehr_als",
    fr="peu_plus_de peu_plus_d",
    es="poco_más_de algo_más_de",
    it="poco_più_di",
    pt="pouco_mais_de",
    nl="ruim iets_meer_dan",
)
_UNDER = _table(
    en="under below less_than fewer_than up_to at_most",
    de="unter weniger_als höchstens bis_zu",
    fr="moins_de moins_d jusqu'à au_plus",
    es="menos_de hasta",
    it="meno_di fino_a",
    pt="menos_de até",
    nl="minder_dan hooguit tot",
)
_NEARLY = _table(
    en="nearly almost just_under just_below little_under slightly_less_than",
    de="knapp fast beinahe nahezu",
    fr="presque",
    es="casi",
    it="quasi",
    pt="quase",
    nl="bijna",
)
_HEDGED = (
    (Hedge.ABOUT, _ABOUT),
    (Hedge.OVER, _OVER),
    (Hedge.JUST_OVER, _JUST_OVER),
    (Hedge.UNDER, _UNDER),
    (Hedge.NEARLY, _NEARLY),
)
HEDGES: dict[str, dict[str, Hedge]] = {
    language: {phrase: hedge for hedge, table in _HEDGED for phrase in table[language]}
    for language in LANGUAGES
}

# Beginnings of words: a change that goes up, and one that goes down.
UP: dict[str, tuple[str, ...]] = {
    "en": ("rise", "rising", "rose", "risen", "increas", "grew", "grow", "climb", "gain", "jump",
           "surg", "expand", "higher", "soar"),
    "de": ("stieg", "steig", "gestiegen", "wuchs", "wachs", "gewachsen", "zunahm", "zugenommen",
           "erhöh", "höher", "verteuer", "teurer", "plus"),
    "fr": ("augment", "hausse", "progress", "croît", "crû", "grimp"),
    "es": ("aument", "subi", "sube", "subió", "crec", "creció", "increment"),
    "it": ("aument", "salit", "salgon", "cresc", "cresciut", "increment"),
    "pt": ("aument", "subi", "sobe", "cresc", "increment"),
    "nl": ("steeg", "stegen", "stijg", "gestegen", "groei", "toegenomen", "hoger"),
}  # fmt: skip
DOWN: dict[str, tuple[str, ...]] = {
    "en": ("fall", "fell", "drop", "declin", "decreas", "shrank", "shrink", "shrunk", "lower",
           "reduc", "slump", "sank", "plung", "dwindl", "cut"),
    "de": ("fiel", "fällt", "gefallen", "sank", "sink", "gesunken", "schrumpf", "abnahm",
           "abgenommen", "niedriger", "senk", "gesenkt", "verbillig", "minus",
           "rückgang", "rückläufig"),
    "fr": ("baiss", "diminu", "recul", "chut", "rédui"),
    "es": ("baja", "bajó", "disminu", "reduj", "cayó", "cayer", "descend"),
    "it": ("diminu", "calat", "scend", "sces", "ridott"),
    "pt": ("diminu", "caiu", "caír", "reduz", "baixou", "desceu"),
    "nl": ("daal", "gedaald", "krimp", "kromp", "afgenomen", "lager", "verlaag"),
}  # fmt: skip

# One in four: the words between the two numbers, and how many there are.
IN = {
    "en": (("in",), ("out", "of"), ("of", "every")),
    "de": (("von",), ("von", "je")),
    "fr": (("sur",),),
    "es": (("de", "cada"),),
    "it": (("su",),),
    "pt": (("em", "cada"), ("de", "cada")),
    "nl": (("op", "de"), ("van", "de")),
}  # fmt: skip
# What anybody can be counted as: it tells no subject.
ANYBODY = word_set("people persons menschen personen personnes personas persone pessoas mensen")
# Right after a value these are directions; before it, "more than" is a hedge.
MORE = word_set("more higher up mehr höher plus más más più mais meer hoger")
LESS = word_set("less fewer lower down weniger geringer niedriger moins menos meno minder lager")

# Shares in words, in percent; where the word has another use as well, see `NEEDS_OF`.
SHARES: dict[str, dict[str, float]] = {
    "en": {"half": 50, "third": 100 / 3, "thirds": 100 / 3, "quarter": 25, "quarters": 25,
           "fifth": 20, "fifths": 20, "tenth": 10, "tenths": 10},
    "de": {"hälfte": 50, "drittel": 100 / 3, "viertel": 25, "fünftel": 20, "zehntel": 10},
    "fr": {"moitié": 50, "tiers": 100 / 3, "quart": 25, "quarts": 25},
    "es": {"mitad": 50, "tercio": 100 / 3, "tercios": 100 / 3, "cuarto": 25, "cuartos": 25},
    "it": {"metà": 50, "terzo": 100 / 3, "terzi": 100 / 3, "quarto": 25, "quarti": 25},
    "pt": {"metade": 50, "terço": 100 / 3, "terços": 100 / 3, "quarto": 25, "quartos": 25},
    "nl": {"helft": 50, "derde": 100 / 3, "kwart": 25, "kwarten": 25},
}  # fmt: skip
# A third of the town, not a third try: the word that must follow a share that is one alone.
OF = _table(
    en="of the all", de="der des aller von dieser", fr="des de du d", es="de del", it="dei di della"
    " delle del degli", pt="dos de da das do dela dele delas deles", nl="van",
)  # fmt: skip
SURE_SHARES = word_set("hälfte drittel viertel moitié mitad metà metade helft tiers")
RATIOS: dict[str, dict[str, int]] = {
    "en": {"doubled": 2, "doubles": 2, "doubling": 2, "double": 2, "twice": 2, "twofold": 2,
           "tripled": 3, "triples": 3, "trebled": 3, "triple": 3, "threefold": 3, "quadrupled": 4,
           "quadruple": 4, "fourfold": 4, "halved": -2, "halving": -2, "halves": -2},
    "de": {"verdoppelt": 2, "verdoppelte": 2, "verdoppelten": 2, "doppelt": 2, "verdreifacht": 3,
           "verdreifachte": 3, "vervierfacht": 4, "halbiert": -2, "halbierte": -2},
    "fr": {"doublé": 2, "doublée": 2, "double": 2, "triplé": 3, "triplée": 3, "triple": 3},
    "es": {"duplicó": 2, "duplicado": 2, "doble": 2, "triplicó": 3, "triplicado": 3, "triple": 3},
    "it": {"raddoppiato": 2, "raddoppiata": 2, "doppio": 2, "triplicato": 3, "triplo": 3},
    "pt": {"dobrou": 2, "duplicou": 2, "dobro": 2, "triplicou": 3, "triplo": 3},
    "nl": {"verdubbeld": 2, "verdubbelde": 2, "dubbel": 2, "verdrievoudigd": 3, "gehalveerd": -2},
}  # fmt: skip
PERCENT = word_set("% percent procent prozent pct porcento")
PERCENT_PAIRS = frozenset(
    {("per", "cent"), ("por", "ciento"), ("por", "cento"), ("pour", "cent"), ("per", "cento")}
)
POINTS = word_set("point points punto puntos punti ponto pontos")
# What makes points percentage points, or is a word for them by itself.
PROPORTIONAL = word_set(
    "prozentpunkt prozentpunkte prozentpunkten procentpunt procentpunten porcentual porcentuales"
    " percentuale percentuali percentual percentuais"
)
BOTH = word_set("both beide beiden ambos ambas entrambi entrambe")

# What says that something is not so, as far as none of the words after it takes that back
# ("not only", "no fewer than").
NEGATIONS = _table(
    en="not never cannot no", de="nicht kein keine keinen keinem keiner nie niemals",
    fr="pas jamais aucun aucune", es="no nunca jamás", it="non mai", pt="não nunca jamais",
    nl="niet geen nooit",
)  # fmt: skip
NOT_NEGATING = word_set(
    "only just more less fewer even least merely until before longer . nur mehr weniger einmal bloß"
    " erst seulement plus moins encore que solo sólo más menos solamente hasta solo soltanto più"
    " meno só mais menos apenas alleen meer minder pas slechts"
)

SAYING: dict[str, frozenset[str]] = _table(
    en="said says told added explained wrote argued noted announced warned stated confirmed",
    de="sagte sagt erklärte erklärt betonte meinte teilte berichtete schrieb warnte",
    fr="dit déclaré affirme affirmé explique expliqué",
    es="dijo dice afirmó explicó declaró añadió",
    it="detto dice afferma spiega dichiarato ha",
    pt="disse diz afirmou explicou declarou",
    nl="zei zegt verklaarde vertelde schreef",
)
# What says whose word a sentence is.
ATTRIBUTIONS: dict[str, frozenset[str]] = {
    language: SAYING[language] | more
    for language, more in _table(
        en="according reported reports puts", de="laut zufolge gemäß nennt", fr="selon",
        es="según", it="secondo", pt="segundo", nl="volgens",
    ).items()
}  # fmt: skip
# Before a name, and no part of it.
TITLES = word_set(
    "mr mrs ms miss mx dr prof professor sir dame lord lady mayor president chancellor minister"
    " director chairman chairwoman chair captain judge senator governor councillor queen king"
    " herr herrn frau bürgermeister bürgermeisterin doktor präsident präsidentin ministerin"
    " direktor direktorin monsieur madame mme m maire président présidente señor señora sr sra"
    " alcalde alcaldesa signor signora sindaco sindaca dott presidente senhor senhora prefeito"
    " prefeita meneer mevrouw burgemeester chief executive ceo head"
)

# Words that carry no subject. Shorter ones than four letters carry none anyway.
SMALL: dict[str, frozenset[str]] = _table(
    en="about above after again against also although among another around because been before"
    " being below between both could does doing down during each even ever every from further have"
    " having here into itself just like made make many more most much must never only other over"
    " people same said says should since some still such than that their them then there these they"
    " this those through today under until very well were what when where which while whom whose"
    " will with within without would year years your month months week weeks percent thousand"
    " million billion hundred according told nearly almost roughly approximately less least"
    " fewer total late early last next will come comes came take takes took",
    de="aber alle allem allen aller alles also andere auch beim bereits dabei damit danach dann"
    " dass dazu deren dessen dies diese diesem diesen dieser dieses doch dort durch eine einem"
    " einen einer eines etwa fast haben hatte hatten ihre ihrem ihren ihrer immer jahr jahre jahren"
    " jede jeder jetzt kann kein keine können mehr mehreren nach nicht noch nurmehr oder ohne rund"
    " schon sein seine seinem seinen seiner seit sich sind sollen soll sowie über unter viele vom"
    " wegen weil weiter wenn werden wird wurde wurden zwischen prozent million millionen sagte",
    fr="afin ainsi alors après assez aussi autre autres avant avec avoir cela celle celui cette"
    " ceux chaque comme contre dans depuis deux dont elle elles encore entre environ était être"
    " fait font leur leurs mais même moins notre nous pendant peut plus pour près quand"
    " quelque sans"
    " selon sera sont sous tous tout toute toutes très vers votre vous ans année années pourcent"
    " million millions",
    es="ante antes aquel aunque cada como con contra cual cuando desde después donde durante ella"
    " ellas ellos entre esta estaba este esto estos estas estos había hace hacia hasta mientras más"
    " menos mucho muchos muy nada otro otra otros para pero poco porque puede que según será sido"
    " sobre solo también tanto tiene tienen todo todos unos unas años año cerca millones",
    it="alla alle allo anche ancora anni anno avere aveva come con contro cosa così dalla"
    " dalle dello"
    " della delle degli dopo dove durante entro era erano essere fino hanno loro meno mentre molto"
    " nella nelle nello ogni oltre ormai perché però più poco prima quale quando quella quello"
    " questa questo quasi sarà secondo sono sopra sotto stata stato sulla sulle tutti tutto verso"
    " milioni circa",
    pt="ainda além ante antes após aquela aquele cada cerca como contra deles depois desde durante"
    " ela elas eles entre essa esse esta este estão eram está foram havia mais mas menos"
    " mesmo muito"
    " nessa nesta neste para pela pelas pelo pelos pode porque quais quando quase segundo sem seria"
    " será sobre também tanto tem toda todas todo todos uma umas anos ano milhões",
    nl="alle andere bijna daar daarna deze door eerst elke geen haar heeft hebben hier hoewel hun"
    " iets ieder jaar jaren kan kunnen maar meer meest minder moet naar niet nog ongeveer onder ook"
    " over sinds toen tegen terwijl tijdens tussen vanaf veel volgens voor waar waren wanneer want"
    " werd werden wordt worden zal zich zijn zonder zou miljoen procent",
)
