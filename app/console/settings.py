"""The settings: shown, and changed in groups. What is sent is checked, tried and then written."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from flask import g, render_template, request, url_for
from markupsafe import Markup

from app.console import browser, forms, site, words
from app.console.site import Answer, blueprint
from app.container import find_local_model, services
from app.core.errors import Conflict, NotFound, OperatorError, ValidationFailed
from app.logs import redactor
from app.probes import ask_address, ask_mail, ask_model, ask_sources
from app.services import audit
from app.settings import DEFAULT_REMOTE_MODEL, INTERNAL, Settings, SettingsError, variable
from app.settings.file import change_file, with_file
from app.settings.shown import shown, summary

RUN_ONLY = (
    "This service runs as several commands, so its settings cannot be changed here: change"
    " `copydesk.toml` or the environment on each machine, and restart them."
)
_CHANGED = (
    "The settings file has other changes since the service started, such as {name}. Restart the"
    " service first."
)
_FIXED = "It is set by the environment: change {variable} there."
_NEW_KEY = (
    "Enter the key of the new address, or remove the present one, which is sent to no other address"
)
_KEY_FIXED = "{variable}, which the environment sets, would be sent there. Change both there."
_NO_ENDPOINT = "Enter the address of an endpoint, or an API key of OpenAI"
_NO_WEIGHTS = (
    "The local model is not downloaded. Run `make local-model` in the folder of Copydesk, then"
    " choose it again."
)


@dataclass(frozen=True)
class Group:
    """Settings that are changed together; ``ask`` tries them, and raises an error that says what
    does not work."""

    title: str
    names: tuple[str, ...]
    ask: Callable[[Settings], object] = lambda _: None


GROUPS = {
    "model": Group("Model", ("openai_base_url", "openai_api_key", "model"), ask_model),
    "costs": Group("Prices and cap", ("model_prices", "spend_cap")),
    "sources": Group(
        "Sources", ("source_feeds", "searxng_url", "brave_api_key", "tavily_api_key"), ask_sources
    ),
    "address": Group("Public address", ("public_url",), ask_address),
    "mail": Group("E-mail", ("smtp_url", "mail_from"), ask_mail),
}
_CHANGEABLE = frozenset(name for group in GROUPS.values() for name in group.names)
_IF_EMPTY = {"openai_base_url": " Empty: OpenAI.", "model": f" Empty: `{DEFAULT_REMOTE_MODEL}`."}
_SECRET = frozenset(name for name in _CHANGEABLE if variable(name) in Settings.secret_names())
_FIELDS = {variable(name): (group, name) for group in GROUPS for name in GROUPS[group].names}
_VARIABLE = re.compile(rf"\b(?:{'|'.join(_FIELDS)})\b")


@blueprint.get("/console/settings")
def settings() -> str:
    service, problem = services(), ""
    now = service.settings
    try:
        if service.change is not None:
            now = Settings.load()
    except SettingsError as error:
        problem = str(error)
    rows = {each.name: each for each in shown(now)}
    return render_template(
        "console/settings.html",
        groups=GROUPS,
        rows=rows,
        others=[each for each in rows.values() if each.name not in _CHANGEABLE],
        may_change=service.change is not None and site.signed_in().may_write,
        is_late=service.change is not None and bool(_differing(now, service.settings)),
        problem=problem,
    )


@blueprint.route("/console/settings/<group>", methods=site.FORM)
def change_settings(group: str) -> Answer:
    back = url_for("console.settings")
    return group_page(group, "console/settings_change.html", back, back=back)


def group_page(name: str, template: str, then: str, **members: Any) -> Answer:
    """Return the page that changes a group of settings; ``then`` is the page after it."""
    group, service = GROUPS.get(name), services()
    if group is None:
        raise NotFound("There are no such settings.")
    if service.change is None:
        raise Conflict(RUN_ONLY)
    present = loaded()

    def change() -> Answer:
        _save(group, present)
        return browser.see_other(then)

    rows = {each.name: each for each in shown(present) if each.name in group.names}
    values = {name: present.given.get(name, ("", ""))[0] for name in set(group.names) - _SECRET}
    return site.form_page(
        template,
        change,
        values,
        name=name,
        group=group,
        rows=rows,
        secret=_SECRET,
        about=_about,
        is_local=service.settings.is_local,
        then=then,
        **members,
    )


@blueprint.app_template_filter()
def commands(text: str) -> Markup:
    """Return a text for a page as ``words.commands`` does, with links to the fields of settings
    instead of variables if the reader can change them."""
    marked, who = words.commands(text), browser.operator()
    if services().change is None or who is None or not who.may_write:
        return marked
    return Markup(_VARIABLE.sub(_as_link, marked))  # noqa: S704


def _as_link(found: re.Match[str]) -> str:
    group, name = _FIELDS[found[0]]
    is_here = group in (request.view_args or {}).values()
    page = "" if is_here else url_for("console.change_settings", group=group)
    return f'<a href="{page}#{name}">“{forms.label(name)}”</a>'


def _about(name: str) -> str:
    return summary(name) + _IF_EMPTY.get(name, "")


def loaded() -> Settings:
    """Return the settings as they are in file and environment now.

    Raises:
        Conflict: somebody made the file invalid.
    """
    try:
        return Settings.load()
    except SettingsError as error:
        raise Conflict(f"{error}. Correct it, and restart the service.") from None


def _save(group: Group, present: Settings) -> None:
    """Check, try and write what a form sent, and have the service go on with it.

    Raises:
        ServiceError: it is wrong, or does not work. Nothing was changed.
    """
    service = services()
    others = _differing(present, service.settings) - _CHANGEABLE
    if others:
        raise Conflict(_CHANGED.format(name=min(others)))
    changes = _changes(group, present)
    values = {**Settings.read(Settings.file()), **changes}
    try:
        _check(values, changes, present)
    except SettingsError as error:
        raise ValidationFailed(f"{error}.") from None
    wanted = Settings.from_env(None, values)
    if group is GROUPS["model"] and not wanted.has_endpoint:
        if not _is_for_local():
            _refuse({"openai_base_url": _NO_ENDPOINT})
        if not wanted.is_local and not find_local_model(wanted):
            raise Conflict(_NO_WEIGHTS)
    # The local model can be chosen again, once it has been downloaded.
    is_new = bool(changes) or (_is_for_local() and find_local_model(wanted) is not None)
    try:
        if not g.form.get("untried"):
            g.is_untried = True
            group.ask(wanted)
        if is_new:
            assert service.change is not None  # noqa: S101 - the caller has looked
            change_file(changes, service.change)
    except OperatorError as error:
        # An endpoint may repeat its key.
        raise ValidationFailed(redactor(wanted.secrets)(str(error))) from None
    if is_new:
        who, names = site.signed_in().name, ", ".join(changes or group.names)
        audit.record(browser.context(), who, "settings_changed", names)


def _changes(group: Group, present: Settings) -> dict[str, str]:
    """Return the values that a form changes; "" removes one, and an empty secret changes nothing.
    What the environment sets cannot be changed."""
    changes = {}
    for name in group.names:
        text, (before, origin) = g.form.get(name, "").strip(), present.given.get(name, ("", ""))
        removes = bool(g.form.get(f"remove-{name}"))
        if _is_for_local():
            text, removes = "", True
        if name in _SECRET and not text and not removes:
            continue
        if text == before:
            continue
        if origin != "environment":
            changes[name] = text
        # The form has no field for it.
        elif text or _is_for_local():
            _refuse({name: _FIXED.format(variable=variable(name))})
    return changes


def _is_for_local() -> bool:
    return str(g.form.get("writer")) == "local"


def _check(values: Mapping[str, object], changes: Mapping[str, str], present: Settings) -> None:
    """Refuse values with which the service would not start, and an address to which a key that is
    there would be sent.

    Raises:
        ValidationFailed: fields are wrong.
        SettingsError: the values do not go together.
    """
    faults = {}
    for name, text in changes.items():
        try:
            with_file({name: text})
        except SettingsError as error:
            if error.name == name:
                faults[name] = str(error).partition(": ")[2]
    _refuse(faults)
    before, key = present.openai_base_url or "", "openai_api_key"
    is_moved = urlsplit(changes.get("openai_base_url", before))[:2] != urlsplit(before)[:2]
    if is_moved and present.openai_api_key is not None and key not in changes:
        if present.given[key][1] == "environment":
            _refuse({"openai_base_url": _KEY_FIXED.format(variable=variable(key))})
        _refuse({key: _NEW_KEY})
    with_file(values)


def _refuse(faults: Mapping[str, str]) -> None:
    if faults:
        entries = [{"field": name, "problem": told} for name, told in faults.items()]
        message = " ".join(f"{name}: {told}." for name, told in faults.items())
        raise ValidationFailed(message, {"errors": entries})


def _differing(one: Settings, other: Settings) -> set[str]:
    """Return the names of the settings that differ, aside from what `run` tells its processes."""
    names = Settings.model_fields.keys() - INTERNAL
    return {name for name in names if getattr(one, name) != getattr(other, name)}
