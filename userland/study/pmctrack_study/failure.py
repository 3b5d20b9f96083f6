# SPDX-License-Identifier: GPL-2.0-or-later
"""Errors for people."""


class Failure(Exception):
    """Something that its user can understand, and mend. The text is one line."""
