"""What tools and drafts leave behind is found in posts and files, and ordinary prose is not."""

import time

import pytest

from app.core.checks import Finding, Kind, Passage, Severity, check_file, check_passage
from app.core.checks.hygiene import check_assistant_talk
from app.core.checks.leftovers import (
    PROMPT_WORDS,
    check_draft_label,
    check_instruction_leak,
    told_findings,
)
from app.core.checks.wording import level
from tools.prompt_sentences import TARGET, prompt_sentences

BEFORE, AFTER = "Fresh beans taste better. ", " A coarse grind makes a clear drink."


def in_post(text: str, language: str = "en", kind: Kind = Kind.PROSE) -> list[Finding]:
    return check_passage(Passage("sections[0]", kind, text), language)


def test_a_fence_that_ends_with_the_file_is_closed() -> None:
    assert not check_file("# Cold brew\n\nIt is cold.\n\n```\nprint\n```", "en").findings
    assert check_file("# Cold brew\n\nIt is cold.\n\n```\nprint", "en").findings


def in_file(text: str, language: str = "en") -> list[Finding]:
    return [each.finding for each in check_file(f"# Cold brew\n\n{text}\n", language).findings]


def checks(findings: list[Finding]) -> set[str]:
    return {finding.check for finding in findings}


# "Chat phrases … in files as well as posts".
@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "As of my last update, it cost less."),
        ("en", "My knowledge cutoff is September 2021."),
        ("en", "I cannot browse the internet to check this."),
        ("en", "I don't have access to real-time prices."),
        ("en", "I can't assist with that."),
        ("de", "Stand meiner letzten Aktualisierung ist das so."),
        ("de", "Ich habe keinen Zugriff auf aktuelle Daten."),
        ("de", "Wenn du möchtest, kann ich auch eine kurze Version schreiben."),
        ("fr", "À ma dernière mise à jour, le prix était le même."),
        ("fr", "Voici l’article que vous avez demandé."),
        ("es", "No puedo navegar por internet."),
        ("it", "Non ho accesso a internet."),
        ("pt", "Não posso navegar na internet."),
        ("nl", "Ik kan niet op internet zoeken."),
        ("nl", "As an AI, I have never tasted it."),
    ],
)
def test_what_an_assistant_says_of_itself_is_a_blocker_everywhere(language: str, text: str) -> None:
    for findings in (in_post(text, language), in_file(text, language)):
        (found,) = (each for each in findings if each.check == "assistant_talk")
        assert found.severity is Severity.BLOCKER


def test_what_people_tell_their_readers_is_a_warning_in_a_file_and_a_blocker_in_a_post() -> None:
    for text in (
        "Let me know if you find a better way.", "I hope this helps.",
        "Would you like me to add a chair?",
    ):  # fmt: skip
        (post,), (file,) = (
            [each for each in found if each.check == "assistant_talk"]
            for found in (in_post(text), in_file(text))
        )
        assert (post.severity, file.severity) == (Severity.BLOCKER, Severity.WARNING)


@pytest.mark.parametrize(
    "text",
    [
        "Feel free to reach out to our team at the market.",
        "Here's a simplified version of the query.",
        "I cannot recommend the second kit.",
        "That is a great question for a vet.",
        "I was trained by two carpenters.",
    ],
)
def test_people_may_sound_like_assistants_in_a_file(text: str) -> None:
    assert "assistant_talk" not in checks(in_file(text))


# "Citation marks of chat tools".
@pytest.mark.parametrize(
    ("mark", "found"),
    [
        ("【4†source】", "【4†source】"),
        (" :contentReference[oaicite:0]{index=0}", ":contentReference[oaicite:0]{index=0}"),
        (" oaicite:2", "oaicite:2"),
        (" turn0search1", "turn0search1"),
        ("[1†L3]", "[1†L3]"),
        (" [cite: 3, 4]", "[cite: 3, 4]"),
        (" utm_source=chatgpt.com", "utm_source=chatgpt.com"),
        ("<|im_end|>", "<|im_end|>"),
    ],
)
def test_a_mark_of_a_chat_tool_is_a_blocker(mark: str, found: str) -> None:
    text = f"{BEFORE}It keeps for a week{mark}.{AFTER}"
    for findings in (in_post(text), in_file(text)):
        (each,) = (each for each in findings if each.check == "chat_mark")
        assert each.severity is Severity.BLOCKER
        assert f"“{found}”" in each.reason


def test_the_number_of_a_note_is_a_leftover_in_a_post_alone() -> None:
    text = "It keeps for a week [12]. So does tea."
    assert "chat_mark" in checks(in_post(text))
    assert "chat_mark" not in checks(in_file(text))


