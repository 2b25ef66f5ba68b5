"""The kinds of defect that the desk's checks may be written for.

The other half, in aside.py, is not shown to those who write checks.
"""

import re
from collections.abc import Sequence
from random import Random

from bench.defects.plant import (
    Group,
    Kind,
    attach,
    facts,
    headings,
    matching,
    on_lines,
    one_of,
    pair,
    paragraph,
    prose_lines,
    replace_one,
    replace_word,
    section,
    sentence,
)

_MISSPELLED = {
    "because": "becuase", "which": "wich", "until": "untill", "different": "diffrent",
    "before": "befor", "separate": "seperate", "receive": "recieve", "really": "realy",
    "through": "trough", "usually": "usualy", "beginning": "begining", "always": "allways",
    "necessary": "neccessary", "available": "availible", "without": "whithout",
    "probably": "probaly", "their": "thier", "example": "exemple", "should": "shoud",
    "weather": "wheather", "enough": "enought", "together": "togehter", "minutes": "minuets",
}  # fmt: skip
_CODE = re.compile(r"`[^`]*`|\]\([^)]*\)|https?://\S+")


def _transpose(match: re.Match[str], random: Random) -> str:
    word = match[0]
    at = random.randrange(1, len(word) - 2)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _capitals(lines: list[str], random: Random) -> Sequence[int] | None:
    places = [
        (i, m)
        for i in prose_lines(lines)
        if not _CODE.search(lines[i])
        for m in re.finditer(r"(?<=\. )[A-Z][a-z' ,]{30,120}\.", lines[i])
    ]
    if not places:
        return None
    index, match = random.choice(places)
    line = lines[index]
    lines[index] = line[: match.start()] + match[0].upper() + line[match.end() :]
    return [index]


def _step_headings(lines: list[str], random: Random) -> Sequence[int] | None:
    """Renumber a heading `Step 3` so that a step is missing or comes twice."""
    places = matching(lines, r"#+ Step [2-9]\b")
    if not places:
        return None
    index = random.choice(places)
    lines[index] = re.sub(
        r"\d+", lambda m: str(int(m[0]) + random.choice((1, 2))), lines[index], count=1
    )
    return [index]


_NUMBERS = [
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
]  # fmt: skip
_NUMBER = rf"\b(?:{'|'.join(_NUMBERS)})\b"


def _other_number(match: re.Match[str], random: Random) -> str:
    at = _NUMBERS.index(match[0].lower())
    new = _NUMBERS[at + random.choice((-1, 1, 2)) if 0 < at < len(_NUMBERS) - 2 else 3]
    return new.capitalize() if match[0][0].isupper() else new


def _title_count(lines: list[str], random: Random) -> Sequence[int] | None:
    """Change the number in the title: it no longer counts the headings or items."""
    counted = rf"(?<!for ){_NUMBER}(?! (?:minutes|hours))"
    match = re.search(counted, lines[0], re.IGNORECASE)
    if not lines[0].startswith("# ") or not match:
        return None
    lines[0] = f"{lines[0][: match.start()]}{_other_number(match, random)}{lines[0][match.end() :]}"
    return [0, *headings(lines)]


def _lead_count(lines: list[str], random: Random) -> Sequence[int] | None:
    """Change the number in the sentence that leads a list: `these four things:`."""
    places = [
        (i, match)
        for i, line in enumerate(lines[:-2])
        if line.endswith(":") and re.match(r"[-*] |1\. ", lines[i + 2])
        for match in re.finditer(_NUMBER, line, re.IGNORECASE)
    ]
    if not places:
        return None
    index, match = random.choice(places)
    line = lines[index]
    lines[index] = line[: match.start()] + _other_number(match, random) + line[match.end() :]
    return _with_list(lines, index)


def _with_list(lines: Sequence[str], index: int) -> list[int]:
    marks, at = [index], index + 2
    while at < len(lines) and lines[at]:
        marks.append(at)
        at += 1
    return marks


