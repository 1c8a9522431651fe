"""Which functions do the Python scripts share? They import this module from `lib`.

Needs Python 3.10.
"""
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def program():
    """The path of dfrsim: the variable DFRSIM, the release build, or a program in the PATH; None if there is none."""
    named = os.environ.get("DFRSIM")
    built = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release" / "dfrsim"
    found = shutil.which(named) if named else str(built) if built.exists() else shutil.which("dfrsim")
    return found and str(Path(found).resolve())


def dfrsim(*arguments, check=True, **options):
    """Runs dfrsim and captures what it prints."""
    path = program() or sys.exit("no dfrsim: set DFRSIM, or run `cargo build --release`")
    return subprocess.run([path, *map(str, arguments)], check=check, capture_output=True, text=True, **options)


def used_by_children():
    """The processor time, in seconds, of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def skip(reason):
    """Ends the script successfully because something is missing on this machine."""
    print(f"{script()}: skipped: {reason}")
    sys.exit(0)


def script():
    """The name of the running script for messages, such as `compare/plans`."""
    path = Path(sys.argv[0]).resolve()
    return f"{path.parent.name}/{path.name}"


def heading(columns, alignments):
    """The first two lines of a table in Markdown; the alignments are `l` or `r`, one for each column."""
    return f"{row(columns)}\n|" + "|".join({"l": "---", "r": "--:"}[each] for each in alignments) + "|"


def row(cells):
    """A line of a table in Markdown; an empty cell is one space."""
    return "|" + "|".join(f" {cell} " if str(cell) else " " for cell in cells) + "|"


def print_heading(columns, alignments):
    """Prints the first two lines of a table in Markdown."""
    print(heading(columns, alignments))


def print_row(cells):
    """Prints a line of a table in Markdown."""
    print(row(cells), flush=True)
