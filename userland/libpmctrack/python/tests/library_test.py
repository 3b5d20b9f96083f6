# SPDX-License-Identifier: LGPL-2.1-or-later
"""The real library, on a machine without the kernel module."""

import ctypes
import errno
import os
import subprocess
import sys
import unittest
from unittest import mock

import pmctrack
from pmctrack import _library


def missing() -> bool:
    """True if the library is neither installed nor in LD_LIBRARY_PATH."""
    try:
        ctypes.CDLL(_library.SONAME)
    except OSError:
        return True
    return False


class LibraryTest(unittest.TestCase):
    """Errors of the library become exceptions with errno and text."""

    @unittest.skipIf(missing(), "no libpmctrack.so.0 in LD_LIBRARY_PATH")
    def test_loads(self) -> None:
        """The library has all functions."""
        for name in _library.FUNCTIONS:
            self.assertTrue(callable(getattr(_library.lib(), name)), name)

    @unittest.skipIf(missing(), "no libpmctrack.so.0 in LD_LIBRARY_PATH")
    @unittest.skipIf(os.path.exists("/proc/pmc/info"), "the module is loaded")
    def test_no_module(self) -> None:
        """Without the kernel module, the error says how to load it."""
        with self.assertRaises(pmctrack.PmctrackError) as caught:
            pmctrack.Control()
        self.assertEqual(caught.exception.errno, errno.ENOENT)
        self.assertIn("modprobe pmctrack", caught.exception.strerror)
        self.assertIsInstance(caught.exception, OSError)

    def test_no_library(self) -> None:
        """The package can be imported without the library, but not used."""
        program = (
            "import pmctrack\n"
            "from pmctrack import _library\n"
            "_library.SONAME = 'libpmctrack.so.none'\n"
            "try: pmctrack.Control()\n"
            "except pmctrack.PmctrackError as e: print(e.errno, e.strerror)\n"
        )
        run = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        self.assertTrue(run.stdout.startswith(f"{errno.ELIBACC} libpmctrack.so.none: "), run)
        self.assertIn("install PMCTrack", run.stdout)

    def test_old_library(self) -> None:
        """A library without one of the functions is refused."""
        with mock.patch.dict(_library.FUNCTIONS, {"no_such_function": (None, [])}):
            with mock.patch.object(_library, "SONAME", "libc.so.6"):
                with self.assertRaises(pmctrack.PmctrackError) as caught:
                    _library.lib.__wrapped__()
        self.assertEqual(caught.exception.errno, errno.ELIBACC)
        self.assertIn("matching versions", caught.exception.strerror)
