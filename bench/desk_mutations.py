"""Kinds of defect, each planted alone into a good post.

A mutation returns the post with the defect, the names of the checks of which one has to find it,
and the section where; None where the post has no place for it. Kinds that only show against
sources (a wrong number, a moved date, a swapped quotation, a changed name, an unsupported claim)
have a list of their own: fill ``AGAINST_SOURCES``.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from app.core.checks import keyword_coverage
from app.core.languages import get_language
from app.core.planning.brief import Brief
from app.core.schemas.post import CoverageNotes, SectionType, SEOPost
from app.core.sources.source import Source
from app.core.text import find_phrase, primary_subtag, sentences
from bench.desk_sources import page, pages


@dataclass(frozen=True)
class Planted:
    post: SEOPost
    checks: tuple[str, ...]
    section: str
    sources: tuple[Source, ...] = ()


Mutation = Callable[[SEOPost, Brief, Random], Planted | None]

_FOREIGN = {
    "de": "Der Kaffee ruht über Nacht im Kühlschrank und schmeckt am Morgen mild. Wer grob mahlt,"
    " bekommt ein klares Getränk ohne Satz im Glas.",
    "fr": "Le café repose toute la nuit au réfrigérateur et reste doux le matin. Une mouture"
    " grossière donne une boisson claire, sans dépôt dans le verre.",
    "es": "El café reposa toda la noche en la nevera y por la mañana es suave. Una molienda gruesa"
    " da una bebida clara y sin posos en el vaso.",
    "en": "The coffee rests in the fridge overnight and tastes mild in the morning. A coarse grind"
    " makes a clear drink without any mud in the glass.",
}
_TALK = {
    "en": ("As an AI language model, I cannot taste it.", "I hope this helps you to decide.",
           "Here is a short paragraph about the topic."),
    "de": ("Als KI-Sprachmodell kann ich das nicht schmecken.", "Ich hoffe, das hilft dir weiter.",
           "Hier ist ein kurzer Absatz zum Thema."),
    "fr": ("En tant que modèle de langage, je ne peux pas goûter.",
           "J'espère que cela vous aidera.",
           "Voici un court paragraphe sur le sujet."),
    "es": ("Como modelo de lenguaje, no puedo probarlo.", "Espero que esto te sirva.",
           "Aquí tienes un breve párrafo sobre el tema."),
    "it": ("In quanto modello linguistico, non posso assaggiare.", "Spero che questo ti aiuti.",
           "Ecco un breve paragrafo sul tema."),
    "pt": ("Como modelo de linguagem, não posso provar.", "Espero que isso ajude.",
           "Aqui está um breve parágrafo sobre o tema."),
    "nl": ("Als taalmodel kan ik dat niet proeven.", "Ik hoop dat dit helpt.",
           "Hier is een korte alinea over het onderwerp."),
}  # fmt: skip
_ABOUT_ITSELF = {
    "en": "In this article, we look at the matter from all sides.",
    "de": "In diesem Artikel sehen wir uns die Sache genau an.",
    "fr": "Dans cet article, nous regardons la question de près.",
    "es": "En este artículo miramos el asunto de cerca.",
    "it": "In questo articolo guardiamo la cosa da vicino.",
    "pt": "Neste artigo olhamos o assunto de perto.",
    "nl": "In dit artikel bekijken we de zaak van dichtbij.",
}
_BLANK = {
    "en": "[Insert your company name]", "de": "[Firmenname einfügen]",
    "fr": "[Insérer le nom de l'entreprise]", "es": "[Insertar el nombre de la empresa]",
    "it": "[Inserire il nome dell'azienda]", "pt": "[Inserir o nome da empresa]",
    "nl": "[Voeg de bedrijfsnaam in]",
}  # fmt: skip


def _prose(post: SEOPost) -> list[int]:
    return [i for i, section in enumerate(post.sections) if section.content_markdown]


def _bodies(post: SEOPost) -> list[int]:
    return [i for i, section in enumerate(post.sections) if section.type is SectionType.BODY]


def _with_text(post: SEOPost, index: int, text: str) -> SEOPost:
    sections = list(post.sections)
    sections[index] = sections[index].model_copy(update={"content_markdown": text})
    update: dict[str, object] = {"sections": tuple(sections)}
    if sections[index].type is SectionType.CONCLUSION:
        update["conclusion"] = text
    return post.model_copy(update=update)


def _rewrite(change: Callable[[str, Random], str], *checks: str, bodies: bool = False) -> Mutation:
    """The text of one section, changed."""

    def mutate(post: SEOPost, _brief: Brief, random: Random) -> Planted | None:
        index = random.choice(_bodies(post) if bodies else _prose(post))
        text = change(post.sections[index].content_markdown, random)
        return Planted(_with_text(post, index, text), checks, f"sections[{index}]")

    return mutate


def _insert(sentence: str, *checks: str) -> Mutation:
    """A sentence between two others."""

    def change(text: str, random: Random) -> str:
        parts = text.split(". ")
        at = random.randrange(len(parts))
        return ". ".join([*parts[:at], sentence.rstrip("."), *parts[at:]])

    return _rewrite(change, *checks)


def _by_language(lines: dict[str, str], *checks: str, first: bool = False) -> Mutation:
    def mutate(post: SEOPost, brief: Brief, random: Random) -> Planted | None:
        line = lines[primary_subtag(brief.language)]
        index = 0 if first else random.choice(_prose(post))
        text = f"{line} {post.sections[index].content_markdown}"
        return Planted(_with_text(post, index, text), checks, f"sections[{index}]")

    return mutate


def _foreign(language: str) -> Mutation:
    def mutate(post: SEOPost, brief: Brief, random: Random) -> Planted | None:
        other = "en" if primary_subtag(brief.language) == language else language
        index = random.choice(_bodies(post))
        text = f"{post.sections[index].content_markdown}\n\n{_FOREIGN[other]}"
        return Planted(_with_text(post, index, text), ("language",), f"sections[{index}]")

    return mutate


def _cut(text: str, random: Random) -> str:
    words = text.rstrip(".").split(" ")
    return " ".join(words[: max(6, len(words) * random.randint(60, 90) // 100)]).rstrip(",.;:")


def _repeat_paragraph(post: SEOPost, _brief: Brief, _random: Random) -> Planted | None:
    bodies = _bodies(post)
    if len(bodies) < 2:
        return None
    paragraph = post.sections[bodies[0]].content_markdown.split("\n\n")[0]
    text = f"{post.sections[bodies[-1]].content_markdown}\n\n{paragraph}"
    section = f"sections[{bodies[-1]}]"
    return Planted(_with_text(post, bodies[-1], text), ("repeated_sentence",), section)


def _repeat_run(post: SEOPost, brief: Brief, _random: Random) -> Planted | None:
    bodies = _bodies(post)
    long = [
        part.text
        for part in sentences(post.sections[bodies[0]].content_markdown, brief.language)
        if len(part.text.split()) >= 11
    ]
    if len(bodies) < 2 or not long:
        return None
    run = f"{long[0].rstrip('.!')}, {'ja' if brief.language == 'de' else 'no'} 2."
    text = f"{post.sections[bodies[-1]].content_markdown} {run}"
    section = f"sections[{bodies[-1]}]"
    checks = ("repeated_phrase", "repeated_sentence")
    return Planted(_with_text(post, bodies[-1], text), checks, section)


def _echo(sign: str) -> Mutation:
    def mutate(post: SEOPost, _brief: Brief, random: Random) -> Planted | None:
        index = random.choice(_bodies(post))
        text = f"{post.sections[index].heading}{sign} {post.sections[index].content_markdown}"
        return Planted(_with_text(post, index, text), ("heading_echo",), f"sections[{index}]")

    return mutate


def _drop_keyword(post: SEOPost, brief: Brief, _random: Random) -> Planted | None:
    keyword = brief.keywords[-1]

    def without(text: str) -> str:
        for start, end in reversed(find_phrase(text, keyword, brief.language)):
            text = f"{text[:start]}it{text[end:]}"
        return text

    sections = tuple(
        section.model_copy(
            update={
                "content_markdown": without(section.content_markdown),
                "heading": without(section.heading) if section.heading else None,
                "callout": section.callout
                and section.callout.model_copy(update={"text": without(section.callout.text)}),
            }
        )
        for section in post.sections
    )
    faqs = tuple(
        faq.model_copy(update={"question": without(faq.question), "answer": without(faq.answer)})
        for faq in post.faqs
    )
    changed = post.model_copy(
        update={"sections": sections, "faqs": faqs, "conclusion": without(post.conclusion)}
    )
    return Planted(_covered(changed, brief), ("keyword_missing",), "post")


def _covered(post: SEOPost, brief: Brief) -> SEOPost:
    notes = CoverageNotes(keyword_coverage=keyword_coverage(post, brief))
    return post.model_copy(update={"coverage_notes": notes})


def _keyword_out_of(place: str) -> Mutation:
    def mutate(post: SEOPost, _brief: Brief, _random: Random) -> Planted | None:
        if place == "title":
            changed = post.model_copy(update={"title": "A plain guide for patient people"})
        elif place == "meta.description":
            text = (
                "A calm look at what matters, what it costs and how to begin on a quiet day at home"
            )
            meta = post.meta.model_copy(update={"description": f"{text}, without any fuss at all."})
            changed = post.model_copy(update={"meta": meta})
        else:
            changed = _with_text(post, 0, "It begins with a quiet day. Everything else can wait.")
        return Planted(changed, ("keyword_place",), place)

    return mutate


def _stuff(post: SEOPost, brief: Brief, random: Random) -> Planted | None:
    index = random.choice(_bodies(post))
    more = f" {brief.primary_keyword}," * 14
    text = f"{post.sections[index].content_markdown}{more[:-1]}."
    if len(text.split()) > 400:
        return None
    count = sum(len(section.content_markdown.split()) for section in post.sections)
    more = f" {brief.primary_keyword}," * (count // 12 + 4)
    text = f"{post.sections[index].content_markdown}{more[:-1]}."
    return Planted(_with_text(post, index, text), ("keyword_density",), "post")


def _title(text: str, check: str) -> Mutation:
    def mutate(post: SEOPost, brief: Brief, _random: Random) -> Planted | None:
        title = text.format(k=brief.primary_keyword)
        return Planted(post.model_copy(update={"title": title}), (check,), "title")

    return mutate


def _description(change: Callable[[str], str], check: str) -> Mutation:
    def mutate(post: SEOPost, brief: Brief, _random: Random) -> Planted | None:
        if check == "self_reference":
            text = f"{_ABOUT_ITSELF[primary_subtag(brief.language)]} {post.meta.description}"
        else:
            text = change(post.meta.description)
        meta = post.meta.model_copy(update={"description": text})
        return Planted(post.model_copy(update={"meta": meta}), (check,), "meta.description")

    return mutate


def _heading(change: Callable[[SEOPost, Brief], str]) -> Mutation:
    def mutate(post: SEOPost, brief: Brief, _random: Random) -> Planted | None:
        index = _bodies(post)[-1]
        if change(post, brief) == post.sections[index].heading:
            return None
        sections = list(post.sections)
        sections[index] = sections[index].model_copy(update={"heading": change(post, brief)})
        changed = post.model_copy(update={"sections": tuple(sections)})
        return Planted(changed, ("heading", "empty"), f"sections[{index}].heading")

    return mutate


def _empty_heading(_post: SEOPost, brief: Brief) -> str:
    spoken = get_language(brief.language)
    known = spoken.headings if spoken else None
    return sorted(known.empty)[0].capitalize() if known else "Introduction"


def _faq(kind: str) -> Mutation:
    def mutate(post: SEOPost, _brief: Brief, _random: Random) -> Planted | None:
        if not post.faqs:
            return None
        last = post.faqs[-1]
        if kind == "missing":
            return Planted(post.model_copy(update={"faqs": post.faqs[:-1]}), ("sections",), "faqs")
        if kind == "twice":
            faqs = (*post.faqs, last)
            section = f"faqs[{len(post.faqs)}].question"
        elif kind == "no_question":
            told = last.model_copy(update={"question": last.question.rstrip("?").rstrip() + "."})
            faqs, section = (*post.faqs[:-1], told), f"faqs[{len(post.faqs) - 1}].question"
        else:
            empty = last.model_copy(update={"answer": "Yes."})
            faqs, section = (*post.faqs[:-1], empty), f"faqs[{len(post.faqs) - 1}].answer"
        return Planted(post.model_copy(update={"faqs": faqs}), ("faq_shape", "empty"), section)

    return mutate


def _without(wanted: SectionType) -> Mutation:
    def mutate(post: SEOPost, _brief: Brief, _random: Random) -> Planted | None:
        index = next(i for i, section in enumerate(post.sections) if section.type is wanted)
        sections = post.sections[:index] + post.sections[index + 1 :]
        return Planted(post.model_copy(update={"sections": sections}), ("sections",), "post")

    return mutate


def _length(factor: int) -> Mutation:
    def mutate(post: SEOPost, brief: Brief, _random: Random) -> Planted | None:
        if factor:
            index = _bodies(post)[0]
            extra = " Another day brings another plain thought about it." * (brief.max_words // 4)
            text = post.sections[index].content_markdown + extra
            return Planted(_with_text(post, index, text), ("too_long",), "post")
        sections = tuple(
            section.model_copy(update={"content_markdown": section.content_markdown[:60]})
            for section in post.sections
        )
        changed = post.model_copy(update={"sections": sections, "faqs": ()})
        return Planted(changed, ("too_short",), "post")

    return mutate


def _concluding(sentence: str) -> Mutation:
    def mutate(post: SEOPost, _brief: Brief, _random: Random) -> Planted | None:
        index = len(post.sections) - 1
        text = f"{post.conclusion} {sentence}"
        section = f"sections[{index}]"
        return Planted(_with_text(post, index, text), ("conclusion_introduces",), section)

    return mutate


def _english(mutation: Mutation) -> Mutation:
    def mutate(post: SEOPost, brief: Brief, random: Random) -> Planted | None:
        return mutation(post, brief, random) if brief.language == "en" else None

    return mutate


def _passives(post: SEOPost, brief: Brief, random: Random) -> Planted | None:
    """Enough of them to be more than one in ten, all in one section."""
    index = random.choice(_bodies(post))
    count = sum(len(sentences(s.content_markdown, brief.language)) for s in post.sections) + sum(
        len(sentences(f.answer, brief.language)) for f in post.faqs
    )
    lines = ("The lid was closed by a helper", "The jar is filled by the neighbour",
             "The work had been done by others", "The cups were washed by the guests",
             "The bill is paid by the owner", "The plan was made by the team")  # fmt: skip
    extra = " ".join(f"{lines[n % 6]} on day {n + 1}." for n in range(count // 8 + 3))
    text = f"{post.sections[index].content_markdown}\n\n{extra}"
    return Planted(_with_text(post, index, text), ("passive_voice",), f"sections[{index}]")


KINDS: dict[str, Mutation] = {
    "link: Markdown": _insert("See [this guide](https://example.com/a) for more.", "link"),
    "link: reference": _insert("See [this guide][guide] for more.", "link"),
    "link: image": _insert("Look at ![a jar](jar.png) for more.", "link"),
    "link: address": _insert("Read https://www.example.com/guide today.", "link"),
    "link: www": _insert("Read www.example.com today.", "link"),
    "link: bare domain": _insert("Read it at example.com today.", "link"),
    "link: domain and path": _insert("Read it at example.museum/guide today.", "link"),
    "link: e-mail": _insert("Write to jane@example.org today.", "link"),
    "link: javascript": _insert("Open javascript:alert(1) now.", "link"),
    "link: HTML": _insert('See <a href="x">this guide</a> for more.', "html"),
    "html: script": _insert("<script>alert('hello')</script> Go on.", "html"),
    "html: bold": _insert("It is <b>very</b> good.", "html"),
    "html: comment": _insert("It is <!-- hidden --> good.", "html"),
    "html: entity": _insert("It is good\\&nbsp;enough.", "html"),
    "placeholder: TODO": _insert("TODO write more.", "placeholder"),
    "placeholder: brackets": _by_language(
        {k: f"{v}: 1." for k, v in _BLANK.items()}, "placeholder"
    ),
    "placeholder: capitals": _insert("Ask [COMPANY NAME] for more.", "placeholder"),
    "placeholder: braces": _insert("Ask {{ company }} for more.", "placeholder"),
    "placeholder: variable": _insert("Ask ${company} for more.", "placeholder"),
    "placeholder: lorem ipsum": _insert("Lorem ipsum dolor sit amet.", "placeholder"),
    "assistant: what I am": _by_language({k: v[0] for k, v in _TALK.items()}, "assistant_talk"),
    "assistant: I hope": _by_language({k: v[1] for k, v in _TALK.items()}, "assistant_talk"),
    "assistant: here is": _by_language({k: v[2] for k, v in _TALK.items()}, "assistant_talk"),
    "assistant: English in any": _insert("Let me know if you need more.", "assistant_talk"),
    "markup: heading": _rewrite(lambda text, _: f"## More\n\n{text}", "markup"),
    "markup: title": _rewrite(lambda text, _: f"# More\n\n{text}", "markup"),
    "markup: half of bold": _insert("It is **very good.", "markup"),
    "markup: half of code": _insert("It is `very good.", "markup"),
    "character: zero width": _insert("It is go\u200bod enough.", "control_character"),
    "character: replacement": _insert("It is go\ufffdod enough.", "control_character"),
    "cut off: in a sentence": _rewrite(_cut, "cut_off"),
    "cut off: first paragraph": _rewrite(
        lambda text, random: f"{_cut(text.split(chr(10))[0], random)}\n\n{text}", "cut_off"
    ),
    "cut off: at a comma": _rewrite(lambda text, _: f"{text.rstrip('.!')},", "cut_off"),
    "cut off: and the …": _english(_rewrite(lambda text, _: f"{text[:-1]} and the…", "cut_off")),
    "empty section": _rewrite(lambda _text, _: "", "empty"),
    "hardly any text": _rewrite(lambda _text, _: "It helps.", "empty"),
    "paragraph again": _repeat_paragraph,
    "run of words again": _repeat_run,
    "heading echo": _echo("."),
    "heading echo with a colon": _echo(":"),
    "foreign paragraph: German": _foreign("de"),
    "foreign paragraph: French": _foreign("fr"),
    "foreign paragraph: Spanish": _foreign("es"),
    "keyword dropped": _drop_keyword,
    "keyword not in the title": _keyword_out_of("title"),
    "keyword not in the introduction": _keyword_out_of("sections[0]"),
    "keyword not in the description": _keyword_out_of("meta.description"),
    "keyword stuffed": _stuff,
    "title too long": _title("{k}: everything that you ever wanted to know about it"
                             " and more", "title_length"),
    "title too short": _title("Oh, {k}"[:4], "title_length"),
    "description too long": _description(lambda text: f"{text} {text}", "description_length"),
    "description too short": _description(lambda text: f"{text[:40]}.", "description_length"),
    "description of itself": _description(lambda text: text, "self_reference"),
    "heading twice": _heading(lambda post, _: post.sections[_bodies(post)[0]].heading or ""),
    "heading like the title": _heading(lambda post, _: post.title),
    "heading that says nothing": _heading(_empty_heading),
    "heading without words": _heading(lambda *_: "…"),
    "heading too long": _heading(lambda *_: "A heading that goes on " * 6),
    "question twice": _faq("twice"),
    "question that asks nothing": _faq("no_question"),
    "answer too short": _faq("no_answer"),
    "question missing": _faq("missing"),
    "no introduction": _without(SectionType.INTRODUCTION),
    "no conclusion": _without(SectionType.CONCLUSION),
    "section missing": _without(SectionType.BODY),
    "too long": _length(1),
    "too short": _length(0),
    "introduction of the article": _by_language(_ABOUT_ITSELF, "self_reference", first=True),
    "conclusion with a new number": _concluding("1,847."),
    "conclusion with a new name": _english(
        _concluding("Later on, ask Bartholomew Quigley about it.")
    ),
    "paragraph too long": _rewrite(lambda text, _: " ".join([text.replace("\n\n", " ")] * 8),
                                   "paragraph_length"),
    "section without subheading": _rewrite(lambda text, _: "\n\n".join([text] * 16),
                                           "subheading_distance"),
    "three openings alike": _rewrite(
        lambda text, _: f"{text}\n\nMaria asks. Maria waits. Maria goes home.", "same_openings"
    ),
    "passive voice": _english(_passives),
}  # fmt: skip


def _copied_sentence(post: SEOPost, brief: Brief, random: Random) -> Planted | None:
    """A sentence of 13 words or more out of one of three pages, between two others."""
    long = [
        s.text for s in sentences(page(brief.language), brief.language) if len(s.text.split()) >= 14
    ]
    planted = _insert(random.choice(long), "copied_from_source")(post, brief, random)
    assert planted is not None
    return replace(planted, sources=pages(brief.language))


def _changed_paragraph(every: int) -> Mutation:
    """A page's paragraph with every so manieth word exchanged for another one."""

    def mutate(post: SEOPost, brief: Brief, random: Random) -> Planted | None:
        index = random.choice(_bodies(post))
        words = page(brief.language).split()
        for at in range(every - 1, len(words), every):
            words[at] = random.choice(words)
        text = f"{post.sections[index].content_markdown}\n\n{' '.join(words)}"
        section = f"sections[{index}]"
        changed = _with_text(post, index, text)
        return Planted(changed, ("copied_from_source",), section, pages(brief.language))

    return mutate


# Kinds that show only beside the sources of a post.
AGAINST_SOURCES: dict[str, Mutation] = {
    "copied: a sentence of a source": _copied_sentence,
    "copied: a paragraph, each 20th word changed": _changed_paragraph(20),
    "copied: a paragraph, each 10th word changed": _changed_paragraph(10),
}
