"""Ordinary good prose is left alone: no blocker, whatever it is about and however it is spelled."""

import pytest

from app.core.checks import Kind, Passage, check_passage

GARDENING = (
    "Raised beds warm up two to three weeks earlier than open ground, which matters most in the"
    " short seasons of the north. A bed of 1.2 × 2.4 m is easy to reach from both sides. Anything"
    " wider, and you will end up stepping on the soil that you worked so hard to loosen.\n\n"
    "Fill it in layers: coarse twigs, half-rotted leaves, then compost. (Fresh manure belongs at"
    " the very bottom, if you use it at all.) The mix sinks by 10–15 % in its first year, so leave"
    " some spare compost for the spring.\n\n"
    "What should you plant first? Radishes, peas and spinach shrug off a light frost; tomatoes do"
    " not. Wait until nights stay above 10 °C, and don't be fooled by one warm week in April."
)
SOFTWARE = (
    "Node.js runs JavaScript outside the browser, and it has done so since 2009. Teams pair it with"
    " React, Vue.js or Next.js; others stay with ASP.NET or plain PHP. The right choice depends"
    " less on speed than on what your people already know.\n\n"
    "Start small. A health check, a log line per request and one alert will tell you more in a week"
    " than a dashboard with forty panels. If p95 latency climbs past 300 ms, look at the database"
    " first: nine times out of ten, it's a missing index.\n\n"
    "C++ and C# are different languages, of course, and neither of them is C. Yet the same rule"
    " holds for all three — measure before you optimise, e.g. with a profiler; keep the numbers."
)
FINANCE = (
    "An emergency fund covers three to six months of expenses. For a household that spends $3,200 a"
    " month, that means $9,600–$19,200, kept where you can reach it within a day or two. Yes, even"
    " at an interest rate of 1.5%.\n\n"
    "Automate it. A standing order of $150 on payday hurts less than a heroic transfer in"
    " December, and it happens whether or not you feel motivated. Most people (if they save at all)"
    " put away about 5% of what they earn, incl. pensions.\n\n"
    "What about debt? Anything above roughly 8% a year should go first; below that, split the"
    " money. “Pay yourself first” is an old saying, but the U.S. tax code won't do it for you."
)
HEALTH = (
    "Walking 7,000 steps a day is linked to better sleep, and you needn't do them all at once. Ten"
    " minutes after each meal add up to half an hour. Your pulse should rise, but you should still"
    " be able to talk.\n\n"
    "Shoes matter more than gadgets. Look for a heel that doesn't collapse when you press it, a"
    " toe box with a thumb's width to spare, and a sole that bends at the ball of the foot; a"
    " $60 pair can do all that.\n\n"
    "Stop if your chest hurts or you feel dizzy, and call a doctor. That isn't caution for its own"
    " sake: vitamin D, iron and vitamin A levels, among others, are easy to test for."
)
TRAVEL = (
    "Lisbon is a city of hills, so pack shoes that grip. Tram 28 is charming at 8 a.m. and"
    " miserable at noon, when it carries twice the people it was built for. Walk uphill early,"
    " and ride down later.\n\n"
    "A pastel de nata costs between €1.20 and €1.80 almost everywhere. The famous bakery in Belém"
    " has a queue — it moves quickly — but the corner shop at No. 12 (no sign, green door) sells"
    " them warm, too.\n\n"
    "Should you rent a car? Only for the Algarve or the Alentejo. In town you'd spend more time"
    " parking than driving, and a 24-hour ticket for metro, bus and tram is under €7."
)
HISTORY = (
    "In 1876, A. G. Bell filed his patent hours before a rival. Whether he was first is still"
    " argued over, and the papers of the U.S. Patent Office don't settle it. What is certain: by"
    " 1880 there were some 49,000 telephones in use.\n\n"
    "Switchboards came next. At first, boys ran them; they swore at the callers and were replaced"
    " by women within two years. “Number, please?” became the best-known question of its age.\n\n"
    "Why does it matter today? Because every network since — from the telegraph to the phone in"
    " your pocket — had to solve the same three problems: who is calling, where to, and who pays."
)
COOKING = (
    "A good stock needs bones, time and almost no attention. Cover 1 kg of chicken backs with 2.5"
    " litres of cold water, add an onion, two carrots & a bay leaf, and bring it slowly to a"
    " simmer. Skim the foam; it's harmless, but it clouds the broth.\n\n"
    "Salt at the end, not at the start: as the liquid reduces by a third, so does your margin for"
    " error. After three hours, strain it. (Don't press the vegetables, or you'll be left with"
    " mud.)\n\n"
    "It keeps for 4–5 days in the fridge and six months in the freezer. Freeze some in an ice-cube"
    " tray — 1 cube is about 2 tbsp — and you'll never again buy powder. Enjoy!"
)
MARKETING = (
    "An AI model can draft a subject line in a second, but it can't know what your readers wrote"
    " to you last week. Treat it as an AI tool, not as a colleague. Companies such as AT&T and"
    " Procter & Gamble test dozens of lines before they settle on one.\n\n"
    "Keep it under 50 characters, put the verb first, and leave out “free”, “act now” and the"
    " like. A/B tests need at least 1,000 recipients per variant; with fewer, you're reading tea"
    " leaves.\n\n"
    "Then there's timing. Tuesdays at 10 a.m. used to be the rule, yet open rates vary by less"
    " than 2% between weekdays. What moves the needle? Sending to people who asked to hear from"
    " you."
)
SCIENCE = (
    "Lithium-ion cells age even when nobody uses them. At 25 °C and a charge of 50%, a cell loses"
    " about 2–4% of its capacity a year; at 40 °C and 100%, it's closer to 35%. Heat, in short,"
    " is the enemy.\n\n"
    "Charging to 80% helps because the voltage stays below 4.1 V, where side reactions are slow."
    " Makers of cars, phones etc. have known as much for years (approx. since 2010). It's"
    " chemistry, not superstition.\n\n"
    "Is fast charging harmful? Somewhat. If the temperature T stays such that T < 45 °C, the"
    " damage is small; above that, lithium may plate on the anode, which can't be undone."
)
MUSIC = (
    "Buying a first guitar? Spend $150–$300, and spend 10% of that on a setup: a luthier will lower"
    " the strings, file the nut and save your fingertips. A “beginner” guitar that hurts is a"
    " guitar nobody plays.\n\n"
    "Nylon or steel? Nylon is softer (and quieter), steel is brighter; neither is “right”. Sit"
    " with both for ten minutes each. Your hands, not the brochure, know what they're made for.\n\n"
    "Practise little and often: 15 minutes a day beat two hours on Sunday. Learn G, C, D and E"
    " minor, change between them in time, and you've got the chords that half of all pop songs are"
    " built on!"
)
TEXTS = {
    "gardening": GARDENING,
    "software": SOFTWARE,
    "finance": FINANCE,
    "health": HEALTH,
    "travel": TRAVEL,
    "history": HISTORY,
    "cooking": COOKING,
    "marketing": MARKETING,
    "science": SCIENCE,
    "music": MUSIC,
}


