"""The kinds of defect once put aside; those who write checks have read them since."""

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

_SPLIT = {
    "without": "with out", "another": "an other", "together": "to gether", "because": "be cause",
    "always": "al ways", "before": "be fore", "between": "bet ween", "already": "al ready",
    "something": "some thing", "yourself": "your self", "afternoon": "after noon",
}  # fmt: skip
_JOINED = {
    "a lot": "alot", "in fact": "infact", "as well": "aswell", "of course": "ofcourse",
    "at least": "atleast", "each other": "eachother", "in the": "inthe", "of the": "ofthe",
}  # fmt: skip
_APOSTROPHES = {
    "don't": "dont", "doesn't": "doesnt", "can't": "cant", "isn't": "isnt", "won't": "wont",
}  # fmt: skip
_LIGATURES = {"fi": "ﬁ", "fl": "ﬂ", "ff": "ﬀ"}


def _leave_out(match: re.Match[str], random: Random) -> str:
    word = match[0]
    at = random.randrange(2, len(word) - 2)
    return word[:at] + word[at + 1 :]


def _wide(match: re.Match[str], random: Random) -> str:
    """Write a word with letters of another block that look alike: full width or bold."""
    begin = random.choice((0xFF41, 0x1D5EE))
    return "".join(chr(begin + ord(letter) - ord("a")) for letter in match[0])


def _hyphenated(match: re.Match[str], random: Random) -> str:
    at = random.randrange(3, len(match[0]) - 3)
    return f"{match[0][:at]}- {match[0][at:]}"


def _item_twice(lines: list[str], random: Random) -> Sequence[int] | None:
    places = matching(lines, r"- \S")
    if not places:
        return None
    index = random.choice(places)
    lines.insert(index, lines[index])
    return [index, index + 1]


def _item_empty(lines: list[str], random: Random) -> Sequence[int] | None:
    places = matching(lines, r"- \S")
    if not places:
        return None
    index = random.choice(places)
    lines.insert(index, "-")
    return [index]


def _cell_missing(lines: list[str], random: Random) -> Sequence[int] | None:
    """Empty the last cell of a row of a table."""
    places = [i for i in matching(lines, r"\| ")[1:] if re.search(r"\| [^|]*\d[^|]* \|$", lines[i])]
    if not places:
        return None
    index = random.choice(places)
    lines[index] = re.sub(r"\| [^|]+ \|$", "| |", lines[index])
    return [index, *matching(lines, r"\| ")]


def _row_twice(lines: list[str], random: Random) -> Sequence[int] | None:
    """Repeat the first cell of a row in the row below it, with other values."""
    places = [
        i
        for i in matching(lines, r"\| ")[1:]
        if i + 1 < len(lines) and lines[i + 1].startswith("| ")
    ]
    if not places:
        return None
    index = random.choice(places)
    first = lines[index].split("|")[1]
    rest = lines[index + 1].split("|")
    lines[index + 1] = "|".join([rest[0], first, *rest[2:]])
    return [index, index + 1, *matching(lines, r"\| ")]


def _steps_swapped(lines: list[str], random: Random) -> Sequence[int] | None:
    """Exchange the numbers of two neighbouring headings that are numbered."""
    places = [i for i in headings(lines) if re.match(r"## (?:\w+ )?\d+", lines[i])]
    if len(places) < 2:
        return None
    at = random.randrange(len(places) - 1)
    one, two = places[at], places[at + 1]
    first, second = (re.findall(r"\d+", lines[i])[0] for i in (one, two))
    lines[one] = lines[one].replace(first, second, 1)
    lines[two] = lines[two].replace(second, first, 1)
    return [one, two]


def _list_swapped(lines: list[str], random: Random) -> Sequence[int] | None:
    """Exchange two numbers of a numbered list."""
    places = matching(lines, r"[2-8]\. ")
    places = [i for i in places if re.match(r"\d\. ", lines[i + 1] if i + 1 < len(lines) else "")]
    if not places:
        return None
    index = random.choice(places)
    one, two = lines[index][0], lines[index + 1][0]
    lines[index] = two + lines[index][1:]
    lines[index + 1] = one + lines[index + 1][1:]
    return [index, index + 1]


def _other_title(lines: list[str], random: Random) -> Sequence[int] | None:
    if not lines[0].startswith("# "):
        return None
    lines[0] = "# " + random.choice(
        ("How to Teach a Puppy to Sit", "Choosing a Mortgage in Ten Minutes",
         "Nine Facts About the Moons of Saturn", "Where to Watch Whales in Spring")
    )  # fmt: skip
    return [0]


def _other_heading(lines: list[str], random: Random) -> Sequence[int] | None:
    places = [i for i in headings(lines) if not re.search(r"\d", lines[i])]
    if not places:
        return None
    index = random.choice(places)
    lines[index] = "## " + random.choice(
        ("Training a puppy", "Fixed or variable mortgage rates", "The moons of Saturn",
         "Watching whales in spring")
    )  # fmt: skip
    return [index, index + 2]


