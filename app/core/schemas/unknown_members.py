"""Members of a body that its model does not have: misspelt or misplaced ones, and others."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any, get_args

from app.core.schemas.api_model import ApiModel

# Comparing names takes time that grows with their lengths, and a body can consist of them.
_MOST_MEMBERS = 20
_LONGEST_NAME = 50
_NEAR = 0.8


def unknown_members(model: type[ApiModel], body: Any) -> Iterator[tuple[str, str | None]]:
    """Yield the path of each unknown member, and of the one that was probably meant, if any.

    Meant is a similar name, in the same object rather than in another one. Null counts as absent.
    At most 20 members of each object are yielded.
    """
    yield from _unknown(model, body, "", _elsewhere(model))


def _unknown(
    model: type[ApiModel], body: Any, prefix: str, elsewhere: Mapping[str, str]
) -> Iterator[tuple[str, str | None]]:
    if not isinstance(body, Mapping):
        return
    known = _members(model)
    unknown = [name for name, value in body.items() if name not in known and value is not None]
    alike = {_letters(name): prefix + name for name in known} if unknown else {}
    for name in unknown[:_MOST_MEMBERS]:
        letters = _letters(name[:_LONGEST_NAME])
        paths = (_near(letters, each) for each in (alike, elsewhere))
        yield prefix + name, next(filter(None, paths), None)
    for name, kind in known.items():
        if kind is not None:
            yield from _unknown(kind, body.get(name), f"{prefix}{name}.", elsewhere)


def _near(letters: str, paths: Mapping[str, str]) -> str | None:
    near = get_close_matches(letters, paths, 1, _NEAR)
    return paths[near[0]] if near else None


@cache
def _elsewhere(model: type[ApiModel]) -> Mapping[str, str]:
    """Return the paths of the members of a model and its objects by the letters of their names."""
    return {_letters(path.rpartition(".")[2]): path for path in _paths(model)}


def _paths(model: type[ApiModel]) -> Iterator[str]:
    for name, kind in _members(model).items():
        yield name
        if kind is not None:
            yield from (f"{name}.{path}" for path in _paths(kind))


@cache
def _members(model: type[ApiModel]) -> dict[str, type[ApiModel] | None]:
    """Return the members of a model by their names in JSON, each with its model if it has one."""
    found = {}
    for name, field in model.model_fields.items():
        kinds = [field.annotation, *get_args(field.annotation)]
        models = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, ApiModel)]
        found[field.alias or name] = models[0] if models else None
    return found


def _letters(name: str) -> str:
    """The name whatever the convention of its spelling: max_words is maxWords."""
    return name.replace("_", "").replace("-", "").lower()
