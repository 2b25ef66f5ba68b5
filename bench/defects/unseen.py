"""Kinds of strangers, written without sight of the checks; by now, those who write checks read
them."""

import re
from calendar import monthrange
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from random import Random

from bench.defects.plant import (
    Group,
    Kind,
    Plant,
    Planted,
    attach,
    changed,
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
    sentence,
)

Make = Callable[[Random], str]

_PARTS = ("lid", "filter", "handle", "cable", "strap", "cover", "hinge", "battery")
# If the text has some of these, it is about one of them that a sentence speaks.
_THINGS = (
    "barrel", "roller", "brush", "pail", "filter", "tap", "pipe", "hose", "stand", "disk", "laptop",
    "cable", "watch", "table", "map", "phone", "door", "window", "lid", "gutter", "roof", "battery",
    "program", "drawer", "tray", "sponge", "telephone", "screw", "machine", "car", "book", "house",
)  # fmt: skip
_PLURALS = ("tools", "covers", "batteries", "instructions", "filters", "shelves", "handles")
_SHOPS = ("the library", "the workshop", "the repair café", "the collection point", "the office")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_WRITTEN = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def filled(*templates: str, **slots: Sequence[str]) -> Make:
    """Return a sentence out of one of the templates, each slot filled with one of its words."""

    def make(random: Random) -> str:
        return random.choice(templates).format_map(
            {name: random.choice(words) for name, words in slots.items()}
        )

    return make


def drawn(make: Make, plant: Callable[[str], Plant] = sentence) -> Plant:
    """Plant what ``make`` draws, as a sentence or in another way."""
    return lambda text, random: plant(make(random))(text, random)


def _of_the_text(
    plant: Callable[[str], Plant], templates: Sequence[str], slots: Mapping[str, Sequence[str]]
) -> Plant:
    """Fill the slots, that of a part with a thing of the text, and plant the result."""

    def planted(text: str, random: Random) -> Planted | None:
        own = [word for word in _THINGS if re.search(rf"\bthe {word}\b", text)]
        words = {**slots, "part": own} if len(own) > 1 and "part" in slots else slots
        return drawn(filled(*templates, **words), plant)(text, random)

    return planted


def said(*templates: str, **slots: Sequence[str]) -> Plant:
    """Add a sentence out of one of the templates to a paragraph."""
    return _of_the_text(sentence, templates, slots)


def apart(*templates: str, at: str = "", **slots: Sequence[str]) -> Plant:
    """Add a paragraph, or several lines, out of one of the templates; `first` or `last`."""
    return _of_the_text(lambda new: paragraph(new, at=at), templates, slots)


def told(make: Callable[[Random], tuple[str, str]]) -> Plant:
    """Add two sentences that contradict each other to two paragraphs."""
    return lambda text, random: pair(make(random))(text, random)


# Mechanics

_NEIGHBOURS = {
    "a": "s", "b": "v", "c": "x", "d": "f", "e": "r", "g": "h", "h": "j", "i": "u", "k": "l",
    "l": "k", "m": "n", "n": "b", "o": "p", "p": "o", "r": "t", "s": "d", "t": "y", "u": "y",
    "v": "b", "w": "q", "y": "u",
}  # fmt: skip
_LONG_WORD = r"(?<![-\w/.@'])[a-z]{7,}(?![-\w/@'])"


def _swapped(match: re.Match[str], random: Random) -> str:
    word = match[0]
    places = [at for at in range(1, len(word) - 2) if word[at] != word[at + 1]]
    at = random.choice(places)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _beside(match: re.Match[str], random: Random) -> str:
    word = match[0]
    places = [at for at in range(1, len(word) - 1) if word[at] in _NEIGHBOURS]
    at = random.choice(places)
    return word[:at] + _NEIGHBOURS[word[at]] + word[at + 1 :]


def _doubled(match: re.Match[str], random: Random) -> str:
    word = match[0]
    places = [
        at
        for at in range(2, len(word) - 2)
        if word[at] in "bcdfgkmnprtvz" and word[at] not in (word[at - 1], word[at + 1])
    ]
    if not places:
        return word
    at = random.choice(places)
    return word[:at] + word[at] + word[at:]


def _inside(match: re.Match[str], random: Random) -> str:
    """Hit a key of the row above in the middle of a word."""
    word = match[0]
    at = random.randrange(2, len(word) - 2)
    return word[:at] + random.choice("3456789;]") + word[at:]


_MISSPELT = {
    "definitely": ("definately", "definatly"), "separate": ("seperate",), "receive": ("recieve",),
    "until": ("untill",), "tomorrow": ("tommorow", "tommorrow"), "necessary": ("neccessary",),
    "beginning": ("begining",), "which": ("wich", "whitch"), "weird": ("wierd",),
    "occasionally": ("occassionally", "occasionaly"), "environment": ("enviroment",),
    "temperature": ("temperture",), "maintenance": ("maintainance",), "height": ("heigth",),
    "length": ("lenght",), "surprise": ("suprise",), "probably": ("probaly", "propably"),
    "existence": ("existance",), "immediately": ("immediatly",), "almost": ("allmost",),
    "though": ("tough",), "their": ("thier",), "because": ("becuase", "becasue"),
    "usually": ("usualy",), "really": ("realy",), "finally": ("finaly",), "with": ("wiht",),
}  # fmt: skip


def _misspelt(match: re.Match[str], random: Random) -> str:
    return random.choice(_MISSPELT[match[0]])


def _phrase_again(match: re.Match[str], _random: Random) -> str:
    return f"{match[0]} {match[0]}"


def _cut_off(lines: list[str], random: Random) -> Sequence[int] | None:
    """Cut the end of a paragraph off in the middle of a sentence."""
    places = [i for i in prose_lines(lines) if re.search(r"[a-z]{2}\.$", lines[i])]
    if not places:
        return None
    index = random.choice(places)
    words = lines[index].split(" ")
    ends = ("the", "a", "of", "to", "and", "in", "with", "for", "is", "that", "you", "or")
    cuts = [at for at in range(max(6, len(words) - 12), len(words) - 1) if words[at] in ends]
    if not cuts:
        return None
    lines[index] = " ".join(words[: random.choice(cuts) + 1])
    return [index]


def _head_cut_off(lines: list[str], random: Random) -> Sequence[int] | None:
    """Lose the first letters of a paragraph while copying."""
    places = [i for i in prose_lines(lines) if re.match(r"[A-Z][a-z]{3,} ", lines[i])]
    if not places:
        return None
    index = random.choice(places)
    lines[index] = lines[index][random.choice((1, 2)) :]
    return [index]


def _no_full_stop(lines: list[str], random: Random) -> Sequence[int] | None:
    places = [i for i in prose_lines(lines) if re.search(r"[a-z]\.$", lines[i])]
    if not places:
        return None
    index = random.choice(places)
    lines[index] = lines[index][:-1]
    return [index]


def _ocr(match: re.Match[str], _random: Random) -> str:
    return match[0].replace("1", "l", 1) if "1" in match[0] else match[0].replace("0", "O", 1)


_PLURAL_AFTER = (
    r"\b(?:two|three|four|five|six|eight|ten|\d{2,3}) "
    r"(?:minutes|hours|weeks|days|months|years|litres|metres|grams|degrees|dollars|euros|pounds)"
    r"(?= (?:and|or|in|on|at|for|of|with|to|before|after|without)\b|[.,])"
)

