"""What a copy editor marks in any text is found where it stands; what people rightly write is not.

Issue: misspellings, doubled words, articles, agreement, confused words, punctuation, unbalanced
marks, mojibake, mixed scripts and capitals are found in posts and in files.
"""

import time
from collections.abc import Callable

import pytest

from app.core.checks import Finding, Kind, Passage, Severity, check_file, check_passage
from app.core.checks import mechanics as checks
from app.core.checks.desk import check_post, check_text
from app.core.checks.mechanics import check_misspelling
from app.core.languages import Spelling, get_section, known_tags
from app.core.planning.brief import Brief
from app.core.schemas.post import SEOPost
from app.core.text.spelling import BloomFilter, word_list

BEFORE, AFTER = "Wipe the lid with a soft cloth. ", " Then let it dry for an hour."


def found(check: str, text: str, language: str = "en", kind: Kind = Kind.PROSE) -> list[Finding]:
    passage = Passage("sections[1]", kind, text)
    every = [*check_passage(passage, language), *check_text([passage], language)]
    return [finding for finding in every if finding.check == check]


def shown(check: str, text: str, language: str = "en") -> list[str]:
    """The places of the findings of a check."""
    return [text[slice(*each.span)] for each in found(check, text, language) if each.span]


def all_mechanics(text: str, language: str = "en") -> list[str]:
    names = {each.name for each in vars(checks).values() if isinstance(each, checks.DeskCheck)}
    passage = Passage("sections[1]", Kind.PROSE, text)
    every = [*check_passage(passage, language), *check_text([passage], language)]
    return [f"{each.check}: {each.reason}" for each in every if each.check in names]


@pytest.mark.parametrize(
    ("language", "wrong", "right"),
    [
        ("en", "definately", "definitely"),
        ("en", "becuase", "because"),
        ("en", "definetly", "definitely"),
        ("en", "parralell", "parallel"),
        ("en", "alot", "a lot"),
        ("de", "vorraussichtlich", "voraussichtlich"),
        ("de", "garnicht", "gar nicht"),
        ("fr", "malgrés", "malgré"),
        ("es", "atravez", "a través"),
        ("it", "pultroppo", "purtroppo"),
        ("pt", "concerteza", "com certeza"),
        ("nl", "interresant", "interessant"),
    ],
)
def test_a_misspelling_is_found_with_what_is_meant(language: str, wrong: str, right: str) -> None:
    (finding,) = found("misspelling", f"{wrong} x", language)
    assert finding.reason.startswith(f"“{wrong}” is misspelled. Did you mean “{right}”?")
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize(
    "text",
    [
        "Dann rühr den Teig um, knet ihn und heiz den Ofen vor; sammel die Reste ein.",
        "Bitte prüf den Druck, oder spül den Topf.",
    ],
)
def test_a_german_imperative_needs_no_e(text: str) -> None:
    assert found("misspelling", text, "de") == []


@pytest.mark.parametrize("text", ["Nobody read the meter.", "I know that everyone put it off."])
def test_a_past_tense_that_looks_like_a_plural_is_right(text: str) -> None:
    assert found("grammar", f"{BEFORE}{text}{AFTER}") == []


def test_what_is_no_imperative_needs_its_ending() -> None:
    assert shown("misspelling", "Der Koch rühr den Teig um.", "de") == ["rühr"]


def test_a_misspelled_word_keeps_its_capital() -> None:
    (finding,) = found("misspelling", "Alot of it helps.")
    assert "“A lot”" in finding.reason


@pytest.mark.parametrize(
    "text",
    [
        "The colour of the theatre is grey, and the organisers favour it.",
        "Run dpkg rsync now.",  # one letter from sync, beside another unknown word
        "The kubernetes cluster runs.",
        "Ask Recieve Ltd. about it.",
        "See recieve.py or /usr/recieve or recieve-all.",
        "The frontmatter of the webhook is in the changelog.",
        "The rustc compiler builds; then rustc stops.",
        "Hahaha, that was it.",
    ],
)
def test_names_and_technical_words_are_no_misspellings(text: str) -> None:
    assert found("misspelling", text) == []


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Die Kompostbehälterabdeckung gehört auf die Rasenmäherwartungsliste."),
        ("de", "Das Feature läuft im Browser, und wir pushen es heute."),
        ("fr", "L’aujourd’hui n’est qu’une journée d’automne."),
        ("es", "Puede que haga falta regarlas; crecen y aguantan."),
        ("it", "Puoi aggiungerli, livellarlo e usarli."),
    ],
)
def test_compounds_and_forms_are_no_misspellings(language: str, text: str) -> None:
    assert found("misspelling", text, language) == []


