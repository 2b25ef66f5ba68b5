"""A Dockerfile, read: its stages and their steps, in the part of the language that ours uses."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

import dockerfile

_CARRIED_OUT = {
    *("FROM", "ARG", "ENV", "RUN", "COPY", "WORKDIR", "USER", "EXPOSE", "LABEL"),
    *("ENTRYPOINT", "CMD", "HEALTHCHECK", "STOPSIGNAL"),
}
_FLAGS = {
    "COPY": {"from"},
    "RUN": {"mount"},
    "HEALTHCHECK": {"interval", "timeout", "start-period", "retries"},
}
_EXEC_FORM = {"CMD", "ENTRYPOINT", "HEALTHCHECK"}


class UnknownStep(Exception):
    """The Dockerfile uses something that this proof does not carry out."""


@dataclass(frozen=True)
class Step:
    """One instruction. ``flags`` are its ``--name=value`` pairs, in order."""

    keyword: str
    words: tuple[str, ...]
    flags: tuple[tuple[str, str], ...]
    line: int


@dataclass
class Stage:
    """One FROM with what follows; ``parent`` is a stage's name or an image's."""

    name: str
    parent: str
    steps: list[Step] = field(default_factory=list)


def read(path: Path) -> list[Stage]:
    """The stages in their order.

    Raises:
        UnknownStep: an instruction, flag or form that is not carried out here.
    """
    stages: list[Stage] = []
    before: dict[str, str] = {}
    for command in dockerfile.parse_file(str(path)):
        step = _step(command)
        if step.keyword == "FROM":
            stages.append(_stage(step, before))
        elif stages:
            stages[-1].steps.append(step)
        elif step.keyword == "ARG":
            before |= argument(step, before)
        else:
            raise UnknownStep(f"line {step.line}: {step.keyword} before the first FROM")
    return stages


def argument(step: Step, given: Mapping[str, str]) -> dict[str, str]:
    """Return the variable that an ARG sets; every ARG must have a default."""
    name, equals, value = step.words[0].partition("=")
    if len(step.words) != 1 or not equals:
        raise UnknownStep(f"line {step.line}: ARG needs one name and a default")
    return {name: expand(value, given)}


def pairs(step: Step, given: Mapping[str, str]) -> dict[str, str]:
    """What an ENV or LABEL sets."""
    if len(step.words) % 2:
        raise UnknownStep(f"line {step.line}: {step.keyword} must be NAME=VALUE pairs")
    names, values = step.words[::2], step.words[1::2]
    return {
        name: expand(value.strip('"'), given) for name, value in zip(names, values, strict=True)
    }


def expand(text: str, given: Mapping[str, str]) -> str:
    """Put variables in; a missing one is an error, where Docker would leave nothing."""
    if re.search(r"\$\{\w+[^\w}]|\\\$", text):
        raise UnknownStep(f"{text}: only $NAME and ${{NAME}} are carried out here")
    return Template(text).substitute(given)


def _step(command: dockerfile.Command) -> Step:
    keyword = command.cmd.upper()
    if keyword not in _CARRIED_OUT or command.heredocs:
        raise UnknownStep(f"line {command.start_line}: {command.original}")
    if keyword in _EXEC_FORM and not command.json:
        raise UnknownStep(f"line {command.start_line}: {keyword} must be in exec form")
    flags = []
    for flag in command.flags:
        name, _, value = flag.removeprefix("--").partition("=")
        if name not in _FLAGS.get(keyword, ()):
            raise UnknownStep(f"line {command.start_line}: {keyword} {flag}")
        flags.append((name, value))
    return Step(keyword, command.value, tuple(flags), command.start_line)


def _stage(step: Step, given: Mapping[str, str]) -> Stage:
    if len(step.words) != 3 or step.words[1].upper() != "AS":
        raise UnknownStep(f"line {step.line}: write FROM IMAGE AS NAME")
    return Stage(name=step.words[2], parent=expand(step.words[0], given))
