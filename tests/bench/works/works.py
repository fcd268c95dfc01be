# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the benchmark table measures: the works, what they must move and compute at least, and who contends.

A size is what a contender gets as its SIZE; `elements` says what it counts. Bytes are those that must come from memory and go
there at least once, each side counted; flops are additions and multiplications in float."""

import dataclasses
import os
import typing


@dataclasses.dataclass(frozen=True)
class Work:
    name: str
    title: str
    size: int                                  # of the table
    small: int                                 # to see that it runs
    elements: str                              # what the size counts
    peers: tuple = ()                          # besides acc and C; names of CONTENDERS
    bytes: typing.Callable = lambda n: 0
    flops: typing.Callable = lambda n: 0
    tolerance: float = 1e-12                   # of the check, relative
    differs: tuple = ()                        # contenders that do as much but find something else: not compared
    memory: typing.Callable = None             # bytes that a contender holds; None: twice what it moves
    count: typing.Callable = lambda n: n       # what the rate in a plot counts
    growth: tuple = tuple(10**k for k in range(3, 10))
    for_passes: bool = False                   # measured with --without alone

    def held(self, n):
        return self.memory(n) if self.memory else 2 * self.bytes(n)


@dataclasses.dataclass(frozen=True)
class Contender:
    title: str
    program: str = None                        # in the folder of the build
    script: str = None                         # beside this file
    arguments: tuple = ()
    environment: dict = dataclasses.field(default_factory=dict)
    like: str = None                           # has the works of this one, and runs where it is named


# Libraries that make a new array for every result get memory that they had before, in huge pages, as acc does.
RECYCLED = {'MALLOC_MMAP_MAX_': '0', 'MALLOC_TRIM_THRESHOLD_': str(2**40), 'MALLOC_ARENA_MAX': '1', 'GLIBC_TUNABLES': 'glibc.malloc.hugetlb=1'}

CONTENDERS = {
    'acc': Contender('acc', program='bench-acc'),
    'acc-fast': Contender('acc, fast', program='bench-acc', arguments=('fast',)),
    'acc-plain': Contender('acc, plain', program='bench-acc', arguments=('plain',)),
    'acc-numbers': Contender('acc, flat', program='bench-acc', environment={'ACC_DISABLE': 'baseline,segments'}),
    # XLA on processors, by the plugin that ACC_PJRT_PLUGIN names; JAX on the same.
    'acc-xla': Contender('acc by XLA', program='bench-acc', environment={'ACC_BACKEND': 'pjrt', **RECYCLED}, like='acc'),
    'acc-xla-fast': Contender('acc by XLA, fast', program='bench-acc', arguments=('fast',), environment={'ACC_BACKEND': 'pjrt', **RECYCLED}, like='acc'),
    # The XLA in TensorFlow, which ACC_TENSORFLOW_LIBRARY names.
    'acc-tensorflow': Contender('acc by TensorFlow', program='bench-acc', environment={'ACC_BACKEND': 'tensorflow', **RECYCLED}, like='acc'),
    'jax-xla': Contender('JAX by the same XLA', script='peers-jax.py', like='jax',
                         environment={'JAX_PLATFORMS': 'plugin', 'PJRT_NAMES_AND_LIBRARY_PATHS': 'plugin:' + os.environ.get('ACC_PJRT_PLUGIN', '')}),
    'c': Contender('C', program='bench-c'),
    'numpy': Contender('NumPy', script='peers-numpy.py'),
    'numba': Contender('Numba', script='peers-numba.py'),
    'jax': Contender('JAX', script='peers-jax.py'),
    'torch': Contender('PyTorch', script='peers-torch.py'),
    'torch-nested': Contender('PyTorch nested', script='peers-torch-nested.py'),
    'tensorflow': Contender('TensorFlow', script='peers-tensorflow.py'),
    'opencv': Contender('OpenCV', script='peers-opencv.py'),
    'scipy': Contender('SciPy', script='peers-scipy.py'),
    'awkward': Contender('Awkward', script='peers-awkward.py'),
    'arrow': Contender('Arrow', script='peers-arrow.py'),
    'dask': Contender('Dask', script='peers-dask.py'),
    'duckdb': Contender('DuckDB', script='peers-duckdb.py'),
    'halide': Contender('Halide', script='peers-halide.py'),
    'vips': Contender('libvips', script='peers-vips.py'),
}

# Rows and columns of a matrix that has about 10^3, 10^4 … elements.
SIDES = (32, 100, 316, 1000, 3162, 10000, 31623)

WORKS = [
    Work('saxpy', 'saxpy', size=2**26, small=1000, elements='floats', peers=('acc-fast', 'numpy', 'numba', 'jax', 'torch'),
         bytes=lambda n: 12 * n, tolerance=1e-6),
    Work('dot', 'dot product', size=2**26, small=1000, elements='floats, a few ones among zeros',
         peers=('acc-fast', 'numpy', 'numba', 'jax', 'torch'), bytes=lambda n: 8 * n),
    Work('sum', 'sum', size=2**26, small=1000, elements='floats, a few ones among zeros',
         peers=('numpy', 'numba', 'jax', 'torch', 'arrow', 'duckdb'), bytes=lambda n: 4 * n),
    Work('row-sums', 'sums of rows', size=8192, small=100, elements='rows and columns of floats', peers=('numpy', 'jax', 'torch'),
         bytes=lambda n: 4 * n * n, tolerance=1e-5),
    Work('roots', 'root of a square and one', size=2**26, small=1000, elements='floats', peers=('acc-fast', 'numpy', 'jax', 'torch'),
         bytes=lambda n: 8 * n, tolerance=1e-6),
    Work('moments', 'mean and variance', size=2**26, small=1000, elements='floats',
         peers=('numpy', 'numba', 'jax', 'torch', 'arrow', 'duckdb'), bytes=lambda n: 4 * n, tolerance=1e-4),
    Work('prefix-sum', 'prefix sum', size=2**26, small=1000, elements='floats, a few ones among zeros',
         peers=('numpy', 'numba', 'jax', 'torch', 'arrow'), bytes=lambda n: 8 * n),
    # A segment has 11.4 elements on average.
    Work('segmented-sum', 'sum of skewed segments', size=2**26, small=1000, elements='floats, in segments of 1 to 2^20',
         peers=('numpy', 'numba', 'jax', 'torch'), bytes=lambda n: 4 * n + 12 * n // 11, tolerance=1e-4),
    Work('histogram-u1', 'histogram of bytes', size=2**26, small=1000, elements='bytes',
         peers=('numpy', 'numba', 'jax', 'torch', 'opencv', 'duckdb'), bytes=lambda n: n, memory=lambda n: 4 * n),
    Work('histogram-u4', 'histogram of 2^16 bins', size=2**26, small=1000, elements='u4 below 2^16',
         peers=('numpy', 'numba', 'jax', 'torch', 'duckdb'), bytes=lambda n: 4 * n, memory=lambda n: 12 * n),
    # As many passes over bytes of the keys as they have, and each is counted first.
    Work('sort', 'sort', size=2**24, small=1000, elements='u4', peers=('numpy', 'jax', 'torch', 'arrow', 'duckdb'),
         bytes=lambda n: 36 * n, memory=lambda n: 24 * n),
    Work('sort-pairs', 'sort of u4 by u4 keys', size=2**24, small=1000, elements='pairs of u4', peers=('numpy', 'jax', 'torch', 'duckdb'),
         bytes=lambda n: 68 * n, memory=lambda n: 40 * n),
    # Beyond the caches, a line for every element.
    Work('gather', 'gather', size=2**24, small=1000, elements='floats, anywhere', peers=('numpy', 'numba', 'jax', 'torch', 'arrow'),
         bytes=lambda n: (72 if n > 2**23 else 12) * n, memory=lambda n: 24 * n),
    # Keys and values, which are written once and read once more by parts of the sums, and the sums.
    Work('sum-by-keys', 'sum by keys', size=2**24, small=1000, elements='floats, and as many keys', peers=('numpy', 'numba', 'jax', 'torch'),
         bytes=lambda n: (28 if n > 2**22 else 12) * n, memory=lambda n: 32 * n, tolerance=1e-5),
    # 16 elements a row on average, of 4 bytes and a column's 4; rows' offsets of 8 bytes, and both vectors.
    Work('sparse-product', 'sparse matrix by vector', size=2**20, small=1000, elements='rows of 0 to 32 elements, anywhere',
         peers=('numba', 'jax', 'torch', 'scipy'), bytes=lambda n: (16 * 8 + 8 + 8) * n, tolerance=1e-5,
         growth=tuple(10**k for k in range(3, 9))),
    Work('transpose', 'transposition', size=8192, small=100, elements='rows and columns of floats',
         peers=('numpy', 'numba', 'jax', 'torch', 'opencv'), bytes=lambda n: 8 * n * n, count=lambda n: n * n, growth=SIDES),
    Work('matrix-product', 'product of matrices', size=2048, small=100, elements='rows and columns of floats',
         peers=('acc-fast', 'numpy', 'jax', 'torch'), bytes=lambda n: 12 * n * n, flops=lambda n: 2 * n**3, tolerance=1e-5,
         count=lambda n: 2 * n**3, growth=(32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)),
    # libvips rounds after each pass, and scales Sobel's sums.
    Work('gauss', '5×5 Gaussian', size=8192, small=100, elements='rows and columns of bytes', peers=('numba', 'jax', 'opencv', 'halide', 'vips'),
         bytes=lambda n: 2 * n * n, memory=lambda n: 6 * n * n, differs=('vips',), count=lambda n: n * n, growth=SIDES),
    Work('sobel', 'Sobel magnitude', size=8192, small=100, elements='rows and columns of bytes', peers=('numba', 'jax', 'opencv', 'halide', 'vips'),
         bytes=lambda n: 2 * n * n, memory=lambda n: 8 * n * n, differs=('vips',), count=lambda n: n * n, growth=SIDES),
    Work('edges', 'edges after Canny', size=8192, small=100, elements='rows and columns of bytes', peers=('opencv',),
         bytes=lambda n: 2 * n * n, memory=lambda n: 8 * n * n, count=lambda n: n * n, growth=SIDES),
    # OpenCV numbers components in another order.
    Work('label', 'connected components', size=4096, small=100, elements='rows and columns of bytes, 0.593 of them 1', peers=('opencv', 'scipy'),
         bytes=lambda n: 5 * n * n, memory=lambda n: 40 * n * n, differs=('opencv',), count=lambda n: n * n, growth=SIDES),
    Work('black-scholes', 'Black-Scholes', size=2**24, small=1000, elements='options', peers=('acc-fast', 'numba', 'jax', 'torch'),
         bytes=lambda n: 20 * n, flops=lambda n: 80 * n, tolerance=1e-5),
    # 67.4 steps a pixel on average.
    Work('mandelbrot', 'Mandelbrot set', size=2048, small=100, elements='rows and columns of pixels', peers=('acc-fast', 'numba', 'jax'),
         bytes=lambda n: 4 * n * n, flops=lambda n: 674 * n * n, tolerance=5e-3, memory=lambda n: 16 * n * n, count=lambda n: n * n, growth=SIDES[:-1]),
    Work('n-body', 'n-body', size=16384, small=500, elements='bodies', peers=('acc-fast', 'numba', 'jax', 'torch'), bytes=lambda n: 28 * n,
         flops=lambda n: 20 * n * n, tolerance=1e-3, count=lambda n: n * n, growth=(300, 1000, 3000, 10000, 30000, 100000)),
    Work('k-means', 'step of k-means', size=2**22, small=1000, elements='points of the plane, 64 clusters', peers=('acc-fast', 'numba', 'jax', 'torch'),
         bytes=lambda n: 12 * n, flops=lambda n: 6 * 64 * n, tolerance=1e-3, memory=lambda n: 300 * n, growth=tuple(10**k for k in range(3, 9))),
    Work('ray-tracer', 'ray tracer', size=1024, small=64, elements='rows, of 1.5 times as many pixels', peers=('acc-fast', 'numba',),
         bytes=lambda n: 9 * n * n // 2, tolerance=1e-3, memory=lambda n: 40 * n * n, count=lambda n: 3 * n * n // 2, growth=SIDES[:-1]),
    # Sweeps over the finest grid move 96 bytes a point, four times, and coarser ones a seventh of that.
    Work('nas-mg', 'NAS MG', size=256, small=16, elements='points along each side', peers=('acc-fast',), bytes=lambda n: 439 * n**3,
         flops=lambda n: 232 * n**3, tolerance=1e-6, memory=lambda n: 80 * n**3, count=lambda n: n**3, growth=(16, 32, 64, 128, 256, 512)),
    Work('attention', 'attention of depth 64', size=16384, small=256, elements='queries and keys', peers=('acc-fast', 'jax', 'torch'),
         bytes=lambda n: 1024 * n, flops=lambda n: 256 * n * n, tolerance=1e-4, memory=lambda n: 4096 * n, count=lambda n: n * n,
         growth=(256, 512, 1024, 2048, 4096, 8192, 16384, 32768)),
    Work('quickhull', 'convex hull', size=2**20, small=1000, elements='points of a disc', peers=('scipy',), bytes=lambda n: 8 * n,
         tolerance=1e-5, memory=lambda n: 150 * n, growth=tuple(10**k for k in range(3, 9))),
    # Elements of nested arrays: 1 to 32 values each, or as many as the skewed segments have.
    Work('nested-sum-even', 'sums of even elements', size=2**24, small=1000, elements='floats, in elements of 1 to 32',
         peers=('acc-plain', 'numpy', 'numba', 'torch', 'torch-nested', 'tensorflow', 'awkward'),
         bytes=lambda n: 4 * n + 12 * n // 16, tolerance=1e-5),
    Work('nested-sum-power', 'sums of elements by a power law', size=2**24, small=1000, elements='floats, in elements of 1 to 2^20',
         peers=('acc-plain', 'numpy', 'numba', 'torch', 'tensorflow', 'awkward'), bytes=lambda n: 4 * n + 12 * n // 11, tolerance=1e-4),
    Work('nested-argmax-even', 'argmax of even elements', size=2**24, small=1000, elements='floats, in elements of 1 to 32',
         peers=('acc-plain', 'numba', 'torch-nested', 'tensorflow', 'awkward'), bytes=lambda n: 4 * n + 16 * n // 16),
    Work('nested-argmax-power', 'argmax of elements by a power law', size=2**24, small=1000, elements='floats, in elements of 1 to 2^20',
         peers=('acc-plain', 'numba', 'awkward'), bytes=lambda n: 4 * n + 16 * n // 11),
    Work('nested-sort-even', 'sorts of even elements', size=2**22, small=1000, elements='u4, in elements of 1 to 32',
         peers=('numba', 'torch-nested', 'tensorflow', 'awkward'), bytes=lambda n: 8 * n + 8 * n // 16),
    Work('nested-sort-power', 'sorts of elements by a power law', size=2**22, small=1000, elements='u4, in elements of 1 to 2^20',
         peers=('numba', 'awkward'), bytes=lambda n: 8 * n + 8 * n // 11),
    # Two forms of one program (plot-forms.py).
    Work('nested-placed-even', 'elements of equal chance', size=16, small=3, elements='values of an element, on average',
         peers=('acc-numbers',), growth=tuple(2**k for k in range(0, 21, 2)), for_passes=True),
    Work('nested-placed-power', 'elements by a power law', size=1000, small=3, elements='values of the longest element',
         peers=('acc-numbers',), growth=tuple(2**k for k in range(2, 21, 2)), for_passes=True),
    Work('nested-sparse-product', 'sparse rows by vector', size=2**20, small=1000, elements='rows of 0 to 32 elements, anywhere',
         peers=('numba', 'scipy'), bytes=lambda n: (16 * 8 + 8 + 8) * n, tolerance=1e-5),
    Work('nested-group-sums', 'sums by group', size=2**22, small=1000, elements='floats, and keys below a sixteenth',
         peers=('numpy', 'arrow', 'tensorflow'), bytes=lambda n: 8 * n, tolerance=1e-5),
    Work('nested-pictures', 'small pictures, blurred and shrunk', size=2**18, small=100, elements='pictures of 4 to 20 pixels a side',
         peers=('numba',), bytes=lambda n: (144 * 5 + 16) * n, tolerance=1e-5),
    Work('nested-quicksort', 'quicksort by levels', size=2**16, small=1000, elements='u4', peers=('numpy',), bytes=lambda n: 8 * n),
    Work('nested-hulls', 'convex hulls of clouds', size=2**14, small=100, elements='clouds of 16 to 112 points', bytes=lambda n: 64 * 8 * n,
         tolerance=1e-3),
    # Sequences: the same as plain programs do, and files of lines.
    Work('seq-row-sums', 'sums of rows, one by one', size=8192, small=100, elements='rows and columns of floats', peers=('acc-plain', 'numpy'),
         bytes=lambda n: 4 * n * n, tolerance=1e-5),
    Work('seq-mandelbrot', 'Mandelbrot set by rows', size=2048, small=100, elements='rows and columns of pixels', peers=('acc-plain',),
         bytes=lambda n: 4 * n * n, flops=lambda n: 674 * n * n, tolerance=5e-3, memory=lambda n: 16 * n * n),
    Work('seq-frames', 'sum of frames', size=1024, small=10, elements='frames of 256 × 256 floats', peers=('acc-plain', 'numpy'),
         bytes=lambda n: 4 * 2**16 * n, tolerance=1e-5),
    Work('seq-sparse-product', 'sparse rows by vector, one by one', size=2**20, small=1000, elements='rows of 0 to 32 elements, anywhere',
         peers=('acc-plain', 'scipy'), bytes=lambda n: (16 * 8 + 8 + 8) * n, tolerance=1e-5),
    Work('seq-n-body', 'n-body, body by body', size=16384, small=500, elements='bodies', peers=('acc-plain',), bytes=lambda n: 28 * n,
         flops=lambda n: 20 * n * n, tolerance=1e-3),
    Work('seq-pagerank', 'ten rounds of PageRank', size=2**20, small=1000, elements='pages, which 0 to 32 others link to',
         peers=('acc-plain', 'scipy'), bytes=lambda n: 10 * (16 * 4 + 8 + 16) * n, tolerance=1e-4),
    Work('seq-audio', 'powers of windows of a sound', size=2**23, small=10000, elements='samples; windows of 1024, 512 apart',
         peers=('acc-plain', 'numpy', 'scipy'), bytes=lambda n: 8 * n, tolerance=1e-4, memory=lambda n: 40 * n),
    Work('seq-log', 'answers in a log by class', size=3000000, small=1000, elements='lines of about 80 bytes', peers=('arrow', 'dask'),
         bytes=lambda n: 80 * n),
    Work('seq-md5', 'words by their MD5', size=2**22, small=1000, elements='lines of 4 to 19 letters', peers=('dask',), bytes=lambda n: 12 * n,
         memory=lambda n: 400 * n),
    Work('centre', 'shift of a transform to its centre', size=2048, small=100, elements='rows and columns of floats', bytes=lambda n: 8 * n * n,
         for_passes=True),
    Work('palette', 'sixteen colours', size=2**24, small=1000, elements='bytes', bytes=lambda n: 5 * n, for_passes=True),
    Work('parts', 'sixteen short scans', size=2**14, small=1000, elements='floats', bytes=lambda n: 64 * n, for_passes=True),
    Work('sines', 'first run of sines', size=16, small=16, elements='floats', bytes=lambda n: 16 * n, for_passes=True),
]