@pytest.mark.parametrize(
    "text", ["Turn 3 search lights on.", "【注意】お湯は使いません。", "In [2024] it rained."]
)
def test_what_only_looks_like_a_mark(text: str) -> None:
    assert "chat_mark" not in checks(in_post(text))


# "Template variables of all kinds … where a value stands".
@pytest.mark.parametrize(
    "leftover",
    [
        "%s", "%(name)s", "%%CITY%%", "<%= name %>", "{% if x %}", "{name}", "{0}", "#{brand}",
        "*|FNAME|*", "$NAME$", "@@NAME@@", "##NAME##", "[object Object]", "#REF!", "#DIV/0!",
        "NaN minutes", "about undefined", "null days", "20XX", "XX%", "TKTK", "INSERT LINK",
        "(insert example here)", "[insert picture]", "[Your Name]",
    ],
)  # fmt: skip
def test_a_variable_or_a_value_that_is_missing_is_found(leftover: str) -> None:
    text = f"{BEFORE}We need {leftover} for it.{AFTER}"
    (found,) = (each for each in in_post(text) if each.check == "placeholder")
    assert found.severity is Severity.BLOCKER
    assert "placeholder" in checks(in_file(text))


def test_a_variable_is_a_warning_in_a_file_and_an_unwritten_place_a_blocker() -> None:
    def severity(text: str) -> Severity:
        return next(each.severity for each in in_file(text) if each.check == "placeholder")

    assert severity("It costs about {price} in most shops.") is Severity.WARNING
    assert severity("It works like this (insert example here).") is Severity.BLOCKER
    assert severity("Ask [Your Company Name] for more.") is Severity.BLOCKER
    assert severity("Dear <insert name>, thank you.") is Severity.WARNING


@pytest.mark.parametrize(
    "text",
    [
        "Use `{name}` in a format string, or `%s` in an older one.",
        "The attribute is written #[link(name)] above the block.",
        "The term undefined behaviour has a meaning of its own.",
        "The null hypothesis was rejected, and 100%salt is no word.",
        'See [Product Owner]({{ "/about/" | url }}) for more.',
        "A size XXL shirt costs $30, and none is left.",
        "They spoke of “lorem ipsum” as if it were text.",
    ],
)
def test_what_a_text_about_software_says_is_no_placeholder(text: str) -> None:
    assert "placeholder" not in checks(in_file(text))


# "Unfinished notes".
@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "NOTE TO EDITOR: please check the figures."),
        ("en", "It keeps for a week (add source)."),
        ("en", "It keeps for a week (image here)."),
        ("en", "It keeps for a week [citation needed]."),
        ("en", "It keeps for a week (source?)."),
        ("en", "It keeps for a week [expand this section]."),
        ("en", "Draft 2"),
        ("en", "Option 1:"),
        ("de", "Das reicht eine Woche (bitte prüfen)."),
        ("de", "Anmerkung für die Redaktion: Foto fehlt."),
        ("fr", "C’est bon [réf. nécessaire]."),
        ("es", "Es bueno [cita requerida]."),
        ("it", "Nota per la redazione: da rivedere."),
        ("pt", "É bom (a verificar)."),
        ("nl", "Dat is goed [bron?]."),
    ],
)
def test_a_note_to_the_writer_is_a_blocker_everywhere(language: str, text: str) -> None:
    for findings in (in_post(text, language), in_file(text, language)):
        (found,) = (each for each in findings if each.check == "unfinished_note")
        assert found.severity is Severity.BLOCKER


@pytest.mark.parametrize(
    "text",
    [
        "Note that the editor of a paper reads it first.",
        "Press the button (see the picture on the box).",
        "The flagship goals had received an update (check!).",
        "He found the sources of the Nile [sic] in a book.",
        "Add salt (check the label) and stir.",
        "There is an option 1 and an option 2.",
    ],
)
def test_what_only_looks_like_a_note(text: str) -> None:
    assert "unfinished_note" not in checks(in_file(text)) | checks(in_post(text))


# "labels at the start of a paragraph".
@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "(Word count: 812)"),
        ("en", "Meta description: All about jars."),
        ("en", "Paragraph 2: Jars keep it fresh."),
        ("en", "SEO title: Jars for all"),
        ("en", "Primary keyword: jar"),
        ("de", "Wortanzahl: 812"),
        ("fr", "Nombre de mots : 812"),
        ("es", "Recuento de palabras: 812"),
        ("it", "Numero di parole: 812"),
        ("pt", "Contagem de palavras: 812"),
        ("nl", "Aantal woorden: 812"),
    ],
)
def test_a_label_of_a_draft_is_a_blocker_everywhere(language: str, text: str) -> None:
    for findings in (in_post(text, language), in_file(text, language)):
        (found,) = (each for each in findings if each.check == "draft_label")
        assert found.severity is Severity.BLOCKER


