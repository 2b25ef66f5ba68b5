"""What a post has of sources that say far more than it has room for."""

from datetime import UTC, datetime

import pytest

from app.core.planning.brief import Brief, make_brief
from app.core.schemas.request import parse_generate_request
from app.core.sources.source import Source
from app.core.verification import Grounding, RequestContext
from app.core.writing.composition import Composer, Composition
from app.core.writing.coverage import is_akin
from app.core.writing.search_result import Part, SearchResult

NOW = datetime(2026, 1, 31, tzinfo=UTC)
PAGE = """A wood stove heats one room and saves gas on cold days.
Where to put the stove
A stove stands at least 40 centimetres from every wall that can burn.
The floor below a stove is of stone, tiles or steel.
Stoves in figures
In 2019 about 11 million stoves stood in the homes of the country.
The first iron stove of the country was cast in the year 1490.
A tale of one stove
Ida bought a stove from her neighbour and carried it home with two friends.
The stove was so heavy that they had to rest on every second stair.
Never burn wet wood
Never burn wood with more than 20 percent of water in a stove.
Wet wood makes tar, and the tar burns in the chimney.
Storing the wood
Split logs dry for two years under a roof that is open to the wind.
Logs that touch the ground take up water and rot.
Sweeping
The sweep cleans the chimney twice a year and looks at the stove.
Can I leave the stove alone overnight?
No. Nobody should sleep while a stove burns with an open damper.
Must I sort the ash by colour?
No. Cold ash of clean wood goes into the bin for household waste."""


LONG = """Storing the wood
Split logs dry for two years under a roof that is open to the wind.
A pallet keeps the lowest row of the wood away from wet ground.
Beech needs longer to dry than spruce, because its pores are narrow.
A meter with two pins tells how much water is left in a log.
Cellars without windows are too damp for wood in every season."""


def brief_of(**more: object) -> Brief:
    body = {
        "keywords": ["wood stove"],
        "topic": "where to put a wood stove, which wood not to burn, and storing it",
        "language": "en",
        "constraints": {"minWords": 100, "maxWords": 600, **more},
    }
    return make_brief(parse_generate_request(body), max_words=600, sourced=True)


def composer(brief: Brief, room: int, *pages: str) -> Composer:
    sources = tuple(
        Source(f"https://{at}.example/", f"{at}.example", "Stoves", page, "en", NOW, NOW)
        for at, page in enumerate(pages)
    )
    context = RequestContext("en", brief.keywords, brief.topic or "", ())
    about = " ".join([*brief.keywords, brief.topic or ""])
    notes = Grounding(sources, context, NOW.date()).quotations(about, 200, is_read=False)
    return Composer(notes, brief, room, dict.fromkeys(range(len(pages)), "Stoves"))


def composed(brief: Brief, room: int, *pages: str) -> Composition:
    made = composer(brief, room, *pages).compose()
    assert made is not None
    return made


def test_what_the_request_names_comes_before_figures_and_stories() -> None:
    made = composed(brief_of(), 110, PAGE)
    headings = [group.heading for group in made.groups]
    assert headings == ["Where to put the stove", "Never burn wet wood", "Storing the wood"]
    assert made.introduction[0].text.startswith("A wood stove heats")


def test_a_story_in_the_words_of_the_request_is_a_story() -> None:
    page = PAGE.replace("A tale of one stove", "A tale of storing and burning")
    made = composed(brief_of(), 110, page)
    assert "A tale of storing and burning" not in [group.heading for group in made.groups]


def test_few_sections_are_long_ones() -> None:
    page = PAGE[: PAGE.index("Storing")] + LONG
    two = composed(brief_of(maxSections=2), 130, PAGE)
    assert len(two.groups) == 2
    (one,) = composed(brief_of(maxSections=1, minWords=60, maxWords=130), 110, page).groups
    assert one.heading == "Storing the wood"


