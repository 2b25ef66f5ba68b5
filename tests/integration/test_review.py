"""The review of posts before they appear, and reminders of those that wait for it."""

import logging
import socketserver
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from threading import Barrier

import pytest
from sqlalchemy import update

from app.adapters.smtp_mailer import send_mail
from app.core.errors import Conflict, ValidationFailed
from app.core.feed.review import Policy
from app.core.feed.rule import SchedulePolicy
from app.ports import MailUnavailable
from app.services import (
    accounts,
    audit,
    overview,
    post_list,
    review,
    review_links,
    rule_lists,
    rules,
    runs,
    schedule,
    state,
)
from app.services import feed as feeds
from app.services.context import Context
from app.services.post_list import PostFilter
from app.services.review_links import UnknownLink, send_reminders
from app.store import database, models
from app.writing.post_markdown import parse_post
from tests.support.answers import BRIEF, POST
from tests.support.commands import Commands
from tests.support.integration import Feed
from tests.support.scripted_worker import Worker, distinct_post

OFFER = {"name": "Burr Grinder", "url": "https://shop.example/grinder"}
HOUR = timedelta(hours=1)
COFFEE = replace(BRIEF, keywords=("Coffee",))


@pytest.fixture
def item(feed: Feed, worker: Worker) -> str:
    """A held post, whose rule has an offer."""
    rules.add_offer(feed.rules["Coffee"], OFFER)
    accounts.update_token(feed.token_id, policy=Policy("hold"))
    worker.posts = chain([parse_post(POST, COFFEE)], map(distinct_post, range(100)))
    return written(feed, worker)


def written(feed: Feed, worker: Worker) -> str:
    """The id of the next post of the rule Coffee."""
    worker.queue()
    assert worker.run_next()
    item_id = feed.runs()[-1].item_id
    assert item_id is not None
    feed.clock.move(timedelta(seconds=1))
    return item_id


def stored(item_id: str) -> models.FeedItem:
    return overview.item(item_id)[0]


def test_held_items_fill_the_queue_of_their_rule(feed: Feed, worker: Worker, item: str) -> None:
    context = replace(feed.context, policy=SchedulePolicy(queue_cap=2))
    feed.add_items("Coffee")
    coffee = feed.rules["Coffee"]
    rules.update_rule(context, coffee, rules.RuleChanges(every=HOUR))
    feed.clock.move(HOUR)
    assert schedule.tick(context) == 0
    (listed,) = [each for each in rule_lists.list_rules(context) if each.row.id == coffee]
    assert (listed.status, listed.pending) == ("waiting: queue full", 2)
    review.reject(context, item)
    feed.clock.move(HOUR)
    worker.queue()
    assert runs.run_next(context)
    assert sorted(feed.states()) == ["held", "pending", "rejected"]


def test_an_approved_edit_reaches_the_site_exactly_once_with_its_offers(
    feed: Feed, item: str
) -> None:
    """“An approved edit reaches the site exactly once with its offers”"""
    begun = review.draft(item).edit
    text = begun.text.replace("A burr grinder keeps", "The burr grinder, <3 of all, keeps")
    edit = replace(begun, title="A *new* title & more of it", text=text)
    saved = review.edit(feed.context, item, edit)
    assert saved.edit.version == 1
    review.approve(feed.context, [item])
    review.approve(feed.context, [item])
    pulled = feeds.pull_latest(feed.context, feed.token, next_item=False)
    assert pulled is not None
    assert pulled.post["title"] == "A *new* title & more of it"
    assert "&lt;3 of all" in pulled.html
    assert pulled.html.count(f'href="{OFFER["url"]}"') == 1
    feeds.confirm(feed.context, feed.token, item)
    assert feeds.pull_latest(feed.context, feed.token, next_item=False) is None
    with pytest.raises(Conflict, match="no longer held"):
        review.edit(feed.context, item, saved.edit)


def test_a_post_that_is_saved_as_it_is_stays_the_same(feed: Feed, item: str) -> None:
    before = stored(item)
    review.edit(feed.context, item, review.draft(item).edit)
    after = stored(item)
    assert (after.post, after.html, after.markdown) == (before.post, before.html, before.markdown)


