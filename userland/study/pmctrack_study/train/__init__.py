# SPDX-License-Identifier: GPL-2.0-or-later
"""pmctrack-train: models for monitoring modules, from runs on the machine."""
