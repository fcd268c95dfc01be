# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the blocks of a page, and compares what they give: test-pages.py PAGE [PROGRAM], PROGRAM being what make-program.py made of it."""

import ast
import os
import subprocess
import sys
import tempfile
import traceback

import gi

gi.require_version('Acc', '1')

import numpy as np
from gi.repository import Acc, GLib

import pages


def value(thing):
    """As NumPy has it; of several, each."""
    if isinstance(thing, (tuple, list)):
        return [value(each) for each in thing]
    return np.asarray(thing)


def written(literal):
    """What a result says: a tuple is of several."""
    return [written(each) for each in literal] if isinstance(literal, tuple) else np.asarray(literal)


def differences(got, wanted, types=True):
    """What is not the same, in words. What is written down, or printed by a program, has values without @types."""
    if isinstance(got, list) or isinstance(wanted, list):
        if not (isinstance(got, list) and isinstance(wanted, list) and len(got) == len(wanted)):
            return [f'{got!r} instead of {wanted!r}']
        return [text for pair in zip(got, wanted) for text in differences(*pair, types)]
    if got.dtype == object or wanted.dtype == object or got.shape != wanted.shape or types and got.dtype != wanted.dtype:
        return [f'{got.dtype}{got.shape} instead of {wanted.dtype}{wanted.shape}']
    if got.dtype.names:
        return [text for name in got.dtype.names for text in differences(got[name], wanted[name], types)]
    # Sums may be grouped in another way.
    tolerance = 16 * np.finfo(got.dtype).eps if got.dtype.kind == 'f' else 0
    good = np.allclose(got, wanted, rtol=tolerance, atol=0, equal_nan=True) if tolerance else np.array_equal(got, wanted)
    return [] if good else [f'{got!r} instead of {wanted!r}']


class Page:
    def __init__(self, path, program):
        self.path, self.blocks = path, pages.read_blocks(path)
        self.sides = {'python numpy': {}, 'python acc': {}}
        self.n_compared = self.n_failed = 0
        self.printed = iter(())
        if program:
            out = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout
            self.printed = iter(out.splitlines())

    def report(self, block, found):
        self.n_compared += 1
        self.n_failed += bool(found)
        print(f'{"not ok" if found else "ok"} {self.n_compared} {os.path.basename(self.path)}:{block.line}')
        for text in found:
            print('#  ', text.replace('\n', ' '))

    def evaluate(self, block):
        return value(pages.evaluate(block, self.sides[block.kind], self.path))

    def run_block(self, block):
        if block.kind == 'c':
            return np.asarray(GLib.Variant.parse(None, next(self.printed), None, None).unpack())
        return self.evaluate(block)

    def compare(self, block, get, wanted, types):
        try:
            found = differences(get(), wanted, types)
        except Exception:
            found = traceback.format_exc().splitlines()
        self.report(block, found)

    def run(self):
        pending, wanted = [], None
        for block in self.blocks:
            if block.kind in ('python common', 'python setup'):
                for side in self.sides:
                    if block.kind == 'python common' or side == 'python acc':
                        pages.evaluate(block, self.sides[side], self.path)
            elif block.kind == 'python numpy':
                assert wanted is None and not pending, f'{self.path}:{block.line}: the block before has no partner'
                wanted = self.evaluate(block)
                assert getattr(wanted, 'dtype', None) != object, f'{self.path}:{block.line}: no value'
            elif block.kind == 'haskell':
                assert not pending and wanted is None, f'{self.path}:{block.line}: the blocks before have no result'
            elif wanted is not None:
                assert block.kind == 'python acc', f'{self.path}:{block.line}: not the partner of the block before'
                self.compare(block, lambda: self.evaluate(block), wanted, True)
                wanted = None
            elif block.kind == 'result':
                assert pending, f'{self.path}:{block.line}: the result of nothing'
                for each in pending:
                    self.compare(each, lambda: self.run_block(each), written(ast.literal_eval(block.text)), False)
                pending = []
            else:
                pending.append(block)
        assert not pending and wanted is None, f'{self.path}: the last block has no partner'


def main():
    page = Page(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        page.run()
        os.chdir('/')
    print(f'1..{page.n_compared}')
    return 0 if page.n_compared and not page.n_failed else 1


if __name__ == '__main__':
    sys.exit(main())
