"""The companion plugin, which keeps item ids unique on a site.

``copydesk-companion.php`` beside this module is the plugin. With it a post takes one request, and
concurrent requests make no second post. A site may get or lose it at any time: with and without it
posts have the same marker.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from copydesk_connectors.target.base import Finding, Level
from copydesk_connectors.target.errors import Misconfigured, Unavailable
from copydesk_connectors.target.http_api import retry
from copydesk_connectors.target.post import Post
from copydesk_connectors.targets.wordpress.posts import FIELDS_WRITTEN, RemotePost
from copydesk_connectors.targets.wordpress.rest import Refusal, Rest, is_about_meta
from copydesk_connectors.targets.wordpress.rest_fields import RestFields

PLUGIN = Path(__file__).with_name("copydesk-companion.php")
_API = "/copydesk/v1/"
# Every web server decodes such a path in the same way.
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_.~-]{1,191}\Z")
_VERSION = re.compile(r"^ \* Version: (\S+)$", re.MULTILINE)
_GET_IT = (
    "for posts in one request, each unique by the site itself: run copydesk-connect companion "
    "--output copydesk-companion.php and put the file into wp-content/mu-plugins on the server"
)
# WordPress's code for a path that no plugin answers.
_GONE = "rest_no_route"


def plugin_version() -> str:
    """Return the version of the plugin beside this module."""
    found = _VERSION.search(PLUGIN.read_text(encoding="utf-8"))
    return found[1] if found else ""


class Companion:
    """The plugin on one site."""

    def __init__(self, rest: Rest, fields: RestFields) -> None:
        self._rest = rest
        self._fields = fields
        self._version: str | None = None

    def version(self) -> str:
        """Return the plugin's version on the site, "" if it is missing; cached until ``forget``."""
        if self._version is None:
            try:
                answer = self._rest.get(_API, _fields="version")
            except Refusal:
                answer = {}
            self._version = str(answer.get("version") or "") if isinstance(answer, dict) else ""
        return self._version

    def forget(self) -> None:
        """Clear the cached version: the owner may install or remove the plugin."""
        self._version = None

    def recommended(self, found: Sequence[Finding]) -> Sequence[Finding]:
        """Return the findings of ``check``, with a word on the plugin if there is no problem."""
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

    def put(self, post: Post, notes: list[str]) -> RemotePost | None:
        """Find or make the post and show it as the settings say.

        Args:
            notes: gets a sentence for everything that has to be left out.

        Returns:
            The copy, or None if the plugin is missing.
        """
        if not _PLAIN_KEY.match(post.key) or not self.version():
            return None
        # The plugin finds or makes the terms.
        fields = self._fields.of(post, notes, by_name=True)
        body = {"status": "draft", **fields, **self._fields.shown(post)}
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
        # It can be repeated after any failure: the site finds what the first request made.
        path = f"{_API}posts/{post.key}"
        try:
            answer: dict[str, Any] = retry(lambda: self._rest.post(path, body))
        except Refusal as refusal:
            if not body.get("meta") or not is_about_meta(refusal):
                raise
            notes.append(f"goes without SEO fields: {refusal}")
            return self._send(post, {**body, "meta": {}}, notes)
        return answer
