# SPDX-License-Identifier: GPL-2.0-or-later
"""Fair-progress scheduling: what the experiment `fair` found."""