_ENGLISH_MECHANICS = {
    "two letters of a word swapped": replace_one(_LONG_WORD, _swapped),
    "the key beside the right one": replace_one(_LONG_WORD, _beside),
    "a consonant doubled that is single": replace_one(_LONG_WORD, _doubled),
    "a digit or sign typed inside a word": replace_one(_LONG_WORD, _inside),
    "a word that many misspell": one_of(
        replace_one(r"\b(?:" + "|".join(_MISSPELT) + r")\b", _misspelt),
        said(
            "It will {word} be ready by {time}.",
            word=("definately", "probaly", "propably", "allmost certainly", "usualy"),
            time=("tomorrow", "the evening", "the weekend"),
        ),
    ),
    "a name of everyone's misspelt": said(
        "You find the {thing} on {site} as well.", "Search {site} for the name of the {thing}.",
        "Shops in {place} often have the {thing} in stock.",
        "The {thing} was first sold in {place}.",
        thing=("instructions", "spare parts", "right size"),
        site=("Goggle", "Youtoube", "Wikepedia", "Facebok", "Amazom", "Mircosoft Bing"),
        place=("the Untied States", "Great Britian", "Swizerland", "Phillipines", "Portugual"),
    ),
    "a day or month without its capital": one_of(
        replace_one(
            r"(?<=[a-z,] )(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b", lambda m, _r: m[0].lower()
        ),
        said(
            "Most shops sell it from {month} on.", "It is best done on a {day} in {month}.",
            month=("april", "october", "february", "september"), day=("Sunday", "wednesday"),
        ),
    ),
    "a language or people without its capital": said(
        "The manual is only in {word}, but the drawings are clear.",
        "Most {word} shops sell the same model.", "There is a good {word} version of it.",
        word=("english", "german", "french", "italian", "dutch", "american", "japanese"),
    ),
    "its and it's confused": one_of(
        replace_one(r"\bits (?=[a-z]+\b)", "it's "),
        said(
            "Every {part} has it's own place.", "Look at the {part}: its very easy to clean.",
            "Put the {part} back into it's box.", "Its not the {part} that matters most.",
            part=_PARTS,
        ),
    ),
    "you're, they're and who's confused with the possessive": said(
        "Check you're {part} first.", "Put on you're gloves before you touch the {part}.",
        "Your going to need a new {part} soon.", "The neighbours lost they're {part} last year.",
        "Ask someone who's {part} still works.", "Ask somebody whose done it before.",
        "Their is nothing wrong with the {part}.", "If your in doubt, leave the {part} alone.",
        part=_PARTS,
    ),
    "then for than": one_of(
        replace_one(r"\bthan\b", "then"),
        said(
            "A new {part} costs more then the old one.", "It is easier then it looks.", part=_PARTS
        ),
    ),
    "to for too": one_of(
        replace_one(r"\btoo (?=[a-z]+\b)", "to "),
        said(
            "Do not pull the {part} to hard.", "It is to late for that once the {part} is wet.",
            "There is to much of it in most homes.", "Children can help, to.", part=_PARTS,
        ),
    ),
    "another real word typed": replace_word(
        {"from": "form", "your": "you", "they": "the", "you can": "your can", "with": "wit",
         "them": "then", "it is": "it if", "that": "hat", "there": "three", "most": "must"}
    ),
    "a word that sounds the same": one_of(
        replace_word(
            {"two": "too", "whole": "hole", "through": "threw", "which": "witch", "wait": "weight",
             "week": "weak", "weeks": "weaks", "need": "knead", "pieces": "peaces",
             "piece": "peace", "whether": "weather", "weather": "whether", "right": "rite"}
        ),
        said(
            "The {part} has past its best days.", "Step on the break before you turn round.",
            "Leave it in the son for an hour.", "The {part} is made of steal.", part=_PARTS,
        ),
    ),
    "verb and noun confused: advise, breath, lose": said(
        "Ask for advise before you buy a {part}.", "Take a deep breathe and begin again.",
        "Do not loose the small screw of the {part}.", "The {part} has no affect on the result.",
        "You can not breath well in the dust.", "Check for a lose {part} once a month.",
        "We advice you to test the {part} first.", "The effects are small, but they effect all of"
        " the parts.", "Last week we choose a cheaper {part}.", part=_PARTS,
    ),
    "an idiom misheard": said(
        "For all intensive purposes, that is the same {part}.",
        "It is a mute point which {part} you take.", "Here is a sneak peak of the result.",
        "You do not need to tow the line here.", "Bare with us while we look at the {part}.",
        "A new {part} will peak your interest.", "That is a deep-seeded habit.",
        "Nip it in the butt before the {part} breaks.", "It works one in the same way.",
        "Case and point: the {part} of most models is too small.", part=_PARTS,
    ),
    "autocorrect chose the neighbour": said(
        "It is defiantly worth the money.", "Ask the manger of the shop for a new {part}.",
        "It is open to the pubic on Sundays.", "The costumer pays for the {part}.",
        "Pour the flower into the bowl before you add the water.",
        "Store it in a cool, dry palace.", "Turn of the tap before you remove the {part}.",
        "Every singe {part} has to be checked.", "Please be patent until the {part} is dry.",
        part=_PARTS,
    ),
    "a and an before a sound": said(
        "It is an unique {part}.", "It takes about a hour and a half to clean the {part}.",
        "Choose an European plug for the {part}.", "A old {part} does as well.",
        "It makes a 8-hour day bearable.", "Ask an used-goods shop for the {part}.",
        "You need an 12-volt supply for it.", "It was a honest mistake.",
        "An good {part} is worth its price.", part=_PARTS,
    ),
    "should of": said(
        "You should of checked the {part} first.", "It must of been the {part}.",
        "The {part} could of been cheaper.", "We would of used another {part}.", part=_PARTS,
    ),
    "a wrong participle or past tense": said(
        "Once the {part} has went, nothing helps.", "The {part} has broke twice already.",
        "Many have wrote about the {part}.", "The {part} was chose for its price.",
        "By then the {part} had began to rust.", "The {part} was shook until it came off.",
        "The price has rose again.", "We seen the same {part} elsewhere.",
        "The {part} costed more than the rest.", "They teached us how to open the {part}.",
        part=_PARTS,
    ),
    "did with a past tense": said(
        "The {part} did not worked on the first day.", "It didn't took long to find the {part}.",
        "Did you checked the {part}?", "Why did the {part} broke?",
        "The old {part} does not fits any more.", "It doesn't matters which {part} you use.",
        part=_PARTS,
    ),
    "a verb that does not agree with a distant subject": said(
        "The price of these {plural} have risen.", "The quality of the {plural} are important.",
        "A box of {plural} stand in every cellar.", "One of the {plural} are enough.",
        "The {plural} in the box is often of poor quality.", "Each of the {plural} have a number.",
        "The {plural} that come with the set is too small.", plural=_PLURALS,
    ),
    "there is with a plural": said(
        "There is three {plural} in the box.", "There was no {plural} left at all, and there is"
        " many people who want them.", "Here is the {plural} that you need.",
        "There's several {plural} to choose from.", "Where is the {plural} kept?",
        "There are a better way to store the {plural}.", plural=_PLURALS,
    ),
    "the s of the third person missing": replace_one(
        r"\b(it|which|that|he|she|nobody|everything)"
        r" (need|take|make|keep|give|cost|last|help|turn)s"
        r"\b",
        r"\1 \2",
    ),
    "the s of the third person too many": one_of(
        replace_one(r"\b(you|we|they|people) (need|want|make|take|keep|know|like|get)\b",
        r"\1 \2s"),
        said("They usually keeps the {part} in the cellar.", "You needs a new {part}.",
        part=_PARTS),
    ),
    "a plural after a number missing": replace_one(_PLURAL_AFTER, lambda m, _r: m[0][:-1]),
    "each, every, another or one with a plural": said(
        "Clean each {plural} by hand.", "Every {plural} has a number.",
        "Another {plural} would do as well.", "One {plural} is enough for the beginning.",
        "Take a {plural} with you.", plural=_PLURALS,
    ),
    "this with a plural, these with a singular": one_of(
        replace_one(r"\b(T|t)hese (?=(?:two |three |four |five )?[a-z]+s\b)", r"\1his "),
        said("This {plural} are cheap.", "Those {part} is cheap.", "These {part} lasts for years.",
             plural=_PLURALS, part=_PARTS),
    ),
    "a plural of what cannot be counted": said(
        "More {word} are on the back of the box.", "You need some {word} for that.",
        "Ask for {word} at the shop.", "All {word} are kept in the cellar.",
        word=("informations", "equipments", "furnitures", "advices", "luggages", "softwares",
              "knowledges", "feedbacks", "homeworks"),
    ),
    "much and many confused": said(
        "How much screws does it need?", "It does not need many time.",
        "There are too much {plural} on the market.", "You will not have many trouble with it.",
        "Only a little {plural} are left.", "It takes fewer time than before.", plural=_PLURALS,
    ),
    "two comparatives at once": said(
        "That makes the {part} more easier to clean.", "The {part} is more cheaper there.",
        "It is the most cheapest {part} of all.", "A dry {part} is much more better.",
        "The {part} is the bestest.", "It is the most simple and most easiest way.",
        "A new {part} is more big than an old one.", "This is the worstest of all.", part=_PARTS,
    ),
    "as, than and to mixed up in a comparison": said(
        "The {part} is as cheap than the other.", "It is the same {part} than before.",
        "The new {part} is superior than the old one.", "It lasts twice as long then before.",
        "The {part} is cheaper as the other.", "I prefer this {part} than that one.",
        "It is not so heavy than it looks.", part=_PARTS,
    ),
    "two negatives where one is meant": said(
        "You don't need no {part} for that.", "There is hardly nothing left of it by then.",
        "The {part} cannot hardly be moved.", "Nobody never checks the {part}.",
        "It does not cost nothing to ask.", part=_PARTS,
    ),
    "an adjective for an adverb": said(
        "The {part} closes automatic.", "It works perfect without the {part}.",
        "Turn the {part} slow and careful.", "The price rose quick after that.",
        "It is an extreme useful {part}.", "The {part} fits good.", "Drive careful on the way"
        " home.", part=_PARTS,
    ),
    "a pronoun in the wrong case": said(
        "Between you and I, the {part} is too dear.", "Give they the old {part}.",
        "Me and him checked the {part}.", "Us have a better {part}.", "Ask he about the {part}.",
        "Let she hold the {part}.", "The shop sent it to my wife and I, and to they.", part=_PARTS,
    ),
    "a wrong preposition": said(
        "It depends of the {part}.", "It consists in three parts and a {part}.",
        "The result depends from the weather.", "Are you interested on a new {part}?",
        "They arrived to the shop at noon.", "It is different of the other {part}.",
        "Look carefully to the {part}.", "Wait the {part} to dry.", "It is full with water.",
        "Listen the sound of the {part}.", "The {part} is responsible of the noise.", part=_PARTS,
    ),
    "an infinitive where a gerund belongs": said(
        "Avoid to touch the {part}.", "We suggest to clean the {part} first.",
        "It is worth to try it.", "Stop to turn the {part} before it breaks.",
        "This allows to remove the {part}.", "You will enjoy to use the {part}.",
        "Keep to stir until it is smooth.", "Instead of to buy a new {part}, repair it.",
        "The {part} must to be dry.", "You can to open it by hand.", part=_PARTS,
    ),
    "since and for in the wrong tense": said(
        "I use this {part} since three years.", "It is on the market since 2015.",
        "We know the problem since many years.", "The {part} is broken since yesterday.",
        "We have bought the {part} yesterday.", "In 2019 the rule has changed.",
        "Last week they sell the last {part}.", "Tomorrow we went to the shop again.", part=_PARTS,
    ),
    "would in the if clause": said(
        "If you would have asked earlier, the {part} had been cheaper.",
        "If the {part} will be wet, dry it first.", "If it would rain, take the {part} inside.",
        "When the {part} will be dry, turn it round.", "If I will have time, I will check it.",
        part=_PARTS,
    ),
    "the word order of another language": said(
        "How long it takes to dry?", "Why the {part} does not fit?", "Always has the {part} to be"
        " dry.", "Can you tell me where is the {part}?", "You must the {part} first remove.",
        "It is not known why does the {part} rust.", "What means this sign on the {part}?",
        "Yesterday have we checked the {part}.", "I like very much this {part}.", part=_PARTS,
    ),
    "verbs that do not go with their nouns": said(
        "Many people do a mistake here.", "Make a walk while the {part} dries.",
        "Do attention to the {part}.", "You can make a question to the shop.",
        "He gave a fall because of the {part}.", "Make a shower afterwards.",
        "Take care that it does not do damages to you.", part=_PARTS,
    ),
    "an article too many": said(
        "The most of the people do it in the May.", "The life is too short for that.",
        "It happened in the 2019.", "We did it in the last Tuesday.", "The both {plural} are fine.",
        "You need a patience for the {plural}.", "Such {plural} do a good work here.",
        plural=_PLURALS,
    ),
    "an article missing": replace_one(
        r"\b(is|has|needs|makes|of|with|in|for|into|on) an? (?=[a-z]{3,}\b)(?!few|little|lot|bit)",
        r"\1 ",
    ),
    "a small verb missing": replace_one(r"\b(it|there|that|this|which|they) (?:is|are) ", r"\1 "),
    "to or of missing": replace_one(
        r"\b(need|want|try|likes|have|has|enough|able|cup|bit|lot|pair|piece|litre|number|top|end"
        r"|half|strip|pail|bed|edge|height|copy|copies|most|part|wait|begin|share|kinds?)"
        r" (?:to|of) (?=[a-z])",
        r"\1 ",
    ),
    "several words typed twice": replace_one(
        r"\b(?:in|on|of|to|from|for|with|at) (?:the|a|an|your|each)\b|\byou can\b|\bit is\b",
        _phrase_again,
    ),
    "the old verb left beside the new one": replace_one(
        r"(?<=[a-z] )(?:is|takes|needs|costs|makes|can|should|must)(?= [a-z])",
        lambda m, r: m[0] + " " + r.choice(
            [w for w in ("was", "requires", "costs", "may", "should", "will") if w != m[0]]
        ),
    ),
    "a clause without its verb": said(
        "If you the {part} before it is dry.", "Because the {part}, which was too small for it.",
        "Although the {part} and the cover of the box.", "The {part} that you in the shop.",
        "When the water from the {part} onto the floor.", "And the {part}, which.", part=_PARTS,
    ),
    "everyday and every day, setup and set up": said(
        "Clean the {part} everyday.", "You have to setup the {part} first.",
        "Login to your account to order a {part}.", "It maybe that the {part} is stuck.",
        "Keep a second {part} incase the first one breaks.", "Do not forget to backup the list.",
        "It is apart of the {part}.", "Throw the rest a way.", "Put it a side until noon.",
        "The {part} and the cover belong to gether.", "Do it your self, never the less with care.",
        "It is al ready dry.", part=_PARTS,
    ),
    "an apostrophe in a plural": one_of(
        replace_one(
            r"\b(two|three|four|five|six|these|most|many|some) ([a-z]{3,}[^s\W])s(?= )", r"\1 \2's"
        ),
        said("Old {part}'s go into the bin.", "Used battery's and {part}'s are collected.",
             "Photo's of the {part} help.", part=_PARTS),
    ),
    "an apostrophe missing in a genitive": said(
        "The machines weight is on the {part}.", "Follow the makers instructions.",
        "That is a mornings work.", "Use yesterdays leftovers first.",
        "The childrens room comes last.", "Lay it on the table of your neighbours kitchen.",
        part=_PARTS,
    ),
    "a bracket closed by another one": said(
        "Use a long screw (about 4 cm] for the {part}.", "Check the {part} (once a week}}.",
        "Take the {part} off [it is only clipped on).", "A second {part}) is useful, too.",
        "It takes a while ((about an hour).", "The {part} (see the label is too small.",
        part=_PARTS,
    ),
    "a quotation mark that nobody closes": said(
        "The label says “keep dry, and it means the {part}.",
        "The maker calls the {part} \"indestructible, but it is not.",
        "The so-called “eternal {part} lasts for a year.", "The button reads Start” in most cases.",
        "Look for the word 'safe” on the {part}.", part=_PARTS,
    ),
    "two marks where one belongs": one_of(
        replace_one(r"(?<=[a-z]), (?=[a-z])", lambda _m, r: r.choice((",, ", "., ", ",. ", ";, "))),
        replace_one(r"(?<=[a-z])\. (?=[A-Z])", lambda _m, r: r.choice((".. ", ",. ", ".: ",
        ".; "))),
    ),
    "a comma before nothing": replace_one(
        r"(?<=[a-z]{3})\. (?=[A-Z])", lambda _m, r: r.choice((", . ", ",. ", " , . "))
    ),
    "no space between two sentences": replace_one(r"(?<=[a-z]{3})\. (?=[A-Z][a-z])", "."),
    "no space behind a comma": replace_one(r"(?<=[a-z]), (?=[a-z])", ","),
    "a space before a mark": replace_one(
        r"(?<=[a-z])([,.;:]) (?=[A-Za-z])", lambda m, _r: f" {m[1]} "
    ),
    "a sentence begun in lower case": replace_one(
        r"(?<=[a-z]{3}\. )(?:The|It|This|They|If|In|When|That|There|A|You|Many|Most)\b",
        lambda m, _r: m[0].lower(),
    ),
    "two capitals at the beginning": replace_one(
        r"(?:^|(?<=\. ))(?:The|This|They|There|When|That|With|Most|Many|Some)\b",
        lambda m, _r: m[0][:2].upper() + m[0][2:],
    ),
    "the caps lock key still on": replace_one(
        r"(?<=\. )(?:The|This|They|There|When|That|With|Most|Many)\b", lambda m, _r: m[0].swapcase()
    ),
    "two sentences run together": replace_one(
        r"(?<=[a-z]{3})\. (It|They|This|You|There|If|The)\b", lambda m, _r: f" {m[1].lower()}"
    ),
    "two sentences joined by a comma": replace_one(
        r"(?<=[a-z]{3})\. (It|They|You|There|We)\b", lambda m, _r: f", {m[1].lower()}"
    ),
    "a comma between subject and verb": said(
        "The price of a good {part}, depends on the shop.", "Most of the {plural}, are cheap.",
        "What you need for it, is a {part}.", "The reason for the noise, was the {part}.",
        "A {part} that is too small, should be replaced, and the {plural}, too, should, be washed.",
        part=_PARTS, plural=_PLURALS,
    ),
    "a full stop missing at the end": on_lines(_no_full_stop),
    "a paragraph that breaks off": on_lines(_cut_off),
    "a paragraph that lost its first letters": on_lines(_head_cut_off),
    "letters for digits, as scanners read them": replace_one(
        r"(?<![\w.,:$€£])\d*[10]\d*(?="
        r" (?:minutes|hours|days|weeks|months|years|percent|litres|g|kg|"
        r"cm|km|ml|metres|square|photos|grams|people)\b)(?<=\d\d)",
        _ocr,
    ),
    "a question that ends in a full stop": said(
        "How often should you check the {part}.", "Why does the {part} make such a noise.",
        "What can you do about it.", "Who pays for a new {part}.", part=_PARTS,
    ),
    "half a pair: either, neither, not only, both": said(
        "Neither the {part} or the cover may get wet.", "Either the {part} nor the cover is dear.",
        "Both the {part} or the cover is needed.", "Not only the {part}, and the cover is dear.",
        "The {part} is neither cheap and light.", part=_PARTS,
    ),
    "members of a list that do not match": said(
        "The {part} is cheap, light and it saves.", "You can wash, drying and store the {part}.",
        "It helps to clean, oiling and the storing of the {part}.",
        "The {part} is strong, quickly and a good price.", part=_PARTS,
    ),
}  # fmt: skip

