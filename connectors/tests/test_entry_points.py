"""Targets of other packages: really installed, and broken in every way."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from copydesk_connectors.cli import config, reports
from copydesk_connectors.cli.init_command import questions
from copydesk_connectors.engine.courier import Outcome
from copydesk_connectors.target.base import Level
from copydesk_connectors.target.errors import ConfigError
from copydesk_connectors.target.settings import more_of
from copydesk_connectors.targets import TARGETS

from .feed_server import FakeFeed
from .items import Write, make_item

Offer = Callable[..., None]
TARGET = """
import json
from copydesk_connectors.target.base import Copy, CopyState, Finding, Level, Target
from copydesk_connectors.target.settings import FilePath, Settings, setting

class NotesSettings(Settings):
    file: FilePath = setting("The file.", ask="File of the notes")

class Notes(Target):
    Settings = NotesSettings
    def __init__(self, name, settings):
        super().__init__(name)
        self.file = settings.file
    def _all(self):
        return json.loads(self.file.read_text()) if self.file.exists() else {}
    def ready(self):
        pass
    def check(self):
        return [Finding(Level.OK, self.name, "fine")]
    def find(self, post):
        return Copy(post.id, CopyState.PUBLIC) if post.id in self._all() else None
    def draft(self, post):
        return Copy("", CopyState.DRAFT)
    def publish(self, post, remote_id):
        self.file.write_text(json.dumps(self._all() | {post.id: post.title}))
        return Copy(post.id, CopyState.PUBLIC)
"""
NOTES = '[[target]]\ntype = "notes"\nfile = "notes.json"\n'


@pytest.fixture
def offer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Offer:
    """Installs a package that offers a target: a module, and a dist-info as installers make it."""

    def install(code: str, *, package: str = "acme-notes", kind: str = "notes") -> None:
        folder, module = tmp_path / package, package.replace("-", "_")
        info = folder / f"{module}-1.2.dist-info"
        info.mkdir(parents=True)
        folder.joinpath(f"{module}.py").write_text(code)
        info.joinpath("METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.2\n"
        )
        info.joinpath("entry_points.txt").write_text(
            f"[copydesk_connectors.targets]\n{kind} = {module}:Notes\n"
        )
        monkeypatch.syspath_prepend(str(folder))
        monkeypatch.delitem(sys.modules, module, raising=False)

    return install


def test_a_target_of_another_package_is_one_like_ours(
    offer: Offer,
    write_config: Write,
    feed: FakeFeed,
    one_pass: Callable[[Path], Outcome],
    tmp_path: Path,
) -> None:
    """third-party ones by entry point"""
    assert "notes" not in TARGETS
    offer(TARGET)
    feed.add(make_item())
    assert one_pass(write_config(NOTES)).problems == []
    assert feed.states() == {"itm_1": "used"}
    assert (
        tmp_path / "notes.json"
    ).read_text() == '{"itm_1": "How to descale an espresso machine"}'
    assert len(TARGETS) == len(list(TARGETS)) == len({*TARGETS})


def test_its_settings_are_checked_as_ours_are(offer: Offer, write_config: Write) -> None:
    """Misspelt or wrong values get the one clear error that Table gives."""
    offer(TARGET)
    with pytest.raises(ConfigError, match=r"\[\[target\]\] 1 \(notes\) fil: is not a setting"):
        config.load(write_config(NOTES + 'fil = "x"\n'))
    with pytest.raises(ConfigError, match=r'not "note"; did you mean "notes"\?'):
        config.load(write_config(NOTES.replace('"notes"', '"note"')))


def test_init_asks_its_questions(offer: Offer) -> None:
    """third-party ones included by an optional hook"""
    offer(TARGET)
    offer("class Notes: pass", package="bare-notes", kind="bare")
    offer("", package="broken-notes", kind="broken")
    assert {key: more_of(field)["ask"] for key, field in questions("notes").items()} == {
        "file": "File of the notes"
    }
    assert [questions(kind) for kind in ("bare", "broken", "unknown")] == [{}, {}, {}]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import no_such_module", "failed with No module named 'no_such_module'"),
        ("def broken(", "failed with SyntaxError"),
        ("1 / 0", "failed with ZeroDivisionError"),
        ("raise ValueError('hunter2')", "failed with ValueError"),
        ("", "failed with AttributeError"),
        ("Notes = None", "which is not a Target"),
        ("class Notes:\n    def __init__(self, name, settings): pass", "which is not a Target"),
        (TARGET.replace("name, settings", "name"), "failed with TypeError"),
        (TARGET.replace("def draft", "def drafts"), "abstract method draft"),
        (TARGET.replace("__init__(name)", "__init__('x')"), "has another name"),
        (TARGET.replace("(Target)", ""), "which is not a Target"),
    ],
)
def test_a_broken_package_is_one_sentence(
    offer: Offer, write_config: Write, code: str, said: str
) -> None:
    """a broken plugin gives one clear sentence"""
    offer(code)
    with pytest.raises(ConfigError) as caught:
        config.load(write_config(NOTES))
    message = str(caught.value)
    assert "[[target]] 1 (notes) type: " in message
    assert said in message
    assert "acme-notes 1.2" in message
    assert message.endswith("; update or remove that package")
    assert "\n" not in message
    assert "hunter2" not in message


def test_two_packages_that_offer_one_kind(offer: Offer, write_config: Write) -> None:
    """What is not clear is asked, not guessed"""
    offer(TARGET)
    offer(TARGET, package="other-notes")
    with pytest.raises(
        ConfigError, match=r"by acme-notes 1\.2 and other-notes 1\.2; remove all but"
    ):
        config.load(write_config(NOTES))


def test_no_package_takes_the_place_of_a_target_of_ours(offer: Offer) -> None:
    """A package that comes along must not get at the owner's passwords"""
    before = TARGETS.settings("wordpress")
    offer(TARGET, kind="wordpress")
    assert TARGETS.settings("wordpress") is before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.file.write_text", "self.fil.write_text"),
        ("return Copy(post.id, CopyState.PUBLIC)\n", "return post.id\n"),
        ("return Copy(post.id, CopyState.PUBLIC)\n", "return None\n"),
        ("def publish(self, post, remote_id)", "def publish(self, post)"),
    ],
)
def test_a_mistake_while_it_works_stops_no_other_target(
    offer: Offer,
    write_config: Write,
    feed: FakeFeed,
    one_pass: Callable[[Path], Outcome],
    tmp_path: Path,
    old: str,
    new: str,
) -> None:
    """each post once, also beside a target that is broken"""
    assert old in TARGET
    offer(TARGET.replace(old, new))
    feed.add(make_item())
    file = write_config(NOTES + '[[target]]\ntype = "markdown"\npath = "content"\n')
    (problem, *_) = one_pass(file).problems
    assert re.search(r"internal error \((Attribute|Type)Error\); please report it", problem)
    assert len(list((tmp_path / "content").iterdir())) == 1
    assert feed.states() == {"itm_1": "used"}


def test_check_never_raises(offer: Offer, write_config: Write) -> None:
    """Changes nothing and never raises."""
    offer(TARGET.replace('[Finding(Level.OK, self.name, "fine")]', "1 / 0"))
    finding = reports.findings(config.load(write_config(NOTES)))[-1]
    assert (finding.level, bool(finding.fix)) == (Level.PROBLEM, True)
    assert finding.message == "internal error (ZeroDivisionError)"
