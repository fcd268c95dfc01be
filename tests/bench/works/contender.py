# SPDX-License-Identifier: LGPL-2.1-or-later
"""A contender of the benchmark table in Python: contender.h says what it answers, and what inputs are.

A module per library registers its works and ends with main():

    @contender.work('saxpy')
    def saxpy(n):
        x, y = contender.floats(n, 1), contender.floats(n, 2)
        z = numpy.empty_like(x)
        def run():
            ...
        return run, lambda: contender.digest(z)

A function that returns None has no such size."""

import importlib
import os
import sys
import time

# Answers alone go to the output: what libraries say there goes with their errors.
_answers = os.fdopen(os.dup(1), 'w', buffering=1)
os.dup2(2, 1)


def library(name):
    """The module, or the end where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        print(f'missing {error}', file=_answers)
        sys.exit(0)


np = library('numpy')

_works = {}
_CHUNK = 1 << 22
_SAMPLES = 1 << 20
_PATIENCE = 0.1

# How many threads a library may use; those that do not look at the environment are told.
threads = int(os.environ.get('OMP_NUM_THREADS') or os.cpu_count())


def work(name):
    def register(function):
        _works[name] = function
        return function
    return register


# --- inputs

def hashes(begin, end, seed):
    h = np.arange(begin, end, dtype=np.uint32) * np.uint32(0x9E3779B1)
    h += np.uint32(seed * 0x85EBCA77 & 0xFFFFFFFF)
    h ^= h >> np.uint32(16)
    h *= np.uint32(0x85EBCA6B)
    h ^= h >> np.uint32(13)
    h *= np.uint32(0xC2B2AE35)
    h ^= h >> np.uint32(16)
    return h


def _fill(n, dtype, function):
    values = np.empty(n, dtype)
    for begin in range(0, n, _CHUNK):
        end = min(begin + _CHUNK, n)
        values[begin:end] = function(begin, end)
    return values


def floats(n, seed, low=0, high=1):
    low, width = np.float32(low), np.float32(high) - np.float32(low)
    return _fill(n, np.float32, lambda begin, end: low + width * ((hashes(begin, end, seed) >> np.uint32(8)).astype(np.float32)
                                                                  * np.float32(2**-24)))


def words(n, seed, modulus=0):
    if modulus == 0:
        return _fill(n, np.uint32, lambda begin, end: hashes(begin, end, seed))
    return _fill(n, np.uint32, lambda begin, end: hashes(begin, end, seed) % np.uint32(modulus))


def bytes_(n, seed):
    return _fill(n, np.uint8, lambda begin, end: hashes(begin, end, seed) >> np.uint32(24))


def ones(n, seed):
    return _fill(n, np.float32, lambda begin, end: hashes(begin, end, seed) % np.uint32(64) == 0)


def skewed(n):
    """Offsets of segments."""
    lengths, total = [], 0
    while total < n:
        begin = sum(map(len, lengths))
        h = hashes(begin, begin + n // 16 + 1, 0x5E6) | np.uint32(1 << 20)
        lengths.append((h & -h).astype(np.int64))
        total += lengths[-1].sum()
    ends = np.cumsum(np.concatenate(lengths))
    ends = ends[:np.searchsorted(ends, n) + 1]
    ends[-1] = n
    return np.concatenate(([0], ends))


def rows(n_rows):
    """Offsets of the rows of a sparse matrix."""
    return np.concatenate(([0], np.cumsum(hashes(0, n_rows, 0x5E6) % np.uint32(33), dtype=np.int64)))


# --- checks

def digest(values):
    values = np.asarray(values).reshape(-1)
    samples = min(len(values), _SAMPLES)
    step = len(values) // samples if samples else 1
    h = hashes(0, samples, 0xD16E57)
    index = np.arange(samples, dtype=np.int64) * step + h % np.uint32(step)
    return float(np.sum((1 + (h >> np.uint32(24)) / 256.) * values[index].astype(np.float64)))


# --- works in few words: of a function that gives a number, or an array

def _keep(function, arguments):
    result = []

    def run():
        # What was there goes first, so that its memory can be used again.
        result.clear()
        result.append(function(*arguments))

    return run, result


def number(function, *arguments):
    run, result = _keep(function, arguments)
    return run, lambda: result[0]


def array(function, *arguments):
    run, result = _keep(function, arguments)
    return run, lambda: digest(result[0])


# --- the protocol

def main():
    if len(sys.argv) != 3:
        sys.exit(f'{sys.argv[0]} WORK SIZE')
    function = _works.get(sys.argv[1])
    pair = function(int(sys.argv[2])) if function else None
    if pair is None:
        print('none', file=_answers)
        return
    run, check = pair
    run()
    print('ready', file=_answers)
    for line in iter(sys.stdin.readline, ''):
        word, *rest = line.split()
        if word == 'run':
            most, n = int(rest[0]) if rest else 1, 0
            begin = time.perf_counter()
            while n < most and (n % 8 or time.perf_counter() - begin < _PATIENCE):
                run()
                n += 1
            print(repr((time.perf_counter() - begin) / n), file=_answers)
        elif word == 'check':
            print(repr(float(check())), file=_answers)
        else:
            break
