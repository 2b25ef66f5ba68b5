"""What a prompt asks for, read from the fixed sentences of app/writing/prompts. This program runs
without the service's packages."""

import re
from dataclasses import dataclass
from functools import cached_property

from tests.support.scripted_model.bank import sentences_of

_KINDS = {
    "\nMARK: 6.5": "read",
    "words over its limit of": "cut",
    "A post is finished but for this.": "polish",
    "\nYou are blamed for this post.": "edit",
    "\nAnswer with the post alone, in Markdown": "draft",
    "\nUse exactly this form, in Markdown:": "draft",
}
_LENGTH = re.compile(r"about (\d+) words in all, .*?; never under (\d+), never over (\d+)\.")
_LOCAL_WORDS, _SECTION_WORDS = 100, 140
_MATERIAL = re.compile(r"<(source|post|draft_[abc])\b[^\n]*>\n(.*?)\n</\1>", re.S)
# A sentence of a page that a post can take over. Orders to a model are none of them.
_PLAIN = re.compile(r"(?:[^\W\d_][^\s<>\[\]|*#`“”\"@]*(?:[ ][^\s<>\[\]|*#`“”\"@]+){4,23})[.!]")
_ORDER = re.compile(r"ignore|instruct|prompt|assistant|model|system|http|www", re.IGNORECASE)


@dataclass(frozen=True)
class Asked:
    """A prompt. What its kind does not have is empty."""

    system: str
    user: str

    @cached_property
    def kind(self) -> str:
        """Return read, cut, polish, edit, draft or other."""
        return next((kind for said, kind in _KINDS.items() if said in self.user), "other")

    @cached_property
    def _task(self) -> str:
        # What stands in sources and drafts is no task.
        return _MATERIAL.sub("", self.user)

    def _told(self, pattern: str, default: str = "") -> str:
        found = re.search(pattern, self._task, re.MULTILINE)
        return found[1] if found else default

    @property
    def language(self) -> str:
        found = re.search(r"\(language code (\S+?)\)|in the language (\S+?)\.", self.system)
        return (found[1] or found[2]) if found else "en"

    @property
    def subject(self) -> str:
        """Return the primary keyword, with the topic after it in brackets."""
        local = self._told(r"^Write a blog post about (.+)\. Write \d+ sections\.", "the subject")
        return self._told(r"^Subject: (.+)$", local)

    @cached_property
    def keywords(self) -> list[str]:
        """Return the keywords, the primary one first."""
        if exact := self._told(r"^Use each of these phrases .*? exactly so: “(.+)”$"):
            return exact.split("”; “")
        others = self._told(r"^It also answers people who search for: (.+)$")
        others = others or self._told(r"^Mention also: (.+)\.$")
        # A keyword may have brackets of its own; the subject stands in the text as a whole, too.
        return [self.subject.partition(" (")[0], *filter(None, others.split("; "))]

    @cached_property
    def words(self) -> tuple[int, int, int]:
        """Return the least, the wanted and the greatest number of words."""
        if not (found := _LENGTH.search(self._task)):
            return 0, _LOCAL_WORDS * self.sections, 100_000
        wanted, least, most = map(int, found.groups())
        near = min(10, (most - least) // 4)
        return least, min(max(wanted, least + near), most - near), most

    @property
    def sections(self) -> int:
        """Return how many sections the post should have."""
        if not _LENGTH.search(self._task):
            return int(self._told(r"\. Write (\d+) sections\.", "3"))
        most = int(self._told(r"^At most (\d+) section", "20"))
        return max(1, min(round(self.words[1] / _SECTION_WORDS), most))

    @property
    def faqs(self) -> bool:
        return "\n### A question" in self.user

    @property
    def request(self) -> str:
        """Return what all calls that write or edit one post have in common."""
        found = re.search(r"^Subject: .*?^Length: .*?$", self._task, re.MULTILINE | re.DOTALL)
        return found[0] if found else self.user

    @property
    def sources(self) -> list[str]:
        return [text for tag, text in _MATERIAL.findall(self.user) if tag == "source"]

    @property
    def facts(self) -> list[str]:
        """Return sentences of the sources."""
        lines = (line.strip() for text in self.sources for line in text.split("\n"))
        found = (each for line in lines for each in sentences_of(line))
        return [each for each in found if _PLAIN.fullmatch(each) and not _ORDER.search(each)]

    @property
    def drafts(self) -> dict[str, str]:
        """Return the posts that an editor or a reader has before them, A alone if it is one."""
        letters = {"post": "A", "draft_a": "A", "draft_b": "B", "draft_c": "C"}
        found = _MATERIAL.findall(self.user)
        return {letters[tag]: text.strip() for tag, text in found if tag in letters}

    @property
    def findings(self) -> list[str]:
        """Return what a program and a reader found."""
        found = self._task.partition(" found (correct what is so")[2].partition("You are blamed")[0]
        return re.findall(r"^- (.+)$", found, re.MULTILINE)

    @property
    def statements(self) -> dict[int, str]:
        """Return the statements that a reader compares with the sources, by their numbers."""
        listed = self._task.partition("\nIts statements, numbered:\n")[2].partition("\n\nFirst")[0]
        return {int(n): text for n, text in re.findall(r"^(\d+)\. (.+)$", listed, re.MULTILINE)}

    @property
    def over(self) -> int:
        """Return how many words have to be cut."""
        return int(self._told(r"is (\d+) words over its limit", "0"))
