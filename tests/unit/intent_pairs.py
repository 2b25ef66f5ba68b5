"""Pairs of subjects of posts that a person judged: do both answer one question of a reader?

Written before the rule that tells them apart, and dealt into two halves: TUNED, which the rule may
be adjusted to, and ASIDE, which is only measured. A subject is a keyword or a title; one that ends
in “ @ key” is a keyword that is written about from that editorial angle.
"""

from typing import NamedTuple


class Pair(NamedTuple):
    language: str
    one: str
    other: str
    same: bool


def _pairs(language: str, same: bool, lines: str) -> list[Pair]:
    halves = (line.split(" | ") for line in lines.strip().splitlines())
    return [Pair(language, one.strip(), other.strip(), same) for one, other in halves]


_EN_SAME = _pairs(
    "en",
    True,
    """
    best coffee grinder | top coffee grinders
    how to clean a coffee grinder | Cleaning your coffee grinder
    Common cold brew mistakes | 10 Cold Brew Mistakes and How to Avoid Them
    cold brew @ costs | What Cold Brew Really Costs
    standing desk cost | How much does a standing desk cost?
    raised garden beds for beginners | A Beginner's Guide to Raised Garden Beds
    electric bikes vs. mopeds | Mopeds versus electric bikes
    choosing a running shoe | How to choose the right running shoes
    The ultimate guide to sourdough starters | Sourdough starter guide
    sleep tracking @ myths | Sleep Tracking: Myths and Facts
    heat pump maintenance checklist | A Checklist for Heat Pump Maintenance
    Why your tomatoes crack | Why do tomatoes crack?
    best budget laptops | The 7 Best Budget Laptops
    home insulation prices | home insulation cost
    meal planning @ first-steps | Getting Started with Meal Planning
    How dehumidifiers work | How does a dehumidifier work?
    water softener troubleshooting | Water softener problems and how to fix them
    indoor herbs in winter | Winter: Growing Indoor Herbs
    Top 5 mistakes with compost | compost @ common-mistakes
    questions to ask a roofer | 12 Questions You Should Ask Your Roofer
    solar panels compared | Solar panel comparison
    yoga for back pain | Back Pain Yoga
    password manager basics | Password managers: the basics
    Should you repair or replace a boiler? | Boiler: repair or replace
    """,
)
_EN_DIFFERENT = _pairs(
    "en",
    False,
    """
    coffee grinder cost | coffee grinder mistakes
    how to make cold brew | cold brew
    best coffee grinder | best coffee maker
    raised garden beds @ first-steps | raised garden beds @ long-run
    electric bikes vs. mopeds | electric bikes vs. cars
    coffee with sugar | coffee without sugar
    sourdough starter | sourdough bread
    standing desk cost | standing desk comparison
    running shoes for women | running shoes for men
    heat pump maintenance checklist | heat pump installation checklist
    best laptops 2025 | best laptops for students
    home insulation | home insurance
    sleep tracking @ myths | Sleep tracking: common mistakes
    stretching before running | stretching after running
    indoor herbs in winter | indoor herbs in summer
    How dehumidifiers work | How to buy a dehumidifier
    questions to ask a roofer | questions to ask a plumber
    solar panels | solar panel costs
    yoga for back pain | yoga for neck pain
    iPhone 14 case | iPhone 15 case
    password manager for families | password manager for companies
    tomato diseases | tomato varieties
    meal planning on a budget | meal planning with little time
    Why tomatoes crack | Why tomatoes turn yellow
    """,
)
_OTHERS_SAME = [
    *_pairs(
        "de",
        True,
        """
        beste Kaffeemühle | Die besten Kaffeemühlen
        Wärmepumpe Kosten | Was kostet eine Wärmepumpe?
        Häufige Fehler beim Kompostieren | Kompostieren: Fehler und wie Sie sie vermeiden
        """,
    ),
    *_pairs(
        "fr",
        True,
        """
        prix d'une pompe à chaleur | Combien coûte une pompe à chaleur ?
        Comment choisir un vélo électrique | Choisir son vélo électrique
        café glacé @ common-mistakes | Les erreurs courantes avec le café glacé
        """,
    ),
    *_pairs(
        "es",
        True,
        """
        mejores cafeteras | Las mejores cafeteras
        Cómo elegir zapatillas para correr | Elegir las zapatillas para correr
        aislamiento térmico @ costs | ¿Cuánto cuesta el aislamiento térmico?
        """,
    ),
    *_pairs(
        "it",
        True,
        """
        errori comuni con il lievito madre | Lievito madre: gli errori da evitare
        migliori macinacaffè | I migliori macinacaffè
        """,
    ),
    *_pairs(
        "pt",
        True,
        """
        Quanto custa uma bomba de calor | preço de uma bomba de calor
        melhores bicicletas elétricas | A melhor bicicleta elétrica
        """,
    ),
    *_pairs(
        "nl",
        True,
        """
        beste koffiemolen | De beste koffiemolens
        warmtepomp kosten | Wat kost een warmtepomp?
        moestuin voor beginners | Beginnen met een moestuin
        """,
    ),
]
_OTHERS_DIFFERENT = [
    *_pairs(
        "de",
        False,
        """
        Kaffeemühle reinigen | Kaffeemühle kaufen
        Wärmepumpe Kosten | Wärmepumpe Fehler
        Yoga für Anfänger | Yoga für Schwangere
        """,
    ),
    *_pairs(
        "fr",
        False,
        """
        vélo électrique prix | vélo électrique comparatif
        café avec sucre | café sans sucre
        entretien d'une chaudière | installation d'une chaudière
        """,
    ),
    *_pairs(
        "es",
        False,
        """
        mejores cafeteras | mejores molinillos de café
        huerto en invierno | huerto en verano
        yoga @ costs | yoga @ myths
        """,
    ),
    *_pairs(
        "it",
        False,
        """
        pompa di calore costi | pompa di calore manutenzione
        lievito madre | lievito di birra
        """,
    ),
    *_pairs(
        "pt",
        False,
        """
        painéis solares custo | painéis solares vantagens
        correr antes do trabalho | correr depois do trabalho
        """,
    ),
    *_pairs(
        "nl",
        False,
        """
        koffiemolen schoonmaken | koffiemolen kopen
        warmtepomp met subsidie | warmtepomp zonder subsidie
        moestuin in de winter | moestuin in de zomer
        """,
    ),
]
_ALL = (_EN_SAME, _EN_DIFFERENT, _OTHERS_SAME, _OTHERS_DIFFERENT)
TUNED = [pair for pairs in _ALL for pair in pairs[::2]]
ASIDE = [pair for pairs in _ALL for pair in pairs[1::2]]

