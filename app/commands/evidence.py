"""evidence: where the claims of a verified post come from."""

import click

from app.commands.output import as_json, show_list, with_app
from app.core.metering import wire_time


@click.command()
@click.argument("post_id")
@as_json
@with_app
def evidence(post_id: str, as_json: bool) -> None:
    """Show which source bears out each claim of a post.

    POST_ID is the id of a feed item or a job, or the requestId of POST /v1/generate. Only posts in
    factualityMode verified and on current events have sources.
    """
    from app.services.evidence import find

    rows = [
        {
            "createdAt": wire_time(found.created_at),
            "section": claim["section"],
            "kind": claim["kind"],
            "claim": claim["claim"],
            "source": claim["url"],
            "sites": len(claim["sites"]),
            "against": ", ".join(claim["against"]),
        }
        for found in find(post_id)
        for claim in found.coverage
    ]
    show_list(rows, as_json, f"Nothing is known of the sources of {post_id}.")
