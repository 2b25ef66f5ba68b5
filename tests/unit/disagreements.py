# ruff: noqa: E501
"""Pairs of sentences that disagree, and pairs that only look as if they did.

They were written before the rules of `app/core/facts` that now read such pairs. A fixed seed puts half of
each language aside; those who write rules read the other half only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Pair:
    """Two sentences for two places of one text, and the sort of value by which they disagree."""

    sort: str
    first: str
    second: str
    language: str = "en"


DISAGREEING = (
    Pair("duration", "The dough needs a rest of twelve hours before it is shaped.", "After the eight hours of rest that the dough needs, shape it."),
    Pair("duration", "Reckon with three days until the varnish has hardened.", "The varnish has hardened within five days."),
    Pair("price", "A ticket for the boat will set you back 18 euros.", "You pay 24 euros for the boat ticket."),
    Pair("price", "Our guide charged £60 for the whole tour.", "The tour, for which our guide asked £85, was worth every penny."),
    Pair("temperature", "The yoghurt grows best at 43 °C.", "Keep the yoghurt at 34 °C, the temperature at which it grows best."),
    Pair("temperature", "Set the freezer to minus 18 degrees.", "Your freezer should stand at minus 12 degrees."),
    Pair("date", "The lighthouse was opened to visitors in 1974.", "Since 1982, when it was opened to visitors, the lighthouse has had a small museum."),
    Pair("date", "Applications close on 15 March.", "The deadline for applications is 30 March."),
    Pair("weekday", "The market takes place on Thursdays.", "Every Saturday the market fills the square."),
    Pair("weekday", "Bins are emptied each Monday morning.", "Put the bins out on Tuesday evening, because they are emptied on Wednesday."),
    Pair("name", "The bridge was designed by Martha Lindqvist.", "Without Helena Borg, who designed the bridge, the town would have no sign of its own."),
    Pair("name", "Our host Peter showed us the vineyard.", "It was Daniel, our host, who showed us the vineyard."),
    Pair("order", "Rinse the lentils, and only then soak them.", "Soak the lentils before you rinse them."),
    Pair("order", "The primer goes on after the sanding.", "Sanding comes after the primer."),
    Pair("yes or no", "The adapter is included in the box.", "You have to buy the adapter separately, because it is not in the box."),
    Pair("yes or no", "This lamp can be dimmed.", "A pity that the lamp cannot be dimmed."),
    Pair("more or less", "The small oven uses more power than the large one.", "As the large oven uses more power than the small one, think twice before you buy it."),
    Pair("more or less", "Clay holds more water than sand does.", "Clay holds less water than sand."),
    Pair("allowed or not", "Bicycles are welcome on every train of the line.", "You may not take a bicycle on the trains of this line."),
    Pair("allowed or not", "Campfires are forbidden in the valley.", "In the valley you are free to light a campfire."),
    Pair("sum", "The set has two pans and three lids, six pieces in all.", "All five pieces of the set fit into one drawer."),
    Pair("count", "The house has four bedrooms.", "Each of the three bedrooms of the house looks over the bay."),
    Pair("count", "Nine volunteers run the kitchen.", "The kitchen is run by fourteen volunteers."),
    Pair("measure", "The rope is 25 metres long.", "With its 35 metres, the rope reaches the ground."),
    Pair("measure", "A full tank weighs 48 kg.", "Two people can lift the full tank, which weighs 74 kg."),
    Pair("share", "About 30 percent of the members pay by card.", "Payment by card, which 55 percent of the members prefer, is free."),
    Pair("distance", "From the station it is a walk of 2 km to the castle.", "The castle lies 5 km from the station."),
    Pair("time", "The ferry leaves at 7:40 a.m. sharp.", "Be at the pier in good time, as the ferry leaves at 8:15 a.m."),
    Pair("Dauer", "Der Teig muss zwölf Stunden ruhen.", "Nach den acht Stunden, die der Teig ruhen muss, wird er geformt.", "de"),
    Pair("Preis", "Die Jahreskarte kostet 90 Euro.", "Für 120 Euro bekommen Sie die Jahreskarte.", "de"),
    Pair("erlaubt", "Hunde dürfen mit in den Garten.", "Im Garten sind Hunde verboten.", "de"),
    Pair("Wochentag", "Der Markt findet donnerstags statt.", "Der Markt findet am Samstag statt.", "de"),
    Pair("prix", "L'abonnement coûte 15 euros par mois.", "Comptez 22 euros par mois pour l'abonnement.", "fr"),
    Pair("durée", "La peinture sèche en six heures.", "Il faut dix heures pour que la peinture sèche.", "fr"),
    Pair("oui ou non", "Le chargeur est fourni avec la lampe.", "Le chargeur n'est pas fourni avec la lampe.", "fr"),
    Pair("precio", "La entrada al museo cuesta 12 euros.", "Por 9 euros se compra la entrada al museo.", "es"),
    Pair("día", "El taller cierra los lunes.", "Los lunes el taller está abierto.", "es"),
    Pair("prezzo", "Il biglietto del traghetto costa 8 euro.", "Con 14 euro si compra il biglietto del traghetto.", "it"),
    Pair("duur", "Het deeg moet twee uur rusten.", "Na vijf uur, de tijd die het deeg moet rusten, vormt u het.", "nl"),
    Pair("medida", "A corda tem 25 metros de comprimento.", "Com 40 metros, a corda chega ao chão.", "pt"),
)  # fmt: skip

# What explains the difference: another subject, time, place, size, part, condition or unit.
AGREEING = (
    Pair("part", "The dough needs a rest of twelve hours in the fridge.", "At room temperature, the dough needs a rest of two hours."),
    Pair("subject", "A ticket for the boat costs 18 euros.", "A ticket for the bus costs 3 euros."),
    Pair("group", "Adults pay 18 euros for the boat ticket.", "Children pay 9 euros for the boat ticket."),
    Pair("time", "In winter, set the freezer to minus 18 degrees.", "In summer, set the freezer to minus 20 degrees."),
    Pair("stage", "Bake the bread at 250 °C.", "After ten minutes, bake the bread at 200 °C."),
    Pair("event", "The lighthouse was built in 1974.", "The lighthouse was opened to visitors in 1982."),
    Pair("place", "The market in the old town takes place on Thursdays.", "The market at the harbour takes place on Saturdays."),
    Pair("purpose", "Bins for paper are emptied on Monday.", "Bins for glass are emptied on Wednesday."),
    Pair("subject", "The old bridge was designed by Martha Lindqvist.", "The new bridge was designed by Helena Borg."),
    Pair("object", "Rinse the lentils before you soak them.", "Soak the beans before you rinse the lentils."),
    Pair("condition", "The lamp cannot be dimmed.", "With a second switch the lamp can be dimmed."),
    Pair("more", "Clay holds more water than sand.", "Peat holds more water than clay."),
    Pair("property", "The small oven uses less power than the large one.", "The large oven has more room than the small one."),
    Pair("exception", "Bicycles are not allowed on the trains.", "Folded bicycles are allowed on the trains."),
    Pair("floor", "The house has four bedrooms upstairs.", "The house has one bedroom downstairs."),
    Pair("dimension", "The table is 25 cm wide.", "The table is 40 cm high."),
    Pair("size", "The large tank weighs 74 kg.", "The small tank weighs 48 kg."),
    Pair("rise", "In 2019 about 30 percent of the members paid by card.", "Today 55 percent of the members pay by card."),
    Pair("from", "From the station it is 2 km to the castle.", "From the harbour it is 5 km to the castle."),
    Pair("direction", "The ferry to the island leaves at 7:40 a.m.", "The ferry back from the island leaves at 6:15 p.m."),
    Pair("rounded", "The trail is 9.8 km long.", "The trail is about 10 km long."),
    Pair("converted", "The rope is 25 metres long.", "The rope is 82 feet long."),
    Pair("limit", "The tent weighs 2.4 kg.", "The tent weighs less than 3 kg."),
    Pair("other", "One visitor stayed for three hours.", "Another visitor stayed for five hours."),
    Pair("again", "Stir the soup for two minutes.", "Then stir the soup for another five minutes."),
    Pair("whole", "The first coat dries for two hours.", "The second coat dries for four hours."),
    Pair("each", "A session takes 30 minutes.", "The three sessions of a week take 90 minutes."),
    Pair("advice", "Do not wash the pan while it is hot.", "Wash the pan after it has cooled."),
    Pair("Gruppe", "Erwachsene zahlen für die Jahreskarte 90 Euro.", "Kinder zahlen für die Jahreskarte 45 Euro.", "de"),
    Pair("Ausnahme", "Hunde dürfen nicht in den Garten.", "Blindenhunde dürfen in den Garten.", "de"),
    Pair("couche", "La première couche sèche en six heures.", "La deuxième couche sèche en dix heures.", "fr"),
    Pair("grupo", "Los adultos pagan 12 euros por la entrada al museo.", "Los niños pagan 6 euros por la entrada al museo.", "es"),
)  # fmt: skip


def halves(pairs: Sequence[Pair]) -> tuple[list[Pair], list[Pair]]:
    """Return the pairs that those who write rules may read, and those put aside."""
    shown: list[Pair] = []
    aside: list[Pair] = []
    for language in dict.fromkeys(pair.language for pair in pairs):
        drawn = [pair for pair in pairs if pair.language == language]
        Random(f"disagreements:{language}:{len(drawn)}").shuffle(drawn)
        # Of an odd number, one more is put aside.
        shown += drawn[: len(drawn) // 2]
        aside += drawn[len(drawn) // 2 :]
    return shown, aside
