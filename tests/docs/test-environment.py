#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every environment variable that the library reads is told in docs/environment.md, and is read with secure_getenv(), so that it
does not give a user the rights of a process.

test-environment.py SOURCE_DIR"""

import os
import re
import sys

source = sys.argv[1]
with open(os.path.join(source, 'docs/environment.md'), encoding='utf-8') as file:
    page = file.read()

unsafe, read = [], set()
for part in ('acc-core', 'acc-seq', 'acc-io', 'acc-backends', 'tools'):
    for path, _, names in os.walk(os.path.join(source, part)):
        for name in names:
            if name.endswith(('.c', '.h')):
                with open(os.path.join(path, name), encoding='utf-8') as file:
                    text = file.read()
                unsafe += [name] * bool(re.search(r'(?<!secure_)\b(g_)?(getenv|get_environ)\b', text))
                read |= set(re.findall(r'"(ACC_[A-Z_]+)"', ''.join(re.findall(r'(?:secure_getenv|parse_keys) \([^)]*', text))))

untold = [variable for variable in sorted(read) if '`%s`' % variable not in page]
print('1..3')
print('%sok 1 all are read with secure_getenv()' % ('not ' if unsafe else ''))
print('# ' + ' '.join(unsafe))
print('%sok 2 all are told' % ('not ' if untold else ''))
print('# ' + ' '.join(untold))
print('%sok 3 they are found' % ('not ' if len(read) < 10 else ''))
print('# ' + ' '.join(sorted(read)))
sys.exit(bool(unsafe or untold or len(read) < 10))
