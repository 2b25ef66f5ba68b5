"""The companion plugin on a site, which keeps the item's id unique there.

``copydesk-companion.php`` beside this module is the plugin, one file. With it a post takes one
request, and what happens at the same moment elsewhere makes no second one. Without it nothing is
lost but that: posts made by the one way are found by the other, for both look for the marker.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from copydesk_connectors.errors import Misconfigured, Unavailable
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Finding, Level
from copydesk_connectors.targets.site_calls import tried
from copydesk_connectors.targets.wordpress.copies import FIELDS_WRITTEN, RemotePost
from copydesk_connectors.targets.wordpress.fields import Fields
from copydesk_connectors.targets.wordpress.meta import is_about_meta
from copydesk_connectors.targets.wordpress.rest import Refusal, Rest
from copydesk_connectors.targets.wordpress.terms import Terms

PLUGIN = Path(__file__).with_name("copydesk-companion.php")
_API = "copydesk/v1/"
# What stands in a path as it is, however the web server decodes it.
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_.~-]{1,191}\Z")
_VERSION = re.compile(r"^ \* Version: (\S+)$", re.MULTILINE)
_GET_IT = (
    "for posts in one request, each unique by the site itself: run copydesk-connect companion "
    "--output copydesk-companion.php and put the file into wp-content/mu-plugins on the server"
)
# WordPress's word for a path that no plugin answers.
_GONE = "rest_no_route"


def plugin_version() -> str:
    """The version of the plugin beside this module."""
    found = _VERSION.search(PLUGIN.read_text(encoding="utf-8"))
    return found[1] if found else ""


class Companion:
    """The plugin on one site."""

    def __init__(self, rest: Rest, fields: Fields) -> None:
        self._rest = rest
        self._fields = _ByName(fields)
        self._version: str | None = None

    def version(self) -> str:
        """The plugin's version, "" where it is not there; asked for once, until ``forget``.

        Raises:
            Unavailable, Misconfigured
        """
        if self._version is None:
            try:
                answer = self._rest.get("", api=_API, _fields="version")
            except Refusal:
                answer = {}
            self._version = str(answer.get("version") or "") if isinstance(answer, dict) else ""
        return self._version

    def forget(self) -> None:
        """Ask anew, for plugins come and go."""
        self._version = None

    def recommended(self, found: Sequence[Finding]) -> Sequence[Finding]:
        """What ``check`` found, with a word on the plugin where all is fine else. Never raises."""
        if any(finding.level is Level.PROBLEM for finding in found):
            return found
        try:
            version = self.version()
        except (Unavailable, Misconfigured):
            return found
        if version == plugin_version():
            said, fix = f"with the companion {version}, a post takes one request", ""
        elif version:
            said, fix = f"the companion there is {version}, ours is {plugin_version()}", _GET_IT
        else:
            said, fix = "without the companion, which is optional", _GET_IT
        return [
            replace(finding, message=f"{finding.message}; {said}", fix=fix)
            if finding.level is Level.OK
            else finding
            for finding in found
        ]

    def find(self, post: Post) -> RemotePost | None:
        """The site's copy of a post, whatever its state.

        Raises:
            Unavailable, Misconfigured, Refusal
        """
        try:
            answer = self._rest.get(f"posts/{post.key}", api=_API, slug=post.slug)
        except Refusal as refusal:
            if refusal.status == 404:
                return None
            raise
        return RemotePost.from_json(answer)

    def put(self, post: Post, notes: list[str]) -> RemotePost | None:
        """Find or make the post and show it, as the settings say; None where the plugin is not
        there. What has to be left out is said in ``notes``.

        Raises:
            Unavailable, Misconfigured
            Refusal: WordPress's own word on why it does not take the post.
        """
        if not _PLAIN_KEY.match(post.key) or not self.version():
            return None
        body = {"status": "draft", **self._fields.of(post, notes), **self._fields.shown(post)}
        body["_fields"] = f"{FIELDS_WRITTEN},copydesk"
        try:
            answer = self._send(post, body, notes)
        except Refusal as refusal:
            if refusal.code != _GONE:
                raise
            self._version = ""
            return None
        left_out = (answer.get("copydesk") or {}).get("left_out")
        if left_out:
            notes.append(f"the user may not make tags, left out: {', '.join(map(str, left_out))}")
        return RemotePost.from_json(answer)

    def _send(self, post: Post, body: dict[str, Any], notes: list[str]) -> dict[str, Any]:
        # May be sent again after any failure: the site finds what the first one made.
        path = f"posts/{post.key}"
        try:
            answer: dict[str, Any] = tried(lambda: self._rest.post(path, body, api=_API))
        except Refusal as refusal:
            if not body.get("meta") or not is_about_meta(refusal):
                raise
            notes.append(f"goes without SEO fields: {refusal}")
            return self._send(post, {**body, "meta": {}}, notes)
        return answer


class _ByName(Fields):
    """The same fields with categories and tags by name: the plugin finds or makes them."""

    def __init__(self, fields: Fields) -> None:
        # What the other has looked up serves both.
        vars(self).update(vars(fields))
        self._categories = self._tags = _Names(self.rights.rest, "")


class _Names(Terms):
    """Takes the place of terms that have to be looked up."""

    def find_or_make(self, name: str) -> Any:
        return name

    def find_or_make_all(self, names: Sequence[str]) -> Any:  # type: ignore[override]
        return list(names), []
