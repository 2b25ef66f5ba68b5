"""The pictures of the console and of WordPress in README.md and the documentation.

    python -m tools.pictures

A service on a database of its own has two weeks of posts, which a large model wrote
(picture_posts), and some faults. Debian's Chromium takes the pictures: 1,440 pixels
wide, in light colours, in docs/pictures. The addresses of the sources are made up, and the findings
are what editors noted about the post there. A real WordPress has pulled three of the posts.
"""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from PIL import Image
from ulid import ULID

from app import create_app
from app.container import NoModel
from app.core.billing.costs import Figures
from app.core.schemas.request import GenerateRequest
from app.services import accounts, operators
from app.services.context import Context
from app.settings import Settings
from app.store import costs as cost_store
from app.store import database, models
from app.store.rows import new_id
from app.writing.brief import make_brief
from app.writing.post_markdown import parse_post
from connectors.tests.feed_server import feed_server
from connectors.tests.items import make_item
from tests.support.chromium import Browser
from tests.support.consoles import PASSWORD, add_given_up, add_job, served
from tests.support.sites.plugin_admin import PluginAdmin
from tests.support.sites.wordpress_site import WordPressSite

ROOT = Path(__file__).parents[1]
POSTS = Path(__file__).with_name("picture_posts")
FOLDER = ROOT / "docs/pictures"
WIDTH = 1440
COLOURS = 256
MOST_BYTES = 200_000
HEIGHT = 1170
SOURCES_SHOWN = (
    "(({top, height}) => [top + scrollY, height])"
    "(document.querySelector('main > section:last-of-type').getBoundingClientRect())"
)
SHOWN = "radiator-bleeding"
DESCRIPTION = (
    "A radiator that stays cold at the top has air in it. Let it out in seven steps, then top up"
    " the pressure of the boiler."
)
# How many posts were written on each of the last 14 days.
PER_DAY = (3, 4, 4, 2, 5, 6, 4, 3, 5, 4, 6, 5, 7, 3)
RULES = {
    "Radiators and boilers": ("bleed a radiator", "cold radiator", "boiler pressure"),
    "Kitchen basics": ("induction hob", "roast chicken", "mother sauces"),
    "Houseplants": ("low light houseplants",),
    "Passkeys and passwords": ("passkeys", "password manager"),
}
MISSING = (
    "The text does not use the keyword “password manager”: it has no form of “manager”. Use its"
    " words once where they read best, in any form and order."
)
FAILED = f"The post still breaks 1 of its rules after 2 revisions; the first: post: {MISSING}"
NOTES = (
    "“Reset boiler pressure” suggests the reset button: write “top up”.",
    "One radiator is cold all over: name the stuck pin of the thermostatic valve.",
    "Opening both valves changes the balance: say to note the setting of the second one.",
)
# A statement of the post, the number of its source, and the sentence of that.
CLAIMS = (
    (
        "1 to 1.5 bar",
        0,
        "On most combi boilers the pressure of the cold system should be between 1 and 1.5 bar.",
    ),
    (
        "by a quarter to half a turn",
        0,
        "Turn the radiator key anticlockwise by a quarter to half a turn until the air hisses out.",
    ),
    (
        "every few weeks",
        1,
        "Radiators that need bleeding every few weeks point to a leak or to corrosion that makes"
        " gas in the system.",
    ),
    (
        "many newer valves also take a flat screwdriver",
        1,
        "Radiator keys are sold in hardware shops, and newer valves can be opened with a flat"
        " screwdriver.",
    ),
)
SOURCES = (
    ("https://heating.example/bleed-a-radiator", "How to bleed a radiator"),
    ("https://homes.example/radiators", "Bleeding radiators at home"),
)


class AnsweringModel(NoModel):
    """A model that can be reached, and is asked for nothing."""

    name = "large"

    def ping(self) -> None:
        pass


def posts() -> dict[str, tuple[str, str]]:
    """The title and the text, in Markdown, of each post, by the name of its file."""
    found = {}
    for file in sorted(POSTS.glob("*.md")):
        title, _, text = file.read_text("utf-8").partition("\n\n")
        found[file.stem] = (title.removeprefix("# "), text)
    return found


def html_of(markdown: str) -> str:
    """As a site would show it."""
    return str(MarkdownIt("commonmark").enable("table").render(markdown))