def test_a_word_that_comes_twice_is_a_term() -> None:
    assert shown("misspelling", "We call it kettel here.") == ["kettel"]
    assert shown("misspelling", "We call it kettel here, and kettel it is.") == []


@pytest.mark.parametrize(
    ("language", "text", "doubled"),
    [
        ("en", "Put it in the the oven.", "the the"),
        ("en", "It it works.", "It it"),
        ("en", "Water water helps.", "Water water"),
        ("de", "Das gilt für den Garten und und das Haus.", "und und"),
        ("de", "Heute ist der der Tag.", "der der"),
        ("fr", "Dans votre votre jardin.", "votre votre"),
    ],
)
def test_a_doubled_word_is_found(language: str, text: str, doubled: str) -> None:
    assert shown("doubled_word", text, language) == [doubled]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "She had had enough, and I know that that helps very very much."),
        ("en", "They flew to Bora Bora and sang la la la."),
        ("en", "It is what it is. Is that so?"),
        ("en", "Take 10 10 times, or use the-the and a.a."),
        ("de", "Die Leute, die die Welt retten, und die Frau, mit der der Mann kam."),
        ("fr", "Nous nous levons tôt, et vous vous reposez."),
        ("nl", "Ik weet dat dat werkt."),
    ],
)
def test_words_that_rightly_stand_twice_are_not_found(language: str, text: str) -> None:
    assert found("doubled_word", text, language) == []


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Wait a hour.", "an hour"),
        ("It is an university.", "a university"),
        ("She has a MBA degree.", None),
        ("Ask a expert.", "an expert"),
        ("An plan helps.", "A plan"),
        ("Use a 8-bit value.", "an 8"),
        ("It has a LED.", None),
        ("Send a SMS.", "an SMS"),
        ("This is an one-off.", "a one"),
    ],
)
def test_an_article_follows_the_sound(text: str, right: str | None) -> None:
    reasons = [each.reason for each in found("wrong_article", text)]
    assert [f"“{right}”" in reason for reason in reasons] == ([True] if right else [])


@pytest.mark.parametrize(
    "text",
    [
        "An hour at a university, an MBA, an honest one, a European, a one-way street.",
        "An FAQ and a FAQ, an historic hotel and a historic hotel, an SEO text.",
        "Vitamin A in food, plan A or plan B, a or b, a and b.",
        "A unit, a user, an umbrella, an uninstall, an 11-inch screen, a 10 % share, an 8 %.",
        "Read an mbox with a udeb.",
        "In the 1800s a 1100-seat hall.",
    ],
)
def test_right_articles_are_not_found(text: str) -> None:
    assert found("wrong_article", text) == []


@pytest.mark.parametrize(
    ("language", "text", "instead"),
    [
        ("en", "It could of been worse.", "could have"),
        ("en", "Their is no rush.", "there is"),
        ("en", "They keep there tools inside.", "keep their tools"),
        ("en", "Your welcome to try it.", "you’re welcome to"),
        ("en", "Its a good day.", "it’s a"),
        ("en", "It has lost it’s colour.", "lost its"),
        ("en", "Tea is better then nothing.", "better than nothing"),
        ("en", "You can loose weight.", "can lose weight"),
        ("en", "It had no affect on us.", "no effect"),
        ("de", "Ich glaube, das es reicht.", "glaube, dass es"),
        ("de", "Ich warte seid gestern.", "seit gestern"),
        ("fr", "Si il pleut, restez.", "s’il"),
        ("es", "La agua está fría.", "el agua"),
        ("it", "Qual'è il momento?", "qual è"),
        ("pt", "Fazem dois anos.", "faz dois anos"),
        ("nl", "Hij word moe.", "Hij wordt"),
    ],
)
def test_words_that_are_mixed_up_are_found(language: str, text: str, instead: str) -> None:
    (finding,) = found("confused_words", text, language)
    assert instead.lower() in finding.reason.lower()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Of course, they could, of the ten, take two. The might of the sea is real."),
        ("en", "There is their house. It's its own place; you're in your car."),
        ("en", "First rinse, then dry. It was better then. Each other then smiled."),
        ("en", "A loose screw affects the effect. It does its best to help."),
        ("en", "It's a pity that its lid is loose; its time has come."),
        ("de", "Das Haus, das er baut, steht seit gestern. Seid ihr da?"),
        ("fr", "Il a dit qu’il vient. S’il pleut, on rentre."),
        ("es", "El agua y la mano. A ver si llueve."),
        ("it", "Un amico, un’amica e un po’ di pane."),
    ],
)
def test_words_in_their_place_are_not_confused(language: str, text: str) -> None:
    assert found("confused_words", text, language) == []


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "They was late."),
        ("en", "He don't mind."),
        ("en", "Read these book in order."),
        ("en", "The results shows it."),
        ("en", "It take a week."),
        ("en", "We have went there."),
        ("en", "She did not saw it."),
        ("en", "One of the reason is cost."),
        ("de", "Am Abend wir hat gegessen."),
        ("fr", "Ils est partis."),
        ("es", "La gente piensan mucho."),
    ],
)
def test_forms_that_do_not_agree_are_found(language: str, text: str) -> None:
    assert len(found("disagreement", text, language)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "If he were rich, he would not go. One of them was late; neither of you is wrong.",
        "An argument along these lines is weak. This means a lot, and these book covers fade.",
        "All those who use it do not own it. Did they have time? The number of people is small.",
        "The trash can is full, and the will is clear.",
    ],
)
def test_forms_that_agree_are_not_found(text: str) -> None:
    assert found("disagreement", text) == []


