# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests without the kernel module; most of them also do without the library."""
