# SPDX-License-Identifier: LGPL-2.1-or-later
"""Installs acc to a folder and uses it from outside, as the programs of others do: test-installed.py BUILD_DIR PREFIX VERSION"""

import os
import shutil
import site
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

build, prefix, version = sys.argv[1:]
number, failed = 0, 0

PYTHON = """
import gi
gi.require_version('Acc', '1')
from gi.repository import Acc
assert Acc.use([1, 2]).dtype == 'i8' and list(Acc.use([1, 2]) == [1, 3]) == [True, False]
"""
JAVASCRIPT = """
imports.gi.versions.Acc = '1';
const {Acc} = imports.gi;
if ([...Acc.use(new Int32Array([1, 2])).map(x => x.add(x))].join() !== '2,4')
    throw new Error('wrong');
"""
VALA = """
int main () {
    try {
        var xs = Acc.Array.generate (new Acc.Shape.vector (4), (i) => i.mul (i));
        var sum = xs.zip_with4 (xs, xs, xs, (a, b, c, d) => a.add (b).add (c.sub (d))).sum ();
        return (int) Acc.Backend.get_default ().run (sum, null).get_int (0, 0) - 28;
    } catch (Error e) {
        stderr.printf ("%s\\n", e.message);
        return 1;
    }
}
"""
MESON = """
project('outside', 'vala', 'c')
executable('outside', 'outside.vala', dependencies: [dependency('gobject-2.0'), dependency('gio-2.0'), dependency('acc-1')])
"""


def check(name, good, detail=''):
    global number, failed
    number += 1
    failed += not good
    print('%s %d %s' % ('ok' if good else 'not ok', number, name))
    if not good:
        print('\n'.join('# ' + line for line in detail.splitlines()))
    return good


def skip(name, reason):
    global number
    number += 1
    print('ok %d %s # SKIP %s' % (number, name, reason))


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    return done.returncode, done.stdout.decode()


def find(root, name):
    return next((os.path.join(path, name) for path, _, names in os.walk(root) if name in names), None)


def write(path, text):
    with open(path, 'w') as file:
        file.write(text)
    return path


def check_versions(gir):
    of_files = {'repository', 'include', 'package', 'namespace'}
    versions = {element.get('version') for element in ElementTree.parse(gir).iter() if element.tag.split('}')[-1] not in of_files} - {None}
    numbers = lambda text: [int(part) for part in text.split('.')]
    later = [since for since in versions if numbers(since) > numbers(version)]
    # What says nothing is there since the first version.
    check('symbols since versions up to its own', not later, f'{later} of {version}')


def check_python(root, environment):
    folder = os.path.dirname(os.path.dirname(find(root, '_program.py')))
    looked_in = [os.path.join(place, 'gi/overrides') for place in site.getsitepackages() + [site.getusersitepackages()]]
    if any(place.startswith(prefix + '/') for place in site.getsitepackages()):
        check('overrides where Python looks', folder[len(root):] in looked_in, f'{folder[len(root):]}, not one of {looked_in}')
    else:
        skip('overrides where Python looks', 'it looks nowhere below the prefix')
    code, text = run([sys.executable, '-c', PYTHON], env=dict(environment, PYTHONPATH=os.path.dirname(os.path.dirname(folder))))
    check('Python', code == 0, text)


def check_javascript(environment, installed):
    if shutil.which('gjs') is None:
        skip('JavaScript', 'no gjs')
        return
    code, text = run(['gjs', '-c', JAVASCRIPT], env=dict(environment, XDG_DATA_DIRS=f'{installed}/share:/usr/local/share:/usr/share'))
    check('JavaScript', code == 0, text)


def check_vala(folder, environment, installed, library):
    if shutil.which('valac') is None or find(installed, 'acc-1.vapi') is None:
        for name in ('Vala: set up', 'Vala: compile', 'Vala: run'):
            skip(name, 'no valac, or no vapi')
        return
    packages = os.path.join(library, 'pkgconfig')
    pc = os.path.join(packages, 'acc-1.pc')
    with open(pc) as file:  # as if it had been installed there
        text = file.read()
    write(pc, text.replace(f'prefix={prefix}\n', f'prefix={installed}\n'))
    project = os.path.join(folder, 'outside')
    os.mkdir(project)
    write(os.path.join(project, 'meson.build'), MESON)
    write(os.path.join(project, 'outside.vala'), VALA)
    outside = dict(environment, PKG_CONFIG_PATH=packages, XDG_DATA_DIRS=f'{installed}/share:/usr/local/share:/usr/share')
    code, text = run(['meson', 'setup', 'build'], cwd=project, env=outside)
    if check('Vala: set up', code == 0, text):
        code, text = run(['meson', 'compile', '-C', 'build'], cwd=project, env=outside)
        if check('Vala: compile', code == 0, text):
            code, text = run([os.path.join(project, 'build/outside')], env=outside)
            check('Vala: run', code == 0, text)


def main():
    print('1..8')
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.join(folder, 'root')
        quiet = {key: value for key, value in os.environ.items()
                 if key not in ('LD_LIBRARY_PATH', 'G_DEBUG', 'PYTHONPATH', 'GJS_PATH', 'GI_TYPELIB_PATH', 'ACC_BACKENDS_DIR')}
        code, text = run(['meson', 'install', '-C', build, '--no-rebuild', '--quiet', '--destdir', root], env=quiet)
        if not check('install', code == 0, text):
            sys.exit(1)
        installed = root + prefix
        library = os.path.dirname(os.path.dirname(find(root, 'acc-1.pc')))
        environment = dict(quiet, LD_LIBRARY_PATH=library, GI_TYPELIB_PATH=os.path.dirname(find(root, 'Acc-1.typelib')),
                           ACC_BACKENDS_DIR=os.path.join(library, 'acc-1/backends'), ACC_CACHE_DIR=os.path.join(folder, 'cache'))
        check_versions(find(root, 'Acc-1.gir'))
        check_python(root, environment)
        check_javascript(environment, installed)
        check_vala(folder, environment, installed, library)
    sys.exit(failed > 0)


main()
