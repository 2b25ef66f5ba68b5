"""Claims held against sources: supported or not, and what the writer is told."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from app.core.checks import Finding, Kind, Passage, Severity, passages
from app.core.rendering.block_edits import leaves
from app.core.rendering.blocks import parse
from app.core.schemas.post import SEOPost
from app.core.sources.source import Source
from app.core.verification import (
    CONTRADICTED,
    DISPUTED,
    UNSUPPORTED,
    Extract,
    Grounding,
    RequestContext,
    SourceIndex,
    Verdict,
    statements,
)
from app.core.verification.annotate import annotate
from tests.unit.verification_samples.samples import texts

WRITTEN = datetime(2026, 5, 20, 8, tzinfo=UTC)
TODAY = date(2026, 11, 21)


def source(text: str, *, name: str = "a", language: str = "en", dated: bool = True) -> Source:
    site = f"{name}.example"
    published = WRITTEN if dated else None
    return Source(f"https://{site}/page", site, "", text, language, published, WRITTEN)


def judge(text: str, *told: str, language: str = "en", kind: Kind = Kind.PROSE) -> Verdict:
    sources = [source(each, name=f"s{i}", language=language) for i, each in enumerate(told)]
    passage = Passage("sections[0]", kind, text)
    return SourceIndex(sources, RequestContext(language), TODAY).check([passage])


def found(text: str, *told: str, language: str = "en") -> list[tuple[str, str]]:
    """Each finding as its check and the text of its span."""
    verdict = judge(text, *told, language=language)
    return [(f.check, text[slice(*f.span)]) for f in verdict.findings if f.span]


def test_a_dose_is_no_other_amount() -> None:
    told = "A dog of 10 kg that eats the bar takes in about 230 mg, or 23 mg/kg, and is in danger."
    assert found("For a dog of 10 kg, the bar comes to about 23 mg/kg.", told) == []
    assert found("For a dog of 10 kg, the bar comes to about 32 mg/kg.", told)


def test_a_question_states_nothing_that_a_source_could_contradict() -> None:
    """A post was refused for the 4 of a question, which only its plan could change."""
    told = "At 8 pCi/L, a smoker needs a second test at once."
    asked = "Does a smoker need a second test at 4 pCi/L?"
    findings = judge(asked, told, kind=Kind.QUESTION).findings
    assert not any(each.check == "contradicted_claim" and each.blocks for each in findings)


@pytest.mark.parametrize(
    ("half", "sources", "planted", "claims"), [("tuned", 40, 200, 300), ("held_out", 15, 85, 110)]
)
def test_planted_defects_are_caught_and_faithful_texts_pass(
    half: str, sources: int, planted: int, claims: int
) -> None:
    """Recall >= 97 % for tuned and >= 95 % for held-out samples; false alarms on faithful
    paraphrases <= 4 % of claims. Names that changed places are left to a judge.
    """
    every = list(texts(half))
    defects = [text for text in every if text.kind not in {"", "swapped names"}]
    missed = [f"{text.kind}: {text.text}" for text in defects if not text.is_caught()]
    verdicts = [text.check() for text in every if not text.kind]
    alarms = [finding.reason for verdict in verdicts for finding in verdict.findings]
    count = sum(len(verdict.coverage) for verdict in verdicts)
    print(
        f"{half}: {len(defects) - len(missed)} of {len(defects)} planted defects caught,"
        f" {len(alarms)} false alarms in {count} claims"
    )
    assert len({text.source.url for text in every}) >= sources
    assert len(defects) >= planted
    assert count >= claims
    assert len(missed) <= (0.03 if half == "tuned" else 0.05) * len(defects), missed
    assert len(alarms) <= 0.04 * count, alarms


@pytest.mark.parametrize("text", [text for text in texts() if not text.kind], ids=lambda t: "")
def test_a_text_supports_itself(text: object) -> None:
    """Text as its own source: no finding."""
    own = source(text.text, language=text.source.language)  # type: ignore[attr-defined]
    passage = Passage("sections[0]", Kind.PROSE, own.text)
    verdict = SourceIndex([own], RequestContext(own.language), WRITTEN.date()).check([passage])
    assert [finding.reason for finding in verdict.findings] == []


@pytest.mark.parametrize(
    "text",
    [
        "Halden built the plant for 40 million euros.",
        "Its manager called it “the largest of its kind”.",
    ],
)
def test_the_coverage_has_the_sentence_that_supports_a_claim(text: str) -> None:
    sentences = [
        "The weather in spring was wet and the road was closed.",
        "Arne Solberg built the plant in Halden for 40 million euros.",
        "The manager said: “It is the largest of its kind.”",
    ]
    claims = judge(text, "Nothing of this is here.", " ".join(sentences)).coverage
    assert claims
    for claim in claims:
        assert claim.sentence in sentences
        assert set(claim.claim.strip("“”").split()) <= set(claim.sentence.strip(".”").split())


def test_the_coverage_of_an_unsupported_claim_has_no_sentence() -> None:
    (claim,) = judge("The plant cost 50 million euros.", SIZE).coverage
    assert (claim.url, claim.sentence) == (None, "")


SIZE = "The Halden plant employs 1,200 people and cost 3.5 million euros."


@pytest.mark.parametrize(
    "text",
    [
        "The plant employs 1200 people.",
        "The plant employs 1.2 thousand people.",
        "The plant employs twelve hundred people.",
        "The plant employs one thousand two hundred people.",
        "The plant cost 3,500,000 euros.",
        "The plant cost €3.5m.",
        "The plant cost three and a half million euros.",
        "The plant cost EUR 3.5 million.",
    ],
)
def test_a_number_matches_in_any_form(text: str) -> None:
    """1,200 = 1.2 thousand = 1200 = twelve hundred; 3.5 million = 3,500,000."""
    verdict = judge(text, SIZE)
    assert not verdict.findings
    assert [c.url for c in verdict.coverage] == ["https://s0.example/page"]


@pytest.mark.parametrize(
    ("language", "text", "told"),
    [
        ("en", "It cost a hundred million euros.", "It cost 100 million euros."),
        ("en", "The repair took a hundred and fifty days.", "The repair took 150 days."),
        ("fr", "Le pont a coûté cent millions d'euros.", "Le pont a coûté 100 millions d'euros."),
        ("fr", "Le pont a ouvert il y a trois ans.", "Le pont a ouvert en 2023."),
    ],
)
def test_a_number_in_words_is_read_to_its_end(language: str, text: str, told: str) -> None:
    verdict = judge(text, told, language=language)
    assert [finding.reason for finding in verdict.findings] == []
    assert [claim.url for claim in verdict.coverage] == ["https://s0.example/page"]


@pytest.mark.parametrize(
    ("text", "told", "supported"),
    [
        ("About 40 % of the tenants cycle.", "39.6 % of the tenants cycle.", True),
        ("40 % of the tenants cycle.", "39.6 % of the tenants cycle.", False),
        ("About 45 % of the tenants cycle.", "39.6 % of the tenants cycle.", False),
        ("More than 1,000 tenants cycle.", "1,187 tenants cycle.", True),
        ("More than 1,200 tenants cycle.", "1,187 tenants cycle.", False),
        ("Nearly 1,200 tenants cycle.", "1,187 tenants cycle.", True),
        ("A third of the tenants cycle.", "33 percent of the tenants cycle.", True),
        ("Half of the tenants cycle.", "48 percent of the tenants cycle.", False),
        ("One in four tenants cycles.", "25 percent of the tenants cycle.", True),
        ("The share of tenants rose by 2 percentage points.",
         "The share of tenants rose by 2 percent.", False),
        ("The path is 5 kilometres long.", "The path is 5 km long.", True),
        ("The path is 5,000 metres long.", "The path is 5 km long.", True),
        ("The path is 5 miles long.", "The path is 5 km long.", False),
        ("The path took two weeks.", "The path took 14 days.", True),
        ("The path cost 40 dollars.", "The path cost 40 euros.", False),
        ("Sales of the shop doubled.", "Sales of the shop grew from 20 to 40 tonnes.", True),
        ("Sales of the shop grew by 20 percent.",
         "Sales of the shop grew from 100 to 120 tonnes.", True),
    ],
)  # fmt: skip
def test_a_value_matches_as_far_as_it_is_hedged(text: str, told: str, supported: bool) -> None:
    """ "about 40 %" matches 39.6 % only if hedged; units are converted where that is exact."""
    assert (not judge(text, told).findings) is supported


@pytest.mark.parametrize(
    ("text", "told", "supported"),
    [
        # The source was published on 20 May 2026, the post is of 21 November 2026.
        ("The bridge opened last May.", "The bridge opened on 14 May.", True),
        ("The bridge opened on 19 May 2026.", "The bridge opened yesterday.", True),
        ("The bridge opened on 18 May 2026.", "The bridge opened yesterday.", False),
        ("The bridge opened in May 2025.", "The bridge opened last May.", True),
        ("The bridge opened this spring.", "The bridge opened in April.", True),
        ("The bridge opened last autumn.", "The bridge opened in April.", False),
        ("The bridge opened in 2023.", "The bridge opened three years ago.", True),
        ("The bridge opened on 14/05/2026.", "The bridge opened on May 14th, 2026.", True),
        ("The bridge opened on 2026-05-14.", "The bridge opened on 14 May.", True),
        ("The bridge opened on 2026-05-15.", "The bridge opened on 14 May.", False),
        ("The bridge opened in the 1990s.", "The bridge opened in 1994.", True),
        ("The bridge opened at 3 pm.", "The bridge opened at 15:00.", True),
        ("The bridge opened at 3:30 p.m.", "The bridge opened at 15:00.", False),
        (
            "The bridge is open until mid-March 8 a.m. to 4 p.m.",
            "From October to mid-March, the bridge is open from 8 a.m. to 4 p.m.",
            True,
        ),
    ],
)
def test_a_date_is_resolved_by_the_date_of_its_page(text: str, told: str, supported: bool) -> None:
    """Relative ones such as "last May", resolved by the post's and the source's date."""
    assert (not judge(text, told).findings) is supported


@pytest.mark.parametrize(
    ("text", "supported"),
    [
        ("“We waited twelve years for this day,” said Tarnow.", True),
        ("\"We waited twelve years for this day\", she said.", True),
        ("«We WAITED twelve years for this day», she said.", True),
        ("She said: “We waited … for this day.”", True),
        ("She said: “We waited ten years for this day.”", False),
        ("“We waited twelve years for this day,” said Jon Berg.", False),
    ],
)  # fmt: skip
def test_a_quotation_is_held_to_its_words(text: str, supported: bool) -> None:
    """Quotations word for word apart from marks, case and ellipses."""
    told = (
        "The mayor, Ilse Tarnow, opened it. She said: “We waited twelve years for this day.”"
        " The crowd cheered. It rained. The band left. The builder is Jon Berg."
    )
    assert (not judge(text, told).findings) is supported


@pytest.mark.parametrize(
    ("text", "supported"),
    [
        ("The mayor is Ilse Tarnow.", True),
        ("Tarnow's plan is the work of HWA.", True),
        ("Ms Tarnow met the Halden Water Authority's head.", True),
        ("The city council of Halden met.", True),
        ("Nobody told Halden City Council.", True),
        ("The mayor is Ilse Varnow.", False),
        ("The mayor met Hugo Tamm there.", False),
        ("The plan is that of the Halden Water Agency.", False),
    ],
)
def test_a_name_is_found_in_its_forms(text: str, supported: bool) -> None:
    """Names by their last part, by acronyms that the source spells out, with a genitive s."""
    told = "Mayor Ilse Tarnow and the Halden Water Authority told the city council of Halden."
    assert (not judge(text, told).findings) is supported


def test_the_same_number_about_something_else_is_no_support() -> None:
    """Matching "40" anywhere in a source is not support."""
    told = (
        "Mornel runs 40 shops in the valley. The weather was fine all week. Nobody complained."
        " Later the museum sold tickets to visitors from abroad."
    )
    text = "The museum sold 40 tickets to visitors."
    assert found(text, told) == [(UNSUPPORTED, "40")]
    paid = told.replace("runs 40 shops", "paid 40 euros for ink")
    assert found("The museum sold 40 euros of tickets.", paid) == [(UNSUPPORTED, "40 euros")]
    [finding] = judge(text, told).findings
    assert "s0.example has it of something else: “Mornel runs 40 shops in the valley.”" in (
        finding.reason
    )


def test_another_value_is_told_apart_from_silence() -> None:
    """A source that gives another number for the same subject: "contradicted"."""
    told = "The Halden plant employs 120 people."
    assert found("The Halden plant employs 140 people.", told) == [(CONTRADICTED, "140")]
    assert found("The Halden plant cost $9 million.", told) == [(UNSUPPORTED, "$9 million")]
    [finding] = judge("The Halden plant employs 140 people.", told).findings
    assert finding.severity is Severity.BLOCKER
    assert finding.section == "sections[0]"
    assert finding.reason == (
        "“140” is not what s0.example says; there it is “120”: “The Halden plant employs 120"
        " people.” Write what the source says."
    )


def test_values_of_two_subjects_are_not_exchanged() -> None:
    told = "The share of tenants is 32 % in Halden and 58 % in Orvik."
    assert not found("In Orvik 58 % are tenants.", told)
    assert found("In Orvik 32 % are tenants.", told) == [(CONTRADICTED, "32 %")]


def test_a_change_is_not_turned_round() -> None:
    assert found("Rents fell by 12 percent.", "Rents rose by 12 percent.") == [
        (CONTRADICTED, "12 percent")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Here are three ways to brew it.",
        "In step 2 it all comes together.",
        "These two belong together.",
        "Let it rest for 2 minutes.",
        "Its name is Web 2.0 to this day.",
        "The garden trends of 2027 are here.",
        "Nothing beats Brightpot in the kitchen.",
        "So says Gardenia Weekly, which asked.",
        "Gardeners in Cornwall have long summers.",
    ],
)
def test_what_needs_no_source(text: str) -> None:
    """List counts, steps, advice, numbers inside names, years of the request, own brands."""
    told = source("People wrote about Web 2.0 in the press. Water boils.")
    asked = RequestContext(
        "en",
        ("garden trends 2027",),
        "what Gardenia Weekly asked",
        brands=("Brightpot",),
        background="gardeners in Cornwall",
    )
    verdict = SourceIndex([told], asked, TODAY).check([Passage("s", Kind.PROSE, text)])
    assert [finding.reason for finding in verdict.findings] == []


def test_a_spelling_that_a_source_has_is_deliberate() -> None:
    told = source("The Kentia palm, Chamaedorea elegans, bears dim light.")
    grounding = Grounding((told,), RequestContext("en"), TODAY)
    texts = [Passage("s", Kind.PROSE, "Chamaedorea elegans or elegent pots?")]
    findings = [
        Finding("misspelling", Severity.WARNING, "s", "Wrong.", (at, at + 7)) for at in (12, 23)
    ]
    assert grounding.without_known_spellings(texts, findings) == findings[1:]


@pytest.mark.parametrize(
    ("text", "told", "warned"),
    [
        (
            "You land 2 hours 55 late; the door opens at 3 hours 5.",
            "The time of arrival is when a door of the aircraft opens (Germanwings, C-452/13).",
            False,
        ),
        (
            "Day 1: Mix the flour with water of about 40 degrees.",
            "On the first day, flour is mixed with water of about 40 degrees.",
            False,
        ),
        (
            "It is 300 euros if the airline halves the sum.",
            "The airline may halve the 600 euros to 300 when the arrival is late.",
            False,
        ),
        (
            "An agency that takes 30 percent of the compensation keeps 300 euros.",
            "Agencies keep a part of the compensation, often 25 to 50 percent.",
            False,
        ),
        (
            "An old 60-watt bulb costs more a year than a 9-watt LED bulb.",
            "About 450 lumens replace a 40-watt bulb, 800 lumens a 60-watt bulb.",
            False,
        ),
        (
            "Descend if 24 hours of rest have not helped against the symptoms.",
            "If the symptoms get worse or do not improve after 24 hours, go down.",
            False,
        ),
        ("The airline pays 500 euros.", "The airline pays 600 euros when it is late.", True),
        ("The law firm has 41 offices.", "The law firm has 14 offices.", True),
        ("The flight to Oslo takes 5 hours.", "The flight to Oslo takes 3 to 4 hours.", True),
    ],
)
def test_a_standard_post_is_warned_only_of_likely_contradictions(
    text: str, told: str, warned: bool
) -> None:
    context = RequestContext("en")
    grounding = Grounding((source(told),), context, TODAY)
    texts_of = [Passage("sections[0]", Kind.PROSE, text)]
    checks = {finding.check for finding in grounding.findings(texts_of, required=False)}
    assert (CONTRADICTED in checks) is warned


def test_a_converted_value_is_not_another_value() -> None:
    told = "Plan a day of rest for every 3,300 feet, or 1,000 metres, of gain in sleeping altitude."
    assert found("Plan a day of rest whenever 1,000 metres of gain have passed.", told) == []


def test_advice_is_free_but_not_against_a_source() -> None:
    told = "Let the dough rest for 45 minutes in a warm place."
    assert not found("Stir the glaze for 2 minutes.", told)
    assert found("Let the dough rest for 90 minutes in a warm place.", told) == [
        (CONTRADICTED, "90 minutes")
    ]


def test_without_sources_every_claim_is_unsupported() -> None:
    assert found("The plant employs 120 people.") == [(UNSUPPORTED, "120")]


def test_coverage_names_the_source_and_counts_sites() -> None:
    """Coverage (claim text, section, source url or None) for the operator; it counts sites."""
    told = "The plant employs 120 people."
    sources = [source(told, name="one"), source(told, name="two"), source("Rain.", name="three")]
    again = Source("https://one.example/b", "one.example", "", told, "en", WRITTEN, WRITTEN)
    passage = Passage("sections[3]", Kind.PROSE, "The plant employs 120 people and 9 dogs.")
    verdict = SourceIndex([*sources, again], RequestContext("en"), TODAY).check([passage])
    people, dogs = verdict.coverage
    assert (people.claim, people.section, people.url) == (
        "120", "sections[3]", "https://one.example/page"
    )  # fmt: skip
    assert people.sites == ("one.example", "two.example")
    assert (dogs.claim, dogs.url, dogs.sites) == ("9", None, ())


def test_a_source_against_another_shows_in_the_coverage() -> None:
    verdict = judge(
        "According to its owner, the Halden plant employs 120 people.",
        "The Halden plant employs 120 people.",
        "The Halden plant employs 140 people.",
    )
    assert not verdict.findings
    assert verdict.coverage[-1].against == ("https://s1.example/page",)


@pytest.mark.parametrize(
    ("text", "disputed"),
    [
        ("The Halden plant employs 120 people in two halls.", True),
        ("Halden's plant employs 120 people, the council said; the union counts 140.", False),
        ("According to the council, the Halden plant employs 120 people in its halls.", False),
        ("The Halden plant employs 120 to 140 people.", False),
        ("The Halden plant was opened by the council.", False),
    ],
)
def test_if_sources_disagree_a_post_gives_both_values_or_says_whose_it_is(
    text: str, disputed: bool
) -> None:
    """Two numbers for one thing: neither is the truth until somebody's word is named."""
    told = "The council opened the Halden plant. The Halden plant employs {} people in both halls."
    findings = found(text, told.format(120), told.format(140))
    assert findings == ([(DISPUTED, "120")] if disputed else [])