def _numbered_gap(lines: list[str], random: Random) -> Sequence[int] | None:
    """Skip a number in a numbered list."""
    places = matching(lines, r"[3-9]\. ")
    if not places:
        return None
    index = random.choice(places)
    skipped = int(lines[index][0])
    lines[index] = f"{skipped + 2}{lines[index][1:]}"
    return [index]


def _same_heading(lines: list[str], random: Random) -> Sequence[int] | None:
    places = headings(lines)
    if len(places) < 3:
        return None
    one, two = random.sample(places, 2)
    lines[two] = lines[one]
    return [one, two]


def _title_as_heading(lines: list[str], random: Random) -> Sequence[int] | None:
    places = headings(lines)
    if not places or not lines[0].startswith("# "):
        return None
    index = random.choice(places)
    lines[index] = f"#{lines[0]}"
    return [0, index]


def _empty_section(lines: list[str], random: Random) -> Sequence[int] | None:
    places = headings(lines)
    if not places:
        return None
    index = random.choice(places)
    name = random.choice(
        ("What it costs", "Before you begin", "The right tools", "Common mistakes")
    )
    lines[index:index] = [f"## {name}", ""]
    return [index]


def _level_jump(lines: list[str], random: Random) -> Sequence[int] | None:
    places = headings(lines)[1:]
    if not places:
        return None
    index = random.choice(places)
    lines[index] = f"##{lines[index]}"
    return [index]


# Statements of the tuned carrier texts, what they are changed to, and their repetition.
FIGURES = (
    ("leave it alone for 60 minutes", "leave it alone for 20 minutes", "Let it stand for an hour"),
    ("the kettle with 500 ml of vinegar", "the kettle with 300 ml of vinegar",
     "- 500 ml of white vinegar"),
    ("and takes 40 minutes", "and takes 55 minutes", "for Four in 40 Minutes"),
    ("serves four people", "serves six people", "# Red Lentil Soup for Four"),
    ("soup simmer for 20 minutes", "soup simmer for 35 minutes", "After 20 minutes of simmering"),
    ("A rack for €35", "A rack for €45", "| Folding rack | €35 |"),
    ("It takes 24 hours until", "It takes 12 hours until", "| Folding rack | €35 | 24 hours |"),
    ("a run of 8 hours", "a run of 5 hours", "| Heated airer | €90 | 8 hours |"),
    ("the €110 for the hotel", "the €95 for the hotel", "| One night in a simple hotel | €110 |"),
    ("take 10 minutes together", "take 25 minutes together", "Ten minutes a day"),
    ("a monthly income of $4,200", "a monthly income of $4,600", "equals the income of $4,200"),
)  # fmt: skip
# The same of totals and other results of a calculation.
TOTALS = (
    ("| Total | | $6.00 |", "| Total | | $7.50 |", "| Cumin, oil, lemon |"),
    ("| Total | €250 |", "| Total | €270 |", "| Meals | €75 |"),
    ("| Total | $4,200 | 100 % |", "| Total | $4,350 | 100 % |", "| Savings | $420 |"),
    ("comes to 60 cents", "comes to 90 cents", "| Heated airer | €90 |"),
    ("add up to $5,040", "add up to $6,040", "the extra $420 a month"),
    ("the weekend costs €140", "the weekend costs €160", "the €110 for the hotel"),
)

_M, _L, _S = Group.MECHANICS, Group.LEFTOVERS, Group.STRUCTURE
_C, _STYLE = Group.CONSISTENCY, Group.SUBSTANCE

