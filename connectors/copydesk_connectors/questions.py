"""What ``init`` asks for, target by target: the few settings without which none works.

A target of another package names its own by an attribute ``questions`` of its class (or of
whatever its entry point points to): a sequence of ``Question``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points

from copydesk_connectors.targets.registry import GROUP


@dataclass(frozen=True)
class Question:
    """One setting. Without a ``default`` it must be answered; where that is "", it may be left out.

    What is ``secret`` is typed unseen and kept in a file of its own, named under ``KEY_file``.
    """

    key: str
    text: str
    default: str | None = None
    choices: tuple[str, ...] = ()
    secret: bool = False


_STATUS = Question(
    "status", "Publish posts, or leave them as drafts", "publish", ("publish", "draft")
)
_OURS: Mapping[str, Sequence[Question]] = {
    "ghost": (
        Question("url", "Address under which Ghost's admin is opened, without /ghost"),
        Question(
            "admin_key",
            "Admin API key (in Ghost: Settings > Integrations > Add custom integration)",
            secret=True,
        ),
        _STATUS,
    ),
    "html": (
        Question("path", "Folder for the pages", "public"),
        Question("title", "Title of the site", "Blog"),
        Question("base_url", "Address of that folder on the web, if you know it", ""),
    ),
    "markdown": (
        Question("path", "Folder for the posts, such as content/posts"),
        Question(
            "preset",
            "What makes the site of them",
            "plain",
            ("plain", "hugo", "jekyll", "eleventy", "astro"),
        ),
        _STATUS,
    ),
    "micropub": (
        Question("url", "Address of the site"),
        Question("token", "Token with the scopes create, update, delete and draft", secret=True),
        Question(
            "address",
            "Form of your posts' addresses, such as https://blog.example/{year}/{slug}, if known",
            "",
        ),
        _STATUS,
    ),
    "webhook": (
        Question("url", "Address that takes the posts"),
        Question("secret", "Secret that signs them (whsec_ and 32 bytes in base64)", secret=True),
    ),
    "wordpress": (
        Question("url", "Address of the site"),
        Question("username", "User who writes the posts (role Author or Editor)"),
        Question(
            "password",
            "Application password of that user (in WordPress: Users > Profile)",
            secret=True,
        ),
        _STATUS,
    ),
}


def questions(kind: str) -> Sequence[Question]:
    """The questions of a kind of target, ours or another package's; none where it names none."""
    if kind in _OURS:
        return _OURS[kind]
    for offer in entry_points(group=GROUP, name=kind):
        try:
            factory = offer.load()
            asked = getattr(getattr(factory, "__self__", factory), "questions", ())
            return tuple(question for question in asked if isinstance(question, Question))
        except Exception:  # noqa: BLE001 - another's code; what is wrong is said when it is opened
            break
    return ()