@pytest.mark.parametrize(
    "other",
    [
        "The Halden plant employed 140 people in both halls in 2019.",
        "The Halden plant employs about 119 people in both halls.",
        "The Halden plant employs 100 to 130 people in both halls.",
        "The Orvik mine employs 140 people.",
        "Both halls of the Halden plant are 140 metres long.",
    ],
)
def test_what_two_sources_say_of_other_years_or_things_is_no_dispute(other: str) -> None:
    own = "The Halden plant employs 120 people in both halls in 2026."
    assert not found("The Halden plant employs 120 people in both halls in 2026.", own, other)


@pytest.mark.parametrize(
    ("language", "text", "told", "supported"),
    [
        ("en", "It costs 240,000 euros a year.", "The hall costs 240,000 euros a year.", True),
        ("en", "It costs 240,000 euros a month.", "The hall costs 240,000 euros a year.", False),
        ("en", "It costs 240,000 euros per year.", "The hall costs 240,000 euros a year.", True),
        ("en", "The hall costs 240,000 euros.", "The hall costs 240,000 euros a year.", True),
        ("en", "The hall costs 240,000 euros a year.", "The hall costs 240,000 euros.", True),
        ("en", "The hall has 900 visitors in all a day.",
         "The hall has 900 visitors each week.", False),
        ("de", "Die Halle kostet 9.000 Euro im Monat.", "Die Halle kostet 9.000 Euro im Jahr.",
         False),
        ("de", "Die Halle kostete 9.000 Euro im Jahr 2025.",
         "Die Halle kostete 2025 im Monat 9.000 Euro.", True),
        ("fr", "La salle coûte 900 euros par mois.", "La salle coûte 900 euros par semaine.",
         False),
        ("es", "La sala cuesta 900 euros al mes.", "La sala cuesta 900 euros a la semana.", False),
        ("it", "La sala costa 900 euro al mese.", "La sala costa 900 euro al giorno.", False),
        ("pt", "A sala custa 900 euros por mês.", "A sala custa 900 euros por dia.", False),
        ("nl", "De zaal kost 900 euro per maand.", "De zaal kost 900 euro per week.", False),
    ],
)  # fmt: skip
def test_a_value_keeps_its_unit_of_time(
    language: str, text: str, told: str, supported: bool
) -> None:
    assert (not judge(text, told, language=language).findings) is supported


