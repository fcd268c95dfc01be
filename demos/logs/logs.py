#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the log of a web server tells: answers by their status, bytes sent, and the first errors. The log may be of any length."""

import argparse

import gi
import numpy as np

gi.require_version('Acc', '1')
from gi.repository import Acc  # noqa: E402: the version comes first

CLASSES = 6        # 100 to 599 by their first digit; 0: lines that are none of these


def add(x, y):
    return x + y


def number(digits):
    """The number that is written in those characters of a line that are marked: pairs of one and a mark."""
    parts = digits.map(lambda d: Acc.cond(d[1], (d[0].cast('i8') - ord('0'), 10), (0, 1)))
    return parts.fold((0, 1), lambda a, b: (a[0] * b[1] + b[0], a[1] * b[1])).map(lambda part: part[0])


def status_and_bytes(line):
    """Of a line such as: 10.0.0.1 - - [day:time] "GET / HTTP/1.1" 200 2326, where 0 stands for what is missing."""
    quotes = line.map(lambda c: (c == ord('"')).cast('i8')).scanl1(add)
    spaces = line.zip_with(quotes, lambda c, n: ((c == ord(' ')) & (n == 2)).cast('i8')).scanl1(add)
    fields = [line.zip_with(spaces, lambda c, n: (c, (n == k) & (c >= ord('0')) & (c <= ord('9')))) for k in (1, 2)]
    return number(fields[0]).zip(number(fields[1]))


def class_of(status):
    return Acc.cond((status >= 100) & (status < 600), status // 100, 0)


def analyse(lines, errors=3):
    """How many lines there are of each class, bytes by class, and the first lines that tell of errors of the server: in one walk."""
    answers = lines.map(lambda line: status_and_bytes(line).map(lambda a: (class_of(a[0]), a[1])))
    counts = answers.map(lambda answer: Acc.generate(CLASSES, lambda k: (k == answer[()][0]).cast('i8')))
    sizes = answers.map(lambda answer: Acc.generate(CLASSES, lambda k: Acc.cond(k == answer[()][0], answer[()][1], 0)))
    failed = lines.filter(lambda line: status_and_bytes(line).map(lambda a: class_of(a[0]) == 5)).take(errors).to_nested()

    def sums(x, y):
        return x.zip_with(y, add)

    zeros = np.zeros(CLASSES, 'i8')
    results = [counts.fold(zeros, sums), sizes.fold(zeros, sums), failed.values, failed.offsets]
    counts, sizes, values, offsets = map(np.asarray, Acc.Backend.get_default().run_many(results, None))
    return counts, sizes, [values[a:b].tobytes() for a, b in zip(offsets, offsets[1:])]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('log', nargs='?', default='access.log', help='a file in the common log format (access.log)')
    options = parser.parse_args()

    counts, sizes, errors = analyse(Acc.Sequence.open_lines(options.log))
    for k in range(1, CLASSES):
        print(f'{k}xx {counts[k]:10} {sizes[k]:14} bytes')
    print(f'other {counts[0]:8}')
    for line in errors:
        print(line.decode(errors='backslashreplace'))


if __name__ == '__main__':
    main()
