# SPDX-License-Identifier: GPL-2.0-or-later
"""The configurations that the paper compares, as options."""

METHODS: dict[str, list[str]] = {
    "pi/even": [],
    "pi/uneven": ["-s", "uneven"],
    "geom/even": ["-m", "geom"],
    "geom/uneven": ["-m", "geom", "-s", "uneven"],
    "cdc": ["-m", "cdc"],
    "1cdc": ["-m", "1cdc"],
    "nbench": ["-m", "nbench"],
}
CONTROLLED = ["pi/even", "pi/uneven", "geom/even", "geom/uneven"]