def _second_title(lines: list[str], random: Random) -> Sequence[int] | None:
    places = headings(lines)
    if not places:
        return None
    index = random.choice(places)
    lines[index] = lines[index][1:]
    return [index]


def _section_twice(lines: list[str], random: Random) -> Sequence[int] | None:
    """Paste a paragraph again, two paragraphs further down, with another first word."""
    places = prose_lines(lines)
    if len(places) < 4:
        return None
    index = random.choice(places[:-2])
    later = places[places.index(index) + 2]
    copy = f"Again, {lines[index][0].lower()}{lines[index][1:]}"
    lines[later:later] = [copy, ""]
    return [index, later]


# Statements of the carrier texts put aside, what they are changed to, and their repetition.
FIGURES = (
    ("pot that is 3 cm wider", "pot that is 6 cm wider", "the new pot is 3 cm wider"),
    ("fresh potting soil, about 3 litres", "fresh potting soil, about 9 litres",
     "enough for three plants"),
    ("temperature for 12 hours", "temperature for 18 hours", "During the 12 hours"),
    ("- 375 ml of cold water", "- 475 ml of cold water", "75 ml of water for each 100 g"),
    ("let it rest for 50 minutes", "let it rest for 20 minutes", "| Let it rest | 50 minutes |"),
    ("square metres you need 30 minutes", "square metres you need 45 minutes",
     "| Time for 150 square metres | 30 minutes |"),
    ("takes £10 for that", "takes £25 for that", "| Upkeep per year | £10 |"),
    ("The couchette, at €70,", "The couchette, at €90,", "| Couchette | 4 or 6 | €70 |"),
    ("With these five things", "With these seven things", "- a bottle of water"),
    ("From 9:30 p.m. on", "From 7:30 p.m. on", "Dim the light an hour before bed"),
    ("which costs about £2", "which costs about £8", "A key for £2"),
    ("the wait of 5 minutes", "the wait of 20 minutes", "wait 5 minutes until"),
)  # fmt: skip
# The same of results of a calculation.
RESULTS = (
    ("of about 1.5 cm on each side", "of about 3 cm on each side", "the new pot is 3 cm wider"),
    ("At 9:45 a.m. the bread", "At 10:45 a.m. the bread", "| 9:00 a.m. | Bake it | 45 minutes |"),
    ("so six years come to £140", "so six years come to £180", "The push mower costs £80"),
    ("The difference of £190", "The difference of £240", "which makes £330"),
    ("costs twice as much as the couchette", "costs four times as much as the couchette",
     "| Sleeper | 1 to 3 | €140 |"),
    ("After eight weeks you", "After twelve weeks you", "- Week 7"),
    ("should be asleep at 10:30 p.m.", "should be asleep at 11:30 p.m.", "get up at 6:30 a.m."),
)  # fmt: skip

_M, _L, _S = Group.MECHANICS, Group.LEFTOVERS, Group.STRUCTURE
_C, _STYLE = Group.CONSISTENCY, Group.SUBSTANCE

