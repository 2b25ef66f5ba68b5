"""Good posts: as long and with the parts that were asked for, drawn from the bank."""

from collections.abc import Sequence

from tests.support.scripted_model.asked import Asked
from tests.support.scripted_model.bank import Drawer, count_words, width

_TITLE, _DESCRIPTION = (30, 65), (120, 155)
_TRIES = 30
_PARAGRAPH_WORDS = 65
# No more words in a row are taken from a source.
_CHUNK = 10
# The forms of sections, by their numbers, and the words from which on a post has them.
_FORMS = {1: ("steps", 250), 2: ("table", 400), 4: ("list", 600)}
# Longer posts have a box at the end, shorter ones often.
_BOX_WORDS, _BOXES = 500, 0.6


class PostWriter:
    """Writes one post, the same for the same seeds; the behaviour `missing_keyword` changes what is
    written."""

    def __init__(self, asked: Asked, seed: str, title_seed: str, behaviour: str) -> None:
        self._drawer = Drawer(asked.language, seed)
        self._heads = Drawer(asked.language, f"{title_seed}\ntitle")
        self._asked = asked
        has_keywords = behaviour != "missing_keyword"
        self._keywords = asked.keywords if has_keywords else []
        self._subject = asked.subject if has_keywords else "it"
        self._name = asked.keywords[0] if has_keywords else "it"
        self._wanted = asked.words[1]
        self._facts = asked.facts
        self._drawer.random.shuffle(self._facts)

    def write(self) -> str:
        """Return the post as Markdown."""
        wanted, count = self._wanted, self._asked.sections
        introduction = self._about(self._subject, max(8, wanted // 4))
        if wanted >= 90:
            introduction = self._joined([introduction, *self._drawer.prose(min(60, wanted // 10))])
        conclusion = self._joined(self._drawer.prose(min(40, wanted // 10)))
        faqs = self._faqs() if self._asked.faqs else []
        left = wanted - sum(map(count_words, [introduction, conclusion, *faqs]))
        sections: list[str] = []
        for number in range(count):
            sections.append(self._section(number, count, left // (count - number)))
            left -= count_words(sections[-1])
        head = [f"# {self._title()}", f"> {self._description()}", introduction]
        return "\n\n".join([*head, *sections, *faqs, f"## Conclusion\n\n{conclusion}"]) + "\n"

    def _joined(self, sentences: Sequence[str]) -> str:
        return self._drawer.join.join(sentences)

    def _about(self, phrase: str, room: int) -> str:
        return self._drawer.draw("keyword", phrase, lambda text: count_words(text) <= room)

    def _title(self) -> str:
        low, high = _TITLE
        title = self._heads.draw("title", self._name, lambda text: low <= width(text) <= high)
        while width(title) > high:
            # The keyword leaves no room.
            title = title.rsplit(" ", 1)[0] if " " in title else title[:-1]
        return title.rstrip(":")

    def _description(self) -> str:
        text, (low, high) = "", _DESCRIPTION
        for _ in range(_TRIES):
            room = high - width(text)
            fits = lambda each, room=room: width(each) < room  # noqa: E731
            more = self._heads.draw("sentence" if text else "keyword", self._name, fits)
            text = self._joined([text, more] if text else [more])
            if low <= width(text) <= high:
                break
            text = text if width(text) < low else ""
        return text or self._heads.draw("sentence")

    def _section(self, number: int, count: int, words: int) -> str:
        form, least = _FORMS.get(number, ("", 0))
        about = ("title", self._name) if number == 0 < self._wanted // 150 else ("heading", "")
        heading = self._drawer.draw(*about, lambda text: len(text) < 70)
        lead, blocks = self._lead(number, count, words), list[str]()
        words -= sum(map(count_words, [heading, *lead]))
        if form and self._wanted >= least and words > 60:
            blocks.append(self._form(form, words // 2))
            words -= count_words(blocks[0])
        has_box = self._drawer.random.random() < _BOXES or self._wanted >= _BOX_WORDS
        if number == count - 1 and words > 50 and has_box:
            box = self._joined(self._drawer.prose(25))
            blocks.append(f"> **{self._drawer.phrase('label')}:** {box}")
            words -= count_words(blocks[-1])
        first, *others = self._paragraphs(lead, words)
        return "\n\n".join([f"## {heading}", first, *blocks[:1], *others, *blocks[1:]])

    def _lead(self, number: int, count: int, words: int) -> list[str]:
        """Return the sentences with keywords, and one that says what a source says."""
        own, lead = self._keywords[1:][number::count], list[str]()
        while own and 14 * len(own) < words:
            lead.append(self._about(own.pop(0), words // 2))
        if own:
            lead.append(self._about(", ".join(own), words))
        elif self._keywords and words > 100:
            lead.append(self._about(self._keywords[0], words // 3))
        if self._facts:
            said, of_fact = self._drawer.phrase("label"), self._facts.pop().split()
            chunks = (" ".join(of_fact[at : at + _CHUNK]) for at in range(0, len(of_fact), _CHUNK))
            lead.append(f"{said}: " + f" – {said.lower()} – ".join(chunks))
        return lead

    def _paragraphs(self, lead: list[str], words: int) -> list[str]:
        paragraphs, sentences = list[str](), lead
        for sentence in self._drawer.prose(words, least=0 if lead else 1):
            sentences.append(sentence)
            if sum(map(count_words, sentences)) >= _PARAGRAPH_WORDS:
                paragraphs.append(self._joined(sentences))
                sentences = []
        return [*paragraphs, self._joined(sentences)] if sentences or not paragraphs else paragraphs

    def _form(self, form: str, words: int) -> str:
        if form == "table":
            rows = [[self._drawer.draw("head") for _ in range(3)], ["---"] * 3]
            rows += [[self._drawer.phrase(each) for each in "sot"] for _ in range(3)]
            return "\n".join(f"| {' | '.join(row)} |" for row in rows)
        lines: list[str] = []
        while len(lines) < 2 or (len(lines) < 7 and words > 15):
            item = self._drawer.draw("step")
            words -= count_words(item)
            lines.append(f"{len(lines) + 1}. {item}" if form == "steps" else f"- {item}")
        return "\n".join(lines)

    def _faqs(self) -> list[str]:
        words, parts = max(12, min(30, self._wanted // 12)), ["## FAQ"]
        for _ in range(min(5, max(2, self._wanted // 300))):
            parts.append(f"### {self._drawer.draw('question')}")
            parts.append(self._joined(self._drawer.prose(words)))
        return parts