def test_of_editors_that_save_at_once_one_wins_and_the_others_are_told(
    feed: Feed, item: str
) -> None:
    begun = review.draft(item).edit
    barrier = Barrier(4)

    def save(number: int) -> int:
        barrier.wait()
        try:
            return review.edit(
                feed.context, item, replace(begun, title=f"By {number}")
            ).edit.version
        except Conflict:
            return 0

    with ThreadPoolExecutor(4) as pool:
        saved = list(pool.map(save, range(4)))
    assert sorted(saved) == [0, 0, 0, 1]
    assert stored(item).title == f"By {saved.index(1)}"


@pytest.mark.parametrize(
    ("fields", "problems"),
    [
        ({"title": " "}, {"title": "no title"}),
        ({"title": "See https://example.com"}, {"title": "is a link"}),
        ({"description": "<b>Bold</b> words"}, {"description": "is HTML"}),
        ({"text": ""}, {"text": "no text"}),
        ({"text": "Intro.\n\n## Empty\n\n## Conclusion\n\nEnd."}, {"text": "has no text"}),
        ({"text": "Intro.\n\n[here](https://example.com)"}, {"text": "is a link"}),
        ({"text": "Intro.\n\n<script>alert(1)</script>"}, {"text": "is HTML"}),
        ({"text": "A.\n\n## Conclusion\n\nSee www.example.com."}, {"text": "is a link"}),
        ({"text": "A.\n\n## Conclusion\n\n<b>Bold</b> words."}, {"text": "is HTML"}),
        (
            {"text": "Intro.\n\n<img src=x onerror=alert(1)>", "title": ""},
            {"text": "", "title": ""},
        ),
        ({"text": "Intro.\n\n## FAQ\n\n### Why?\n"}, {"text": "no answer"}),
        ({"text": "Tea.\r\n\r\n" + "<" * 10_001}, {"text": "10,000"}),
        ({"text": "a" * 50_001, "title": "b" * 201}, {"text": "50,000", "title": "200"}),
    ],
)
def test_an_edit_that_would_harm_a_page_is_refused_beside_its_field(
    feed: Feed, item: str, fields: Mapping[str, str], problems: Mapping[str, str]
) -> None:
    edit = replace(review.draft(item).edit, **fields)
    with pytest.raises(ValidationFailed) as refused:
        review.edit(feed.context, item, edit)
    told = (refused.value.details or {})["problems"]
    assert told.keys() == problems.keys()
    for name, words in problems.items():
        assert words in told[name]
    assert review.preview(item, edit).problems == told
    assert "<script" not in review.preview(item, edit).html
    assert stored(item).version == 0


def test_what_the_rules_say_of_an_edit_is_shown_and_forbids_nothing(feed: Feed, item: str) -> None:
    edit = replace(review.draft(item).edit, title="Short", text="One sentence about tea.")
    saved = review.edit(feed.context, item, edit)
    names = {finding.rule for finding in saved.findings}
    assert {"too_short", "parts_missing", "title_length"} <= names
    assert [each.rule for each in review.draft(item).findings] == [
        each.rule for each in saved.findings
    ]


def test_an_edit_is_what_later_posts_must_not_repeat(feed: Feed, worker: Worker, item: str) -> None:
    """And it is told if it repeats an earlier one itself."""
    other = written(feed, worker)
    begun = review.draft(item).edit
    copied = replace(begun, text=review.draft(other).edit.text)
    repeats = review.edit(feed.context, item, copied).findings
    assert repeats[0].rule == "originality"
    assert other in repeats[0].reason
    review.edit(feed.context, item, replace(begun, version=1))  # type: ignore[arg-type]
    worker.posts = chain([parse_post(POST, COFFEE)], map(distinct_post, range(200, 300)))
    assert stored(written(feed, worker)).post != stored(item).post


