"""What the site knows by name: its categories and tags, and who writes."""

import html
from collections.abc import Iterable
from dataclasses import dataclass, field

from wordpress_xmlrpc import WordPressTerm
from wordpress_xmlrpc.methods.taxonomies import GetTerms, NewTerm
from wordpress_xmlrpc.methods.users import GetAuthors, GetProfile

from copydesk_connectors.errors import Misconfigured
from copydesk_connectors.targets.site_calls import Refusal, tried
from copydesk_connectors.targets.wordpress.settings import Settings
from copydesk_connectors.targets.wordpress.xmlrpc import XmlRpc, text

# XML-RPC tells roles, not rights. These of WordPress's own roles may not publish or upload; what
# another role may is seen when it is tried.
_MAY_NOT_PUBLISH = frozenset({"contributor", "subscriber"})
_PUBLISHED = frozenset({"publish", "scheduled"})


@dataclass
class Terms:
    """The terms of one taxonomy ("category" or "post_tag"), looked up once by name."""

    rpc: XmlRpc
    taxonomy: str
    _ids: dict[str, int] = field(default_factory=dict)

    def find(self, name: str) -> int | None:
        """The id of the term with that name, whatever its capitals; None where there is none."""
        key = name.casefold()
        if key not in self._ids:
            query = {"search": text(name), "number": 100}
            for term in tried(lambda: self.rpc.call(GetTerms(self.taxonomy, query))):
                self._ids.setdefault(html.unescape(str(term.name)).casefold(), int(term.id))
        return self._ids.get(key)

    def find_or_make(self, name: str) -> int:
        """The id of the term with that name, made where there is none.

        Raises:
            Refusal: the user's role may not make terms.
        """
        found = self.find(name)
        if found is None:
            term = WordPressTerm()
            term.taxonomy, term.name = self.taxonomy, text(name)
            found = self._ids[name.casefold()] = int(self.rpc.call(NewTerm(term)))
        return found

    def find_or_make_all(self, names: Iterable[str]) -> tuple[list[int], list[str]]:
        """The ids of all that exist or can be made, and the names of those that cannot."""
        ids: list[int] = []
        missing: list[str] = []
        for name in names:
            try:
                ids.append(self.find_or_make(name))
            except Refusal:
                missing.append(name)
        return ids, missing

    def forget(self) -> None:
        """Look all of them up anew: one of them was deleted."""
        self._ids.clear()


@dataclass
class People:
    """Our user and the author, as far as XML-RPC tells of them."""

    rpc: XmlRpc
    settings: Settings
    categories: Terms
    _author_id: int | None = field(default=None, init=False)

    def enough(self) -> str:
        """The user and its roles in words, who may do what is configured as far as roles tell.

        Raises:
            Unavailable
            Misconfigured: not so, or a category or the author neither exists nor can be made.
        """
        try:
            profile = tried(lambda: self.rpc.call(GetProfile()))
        except Refusal as refusal:
            raise Misconfigured(
                f"the site does not accept the user: {refusal}",
                "make an application password for this user (Users > Profile > Application "
                "Passwords) and configure it, or see whether a security plugin blocks XML-RPC",
            ) from refusal
        roles = frozenset(map(str, profile.roles or ()))
        user = f"{profile.display_name} ({', '.join(sorted(roles)) or 'no role'})"
        if roles <= _MAY_NOT_PUBLISH:
            self._need_little(user, roles)
        if not roles & {"administrator", "editor"}:
            for name in self.settings.categories:
                self._need_category(name)
        self.author_id()
        return user

    def author_id(self) -> int | None:
        """The id of the author that is configured, None for the user itself.

        Raises:
            Unavailable
            Misconfigured: there is no such author.
        """
        author = self.settings.author.casefold()
        if author and self._author_id is None:
            try:
                found = tried(lambda: self.rpc.call(GetAuthors()))
            except Refusal as refusal:
                raise Misconfigured(
                    f"the site does not name its authors: {refusal}", "leave author out"
                ) from refusal
            for known in found:
                names = {str(known.id), str(known.user_login), str(known.display_name)}
                if author in {name.casefold() for name in names}:
                    self._author_id = int(known.id)
                    return self._author_id
            raise Misconfigured(
                f'the site has no author "{self.settings.author}"',
                "set author to the login or the id of somebody in Users who may write posts",
            )
        return self._author_id

    def _need_little(self, user: str, roles: frozenset[str]) -> None:
        writes = "contributor" in roles
        if not writes or self.settings.status in _PUBLISHED:
            raise Misconfigured(
                f"{user} may not put posts up with status {self.settings.status}",
                "give the user the role Author or Editor"
                + (', or set status = "pending" or "draft"' if writes else ""),
            )
        if self.settings.image is not None:
            raise Misconfigured(
                f"{user} may not upload pictures",
                'give the user the role Author or Editor, or set image = "none"',
            )

    def _need_category(self, name: str) -> None:
        if self.categories.find(name) is None:
            raise Misconfigured(
                f'there is no category "{name}" and the user may not make one',
                "make it in WordPress, correct category, or give the user the role Editor",
            )
