#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Installs acc to a folder, builds a backend module outside of its tree against what was installed, and runs with it.

test-module.py BUILD_DIR SOURCE_DIR PREFIX CC..."""

import os
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


print('1..6')
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

    modules = os.path.join(folder, 'modules')
    os.mkdir(modules)
    code, text = run(compiler + ['-shared', '-fPIC', '-Wall', '-Werror', os.path.join(source, 'tests/module/traced-backend.c'),
                                 '-o', os.path.join(modules, 'libacc-backend-traced.so')] + flags)
    check('compile', code == 0, text)

    backends = os.path.join(library, 'acc-1/backends')
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
