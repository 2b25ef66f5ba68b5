"""Structure, substance and style that no list of known wordings would find."""

import time
from pathlib import Path

import pytest

from app.core.checks import CHECKS, check_file
from app.core.checks.document import read_document
from app.core.checks.substance import check_shuffled
from app.core.languages import get_language
from app.core.text import forget, sentences
from bench.defects.carriers import carriers

PROSE = "The jar stands in the kitchen and gets warm water every day from the tap."
NEW = {
    "hard_sell", "clickbait", "insult", "prejudice", "officialese", "hedging", "question_row",
    "keyword_stuffing", "redundancy", "word_salad", "one_sided", "second_title", "misplaced",
    "restated_heading", "says_little", "shuffled",
}  # fmt: skip


def page(*parts: str) -> str:
    """A page with a title, an introduction, and these parts between two sections."""
    start = ("# Keep a jar clean", PROSE, "## Warm water", f"{PROSE} Warm water is enough.")
    return "\n\n".join([*start, *parts, "## The jar at rest", f"{PROSE} The jar rests."])


def found(text: str, language: str = "en") -> set[str]:
    return {entry.finding.check for entry in check_file(text, language).findings}


@pytest.mark.parametrize(
    ("check", "sentence"),
    [
        ("hard_sell", "Order yours today!"),
        ("hard_sell", "Only three left!"),
        ("hard_sell", "Don't miss out on this deal."),
        ("clickbait", "You won't believe what happens next."),
        ("clickbait", "Number four will shock you."),
        ("insult", "Only an idiot would do it by hand."),
        ("insult", "If you are too stupid for this, ask someone."),
        ("prejudice", "Women cannot understand such tools anyway."),
        ("prejudice", "Foreigners never pay their bills."),
        ("officialese", "Let us leverage synergies across the house."),
        ("officialese", "Please be advised that the lid is open."),
        ("hedging", "It could perhaps possibly be that it might help."),
        ("question_row", "Tired of it? Fed up? Looking for more?"),
        ("keyword_stuffing", "Best kettle cheap kettle buy kettle online kettle shop."),
        ("redundancy", "It saves money. You spend less with it. It keeps your costs down."),
        ("redundancy", "A runner is someone who runs."),
        ("word_salad", "Yesterday the of window sings under it."),
        ("one_sided", "On the one hand, it is cheap."),
        ("one_sided", "Firstly, it saves time."),
        ("careless_advice", "Mix bleach with vinegar for a stronger cleaner."),
        ("careless_advice", "Pour water on burning oil to put it out."),
        ("careless_advice", "Honey cures pneumonia, so there is no need for antibiotics."),
        ("careless_advice", "Nobody has to report rent that is paid in cash."),
        ("careless_advice", "Forge the old date on the receipt and the shop has to pay."),
        ("reference", "The [costs](#all-the-costs) come later."),
        ("reference", "The lid fits well[^7]."),
        ("reference", "The three brands mentioned above all come with a warranty."),
        ("reference", "Fill in the form at the bottom of this page."),
        ("reference", "Press play to hear the interview."),
        ("count", "It comes in four colours: red, green and blue."),
        ("count", "Of the two tools, the third is the one that matters."),
    ],
)
def test_a_sentence_of_its_class_is_found(check: str, sentence: str) -> None:
    assert check in found(page(f"{PROSE} {sentence}"))


@pytest.mark.parametrize(
    ("check", "part"),
    [
        ("list_shape", "- a pan\n- a knife\n- a pan\n- a spoon"),
        ("list_shape", "There are three ways to do it at home:\n\n## After\n\nIt ends."),
        ("table_shape", "| a | b |\n|---|---|\n| Bern | 3 |\n| Ulm | 4 |\n| Bern | 3 |"),
        ("markup", "See [this page](INSERT-LINK) first."),
        ("markup", "See [this page]() first."),
        ("list_shape", "- Price: low\n- Weight: high\n- Price: medium"),
        ("table_shape", "| a | b |\n|---|---|\n| Bern | 3 |\n| Bern | 7 |\n| Ulm | 1 |"),
        ("table_shape", "| a | b |\n|---|---|\n| Bern | 3 |\n| Ulm | |"),
        ("second_title", f"# Lids\n\n{PROSE}"),
        ("restated_heading", "## Storing lids\n\nStoring lids is about how lids are stored."),
        ("promise", "## The moons of Saturn\n\n" + f"{PROSE} " * 3),
        ("one_sided", "## Causes and solutions\n\nThe noise is caused by a loose belt."),
        ("unanswered", "## Is it safe?\n\nGreat question! Many people ask it."),
        ("unanswered", "## Which one is cheaper?\n\nThere are two models with a handle and a lid."),
        ("count", "- a cloth\n- a bucket\n\nThe sixth item of this list is optional."),
        ("count", "1. Empty it.\n2. Wipe it.\n\nRepeat step 7 until it is clean."),
        ("reference", "[^3]: According to the makers of the jar."),
        ("reference", "In this guide:\n\n- Medieval law\n- Submarine engines\n- Opera"),
        ("misplaced", f"In conclusion, all of this shows a lot.\n\n{PROSE} It is warm."),
    ],
)
def test_a_part_of_its_class_is_found(check: str, part: str) -> None:
    assert check in found(page(part))


