# SPDX-License-Identifier: LGPL-2.1-or-later
"""Declarations of this package agree with those in C."""

import pathlib
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
from typing import Any

from pmctrack import RecordFlags, RecordKind, __version__, _library
from pmctrack._record import HEADER, Header

LIBRARY = pathlib.Path(__file__).parents[2]
TOP = LIBRARY.parents[1]
HEADER_FILE = LIBRARY / "include/pmctrack/libpmctrack.h"

STRUCTURES: dict[str, Any] = {
    "pmu_info": _library.PmuInfo,
    "event_info": _library.EventInfo,
    "virt_info": _library.VirtInfo,
    "session_opts": _library.SessionOpts,
    "session_stats": _library.SessionStatsInfo,
}

CONSTANTS = {
    "MAX_SETS": _library.MAX_SETS,
    "MAX_CORE_TYPES": _library.MAX_CORE_TYPES,
    "EVSET_STRICT": _library.EVSET_STRICT,
    "SESSION_THREADS": _library.SESSION_THREADS,
    "SESSION_CHILDREN": _library.SESSION_CHILDREN,
    "SESSION_ON_EXEC": _library.SESSION_ON_EXEC,
    "SESSION_SYSTEM": _library.SESSION_SYSTEM,
    **{f"RECORD_{kind.name}": kind.value for kind in RecordKind},
    **{f"RECORD_F_{flag.name}": flag.value for flag in RecordFlags},
}


def expectations() -> dict[str, int]:
    """C expressions, and the values that they have in this package."""
    expected = {f"PMCTRACK_{name}": value for name, value in CONSTANTS.items()}
    for name, structure in STRUCTURES.items():
        # The size is not compared, because the C struct may have more fields.
        for field, *_ in structure._fields_:  # pylint: disable=protected-access
            member = getattr(structure, field)
            expected[f"offsetof(struct pmctrack_{name}, {field})"] = member.offset
            expected[f"sizeof(((struct pmctrack_{name} *)0)->{field})"] = member.size
    expected["sizeof(struct pmctrack_record)"] = HEADER.size
    formats = re.findall(r"[a-zA-Z]", HEADER.format)
    for i, field in enumerate(Header._fields):
        # Native alignment: if a field is the last one, its offset is the end less its size.
        size = struct.calcsize("@" + formats[i])
        end = struct.calcsize("@" + "".join(formats[: i + 1]))
        expected[f"offsetof(struct pmctrack_record, {field})"] = end - size
        expected[f"sizeof(((struct pmctrack_record *)0)->{field})"] = size
    return expected


@unittest.skipUnless(HEADER_FILE.exists(), "not in the source tree")
class AbiTest(unittest.TestCase):
    """The headers, the library and this package agree."""

    @unittest.skipUnless(shutil.which("cc"), "no C compiler")
    def test_layout(self) -> None:
        """Structures and constants are those that a C compiler sees."""
        expected = expectations()
        lines = "".join(f'\tprintf("%ld\\n", (long)({e}));\n' for e in expected)
        program = (
            "#include <stddef.h>\n#include <stdio.h>\n#include <pmctrack/libpmctrack.h>\n"
            f"int main(void)\n{{\n{lines}}}\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            binary = f"{folder}/layout"
            includes = [f"-I{LIBRARY}/include", "-isystem", f"{TOP}/module/include/uapi"]
            subprocess.run(
                ["cc", *includes, "-x", "c", "-", "-o", binary],
                input=program,
                text=True,
                check=True,
            )
            out = subprocess.run([binary], capture_output=True, text=True, check=True).stdout
        self.assertEqual(dict(zip(expected, map(int, out.split()))), expected)

    def test_functions(self) -> None:
        """The functions declared here are in the header, with the same number of arguments."""
        text = re.sub(r"/\*.*?\*/", "", HEADER_FILE.read_text(), flags=re.DOTALL)
        declared = {
            name: 0 if arguments == "void" else re.sub(r"\([^()]*\)", "", arguments).count(",") + 1
            for name, arguments in re.findall(
                r"\b(pmctrack_\w+)\(((?:[^()]|\([^()]*\))*)\);", text
            )
        }
        ours = {name: len(arguments) for name, (_, arguments) in _library.FUNCTIONS.items()}
        self.assertEqual(ours, {name: declared.get(name) for name in ours})

    def test_version(self) -> None:
        """The package has the version of the file VERSION."""
        self.assertEqual(__version__, (TOP / "VERSION").read_text().strip())
