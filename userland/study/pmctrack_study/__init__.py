# SPDX-License-Identifier: GPL-2.0-or-later
"""Experiments with the tools of this project: runs, statistics, plots and reports.

Modules of this package are general. What belongs to one tool is in a subpackage of its name.
The command is "python3 -m pmctrack_study TOOL ARGUMENT...".
"""
