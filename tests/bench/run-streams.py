#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures larger than caches, file to file: acc, the same by hand in C, and libvips, in turn.

run-streams.py [--build DIR] [--dir DIR] [--side N] [--rounds N] [--demo PNG]

Blur (Gaussian of radius 4) and Sobel of an N x N RGB raw file into memory-backed storage; with --demo also the edge demo
against `vips` doing blur and Sobel on the same PNG. Medians of wall time and peak resident memory; a plain copy before
and after shows what the machine does.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def run(command, env=None):
    start = time.monotonic()
    pid = os.posix_spawnp(command[0], command, dict(os.environ, **(env or {})),
                          file_actions=[(os.POSIX_SPAWN_OPEN, 1, '/dev/null', os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f'{" ".join(command)} failed')
    return time.monotonic() - start, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


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


def picture(side, path):
    import numpy as np
    y, x = np.mgrid[0:1024, 0:side]
    rng = np.random.default_rng(1)
    with open(path, 'wb') as file:
        for first in range(0, side, 1024):
            n = min(1024, side - first)
            band = (127 + 60 * np.sin(x[:n] / 97) + 60 * np.sin((y[:n] + first) / 61))[:, :, None] + np.array([0, 20, -20])
            band += rng.integers(-3, 4, size=band.shape)
            file.write(np.clip(band, 0, 255).astype('u1').tobytes())


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
    parser.add_argument('--demo')
    parser.add_argument('--make', help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        picture(options.side, options.make)
        return
    options.dir = tempfile.mkdtemp(prefix='bench-', dir=options.dir)
    bench = os.path.abspath(os.path.join(options.build, 'tests/bench'))
    os.environ.setdefault('ACC_BACKENDS_DIR', os.path.abspath(os.path.join(options.build, 'acc-backends/native')))
    raw, vips_in = os.path.join(options.dir, 'in.raw'), os.path.join(options.dir, 'in.v')
    side, have_vips, results = str(options.side), shutil.which('vips'), []
    out = {name: os.path.join(options.dir, name) for name in ('acc.raw', 'c.raw', 'vips.v')}

    try:
        if options.side:
            # In a process of its own: a child's peak begins with what its parent holds.
            subprocess.run([sys.executable, __file__, '--make', raw, '--side', side], check=True)
            print(f'# {side} x {side} RGB, copy of the file {copy_rate(raw, options.dir):.2f} GB/s')
            if have_vips:
                run(['vips', 'rawload', raw, vips_in, side, side, '3'])
            for work in ('blur', 'sobel'):
                contenders = [('acc', [f'{bench}/bench-stream', work, raw, out['acc.raw'], side, side], out['acc.raw']),
                              ('C by hand', [f'{bench}/peer-raw', work, raw, out['c.raw'], side, side], out['c.raw'])]
                if have_vips:
                    vips = ['vips', '--vips-concurrency=2', 'gaussblur' if work == 'blur' else 'sobel', vips_in, out['vips.v']]
                    contenders.append(('libvips', vips + (['2'] if work == 'blur' else []), out['vips.v']))
                compare(work, contenders, options.rounds, results)
                same = subprocess.run(['cmp', '-s', out['acc.raw'], out['c.raw']]).returncode == 0
                print(f'# {work}: acc and C give {"the same" if same else "DIFFERENT"} bytes')
            print(f'# copy afterwards {copy_rate(raw, options.dir):.2f} GB/s')

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

    print(json.dumps(results))


if __name__ == '__main__':
    main()
