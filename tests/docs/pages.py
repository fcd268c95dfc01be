# SPDX-License-Identifier: LGPL-2.1-or-later
"""The fenced blocks of a page that are run: what they are for is in the words after the language.

python common     run for both sides, first
python setup      run for acc's side
python numpy      one side of a pair; the value of its last expression counts
python acc        the other side, right behind it, or behind haskell
haskell           to read
c NAME A B        a function NAME of arrays, to which A and B of the common block are given
result            what the blocks since the last haskell must give, as Python writes it"""

import ast
import collections
import re

Block = collections.namedtuple('Block', 'kind words text line')

KINDS = {'python common', 'python setup', 'python numpy', 'python acc', 'haskell', 'c', 'result'}


def read_blocks(path):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    blocks = []
    for fence in re.finditer(r'^```([^\n]+)\n(.*?)^```$', text, re.M | re.S):
        words = fence[1].split()
        kind = ' '.join(words[:2]) if words[0] == 'python' else words[0]
        line = text.count('\n', 0, fence.start()) + 1
        if kind not in KINDS:
            raise SyntaxError(f'{path}:{line}: a block of {fence[1]!r} is of no known kind')
        blocks.append(Block(kind, words[1:], fence[2], line))
    return blocks


def evaluate(block, names, path):
    """Runs a block; the value of its last expression, None where it ends with something else."""
    tree = ast.parse(block.text, path)
    ast.increment_lineno(tree, block.line)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, path, 'exec'), names)
    return None if last is None else eval(compile(ast.Expression(last.value), path, 'eval'), names)
