"""Structure: counts, references, promises, questions, headings, lists, tables, steps, advice."""

from collections.abc import Callable

import pytest

from app.core.checks import FileReport, Severity, check_file
from app.core.checks.desk import LAYOUT_CHECKS, check_layout
from app.core.checks.document import read_document
from app.core.checks.layout import BlockKind, layout_of
from app.core.planning.brief import Brief
from app.core.schemas.post import Faq, SEOPost
from tests.unit.findings import findings_in, of

MakePost = Callable[..., SEOPost]
MakeBrief = Callable[..., Brief]
NAMES = {check.name for check in LAYOUT_CHECKS}
PROSE = "The jar stands in the kitchen and gets warm water every day from the tap."


def checks_of(report: FileReport) -> set[str]:
    return {entry.finding.check for entry in report.findings} & NAMES


def found(text: str, language: str = "en") -> set[str]:
    return checks_of(check_file(text, language))


def page(*parts: str) -> str:
    """A page with a title, an introduction, and these parts between two sections."""
    start = ("# Keep a jar clean", PROSE, "## Warm water", f"{PROSE} Warm water is enough.")
    return "\n\n".join([*start, *parts, "## The jar at rest", f"{PROSE} The jar rests."])


CASES: list[tuple[str, str]] = [
    # Counts that do not hold.
    ("count", page("You need these five things:\n\n- a cloth\n- a bucket\n- warm water")),
    ("count", page("There are three ways to do it:\n\n1. by hand\n2. with a machine")),
    ("count", page("Follow the following four steps.\n\n1. Wash it.\n2. Dry it.\n3. Store it.")),
    ("count", page("There are four reasons for it: cost, time and noise.")),
    ("count", page("There are three reasons. First, it is cheap. Second, it is easy to do.")),
    ("count", page("It helps both cats, dogs and horses in the same way.")),
    ("count", "# 7 tips for a clean jar\n\n" + page().partition("\n\n")[2]),
    ("count", "# Four days\n\nText.\n\n## Day one: a\n\nText.\n\n## Day two: b\n\nText."),
    ("count", "# Jars\n\nSome text.\n\n## Three mistakes to avoid\n\n- One\n- Two\n\n## Z z\n\nY."),
    # References to what is not there.
    ("reference", page("The table below shows the prices side by side.")),
    ("reference", page("As shown in figure 2, the lid fits well.")),
    ("reference", page("The image above makes the difference plain.")),
    ("reference", page("In the video you can watch how we fill it.")),
    ("reference", page("Click here to order the jar from us.")),
    ("reference", page("The link below leads to the shop.")),
    ("reference", page("Download our checklist and print it.")),
    ("reference", page("Then go on as in step 7 and close the lid.")),
    ("reference", page("See the section on insurance further down.")),
    ("reference", page("As chapter 9 explains, it depends on the lid.")),
    ("reference", f"As mentioned above, jars need care.\n\n## One jar\n\n{PROSE}\n\n{PROSE}"),
    ("reference", page() + "\n\nIn the next section we look at lids."),
    # Promises.
    ("promise", "# Jars: pros and cons\n\nA jar is good.\n\n## Glass\n\nIt is good as well."),
    ("promise", "# A recipe for soup\n\nSoup is warm.\n\n## Taste\n\nIt tastes fine."),
    ("promise", "# Glass vs plastic\n\nGlass is heavy.\n\n## Weight\n\nGlass weighs a lot."),
    ("promise", "# Jars with pictures\n\nA jar is round.\n\n## Lids\n\nThey are round."),
    ("promise", "---\ndescription: All prices of jars\n---\n# Jars\n\nA jar is round and nice."),
    ("promise", f"# Jars\n\nThis guide also covers insurance. {PROSE}\n\n## Lids\n\nThey fit."),
    # Titles, headings and questions that say the same.
    ("alike", page("## Keep the jar clean", PROSE)),
    ("alike", page("## How should I wash a lid?", PROSE, "## How do I wash the lid?", PROSE)),
    ("heading_level", page("#### A lid", PROSE)),
    ("heading_end", page("## Washing the lid:", PROSE)),
    ("heading_end", page("## We always wash the lids.", PROSE)),
    ("empty_section", page("## The lids of old")),
    ("section_order", page("## Conclusion", PROSE, "## More lids", PROSE)),
    ("section_order", "In conclusion, jars are good.\n\n## A b\n\nText.\n\n## C d\n\nText."),
    ("section_order", page() + f"\n\n## Introduction\n\n{PROSE}"),
    # Lists, tables and steps.
    ("list_shape", page("Keep these points in mind:\n\n- Let it dry first.")),
    ("list_shape", page("Take this:\n\n- a cloth\n-\n- a bucket")),
    ("table_shape", page("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 |")),
    ("table_shape", page("| a | b |\n|---|---|\n| 1 | |\n| 3 | 4 |")),
    ("numbering", page("1. Wash it.\n2. Dry it.\n4. Store it.")),
    ("numbering", page("Step 1: Wash.\n\nStep 2: Dry.\n\nStep 4: Store.")),
    ("numbering", page("## 1. Wash it", PROSE, "## 2. Dry it", PROSE, "## 2. Store it", PROSE)),
    ("numbering", page("You 1) wash the jar, 2) dry it and 4) store it.")),
    ("step_order", page("First, empty it. Third, let it dry.")),
    ("step_order", page("1. Finally, close it.\n2. Wash it.\n3. Dry it.")),
    ("step_order", page("1. Serve the soup.\n2. Chop the onions.\n3. Boil the water.")),
    # Questions and answers.
    ("unanswered", page("## When should I start?", "A cloth and some warm water are enough.")),
    ("unanswered", page("## How much does it cost?", "Colours are a matter of taste for people.")),
    ("unanswered", page("## Where does it stand?", "Yes, the jar stands well and looks fine.")),
    ("unanswered", page("## Can dogs drink the tea?", "Lids and jars cost money in summer.")),
    # Advice without care.
    ("careless_advice", page("Take 800 mg of ibuprofen every three hours.")),
    ("careless_advice", page("Stop taking your blood pressure tablets when you feel well.")),
    ("careless_advice", page("A return of 12 % is guaranteed with this share.")),
    ("careless_advice", page("You do not need a lawyer for that.")),
    ("careless_advice", page("Put all your savings into this one share.")),
]