MECHANICS = (
    Kind("a word twice", _M, replace_one(r"(?<= )(the|a|of|to|in|and|is|for)(?= )", r"\1 \1")),
    Kind("an before a consonant", _M, replace_one(r"\ba (?=[bcdfgklmnprstvw][a-z]{3})", "an ")),
    Kind("a before a vowel", _M, sentence(
        "It takes a hour at most.", "Keep a umbrella at hand.", "That is a easy mistake to make.",
        "Ask a expert if you are unsure.", "Leave a inch of room on each side.")),
    Kind("two letters exchanged", _M, replace_one(r"(?<= )[a-z]{8,12}(?=[ ,.])", _transpose)),
    Kind("a common misspelling", _M, one_of(replace_word(_MISSPELLED), sentence(
        "It is definately worth the effort.", "This will accomodate most people.",
        "It can occured at any time of the year.", "The goverment gives no advice on it."))),
    Kind("there for their", _M, sentence(
        "Most people keep there tools in the shed.", "Guests often bring there own cups.",
        "Many owners change there mind after a week.")),
    Kind("could of", _M, sentence(
        "It could of been worse.", "You should of asked first.", "We would of missed it entirely.",
        "They must of known about it.")),
    Kind("it's for its", _M, sentence(
        "The box keeps it's shape for years.", "Each one has it's own place.",
        "The lid has lost it's colour.")),
    Kind("your for you're", _M, sentence(
        "Stop as soon as your happy with it.", "Call ahead if your going to be late.",
        "Your welcome to try it.")),
    Kind("comma splice", _M, sentence(
        "The water is warm, you can begin.", "It was late, we went home.",
        "The shop is small, it opens at nine.", "Nobody knew the answer, they asked a neighbour.")),
    Kind("no space after a full stop", _M, replace_one(r"(?<=[a-z]{3})\. (?=[A-Z][a-z])", ".")),
    Kind("two full stops", _M, replace_one(r"(?<=[a-z]{3})\. (?=[A-Z])", ".. ")),
    Kind("space before a comma", _M, replace_one(r"(?<=[a-z]), (?=[a-z])", " , ")),
    Kind("no space after a comma", _M, replace_one(r"(?<=[a-z]), (?=[a-z])", ",")),
    Kind("bracket never closed", _M, sentence(
        "Use the larger size (about as wide as a hand and you will not need a second one.",
        "Buy the plain kind (the one without a label if you can find it.")),
    Kind("quotation never closed", _M, sentence(
        "One reader called it “the best hour of the week and came back.",
        'The label says "keep cool and nothing else about storage.')),
    Kind("a sentence in capitals", _M, on_lines(_capitals)),
    Kind("three exclamation marks", _M, sentence(
        "Try it today!!!", "It works every time!!!", "Do not wait!!!!")),
    Kind("a row of emoji", _M, attach(" 🎉🎉🔥🚀", " 😍😍😍", " ✨💯🙌🔥")),
    Kind("mojibake of an apostrophe", _M, sentence(
        "It doesnâ€™t take long.", "Thatâ€™s all you need.", "You wonâ€™t regret it.")),
    Kind("mojibake of an accent", _M, sentence(
        "Sit down in a cafÃ© afterwards.", "Serve it with crÃ¨me fraÃ®che.",
        "The fiancÃ©e of a friend told us so.")),
    Kind("Cyrillic letter in a word", _M, replace_one(
        r"(?<= )[a-z]{2,5}[aoe][a-z]{2,6}(?= )",
        lambda m, _: m[0].translate(str.maketrans("aoe", "аое")))),
    Kind("Chinese characters in a sentence", _M, replace_one(
        r"(?<=[a-z]{4}) (?=[a-z]{4})",
        lambda _m, r: r.choice(("的 ", " 因为 ", "以及 ", " 非常 ")))),
    Kind("subject and verb disagree", _M, sentence(
        "The results shows it clearly.", "These methods works well.", "It take about a week.",
        "The people was friendly.", "He don't mind waiting.")),
    Kind("lower case begins a sentence", _M, replace_one(
        r"(?<=[a-z]{3}\. )(?:The|This|It|You|If|A|In|They|We|That|When|For)\b",
        lambda m, _: m[0].lower())),
    Kind("wrong form of a verb", _M, sentence(
        "We have went there twice.", "She did not saw the sign.", "I have ate it before.",
        "They had began without us.")),
    Kind("then for than", _M, sentence(
        "It is better then nothing.", "That costs more then it should.",
        "A small one is easier to carry then a large one.")),
    Kind("German: das for dass", _M, sentence(
        "Ich glaube, das es reicht.", "Wichtig ist, das man sich Zeit nimmt.",
        "Er sagt, das er morgen kommt."), "de"),
    Kind("German: a word twice", _M, replace_one(
        r"(?<= )(der|die|das|und|in|zu|mit|ist)(?= )", r"\1 \1"), "de"),
    Kind("German: misspelling", _M, sentence(
        "Das ist vorraussichtlich kein Problem.", "Das gilt heute als Standart.",
        "Man kann beides seperat kaufen.", "Das geht warscheinlich schneller."), "de"),
    Kind("German: Chinese characters in a word", _M, replace_one(
        r"(?<=[a-zäöü]{4})(?=[a-zäöü]{4,})", lambda _m, r: r.choice(("的", "以及", "性"))), "de"),
    Kind("French: misspelling", _M, sentence(
        "C'est possible malgrés le prix.", "Il faut choisir parmis plusieurs solutions.",
        "On le fait biensûr avant de partir."), "fr"),
    Kind("Italian: misspelling", _M, sentence(
        "Serve un pò di pazienza.", "Qual'è il momento migliore?", "Pultroppo non basta."), "it"),
    Kind("Spanish: misspelling", _M, sentence(
        "Lo vimos atravez de la ventana.", "Enserio, no hace falta más.",
        "Hay que aver si funciona."), "es"),
)  # fmt: skip

