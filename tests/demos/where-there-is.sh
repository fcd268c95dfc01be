#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# where-there-is.sh ACC BACKEND COMMAND...: runs the command; says that the test is skipped where the machine has no such backend.
acc=$1 backend=$2
shift 2
"$acc" list | grep "^$backend[: ]" | grep -qv " absent: " || exit 77
exec "$@"
