# SPDX-License-Identifier: LGPL-2.1-or-later
"""Run all tests, with output in TAP: python3 -m tests, in the folder above this one."""

import pathlib
import sys
import unittest
from types import TracebackType

_Error = (
    tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]
)


class TapResult(unittest.TestResult):
    """Prints one line for each test."""

    def _say(self, result: str, test: unittest.TestCase, remark: str = "") -> None:
        name = test.id().removeprefix("tests.")
        print(f"{result} {self.testsRun} - python: {name}{remark}", flush=True)

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        self._say("ok", test)

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        self._say("ok", test, f" # SKIP {reason}")

    def addFailure(self, test: unittest.TestCase, err: _Error) -> None:
        super().addFailure(test, err)
        self._fail(test, self.failures[-1][1])

    def addError(self, test: unittest.TestCase, err: _Error) -> None:
        super().addError(test, err)
        self._fail(test, self.errors[-1][1])

    def _fail(self, test: unittest.TestCase, why: str) -> None:
        self._say("not ok", test)
        for line in why.splitlines():
            print(f"# {line}")


def main() -> int:
    """Run the tests. Returns the exit status: 1 if a test failed, or if there was no test."""
    here = pathlib.Path(__file__).parent
    suite = unittest.defaultTestLoader.discover(str(here), "*_test.py", str(here.parent))
    result = TapResult()
    suite.run(result)
    print(f"1..{result.testsRun}")
    return 0 if result.wasSuccessful() and result.testsRun else 1


sys.exit(main())
