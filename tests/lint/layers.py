#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""layers.py LIST FOLDER…: check the layers of C files against the symbols of their objects.

LIST has the names of files without ".c", lowest first. Files on one line are on the same level.
"#" begins a comment. A file may use functions and data only of files on earlier lines.

Each FOLDER has the objects (FILE.o) of one build. A file that only some builds need may be
missing in the others. Prints what is wrong, and nothing if all is well; exit status 0 in both
cases, because the caller looks at the output.
"""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Object:
    """The global symbols of an object."""

    defined: set[str] = field(default_factory=set)
    weak: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)


def read_levels(path: Path) -> tuple[dict[str, int], list[str]]:
    """Return the level of each file of the list, and the names that are in it twice."""
    levels: dict[str, int] = {}
    twice = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        for name in line.partition("#")[0].split():
            if name in levels:
                twice.append(name)
            levels[name] = number
    return levels, twice


def read_object(path: Path) -> Object:
    """Read the symbols of an object, of any architecture."""
    found = Object()
    text = subprocess.run(
        ["nm", "--portability", path], check=True, capture_output=True, text=True
    ).stdout
    for line in text.splitlines():
        symbol, kind = line.split()[:2]
        if kind in "Uwv":
            found.used.add(symbol)
        elif kind in "WV":
            found.weak.add(symbol)
        elif kind.isupper():
            found.defined.add(symbol)
    return found


def definitions(objects: dict[str, Object]) -> dict[str, str]:
    """Return the file that defines each symbol. Weak definitions give way to others."""
    where = {}
    for name, found in sorted(objects.items()):
        where.update({symbol: name for symbol in found.weak})
    for name, found in sorted(objects.items()):
        where.update({symbol: name for symbol in found.defined})
    return where


def wrong_uses(objects: dict[str, Object], levels: dict[str, int]) -> Iterator[str]:
    """Yield each use of a symbol of a file that is not below."""
    where = definitions(objects)
    for name, found in objects.items():
        for symbol in found.used:
            other = where.get(symbol, name)
            if other == name or name not in levels or other not in levels:
                continue
            if levels[other] > levels[name]:
                yield f"{name}.c uses {symbol} of {other}.c, which is above it"
            elif levels[other] == levels[name]:
                yield f"{name}.c uses {symbol} of {other}.c, which is on the same level"


def check(path: Path, folders: list[Path]) -> list[str]:
    """Return what is wrong."""
    levels, twice = read_levels(path)
    wrong = {f"{name} is twice in {path}" for name in twice}
    built: set[str] = set()
    for folder in folders:
        objects = {file.stem: read_object(file) for file in folder.glob("*.o")}
        built |= objects.keys()
        wrong |= set(wrong_uses(objects, levels))
    wrong |= {f"{name}.c is not in {path}" for name in built - levels.keys()}
    wrong |= {f"{name} is in {path}, but there is no {name}.o" for name in levels.keys() - built}
    return sorted(wrong)


def main() -> None:
    """Print what is wrong."""
    if len(sys.argv) < 3:
        sys.exit("usage: layers.py LIST FOLDER…")
    for line in check(Path(sys.argv[1]), [Path(folder) for folder in sys.argv[2:]]):
        print(line)


if __name__ == "__main__":
    main()
