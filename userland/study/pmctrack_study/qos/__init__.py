# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures of what qosd decided."""
