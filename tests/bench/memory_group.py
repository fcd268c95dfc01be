# SPDX-License-Identifier: LGPL-2.1-or-later
"""A memory cgroup for the processes that a benchmark starts, page cache included."""

import os

GROUP = f'/sys/fs/cgroup/memory/acc-bench-{os.getpid()}'


def make(mib):
    """Returns whether there is one now."""
    try:
        os.makedirs(GROUP, exist_ok=True)
        with open(os.path.join(GROUP, 'memory.limit_in_bytes'), 'w') as file:
            file.write(str(mib << 20))
    except OSError:
        return False
    return True


def enter():
    """In a child, before it becomes what is measured."""
    if os.path.isdir(GROUP):
        with open(os.path.join(GROUP, 'cgroup.procs'), 'w') as file:
            file.write(str(os.getpid()))


def remove():
    if os.path.isdir(GROUP):
        os.rmdir(GROUP)
