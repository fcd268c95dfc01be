# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the folder below a prefix in which this Python looks for overrides of introspected libraries: where.py PREFIX"""

import os
import site
import sys
import sysconfig

prefix = sys.argv[1]
folders = site.getsitepackages() + ([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])
# /usr has /usr/local below it, which is a prefix of its own.
own = [folder for folder in folders if os.path.relpath(folder, prefix).startswith('lib')]
folder = own[0] if own else sysconfig.get_path('purelib', 'posix_prefix', {'base': prefix})
print(os.path.join(folder, 'gi', 'overrides'))