def test_a_label_that_people_write_is_a_warning_in_a_file_and_none_in_a_heading() -> None:
    text = "Introduction: jars keep coffee fresh."
    assert [f.severity for f in in_post(text) if f.check == "draft_label"] == [Severity.BLOCKER]
    assert [f.severity for f in in_file(text) if f.check == "draft_label"] == [Severity.WARNING]
    heading = Passage("sections[0].heading", Kind.HEADING, text)
    assert list(check_draft_label(heading, "en")) == []
    assert "draft_label" not in checks(in_file("Output:\n\n    a jar"))
    assert "draft_label" not in checks(in_post("The title: a short name. Paragraph 2 is next."))


# "Broken markup in prose".
@pytest.mark.parametrize(
    ("check", "text"),
    [
        ("markup", "It is **very good on a cold day."),
        ("markup", "It is good on a cold day.**"),
        ("markup", "It is ~~wrong on a cold day."),
        ("markup", "This is \\*\\*bold\\*\\* text."),
        ("broken_block", "##Why it matters"),
        ("markup", "Text.\n\n```"),
        ("markup", "Text.\n\n```markdown"),
        ("code_fragment", "Add salt &amp;nbsp;and a cloth."),
        ("code_fragment", "Line one &lt;br&gt; line two."),
        ("code_fragment", r"That makes $\approx 2 \times 10^3$ steps."),
        ("code_fragment", r"The caf\\u00e9 is near."),
        ("code_fragment", r"First line.\nSecond line."),
        ("code_fragment", "See the%20whole%20text here."),
        ("code_fragment", '{"heading": "Why", "text": "Because"}'),
    ],
)
def test_broken_markup_is_found_in_a_file(check: str, text: str) -> None:
    assert check in checks(in_file(text))


@pytest.mark.parametrize(
    ("check", "text"),
    [
        ("code_fragment", r"The ratio is \frac{1}{3} of the weight."),
        ("code_fragment", r"First line.\nSecond line."),
        ("code_fragment", '{"heading": "Why", "text": "Because"}'),
        ("markup", "It is ~~wrong on a cold day."),
        ("markup", "This is [b]bold[/b] text."),
    ],
)
def test_broken_markup_is_a_blocker_in_a_post(check: str, text: str) -> None:
    assert check in {each.check for each in in_post(text) if each.blocks}


@pytest.mark.parametrize(
    "text",
    [
        "Pass `**kwargs` on, and list **/*.js files.",
        "Open C:\\new\\folder and rename 100% of the files.",
        "Use `\\n` for a new line and `<br>` in HTML.",
        "```python\nprint('**')\n```",
        "> ```\n> print\n\nSo it is.",
        "```\nprint\n```\n\nSo it is.",
        "The set {1, 2} has two members, “a”: the first.",
        "It rose by 20% this year, and 5% of it = luck.",
    ],
)
def test_signs_of_software_are_no_broken_markup(text: str) -> None:
    assert not {"markup", "code_fragment"} & checks(in_file(text))


# "The words of our own prompts … never the client's own keywords or topic".
def test_the_sentences_of_the_prompts_are_those_that_are_listed() -> None:
    assert TARGET.read_text("utf-8") == prompt_sentences(), "run python -m tools.prompt_sentences"


@pytest.mark.parametrize("line", prompt_sentences().splitlines())
def test_a_run_of_words_of_any_prompt_is_a_blocker(line: str) -> None:
    text = f"{BEFORE}{line} {AFTER}"
    found = list(check_instruction_leak(Passage("sections[0]", Kind.PROSE, text), "de"))
    assert [each.severity for each in found] == [Severity.BLOCKER] or len(
        _words(line)
    ) < PROMPT_WORDS
    assert all(each.span and each.span[0] >= len(BEFORE) - 1 for each in found)


def _words(line: str) -> list[str]:
    return [word for word in level(line).split() if any(map(str.isalnum, word))]


@pytest.mark.parametrize(
    "text",
    [
        "Write 120 to 180 words and use the keyword at least twice.",
        "Do not use lists.",
        "Each paragraph should have three sentences.",
        "Write in a friendly tone.",
    ],
)
def test_an_order_to_a_writer_is_a_warning(text: str) -> None:
    for findings in (in_post(text), in_file(text)):
        (found,) = (each for each in findings if each.check == "instruction_leak")
        assert found.severity is Severity.WARNING


