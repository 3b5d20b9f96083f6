#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""prefixes.py TABLE FOLDER=OBJECTS…: global names have the prefix that their folder says.

FOLDER is a folder of sources, OBJECTS the folder in which its files were built, likewise named.
Each line of TABLE has the path of a folder, or of a file without ".c", and what names of global
functions and data there may be. The line with the longest path counts.

	word_	all names that begin so
	FILE	the name of the file, alone or followed by "_" and more
	word	this name

"#" begins a comment. Names that begin with "__" are made by macros and the compiler. Objects of
tests, and those without a source of their own, are left out. Prints what is wrong, and nothing if
all is well; exit status 0 in both cases, because the caller looks at the output.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from layers import read_object


def read_table(path: Path) -> dict[str, list[str]]:
    """Return the names of each path of the table."""
    table = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        where, *names = line.partition("#")[0].split() or [""]
        if where:
            table[where] = names
    return table


def names_of(table: dict[str, list[str]], source: Path) -> list[str] | None:
    """Return what names may be in a source file; None: the table does not say."""
    for path in (source, *source.parents):
        if str(path) in table:
            return table[str(path)]
    return None


def fits(symbol: str, names: list[str], stem: str) -> bool:
    """Is the symbol one of these names?"""
    if symbol.startswith("__"):
        return True
    for name in names:
        if name == "FILE":
            if symbol == stem or symbol.startswith(stem + "_"):
                return True
        elif symbol == name or (name.endswith("_") and symbol.startswith(name)):
            return True
    return False


def check(table: dict[str, list[str]], folder: Path, objects: Path) -> Iterator[str]:
    """Yield what is wrong with the objects of a folder."""
    for path in sorted(objects.rglob("*.o")):
        source = folder / path.relative_to(objects).with_suffix("")
        if "tests" in source.parts or not source.with_suffix(".c").exists():
            continue
        names = names_of(table, source)
        if names is None:
            yield f"{source}.c: no line of the table is for it"
            continue
        found = read_object(path)
        for symbol in sorted(found.defined | found.weak):
            if not fits(symbol, names, source.name):
                yield f"{source}.c: {symbol} does not begin with any of: {' '.join(names)}"


def main() -> None:
    """Print what is wrong."""
    if len(sys.argv) < 3 or not all("=" in arg for arg in sys.argv[2:]):
        sys.exit("usage: prefixes.py TABLE FOLDER=OBJECTS…")
    table = read_table(Path(sys.argv[1]))
    wrong = {
        line
        for arg in sys.argv[2:]
        for line in check(table, *map(Path, arg.split("=", 1)))
    }
    print(*sorted(wrong), sep="\n", end="\n" if wrong else "")


if __name__ == "__main__":
    main()
