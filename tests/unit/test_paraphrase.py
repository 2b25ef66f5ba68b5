"""Posts of a small model from notes: it puts them into other words, and adds nothing."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest

from app.core.checks import post_words
from app.core.planning.brief import Brief, make_brief
from app.core.schemas.post import SEOPost
from app.core.schemas.request import parse_generate_request
from app.core.sources.source import Source
from app.core.verification import Extract, Grounding, RequestContext
from app.core.writing.completion import Completion, Prompt
from app.core.writing.forms import as_steps
from app.core.writing.plan import Form
from app.core.writing.profile import SMALL
from app.deadline import Deadline
from app.ports import Model
from app.services.paraphrase import Paraphrase
from app.services.pipeline import PostRejected, Writers, Written, write_post
from tests.support.scripted_model.paraphraser import notes_of, paraphrased

NOW = datetime(2026, 1, 31, tzinfo=UTC)
NOTES = (
    "A radiator that stays cold at the top usually has trapped air in it.",
    "Switch the heating off and wait an hour until the radiator has cooled down.",
    "The bleed valve is a small square pin near the top corner of the radiator.",
    "Keep a cloth under the valve because dark water stains the wall and the carpet.",
    "Open the valve with a key by half a turn until the hissing noise stops.",
    "Close the valve as soon as water drips out of it without any bubbles.",
    "Letting air out lowers the pressure that the boiler shows on its gauge.",
    "A pressure between 1 and 1.5 bar suits most boilers of this kind.",
    "Gurgling sounds at night are another sign that a pipe contains air.",
    "Sludge keeps the lower half cold, and bleeding does not remove it.",
    "Start with a radiator downstairs and work upwards through the house.",
    "Tenants ask their landlord before they touch a valve of the heating.",
)
FACTS = (
    "Thermostats save gas in rooms nobody uses.",
    "A thermostat that is stuck keeps its room cold.",
    "Old pipes may knock when the water in them warms up.",
    "Copper pipes outlast most kinds of boiler.",
    "White paint hides rust around the bleed valve.",
    "Rust around a valve means that it leaks.",
)


@dataclass
class Rewriter(Model):
    """The scripted model; ``rewrite`` changes its texts, told how often it was asked."""

    rewrite: Callable[[str, int], str] = lambda notes, _: notes
    name = "rewriter"
    concurrency = 1
    prompts: list[Prompt] = field(default_factory=list)

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        self.prompts.append(prompt)
        return Completion(self._answer(prompt))

    def ping(self) -> None:
        """Always there."""

    def _answer(self, prompt: Prompt) -> str:
        told = paraphrased(prompt.user) or ""
        if "in other words" not in prompt.user:
            return told
        times = sum(each.user == prompt.user for each in self.prompts)
        return self.rewrite(told, times)


def grounding(*notes: str) -> Grounding:
    source = Source("https://a.example/", "a.example", "Radiators", " ".join(notes), "en", NOW, NOW)
    return Grounding((source,), RequestContext("en", ("bleed a radiator",)), NOW.date())


def brief_with(*keywords: str, **limits: object) -> Brief:
    constraints = {"minWords": 100, "maxWords": 450, **limits}
    request = parse_generate_request({"keywords": list(keywords), "constraints": constraints})
    return make_brief(request, max_words=450, sourced=True)


def write(model: Model, brief: Brief, *notes: str) -> Written:
    return write_post(
        Writers(model, SMALL, seed=1), brief, deadline=Deadline(60), grounding=grounding(*notes)
    )


def text_of(post: SEOPost) -> str:
    return "\n\n".join(each.content_markdown or "" for each in post.sections)


def written_of(text: str) -> set[str]:
    return {note for note in NOTES if note in text}


def rewritten(model: Rewriter) -> list[list[str]]:
    """Return the notes of each call that rewrote some, repetitions left out."""
    asked = [notes_of(prompt.user) for prompt in model.prompts if "in other words" in prompt.user]
    return [notes for number, notes in enumerate(asked) if notes not in asked[:number]]


def test_every_part_is_notes_word_for_word_and_steps_keep_their_order() -> None:
    model = Rewriter()
    written = write(model, brief_with("bleed a radiator"), *NOTES)
    text = text_of(written.post)
    assert written_of(text) == set(NOTES)
    steps = NOTES[1:8]
    assert sorted(steps, key=text.find) == list(steps)
    assert not rewritten(model)


ORDER_TO_READERS = "Write down which radiator of your house you bleed first."
CARELESS = "Put the radiator key in and light a charcoal grill indoors beside the radiator."


def test_a_warning_costs_no_sentence_of_a_source() -> None:
    """Without it, the rest may say something else."""
    written = write(Rewriter(), brief_with("bleed a radiator"), *NOTES, CARELESS)
    assert "careless_advice" in {each.check for each in written.warnings}
    assert CARELESS in text_of(written.post)


def test_what_may_be_an_order_to_a_model_is_copied_and_no_model_reads_it() -> None:
    notes = (*NOTES, ORDER_TO_READERS)
    model = Rewriter()
    written = write(model, brief_with("bleed a radiator", includeFAQs=True), *notes)
    assert ORDER_TO_READERS in text_of(written.post)
    assert model.prompts
    assert not any(ORDER_TO_READERS in prompt.user for prompt in model.prompts)


def test_where_an_editor_reads_the_post_it_has_nothing_that_may_be_an_order_to_a_model() -> None:
    editor = Rewriter()
    written = write_post(
        Writers(Rewriter(), SMALL, editor, seed=1),
        brief_with("bleed a radiator"),
        deadline=Deadline(60),
        grounding=grounding(*NOTES, ORDER_TO_READERS),
    )
    assert ORDER_TO_READERS not in text_of(written.post)
    assert not any(ORDER_TO_READERS in prompt.user for prompt in editor.prompts)


def test_answers_are_notes_that_no_section_has() -> None:
    brief = brief_with("bleed a radiator", includeFAQs=True)
    question = "How often does the gauge need a look?"
    answer = "The gauge of the boiler needs a look once a month."
    post = write(Rewriter(), brief, *NOTES, f"\n{question}\n{answer}").post
    assert [(faq.question, faq.answer) for faq in post.faqs] == [(question, answer)]
    sections = "\n".join(each.content_markdown or "" for each in post.sections)
    assert "once a month" not in sections


def test_no_question_is_made_up_if_no_page_asks_one() -> None:
    model = Rewriter()
    post = write(model, brief_with("bleed a radiator", includeFAQs=True), *NOTES).post
    assert not post.faqs
    assert not any("question" in prompt.user for prompt in model.prompts)


def refused(model: Model) -> SEOPost:
    """Return a verified post from notes that are copied in the end, which is refused for it."""
    brief = replace(brief_with("bleed a radiator"), verified=True)
    with pytest.raises(PostRejected) as rejected:
        write(model, brief, *NOTES)
    return rejected.value.post


def test_each_part_of_a_verified_post_is_its_notes_in_other_words() -> None:
    model = Rewriter()
    refused(model)
    told = [note for notes in rewritten(model) for note in notes]
    assert sorted(told) == sorted(NOTES)


def test_a_text_that_is_not_its_notes_is_asked_for_again_and_warmer() -> None:
    def invents_at_first(notes: str, times: int) -> str:
        invented = "Gather pliers, goggles and a wrench from the garage before anything else."
        return invented if times == 1 else notes

    model = Rewriter(invents_at_first)
    assert "pliers" not in text_of(refused(model))
    temperatures = [each.temperature for each in model.prompts if "in other words" in each.user]
    assert temperatures[1] > temperatures[0] == SMALL.temperature


def test_a_number_that_no_note_has_is_asked_for_again() -> None:
    model = Rewriter(lambda notes, times: notes.replace("1.5", "2.5") if times == 1 else notes)
    assert "2.5" not in text_of(refused(model))


def test_a_keyword_that_no_note_uses_is_in_the_heading_of_the_section_that_it_fits() -> None:
    written = write(Rewriter(), brief_with("bleed a radiator", "boiler pressure gauge"), *NOTES)
    (headed,) = [
        each.content_markdown
        for each in written.post.sections
        if (each.heading or "").startswith("Boiler pressure gauge")
    ]
    assert "A pressure between" in (headed or "")


def test_a_post_that_is_short_of_words_has_the_keyword_before_its_headings() -> None:
    page = (*NOTES, f"\nParts that wear\n{FACTS[0]}", *FACTS[1:])
    words = post_words(write(Rewriter(), brief_with("gauge", minWords=100), *page).post)
    post = write(Rewriter(), brief_with("gauge", minWords=words + 5), *page).post
    assert "Gauge: Parts that wear" in post.outline.h2


def test_notes_that_are_orders_become_numbered_steps() -> None:
    orders = (
        "Turn the heating off and wait until the metal feels cool to the hand.",
        "Put a cloth and a bowl below the valve before you begin with the work.",
        "Open the small pin with the key until the hissing noise is over.",
        "Close the pin when clear water drips out of it without any bubbles.",
        "Check the gauge of the boiler before you switch the heating on again.",
    )
    written = write(Rewriter(), brief_with("bleed a radiator"), *NOTES[:2], *orders, *NOTES[5:])
    text = text_of(written.post)
    assert f"2. {orders[0]}\n3. {orders[1]}\n4. " in text


def test_without_enough_notes_the_plan_is_asked_for_as_without_sources() -> None:
    model = Rewriter()
    with pytest.raises(Exception, match="still fails"):
        write(model, brief_with("bleed a radiator"), *NOTES[:2])
    assert model.prompts[0].schema_name == "plan"


def test_two_sections_never_have_the_same_heading() -> None:
    @dataclass
    class SameHeading(Rewriter):
        def _answer(self, prompt: Prompt) -> str:
            is_heading = "Write a heading" in prompt.user
            return "Valve of a radiator" if is_heading else super()._answer(prompt)

    written = write(SameHeading(), brief_with("heating"), *NOTES, *FACTS)
    headings = list(written.post.outline.h2)
    assert len(headings) > 1
    assert len(set(headings)) == len(headings)


def test_a_heading_that_few_sentences_of_its_section_are_about_is_not_used() -> None:
    @dataclass
    class Astray(Rewriter):
        def _answer(self, prompt: Prompt) -> str:
            is_heading = "Write a heading" in prompt.user
            return "Spare parts for bicycles" if is_heading else super()._answer(prompt)

    written = write(Astray(), brief_with("heating"), *NOTES, *FACTS)
    assert "Spare parts for bicycles" not in written.post.outline.h2


def test_a_title_is_never_a_heading_too() -> None:
    @dataclass
    class SameTitle(Rewriter):
        def _answer(self, prompt: Prompt) -> str:
            told = super()._answer(prompt)
            return "Bleed a radiator" if told.startswith(("How", "Bleed a radiator:")) else told

    written = write(SameTitle(), brief_with("bleed a radiator"), *NOTES)
    assert written.post.title not in written.post.outline.h2


def test_the_title_is_the_topic_in_the_words_of_the_client() -> None:
    request = parse_generate_request(
        {
            "keywords": ["bleed a radiator"], "topic": "letting the air out step by step",
            "constraints": {"minWords": 100, "maxWords": 450},
        }
    )  # fmt: skip
    written = write(Rewriter(), make_brief(request, max_words=450, sourced=True), *NOTES)
    assert written.post.title == "Bleed a radiator: letting the air out step by step"


def test_a_long_topic_is_cut_after_a_clause() -> None:
    topic = "when the top stays cold, and what every tenant has to ask the landlord before"
    brief = replace(brief_with("bleed a radiator"), topic=topic)
    written = write(Rewriter(), brief, *NOTES)
    assert written.post.title == "Bleed a radiator: when the top stays cold"


def test_a_topic_is_not_cut_inside_an_enumeration() -> None:
    topic = "when the top stays cold, the valve leaks and the gauge of the boiler falls at night"
    brief = replace(brief_with("bleed a radiator"), topic=topic)
    title = write(Rewriter(), brief, *NOTES).post.title
    assert not title.endswith(("cold", "leaks"))


def test_a_topic_is_not_cut_after_a_preposition() -> None:
    topic = "which radiator has air for which plumber of the whole neighbourhood"
    written = write(Rewriter(), replace(brief_with("bleed a radiator"), topic=topic), *NOTES)
    assert not written.post.title.endswith(" for")


def test_a_topic_whose_words_the_post_lacks_is_no_title() -> None:
    brief = replace(brief_with("bleed a radiator"), topic="a schedule for plumbers")
    written = write(Rewriter(), brief, *NOTES)
    assert written.post.title == "Bleed a radiator in short"


@pytest.mark.parametrize(
    ("first", "introduction"),
    [
        ("Remember one thing: cold metal at the top of it means that air is in there.", ""),
        ("In short: cold metal at the top of it means that air is in there.", "In short: "),
    ],
)
def test_a_labelled_introduction_loses_a_label_that_says_the_same_and_nothing_else(
    first: str, introduction: str
) -> None:
    page = f"{first}\n{HEADED}"
    source = Source("https://a.example/", "a.example", "Valves", page, "en", NOW, NOW)
    post = write_post(
        Writers(Rewriter(), SMALL, seed=1),
        brief_with("bleed a radiator", minWords=60),
        deadline=Deadline(60),
        grounding=Grounding((source,), RequestContext("en", ("bleed a radiator",)), NOW.date()),
    ).post
    label, _, text = text_of(post).partition(":** ")
    told = first.removeprefix(introduction)
    assert text.startswith(f"{told[0].upper()}{told[1:]}"), (label, text[:200])


HEADED = """How to bleed a radiator
1. Turn the heating off, because the radiator can be hot.
2. Open the valve of the radiator.
3. Close the valve of the radiator.
What cold metal means
Sludge keeps the lower half of a radiator cold for years.
A closed valve keeps one radiator cold and the others warm.
The boiler
A radiator that was bled lowers the pressure of the boiler.
A boiler shows the pressure of the radiator on its gauge."""


def test_the_description_is_whole_sentences_of_the_post() -> None:
    written = write(Rewriter(), brief_with("bleed a radiator"), *NOTES)
    description = written.post.meta.description
    assert 121 <= len(description) <= 156
    assert "radiator" in description  # both words of the keyword, though not together
    assert "bleed" in description
    assert sum(note in description for note in NOTES) == 2


def test_a_post_ends_on_the_pages_that_it_is_made_of() -> None:
    written = write(Rewriter(), brief_with("bleed a radiator"), *NOTES)
    assert written.post.conclusion == "The facts above come from *Radiators*."


def test_a_line_that_is_no_order_goes_with_the_step_before_it() -> None:
    lines = [
        "The pin is small.",
        "Turn it.",
        "Air comes.",
        "Close it.",
        "It is cold.",
        "Done.",
    ]
    assert as_steps([*lines, "Dry."], "en") == (
        "The pin is small.\n\n1. Turn it. Air comes.\n2. Close it. It is cold.\n\nDone. Dry."
    )
    assert as_steps(lines[1:2], "en-GB") == "1. Turn it."


GERMAN = (
    "Ein Heizkörper wird oben kalt, wenn sich Luft in ihm gesammelt hat.",
    "Die Heizung sollte eine Stunde vor der Arbeit ausgeschaltet werden.",
    "Das Ventil des Heizkörpers sitzt meist oben an einer Seite.",
    "Ein Tuch unter dem Ventil schützt die Wand vor dunklem Wasser.",
    "Das Ventil wird mit einem Schlüssel um eine halbe Drehung geöffnet.",
    "Das Ventil wird geschlossen, sobald Wasser ohne Blasen austritt.",
    "Beim Entlüften sinkt der Druck, den der Kessel der Heizung anzeigt.",
    "Ein Druck zwischen 1 und 1,5 bar passt für die meisten Kessel.",
    "Gurgelnde Geräusche in der Nacht zeigen Luft im Heizkörper an.",
    "Schlamm hält die untere Hälfte des Heizkörpers kalt.",
    "Mieter fragen den Vermieter, bevor sie ein Ventil der Heizung öffnen.",
)


def test_notes_stand_as_they_are_in_any_language() -> None:
    request = parse_generate_request(
        {
            "keywords": ["Heizkörper"], "language": "de", "topic": "Luft und Ventil",
            "constraints": {"minWords": 80, "maxWords": 350},
        }
    )  # fmt: skip
    model = Rewriter(lambda notes, _: notes.replace("Ventil", "Ventiel"))
    source = Source("https://a.example/", "a.example", "Heizung", " ".join(GERMAN), "de", NOW, NOW)
    grounding = Grounding((source,), RequestContext("de", ("Heizkörper",)), NOW.date())
    brief = make_brief(request, max_words=350, sourced=True)
    written = write_post(
        Writers(model, SMALL, seed=1), brief, deadline=Deadline(60), grounding=grounding
    )
    assert not rewritten(model)
    text = "\n".join(each.content_markdown or "" for each in written.post.sections)
    assert all(note in text for note in GERMAN)
    assert written.post.title == "Heizkörper: Luft und Ventil"


def test_a_verified_post_is_refused_if_nothing_is_left_that_is_not_copied() -> None:
    invents = Rewriter(lambda _notes, _times: "Gather pliers, goggles and a wrench first.")
    brief = replace(brief_with("bleed a radiator"), verified=True)
    with pytest.raises(PostRejected):
        write(invents, brief, *NOTES)


def test_sentences_of_two_sources_never_stand_in_one_paragraph() -> None:
    brief, sources = brief_with("bleed a radiator"), grounding(*NOTES)
    paraphrase = Paraphrase(lambda _: Completion(""), lambda *_: 1, SMALL, brief, sources)
    notes = [Extract(0, NOTES[0]), Extract(0, NOTES[2]), Extract(1, NOTES[6])]
    text, _ = paraphrase.retold(notes, [], Form.PROSE)
    assert text == f"{NOTES[0]} {NOTES[2]}\n\n{NOTES[6]}"
