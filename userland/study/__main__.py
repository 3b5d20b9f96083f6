# SPDX-License-Identifier: GPL-2.0-or-later
"""python3 FOLDER TOOL ARGUMENT...: how installed tools start their studies.

Python finds the package beside this file, wherever the folder is installed, and without an
environment variable that would also reach the programs which studies run.
"""

import sys

from pmctrack_study.__main__ import main

sys.exit(main(sys.argv[1:]))