@pytest.mark.parametrize("subject", TEXTS)
def test_good_prose_has_no_blocker(subject: str) -> None:
    text = TEXTS[subject]
    assert text.count("\n\n") == 2
    for part in (text, *text.split("\n\n")):
        found = check_passage(Passage("sections[1]", Kind.PROSE, part, f"About {subject}"), "en")
        assert [(f.check, f.reason) for f in found if f.blocks] == []


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (
            "de",
            "Der Kaffee kostet 3,50 €, d. h. kaum mehr als im Vorjahr. Am 7. Mai"
            " öffnet der Laden Nr. 3 in St. Pauli. Rufen Sie uns z. B. am Montag an.",
        ),
        (
            "fr",
            "Le café « froid » coûte 2,50 € l'unité ! Est-ce trop cher ? Il y en a d'autres, et il"
            " n'en faut qu'un.",
        ),
        (
            "es",
            "¿Cuánto café hay que moler? ¡Todo depende del método! El n.º 1 usa 18 g al día.",
        ),
        ("pt-BR", "O café custa R$ 12,90 e rende 10 xícaras. Todo mundo gosta, p. ex., à tarde."),
        ("nl", "De koffie kost € 3,50 per zak, d.w.z. nauwelijks meer. Waar is het goed voor?"),
        ("ja", "水出しコーヒーは、約8時間かかります。「とても簡単です。」"),
        ("zh", "冷萃咖啡需要8到12小时。味道很顺滑！你喜欢吗？"),
        ("hi", "कोल्ड ब्रू में 12 घंटे लगते हैं। स्वाद हल्का होता है।"),
        ("ar", "تحتاج القهوة الباردة إلى 12 ساعة. طعمها لذيذ جدا!"),
        ("ru", "Кофе стоит 350 руб. за пачку, т. е. недорого. Вкус мягкий!"),
    ],
)
def test_good_prose_in_other_languages_has_no_blocker(language: str, text: str) -> None:
    found = check_passage(Passage("sections[1]", Kind.PROSE, text), language)
    assert [(f.check, f.reason) for f in found if f.blocks] == []