@pytest.mark.parametrize(
    ("text", "supported"),
    [
        ("“The quay is too short,” Odd Reuel said.", True),
        ("“The quay is too short,” said Reuel.", True),
        ("“The quay is too short,” the ferry master said on Monday in Orvik.", True),
        ("“The quay is too short,” Ida Brandt said.", False),
        ("Brandt told reporters: “The quay is too short.”", False),
        ("“It will be longer in May,” said Brandt.", True),
    ],
)
def test_a_quotation_keeps_its_speaker(text: str, supported: bool) -> None:
    told = (
        "Ferry master Odd Reuel said in Orvik on Monday: “The quay is too short.” Councillor Ida"
        " Brandt heard it. She added: “It will be longer in May.”"
    )
    assert (not judge(text, told).findings) is supported


@pytest.mark.parametrize(
    ("language", "text", "told", "supported"),
    [
        ("en", "The plant did not cost 8 million euros.", "The plant cost 8 million euros.", False),
        ("en", "The plant didn’t cost 8 million euros.", "The plant cost 8 million euros.", False),
        ("en", "The plant cost 8 million euros.", "The plant never cost 8 million euros.", False),
        ("en", "The plant did not cost 8 million euros.",
         "The plant has never cost 8 million euros.", True),
        ("en", "The plant cost no more than 8 million euros.", "The plant cost 8 million euros.",
         True),
        ("en", "The plant can hold 30 t in 2025.", "The plant held 30 t in 2025.", True),
        ("de", "Das Werk kostete nicht 8 Mio. Euro.", "Das Werk kostete 8 Mio. Euro.", False),
        ("de", "Sie dürfen die Heizkosten um 15 Prozent kürzen.",
         "| Grund | Kürzung |\n|---|---|\n| Heizkosten nicht abgelesen | um 15 Prozent |", True),
        ("es", "La obra no costó 8 millones.", "La obra costó 8 millones.", False),
        ("fr", "L’usine n’a pas coûté 8 millions.", "L'usine a coûté 8 millions.", False),
    ],
)  # fmt: skip
def test_a_value_is_not_denied_where_it_is_affirmed(
    language: str, text: str, told: str, supported: bool
) -> None:
    assert (not judge(text, told, language=language).findings) is supported


