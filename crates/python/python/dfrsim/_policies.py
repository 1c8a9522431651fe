"""Policies of files, for names such as `python:FILE.py:CLASS`."""

import hashlib
import importlib.util
import inspect
from pathlib import Path
from typing import Any


def load(file: str, name: str) -> tuple[Any, str]:
    """A class of a file, and the version of its decisions: a digest of the file."""
    path = Path(file)
    version = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    spec = importlib.util.spec_from_file_location(f"_dfrsim_{path.stem}_{version}", path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not hasattr(module, name):
        raise ValueError(f"{file} has no {name}")
    return getattr(module, name), f"{file} {version}"


def version(maker: Any) -> str:
    """A digest of the text of a class or function, or its attribute `version`."""
    if hasattr(maker, "version"):
        return str(maker.version)
    kind = maker if isinstance(maker, type) or inspect.isroutine(maker) else type(maker)
    try:
        text = inspect.getsource(kind).encode()
    except (OSError, TypeError):
        # Before Python 3.13 the text of a notebook's class cannot be found.
        text = repr([_code(kind)] if inspect.isroutine(kind) else [(name, _code(it)) for name, it in sorted(vars(kind).items())]).encode()
    return hashlib.sha256(text).hexdigest()[:16]


def _code(value: Any) -> Any:
    """What a function was compiled to, without the place of its text; of anything else, its text if that is the same in each process."""
    code = getattr(value, "__code__", value)
    if inspect.iscode(code):
        return code.co_code, code.co_names, [_code(constant) for constant in code.co_consts]
    return repr(code) if isinstance(code, (int, float, str, bool, tuple, type(None))) else type(code).__name__
