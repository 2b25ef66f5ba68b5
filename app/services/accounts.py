"""Plans, accounts, keys and feeds: managing them, and authenticating callers."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import delete, insert, select, update
from sqlalchemy.orm import Session

from app.core import credentials
from app.core.billing.metering import period_start
from app.core.billing.plan import Plan
from app.core.credentials import account_of, is_sandbox, sandbox_of
from app.core.errors import Conflict, Forbidden, NotFound, Unauthorized, ValidationFailed
from app.core.feed.review import Policy
from app.core.schemas.names import read_name
from app.core.webhooks.signature import new_root
from app.services.context import Context
from app.services.costs import checked_cap
from app.services.lookups import lock, require, require_account
from app.store import accounts as store
from app.store import hot, models
from app.store.accounts import Caller
from app.store.database import reading, writing
from app.store.models import ApiKey, OldFeedUrl, Rule
from app.store.rows import insert_if_absent, new_row, record
from app.store.rules import hold_back_paused

_RANDOM_BYTES = 32
_LIMITS = ("monthly_words", "max_words_per_request", "requests_per_minute", "requests_per_day")
_HIGHEST = 1_000_000_000
_NO_REVIEW = Policy()


@dataclass(frozen=True)
class NewSecret:
    """A new secret, the id it is managed by, and the account or sandbox that it belongs to. The
    secret is shown only once."""

    id: str
    secret: str = field(repr=False)
    account_id: str


def authenticate(context: Context, header: str | None) -> Caller:
    """Return the caller that the Authorization header names.

    Raises:
        Unauthorized: the key is missing, malformed or unknown.
        Forbidden: the key was revoked.
    """
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
    now, key_hash = context.clock.now(), credentials.fingerprint(key)
    caller = hot.find_caller(key_hash, now.date(), period_start(now))
    if caller is None:
        raise Unauthorized("This API key is unknown.")
    if caller.revoked:
        raise Forbidden("This API key was revoked.")
    return caller


def caller_for(context: Context, account_id: str) -> Caller:
    """Return the caller of an account's newest key that works, for work that an operator starts:
    it counts as the work of that key.

    Raises:
        NotFound: no such account.
        Conflict: the account has no key that works.
    """
    now = context.clock.now()
    with reading() as session:
        account = require_account(session, account_id)
        # Of its 1,000 newest keys.
        newest = select(ApiKey.id).where(ApiKey.account_id == account_id)
        newest = newest.order_by(ApiKey.id.desc()).limit(1_000)
        works = select(ApiKey).where(ApiKey.id.in_(newest), ApiKey.revoked_at.is_(None))
        key = session.scalar(works.order_by(ApiKey.id.desc()).limit(1))
        if key is None:
            raise Conflict(f"The account “{account.name}” has no live API key. Create one first.")
    caller = hot.find_caller(key.hash, now.date(), period_start(now))
    assert caller is not None  # noqa: S101 - a foreign key
    return caller


def list_plans() -> Sequence[Plan]:
    """Return the plans, smallest first."""
    with reading() as session:
        return store.plans(session)


def update_plan(plan_id: str, limits: Mapping[str, int]) -> Plan:
    """Change the given limits, for requests that begin from now on; return the plan.

    Raises:
        NotFound: no such plan.
        ValidationFailed: a limit is out of range.
    """
    # Imported here: every command knows plans, few read requests.
    from app.core.schemas.request import MIN_WORDS

    with writing() as session:
        plan = session.get(models.Plan, plan_id)
        if plan is None:
            raise NotFound(f"There is no plan {plan_id}. `plan list` shows them.")
        for name, value in limits.items():
            least = MIN_WORDS if name.endswith(("words", "words_per_request")) else 1
            if name not in _LIMITS or not least <= value <= _HIGHEST:
                raise ValidationFailed(
                    f"{name} must be between {least} and {_HIGHEST:,}; it is {value}.",
                    {"field": name},
                )
            setattr(plan, name, value)
        return record(Plan, plan)


def create_account(context: Context, name: str, plan_id: str) -> str:
    """Create an account and return its id."""
    columns = {"name": read_name(name), "plan_id": plan_id, "webhook_root": _new_root()}
    account = new_row(models.Account, "acc", created_at=context.clock.now(), **columns)
    with writing() as session:
        _require_plan(session, plan_id)
        session.add(account)
    return account.id


def _new_root() -> str:
    return new_root(secrets.token_bytes(_RANDOM_BYTES))


def root_of(session: Session, account_id: str) -> str:
    """Return the root secret of an account, from which the webhook secrets of its jobs and those of
    its sandbox are derived: one receiver serves both.

    Raises:
        NotFound: no such account.
    """
    root = require(session, models.Account, account_of(account_id)).webhook_root
    assert root is not None  # noqa: S101 - only a sandbox has none
    return root


def webhook_root(account_id: str) -> str:
    """Do the same in a transaction of its own."""
    with reading() as session:
        return root_of(session, account_id)


def replace_webhook_root(account_id: str) -> tuple[str, str]:
    """Give an account another root secret for its jobs from now on; return it and the one that it
    replaces. Jobs that exist keep their webhook secrets.

    Raises:
        NotFound: no such account.
    """
    made = _new_root()
    with writing() as session:
        # Locked, so that of two at once each shows the root that it replaces.
        account = require_account(session, account_id, with_for_update={"key_share": True})
        replaced, account.webhook_root = root_of(session, account_id), made
    return made, replaced


def update_account(
    account_id: str, plan_id: str | None = None, spend_cap: int | None = None
) -> None:
    """Change an account from its next request on; None leaves a member as it is.

    Args:
        spend_cap: what the calls to models for it may cost in a calendar month (UTC), in
            micro-dollars; ``costs.NO_CAP`` removes the cap.

    Raises:
        ValidationFailed: no such plan, or the cap is out of range.
        NotFound: no such account.
    """
    with writing() as session:
        account = require_account(session, account_id)
        if plan_id is not None:
            _require_plan(session, plan_id)
            account.plan_id = plan_id
            if (sandbox := session.get(models.Account, sandbox_of(account_id))) is not None:
                sandbox.plan_id = plan_id
        if spend_cap is not None:
            account.spend_cap = checked_cap(spend_cap)


def create_key(context: Context, account_id: str, *, sandbox: bool = False) -> NewSecret:
    """Create an API key of an account, or a test key, which belongs to the sandbox of the account
    and is limited by the same plan."""
    now = context.clock.now()
    with writing() as session:
        account = require_account(session, account_id)
        if sandbox:
            account_id = sandbox_of(account_id)
            named = {"id": account_id, "name": account.name, "plan_id": account.plan_id}
            insert_if_absent(session, models.Account, **named, created_at=now)
        return _add_key(session, account_id, now)


def _add_key(session: Session, account_id: str, now: datetime) -> NewSecret:
    random = secrets.token_bytes(_RANDOM_BYTES)
    key = credentials.make_api_key(random, sandbox=is_sandbox(account_id))
    hashed, hint = credentials.fingerprint(key), credentials.hint(key)
    columns = {"account_id": account_id, "hash": hashed, "hint": hint, "created_at": now}
    row = new_row(ApiKey, "key", **columns)
    session.add(row)
    return NewSecret(row.id, key, account_id)


def revoke_key(context: Context, key_id: str) -> None:
    """Revoke a key. A key that was revoked before keeps its time of revocation."""
    with writing() as session:
        key = require(session, ApiKey, key_id)
        key.revoked_at = key.revoked_at or context.clock.now()


def rotate_key(context: Context, key_id: str) -> NewSecret:
    """Revoke a key, and create another one of the same account or sandbox in its place.

    Raises:
        NotFound: no such key.
        Conflict: the key was revoked before.
    """
    now = context.clock.now()
    with writing() as session:
        old = require(session, ApiKey, key_id, with_for_update=True)
        if old.revoked_at is not None:
            raise Conflict("The key was revoked. Create a new one with `key create`.")
        old.revoked_at = now
        return _add_key(session, old.account_id, now)


def create_token(
    context: Context,
    account_id: str,
    name: str,
    *,
    metered: bool = False,
    policy: Policy = _NO_REVIEW,
) -> NewSecret:
    """Create a feed. The words of a metered feed count against the plan of its account; ``policy``
    is its review."""
    token = credentials.make_token_id(secrets.token_bytes(_RANDOM_BYTES))
    feed = new_row(
        models.Feed,
        "tkn",
        account_id=account_id,
        name=read_name(name),
        hash=credentials.fingerprint(token),
        hint=credentials.hint(token),
        metered=metered,
        policy=policy,
        created_at=context.clock.now(),
    )
    with writing() as session:
        require_account(session, account_id)
        session.add(feed)
    return NewSecret(feed.id, token, account_id)


def rotate_token(context: Context, feed_id: str, *, keep: timedelta = timedelta(0)) -> NewSecret:
    """Give a feed a new token.

    The old one works for ``keep`` as well, and those before it stop working at once. Items, rules
    and what sites have pulled stay as they are.
    """
    secret = credentials.make_token_id(secrets.token_bytes(_RANDOM_BYTES))
    with writing() as session:
        row = lock(session, models.Feed, feed_id)
        session.execute(delete(OldFeedUrl).where(OldFeedUrl.token_id == row.id))
        if keep:
            until = context.clock.now() + keep
            session.execute(insert(OldFeedUrl).values(hash=row.hash, token_id=row.id, until=until))
        row.hash, row.hint = credentials.fingerprint(secret), credentials.hint(secret)
        row.review_secret = None
        return NewSecret(row.id, secret, row.account_id)


def update_token(
    feed_id: str, *, metered: bool | None = None, policy: Policy | None = None
) -> None:
    """Change for items generated from now on whether they count against the plan of the feed's
    account, and how they are reviewed. Items that are held stay so."""
    with writing() as session:
        row = lock(session, models.Feed, feed_id)
        row.metered = row.metered if metered is None else metered
        row.policy = policy or row.policy


def pause_token(feed_id: str, *, paused: bool) -> None:
    """Pause or resume a feed."""
    with writing() as session:
        row = lock(session, models.Feed, feed_id)
        row.paused = paused
        session.flush()
        # Each rule knows whether its feed is paused.
        rules = Rule.token_id == row.id
        session.execute(update(Rule).where(rules).values(token_paused=paused))
        hold_back_paused(session, rules)


def _require_plan(session: Session, plan_id: str) -> None:
    known = [plan.id for plan in store.plans(session)]
    if plan_id not in known:
        raise ValidationFailed(
            f"plan must be one of {', '.join(known)}; it is “{plan_id[:40]}”.", {"field": "plan"}
        )
