#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which word has this MD5 digest? Hashes the words of a dictionary, or all short ones, in parallel (RFC 1321)."""

import argparse
import itertools
import math
import string
import time

import gi
import numpy as np

gi.require_version('Acc', '1')
from gi.repository import Acc  # noqa: E402

LONGEST_WORD = 55        # bytes that fit into one block, with the mark of the end and the length
WORDS_AT_A_TIME = 1 << 18

U4 = Acc.ElementType.parse('u4')
START = (0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476)
SHIFTS = ((7, 12, 17, 22), (5, 9, 14, 20), (4, 11, 16, 23), (6, 10, 15, 21))
SINES = [int(abs(math.sin(i + 1)) * 2 ** 32) for i in range(64)]


def digest(block):
    """The MD5 digest, four u4, of a message of one block: sixteen u4. Unrolled: the loops build 64 steps."""
    start = [Acc.Expr.new_typed_uint(U4, value) for value in START]
    a, b, c, d = start
    for i in range(64):
        if i < 16:
            mixed, word = (b & c) | (~b & d), i
        elif i < 32:
            mixed, word = (d & b) | (~d & c), 5 * i + 1
        elif i < 48:
            mixed, word = b ^ c ^ d, 3 * i + 5
        else:
            mixed, word = c ^ (b | ~d), 7 * i
        turned = Acc.rotl(a + mixed + SINES[i] + block[word % 16], SHIFTS[i // 16][i % 4])
        a, b, c, d = d, b + turned, b, c
    return tuple(before + after for before, after in zip(start, (a, b, c, d)))


def digests_of(blocks):
    """The digests of messages: column i of blocks is message i, so that neighbours in memory are read together."""
    first_words = blocks.slice(0, Acc.ALL)
    return first_words.imap(lambda i, _: digest([blocks[k, i] for k in range(16)]))


digests = Acc.program('u4[16,:]')(digests_of)


@Acc.program('u4[16,:]', '(u4,u4,u4,u4)[:]')
def search(blocks, wanted):
    """For each wanted digest the number of the last message that has it, or -1."""
    # All the wanted ones are compared with each digest: compute it once.
    hashed = digests_of(blocks).compute()
    each_message = hashed.replicate(wanted.extent(0), Acc.ALL)
    each_wanted = wanted.replicate(Acc.ALL, hashed.extent(0))
    places = each_wanted.izip_with(each_message, lambda index, a, b: Acc.cond(a == b, index[1], -1))
    return places.fold(-1, Acc.max)


def pack(words):
    """The padded blocks [16,n] of u4 of words: the bytes, a mark, zeros, and the length in bits."""
    lengths = np.array([len(word) for word in words])
    if lengths.max(initial=0) > LONGEST_WORD:
        raise ValueError(f'a word of more than {LONGEST_WORD} bytes')
    blocks = np.array(words, 'S64').view('u1').reshape(-1, 64)
    blocks[np.arange(len(words)), lengths] = 0x80
    blocks = blocks.view('<u4').astype('u4')
    blocks[:, 14] = 8 * lengths
    return np.ascontiguousarray(blocks.T)


def unpack(digest_in_hex):
    return tuple(np.frombuffer(bytes.fromhex(digest_in_hex), '<u4'))


def find(wanted, words):
    """The words, by digest in hex, of those of the wanted digests that a word of an iterable has."""
    wanted, words, found = list(wanted), iter(words), {}
    numbers = np.array([unpack(one) for one in wanted], 'u4,u4,u4,u4')
    while batch := list(itertools.islice(words, WORDS_AT_A_TIME)):
        places = np.asarray(search(pack(batch), numbers))
        found.update((one, batch[place]) for one, place in zip(wanted, places) if place >= 0)
    return found


def short_words(letters):
    for length in range(letters + 1):
        for word in itertools.product(string.ascii_lowercase, repeat=length):
            yield ''.join(word).encode()


def read_words(path):
    with open(path, 'rb') as lines:
        for line in lines:
            word = line.rstrip(b'\r\n')
            if len(word) <= LONGEST_WORD:
                yield word


def md5_in_hex(text):
    try:
        if len(bytes.fromhex(text)) == 16:
            return text.lower()
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f'{text} is not 32 hexadecimal digits')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('digests', nargs='+', type=md5_in_hex, metavar='DIGEST', help='what to look for, in hexadecimal')
    parser.add_argument('--words', metavar='FILE', help=f'a word of at most {LONGEST_WORD} bytes on each line')
    parser.add_argument('--letters', type=int, default=4, help='without a file: all words of up to so many letters (4)')
    options = parser.parse_args()

    started = time.monotonic()
    found = find(options.digests, read_words(options.words) if options.words else short_words(options.letters))
    seconds = time.monotonic() - started

    for one in options.digests:
        print(one, found[one].decode(errors='backslashreplace') if one in found else '(not found)')
    print(f'{seconds:.2f} s on {Acc.Backend.get_default().get_name()}')


if __name__ == '__main__':
    main()