def test_what_is_headed_by_the_keyword_comes_first() -> None:
    page = PAGE.replace("Storing the wood", "Storing wood for a wood stove")
    made = composed(brief_of(), 110, page)
    assert made.groups[0].heading == "Storing wood for a wood stove"


def test_a_page_that_fits_stays_whole() -> None:
    made = composed(brief_of(), 400, PAGE)
    assert "A tale of one stove" in [group.heading for group in made.groups]


def test_questions_of_pages_with_short_answers_are_the_questions_of_the_post() -> None:
    made = composed(brief_of(includeFAQs=True), 160, PAGE)
    assert "Can I leave the stove alone overnight?" in made.questions
    assert made.questions["Can I leave the stove alone overnight?"][0].text.startswith("No. Nobody")
    assert not any(group.heading.endswith("?") for group in made.groups)


def test_an_answer_that_repeats_a_section_is_left_out() -> None:
    again = "\nMay I burn wood that is wet?\nNever burn wood with 25 percent of water in a stove."
    made = composed(brief_of(includeFAQs=True), 160, PAGE + again)
    assert "May I burn wood that is wet?" not in made.questions


def test_what_leads_to_a_list_stays_with_it_and_is_nothing_without_it() -> None:
    page = PAGE.replace(
        "Sweeping\n",
        "Never close the damper\nIt is dangerous for two reasons:\n- Smoke comes into the room.\n"
        "- The fire goes on to smoulder for hours.\nSweeping\nThese are the tools:\n",
    )
    made = composed(brief_of(), 400, page)
    texts = [note.text for group in made.groups for note in group.notes]
    assert "It is dangerous for two reasons:" in texts
    assert "These are the tools:" not in texts


def test_a_long_section_is_shortened_by_whole_paragraphs() -> None:
    page = PAGE[: PAGE.index("Storing")] + LONG
    made = composed(brief_of(), 120, page)
    (stored,) = [group for group in made.groups if group.heading == "Storing the wood"]
    assert [note.text for note in stored.notes] == LONG.split("\n")[1 : 1 + len(stored.notes)]
    assert 2 <= len(stored.notes) < 5


@pytest.mark.parametrize(
    ("one", "other", "akin"),
    [
        ("storag", "store", True),
        ("kundig", "kundigungsfrist", True),
        ("verfallt", "verfall", True),
        ("contain", "control", False),
        ("salt", "safe", False),
    ],
)
def test_words_of_one_family_begin_alike(one: str, other: str, akin: bool) -> None:
    assert is_akin(one, other) is is_akin(other, one) is akin


def result_of(keyword: str, topic: str) -> SearchResult:
    request = parse_generate_request({"keywords": [keyword], "topic": topic, "language": "en"})
    brief = make_brief(request, max_words=600, sourced=True)
    return SearchResult(brief, composer(brief, 110, PAGE).names, is_choice=True)


@pytest.mark.parametrize(
    ("keyword", "topic", "title"),
    [
        (
            "Section 75 vs chargeback",
            "the difference between a Section 75 claim and a chargeback, and which to use",
            "Section 75 vs chargeback: which to use",
        ),
        (
            "portable generator safety",
            "running a portable generator safely during a power outage, from buying to refueling",
            "Portable generator safety during a power outage",
        ),
    ],
)
def test_the_title_of_a_choice_is_of_the_topic(keyword: str, topic: str, title: str) -> None:
    parts = [Part("A tale of one sofa"), Part("Other sources of smoke")]
    assert title in result_of(keyword, topic).titles(parts, [], topic)[:2]


def test_a_post_without_topics_has_no_description_of_them() -> None:
    assert result_of("wood stove", "stoves").descriptions("Wood stove", ["A stove."], [], 0) == []


def test_the_topic_describes_a_choice() -> None:
    topic = (
        "how to run a wood stove from the first fire to the last one, which wood you should not"
        " burn, and where to keep the logs dry"
    )
    found = result_of("wood stove", topic).descriptions("Wood stove", ["A stove."], [], 0)
    assert found == [f"H{topic[1:]}."]
