"""Accounts, keys and tokens: what operators make, and who a caller is."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from sqlalchemy.orm import Session

from app.core import credentials
from app.core.errors import Forbidden, NotFound, Unauthorized, ValidationFailed
from app.core.metering import period_start
from app.ports import Clock
from app.store import accounts as store
from app.store.accounts import Caller
from app.store.database import autocommit, reading, writing
from app.store.feed_tables import TokenRow
from app.store.idempotency import Use
from app.store.ids import new_id
from app.store.tables import AccountRow, KeyRow

_RANDOM_BYTES = 32


@dataclass(frozen=True)
class NewSecret:
    """A secret that was just made, with the id it is managed by. It is shown this one time."""

    id: str
    secret: str

    def __repr__(self) -> str:
        return f"NewSecret(id={self.id!r})"


def authenticate(header: str | None, clock: Clock) -> Caller:
    """Who calls, by the Authorization header.

    Raises:
        Unauthorized: no Bearer key, not one of ours, or unknown.
        Forbidden: the key was revoked.
    """
    asked = _ask(header, clock)
    with autocommit() as connection:
        caller = store.caller_by_key_hash(connection, *asked)
    return _admit(caller)


def authenticate_with_key(
    header: str | None, clock: Clock, endpoint: str, name: str
) -> tuple[Caller, Use | None]:
    """The same, and what became of the idempotency key that came along: one statement for both.

    Raises:
        Unauthorized, Forbidden
    """
    asked = _ask(header, clock)
    with autocommit() as connection:
        caller, use = store.caller_and_use(connection, *asked, endpoint, name) or (None, None)
    return _admit(caller), use


def _ask(header: str | None, clock: Clock) -> tuple[str, date, date]:
    """What a caller is looked for by: the key's hash, the day and the billing period."""
    if not header:
        raise Unauthorized(
            "This endpoint needs an API key: send the header Authorization: Bearer <API_KEY>."
        )
    scheme, _, key = header.partition(" ")
    key = key.strip()
    if scheme.lower() != "bearer" or not key:
        raise Unauthorized("The Authorization header must have the form Bearer <API_KEY>.")
    if not credentials.is_api_key(key):
        raise Unauthorized("This is not a complete API key: check that all of it was copied.")
    now = clock.now()
    return credentials.fingerprint(key), now.date(), period_start(now)


def _admit(caller: Caller | None) -> Caller:
    if caller is None:
        raise Unauthorized("This API key is unknown.")
    if caller.revoked:
        raise Forbidden("This API key was revoked.")
    return caller


def create_account(name: str, plan_id: str, clock: Clock) -> str:
    name = _name(name)
    with writing() as session:
        _require_plan(session, plan_id)
        account_id = new_id("acc")
        store.add_account(session, account_id, name, plan_id, clock.now())
    return account_id


def list_accounts() -> Sequence[AccountRow]:
    with reading() as session:
        rows = store.accounts(session)
        session.expunge_all()
    return rows


def change_plan(account_id: str, plan_id: str) -> None:
    """Put an account on another plan, from its next request on.

    Raises:
        ValidationFailed: no such plan.
        NotFound: no such account.
    """
    with writing() as session:
        _require_plan(session, plan_id)
        if not store.change_plan(session, account_id, plan_id):
            raise NotFound(f"There is no account {account_id}.")


def create_key(account_id: str, clock: Clock) -> NewSecret:
    key = credentials.make_api_key(secrets.token_bytes(_RANDOM_BYTES))
    key_id = new_id("key")
    with writing() as session:
        _require_account(session, account_id)
        store.add_key(
            session,
            key_id,
            account_id,
            credentials.fingerprint(key),
            credentials.hint(key),
            clock.now(),
        )
    return NewSecret(key_id, key)


def list_keys(account_id: str) -> Sequence[KeyRow]:
    with reading() as session:
        _require_account(session, account_id)
        rows = store.keys_of(session, account_id)
        session.expunge_all()
    return rows


def revoke_key(key_id: str, clock: Clock) -> None:
    with writing() as session:
        if not store.revoke_key(session, key_id, clock.now()):
            raise NotFound(f"There is no key {key_id}.")


def create_token(account_id: str, name: str, clock: Clock, *, metered: bool = False) -> NewSecret:
    """Make a feed; the words of a metered one count against the plan of its account."""
    token = credentials.make_token_id(secrets.token_bytes(_RANDOM_BYTES))
    handle = new_id("tkn")
    with writing() as session:
        _require_account(session, account_id)
        store.add_token(
            session,
            handle,
            account_id,
            _name(name),
            credentials.fingerprint(token),
            credentials.hint(token),
            clock.now(),
            metered=metered,
        )
    return NewSecret(handle, token)


def list_tokens(account_id: str, clock: Clock) -> Sequence[tuple[TokenRow, int, int]]:
    """The tokens of an account, each with the words and posts that were made for it this month."""
    with reading() as session:
        _require_account(session, account_id)
        rows = store.tokens_of(session, account_id, period_start(clock.now()))
        session.expunge_all()
    return rows


def meter_token(token: str, *, metered: bool) -> str:
    """Count what is made for a token from now on against its account's plan, or do not; returns
    the handle."""
    with writing() as session:
        row = lock_token(session, token)
        row.metered = metered
        return row.id


def pause_token(token: str, *, paused: bool) -> str:
    """Pause or resume a token, named by itself or by its handle; returns the handle."""
    with writing() as session:
        row = lock_token(session, token)
        row.paused = paused
        session.flush()
        store.tell_rules(session, row.id, paused=paused)
        return row.id


def require_token(session: Session, token: str) -> TokenRow:
    """The token that an operator named.

    Raises:
        NotFound: there is none; the name is not repeated, it may be a secret.
    """
    return _require_token(store.find_token(session, token, credentials.fingerprint(token)))


def lock_token(session: Session, token: str) -> TokenRow:
    """The same, held until the transaction ends.

    Raises:
        NotFound
    """
    row = store.find_token(session, token, credentials.fingerprint(token), lock=True)
    return _require_token(row)


def _require_token(row: TokenRow | None) -> TokenRow:
    if row is None:
        raise NotFound("There is no such token. `token list` shows the handles.")
    return row


def _require_plan(session: Session, plan_id: str) -> None:
    plans = store.plan_ids(session)
    if plan_id not in plans:
        raise ValidationFailed(
            f"plan must be one of {', '.join(plans)}; it is “{plan_id}”.", {"field": "plan"}
        )


def _require_account(session: Session, account_id: str) -> None:
    if not store.account_exists(session, account_id):
        raise NotFound(f"There is no account {account_id}.")


def _name(name: str) -> str:
    name = name.strip()
    if not 1 <= len(name) <= 100 or not name.isprintable():
        raise ValidationFailed("name must have 1 to 100 printable characters.", {"field": "name"})
    return name