_GERMAN_MECHANICS = {
    "das und dass verwechselt": one_of(
        replace_one(r"\bdass\b", "das"),
        said(
            "Man merkt schnell, das der {teil} fehlt.", "Dass ist der Grund, warum der {teil}"
            " klemmt.", "Das Gerät, dass im Keller steht, hat keinen {teil}.",
            teil=("Deckel", "Filter", "Griff", "Schalter"),
        ),
    ),
    "ein Nomen klein geschrieben": replace_one(
        r"\b(der|die|das|ein|eine|den|dem|einen|einem) (?!Ihn|Ihr)([A-ZÄÖÜ])([a-zäöüß]{4,})",
        lambda m, _r: f"{m[1]} {m[2].lower()}{m[3]}",
    ),
    "kein Komma vor dem Nebensatz": replace_one(r", (dass|weil|wenn|ob|damit|obwohl)\b", r" \1"),
    "ein falscher Fall nach der Präposition": said(
        "Das gilt auch für dem {teil}.", "Reinigen Sie es mit den {teil} und etwas Wasser.",
        "Ohne dem {teil} geht es nicht.", "Er liegt hinter die Tür bei den {teil}.",
        "Aus den {teil} tropft manchmal Wasser.", teil=("Deckel", "Filter", "Griff", "Schlauch"),
    ),
    "seid und seit, wider und wieder, wie und als": said(
        "Seid drei Jahren gibt es einen besseren {teil}.", "Der neue {teil} ist größer wie der"
        " alte.", "Schrauben Sie den {teil} danach wider fest.",
        "Das ist bei jedem {teil} Standart.",
        "Der {teil} ist genau so teuer als früher.", "Entgültig fest sitzt der {teil} erst dann.",
        "Der {teil} ist vorraussichtlich ab Mai erhältlich.",
        teil=("Deckel", "Filter", "Griff", "Schlauch"),
    ),
    "ein Leerzeichen im zusammengesetzten Wort": said(
        "Der {wort} steht im Keller.", "Prüfen Sie zuerst den {wort}.",
        "Ein {wort} kostet nicht viel.",
        wort=("Wasser Hahn", "Werkzeug Kasten", "Kabel Kanal", "Garten Schlauch", "Fenster Griff"),
    ),
}  # fmt: skip

_SPANISH_MECHANICS = {
    "tildes olvidadas o mal puestas": replace_word(
        {"también": "tambien", "después": "despues", "día": "dia", "así": "asi", "según": "segun",
         "está": "esta", "están": "estan", "electricidad": "electricídad", "depósito": "deposito",
         "además": "ademas", "grifo": "grífo", "diferencia": "diferéncia", "minuto": "mínuto",
         "minutos": "mínutos", "litros": "lítros", "más": "mas", "botón": "boton"}
    ),
    "palabras que suenan igual": said(
        "Haber si la {pieza} dura más que la anterior.", "No ahí {pieza} en la caja.",
        "Es posible que la {pieza} no halla llegado.", "La {pieza} a durado tres años.",
        "Vamos haber qué pasa con la {pieza}.", "No valla sin la {pieza}.",
        pieza=("tapa", "llave", "junta", "pieza"),
    ),
    "la concordancia rota": said(
        "Las {piezas} está en la caja.", "El {piezas} son baratas.", "Hay mucho {piezas} en casa.",
        "La problema es siempre la misma.", "Los {piezas} viejas se tiran.",
        "Las {piezas} nuevos duran más.", piezas=("tapas", "llaves", "juntas", "piezas"),
    ),
    "una pregunta sin su signo de apertura": said(
        "Cuánto cuesta una {pieza} nueva?", "Y qué pasa si la {pieza} se rompe?",
        "Por qué gotea la {pieza}?", pieza=("tapa", "llave", "junta", "pieza"),
    ),
    "tiempos y formas equivocados": said(
        "Hubieron muchas quejas por la {pieza}.", "Si tendría otra {pieza}, la cambiaría.",
        "La {pieza} se ha rompido dos veces.", "Ayer cambiemos la {pieza}.",
        "Habían tres clases de {pieza} en la tienda.", "Han habido problemas, dijistes.",
        pieza=("tapa", "llave", "junta"),
    ),
}  # fmt: skip

_FRENCH_MECHANICS = {
    "a et à confondus": one_of(
        replace_one(r"(?<=[a-z]) à (?=[a-z])", " a "),
        said("Le {objet} à coûté cher.", "Il y à un {objet} dans le sac.",
             objet=("bouchon", "filtre", "bâton")),
    ),
    "un pluriel sans s": replace_one(
        r"\b(les|des|ces|deux|trois|quatre|plusieurs) ([a-zéè]{3,}[^sx\W])s\b", r"\1 \2"
    ),
    "infinitif et participe confondus": said(
        "Il faut {participe} le sac la veille.", "Vous devez {participe} la carte.",
        "Nous avons {infinitif} le sac.", "Il a {infinitif} la carte avant de partir.",
        "Pensez à {participe} vos affaires.", participe=("préparé", "rangé", "vérifié"),
        infinitif=("préparer", "ranger", "vérifier"),
    ),
    "un si suivi du conditionnel": said(
        "Si j'aurais su, j'aurais pris une autre {objet}.", "Si la {objet} serait trop lourde,"
        " laissez-la.", "Si vous auriez froid, mettez la {objet}.", objet=("veste", "corde",
        "gourde"),
    ),
    "ces et ses, ce et se, ou et où": said(
        "Le marcheur met ces chaussures et part.", "Il ce repose prêt de la source.",
        "C'est la ou tout le monde s'arrête.", "Sa dépend de la météo.", "Se chemin est plus long.",
        "Quand à la veste, elle reste au fond.", "Il ni a pas d'eau là-haut.",
    ),
    "des accents oubliés": replace_word(
        {"après": "apres", "très": "tres", "là": "lâ", "même": "meme", "près": "pres",
         "durée": "duree", "météo": "meteo", "journée": "journee", "être": "etre",
         "kilomètres": "kilometres", "mètres": "metres", "première": "premiere",
         "itinéraire": "itineraire", "règle": "regle", "préférable": "preferable"}
    ),
}  # fmt: skip

_ITALIAN_MECHANICS = {
    "accenti e apostrofi sbagliati": said(
        "Qual'è la {cosa} migliore?", "Non si sa il perchè della {cosa} rotta.",
        "Ci vuole un pò di pazienza con la {cosa}.", "La {cosa} costa di piu.",
        "Serve un'altro modello di {cosa}.", "Nè la {cosa} nè il filo sono inclusi.",
        cosa=("scatola", "spina", "presa"),
    ),
    "a e ha, o e ho, e ed è confusi": said(
        "La {cosa} a due fili.", "Ha volte la {cosa} si rompe.", "La {cosa} e rotta da un mese.",
        "O visto una {cosa} migliore.", "Loro anno una {cosa} nuova.",
        cosa=("scatola", "spina", "presa"),
    ),
}  # fmt: skip

_PORTUGUESE_MECHANICS = {
    "mas e mais, há e a, mal e mau": said(
        "A {coisa} é boa, mais custa muito.", "Comprei a {coisa} a três anos atrás.",
        "A {coisa} ficou mau fechada.", "Essa {coisa} custa mas caro.",
        "Daqui há uma semana a {coisa} chega.", coisa=("mala", "bolsa", "capa"),
    ),
    "a concordância quebrada": said(
        "As {coisas} está no armário.", "Fazem dois anos que uso as {coisas}.",
        "Houveram problemas com as {coisas}.", "Os {coisas} novas são leves.",
        "Nós vai comprar {coisas} novas.", coisas=("malas", "bolsas", "capas"),
    ),
}  # fmt: skip

_DUTCH_MECHANICS = {
    "d, t en dt verward": said(
        "De {ding} word elke maand schoongemaakt.", "Hij vind de {ding} te duur.",
        "Het is gebeurt toen de {ding} viel.", "Wat gebeurd er met de {ding}?",
        "De {ding} heeft een jaar geduurt.", "Dat beteken dat de {ding} past.",
        ding=("pan", "lade", "plank"),
    ),
    "als en dan, hun en zij, jou en jouw": said(
        "De nieuwe {ding} is groter als de oude.", "Hun hebben de {ding} al gekocht.",
        "Is dat jou {ding}?", "Deze meisje heeft een {ding}.", "Me {ding} is kapot.",
        "Het {ding} die daar staat, is leeg.", ding=("pan", "lade", "plank"),
    ),
}  # fmt: skip


# Leftovers


_TASKS = ("check the price", "ask the maker", "add a source", "new photo", "find a better word")

