# SPDX-License-Identifier: LGPL-2.1-or-later
"""A test runner in the form that meson reads: every function of a module whose name begins with test_."""

import sys
import traceback

import gi

gi.require_version('Acc', '1')


def main(module):
    cases = [(name, case) for name, case in vars(module).items() if name.startswith('test_') and callable(case)]
    failed = 0
    for name, case in cases:
        try:
            case()
            print(f'ok {name}')
        except Exception:
            failed += 1
            print(f'not ok {name}')
            traceback.print_exc()
    print(f'{len(cases) - failed} passed, {failed} failed')
    sys.exit(1 if failed or not cases else 0)
