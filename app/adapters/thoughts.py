"""The text of a model's answer without the thoughts that some models write before it."""

import re

# What stands between an opening and a closing mark at the beginning of an answer. Each pair is one
# family of models' own; a closing mark of another family ends a thought as well, because models
# mix them.
_WORDS = (
    r"(?:think|thinking|thoughts?|reason|reasoning|reflect|reflection|analysis|scratchpad|ponder"
    r"|deliberation|rationale|cot|chain[_-]of[_-]thought|(?:inner|internal)[_-]\w{1,20}|antThinking)"
)
_CAPITALS = r"(?-i:THINK|THINKING|THOUGHTS?|REASONING|REFLECTION|ANALYSIS)"
_MARKS = (
    (rf"<(?:\w{{1,20}}:)?{_WORDS}(?:\s[^<>\n]{{0,100}})?>", rf"</(?:\w{{1,20}}:)?{_WORDS}>"),
    (rf"<\|(?:begin_of_|start_)?{_WORDS}\|>", rf"<\|(?:/|end_of_|end_){_WORDS}\|>"),
    (rf"\[{_CAPITALS}\]", rf"\[/{_CAPITALS}\]"),
    (rf"◁{_WORDS}▷", rf"◁/{_WORDS}▷"),
    (r"<\|channel>\s{0,3}(?:thought|analysis)", r"<channel\|>"),
    (r"<unused94>", r"<unused95>"),
)
# What some models put around the text that follows their thoughts.
_AROUND = re.compile(
    r"<(?:answer|output|response|final_answer|final)>|<\|(?:begin_of_solution|START_RESPONSE)\|>",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s*(?:</(?:answer|output|response|final_answer|final)>"
    r"|<\|(?:end_of_solution|END_RESPONSE|return|end|im_end)\|>)\s*\Z",
    re.IGNORECASE,
)
_OPENS = re.compile("|".join(opening for opening, _ in _MARKS), re.IGNORECASE)
_CLOSES = re.compile("|".join(closing for _, closing in _MARKS), re.IGNORECASE)
# A closing mark without an opening one, as opposed to a word of a text about such marks: it begins
# or ends its line, or follows a sentence, or joins two words.
_STRAY = re.compile(
    rf"(?:^|(?<=[.!?…]))(?:{_CLOSES.pattern})|(?<=\w)(?:{_CLOSES.pattern})(?=[\w#>*])"
    rf"|(?:{_CLOSES.pattern})[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
# Every closing mark has one of these. Most texts have none, and that is found at once.
_ENDS = ("</", "|>", "[/", "◁/", "95>")
# The channels of harmony, with their marks and after a server took the marks away.
_HARMONY = re.compile(
    r"(?:<\|start\|>(?:assistant)?)?<\|channel\|>|(?:analysis|commentary)<\|message\|>"
)
_FINAL = re.compile(r"<\|channel\|>final[^<\n]{0,40}(?:<\|constrain\|>\w{1,20})?<\|message\|>")
_FINAL_TURN = re.compile(r"<\|end\|><\|start\|>assistant" + _FINAL.pattern)
_BARE, _BARE_FINAL = re.compile(r"analysis(?=[A-Z])"), "assistantfinal"
_MOST_THOUGHTS = 20
# A byte-order mark, a space and a joiner that no reader sees. Scripts and emoji need other ones.
_NO_WIDTH = dict.fromkeys(map(ord, "\ufeff\u200b\u2060"))


def without_thoughts(answer: str) -> tuple[str, bool]:
    """Return the text of an answer, and whether there were thoughts before it.

    The text is "" if the answer ended within a thought. Marks later in a text are part of it.
    """
    text, thought = answer.translate(_NO_WIDTH).strip(), False
    for _ in range(_MOST_THOUGHTS):
        if (rest := _after_a_thought(text)) is None:
            break
        text, thought = rest.strip(), True
    if opened := _AROUND.match(text):
        text = text[opened.end() :].strip()
        thought = True
    return (_AFTER.sub("", text) if thought else text), thought


def _after_a_thought(text: str) -> str | None:
    """Return what follows the thought at the beginning of a text; None if there is no thought."""
    if _HARMONY.match(text):
        final = _FINAL.search(text)
        return text[final.end() :] if final else ""
    if final := _FINAL_TURN.search(text):
        return text[final.end() :]
    if text.startswith("analysis") and (_BARE_FINAL in text or _BARE.match(text)):
        return text.partition(_BARE_FINAL)[2]
    if opened := _OPENS.match(text):
        closed = _CLOSES.search(text, opened.end())
        return text[closed.end() :] if closed else ""
    stray = _STRAY.search(text) if any(each in text for each in _ENDS) else None
    if stray and not _OPENS.search(text, 0, stray.start()) and not _in_a_fence(text, stray.start()):
        return text[stray.end() :]
    return None


def _in_a_fence(text: str, at: int) -> bool:
    return len(re.findall(r"^[ \t]*(?:```|~~~)", text[:at], re.MULTILINE)) % 2 == 1