MECHANICS = (
    Kind("article missing", _M, sentence(
        "It is good idea to wait.", "Put lid back on the pot.",
        "She is engineer at a small firm.")),
    Kind("loose for lose", _M, sentence(
        "You may loose the receipt.", "Do not loose heart if it fails.",
        "Without a lid, you will loose most of the heat.")),
    Kind("affect for effect", _M, sentence(
        "It has a big affect on the taste.", "The affects are hard to see.",
        "Noise can effect your sleep.")),
    Kind("who's for whose", _M, sentence(
        "Ask a friend who's car is large enough.", "Whose coming with us?",
        "A man who's name nobody knew had built it.")),
    Kind("apostrophe in a plural", _M, sentence(
        "Banana's are cheap all year round.", "Most shop's sell them.",
        "Two video's show how it works.", "Ask the neighbour's and their friends.")),
    Kind("words run together", _M, one_of(replace_word(_JOINED), sentence(
        "It helps alot.", "Infact, nobody minds.", "Salt works aswell."))),
    Kind("a word split", _M, one_of(replace_word(_SPLIT), sentence(
        "You can do it with out help.", "Every thing has its place on the shelf."))),
    Kind("a letter left out", _M, replace_one(r"(?<= )[a-z]{8,12}(?=[ ,.])", _leave_out)),
    Kind("a digit in a word", _M, replace_one(
        r"(?<= )[a-z]{2,5}[olie][a-z]{2,5}(?= )",
        lambda m, _: m[0][:2] + m[0][2:].translate(str.maketrans("olie", "0113")))),
    Kind("two commas", _M, replace_one(r"(?<=[a-z]), (?=[a-z])", ",, ")),
    Kind("comma and full stop", _M, replace_one(r"(?<=[a-z]{3})\. (?=[A-Z])", ",. ")),
    Kind("apostrophe left out", _M, one_of(replace_word(_APOSTROPHES), sentence(
        "It doesnt take long.", "You cant miss it.", "They didnt ask.", "That isnt a problem."))),
    Kind("question without its mark", _M, sentence(
        "What should you do when it rains.", "How do you know when to stop.",
        "Why does it take so long.")),
    Kind("small i", _M, sentence("Last year i tried it myself.", "My brother and i share one.")),
    Kind("a name in lower case", _M, sentence(
        "The shop is closed on mondays and in july.", "We saw it in london last year.",
        "It is common in germany and in france.")),
    Kind("two capitals begin a word", _M, replace_one(
        r"(?<=[a-z]\. )(?:The|This|You|They|That|When|Then|Most)\b", lambda m, _: (
            m[0][:2].upper() + m[0][2:]))),
    Kind("much for many", _M, sentence(
        "There are much people who like it.", "It needs many water.",
        "How much bottles do you need?")),
    Kind("double negative", _M, sentence(
        "You don't need no tools for it.", "It doesn't cost nothing.", "Nobody never complains.")),
    Kind("double comparative", _M, sentence(
        "It is more easier with two people.", "This is the most cheapest way.",
        "The second one is more better.")),
    Kind("wrong case of a pronoun", _M, sentence(
        "Between you and I, it is not worth it.", "Her and me tried it last week.",
        "Him and his wife has one too.")),
    Kind("no verb", _M, sentence(
        "Although the shop near the station.", "Because the water too hot for it.",
        "The reason for the delay in the second week of the month.")),
    Kind("sentences fused", _M, sentence(
        "The water is warm you can begin now.", "It was late we went home.",
        "He tried it it worked at once.")),
    Kind("brackets of two kinds", _M, attach(
        " (the larger one]", " [the larger one)", " {the larger one)", " (the larger one))")),
    Kind("present for past", _M, sentence(
        "Yesterday we go to the market.", "Last year she buy a new one.",
        "Two weeks ago it break.")),
    Kind("to for too", _M, sentence(
        "It is to hot to touch.", "Do not add to much salt.", "It was to late by then.")),
    Kind("mojibake of signs", _M, sentence(
        "It costs 20 â‚¬ in most shops.", "That is Â£20 for a pair.", "It weighs 5Â kg.",
        "It takes 10â€“20 minutes.", "Itâ€¦ depends.")),
    Kind("letters of another block", _M, replace_one(r"(?<= )[a-z]{5,9}(?= )", _wide)),
    Kind("a word of another script", _M, replace_one(
        r"(?<=[a-z]{4}) (?=[a-z]{4})",
        lambda _m, r: r.choice((" очень ", " 정말 ", " جدا ", " πολύ ", " とても ")))),
    Kind("hyphen of a line break", _M, replace_one(r"(?<= )[a-z]{8,14}(?= )", _hyphenated)),
    Kind("ligature characters", _M, replace_one(
        r"(?<=[a-z ])f[fil](?=[a-z])", lambda m, _: _LIGATURES[m[0]])),
    Kind("ordinal number", _M, sentence(
        "It ends on the 3th day.", "This was the 22th attempt.", "The 1th of May is too late.")),
    Kind("currency twice", _M, sentence(
        "It costs $20 dollars.", "You pay €35 euros for it.", "A pair is £15 pounds.")),
    Kind("wrong preposition", _M, sentence(
        "It depends of the weather.", "She is interested on old maps.",
        "We discussed about it at length.")),
    Kind("to after a modal verb", _M, sentence(
        "You should to wait an hour.", "It can to take a week.", "You must to ask first.")),
    Kind("plural of an uncountable noun", _M, sentence(
        "Ask for more informations.", "The furnitures stay dry.", "She gave us good advices.",
        "You need few equipments.")),
    Kind("German: noun in lower case", _M, replace_one(
        r"(?<=\b(?:der|die|das|dem|den|ein) )[A-ZÄÖÜ][a-zäöüß]{3,}(?=[ .,])",
        lambda m, _: m[0].lower()), "de"),
    Kind("German: wie for als", _M, sentence(
        "Das ist besser wie nichts.", "Das zweite ist teurer wie das erste."), "de"),
    Kind("German: seid for seit", _M, sentence(
        "Das Geschäft gibt es seid zehn Jahren.", "Seid gestern regnet es."), "de"),
    Kind("German: comma missing", _M, sentence(
        "Er glaubt dass es reicht.", "Wir warten weil es noch regnet.",
        "Ich weiß nicht ob das stimmt."), "de"),
    Kind("German: mojibake", _M, replace_one(
        r"(?<=[A-Za-z])[üöä](?=[a-z])",
        lambda m, _: m[0].encode().decode("cp1252")), "de"),
    Kind("German: wrong gender", _M, sentence(
        "Der Auto steht vor dem Haus.", "Das Sonne scheint den ganzen Tag.",
        "Sie stellt die Wasser auf den Herd."), "de"),
    Kind("French: elision missing", _M, sentence(
        "Il faut changer le eau chaque jour.", "Je ai essayé la semaine dernière.",
        "On peut le acheter partout parce que il est connu."), "fr"),
    Kind("Spanish: opening mark missing", _M, sentence(
        "Cuándo conviene regar?", "Qué pasa si llueve?"), "es"),
    Kind("Portuguese: misspelling", _M, sentence(
        "Concerteza vale a pena.", "Fazem dois anos que uso assim.", "Tem menas água no verão."),
        "pt"),
    Kind("Dutch: d for dt", _M, sentence(
        "Hij word er niet beter van.", "Zij vind dat lekker.", "Het is groter als vorig jaar."),
        "nl"),
)  # fmt: skip