_ENGLISH_LEFTOVERS = {
    "a journalist's TK": said(
        "It costs about TK euros.", "The {part} weighs TK grams.", "In TKTK the price rose again.",
        "According to TK, the {part} lasts for years.", "TK: one more sentence on the {part}.",
        part=_PARTS,
    ),
    "a blank to fill in": said(
        "The {part} costs ______ euros.", "Call us on ______ for a new {part}.",
        "It takes ….. minutes to clean the {part}.", "The {part} is __ cm long.",
        "The shop is in ________ (town).", part=_PARTS,
    ),
    "letters that stand for a number": said(
        "The {part} costs €XX.", "About XX percent of homes have a {part}.",
        "It takes NN minutes.", "The rule has held since 20XX.", "On DD/MM/YYYY the price changes.",
        "The {part} was first sold in 19xx.", "Dial 0XX-XXXXXX to order a {part}.", part=_PARTS,
    ),
    "a field of a newsletter": said(
        "Dear *|FNAME|*, the {part} is next.", "That is all, %FIRSTNAME%.", "Hello [first_name],"
        " here is the {part}.", "As a reader from {{{{city}}}} you know the {part}.",
        "See you soon, ${{user.name}}!", "We wrote to %%emailaddr%% about the {part}.",
        part=_PARTS,
    ),
    "a variable of a template": said(
        "The {part} costs {{{{ product.price | money }}}}.", "It weighs %s grams.",
        "There are {{0}} of {{1}} left.", "The <%= item.title %> is sold out.",
        "Only %1$d pieces of the {part} are left.", "The {part} is made by <?php echo $brand; ?>.",
        "Buy the {{%product_name%}} in the shop.", part=_PARTS,
    ),
    "a value that a program could not find": said(
        "The {part} costs undefined euros.", "It takes NaN minutes.", "The {part} is [object"
        " Object].", "Last changed: null.", "The {part} weighs None grams.", "Sold since Invalid"
        " Date.", part=_PARTS,
    ),
    "an error of a spreadsheet": said(
        "The total is #REF! euros.", "On average it costs #DIV/0! a year.",
        "The sum is =SUM(B2:B7) euros.", "It costs ######## with the {part}.",
        "The {part} comes to #VALUE! in all.", "Together that makes #NAME? euros.", part=_PARTS,
    ),
    "a shortcode of a content system": apart(
        '[gallery ids="{a},{b}" columns="3"]', "[/vc_column_text][/vc_column]",
        '[contact-form-7 id="{a}" title="Contact"]', "[ad_block position={b}]",
        '[caption id="attachment_{a}" align="alignleft"]', "{{% include related.html %}}",
        "<!-- wp:paragraph -->", "[table id={a} /]", "[su_divider top=\"no\"]",
        a=("211", "3481", "97"), b=("212", "3482", "98"),
    ),
    "marks of a wiki": said(
        "The {part} is ''very'' important.[citation needed]", "[[Category:Household]]",
        "See [[Maintenance|care]] for the {part}.", "The '''{part}''' comes first.",
        "It holds for a year.{{{{cn}}}}", part=_PARTS,
    ),
    "marks of a forum": said(
        "The {part} is [b]very[/b] important.", "[quote]The {part} is too small.[/quote]",
        "Read more [url=https://www.example.org/care]here[/url].", "[color=red]Mind the {part}!"
        "[/color]", "The {part} is fine :rolleyes:", part=_PARTS,
    ),
    "an entity that is not resolved": said(
        "The lid &amp;amp; the {part} belong together.", "It costs 5&amp;nbsp;&amp;euro; at most.",
        "Don&amp;#8217;t forget the {part}.", "The {part} is called &amp;ldquo;eternal&amp;rdquo;.",
        "Heat it to 60&amp;deg;C.", "Wash &amp;lt;10 minutes.", part=_PARTS,
    ),
    "a tag of an office program": said(
        '<span style="mso-bidi-font-weight:normal">The {part} comes last.</span>',
        "<o:p></o:p>The {part} comes last.", 'The <font color="#000000">{part}</font> is dry.',
        "The {part} is dry.</div>", "The {part} is dry.<br /><br />",
        '<p class="MsoNormal">The {part} is dry.', part=_PARTS,
    ),
    "apostrophes in the wrong encoding": said(
        "It{a}s the {part} that matters.", "You don{a}t need the {part}.",
        "That{a}s why the {part} is dear.", "The maker{a}s label is on the {part}.",
        a=("â€™", "�", "\u0092", "Ã¢â‚¬â„¢", "&amp;#39;", "?", "Õ"), part=_PARTS,
    ),
    "other signs in the wrong encoding": said(
        "The cafÃ© sells a {part}.", "It costs 20 â‚¬ with the {part}.", "Keep it at 20 Â°C.",
        "Pages 10 â€“ 12 show the {part}.", "The {part} is made in ZÃ¼rich.", "It costs Â£5.",
        "A crÃ¨me is not needed for the {part}.", part=_PARTS,
    ),
    "escapes of a program": said(
        "The {part} is dry.\\n\\nNow go on.", "The caf\\u00e9 sells a {part}.",
        "See the file care%20of%20the%20{part}.", "It costs 5\\x20euros with the {part}.",
        "The {part}\\t12\\t20 euros.", "The maker\\u2019s {part} is dearer.", part=_PARTS,
    ),
    "a comment of an office program": said(
        "[{who}{n}] The {part} is dear.", "Commented [{who}{n}]: is this still true?",
        "Formatted: Font: Bold, English (U.K.)", "The {part} is dear.[{who}{n}R{n}]",
        "Deleted: the old {part}", who=("MK", "AS", "JW"), n=("1", "3", "12"), part=_PARTS,
    ),
    "a broken reference of an office program": said(
        "As Error! Reference source not found. shows, the {part} is dear.",
        "See page Error! Bookmark not defined.", "See Figure ?? and section ?? for the {part}.",
        "The {part} is described in Table X.X.", "More on the {part} on page 000.", part=_PARTS,
    ),
    "a remark to colleagues": said(
        "(Please check this figure!)", "NOTE TO EDITOR: {task}.", "@desk: {task} before Friday!",
        "(source???)", "[{task}]", "!!! {task} !!!", "// {task}", "FIXME: {task}.",
        "<< {task} >>", "(still to do: {task})", task=_TASKS,
    ),
    "an assistant's words before the text": apart(
        "Sure! Here is a revised version of the section about the {part}:",
        "Absolutely, here's the paragraph with a warmer tone:",
        "Of course. Below you'll find the article in about 700 words.",
        "Great question! Let me rewrite that for you.",
        "Here's a cleaner version that keeps your meaning:", part=_PARTS,
    ),
    "an assistant's words after the text": apart(
        "Would you like me to add a section about the {part}?",
        "Feel free to ask if you need it shorter or in another tone!",
        "I hope this meets your requirements. Shall I create a meta description as well?",
        "Let me know if I should adapt this for social media.",
        "If you want, I can also turn this into a checklist.", part=_PARTS,
    ),
    "an assistant about itself": said(
        "As an AI, I cannot test the {part} myself.",
        "I don't have access to current prices for the {part}.",
        "My training data ends before that date.", "As a language model I have no"
        " opinion on the {part}.", "I'm unable to browse the web for the {part}.",
        "I'm sorry, but I can't help with that.", part=_PARTS,
    ),
    "a citation mark of an assistant": said(
        "The {part} lasts for years :contentReference[oaicite:{n}]{{index={n}}}.",
        "The {part} lasts for years【{n}†source】.",
        "The {part} lasts for years citeturn{n}search2.",
        "The {part} lasts for years [cite: {n}, 12].", "<ref>web:{n}</ref> says the same.",
        "Read [this page](https://www.example.org/?utm_source=chatgpt.com) on the {part}.",
        n=("0", "3", "7"), part=_PARTS,
    ),
    "roles and tokens of a chat": apart(
        "User: write it again, but shorter", "<|im_end|>", "### Assistant:", "</think>",
        "[INST] Continue with the {part} [/INST]", "ChatGPT said:", "Regenerate response",
        "<|endoftext|>", part=_PARTS,
    ),
    "lines of the brief": apart(
        "Tone of voice: friendly, expert, no jargon", "Target length: {n} words",
        "Write an introduction that hooks the reader and mentions the {part}.",
        "Audience: home owners aged 30 to 50", "Include the keyword at least three times.",
        "Use short sentences and end with a call to action.", n=("600", "800", "1,200"),
        part=_PARTS,
    ),
    "fields of a search plugin": apart(
        "Focus keyphrase: {part} care",
        "Meta description: Learn all about the {part} in our guide.",
        "Slug: /blog/care-of-the-{part}/", "SEO title: {part} care made easy | Page 1",
        "Alt text: a {part} on a table", "Tags: {part}, home, tips", "H2: How to clean the {part}",
        part=_PARTS,
    ),
    "a count of words or characters": one_of(
        said("(Word count: {n})", "[{n} words]", "Characters with spaces: {n}", "~{n} words",
             n=("148", "312", "1,046")),
    ),
    "buttons of a web page": apart(
        "Share on Facebook Tweet Pin it", "Read more »", "Click image to enlarge",
        "Skip to main content", "Print this page Email this page", "Back to top ↑",
        "Like this: Like Loading...", "Previous post | Next post", "Home > Blog > Tips",
    ),
    "consent and subscription boxes": apart(
        "We use cookies to improve your experience. Accept all Reject all Settings",
        "Sign up for our newsletter and never miss a post!  Your email address  Subscribe",
        "This content is for subscribers only. Log in or subscribe to continue reading.",
        "Please disable your ad blocker to view this content.",
        "ADVERTISEMENT – CONTINUE READING BELOW",
    ),
    "head or foot of a printed page": apart(
        "Page {n} of 12", "- {n} -", "Confidential draft – not for distribution",
        "© Handbook, 3rd edition    {n}", "Printed on 04.05.2023 at 11:42", n=("3", "7", "11"),
    ),
    "parts of an e-mail": apart(
        "Sent from my iPhone", "Best regards,", "On Tue, 5 Mar 2024 at 10:12 the editor wrote:",
        "Hi, please find the final text attached.", "Fwd: Re: Re: text for Thursday",
        "From: desk  To: layout  Subject: final version",
    ),
    "a conflict of versions": apart(
        "<<<<<<< HEAD", "=======\n>>>>>>> draft-{n}", "||||||| merged common ancestors",
        ">>>>>>> origin/{n}", "@@ -12,{n} +12,8 @@", n=("2", "7"),
    ),
    "a file of one's own computer": said(
        "See C:\\Users\\desk\\Documents\\{part}_final_v3.docx.", "The photo is IMG_20{n}.JPG.",
        "(image00{n}.png)", "See [the list](file:///home/desk/{part}.pdf).",
        "The draft is at http://localhost:8080/preview?id={n}.", "[DSC0{n}.jpg here]",
        n=("41", "87", "19"), part=_PARTS,
    ),
    "a link that leads nowhere": said(
        "More about the {part} [here]().", "More about the {part} [here](#).",
        "See [the guide](INSERT-LINK) on the {part}.", "See [the guide](https://) on the {part}.",
        "See [the guide] (https://www.example.org/{part}).", "Order the {part} [LINK].",
        "See [the guide](http://http://www.example.org/{part}).", part=_PARTS,
    ),
    "marks of bold or code left open": said(
        "The **{part} comes first.", "The {part} is **very* important.", "Use `{part} for that.",
        "The {part} is ** very important **.", "The __{part} comes first.", "Mind the {part}**!",
        part=_PARTS,
    ),
    "marks of TeX": said(
        "The \\textbf{{{part}}} comes first.", "It lasts for years \\cite{{care{n}}}.",
        "See Figure~\\ref{{fig:{part}}}.", "It takes $\\sim${n} minutes.", "\\begin{{itemize}}",
        "The {part} is 5\\,cm long.", n=("12", "20"), part=_PARTS,
    ),
    "marks of a translator's program": said(
        '<g id="{n}">The {part} comes first.</g>', "{{{n}>The {part} comes first.<{n}}}",
        "[[FUZZY]] The {part} comes first.", "<bpt i=\"{n}\">The {part}<ept i=\"{n}\"> is dry.",
        "##The {part} is dry.## [NT]", n=("1", "2"), part=_PARTS,
    ),
    "a sentence that nobody translated": said(
        "Der Deckel muss dabei immer fest geschlossen bleiben.",
        "La tapa debe quedar siempre bien cerrada durante todo el proceso.",
        "Le couvercle doit toujours rester bien fermé pendant ce temps.",
        "Il coperchio deve rimanere sempre ben chiuso durante il lavoro.",
        "Het deksel moet daarbij altijd goed dicht blijven.",
    ),
    "words of a dictation": said(
        "The {part} comes first comma then the cover full stop",
        "New paragraph the {part} is next.",
        "Open quote keep dry close quote is on the {part}.",
        "Um, so, the {part}, you know, is dry.",
        "The {part} is dear scratch that cheap.", part=_PARTS,
    ),
    "marks of a transcript": said(
        "[inaudible 00:12:{n}] the {part} comes first.", "(laughs) The {part} comes first.",
        "[00:{n}] The {part} comes first.", "SPEAKER 2: The {part} comes first.",
        "The {part} [crosstalk] comes first.", n=("31", "42"), part=_PARTS,
    ),
    "names of pictures for feelings": said(
        "The {part} is ready :tada:", ":warning: Mind the {part}.", "That was it (y) :white_check_"
        "mark:", "The {part} is fine :smile:", part=_PARTS,
    ),
    "two versions of which one should go": apart(
        "Option A: Keep the {part} dry.\nOption B: Never let the {part} get wet.",
        "Title 1: All about the {part}\nTitle 2: The {part} made easy",
        "[long version] The {part} has to be dry. [short version] Dry {part}.",
        "Alternative ending: And then the {part} was dry.", part=_PARTS,
    ),
    "filler from the keyboard": said(
        "asdf asdf", "Blah blah blah about the {part}.", "test test 123", "qwertz",
        "Text text text text.", "Dolor sit amet, consectetur adipiscing elit.", "xxxx", part=_PARTS,
    ),
}  # fmt: skip

_FOREIGN_LEFTOVERS: Mapping[str, Mapping[str, Plant]] = {
    "de": {
        "Antwort einer Maschine": apart(
            "Gerne! Hier ist der überarbeitete Abschnitt:",
            "Natürlich, hier kommt Ihr Text mit rund 600 Wörtern:",
            "Soll ich den Text noch kürzen oder eine Meta-Beschreibung ergänzen?",
            "Ich hoffe, das hilft Ihnen weiter! Sagen Sie Bescheid, wenn ich etwas ändern soll.",
        ),
        "Platzhalter und Notizen": said(
            "Der {teil} kostet [Preis einfügen].", "(Quelle prüfen!)", "Der {teil} wiegt XX Gramm.",
            "HIER FOTO VOM {teil} EINSETZEN", "Liebe/r [Vorname], so geht es weiter.",
            "TODO: Absatz über den {teil} ergänzen.", "Musterfirma GmbH, Musterstraße 1.",
            teil=("Deckel", "Filter", "Griff"),
        ),
    },
    "es": {
        "respuesta de una máquina": apart(
            "¡Claro! Aquí tienes el texto revisado:", "Por supuesto, a continuación te presento el"
            " artículo:", "¿Quieres que lo haga más corto o que añada una conclusión?",
            "Espero que te sea útil. Si necesitas algún cambio, dímelo.",
        ),
        "huecos y notas": said(
            "La {pieza} cuesta [insertar precio].", "(¡comprobar este dato!)",
            "PENDIENTE: foto de la {pieza}.", "La {pieza} pesa XX gramos.",
            "Hola, [nombre], sigamos con la {pieza}.",
            pieza=("tapa", "llave", "junta"),
        ),
    },
    "fr": {
        "réponse d'une machine": apart(
            "Bien sûr ! Voici une version améliorée du texte :",
            "Voici l'article demandé, d'environ 700 mots :",
            "Souhaitez-vous que j'ajoute une conclusion ?",
            "N'hésitez pas à me dire si vous voulez un ton plus léger.",
        ),
        "une phrase restée en anglais": said(
            "The {thing} should be checked before you leave the house.",
            "Please make sure that the {thing} is dry before packing it.",
            "You can find a good {thing} in every sports shop.", thing=("jacket", "bottle", "map"),
        ),
    },
    "it": {
        "risposta di una macchina": apart(
            "Certo! Ecco il testo rivisto:", "Ecco una versione più breve dell'articolo:",
            "Fammi sapere se vuoi che aggiunga una conclusione.",
            "Spero che ti sia utile! Vuoi che lo traduca anche in inglese?",
        ),
    },
    "nl": {
        "antwoord van een machine": apart(
            "Natuurlijk! Hier is de herschreven tekst:",
            "Hieronder vind je het artikel van ongeveer 300 woorden:",
            "Laat het me weten als je nog iets wilt aanpassen.",
            "Wil je dat ik ook een korte samenvatting maak?",
        ),
    },
}  # fmt: skip


# Structure


def _drawn_at(pattern: str, change: Callable[[list[str], int, Random], Sequence[int]]) -> Plant:
    """Make a plant of a change at one of the lines that match a pattern."""

    def plant(text: str, random: Random) -> Planted | None:
        lines = text.split("\n")
        places = matching(lines, pattern)
        if not places:
            return None
        return changed(lines, change(lines, random.choice(places), random))

    return plant


def _replaced(pattern: str, new: Callable[[str, Random], str]) -> Plant:
    """Replace one of the lines that match a pattern."""

    def change(lines: list[str], index: int, random: Random) -> Sequence[int]:
        lines[index] = new(lines[index], random)
        return [index]

    return _drawn_at(pattern, change)


def _inserted(pattern: str, *choices: str) -> Plant:
    """Insert lines before one of the lines that match a pattern."""

    def change(lines: list[str], index: int, random: Random) -> Sequence[int]:
        new = random.choice(choices).split("\n")
        lines[index:index] = [*new, ""]
        return range(index, index + len(new) + 2)

    return _drawn_at(pattern, change)


def _runs(lines: Sequence[str], pattern: str, least: int) -> list[tuple[int, int]]:
    """Return where lines that match a pattern begin and end, if there are enough in a row."""
    runs, begin = [], None
    for index, line in enumerate([*lines, ""]):
        if re.match(pattern, line):
            begin = index if begin is None else begin
        elif begin is not None:
            if index - begin >= least:
                runs.append((begin, index))
            begin = None
    return runs