@pytest.mark.parametrize(
    ("dangerous", "careful"),
    [
        ("Copy her signature onto the form.", "Keep a copy of your prescription in your bag."),
        ("Change the date on the receipt.", "Change your prescription lenses every two years."),
        ("Alter the dose on the prescription.", "Trace the lost prescription at the pharmacy."),
        ("Take antibiotics against the flu.", "Antibiotics do nothing for colds or the flu."),
        ("Share leftover antibiotics.", "Take antibiotics as the doctor says, also with a cold."),
        ("Put a pillow under the baby to sleep.", "Babies sleep on their backs, with no pillow."),
        ("You can do without your insulin.", "Without insulin, your blood sugar rises."),
        ("Vaccines cause autism.", "The vaccine does not cause autism."),
        ("Honey cures pneumonia.", "Honey does not cure pneumonia, nor does it replace a doctor."),
        ("Heat the tent with a grill.", "Let the grill cool before you move it inside."),
        ("Fix the wires without cutting the power.", "It works without switching branches."),
        ("A helmet is optional.", "Wear a helmet; it is not optional for children."),
        ("Serve the chicken while it is still pink.", "Cook chicken until no pink is left."),
        ("Put ice on the burn.", "Put the burn under cool water for 20 minutes, without ice."),
        ("Shares always go up.", "Shares always go up and down, so you need time."),
        ("Put your emergency fund in one stock.", "Put your savings in a bank, not in one stock."),
        ("Do not report income to the tax office.", "Gifts below the limit need no report."),
        ("Keep the money you find.", "If you find money, hand it in; keep a note of where."),
        ("With chest pain, lie down and wait.", "Chest pain is an emergency; lie down."),
    ],
)  # fmt: skip
def test_dangerous_advice_is_told_from_care_in_the_same_words(dangerous: str, careful: str) -> None:
    assert "careless_advice" in found(page(f"{PROSE} {dangerous}"))
    assert "careless_advice" not in found(page(f"{PROSE} {careful}"))


@pytest.mark.parametrize(
    "text",
    [
        "On the one hand, it is cheap. On the other hand, it breaks.",
        "On the one hand, it is cheap.\n\nBut it breaks when it falls.",
        "Firstly, it saves time. Secondly, it is cheap.",
        "Never mix bleach with vinegar.",
        "Hot dogs and grapes have to be cut lengthwise before a young child eats them.",
        "Bleach and vinegar together give off chlorine gas, which is toxic.",
        "Do not pour water on burning oil; smother it with a lid.",
        "Dogs must not eat chocolate: even a small piece is dangerous.",
        "The tax office asks for the receipt within a month.",
        "You can buy it today in most shops of the town.",
        "Two of the shops order now and then from the same firm.",
        "The shop closed before it was too late for the last bus.",
        "He called it “the one weird trick that doctors hate”, and nobody laughed.",
        "It may rain in the afternoon.",
        "Is it cheap? It costs $12, which is half of what the old one did.",
        "The women of the village bake the bread on Saturdays.",
        "Jump to [warm water](#warm-water) and then to [the top](#top).",
        "The lid fits well[^1].\n\n[^1]: Measured in May.",
        "The warm water mentioned above is enough.",
        "A loose blanket is no bed for a baby.",
        "She had been in the house for a while, and the in-laws were there.",
        "A baker is someone with flour on their hands.",
        "- Monday: open\n- Tuesday: open\n- Sunday: closed",
        "1. Empty it.\n2. Wipe it.\n\nThen go back to step 2 once more.",
        "| a | b |\n|---|---|\n| Bern | 3 |\n| Ulm | 7 |\n| Total | |",
        "There are two ways to do it at home:\n\n### By hand\n\nRub it with a dry cloth.",
        "See the [licence](LICENSE), the [list](CHANGELOG) and [my post](your-first-post.html).",
    ],
)
def test_what_is_fair_or_careful_is_not_found(text: str) -> None:
    others = {
        "markup",
        "careless_advice",
        "reference",
        "count",
        "list_shape",
        "table_shape",
        "promise",
    }
    assert found(page(text)) & (NEW | others) == set()


@pytest.mark.parametrize(
    ("language", "check", "text"),
    [
        ("de", "hard_sell", "Greifen Sie jetzt zu! Das Glas steht auf dem Tisch."),
        ("de", "insult", "Nur ein Idiot macht das von Hand."),
        ("de", "prejudice", "Ausländer zahlen nie ihre Rechnungen."),
        ("de", "careless_advice", "Mischen Sie Chlorreiniger mit Essig, das wirkt besser."),
        ("de", "one_sided", "Einerseits ist es billig."),
        ("de", "unanswered", "## Ist das gefährlich?\n\nEine gute Frage, die sich viele stellen."),
    ],
)
def test_other_languages_have_rules_of_their_own(language: str, check: str, text: str) -> None:
    assert check in found(text, language)