def test_a_denial_is_told_in_words_that_a_writer_understands() -> None:
    (denied,) = judge(
        "The plant never cost 8 million euros.", "The plant cost 8 million euros."
    ).findings
    assert denied.reason == (
        "Either the post or s0.example denies “8 million euros”, and the other does not: “The plant"
        " cost 8 million euros.” Write what the source says."
    )


@pytest.mark.parametrize(
    ("text", "supported"),
    [
        ("The mayor said: “raise the price of water”.", False),
        ("The mayor would not “raise the price of water”.", True),
        ("The mayor said: “We will not raise the price of water.”", True),
    ],
)
def test_a_quotation_does_not_begin_behind_its_not(text: str, supported: bool) -> None:
    told = "The mayor said: “We will not raise the price of water.”"
    assert (not judge(text, told).findings) is supported


@pytest.mark.parametrize(
    ("language", "text", "free"),
    [
        ("en", "Give yourself ten minutes to read it.", True),
        ("en", "If you have a garden, set aside two hours on Sunday.", True),
        ("en", "Anyone with five minutes can do it.", True),
        ("en", "Nobody likes to think of it on a Monday morning.", True),
        ("en", "There are two sides to every plan.", True),
        ("en", "The walk took ten minutes.", False),
        ("en", "The storm lasted ten hours, long enough to flood it.", False),
        ("en", "The vote was held on Monday.", False),
        ("en", "He sold a car Monday.", False),
        ("en", "Three people died.", False),
        ("en", "If it rains, the walk took two hours.", False),
        ("de", "Nehmen Sie sich zehn Minuten Zeit.", True),
        ("de", "An einem stillen Sonntag geht es leichter.", True),
        ("de", "Die Fahrt dauerte zehn Minuten.", False),
        ("es", "Dedique diez minutos a leerlo.", True),
        ("es", "El viaje duró diez minutos.", False),
        ("fr", "Prenez dix minutes pour le lire.", True),
        ("fr", "Le trajet a duré dix minutes.", False),
    ],
)
def test_an_editor_asks_for_the_source_of_what_is_said_of_the_world(
    language: str, text: str, free: bool
) -> None:
    told = {
        "en": "Rain fell on the hills.",
        "de": "Es fiel Regen.",
        "es": "Llovió.",
        "fr": "Pluie.",
    }
    assert (not judge(text, told[language], language=language).findings) is free


@pytest.mark.parametrize(
    ("language", "text", "told", "supported"),
    [
        ("en", "Nearly 50 % of the tenants cycle.", "39.6 % of the tenants cycle.", False),
        ("en", "Just over 30 % of the tenants cycle.", "39.6 % of the tenants cycle.", False),
        ("en", "Just over 39 % of the tenants cycle.", "39.6 % of the tenants cycle.", True),
        ("en", "Less than 50 % of the tenants cycle.", "39.6 % of the tenants cycle.", True),
        ("en", "About a third of the tenants cycle.", "30 to 35 % of the tenants cycle.", True),
        ("en", "More than 32 % of the tenants cycle.", "30 to 35 % of the tenants cycle.", False),
        ("en", "The share of tenants rose by five percentage points.",
         "The share of tenants rose from 41 to 46 percent.", True),
        ("en", "The share of tenants rose by five percent.",
         "The share of tenants rose from 41 to 46 percent.", False),
        ("en", "The share of tenants fell by five percentage points.",
         "The share of tenants rose from 41 to 46 percent.", False),
        ("en", "The rent of tenants rose by 4.40 euros.",
         "The rent of tenants rose from 54.50 to 58.90 euros.", True),
        ("en", "The rent of tenants is 4.40 euros.",
         "The rent of tenants rose from 54.50 to 58.90 euros.", False),
        ("en", "The walk of tenants fell by 15 minutes.",
         "The walk of tenants fell from 45 to 30 minutes.", True),
        ("de", "Der Anteil der Fälle sank um sieben Prozentpunkte.",
         "Der Anteil der Fälle stieg von 54 auf 61 Prozent.", False),
        ("en", "The house cost €20–25 million.", "The house cost 20 to 25 million euros.", True),
        ("en", "The house cost €20m to €25m.", "The house cost 20 to 25 million euros.", True),
        ("en", "The house cost €20–35 million.", "The house cost 20 to 25 million euros.", False),
        ("en", "The house took two years and a half.", "The house took 30 months.", True),
        ("en", "The house cost two to three million euros.", "The house cost 2 to 3 million euros.",
         True),
        ("en", "Two dozen tenants cycle.", "24 tenants cycle.", True),
        ("en", "Three dozen tenants cycle.", "24 tenants cycle.", False),
        ("de", "Das Haus kostet 8–10 Mio. €.", "Das Haus kostet 8 bis 10 Millionen Euro.", True),
        ("de", "Der Bau dauert anderthalb Jahre.", "Der Bau dauert 18 Monate.", True),
        ("de", "Der Bau dauert zweieinhalb Jahre.", "Der Bau dauert 18 Monate.", False),
        ("de", "Der Bau dauert eine halbe Stunde.", "Der Bau dauert 30 Minuten.", True),
        ("de", "Das Haus hat 12 000 Gäste.", "Das Haus hat 12.000 Gäste.", True),
        ("es", "La casa costó millón y medio de euros.", "La casa costó 1,5 M€.", True),
        ("es", "La casa costó dos millones y medio de euros.", "La casa costó 2,5 M€.", True),
        ("es", "La casa costó medio millón de euros.", "La casa costó 1,5 M€.", False),
        ("es", "La casa tiene una veintena de plazas.", "La casa tiene 21 plazas.", True),
        ("es", "La casa tiene un centenar de plazas.", "La casa tiene 21 plazas.", False),
        ("fr", "La maison a coûté 1,2 Md€.", "La maison a coûté 1,2 milliard d'euros.", True),
        ("fr", "La maison a coûté 1,2 M€.", "La maison a coûté 1,2 milliard d'euros.", False),
        ("fr", "Le trajet dure une demi-heure.", "Le trajet dure 30 minutes.", True),
        ("fr", "La part a gagné six points de pourcentage.", "La part est montée de 18 % à 24 %.",
         True),
    ],
)  # fmt: skip
def test_forms_of_values(language: str, text: str, told: str, supported: bool) -> None:
    """Rounding on one side, ranges, points, differences, halves, groups, letters for scales."""
    assert (not judge(text, told, language=language).findings) is supported