LEFTOVERS = (
    Kind("template tags", _L, sentence(
        "{% if sale %}It is cheaper now.{% endif %}", "Dear <%= user.name %>, read on.",
        "It costs <?php echo $price; ?> in most shops.", "{{#each items}} are useful.")),
    Kind("tokens of a chat model", _L, attach(
        " <|im_end|>", " [/INST]", " </think>", " <|endoftext|>", " <end_of_turn>")),
    Kind("speakers of a chat", _L, one_of(
        paragraph("User: Please write a short guide.", "Human: make it longer",
                  "ChatGPT said:", "You said:\n\nwrite the next part"),
        replace_one(r"^(?=[A-Z][a-z]+ )", "Assistant: "))),
    Kind("merge conflict", _L, paragraph(
        "<<<<<<< HEAD", "=======\n\n>>>>>>> draft-2", ">>>>>>> a1b2c3d (second version)")),
    Kind("rest of JSON", _L, sentence(
        '{"heading": "What you need", "text":', '"}]}', '"content": "It is easy to do.",')),
    Kind("escapes of a string", _L, one_of(
        attach(r"\\n\\n", r"\\u2019s", r"\\t", r"\\r\\n"),
        replace_one(r"(?<=[a-z]{3})\. (?=[A-Z])", r".\\\\n"))),
    Kind("search marks of an assistant", _L, attach(
        " turn0search3", " (source: example, utm_source=chatgpt.com)", " citeturn1view0",
        " [cite_start]", " [cite: 4, 7]")),
    Kind("refusal", _L, sentence(
        "I'm sorry, but I can't help with that request.", "I must decline to give figures here.",
        "Sorry, I am not able to write about this brand.")),
    Kind("offer of an assistant", _L, paragraph(
        "Would you like me to add a section on costs?", "Feel free to adjust the tone as needed.",
        "If you'd like, I can turn this into a checklist.", "Shall I go on with the next part?",
        at="last")),
    Kind("fields for search engines", _L, paragraph(
        "Meta description: A short guide to a clean home.", "Slug: a-short-guide",
        "Focus keyword: short guide", "Alt text: a hand with a cloth", "H2: What you need")),
    Kind("order for a picture", _L, paragraph(
        "(Image: a red kettle on a stove)", "[Photo of the finished dish here]",
        "IMAGE SUGGESTION: two people on a bench", "[Infographic: five steps]")),
    Kind("errors of a word processor", _L, sentence(
        "See Error! Reference source not found. for more.", "Error! Bookmark not defined.",
        "Comment [JS1]: is this right?")),
    Kind("errors of a spreadsheet", _L, sentence(
        "It costs #REF! in most shops.", "The share is #DIV/0! of the total.",
        "On average it is #N/A a month.", "The sum is #VALUE! for two.")),
    Kind("parts of a web page", _L, paragraph(
        "Share this: Facebook Twitter Pinterest", "Skip to content", "Read more »",
        "Accept all cookies", "Advertisement", "3 min read · 12 comments")),
    Kind("shortcodes of a CMS", _L, one_of(
        paragraph('[gallery ids="12,14,15"]', '[caption id="attachment_12" width="300"]',
                  "[embed]video[/embed]", '[vc_row][vc_column width="1/2"]'),
        attach(" [/caption]", " [sc name=ad]"))),
    Kind("BBCode", _L, sentence(
        "It is [b]very[/b] good.", "[quote]It works[/quote] said a reader.",
        "[size=14]It is easy[/size] to do.")),
    Kind("state of a draft", _L, paragraph(
        "DRAFT – do not publish", "v2 FINAL final", "FOR INTERNAL USE ONLY",
        "Status: waiting for review")),
    Kind("to be decided", _L, sentence(
        "The price is TBD.", "It opens in spring (date TBC).", "It weighs TK kilos.",
        "FIXME the figure is old.", "It takes ??? minutes.")),
    Kind("sample data", _L, sentence(
        "Ask John Doe at 123 Main Street, Anytown.", "Call 555-555-5555 for a date.",
        "Write to firstname.lastname, your company.", "Foo bar baz is one example.")),
    Kind("blind typing", _L, sentence(
        "asdfasdf", "Blah blah blah blah.", "test test test", "qwertyuiop it is.")),
    Kind("note of a translator", _L, one_of(
        paragraph("Translated with DeepL.com (free version)", at="last"),
        sentence("(Translator's note: no English word for it)", "(orig. unclear)"))),
    Kind("to be continued", _L, paragraph(
        "(continued in the next message)", "[output truncated]", "... [the rest stays the same]",
        "Part 2 of 3 follows.", at="last")),
    Kind("buttons of a chat", _L, paragraph("Regenerate response", "Copy code", "Stop generating")),
    Kind("messages of a program", _L, paragraph(
        "Traceback (most recent call last):", "Warning: Undefined variable $title in post.php",
        "TypeError: cannot read properties of null", "Error 404: Not Found",
        "Rate limit reached. Please try again in 20 s.")),
    Kind("thoughts of a model", _L, paragraph(
        "Okay, the user wants a short guide, so let me start with the basics.",
        "I need to keep this under 400 words and avoid lists.",
        "Let me think about what the reader needs here.")),
    Kind("variables of other kinds", _L, sentence(
        "The shop in [[city]] has them.", "Ask {0} for more.", "Dear @{first_name}, read on.",
        "It costs $PRICE$ in most shops.", "Greetings from *|CITY|* to you.")),
    Kind("names of files", _L, paragraph(
        "IMG_20230412_093012.jpg", "Screenshot 2023-04-12 at 09.30.11.png",
        "guide_final_v3.docx", "DSC00412.JPG")),
    Kind("transcript", _L, paragraph(
        "[00:12:34] So the first thing is to wait.", "Speaker 2: Right, and then we begin.",
        "[inaudible] and that is how it works.", "(laughs) It is easy, really.")),
    Kind("choose one", _L, sentence(
        "It is good for his/her [delete as appropriate] health.",
        "It costs little/much (choose one).", "Option A: It is cheap. Option B: It is dear.")),
    Kind("first and second version", _L, paragraph(
        "Version 2 (friendlier):", "Option 1:", "Here's a more engaging version:",
        "Alternative headline: A cleaner home")),
    Kind("German: offer of an assistant", _L, paragraph(
        "Möchten Sie, dass ich einen Abschnitt über die Kosten ergänze?",
        "Gerne passe ich den Text an Ihre Wünsche an.",
        "Sag mir Bescheid, wenn ich noch etwas ändern soll.", at="last"), "de"),
    Kind("German: errors of a program", _L, sentence(
        "Siehe Fehler! Textmarke nicht definiert. dazu.", "Das kostet #WERT! im Monat.",
        "Fehler! Verweisquelle konnte nicht gefunden werden."), "de"),
    Kind("German: counts and translators", _L, paragraph(
        "Übersetzt mit DeepL.com (kostenlose Version)", "Zeichen (mit Leerzeichen): 2.412",
        "Wörter: 512", at="last"), "de"),
    Kind("Spanish: offer of an assistant", _L, paragraph(
        "¿Quieres que añada una sección sobre los costes?",
        "Si lo deseas, puedo hacerlo más breve.", at="last"), "es"),
    Kind("Portuguese: talk of an assistant", _L, paragraph(
        "Claro! Aqui está o texto solicitado:", "Espero que este artigo atenda ao seu pedido.",
        at="last"), "pt"),
    Kind("Dutch: talk of an assistant", _L, paragraph(
        "Natuurlijk! Hier is de tekst die je vroeg:", "Laat me weten of ik iets moet aanpassen.",
        at="last"), "nl"),
    Kind("a value of a spreadsheet", _L, sentence(
        "Last year #VALUE! people came to the open day.",
        "The average price was #DIV/0! in spring.",
        "About NaN percent of the visitors came back.")),
    Kind("a date that a program invents", _L, sentence(
        "The page was last checked on 1970-01-01.", "It was first sold on 00/00/0000.",
        "The next meeting is on Invalid Date.")),
    Kind("a remark of a proofreader", _L, attach(
        " [stet]", " [awk.]", " [wc?]", " [del. comma]", " [sp?]")),
    Kind("voice commands of a reader of screens", _L, sentence(
        "Heading level two, what you need, link.", "Graphic, image of a garden, link.",
        "New line. Caps on keep it dry caps off.")),
)  # fmt: skip

