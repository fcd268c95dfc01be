# SPDX-License-Identifier: LGPL-2.1-or-later
"""What inputs.h has, for peers in Python."""

import hashlib
import tempfile

import contender

np = contender.library('numpy')

EDGES_LOW, EDGES_HIGH = 0.05, 0.15
LARGEST_GRADIENT = 1442.5
RATE, VOLATILITY = 0.02, 0.3
MANDELBROT_LEFT, MANDELBROT_TOP, MANDELBROT_ACROSS, MANDELBROT_LIMIT = -2., 1.237, 2.5, 256
SOFTENING = 0.05
N_CLUSTERS = 64
ATTENTION_DEPTH = 64
PAGERANK_ROUNDS, PAGERANK_DAMPING = 10, 0.85
FRAME_SIDE = 256
WINDOW_SIZE, WINDOW_STEP = 1024, 512
LOG_CLASSES = 6
LONGEST_WORD, MD5_WANTED = 19, 4


def picture(side):
    y, x = np.ogrid[0:side, 0:side]
    squares = ((y >> 5) ^ (x >> 5)) * 37 & 127
    noise = np.concatenate([contender.hashes(row * side, row * side + side, 1) >> np.uint32(27) for row in range(side)])
    return (squares + noise.reshape(side, side) * 2).astype(np.uint8)


def speckles(side):
    rows = [contender.hashes(row * side, row * side + side, 1) < np.uint32(2546915606) for row in range(side)]
    return np.concatenate(rows).reshape(side, side).astype(np.uint8)


def options(n):
    return contender.floats(n, 1, 5, 30), contender.floats(n, 2, 1, 100), contender.floats(n, 3, 0.25, 10)


def bodies(n):
    """x, y, z, mass"""
    return *(contender.floats(n, seed, -1, 1) for seed in (1, 2, 3)), contender.floats(n, 4, 0.5 / n, 1.5 / n)


def clusters(n):
    """Both coordinates of the points"""
    return contender.floats(n, 1, -10, 10), contender.floats(n, 2, -10, 10)


def attention(n):
    return [contender.floats(n * ATTENTION_DEPTH, seed, -most, most).reshape(n, ATTENTION_DEPTH) for seed, most in ((1, 8), (2, 1), (3, 1))]


def disc(n):
    """[n,2]"""
    x, y = (contender.floats(n, seed, -1, 1).astype(np.float64) for seed in (1, 2))
    length = np.hypot(x, y)
    factor = np.maximum(np.abs(x), np.abs(y)) / np.where(length > 0, length, 1)
    return np.stack([x * factor, y * factor], axis=1).astype(np.float32)


def parts(n, skewed):
    """Offsets of the parts of the works "nested-…"."""
    if skewed:
        return contender.skewed(n)
    ends = np.cumsum(1 + contender.hashes(0, n, 0x5E6) % np.uint32(32), dtype=np.int64)
    ends = ends[:np.searchsorted(ends, n) + 1]
    ends[-1] = n
    return np.concatenate(([0], ends))


def picture_sizes(n):
    """Rows and columns"""
    h = contender.hashes(0, n, 0x5E6)
    return (4 + h % np.uint32(17)).astype(np.int64), (4 + (h >> np.uint32(8)) % np.uint32(17)).astype(np.int64)


def windows(samples):
    """Windows of samples, not copied, and weights"""
    weights = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW_SIZE) / WINDOW_SIZE)
    return np.lib.stride_tricks.sliding_window_view(samples, WINDOW_SIZE)[::WINDOW_STEP], weights.astype(np.float32)


def _digits(numbers, most, least=1):
    """[n,most] of characters, 0 before the first"""
    numbers = numbers.astype(np.int64)[:, None]
    powers = 10 ** np.arange(most - 1, -1, -1)
    return np.where((numbers >= powers) | (powers < 10 ** least), numbers // powers % 10 + ord('0'), 0)


def log(n):
    """The file of "seq-log", in no folder: its path, and what must stay open"""
    statuses = np.array([200] * 11 + [301, 304, 304, 404, 500])
    file = tempfile.TemporaryFile()
    for begin in range(0, n, 1 << 16):
        k = np.arange(begin, min(begin + (1 << 16), n))
        where, what, size = (contender.hashes(begin, begin + len(k), seed) for seed in (1, 2, 3))
        parts = [b'10.', _digits(where & 255, 3), b'.', _digits(where >> 8 & 255, 3), b'.', _digits(where >> 16 & 255, 3),
                 b' - - [28/Nov/2026:', _digits(k // 360000 % 24, 2, 2), b':', _digits(k // 6000 % 60, 2, 2), b':',
                 _digits(k // 100 % 60, 2, 2), b' +0000] "GET /pages/', _digits((what >> 4) % 100000, 5), b' HTTP/1.1" ',
                 _digits(statuses[what & 15], 3), b' ', _digits(size % 1000000, 6), b'\n']
        columns = [np.tile(np.frombuffer(part, np.uint8), (len(k), 1)) if isinstance(part, bytes) else part for part in parts]
        text = np.concatenate(columns, axis=1).astype(np.uint8)
        file.write(text[text != 0].tobytes())
    file.flush()
    return f'/proc/self/fd/{file.fileno()}', file


def _spell(begin, end):
    """Lengths of words, and [n,LONGEST_WORD] of letters"""
    lengths = 4 + contender.hashes(begin, end, 1) % np.uint32(LONGEST_WORD - 3)
    letters = 97 + contender.hashes(begin * LONGEST_WORD, end * LONGEST_WORD, 2).reshape(-1, LONGEST_WORD) % np.uint32(26)
    return lengths, letters


def words(n):
    """The file of "seq-md5", in no folder: its path, what must stay open, and the sums of words that are looked for"""
    file = tempfile.TemporaryFile()
    for begin in range(0, n, 1 << 18):
        lengths, letters = _spell(begin, min(begin + (1 << 18), n))
        columns, ends = np.arange(LONGEST_WORD + 1), lengths[:, None]
        text = np.where(columns < ends, np.pad(letters, ((0, 0), (0, 1))), 10).astype(np.uint8)
        file.write(text[columns <= ends].tobytes())
    file.flush()
    wanted = set()
    for k in range(MD5_WANTED):
        place = (2 * k + 1) * n // (2 * MD5_WANTED)
        (length,), (letters,) = _spell(place, place + 1)
        wanted.add(hashlib.md5(letters[:length].astype(np.uint8).tobytes()).digest())
    return f'/proc/self/fd/{file.fileno()}', file, wanted


def check_clusters(centres, labels):
    """@centres: both coordinates"""
    return float(sum(np.abs(np.asarray(c)).sum(dtype=np.float64) for c in centres)) + contender.digest(labels)


def check_squares(*parts):
    return contender.digest(sum(np.asarray(part) ** 2 for part in parts))