def test_all_chosen_posts_are_approved_or_none(feed: Feed, worker: Worker, item: str) -> None:
    others = [written(feed, worker) for _ in range(2)]
    review.reject(feed.context, others[0], "Not ours.")
    with pytest.raises(Conflict, match="cannot be approved"):
        review.approve(feed.context, [item, *others])
    assert feed.states() == ["held", "rejected", "held"]
    review.approve(feed.context, [item, others[1]])
    assert feed.states() == ["pending", "rejected", "pending"]
    review.reject(feed.context, others[0], "Again.")
    assert stored(others[0]).review_note == "Not ours."
    with pytest.raises(Conflict, match="no longer held"):
        review.reject(feed.context, item)


def test_a_rejection_with_a_remark_is_written_again(feed: Feed, worker: Worker, item: str) -> None:
    """“A rejection with a remark is written again”, also if it says nearly the same."""
    first = stored(item)
    again = changed_a_little = parse_post(POST.replace("Start tonight", "Begin tonight"), COFFEE)
    worker.posts = repeat(again)
    run_id = review.rewrite(feed.context, item, "Say  when to begin.")
    assert worker.run_next()
    second = stored(feed.runs()[-1].item_id or "")
    assert (second.status, second.replaces, second.post["title"]) == (
        "held", item, changed_a_little.title,
    )  # fmt: skip
    assert (second.keyword, second.angle) == (first.keyword, first.angle)
    assert (stored(item).status, stored(item).review_note) == ("rejected", "Say  when to begin.")
    rewrite = worker.briefs[-1].rewrite
    assert rewrite is not None
    assert rewrite.remark == "Say  when to begin."
    assert "Cold brew asks for patience" in rewrite.text
    assert worker.briefs[-1].earlier == ()
    assert feed.runs()[-1].id == run_id


def test_a_post_is_written_again_three_times(feed: Feed, worker: Worker, item: str) -> None:
    # That it is held again does not depend on the feed.
    accounts.update_token(feed.token_id, policy=Policy())
    for _ in range(3):
        review.rewrite(feed.context, item, "Better.")
        feed.clock.move(HOUR)
        assert worker.run_next()
        (held,) = post_list.items(PostFilter(feed=feed.token_id, status="held"))
        item = held.id
    with pytest.raises(Conflict, match="3 times"):
        review.rewrite(feed.context, item, "Better.")
    assert stored(item).status == "held"


def test_a_post_of_a_paused_rule_is_not_sent_back(feed: Feed, item: str) -> None:
    rules.pause_rule(feed.context, feed.rules["Coffee"], paused=True)
    with pytest.raises(Conflict, match="paused"):
        review.rewrite(feed.context, item, "Better.")
    assert feed.states() == ["held"]


@pytest.mark.parametrize(("then", "state"), [("approve", "pending"), ("reject", "rejected")])
def test_a_feed_decides_for_the_one_who_does_not_come(
    feed: Feed, worker: Worker, item: str, then: str, state: str
) -> None:
    feed.clock.move(100 * HOUR)
    assert review.after_time(feed.context) == 0
    accounts.update_token(feed.token_id, policy=Policy("hold", 48, then))
    later = written(feed, worker)
    assert review.after_time(feed.context) == 1
    assert (stored(item).status, stored(later).status) == (state, "held")
    note = {"approve": None, "reject": "Nobody reviewed it within 2 days."}[then]
    assert stored(item).review_note == note
    feed.clock.move(47 * HOUR)
    assert review.after_time(feed.context) == 0
    feed.clock.move(HOUR)
    assert review.after_time(feed.context) == 1


def test_a_post_that_was_approved_late_does_not_count_as_unread(feed: Feed, item: str) -> None:
    def needs() -> list[str]:
        return [need.name for need in state.read(feed.context).needs["unreadFeeds"]]

    feed.clock.move(100 * HOUR)
    review.approve(feed.context, [item])
    feed.clock.move(HOUR)
    assert needs() == []
    feed.clock.move(72 * HOUR)
    assert needs() == ["Front page"]


