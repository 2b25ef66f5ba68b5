"""evidence: the score of a post and the sources of its claims."""

from collections.abc import Mapping
from typing import Any

import click

from app.commands.database import database_command
from app.commands.output import fail
from app.core.schemas.times import wire_time
from app.services.evidence import find


@database_command(
    None,
    "evidence",
    nothing="The post was written without sources, or no statement of it is traced.",
    columns=("claim", "source", "sentence"),
)
@click.argument("post_id")
def evidence(post_id: str) -> list[dict[str, Any]]:
    """Show the source of each statement in a post, and the words there that support it.

    A reading model finds them in verified posts; in other posts from sources, they are the
    sentences that have a figure of the post. The score of the post is printed on stderr. POST_ID is
    the id of a feed item or a job, or the requestId of POST /v1/generate.
    """
    stored = find(post_id)
    if not stored:
        fail(f"No evidence is stored for {post_id}. Check the id; evidence is kept for 90 days.")
    for found in stored:
        if found.score is not None:
            click.echo(f"{post_id}: {score_line(found.score)}", err=True)
    return [
        {
            "createdAt": wire_time(found.created_at),
            "claim": claim["claim"],
            "source": claim["url"],
            "sentence": claim["sentence"],
        }
        for found in stored
        for claim in found.coverage
    ]


def score_line(score: Mapping[str, Any]) -> str:
    """Return the score of a post, and whether a model has read it."""
    mark = score.get("mark")
    read = "no model has read it" if mark is None else f"a reader's mark is {mark:g} of 10"
    return f"score {score['total']} of 100: {read}"
