#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Installs acc to a folder, looks at the headers there and at what the library exports, builds a backend module outside of its tree
against what was installed, and runs with it.

test-module.py BUILD_DIR SOURCE_DIR PREFIX CC..."""

import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile

build, source, prefix, compiler = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
number, failed = 0, 0


def check(name, good, detail=''):
    global number, failed
    number += 1
    failed += not good
    print('%s %d %s' % ('ok' if good else 'not ok', number, name))
    if not good:
        print('\n'.join('# ' + line for line in detail.splitlines()))
    return good


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    return done.returncode, done.stdout.decode()


# Modules define it.
OF_MODULES = {'acc_backend_module_get_type', 'acc_backend_module_get_abi'}


def declared(headers, flags):
    """Functions that the headers say are exported."""
    lines = ''.join(f'#include <acc/{os.path.basename(header)}>\n' for header in headers)
    code, text = run(compiler + ['-E', '-P', '-x', 'c', '-'] + flags, input=lines.encode())
    found = re.findall(r'__attribute__ \(\(visibility \("default"\)\)\)([^;{]*)', text)
    names = {re.search(r'(\w+)\s*\(', declaration)[1] for declaration in found}
    return code, {name for name in names if name.startswith('acc_')}


def exported(library):
    code, text = run(['nm', '-D', '--defined-only', library])
    return code, {line.split()[-1] for line in text.splitlines()}


def undocumented(header):
    """Functions for modules that no comment stands before."""
    with open(header, encoding='utf-8') as file:
        lines = file.read().splitlines()
    return [lines[i + 1] for i, line in enumerate(lines) if line == 'ACC_MODULE_API' and not lines[i - 1].endswith('*/')]


print('1..11')
with tempfile.TemporaryDirectory() as folder:
    root = os.path.join(folder, 'root')
    quiet = {key: value for key, value in os.environ.items() if key not in ('LD_LIBRARY_PATH', 'G_DEBUG')}
    code, text = run(['meson', 'install', '-C', build, '--no-rebuild', '--quiet', '--destdir', root], env=quiet)
    check('install', code == 0, text)

    libraries = [os.path.join(path, name) for path, _, names in os.walk(root) for name in names if name == 'acc-module-1.pc']
    check('acc-module-1.pc', len(libraries) == 1, str(libraries))
    # A staged install: its own flags are looked for below the stage, those of other packages where they are.
    installed = root + prefix
    library = os.path.dirname(os.path.dirname(libraries[0]))
    environment = dict(quiet, PKG_CONFIG_PATH=os.path.dirname(libraries[0]))
    code, flags = run(['pkg-config', '--cflags', '--libs', 'acc-module-1'], env=environment)
    check('pkg-config', code == 0, flags)
    flags = [flag.replace(prefix, installed) if 'acc-1' in flag else flag for flag in shlex.split(flags)] + ['-L' + library]

    headers = sorted(glob.glob(os.path.join(root, '**/acc-1/acc/*.h'), recursive=True))
    private = [header for header in headers if header.endswith('-private.h')]
    check('no private headers', len(headers) > 30 and not private, str(private))

    code, text = declared(headers, flags), exported(os.path.join(library, 'libacc-1.so'))
    given, there = code[1] - OF_MODULES, text[1]
    check('exported is what is declared', code[0] == text[0] == 0 and len(given) > 500 and given == there,
          f'declared only: {sorted(given - there)}\nexported only: {sorted(there - given)}')

    # Each by itself, in strict C, whatever comes before it.
    bad = []
    for header in headers:
        code, text = run(compiler + ['-fsyntax-only', '-Wall', '-Wextra', '-Wno-unused-parameter', '-Werror', '-x', 'c', '-'] + flags,
                         input=f'#include <acc/{os.path.basename(header)}>\n'.encode())
        if code != 0:
            bad.append(text)
    check('headers stand alone', not bad, '\n'.join(bad))

    lacking = [f'{os.path.basename(header)}: {line}' for header in headers if 'acc-module' in header for line in undocumented(header)]
    check('functions for modules are documented', sum('acc-module' in header for header in headers) > 1 and not lacking, '\n'.join(lacking))

    modules = os.path.join(folder, 'modules')
    os.mkdir(modules)
    code, text = run(compiler + ['-shared', '-fPIC', '-Wall', '-Werror', os.path.join(source, 'tests/module/traced-backend.c'),
                                 '-o', os.path.join(modules, 'libacc-backend-traced.so')] + flags)
    check('compile', code == 0, text)

    # Whatever devices there are: all that they want of the library is found.
    backends = os.path.join(library, 'acc-1/backends')
    own = glob.glob(os.path.join(backends, '*.so')) + [os.path.join(modules, 'libacc-backend-traced.so')]
    load = 'import ctypes, os, sys; [ctypes.CDLL(path, os.RTLD_NOW) for path in sys.argv[1:]]'
    code, text = run([sys.executable, '-c', load] + own, env=dict(quiet, LD_LIBRARY_PATH=library))
    check('modules load', code == 0, text)

    environment = dict(quiet, LD_LIBRARY_PATH=library, ACC_BACKENDS_DIR=modules + ':' + backends, ACC_CACHE_DIR=os.path.join(folder, 'cache'))
    tool = os.path.join(installed, 'bin/acc')
    code, text = run([tool, 'list'], env=environment)
    check('list', code == 0 and 'traces interpreter' in text, text)

    given = os.path.join(folder, 'x.npy')
    header = "{'descr': '|u1', 'fortran_order': False, 'shape': (8, 8), }".ljust(117) + '\n'
    with open(given, 'wb') as file:
        file.write(b'\x93NUMPY\x01\x00' + len(header).to_bytes(2, 'little') + header.encode() + bytes(range(64)))
    result = os.path.join(folder, 'y.npy')
    code, text = run([tool, 'run', os.path.join(source, 'tests/module/double.acc'), result, given], env=dict(environment, ACC_BACKEND='traced'))
    good = code == 0 and 'traced: run' in text and open(result, 'rb').read()[-64:] == bytes(2 * i for i in range(64))
    check('run', good, text)
sys.exit(failed > 0)
