# SPDX-License-Identifier: GPL-2.0-or-later
"""Miss-rate curves of programs, measured while they run (paper on PMCTrack, section 4.3.1)."""
