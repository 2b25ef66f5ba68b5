"""What ``check`` looks at on a WordPress site."""

from collections.abc import Sequence

from copydesk_connectors.errors import Misconfigured, Unavailable
from copydesk_connectors.publisher import Finding, Level
from copydesk_connectors.targets.card_letters import lacking_letters
from copydesk_connectors.targets.wordpress.content import JSON_LD_META
from copydesk_connectors.targets.wordpress.fields import Fields
from copydesk_connectors.targets.wordpress.meta import Meta
from copydesk_connectors.targets.wordpress.rest import Refusal, Rest
from copydesk_connectors.targets.wordpress.rights import User
from copydesk_connectors.targets.wordpress.settings import Settings

# The REST namespace of a plugin, its name, and a field of its own.
_SEO_PLUGINS = (
    ("yoast/v1", "Yoast SEO", "_yoast_wpseo_metadesc"),
    ("rankmath/v1", "Rank Math", "rank_math_description"),
)
_COMPANION = "install the companion plugin (copydesk-connect companion writes it)"
_DOES = {
    "publish": "publish posts",
    "draft": "leave drafts",
    "pending": "leave posts for review",
    "scheduled": "schedule posts",
}


def inspect(name: str, settings: Settings, rest: Rest, fields: Fields) -> Sequence[Finding]:
    """Every finding; one that is fine, where nothing stands in the way. Never raises."""
    try:
        user = fields.rights.enough()
        warnings = _seo(rest, fields.meta) if settings.seo == "auto" else []
        if settings.json_ld:
            warnings += _json_ld(user, fields.meta)
    except Misconfigured as error:
        return [Finding(Level.PROBLEM, name, str(error.args[0]), error.fix)]
    except Unavailable as error:
        fix = "see whether the site is up and answers this machine, then check again"
        return [Finding(Level.PROBLEM, name, str(error), fix)]
    fine = f"{user.described} may {_DOES[settings.status]}"
    found = [Finding(Level.WARNING, name, message, fix) for message, fix in warnings]
    found += lacking_letters(name, settings.image, user.locale)
    return [*found, Finding(Level.OK, name, fine)]


def _seo(rest: Rest, meta: Meta) -> list[tuple[str, str]]:
    try:
        there = rest.get("", api="", _fields="namespaces").get("namespaces") or []
    except (Refusal, AttributeError):
        return []
    return [
        (
            f"{plugin} is there, but the site takes its title and description from nobody by REST",
            f'{_COMPANION}, or set seo = "none"',
        )
        for namespace, plugin, key in _SEO_PLUGINS
        if namespace in there and key not in meta.keys
    ]


def _json_ld(user: User, meta: Meta) -> list[tuple[str, str]]:
    if JSON_LD_META in meta.keys or user.may.get("unfiltered_html"):
        return []
    return [
        (
            f"the JSON-LD is left out, for {user.described} may not keep scripts in posts",
            f"{_COMPANION}, give the user the role Editor, or set json_ld = false",
        )
    ]
