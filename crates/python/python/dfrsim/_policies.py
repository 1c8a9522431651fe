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
        return hashlib.sha256(inspect.getsource(kind).encode()).hexdigest()[:16]
    except (OSError, TypeError) as error:
        raise ValueError(f"the text of {kind!r} is not at hand: give it an attribute version") from error