@pytest.mark.parametrize(
    ("language", "text", "told"),
    [
        ("de", "Das Werk kostet 3,5 Mio. Euro.", "Das Werk kostet 3.500.000 Euro."),
        ("de", "Das Werk hat fünfundzwanzig Hallen.", "Das Werk hat 25 Hallen."),
        ("fr", "La salle compte quatre-vingt-dix places.", "La salle compte 90 places."),
        ("es", "La sala tiene treinta y cinco plazas.", "La sala tiene 35 plazas."),
        ("it", "La sala ha centottanta posti.", "La sala ha 180 posti."),
        ("pt", "A sala tem mil e duzentos lugares.", "A sala tem 1.200 lugares."),
        ("nl", "De zaal telt vijfendertig plaatsen.", "De zaal telt 35 plaatsen."),
        ("sv", "Salen har 40 % mer ljus.", "Salen fick 40 % mer ljus."),
    ],
)
def test_numbers_of_other_languages(language: str, text: str, told: str) -> None:
    verdict = judge(text, told, language=language)
    assert not verdict.findings
    assert verdict.coverage


def test_a_language_without_rules_says_what_was_skipped() -> None:
    """Elsewhere digits, percentages and quotations only; the check says that the rest was
    skipped.
    """
    verdict = judge("Salen har 45 % mer ljus, sade Ilse Varnow.", "Ljus.", language="sv")
    assert [c.claim for c in verdict.coverage] == ["45 %"]
    assert "no rules for this language" in verdict.skipped
    assert judge("The plant.", "The plant.").skipped == ""


def test_german_nouns_are_no_names() -> None:
    told = "Die Stadt Halden baut. Bürgermeisterin Ilse Tarnow freut sich."
    assert not found("Im Garten stehen Bäume, Blumen und Bänke aus Holz.", told, language="de")
    assert found("Es freut sich Bürgermeisterin Ilse Varnow.", told, language="de") == [
        (UNSUPPORTED, "Bürgermeisterin Ilse Varnow")
    ]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Am Ende notieren Sie Ihr Baujahr für die Stadt.", []),
        ("Dann zeigt Ihnen Ilse Tarnow Ihren Garten.", []),
        ("Dort zeigst Du Deiner Stadt Deinen Garten.", []),
        ("Dann hilft Ihnen Bürgermeisterin Ilse Varnow.", ["Bürgermeisterin Ilse Varnow"]),
        ("Fragen Sie Ihre Bürgermeisterin Varnow.", ["Bürgermeisterin Varnow"]),
    ],
)
def test_words_that_address_the_reader_are_no_part_of_a_name(text: str, names: list[str]) -> None:
    told = "Die Stadt Halden baut. Bürgermeisterin Ilse Tarnow freut sich."
    assert found(text, told, language="de") == [(UNSUPPORTED, name) for name in names]


def test_every_passage_of_a_post_is_checked() -> None:
    post = SEOPost.model_validate(
        {
            "title": "Halden Plant Has 11 Halls",
            "slugSuggestion": "halden",
            "meta": {"description": "It has 12 halls.", "primaryKeyword": "plant"},
            "outline": {"h1": "Plant", "h2": ["Halls"]},
            "sections": [
                {"type": "introduction", "contentMarkdown": "It has 13 halls."},
                {"type": "body", "heading": "All 14 halls", "contentMarkdown": "It has 15 halls."},
                {"type": "callout", "callout": {"label": "Good:", "text": "It has 16 halls."}},
                {"type": "faq", "heading": "Questions", "contentMarkdown": ""},
                {"type": "conclusion", "contentMarkdown": "It has 18 halls."},
            ],
            "faqs": [{"question": "How many halls?", "answer": "It has 17 halls."}],
            "conclusion": "It has 18 halls.",
            "coverageNotes": {"keywordCoverage": []},
        },
        by_name=False,
        by_alias=True,
    )
    index = SourceIndex([source("The plant has 20 halls.")], RequestContext("en"), TODAY)
    verdict = index.check(list(passages(post)))
    both = zip(verdict.findings, verdict.coverage, strict=True)
    assert [(f.section, c.claim) for f, c in both] == [
        ("title", "11"), ("meta.description", "12"), ("sections[0]", "13"),
        ("sections[1].heading", "14"), ("sections[1]", "15"), ("sections[2].callout.text", "16"),
        ("faqs[0].answer", "17"), ("sections[4]", "18"),
    ]  # fmt: skip


BLOCKS = """\
Count on these figures:

1. The plant employs 120 people.
2. It has 20 halls.
3. It opened with 7 halls.

| Plant | Employees | Halls |
| --- | --- | --- |
| Halden | 120 | 20 |
| Halden | 130 | 20 |

```sh
plant --halls 99
```"""


def test_items_and_cells_are_claims_of_their_own_and_marks_of_lists_are_none() -> None:
    sections = [{"type": "body", "heading": "Halden", "contentMarkdown": BLOCKS}]
    post = SEOPost.model_validate(
        {
            "title": "Halden",
            "slugSuggestion": "halden",
            "meta": {"description": "About a plant.", "primaryKeyword": "plant"},
            "outline": {"h1": "Plant", "h2": ["Halden"]},
            "sections": sections,
            "faqs": [],
            "conclusion": "",
            "coverageNotes": {"keywordCoverage": []},
        },
        by_name=False,
        by_alias=True,
    )
    told = source("The plant in Halden employs 120 people. The Halden plant has 20 halls.")
    index = SourceIndex([told], RequestContext("en"), TODAY)
    verdict = index.check(list(passages(post)))
    where = "sections[0].blocks"
    values = verdict.coverage
    assert [(c.section, c.claim) for c in values] == [
        (f"{where}[1].items[0]", "120"), (f"{where}[1].items[1]", "20"),
        (f"{where}[1].items[2]", "7"),
        (f"{where}[2].rows[0][1]", "120"), (f"{where}[2].rows[0][2]", "20"),
        (f"{where}[2].rows[1][1]", "130"), (f"{where}[2].rows[1][2]", "20"),
    ]  # fmt: skip
    assert [f.section for f in verdict.findings] == [
        f"{where}[1].items[2]", f"{where}[2].rows[1][1]",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("language", "one", "other", "disputed"),
    [
        ("en", "Adults with the rash take 900 milligrams of the tablets a week.",
         "Adults with the rash take 300 milligrams of the tablets three times a week.", False),
        ("en", "The tutor of the evening course costs 30 euros per lesson.",
         "The tutor of the evening course costs 240 euros per month.", False),
        ("en", "The tutor of the evening course costs 30 euros per lesson.",
         "The tutor of the evening course costs 45 euros per lesson.", True),
        ("en", "Rinsing the old filter takes about 20 minutes of water.",
         "Rinse the old filter under water that you turn every half hour.", False),
        ("de", "Gießen Sie die Zitrone im Kübel mit zwei Litern Wasser pro Tag.",
         "Gießen Sie die Zitrone im Kübel mit zehn Litern Wasser pro Woche.", False),
    ],
)  # fmt: skip
def test_sources_dispute_no_value_that_is_for_something_else(
    language: str, one: str, other: str, disputed: bool
) -> None:
    assert [check for check, _ in found(one, one, other, language=language)] == (
        [DISPUTED] if disputed else []
    )


