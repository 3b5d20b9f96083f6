# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs for the simulated machine, and what they are like."""
