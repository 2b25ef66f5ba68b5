"""Posts by a real model: how many pass, at the first try and in the end, and what they cost.

    python bench/posts.py [--only N] [--keep docs/samples]

Uses the configured endpoint, else the local model. Requests and seeds are fixed, so that two runs
on one model compare two versions of the prompts and checks. With --keep the first three posts that
pass are written down unedited.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from app.commands.model_process import model_endpoint
from app.core.brief import make_brief
from app.core.errors import ContentQualityFailed
from app.core.quality.lengths import post_words
from app.core.render import render
from app.core.request import ResponseType, parse_generate_request
from app.services.pipeline import Written, write_post
from app.settings import Settings
from app.wiring import pick_model

PLAN_CAP = 1500
REQUESTS: tuple[dict[str, Any], ...] = (
    {
        "keywords": ["cold brew coffee", "coffee grind size"],
        "topic": "making it at home",
        "tone": "friendly",
        "constraints": {"maxWords": 500},
    },
    {
        "keywords": ["raised garden beds", "vegetable garden"],
        "tone": "professional",
        "constraints": {"minWords": 350, "maxWords": 700, "includeFAQs": True},
    },
    {
        "keywords": ["bike commuting"],
        "topic": "starting to ride to work",
        "constraints": {"maxWords": 400},
    },
    {"keywords": ["home office lighting"], "constraints": {"maxWords": 400, "maxSections": 2}},
    {
        "keywords": ["sourdough starter", "whole wheat flour"],
        "targetAudience": "people who never baked bread",
        "constraints": {"maxWords": 500},
    },
    {"keywords": ["emergency fund"], "tone": "bold", "constraints": {"maxWords": 400}},
    {
        "keywords": ["password manager"],
        "industry": "small businesses",
        "tone": "professional",
        "constraints": {"maxWords": 450},
    },
    {
        "keywords": ["indoor plants", "low light"],
        "constraints": {"maxWords": 450, "includeFAQs": True},
    },
    {
        "keywords": ["running shoes"],
        "topic": "when to replace them",
        "constraints": {"maxWords": 350},
    },
    {"keywords": ["meal planning"], "constraints": {"minWords": 300, "maxWords": 500}},
    {"keywords": ["dog training", "leash"], "tone": "friendly", "constraints": {"maxWords": 450}},
    {
        "keywords": ["rainwater harvesting"],
        "constraints": {"maxWords": 300, "keywordUsageStrategy": "exact"},
    },
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", type=int, default=len(REQUESTS), help="the first N requests")
    parser.add_argument("--keep", type=Path, help="a folder for the first three posts that pass")
    options = parser.parse_args()
    with model_endpoint(Settings.from_env()) as settings:
        model = pick_model(settings)
        print(f"model: {model.name}\n")
        print("| request | result | words | score | revisions | calls | tokens out | seconds |")
        print("|---|---|---|---|---|---|---|---|", flush=True)
        first = passed = kept = 0
        for number, body in enumerate(REQUESTS[: options.only]):
            request = parse_generate_request(body)
            brief = make_brief(request, max_words=request.max_words(PLAN_CAP))
            name = request.keywords[0]
            try:
                written = write_post(model, brief, drafts=settings.drafts, seed=number)
            except ContentQualityFailed as failure:
                reasons = {f["check"] for f in (failure.details or {})["findings"]}
                print(f"| {name} | failed: {', '.join(sorted(reasons))} | | | | | | |", flush=True)
                continue
            passed += 1
            first += written.quality.revision_count == 0
            effort = written.effort
            print(
                f"| {name} | passed | {post_words(written.post)} | {written.quality.score}"
                f" | {written.quality.revision_count} | {effort.calls}"
                f" | {effort.completion_tokens} | {effort.seconds:.0f} |",
                flush=True,
            )
            if options.keep and kept < 3:
                kept += 1
                keep(options.keep, body, written, model.name)
        total = min(options.only, len(REQUESTS))
        print(f"\npassed without a revision: {first} of {total}; in the end: {passed} of {total}")


def keep(folder: Path, body: dict[str, Any], written: Written, model: str) -> None:
    """Write a post down as it came, under a line of what it cost."""
    folder.mkdir(parents=True, exist_ok=True)
    effort, post = written.effort, written.post
    text = render(post, (ResponseType.MARKDOWN,)).markdown
    warnings = "\n".join(f"- {w.section}: {w.reason}" for w in written.warnings) or "- none"
    (folder / f"{post.slug_suggestion}.md").write_text(
        f"# {post.title}\n\n"
        f"<!-- model {model}; {effort.seconds:.0f} s; {effort.calls} calls;"
        f" {effort.prompt_tokens} tokens in, {effort.completion_tokens} out;"
        f" {post_words(post)} words; score {written.quality.score};"
        f" revisions {written.quality.revision_count} -->\n\n"
        f"Request:\n\n```json\n{json.dumps(body)}\n```\n\n"
        f"Meta description: {post.meta.description}\n\nWarnings of the desk:\n\n{warnings}\n\n"
        f"---\n\n{text}",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
