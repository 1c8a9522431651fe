"""The program `dfrsim`: all of its commands, and policies `python:FILE.py:CLASS`."""

import sys

from ._dfrsim import main as _main


def main() -> None:
    """Runs the program with the arguments of the process."""
    sys.exit(_main(sys.argv[1:]))


if __name__ == "__main__":
    main()
