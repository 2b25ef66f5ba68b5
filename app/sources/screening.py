"""Take out of a page's text what its readers cannot see, and what only a model's template means.

No wording is judged: a line that gives orders to a model stays, as any other, inside a quotation
that it cannot end. What a page says is kept from doing harm by that quotation, by the form of the
answer, which holds no links or calls, and by the rules for a post.
"""

import re
import unicodedata

# Soft hyphens, fillers, marks of direction, characters without width, variation selectors, and
# tags: a second, unseen alphabet.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]+"
)
# Persian and the languages of India spell with joiners; elsewhere they only hide.
_STRAY_JOINER = re.compile(
    "(?<![\u0600-\u0dff])[\u200c\u200d]+|[\u200c\u200d]+(?![\u0600-\u0dff\u200c\u200d])"
)
# Includes surrogates, which no database accepts.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
# Chat templates (ChatML, Llama, Mistral, Gemma, DeepSeek), thoughts, and the elements that our own
# prompts are made of.
_MARK = re.compile(
    r"<[|｜]\s?/?[\w▁][\w▁ .:-]{0,40}[|｜]>"
    r"|\[/?(?:INST|THINK|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]"
    r"|<</?SYS>>"
    r"|</?(?:s|bos|eos|(?:start|end)_of_turn)>"
    r"|<\s{0,3}/?\s{0,3}(?:think(?:ing)?|sources?|post|draft(?:_[a-z])?)\b(?:[^<>\n]{0,300}>)?",
    re.IGNORECASE,
)
_HARMLESS = str.maketrans("<>[]", "‹›⟦⟧")


def screened(text: str) -> str:
    """Return a text as its readers see it, in which no mark of a chat template or of our prompts is
    one. Marks stay readable: `<|im_end|>` becomes `‹|im_end|›`.

    What is screened already stays as it is. The time taken is linear in the length of the text.
    """
    if not text.isascii():
        text = _STRAY_JOINER.sub("", _INVISIBLE.sub("", text))
        text = unicodedata.normalize("NFC", text)
    return _MARK.sub(lambda mark: mark[0].translate(_HARMLESS), _CONTROL.sub(" ", text))
