#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which words of a dictionary have these MD5 digests? The same search as that of md5.py, over a sequence of words."""

import argparse
import hashlib

import numpy as np

from md5 import Acc, LONGEST_WORD, digest, md5_in_hex, unpack


def number_in_block(word, k):
    """Number k of the sixteen u4 of the padded block of a word: four of its bytes, a mark, zeros, and the length in bits."""
    length = word.extent(0)
    if k >= 14:
        return (8 * length).cast('u4') if k == 14 else 0
    number = 0
    for i in range(4):
        place = 4 * k + i
        byte = Acc.cond(length > place, word[place].cast('u4'), Acc.cond(length == place, 0x80, 0).cast('u4'))
        number = number | byte << (8 * i)
    return number


def digest_of(word):
    return Acc.unit(digest([number_in_block(word, k) for k in range(16)]))


def find(wanted, words):
    """The words of a sequence, vectors of u1, that have one of the wanted digests: tuples of four u4."""
    wanted = Acc.use(np.array(wanted, 'u4,u4,u4,u4'))

    def is_wanted(word):
        found = digest_of(word)
        return wanted.map(lambda one: one == found[()]).fold(False, lambda a, b: a | b)

    short = words.filter(lambda word: Acc.unit(word.extent(0) <= LONGEST_WORD))
    return [bytes(word) for word in short.filter(is_wanted).to_nested().to_list()]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('words', metavar='FILE', help='a word on each line')
    parser.add_argument('digests', nargs='+', type=md5_in_hex, metavar='DIGEST', help='what to look for, in hexadecimal')
    options = parser.parse_args()

    found = {hashlib.md5(word).hexdigest(): word for word in find([unpack(one) for one in options.digests], Acc.Sequence.open_lines(options.words))}
    for one in options.digests:
        print(one, found[one].decode(errors='backslashreplace') if one in found else '(not found)')


if __name__ == '__main__':
    main()