def test_an_order_to_a_model_is_a_blocker_in_a_post() -> None:
    for text in (
        "You are a helpful assistant.",
        "Return only the text of the section.",
        "The reader's first move should be to prepare the bird.",
        "It tells what to pack, using the word “fever” together or apart.",
    ):
        (found,) = (each for each in in_post(text) if each.check == "instruction_leak")
        assert found.severity is Severity.BLOCKER


@pytest.mark.parametrize(
    "text",
    [
        "We write a quick paragraph that welcomes the speaker.",
        "A blog should be informal, but a formal tone is required in court.",
        "Follow the instructions given in the manual.",
        "The plan names one paragraph below the heading.",
        "The words “now” and “then” stand, alike or not, together or apart.",
    ],
)
def test_ordinary_sentences_are_no_orders(text: str) -> None:
    assert "instruction_leak" not in checks(in_post(text))


def test_what_only_the_writer_was_told_is_a_leftover() -> None:
    purpose = "Describes the symptoms, causes and prevention of altitude sickness."
    texts = [
        Passage("sections[0]", Kind.PROSE, f"It begins with a headache. {purpose}"),
        Passage("sections[1]", Kind.PROSE, "The symptoms of altitude sickness begin in the night."),
    ]
    (found,) = told_findings(texts, [purpose, "Altitude sickness"])
    assert (found.check, found.section, found.blocks) == ("instruction_leak", "sections[0]", True)
    assert found.removable


# "Clichés and filler as data with warnings, fixable".
@pytest.mark.parametrize(
    ("check", "language", "text"),
    [
        ("cliche", "en", "In today’s fast-paced world, time matters."),
        ("cliche", "en", "Unlock the power of a tidy shelf."),
        ("cliche", "en", "Let us delve into it."),
        ("cliche", "de", "In der heutigen schnelllebigen Welt ist Zeit kostbar."),
        ("cliche", "fr", "Dans le monde d’aujourd’hui, tout va vite."),
        ("cliche", "es", "En el mundo acelerado de hoy, todo cambia."),
        ("cliche", "it", "Nel mondo frenetico di oggi, tutto cambia."),
        ("cliche", "pt", "No mundo acelerado de hoje, tudo muda."),
        ("cliche", "nl", "In de snelle wereld van vandaag telt tijd."),
        ("filler", "en", "It is important to note that size matters."),
        ("filler", "en", "At the end of the day, it is soil."),
        ("filler", "de", "Es ist wichtig zu beachten, dass es regnet."),
        ("filler", "fr", "Il est important de noter qu’il pleut."),
        ("vague_source", "en", "Studies show that most people prefer it."),
        ("vague_source", "en", "Experts agree that it is the best way."),
        ("vague_source", "de", "Studien zeigen, dass es hilft."),
        ("profanity", "en", "That advice is bullshit."),
        ("profanity", "de", "Das ist totale Scheiße."),
    ],
)
def test_a_worn_phrase_is_a_warning_that_a_revision_can_fix(
    check: str, language: str, text: str
) -> None:
    for findings in (in_post(text, language), in_file(text, language)):
        (found,) = (each for each in findings if each.check == check)
        assert found.severity is Severity.WARNING
        assert found.fixable


@pytest.mark.parametrize(
    "text",
    [
        "He called it “bullshit” and left.",
        "The phrase “unlock the power of” says nothing.",
        "Studies show that Walker (2017) was right.",
        "User research indicates that the form is too long.",
        "Unlock the door, and keep the key.",
        "Scunthorpe and Cockburn are names.",
    ],
)
def test_a_quotation_or_a_named_source_is_fine(text: str) -> None:
    found = checks(in_post(text)) | checks(in_file(text))
    assert not {"cliche", "filler", "vague_source", "profanity"} & found


def test_text_is_levelled_to_the_same_length() -> None:
    for text in ("İstanbul’s “Café”", "ẞ\xa0A", "PLAIN"):
        assert len(level(text)) == len(text)
    assert level("Here’s\xa0“it”") == 'here\'s "it"'


def test_a_phrase_is_found_where_it_stands() -> None:
    text = "İt is cold. I HOPE THIS HELPS you."
    (found,) = check_assistant_talk(Passage("sections[0]", Kind.PROSE, text), "en")
    assert found.span is not None
    assert text[slice(*found.span)] == "I HOPE THIS HELPS"


@pytest.mark.parametrize(
    "bit",
    ["-", "--", "\n", "[", "(add ", "<<", "{{", "x%20", "\\n", "in today's ", "XX ", "if you "],
)
def test_the_time_of_a_text_grows_with_its_length(bit: str) -> None:
    def cost(chars: int) -> float:
        began = time.process_time()
        in_post((bit * chars)[:chars])
        return time.process_time() - began

    cost(1_000)
    assert cost(16_000) < 9 * max(cost(4_000), 0.03)