class Installation:
    """What the pictures show. ``item`` is the post, ``account`` the one that it is billed to."""

    def __init__(self, context: Context) -> None:
        self.context, self.now = context, context.clock.now()
        operators.create_operator(context, "ada", PASSWORD)
        self.account = accounts.create_account(context, "Hearth & Home", "growth")
        self.other = accounts.create_account(context, "Allotment Weekly", "starter")
        self.key = accounts.create_key(context, self.account).id
        self.feed = accounts.create_token(context, self.account, "Home advice").id
        rules = [self._rule(name, keywords) for name, keywords in RULES.items()]
        self.item = self._items(rules)
        self._evidence()
        self._faults(rules)

    def _rule(self, name: str, keywords: tuple[str, ...]) -> str:
        rule = new_id("rul")
        due = self.now + timedelta(hours=2)
        row = models.Rule(
            id=rule,
            token_id=self.feed,
            name=name,
            name_key=name.casefold(),
            request={"keywords": list(keywords), "language": "en-GB"},
            offers=[],
            every_seconds=21_600,
            next_due_at=due,
            created_at=self.now - timedelta(days=60),
        )
        with database.writing() as session:
            session.add(row)
        return rule

    def _items(self, rules: list[str]) -> str:
        """Posts of two weeks; the latest is the one to show."""
        written = posts()
        names = [name for name in written if name != SHOWN]
        begin = self.now.replace(hour=0, minute=0, second=1, microsecond=0)
        times = [
            min(begin - timedelta(days=back) + timedelta(hours=2 * number), self.now)
            for back, count in enumerate(reversed(PER_DAY))
            for number in range(count)
        ]
        rows = []
        for number, at in enumerate(sorted(times)):
            is_last = number == len(times) - 1
            name = SHOWN if is_last else names[number % len(names)]
            title, markdown = written[name]
            rows.append(
                models.FeedItem(
                    id=f"itm_{ULID.from_datetime(at)}",
                    token_id=self.feed,
                    rule_id=rules[0] if is_last else rules[number % len(rules)],
                    status="pending" if number > len(times) - 3 else "used",
                    delivery_count=1,
                    title=title,
                    post={"slugSuggestion": name, "meta": {"description": DESCRIPTION}},
                    markdown=markdown,
                    html=html_of(markdown),
                    generated_at=at,
                    updated_at=at,
                )
            )
        rows[-1].status = "used"
        shown, held = rows[-1].id, rows[-2]
        brief = make_brief(
            GenerateRequest(keywords=("low light houseplants",)),
            max_words=1_200,
            today=self.now.date(),
        )
        title, markdown = written["low-light-houseplants"]
        lead = (
            "> Which plants cope with a dim room, which of them are safe for cats, and how the"
            " shadow test tells how dark your windowsill is."
        )
        post = parse_post(f"# {title}\n\n{lead}\n\n{markdown}", brief)
        held.status, held.post, held.title = "held", post.to_wire(), title
        held.markdown, held.html = markdown, html_of(markdown)
        self.held = held.id
        with database.writing() as session:
            session.add_all(rows)
        return shown

    def _evidence(self) -> None:
        score = {
            "total": 75,
            "mark": 7.5,
            "findings": [{"check": "reader", "section": "post", "reason": note} for note in NOTES],
        }
        coverage = [
            {"claim": claim, "url": SOURCES[source][0], "sentence": sentence}
            for claim, source, sentence in CLAIMS
        ]
        sources = [{"url": url, "title": title} for url, title in SOURCES]
        with database.writing() as session:
            row = {"id": new_id("evd"), "post_id": self.item, "account_id": self.account}
            found = {"sources": sources, "coverage": coverage, "score": score}
            session.add(models.Evidence(**row, **found, created_at=self.now))

    def _usage(self, account: str, rule: str | None, posts: int, words: int) -> None:
        """What posts of an account cost this month, at $3 and $15 for a million tokens."""
        month = self.now.date().replace(day=1)
        figures = Figures(
            calls=4 * posts,
            prompt_tokens=10_000 * posts,
            answer_tokens=3_300 * posts,
            micros=79_500 * posts,
        )
        used = {"words": words, "posts": words // 610, "requests": 90, "reserved_words": 0}
        with database.writing() as session:
            cost_store.add(session, cost_store.Payer(account, rule), month, figures)
            session.add(models.UsageMonth(account_id=account, period_start=month, **used))

    def _faults(self, rules: list[str]) -> None:
        self._usage(self.account, rules[0], 61, 61_480)
        self._usage(self.other, None, 9, 17_320)
        hook = {"webhook_url": "https://shop.example/hooks"}
        job = add_job(self.account, at=self.now - timedelta(hours=3), **hook)
        add_given_up(job, self.now - timedelta(hours=3), last_answer="HTTP 410")
        add_job(self.account, at=self.now, status="processing")
        add_job(self.account, at=self.now, status="queued")
        finding = {"check": "keyword_missing", "section": "post", "reason": MISSING}
        error: dict[str, Any] = {"code": "CONTENT_QUALITY_FAILED", "message": FAILED}
        error |= {"details": {"findings": [finding]}}
        with database.writing() as session:
            failing = session.get_one(models.Rule, rules[3])
            failing.failures, failing.last_error = 2, error
            session.get_one(models.Rule, rules[2]).saturated_since = self.now - timedelta(days=1)
            for number in range(2):
                at = self.now - timedelta(hours=1 + 6 * number)
                run = {"id": new_id("run"), "rule_id": rules[3], "status": "failed"}
                times: dict[str, datetime] = {"slot": at, "not_before": at, "finished_at": at}
                session.add(models.Run(**run, **times, error=error))


@contextmanager
def console(folder: Path) -> Iterator[tuple[str, Installation]]:
    """A service with that installation, at the address that is yielded."""
    settings = Settings(database_url=f"sqlite:///{folder / 'copydesk.db'}")
    app = create_app(settings, model=AnsweringModel())
    database.migrate()
    made = Installation(app.extensions["copydesk"].context)
    with served(app) as address:
        yield address, made


def fill(browser: Browser, **fields: Any) -> None:
    """Write into fields of a form."""
    for name, value in fields.items():
        browser.evaluate(f"document.querySelector('#{name}').value = {json.dumps(value)}")


def take(browser: Browser, name: str, top: float = 0, height: float = HEIGHT) -> None:
    """Write a part of the page as a PNG of few colours."""
    with tempfile.TemporaryDirectory() as folder:
        browser.screenshot(Path(folder) / "page.png")
        page = Image.open(Path(folder) / "page.png").convert("RGB")
    picture = page.crop((0, round(top), WIDTH, min(round(top + height), page.height)))
    small, out = picture.quantize(COLOURS, dither=Image.Dither.NONE), BytesIO()
    small.save(out, "PNG", optimize=True)
    size = len(out.getvalue())
    assert size < MOST_BYTES, f"{name}.png has {size:,} bytes"
    (FOLDER / f"{name}.png").write_bytes(out.getvalue())
    print(f"docs/pictures/{name}.png: {picture.width} × {picture.height}, {size:,} bytes")


def wordpress(browser: Browser) -> None:
    """Take the pictures of a WordPress to which the plugin has published three of the posts."""
    written = posts()
    rules = ("Radiators and boilers", "Kitchen basics", "Houseplants")
    names = (SHOWN, "roast-chicken", "low-light-houseplants")
    with feed_server() as feeds, WordPressSite("trixie") as site:
        feed = feeds.new()
        for number, (name, rule) in enumerate(zip(names, rules, strict=True)):
            title, markdown = written[name]
            rendered = {"html": html_of(markdown), "markdown": markdown}
            feed.add(make_item(f"itm_{number}", slug=name, title=title, rendered=rendered), rule)
        admin = PluginAdmin(site)
        admin.install()
        admin.set_options(feed_url=feed.url, status="publish")
        owner = site.users["administrator"]
        browser.open(f"{site.url}/wp-login.php")
        fill(browser, user_login=owner.login, user_pass=owner.password)
        browser.submit("#wp-submit")
        browser.open(admin.page("copydesk"))
        browser.submit("[name=copydesk_run]")
        take(browser, "wordpress-plugin", height=620)
        browser.open(f"{site.url}/{SHOWN}/")
        take(browser, "wordpress-post")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with Browser() as browser:
        browser.resize(WIDTH, 100)
        wordpress(browser)
    with (
        tempfile.TemporaryDirectory() as folder,
        console(Path(folder)) as (address, made),
        Browser() as browser,
    ):
        browser.resize(WIDTH, 100)
        browser.open(f"{address}/sign-in")
        fill(browser, name="ada", password=PASSWORD)
        browser.submit("form button")
        take(browser, "console-home")
        browser.open(f"{address}/console/items/{made.held}/edit")
        take(browser, "console-review", height=900)
        browser.open(f"{address}/console/items/{made.item}")
        take(browser, "console-item")
        top, height = browser.evaluate(SOURCES_SHOWN)
        take(browser, "console-sources", top - 20, height + 40)
        browser.open(f"{address}/console/playground?account={made.account}")
        fill(
            browser,
            keywords="bleed a radiator\ncold radiator",
            topic="letting air out of a radiator step by step",
            targetAudience="people who rent or own a home with a gas boiler",
            language="en-GB",
            region="GB",
            tone="professional",
            factualityMode="verified",
            minWords="250",
            maxWords="600",
        )
        take(browser, "console-playground", height=2 * HEIGHT)
        assert browser.complaints == []


if __name__ == "__main__":
    main()