def test_a_comma_between_two_sentences_is_found() -> None:
    assert found("comma_splice", "The water is warm, you can begin.")
    assert found("comma_splice", "Nobody knew the answer, they asked a neighbour.")
    for right in (
        "When the water is warm, you can begin.",
        "The water is so warm, you can begin.",
        "It was late, he said.",
        "The water is warm, and you can begin.",
        "It is warm, dry and clean.",
        "The book that he read was good, which surprised them.",
    ):
        assert found("comma_splice", right) == [], right


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("Wipe it dry.Then wait.", "dry.Then"),
        ("Wipe it,then wait.", "it,then"),
        ("Wipe it , then wait.", " ,"),
        ("Wipe it dry.. Then wait.", ".."),
        ("Wipe it,, then wait.", ",,"),
        ("Wipe it!!!", "!!!"),
        ("Really??", "??"),
    ],
)
def test_wrong_punctuation_is_found(text: str, mark: str) -> None:
    assert shown("punctuation", text) == [mark]


@pytest.mark.parametrize(
    "text",
    [
        "Use Node.js, ASP.NET and example.com; e.g. 1,000 or 3.5 mm, at 9 a.m. in the U.S. now.",
        "Wait … or wait... and see. What?! Good! See os.Open(x).",
        "It goes from 1..10, and ../lib has it. A,b and c,d,e are names.",
        "The value is .5, and .NET is a name.",
    ],
)
def test_right_punctuation_is_not_found(text: str) -> None:
    assert found("punctuation", text) == []


def test_french_keeps_its_spaces() -> None:
    assert found("punctuation", "Pourquoi ? Parce que : voilà ! Oui ; non.", "fr") == []


def test_a_sentence_begins_with_a_capital() -> None:
    assert shown("missing_capital", "Wipe the lid. then let it dry.") == ["then"]
    for right in (
        "Use milk, tea etc. and wait.",
        "Ask max. ten people.",
        "It is npm. npm runs.",
    ):
        assert found("missing_capital", right) == [], right
    assert found("missing_capital", "Das gilt inkl. der Kosten.", "de") == []


@pytest.mark.parametrize(
    "text",
    [
        "Use the large one (as wide as a hand and wait.",
        "Use the large one) and wait.",
        "They call it “the best hour and came back.",
        'The label says "keep cool and nothing else.',
        "Man nennt es «das Beste und geht.",
    ],
)
def test_a_mark_without_its_partner_is_found(text: str) -> None:
    assert len(found("unbalanced_marks", text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Choose a) the first or b) the second. 1) Wait. It doesn't hurt :) or ;-)",
        'A 24" screen is not a 27" one. The dogs’ bowl, rock ’n’ roll, the ’90s.',
        "Er sagte: „Gut so“, und sie: »Ja«, « oui », “yes” (and [no]).",
        '"A quotation may go on in the next paragraph.',
    ],
)
def test_balanced_marks_are_not_found(text: str) -> None:
    assert found("unbalanced_marks", text) == []