PARTS = (
    "Der Partner bekommt neben Geschwistern die Hälfte des Hauses, und wenn er dort wohnt, ein"
    " weiteres Viertel, zusammen also drei Viertel."
)


def test_a_sum_is_not_contradicted_by_its_parts() -> None:
    whole = "Ohne Vertrag bekommt der Partner neben Geschwistern drei Viertel des Hauses."
    assert found(whole, PARTS, language="de") == []
    of_two = "A family pays 60 dollars for the museum and 30 dollars for the tour, 90 in all."
    assert found("The tour costs 60 dollars.", of_two) != []


@pytest.mark.parametrize(
    ("language", "text", "page", "denied"),
    [
        ("en", "Two servers must never write to the same bucket at once.",
         "Never let two servers write to the same bucket at once.", False),
        ("en", "Never let two servers write to the same bucket at once.",
         "Two servers must never write to the same bucket at once.", False),
        ("de", "Drei Kinder dürfen nie zugleich auf das Trampolin.",
         "Lassen Sie nie drei Kinder zugleich auf das Trampolin.", False),
        ("en", "Let two servers write to the same bucket at once.",
         "Never let two servers write to the same bucket at once.", True),
        ("en", "The plant employs 400 people, never fewer.", "It does not employ 400 people.",
         True),
    ],
)  # fmt: skip
def test_a_value_is_denied_before_and_behind_it(
    language: str, text: str, page: str, denied: bool
) -> None:
    assert bool(found(text, page, language=language)) is denied


WATTS = "The family needs 2,995 starting watts, and with a margin of 20 percent about 3,600."
WEEK = "Wer an fünf Tagen je vier Stunden arbeitet, hat 20 Urlaubstage wie eine Vollzeitkraft."
ROW = "Arbeitstage je Woche: 3; Mindesturlaub in Arbeitstagen: 12"


def ruled(
    passages: Sequence[Passage], pages: Sequence[str], quoted: Sequence[Sequence[str]]
) -> list[Finding]:
    """Return the findings on statements for each of which a judge quotes words of the pages, the
    first words of the first page."""
    sources = tuple(source(page, name=f"s{number}") for number, page in enumerate(pages))
    pairs = zip(statements(passages, "en"), quoted, strict=True)
    told = [(one, [Extract(at, each) for at, each in enumerate(own)]) for one, own in pairs]
    grounding = Grounding(sources, RequestContext("en"), TODAY)
    return [each for each in grounding.findings(passages, vouched=told) if each.check in CLAIMS]


CLAIMS = {UNSUPPORTED, CONTRADICTED, DISPUTED}


def test_hours_on_which_two_pages_differ_are_no_dispute_if_a_judge_supports_them() -> None:
    monument = "The monument in Orvik is open daily from 9 a.m. to 5 p.m."
    pages = [monument, "The gallery in Orvik is open daily from 10 a.m. to 5 p.m."]
    text = [Passage("sections[0]", Kind.PROSE, "In Orvik, the monument is open from 9 a.m. daily.")]
    assert ruled(text, pages, [[monument]]) == []
    disputed = judge(text[0].text, *pages).findings
    assert {each.check for each in disputed} == {DISPUTED}


def test_an_example_may_have_dates_of_its_own_in_a_header_and_where_it_states_nothing() -> None:
    pages = [OBJECTIONS_EN]
    header = Passage("s.blocks[0].header[0]", Kind.CELL, "Example: bill of November 10, 2026")
    cell = Passage("s.blocks[0].rows[0][0]", Kind.CELL, "objections until the twelfth month ends")
    opening = Passage(
        "s.blocks[1]", Kind.PROSE, "For example, the bill comes on November 10, 2026."
    )
    quotation = "until the end of the twelfth month"
    assert ruled([header, cell, opening], pages, [[quotation], []]) == []
    plain = replace(header, text="Bill of November 10, 2026")
    assert ruled([plain, cell], pages, [[quotation]])
    assert ruled([replace(opening, text="The bill comes on November 10, 2026.")], pages, [[]])


def test_a_heading_that_the_judge_takes_for_no_claim_may_count_what_is_below_it() -> None:
    heading = Passage("s.heading", Kind.HEADING, "Three free days in order")
    pages = ["Teachers can reserve a lunch room and download a treasure hunt for grades 3 to 8."]
    assert ruled([heading], pages, [[]]) == []
    (blocked,) = judge(heading.text, *pages, kind=Kind.HEADING).findings
    assert blocked.blocks


OBJECTIONS_EN = (
    "Objections to a bill are possible until the end of the twelfth month. A bill that arrives on"
    " October 14, 2025 can be objected to until October 31, 2026."
)
OBJECTIONS = (
    "Einwendungen sind bis zum Ablauf des zwölften Monats nach Zugang möglich. Bei Zugang am"
    " 14. Oktober 2025 endet die Frist am 31. Oktober 2026."
)
LEVELS = (
    "Ausstoß unter 12 Kilogramm: Der Vermieter trägt 0 Prozent der Kosten. Ausstoß ab 52 Kilogramm:"
    " Der Vermieter trägt 95 Prozent der Kosten."
)


@pytest.mark.parametrize(
    ("language", "page", "quotation", "note", "text", "severities"),
    [
        ("en", WATTS, "The family needs 2,995 starting watts", WATTS,
         "With the margin, the family needs about 3,600 watts.", set()),
        ("en", WATTS, "The family needs 2,995 starting watts", WATTS,
         "With the margin, the family needs about 3,900 watts.", {Severity.BLOCKER}),
        ("de", f"{WEEK} Wer 3 Arbeitstage je Woche hat, hat 12.", WEEK, ROW,
         "In einer Woche mit drei Tagen arbeitet man wenig und hat 12 Urlaubstage.",
         set()),
        ("de", f"{WEEK} {ROW}", WEEK, ROW,
         "Bei fünf Tagen sind es 20 Urlaubstage, bei drei Tagen 12.", set()),
        ("de", WEEK, WEEK, "Die Frist am Gericht: 3; nichts sonst.",
         "In einer Woche mit drei Tagen arbeitet man wenig und hat 20 Urlaubstage.",
         {Severity.BLOCKER}),
        ("de", "Der Urlaub muss bis zum 31. März des Folgejahres genommen werden.",
         "bis zum 31. März des Folgejahres genommen", "",
         "Für den Urlaub ist bis zum 31. März des Folgejahres Zeit.", {Severity.WARNING}),
        ("de", OBJECTIONS, "Ablauf des zwölften Monats nach Zugang", "",
         "Ein Beispiel mit Zugang am 10. November 2026: Die Frist endet am 30. November 2027.",
         set()),
        ("de", OBJECTIONS, "Ablauf des zwölften Monats nach Zugang", "",
         "Für den Zugang am 10. November 2026 endet die Frist am 30. November 2027.",
         {Severity.BLOCKER}),
        ("de", LEVELS, LEVELS, "",
         "Je nach Ausstoß trägt der Vermieter 0 bis 95 Prozent der Kosten.", set()),
        ("de", LEVELS, LEVELS, "",
         "Je nach Ausstoß trägt der Vermieter 0 bis 85 Prozent der Kosten.",
         {Severity.BLOCKER}),
    ],
)  # fmt: skip
def test_a_value_of_a_supported_sentence_may_stand_in_any_note_that_is_near(
    language: str, page: str, quotation: str, note: str, text: str, severities: set[Severity]
) -> None:
    """A judge quotes one passage; the writer had the others as well."""
    grounding = Grounding((source(page, language=language),), RequestContext(language), TODAY)
    passages = [Passage("sections[0]", Kind.PROSE, text)]
    (statement,) = statements(passages, language)
    found = grounding.findings(
        passages,
        vouched=[(statement, [Extract(0, quotation)])],
        notes=[Extract(0, note)] if note else [],
    )
    assert {each.severity for each in found} == severities, found