def test_links_expire_and_cannot_be_guessed(feed: Feed, item: str) -> None:
    """“Links expire and cannot be guessed”"""
    link = review_links.link(feed.context, feed.token_id)
    assert review_links.feed_of_link(feed.context, link) == feed.token_id
    feed_id, until, _ = link.split(".")
    for wrong in (
        "", feed_id, f"{feed_id}.{until}", f"{feed_id}.{until}.", link[:-1], f"{link}x",
        link.replace(until, str(int(until) + 1)), link.replace(feed_id, "tkn_x"), f"é{link}",
        "x" * 100_000, f"{feed_id}\0.{until}",
    ):  # fmt: skip
        with pytest.raises(UnknownLink, match="wrong or has expired"):
            review_links.feed_of_link(feed.context, wrong)
    feed.clock.move(timedelta(days=14))
    assert review_links.feed_of_link(feed.context, link)
    feed.clock.move(timedelta(seconds=1))
    with pytest.raises(UnknownLink):
        review_links.feed_of_link(feed.context, link)
    link = review_links.link(feed.context, feed.token_id)
    accounts.rotate_token(feed.context, feed.token_id, keep=HOUR)
    with pytest.raises(UnknownLink):
        review_links.feed_of_link(feed.context, link)


def test_the_commands_of_a_review(feed: Feed, worker: Worker, item: str, tmp_path: Path) -> None:
    env = {"COPYDESK_DATABASE_URL": feed.url, "COPYDESK_DATA_DIR": str(tmp_path)}
    run = Commands(**env, COPYDESK_PUBLIC_URL="https://copydesk.example.com")
    second, third = written(feed, worker), written(feed, worker)
    held = run("item", "list", "--status", "held")
    assert [row["itemId"] for row in held] == [third, second, item]
    assert run("item", "approve", item)[0]["status"] == "pending"
    run("item", "reject", second, "--reason", "Not ours.")
    assert "it is rejected" in run.fails("item", "approve", item, second)
    said = run.fails("item", "rewrite", third, "--remark", " ", code=2)
    assert "Say what the post should do better." in said
    assert run("item", "rewrite", third, "--remark", "Shorter.")["runId"] == feed.runs()[-1].id
    assert feed.states() == ["pending", "rejected", "rejected"]
    url = run("review", "link", feed.token_id)["url"]
    secret = url.removeprefix("https://copydesk.example.com/review/")
    assert review_links.feed_of_link(feed.context, secret) == feed.token_id
    assert [entry.subject for entry in audit.audit_log("", 3)] == [
        feed.token_id, third, third,
    ]  # fmt: skip

    words = ("--review", "hold", "--review-hours", "48", "--review-then", "reject")
    made = run("feed", "create", feed.account_id, "Another", *words)
    assert overview.feed(made["feedId"])[0].policy == Policy("hold", 48, "reject")
    changes = ("--review-hours", "0", "--review-email", "owner@example.com")
    changed = run("feed", "update", made["feedId"], *changes)
    assert (changed["review"], changed["hours"]) == ("hold", None)
    assert overview.feed(made["feedId"])[0].policy.email == "owner@example.com"
    assert "Say what to change" in run.fails("feed", "update", made["feedId"], code=2)
    said = run.fails("feed", "update", made["feedId"], "--review-email", "me", code=2)
    assert "an e-mail address" in said


# --- reminders


ADDRESS, OWNER = "https://copydesk.example.com", "owner@example.com"


@dataclass
class Outbox:
    """Keeps what is sent, or fails."""

    sent: list[tuple[str, str, str]] = field(default_factory=list)
    is_down: bool = False
    takes: bool = True

    def __call__(self, to: str, subject: str, text: str) -> bool:
        if self.is_down:
            raise MailUnavailable("the mail server answered 421")
        self.sent.append((to, subject, text))
        return self.takes


@pytest.fixture
def outbox(feed: Feed) -> Outbox:
    """The mail of a feed that has eleven held posts."""
    feed.add_items("Coffee", 11)
    with database.writing() as session:
        session.execute(update(models.FeedItem).values(status="held"))
    accounts.update_token(feed.token_id, policy=Policy("hold", email=OWNER))
    return Outbox()