@pytest.mark.parametrize(
    ("text", "meant"),
    [("It doesnâ€™t hurt.", "’"), ("A small cafÃ© is open.", "é"), ("About 20Â°C.", "°")],
)
def test_mojibake_is_a_blocker_and_shows_what_was_meant(text: str, meant: str) -> None:
    (finding,) = found("mojibake", text)
    assert finding.severity is Severity.BLOCKER
    assert finding.removable
    assert f"“{meant}”" in finding.reason


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The café in São Paulo costs £5 — naïve, “so” it is… 20 °C, ½ cup."),
        ("pt", "NÃO É ASSIM: AÇÃO, IRMÃ, «Ã» e “Â”."),
        ("fr", "Âge, âne, à «»… « Là-bas »"),
        ("de", "Spaß“ und „Straße“ – so…"),
    ],
)
def test_accents_are_no_mojibake(language: str, text: str) -> None:
    assert found("mojibake", text, language) == []


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "So steigt das热 wärme im Raum."),
        ("en", "The wаter is warm."),  # a Cyrillic а
        ("en", "The lid is 非常 clean and dry."),
    ],
)
def test_another_script_inside_prose_is_a_blocker(language: str, text: str) -> None:
    (finding,) = found("mixed_script", text, language)
    assert finding.severity is Severity.BLOCKER


def test_in_a_file_a_foreign_word_is_a_warning_and_a_mixed_word_a_blocker() -> None:
    def severities(text: str) -> list[Severity]:
        report = check_file(text)
        return [e.finding.severity for e in report.findings if e.finding.check == "mixed_script"]

    assert severities("# Lids\n\nThe lid is 非常 clean and dry today.\n") == [Severity.WARNING]
    assert severities("# Lids\n\nThe wаter in it is very warm today.\n") == [Severity.BLOCKER]


@pytest.mark.parametrize(
    "text",
    [
        "The Japanese word for it (手帳) is short, and “привет” means hello.",
        "An angle α, 5 µm, Δt and πr² are formulas; Ω is a unit.",
        "In Greek it is called: λόγος.",
    ],
)
def test_foreign_words_that_are_set_off_are_not_found(text: str) -> None:
    assert found("mixed_script", text) == []


def test_words_of_a_keyword_may_be_in_another_script(
    make_post: Callable[..., SEOPost], make_brief: Callable[..., Brief]
) -> None:
    text = "Many people drink {} from a glass at home, and they like it hot."

    def is_found(keyword: str, word: str) -> bool:
        brief = make_brief(keywords=(keyword,))
        post = make_post(brief=brief, bodies=(("How it is drunk", text.format(word)),))
        return any(each.check == "mixed_script" for each in check_post(post, brief).findings)

    assert not is_found("как пить чай", "чай")
    assert not is_found("抹茶 latte", "抹茶")
    assert is_found("чай", "кофе")
    assert is_found("чай", "teaчай")


def test_a_language_of_another_script_is_not_checked_for_scripts() -> None:
    assert found("mixed_script", "Это дом.", "ru") == []


def test_capitals_at_wrong_places_are_found() -> None:
    assert shown("capitals", f"{BEFORE}NEVER LEAVE IT ALONE.{AFTER}") == ["NEVER LEAVE IT ALONE."]
    assert shown("capitals", "Wipe tHe lid.") == ["tHe"]
    for right in (
        "Use HTML, CSS and SQL.",
        "An iPhone, eBay and macOS.",
        "NASA and ESA fly.",
        "BACK TO BASICS AGAIN",
    ):
        assert found("capitals", right) == [], right


def test_several_emoji_in_a_row_are_found() -> None:
    assert shown("emoji_row", "Try it 🎉🎉🔥 now.") == ["🎉🎉🔥"]
    assert found("emoji_row", "Try it 🎉 now 👩‍🚀, and then ✨.") == []