LEFTOVERS = (
    Kind("format code", _L, sentence(
        "Prices start at %s in most shops.", "It takes about %d minutes.",
        "Dear %(name)s, thank you for reading.")),
    Kind("undefined or NaN", _L, sentence(
        "It costs about undefined in most shops.", "Allow NaN minutes for it.",
        "The best time is undefined.", "You need null of them.")),
    Kind("[object Object]", _L, sentence("You need [object Object] and a cloth.")),
    Kind("insert example here", _L, sentence(
        "Many people do it this way (insert example here).", "(add statistic here)",
        "This is what it looks like: [insert picture].", "<insert quote from an expert>")),
    Kind("citation needed", _L, attach(" [citation needed]", " [source?]", " (citation needed)")),
    Kind("note to the editor", _L, one_of(
        paragraph("NOTE TO EDITOR: please check the figures.", "Editor's note to self: shorten."),
        sentence("(Note to editor: is this still true?)"))),
    Kind("citation mark of an assistant", _L, attach("【4†source】", "【12:0†notes.pdf】")),
    Kind(":contentReference", _L, attach(
        " :contentReference[oaicite:0]{index=0}", ":contentReference[oaicite:3]", " oaicite:2")),
    Kind("formula source", _L, sentence(
        r"The ratio is \(\frac{1}{3}\) of the weight.",
        r"That makes $\approx 2 \times 10^3$ steps.",
        r"\begin{itemize} \item First \end{itemize}", r"Use \textbf{two} of them.")),
    Kind("last update of a model", _L, sentence(
        "As of my last update, the price had not changed.",
        "As of my knowledge cutoff in 2023, this was the newest one.",
        "My training data does not include later prices.")),
    Kind("cannot browse", _L, sentence(
        "I cannot browse the internet to check this.",
        "I don't have access to real-time information about prices.",
        "I'm unable to open links or attachments.")),
    Kind("Paragraph 2:", _L, replace_one(
        r"^(?=[A-Z][a-z]+ )", lambda _m, r: f"{r.choice(('Paragraph 2', 'Intro', 'Body'))}: ")),
    Kind("words of an order", _L, sentence(
        "Write in a friendly tone and use the keyword at least twice.",
        "Return only the text of the section, without a heading.",
        "Do not use lists. Write 120 to 180 words.",
        "The section must mention the primary keyword once.")),
    Kind("word count", _L, paragraph(
        "(Word count: 812)", "Word count: 812 words", "(Total: 643 words)", at="last")),
    Kind("Title: label", _L, one_of(
        replace_one(r"^(?=[A-Z][a-z]+ )", "Title: A Short Guide. "),
        paragraph("Title: A short guide",
                  "Meta title: A short guide", "Headline: A short guide"))),
    Kind("XXX", _L, sentence(
        "It costs XXX in most shops.", "Call XXX-XXXX for more.", "XXX check this",
        "In 20XX it was new.")),
    Kind("__NAME__", _L, sentence(
        "Ask \\_\\_NAME\\_\\_ for details.", "Our shop in `__CITY__` has them.",
        "Ask ##NAME## for details.", "Write to %%EMAIL%% for details.")),
    Kind("entity twice escaped", _L, attach(
        " &amp;nbsp;and a cloth", " &amp;amp; a cloth", " &amp;quot;clean&amp;quot;")),
    Kind("stray stars", _L, sentence(
        "It is **very good on a cold day.", "**Tip: take two of them.",
        "It is good on a cold day.**")),
    Kind("stray fence", _L, paragraph("```", "```markdown", at="last")),
    Kind("German: last update of a model", _L, sentence(
        "Nach meinem letzten Kenntnisstand kostet das zehn Euro.",
        "Stand meiner letzten Aktualisierung ist das so.",
        "Ich habe keinen Zugriff auf aktuelle Daten."), "de"),
    Kind("German: insert here", _L, sentence(
        "Das zeigt ein Beispiel (hier Beispiel einfügen).", "[Name des Unternehmens]",
        "Das kostet [Preis einsetzen] Euro."), "de"),
    Kind("German: note to the editor", _L, sentence(
        "(Anm. an die Redaktion: bitte prüfen)", "Hinweis für den Lektor: Zahl prüfen."), "de"),
    Kind("French: talk of an assistant", _L, sentence(
        "En tant que modèle de langage, je ne peux pas le vérifier.",
        "Voici l'article que vous avez demandé.",
        "À ma dernière mise à jour, le prix était le même."), "fr"),
)  # fmt: skip