STEPS = (
    "A pump with a dial needs 20 minutes at 11 bar up to 600 meters, 12 bar from 601 to 1,200"
    " meters and 13 bar from 1,201 to 1,800 meters."
)


@pytest.mark.parametrize(
    ("language", "text", "pages"),
    [
        ("en", "A pump with a dial needs 11 bar up to 600 meters, 12 up to 1,200.", STEPS),
        (
            "en",
            "A pump with a dial needs 11 bar up to 600 meters and 13 up to 1,800; a weight 10.",
            f"{STEPS} A pump with a weight needs steps of 5, 10 and 15 bar.",
        ),
        ("de", "Das Gewicht der Pumpe hat 10 bar.", "Die Pumpe hat Gewichte: 5, 10 und 15 bar."),
        ("fr", "Le poids donne 10 bar.", "La pompe a des poids de 5, 10 et 15 bar."),
    ],
)
def test_a_unit_that_is_said_once_holds_for_the_numbers_in_the_same_place(
    language: str, text: str, pages: str
) -> None:
    assert found(text, pages, language=language) == []


def test_a_number_with_the_unit_of_another_is_compared_as_one() -> None:
    wrong = "A pump with a dial needs 11 bar up to 600 meters, 12 up to 4,100."
    assert [what for _, what in found(wrong, STEPS)] == ["4,100"]
    # A comma alone lists nothing, nor does one word between numbers.
    for apart in ("In step 3, 5 minutes pass.", "They voted 7 to 4, so it fell from 50 to 30 km."):
        numbers = annotate(apart, "en", TODAY).sentences[0].facts[:2]
        assert numbers[0].unit == ""


def test_a_note_is_near_a_sentence_by_its_short_words_too() -> None:
    """A judge that quotes much need not quote the words with the figure."""
    text = [Passage("sections[0]", Kind.PROSE, "A bad jar goes, in two taped bags, into the bin.")]
    note = "Put the jar into a sealable bag, wrap a second bag around it and tape it tightly."
    page = source(f"A jar that leaks is bad. {note}")
    grounding = Grounding((page,), RequestContext("en"), TODAY)
    told = [(one, [Extract(0, "A jar that leaks is bad.")]) for one in statements(text, "en")]
    assert grounding.findings(text, vouched=told, notes=[Extract(0, note)]) == []
    (wrong,) = grounding.findings(text, vouched=told)
    assert wrong.blocks


def severities(text: str, page: str, *, language: str = "en", judged: bool = True) -> list[str]:
    """Return the severity of each finding on a sentence in Markdown for which a judge quotes a
    page."""
    (leaf,) = leaves(parse(text))
    passages = [Passage("sections[0]", Kind.PROSE, leaf.text, code=leaf.code)]
    told = [(each, [Extract(0, page)]) for each in statements(passages, language)]
    grounding = Grounding((source(page, language=language),), RequestContext(language), TODAY)
    found = grounding.findings(passages, vouched=told if judged else [])
    return [each.severity for each in found if each.check in CLAIMS]


CRON = "Run the copy at three in the morning with cron."


@pytest.mark.parametrize(
    ("text", "page", "found"),
    [
        ("Publish the record `v=DMARC1; p=none` first.", "Publish a record with policy none.", []),
        ("The line `0 3 * * * copy.sh` runs the copy at three in the morning.", CRON, []),
        ("The line 0 3 runs the copy at three in the morning.", CRON, [Severity.BLOCKER]),
        ("Name it by date, such as `app-2026-11-27.db`.", "Name the copies by date.", []),
        ("Set `busy_timeout = 9000` on each connection of the app.",
         "Set a busy timeout of 5000 on each connection of the app.", [Severity.WARNING]),
    ],
)  # fmt: skip
def test_figures_in_code_are_left_to_a_judge(text: str, page: str, found: list[str]) -> None:
    assert severities(text, page) == found
    assert Severity.BLOCKER in severities(text, page, judged=False)


@pytest.mark.parametrize(
    ("language", "text", "page", "is_sample"),
    [
        ("en", "Write “Paid by Ann Muster, 4 May” on the slip.", "Write who paid.", True),
        ("en", "Avoid a subject such as “Quick question about things” in mail.",
         "Avoid vague subjects in mail.", True),
        ("de", "Ein Beispiel: „Meine Nachfolgerin ist Eva Muster, geboren 1970.“",
         "Nennen Sie im Schreiben eine Nachfolgerin.", True),
        ("en", "Customers call the kettle “the best thing in my kitchen”.",
         "Customers like the kettle.", False),
        ("en", "The mayor said, for example: “The bridge will be closed all winter.”",
         "The mayor spoke of the bridge.", False),
    ],
)  # fmt: skip
def test_a_sample_wording_is_no_quotation(
    language: str, text: str, page: str, is_sample: bool
) -> None:
    assert bool(severities(text, page, language=language)) is not is_sample
    assert severities(text, page, language=language, judged=False) == [Severity.BLOCKER]


@pytest.mark.parametrize(
    ("text", "page", "found"),
    [
        ("Set up the five free records first.",
         "The records for names, keys, mail, errors and reports are free.", [Severity.WARNING]),
        ("Set up 5 free records first.",
         "The records for names, keys, mail, errors and reports are free.", [Severity.BLOCKER]),
        ("The town keeps five free records.", "The town keeps six free records.",
         [Severity.BLOCKER]),
        ("Set up the four free records first.",
         "The records for names, keys, mail, errors and reports are free.", [Severity.BLOCKER]),
    ],
)  # fmt: skip
def test_the_number_of_what_a_source_names_one_by_one_is_doubted_and_not_refused(
    text: str, page: str, found: list[str]
) -> None:
    assert severities(text, page) == found


FEES = "A flight of 1,500 km or less pays €250 a person. The claim lapses after five years."


