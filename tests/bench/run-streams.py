#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures larger than caches, file to file: acc, the same by hand in C, and libvips, in turn.

run-streams.py [--build DIR] [--dir DIR] [--side N] [--rounds N] [--works A,B] [--disk MIB] [--demo PNG]

Blur (Gaussian of radius 4) and Sobel of an N x N RGB raw file into memory-backed storage; with --demo also the edge demo
against `vips` doing blur and Sobel on the same PNG. Medians of wall time and peak resident memory; a plain copy before
and after shows what the machine does.

--disk is for pictures larger than memory, in a --dir on a disk: each contender, a plain copy among them, in a memory cgroup of so many MiB,
its input not in the page cache, its output on the disk at the end. Least times, and how many times as long as the copy.
"""

import argparse
import json
import os
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import memory_group

HEADER = '64'   # bytes
BAND = 256   # rows


def run(command):
    start = time.monotonic()
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, '/dev/null', os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f'{" ".join(command)} failed')
    return time.monotonic() - start, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


def leave_cache(path):
    """Waits until the file is on the disk, and nowhere else."""
    with open(path, 'rb') as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def compare_on_disk(work, contenders, rounds, results):
    """The last contender is the copy."""
    times = {name: [] for name, *_ in contenders}
    for _ in range(rounds):
        for name, command, source, output in contenders:
            if os.path.exists(output):
                os.unlink(output)
            leave_cache(source)
            start = time.monotonic()
            child = subprocess.Popen(command, preexec_fn=memory_group.enter, stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = status
            if status:
                sys.exit(f'{" ".join(command)} failed')
            leave_cache(output)
            times[name].append((time.monotonic() - start, usage.ru_utime, usage.ru_stime))
            os.unlink(output)
    copy = min(t[0] for t in times[contenders[-1][0]])
    for name, *_ in contenders:
        seconds, user, system = (min(t[k] for t in times[name]) for k in range(3))
        print(f'{work:10} {name:16} {seconds:7.2f} s   user {user:7.2f} s   system {system:7.2f} s   {seconds / copy:5.2f} of the copy   '
              f'all: {" ".join(f"{t[0]:.1f}" for t in times[name])}', flush=True)
        results.append({'work': work, 'contender': name, 'seconds': seconds, 'user': user, 'system': system})


def compare(work, contenders, rounds, results):
    times = {name: [] for name, *_ in contenders}
    for i in range(rounds + 1):
        for name, command, output in contenders:
            if output and os.path.exists(output):
                os.unlink(output)
            measured = run(command)
            if i:
                times[name].append(measured)
    first = statistics.median(t[0] for t in times[contenders[0][0]])
    for name, *_ in contenders:
        seconds, memory, cpu = (statistics.median(t[k] for t in times[name]) for k in range(3))
        print(f'{work:10} {name:16} {seconds:7.2f} s   cpu {cpu:7.2f} s   peak {memory:7.0f} MiB   acc is {seconds / first:5.2f}x')
        results.append({'work': work, 'contender': name, 'seconds': seconds, 'cpu': cpu, 'peak_mib': memory})


def make_picture(side, path):
    """A picture of libvips' own, raw behind a header, so that all read the same file."""
    import numpy as np
    y, x = np.mgrid[0:BAND, 0:side].astype('f4')
    rng = np.random.default_rng(1)
    with open(path, 'wb') as file:
        file.write(struct.pack('<8I2f', 0x08f2a6b6, side, side, 3, 8, 0, 0, 0, 1, 1).ljust(int(HEADER), b'\0'))
        # Bands that differ would take longer to draw than all contenders take.
        band = (127 + 60 * np.sin(x / 97) + 60 * np.sin(y / 61))[:, :, None] + np.array([0, 20, -20], 'f4')
        band += rng.integers(-3, 4, band.shape, 'i1')
        band = np.clip(band, 0, 255).astype('u1')
        for first in range(0, side, BAND):
            file.write(band[:side - first].tobytes())


def copy_rate(path, directory):
    target = os.path.join(directory, 'copy')
    start = time.monotonic()
    shutil.copyfile(path, target)
    seconds = time.monotonic() - start
    rate = os.path.getsize(path) / seconds / 1e9
    os.unlink(target)
    return rate


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', default='build')
    parser.add_argument('--dir', default='/dev/shm')
    parser.add_argument('--side', type=int, default=20000)
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--works', default='blur,sobel')
    parser.add_argument('--disk', type=int, default=0)
    parser.add_argument('--demo')
    parser.add_argument('--make', help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        make_picture(options.side, options.make)
        return
    options.dir = tempfile.mkdtemp(prefix='bench-', dir=options.dir)
    bench = os.path.abspath(os.path.join(options.build, 'tests/bench'))
    os.environ.setdefault('ACC_BACKENDS_DIR', os.path.abspath(os.path.join(options.build, 'acc-backends/native')))
    picture = os.path.join(options.dir, 'in.v')
    side, have_vips, results = str(options.side), shutil.which('vips'), []
    out = {name: os.path.join(options.dir, name) for name in ('acc.raw', 'c.raw', 'vips.v', 'copy')}

    try:
        if options.side:
            # In a process of its own: a child's peak begins with what its parent holds.
            subprocess.run([sys.executable, __file__, '--make', picture, '--side', side], check=True)
            print(f'# {side} x {side} RGB, copy of the file {copy_rate(picture, options.dir):.2f} GB/s')
            if options.disk:
                if not memory_group.make(options.disk):
                    sys.exit('no memory cgroup can be made here')
                os.environ['ACC_MEMORY_LIMIT'] = str((options.disk // 2) << 20)
            for work in options.works.split(','):
                contenders = [('acc', [f'{bench}/bench-stream', work, picture, out['acc.raw'], side, side, HEADER], picture, out['acc.raw']),
                              ('C by hand', [f'{bench}/peer-raw', work, picture, out['c.raw'], side, side, HEADER], picture, out['c.raw'])]
                if have_vips:
                    vips = ['vips', '--vips-concurrency=2', 'gaussblur' if work == 'blur' else 'sobel', picture, out['vips.v']]
                    contenders.append(('libvips', vips + (['2'] if work == 'blur' else []), picture, out['vips.v']))
                if options.disk:
                    contenders.append(('copy', ['dd', f'if={picture}', f'of={out["copy"]}', 'bs=8M', 'status=none'], picture, out['copy']))
                    compare_on_disk(work, contenders, options.rounds, results)
                    continue
                compare(work, [(name, command, output) for name, command, _, output in contenders], options.rounds, results)
                same = subprocess.run(['cmp', '-s', out['acc.raw'], out['c.raw']]).returncode == 0
                print(f'# {work}: acc and C give {"the same" if same else "DIFFERENT"} bytes')
            print(f'# copy afterwards {copy_rate(picture, options.dir):.2f} GB/s')

        if options.demo:
            edges = os.path.join(options.dir, 'edges.png')
            demo = os.path.abspath(os.path.join(options.build, 'demos/edges/edges'))
            contenders = [('acc', [demo, '--near', '--memory', '64', options.demo, edges], edges)]
            if have_vips:
                blurred = os.path.join(options.dir, 'blurred.v')
                script = (f'vips --vips-concurrency=2 gaussblur {options.demo}[access=sequential] {blurred} 1 && '
                          f'vips --vips-concurrency=2 sobel {blurred} {edges}[compression=1]')
                contenders.append(('libvips', ['sh', '-c', script], edges))
            compare('demo', contenders, options.rounds, results)
    finally:
        shutil.rmtree(options.dir)
        memory_group.remove()

    print(json.dumps(results))


if __name__ == '__main__':
    main()
