"""What an editor finds in the texts of bench/marks: the answers of a large model, recorded.

Each text is sent to the editor of the pipeline (``app.core.writing.editor``): a post with its
request and its sources, any other text with its title. bench/marks/editor.json keeps the answers,
so that the score with an examined substance can be computed again without a model.
"""

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from app.commands.model import model_endpoint
from app.container import pick_editor, pick_model
from app.core.checks import Finding, passages, read_document
from app.core.planning.brief import make_brief
from app.core.schemas.request import parse_generate_request
from app.core.verification import marked
from app.core.writing.completion import Prompt
from app.core.writing.editor import Manuscript
from app.core.writing.parsing import load
from app.core.writing.plan import Plan
from app.deadline import Deadline
from app.settings import Settings
from bench.marks_posts import as_post

RECORDED = Path(__file__).with_name("marks") / "editor.json"
_AT_ONCE, _SECONDS = 6, 3_600
_TITLE_CHARS = 100
_MOST_NOTES = 60


def recorded() -> dict[str, Any]:
    """Return the recorded answers by the digests of the texts."""
    if not RECORDED.exists():
        return {}
    found: dict[str, Any] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return found


def findings(name: str, markdown: str, language: str, answer: Mapping[str, Any]) -> list[Finding]:
    """Return the findings of a recorded answer whose quotations are in the text."""
    return _read(name, markdown, language)[0].findings(answer)


def ask(texts: Sequence[tuple[str, str, str, str]]) -> None:
    """Record the answers of the configured editor on the texts that have none.

    Args:
        texts: digest, name, Markdown and language of each.
    """
    answers = recorded()
    with model_endpoint(Settings.from_env()) as settings:
        model = pick_model(settings)
        editor = pick_editor(settings, lambda: model)
        if editor is None:
            raise SystemExit("marks: set COPYDESK_EDITOR_MODEL to a model that can edit")

        def one(key: str, prompt: Prompt) -> None:
            completion = editor.complete(prompt, Deadline(_SECONDS))
            answers[key] = load(completion.text, prompt.schema or {})
            RECORDED.write_text(
                json.dumps(answers, indent=1, sort_keys=True, ensure_ascii=False) + "\n",
                encoding="utf-8",
            )

        prompts = {key: _read(*text)[1] for key, *text in texts if key not in answers}
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            list(pool.map(one, prompts.keys(), prompts.values()))


def _read(name: str, markdown: str, language: str) -> tuple[Manuscript, Prompt]:
    """Return a text as the editor reads it, and the prompt that asks for findings."""
    if made := as_post(name, markdown):
        post, brief, grounding = made
        texts, notes = list(passages(post)), ""
        if grounding:
            notes = marked(grounding.notes(brief.primary_keyword, _MOST_NOTES))
    else:
        document = read_document(markdown)
        located = [*document.headings, *document.passages]
        texts = [each.passage for each in sorted(located, key=lambda each: each.offset(0))]
        title = document.title or document.front.get("title") or texts[0].text
        topic = " ".join(title.split())[:_TITLE_CHARS]
        request = parse_generate_request({"keywords": [topic], "language": language})
        brief, notes = make_brief(request, max_words=1_000), ""
    topic = brief.topic or brief.primary_keyword
    read = Manuscript(texts, language)
    return read, read.prompt(brief, Plan(topic, topic, ()), notes, seed=1)
