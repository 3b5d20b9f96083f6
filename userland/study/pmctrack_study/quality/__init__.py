# SPDX-License-Identifier: GPL-2.0-or-later
"""Quality Time: plots of what tests/experiments/pmctrack/{quality,placer} wrote."""
