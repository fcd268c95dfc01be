# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random chains of sequences, against the same of lists of NumPy's arrays. A failure tells its seed and its chain."""

import random
import sys

import check
import numpy as np
from gi.repository import Acc

EXTENTS = (3, 2)     # of elements that are all alike


def add(x, y):
    return x + y


def total(x):
    return x.flatten().fold(0, add)


def joined(x, y):
    return x.flatten().concat(y.flatten())


def sums(elements):
    return [int(element.sum()) for element in elements]


def joined_pairs(elements, others):
    return [np.concatenate([x.reshape(-1), y.reshape(-1)]) for x, y in zip(elements, others)]


def take_while(elements):
    ends = [k for k, n in enumerate(sums(elements)) if n >= 60]
    return elements[:ends[0]] if ends else elements


def states(elements):
    state, found = 5, []
    for n in sums(elements):
        state -= 2 * n
        found.append(np.array(state))
    return found


# What happens to a sequence, and the same to a list.
STEPS = {
    'double': (lambda s: s.map(lambda x: x.map(lambda v: v * 2)), lambda e: [x * 2 for x in e]),
    'flatten': (lambda s: s.map(lambda x: x.flatten()), lambda e: [x.reshape(-1) for x in e]),
    'total': (lambda s: s.map(total), lambda e: [np.array(n) for n in sums(e)]),
    'imap': (lambda s: s.imap(lambda k, x: x.map(lambda v: v + k[()])), lambda e: [x + k for k, x in enumerate(e)]),
    'constant': (lambda s: s.map(lambda x: Acc.use(np.array([3, -1]))), lambda e: [np.array([3, -1])] * len(e)),
    'nothing': (lambda s: s.map(lambda x: Acc.use(np.array([3, -1]))).filter(lambda x: total(x).map(lambda n: n < 0)), lambda e: []),
    'filter': (lambda s: s.filter(lambda x: total(x).map(lambda n: n % 3 != 0)), lambda e: [x for x, n in zip(e, sums(e)) if n % 3 != 0]),
    'take_while': (lambda s: s.take_while(lambda x: total(x).map(lambda n: n < 60)), take_while),
    'concat': (lambda s: s.concat(s.drop(1)), lambda e: e + e[1:]),
    'scan': (lambda s: s.scan(5, lambda state, x: state.zip_with(total(x), lambda a, b: a - 2 * b)), states),
    'zip': (lambda s: s.zip_with(s.filter(lambda x: total(x).map(lambda n: n % 2 == 0)), joined),
            lambda e: joined_pairs(e, [x for x, n in zip(e, sums(e)) if n % 2 == 0])),
    **{f'[{n}:]': (lambda s, n=n: s[n:], lambda e, n=n: e[n:]) for n in (0, 1, 3, 10)},
    **{f'[:{n}]': (lambda s, n=n: s[:n], lambda e, n=n: e[:n]) for n in (0, 1, 3, 10, 100)},
}


def make_element(numbers, rank, alike):
    shape = EXTENTS[:rank] if alike else tuple(numbers.choice([0, 1, 2, 3, 7]) for _ in range(rank))
    size = int(np.prod(shape))
    return np.array([numbers.randrange(-50, 50) for _ in range(size)], 'i8').reshape(shape)


def begin(numbers):
    n, rank, kind = numbers.choice([0, 1, 2, 5, 17, 40]), numbers.choice([0, 1, 1, 1, 2]), numbers.randrange(5)
    alike = rank == 0 or kind in (0, 1)
    elements = [make_element(numbers, rank, alike) for _ in range(n)]
    if kind == 0:
        return Acc.Sequence.from_array(np.array(elements, 'i8').reshape((n,) + EXTENTS[:rank])), elements, 'array'
    if kind == 1:
        return Acc.Sequence.from_iterable(elements, 'i8', shape=EXTENTS[:rank]), elements, 'alike'
    if kind == 2 and n and rank:
        return Acc.Sequence.from_nested(Acc.NestedArray.from_arrays(elements)), elements, 'nested'
    if kind == 3:
        return (Acc.Sequence.generate(n, lambda k: Acc.fill(k[()] % 4, k[()] * 3)), [np.full(k % 4, k * 3) for k in range(n)], 'generate')
    return Acc.Sequence.from_iterable(lambda: iter(elements), 'i8', rank), elements, 'iterable'


def make(numbers, depth):
    sequence, elements, text = begin(numbers)
    text += f' of {len(elements)}'
    for _ in range(numbers.randrange(depth + 1)):
        name = numbers.choice([*STEPS, 'batch', 'expand', 'other'])
        if name == 'batch' and len({x.shape for x in elements}) <= 1:
            n = numbers.choice([1, 2, 5])
            sequence, elements = sequence.batch(n), [np.stack(elements[k:k + n]) for k in range(0, len(elements), n)]
        elif name == 'expand' and sequence.ndim > 0:
            sequence, elements = sequence.expand(), [np.asarray(part) for x in elements for part in x]
        elif name == 'other':
            other, others, name = make(numbers, 2)
            sequence, elements = sequence.zip_with(other, joined), joined_pairs(elements, others)
        elif name in STEPS:
            step, same = STEPS[name]
            sequence, elements = step(sequence), same(elements)
        text += f', {name}'
    return sequence, elements, text


def test_chains():
    for seed in range(60):
        sequence, elements, text = make(random.Random(seed), 5)
        flat = np.concatenate([np.zeros(0, 'i8'), *(x.reshape(-1) for x in elements)])
        assert sequence.to_list() == [x.tolist() for x in elements], (seed, text)
        assert sequence.length in (None, len(elements)), (seed, text)
        # One walk for all
        wanted = [len(elements), [x.size for x in elements], flat.tolist(), 7 + int(flat.sum())]
        arrays = [sequence.count(), sequence.lengths(), sequence.elements(), sequence.map(total).fold(7, lambda x, y: x.zip_with(y, add))]
        if elements:
            wanted += [flat.tolist(), elements[-1].tolist()]
            arrays += [sequence.map(lambda x: x.flatten()).fold(None, lambda x, y: x.concat(y)), sequence.last()]
        got = [np.asarray(array).tolist() for array in Acc.Backend.get_default().run_many(arrays, None)]
        assert got == wanted, (seed, text, got, wanted)


if __name__ == '__main__':
    check.main(sys.modules['__main__'])
