"""review: links for people who review the posts of a feed without an account."""

import click

from app.commands.database import context, database_command
from app.commands.output import Row
from app.core.schemas.times import wire_time
from app.services import review_links as service
from app.settings import Settings
from app.settings.service_address import public_url


@click.group()
def review() -> None:
    """Let somebody without an account review the posts of a feed."""


@database_command(review, "link")
@click.argument("token_id", metavar="FEED")
def review_link(token_id: str) -> Row:
    """Make a link to the review of a feed. It works for 14 days, or until the feed URL is replaced.

    Anyone who has it can read, edit, approve and reject the held posts of the feed.
    """
    now, secret = context().clock.now(), service.link(context(), token_id)
    url = f"{public_url(Settings.load())}/review/{secret}"
    return {"url": url, "until": wire_time(now + service.LINK_WORKS)}
