#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays larger than the memory, on disk: acc, NumPy by memory maps, Dask, Cubed, DuckDB and GNU sort, in turn, each in a memory cgroup where
one can be made.

run-external.py [--build DIR] [--dir DIR] [--mib N] [--limit N] [--works A,B] [--contenders A,B] [--timeout SECONDS] [--peers PYTHON] [--steps N] [--plan]

Of N MiB of f4: transpose (a square matrix), sort (a vector), deviation, over-max (x / max (x)), filter (x > 0), gather (by indices in a file),
sum-by-key (as many i4 keys below 2^20, in a file), product (of square matrices of 2 N / 3 MiB in all); jacobi (means of four neighbours of a
square of f4) and life (a board of N MiB of u1), --steps of them, by acc in one loop, by acc with a run for each step (acc-steps), and by NumPy
by bands of rows, a pass for each step. GNU sort has the numbers as lines of text.
--peers is an interpreter that has Dask, Cubed and DuckDB. Prints seconds, and how many times as long that is as the disk takes to read and write the
bytes that acc moves: nothing can be quicker that moves as many. What takes longer than the timeout is stopped, and said to. --plan shows what
acc is going to do.
"""

import argparse
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import memory_group

MIB = 1 << 20
PASSES = {   # of the data: read, written
    'transpose': (2, 2), 'sort': (2, 2), 'deviation': (1, 0), 'over-max': (2, 1), 'filter': (1, 0.5), 'gather': (2, 2), 'product': (2, 1),
    'sum-by-key': (2, 0), 'jacobi': (0, 0), 'life': (0, 0),
}
STENCILS = ('jacobi', 'life')
N_KEYS = 1 << 20


def path(options, name):
    return os.path.join(options.dir, name)


def side(options):
    return int((options.mib * MIB / 4) ** 0.5)


def product_side(options):
    return int((options.mib * MIB / 12) ** 0.5)


def board_side(options, work):
    return int((options.mib * MIB / (4 if work == 'jacobi' else 1)) ** 0.5)


def make(options):
    import numpy as np
    rng = np.random.default_rng(1)

    def write(name, shape, draw):
        with open(path(options, name), 'wb') as file:
            np.lib.format.write_array_header_1_0(file, {'descr': draw(1).dtype.str, 'fortran_order': False, 'shape': shape})
            n = int(np.prod(shape))
            for first in range(0, n, 1 << 22):
                draw(min(1 << 22, n - first)).tofile(file)
            file.flush()
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    n, m = side(options), product_side(options)
    for work in set(STENCILS) & set(options.works):
        k = board_side(options, work)
        write(f'{work}.npy', (k, k), lambda k, work=work: rng.random(k, 'f4') if work == 'jacobi' else rng.integers(0, 2, k, 'u1'))
    if 'transpose' in options.works:
        write('matrix.npy', (n, n), lambda k: rng.standard_normal(k, dtype='f4'))
    if 'duckdb' in options.contenders or set(options.works) - {'transpose', 'product', *STENCILS}:
        write('vector.npy', (n * n,), lambda k: rng.standard_normal(k, dtype='f4'))
    if 'gather' in options.works:
        write('indices.npy', (n * n,), lambda k: rng.integers(0, n * n, k))
    if 'sum-by-key' in options.works:
        write('keys.npy', (n * n,), lambda k: rng.integers(0, N_KEYS, k, 'i4'))
    if 'product' in options.works:
        write('a.npy', (m, m), lambda k: rng.standard_normal(k, dtype='f4'))
        write('b.npy', (m, m), lambda k: rng.standard_normal(k, dtype='f4'))


# --- contenders

def stencil_by_acc(Acc, work, board):
    if work == 'jacobi':
        return board.stencil((3, 3), Acc.Boundary.new(Acc.BoundaryKind.CLAMP), lambda n: (n[-1, 0] + n[1, 0] + (n[0, -1] + n[0, 1])) * 0.25)

    def live(n):
        around = n[-1, -1] + n[-1, 0] + n[-1, 1] + n[0, -1] + n[0, 1] + n[1, -1] + n[1, 0] + n[1, 1]
        return ((around == 3) | ((around == 2) & (n[0, 0] != 0))).cast('u1')
    return board.stencil((3, 3), Acc.Boundary.new(Acc.BoundaryKind.CLAMP), live)


def steps_by_acc(Acc, work, source, write, options, at_once):
    """In one loop, or a run for each step, from file to file."""
    if at_once:
        board, _ = Acc.while_loop([source(f'{work}.npy'), Acc.fill((), 0, 'i8')], lambda b, i: i < options.steps,
                                  lambda b, i: (stencil_by_acc(Acc, work, b), i + 1))
        return write(board, 'out.npy')
    for step in range(options.steps):
        last = step == options.steps - 1
        write(stencil_by_acc(Acc, work, source(f'out.{step - 1}.npy' if step > 0 else f'{work}.npy')), 'out.npy' if last else f'out.{step}.npy')
        if step > 0:
            os.unlink(path(options, f'out.{step - 1}.npy'))


def by_acc(work, options, at_once=True):
    import gi
    gi.require_version('Acc', '1')
    from gi.repository import Acc, Gio

    def source(name):
        return Acc.Array.new_from_source(Acc.Source.open(Gio.File.new_for_path(path(options, name)), None))

    def write(result, name):
        sink = Acc.Sink.create(Gio.File.new_for_path(path(options, name)), None)
        if options.plan:
            print(backend.plan(result, sink, 0).to_string(), file=sys.stderr)
        backend.write(result, sink, None)

    backend = Acc.Backend.get_default()
    backend.set_memory_limit(options.limit * MIB)
    backend.set_temporary_folder(options.dir)
    if work in STENCILS:
        return steps_by_acc(Acc, work, source, write, options, at_once)
    if work == 'deviation':
        x = source('vector.npy')
        return print(backend.run_many([x.mean(), x.standard_deviation(0)], None))
    if work == 'filter':
        result, _ = source('vector.npy').filter(lambda x: x > 0)
    elif work == 'over-max':
        x = source('vector.npy')
        largest = x.maximum()
        result = x.map(lambda v: v / Acc.Expr.the(largest))
    elif work == 'gather':
        result = source('vector.npy').gather(source('indices.npy'))
    elif work == 'sum-by-key':
        result = source('vector.npy').cast('f8').permute(Acc.fill(N_KEYS, 0, 'f8'), source('keys.npy'), lambda new, old: new + old)
    elif work == 'product':
        result = source('a.npy') @ source('b.npy')
    else:
        result = source('matrix.npy').transpose() if work == 'transpose' else source('vector.npy').sort()
    write(result, 'out.npy')


def stencil_by_numpy(np, work, board, out, band):
    for first in range(0, len(board), band):
        last = min(first + band, len(board))
        rows = np.pad(board[max(first - 1, 0):last + 1], ((first == 0, last == len(board)), (1, 1)), 'edge')
        if work == 'jacobi':
            out[first:last] = (rows[:-2, 1:-1] + rows[2:, 1:-1] + (rows[1:-1, :-2] + rows[1:-1, 2:])) * np.float32(0.25)
            continue
        around = sum((rows[1 + y:len(rows) - 1 + y, 1 + x:rows.shape[1] - 1 + x] for y in (-1, 0, 1) for x in (-1, 0, 1) if x or y), np.uint8(0))
        out[first:last] = (around == 3) | ((around == 2) & (rows[1:-1, 1:-1] != 0))


def steps_by_numpy(np, work, options):
    boards = [np.load(path(options, f'{work}.npy'), mmap_mode='r')]
    for name in ('out.npy', 'out.other.npy'):
        boards.append(np.lib.format.open_memmap(path(options, name), 'w+', boards[0].dtype, boards[0].shape))
    band = max(options.limit * MIB // 16 // boards[0][0].nbytes, 1)
    for step in range(options.steps):
        board = boards[0] if step == 0 else boards[1 + (options.steps - step) % 2]
        stencil_by_numpy(np, work, board, boards[1 + (options.steps - 1 - step) % 2], band)
    boards[1].flush()


def by_numpy(work, options):
    import numpy as np
    if work in STENCILS:
        return steps_by_numpy(np, work, options)

    def load(name):
        return np.load(path(options, name), mmap_mode='r')

    def new(shape):
        return np.lib.format.open_memmap(path(options, 'out.npy'), 'w+', 'f4', shape)

    n, block = side(options), max(options.limit * MIB // 16, 1)
    if work == 'transpose':
        out = new((n, n))
        out[...] = load('matrix.npy').T
    elif work == 'sort':
        out = new((n * n,))
        out[...] = load('vector.npy')
        out.sort()
    elif work == 'deviation':
        x = load('vector.npy')
        print(x.mean(), x.std())
        return
    elif work == 'over-max':
        x = load('vector.npy')
        out, largest = new(x.shape), x.max()
        for first in range(0, len(x), block):
            out[first:first + block] = x[first:first + block] / largest
    elif work == 'filter':
        x = load('vector.npy')
        with open(path(options, 'out.raw'), 'wb') as file:
            for first in range(0, len(x), block):
                part = x[first:first + block]
                part[part > 0].tofile(file)
            file.flush()
            os.fsync(file.fileno())
        return
    elif work == 'gather':
        x, at = load('vector.npy'), load('indices.npy')
        out = new(at.shape)
        for first in range(0, len(at), block):
            out[first:first + block] = x[at[first:first + block]]
    elif work == 'sum-by-key':
        x, keys, sums = load('vector.npy'), load('keys.npy'), np.zeros(N_KEYS)
        for first in range(0, len(x), block):
            sums += np.bincount(keys[first:first + block], x[first:first + block], N_KEYS)
        np.save(path(options, 'out.npy'), sums)
        return
    else:
        a, b = load('a.npy'), load('b.npy')
        out = new((len(a), len(a)))
        np.matmul(a, b, out=out)
    out.flush()


def chunks(options, rank):
    """Extents of a square, or as many elements of a vector: a thirty-second of the limit."""
    side_of_chunk = max(int((options.limit * MIB / 4 / 32) ** 0.5), 1)
    return side_of_chunk if rank == 2 else side_of_chunk ** 2


def by_dask(work, options):
    import dask
    import dask.array as da
    import numpy as np
    dask.config.set(scheduler='threads', num_workers=2)

    def load(name):
        x = np.load(path(options, name), mmap_mode='r')
        return da.from_array(x, chunks=chunks(options, x.ndim))

    if work == 'deviation':
        x = load('vector.npy')
        print(dask.compute(x.mean(), x.std()))
        return
    if work == 'transpose':
        result = load('matrix.npy').T
    elif work == 'over-max':
        x = load('vector.npy')
        result = x / x.max().compute()
    elif work == 'product':
        result = load('a.npy') @ load('b.npy')
    elif work == 'gather':
        result = load('vector.npy')[load('indices.npy')]
    elif work == 'sum-by-key':
        result = da.bincount(load('keys.npy'), load('vector.npy'), N_KEYS)
        return np.save(path(options, 'out.npy'), result.compute())
    else:
        sys.exit(f'Dask has no {work} into one file')
    out = np.lib.format.open_memmap(path(options, 'out.npy'), 'w+', 'f4', result.shape)
    da.store(result, out)
    out.flush()


def by_duckdb(work, options):
    import duckdb
    db, temporary = duckdb.connect(path(options, 'db')), path(options, 'duckdb')
    db.execute(f"SET memory_limit = '{options.limit}MiB'; SET temp_directory = '{temporary}'; SET threads = 2")
    to_file = f"TO '{path(options, 'out.parquet')}' (FORMAT parquet, COMPRESSION uncompressed)"
    if work == 'sort':
        db.execute(f'COPY (SELECT x FROM t ORDER BY x) {to_file}')
    elif work == 'deviation':
        print(db.execute('SELECT avg (x), stddev_pop (x) FROM t').fetchall())
    elif work == 'sum-by-key':
        db.execute(f'COPY (SELECT k, sum (x::DOUBLE) FROM t GROUP BY k) {to_file}')
    else:
        sys.exit(f'DuckDB has no {work}')


def by_cubed(work, options):
    import cubed
    import cubed.array_api as xp
    import numpy as np
    # What an interpreter takes is reserved, as the cgroup has it beside the limit.
    spec = cubed.Spec(work_dir=path(options, 'cubed'), allowed_mem=(options.limit + 150) * MIB, reserved_mem=150 * MIB, executor_name='threads')

    def load(name):
        x = np.load(path(options, name), mmap_mode='r')
        return cubed.from_array(x, chunks=chunks(options, x.ndim), spec=spec)

    if work == 'deviation':
        x = load('vector.npy')
        return print(cubed.compute(xp.mean(x), xp.std(x)))
    if work == 'transpose':
        result = load('matrix.npy').T
    elif work == 'over-max':
        x = load('vector.npy')
        result = x / xp.max(x)
    elif work == 'product':
        result = load('a.npy') @ load('b.npy')
    else:
        sys.exit(f'Cubed has no {work}')
    cubed.to_zarr(result, path(options, 'out.zarr'))


def by_gnu(work, options):
    if work != 'sort':
        sys.exit(f'GNU sort does no {work}')
    # In place of this process, so that its memory is all that the cgroup has.
    os.environ['LC_ALL'] = 'C'
    os.execvp('sort', ['sort', '-n', '--parallel=2', f'--buffer-size={options.limit}M', f'--temporary-directory={options.dir}',
                       f'--output={path(options, "out.txt")}', path(options, 'vector.txt')])


def load_gnu(options):
    import numpy as np
    x = np.load(path(options, 'vector.npy'), mmap_mode='r')
    with open(path(options, 'vector.txt'), 'w') as file:
        for first in range(0, len(x), 1 << 20):
            file.write('\n'.join(map('%.7f'.__mod__, x[first:first + (1 << 20)].tolist())) + '\n')


def load_duckdb(options):
    import duckdb
    import numpy as np
    x = np.load(path(options, 'vector.npy'), mmap_mode='r')
    db = duckdb.connect(path(options, 'db'))
    keys = np.load(path(options, 'keys.npy'), mmap_mode='r') if 'sum-by-key' in options.works else None
    db.execute(f"SET memory_limit = '{options.limit}MiB'; CREATE TABLE t (x FLOAT{', k INTEGER' if keys is not None else ''})")
    for first in range(0, len(x), 1 << 22):
        part = {'x': np.array(x[first:first + (1 << 22)])}
        if keys is not None:
            part['k'] = np.array(keys[first:first + (1 << 22)])
        db.execute('INSERT INTO t SELECT * FROM part')
    db.close()


WORKERS = {'acc': by_acc, 'acc-steps': lambda work, options: by_acc(work, options, False), 'numpy': by_numpy, 'dask': by_dask, 'cubed': by_cubed, 'duckdb': by_duckdb, 'gnu': by_gnu}
LOADERS = {'duckdb': load_duckdb, 'gnu': load_gnu}   # not timed: they have tables, or text


# --- what is measured

def drop_inputs(options):
    for entry in os.scandir(options.dir):
        if entry.is_file():
            with open(entry, 'rb') as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def enter():
    os.setsid()
    memory_group.enter()


def run(options, contender, work, python):
    command = [python, __file__, '--worker', f'{contender}:{work}', '--dir', options.dir, '--mib', str(options.mib), '--limit', str(options.limit),
               '--works', ','.join(options.works), '--steps', str(options.steps)]
    command += ['--plan'] if options.plan else []
    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    child = subprocess.Popen(command, preexec_fn=enter, stdout=subprocess.PIPE, stderr=None if options.plan else subprocess.PIPE)
    try:
        told, errors = child.communicate(timeout=options.timeout)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        return None, f'stopped after {options.timeout} s'
    seconds, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if child.returncode:
        lines = (errors or b'').decode(errors='replace').strip().splitlines()
        return None, 'killed' if child.returncode < 0 else lines[-1][:90] if lines else 'failed'
    last = told.decode(errors='replace').strip().splitlines()[-1:]
    return seconds, f'user {after.ru_utime - before.ru_utime:6.1f} s   system {after.ru_stime - before.ru_stime:6.1f} s   {"".join(last)}'


def measure_disk(options):
    """Seconds to read and to write a MiB, of data that is not in the page cache, and reaches the disk."""
    n, block, target = min(options.mib, 1024), os.urandom(8 * MIB), path(options, 'disk')
    start = time.monotonic()
    with open(target, 'wb') as file:
        for _ in range(0, n, 8):
            file.write(block)
        file.flush()
        os.fsync(file.fileno())
    written = (time.monotonic() - start) / n
    drop_inputs(options)
    start = time.monotonic()
    with open(target, 'rb', buffering=0) as file:
        while file.read(8 * MIB):
            pass
    read = (time.monotonic() - start) / n
    os.unlink(target)
    return read, written


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', default='build')
    parser.add_argument('--dir', default='.')
    parser.add_argument('--mib', type=int, default=16384)
    parser.add_argument('--limit', type=int, default=1024)
    parser.add_argument('--works', default='transpose,sort,deviation,over-max,filter,sum-by-key')
    parser.add_argument('--contenders', default='acc,numpy,dask,cubed,duckdb,gnu')
    parser.add_argument('--timeout', type=float, default=600)
    parser.add_argument('--peers', default=sys.executable)
    parser.add_argument('--steps', type=int, default=64)
    parser.add_argument('--plan', action='store_true')
    parser.add_argument('--worker', help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.works, options.contenders = options.works.split(','), options.contenders.split(',')
    if options.worker:
        contender, work = options.worker.split(':')
        if work == 'load':
            return LOADERS[contender](options)
        WORKERS[contender](work, options)
        moved = dict(line.split(': ') for line in open('/proc/self/io').read().splitlines())
        return print(f"reads {int(moved['read_bytes']) / MIB:.0f} writes {int(moved['write_bytes']) / MIB:.0f} MiB of the disk")

    pythons = {name: options.peers if name in ('dask', 'cubed', 'duckdb') else sys.executable for name in WORKERS}
    build = os.path.abspath(options.build)
    os.environ.setdefault('ACC_BACKENDS_DIR', os.path.join(build, 'acc-backends/native'))
    os.makedirs(options.dir, exist_ok=True)
    options.dir = tempfile.mkdtemp(prefix='bench-', dir=options.dir)
    failed = False
    try:
        make(options)
        # What an interpreter and its modules take has its place beside the limit.
        if not memory_group.make(options.limit + 256):
            print('# no memory cgroup: the page cache is all that there is')
        for contender in LOADERS.keys() & set(options.contenders):
            run(options, contender, 'load', pythons[contender])
        print(f'# {options.mib} MiB within {options.limit} MiB')
        for work in options.works:
            read, written = measure_disk(options)
            least = (PASSES[work][0] * read + PASSES[work][1] * written) * options.mib
            print(f'# {work}: the disk reads {1 / read:.0f} and writes {1 / written:.0f} MiB/s now: {least:.1f} s for what acc moves')
            for contender in options.contenders:
                for entry in os.scandir(options.dir):
                    if entry.is_dir():
                        shutil.rmtree(entry)
                    elif entry.name.startswith('out.'):
                        os.unlink(entry)
                drop_inputs(options)
                seconds, told = run(options, contender, work, pythons[contender])
                failed |= contender == 'acc' and seconds is None
                print(f'{work:10} {contender:8} ' + (f'{seconds:8.1f} s   {told}   {seconds / least if least else 0:5.2f} of the disk' if seconds is not None else told), flush=True)
    finally:
        shutil.rmtree(options.dir)
        memory_group.remove()
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