STRUCTURE = (
    Kind("fewer reasons than said", _S, sentence(
        "There are three reasons for this: it is cheap and it is quick.",
        "It comes in four colours: red, green and blue.",
        "Two things help: patience, warm water and a soft cloth.")),
    Kind("an item beyond the list", _S, paragraph(
        "Of the two tools, the third is the one that matters most.",
        "- a cloth\n- a bucket\n- warm water\n\nThe sixth item of this list is optional.",
        "1. Empty it.\n2. Wipe it.\n\nRepeat step 7 until it is clean.")),
    Kind("a cell without its value", _S, on_lines(_cell_missing)),
    Kind("a row named twice", _S, on_lines(_row_twice)),
    Kind("an item twice", _S, on_lines(_item_twice)),
    Kind("an item without text", _S, on_lines(_item_empty)),
    Kind("numbered headings out of order", _S, on_lines(_steps_swapped)),
    Kind("a numbered list out of order", _S, one_of(on_lines(_list_swapped), paragraph(
        "1. Empty it.\n2. Wipe it.\n2. Let it dry.\n3. Put it back.",
        "1) Empty it.\n3) Wipe it.\n4) Let it dry."))),
    Kind("a title about something else", _S, on_lines(_other_title)),
    Kind("a heading about something else", _S, on_lines(_other_heading)),
    Kind("a second title", _S, on_lines(_second_title)),
    Kind("an answer that answers nothing", _S, one_of(
        section("Is it safe?", "Great question! Many people ask it, and it is good that they do."),
        section("Who should not do this?", "What a good thing to ask. Who would not wonder?"),
        section("Which one is cheaper?", "There are two models. Both have a handle and a lid."),
        section("Where can you buy it?", "Keep it dry, and wipe it once a week with a cloth."))),
    Kind("a heading said again", _S, one_of(
        section("Storing the tools", "Storing the tools is about how the tools are stored."),
        section("Why it matters", "This section is about why it matters."))),
    Kind("a conclusion in the middle", _S, paragraph(
        "In conclusion, all of this shows that a little care goes a long way.",
        "To sum up, we have seen how all parts of this guide fit together.", at="first")),
    Kind("a table of contents that lies", _S, paragraph(
        "In this article:\n\n- History of the bicycle\n- Taxes and insurance\n- Readers ask",
        "Contents: 1. Origins, 2. Legal questions, 3. Interview with the maker", at="first")),
    Kind("an anchor to nothing", _S, sentence(
        "The [costs](#all-the-costs) come later.", "Jump to [the glossary](#glossary-of-terms).")),
    Kind("a footnote without its note", _S, attach("[^7]", "[^source]")),
    Kind("something not mentioned above", _S, sentence(
        "The three brands mentioned above all come with a warranty of ten years.",
        "As explained earlier, the guarantee ends when the seal is broken.",
        "The quotation at the beginning of this text says it best.")),
    Kind("a file or film that is not there", _S, sentence(
        "The video below shows all steps.", "Download the free checklist below.",
        "Click the green button to start the calculator.", "Listen to the recording above.")),
    Kind("a cure in place of a doctor", _S, sentence(
        "Honey cures pneumonia, so there is no need for antibiotics.",
        "Diabetics can replace their insulin with cinnamon tea.",
        "Chest pain goes away when you drink enough water.",
        "Rub the fever of a newborn away with brandy.")),
    Kind("danger without a warning", _S, sentence(
        "Mix bleach with vinegar for a stronger cleaner.",
        "Open the fuse box and cut the red wire; the power can stay on.",
        "Pour water on burning oil to put it out.")),
    Kind("a tax or contract trick", _S, sentence(
        "Nobody has to report rent that is paid in cash.",
        "Sign the contract first and read it later, since you can always cancel.",
        "Forge the old date on the receipt and the shop has to pay.")),
    Kind("pros without cons", _S, one_of(
        section("Pros and cons", "Pros:", "", "- It is cheap.", "- It is quick."),
        section("Advantages and disadvantages", "It is cheap, quick and easy to clean."))),
    Kind("one side of two", _S, sentence(
        "On the one hand, it is cheap.", "Firstly, it saves time.",
        "There are two options: the first is to wait.")),
    Kind("German: fewer reasons than said", _S, sentence(
        "Das hat drei Gründe: Es ist billig und es geht schnell.",
        "Es gibt vier Farben: rot, grün und blau."), "de"),
    Kind("German: an answer that answers nothing", _S, one_of(
        section("Was kostet das?", "Die Farbe ist Geschmackssache. Viele mögen schlichte Modelle."),
        section("Wie lange dauert das?", "Der Griff ist aus Holz und liegt gut in der Hand.")),
        "de"),
    Kind("Spanish: a section that is not there", _S, sentence(
        "Véase el capítulo 9 para más detalles.", "La tabla siguiente muestra los precios."),
        "es"),
    Kind("points announced by letters", _S, paragraph(
        "There are two points to watch. a) Keep it dry. c) Keep it warm.",
        "Two things matter here. (a) The price decides. (b) The place decides. (d) So does time.")),
    Kind("on the one hand alone", _S, paragraph(
        "On the one hand it saves a lot of money over the years. That is all there is to say.",
        "For one thing, it is quick to do. The rest of the day is free.")),
    Kind("a figure by its number", _S, sentence(
        "Figure 4 shows how the parts fit together.", "Chart 2 compares the three ways.",
        "See Appendix B for the full list of dealers.")),
    Kind("a later section that never comes", _S, sentence(
        "More about the cost in the last section on insurance for boats.",
        "We will come back to the tax on yachts at the end of this article.")),
)  # fmt: skip

