# SPDX-License-Identifier: GPL-2.0-or-later
"""showstopper report and showstopper study, see showstopper-study(1)."""