def _in_run(
    pattern: str, least: int, change: Callable[[list[str], int, int, Random], Sequence[int]]
) -> Plant:
    """Make a plant of a change of several lines in a row, such as a list or a table."""

    def plant(text: str, random: Random) -> Planted | None:
        lines = text.split("\n")
        runs = _runs(lines, pattern, least)
        if not runs:
            return None
        begin, end = random.choice(runs)
        return changed(lines, change(lines, begin, end, random))

    return plant


_STEP, _ITEM, _ROW = r"\d+\. ", r"[-*] ", r"\|"


def _misnumbered(lines: list[str], begin: int, end: int, random: Random) -> Sequence[int]:
    """Leave a number out, use one twice, or begin again in the middle."""
    at = random.randrange(begin + 1, end)
    number = at - begin + 1
    first = random.choice((number + 1, number - 1, 1 if number > 2 else 3))
    for index in range(at, end):
        lines[index] = re.sub(r"^\d+", str(first + index - at), lines[index])
    return range(begin, end)


def _one_line(lines: list[str], begin: int, end: int, _random: Random) -> Sequence[int]:
    lines[begin:end] = [" ".join(lines[begin:end])]
    return [begin]


def _bullets_of_office(lines: list[str], begin: int, end: int, random: Random) -> Sequence[int]:
    sign = random.choice(("• ", "· ", "o ", "\uf0b7 ", "– "))
    lines[begin:end] = [" ".join(sign + line[2:] for line in lines[begin:end])]
    return [begin]


def _no_separator(lines: list[str], begin: int, _end: int, _random: Random) -> Sequence[int]:
    del lines[begin + 1]
    return range(begin, begin + 2)


def _short_row(lines: list[str], begin: int, end: int, random: Random) -> Sequence[int]:
    at = random.randrange(begin + 2, end)
    cells = lines[at].strip("|").split("|")
    del cells[random.randrange(len(cells))]
    lines[at] = "|" + "|".join(cells) + "|"
    return range(begin, end)


def _long_row(lines: list[str], begin: int, end: int, random: Random) -> Sequence[int]:
    at = random.randrange(begin + 2, end)
    cells = lines[at].strip("|").split("|")
    place = random.randrange(len(cells))
    cells.insert(place, cells[place])
    lines[at] = "|" + "|".join(cells) + "|"
    return range(begin, end)


def _row_twice(lines: list[str], begin: int, end: int, random: Random) -> Sequence[int]:
    at = random.randrange(begin + 2, end)
    lines.insert(random.randrange(at, end) + 1, lines[at])
    return range(begin, end + 1)


def _cell_lost(lines: list[str], begin: int, end: int, random: Random) -> Sequence[int]:
    """Empty a cell in the middle of a table."""
    at = random.randrange(begin + 2, end - 1) if end - begin > 3 else begin + 2
    cells = lines[at].strip("|").split("|")
    cells[random.choice([i for i, cell in enumerate(cells) if cell.strip()])] = " "
    lines[at] = "|" + "|".join(cells) + "|"
    return range(begin, end)


