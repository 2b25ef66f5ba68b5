"""job, item, review and evidence: what was written, and what is being written."""

import click

from app.commands.database import context, database_command, list_command, of_account
from app.commands.output import Row, fail
from app.core.schemas.times import wire_time
from app.services import feed, overview, post_list, review_links
from app.services.evidence import find as find_evidence
from app.services.post_list import PostFilter
from app.settings import Settings
from app.settings.service_address import public_url
from app.store.overview import WorkFilter

_JOB_STATES = click.Choice(["queued", "processing", "succeeded", "failed"])
_ITEM_STATES = click.Choice(["held", "pending", "reserved", "used", "rejected", "abandoned"])


@click.group()
def job() -> None:
    """List jobs, which programs create with POST /v1/jobs."""


@list_command(job, "There are no such jobs.", ("jobId", "status", "keywords", "createdAt"))
@click.option("--status", type=_JOB_STATES, help="Only this status.")
@of_account
def job_list(status: str | None, account_id: str, before: str, limit: int) -> list[Row]:
    """Show jobs, newest first."""
    wanted = WorkFilter(status or "", account_id)
    return [
        {
            "jobId": row.id,
            "accountId": row.account_id,
            "account": row.account,
            "keywords": list(row.request["keywords"]),
            "status": row.status,
            "error": row.error["code"] if row.error else None,
            "createdAt": wire_time(row.created_at),
        }
        for row in overview.jobs(wanted, before, limit)
    ]


@click.group()
def item() -> None:
    """List items, the posts that rules write for feeds."""


@list_command(item, "There are no such items.", ("itemId", "title", "status", "generatedAt"))
@click.argument("token_id", metavar="[FEED]", default="")
@click.option("--status", type=_ITEM_STATES, help="Only this status.")
@click.option("--rule", "rule_id", default="", help="Only those of this rule.")
def item_list(
    token_id: str, rule_id: str | None, status: str | None, before: str, limit: int
) -> list[Row]:
    """Show items, newest first."""
    wanted = PostFilter(feed=token_id, rule=rule_id or "", status=status or "")
    return [
        {
            "itemId": row.id,
            "feedId": row.token_id,
            "ruleId": row.rule_id,
            "rule": row.name,
            "title": row.title,
            "status": row.status,
            "pulls": row.delivery_count,
            "generatedAt": wire_time(row.generated_at),
        }
        for row in post_list.items(wanted, before, limit)
    ]


@database_command(item, "requeue")
@click.argument("item_id", metavar="ITEM")
def item_requeue(item_id: str) -> Row:
    """Make an abandoned item pending again, so that its feed hands it out up to 3 more times."""
    return {"itemId": item_id, "status": feed.requeue(context(), item_id).value}


@database_command(item, "approve")
@click.argument("item_ids", metavar="ITEM...", nargs=-1, required=True)
def item_approve(item_ids: tuple[str, ...]) -> list[Row]:
    """Let sites pull held posts: all of them, or none if one cannot be approved."""
    from app.services import review as service  # it loads the rules, which no list needs

    service.approve(context(), item_ids)
    return [{"itemId": item_id, "status": "pending"} for item_id in item_ids]


@database_command(item, "reject")
@click.argument("item_id", metavar="ITEM")
@click.option("--reason", default="", help="Why, as the console shows it.")
def item_reject(item_id: str, reason: str) -> Row:
    """Reject a held post."""
    from app.services import review as service

    service.reject(context(), item_id, reason)
    return {"itemId": item_id, "status": "rejected"}


@database_command(item, "rewrite")
@click.argument("item_id", metavar="ITEM")
@click.option("--remark", required=True, help="What the next version must do better.")
def item_rewrite(item_id: str, remark: str) -> Row:
    """Reject a held post, and have its rule write it again with a remark. The next version is held
    as well."""
    from app.services import review as service

    return {"itemId": item_id, "runId": service.rewrite(context(), item_id, remark)}


@click.group()
def review() -> None:
    """Let somebody without an account review the posts of a feed."""


@database_command(review, "link")
@click.argument("token_id", metavar="FEED")
def review_link(token_id: str) -> Row:
    """Make a link to the review of a feed. It works for 14 days, or until the feed URL is replaced.

    Anyone who has it can read, edit, approve and reject the held posts of the feed.
    """
    now, secret = context().clock.now(), review_links.link(context(), token_id)
    url = f"{public_url(Settings.load())}/review/{secret}"
    return {"url": url, "until": wire_time(now + review_links.LINK_WORKS)}


@database_command(
    None,
    "evidence",
    nothing="The post was written without sources, or no statement of it is traced.",
    columns=("claim", "source", "sentence"),
)
@click.argument("post_id")
def evidence(post_id: str) -> list[Row]:
    """Show the source of each statement in a post, and the words there that support it.

    A reading model finds them in verified posts; in other posts from sources, they are the
    sentences that have a figure of the post. The score of the post is printed on stderr. POST_ID is
    the id of a feed item or a job, or the requestId of POST /v1/generate.
    """
    found = find_evidence(post_id)
    if found is None:
        fail(f"No evidence is stored for {post_id}. Check the id; evidence is kept for 90 days.")
    if found.score is not None:
        mark = found.score.get("mark")
        read = "no model has read it" if mark is None else f"a reader's mark is {mark:g} of 10"
        click.echo(f"{post_id}: score {found.score['total']} of 100: {read}", err=True)
    return [
        {
            "createdAt": wire_time(found.created_at),
            "claim": claim["claim"],
            "source": claim["url"],
            "sentence": claim["sentence"],
        }
        for claim in found.coverage
    ]
