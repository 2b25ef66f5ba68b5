"""Words of sources that a post has in common with them, with the language of each.

``LISTS`` cannot be said in other words: symptoms, hours, ingredients, laws, authorities, addresses,
measurements. ``PROSE`` can, although it has figures, names and commas. The rule was made for the
samples that are tuned, and for none of those put aside, which were written before it.
"""

from collections.abc import Mapping

Samples = Mapping[str, tuple[tuple[str, str], ...]]

LISTS: Samples = {
    "tuned": (
        ("en", "Signs are fever, chills, a sore throat, muscle pain, a headache, a dry cough,"
         " nausea and diarrhoea."),
        ("en", "It is open from 8 a.m. to 6 p.m. Monday to Friday and from 9 a.m. to 1 p.m. on"
         " Saturday."),
        ("en", "You need 200 g of flour, 100 g of butter, 2 eggs, 1 teaspoon of salt and 50 ml of"
         " milk."),
        ("en", "Complain to the Department of Housing and Urban Development, the Federal Trade"
         " Commission or the Consumer Financial Protection Bureau."),
        ("en", "It follows from the Landlord and Tenant Act 1985, the Housing Act 2004 and the"
         " Deregulation Act 2015."),
        ("en", "Write to the Office of the Privacy Commissioner, 30 Victoria Street, Gatineau,"
         " Quebec, K1A 1H3, telephone 1-800-282-1376."),
        ("en", "Choose 20 mm pipe up to 35 kW, 25 mm up to 60 kW and 32 mm up to 110 kW."),
        ("de", "Geöffnet ist Montag bis Freitag von 8 bis 18 Uhr, Samstag von 9 bis 13 Uhr und"
         " Sonntag von 10 bis 12 Uhr."),
        ("de", "Typisch sind Fieber, Husten, Schnupfen, Halsschmerzen, Kopfschmerzen,"
         " Gliederschmerzen, Durchfall, Übelkeit, Erbrechen, Schwindel, Müdigkeit, Atemnot und"
         " Hautausschlag."),
        ("de", "Umlegbar sind Grundsteuer, Wasser, Entwässerung, Heizung, Warmwasser, Aufzug,"
         " Straßenreinigung, Müllabfuhr, Hausreinigung, Gartenpflege, Beleuchtung und"
         " Versicherungen."),
        ("fr", "Il faut 200 g de farine, 100 g de sucre, 3 œufs, 50 g de beurre et 1 sachet de"
         " levure."),
        ("es", "Abre de lunes a viernes de 9:00 a 14:00 y de 16:00 a 19:00, los sábados de 10:00 a"
         " 13:00."),
    ),
    "aside": (
        ("en", "Pack a passport, two photographs, a birth certificate, the old permit, a bank"
         " statement and proof of address."),
        ("en", "The surgery is open Monday to Thursday from 7:30 a.m. to 7 p.m. and Friday from"
         " 8 a.m. to 4 p.m."),
        ("en", "The sauce takes 30 g of butter, 30 g of flour, 500 ml of milk, salt, pepper and"
         " nutmeg."),
        ("en", "Ask Citizens Advice, the Financial Ombudsman Service, the Information"
         " Commissioner's Office or the Competition and Markets Authority."),
        ("en", "It may be caused by stress, too little sleep, loud noise, bright light, strong"
         " smells, alcohol, cheese or hormones."),
        ("en", "Rooms of 10 m² need 1 kW, those of 20 m² 2 kW, those of 30 m² 3 kW."),
        ("de", "Für den Teig braucht es 500 g Mehl, 350 ml Wasser, 10 g Salz, 3 g Hefe und 2 EL"
         " Olivenöl."),
        ("de", "Sprechstunde ist Montag, Dienstag und Donnerstag von 8 bis 12 Uhr und Mittwoch von"
         " 14 bis 18 Uhr."),
        ("fr", "Les symptômes sont la fièvre, les frissons, la toux, les maux de tête, les nausées"
         " et la diarrhée."),
        ("it", "L'ufficio è aperto dal lunedì al venerdì dalle 9:00 alle 13:00 e il sabato dalle"
         " 10:00 alle 12:00."),
        ("nl", "Je hebt 250 g bloem, 150 g boter, 100 g suiker, 1 ei, 8 g bakpoeder en 5 g zout"
         " nodig."),
        ("pt", "Os sintomas são febre, calafrios, dor de garganta, tosse seca, dor de cabeça,"
         " náuseas, vómitos e cansaço."),
    ),
}  # fmt: skip