@pytest.mark.parametrize(("check", "text"), CASES)
def test_what_does_not_hold_is_found(check: str, text: str) -> None:
    assert check in found(text)


@pytest.mark.parametrize(
    "text",
    [
        page(),
        page("You need these three things:\n\n- a cloth\n- a bucket\n- warm water"),
        page("There are four limits: two for users and two for groups."),
        page("Both cats and dogs like it."),
        "# 2 tips for a clean jar\n\n" + page().partition("\n\n")[2],
        "# Chapter 15. Changes of the jar\n\n" + page().partition("\n\n")[2],
        page("The table below shows the prices.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"),
        page("![A jar](jar.png)\n\nThe image above shows the jar."),
        page("Click [here](https://example.org) to read more."),
        page("1. Wash it.\n2. Dry it.\n3. Repeat step 2."),
        page("See the section on warm water above."),
        page("We sat at the table and looked at the picture on the wall."),
        "# Jars: pros and cons\n\nA jar is good, but it breaks.\n\n## Glass\n\nIt is heavy.",
        "# Glass vs plastic\n\nGlass is heavy, plastic is light.\n\n## Weight\n\nBoth weigh.",
        page("## How should I wash a lid?", PROSE, "## When should I wash a lid?", "At night."),
        page("## What is etc.", PROSE, "## Jars of Acme Inc.", PROSE),
        page("## References", PROSE),
        page("1. Wash it.\n1. Dry it.\n1. Store it."),
        page("3. Wash it.\n4. Dry it."),
        page("First cups are free. Third parties pay."),
        page("## When should I start?", "Start in May, when the nights are warm."),
        page("## How much does it cost?", "It depends on the size of the jar."),
        page("## Can I drink the water?", "Only after boiling it for some minutes."),
        page("Never stop taking your tablets without asking a doctor."),
        page("Do not change or stop a prescribed medicine without talking to your doctor."),
        page("- Wash it at last.\n- Wipe the lid.\n- First of all, empty it."),
        page(
            "## Can I change my medicine if my readings are good?",
            "No, because they may be the effect of the medicine, and without it your blood pressure"
            " can climb again.",
        ),
        page("Nobody can promise a guaranteed return, so beware of such offers."),
        page("Take 400 mg of ibuprofen at most, and ask your doctor first."),
        page("Add 500 mg of salt to the dough."),
    ],
)
def test_what_holds_is_not_found(text: str) -> None:
    assert found(text) == set()


