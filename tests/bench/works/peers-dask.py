# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bags of the lines of a file, in as many processes as there are threads."""

import hashlib
import os

import contender
import inputs

bag = contender.library('dask.bag')
dask = contender.library('dask')
np = contender.library('numpy')

BLOCK = '16MiB'


def read(path):
    """A bag of what other processes can open."""
    return bag.read_text(path.replace('self', str(os.getpid())), blocksize=BLOCK)


def answers(lines):
    """Counts and sizes by class of the answers in some lines."""
    counts, sizes = [0] * inputs.LOG_CLASSES, [0] * inputs.LOG_CLASSES
    for line in lines:
        _, status, size = line.rsplit(' ', 2)
        counts[int(status) // 100] += 1
        sizes[int(status) // 100] += int(size)
    return [(counts, sizes)]


def both(x, y):
    return tuple([a + b for a, b in zip(p, q)] for p, q in zip(x, y))


@contender.work('seq-log')
def log(n):
    path, file = inputs.log(n)
    result = []

    def run():
        with dask.config.set(scheduler='processes', num_workers=contender.threads):
            result[:] = read(path).map_partitions(answers).fold(both).compute()
        assert not file.closed

    return run, lambda: sum(contender.digest(np.array(part)) for part in result)


def find(lines, wanted):
    return [word for word in map(str.rstrip, lines) if hashlib.md5(word.encode()).digest() in wanted]


@contender.work('seq-md5')
def md5(n):
    path, file, wanted = inputs.words(n)
    result = []

    def run():
        with dask.config.set(scheduler='processes', num_workers=contender.threads):
            result[:] = read(path).map_partitions(find, wanted).compute()
        assert not file.closed

    return run, lambda: sum(map(sum, map(str.encode, result)))


if __name__ == '__main__':     # not in the processes of bags, which read this file, too
    contender.main()
