"""What ``check`` looks at on a Ghost site."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from copydesk_connectors.errors import Misconfigured, Unavailable
from copydesk_connectors.publisher import Finding, Level
from copydesk_connectors.targets.card_letters import lacking_letters
from copydesk_connectors.targets.ghost.api import AdminApi, skew_sentence
from copydesk_connectors.targets.ghost.settings import Settings
from copydesk_connectors.targets.site_calls import Refusal

# The first whose editor keeps posts as Lexical.
_OLDEST = 5
_WORTH_SAYING_S = 60.0


def inspect(
    name: str, settings: Settings, api: AdminApi, ready: Callable[[], None]
) -> Sequence[Finding]:
    """Every finding; one that is fine, where nothing stands in the way. Never raises."""
    try:
        ready()
        site = api.get("site/")["site"]
        chosen = {entry["key"]: entry["value"] for entry in api.get("settings/")["settings"]}
    except Misconfigured as error:
        return [Finding(Level.PROBLEM, name, str(error.args[0]), error.fix)]
    except Refusal as refusal:
        fix = "let the integration read site/ and settings/ of the Admin API"
        return [Finding(Level.PROBLEM, name, str(refusal), fix)]
    except Unavailable as error:
        fix = "see whether the site is up and answers this machine, then check again"
        return [Finding(Level.PROBLEM, name, str(error), fix)]
    version = str(site.get("version") or "")
    if not version.split(".")[0].isdigit() or int(version.split(".")[0]) < _OLDEST:
        fix = f"bring Ghost up to version {_OLDEST} or newer"
        return [Finding(Level.PROBLEM, name, f"the site runs Ghost {version or '?'}", fix)]
    does = {"publish": "publish posts", "draft": "leave drafts", "scheduled": "schedule posts"}
    fine = f"Ghost {version}, {site.get('title')}: the key may {does[settings.status]}"
    letters = lacking_letters(name, settings.image, str(site.get("locale") or ""))
    warnings = [*_warnings(name, settings, api, site, chosen), *letters]
    return [*warnings, Finding(Level.OK, name, fine)]


def _warnings(
    name: str,
    settings: Settings,
    api: AdminApi,
    site: Mapping[str, Any],
    chosen: Mapping[str, Any],
) -> list[Finding]:
    warnings = []
    # Only somebody who is logged in can change it: an integration gets a refusal.
    if chosen.get("outbound_link_tagging"):
        warnings.append(
            (
                "Ghost adds ?ref= to every link to another site, offer links as well",
                "switch off Settings > Analytics > Outbound link tagging in Ghost",
            )
        )
    if api.skew_s is not None and abs(api.skew_s) > _WORTH_SAYING_S:
        warnings.append(
            (
                f"{skew_sentence(api.skew_s)}; from five minutes on Ghost refuses the key",
                "set this machine's clock (timedatectl set-ntp true), or the server's",
            )
        )
    own_url = str(site.get("url") or "")
    if settings.url.startswith("https://") and urlsplit(own_url).scheme == "http":
        warnings.append(
            (
                f"Ghost believes that its address is {own_url}: links to posts begin with http://",
                "set url in Ghost's configuration to the address with https:// and restart it",
            )
        )
    return [Finding(Level.WARNING, name, message, fix) for message, fix in warnings]