def _split_by_text(lines: list[str], begin: int, end: int, random: Random) -> Sequence[int]:
    """Break an item of a list off, its rest going on behind the list."""
    at = random.randrange(begin, end - 1)
    words = lines[at].split(" ")
    lines[at] = " ".join(words[: max(2, len(words) // 2)])
    rest = " ".join(words[max(2, len(words) // 2) :])
    lines[at + 1 : at + 1] = ["", rest, ""]
    return range(at, at + 4)


def _section_again(lines: list[str], random: Random) -> Sequence[int] | None:
    """Paste a whole section a second time, further down."""
    heads = headings(lines)
    if len(heads) < 3:
        return None
    at = random.randrange(len(heads) - 1)
    section = lines[heads[at] : heads[at + 1]]
    to = random.choice(heads[at + 1 :])
    lines[to:to] = section
    return [*range(heads[at], heads[at + 1]), *range(to, to + len(section))]


def _heading_again(lines: list[str], random: Random) -> Sequence[int] | None:
    heads = headings(lines)
    if len(heads) < 2:
        return None
    one, two = sorted(random.sample(heads, 2))
    lines[two] = lines[one]
    return [one, two]


def _joined_to_paragraph(lines: list[str], index: int, _random: Random) -> Sequence[int]:
    """Let a heading and the paragraph below it run into one line."""
    lines[index : index + 3] = [f"{lines[index]} {lines[index + 2]}"]
    return [index]


def _heading_with_paragraph(text: str, random: Random) -> Planted | None:
    lines = text.split("\n")
    prose = set(prose_lines(lines))
    places = [i for i in matching(lines, "##+ ") if i + 2 in prose and not lines[i + 1]]
    if not places:
        return None
    return changed(lines, _joined_to_paragraph(lines, random.choice(places), random))


def _no_headings(lines: list[str], _random: Random) -> Sequence[int] | None:
    """Lose every subheading of a text that is not short."""
    heads = matching(lines, "##+ ")
    if len(heads) < 4 or sum(len(line.split()) for line in lines) < 400:
        return None
    for index in reversed(heads):
        del lines[index : index + 2]
    return range(len(lines))


def _heading_at_end(lines: list[str], random: Random) -> Sequence[int] | None:
    if not headings(lines):
        return None
    while not lines[-1]:
        lines.pop()
    new = random.choice(("One more thing", "Further tips", "What comes next?", "Our advice"))
    lines += ["", f"## {new}", ""]
    return [len(lines) - 2]


def _title_again(lines: list[str], random: Random) -> Sequence[int] | None:
    titles = headings(lines, 1)
    if not titles:
        return None
    mark = random.choice(("# ", "## ", ""))
    lines[titles[0] + 1 : titles[0] + 1] = ["", mark + lines[titles[0]][2:]]
    return [titles[0], titles[0] + 2]


def _numbered_headings(lines: list[str], random: Random) -> Sequence[int] | None:
    """Number the headings with a hole, or with a number used twice."""
    heads = headings(lines)
    if len(heads) < 4:
        return None
    at = random.randrange(1, len(heads) - 1)
    jump = random.choice((1, -1))
    for place, index in enumerate(heads):
        number = place + 1 + (jump if place >= at else 0)
        lines[index] = f"## {number}. {lines[index][3:]}"
    return heads


def _contents(lines: list[str], random: Random) -> Sequence[int] | None:
    """Add a table of contents with a section that the text does not have."""
    heads = [lines[i][3:] for i in headings(lines)]
    if len(heads) < 3:
        return None
    strange = random.choice(("Rules by country", "The history of the idea", "Ten common myths"))
    heads.insert(random.randrange(1, len(heads)), strange)
    first = headings(lines)[0]
    new = ["In this article:", "", *(f"- {head}" for head in heads), ""]
    lines[first:first] = new
    return range(first, first + len(new))


def _truncated(line: str, random: Random) -> str:
    words = line.split(" ")
    ends = ("the", "a", "of", "and", "to", "with", "for")
    cut = " ".join(words[: max(3, len(words) // 2)])
    return cut if cut.endswith(ends) else f"{cut} {random.choice(ends)}"


def _inserted_early(new: str) -> Plant:
    """Insert a section before the second or third one of a text that has more."""

    def plant(text: str, random: Random) -> Planted | None:
        lines = text.split("\n")
        heads = headings(lines)
        if len(heads) < 4:
            return None
        index = random.choice(heads[1:3])
        block = new.split("\n")
        lines[index:index] = [*block, ""]
        return changed(lines, range(index, index + len(block)))

    return plant


_SUBJECTS = ("Storage", "Care in winter", "Other models", "Rules and permits", "The next steps")

_ENGLISH_STRUCTURE = {
    "a level of headings skipped": _replaced("## ", lambda line, r: r.choice(("##", "###")) + line),
    "a second title": _replaced("## ", lambda line, _r: line[1:]),
    "a section without a text": drawn(
        filled("## {subject}", "## More about this: {subject}", subject=_SUBJECTS),
        lambda new: _inserted("## ", new),
    ),
    "a question without an answer": drawn(
        filled(
            "### How long does the {part} last?", "## Can I repair the {part} myself?",
            "### What does a new {part} cost?", "## Where do I buy a {part}?", part=_PARTS,
        ),
        lambda new: _inserted("## ", new),
    ),
    "the same heading twice": on_lines(_heading_again),
    "a section pasted twice": on_lines(_section_again),
    "a heading that breaks off": _replaced("##+ [^ ]+ [^ ]+", _truncated),
    "a heading and its paragraph in one line": _heading_with_paragraph,
    "a heading that lost its sign": _replaced("##+ ", lambda line, _r: line.lstrip("# ")),
    "a heading whose sign does not work": _replaced(
        "##+ ",
        lambda line, r: r.choice((line.replace("# ", "#", 1), f"\\{line}", f"    {line}")),
    ),
    "a heading that is empty": one_of(
        _inserted("## ", "## "), _inserted("## ", "## 3."), _inserted("## ", "### …"),
        _inserted("## ", "## -"),
    ),
    "a heading as the last line": on_lines(_heading_at_end),
    "the title repeated below itself": on_lines(_title_again),
    "headings numbered with a hole": on_lines(_numbered_headings),
    "all subheadings lost": on_lines(_no_headings),
    "a conclusion in the middle": drawn(
        filled(
            "## {head}\n\nWe have now seen all there is to know, from the first step to the"
            " last. Enjoy the result, and thank you for reading to the end.",
            head=("Conclusion", "Final thoughts", "In short", "Summary and farewell"),
        ),
        _inserted_early,
    ),
    "steps numbered wrongly": _in_run(_STEP, 3, _misnumbered),
    "steps run into one paragraph": _in_run(_STEP, 3, _one_line),
    "bullets of an office program in one line": _in_run(_ITEM, 3, _bullets_of_office),
    "an item of a list torn in two": _in_run(r"(?:[-*]|\d+\.) (?:\S+ ){5}", 2, _split_by_text),
    "an item with two signs": one_of(
        _replaced(_ITEM, lambda line, r: r.choice(("- ", "* ", "1. ")) + line),
        _replaced(_STEP, lambda line, r: re.sub(r"^(\d+\. )", r"\1\1", line)),
    ),
    "an item without a text": one_of(
        _replaced(_ITEM, lambda _line, r: r.choice(("-", "- ", "- …", "- ."))),
        _replaced(_STEP, lambda line, _r: line.split(" ")[0]),
    ),
    "a list announced that never comes": drawn(
        filled(
            "For the {part} you need the following {count} things:",
            "Before you buy a {part}, answer these {count} questions:",
            "Here are the {count} most common mistakes:", part=_PARTS, count=_WRITTEN,
        ),
        lambda new: _inserted("## ", new),
    ),
    "a table whose separator is lost": _in_run(_ROW, 3, _no_separator),
    "a row with a cell too few": _in_run(r"\|.*\|.*\|", 4, _short_row),
    "a row with a cell too many": _in_run(r"\|.*\|.*\|", 4, _long_row),
    "a row of a table twice": _in_run(_ROW, 4, _row_twice),
    "a cell of a table lost": _in_run(_ROW, 4, _cell_lost),
    "a table run into one line": _in_run(_ROW, 4, _one_line),
    "contents that name a missing section": on_lines(_contents),
    "a picture or film that is not there": said(
        "The picture below shows the {part} from the side.", "As you can see in this video, the"
        " {part} comes first.", "Figure 4 shows how the {part} is fitted.",
        "In the photo above, the {part} is on the left.", "The map below shows {shop}.",
        "Listen to the recording below to hear the {part}.", part=_PARTS, shop=_SHOPS,
    ),
    "a footnote without its text": attach("[^1]", "[^3]", "[^note]"),
    "a footnote that no text refers to": apart(
        "[^{n}]: Prices of the {part} include tax.", "[^{n}]: See the label of the {part}.",
        n=("2", "a", "source"), part=_PARTS,
    ),
    "a link to a missing section": said(
        "See [the list of parts](#{to}) for the {part}.", "The {part} is covered [below](#{to}).",
        "Jump to [the costs of the {part}](#{to}).", part=_PARTS,
        to=("list-of-parts-2", "annex-b", "section-14", "_Toc4711"),
    ),
    "a count from first to third without a second": said(
        "First, the {part} is cheap. Third, it lasts for years.",
        "There are three reasons: firstly the price, secondly the weight.",
        "First, check the {part}. Second, dry it. Fourth, store it.",
        "One reason is the price. The third reason is the {part}.", part=_PARTS,
    ),
    "a block of code that nobody closes": apart(
        "```\n{part} = 12", "~~~\nlist of the {part}s" , "```python\nprint('{part}')",
        part=("cable", "lid", "filter"),
    ),
    "a picture without a file": apart(
        "![A {part} on a table]()", "![](image-placeholder)", "![{part}.jpg]",
        "!(photo of the {part})",
        "![alt text](url)", part=_PARTS,
    ),
}  # fmt: skip


_FOREIGN_STRUCTURE: Mapping[str, Mapping[str, Plant]] = {
    "de": {
        "ein Abschnitt ohne Text": one_of(
            _inserted("## ", "## Sicherheit und Garantie"), _inserted("## ",
            "## Unser Fazit vorab"),
            _inserted("## ", "### Was kostet die Entsorgung?"),
        ),
        "Schritte falsch nummeriert": _in_run(_STEP, 3, _misnumbered),
    },
    "es": {
        "pasos mal numerados": _in_run(_STEP, 3, _misnumbered),
        "una lista anunciada que no llega": one_of(
            _inserted("## ", "Para ello necesita estas cuatro cosas:"),
            _inserted("## ", "Estos son los errores más frecuentes:"),
        ),
    },
    "fr": {
        "une vidéo qui n'existe pas": said(
            "La vidéo ci-dessous montre comment régler le {objet}.",
            "Sur la photo ci-dessus, on voit bien le {objet}.", "La figure 5 présente le {objet}.",
            objet=("sac", "lacet",
            "bâton"),
        ),
        "le même titre deux fois": on_lines(_heading_again),
    },
}  # fmt: skip


# Consistency

_NUMBER_WORDS: Mapping[str, Sequence[str]] = {
    "en": ("two", "three", "four", "five", "six", "seven", "eight"),
    "de": ("zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht"),
    "es": ("dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho"),
    "fr": ("deux", "trois", "quatre", "cinq", "six", "sept", "huit"),
}


def _miscounted(language: str) -> Plant:
    """Change the number in the line that announces a list."""
    words = _NUMBER_WORDS[language]
    number = re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)

    def plant(text: str, random: Random) -> Planted | None:
        lines = text.split("\n")
        places = [
            begin - 2
            for begin, _end in _runs(lines, rf"{_ITEM}|{_STEP}", 2)
            if begin > 1 and lines[begin - 2].endswith(":") and number.search(lines[begin - 2])
        ]
        if not places:
            return None
        index = random.choice(places)
        match = number.search(lines[index])
        assert match
        new = random.choice([word for word in words if word != match[0].lower()])
        new = new.capitalize() if match[0][0].isupper() else new
        lines[index] = lines[index][: match.start()] + new + lines[index][match.end() :]
        run = next(run for run in _runs(lines, rf"{_ITEM}|{_STEP}", 2) if run[0] == index + 2)
        return changed(lines, range(index, run[1]))

    return plant


def _wrong(right: int, random: Random, least: int = 1) -> int:
    """Return a number near the right one."""
    most = max(least + 1, right // 5)
    return right + random.choice((-1, 1)) * random.randint(least, most)


def _own_list(random: Random) -> str:
    """Announce a list of another length."""
    things = ("a soft cloth", "a bucket", "warm water", "a pair of gloves", "a pencil", "a ruler")
    count = random.randint(2, 5)
    said_ = random.choice([n for n in range(2, 8) if n != count])
    lead = random.choice(("Keep these {n} things at hand:", "The job takes {n} things:",
                          "You need just {n} helpers:"))  # fmt: skip
    items = "\n".join(f"- {thing}" for thing in random.sample(things, count))
    return f"{lead.format(n=_WRITTEN[said_ - 2])}\n\n{items}"


def _product(random: Random) -> str:
    count, price = random.randint(3, 12), random.randint(2, 15)
    wrong = _wrong(count * price, random, 2)
    return random.choice((
        f"A dozen parts would be too many; {count} pieces at €{price} each cost €{wrong}.",
        f"At €{price} a piece, {count} of them come to €{wrong}.",
        f"If you buy {count} a year for €{price} each, you spend €{wrong} a year.",
        f"You need {count} packs of {price} screws, that is {wrong} screws.",
    ))  # fmt: skip


def _sum(random: Random) -> str:
    one, two, three = (random.randint(5, 60) for _ in range(3))
    wrong = _wrong(one + two + three, random, 2)
    return random.choice((
        f"The tools cost €{one}, the material €{two} and the delivery €{three}, €{wrong} in all.",
        f"Add {one} g, {two} g and {three} g, and you have {wrong} g.",
        f"It takes {one} minutes to prepare, {two} minutes to do and {three} minutes to clean up,"
        f" {wrong} minutes in total.",
    ))  # fmt: skip


def _rest(random: Random) -> str:
    whole = random.choice((50, 80, 100, 120, 200))
    used = random.randint(10, whole - 12)
    wrong = _wrong(whole - used, random, 2)
    return random.choice((
        f"Of the {whole} pieces in the box you use {used}, so {wrong} are left.",
        f"Pay with a {whole}-euro voucher, and after {used} euros there are {wrong} euros left.",
        f"The price fell from £{whole} to £{used}, so you save £{wrong}.",
    ))  # fmt: skip


def _percentage(random: Random) -> str:
    old = random.choice((40, 50, 80, 200))
    part = random.choice((10, 20, 30, 40))
    wrong = part + random.choice((5, 15, 25))
    return random.choice((
        f"The price fell from €{old} to €{old * (100 - part) // 100}, a discount of {wrong}"
        f" percent.",
        f"In a test, {old * part // 100} of {old} pieces broke, that is {wrong} percent.",
        f"With a discount of {part} percent, €{old} become €{old * (100 - wrong) // 100}.",
        f"The price rose by {part} percent, from €{old} to €{old * (100 + wrong) // 100}.",
    ))  # fmt: skip


def _shares(random: Random) -> str:
    one, two = random.randint(30, 45), random.randint(15, 28)
    three = 100 - one - two + random.choice((-11, -7, 6, 12))
    return random.choice((
        f"Heating takes {one} percent of the energy, hot water {two} percent, and the remaining"
        f" {three} percent go into light.",
        f"Of all homes, {one} percent have one, {two} percent have two, and the other {three}"
        f" percent"
        " have none.",
    ))  # fmt: skip


def _fraction(random: Random) -> str:
    name, right = random.choice((
        ("half", 50), ("a quarter", 25), ("one in five", 20), ("three quarters", 75),
        ("a tenth", 10), ("two in five", 40),
    ))  # fmt: skip
    wrong = random.choice([each for each in (10, 20, 25, 40, 60, 75) if abs(each - right) > 8])
    return random.choice((
        f"About {name} of the homes, {wrong} percent, have one.",
        f"That saves {name} of the water ({wrong} percent).",
        f"In {wrong} percent of the cases, that is {name}, the part is worn out.",
    ))  # fmt: skip


def _times(random: Random) -> str:
    price = random.choice((20, 30, 40, 60))
    word, factor = random.choice((("twice", 2), ("three times", 3), ("half", 0.5)))
    wrong = random.choice([f for f in (0.5, 1.5, 2, 3, 4) if f != factor])
    return random.choice((
        f"At €{int(price * wrong)}, the large one costs {word} as much as the small one at"
        f" €{price}.",
        f"The old model weighs {price} kg, and the new one with its {int(price * wrong)} kg weighs"
        f" {word} as much.",
    ))  # fmt: skip


def _span(random: Random) -> str:
    begin, hours = random.randint(7, 10), random.randint(2, 4)
    wrong = hours + random.choice((-1, 1, 2))
    return random.choice((
        f"The workshop is open from {begin}:00 a.m. to {begin + hours}:00, {wrong} hours a day.",
        f"Begin at {begin}:15, and after {hours} hours, at {begin + wrong}:15, you are done.",
        f"We started at {begin}:30 and finished at {begin + hours}:30, exactly {wrong} hours"
        f" later.",
    )) if begin + hours < 12 else (
        f"We started at {begin}:30 and finished at {begin + hours}:30, exactly {wrong} hours later."
    )  # fmt: skip


def _years(random: Random) -> str:
    begin, span = random.randint(1950, 1990), random.randint(12, 30)
    wrong = span + random.choice((-6, -4, 3, 5, 10))
    return random.choice((
        f"It was made from {begin} to {begin + span}, so for {wrong} years.",
        f"The library opened in {begin} and celebrated its {wrong}th birthday in {begin + span}.",
        f"The first one was sold in {begin}, and {wrong} years later, in {begin + span}, the last.",
    )) if wrong % 10 not in (1, 2, 3) else (
        f"It was made from {begin} to {begin + span}, so for {wrong} years."
    )  # fmt: skip


def _weekday(random: Random) -> str:
    day = date(random.randint(2015, 2025), random.randint(1, 12), random.randint(1, 28))
    wrong = _DAYS[(day.weekday() + random.randint(1, 6)) % 7]
    month = _MONTHS[day.month - 1]
    return random.choice((
        f"The rule came into force on {wrong}, {day.day} {month} {day.year}.",
        f"On {wrong}, {month} {day.day}, {day.year}, the price was raised.",
    ))  # fmt: skip


def _impossible_date(random: Random) -> str:
    month = random.randint(1, 12)
    day = monthrange(2023, month)[1] + random.randint(1, 2)
    return random.choice((
        f"The offer ends on {day} {_MONTHS[month - 1]}.",
        f"From {_MONTHS[month - 1]} {day} on, the shop is closed.",
        f"The rule has been in force since {day}/{month:02}/2023.",
        f"The tap is turned off at {random.randint(25, 29)}:00 in winter.",
        f"The shop closes at {random.randint(4, 9)}:{random.randint(61, 95)} p.m.",
    ))  # fmt: skip


def _conversion(random: Random) -> str:
    return random.choice((
        "The pipe is 10 inches (10 cm) long.", "Heat the water to 60 °C (95 °F).",
        "It is 5 km (8 miles) to the next shop.", "The box weighs 2 kg (1 lb).",
        "Cut off 30 cm (3 feet) of it.", "The tank holds 10 litres (26 gallons).",
        "Dry it at 100 °F (180 °C).", "The cable is 2 m (200 mm) long.",
        "You need 1.5 kg (150 g) of it.", "Wait for 90 minutes (two and a half hours).",
        "It takes three weeks (14 days).", "It lasts for two years (18 months).",
        "Meet at 3 p.m. (13:00).", "Take a quarter of a litre (400 ml).",
    ))  # fmt: skip


def _dearer(random: Random) -> str:
    low = random.randint(15, 40)
    high = low + random.randint(5, 30)
    return random.choice((
        f"The metal one costs €{high} and the plastic one €{low}, so metal is the cheaper choice.",
        f"At €{high}, it is cheaper than the other one at €{low}.",
        f"The cheapest one costs €{high}, the next one €{low}.",
        f"With {low} kg it is heavier than the old model, which weighs {high} kg.",
        f"It lasts {low} months, longer than the other one with its {high} months.",
    ))  # fmt: skip


def _prices(random: Random) -> tuple[str, str]:
    price = random.randint(15, 60)
    other = price + random.choice((-6, -4, 5, 9, 12))
    thing = random.choice(("brush set", "spare filter", "carrying case", "tool kit"))
    return random.choice((
        (f"The {thing} costs €{price}.", f"At €{other}, the {thing} is a fair deal."),
        (f"A {thing} for €{price} is enough.", f"The €{other} for the {thing} are well spent."),
    ))  # fmt: skip


def _durations(random: Random) -> tuple[str, str]:
    minutes = random.choice((20, 30, 40, 45))
    other = minutes + random.choice((15, 20, 35))
    return random.choice((
        (f"The whole job takes {minutes} minutes.", f"The {other} minutes that the whole job takes"
         " are soon over."),
        (f"From start to finish you need {minutes} minutes.", f"After {other} minutes, the time"
         " needed from start to finish, you can rest."),
    ))  # fmt: skip


def _opening(random: Random) -> tuple[str, str]:
    place = random.choice(_SHOPS)
    day, other = random.sample(_DAYS, 2)
    hour = random.randint(8, 10)
    name = place[0].upper() + place[1:]
    return random.choice((
        (f"{name} is closed on {day}s.", f"On {day}s, {place} is open until 6 p.m."),
        (f"{name} opens at {hour} a.m. every day.", f"Every day at {hour + 1} a.m., when {place}"
         " opens, there is a queue."),
        (f"{name} is open on {day} only.", f"Go there on a {other}, when {place} is open."),
    ))  # fmt: skip


def _orders(random: Random) -> tuple[str, str]:
    return random.choice((
        ("Sand the wood first and oil it afterwards.", "First oil the wood, then sand it."),
        ("Never use hot water for it.", "Rinse it with hot water every time."),
        ("Leave the window open the whole time.", "The window must stay shut the whole time."),
        ("Always unplug the machine before you clean it.",
         "The machine has to stay plugged in while you clean it."),
        ("You do not need any tools for it.", "Without a screwdriver it cannot be done."),
        ("It works only with the lid closed.", "With the lid closed it does not work at all."),
        ("Children must not take part.", "It is a job for children, too, and they may take part."),
        ("All of the material can be recycled.", "None of the material can be recycled."),
    ))  # fmt: skip


def _names(random: Random) -> tuple[str, str]:
    one, two = random.choice((
        ("Ventolux 300", "Ventolux 3000"), ("Karvolin", "Carvolin"), ("Hydrosan", "Hidrosan"),
        ("Aquastop Plus", "Aqua-Stopp Plus"), ("Fennimore Street", "Fenimore Street"),
        ("TermoFix", "ThermoFix"),
    ))  # fmt: skip
    return random.choice(
        (
            (f"We used the {one} for the test.", f"The {two} from our test did well."),
            (f"The name to remember is {one}.", f"As said, the name to remember is {two}."),
        )
    )


def _short_forms(random: Random) -> tuple[str, str]:
    short, one, two = random.choice(
        (
            ("RCD", "residual current device", "rapid cut-off detector"),
            ("VAT", "value added tax", "voluntary annual tax"),
            ("LED", "light-emitting diode", "low-energy display"),
            ("UV", "ultraviolet", "universal voltage"),
            ("PVC", "polyvinyl chloride", "plastic volume cover"),
        )
    )
    return (
        random.choice((f"This is where {one} ({short}) comes in.", f"{short} stands for {one}.")),
        random.choice((f"Think of {two} ({short}), too.", f"{short} is short for {two}.")),
    )


def _spellings(random: Random) -> tuple[str, str]:
    one, two = random.choice(
        (
            ("The colour does not matter.", "Pick a color that you like."),
            ("The centre of the board is thin.", "Begin in the center of the board."),
            ("A grey cover hides dust.", "The gray cover hides dust better."),
            ("You can organise it in boxes.", "Organize the boxes by size."),
            ("The aluminium part is light.", "An aluminum part is light, too."),
            ("Keep the catalogue for later.", "The catalog lists all of the parts."),
        )
    )
    return random.choice(((one, two), (two, one)))


_FALSE_TOTALS = (
    ("| Total | £80 |", "| Total | £90 |", "| Dust sheet"),
    ("| Total | £80 |", "| Total | £76 |", "| Dust sheet"),
    ("| Total | €205 | €120 |", "| Total | €215 | €120 |", "| External hard disk"),
    ("| Total | €205 | €120 |", "| Total | €205 | €110 |", "| External hard disk"),
    ("| Total | | 350 |", "| Total | | 340 |", "| Vegetable bed"),
    ("| Total | €120 |", "| Total | €130 |", "| Barrel, 320 litres"),
    ("| Total | | 350 |", "| Total | | 360 |", "| Vegetable bed"),
    ("| Total | €120 |", "| Total | €115 |", "| Barrel, 320 litres"),
)
_TEXT_AND_TABLE = (
    ("| 4 | 3 twelfths | 1.2 m |", "| 4 | 4 twelfths | 1.6 m |", "in the third and fourth hour"),
    ("A pail of 10 litres is", "A pail of 12 litres is", "| Wall paint, 10 litres"),
    ("If you already own the tools, the whole room costs £60",
     "If you already own the tools, the whole room costs £50", "| Roller and tray | £12 |"),
    ("| Saturday | 2:30 p.m.", "| Saturday | 3:30 p.m.", "from 2:30 p.m. to 5:00 p.m."),
    ("and in the sixth week for 24", "and in the sixth week for 18", "| 6 | 12 minutes"),
    ("you run for only 8 minutes per session", "you run for only 6 minutes per session",
     "| 1 | 1 minute |"),
    ("| 8 | 30 minutes |", "| 8 | 25 minutes |", "Now you can run for 30 minutes"),
    ("The example in this article is a collection of 400 GB",
     "The example in this article is a collection of 500 GB", "| Connection | Typical speed"),
    ("can buy a second hard disk for €70", "can buy a second hard disk for €60",
     "| External hard disk"),
    ("For a bed of 12 square metres", "For a bed of 15 square metres", "| Vegetable bed | 12"),
    ("| Barrel, 320 litres |", "| Barrel, 220 litres |", "A barrel of 320 litres is full"),
    ("you set out at 11:20 a.m. and turn round by 1:22 p.m.",
     "you set out at 11:20 a.m. and turn round by 1:52 p.m.", "| Low | 1:22 p.m."),
    ("between high and low water is 4.8 metres", "between high and low water is 5.2 metres",
     "| Low | 1:22 p.m."),
)  # fmt: skip
_FALSE_RESULTS = (
    ("which gives 37.5 square metres", "which gives 39.5 square metres", "15 metres long"),
    ("metres make 68 square metres", "metres make 86 square metres", "Two coats on 34"),
    ("they use up 8.5 litres", "they use up 9.5 litres", "covers about 8 square metres"),
    ("which makes 24 sessions in all", "which makes 32 sessions in all", "three sessions a week"),
    ("so 5 kilometres take them 35 minutes", "so 5 kilometres take them 45 minutes",
    "7 minutes for"),
    ("Three weeks later you run for 36 minutes", "Three weeks later you run for 42 minutes",
     "Add 2 minutes to one session"),
    ("that is 800 MB", "that is 600 MB", "200 photos a month"),
    ("€10 make €120 every year", "€10 make €100 every year", "12 months at"),
    ("What remains is 32 litres", "What remains is 36 litres", "About 80 percent"),
    ("Then you save €48 a year", "Then you save €38 a year", "12 cubic metres"),
    ("the roof delivers 1,920 litres", "the roof delivers 1,720 litres", "with 60 mm of rain"),
    ("the water climbs by 2.4 metres", "the water climbs by 3.4 metres", "these two hours"),
    ("follows at 8:00 a.m., that is 50 minutes later", "follows at 8:00 a.m., that is 20 minutes"
     " later", "| High | 7:10 a.m."),
    ("takes two and a half hours, from", "takes three and a half hours, from", "5:00 p.m. It then"),
)  # fmt: skip
_FALSE_UNITS = (
    ("and 2.5 metres high", "and 2.5 centimetres high", "Measure the walls"),
    ("let the filler dry for two hours", "let the filler dry for two seconds", "- Fill holes"),
    ("about 5 cm wide", "about 5 km wide", "Paint the edges"),
    ("about 800 kilometres", "about 800 metres", "A solid pair costs"),
    ("Walk briskly for 5 minutes", "Walk briskly for 5 days", "to warm up"),
    ("photos of 4 MB each", "photos of 4 GB each", "400 GB, which"),
    ("Cheap ones lose data after some years", "Cheap ones lose data after some centuries", "USB"),
    ("weighs more than 320 kg", "weighs more than 320 g", "weighs one kilogram"),
    ("rises by up to 16 metres", "rises by up to 16 millimetres", "Bay of Fundy"),
    ("in the third and fourth hour", "in the third and fourth week", "rule of twelfths"),
)
_OTHER_ADVICE = (
    ("Two coats on 34 square metres", "Three coats on 34 square metres", "Second coat"),
    ("Painting a bedroom is a job for two days", "Painting a bedroom is a job for three days",
     "in One Weekend"),
    ("This plan takes eight weeks", "This plan takes ten weeks", "An Eight-Week Plan"),
    ("Leave at least one day of rest between two sessions",
     "Run every day without a day of rest between two sessions", "On the days of rest"),
    ("Keep three copies of every file", "Keep four copies of every file", "Three Copies"),
    ("every Sunday at 6:00 p.m.", "every month on the first", "Once a week is a good rhythm"),
    ("The lid is no ornament.", "The lid is a mere ornament.", "It protects children"),
    ("In November, before the first hard frost, empty",
     "In July, before the first hard frost, empty", "In March everything"),
    ("Set out about two hours before low water", "Set out about two hours after low water",
     "Turn round at low water"),
    ("about every two weeks", "about every two months", "29.5 days"),
)  # fmt: skip

_ENGLISH_CONSISTENCY = {
    "a list of the text miscounted": _miscounted("en"),
    "a new list miscounted": drawn(_own_list, paragraph),
    "a total of a table that is not its sum": facts(_FALSE_TOTALS),
    "a figure that the table contradicts": facts(_TEXT_AND_TABLE),
    "a result that does not follow": facts(_FALSE_RESULTS),
    "a unit that cannot be meant": facts(_FALSE_UNITS),
    "a statement that the text takes back": facts(_OTHER_ADVICE),
    "a wrong product": drawn(_product),
    "a wrong sum": drawn(_sum),
    "a wrong remainder": drawn(_rest),
    "a wrong percentage": drawn(_percentage),
    "shares that do not add up to the whole": drawn(_shares),
    "a fraction and a percentage that differ": drawn(_fraction),
    "twice or half as much, but it is not": drawn(_times),
    "a span of hours that is not as long": drawn(_span),
    "a span of years that is not as long": drawn(_years),
    "a weekday that does not go with the date": drawn(_weekday),
    "a date or time that does not exist": drawn(_impossible_date),
    "a measure converted wrongly": drawn(_conversion),
    "cheaper, heavier or longer the wrong way round": drawn(_dearer),
    "two prices for one thing": told(_prices),
    "two durations for one job": told(_durations),
    "opening hours that contradict each other": told(_opening),
    "instructions that contradict each other": told(_orders),
    "a product spelled in two ways": told(_names),
    "letters that stand for two things": told(_short_forms),
    "British and American spelling of one word": told(_spellings),
    "both or either of three": said(
        "Both materials, wood, steel and plastic, last long.",
        "Either of the three {plural} will do.",
        "The two best {plural} are red, blue and green.", "There are two ways: buying, renting and"
        " borrowing.", "All three {plural}, the large one and the small one, are cheap.",
        plural=_PLURALS,
    ),
    "a range that runs backwards": said(
        "It costs between €{high} and €{low}.", "That takes from {high} to {low} minutes in most"
        " homes.", "Most {plural} weigh between {high} g and {low} g.",
        "It needs at least {high} and at most {low} litres.", "It was popular from 1998 to 1974.",
        plural=_PLURALS,
        high=("50", "80", "95"), low=("20", "30", "35"),
    ),
    "a reference to a step that is not there": said(
        "Then repeat step {n}.", "Go back to step {n} if the {part} is still wet.",
        "As described in step {n}, the {part} comes first.", "Skip steps {n} to 29 in summer.",
        n=("14", "19", "23"), part=_PARTS,
    ),
    "a number in words and another in digits": said(
        "Wait for fifteen (50) minutes.", "You need three (4) {plural}.", "Pay within thirty (13)"
        " days.", "A dozen, that is ten, {plural} are enough.", "It takes sixty (16) seconds.",
        "A pair of {plural}, all three of them, is enough.", plural=_PLURALS,
    ),
    "a century that does not go with the year": said(
        "It was invented in {year}, in the {century} century.", "In the {century} century, around"
        " {year}, the first ones were sold.", year=("1820", "1765", "1690"),
        century=("20th", "15th", "16th"),
    ),
    "a season that does not go with the month": said(
        "In {month}, when the leaves fall in the north of Europe, it is time to begin.",
        "The frost of a Canadian {month} does it harm.",
        "A German winter, from {month} on, is long.",
        month=("June", "July", "August"),
    ),
}  # fmt: skip


def _german_sum(random: Random) -> str:
    one, two = random.randint(12, 60), random.randint(12, 60)
    return random.choice((
        f"Das Material kostet {one} Euro und das Werkzeug {two} Euro, zusammen"
        f" {_wrong(one + two, random, 2)} Euro.",
        f"Bei {two} Cent am Tag sind das in zehn Tagen {_wrong(two * 10, random, 20)} Cent.",
        f"Von 100 Euro bleiben nach Abzug von {one} Euro noch {_wrong(100 - one, random, 2)} Euro.",
    ))  # fmt: skip


def _spanish_date(random: Random) -> str:
    names = ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo")
    months = ("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto")
    day = date(random.randint(2015, 2025), random.randint(1, 8), random.randint(1, 28))
    wrong = names[(day.weekday() + random.randint(1, 6)) % 7]
    whole = f"{day.day} de {months[day.month - 1]} de {day.year}"
    return random.choice((
        f"La norma entró en vigor el {wrong} {whole}.", f"El {wrong} {whole} subieron los precios.",
        f"La oferta termina el {random.choice((31, 32))} de {random.choice(('abril', 'junio'))}.",
    ))  # fmt: skip


def _french_sum(random: Random) -> str:
    one, two = random.randint(12, 60), random.randint(12, 60)
    return random.choice((
        f"Le sac coûte {one} euros et la gourde {two} euros, soit {_wrong(one + two, random, 2)}"
        " euros en tout.",
        f"Trois cartes à {two} euros coûtent {_wrong(3 * two, random, 2)} euros.",
        f"Le prix baisse de 80 à {one} euros, vous gagnez donc {_wrong(80 - one, random, 2)}"
        f" euros.",
    ))  # fmt: skip


def _portuguese_sum(random: Random) -> str:
    one, two = random.randint(12, 60), random.randint(12, 60)
    wrong = _wrong(one + two, random, 2)
    return random.choice((
        f"A mala custa {one} euros e a capa {two} euros, no total {wrong} euros.",
        f"Com {one} e {two} minutos de espera, são {wrong} minutos ao todo.",
    ))  # fmt: skip


_FOREIGN_CONSISTENCY: Mapping[str, Mapping[str, Plant]] = {
    "de": {
        "eine Liste falsch gezählt": _miscounted("de"),
        "falsch gerechnet": drawn(_german_sum),
        "du und Sie gemischt": said(
            "Du solltest deinen {teil} vorher prüfen.", "Vergiss nicht, deinen {teil} zu reinigen.",
            "Hast du noch einen alten {teil}? Dann nimm ihn.", "Das schaffst du auch ohne {teil}.",
            teil=("Deckel", "Filter", "Stecker"),
        ),
        "Text und Tabelle widersprechen sich": facts((
            ("| Summe | 536 | 188 € |", "| Summe | 563 | 188 € |", "| Kühlschrank |"),
            ("ergibt das rund 77 Euro", "ergibt das rund 67 Euro", "| Kühlschrank | 219 | 77"),
            ("sind es 219 Kilowattstunden", "sind es 291 Kilowattstunden", "| Kühlschrank | 219"),
            ("| Router | 88 |", "| Router | 78 |", "fast 88 Kilowattstunden"),
            ("so dauert es zwölf Jahre", "so dauert es acht Jahre", "480 Euro"),
        )),
    },
    "es": {
        "una lista mal contada": _miscounted("es"),
        "un día que no corresponde a la fecha": drawn(_spanish_date),
        "usted y tú mezclados": said(
            "Recuerda que tu {pieza} también gasta agua.", "No olvides limpiar tu {pieza}.",
            "Si quieres, cambia tú mismo la {pieza}.", "¿Tienes una {pieza} vieja? Tírala.",
            pieza=("lavadora", "caldera", "manguera"),
        ),
        "cifras que se contradicen": facts((
            ("suman 32 euros en total", "suman 42 euros en total", "Con una inversión de 32"),
            ("personas ahorran 200 litros", "personas ahorran 250 litros", "50 litros por persona"),
            ("son 7.300 litros", "son 3.700 litros", "unos 20 litros al día"),
            ("| Lavavajillas | 12 |", "| Lavavajillas | 21 |", "necesita solo 12 litros"),
        )),
    },
    "fr": {
        "une liste mal comptée": _miscounted("fr"),
        "un calcul faux": drawn(_french_sum),
        "tu et vous mélangés": said(
            "N'oublie pas ton {objet}.", "Si tu veux, prends aussi ton {objet}.",
            "As-tu pensé à ton {objet} ?", "Tu peux laisser ton {objet} dans la voiture.",
            objet=("bonnet", "couteau", "chapeau"),
        ),
        "texte et tableau en désaccord": facts((
            ("| Total | 5,3 kg |", "| Total | 6,3 kg |", "| Sac vide"),
            ("la sortie dure 5 heures", "la sortie dure 7 heures", "| 13 h 00 | Retour"),
            ("Un sac de 5,3 kilos", "Un sac de 3,5 kilos", "| Total | 5,3 kg |"),
            ("soit 2 litres pour 4 heures", "soit 3 litres pour 4 heures", "demi-litre d'eau par"),
            ("Les 12 kilomètres de l'exemple", "Les 15 kilomètres de l'exemple",
            "une boucle de 12"),
        )),
    },
    "pt": {"uma soma errada": drawn(_portuguese_sum)},
}  # fmt: skip


# Substance and style


def _sentence_again(text: str, random: Random) -> Planted | None:
    """Repeat a sentence of the text in a later paragraph."""
    lines = text.split("\n")
    places = prose_lines(lines)
    if len(places) < 2:
        return None
    one, two = sorted(random.sample(places, 2))
    sentences = [each for each in re.split(r"(?<=[a-zà-ÿ]\.) ", lines[one]) if each.count(" ") > 6]
    if not sentences:
        return None
    lines[two] = f"{lines[two]} {random.choice(sentences)}"
    return changed(lines, [one, two])


def _paragraph_again(lines: list[str], random: Random) -> Sequence[int] | None:
    places = prose_lines(lines)
    if len(places) < 3:
        return None
    one, two = sorted(random.sample(places, 2))
    lines[two + 1 : two + 1] = ["", lines[one]]
    return [one, two + 2]


_ENGLISH_SUBSTANCE = {
    "a sentence of the text repeated later": _sentence_again,
    "a paragraph of the text repeated later": on_lines(_paragraph_again),
    "one thing said three times in a row": said(
        "The {part} is waterproof. Water cannot get into the {part}. The {part} keeps water out.",
        "Check the {part} often. You should check the {part} frequently. Frequent checks of the"
        " {part} matter.",
        "A cheap {part} saves money. With a {part} that is cheap you save money. Money is saved"
        " by a cheap {part}.", part=_PARTS,
    ),
    "a phrase that says it twice": said(
        "Return the {part} back again to where it was before.",
        "The reason why is because the {part} is old.",
        "Type in your PIN number at the ATM machine.", "The {part} is completely and"
        " totally full to the brim.", "It is 12 noon at midday.",
        "In my personal opinion, I think the {part} is fine.",
        "Each and every single {part} has to be pre-checked in advance.",
        "The {part} is round in shape and red in colour.", part=_PARTS,
    ),
    "an explanation that goes in a circle": said(
        "The {part} is important because it matters a lot.",
        "A good {part} is a {part} that is good.",
        "It is cheap because the price is low.", "The {part} breaks since it is breakable.",
        "People like the {part} because it is popular.", part=_PARTS,
    ),
    "unnamed experts": said(
        "Experts agree that the {part} is the best choice.", "Studies have shown that a new {part}"
        " makes people happier.", "Scientists have proved that it works.", "According to research,"
        " nine in ten people choose the wrong {part}.", "It is widely known that the {part} is"
        " healthy.", "Many leading authorities recommend this {part}.", part=_PARTS,
    ),
    "a precise figure out of nowhere": said(
        "As much as {n} percent of all households make this mistake.",
        "People with a good {part} live {n} percent better.",
        "Exactly {n} percent of readers regret it later.",
        n=("87.3", "62.8", "94.6"), part=_PARTS,
    ),
    "a promise that nobody can keep": said(
        "It is guaranteed to work for everyone, always and without exception.",
        "You will never have a problem again for the rest of your life.", "This method cures"
        " back pain, stress and insomnia overnight.", "There is absolutely no risk at all, ever.",
        "It makes you ten years younger within a week.",
    ),
    "an opening that opens nothing": apart(
        "In today's fast-paced world, a {part} is more important than ever before. Let's dive in!",
        "Have you ever wondered about the {part}? You are not alone! Buckle up for a deep dive.",
        "Imagine a world without a {part}. Since the dawn of time, people have needed one.",
        "When it comes to the {part}, the possibilities are endless, and the sky is the limit.",
        part=_PARTS, at="first",
    ),
    "praise in set phrases": said(
        "The {part} is a true game-changer that takes your day to the next level.",
        "Unlock the full potential of your {part} and elevate your everyday experience.",
        "It is not just a {part}, it is a testament to a rich tapestry of possibilities.",
        "Whether you are a seasoned pro or a curious beginner, this {part} has got you covered.",
        "Embark on a transformative journey with your {part}.", part=_PARTS,
    ),
    "an end that ends nothing": apart(
        "So, what are you waiting for? Grab your {part} and start your journey today!",
        "In conclusion, the {part} is important in many ways, and only time will tell what comes"
        " next.",
        "At the end of the day, it is what it is. The possibilities of the {part} are truly"
        " endless.",
        "Remember: the journey of a thousand miles begins with a single {part}. Happy reading!",
        part=_PARTS, at="last",
    ),
    "sentences that say nothing": said(
        "There are many factors to consider, and it all depends on various factors.",
        "The {part} can be good or bad, depending on whether it is good or bad for you.",
        "It is important to note that there are important things to note about the {part}.",
        "Some people like it, others do not, and that is something to think about.",
        "The right {part} is the one that is right for you and your needs.", part=_PARTS,
    ),
    "doubts piled up": said(
        "It might perhaps possibly be that the {part} could maybe be too small.",
        "It seems that it would appear to be potentially somewhat useful, arguably.",
        "The {part} may probably be able to possibly help in some cases sometimes.", part=_PARTS,
    ),
    "connecting words piled up": said(
        "Moreover, furthermore and in addition, the {part} is also cheap as well.",
        "However, on the other hand, nevertheless, the {part} is still dear, though.",
        "Therefore, as a result, the {part} is consequently dry for this reason.", part=_PARTS,
    ),
    "and so on piled up": said(
        "Use tools such as pliers, etc., and so on, and more.", "Think, for example, of the {part}"
        " and the like, etc.", "You need things like e.g. for instance a {part}.", part=_PARTS,
    ),
    "keywords for a search engine": said(
        "If you want the best {part} cheap, our best cheap {part} guide shows the best {part} cheap"
        " online.",
        "Buy {part}, {part} cheap, {part} online, {part} near me, {part} test, best {part}.",
        "This {part} guide about the {part} tells {part} buyers which {part} is the {part} for"
        " them.",
        part=_PARTS,
    ),
    "advertising among advice": apart(
        "Order now and save 50%! Only today! Free shipping on every {part}! Click the button"
        " below!",
        "BUY YOUR {part} HERE!!! Best price guaranteed!!! Limited stock!!!",
        "Use the code SAVE20 at the checkout and get your new {part} before midnight!", part=_PARTS,
    ),
    "a paragraph of another article": apart(
        "The midfielder signed a new contract last week, and the fans hope for a title next season."
        " The coach praised his passing after the final whistle.",
        "Interest rates on savings have risen again, and analysts expect the central bank to wait"
        " until autumn. Shares of airlines fell slightly after the news.",
        "The second album is quieter than the first, with a piano in place of the guitars. Fans of"
        " the band will miss the loud choruses of the early songs.",
    ),
    "a plain error about the world": said(
        "Sydney is the capital of Australia.", "At sea level, pure water boils at 90 °C.",
        "A year has 54 weeks.", "Light is slower than sound.", "A kilogram has 100 grams.",
        "The Sun goes round the Earth once a day.", "An hour has 100 minutes.",
        "Ice is heavier than water and sinks.", "Iron is lighter than wood.",
        "Berlin is the largest city of Austria.", "Spiders are insects with six legs.",
    ),
    "a tale that is long refuted": said(
        "We use only 10 percent of our brain, so give it a try.",
        "The Great Wall can be seen from the Moon with the naked eye.",
        "As Einstein said, insanity is doing the same thing over and over"
        " again.", "A goldfish forgets everything after three seconds.",
        "Lightning never strikes the same place twice.",
        "Bulls get angry because the cloth is red.",
    ),
    "advice that is dangerous": said(
        "Mix bleach with vinegar, and it cleans better.",
        "A wet plug is safe as long as you are quick.",
        "Pour water on burning oil to put out the fire.", "Throw old batteries into the stove.",
        "You can touch the bare wires if you wear socks.", "Charcoal may be burned indoors with the"
        " windows shut.",
        "Take twice as many tablets if the pain stays, whatever the leaflet says.",
    ),
    "contempt for readers": said(
        "Even a housewife can understand this.", "Only an idiot would buy another {part}.",
        "Women should leave the {part} to their husbands.", "Old people never get this right.",
        "If you still do not understand it, you are simply too stupid for it.", part=_PARTS,
    ),
    "shouting": said(
        "THIS IS THE BEST {part} EVER!!!", "DO NOT FORGET THE {part}, IT IS VERY VERY IMPORTANT!!",
        "You will LOVE it SOOOO much!!!!", "Wow!!! Just wow!!! What a {part}!!!", part=_PARTS,
    ),
}  # fmt: skip

_FOREIGN_SUBSTANCE: Mapping[str, Mapping[str, Plant]] = {
    "de": {
        "Floskeln am Anfang": apart(
            "In der heutigen schnelllebigen Zeit ist dieses Thema wichtiger denn je. Tauchen wir"
            " gemeinsam ein!",
            "Stellen Sie sich eine Welt ohne Strom vor. Dieser Artikel entführt Sie auf eine"
            " spannende Reise.",
            "Wer kennt es nicht? Dieses Thema ist in aller Munde, und die Möglichkeiten sind schier"
            " endlos.", at="first",
        ),
        "Experten ohne Namen": said(
            "Experten sind sich einig, dass das die beste Lösung ist.", "Studien belegen, dass es"
            " glücklich macht.", "Wissenschaftler haben bewiesen, dass es immer hilft.",
        ),
        "ein Satz steht zweimal da": _sentence_again,
    },
    "es": {
        "frases vacías al principio": apart(
            "En el mundo actual, donde todo cambia a un ritmo vertiginoso, este tema es más"
            " importante que nunca. ¡Vamos allá!",
            "Hoy en día, en plena era digital, este tema ha llegado para quedarse.",
            "¿Alguna vez te has preguntado por qué esto importa tanto? Acompáñanos en este"
            " apasionante viaje.", at="first",
        ),
        "expertos sin nombre": said(
            "Los expertos coinciden en que es la mejor solución.",
            "Diversos estudios demuestran que hace más feliz a la gente.",
            "La ciencia ha probado que siempre funciona.",
        ),
    },
    "fr": {
        "des phrases creuses au début": apart(
            "Dans le monde d'aujourd'hui, où tout va toujours plus vite, ce sujet est plus"
            " important que jamais. Plongeons ensemble !",
            "Imaginez un monde sans eau. De nos jours, ce sujet est plus que jamais d'actualité.",
            "À l'ère du numérique, ce thème est sur toutes les lèvres. Embarquez pour un voyage"
            " passionnant !", at="first",
        ),
        "une phrase écrite deux fois": _sentence_again,
    },
    "nl": {
        "een alinea staat er twee keer": on_lines(_paragraph_again),
    },
    "it": {
        "frasi vuote all'inizio": apart(
            "Al giorno d'oggi, in un mondo sempre più frenetico, questo tema è più importante che"
            " mai. Scopriamolo insieme!",
            "Nell'era digitale in cui viviamo, questo tema è ormai sulla bocca di tutti.",
            "Vi siete mai chiesti perché tutto questo conta tanto? Preparatevi a un viaggio"
            " affascinante.", at="first",
        ),
    },
}  # fmt: skip


def _kinds() -> Sequence[Kind]:
    """Return the kinds of all groups, those in English first."""
    english = {
        Group.MECHANICS: _ENGLISH_MECHANICS,
        Group.LEFTOVERS: _ENGLISH_LEFTOVERS,
        Group.STRUCTURE: _ENGLISH_STRUCTURE,
        Group.CONSISTENCY: _ENGLISH_CONSISTENCY,
        Group.SUBSTANCE: _ENGLISH_SUBSTANCE,
    }
    mechanics: Mapping[str, Mapping[str, Plant]] = {
        "de": _GERMAN_MECHANICS,
        "es": _SPANISH_MECHANICS,
        "fr": _FRENCH_MECHANICS,
        "it": _ITALIAN_MECHANICS,
        "pt": _PORTUGUESE_MECHANICS,
        "nl": _DUTCH_MECHANICS,
    }
    foreign = {
        Group.MECHANICS: mechanics,
        Group.LEFTOVERS: _FOREIGN_LEFTOVERS,
        Group.STRUCTURE: _FOREIGN_STRUCTURE,
        Group.CONSISTENCY: _FOREIGN_CONSISTENCY,
        Group.SUBSTANCE: _FOREIGN_SUBSTANCE,
    }
    return [
        *(Kind(name, group, plant) for group in Group for name, plant in english[group].items()),
        *(
            Kind(name, group, plant, language)
            for group in Group
            for language, plants in foreign[group].items()
            for name, plant in plants.items()
        ),
    ]


KINDS = _kinds()
