#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""long_prose.py FILE…: prose has at most 100 columns a line.

Prose is the comments of C, Python, shell and make, and the text of Markdown. Tables, code and
addresses (URLs) are no prose.

Prints what is wrong, and nothing if all is well.
"""

import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

COLUMNS = 100
TAB = 8
URL = re.compile(r"<?https?://\S+")
# A comment of C, or what can look like one: a string, a character.
C_TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
# The first "#" that begins a word outside of quotes.
SHELL_COMMENT = re.compile(r"""^(?:[^'"#\\]|\\.|'[^']*'|"(?:\\.|[^"\\])*"|(?<=\S)#)*?(?<!\S)#.*""")

# Line numbers, with the text of the line up to the end of its prose.
Prose = Iterator[tuple[int, str]]


def c_prose(text: str) -> Prose:
    """Comments of C."""
    lines = text.split("\n")
    for token in C_TOKEN.finditer(text):
        if not token[0].startswith("/"):
            continue
        first = text.count("\n", 0, token.start())
        parts = token[0].split("\n")
        for number, part in enumerate(parts, first):
            # After a comment that ends in this line, there may be code.
            line = lines[number]
            if number == first + len(parts) - 1:
                start = token.start() - (text.rfind("\n", 0, token.start()) + 1)
                line = line[: len(part) + (start if len(parts) == 1 else 0)]
            yield number + 1, line


def shell_prose(text: str) -> Prose:
    """Comments of shell and make."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("#") or SHELL_COMMENT.match(line):
            yield number, line


def python_prose(text: str) -> Prose:
    """Comments and docstrings of Python."""
    lines = text.split("\n")
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], lines[token.start[0] - 1]
            continue
        statement = before in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        if token.type == tokenize.STRING and statement:
            for number in range(token.start[0], token.end[0] + 1):
                yield number, lines[number - 1]
        if token.type != tokenize.NL:
            before = token.type


def markdown_prose(text: str) -> Prose:
    """Text of Markdown that is neither code nor a table."""
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        mark = re.match(r"\s*(?:[-*+] +|\d+\. +)?(```+|~~~+)", line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence and not line.lstrip().startswith("|"):
            yield number, line


def prose_of(path: Path) -> Prose:
    """The prose of a file, by the kind of the file."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix in (".c", ".h"):
        return c_prose(text)
    if path.suffix == ".md":
        return markdown_prose(text)
    first = text.partition("\n")[0]
    if path.suffix == ".py" or re.match("#!.*python", first):
        return python_prose(text)
    shell = path.suffix in (".sh", ".mk") or re.match(r"#!.*\b(ba)?sh\b", first)
    if shell or path.name in ("Makefile", "Kbuild"):
        return shell_prose(text)
    return iter(())


def long_lines(path: Path) -> list[str]:
    """Return a message for each line that is too long."""
    found = {}
    for number, line in prose_of(path):
        columns = len(URL.sub("", line).rstrip().expandtabs(TAB))
        if columns > COLUMNS:
            found[number] = f"{path}:{number}: {columns} columns of prose"
    return list(found.values())


def main() -> None:
    """Print what is wrong."""
    if len(sys.argv) < 2:
        sys.exit("usage: long_prose.py FILE…")
    for name in sys.argv[1:]:
        # A file that git knows may be gone already.
        if Path(name).is_file():
            for line in long_lines(Path(name)):
                print(line)


if __name__ == "__main__":
    main()
