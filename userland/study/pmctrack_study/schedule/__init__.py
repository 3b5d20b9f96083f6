# SPDX-License-Identifier: GPL-2.0-or-later
"""Policies for asymmetric machines: mixes of programs, and what each policy makes of them."""
