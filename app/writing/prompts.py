"""The prompts: templates in the folder ``prompts``, filled with a brief, its sources and its post.

People read and change the templates without reading code. What two of them say is a file that both
include.
"""

import re
from collections.abc import Sequence
from importlib.resources import files
from urllib.parse import unquote

from jinja2 import DictLoader, Environment, StrictUndefined

from app.core.addresses import http_url
from app.core.schemas.request import KeywordUsageStrategy, Tone
from app.rules.passages import post_words
from app.sources.prompt import quoted
from app.sources.source import Source
from app.writing.brief import Brief
from app.writing.completion import Prompt
from app.writing.post_markdown import parse_post

_FOLDER = files(__package__).joinpath("prompts")
_TEMPLATES = Environment(
    loader=DictLoader(
        {
            each.name: each.read_text("utf-8")
            for each in _FOLDER.iterdir()
            if each.name.endswith(".md")
        }
    ),
    autoescape=False,  # noqa: S701 - Markdown, not HTML
    undefined=StrictUndefined,
    trim_blocks=True,
)
_TONES = {
    Tone.PROFESSIONAL: "professional: precise, calm, competent",
    Tone.FRIENDLY: "friendly: as to a friend across the table",
    Tone.BOLD: "bold: takes a stand and argues for it",
}
LETTERS = "ABC"
_WRITER, _EDITOR, _READER = "a staff writer for", "the editor of", "a strict reader for"
_BLANK_LINES = re.compile(r"\n{3,}")
# Tokens of an answer for each word of the post, for the estimate of its cost.
_TOKENS_A_WORD = 1.6
_SECTION_WORDS, _LOCAL_SECTION_WORDS = 135, 110
_EXTENSION = re.compile(r"\.\w{1,5}$")
_WORD = re.compile(r"[^\W_]{1,40}")
_MAX_PATH_WORDS = 12


def write_prompt(brief: Brief, sources: Sequence[Source], number: int) -> Prompt:
    """Return the call for a draft. Its ``number`` names it in the journal; no prompt shows it."""
    user = _filled("write.md", brief, sources)
    return _prompt(brief, _WRITER, user, "draft", number, brief.max_words)


def write_local_prompt(brief: Brief, sources: Sequence[Source], number: int) -> Prompt:
    """Return the call for a draft of a small model, which cannot follow a long prompt."""
    sections = min(5, max(2, round(brief.target_words / _LOCAL_SECTION_WORDS)))
    user = _filled("write_local.md", brief, sources, paragraphs=sections)
    return _prompt(brief, _WRITER, user, "draft", number, brief.max_words)


def edit_prompt(
    brief: Brief,
    sources: Sequence[Source],
    drafts: Sequence[str],
    findings: Sequence[str],
    number: int,
    *,
    read: bool = False,
) -> Prompt:
    """Return the call to the editor.

    Args:
        drafts: A, B and C to choose from, or the one post to correct.
        findings: what a program found, and a reader if ``read``.
    """
    shown = [
        {"letter": letter, "text": text.strip(), "words": post_words(parse_post(text, brief))}
        for letter, text in zip(LETTERS, drafts, strict=False)
    ]
    user = _filled("edit.md", brief, sources, drafts=shown, findings=findings, read=read)
    return _prompt(brief, _EDITOR, user, "edit", number, brief.max_words)


def cut_prompt(brief: Brief, post: str, over: int, number: int = 1) -> Prompt:
    """Return the call that may only take out what a post has too much."""
    user = _filled("cut.md", brief, (), post=post.strip(), over=over)
    return _prompt(brief, _EDITOR, user, "cut", number, over + 100)


def polish_prompt(brief: Brief, post: str, notes: Sequence[str]) -> Prompt:
    """Return the call that meets what was noted of a post and corrects what does not read well
    aloud."""
    user = _filled("polish.md", brief, (), post=post.strip(), notes=notes)
    return _prompt(brief, _EDITOR, user, "polish", 1, brief.max_words // 2)


def read_prompt(
    brief: Brief,
    sources: Sequence[Source],
    post: str,
    statements: Sequence[tuple[int, str]],
    number: int,
) -> Prompt:
    """Return the call to a reader, who marks a post and compares statements with the sources.

    Args:
        statements: the numbered statements to compare; none if the post need not be proved.
    """
    shown = {"post": post.strip(), "sentences": statements, "verified": bool(statements)}
    request = _filled("request.md", brief, ())
    user = _filled("read.md", brief, sources, request=request, **shown)
    return _prompt(brief, _READER, user, "read", number, 200 + 20 * len(statements))


def _prompt(brief: Brief, role: str, user: str, purpose: str, number: int, words: int) -> Prompt:
    system = _TEMPLATES.get_template("system.md").render(
        role=role,
        language=brief.language_name,
        code=brief.language,
        region=brief.region,
        audience=brief.audience,
        tone=brief.tone and _TONES[brief.tone],
        brand_voice=brief.brand_voice,
        industry=brief.industry,
        today=f"{brief.today:%d %B %Y}",
    )
    return Prompt(_clean(system), user, purpose, number, round(words * _TOKENS_A_WORD))


def _filled(name: str, brief: Brief, sources: Sequence[Source], **others: object) -> str:
    values = {
        **_request(brief),
        "sources": quoted(sources) if sources else "",
        "verified": brief.verified,
        "faqs": brief.faqs,
        **others,
    }
    return _clean(_TEMPLATES.get_template(name).render(values))


def _request(brief: Brief) -> dict[str, object]:
    exact = brief.strategy is KeywordUsageStrategy.EXACT
    sections = min(brief.max_sections or 6, max(2, round(brief.target_words / _SECTION_WORDS)))
    return {
        "keyword": brief.primary_keyword,
        "topic": brief.topic,
        "other_keywords": "; ".join(brief.keywords[1:]),
        "exact": exact and "; ".join(f"“{each}”" for each in brief.keywords),
        "angle": brief.angle and brief.angle.instruction,
        "target_page": brief.target_url and page_in_words(brief.target_url),
        "max_sections": brief.max_sections,
        "sections": sections,
        "section_words": round(brief.target_words / sections / 10) * 10,
        "target_words": brief.target_words,
        "min_words": brief.min_words,
        "max_words": brief.max_words,
        "earlier": brief.earlier,
        "rewrite": brief.rewrite,
    }


def _clean(text: str) -> str:
    return _BLANK_LINES.sub("\n\n", text).strip()


def page_in_words(url: str) -> str:
    """Return a page's path and site in words.

    A URL would be an error in a post. User names, queries and fragments are left out, because they
    may contain secrets.
    """
    parts = http_url(url)
    site = (parts.unicode_host() or "").removeprefix("www.").partition(".")[0]
    path = _EXTENSION.sub("", unquote(parts.path or ""))
    words = _WORD.findall(path)[:_MAX_PATH_WORDS]
    page = f"the page “{' '.join(words)}” of " if words else ""
    return f"{page}the website “{site}”"