# Written after the rule was finished, and measured once.
FRESH = [
    *_pairs(
        "en",
        True,
        """
        how to remove rust from tools | Removing Rust from Your Tools
        best hiking boots for wide feet | Top Hiking Boots for Wide Feet
        cost of replacing windows | Window Replacement Costs
        mortgage refinancing pros and cons | Pros and Cons of Refinancing a Mortgage
        car insurance for new drivers | New Driver Car Insurance
        Common interview mistakes | Interview mistakes to avoid
        dog grooming @ first-steps | Dog Grooming for Beginners
        vinyl flooring vs laminate | Laminate vs. Vinyl Flooring: A Comparison
        What is the price of gravel? | gravel prices
        How long does paint take to dry? | paint drying time
        bread machine troubleshooting | Common bread machine problems
        tent camping checklist | The Ultimate Tent Camping Checklist
        """,
    ),
    *_pairs(
        "de",
        True,
        """
        Fahrrad winterfest machen | So machen Sie Ihr Fahrrad winterfest
        die besten Wanderschuhe | Wanderschuhe: die besten Modelle im Vergleich
    Zimmerpflanzen gießen @ common-mistakes | Die häufigsten Fehler beim Gießen von Zimmerpflanzen
        """,
    ),
    *_pairs(
        "fr",
        True,
        """
        tailler un rosier | Comment tailler un rosier ?
        isolation des combles : prix | Le prix de l'isolation des combles
        """,
    ),
    *_pairs("es", True, "cómo limpiar una cafetera | Limpiar la cafetera"),
    *_pairs("it", True, "quanto costa un pozzo | Il costo di un pozzo"),
    *_pairs("nl", True, "hoe snoei je een roos | Een roos snoeien"),
    *_pairs(
        "en",
        False,
        """
        how to remove rust from tools | how to prevent rust on tools
        best hiking boots for wide feet | best hiking boots for flat feet
        cost of replacing windows | cost of cleaning windows
        buying a used car | selling a used car
        mortgage refinancing @ costs | mortgage refinancing @ questions-to-ask
        bread machine | bread machine recipes
        gravel driveway | gravel driveway cost
        how long does paint last | how long does paint take to dry
        when to prune roses | how to prune roses
        is tap water safe | why tap water is hard
        dog food for puppies | dog food for senior dogs
        how many eggs a day | how many eggs in a cake
        """,
    ),
    *_pairs(
        "de",
        False,
        """
        Fahrrad mit Motor | Fahrrad ohne Motor
        Rosen schneiden | Rosen pflanzen
        Wanderschuhe Herren | Wanderschuhe Damen
        """,
    ),
    *_pairs(
        "fr",
        False,
        """
        tailler un rosier | planter un rosier
        vin rouge | vin blanc
        """,
    ),
    *_pairs("es", False, "correr por la mañana | correr por la noche"),
    *_pairs("it", False, "pasta fresca | pasta secca"),
    *_pairs("nl", False, "fiets huren | fiets kopen"),
]