STRUCTURE = (
    Kind("count of the title", _S, on_lines(_title_count)),
    Kind("count before a list", _S, one_of(on_lines(_lead_count), paragraph(
        "You need these five things:\n\n- a cloth\n- a bucket\n- warm water",
        "There are three ways to do it:\n\n- by hand\n- with a machine"))),
    Kind("a table that is not there", _S, sentence(
        "The table below shows the prices side by side.", "See the following table for the sizes.",
        "Table 3 lists all of them.")),
    Kind("a picture that is not there", _S, sentence(
        "Figure 3 shows how it looks.", "As the picture above shows, the edge stays dry.",
        "In the photo below you can see the difference.", "See the diagram on the right.")),
    Kind("a section that is not there", _S, sentence(
        "More on this in the section “Winter storage” below.", "As chapter 9 explains, it depends.",
        "See the section on insurance further down.")),
    Kind("a number skipped in a list", _S, on_lines(_numbered_gap)),
    Kind("a step skipped in headings", _S, one_of(on_lines(_step_headings), paragraph(
        "Step 1: Take everything out.\n\nStep 2: Wipe it.\n\nStep 4: Put it back.",
        "First, empty it. Second, wipe it. Fourth, let it dry."))),
    Kind("a heading twice", _S, on_lines(_same_heading)),
    Kind("the title as a heading", _S, on_lines(_title_as_heading)),
    Kind("a section without text", _S, on_lines(_empty_section)),
    Kind("a level of headings skipped", _S, on_lines(_level_jump)),
    Kind("a question not answered", _S, one_of(
        section("How much does it cost?",
                "Colours are a matter of taste. Some people like plain ones, and others do not."),
        section("How long does it take?",
                "The handle is made of wood, and most people find that it sits well in the hand."),
        section("When is the best time to start?",
                "A cloth and some warm water are enough. Wipe from top to bottom."))),
    Kind("a promise not kept", _S, paragraph(
        "This guide also covers insurance, and it ends with a recipe for lemonade.",
        "At the end you will find a checklist to print and a list of three suppliers.",
        at="first")),
    Kind("a list of one item", _S, paragraph(
        "Keep these points in mind:\n\n- Let it dry first.",
        "There are several reasons:\n\n1. It saves money.")),
    Kind("health advice without care", _S, sentence(
        "Take 800 mg of ibuprofen every three hours until the pain stops.",
        "Stop taking your blood pressure tablets as soon as you feel better.",
        "Give a feverish baby two aspirin tablets and wait.")),
    Kind("money or law without care", _S, sentence(
        "Put all your savings into this one share; a return of 12 % is guaranteed.",
        "You do not need a lawyer: just stop paying the rent and nothing can happen.",
        "Borrow as much as you can and buy bitcoin, it always goes up.")),
    Kind("German: count before a list", _S, paragraph(
        "Sie brauchen diese fünf Dinge:\n\n- ein Tuch\n- einen Eimer\n- warmes Wasser",
        "Es gibt drei Wege:\n\n- von Hand\n- mit der Maschine"), "de"),
    Kind("German: a table that is not there", _S, sentence(
        "Die folgende Tabelle zeigt die Preise.", "Tabelle 3 nennt alle Größen.",
        "Wie das Bild oben zeigt, bleibt der Rand trocken."), "de"),
    Kind("French: a table that is not there", _S, sentence(
        "Le tableau ci-dessous donne les prix.", "La figure 3 montre le résultat."), "fr"),
)  # fmt: skip

