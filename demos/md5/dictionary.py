#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which words of a dictionary have these MD5 digests? The same search as that of md5.py, over a sequence of words."""

import argparse
import hashlib

import numpy as np

from md5 import Acc, LONGEST_WORD, digest, md5_in_hex, unpack


def block_of(word):
    """The padded block of a word, sixteen u4: its bytes, a mark, zeros, and the length in bits."""
    padded = word.concat(np.array([0x80] + 55 * [0], 'u1'))
    quads = padded.take(56).reshape((14, 4)).map(lambda byte: byte.cast('u4'))
    words = quads.imap(lambda index, byte: byte << (8 * index[1]).cast('i4')).fold(0, lambda a, b: a | b)
    length = Acc.generate(2, lambda k: Acc.cond(k == 0, 8 * word.extent(0), 0).cast('u4'))
    return words.concat(length)


def digest_of(word):
    block = block_of(word)
    return Acc.unit(digest([block[k] for k in range(16)]))


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