@pytest.mark.parametrize(
    ("language", "check", "text"),
    [
        ("de", "count", "Sie brauchen diese fünf Dinge:\n\n- ein Tuch\n- Seife\n- warmes Wasser"),
        ("de", "reference", "Die folgende Tabelle zeigt alle Preise."),
        ("de", "careless_advice", "Stecken Sie Ihr ganzes Geld in diese Aktie, die Rendite ist"
         " garantiert."),
        ("fr", "count", "Voici les trois étapes :\n\n- laver\n- sécher"),
        ("fr", "reference", "Le tableau ci-dessous donne les prix."),
        ("es", "count", "Sigue estos cuatro pasos:\n\n- lavar\n- secar"),
        ("es", "reference", "La siguiente tabla muestra los precios."),
        ("it", "count", "Ecco i tre passi:\n\n- lavare\n- asciugare"),
        ("it", "reference", "La tabella qui sotto mostra i prezzi."),
        ("pt-BR", "count", "Siga estes quatro passos:\n\n- lavar\n- secar"),
        ("pt-BR", "reference", "A tabela abaixo mostra os preços."),
        ("nl", "count", "Volg deze vier stappen:\n\n- wassen\n- drogen"),
        ("nl", "reference", "De onderstaande tabel toont de prijzen."),
    ],
)  # fmt: skip
def test_counts_and_references_are_read_in_seven_languages(
    language: str, check: str, text: str
) -> None:
    assert check in found(f"# Glas\n\n## Glas 1\n\n{text}", language)


def test_a_good_post_keeps_what_it_promises(make_post: MakePost, make_brief: MakeBrief) -> None:
    assert check_layout(layout_of(make_post()), "en") == []


def test_a_post_is_checked_like_a_file(make_post: MakePost, make_brief: MakeBrief) -> None:
    bodies = (
        ("Why a coarse grind matters for cold brew",
         "You need these five things:\n\n- a jar\n- a cup\n- water\n\nThe table below lists them."),
        ("How long the jar should rest", "1. Fill the jar.\n2. Close it.\n4. Wait."),
    )  # fmt: skip
    faqs = (
        Faq(question="How can I heat it?", answer="On a low flame and never to a boil."),
        Faq(question="How do I heat it?", answer="On a low flame, and it stays mild."),
    )
    findings = findings_in(make_post(bodies=bodies, faqs=faqs), make_brief())
    assert [each.section for each in of("count", findings)] == ["sections[1].blocks[0]"]
    assert [each.section for each in of("reference", findings)] == ["sections[1].blocks[2]"]
    assert [each.section for each in of("numbering", findings)] == [
        "sections[2].blocks[0].items[2]"
    ]
    assert [each.section for each in of("alike", findings)] == ["faqs[1].question"]
    assert {each.severity for each in findings if each.check in NAMES} == {Severity.WARNING}


def test_a_finding_in_a_file_names_the_line_and_the_words() -> None:
    report = check_file(page("It is dry. The table below shows it."))
    (entry,) = [each for each in report.findings if each.finding.check == "reference"]
    assert (entry.line, entry.column) == (9, 12)


def test_the_layout_of_a_file_has_levels_numbers_and_cells() -> None:
    text = (
        "# A\n\n3. One\n   - sub\n5. Two\n\n| a | b |\n|---|---|\n| 1 |\n\n> quoted\n\n"
        "![x](y.png)\n\n```\ncode\n```\n"
    )
    blocks = read_document(text).layout.blocks
    assert [block.kind for block in blocks] == [
        BlockKind.HEADING, BlockKind.LIST, BlockKind.TABLE, BlockKind.QUOTATION, BlockKind.IMAGE,
        BlockKind.CODE,
    ]  # fmt: skip
    assert blocks[1].numbers == [3, 5]
    assert [(item.text, item.has_more) for item in blocks[1].items] == [
        ("One", True),
        ("Two", False),
    ]
    assert blocks[2].written == [1]


def test_the_title_and_description_of_a_file_may_stand_in_its_front_matter() -> None:
    layout = read_document('---\ntitle: "Jars"\ndescription: All of them\n---\nText.').layout
    assert (layout.title, layout.description) == ("Jars", "All of them")