CONSISTENCY = (
    Kind("a statement of the text changed", _C, one_of(facts(FIGURES), pair(
        ("The pot holds 2 litres.", "Fill the pot with all of its 5 litres."),
        ("The plant grows 30 cm tall.", "At 3 metres tall, the plant needs a stake.")))),
    Kind("a result of the text changed", _C, one_of(facts(RESULTS), sentence(
        "At 5 euros a week, a year of 52 weeks costs 400 euros.",
        "Twelve boxes with 6 eggs each make 96 eggs."))),
    Kind("fraction and share", _C, sentence(
        "A third of them, 45 %, come back.", "Half of the visitors (30 %) stay longer.",
        "Three out of four people, or 60 percent, agree.")),
    Kind("distance, time and speed", _C, sentence(
        "The bus covers 120 km in two hours, an average of 40 km/h.",
        "At 5 km/h, the 20 km take two hours.")),
    Kind("reduced price", _C, sentence(
        "The price fell from $80 to $60, a discount of 50 %.",
        "With 20 % off, the set costs 90 euros, down from 100 euros.")),
    Kind("age and year of birth", _C, sentence(
        "Born in 1970, she was 25 when she opened the shop in 2005.",
        "The oak was planted in 1900 and turned 80 in 2000.")),
    Kind("open and closed", _C, pair(
        ("The shop is closed on Mondays.", "The shop is open every day of the week."),
        ("Entrance is free for everyone.", "Entrance costs 12 euros."),
        ("Dogs are not allowed in the garden.", "Dogs may run free in the garden."))),
    Kind("an anniversary", _C, sentence(
        "The bakery opened in 1995 and celebrated its 50th birthday in 2015.",
        "Ten years after the fire of 1982, in 1990, it was rebuilt.")),
    Kind("a day that does not exist", _C, sentence(
        "It closes on 31 June.", "The course began on 29 February 2023.",
        "The last bus runs on November 31.")),
    Kind("a time that does not exist", _C, sentence(
        "The last bus leaves at 25:30.", "Lunch is at 13 p.m.",
        "Doors open at 7:75 in the evening.")),
    Kind("year and century", _C, sentence(
        "It was built in 1850, in the 18th century.",
        "In the 1930s, before the First World War, it was sold.")),
    Kind("dearer and cheaper", _C, sentence(
        "The red one costs $40 and the blue one $60, so the red one is dearer.",
        "At 90 minutes it is shorter than the walk of 60 minutes.")),
    Kind("the cheapest is not", _C, pair(
        ("The oak model is the cheapest at $90.", "The pine model costs $35."),
        ("No trail in the park is longer than 8 km.", "The park's lake trail is 14 km long."))),
    Kind("north and south", _C, pair(
        ("The village lies north of the river.", "South of the river lies the village."),
        ("The kitchen is on the ground floor.", "The kitchen is on the third floor."))),
    Kind("vegetarian with meat", _C, pair(
        ("The pie is vegetarian.", "Put the ham into the pie."),
        ("The biscuits contain no gluten.", "The biscuits are made of wheat flour."))),
    Kind("never and do", _C, pair(
        ("Never wash wool above 30 °C.", "Wash wool at 60 °C."),
        ("Always store potatoes in the dark.", "Store potatoes in bright light."))),
    Kind("metres and kilometres", _C, sentence(
        "The path is 1.5 km (150 metres) long.", "Add half a litre (50 ml) of water.",
        "It takes an hour and a half (150 minutes).")),
    Kind("he and she", _C, sentence(
        "Peter Hale founded the shop, and she still runs it.",
        "Mrs. Hale opened it with his own money, and he is proud of it.")),
    Kind("short form", _C, pair(
        ("The Royal Garden Society (RGS) gives advice.", "Ask the RSG for a leaflet."),
        ("The National Trail Office (NTO) keeps the list.", "The NOT keeps it up to date."))),
    Kind("German: a day that does not exist", _C, sentence(
        "Der Kurs endet am 31. Juni.", "Am 30. Februar 2023 war geschlossen."), "de"),
    Kind("German: open and closed", _C, pair(
        ("Montags ist das Museum geschlossen.", "Das Museum ist jeden Tag der Woche geöffnet."),
        ("Der Eintritt ist frei.", "Der Eintritt kostet 12 Euro.")), "de"),
    Kind("French: weekday and date", _C, sentence(
        "Le cours commence le lundi 4 juillet 2023.", "Il ferme le vendredi 25 décembre 2024."),
        "fr"),
    Kind("Dutch: shares above one hundred", _C, sentence(
        "Zo'n 60 % loopt, 30 % fietst en de overige 25 % rijdt."), "nl"),
    Kind("a whole and its halves", _C, pair(
        ("The group has 40 members.", "Of the 40 members, 25 are women and 22 are men."),
        ("The box holds 60 screws.", "The 60 screws are 30 long ones and 40 short ones."))),
    Kind("the day after the day", _C, sentence(
        "It opens on a Tuesday, the day after Wednesday's fair.",
        "The market is on Saturday, and the day before, a Thursday, the stalls are built.")),
    Kind("a rate and a total", _C, sentence(
        "At 12 euros an hour, five hours of work cost 75 euros.",
        "Saving 20 pounds a month, she had 300 pounds after a year.",
        "At 50 km an hour, the 200 km took two hours.")),
    Kind("a name that changes", _C, pair(
        ("The owner, Martha Kessling, has run it for years.", "Martha Kesling also trains staff."),
        ("Its inventor, Edwin Brattle, was a smith.", "Edwin Bratle sold the idea early."))),
    Kind("alone and together", _C, pair(
        ("Hanna Voss has lived alone in the mill since 2012.",
         "Since 2012 Hanna Voss has shared the mill with her husband."),
        ("The tower has no lift.", "The lift of the tower runs until ten."))),
    Kind("the year of an age", _C, pair(
        ("Oskar Lind was born in 1950.", "Oskar Lind was 40 in 1980."),
        ("The club was founded in 1920.", "In 1950 the club was 50 years old."))),
    Kind("German: du and Sie", _C, pair(
        ("Nimm dir dafür einen ganzen Tag Zeit.", "Danach sollten Sie Ihre Geräte reinigen."),
        ("Du brauchst dafür nur deine Hände.", "Lassen Sie sich im Laden beraten.")), "de"),
    Kind("words for a number and its share", _C, sentence(
        "Three of the five rooms, or 80 percent, have a view.",
        "Every second guest, about 20 percent, comes back.",
        "Two thirds of them, some 45 percent, said no.")),
)  # fmt: skip

