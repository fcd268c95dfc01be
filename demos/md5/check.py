#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""MD5 against the digests of RFC 1321 and against Python's own."""

import hashlib
import pathlib
import tempfile

import numpy as np
import dictionary
import md5

# Those of the RFC's test suite that fit into one block
KNOWN = {
    b'': 'd41d8cd98f00b204e9800998ecf8427e',
    b'a': '0cc175b9c0f1b6a831c399e269772661',
    b'abc': '900150983cd24fb0d6963f7d28e17f72',
    b'message digest': 'f96b697d7cb7938d525a2f31aaf161d0',
    b'abcdefghijklmnopqrstuvwxyz': 'c3fcd3d76192e4007dfb496cca67e13b',
}


def in_hex(digest):
    return np.array(list(digest), '<u4').tobytes().hex()


for word, digest in zip(KNOWN, np.asarray(md5.digests(md5.pack(list(KNOWN))))):
    assert in_hex(digest) == KNOWN[word], f'{word}: {in_hex(digest)}'

# Every length that one block holds, with bytes of all values
random = np.random.default_rng(5)
words = [random.integers(0, 256, length, 'u1').tobytes() for length in range(md5.LONGEST_WORD + 1) for _ in range(20)]
for word, digest in zip(words, np.asarray(md5.digests(md5.pack(words)))):
    assert in_hex(digest) == hashlib.md5(word).hexdigest(), f'{word}: {in_hex(digest)}'

# In several batches: the first and the last word of all, those around the end of a batch, and two that are not there
md5.WORDS_AT_A_TIME = 1000
words = list(md5.short_words(3))
assert len(words) == 1 + 26 + 26 ** 2 + 26 ** 3
there = [words[0], words[999], words[1000], b'acc', words[-1]]
digests = {hashlib.md5(word).hexdigest(): word for word in there}
absent = [hashlib.md5(word).hexdigest() for word in (b'four', b'ACC')]
assert md5.find(list(digests) + absent, words) == digests
assert md5.find(absent, words) == {}
assert md5.find(absent, []) == {}

# A dictionary; what is too long is left out, not cut.
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, 'words')
    path.write_bytes(b'x' * 56 + b'\nGr\xc3\xbc\xc3\x9fe\r\nlast')
    assert list(md5.read_words(path)) == ['Grüße'.encode(), b'last']

    # The same by a sequence: words of all lengths, in their order; what is too long is not found.
    some = 1 + random.permutation(len(words) - 1)[:200]
    there = [b'', b'\xff' * 55, *(words[k] for k in sorted(some))]
    absent = [b'four', b'x' * 56]
    path.write_bytes(b'\n'.join([b'', b'\xff' * 55, *words[1:], b'x' * 56, b'']))
    wanted = [md5.unpack(hashlib.md5(word).hexdigest()) for word in there + absent]
    assert dictionary.find(wanted, md5.Acc.Sequence.open_lines(path)) == there
    assert dictionary.find(wanted[-2:], md5.Acc.Sequence.open_lines(path)) == []

try:
    md5.pack([b'x' * 56])
except ValueError:
    pass
else:
    raise AssertionError('a word of 56 bytes was taken')

print('all digests as expected')
