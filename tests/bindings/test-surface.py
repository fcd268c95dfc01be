# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every public callable can be called from other languages, and no symbol is one of OpenACC's."""

import ctypes.util
import glob
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import check

CORE = '{http://www.gtk.org/introspection/core/1.0}'
C = '{http://www.gtk.org/introspection/c/1.0}'
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
GIR = glob.glob(os.path.join(os.environ['GI_TYPELIB_PATH'].split(':')[0], 'Acc-1.gir'))[0]
LIBRARY = glob.glob(os.path.join(os.environ['LD_LIBRARY_PATH'].split(':')[0], 'libacc-1.so.0'))[0]

# Public, but not introspectable: name and reason.
EXCEPTIONS = {
    'acc_expr_ref': 'keeps a floating reference floating, which no binding sees; bindings copy',
}


def exported(library):
    out = subprocess.run(['nm', '-D', '--defined-only', library], capture_output=True, text=True, check=True).stdout
    return {re.sub('@.*', '', line.split()[-1]) for line in out.splitlines() if ' T ' in line}


def module_symbols():
    """Symbols that are declared for modules alone."""
    names = set()
    for header in glob.glob(os.path.join(ROOT, 'acc-core', '*', 'acc-module*.h')):
        text = open(header).read()
        names |= set(re.findall(r'ACC_MODULE_API[^;(]*?(acc_\w+)\s*\(', text))
    return names


def test_every_callable_is_introspectable():
    hidden = [e.get(C + 'identifier') for e in ElementTree.parse(GIR).iter()
              if e.get('introspectable') == '0' and e.tag in (CORE + 'function', CORE + 'method', CORE + 'constructor')]
    assert not [name for name in hidden if name not in EXCEPTIONS], hidden


def test_exports_are_declared():
    described = {e.get(C + 'identifier') for e in ElementTree.parse(GIR).iter() if e.get(C + 'identifier')}
    described |= {e.get('{http://www.gtk.org/introspection/glib/1.0}get-type') for e in ElementTree.parse(GIR).iter()}
    unknown = {name for name in exported(LIBRARY) if name not in described and name not in module_symbols()}
    assert not unknown, sorted(unknown)


def test_nothing_collides_with_openacc():
    ours = exported(LIBRARY)
    gomp = ctypes.util.find_library('gomp')
    if gomp:
        path = next((p for d in ('/usr/lib/x86_64-linux-gnu', '/usr/lib', '/usr/lib64', '/usr/lib/aarch64-linux-gnu')
                     for p in glob.glob(os.path.join(d, gomp))), None)
        if path:
            assert not ours & exported(path), ours & exported(path)
    forbidden = re.compile(r'^acc_(init|shutdown|malloc|free|wait|create|delete|attach|detach|copyin|copyout|memcpy\w*|map_data|'
                           r'unmap_data|deviceptr|hostptr|is_present|on_device|present_or_\w+|pcreate|pcopyin|update_\w+|'
                           r'async\w*|device_\w*|property\w*|get_\w+|set_\w+|wait_\w+|prof_\w+|register_library)$')
    assert not {name for name in ours if forbidden.match(name)}


if __name__ == '__main__':
    check.main(sys.modules['__main__'])
