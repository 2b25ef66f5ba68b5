"""The editor and the reader: exact edits of a base, cuts, and what a reader says of a post."""

import re
from collections.abc import Sequence
from html import unescape
from random import Random

from tests.support.scripted_model.asked import Asked
from tests.support.scripted_model.bank import Drawer, count_words, sentences_of
from tests.support.scripted_model.faults import FALSE, PLANTED

# A source supports a sentence that has this share of its words.
_ALIKE = 0.6
_NOT_PROSE = re.compile(r"[#>|]|[-*] |\d+\. ")
_ENDS = re.compile(r"[.!?;:。？|”*]$")
_UNSUPPORTED = re.compile(r"No source supports “(.+?)…?”(?: \(|\.)")


def edited(asked: Asked, behaviour: str, seed: str, *, leaves_faults: bool) -> str:
    """Return an editor's answer: the base of two drafts, and repairs unless it leaves faults."""
    if behaviour == "unreadable_editor":
        return "I would publish this draft.\n\n<<<<<<< FIND\nand so"
    drafts, letters = asked.drafts, sorted(asked.drafts)
    Random(seed).shuffle(letters)
    # The one with fewer findings.
    base = min(
        letters, key=lambda letter: sum(f"{letter}: " == each[:3] for each in asked.findings)
    )
    head = f"BASE: {base}\n\n" if len(drafts) > 1 else ""
    if behaviour == "wild_edits":
        return head + _edit("The moon is made of green cheese.", "The moon consists of rock.")
    blocks = drafts[base].split("\n\n")
    after = blocks if leaves_faults else _repaired(blocks, asked, f"{seed}\nedit")
    blocking = "BLOCKING: It is about another subject.\n" if behaviour == "blocking_editor" else ""
    return f"{head}{_edits(blocks, after)}\n{blocking}"


def cut(asked: Asked, *, leaves_faults: bool) -> str:
    """Return the edits that take out what a post has too much."""
    blocks = asked.drafts["A"].split("\n\n")
    return _edits(blocks, blocks if leaves_faults else _shortened(blocks, asked.over + 10))


def reading(asked: Asked, behaviour: str) -> str:
    """Return a reader's answer."""
    if behaviour == "reader_unreadable":
        return "I like this post."
    passages = [
        (page, said)
        for page, text in enumerate(asked.sources, 1)
        for line in text.split("\n")
        for said in sentences_of(line.strip("-*#> |"))
    ]
    rows = []
    for number, statement in asked.statements.items():
        shares = [(_share(statement, said), page, said) for page, said in passages]
        share, page, said = max(shares, default=(-1, 0, ""))
        if statement.startswith(FALSE):
            rows.append(f"{number} | NONE | no page says it")
        elif share >= _ALIKE:
            rows.append(f"{number} | {page} | {said}")
    note, mark = ("It is of no use.", 2.5) if behaviour == "low_mark" else ("Add an example.", 8)
    return "\n".join([*rows, f"- {note}", f"MARK: {mark}"])


def _edits(before: Sequence[str], after: Sequence[str]) -> str:
    changed = zip(before, after, strict=True)
    return "\n".join(_edit(old, new) for old, new in changed if old != new) or "No edits.\n"


def _edit(find: str, replace: str) -> str:
    return f"WHY: it reads better\n<<<<<<< FIND\n{find}\n=======\n{replace}\n>>>>>>> END\n"


def _share(statement: str, passage: str) -> float:
    words = set(re.findall(r"\w+", statement.lower()))
    return len(words & set(re.findall(r"\w+", passage.lower()))) / max(1, len(words))


def _repaired(blocks: Sequence[str], asked: Asked, seed: str) -> list[str]:
    """Return blocks without what the scripted writer plants and what no source supports, with the
    keywords that they lack, and within the limits of words."""
    drawer = Drawer(asked.language, seed)
    told = (match[1] for each in asked.findings if (match := _UNSUPPORTED.search(each)))
    unsupported = tuple(each.partition("”")[0] for each in told)
    fixed = [_clean(block, unsupported) for block in blocks]
    text, least, most = "\n".join(fixed), asked.words[0], asked.words[2]
    more = [drawer.draw("keyword", each) for each in asked.keywords if not _uses(text, each)]
    # The title and the description are not counted.
    count = sum(map(count_words, [*fixed[2:], *more]))
    more += drawer.prose(least + 10 - count) if count < least else []
    said = sentences_of(fixed[2]) or [drawer.draw("sentence")]
    fixed[2] = drawer.join.join([said[0], *more, *said[1:]])
    if not _ENDS.search(fixed[-1]):
        fixed[-1] = drawer.join.join([*sentences_of(fixed[-1])[:-1], drawer.draw("sentence")])
    return _shortened(fixed, count - most + 5) if count > most else fixed


def _clean(block: str, unsupported: tuple[str, ...]) -> str:
    said = sentences_of(block)
    kept = [each for each in said if not _is_planted(each)]
    kept = [each for each in kept if not (unsupported and each.startswith(unsupported))]
    return " ".join(kept) if _is_prose(block) and len(kept) < len(said) else block


def _is_planted(sentence: str) -> bool:
    """Return whether the scripted writer planted a sentence, however its signs are escaped now."""
    return any(_words(planted) in _words(sentence) for planted in PLANTED)


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", unescape(text)))


def _uses(text: str, keyword: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(keyword)}(?!\w)", text, re.IGNORECASE))


def _shortened(blocks: Sequence[str], words: int) -> list[str]:
    """Take the last sentences out of paragraphs until at least ``words`` words are gone."""
    kept = list(blocks)
    for least in (3, 2):
        for at in range(len(kept) - 1, 1, -1):
            while words > 0 and _is_prose(kept[at]) and len(sentences_of(kept[at])) >= least:
                last = sentences_of(kept[at])[-1]
                kept[at] = kept[at].removesuffix(last).rstrip()
                words -= count_words(last)
    return kept


def _is_prose(block: str) -> bool:
    return not _NOT_PROSE.match(block)