@pytest.mark.parametrize(
    ("language", "text", "pages"),
    [
        (
            "en",
            "For example, two adults and a child on a journey of 1,200 km could get three times"
            " €250, which is €750.",
            "Passengers who arrive late have a right to €250.",
        ),
        ("en", "An example: Ann flies 900 km. She flies on 3 April 2027 and pays €80.", FEES),
        (
            "de",
            "Ein Beispiel: Läuft es am 3. April 2027 an, trägst du es bis zum 3. Mai 2027 ein.",
            "Trag das Gerät innerhalb eines Monats nach der Inbetriebnahme ein.",
        ),
        ("es", "Por ejemplo, el 3 de abril de 2027 viajan 900 km.", "El vuelo paga 250 euros."),
        ("fr", "Par exemple, le 3 avril 2027, ils volent 900 km.", "Le vol paie 250 euros."),
        ("it", "Ad esempio, il 3 aprile 2027 volano per 900 km.", "Il volo paga 250 euro."),
        ("nl", "Bijvoorbeeld: op 3 april 2027 vliegen ze 900 km.", "De vlucht betaalt 250 euro."),
        ("pt", "Por exemplo, em 3 de abril de 2027 voam 900 km.", "O voo paga 250 euros."),
    ],
)  # fmt: skip
def test_an_example_and_what_goes_on_with_it_may_have_figures_of_its_own(
    language: str, text: str, pages: str
) -> None:
    assert found(text, pages, language=language) == []


def test_an_example_may_not_contradict_a_source_and_frees_no_other_sentence() -> None:
    wrong = "For example, the claim lapses after two years."
    assert [what for _, what in found(wrong, FEES)] == ["two years"]
    beside = "For example, Ann flies 900 km. Airlines charge €80 for bags."
    assert found(beside, FEES) == [("unsupported_claim", "€80")]
    inside = "The airline, which is a good example, charges €80 for bags."
    assert found(inside, FEES) == [("unsupported_claim", "€80")]


DOSE = "Adults may give 20 mg per kg of body weight. Kittens get 5 mg per kg."


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("At 4.5 kg, 20 mg per kg are 90 mg.", set()),
        ("An animal of 50 kg at 20 mg per kg gets 1 g.", set()),
        ("At 4.5 kg, 20 mg per kg are 100 mg.", {"4.5 kg", "100 mg"}),
        ("At 4.5 kg, 25 mg per kg are 112.5 mg.", {"4.5 kg", "25 mg per kg", "112.5 mg"}),
        # Of an example, the weight may be its own, but not a product that is none.
        ("They wait. For example, a lamb of 4 kg gets 80 mg at 20 mg per kg.", set()),
        ("They wait. For example, a lamb of 4 kg gets 90 mg at 20 mg per kg.", {"90 mg"}),
    ],
)
def test_a_product_with_a_rate_of_its_section_has_to_be_right(text: str, wrong: set[str]) -> None:
    stated = f"Adults may give 20 mg per kg of body weight. {text}"
    assert {what for _, what in found(stated, DOSE)} == wrong


def test_a_product_needs_a_rate_that_another_sentence_of_its_section_states() -> None:
    """What a sentence says of its weight, a source hardly says of its rate."""
    text = "For a kitten of 2 kg, 20 mg per kg are 40 mg."
    assert {what for _, what in found(text, DOSE)} == {"2 kg", "40 mg"}


REWARD = (
    "The reward is 5 percent of the value up to 500 euros and 3 percent of what is above. In a"
    " train, the reward is half of that, from a value of 50 euros on."
)


def example_of(announced: str, *rows: str) -> list[tuple[str, str]]:
    """Return the findings on a table below a text, each as its check and the text of its span."""
    texts = [Passage("s.blocks[0]", Kind.PROSE, announced)]
    for number, row in enumerate(("Value | Street | Train", *rows)):
        path = f"s.blocks[1].{f'rows[{number - 1}]' if number else 'header'}"
        cells = enumerate(row.split(" | "))
        texts += [Passage(f"{path}[{at}]", Kind.CELL, text) for at, text in cells]
    verdict = SourceIndex([source(REWARD)], RequestContext("en"), TODAY).check(texts)
    by_section = {each.section: each.text for each in texts}
    return [(f.check, by_section[f.section][slice(*f.span)]) for f in verdict.findings if f.span]


RATES = ("up to 500 euros | 5 percent | half", "above | 3 percent | half")


def test_the_row_of_a_worked_example_may_have_what_follows_from_the_rates() -> None:
    row = "Example: 800 euros | 25 + 9 = 34 euros | 17 euros"
    assert example_of("The reward depends on the value.", *RATES, row) == []
    announced = "An example is a ring that is worth 800 euros."
    assert example_of(announced, *RATES, row.replace("Example: ", "")) == []
    # Without a word for an example, they are figures as any others.
    plain = row.replace("Example: ", "")
    said = {what for _, what in example_of("The reward depends on it.", *RATES, plain)}
    assert said >= {"9", "17 euros"}


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ("Example: 800 euros | 25 + 9 = 37 euros | 17 euros", "37 euros"),
        ("Example: 800 euros | 25 + 11 = 36 euros | 18 euros", "11"),
        ("Example: 800 euros | 25 + 9 = 34 euros | 19 euros", "19 euros"),
        ("Example: 800 euros | 7 percent | half", "7 percent"),
    ],
)
def test_in_the_row_of_an_example_the_arithmetic_has_to_hold_with_rates_of_the_sources(
    row: str, wrong: str
) -> None:
    assert wrong in {what for _, what in example_of("It depends on the value.", *RATES, row)}


def test_the_items_of_an_example_may_have_figures_of_their_own() -> None:
    lead = Passage("s.blocks[0]", Kind.PROSE, "An example for two flights:", leads=True)
    items = [
        Passage(f"s.blocks[1].items[{at}]", Kind.ITEM, text)
        for at, text in enumerate(("Ann flies 900 km.", "Bob pays €80 on 3 April 2027."))
    ]
    index = SourceIndex([source(FEES)], RequestContext("en"), TODAY)
    assert index.check([lead, *items]).findings == ()
    plain = replace(lead, text="What Ann did:")
    assert {each.section for each in index.check([plain, *items]).findings} >= {items[1].section}


def test_what_follows_from_the_rates_of_the_sources_contradicts_none_of_them() -> None:
    said = "For example, for a ring worth 800 euros you get 34 euros. In a train it is 17 euros."
    assert found(said, REWARD) == []
    wrong = said.replace("17 euros", "19 euros")
    assert ("contradicted_claim", "19 euros") in found(wrong, REWARD)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Can I use a second-hand or borrowed car seat?", Kind.QUESTION),
        ("The third birthday is the line that matters.", Kind.PROSE),
    ],
)
def test_an_ordinal_that_only_orders_needs_no_source(text: str, kind: Kind) -> None:
    told = "For a longer trip, the second adult sits beside the baby, or in the third seat."
    assert judge(text, told.replace("second adult", "fourth adult"), kind=kind).findings == ()
    assert judge(text, told, kind=kind).findings == ()


def test_an_ordinal_that_a_source_has_otherwise_is_found() -> None:
    assert found("It was his fifth victory.", "It was his third victory.")


def test_values_of_different_steps_of_what_is_asked_for_are_no_dispute() -> None:
    pages = [
        source("In cold water, in the sink, a 12-pound bird takes six hours.", name="a"),
        source("Use a sink of cold water and wait for half an hour.", name="b"),
    ]
    said = [Passage("s", Kind.PROSE, "Cold water in the sink takes six hours.")]
    asked = RequestContext("en", ("thaw turkey in cold water in a sink",))
    assert SourceIndex(pages, asked, TODAY).check(said).findings == ()
    (disputed,) = SourceIndex(pages, RequestContext("en"), TODAY).check(said).findings
    assert disputed.check == DISPUTED
