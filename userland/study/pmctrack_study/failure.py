# SPDX-License-Identifier: GPL-2.0-or-later
"""Errors that are told to the user."""


class Failure(Exception):
    """An error that the user can understand, and mend. The text is one line."""
