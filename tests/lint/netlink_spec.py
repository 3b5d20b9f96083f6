#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The netlink spec and the uapi header must say the same; prints differences."""
import importlib
import re
import sys
from typing import Any

yaml: Any = importlib.import_module("yaml")  # Debian has no types of it

SPEC = "Documentation/netlink/specs/pmctrack.yaml"
HEADER = "module/include/uapi/linux/pmctrack.h"


def header_enums(text: str) -> list[list[str]]:
    """Names of each anonymous enum of the header, in order."""
    found = []
    for body in re.findall(r"^enum \{\n(.*?)^\};", text, re.S | re.M):
        found.append(re.findall(r"^\t(PMCTRACK_[A-Z_]+)", body, re.M))
    return found


def expected_enums(spec: dict[str, Any]) -> list[list[str]]:
    """What the header's enums must be, by the spec."""
    wanted = []
    for attrs in spec["attribute-sets"]:
        prefix = attrs["name-prefix"]
        wanted.append([(prefix + a["name"]).upper().replace("-", "_") for a in attrs["attributes"]])
    ops = spec["operations"]
    wanted.append([(ops["name-prefix"] + o["name"]).upper().replace("-", "_") for o in ops["list"]])
    return wanted


def main() -> int:
    """Print what differs; the caller looks at that, not at the status."""
    with open(SPEC, encoding="utf-8") as file:
        spec = yaml.safe_load(file)
    with open(HEADER, encoding="utf-8") as file:
        text = file.read()
    have = [[n for n in names if not n.endswith("_MAX")] for names in header_enums(text)]
    want = expected_enums(spec)
    for names in want:
        if names not in have:
            print(f"{HEADER} has no enum with exactly: {', '.join(names)}")
    for flag in spec["definitions"][0]["entries"]:
        name = "PMCTRACK_SESSION_" + flag["name"].upper().replace("-", "_")
        if name not in text:
            print(f"{HEADER} lacks {name}")
    if f'"{spec["name"]}"' not in text:
        print(f"{HEADER} does not name the family {spec['name']}")
    return 0


sys.exit(main())