GOOD = {
    "en": (
        "Fill the kettle with cold water, and boil it once. If you don't have vinegar, lemon juice"
        " works as well: use 30 ml (about two spoons) per litre. “Too much of it,” says one"
        " reader, “and the tea tastes sour.” That's easy to avoid, isn't it?"
    ),
    "de": (
        "Füllen Sie den Wasserkocher mit kaltem Wasser, und kochen Sie es auf. Ohne Essig"
        " nimmt man Zitronensaft: 30 ml (zwei Löffel) je Liter. „Mehr davon“, sagt jemand, „und"
        " der Tee schmeckt sauer.“ Das lässt sich leicht vermeiden."
    ),
    "fr": (
        "Remplissez la bouilloire d’eau froide, puis faites bouillir. Sans vinaigre, le jus de"
        " citron convient aussi : 30 ml (deux cuillères) par litre. « Trop de jus », dit une"
        " lectrice, « et le thé devient acide. » C’est facile à éviter, n’est-ce pas ?"
    ),
    "es": (
        "Llena el hervidor con agua fría y ponlo a hervir. Si no tienes vinagre, el zumo de limón"
        " también sirve: unos 30 ml (dos cucharadas) por litro. ¿Y si queda sabor? Enjuágalo otra"
        " vez y espera un rato."
    ),
    "it": (
        "Riempi il bollitore con acqua fredda e portala a ebollizione. Se non hai l’aceto, va bene"
        " anche il succo di limone: circa 30 ml (due cucchiai) per litro. Poi sciacqualo bene e"
        " lascialo asciugare."
    ),
    "pt": (
        "Encha a chaleira com água fria e ferva-a uma vez. Se não tiver vinagre, o suco de limão"
        " também serve: cerca de 30 ml (duas colheres) por litro. Depois enxágue bem e deixe secar."
    ),
    "nl": (
        "Vul de waterkoker met koud water en breng het aan de kook. Heb je geen azijn, dan werkt"
        " citroensap ook: ongeveer 30 ml (twee lepels) per liter. Spoel hem daarna goed uit en laat"
        " hem drogen."
    ),
}


@pytest.mark.parametrize("language", GOOD)
def test_good_prose_has_no_finding(language: str) -> None:
    assert all_mechanics(GOOD[language], language) == []


def test_a_file_is_checked_in_its_lists_and_headings() -> None:
    report = check_file("# The the kettle\n\nBoil it once:\n\n- Fill it with waterr first.\n")
    names = {(each.line, each.finding.check) for each in report.findings}
    assert {(1, "doubled_word"), (5, "misspelling")} <= names


def test_code_is_not_checked() -> None:
    code = "the the teh,x foo..bar recieve(tHe"
    text = f"Run {code} now."
    passage = Passage("sections[1]", Kind.PROSE, text, code=((4, 4 + len(code)),))
    every = [*check_passage(passage, "en"), *check_text([passage], "en")]
    assert every == []


@pytest.mark.parametrize(
    "language", [tag for tag in known_tags() if get_section(tag, Spelling) is not None]
)
def test_a_language_that_checks_spelling_has_a_word_list(language: str) -> None:
    rules = get_section(language, Spelling)
    assert rules
    known = word_list(language, rules.letters)
    assert known
    # What is always wrong needs no word list; what replaces it must not be wrong as well.
    assert not {right for right in rules.misspelled.values() if right in rules.misspelled}
    assert not rules.other_words & rules.misspelled.keys()


def test_a_bloom_filter_has_its_words_and_few_others() -> None:
    inside = [f"word{index}" for index in range(2_000)]
    outside = [f"other{index}" for index in range(2_000)]
    words = BloomFilter.of(inside)
    assert all(word in words for word in inside)
    assert words.without(inside) == []
    left = words.without(outside)
    assert left == [word for word in outside if word not in words]
    assert len(left) > 1_960


@pytest.mark.parametrize(
    "pattern", ["teh ", "(", '"“', "a,", "A a ", "Â", "的a", "x.X ", "the the "]
)
def test_the_time_grows_with_the_text(pattern: str) -> None:
    def cost(chars: int) -> float:
        text = (pattern * chars)[:chars]
        began = time.process_time()
        all_mechanics(text)
        return time.process_time() - began

    cost(1_000)
    little = max(cost(5_000), 0.01)
    assert min(cost(20_000) for _ in range(2)) < 9 * little


def test_misspellings_are_read_over_the_whole_text() -> None:
    one = Passage("sections[0]", Kind.PROSE, "We call it kettel here.")
    two = Passage("sections[1]", Kind.PROSE, "A kettel is a kettle.")
    assert len(list(check_misspelling([one], "en"))) == 1
    assert list(check_misspelling([one, two], "en")) == []


def test_a_past_tense_agrees() -> None:
    text = "# Cold brew\n\nIt cost a dollar in 1990, and it costs five today.\n"
    assert not [each for each in check_file(text).findings if each.finding.check == "disagreement"]


def test_the_from_address_of_a_message_is_no_stray_capital() -> None:
    assert found("capitals", "The domain of the From address has to match.") == []
    assert shown("capitals", "The rule comes From old times.") == ["From"]


def test_a_german_quotation_may_end_a_text() -> None:
    text = "# Testament\n\nViele schreiben es so: „Meine Erbin ist Eva, geboren am 2. Mai 1995.“\n"
    assert not [each for each in check_file(text, "de").findings if each.finding.check == "cut_off"]