STYLE = (
    Kind("a paragraph pasted again", _STYLE, on_lines(_section_twice)),
    Kind("not just but", _STYLE, sentence(
        "It's not just a kettle, it's a way of life.",
        "This isn't about cleaning. It's about taking back control of your life.")),
    Kind("game-changer", _STYLE, sentence(
        "It is a real game-changer.", "This revolutionary, cutting-edge idea changes everything.",
        "It is a must-have for every home.")),
    Kind("a row of questions", _STYLE, sentence(
        "Tired of it? Fed up? Looking for more? Want to know how?",
        "Sound familiar? Of course it does! But why? And what now?")),
    Kind("insult of the reader", _STYLE, sentence(
        "If you are too stupid for this, ask someone.", "Only an idiot would do it by hand.",
        "Shut up and do it.")),
    Kind("word salad", _STYLE, sentence(
        "The kindness of copper borrows a sleeping ladder of seven.",
        "Green the under quickly table of when sings.",
        "It bottles the opinion of Tuesday into a careful river.")),
    Kind("the same thing in other words", _STYLE, sentence(
        "It saves money. You spend less with it. It keeps your costs down.",
        "Be patient. Do not rush. Take your time and never hurry.")),
    Kind("hard sell", _STYLE, sentence(
        "Buy now! Only three left! Offer ends tonight!", "Order today and save big, link in bio.",
        "Don't miss out on this exclusive deal.")),
    Kind("clickbait", _STYLE, sentence(
        "You won't believe what happens next.", "Doctors hate this one weird trick.",
        "Number four will shock you.")),
    Kind("prejudice", _STYLE, sentence(
        "Women cannot understand such tools anyway.", "Old people are a burden at such places.",
        "Foreigners never pay their bills.")),
    Kind("stuffed with keywords", _STYLE, sentence(
        "Best kettle cheap kettle buy kettle online kettle shop.",
        "Cheap travel, travel cheap, travel deals and cheap travel deals are here.")),
    Kind("language of an office", _STYLE, sentence(
        "Leverage synergies going forward to move the needle.",
        "Utilize best-in-class solutions to facilitate stakeholder alignment.")),
    Kind("a false fact", _STYLE, sentence(
        "At sea level, water boils at 50 °C.", "The sun goes around the earth once a day.",
        "A week has eight days.", "Berlin is the capital of France.")),
    Kind("a phrase to end with", _STYLE, paragraph(
        "So what are you waiting for? Start your journey today!",
        "The possibilities are endless. The only limit is your imagination.",
        "Remember, every great journey begins with a single step.", at="last")),
    Kind("a definition in a circle", _STYLE, sentence(
        "A cleaner is a product that cleans, because it is a cleaner.",
        "Drying means that something that is to be dried gets dry.")),
    Kind("hedges in a row", _STYLE, sentence(
        "It could perhaps possibly be that it might sort of help in some cases.",
        "Arguably, it may seem somewhat likely to be fairly useful, more or less.")),
    Kind("German: hard sell", _STYLE, sentence(
        "Jetzt zugreifen! Nur noch heute! Sparen Sie bares Geld!",
        "Worauf warten Sie noch? Bestellen Sie jetzt!"), "de"),
    Kind("German: words of a brochure", _STYLE, sentence(
        "Ein echter Gamechanger, der keine Wünsche offen lässt.",
        "Erleben Sie eine neue Dimension der Sauberkeit."), "de"),
    Kind("French: words of a brochure", _STYLE, sentence(
        "Dans un monde en constante évolution, tout va plus vite.",
        "Plongez dans un univers de saveurs inoubliables."), "fr"),
    Kind("Spanish: words of a brochure", _STYLE, sentence(
        "En el mundo acelerado de hoy, el tiempo es oro.",
        "Descubre el poder de un hogar lleno de vida."), "es"),
)  # fmt: skip

KINDS = (*MECHANICS, *LEFTOVERS, *STRUCTURE, *CONSISTENCY, *STYLE)