CONSISTENCY = (
    Kind("a repeated figure changed", _C, one_of(facts(FIGURES), pair(
        ("The basic kit costs 40 dollars.", "At 55 dollars, the basic kit is no bargain."),
        ("The walk to the lake takes 45 minutes.", "The walk to the lake takes 90 minutes."),
        ("The garden club has 120 members.", "All 150 members of the garden club agreed.")))),
    Kind("a sum that is wrong", _C, one_of(facts(TOTALS), sentence(
        "The brush costs $15 and the pot $30, so the set comes to $60.",
        "That makes 3 bags at 4 euros each, 16 euros in total.",
        "Of 200 guests, 80 came by car, 70 by train and 90 on foot."))),
    Kind("shares above one hundred", _C, sentence(
        "About 60 % walk, 30 % cycle and the remaining 25 % drive.",
        "Half of it is sand, 40 percent clay and 30 percent compost.")),
    Kind("temperature converted wrongly", _C, sentence(
        "Heat the oven to 200 °C (320 °F).", "Wash it at 40 °C (140 °F).",
        "Keep it at 68 °F (25 °C).")),
    Kind("length or weight converted wrongly", _C, sentence(
        "The trail is 10 km (8 miles) long.", "It weighs 5 kg (15 pounds).",
        "Leave a gap of 2 inches (8 cm).")),
    Kind("clock times and duration", _C, sentence(
        "It runs from 9:00 to 11:00, three hours without a break.",
        "Doors open at 6 p.m. and close at 8 p.m., four hours later.")),
    Kind("weekday and date", _C, sentence(
        "It opened on Monday, 4 July 2023.", "The fair begins on Friday, 25 December 2024.",
        "We met on Sunday, March 3, 2021.")),
    Kind("years that do not add up", _C, sentence(
        "Founded in 1998, the shop moved 15 years later, in 2008.",
        "The house was built in 1950 and is 60 years old in 2020.")),
    Kind("a range upside down", _C, sentence(
        "It takes between 30 and 20 minutes.", "Expect to pay from $80 to $50.",
        "Children aged 12 to 6 like it most.")),
    Kind("a name in two spellings", _C, pair(
        ("Katherine Meyer has run the shop since it opened.",
         "For Catharine Meyer, patience matters most."),
        ("The trail begins in Lindenbrook.", "A bus leaves Lindenbruck every hour."),
        ("The kit is made by Harlow & Finch.", "Ask Harlow & Fynch for a spare lid."))),
    Kind("a date in two versions", _C, pair(
        ("The museum opened in 1987.", "Since the museum opened in 1991, little has changed."),
        ("The course starts on 3 May.", "The course starts on 13 May, rain or shine."))),
    Kind("German: a price in two versions", _C, pair(
        ("Das Grundpaket kostet 40 Euro.", "Mit 55 Euro ist das Grundpaket nicht billig."),
        ("Der Weg zum See dauert 45 Minuten.", "Der Weg zum See dauert 90 Minuten.")), "de"),
    Kind("German: a sum that is wrong", _C, sentence(
        "Die Bürste kostet 15 Euro, der Topf 30 Euro, zusammen also 60 Euro.",
        "Etwa 60 % gehen zu Fuß, 30 % fahren Rad und die übrigen 25 % Auto."), "de"),
    Kind("Spanish: a sum that is wrong", _C, sentence(
        "El cepillo cuesta 15 euros y la olla 30 euros; en total son 60 euros.",
        "El 60 % camina, el 30 % va en bici y el 25 % restante en coche."), "es"),
)  # fmt: skip

