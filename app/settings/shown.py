"""Settings as people see them: their meanings, their values without secrets, and their origins."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from app.settings import INTERNAL, Settings, variable
from app.settings.texts import as_text

# The parts of a URL that are not secret. One of another form, such as with a password that is not
# escaped, is not shown at all.
_URL = re.compile(
    r"([a-z+]+://)(?:[^@/?#]*@)?((?:\[[^]@/?#]*\]|[^]@/?#:]*)(?::\d+)?(?:/[^@?#]*)?)(?:[?#][^@]*)?"
)
_URLS = frozenset({"database_url", "redis_url", "smtp_url"})


@dataclass(frozen=True)
class Shown:
    """A setting without what is secret in it. Its origin is default, file or environment."""

    name: str
    value: str
    origin: str

    @property
    def meaning(self) -> str:
        """What the setting means, in one sentence."""
        return summary(self.name)


def shown(settings: Settings) -> list[Shown]:
    """Return what an operator may see of each setting that is not internal."""
    found = []
    for name in Settings.model_fields:
        if name in INTERNAL:
            continue
        text, origin = settings.given.get(name, ("", "default"))
        value = _visible(name, text) if text else default_of(name) or "not set"
        found.append(Shown(name, value, origin))
    return found


def default_of(name: str) -> str:
    """Return the default of a setting as text, "" if it has none."""
    default: object = Settings.model_fields[name].default
    return "" if default is None or default == () else as_text(default)


def template() -> str:
    """Return a settings file in which each setting is a comment, with its meaning and default."""
    return Path(__file__).with_name("copydesk.toml").read_text("utf-8")


@cache
def meanings() -> dict[str, str]:
    """Return what each setting means, as Markdown in one line."""
    found = {"data_dir": "The folder of `copydesk.toml` and of the SQLite file."}
    for comment, name in re.findall(r"((?:^# .*\n)+)#(\w+) = ", template(), re.MULTILINE):
        found[name] = " ".join(comment.replace("# ", " ").split())
    return found


def summary(name: str) -> str:
    """Return the first sentence of what a setting means."""
    return meanings()[name].partition(". ")[0].rstrip(".") + "."


def _visible(name: str, text: str) -> str:
    """Return what an operator may see of a value."""
    if name not in _URLS and (variable(name) in Settings.secret_names() or name == "model_body"):
        return "set"
    if name not in _URLS and "://" not in text:
        return text
    found = _URL.fullmatch(text)
    return found[1] + found[2] if found else "set"
