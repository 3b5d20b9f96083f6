# SPDX-License-Identifier: LGPL-2.1-or-later
"""The version, which is that of PMCTrack (a test compares it with the file VERSION)."""

__version__ = "0.1.0"
