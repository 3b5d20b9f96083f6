# SPDX-License-Identifier: GPL-2.0-or-later
"""phasedb: what the monitoring module fair_progress has learnt of programs, kept."""
