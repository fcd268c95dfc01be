#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks the spelling of every file that people read, by codespell: check-spelling.py [ROOT]. Words that it is wrong about stand in
words.txt beside this file. Ends with 77, skipped, where codespell or the list of files is missing."""

import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
READ = ('.c', '.h', '.inc', '.in', '.md', '.py', '.js', '.vala', '.build', '.txt', '.glsl', '.html')
NAMED = ('quickstart', 'NEWS', '.ci/run', 'Containerfile', 'tools/coverage', 'tools/format')
NOT = ('LICENSES/', 'docs/results/', 'tests/tree/words.txt')


def list_files(root):
    try:
        out = subprocess.run(['git', '-C', root, 'ls-files', '-z'], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        return []
    names = out.stdout.decode().split('\0')
    return [name for name in names if (name.endswith(READ) or name in NAMED) and not name.startswith(NOT) and os.path.exists(os.path.join(root, name))]


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, '..', '..')
    files = list_files(root)
    if not files or shutil.which('codespell') is None:
        print('codespell, or git, is missing')
        return 77
    result = subprocess.run(['codespell', '--ignore-words', os.path.join(HERE, 'words.txt'), '--'] + files, cwd=root)
    return 1 if result.returncode else 0


if __name__ == '__main__':
    sys.exit(main())