@pytest.mark.parametrize(
    ("language", "text", "is_found"),
    [
        ("en", "Don't chain extension cords or power strips together.", False),
        ("en", "Do not stand on the ladder without a helper.", False),
        ("en", "Climb the ladder without a helper.", True),
        ("en", "Don't hesitate to climb the ladder without a helper.", True),
        ("en", "If you don't own a rope, climb on the roof without a helper.", True),
        ("de", "Kippen Sie den Chlorreiniger nicht in Essig.", False),
    ],
)
def test_what_forbids_a_danger_advises_none(language: str, text: str, is_found: bool) -> None:
    assert ("careless_advice" in found(text, language)) == is_found


def test_the_texts_without_a_defect_have_none_of_the_new_warnings() -> None:
    for half in ("tuned", "aside"):
        for each in carriers(half):
            assert found(each.text, each.language) & NEW == set(), each.name


def test_a_text_of_praise_says_little() -> None:
    praise = [
        "Cold brew is a great way to enjoy a delightful drink at home.",
        "It offers a unique experience that helps you achieve your goals.",
        "The right beans are essential for a perfect result.",
        "Quality water also plays an important role in the process.",
        "A good filter ensures a smooth and rich flavour.",
        "Storage is another key aspect of a successful brew.",
        "Enjoy the process and create memorable moments.",
        "These tips improve the overall quality of the drink.",
    ]
    assert "says_little" in found("# Cold brew\n\n" + "\n\n".join(praise))
    figures = [f"{each[:-1]} because it costs {n + 2} euros." for n, each in enumerate(praise)]
    assert "says_little" not in found("# Cold brew\n\n" + "\n\n".join(figures))


def test_sentences_in_any_order_are_found_and_paragraphs_are_not() -> None:
    topics = "river bakery engine garden violin glacier lantern saddle pillow walnut"
    told = [
        [f"Then came the {topic} with a {topic[::-1]}{number}x." for number in range(5)]
        for topic in topics.split()
    ]
    ordered = "\n\n".join(" ".join(each) for each in told)
    # Each paragraph has one sentence about each subject.
    mixed = "\n\n".join(" ".join(each[n] for each in told) for n in range(5))

    def is_shuffled(text: str) -> bool:
        read = [each.passage for each in read_document(text).passages]
        return bool(list(check_shuffled(read, "en")))

    assert not is_shuffled(ordered)
    assert is_shuffled(mixed)


def test_every_danger_can_be_found_by_the_beginnings_of_its_words() -> None:
    for tag in ("en", "de"):
        language = get_language(tag)
        assert language
        assert language.safety
        assert all(language.safety.beginnings), tag


def test_findings_quote_the_text_and_say_what_to_do() -> None:
    text = page(f"{PROSE} Order yours today!", "# Lids", f"{PROSE} Only an idiot waits.")
    reasons = [
        entry.finding.reason
        for entry in check_file(text).findings
        if entry.finding.check in {"hard_sell", "insult", "second_title"}
    ]
    assert len(reasons) == 3
    assert all("“" in reason and reason.endswith(".") for reason in reasons)
    assert all(CHECKS[name].fixable or name == "shuffled" for name in NEW)


def test_the_time_grows_with_the_length_of_the_text() -> None:
    path = Path(__file__).parents[2] / "bench/defects/carriers/aside/mowers.md"
    text = path.read_text("utf-8")
    link = "See [this](#nowhere-1) and the brand mentioned above[^9]. On the one hand, it is cheap."
    times = []
    for size in (4, 16):
        long = "\n\n".join(f"{text}\n\n{link}" for _ in range(size))
        forget()
        sentences(long, "en")
        began = time.process_time()
        check_file(long)
        times.append(time.process_time() - began)
    assert times[1] < 12 * times[0]


@pytest.mark.parametrize("end", ['."', ".”", ".)", ".”)", ".«"])
def test_a_full_stop_before_a_closing_sign_ends_an_item(end: str) -> None:
    lines = [f"- The jar number {n} stays on the shelf." for n in range(4)]
    right = [*lines, f"- The last one is for the label that says so{end}", lines[0][:-2] + "board."]
    assert "list_shape" not in found(page("\n".join(right)))
    wrong = [*right[:-2], "- The last one is for the label that says so", right[-1]]
    assert "list_shape" in found(page("\n".join(wrong)))


def test_pricing_is_a_promise_only_where_it_is_not_the_subject() -> None:
    def promised(heading: str) -> bool:
        return "promise" in found(page(f"## {heading}", PROSE))

    assert not promised("Contracts, usage pricing and young companies")
    assert not promised("How value-based pricing changes a contract")
    assert promised("Jar sizes and pricing")
    assert promised("Pricing of the jars")