STYLE = (
    Kind("fast-paced world", _STYLE, sentence(
        "In today's fast-paced world, time matters more than ever.",
        "In the ever-evolving landscape of home care, one thing stands out.",
        "In this digital age, everyone is looking for answers.")),
    Kind("unlock the power", _STYLE, sentence(
        "Unlock the power of a tidy shelf.", "It will take your mornings to the next level.",
        "Discover the secrets of a truly seamless routine.")),
    Kind("rich tapestry", _STYLE, sentence(
        "Let us delve into the rich tapestry of flavours.",
        "It is a testament to the enduring charm of the place.",
        "It plays a pivotal role in fostering a vibrant community.")),
    Kind("profanity", _STYLE, sentence(
        "It is a fucking waste of time.", "That advice is bullshit.", "Most of it is shit.")),
    Kind("note that it is important", _STYLE, sentence(
        "It is important to note that it is worth mentioning that size matters.",
        "Needless to say, at the end of the day it is what it is.",
        "It goes without saying that due to the fact that it rains, it gets wet.")),
    Kind("a study without a name", _STYLE, sentence(
        "Studies show that 87 % of people prefer it.", "Experts agree that it is the best way.",
        "Research has proven that it works every time.")),
    Kind("intensifiers", _STYLE, sentence(
        "It is very, very good and really extremely useful.",
        "This is absolutely, totally and completely essential.")),
    Kind("said twice in one breath", _STYLE, sentence(
        "The end result is a free gift with added bonus.", "Plan ahead in advance for it.",
        "It is completely full, and each and every one returned back.")),
    Kind("German: fast-paced world", _STYLE, sentence(
        "In der heutigen schnelllebigen Welt ist Zeit kostbar.",
        "Tauchen Sie ein in die faszinierende Welt der Gewürze."), "de"),
    Kind("German: profanity", _STYLE, sentence(
        "Das ist totale Scheiße.", "Der verdammte Mist hält nicht."), "de"),
)  # fmt: skip

KINDS = (*MECHANICS, *LEFTOVERS, *STRUCTURE, *CONSISTENCY, *STYLE)
