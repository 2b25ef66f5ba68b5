"""evidence: the sources of a post's claims."""

from typing import Any

import click

from app.commands.output import database_command, fail
from app.core.schemas.times import wire_time


@database_command(None, "evidence", nothing="The post makes no claim that needs a source.")
@click.argument("post_id")
def evidence(post_id: str) -> list[dict[str, Any]]:
    """Show the source and the supporting sentence for each claim in a post.

    Claims are figures, dates, names and quotations. POST_ID is the id of a feed item or a job, or
    the requestId of POST /v1/generate. Posts that were written without sources have no evidence.
    """
    from app.services.evidence import find

    stored = find(post_id)
    if not stored:
        fail(f"No sources are stored for {post_id}. Check the id; not every post has sources.")
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
