#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds and runs a project that has acc for a subproject, and asks for it, and for what modules need, as for any dependency.

test-subproject.py SOURCE_DIR"""

import os
import subprocess
import sys
import tempfile

source = sys.argv[1]

MESON = """
project('outer', 'c', default_options: ['c_std=gnu11'])
subproject('acc', default_options: ['tests=false', 'demos=false', 'introspection=disabled', 'vapi=disabled', 'native=disabled',
                                    'cuda=disabled', 'opencl=disabled', 'vulkan=disabled'])
executable('outer', 'outer.c', dependencies: dependency('acc-1', version: '>= 1'))
shared_module('acc-backend-traced', '%s', dependencies: dependency('acc-module-1'))
"""

PROGRAM = """
#include <acc/acc.h>

int
main (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AccBackend) backend = acc_backend_new_for_name ("traced", &error);
  g_autoptr (AccShape) shape = acc_shape_new_vector (3);
  g_autoptr (AccArray) twos = acc_array_fill (shape, acc_expr_new_int (2)), sum = acc_array_sum_all (twos), result = NULL;

  if (backend != NULL)
    result = acc_backend_run (backend, sum, NULL, &error);
  if (result == NULL)
    {
      g_printerr ("%s\\n", error->message);
      return 1;
    }
  return acc_array_get_int (result, 0, 0) != 6;
}
"""


def write(path, text):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


print('1..3')
failed = False
with tempfile.TemporaryDirectory() as folder:
    os.mkdir(os.path.join(folder, 'subprojects'))
    os.symlink(source, os.path.join(folder, 'subprojects/acc'))
    os.symlink(os.path.join(source, 'tests/module/traced-backend.c'), os.path.join(folder, 'traced-backend.c'))
    write(os.path.join(folder, 'meson.build'), MESON % 'traced-backend.c')
    write(os.path.join(folder, 'outer.c'), PROGRAM)
    build = os.path.join(folder, 'build')
    environment = {key: value for key, value in os.environ.items() if key != 'G_DEBUG'}
    environment['ACC_BACKENDS_DIR'] = build
    steps = [['meson', 'setup', build, folder], ['ninja', '-C', build, 'outer', 'libacc-backend-traced.so'], [os.path.join(build, 'outer')]]
    for number, (name, step) in enumerate(zip(['configure', 'build', 'run'], steps), 1):
        done = failed or subprocess.run(step, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
        good = not failed and done.returncode == 0
        print(f'{"ok" if good else "not ok"} {number} {name}')
        if not good and not failed:
            print('\n'.join('# ' + line for line in done.stdout.decode().splitlines()[-40:]))
        failed = failed or not good
sys.exit(failed)
