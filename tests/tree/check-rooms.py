#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks the order of the library's rooms, which are its folders: a file includes headers of its own room and of rooms below.

check-rooms.py [ROOT]

A header that is installed is included by its name, as is one of the same folder; any other by its path from the root. Each room stands
below those that come after it in the list. Ends with 1 where an include breaks this, or a folder is missing in the list or has more than
50 files."""

import collections
import os
import re
import sys

# From the bottom to the top. Folders in one line are one room.
ROOMS = [
    ['acc-core/base'],
    ['acc-core/expr'],
    ['acc-core/data'],
    ['acc-core/array'],
    ['acc-core/derived', 'acc-core/derived/fft', 'acc-core/derived/regions'],
    ['acc-core/text'],
    ['acc-core/backend'],
    ['acc-seq/lift'],
    ['acc-seq/nested'],
    ['acc-seq/stream', 'acc-seq/stream/external', 'acc-seq/stream/ledger', 'acc-seq/stream/windows'],
    ['acc-io'],
    ['acc-seq/sequence', 'acc-seq/sequence/producers'],
    ['acc'],
    ['acc-backends/ir', 'acc-backends/ir/math'],
    ['acc-backends/passes'],
    ['acc-backends/schedule'],
    ['acc-backends/fuse'],
    ['acc-backends/lower'],
    ['acc-backends/skeletons'],
    ['acc-backends/skeletons/cpu'],
    ['acc-backends/skeletons/simt'],
    ['acc-backends'],
    ['acc-backends/codegen/llvm'],
    ['acc-backends/codegen/c'],
    ['acc-backends/codegen/stablehlo'],
    ['acc-backends/runtime/device'],
    ['acc-backends/runtime/threads'],
    ['acc-backends/runtime/code'],
    ['acc-backends/runtime/run'],
    ['acc-backends/runtime/graph'],
    ['acc-backends/interpreter'],
    ['acc-backends/native'],
    ['acc-backends/cuda'],
    ['acc-backends/opencl'],
    ['acc-backends/vulkan'],
    ['acc-backends/xla'],
    ['acc-backends/pjrt'],
    ['acc-backends/tensorflow'],
]
# What rooms do not see although it is below them.
APART = [
    ('acc-backends/', 'acc-seq/'),
    ('acc-backends/', 'acc-io'),
    ('acc-backends/codegen/c', 'acc-backends/codegen/llvm'),
    ('acc-backends/skeletons/simt', 'acc-backends/skeletons/cpu'),
    ('acc-backends/native', 'acc-backends/interpreter'),
    ('acc-backends/cuda', 'acc-backends/native'),
    ('acc-backends/opencl', 'acc-backends/cuda'),
    ('acc-backends/codegen/stablehlo', 'acc-backends/codegen/c'),
    ('acc-backends/codegen/stablehlo', 'acc-backends/codegen/llvm'),
    ('acc-backends/xla', 'acc-backends/interpreter'),
    ('acc-backends/xla', 'acc-backends/native'),
    ('acc-backends/xla', 'acc-backends/cuda'),
    ('acc-backends/xla', 'acc-backends/opencl'),
    ('acc-backends/xla', 'acc-backends/vulkan'),
    ('acc-backends/tensorflow', 'acc-backends/interpreter'),
    ('acc-backends/tensorflow', 'acc-backends/native'),
    ('acc-backends/tensorflow', 'acc-backends/cuda'),
    ('acc-backends/tensorflow', 'acc-backends/opencl'),
    ('acc-backends/tensorflow', 'acc-backends/vulkan'),
    ('acc-backends/tensorflow', 'acc-backends/pjrt'),
    ('acc-backends/pjrt', 'acc-backends/vulkan'),
    ('acc-backends/pjrt', 'acc-backends/opencl'),
    ('acc-backends/pjrt', 'acc-backends/cuda'),
    ('acc-backends/pjrt', 'acc-backends/native'),
    ('acc-backends/pjrt', 'acc-backends/interpreter'),
    ('acc-backends/vulkan', 'acc-backends/opencl'),
]
# The interpreter judges the others: it sees the language alone.
JUDGE, LANGUAGE = 'acc-backends/interpreter', 'acc-core/'
MOST_FILES = 50
GENERATED = {'acc-version.h': 'acc-core/base', 'acc-enum-types.h': 'acc-core/base', 'acc-module-abi.h': 'acc-core/base'}


def list_files(root):
    for top in ('acc', 'acc-core', 'acc-seq', 'acc-io', 'acc-backends'):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith(('.c', '.h', '.inc')):
                    yield os.path.relpath(os.path.join(folder, name), root)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
    level = {folder: i for i, folders in enumerate(ROOMS) for folder in folders}
    paths = list(list_files(root))
    by_name = collections.defaultdict(list)
    for path in paths:
        by_name[os.path.basename(path)].append(path)
    problems = [f'two files are called {name}: {", ".join(found)}' for name, found in by_name.items() if len(found) > 1]
    counts = collections.Counter(os.path.dirname(path) for path in paths)
    problems += [f'{folder} is no room of the list' for folder in counts if folder not in level]
    problems += [f'{folder} has {n} files: more than {MOST_FILES}' for folder, n in counts.items() if n > MOST_FILES]
    problems += [f'{folder} has no file' for folder in level if folder not in counts]

    for path in paths:
        room = os.path.dirname(path)
        text = open(os.path.join(root, path), encoding='utf-8').read()
        for target in re.findall(r'^\s*#\s*include "([^"]+)"', text, re.MULTILINE):
            name, folder = os.path.basename(target), os.path.dirname(target)
            if name in GENERATED:
                continue
            if name not in by_name:
                problems.append(f'{path} includes {target}, which there is not')
                continue
            where = os.path.dirname(by_name[name][0])
            if folder and target != by_name[name][0]:
                problems.append(f'{path} includes {target}, which is {by_name[name][0]}')
            if not folder and where != room and name.endswith('-private.h'):
                problems.append(f'{path} includes {target}, which is of another room, without its path')
            if room not in level or where not in level:
                continue
            if level[where] > level[room]:
                problems.append(f'{path} includes {target}: {where} is above {room}')
            if any(room.startswith(a) and where.startswith(b) for a, b in APART):
                problems.append(f'{path} includes {target}: {room} is to do without {where}')
            if room == JUDGE and not where.startswith((LANGUAGE, JUDGE)):
                problems.append(f'{path} includes {target}: the interpreter shares nothing with what it judges')

    print('\n'.join(problems) or f'{len(paths)} files, {len(ROOMS)} rooms: no include goes up')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
