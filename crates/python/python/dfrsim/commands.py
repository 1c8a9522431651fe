"""The commands of the program as functions, with all of their options.

    from dfrsim import commands

    commands.run("scenarios/quickstart.toml", out="results/quickstart", audit=True)
    commands.results.compare("results/quickstart", variant="EASY", with_="CONS")
    commands.log.info("KTH-SP2-1996-2.1-cln.swf.gz")["offered_load"]

Positions are positional or have their names; `--node-memory 2` is `node_memory=2`, `--strict` is `strict=True`, and lists are options that are
given several times. A command with `--format json` returns its answer as dictionaries and lists, any other one its text; attribute `notices`
of either has what the program said besides. `CommandError` has the exit code and the message. Each command is a process of its own.

`help(commands.simulate)` shows the options: they are those that the program itself declares.
"""

import inspect
import json
import keyword
import subprocess
import sys
from types import SimpleNamespace
from typing import Any, Callable

from ._dfrsim import declaration as _declaration
from ._dfrsim import words as _words


class CommandError(RuntimeError):
    """A command failed: `exit_code` is 1 if its result is a failure, 2 for wrong input."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class Answer(dict):
    """The answer of a command. `notices`: what it said besides."""

    notices: str = ""


class Text(str):
    """The text of a command. `notices`: what it said besides."""

    notices: str = ""


def _python_name(name: str) -> str:
    name = name.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def _run(words: list[str], is_json: bool) -> Answer | Text:
    words = [sys.executable, "-m", "dfrsim", *words]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8")
    if done.returncode:
        said = done.stderr.strip().removeprefix("error: ")
        raise CommandError(said or f"exit code {done.returncode}", done.returncode)
    answer = Answer(json.loads(done.stdout)) if is_json else Text(done.stdout)
    answer.notices = done.stderr
    return answer


def _function(command: dict[str, Any]) -> Callable[..., Answer | Text]:
    words, arguments = command["words"], command["arguments"]
    places = [it for it in arguments if it["position"]]
    options = {_python_name(it["name"]): it for it in arguments if not it["position"]}
    has_json = "json" in options.get("format", {}).get("values", ())
    named = {_python_name(it["name"]): it for it in places}

    def call(*values: Any, **keywords: Any) -> Answer | Text:
        given = signature.bind(*values, **keywords).arguments
        tail: list[str] = []
        for name, place in named.items():
            value = given.pop(name, None)
            several = value if place["many"] and isinstance(value, (list, tuple)) else [value]
            tail += [str(one) for one in several if one is not None]
        if has_json:
            given.setdefault("format", "json")
        own = {options[name]["name"]: value for name, value in given.items()}
        is_json = own.get("format") == "json"
        return _run([*words, *_words(**own), *(["--", *tail] if tail else [])], is_json)

    kinds = inspect.Parameter
    parameters = [kinds(name, kinds.POSITIONAL_OR_KEYWORD, default=kinds.empty if it["required"] else None) for name, it in named.items()]
    # A position that may be left out is before no other.
    parameters.sort(key=lambda it: it.default is None)
    parameters += [kinds(name, kinds.KEYWORD_ONLY, default=kinds.empty if it["required"] else None) for name, it in options.items()]
    signature = inspect.Signature(parameters)
    lines = [command["long"] or command["about"] or "", ""]
    for name, it in {**named, **options}.items():
        default = f" (default: {it['default']})" if it["default"] and not it["flag"] else ""
        lines.append(f"{name}: {it['help'] or ''}{default}")
    call.__name__, call.__qualname__ = _python_name(words[-1]), ".".join(map(_python_name, words))
    call.__module__, call.__doc__ = __name__, "\n".join(lines)
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


def _all() -> None:
    for command in json.loads(_declaration()):
        *groups, last = map(_python_name, command["words"])
        place: Any = sys.modules[__name__]
        for group in groups:
            if not hasattr(place, group):
                setattr(place, group, SimpleNamespace())
            place = getattr(place, group)
        setattr(place, last, _function(command))


_all()
