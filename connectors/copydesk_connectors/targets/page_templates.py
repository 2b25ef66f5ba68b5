"""The Jinja templates of plain HTML pages: the built-in ones, and the owner's in front of them.

A template named ``copydesk/post.html`` is always the built-in one, so that one of the owner's can
extend it.
"""

import hashlib
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PrefixLoader,
    StrictUndefined,
    TemplateNotFound,
    TemplateSyntaxError,
    select_autoescape,
)

from copydesk_connectors.target.errors import Misconfigured

BUILT_IN = Path(__file__).with_name("templates")
_FIX = "correct the template, or remove it to use the built-in one"


class Templates:
    """The templates of a site. ``own`` is the owner's folder, None for the built-in ones only."""

    def __init__(self, own: Path | None) -> None:
        self._own = own
        built_in = FileSystemLoader(BUILT_IN)
        loaders = [FileSystemLoader(own)] if own else []
        self._environment = Environment(
            loader=ChoiceLoader([*loaders, built_in, PrefixLoader({"copydesk": built_in})]),
            autoescape=select_autoescape(["html"]),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )

    def render(self, name: str, values: Mapping[str, Any]) -> str:
        """Return the text of a page.

        Raises:
            Misconfigured: a template is wrong; the message names the file and the line.
        """
        try:
            return self._environment.get_template(name).render(values)
        except TemplateSyntaxError as error:
            raise _broken(str(error.filename or name), error.lineno, str(error.message)) from None
        except TemplateNotFound as error:
            raise _broken(*_place(error, name), f'there is no template "{error.name}"') from None
        except OSError as error:
            said = error.strerror or type(error).__name__
            raise _broken(str(error.filename or name), 0, said) from None
        except Exception as error:  # noqa: BLE001 - an expression of the owner's may raise anything
            message = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise _broken(*_place(error, name), message) from None

    def digest(self) -> str:
        """Return a digest of all templates, by which pages show that they need to be rewritten."""
        digest = hashlib.sha256()
        for folder in filter(None, (BUILT_IN, self._own)):
            files = (file for file in folder.rglob("*") if file.suffix in {".html", ".css"})
            for file in sorted(files):
                digest.update(file.relative_to(folder).as_posix().encode() + b"\0")
                digest.update(hashlib.sha256(file.read_bytes()).digest())
        return digest.hexdigest()


def _place(error: Exception, name: str) -> tuple[str, int]:
    """Return the file and the line of the template in which an error was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    # Jinja gives the frames of a template its file and its lines.
    found = [
        (frame.filename, frame.lineno or 0) for frame in frames if "jinja2" not in frame.filename
    ]
    inner = [place for place in found if place[0].endswith((".html", ".css"))]
    return inner[-1] if inner else (name, 0)


def _broken(file: str, line: int, message: str) -> Misconfigured:
    where = f"{file}, line {line}" if line else file
    return Misconfigured(f"the template {where}: {message}", _FIX)