PROSE: Samples = {
    "tuned": (
        ("en", "Rinse the rice, drain it, add cold water, bring it to the boil, cover it and let it"
         " simmer for 12 minutes."),
        ("en", "Slowly and carefully, without a word, he opened the door, looked around and went"
         " back to bed."),
        ("en", "The boiler, which is old, loud and hungry, burns oil, warms water and heats the"
         " rooms upstairs."),
        ("en", "In 2024 the city paid 3 million euros for 40 new buses that run on hydrogen and not"
         " on diesel."),
        ("en", "Anna Miller of the University of Leeds told the council on Monday that the old"
         " bridge would have to close."),
        ("en", "If the battery is hot, swollen or wet, stop, unplug it, step back and call the"
         " fire brigade at once."),
        ("de", "Wer die Frist versäumt, verliert nach 12 Monaten das Recht, die Abrechnung zu"
         " prüfen und Geld zurückzufordern."),
        ("de", "Den Reis waschen, abtropfen lassen, Wasser zugeben, kurz aufkochen, zudecken und"
         " auf kleiner Hitze quellen lassen."),
        ("fr", "Rincez le riz, égouttez-le, ajoutez de l'eau, portez à ébullition, couvrez et"
         " laissez cuire douze minutes."),
        ("es", "El aceite, limpio y fresco, pierde aroma con la luz, se enrancia con el calor y no"
         " mejora nunca."),
    ),
    "aside": (
        ("en", "Warm the pan, melt the butter, add the flour, stir it well, pour in the milk and"
         " keep stirring until it thickens."),
        ("en", "The wind drops, the light fades, the birds fall silent and the whole valley waits"
         " for the rain."),
        ("en", "From 1 April 2026 a landlord who keeps a deposit for more than 14 days pays the"
         " tenant three times its amount."),
        ("en", "She was tired, cold and hungry, yet she packed her bag, locked the door and walked"
         " on to the next village."),
        ("en", "The Bank of England said on Thursday that it would leave the rate where it was"
         " until wages rise more slowly."),
        ("en", "Old, thin or cracked tyres slip, burst or leak, so look at them, feel them and"
         " change them in good time."),
        ("de", "Das Wasser ablassen, das Ventil öffnen, den Schlüssel drehen, kurz warten, wieder"
         " schließen und den Druck prüfen."),
        ("de", "Nach 30 Minuten bei 200 Grad ist die Kruste braun, das Fleisch aber innen noch roh"
         " und muss weitergaren."),
        ("it", "Scaldate l'olio, aggiungete la cipolla, mescolate bene, versate il brodo, coprite e"
         " lasciate cuocere piano."),
        ("nl", "De oude brug, smal en glad, is sinds 2019 dicht, omdat het hout rot en niemand het"
         " herstel wil betalen."),
    ),
}  # fmt: skip

# Lines of lists with bullets, which a post tells in one sentence. ``NAMED`` have no other words;
# ``CLAUSES`` are sentences without a full stop.
NAMED: Samples = {
    "tuned": (
        (
            "en",
            "slurred or garbled speech|drooping of one side|weakness in one arm"
            "|sudden loss of balance|double or blurred vision",
        ),
        (
            "de",
            "Geburtsurkunde des Kindes|gültiger Ausweis beider Eltern"
            "|Nachweis über das Einkommen|Bescheinigung der Krankenkasse|Mutterpass mit Stempel",
        ),
        (
            "fr",
            "douleur vive dans la poitrine|fourmis dans les doigts|sueur froide sur le front"
            "|faiblesse soudaine des jambes",
        ),
    ),
    "aside": (
        (
            "en",
            "proof of your address|the title of the car|a recent photograph in color"
            "|the old registration card|receipt for the fee",
        ),
        (
            "en",
            "ripe tomatoes from the garden|a handful of fresh basil|good olive oil"
            "|salt and black pepper|two cloves of garlic",
        ),
        (
            "de",
            "starke Schmerzen in der Brust|Kribbeln in den Fingern|kalter Schweiß auf der Stirn"
            "|Atemnot in Ruhe|plötzliche Schwäche der Beine",
        ),
        (
            "es",
            "dolor intenso en el pecho|hormigueo en los dedos|sudor frío en la frente"
            "|falta de aire en reposo",
        ),
        (
            "nl",
            "koorts boven de 39 graden|uitslag op de romp|stijve nek bij het buigen"
            "|gevoelige ogen bij licht",
        ),
    ),
}
CLAUSES: Samples = {
    "tuned": (
        (
            "en",
            "Wash the cut with cool water|Press a clean cloth on it|Keep the arm up"
            "|Call a doctor after ten minutes",
        ),
        (
            "en",
            "the water was cold in spring|nobody has seen the eggs|the nest is built of mud"
            "|both parents feed the young",
        ),
        (
            "de",
            "der Ofen ist zu heiß|die Tür schließt nicht dicht|das Licht ist aus"
            "|niemand hat ihn je gereinigt",
        ),
    ),
    "aside": (
        (
            "en",
            "the screen stays dark at start|the fan runs all the time"
            "|the battery lasts two hours at most|the keys stick after a spill",
        ),
        (
            "en",
            "Turn off the main valve|Open the lowest tap|Drain the pipes for an hour"
            "|Close every tap again",
        ),
        (
            "en",
            "It keeps the soil moist|They were sold in spring|We do not ship plants"
            "|You can return the pot",
        ),
        (
            "de",
            "Nehmen Sie den Stecker heraus|Warten Sie eine Minute|Drücken Sie den Knopf"
            "|Prüfen Sie die Anzeige noch einmal",
        ),
        (
            "fr",
            "le moteur est trop chaud|la porte ne ferme pas|personne ne l'a nettoyé"
            "|la lampe reste toujours allumée",
        ),
    ),
}
