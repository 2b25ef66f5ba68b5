"""evidence: the score of a post and the sources of its claims."""

from typing import Any

import click

from app.commands.output import database_command, fail
from app.core.schemas.times import wire_time


@database_command(None, "evidence", nothing="The post makes no claim that needs a source.")
@click.argument("post_id")
def evidence(post_id: str) -> list[dict[str, Any]]:
    """Show the source and the supporting sentence for each claim in a post.

    Claims are figures, dates, quotations, and the sentences that a model judged; a post that was
    written without sources has none that is supported. The score of the post and its parts are
    printed on stderr. POST_ID is the id of a feed item or a job, or the requestId of POST
    /v1/generate.
    """
    from app.core.checks import Score
    from app.services.evidence import find

    stored = find(post_id)
    if not stored:
        fail(f"No evidence is stored for {post_id}. Check the id; evidence is kept for 90 days.")
    for found in stored:
        if found.score is not None:
            score = Score(found.score["total"], found.score["parts"])
            click.echo(f"{post_id}: score {score}", err=True)
    return [
        {
            "createdAt": wire_time(found.created_at),
            "section": claim["section"],
            "kind": claim["kind"],
            "claim": claim["claim"],
            "source": claim["url"],
            "sites": len(claim["sites"]),
            "against": ", ".join(claim["against"]),
            # Rows of earlier versions have none.
            "sentence": claim.get("sentence", ""),
        }
        for found in stored
        for claim in found.coverage
    ]
