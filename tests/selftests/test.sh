#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test.sh FILE NAME: one guest test, for run.sh. SIGUSR1 tells it that it hangs.
set -eE
trap 'echo "# line $LINENO: $BASH_COMMAND"' ERR
trap 'echo "# hangs in ${FUNCNAME[*]}: $BASH_COMMAND"; exit 1' USR1
. ./lib.sh
# shellcheck source=/dev/null
. "$1"
"$2"
idle
