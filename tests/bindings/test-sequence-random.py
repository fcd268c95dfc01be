# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random chains of sequences, against the same of lists of NumPy's arrays. A failure tells its seed and its chain."""

import random
import sys

import check
import numpy as np
from gi.repository import Acc, GLib

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


def begin_arguments(numbers):
    """Arguments of a program, their signatures, what makes a sequence of them, and the elements."""
    n, rank, kind = numbers.choice([0, 1, 2, 5, 17, 40]), numbers.choice([1, 1, 1, 2]), numbers.randrange(4)
    elements = [make_element(numbers, rank, kind == 0) for _ in range(n)]
    if kind == 0:
        return ([np.array(elements, 'i8').reshape((n,) + EXTENTS[:rank])], [f'i8[{",".join(":" * (rank + 1))}]'],
                Acc.Sequence.from_array, elements, 'rows')
    if kind == 1:
        elements = [np.arange(start, start + n) for start in range(3)]
        return ([np.array(n)], ['i8'], lambda n: Acc.Sequence.generate(3, lambda k: Acc.generate(n[()], lambda i: i + k[()])), elements, 'generate')
    # Of rank 1.
    elements = [x.reshape(-1) for x in elements]
    return ([np.concatenate([np.zeros(0, 'i8'), *elements]), np.array([x.size for x in elements], 'i8')], ['i8[:]'] * 2,
            lambda values, lengths: Acc.Sequence.from_nested(Acc.NestedArray.from_lengths(values, lengths)), elements, 'nested')


def make_in_program(numbers, depth):
    arguments, signatures, first, elements, text = begin_arguments(numbers)
    steps, text = [], f'{text} of {len(elements)}'
    for _ in range(numbers.randrange(depth + 1)):
        name = numbers.choice([name for name in STEPS if name != 'scan'])
        step, same = STEPS[name]
        steps.append(step)
        elements = same(elements)
        text += f', {name}'

    def make(*parameters):
        sequence = first(*parameters)
        for step in steps:
            sequence = step(sequence)
        return sequence

    return arguments, signatures, make, elements, text


# What a program gives of a sequence, where there are elements and where there are none, and the same of a list.
RESULTS = {
    'count': (lambda s: s.count(), len, True),
    'lengths': (lambda s: s.lengths(), lambda e: [x.size for x in e], True),
    'elements': (lambda s: s.elements(), lambda e: np.concatenate([np.zeros(0, 'i8'), *(x.reshape(-1) for x in e)]).tolist(), True),
    'sum': (lambda s: s.map(total).fold(7, lambda x, y: x.zip_with(y, add)), lambda e: 7 + sum(sums(e)), True),
    'order': (lambda s: s.map(total).fold(None, lambda x, y: x.zip_with(y, lambda a, b: 3 * a - b)), lambda e: tree(sums(e)), False),
    'joined': (lambda s: s.map(lambda x: x.flatten()).fold(None, lambda x, y: x.concat(y)),
               lambda e: np.concatenate([x.reshape(-1) for x in e]).tolist(), False),
    'last': (lambda s: s.last(), lambda e: e[-1].tolist(), False),
    'nested': (lambda s: s.to_nested().map(total).flatten(), sums, True),
    'stack': (lambda s: s.map(total).stack(), sums, True),
}


def tree(values):
    while len(values) > 1:
        values = [3 * a - b for a, b in zip(values[::2], values[1::2])] + values[len(values) // 2 * 2:]
    return values[0]


def test_in_programs():
    """Sequences of what is not there before a run: arguments of programs."""
    names = list(RESULTS)
    for seed in range(45):
        arguments, signatures, make, elements, text = make_in_program(random.Random(seed), 4)
        for name in (names[seed % len(names)], names[(seed * 7 + 3) % len(names)]):
            result, same, goes_empty = RESULTS[name]
            if not elements and not goes_empty:
                continue
            got = np.asarray(Acc.program(*signatures)(lambda *parameters: result(make(*parameters)))(*arguments)).tolist()
            assert got == same(elements), (seed, text, name, got, same(elements))


def test_in_functions():
    """The same within loops, nested maps, and functions of elements of sequences."""
    rows = np.arange(12).reshape(4, 3)

    def sums_of_doubled(matrix):
        return Acc.Sequence.from_array(matrix).map(lambda row: total(row.map(lambda x: 2 * x))).elements()

    cubes = np.arange(24).reshape(2, 4, 3)
    nested = Acc.NestedArray.from_arrays([rows, rows[:2], rows[:0], rows[1:, :2]])
    assert nested.map(sums_of_doubled).to_list() == [[6, 24, 42, 60], [6, 24], [], [14, 26, 38]], nested.map(sums_of_doubled)
    assert Acc.Sequence.from_array(cubes).map(sums_of_doubled).to_list() == (2 * cubes.sum(axis=2)).tolist()
    folded = nested.map(lambda matrix: Acc.Sequence.from_array(matrix).map(total).fold(1, lambda x, y: x.zip_with(y, lambda a, b: 3 * a - b)))
    assert folded.to_list() == [3 - tree([3, 12, 21, 30]), 3 - tree([3, 12]), 1, 3 - tree([7, 13, 19])], folded
    columns = Acc.use(np.arange(4)).while_loop(lambda state: state.fold(0, add).map(lambda n: n < 100),
                                               lambda state: Acc.Sequence.from_array(state).map(lambda x: x.map(lambda v: v + 3)).stack())
    wanted = np.arange(4)
    while wanted.sum() < 100:
        wanted = wanted + 3
    assert np.asarray(columns.run()).tolist() == wanted.tolist()


def test_program_mistakes():
    def fails(make, part, *arguments):
        try:
            Acc.program('i8[:,:]')(make)(*arguments)
            assert False, part
        except GLib.Error as error:
            assert part in error.message, error

    rows = np.arange(6).reshape(2, 3)
    for make, part in ((lambda a: Acc.Sequence.from_array(a).scan(0, lambda s, x: s).elements(), 'a scan over elements'),
                       (lambda a: Acc.Sequence.from_array(a).batch(2).elements(), 'batches'),
                       (lambda a: Acc.Sequence.generate(None, lambda k: a).elements(), 'no end'),
                       (lambda a: Acc.Sequence.from_iterable([rows[0]], 'i8', 1).zip_with(Acc.Sequence.from_array(a), joined).elements(),
                        'what a producer reads')):
        fails(make, part, rows)
        fails(make, 'an argument of a program', rows)
    ragged = lambda a: Acc.Sequence.from_array(a).imap(lambda k, x: Acc.fill(k[()], 1)).stack()
    fails(ragged, 'does not have the extents of the first', rows)
    fails(lambda a: Acc.Sequence.from_array(a)[2:].last(), 'outside', rows)


if __name__ == '__main__':
    check.main(sys.modules['__main__'])