@pytest.fixture
def there(feed: Feed, outbox: Outbox) -> Context:
    return replace(feed.context, send_mail=outbox)


def test_a_reviewer_is_reminded_once_a_day_while_posts_wait(
    feed: Feed, outbox: Outbox, there: Context
) -> None:
    assert [send_reminders(there, ADDRESS) for _ in range(3)] == [1, 0, 0]
    ((to, subject, text),) = outbox.sent
    assert (to, subject) == (OWNER, "Posts of “Front page” wait for you")
    assert text.count("\n- Article ") == 10
    assert "\n- and more\n" in text
    (link,) = [line for line in text.split("\n") if line.startswith(ADDRESS)]
    secret = link.removeprefix(f"{ADDRESS}/review/")
    assert review_links.feed_of_link(there, secret) == feed.token_id
    feed.clock.move(23 * HOUR)
    assert send_reminders(there, ADDRESS) == 0
    feed.clock.move(HOUR)
    assert send_reminders(there, ADDRESS) == 1
    feed.clock.move(24 * HOUR)
    review.approve(there, feed.items)
    assert send_reminders(there, ADDRESS) == 0


def test_a_mail_server_that_is_down_is_tried_again_and_says_so(
    feed: Feed, outbox: Outbox, there: Context, caplog: pytest.LogCaptureFixture
) -> None:
    outbox.is_down = True
    with caplog.at_level(logging.WARNING):
        assert send_reminders(there, ADDRESS) == 0
    assert f"no reminder of feed {feed.token_id} was sent" in caplog.text
    outbox.is_down = False
    assert send_reminders(there, ADDRESS) == 1


def test_an_address_that_is_refused_is_tried_again_after_a_day(
    outbox: Outbox, there: Context
) -> None:
    outbox.takes = False
    assert [send_reminders(there, ADDRESS) for _ in range(2)] == [0, 0]
    assert len(outbox.sent) == 1


class MailServer(socketserver.ThreadingTCPServer):
    """Takes messages to all but one address, without TLS."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Session)
        self.lines: list[str] = []

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.server_address[1]}"


class _Session(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self._say("220 here")
        while line := self.rfile.readline().decode().rstrip("\r\n"):
            self.server.lines.append(line)
            verb = line[:4].upper()
            if verb == "DATA":
                self._say("354 go on")
                while (told := self.rfile.readline().decode().rstrip("\r\n")) != ".":
                    self.server.lines.append(told)
                self._say("250 taken")
            elif verb == "QUIT":
                return self._say("221 bye")
            else:
                self._say("550 nobody" if "refused@" in line else "250 ok")
        return None

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@pytest.fixture
def server() -> Iterator[MailServer]:
    with MailServer() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.02,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def test_a_message_is_sent_by_smtp(server: MailServer) -> None:
    send = partial(send_mail, server.url, "copydesk@example.com")
    assert send(OWNER, "Posts of “Tea” wait", "Read “this”.")
    assert not send("refused@example.com", "Posts wait", "Read this.")
    assert "From: copydesk@example.com" in server.lines
    assert f"To: {OWNER}" in server.lines
    assert any(line.startswith("Subject: Posts of =?utf-8?") for line in server.lines)


def test_a_password_is_not_sent_without_tls_and_never_shown(server: MailServer) -> None:
    url = server.url.replace("//", "//someone:pa%40ss-w0rd@")
    with pytest.raises(MailUnavailable) as told:
        send_mail(url, "copydesk@example.com", OWNER, "Posts wait", "Read this.")
    assert "w0rd" not in f"{told.value!r}"
    assert all(line.startswith("ehlo") for line in server.lines)


def test_a_server_that_is_not_there_is_a_sentence() -> None:
    with pytest.raises(MailUnavailable, match="did not work: ConnectionRefusedError"):
        send_mail("smtp://127.0.0.1:9", "a@example.com", OWNER, "Posts wait", "Read this.")
