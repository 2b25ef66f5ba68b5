# ruff: noqa: E501 (sentences stay on one line)
"""The list of another stranger, written without sight of the checks.

Those who write checks do not read it, and are not told which kinds are missed.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from random import Random

from bench.defects.plant import (
    Group,
    Kind,
    Plant,
    Planted,
    changed,
    facts,
    headings,
    matching,
    on_lines,
    one_of,
    prose_lines,
)

Pair = tuple[str, str]
New = Callable[[re.Match[str], Random], str]
Slots = Mapping[str, Sequence[str]]

# A word of the title: the work, a thing that it takes, and things of this kind that one can buy.
_TOPICS = {
    "Budget": ("planning a budget", "the calendar", "calendars"),
    "Ghent": ("visiting Ghent", "the city card", "tickets"),
    "Kettle": ("descaling a kettle", "the kettle", "kettles"),
    "Laundry": ("drying laundry", "the airer", "racks"),
    "Neck": ("stretching the neck", "the chair", "chairs"),
    "Soup": ("cooking the soup", "the pot", "pots"),
    "Backup": ("backing up photos", "the hard disk", "hard disks"),
    "Paint": ("painting a bedroom", "the roller", "rollers"),
    "Barrel": ("collecting rainwater", "the barrel", "barrels"),
    "Kilometres": ("learning to run", "the watch", "running shoes"),
    "Tide": ("reading a tide table", "the compass", "tide tables"),
    "Bread": ("baking bread", "the pot", "cast-iron pots"),
    "Mower": ("mowing the lawn", "the mower", "mowers"),
    "Night Train": ("travelling by night train", "the sleep mask", "sleep masks"),
    "Radiator": ("bleeding a radiator", "the radiator key", "radiator keys"),
    "Repotting": ("repotting a plant", "the pot", "pots"),
    "Asleep": ("falling asleep", "the alarm clock", "alarm clocks"),
}
_ANY_TOPIC = ("the work", "the tool", "tools")
_PLACES = ("library", "community centre", "workshop", "town hall", "repair café", "school")
_NAMES = ("Clara", "Martin", "Judith", "Peter", "Helen", "Simon", "Ruth", "Thomas")
_MONTHS = ("February", "March", "April", "June", "August", "September", "October", "November")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_HANGING = re.compile(r"(?:It|They|This|These|That|Those|She|He|Then|So|But|And)\b")
_ENDS = re.compile(r"(?<=[a-zà-ÿß)]{3}\.) (?=[A-ZÀ-Ý¿])")


def _topic(text: str) -> tuple[str, str, str]:
    title = text.split("\n", 1)[0]
    return next((topic for word, topic in _TOPICS.items() if word in title), _ANY_TOPIC)


def _filler(text: str, random: Random, slots: Slots) -> Callable[[str], str]:
    """Return what fills the slots of templates, each slot with the same words in all of them."""
    own = dict(zip(("job", "thing", "things"), _topic(text), strict=True))
    own.update({"place": random.choice(_PLACES), "name": random.choice(_NAMES)})
    own.update({"n": str(random.randint(3, 9)), "month": random.choice(_MONTHS)})
    own.update({"tool": own["thing"].removeprefix("the ")})
    own.update({name: random.choice(words) for name, words in slots.items()})

    def put(match: re.Match[str]) -> str:
        name = match[1]
        if name in own:
            return own[name]
        word = own.get(name[:1].lower() + name[1:])
        return match[0] if word is None else word[0].upper() + word[1:]

    def fill(template: str) -> str:
        # The words of a slot can have slots of their own.
        text = re.sub(r"\{(\w+)\}", put, re.sub(r"\{(\w+)\}", put, template))
        text = re.sub(r"\b([Aa]) (?=8|airer|alarm)", r"\1n ", text)
        return re.sub(r"\.m\.\.(?= |$)", ".m.", text).replace(",.", ".")

    return fill


def _whole(lines: Sequence[str]) -> list[int]:
    """Return the paragraphs that end with a full stop, so that a sentence can follow."""
    return [i for i in prose_lines(lines) if lines[i].endswith((".", "?", "!"))]


def _follow(lines: list[str], index: int, new: str, random: Random) -> None:
    """Put a sentence at the end of a paragraph, or where no sentence hangs on the one before."""
    line = lines[index]
    ends = [m.start() for m in _ENDS.finditer(line) if not _HANGING.match(line, m.end())]
    at = random.choice([*ends, len(line), len(line)])
    lines[index] = f"{line[:at]} {new}{line[at:]}"


def said(*templates: str, **slots: Sequence[str]) -> Plant:
    """Add a sentence out of one of the templates to a paragraph."""

    def plant(text: str, random: Random) -> Planted | None:
        lines = text.split("\n")
        places = _whole(lines)
        if not places:
            return None
        index = random.choice(places)
        _follow(lines, index, _filler(text, random, slots)(random.choice(templates)), random)
        return changed(lines, [index])

    return plant


def computed(make: Callable[[Random], str]) -> Plant:
    """Add the sentence that ``make`` draws."""
    return lambda text, random: said(make(random))(text, random)


def told(make: Callable[[Random], Pair]) -> Plant:
    """Add two sentences that contradict each other to two paragraphs, in this order."""

    def plant(text: str, random: Random) -> Planted | None:
        lines = text.split("\n")
        places = _whole(lines)
        if len(places) < 2:
            return None
        fill = _filler(text, random, {})
        one, two = sorted(random.sample(places, 2))
        first, second = make(random)
        _follow(lines, one, fill(first), random)
        _follow(lines, two, fill(second), random)
        return changed(lines, [one, two])

    return plant


def pairs(*choices: Pair, **slots: Sequence[str]) -> Plant:
    """Plant both halves of one of these contradictions, in either order."""

    def make(random: Random) -> Pair:
        values = {name: random.choice(words) for name, words in slots.items()}
        first, second = random.choice(choices)
        for name, value in values.items():
            first = first.replace(f"{{{name}}}", value)
            second = second.replace(f"{{{name}}}", value)
        return first, second

    return told(make)


def apart(*templates: str, at: str = "", **slots: Sequence[str]) -> Plant:
    """Add a paragraph, or several lines, before a paragraph or, with ``at``, elsewhere.

    Args:
        at: ``first``, ``last``, ``early`` or ``section``, before a heading.
    """

    def plant(text: str, random: Random) -> Planted | None:
        lines = text.split("\n")
        places = [i for i in prose_lines(lines) if i > 1]
        heads = headings(lines)
        if not places or len(heads) < 2:
            return None
        new = _filler(text, random, slots)(random.choice(templates)).split("\n")
        if at == "last":
            while not lines[-1]:
                lines.pop()
            lines += ["", *new, ""]
            return changed(lines, range(len(lines) - 1 - len(new), len(lines) - 1))
        if at == "first":
            index = places[0]
        elif at == "early":
            index = random.choice(heads[1 : max(2, len(heads) // 2 + 1)])
        elif at == "section":
            index = random.choice(heads[1:])
        else:
            index = random.choice(places)
        lines[index:index] = [*new, ""]
        return changed(lines, range(index, index + len(new)))

    return plant


def _lines_of(lines: Sequence[str], where: str) -> list[int]:
    """Return paragraphs (p), list items (i), headings (h) and rows of tables (t)."""
    found = set(prose_lines(lines)) if "p" in where else set()
    if "i" in where:
        found |= set(matching(lines, r"[-*+] |\d+[.)] "))
    if "h" in where:
        found |= set(matching(lines, r"##+ "))
    if "t" in where:
        found |= {i for i in matching(lines, r"\| ") if "---" not in lines[i]}
    return sorted(found)


def swap(pattern: str, new: str | New, where: str = "pi") -> Plant:
    """Replace one match of a pattern in lines of these sorts."""
    compiled = re.compile(pattern)

    def plant(text: str, random: Random) -> Planted | None:
        lines = text.split("\n")
        places = [(i, m) for i in _lines_of(lines, where) for m in compiled.finditer(lines[i])]
        random.shuffle(places)
        for index, match in places:
            with_ = match.expand(new) if isinstance(new, str) else new(match, random)
            if with_ != match[0]:
                line = lines[index]
                lines[index] = line[: match.start()] + with_ + line[match.end() :]
                return changed(lines, [index])
        return None

    return plant


def words(table: Mapping[str, Sequence[str]], where: str = "pi") -> Plant:
    """Replace a word by one of the wrong ones beside it; rare words are as likely as common."""

    def plant(text: str, random: Random) -> Planted | None:
        for word in random.sample(sorted(table), len(table)):
            wrong = random.choice(table[word])
            pattern = rf"(?<![\w'’-]){re.escape(word)}(?![\w'’-])"
            if planted := swap(pattern, wrong.replace("\\", r"\\"), where)(text, random):
                return planted
        return None

    return plant


def _lists(lines: Sequence[str], least: int = 3) -> list[list[int]]:
    """Return the lists of the text that have so many items."""
    runs: list[list[int]] = []
    for index in _lines_of(lines, "i"):
        numbered = lines[index][0].isdigit()
        if runs and runs[-1][-1] == index - 1 and lines[index - 1][0].isdigit() == numbered:
            runs[-1].append(index)
        else:
            runs.append([index])
    return [run for run in runs if len(run) >= least]


def _tables(lines: Sequence[str]) -> list[list[int]]:
    """Return the tables, each with its header and the line below it."""
    runs: list[list[int]] = []
    for index in matching(lines, r"\|"):
        if runs and runs[-1][-1] == index - 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return [run for run in runs if len(run) > 4]


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _title(heading: str) -> str:
    """Return the words of a heading without its marks and number."""
    return re.sub(r"#+ (?:\d+\. |Step \d+: |Schritt \d+: )?", "", heading)


def _low(text: str) -> str:
    return text[0].lower() + text[1:]


# Mechanics


def _capital(match: re.Match[str], random: Random) -> str:
    word = match[2]
    if word in {
        "same",
        "rest",
        "other",
        "others",
        "best",
        "most",
        "first",
        "last",
        "more",
        "less",
        "little",
    }:
        return match[0]
    return f"{match[1]} {word.capitalize()}"


stray_capital = swap(
    r"\b(the|a|an|each|every) ([a-z]{4,})(?=[.,;:]| (?:is|are|of|and|in|on|at|with|for|or|has)\b)",
    _capital,
)


def _after_modal(match: re.Match[str], random: Random) -> str:
    modal, verb = match[1], match[2]
    if verb in {"be", "have"}:
        return f"{modal} to {verb}"
    if verb.endswith(("s", "sh", "ch", "x", "o")):
        ending = verb + "es"
    else:
        ending = verb[:-1] + "ies" if re.search(r"[^aeiou]y$", verb) else verb + "s"
    forms = [f"{modal} to {verb}", f"{modal} {ending}"]
    return random.choice([*forms, f"can able to {verb}"] if modal == "can" else forms)


_NO_VERB = (
    "not|also|still|only|then|soon|easily|you|it|we|they|the|a|an|your|this|that|nearly|always|"
    "never|probably|therefore|either|feed|no|do|i|my|as|all|children"
)
after_modal = swap(
    rf"\b(can|must|should|will|may) (?!(?:{_NO_VERB})\b)([a-z]{{2,}})\b", _after_modal
)

_ADJECTIVES = {
    "cheaper": "cheap", "better": "good", "easier": "easy", "faster": "fast", "longer": "long",
    "larger": "large", "bigger": "big", "higher": "high", "lower": "low", "older": "old",
    "weaker": "weak", "softer": "soft", "cooler": "cool", "warmer": "warm", "slower": "slow",
    "wider": "wide", "quieter": "quiet", "hotter": "hot", "smaller": "small", "earlier": "early",
    "drier": "dry", "newer": "new", "lighter": "light", "happier": "happy", "quicker": "quick",
}  # fmt: skip


def _compared(match: re.Match[str], random: Random) -> str:
    word, than = match[1], match[2] or ""
    forms = [f"more {word}{than}", f"more {word}{than}"]
    if than:
        forms += [f"{word} as", f"{word} of", f"more {_ADJECTIVES[word]} as", f"{word} like"]
    return random.choice(forms)


comparison = one_of(
    swap(rf"(?<!no )(?<!more )\b({'|'.join(_ADJECTIVES)})\b( than)?", _compared),
    swap(
        r"\b(?:the )(cheapest|best|longest|slowest|easiest|largest|lowest|highest|nearest)\b",
        lambda m, r: f"the most {m[1]}",
    ),
    said(
        "A new model is not always more better than an old one.",
        "{Things} from a market are often more cheap as those from a shop.",
        "The second try is usually more easier than the first.",
        "A simple {tool} does the work just as good than an expensive one.",
        "The older you are, the more slower you should begin.",
        "Of the two, the most cheaper one will do.",
    ),
)

uncountable = said(
    "You will not need many equipment for this.",
    "Ask for an advice in the shop before you buy {things}.",
    "More informations can be found in the manual of {thing}.",
    "Much people skip this part, and they regret it later.",
    "Only a few knowledge is needed to begin with {job}.",
    "A good {tool} saves a great number of money.",
    "There were not much {things} to choose from ten years ago.",
    "Every home has a few furnitures that stand in the way.",
    "A friend gave us many feedbacks on this text.",
    "With a little efforts, {job} becomes a habit.",
    "How many time you need depends on your experience.",
    "Two luggages are more than anyone can carry.",
    "We did a lot of researches before we wrote this text.",
    "A progress is visible after the first week.",
    "Leave enough spaces around {thing}, and do not spend so many money on it.",
    "It was a hard work, but the result is worth it.",
)

slip_into_word = words({
    "from": ("form", "fro"), "with": ("wit", "which"), "and": ("an", "any"),
    "the": ("he", "they", "them"), "you": ("your", "yours"), "your": ("you", "yours"),
    "of": ("or", "if"), "it": ("if", "is"), "is": ("it", "if"), "on": ("one", "own"),
    "then": ("them", "the"), "than": ("that", "thank"), "them": ("the", "theme"),
    "or": ("of", "ore"), "when": ("went", "hen"), "they": ("the", "hey"), "one": ("on", "ones"),
    "more": ("move", "mere"), "time": ("tie", "tame"), "so": ("do",), "be": ("by", "he"),
    "if": ("it", "is"), "are": ("art", "area"), "for": ("fort", "fir"), "make": ("mask", "mane"),
    "because": ("became",), "where": ("were",), "which": ("witch", "whim"), "hours": ("hous",),
    "water": ("waster", "wader"), "place": ("palace", "pace"), "first": ("fist",),
    "but": ("bur", "bust"), "costs": ("coasts",), "week": ("weed",), "other": ("otter", "order"),
}, "pih")  # fmt: skip

preposition = said(
    "How long it takes depends of the {tool}.",
    "How much you save depends from the price.",
    "The set consists on {n} pieces and a case.",
    "Pay attention on the small print before you buy {things}.",
    "Anyone who is interested on {job} will find a course nearby.",
    "The buyer is responsible of any damage to {thing}.",
    "You should not be afraid from making a mistake.",
    "Most people get used on {job} within a month.",
    "The dealer in our street is specialised on {things}.",
    "Look careful on {thing} before you pay.",
    "We asked to three neighbours, and all of them agreed.",
    "A cheap {tool} differs to a dear one in its weight.",
    "Beginners are rarely good on {job}, but they learn quickly.",
    "Nothing prevents you of trying it on your own.",
    "In the beginning of {month}, many shops lower their prices of about a tenth.",
    "We have been writing about {job} since {n} years.",
    "You can pay {thing} with instalments on the most shops.",
)

after_verb = said(
    "Avoid to buy {things} without a guarantee.",
    "Before to start, read the manual of {thing}.",
    "It is worth to compare {things} in several shops.",
    "Instead of buy a new {tool}, you can repair the old one.",
    "Many people enjoy to do this with a friend.",
    "We look forward to hear from readers who tried it.",
    "Experts suggest to keep {thing} in a dry place.",
    "You cannot learn this without to make mistakes.",
    "Never stop to check {thing} while you work.",
    "Let the shop to explain how {thing} works.",
    "A list makes you to forget less.",
    "Some people want that you lend them your {tool}.",
    "There is no use to hurry here.",
    "It is important knowing where {thing} was made.",
    "If you are used to do everything at once, take a break.",
    "After to have finished, put {thing} away.",
)

tense_slip = said(
    "When we tried this in {month}, {thing} works at once.",
    "Last year a neighbour buys the same {tool} and was glad about it.",
    "Yesterday we have looked at {thing} again, and nothing was wrong with it.",
    "After she had read the manual, {name} starts at once and needed ten minutes.",
    "Until {month} we used an old {tool}, and then we switch to a new one.",
    "In the past, {job} takes a whole day.",
    "By the time the shop had opened, a dozen people wait at the door.",
    "We have bought {thing} {n} years ago.",
    "As soon as we noticed the fault, we call the shop.",
    "While we were reading the manual, the cat jumps on the table and breaks a cup.",
    "Ten years ago {things} are much dearer than they were last year.",
    "If you will follow this advice, you had no trouble later.",
)

participle = said(
    "Whoever has {verb} once knows the problem.",
    "{Name} has {verb} and now recommends it to everyone.",
    "We have {verb} and can say that it works.",
    "Some readers have {verb} before they came to us.",
    verb=(
        "wrote down every step", "broke a {tool}", "went to three shops", "took this advice",
        "did it without help", "began too late", "chose the wrong size", "forgot the manual",
        "payed too much", "leaved everything as it was", "buyed the wrong model",
        "spended a whole day on it", "shook the box too hard", "gave up after a week",
        "bringed everything back to the shop", "ran out of time", "losed the instructions",
    ),
)  # fmt: skip

_ASIDES = (
    "which is cheaper than it looks", "as every dealer will tell you", "a matter of five minutes",
    "and this surprises many people", "at least for beginners", "unless you are in a hurry",
    "if you still have the box", "a habit that pays off", "for once without tools",
)  # fmt: skip
_BROKEN_ASIDES = (
    " — {aside}, ", ", {aside} — ", " ({aside}, ", ", {aside}) ", " – {aside} ", " ({aside} ",
    " {aside}) ", " [{aside}) ", " ({aside}] ", " — {aside}) ",
)  # fmt: skip


def _aside(match: re.Match[str], random: Random) -> str:
    marks = random.choice(_BROKEN_ASIDES).replace("{aside}", random.choice(_ASIDES))
    return f"{match[1]}{marks}{match[2]}"


half_an_aside = swap(
    r"((?:^|(?<=\. ))(?:The|A|This|That|Most|Many|Some) [a-z]+(?: [a-z]+)?)"
    r" ((?:is|are|has|have|takes|costs|needs|keeps|does|do|makes|matters)\b)",
    _aside, "p",
)  # fmt: skip

comma_before_verb = swap(
    r"((?:^|(?<=\. ))(?:The|A|This|That|Most|Many|Some|Each|Every|Your|Two|Three) [a-z]+"
    r"(?: (?:of|in|for|with|at) [a-z]+)?(?: [a-z]+)?)"
    r" ((?:is|are|has|have|takes|costs|needs|keeps|does|do|makes|matters|should|can|comes|come)\b)",
    r"\1, \2", "pi",
)  # fmt: skip


mismatched_pair = one_of(
    swap(
        r"((?:^|(?<=\. ))(?:Because|Since|If|As|When) [^,.:;?]{12,70}), (?=[a-z])",
        lambda m, r: (
            f"{m[1]}, {r.choice(('so', 'and', 'but', 'therefore') if m[1][0] in 'BSA' else ('so', 'and', 'but'))} "
        ),
        "pi",
    ),
    said(
        "Although {things} are cheap, but they last for years.",
        "Because the shop is closed, so you have to order {thing}.",
        "Both the price or the weight of {thing} matter.",
        "You can either buy {thing} and borrow it from a neighbour.",
        "Neither the manual or the shop could help us.",
        "{Thing} is not only cheap, and it also lasts.",
        "No sooner had we unpacked {thing} when the telephone rang.",
        "Hardly had the course begun than the lights went out.",
        "It does not matter whether {thing} is new and old.",
        "The more often you use {thing}, it wears out faster.",
        "The dealer was so friendly and we bought two {things}.",
        "Even though the manual is long, yet it says nothing about repairs.",
        "Between {things} to a friend's advice, choose the advice.",
        "Prices range from ten until fifty, and from there over.",
        "Not just beginners, as well experts make this mistake.",
        "Despite {thing} is heavy, it sells well.",
        "Rather than a new {tool}, but a used one will do.",
    ),
)

time_genitive = said(
    "After a {unit}s {break_} you can go on.",
    "This saves you about two {unit}s work.",
    "{Todays} {things} are lighter than those of ten years ago.",
    "Compared with last {unit}s prices, {things} have become cheaper.",
    "Shops give a years guarantee on most {things}.",
    "You will see the difference in three {unit}s time.",
    "A neighbours {tool} will do for the first time.",
    "Other peoples experience is worth more than advertising.",
    "It is everyones own decision whether to buy or to borrow {things}.",
    "Ask for the makers address, in case {thing} breaks.",
    unit=("day", "week", "month", "hour"),
    break_=("rest", "pause", "practice", "break"),
    todays=("today's'", "todays", "todays'"),
)

contraction = one_of(
    words({
        "do not": ("dont", "do'nt", "don;t", "dont'"), "Do not": ("Dont", "Do'nt", "Don,t"),
        "does not": ("doesnt", "does'nt", "dosen't"), "is not": ("isnt", "is'nt", "isn´t"),
        "cannot": ("cant", "can,t", "ca'nt"), "are not": ("arent", "are'nt"),
        "it is": ("its", "it,s", "its'"), "It is": ("Its", "Its'", "It,s"),
        "you are": ("your", "youre", "you´re"), "that is": ("thats", "that;s"),
        "you have": ("youve", "you'ave"), "There is": ("Theres", "There,s"),
        "will not": ("wont", "wo'nt"), "they are": ("theyre", "their"),
        "you will": ("youll", "you'l"), "There are": ("Theirs",),
    }),
    said(
        "You wont need {thing} again until next year.",
        "If {thing} does'nt work, take it back to the shop.",
        "We couldnt find a better {tool} at this price.",
        "Theres no need to hurry.",
        "Lets be honest: {job} is'nt fun for everyone.",
        "Youll soon know whether {thing} is any good.",
    ),
)  # fmt: skip

plural_before_noun = said(
    "{Things} like these come with a {n}-years guarantee.",
    "The dealer offers a {n}-days trial.",
    "A {n}-minutes film on the maker's website shows how it is done.",
    "There is a {n}-pieces set for beginners.",
    "A {n}-weeks break does no harm.",
    "The maker sells a {n}-litres box for {thing}.",
    "Our neighbour's eight-years-old daughter did it on her own.",
    "With a twenty-euros voucher, {thing} costs next to nothing.",
    "It was a two-hours job for two people.",
    "A ten-metres walk took us to the next shop.",
    "Even a five-pages manual does not answer every question.",
)

_SPACED = {
    ",": ("{a} ,{b}", "{a}, {b}", "{a} , {b}"),
    ".": ("{a} .{b}", "{a}. {b}", "{a} . {b}"),
    ":": ("{a} :{b}", "{a}: {b}", "{a} : {b}"),
}


def _number_apart(match: re.Match[str], random: Random) -> str:
    return random.choice(_SPACED[match[2]]).format(a=match[1], b=match[3])


space_in_number = one_of(
    swap(r"(\d)([.,:])(\d)", _number_apart, "pi"),
    swap(r"(\d)([.,:])(\d)", _number_apart, "pit"),
    swap(r"([$£€]) ?(\d+)(\d)\b", r"\1\2 \3", "pit"),
)

_SHIFT = ("{A}{b}{c}", "{a}{B}{c}", "{A}{B}{C}")


def _shifted(match: re.Match[str], random: Random) -> str:
    word = match[0]
    forms = [word[:2].upper() + word[2:], word[0].lower() + word[1:].upper()]
    return random.choice([*forms, forms[0]])


shift_key = one_of(
    swap(r"(?:^|(?<=\. )|(?<=## )|(?<=\d\. ))[A-Z][a-z]{2,}\b", _shifted, "pih"),
    swap(r"(?:^|(?<=\. ))[A-Z][a-z]{1,}\b", _shifted, "p"),
)

phrase_twice = swap(
    r"\b((?:in|on|of|for|with|to|at|from|by|into|and|under|after) (?:the|a|an|your|one|it|you))\b"
    r"(?= [a-z])",
    lambda m, r: f"{m[1]} {m[1]}",
)


def _demonstrative(match: re.Match[str], random: Random) -> str:
    word = match[1]
    other = {"this": "these", "these": "this", "that": "those", "those": "that"}[word.lower()]
    return (other.capitalize() if word[0].isupper() else other) + match[2]


this_and_these = one_of(
    swap(
        r"\b([Tt]his)( (?:article|guide|plan|text|work|time|place|rate|week|water|weight|money|job|"
        r"part|day|step|bread|recipe|comparison|year|need|way|disk|case|task|soup))\b",
        _demonstrative, "pi",
    ),
    swap(r"\b([Tt]hese)( (?:\w+ )?[a-z]+s\b)", _demonstrative, "pi"),
    said(
        "This {things} are sold in every larger shop.",
        "These {tool} will last for years.",
        "Those kind of {things} cost more than they are worth.",
        "That mistakes happen to everybody.",
        "This two hints come from a reader.",
        "These advice is older than it looks.",
    ),
)  # fmt: skip

_PARTICIPLES = {
    "painted": "paint", "needed": "need", "filled": "fill", "called": "call", "replaced": "replace",
    "connected": "connect", "closed": "close", "added": "add", "written": "write", "used": "use",
    "stolen": "steal", "plugged": "plug", "calculated": "calculate", "taken": "take",
    "remembered": "remember", "finished": "finish", "changed": "change", "baked": "bake",
    "transferred": "transfer", "turned": "turn", "slipped": "slip", "spent": "spend",
    "mirrored": "mirror", "stated": "state", "included": "include", "tested": "test",
    "meant": "mean", "bought": "buy", "cut": "cutted", "done": "do", "made": "make",
}  # fmt: skip
bare_participle = one_of(
    swap(
        rf"\b(is|are|was|were|be|been|has|have|had) (not |often |usually )?({'|'.join(_PARTICIPLES)})\b",
        lambda m, r: f"{m[1]} {m[2] or ''}{_PARTICIPLES[m[3]]}",
    ),
    said(
        "{Things} can be {verb} in most shops.",
        "{Thing} should be {verb} before the first use.",
        "Old {things} are often {verb} for nothing.",
        "A {tool} that has been {verb} once is as good as new.",
        verb=("order", "check", "repair", "clean", "exchange", "test", "return", "inspect"),
    ),
)

adverb_form = one_of(
    words({
        "slowly": ("slow", "slowely"), "quickly": ("quick",), "gently": ("gentle",),
        "easily": ("easy",), "exactly": ("exact",), "nearly": ("near",), "usually": ("usual",),
        "briskly": ("brisk",), "tightly": ("tight",), "roughly": ("rough",), "evenly": ("even",),
        "lightly": ("light",), "firmly": ("firm",), "deeply": ("deep",), "badly": ("bad",),
        "completely": ("complete",), "strongly": ("strong",), "probably": ("probable",),
        "well": ("good",), "fast": ("fastly",), "hard": ("hardly",),
    }),
    said(
        "{Thing} works good even after years of use.",
        "Handle {thing} careful, since repairs are dear.",
        "The difference is real small.",
        "Prices have risen considerable since last year.",
        "The instructions are poor written.",
        "{Thing} feels heavily at first.",
        "An unusual long guarantee is a good sign.",
        "Clean {thing} regular, and it will last.",
        "You will learn this surprising quick.",
        "The handle fits perfect into the hand.",
    ),
)  # fmt: skip


def _asked(match: re.Match[str], random: Random) -> str:
    hashes, ask, verb, subject, rest = match.groups()
    if verb in {"do", "does"}:
        forms = [f"{hashes}{ask} {subject} {rest}", f"{hashes}{ask} {subject} {verb} {rest}"]
        if subject == "it":
            forms = [f"{hashes}{ask} it does {rest}", f"{hashes}{ask} {rest} it"]
        return random.choice(forms)
    return f"{hashes}{ask} {subject} {verb} {rest}"


question_order = one_of(
    swap(
        r"^(##+ )((?:How|When|Where|Why|What|Which)(?: often| fast| long| one| much| if)?"
        r"(?: [a-z]+)?) (should|do|does|can|will) (you|it|I|the [a-z]+) ([^?]+)(?=\?)",
        _asked, "h",
    ),
    said(
        "How you can tell a good {tool} from a bad one?",
        "Why {things} cost so much?",
        "Where you find {things} at a fair price?",
        "What means this for your purse?",
        "How long lasts a {tool}?",
        "Why nobody told us this before?",
        "What you should do if {thing} breaks?",
        "When starts the next course?",
        "Did you knew that {things} can be hired?",
        "Does a cheap {tool} lasts as long as a dear one?",
    ),
)  # fmt: skip

indirect_question = said(
    "Many readers ask us how long {things} last?",
    "You may wonder whether {thing} is worth its price?",
    "The question is where to keep {thing} in winter?",
    "We do not know why the maker changed {thing}?",
    "Ask in the shop whether {things} can be returned?",
    "It is hard to say which {tool} is the better one?",
    "Think about how often you will use {thing}?",
    "{Name} wanted to know what a good {tool} costs?",
    "First find out who can lend you a {tool}?",
    "It remains to be seen if prices will fall again?",
)

dangling = said(
    "Being made of plastic, children should not play with {thing}.",
    "After lying in the cellar for a year, we found that {thing} was useless.",
    "Walking into the shop, the prices on the shelf were a surprise.",
    "Having read the manual, the rest was easy.",
    "Wrapped in paper, you can store {thing} for years.",
    "As a beginner, the manual of {thing} is hard to read.",
    "Once cleaned and dried, you should put {thing} away.",
    "While cleaning {thing}, the telephone always rings.",
    "Broken beyond repair, the shop refused to take {thing} back.",
    "Weighing less than a loaf of bread, anyone can carry {thing}.",
    "Without any experience, {thing} broke after a week.",
)

eggcorn = said(
    "For all intensive purposes, a cheap {tool} will do.",
    "Whether {things} are worth it is a mute point.",
    "The two models are one in the same.",
    "By in large, {job} is easier than it looks.",
    "Nip mistakes in the butt before they grow.",
    "A good offer will peak your interest.",
    "A short film may wet your appetite for {job}.",
    "Follow the manual and tow the line for once.",
    "Most people waited for the new model with baited breath.",
    "The fear of {job} is deep-seeded.",
    "The shop gives its customers free reign.",
    "Nobody wants to pour over a manual for hours.",
    "You may be on tender hooks until it is done.",
    "It is a doggy-dog world among the makers of {things}.",
    "A bad {tool} is a blessing in the skies, for you learn to improvise.",
    "In the mist of all the work, do not forget a break.",
    "This hint should be taken with a grain assault.",
    "The price of {things} has sky-rocked in the passed year.",
    "Save the old box, just in queue.",
    "The makers hit a nerd with their latest advertisement.",
    "The old {tool} has seen better days, and it shows its true collars.",
)

relative = one_of(
    swap(r", which (?=[a-z])", lambda m, r: random_of(r, ", what ", ", who ", ", witch "), "pi"),
    swap(r"\b(people|guests|walkers|beginners|somebody|Anyone|gardener) who\b", r"\1 which", "pi"),
    said(
        "That what matters is patience.",
        "All what you need is a free evening.",
        "The shop which we bought {thing} has closed.",
        "People which hate {job} should read on.",
        "The dealer, that sold us {thing}, was honest.",
        "A {tool}, who is used daily, wears out soon.",
        "There is nothing what you could do wrong.",
        "The neighbour who's {tool} we borrowed was patient.",
        "It is a {tool} with that you can do a lot.",
        "The reason because many give up is boredom.",
    ),
)


def random_of(random: Random, *choices: str) -> str:
    """Return one of the choices."""
    return random.choice(choices)


conditional = one_of(
    swap(
        r"\b([Ii])f you (want|tap|stay|sleep|have|go|gasp|cut|snore|like|carry|miss|use|double|buy|"
        r"travel|bake|need|already)\b",
        lambda m, r: f"{m[1]}f you {random_of(r, 'will', 'would')} {m[2]}",
    ),
    said(
        "If I would have known this earlier, I had saved a lot of money.",
        "If you would read the manual first, you will save time.",
        "If {thing} will break, the shop repairs it.",
        "We would buy {thing} again if it will be cheaper.",
        "Unless you will not use {thing} often, borrow it.",
        "If you had asked in {month}, you will get a discount.",
        "When you would have any doubts, ask in the shop.",
        "In case you will need help, the {place} has a course.",
        "Had we knew the price, we would look for another {tool}.",
        "If it were not so dear, I will have bought two of them.",
        "I wish I would know this before.",
        "Provided that {thing} will be dry, it lasts for years.",
    ),
)

# Leftovers

_EMPTY = (
    "undefined", "null", "NaN", "[object Object]", "%s", "None", "${price}", "%1$d", "#REF!",
    "#N/A", "{0}", "{{count}}", "<?= $value ?>", "#VALUE!", "01/01/1970", "$NaN",
    "{{ user.city }}", "<%= name %>", "*|FNAME|*", "INVALID DATE",
)  # fmt: skip
program_value = one_of(
    swap(r"(?<=\| )[$£€]?\d[\d.,]*(?: [a-z%]+)?(?= \|)", lambda m, r: r.choice(_EMPTY), "t"),
    swap(r"[$£€]\d[\d.,]*\d\b", lambda m, r: r.choice(_EMPTY), "pi"),
    said(
        "A good {tool} costs about {empty} in most shops.",
        "{Thing} weighs {empty} kg and fits into a drawer.",
        "Dear {empty}, this hint is for you.",
        "About {empty} readers have tried it so far.",
        "The {place} in {empty} offers a course on {job}.",
        "The next course begins on {empty} at 7 p.m.",
        "See {empty} for more on {things}.",
        empty=_EMPTY,
    ),
)

revision_note = apart(
    "I have shortened this section and removed the repetition you mentioned.",
    "Here is the revised version with shorter sentences:",
    "Changes made: merged two paragraphs, fixed the units, softened the claim about the price.",
    "As you asked, I kept the friendly tone and added an example.",
    "Note: this part stays as in the previous draft.",
    "(Rewritten to sound less like an advertisement.)",
    "Below is the same paragraph in British English, as requested.",
    "I moved the part on {job} further up so that the text flows better.",
    "Version 2, with the keywords from your list worked in:",
    "Since you did not say who the readers are, I have assumed that they are beginners.",
    "I was not able to check the figures in this section, so please verify them before publishing.",
    "To keep within the limit of 800 words, I left out the part on {things}.",
    "Let me know if you want this section to be more detailed.",
)

form_fields = one_of(
    apart(
        "Focus keyword: {job}",
        "Meta description: All about {job}, with a table and an answer to common questions.",
        "Slug: {job}-guide",
        "Reading time: {n} min | Category: Home | Author: admin",
        "Tags: {things}, tips, home, diy",
        "SEO title (max. 60 characters): {Job} made easy",
        "Word count: 7{n}2",
        "Status: draft – assigned to {name} – due {month} {n}",
        "Target audience: beginners, 30–60, {month} campaign",
        "Excerpt: {Job} need not take long.",
        "Keyword density: 1.{n} %",
        "Alt text: a hand that holds {thing}",
        at="last",
    ),
    apart(
        "Focus keyword: {things}",
        "Title tag: {Job} in {n} steps",
        "Primary keyword: {job}; secondary keywords: {things}, {tool} test",
        "Author: {name}; editor: TBC; publish on {month} {n}",
        "Template: how-to-long (v{n})",
        at="first",
    ),
)

citation_token = swap(
    r"(?<=[a-z]{3})\.(?= [A-Z]|$)",
    lambda m, r: random_of(
        r,
        ". citeturn0search3", ". :contentReference[oaicite:2]{index=2}", ".【4†source】", ".[oai_citation:1]",
        ". [web:3]", ".[[2]](#fn2)", " [cite: 12].", " [1, 4].", " [source: 3].", ".^[7]^",
        " (turn1search5).", ' <ref name="a"/>.', " [citation:6].", ".[^14]", " [cite_start].",
        " [doc_2, p. 5].", ".¹²", " (Source 2).",
    ),
    "pi",
)  # fmt: skip

page_furniture = apart(
    "Skip to main content", "Share this article: Facebook | X | WhatsApp | E-mail",
    "Read more »", "Advertisement", "Article continues below", "Subscribe to our newsletter",
    "{n} comments | Log in to reply", "Print this page", "Back to top ↑", "Accept all cookies",
    "Photo: Getty Images/iStockphoto", "You might also like: {n} {things} under test",
    "Home > Guides > {Things}", "Show all {n} photos", "Was this article helpful? Yes / No",
    "This page requires JavaScript.", "Sponsored", "Save for later ♡ 1{n}",
    "Continue reading for free with a trial account.", "Listen to this article ({n} min)",
    "« Previous article | Next article »", "Most read this week",
)  # fmt: skip

chat_window = apart(
    "ChatGPT said:", "You said:", "Thought for {n} seconds", "Searched {n} websites", "Copy code",
    "Regenerate response", "Show more lines", "Copied!", "Assistant: Here is the next part.",
    "User: and now the part about the costs", "Draft 2 of 3", "Stop generating",
    "< continue >", "[continued in the next message]", "Good response | Bad response",
    "Human: please go on", "Analysing… Done", "Message limit reached. Try again later.",
    "Edit in canvas", "### Response:", "<|im_end|>", "</s>", "Export to Docs",
)  # fmt: skip

_EDITORS = ("JS", "MK", "Anna", "Tom", "ed.", "PL", "HR")
margin_note = swap(
    r"(?<=[a-z]{3})(?=[.,](?: |$))",
    lambda m, r: random_of(
        r,
        " (source?)", " [sp?]", " (check with Tom)", " [cut?]", " [stet]", " (awk.)", " [rep.]",
        " (really??)", " [move up?]", " [too long]", " (see my mail)", " <<verify>>",
        " (ask the author)", " [figure ok?]", " ## query ##", " (fact check!)", " [better word?]",
        " (who says so?)", " [AQ1]", " [new para]", " (legal?)",
    ) if r.random() < 0.7 else f" [{r.choice(_EDITORS)}: {r.choice(('ok?', 'why?', 'no!', 'done', 'see above'))}]",
    "pi",
)  # fmt: skip

both_wordings = words({
    "large": ("large/big", "large (big)"), "buy": ("buy/purchase", "buy / get"),
    "small": ("small/little", "small/tiny"), "about": ("about/around", "about / roughly"),
    "enough": ("enough/sufficient",), "quickly": ("quickly/fast",), "need": ("need/require",),
    "takes": ("takes/needs", "takes | lasts"), "begin": ("begin/start",), "keep": ("keep/store",),
    "good": ("good/fine", "good [great]"), "people": ("people/persons", "people / users"),
    "because": ("because/since", "because (as)"), "choose": ("choose/pick",),
    "easy": ("easy/simple",), "often": ("often/frequently",), "place": ("place/spot",),
    "use": ("use/employ", "use {apply}"), "long": ("long/lengthy",),
    "more": ("more/further",), "always": ("always/every time",), "most": ("most/the majority of",),
    "after": ("after/following",), "water": ("water/liquid",), "room": ("room/space",),
    "work": ("work/task",), "day": ("day/evening",),
}, "pih")  # fmt: skip


def _restarted(match: re.Match[str], random: Random) -> str:
    sentence_words = match[1].split(" ")
    kept = " ".join(sentence_words[: random.randint(2, min(5, len(sentence_words) - 3))])
    other = random.choice(("Of course, ", "As a rule, ", "In most homes, ", "In practice, ", ""))
    # The new wording of the same sentence follows.
    again = match[1] if not other else other + _low(match[1])
    return f"{kept.rstrip(',;:')} {again}"


restarted = swap(
    r"(?:^|(?<=[a-z]\. ))((?:The|A|You|It|This|If|Most|Many)\b[^.?!|]{40,}\.)", _restarted, "p"
)

shortcode = apart(
    '[gallery ids="12{n},15{n}"]', '[caption id="attachment_4{n}1"]', "[/vc_column_text]",
    "{% include ad-slot.html %}", '{{< figure src="cover-{n}.jpg" >}}', "::: tip", "[contact-form-7]",
    "{{% notice %}}", "%%toc%%", "[toc]", "[[ad position={n}]]", "<!-- wp:paragraph -->",
    '<div class="wp-block-columns">', "{: .no_toc }", "[embed]https://example.com/v/{n}[/embed]",
    "@@snippet {n}@@", "<o:p></o:p>", "[sc name=\"newsletter\"]", "\\newpage", "[pullquote]",
    "{/exp:channel:entries}", "==teaser-end==", "<!--more-->Read on", "[su_spacer size=\"{n}0\"]",
)  # fmt: skip


def _half_marked(match: re.Match[str], random: Random) -> str:
    word = match[0]
    return random.choice((
        f"**{word}*", f"**{word}", f"{word}**", f"\\*{word}\\*", f"[{word}](", f"[{word}]()",
        f"__{word}", f"`{word}", f"<b>{word}", f"{word}</i>", f"[b]{word}[/b]", f"[[{word}]]",
        f"***{word}**", f"[{word}](http//)", f"~~{word}", f"<u>{word}</u", f"{word}](#)",
    ))  # fmt: skip


broken_markup = swap(r"(?<![\w'/-])[a-z]{5,}(?![\w'/-])", _half_marked, "pih")

other_medium = said(
    "In this video I will show you how it is done.",
    "If you like this, hit the bell and leave a comment below the video.",
    "As we reported in last week's issue, prices of {things} are rising.",
    "Turn the page for a picture of {thing}.",
    "Dear listeners, we will come back to {things} after the music.",
    "You can see {thing} here on the left of the screen.",
    "Let me switch to the next slide.",
    "Thanks for tuning in again today.",
    "Please mute your microphones during this part.",
    "As you heard before the break, {job} is simpler than it looks.",
    "The handout that you received at the entrance lists more {things}.",
    "Swipe left to see all {n} pictures of {thing}.",
    "Can everyone at the back see {thing}?",
    "I am holding {thing} into the camera now.",
    "In the last episode we talked about {things}.",
    "Link in bio.",
)

paper_remains = apart(
    "Page {n} of 1{n}", "— 1{n} —", "continued on page 3{n}", "© 2019 Home & Garden Monthly",
    "Printed on 0{n}/04/2022, 14:1{n}", "ISSN 1234-56{n}8", "{Job} | Issue {n}/2021",
    "(continued from page 2{n})", "CONFIDENTIAL – internal use only", "Chapter {n}",
    "Article reprinted with permission.", "Scan_000{n}", "Fig. {n}: {Thing}", "Draft – do not copy",
    "Handbook of {things}, p. 11{n}", "Table of contents", "This page is intentionally left blank.",
)  # fmt: skip

brief_remains = apart(
    "Write two or three sentences about {things} here.",
    "Keep this section under 100 words.",
    "Mention the keyword “{things}” at least twice.",
    "Introduce the topic with a surprising fact.",
    "Step title goes here",
    "Explain in simple words why {job} matters. No jargon!",
    "Insert a personal story of about 50 words.",
    "This paragraph should make the reader curious about the next section.",
    "Add an example with figures (client wants a table).",
    "Tone: warm, competent, not salesy.",
    "Include a link to our shop for {things}.",
    "End with a question to the reader.",
    "Short answer first, then details (max. 3 lines).",
    "Use H2 for each step and H3 for questions.",
    "Don't mention competitors in this part.",
    "Describe {thing} in a neutral way and name one drawback.",
)

file_name = apart(
    "IMG_20{n}3.JPG", "{tool}_final_v{n}.jpg", "Screenshot 2023-0{n}-14 at 10.22.3{n}.png",
    "image{n}.png", "C:\\Users\\{name}\\Desktop\\{tool}.docx", "Untitled-{n}.psd",
    "text_FINAL_really_final({n}).docx", "DSC0{n}417", "shutterstock_5{n}2211.jpg",
    "photo {n} goes here: {tool}-side.jpg", "assets/img/{tool}@2x.webp", "!{tool}.jpeg!",
    "![](file:///tmp/{tool}.png)", "![alt](image-url)", "{name}_copy_{n}.pages",
    "file:///home/{name}/blog/{tool}.odt", "{tool}-hero-1200x630.png",
)  # fmt: skip

dictated = one_of(
    swap(r", (?=[a-z])", lambda m, r: random_of(r, " comma ", " comma, ")),
    swap(r"(?<=[a-z]{3})\. (?=[A-Z])", lambda m, r: random_of(r, " full stop ", " period. ", ". New line. ", ". New paragraph. "), "p"),
    said(
        "Scratch that, no, start again.",
        "Open bracket see above close bracket.",
        "Um, where was I?",
        "Delete the last sentence.",
        "New paragraph, heading, {things}.",
        "Quote, patience is everything, unquote.",
        "Stop recording.",
        "Okay, next point, how do I turn this off?",
        "That is {thing} spelled as it sounds, no, go back.",
    ),
)  # fmt: skip


_HEADING_LABELS = (
    "H2: ",
    "Heading 3: ",
    "Subhead: ",
    "[H2] ",
    "Section title: ",
    "h2> ",
    "Sub 2 – ",
)
_TEXT_LABELS = (
    "Intro: ", "Body paragraph 2: ", "Hook: ", "CTA: ", "Para 3 – ", "Conclusion: ", "Text: ",
    "[Paragraph] ", "Topic sentence: ", "Transition: ", "Copy: ", "Teaser: ", "P1 ", "Box text: ",
)  # fmt: skip


def _labelled(lines: list[str], random: Random) -> list[int] | None:
    heads, texts = headings(lines), prose_lines(lines)
    if not heads or not texts:
        return None
    if random.random() < 0.5:
        index = random.choice(heads)
        lines[index] = "## " + random.choice(_HEADING_LABELS) + lines[index][3:]
    else:
        index = random.choice(texts)
        lines[index] = random.choice(_TEXT_LABELS) + lines[index]
    return [index]


draft_label = on_lines(_labelled)

foreign_word = words({
    "and": ("und", "et", "y", "e", "en"), "with": ("mit", "avec", "con", "met"),
    "or": ("oder", "ou", "o"), "for": ("für", "pour", "para", "voor"), "but": ("aber", "mais", "pero"),
    "because": ("weil", "parce que", "porque", "omdat"), "not": ("nicht", "pas", "niet"),
    "also": ("auch", "aussi", "también"), "if": ("wenn", "si", "als"), "the": ("das", "le", "el", "het"),
    "about": ("etwa", "environ", "unos", "ongeveer"), "water": ("Wasser", "eau", "agua"),
    "only": ("nur", "seulement", "solo"), "two": ("zwei", "deux", "dos", "twee"),
    "week": ("Woche", "semaine", "semana"), "without": ("ohne", "sans", "sin"),
    "more": ("mehr", "plus de", "más"), "then": ("dann", "ensuite", "luego"),
    "hours": ("Stunden", "heures", "horas", "uur"), "enough": ("genug", "assez", "bastante"),
}, "pih")  # fmt: skip

# Structure

_IMPERATIVES = (
    "Delete|Connect|Switch|Choose|Install|Write|Keep|Store|Move|Take|Fill|Sand|Tape|Stir|Paint|Load|"
    "Roll|Go|Finish|Lay|Put|Mark|Saw|Insert|Screw|Walk|Run|Stretch|Look|Check|Set|Turn|Tell|Rinse|"
    "Chop|Warm|Fry|Add|Pour|Blend|Mix|Cover|Tip|Lift|Bake|Hold|Wait|Close|Raise|Stand"
)


def _not_parallel(lines: list[str], random: Random) -> list[int] | None:
    found = []
    for run in _lists(lines):
        for index in run:
            marker, item = lines[index].split(" ", 1)
            bare = item.rstrip(".")
            if re.match(rf"(?:{_IMPERATIVES})\b", item):
                end = "." if item.endswith(".") else ""
                found += [(run, index, f"{marker} {start} {_low(bare)}{end}") for start in (
                    "You now", "It is then time to", "After that, you have to", "To",
                    "The next thing that you do is to", "Now we", "Don't forget that you should",
                )]  # fmt: skip
            elif re.match(r"(?:an? |the |slippers|clothes|running)", item):
                found += [(run, index, f"{marker} {form}") for form in (
                    f"you should also have {bare}", f"Do not forget {bare}!",
                    f"It is also a good idea to have {bare}.", f"having {bare}",
                    f"And you need {bare}.", f"bring {bare} along",
                )]  # fmt: skip
    if not found:
        return None
    run, index, new = random.choice(found)
    lines[index] = new
    return run


_REASONS = (
    "it saves time", "it costs little", "it can be done alone", "it works in small rooms",
    "it makes no noise", "it needs no special tools", "it spares your back", "it can be repeated",
)  # fmt: skip
_ORDER = ("First", "Second", "Third", "Fourth")


def _counted(random: Random) -> str:
    promised = random.choice((2, 3, 4))
    given = promised - 1 if promised > 2 and random.random() < 0.6 else min(promised + 1, 4)
    if given == promised:
        given = 2
    reasons = random.sample(_REASONS, given)
    number = _NUMBERS[promised].capitalize()
    lead = random.choice((
        f"{number} things speak for this way.", f"There are {_NUMBERS[promised]} reasons for this.",
        f"{number} advantages make up for the effort.",
    ))  # fmt: skip
    return " ".join([lead, *(f"{_ORDER[i]}, {reason}." for i, reason in enumerate(reasons))])


def _counts_wrong(text: str, random: Random) -> Planted | None:
    return apart(_counted(random))(text, random)


reference_to_nothing = said(
    "The chart below shows how prices have developed.",
    "See the appendix for a list of shops that sell {things}.",
    "More on this can be found in the section on insurance.",
    "As the photo above shows, {thing} is smaller than you would expect.",
    "The checklist at the end of this article can be printed out.",
    "In the box on the right you will find the address of the {place}.",
    "Table 1{n} lists {n} more {things}.",
    "As explained in the chapter on the law, the tenant pays for it.",
    "Click on the map below to find a shop near you.",
    "The footnote explains where the figures come from.",
    "We will answer this in part three of this series, linked below.",
    "The drawing next to this paragraph shows {thing} from the side.",
    "As the interview above makes clear, patience pays off.",
    "The glossary below explains the technical terms.",
    "The film at the top of this page shows {thing} in use.",
    "Figure {n} compares {things} of five makers.",
)


def _echoed(lines: list[str], random: Random) -> list[int] | None:
    index = random.choice(headings(lines))
    title = _title(lines[index])
    echo = random.choice((title, f"**{title}**", f"{title}:", title.upper(), f"### {title}"))
    lines[index + 1 : index + 1] = ["", echo]
    return [index, index + 1, index + 2]


def _headings_exchanged(lines: list[str], random: Random) -> list[int] | None:
    places = headings(lines)
    if len(places) < 4:
        return None
    # Those of neighbouring sections could both fit.
    one, two = sorted(random.sample(places, 2))
    titles = _title(lines[one]), _title(lines[two])
    lines[one] = lines[one].replace(titles[0], titles[1])
    lines[two] = lines[two].replace(titles[1], titles[0])
    return [one, one + 2, two, min(two + 2, len(lines) - 1)]


def _cells_exchanged(lines: list[str], random: Random) -> list[int] | None:
    found = []
    for run in _tables(lines):
        for index in run[2:]:
            cells = _cells(lines[index])
            other = [i for i, cell in enumerate(cells) if i and re.search(r"\d", cell)]
            if other and cells[0] and not re.match(r"\d", cells[0]):
                found.append((run, index, random.choice(other)))
    if not found:
        return None
    run, index, at = random.choice(found)
    cells = _cells(lines[index])
    cells[0], cells[at] = cells[at], cells[0]
    lines[index] = _row(cells)
    return run


def _ragged(lines: list[str], random: Random) -> list[int] | None:
    tables = _tables(lines)
    if not tables:
        return None
    run = random.choice(tables)
    index = random.choice(run[2:])
    cells = _cells(lines[index])
    form = random.choice(("header", "lost", "extra", "empty", "other", "merged"))
    if form == "header":
        lines.insert(index, lines[run[0]])
        return [*run, run[-1] + 1]
    if form == "lost" and len(cells) > 2:
        del cells[random.randrange(1, len(cells))]
    elif form == "merged":
        cells[:2] = [f"{cells[0]} {cells[1]}"]
    elif form == "other":
        row = random.choice((
            ["Monday to Friday", "9:00 a.m. to 5:00 p.m.", "Tel. 555-0134", "closed at noon"],
            ["Name", "Street", "Postcode", "Country"], ["Q1", "Q2", "Q3", "Q4", "2021"],
        ))  # fmt: skip
        lines.insert(index, _row(row[: len(cells) + (len(cells) < len(row))]))
        return [*run, run[-1] + 1]
    elif form == "empty":
        cells[1:] = [""] * (len(cells) - 1)
    else:
        cells.append(random.choice((cells[-1], "x", "yes", "see text")))
    lines[index] = _row(cells)
    return run


def _item_again(lines: list[str], random: Random) -> list[int] | None:
    runs = [(run, False) for run in _lists(lines)]
    runs += [(run[2:], True) for run in _tables(lines)]
    if not runs:
        return None
    run, table = random.choice(runs)
    one = random.choice(run[:-1])
    after = random.choice([i for i in run if i > one])
    lines.insert(after + 1, lines[one])
    if not table and lines[one][0].isdigit():
        for number, index in enumerate(range(run[0], run[-1] + 2), 1):
            lines[index] = re.sub(r"^\d+", str(number), lines[index])
    return [one, after + 1]


def _no_such_step(text: str, random: Random) -> Planted | None:
    numbers = [int(n) for n in re.findall(r"(?m)^(?:## (?:Step )?)?(\d+)[.:] ", text)]
    if not numbers:
        return None
    step = max(numbers) + random.randint(1, 4)
    return said(
        f"If something goes wrong, go back to step {step}.",
        f"More on this follows in step {step}.",
        f"Skip step {step} if you are in a hurry.",
        f"Step {step} explains how to avoid this mistake.",
        f"Repeat steps {step - 1} to {step + 1} if you are not content.",
        f"You will need {{thing}} again in step {step}.",
        f"Do this only after step {step}.",
    )(text, random)


_ANSWERED = (
    ("How long do {things} last?", "Most of them last for about ten years if they stay dry."),
    (
        "Where can I buy {things}?",
        "Any large shop in town has them, and so do most dealers online.",
    ),
    (
        "Can I borrow {thing} from a neighbour?",
        "Yes, and that saves money if you need it only once.",
    ),
    ("Who can help me if something goes wrong?", "The staff of the shop, whose advice is free."),
    ("Why do some {things} cost so much?", "Because they are made by hand and in small numbers."),
    ("When should I buy {things}?", "In January, when many shops clear their stock."),
    ("How many {things} does a family need?", "One or two are enough for most homes."),
    ("Does it matter who made {thing}?", "No, the name on the label makes no difference."),
)


def _faq(lines: list[str], questions: Sequence[str], fill: Callable[[str], str]) -> list[int]:
    """Put questions with answers below the heading for them, or under one of their own."""
    own = [i for i in headings(lines) if re.search("[Qq]uestions", lines[i])]
    new = [fill(line) for line in questions]
    if own:
        index = own[0] + 2
        lines[index:index] = [*new, ""]
    else:
        while not lines[-1]:
            lines.pop()
        index = len(lines) + 1
        lines += ["", "## Frequently asked questions", "", *new, ""]
        index += 2
    return [i for i in range(index, index + len(new)) if lines[i]]


def _answers_exchanged(text: str, random: Random) -> Planted | None:
    lines = text.split("\n")
    (one, first), (two, second) = random.sample(_ANSWERED, 2)
    new = [f"### {one}", "", second, "", f"### {two}", "", first]
    return changed(lines, _faq(lines, new, _filler(text, random, {})))


broken_promise = one_of(
    apart(
        "In the next section we turn to insurance.",
        "But first, a look at the history of {things}.",
        "Before that, let us hear what our readers wrote to us about {things}.",
        "The following interview with a dealer shows what to look for.",
        "How {things} are recycled is the subject of the next section.",
        "What the law says about {job} comes next.",
        "Below, we test {n} {things} and name a winner.",
        "Now to the promised quiz about {things}.",
        at="section",
    ),
    said(
        "At the end we also present {n} apps for {job}.",
        "Further down, a lawyer explains who is liable for damage.",
        "Later in this text you will meet {name}, who has been doing this for thirty years.",
        "Further down you will find a glossary, a list of dealers and a form to print.",
        "We come back to the question of the guarantee below.",
        "A test of {n} {things} follows at the end of this article.",
    ),
)


def _half_listed(text: str, random: Random) -> Planted | None:
    good = random.sample(
        ("saves time", "costs little", "is easy to clean", "fits into a drawer", "makes no noise"),
        3,
    )
    bad = random.sample(("is heavy", "takes up space", "needs repairs", "is hard to find"), 3)
    points = random.choice((good, bad))
    title = random.choice((
        "Advantages and drawbacks", "Pros and cons", "For and against", "Strengths and weaknesses",
        "What speaks for it and what against it",
    ))  # fmt: skip
    items = "\n".join(f"- {{Thing}} {point}." for point in points)
    return apart(f"## {title}\n\n{items}", at="section")(text, random)


early_end = apart(
    "In conclusion, {job} is easier than it looks, and {thing} is worth its price.",
    "To sum up, all it takes is patience and the right {tool}.",
    "All in all, {job} pays off for most people. We hope that this guide has helped you.",
    "That brings us to the end of this guide. Good luck with {job}!",
    "In summary, take your time, read the manual and keep {thing} dry.",
    "And that is all there is to it. Thank you for reading!",
    "Finally, to conclude this article, one last hint: keep the receipt.",
    "With this closing thought we leave you to {job}.",
    at="early",
)


def _mixed_marker(lines: list[str], random: Random) -> list[int] | None:
    runs = _lists(lines)
    if not runs:
        return None
    run = random.choice(runs)
    index = random.choice(run[1:])
    marker, item = lines[index].split(" ", 1)
    if marker[0].isdigit():
        number = int(marker[:-1])
        new = random.choice(
            (
                f"{number})",
                f"{'abcdefghij'[number - 1]})",
                f"({number})",
                "-",
                f"Step {number}:",
                f"{number}.)",
            )
        )
    else:
        new = random.choice(("•", "–", "a)", f"{run.index(index) + 1}.", "·", "o", "=>", "·\t"))
    lines[index] = f"{new} {item}"
    return [i for i in (index - 1, index, index + 1) if i in run]


def _heading_cut(lines: list[str], random: Random) -> list[int] | None:
    index = random.choice(headings(lines))
    bare = lines[index].rstrip("?.")
    tails = (
        " and", " for the", ": the", " –", " when you", " with", " or", ", but", " in the", " because",
        ": how to", " (part", " that", " of",
    )  # fmt: skip
    parts = bare.split(" ")
    if len(parts) > 5 and random.random() < 0.4:
        lines[index] = " ".join(parts[:-1]) + random.choice(("", "…", " -"))
        if re.search(
            r" (?:the|a|to|of|in|for|is|it|you|does|do|into|from|at)$", " ".join(parts[:-1])
        ):
            return [index]
    lines[index] = bare + random.choice(tails)
    return [index]


lead_without_list = apart(
    "The following {n} points help you to save money:",
    "You need these things for it:",
    "The most common mistakes are:",
    "Here is a list of shops that sell {things}:",
    "Keep the following rules in mind:",
    "These {things} have proved their worth:",
    "The costs are made up as follows:",
    "Before you go on, check these {n} points:",
    "There are {n} kinds of {tool}, namely:",
    "A good {tool} has the following features:",
    at="section",
)

# Consistency


def _clock(minutes: int) -> str:
    hour, rest = divmod(minutes, 60)
    return f"{(hour - 1) % 12 + 1}:{rest:02} {'a.m.' if hour < 12 else 'p.m.'}"


def _course(random: Random) -> Pair:
    begin = random.choice((9, 10, 14, 15, 18, 19)) * 60 + random.choice((0, 0, 30))
    hours = random.choice((1, 2, 3))
    wrong = begin + hours * 60 + random.choice((-30, 30, 60, 90, -45))
    if wrong <= begin:
        wrong += 120
    last = "an hour" if hours == 1 else f"{_NUMBERS[hours]} hours"
    event, short = random.choice((
        ("a free course on {job}", "course"), ("an evening for beginners", "evening"),
        ("a talk about {things}", "talk"), ("a meeting for everyone who likes {job}", "meeting"),
    ))  # fmt: skip
    return random.choice((
        (f"In {{month}} the {{place}} offers {event}, which begins at {_clock(begin)} and lasts {last}.",
         f"The {short} at the {{place}} ends at {_clock(wrong)}."),
        (f"There is {event} at the {{place}} in {{month}}, from {_clock(begin)} to {_clock(begin + hours * 60)}.",
         f"As the {short} at the {{place}} takes {_NUMBERS[hours + 1]} hours, bring something to drink."),
        (f"The {{place}} will hold {event} in {{month}}; doors open at {_clock(begin)}.",
         f"The {short} at the {{place}} begins at {_clock(begin - random.choice((30, 60)))}, "
         "half an hour after the doors open."),
    ))  # fmt: skip


def _years(random: Random) -> Pair:
    year = random.randint(1984, 1999)
    later = year + random.randint(2, 8)
    age = random.choice((10, 15, 20, 25))
    when = year + age + random.choice((-4, -3, 3, 4))
    return random.choice((
        (f"We have written about {{job}} every year since {year}.",
         f"Our first text on {{job}} appeared in {later}."),
        (f"The shop for {{things}} in our street opened in {year}.",
         f"In {when} that shop in our street celebrated its first {age} years."),
        (f"{{Name}}, who lent us {{thing}}, has owned it since {later}.",
         f"{{Name}} used the borrowed {{tool}} for the first time in {year}, soon after buying it."),
        (f"The maker of our {{tool}} gave up the business in {year}.",
         f"We bought our {{tool}} new from its maker in {later}."),
        (f"Our {{tool}} was made in {year}.",
         f"When it broke in {year + 12}, our {{tool}} was {random.choice(('seven', 'eight', 'nine'))} years old."),
    ))  # fmt: skip


def _share(random: Random) -> Pair:
    asked, said_so, right = random.choice(
        ((40, 30, 75), (50, 10, 20), (60, 45, 75), (80, 60, 75), (24, 12, 50), (30, 9, 30))
    )
    wrong = random.choice([n for n in (15, 25, 40, 60, 90) if abs(n - right) > 9])
    return random.choice((
        (f"We asked {asked} readers about {{job}}, and {said_so} of them do it themselves.",
         f"Among the readers we asked about {{job}}, {wrong} percent do it themselves."),
        (f"Of the {asked} {{things}} that were sold at the market in {{month}}, {said_so} came back.",
         f"At the market in {{month}}, {wrong} percent of all {{things}} came back."),
        (f"{asked} people took part in the course at the {{place}}, and {said_so} of them were beginners.",
         f"Beginners made up {wrong} percent of the course at the {{place}}."),
    ))  # fmt: skip


def _discount(random: Random) -> str:
    price, percent = random.choice(
        ((60, 25), (80, 20), (50, 10), (40, 50), (120, 25), (200, 15), (20, 30))
    )
    right = price * (100 - percent) // 100
    wrong = random.choice(
        [n for n in (right - 8, right - 5, right + 4, right + 7) if 0 < n < price - 1]
    )
    mark = random.choice("€$£")
    return random.choice((
        f"In {{month}} a shop lowered the price of {{thing}} by {percent} percent, from {mark}{price} to {mark}{wrong}.",
        f"With a discount of {percent} percent, a {{tool}} that used to cost {mark}{price} costs {mark}{wrong}.",
        f"The shop took {mark}{price - wrong} off the old price of {mark}{price}, so {{thing}} cost only {mark}{wrong - 3}.",
        f"A deposit of {percent} percent is usual, which means {mark}{price * percent // 100 + 6} for {{things}} worth {mark}{price}.",
    ))  # fmt: skip


_CONVERTED = {
    "cm": (0.394, "inches"), "kg": (2.2, "pounds"), "km": (0.62, "miles"), "kilometres": (0.62, "miles"),
    "litres": (0.26, "gallons"), "g": (0.035, "ounces"), "ml": (0.034, "fluid ounces"),
    "metres": (3.28, "feet"), "m": (3.28, "feet"), "square metres": (10.76, "square feet"),
    "millimetres": (0.039, "inches"), "mm": (0.039, "inches"),
}  # fmt: skip
_PER_UNIT = "|".join(sorted(_CONVERTED, key=len, reverse=True))


def _converted(match: re.Match[str], random: Random) -> str:
    factor, unit = _CONVERTED[match[2]]
    right = float(match[1].replace(",", "")) * factor
    wrong = right * random.choice((0.4, 0.5, 1.8, 2.5, 3.0, 10))
    return (
        f"{match[0]} ({wrong:.0f} {unit})" if wrong >= 3 else f"{match[0]} ({wrong + 1:.1f} {unit})"
    )


def _two_units(random: Random) -> str:
    value = random.choice((10, 20, 30, 50))
    factor, unit = _CONVERTED[
        metric := random.choice(("cm", "kg", "kilometres", "litres", "metres"))
    ]
    wrong = round(value * factor * random.choice((0.4, 2, 3)) + 1)
    thing = {
        "cm": "The box of {thing} is {x} wide.", "kg": "A pallet of {things} weighs {x}.",
        "kilometres": "The nearest dealer for {things} is {x} away.",
        "litres": "The box of {thing} holds {x}.", "metres": "The shelf with {things} is {x} long.",
    }[metric]  # fmt: skip
    return thing.replace("{x}", f"{value} {metric}, or {wrong} {unit},")


conversion = one_of(
    swap(rf"\b(?<![.,])(\d[\d,]*(?:\.\d+)?) ({_PER_UNIT})\b(?! per)(?! \()", _converted, "pi"),
    computed(_two_units),
)

_SPELT = (
    ("Mrs Keller", "Mrs Köhler"), ("Mr Hansen", "Mr Jansen"), ("Anne Whitfield", "Anna Whitfield"),
    ("Jonathan Reed", "Jonathon Reid"), ("Mrs Petrov", "Mrs Petrova"), ("Ms Catherine Hale", "Ms Kathryn Hale"),
    ("Mr Macdonald", "Mr McDonnell"), ("Dr Sanders", "Dr Saunders"), ("Mr Philipps", "Mr Philips"),
    ("Mrs Lindgren", "Mrs Lundgren"), ("Mr Fisher", "Mr Fischer"), ("Eliza Brown", "Elisa Browne"),
)  # fmt: skip


def _renamed(random: Random) -> Pair:
    names = list(random.choice(_SPELT))
    random.shuffle(names)
    one, two = names
    return random.choice((
        (f"{one}, who runs the shop for {{things}} in our street, helped us with this text.",
         f"At the shop in our street, {two} showed us how {{thing}} is checked."),
        (f"{one} gives the course on {{job}} at the {{place}}.", f"The teacher at the {{place}}, {two}, advises beginners to take their time."),
        (f"Our neighbour {one} lent us {{thing}}.", f"We gave {{thing}} back to our neighbour {two} a week later."),
        (f"“Take your time,” says {one}, who has sold {{things}} for thirty years.",
         f"“Nobody regrets a good {{tool}},” adds {two}, the dealer quoted above."),
    ))  # fmt: skip


person_changes = pairs(
    ("Our neighbour {name} borrowed {thing} from his brother.", "After a week our neighbour {name} gave the borrowed {tool} back to her brother."),
    ("{name}, a retired teacher, helped us with this text.", "{name} had to leave early, for her first year at university had just begun."),
    ("{name}, who lent us {thing}, lives alone.", "{name}'s wife had hidden {thing} in the cellar before it was lent to us."),
    ("{name}, an only child, came with us to the course at the {place}.", "{name} had brought all three sisters along to the course at the {place}."),
    ("The youngest reader who wrote to us, {name}, is 12 years old.", "{name}, the young reader, drives to the shop for {things} in a car of her own."),
    ("{name}, who works as a plumber, gave us this hint.", "As {name} told us between two patients at the surgery, the hint comes from a cousin."),
    ("{name}, our expert, has never used {thing}.", "{name}, our expert, uses {thing} every morning."),
    name=("Robin", "Kim", "Sam", "Alex", "Charlie", "Jo", "Chris", "Toni"),
)  # fmt: skip


def _weekly(random: Random) -> Pair:
    day, other = random.sample(_DAYS, 2)
    return random.choice((
        (f"Every {day} evening, volunteers at the {{place}} answer questions about {{things}}.",
         f"The volunteers at the {{place}} meet on {other} evenings only."),
        (f"The market where {{things}} are sold takes place on {day}s.",
         f"Get up early on {other}, when the weekly market opens."),
        (f"The shop for {{things}} in our street is closed on {day}s.",
         f"We tried out {{thing}} last {day} in the shop in our street, where the owner served us."),
        (f"The course at the {{place}} begins on the first {day} in {{month}}.",
         f"On the {other} on which the course at the {{place}} begins, parking is free."),
    ))  # fmt: skip


def _ranked(random: Random) -> Pair:
    names = random.sample(("Alpha", "Basic", "Comfort", "Delta", "Eco", "Fit"), 3)
    low, mid, high = sorted(random.sample(range(20, 95, 5), 3))
    mark = random.choice("€$£")
    return random.choice((
        (f"We compared three {{things}}: the {names[0]} at {mark}{low}, the {names[1]} at {mark}{mid} and the {names[2]} at {mark}{high}.",
         f"Of the three, the {random.choice(names[:2])} costs the most."),
        (f"The model {names[0]} costs {mark}{low}, and the {names[1]} costs {mark}{high}.",
         f"People who want to save money should take the {names[1]} rather than the dearer {names[0]}."),
        (f"In a test the {names[2]} got {high} points, the {names[1]} {mid} and the {names[0]} {low}.",
         f"The winner of that test, the {random.choice(names[:2])}, is hard to find in shops."),
        (f"The {names[1]} was the lightest {{tool}} in our test.",
         f"In our test the {names[0]} was even lighter than the {names[1]}, but it broke."),
    ))  # fmt: skip


def _direction(random: Random) -> str:
    low, high = sorted(random.sample(range(10, 95, 3), 2))
    mark = random.choice("€$£")
    return random.choice((
        f"Since last year, the price of {{things}} has risen from {mark}{high} to {mark}{low}.",
        f"The number of shops that sell {{things}} fell from {low} to {high} in a year.",
        f"A good {{tool}} cuts the time for {{job}}, from {low} minutes to {high}.",
        f"The share of people who do it themselves doubled, from {low % 30 + 12} to {(low % 30 + 12) * 2 + random.choice((-7, 9, 12))} percent.",
        f"With {high} members, the local club is smaller than ever; last year it had {low}.",
        f"The old {{tool}} weighed {low * 10} grams; the new one is lighter at {high * 10} grams.",
        f"Prices were halved, from {mark}{high * 2} to {mark}{high - random.choice((3, 4, 5))}.",
    ))  # fmt: skip


def _average(random: Random) -> str:
    low, mid, high = sorted(random.sample(range(12, 58, 4), 3))
    wrong = random.choice((high + random.choice((3, 7)), low - random.choice((3, 5))))
    return random.choice((
        f"Our three attempts took {low}, {mid} and {high} minutes, so {wrong} minutes on average.",
        f"Three shops asked €{low}, €{mid} and €{high} for {{thing}}, which makes an average price of €{wrong}.",
        f"Together, {low} minutes for the preparation, {mid} for the work and {high} for the rest make {low + mid + high + random.choice((-10, 5, 15))} minutes.",
        f"Of {low + mid} people asked, {low} said yes, {mid - 4} said no and {9 + high % 3} had no opinion.",
        f"The set contains {low} large and {mid} small parts, {low + mid + random.choice((-3, 2, 6))} in all.",
        f"The prices for {{thing}} range from ${mid} to ${high}, but most shops ask for ${low - 2}.",
    ))  # fmt: skip


opposite_advice = pairs(
    ("Never store {thing} in the cellar.", "The best place for {thing} is the cellar."),
    ("Always buy {things} in a shop and never online.", "Order {things} online, as shops have a poor choice."),
    ("You can throw away the manual of {thing} at once.", "Keep the manual of {thing} for as long as you own it."),
    ("Do not buy a used {tool}.", "A used {tool} is the best choice for beginners."),
    ("You should do this alone, because others only get in the way.", "Never do this alone; ask somebody to stay with you."),
    ("Choose the heaviest {tool} that you can find.", "When you buy a {tool}, take the lightest one."),
    ("Clean {thing} with hot water after each use.", "Hot water ruins {thing}, so only wipe it with a dry cloth."),
    ("A guarantee on {things} is not worth its price.", "Pay the surcharge for a guarantee on {things} in any case."),
    ("Lend {thing} to anyone who asks.", "A {tool} is nothing that you should ever lend."),
    ("{Things} from the first shop are as good as any, so do not waste time on comparing.", "Compare the {things} of at least five shops."),
    ("Begin in the morning, when your head is clear.", "Evenings are the only good time to begin."),
    ("Read the manual of {thing} to the end before you begin.", "There is no need to read the manual of {thing} before you begin."),
)  # fmt: skip

free_or_not = pairs(
    ("The course at the {place} is free.", "The fee for the course at the {place} is paid at the door."),
    ("Advice at the {place} costs nothing.", "For $15 you get an hour of advice at the {place}."),
    ("The shop delivers {things} free of charge.", "The same shop adds £4.90 for the delivery of {things}."),
    ("You can only hire {thing} from the shop, not buy it.", "The shop sold us {thing} for half the usual price."),
    ("The {place} lends {things} to members only.", "Anyone may borrow {things} from the {place}, members or not."),
    ("There is no shop for {things} in our town.", "In our town, two shops sell {things}."),
    ("You need no appointment for the advice at the {place}.", "Book a date for the advice at the {place} at least a week ahead."),
    ("The maker gives no guarantee on {things}.", "If {thing} breaks, the maker's guarantee of two years covers it."),
    ("We have never tried out a {tool} ourselves.", "In our own trial the {tool} did well."),
    ("Nobody wrote to us about the last text on {job}.", "Among the letters about our last text on {job}, one stood out."),
    ("The {place} closed for good last year.", "Ask at the {place}, which is open every afternoon."),
    ("The maker of {thing} has a single factory, in Italy.", "Our {tool} came from the maker's second factory, in Poland."),
    place=_PLACES,
)  # fmt: skip


def _terms(random: Random) -> Pair:
    small, large = sorted(random.sample(range(2, 11), 2))
    one, two = _NUMBERS[small], _NUMBERS[large]
    if random.random() < 0.5:
        one, two = two, one
    return random.choice((
        (f"You can return {{things}} within {one} days.", f"Shops take {{things}} back for {two} days and no longer."),
        (f"The guarantee on {{thing}} runs for {one} years.", f"When the guarantee on {{thing}} ends after {two} years, repairs get dear."),
        (f"The nearest shop for {{things}} is {one} kilometres from our office.", f"We walked the {two} kilometres from our office to the nearest shop for {{things}}."),
        (f"The course at the {{place}} has {one} evenings.", f"On the last of the {two} evenings of the course at the {{place}}, everyone gets a certificate."),
        (f"The maker offers {{thing}} in {one} colours.", f"Blue is the rarest of the {two} colours in which the maker offers {{thing}}."),
        (f"For this text we asked {one} experts.", f"The {two} experts whom we asked for this text agree on one point."),
    ))  # fmt: skip


def _in_figures(random: Random) -> str:
    one, two = random.sample(range(2, 11), 2)
    return random.choice((
        f"Return {{thing}} within {_NUMBERS[one]} ({two}) days if you do not like it.",
        f"Each set contains {_NUMBERS[one]} ({two}) parts.",
        f"A guarantee of {_NUMBERS[one]} ({two}) years is usual.",
        f"Use {{thing}} no more than {_NUMBERS[one]} ({two}) times a week.",
        f"Groups of {_NUMBERS[one]} ({two}) people or more get a discount at the {{place}}.",
        f"Keep the receipt for {_NUMBERS[one]} ({two}) months.",
    ))  # fmt: skip


def _other_currency(lines: list[str], random: Random) -> list[int] | None:
    found = [
        (i, m.start())
        for i in _lines_of(lines, "pit")
        for m in re.finditer(r"[$£€](?=\d)", lines[i])
    ]
    if len(found) < 2:
        return None
    index, at = random.choice(found)
    line = lines[index]
    other = random.choice("$£€".replace(line[at], ""))
    lines[index] = line[:at] + other + line[at + 1 :]
    marks = [i for i, _ in found] if len(found) == 2 else [index]
    return sorted(
        {i for mark in marks for run in [*_tables(lines), [mark]] if mark in run for i in run}
    )


_QUANTITY = re.compile(
    r"[$£€]\d[\d,]*(?:\.\d+)?|\d[\d,]*(?:\.\d+)? (?:%|kg|g|ml|cm|litres?|hours?|minutes?|kWh|years?|points)\b"
)


def _another(number: str, random: Random) -> str:
    """Return a number near this one, written in the same way."""
    value = float(number.replace(",", ""))
    places = len(number.split(".")[1]) if "." in number else 0
    new = value
    while round(new, places) in {value, 1.0} or new <= 0:
        step = (
            max(1.0, round(value * random.choice((0.1, 0.2, 0.25, 0.5))))
            if not places
            else value * 0.25
        )
        new = value + random.choice((-1, 1)) * step
    return f"{new:,.{places}f}"


def _terms_of(row: str) -> set[str]:
    return {word[:5] for word in re.findall(r"[a-z]{4,}", row.lower())}


def _cell_against_text(lines: list[str], random: Random) -> list[int] | None:
    rows = {i for run in _tables(lines) for i in run[2:]}
    prose = _lines_of(lines, "pi")
    found = []
    for index in sorted(rows):
        for match in _QUANTITY.finditer(lines[index]):
            whole = re.compile(rf"(?<![\d.,]){re.escape(match[0])}(?![\d,]|\.\d)")
            # What the row is about is named in the paragraph, or the amounts only happen to be equal.
            about = _terms_of(lines[index]) - _terms_of(match[0])
            same = [i for i in prose if whole.search(lines[i]) and about & _terms_of(lines[i])]
            if same and sum(bool(whole.search(lines[i])) for i in rows) == 1:
                found.append((index, match, same))
    if not found:
        return None
    index, match, same = random.choice(found)
    number = re.search(r"[\d.,]+", match[0])
    assert number
    new = match[0].replace(number[0], _another(number[0], random))
    lines[index] = lines[index][: match.start()] + new + lines[index][match.end() :]
    table = next(run for run in _tables(lines) if index in run)
    return [*table, *same]


own_statements = facts((
    ("less than on the airer", "more than on the airer", "which comes to 60 cents"),
    ("In money alone, the rack wins", "In money alone, the dryer wins", "is the cheapest choice"),
    ("makes it the most expensive method", "makes it the cheapest method", "A load costs 45 cents"),
    ("Museums are closed on Mondays", "Museums are closed on Sundays", "from Saturday to Sunday"),
    ("leave it alone for 60 minutes", "leave it alone for 20 minutes", "Let it stand for an hour"),
    ("The five stretches below take 10 minutes", "The five stretches below take half an hour", "Ten minutes a day"),
    ("Spend two minutes on each stretch", "Spend one minute on each stretch", "fill the two minutes"),
    ("This recipe serves four people", "This recipe serves six people", "which is four bowls"),
    ("Red lentils need no soaking", "Red lentils must soak overnight", "takes 40 minutes"),
    ("Once a week is a good rhythm", "Once a month is a good rhythm", "every Sunday at 6:00 p.m."),
    ("Online storage is the dearest item", "Online storage is the cheapest item", "| Online storage, €10"),
    ("The paint costs more than", "The paint costs less than", "| Wall paint, 10 litres | £45 |"),
    ("The second coat goes on faster", "The second coat goes on more slowly", "easier to repeat than to begin"),
    ("In November, before the first hard frost, empty", "In November, before the first hard frost, fill", "Ice takes up about 9 percent"),
    ("so a full barrel with 320 litres weighs more", "so a full barrel with 320 litres weighs less", "weighs one kilogram"),
    ("The longest step comes in the last week", "The longest step comes in the first week", "| 8 | 30 minutes | none |"),
    ("that is 50 minutes later", "that is 50 minutes earlier", "| High | 7:10 a.m. | 5.6 m |"),
    ("Water does not rise evenly", "Water rises evenly", "| 3 | 3 twelfths | 1.2 m |"),
    ("neap tides that follow are weaker", "neap tides that follow are the strongest", "the forces add up"),
    ("and the dough rises overnight", "and the dough rises for an hour", "| 8:05 p.m. | Let it rise | 12 hours |"),
    ("so the dough is soft and sticky", "so the dough is dry and firm", "In a wet dough, time does"),
    ("weighs twice as much as the push mower", "weighs half as much as the push mower", "| Weight | 8 kg | 16 kg |"),
    ("Its weakness is tall grass", "Its strength is tall grass", "bend under the blades and stay uncut"),
    ("The sleeper costs twice as much", "The sleeper costs half as much", "| Sleeper | 1 to 3 | €140 |"),
    ("take a lower bunk", "take an upper bunk", "you need not climb down"),
    ("Begin on the lowest floor and work your way up", "Begin on the top floor and work your way down", "since air rises"),
    ("Warm below and cold above means air", "Cold below and warm above means air", "stays cold at the top"),
    ("a pot that is 3 cm wider", "a pot that is 8 cm wider", "Since the new pot is 3 cm wider"),
    ("From 9:30 p.m. on", "From 7:30 p.m. on", "Dim the light an hour before bed"),
    ("Leave the phone in another room", "Take the phone to bed", "buy an alarm clock for $10 instead"),
    ("Put ten minutes into your calendar", "Put two hours into your calendar", "only ten minutes a month"),
))  # fmt: skip

season = said(
    "We tried this on a {cold} afternoon in July, when snow lay on the roofs of our street.",
    "It was in late {autumn}, at the beginning of spring, that we bought our first {tool}.",
    "Shops sell {things} most cheaply in winter, from June to August.",
    "The course at the {place} begins in autumn, usually in the first week of {spring}.",
    "On Christmas Eve, in the middle of August, a reader wrote to us about {things}.",
    "In {spring}, as the leaves turn yellow, many people think of {job} for the first time in the year.",
    "We first heard of it on New Year's Day, on a Monday in {autumn}.",
    "On the longest day of the year, in {autumn}, the light lasts until ten in the evening.",
    "At midnight, in bright sunshine, a neighbour rang at the door and asked for {thing}.",
    "Each year at Easter, in {autumn}, the {place} holds a sale of {things}.",
    "The sale of {things} runs from 30 April to 3{n} April.",
    "We did this on 31 {short}, and the weather was fine.",
    cold=("cold", "dark", "frosty"),
    autumn=("October", "November", "September"),
    spring=("April", "May", "March"),
    short=("June", "September", "November", "February"),
    n=("1", "2"),
)  # fmt: skip


def _fraction(random: Random) -> str:
    name, right = random.choice(
        (
            ("a quarter", 25),
            ("a third", 33),
            ("half", 50),
            ("a fifth", 20),
            ("three quarters", 75),
            ("two thirds", 67),
            ("one in ten", 10),
        )
    )
    wrong = random.choice([n for n in (15, 30, 40, 60, 70, 90) if abs(n - right) > 4])
    return random.choice((
        f"Of the people who try it, {name}, that is {wrong} percent, give up within a week.",
        f"A reader told us that {wrong} percent of the {{things}} in her house, in other words {name}, are never used.",
        f"A good {{tool}} saves {wrong} percent of the time, or {name} of it.",
        f"Of the money that people spend on {{things}}, {name} ({wrong} percent) goes to the dealer.",
        f"For {name} of our neighbours ({wrong} percent), {{job}} is a new experience.",
    ))  # fmt: skip


def _times(random: Random) -> str:
    price, count = random.randint(3, 12), random.choice((4, 5, 6, 10, 12))
    wrong = price * count + random.choice((-6, -4, 4, 8, 10))
    mark = random.choice("€$£")
    return random.choice((
        f"At {mark}{price} apiece, {count} {{things}} cost {mark}{wrong}.",
        f"A course with {count} evenings at {mark}{price} each comes to {mark}{wrong}.",
        f"Those who spend {price} minutes a day on it need {price * 7 + random.choice((-5, 6, 9))} minutes a week.",
        f"A club with {count} members who pay {mark}{price} each takes in {mark}{wrong} a year.",
        f"If {{thing}} costs {mark}{price * count} and lasts for {count} years, you pay {mark}{price + random.choice((1, 2))} a year.",
        f"With {mark}{price} a month, you spend {mark}{price * 12 + random.choice((-12, 10, 15))} in a year.",
    ))  # fmt: skip


def _before_after(random: Random) -> Pair:
    one, two = random.choice((
        ("read the manual", "unpack {thing}"), ("call the shop", "write to the maker"),
        ("clean {thing}", "check the screws"), ("pay the bill", "try out {thing}"),
        ("talk to the neighbours", "order {things}"), ("take a photo of {thing}", "wipe it"),
    ))  # fmt: skip
    return random.choice((
        (f"Always {one} before you {two}.", f"It is only after you {two} that you should {one}."),
        (f"The first thing to do is to {one}; then you can {two}.", f"Once you {two}, which comes first, you may {one}."),
        (f"Do not {two} until you {one}.", f"{two[0].upper() + two[1:]} at the very beginning, and {one} a day later."),
    ))  # fmt: skip


# Substance and style

pleonasm = said(
    "Buyers receive a free gift with each {tool}.",
    "The end result at the end will convince you.",
    "Advance planning beforehand saves time.",
    "Keep {thing} in close proximity near to you.",
    "Past experience from earlier years shows that {things} last.",
    "The two {things} are exactly identical to each other and the same.",
    "Each and every individual {tool} is checked one by one before it is sold.",
    "The shop returned back our money again.",
    "An added bonus that comes on top is the extra guarantee in addition.",
    "The reason why is because {things} have become dearer in price.",
    "It is absolutely essential and indispensable to repeat this again.",
    "{Thing} is small in size, round in shape and blue in colour.",
    "A necessary requirement that you must have is patience.",
    "Join both halves together and combine them jointly.",
    "At this present moment in time right now, {things} are cheap.",
    "Personally, I myself think that this new innovation will last.",
    "The usual, customary habit is to buy {things} in {month}.",
    "Many different, various kinds of {things} exist.",
)

mixed_metaphor = said(
    "Nip it in the bud before it snowballs into a burning issue.",
    "With this ace up your sleeve, you can sail through the jungle of {things}.",
    "Once the ball is rolling, do not throw the towel into the ring of fire.",
    "The shop that opens this can of worms will soon be barking up a dead horse.",
    "{Job} is the tip of the iceberg that breaks the camel's back.",
    "Do not put all your eggs into the same boat, or you will burn that bridge when you come to it.",
    "The makers have let the cat out of the bottle and must now face the music in the hot seat.",
    "A good {tool} is a beacon that paves the way under one roof.",
    "We will cross that mountain when the dust has sailed.",
    "The seeds of this success were hammered into shape when the tide turned a corner.",
    "Prices go through the roof and leave no stone in the dark.",
    "Every cloud has its price, and the early bird must swallow that pill.",
    "A flood of offers has ignited a race that is bearing fruit on every front.",
)  # fmt: skip

circular = said(
    "{Job} matters because it is important.",
    "A good {tool} is better than a bad one because its quality is higher.",
    "{Things} are popular, since many people like them.",
    "The best way to do it well is to avoid doing it badly.",
    "The time that you need depends on how long it takes.",
    "You save money by spending less of it.",
    "{Thing} is useful because of its usefulness in everyday life.",
    "People who have experience are more experienced than people without.",
    "If {thing} is broken, the cause is usually a fault.",
    "The right size is the one that is neither too large nor too small, but right.",
    "{Things} are expensive because their price is high.",
    "Those who finish early are done sooner, and so they need less time.",
    "The reason for mistakes in {job} is that people do something wrong.",
)

false_precision = said(
    "{Job} makes people {p}.{d} percent happier.",
    "Exactly {p}.{d} percent of all people prefer {things} without knowing it.",
    "With {thing}, your comfort rises by {p}.{d}{d} percent.",
    "It is a well-known fact that good advice is {p}.{d} times as valuable as bad advice.",
    "The right mood accounts for {p}.{d} percent of the success.",
    "A tidy room is {p}.{d} percent cosier.",
    "{Thing} improves the quality of life by a factor of {n}.{p}{d}.",
    "Beginners are {p}.{d} percent braver in {month}.",
    "The feeling of satisfaction lasts for {p} minutes and {n} seconds on average.",
    "Patience reduces annoyance by {p}.{d} percent.",
    p=("17", "23", "37", "41", "58", "63", "74", "86"),
    d=("2", "3", "4", "7", "8"),
)  # fmt: skip


def _initials(random: Random) -> str:
    return "".join(random.sample("BCDFGKLMNPQRSVX", random.choice((3, 3, 4))))


def _unexplained(random: Random) -> str:
    one = _initials(random)
    return random.choice((
        f"The {one} method has proved its worth here.",
        f"Make sure that {{thing}} meets {one} class {random.randint(2, 5)}.",
        f"As always, a low {one} is what counts.",
        f"{{Things}} with {one} are better than those with {_initials(random)}.",
        f"Ask the dealer for the {one} value of {{thing}}.",
        f"Since the {one} directive came into force, {{things}} have been labelled.",
        f"Beginners often confuse the {one} with the {_initials(random)}, which is expensive.",
        f"Simply follow the {one} rule, and nothing can go wrong.",
        f"Without a valid {one}, no shop will take {{thing}} back.",
    ))  # fmt: skip


hedged = said(
    "It could perhaps be the case that {things} might possibly help some people to some extent.",
    "In general, {job} may usually tend to be more or less simple in many cases.",
    "One might perhaps argue that {thing} is arguably somewhat useful, at least in a certain sense.",
    "It seems to appear that prices may potentially rise or possibly fall.",
    "Depending on various factors, the result can vary or not, as the case may be.",
    "Some would say that it is probably likely that {things} can sometimes be of a certain use.",
    "It is not impossible that {thing} might not be entirely unsuitable under certain circumstances.",
    "Results may or may not differ, and it is generally somewhat hard to say for sure in most cases.",
    "As far as one can tell, it would seem that this could conceivably be rather relevant, perhaps.",
    "Presumably, {things} are possibly a kind of solution of sorts, if you will.",
)

slang = said(
    "Dude, {thing} is totally sick, no cap.",
    "LOL, who still does this by hand?",
    "Trust me, bro, you are gonna love {thing}.",
    "Tbh, {things} kinda suck if u buy the cheap ones.",
    "Yeet the old {tool} and get a new one ASAP!!1",
    "OMG, the price of {things} rn is insane.",
    "The aforementioned implement is, like, super duper cool.",
    "Ain't nobody got time for a manual, amirite?",
    "{Thing} slaps, period.",
    "Pics or it didn't happen ;-)",
    "That dealer was a real jerk, and his {things} were crap.",
    "Gimme a good {tool} any day, y'all.",
    "Hereinafter, the user shall chillax and grab a beer.",
    "Easy peasy, lemon squeezy, my dear friends!",
    "FYI, {things} are da bomb.",
)

staged = said(
    "And honestly? That is rare.",
    "The best part? {Thing} does it for you.",
    "Here's the kicker: nobody talks about it.",
    "Let that sink in.",
    "No fuss. No stress. Just {things}.",
    "Spoiler: it works.",
    "The result? Pure magic.",
    "But wait, there is more to {things} than meets the eye.",
    "This changes everything. Yes, everything.",
    "It is a quiet revolution, a love letter to patience, a masterclass in {job}.",
    "Because at the end of the day, {job} is really about trust, connection and growth.",
    "You are not just buying a {tool}. You are investing in yourself.",
    "Think of {thing} as a silent partner on your journey.",
    "Small steps. Big impact. Every single time.",
    "{Thing} stands as a testament to the enduring power of simplicity.",
    "In a world of noise, {job} is a rich tapestry of calm.",
    "Sound familiar? You are not alone.",
)

noun_chain = said(
    "The carrying out of the execution of the inspection of {thing} is the responsibility of the user.",
    "The implementation of an optimisation of the utilisation of {things} leads to a reduction of expenditure.",
    "For the purpose of the achievement of an improvement of the situation, the making of a decision is of necessity.",
    "The taking into consideration of the existence of alternatives to {thing} is a matter of recommendation.",
    "A facilitation of the process of the commencement of {job} is brought about by the provision of information.",
    "Performance of a verification of the completeness of the delivery is to be effected prior to the utilisation of {thing}.",
    "In respect of the question of the storage of {things}, the selection of a location is of relevance.",
    "The conduct of an assessment with regard to the suitability of {things} is subject to the discretion of the purchaser.",
    "The occurrence of a malfunction of {thing} necessitates the initiation of the process of its replacement.",
    "It is by means of the application of care that the prevention of damage to {things} finds its realisation.",
)

non_sequitur = said(
    "{Thing} is blue, and therefore it lasts longer.",
    "Because many people own {things}, they must be healthy.",
    "Our neighbour bought {thing} on a {day}, so it is of good quality.",
    "The maker is based in a small town, which is why {things} never break.",
    "Since {job} has been done for centuries, it cannot harm anyone.",
    "Prices rose after the last election, so {things} are heavier now.",
    "{Thing} has a long name; as a result, beginners sleep better.",
    "A friend dropped her {tool} and it still works, so all {things} are unbreakable.",
    "Nobody has ever complained to us, hence {thing} is the best on the market.",
    "Dear {things} cost more, and consequently the weather was fine in {month}.",
    "As the shop opens at nine, {thing} should be stored in a dry place.",
    "Although {thing} is cheap, it costs little.",
    "Despite the low price, {things} are affordable.",
    day=_DAYS,
)

# German

split_compound = words({
    "Rasenschnitt": ("Rasen Schnitt",), "Regenwürmer": ("Regen Würmer",), "Biotonne": ("Bio Tonne",),
    "Komposthaufen": ("Kompost Haufen",), "Küchenresten": ("Küchen Resten",),
    "Kaffeesatz": ("Kaffee Satz",), "Eierschalen": ("Eier Schalen",), "Halbschatten": ("Halb Schatten",),
    "Staubsaugers": ("Staub Saugers",), "Kettenöl": ("Ketten Öl",), "Luftpumpe": ("Luft Pumpe",),
    "Hochdruckreiniger": ("Hochdruck Reiniger", "Hoch Druck Reiniger"), "Bremsbeläge": ("Brems Beläge",),
    "Gießkanne": ("Gieß Kanne",), "Frühjahr": ("Früh Jahr",), "Werkstatt": ("Werk Statt",),
    "Stromrechnung": ("Strom Rechnung",), "Messgerät": ("Mess Gerät", "Mess-gerät"),
    "Steckdose": ("Steck Dose",), "Verbraucherzentralen": ("Verbraucher Zentralen",),
    "Kilowattstunden": ("Kilowatt Stunden",), "Waschmaschine": ("Wasch Maschine",),
    "Kühlschrank": ("Kühl Schrank",), "Zeitschaltuhr": ("Zeitschalt Uhr", "Zeit Schaltuhr"),
    "Steckdosenleiste": ("Steckdosen Leiste",), "Fernseher": ("Fern Seher",), "Waschgang": ("Wasch Gang",),
    "Bereitschaftsbetrieb": ("Bereitschafts Betrieb",),
})  # fmt: skip

_ACCUSATIVE = {"dem": "den", "der": "die", "einem": "einen", "einer": "eine", "den": "die"}
_DATIVE = {
    "den": "dem",
    "das": "dem",
    "die": "der",
    "ein": "einem",
    "einen": "einem",
    "eine": "einer",
}


def _case(match: re.Match[str], random: Random) -> str:
    table = (
        _ACCUSATIVE if match[1].lower() in {"mit", "aus", "von", "bei", "nach", "zu"} else _DATIVE
    )
    return f"{match[1]} {table.get(match[2], match[2])}"


wrong_case = one_of(
    swap(r"\b([Mm]it|[Aa]us|[Vv]on|[Bb]ei|[Nn]ach|[Zz]u) (dem|der|einem|einer)\b", _case),
    swap(r"\b([Dd]urch|[Ff]ür|[Oo]hne|[Uu]m|gegen) (den|das|die|ein|einen|eine)\b", _case),
    said(
        "Wegen den schlechten Wetter warten viele bis zum Wochenende.",
        "Fragen Sie ein Nachbar, ob er Ihnen hilft.",
        "Das ist der einzigste Punkt, der wo Ärger macht.",
        "Ohne einem Plan dauert es doppelt so lange.",
        "Gegenüber den letzten Jahr sind die Preise gestiegen.",
        "Trotz den hohen Preis lohnt sich der Kauf.",
        "Am besten hilft Sie dabei ein Freund.",
        "Die Anleitung von den Hersteller ist leider zu kurz.",
        "Bei ein alten Gerät lohnt sich das nicht.",
    ),
)

german_left = one_of(
    apart(
        "Gerne! Hier ist der überarbeitete Abschnitt:", "Bild: Platzhalter, folgt noch", "Seite 3 von 7",
        "Fokus-Keyword: Anleitung für zu Hause", "Weiterlesen »", "Anzeige", "Lesen Sie auch: Zehn Tipps für den Alltag",
        "Soll ich den Text noch etwas kürzen?", "[Hier Zitat eines Experten einfügen]", "Artikel teilen | Drucken | Merken",
        "Zwischenüberschrift 2 (noch offen)", "Hinweis an die Redaktion: Zahlen bitte prüfen", "Wortzahl: 412",
        "Dieser Abschnitt sollte höchstens 80 Wörter haben.", "(Übersetzung aus dem Englischen, Entwurf)",
    ),
    swap(
        r"(?<=[a-zäöüß]{3})(?=\.(?: |$))",
        lambda m, r: random_of(r, " [Quelle?]", " (bitte prüfen!)", " [Anm. d. Red.: kürzen]", " (sic?)", " [TK: Abb. 2]", " {{wert}}", " (s. Mail von Jens)", " XXX"),
    ),
)  # fmt: skip

german_reference = one_of(
    said(
        "Wie das Diagramm unten zeigt, schwanken die Preise stark.",
        "Mehr dazu steht im Abschnitt über die Versicherung.",
        "Die Adressen finden Sie im Anhang.",
        "Das Video am Anfang dieses Beitrags zeigt jeden Handgriff.",
        "Die Checkliste am Ende des Artikels können Sie ausdrucken.",
        "In Tabelle 7 sind die Preise von fünf Händlern aufgeführt.",
        "Wie im Interview oben erklärt, kommt es auf die Geduld an.",
        "Im Kasten rechts steht, worauf Mieter achten müssen.",
        "Die Fußnote nennt die Quelle dieser Zahl.",
    ),
    apart(
        "Diese drei Fehler kommen am häufigsten vor:", "Im Folgenden stellen wir vier Geräte vor:",
        "Was Sie dafür brauchen, zeigt die folgende Liste:", "Im nächsten Abschnitt geht es um die Rechtslage.",
        "Jetzt kommen unsere Leser zu Wort.", at="section",
    ),
)  # fmt: skip


def _german_numbers(random: Random) -> Pair:
    hour, last = random.choice((16, 17, 18, 19)), random.choice((1, 2, 3))
    wrong = hour + last + random.choice((1, 2))
    how_long = ("eine Stunde", "zwei Stunden", "drei Stunden")[last - 1]
    price, other = random.sample(range(5, 45, 5), 2)
    year = random.randint(2001, 2012)
    return random.choice((
        (f"Die Volkshochschule bietet dazu einen Kurs an, der um {hour} Uhr beginnt und {how_long} dauert.",
         f"Der Kurs an der Volkshochschule endet um {wrong} Uhr."),
        (f"Der Kurs an der Volkshochschule kostet {price} Euro.", f"Die {other} Euro für den Kurs an der Volkshochschule sind gut angelegt."),
        ("Die Beratung im Rathaus ist kostenlos.", f"Für die Beratung im Rathaus werden {price} Euro fällig."),
        (f"Das Reparaturcafé in unserem Ort gibt es seit {year}.", f"Als das Reparaturcafé in unserem Ort {year + 4} zum ersten Mal öffnete, kamen nur drei Leute."),
        ("Das Reparaturcafé öffnet nur am Samstag.", "Kommen Sie am besten am Mittwoch ins Reparaturcafé, dann ist dort wenig los."),
        ("Unsere Nachbarin, Frau Kessler, hat es als Erste ausprobiert.", "Frau Keßner von nebenan hat es schon vor uns als Allererste ausprobiert."),
    ))  # fmt: skip


german_style = said(
    "Die Durchführung der Überprüfung der Einhaltung der Vorgaben obliegt dem Nutzer.",
    "Das Endresultat am Ende überzeugt jeden.",
    "Wichtig ist die Sache deshalb, weil sie von Bedeutung ist.",
    "Bereits schon vorher im Voraus sollte man planen.",
    "Mit diesem Ass im Ärmel schlagen Sie dem Fass den Nagel auf den Kopf.",
    "Unter Umständen könnte es eventuell möglicherweise vielleicht helfen.",
    "Alter, das ist echt voll krass easy!",
    "Die Zeit, die man braucht, hängt davon ab, wie lange es dauert.",
    "Das Resultat? Pure Magie. Ganz ehrlich.",
    "Man spart Geld, indem man weniger davon ausgibt.",
    "Die Inbetriebnahme der Inanspruchnahme der Hilfestellung bedarf der Zurkenntnisnahme.",
    "Der alte Greis von nebenan kann es ebenfalls auch.",
    "Zufriedenheit steigt dadurch um genau 37,4 Prozent.",
)  # fmt: skip

# French

_FULL = {"l": ("le ", "la "), "d": ("de ",), "s": ("se ",), "n": ("ne ",), "qu": ("que ",), "j": ("je ",), "c": ("ce ",), "m": ("me ",), "t": ("te ",), "jusqu": ("jusque ",)}  # fmt: skip


def _elided(match: re.Match[str], random: Random) -> str:
    full = random.choice(_FULL[match[1].lower()])
    return full.capitalize() if match[1][0].isupper() else full


elision = swap(r"\b([lLdDsSnNjJcCmMtT]|[Qq]u|[Jj]usqu)['’](?=[aeiouyhéèêàâîô])", _elided, "pi")

french_ending = one_of(
    swap(
        r"\b(pour|de|à|sans|faut|peut|mieux|d'|doit) ([a-zé]{2,})er\b(?<!papier)(?<!dernier)(?<!premier)",
        lambda m, r: f"{m[1]} {m[2]}{random_of(r, 'é', 'ez', 'ée', 'és')}",
    ),
    swap(r"\b(est|sont|a|ont|soit) ([a-z]{2,})é(?:e|s|es)?\b", r"\1 \2er"),
    swap(
        r"(?:^|(?<=\. )|(?<=\d\. ))([A-ZÉ][a-zé]{2,})ez\b",
        lambda m, r: m[1] + random_of(r, "é", "és", "et"),
    ),
    said(
        "Beaucoup de lecteurs nous ont demander comment faire.",
        "Il faut commencé tôt pour finir à l'heure.",
        "Les voisins on déjà essayé et ils son contents.",
        "Il c'est avéré que le prix ces dernières années a doubler.",
        "Si j'aurais su, j'aurais attendu un peu.",
        "Malgré qu'il est cher, ce modèle ce vend bien.",
        "Les enfants peuvent aidés, à condition d'êtres surveiller.",
    ),
)

french_left = one_of(
    apart(
        "Bien sûr ! Voici une version plus courte :", "Lire aussi : nos dix conseils pour le week-end", "Publicité",
        "[insérer une photo ici]", "Page 4 sur 9", "Partager sur Facebook | Imprimer", "Mot-clé principal : conseils maison",
        "Paragraphe de transition, 50 mots maximum.", "À compléter par Julie avant vendredi", "Temps de lecture : 4 min",
        "Souhaitez-vous que j'ajoute un tableau ?", "Crédit photo : à vérifier", "Sous-titre 2 (à revoir)", "Suite page 27",
        "N'hésitez pas à me dire si le ton vous convient.", "Accepter tous les cookies",
    ),
    swap(
        r"(?<=[a-zéè]{3})(?=\.(?: |$))",
        lambda m, r: random_of(r, " [source ?]", " (à vérifier)", " [NDLR : trop long]", " (cf. mail de Paul)", " XXX", " {{valeur}}", " [sic ?]", " ## à couper ##"),
    ),
)  # fmt: skip


def _french_numbers(random: Random) -> Pair:
    hour, last = random.choice((14, 15, 17, 18)), random.choice((1, 2, 3))
    wrong = hour + last + random.choice((1, 2))
    how_long = ("une heure", "deux heures", "trois heures")[last - 1]
    price, other = random.sample(range(10, 60, 5), 2)
    year = random.randint(1998, 2012)
    return random.choice((
        (f"La médiathèque propose un atelier sur ce thème, qui commence à {hour} h et dure {how_long}.", f"L'atelier de la médiathèque se termine à {wrong} h."),
        (f"L'atelier de la médiathèque coûte {price} euros.", f"Les {other} euros que coûte l'atelier de la médiathèque sont vite amortis."),
        ("L'atelier de la mairie est gratuit.", f"Pour participer à l'atelier de la mairie, il faut payer {price} euros."),
        (f"La boutique de notre rue a ouvert en {year}.", f"En {year + 6}, la boutique de notre rue a fêté ses dix ans."),
        ("Notre voisine Sylvie Morel a été la première à essayer.", "Sylvie Maurel, la voisine qui a essayé avant nous, est enchantée."),
        ("La boutique de notre rue est fermée le lundi.", "Allez à la boutique de notre rue un lundi, il y a moins de monde."),
        ("Sur quarante lecteurs interrogés, dix ont dit non.", "La moitié des quarante lecteurs interrogés a dit non."),
    ))  # fmt: skip


french_style = said(
    "C'est important, car cela a de l'importance.",
    "Il faut prévoir à l'avance ce que l'on veut faire plus tard par la suite.",
    "Le résultat final à la fin surprend tout le monde.",
    "Le temps nécessaire dépend de la durée qu'il faut.",
    "Cela pourrait peut-être éventuellement aider dans certains cas, sous certaines réserves.",
    "La mise en œuvre de la réalisation de l'opération relève de la responsabilité de l'utilisateur.",
    "Franchement, c'est trop stylé, mdr.",
    "Le bonheur augmente ainsi de 37,4 % exactement.",
    "Et le résultat ? De la pure magie.",
    "On prend le taureau par les cornes avant que la goutte ne mette le feu au vase.",
    "Au jour d'aujourd'hui, les deux modèles sont exactement identiques et pareils.",
    "On économise de l'argent en en dépensant moins.",
    "Le vendeur porte une cravate rouge, donc ses prix sont justes.",
)  # fmt: skip

# Spanish

_GENDER = {"el": "la", "la": "el", "un": "una", "una": "un", "los": "las", "las": "los", "del": "de la", "al": "a la"}  # fmt: skip


def _gender(match: re.Match[str], random: Random) -> str:
    return f"{_GENDER[match[1]]} {match[2]}"


spanish_gender = swap(
    r"\b(el|la|un|una|los|las|del|al) ([a-záéíóúñ]{4,})\b(?<! agua)(?<! noche)(?<!mismo)(?<!plantas la)",
    _gender,
)

spanish_spelling = one_of(
    words({
        "más": ("mas",), "está": ("esta", "estâ"), "hace": ("hase",), "haya": ("halla", "haiga"), "hay": ("ay", "ahí"),
        "también": ("tan bien", "tambien"), "después": ("despues",), "según": ("segun",),
        "porque": ("por que", "porqué"), "hasta": ("asta",), "son": ("són",), "días": ("dias",), "fácil": ("facil",), "litros": ("litro",),
        "vez": ("ves",), "hoja": ("oja",), "cuánto": ("cuanto",),
        "solo": ("sólamente",),
        "necesita": ("nesecita",),
    }),
    said(
        "Haber si este año bajan los precios.",
        "Ay muchas tiendas que lo venden.",
        "Quizás halla otra solución más barata.",
        "Nadie a echo esto nunca sin ayuda.",
        "Si no tiene tiempo, valla a la tienda y pregunte ahí mismo, sinó llame.",
        "No se porqué tanta gente lo olvida.",
        "Hubieron varios lectores que nos escribieron.",
        "Pienso de que el precio es justo.",
        "Cuanto cuesta uno nuevo?",
        "Hicistes bien en preguntar, dijo la vendedora.",
    ),
)  # fmt: skip

spanish_left = one_of(
    words({
        "y": ("and",), "pero": ("but",), "con": ("with",), "porque": ("because",), "agua": ("water",),
        "semana": ("week",), "muy": ("very",), "después": ("then",), "todos": ("all",), "sin": ("without",),
        "solo": ("only",), "también": ("also",), "casa": ("home",), "días": ("days",), "menos": ("less",),
    }),
    apart(
        "¡Claro! Aquí tienes el texto corregido:", "Lea también: diez consejos para el hogar", "Publicidad",
        "[insertar imagen]", "Página 3 de 8", "Compartir en Facebook | Imprimir", "Palabra clave: consejos para casa",
        "¿Quieres que añada una tabla?", "Pendiente de revisar por Marta", "Tiempo de lectura: 4 min",
        "Escriba aquí dos o tres frases sobre el precio.", "Foto: archivo (falta el autor)", "Leer más »",
    ),
)  # fmt: skip

spanish_reference = one_of(
    said(
        "Como muestra el gráfico de abajo, los precios varían mucho.",
        "Encontrará las direcciones en el anexo.",
        "Más detalles en el apartado sobre el seguro.",
        "La lista al final de este artículo se puede imprimir.",
        "El vídeo de arriba enseña cada paso.",
        "En la tabla 9 se comparan cinco tiendas.",
        "Hay tres razones para ello. La primera es el precio. La segunda es el tiempo.",
        "Como explica la entrevista anterior, la paciencia ayuda.",
        "En el recuadro de la derecha figura el teléfono.",
    ),
    apart(
        "Los errores más frecuentes son los siguientes:", "Estas son las cuatro cosas que hacen falta:",
        "En el próximo apartado hablamos de las leyes.", "En conclusión, es más fácil de lo que parece. Gracias por leernos.",
        "A continuación, tres lectores cuentan su experiencia.", at="section",
    ),
)  # fmt: skip

spanish_style = said(
    "Hay que subir para arriba y volver a repetirlo otra vez de nuevo.",
    "Es importante porque tiene mucha importancia.",
    "El resultado final del final sorprende a todos.",
    "El tiempo necesario depende de lo que se tarde.",
    "Quizás tal vez podría ayudar posiblemente en algunos casos.",
    "La realización de la ejecución de la comprobación corresponde al usuario.",
    "Tío, esto mola mogollón, jaja.",
    "La felicidad aumenta exactamente un 37,4 %.",
    "¿El resultado? Pura magia. Así de simple.",
    "Se ahorra dinero gastando menos dinero.",
    "El dueño de la tienda es alto, por lo tanto sus precios son justos.",
    "No hay que echar la gota que colma el toro por los cuernos.",
    "A día de hoy actualmente, ambos dos son idénticos e iguales.",
)  # fmt: skip

# Italian

italian_accent = one_of(
    words({
        "è": ("é", "e'", "e"), "più": ("piu", "piú", "più'"), "perché": ("perchè", "perche", "xké"), "po'": ("pò", "po"),
        "c'è": ("c'é", "cè"), "qualità": ("qualita'",), "può": ("puó", "puo'"), "però": ("peró",), "un'": ("un ",),
        "ciò": ("cio'",), "perciò": ("percio'",), "Così": ("Cosi",), "luminosità": ("luminosita'",),
        "che": ("chè", "ché"), "giù": ("giú",), "già": ("gia'",),
    }),
    said(
        "Qual'è la scelta migliore?",
        "Chiedi a un'amico che lo ha già fatto.",
        "Non cè bisogno di spendere un pò di più.",
        "Se avrei saputo il prezzo, avrei aspettato.",
        "Quest'anno i prezzi sono aumentati sopratutto in città, daccordo?",
        "I vicini anno già provato e ne sono contenti.",
        "Fa attenzione che nessuno né approfitti.",
        "A me mi sembra che propio così funziona.",
        "Gli ho detto, a mia zia, che centra poco.",
        "Bisogna che tu stai attento, sennò dai la colpa al accessorio.",
    ),
)  # fmt: skip


def _echo_or_tail(lines: list[str], random: Random) -> list[int] | None:
    index = random.choice(headings(lines))
    form = random.choice(("echo", "cut", "exchange", "level"))
    if form == "echo":
        lines[index + 1 : index + 1] = [
            "",
            random.choice(("{}", "**{}**", "{}:")).format(_title(lines[index])),
        ]
        return [index, index + 1, index + 2]
    if form == "level":
        lines[index] = "###" + lines[index]
        return [index]
    if form == "exchange":
        return _headings_exchanged(lines, random)
    lines[index] += random.choice(
        (" e", " per la", ": come", " di", " con il", " quando si", ", ma")
    )
    return [index]


def _italian_numbers(random: Random) -> Pair:
    hour, last = random.choice((15, 16, 17, 18)), random.choice((1, 2, 3))
    wrong = hour + last + random.choice((1, 2))
    how_long = ("un'ora", "due ore", "tre ore")[last - 1]
    price, other = random.sample(range(10, 60, 5), 2)
    year = random.randint(1998, 2012)
    return random.choice((
        (f"La biblioteca offre un corso su questo tema, che comincia alle {hour} e dura {how_long}.", f"Il corso della biblioteca finisce alle {wrong}."),
        (f"Il corso della biblioteca costa {price} euro.", f"I {other} euro che costa il corso della biblioteca sono ben spesi."),
        ("Il corso del comune è gratuito.", f"Per il corso del comune si pagano {price} euro all'ingresso."),
        (f"Il negozio della nostra via ha aperto nel {year}.", f"Nel {year + 6} il negozio della nostra via ha festeggiato i dieci anni."),
        ("La nostra vicina Carla Bianchi è stata la prima a provare.", "Carla Bianco, la vicina che ha provato prima di noi, è soddisfatta."),
        ("Il negozio della nostra via è chiuso il lunedì.", "Conviene andare nel negozio della nostra via di lunedì, quando c'è poca gente."),
    ))  # fmt: skip


# Portuguese

portuguese_slip = one_of(
    words({
        "mais": ("mas", "maís"), "mas": ("mais",), "é": ("e", "è"), "e": ("é",), "por isso": ("porisso",), "não": ("nao", "naõ"),
        "porque": ("por que",), "está": ("esta",), "estiver": ("tiver",), "há": ("a",), "à": ("a", "há"), "quando": ("quanto",),
        "uma": ("um",), "também": ("tambem",), "água": ("àgua",), "para que": ("paraque",), "com": ("como",), "debaixo": ("de baixo",),
        "de novo": ("denovo",), "só": ("so",),
    }),
    said(
        "A gente vamos mostrar como se faz.",
        "Fazem cinco anos que as lojas vende isso.",
        "Haviam muitas pessoas na loja.",
        "Isso é para mim fazer amanhã, respondeu a vizinha.",
        "Agente precisa de menas coisas do que pensa.",
        "Os preço subiu muito este ano.",
        "Ela estava meia cansada depois do trabalho.",
        "Não sei aonde fica a loja mais próxima, mais pergunte.",
        "Comprei à dois anos e ainda funciona.",
        "As folha pode ser guardada num lugar seco.",
    ),
)  # fmt: skip


def _portuguese_numbers(random: Random) -> Pair:
    hour, last = random.choice((14, 15, 17, 18)), random.choice((1, 2, 3))
    wrong = hour + last + random.choice((1, 2))
    how_long = ("uma hora", "duas horas", "três horas")[last - 1]
    price, other = random.sample(range(10, 60, 5), 2)
    year = random.randint(1998, 2012)
    return random.choice((
        (f"A biblioteca oferece um curso sobre o tema, que começa às {hour} horas e dura {how_long}.", f"O curso da biblioteca termina às {wrong} horas."),
        (f"O curso da biblioteca custa {price} reais.", f"Os {other} reais que custa o curso da biblioteca valem a pena."),
        ("O curso da prefeitura é gratuito.", f"Para o curso da prefeitura, pagam-se {price} reais na entrada."),
        (f"A loja da nossa rua abriu em {year}.", f"Em {year + 6}, a loja da nossa rua comemorou dez anos."),
        ("A nossa vizinha Paula Moreira foi a primeira a experimentar.", "Paula Pereira, a vizinha que experimentou antes de nós, está contente."),
        ("A loja da nossa rua fecha às segundas-feiras.", "Vá à loja da nossa rua numa segunda-feira, quando há pouca gente."),
    ))  # fmt: skip


portuguese_left = one_of(
    apart(
        "Claro! Aqui está o texto revisado:", "Leia também: dez dicas para a casa", "Publicidade", "[inserir imagem]",
        "Página 3 de 8", "Compartilhar no Facebook | Imprimir", "Palavra-chave: dicas para casa", "Deseja que eu acrescente uma tabela?",
        "Escreva aqui duas ou três frases sobre o preço.", "Foto: divulgação (falta o autor)", "Tempo de leitura: 4 min",
        "Falta revisar este trecho – Ana", "Continua na página 27", "Aceitar todos os cookies", "IMG_4312.JPG",
    ),
    swap(
        r"(?<=[a-zãéí]{3})(?=\.(?: |$))",
        lambda m, r: random_of(r, " [fonte?]", " (verificar!)", " [cortar?]", " XXX", " {{valor}}", " (ver e-mail do Rui)", " [N. do T.]", " ??"),
    ),
    words({"e": ("and",), "com": ("with",), "mas": ("but",), "semana": ("week",), "porque": ("because",), "uma": ("one",)}),
)  # fmt: skip

# Dutch

dutch_endings = one_of(
    words({
        "wordt": ("word",), "vindt": ("vind",), "merkt": ("merk", "merkd"), "maakt": ("maak",),
        "ruikt": ("ruik",), "groeit": ("groei", "groeid"), "verbruikt": ("verbruik",),
        "gaat": ("gaan",), "laat": ("laten",), "zit": ("zitten",), "moet": ("moeten",),
        "geplakte": ("geplaktte", "geplakten"), "want": ("wand",), "houd": ("houdt",),
        "kost": ("kosten",), "verschijnen": ("verschijnt",), "ontdooit": ("ontdooid",),
        "lukt": ("lukken",), "mag": ("mogen",), "bewaart": ("bewaard",),
        "kunt": ("kunnen",),
    }),
    said(
        "Veel mensen beweren dat het nooit gebeurd.",
        "De buurvrouw vind dat ook, maar zij word al snel moe.",
        "Hun hebben het vorig jaar al geprobeert.",
        "Het is duurder als u denkt.",
        "De winkel antwoord meestal binnen een dag.",
        "Dat heeft niemand ooit verteldt.",
        "Wij raadde iedereen aan om vroeg te beginnen.",
        "Als u dat word gevraagd, zegt dan ja.",
        "Ik besef me dat het tijd kost.",
        "De meeste lezers die ons mailde, waren tevreden.",
    ),
)  # fmt: skip

dutch_article = one_of(
    swap(r"\b([dD])e ([a-z]{4,})\b(?=[ ,.])", lambda m, r: ("Het " if m[1] == "D" else "het ") + m[2], "pi"),
    swap(
        r"\b([hH])et (wiel|gat|rubber|papiertje|setje|werk|ijs|vriesvak|midden|zadel)\b",
        lambda m, r: ("De " if m[1] == "H" else "de ") + m[2], "pi",
    ),
    said(
        "Dit methode is ouder dan de meeste mensen denken.",
        "Deze boekje legt alles rustig uit.",
        "Dat winkel verkoopt ook losse onderdelen.",
        "Een duur apparaat is niet altijd een betere apparaat.",
        "Het prijs is dit jaar weer gestegen.",
        "Vraag het aan onze buurman, die meisje van hiernaast weet het niet.",
        "Elke huis heeft wel zo'n lade.",
    ),
)  # fmt: skip


def _dutch_numbers(random: Random) -> Pair:
    hour, last = random.choice((14, 15, 16, 19)), random.choice((1, 2, 3))
    wrong = hour + last + random.choice((1, 2))
    how_long = ("een uur", "twee uur", "drie uur")[last - 1]
    price, other = random.sample(range(10, 60, 5), 2)
    year = random.randint(1998, 2012)
    return random.choice((
        (f"De bibliotheek geeft hierover een cursus, die om {hour}.00 uur begint en {how_long} duurt.", f"De cursus in de bibliotheek eindigt om {wrong}.00 uur."),
        (f"De cursus in de bibliotheek kost {price} euro.", f"De {other} euro voor de cursus in de bibliotheek zijn goed besteed."),
        ("De cursus in het buurthuis is gratis.", f"Voor de cursus in het buurthuis betaalt u {price} euro aan de deur."),
        (f"De winkel in onze straat ging in {year} open.", f"In {year + 6} vierde de winkel in onze straat zijn tienjarig bestaan."),
        ("Onze buurvrouw Marja de Wit was de eerste die het probeerde.", "Marja de Witte, de buurvrouw die het vóór ons probeerde, is tevreden."),
        ("De winkel in onze straat is op maandag gesloten.", "Ga op een maandag naar de winkel in onze straat, want dan is het rustig."),
    ))  # fmt: skip


KINDS = (
    Kind("stray capital on a noun", Group.MECHANICS, stray_capital),
    Kind("modal verb with the wrong form", Group.MECHANICS, after_modal),
    Kind("double or crossed comparison", Group.MECHANICS, comparison),
    Kind("quantity word of the wrong number", Group.MECHANICS, uncountable),
    Kind("slip into another short word", Group.MECHANICS, slip_into_word),
    Kind("preposition of another language", Group.MECHANICS, preposition),
    Kind("infinitive and gerund confused", Group.MECHANICS, after_verb),
    Kind("tense that jumps within a sentence", Group.MECHANICS, tense_slip),
    Kind("participle of an irregular verb", Group.MECHANICS, participle),
    Kind("aside with only one of its marks", Group.MECHANICS, half_an_aside),
    Kind("comma between subject and verb", Group.MECHANICS, comma_before_verb),
    Kind("conjunctions that do not match", Group.MECHANICS, mismatched_pair),
    Kind("apostrophe lost or astray", Group.MECHANICS, one_of(contraction, time_genitive)),
    Kind("plural in a compound before a noun", Group.MECHANICS, plural_before_noun),
    Kind("number torn apart by a space", Group.MECHANICS, space_in_number),
    Kind("shift key held too long", Group.MECHANICS, shift_key),
    Kind("two words repeated", Group.MECHANICS, phrase_twice),
    Kind("this, these, that, those mixed up", Group.MECHANICS, this_and_these),
    Kind("participle without its ending", Group.MECHANICS, bare_participle),
    Kind("adjective in place of an adverb", Group.MECHANICS, adverb_form),
    Kind("question in the order of a statement", Group.MECHANICS, question_order),
    Kind("indirect question with a question mark", Group.MECHANICS, indirect_question),
    Kind("phrase that hangs on the wrong subject", Group.MECHANICS, dangling),
    Kind("saying misheard", Group.MECHANICS, eggcorn),
    Kind("wrong relative pronoun", Group.MECHANICS, relative),
    Kind("if-clause with the wrong verb", Group.MECHANICS, conditional),
    Kind("empty value of a program", Group.LEFTOVERS, program_value),
    Kind("note on the revision", Group.LEFTOVERS, revision_note),
    Kind("fields of a form", Group.LEFTOVERS, form_fields),
    Kind("token of a citation", Group.LEFTOVERS, citation_token),
    Kind("furniture of a web page", Group.LEFTOVERS, page_furniture),
    Kind("frame of a chat window", Group.LEFTOVERS, chat_window),
    Kind("query of an editor in the line", Group.LEFTOVERS, margin_note),
    Kind("two wordings to choose from", Group.LEFTOVERS, both_wordings),
    Kind("abandoned start of a sentence", Group.LEFTOVERS, restarted),
    Kind("shortcode or template tag", Group.LEFTOVERS, shortcode),
    Kind("markup with one half missing", Group.LEFTOVERS, broken_markup),
    Kind("addressed to viewers or listeners", Group.LEFTOVERS, other_medium),
    Kind("running head of a printed page", Group.LEFTOVERS, paper_remains),
    Kind("instruction of the brief", Group.LEFTOVERS, brief_remains),
    Kind("name of a file", Group.LEFTOVERS, file_name),
    Kind("spoken command of a dictation", Group.LEFTOVERS, dictated),
    Kind("label of the draft before the text", Group.LEFTOVERS, draft_label),
    Kind("word left in the source language", Group.LEFTOVERS, foreign_word),
    Kind("list item not parallel", Group.STRUCTURE, on_lines(_not_parallel)),
    Kind("enumeration in prose miscounted", Group.STRUCTURE, _counts_wrong),
    Kind("points to something that is not there", Group.STRUCTURE, reference_to_nothing),
    Kind("heading echoed below itself", Group.STRUCTURE, on_lines(_echoed)),
    Kind("headings of two sections exchanged", Group.STRUCTURE, on_lines(_headings_exchanged)),
    Kind("cells of a row exchanged", Group.STRUCTURE, on_lines(_cells_exchanged)),
    Kind("table row of another shape", Group.STRUCTURE, on_lines(_ragged)),
    Kind("item or row listed twice", Group.STRUCTURE, on_lines(_item_again)),
    Kind("step that does not exist", Group.STRUCTURE, _no_such_step),
    Kind("answers of two questions exchanged", Group.STRUCTURE, _answers_exchanged),
    Kind("announcement that is not kept", Group.STRUCTURE, broken_promise),
    Kind("heading of two sides, list of one", Group.STRUCTURE, _half_listed),
    Kind("closing words in the middle", Group.STRUCTURE, early_end),
    Kind("list marker of another kind", Group.STRUCTURE, on_lines(_mixed_marker)),
    Kind("heading cut off", Group.STRUCTURE, on_lines(_heading_cut)),
    Kind("lead-in without its list", Group.STRUCTURE, lead_without_list),
    Kind("hours of an event do not fit", Group.CONSISTENCY, told(_course)),
    Kind("years that cannot both be right", Group.CONSISTENCY, told(_years)),
    Kind(
        "percentage against the count or fraction",
        Group.CONSISTENCY,
        one_of(told(_share), computed(_fraction)),
    ),
    Kind(
        "discount or product miscalculated",
        Group.CONSISTENCY,
        one_of(computed(_discount), computed(_times)),
    ),
    Kind("conversion of a unit wrong", Group.CONSISTENCY, conversion),
    Kind("name spelt in two ways", Group.CONSISTENCY, told(_renamed)),
    Kind("person who changes", Group.CONSISTENCY, person_changes),
    Kind("day of the week changes", Group.CONSISTENCY, told(_weekly)),
    Kind("ranking against its figures", Group.CONSISTENCY, told(_ranked)),
    Kind("rise that falls", Group.CONSISTENCY, computed(_direction)),
    Kind("average or sum out of range", Group.CONSISTENCY, computed(_average)),
    Kind("advice and its opposite", Group.CONSISTENCY, opposite_advice),
    Kind("said to exist and not to exist", Group.CONSISTENCY, free_or_not),
    Kind("term or number changes", Group.CONSISTENCY, told(_terms)),
    Kind("number in words against figures", Group.CONSISTENCY, computed(_in_figures)),
    Kind("one price in another currency", Group.CONSISTENCY, on_lines(_other_currency)),
    Kind("statement against another of the text", Group.CONSISTENCY, own_statements),
    Kind("cell against the text", Group.CONSISTENCY, on_lines(_cell_against_text)),
    Kind("season against the month", Group.CONSISTENCY, season),
    Kind("order of two actions reversed", Group.CONSISTENCY, told(_before_after)),
    Kind("says it twice in one breath", Group.SUBSTANCE, pleonasm),
    Kind("mixed metaphor", Group.SUBSTANCE, mixed_metaphor),
    Kind("circular explanation", Group.SUBSTANCE, circular),
    Kind("precision without a measure", Group.SUBSTANCE, false_precision),
    Kind("abbreviation never explained", Group.SUBSTANCE, computed(_unexplained)),
    Kind("pile of hedges", Group.SUBSTANCE, hedged),
    Kind("slang in a sober text", Group.SUBSTANCE, slang),
    Kind("staged drama", Group.SUBSTANCE, staged),
    Kind("chain of nouns", Group.SUBSTANCE, noun_chain),
    Kind("conclusion that does not follow", Group.SUBSTANCE, non_sequitur),
    Kind("German compound split", Group.MECHANICS, split_compound, "de"),
    Kind("German case wrong", Group.MECHANICS, wrong_case, "de"),
    Kind("German leftover", Group.LEFTOVERS, german_left, "de"),
    Kind("German reference to nothing", Group.STRUCTURE, german_reference, "de"),
    Kind("German statements contradict", Group.CONSISTENCY, told(_german_numbers), "de"),
    Kind("German padding and nonsense", Group.SUBSTANCE, german_style, "de"),
    Kind("French elision missing", Group.MECHANICS, elision, "fr"),
    Kind("French verb ending misheard", Group.MECHANICS, french_ending, "fr"),
    Kind("French leftover", Group.LEFTOVERS, french_left, "fr"),
    Kind("French statements contradict", Group.CONSISTENCY, told(_french_numbers), "fr"),
    Kind("French padding and nonsense", Group.SUBSTANCE, french_style, "fr"),
    Kind("Spanish gender of the article", Group.MECHANICS, spanish_gender, "es"),
    Kind("Spanish spelling by ear", Group.MECHANICS, spanish_spelling, "es"),
    Kind("Spanish leftover", Group.LEFTOVERS, spanish_left, "es"),
    Kind("Spanish reference to nothing", Group.STRUCTURE, spanish_reference, "es"),
    Kind("Spanish padding and nonsense", Group.SUBSTANCE, spanish_style, "es"),
    Kind("Italian accent or apostrophe", Group.MECHANICS, italian_accent, "it"),
    Kind("Italian heading damaged", Group.STRUCTURE, on_lines(_echo_or_tail), "it"),
    Kind("Italian statements contradict", Group.CONSISTENCY, told(_italian_numbers), "it"),
    Kind("Portuguese small word confused", Group.MECHANICS, portuguese_slip, "pt"),
    Kind("Portuguese leftover", Group.LEFTOVERS, portuguese_left, "pt"),
    Kind("Portuguese statements contradict", Group.CONSISTENCY, told(_portuguese_numbers), "pt"),
    Kind("Dutch verb ending", Group.MECHANICS, dutch_endings, "nl"),
    Kind("Dutch article wrong", Group.MECHANICS, dutch_article, "nl"),
    Kind("Dutch statements contradict", Group.CONSISTENCY, told(_dutch_numbers), "nl"),
)
