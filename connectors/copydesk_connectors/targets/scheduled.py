"""Posts that appear later: ``status = "scheduled"`` with ``publish_after``."""

from datetime import UTC, datetime, timedelta
from typing import Any

from copydesk_connectors.target import settings
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import SettingError

# Ghost takes no date that is past when the request arrives; WordPress immediately publishes a post
# that is due within about a minute.
_SOONEST = timedelta(minutes=2)


def publish_after() -> Any:
    """Declare the setting ``publish_after``."""
    return settings.time_span(
        'With `status = "scheduled"`: how long after its generation a post appears, such as '
        '`"90m"`, `"2h"` or `"3d"`. A post that is due already appears immediately.',
        default=None,
    )


def check(status: str, after: timedelta | None) -> None:
    """Accept ``publish_after`` together with ``status = "scheduled"``, and neither alone.

    Raises:
        SettingError
    """
    if status == "scheduled" and after is None:
        raise SettingError("publish_after", 'is missing; write a time span such as "2h"')
    if status != "scheduled" and after is not None:
        raise SettingError("publish_after", 'needs status = "scheduled"')


def due(post: Post, after: timedelta | None) -> datetime | None:
    """Return when to show a post, in UTC, or None for immediately."""
    if after is None:
        return None
    moment = post.generated_at + after
    return moment if moment > datetime.now(UTC) + _SOONEST else None
