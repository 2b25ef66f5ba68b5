"""Quote sources in a prompt, within a budget of tokens."""

from collections.abc import Sequence
from dataclasses import replace
from html import escape

from app.core.billing.costs import BYTES_OF_A_TOKEN, estimated_tokens
from app.sources.screening import screened
from app.sources.source import DEFAULT_SOURCE_TOKENS, Source


def quoted(sources: Sequence[Source]) -> str:
    """Return sources as numbered elements for a prompt; no text in them can end its element."""
    return "\n\n".join(_quoted(number, source) for number, source in enumerate(sources, 1))


def within(sources: Sequence[Source], tokens: int = DEFAULT_SOURCE_TOKENS) -> list[Source]:
    """Return the sources so that all of them, quoted, take at most about ``tokens``.

    Cuts at the ends of paragraphs, from the last source, the least relevant one, to the first, and
    only as much as it must. Each keeps half of an equal share of the budget: one that is cut
    to nothing could not contradict the first, nor be the second site that reports an event.

    Args:
        sources: the most relevant first.
    """
    kept = list(sources)
    excess = sum(map(_tokens, kept)) - tokens
    share = tokens // (2 * max(1, len(kept)))
    for index in reversed(range(len(kept))):
        size = _tokens(kept[index])
        if excess > 0 and size > share:
            kept[index] = _cut(kept[index], max(share, size - excess))
            excess -= size - _tokens(kept[index])
    return kept


def _tokens(source: Source) -> int:
    return estimated_tokens(_quoted(1, source))


def _quoted(number: int, source: Source) -> str:
    day = f' date="{source.published_at:%Y-%m-%d}"' if source.published_at else ""
    site, title = (escape(screened(each)) for each in (source.site, source.title))
    head = f'<source number="{number}" site="{site}" title="{title}"{day}>'
    return f"{head}\n{screened(source.text)}\n</source>"


def _cut(source: Source, tokens: int) -> Source:
    """Return a source whose text ends with the last paragraph that fits; if not even the first one
    does, with the last line, else anywhere."""
    room = max(0, tokens - _tokens(replace(source, text="")))
    for mark in ("\n\n", "\n"):
        blocks: list[str] = []
        left = room
        for block in source.text.split(mark):
            left -= estimated_tokens(block, mark)
            if left < 0:
                break
            blocks.append(block)
        # A heading alone says nothing.
        while blocks and blocks[-1].startswith("#"):
            blocks.pop()
        if blocks:
            return replace(source, text=mark.join(blocks))
    beginning = source.text.encode()[: BYTES_OF_A_TOKEN * room]
    return replace(source, text=beginning.decode("utf-8", "ignore"))
