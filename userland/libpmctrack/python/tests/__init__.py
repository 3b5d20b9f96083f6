# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests that need neither the kernel module nor, mostly, the library."""
