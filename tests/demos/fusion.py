#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""fusion.py BUILT SOURCES [--python]: how many steps and kernels the demos in C, or in Python, become, and how many bytes these move.

Counted by ACC_DEBUG=fusion, from the plan, so that the machine does not matter. Of the plans of a demo the one that moves most counts:
of a loop, its body. The last column is the least that any program for it moves, inputs and results once, and why acc does not get there.
"""

import os
import re
import subprocess
import sys
import tempfile

TOTAL = re.compile(r'in all: (\d+) steps?, (\d+) kernels?, (\d+) bytes read, (\d+) written')

# What runs, its arguments, steps, kernels, bytes, the least
DEMOS = [
    ('edges/edges', ['--near', '{sources}/edges/astronaut.png', '{output}.png'], 6, 6, 6291456,
     '1048576: which it is, by rows: a source streams'),
    ('black-scholes/black-scholes', ['1000000'], 1, 1, 20000000, '20000000'),
    ('mandelbrot/mandelbrot', ['--width', '1000', '{output}.png'], 2, 2, 7337768,
     '2001768: asks for the counts to be computed once for three colours'),
    ('fluid/fluid', ['--size', '512', '--steps', '1', '{output}.png'], 5, 5, 13631496,
     '7340032: what is carried along is read by index, where the fluid came from; zeros to begin with'),
    ('n-body/n-body', ['--steps', '1', '4096'], 2, 2, 720896, '425984: of positions in the middle of the step all are read by each'),
    ('nas-mg/nas-mg', ['W'], 27, 28, 242073864, '84000000: stencils over stencils that wrap around do not go by rows'),
    ('flash-attention/flash-attention', ['--length', '2048', '--depth', '64', '--block', '256'], 5, 7, 13434912,
     '1736720: scores and weights of a block are stored'),
    ('pagerank/pagerank', ['--pages', '100000'], 3, 7, 26735720, '13916936: shares are gathered, ranks need all of them'),
    ('quicksort/quicksort', ['100000'], 7, 13, 27001122, '4400000: a permute waits for a scan that waits for a permute'),
    ('radix-sort/radix-sort', ['1000000'], 5, 9, 144010064, '16000000: a count per digit is stored for each record'),
    ('smvm/smvm', ['{output}.mtx'], 5, 5, 104072, '48000: as segments, see test-fusion.c; the vector is gathered'),
]
PYTHON_DEMOS = [
    ('k-means/k_means.py', ['--points', '100000'], 5, 10, 7583862, '3200080: sums and counts are permutes, one each'),
    ('game-of-life/life.py', ['--soup', '1', '--height', '1000', '--width', '1000', '--generations', '2'], 1, 1, 2000000, '2000000'),
    ('md5/md5.py', ['--letters', '3', 'd41d8cd98f00b204e9800998ecf8427e'], 2, 2, 1754808, '1169880: asks for digests to be computed once'),
    ('ray-tracer/ray_tracer.py', ['{output}.png'], 2, 2, 9331360, '1036960: asks for colours to be computed once for three bytes'),
]


def write_matrix(path):
    with open(path, 'w') as matrix:
        matrix.write('%%MatrixMarket matrix coordinate real general\n1000 1000 3000\n')
        for i in range(3000):
            matrix.write(f'{i % 1000 + 1} {i * 7 % 1000 + 1} 1.5\n')


def measure(command):
    environment = dict(os.environ, ACC_DEBUG='fusion', ACC_BACKEND='native', ACC_DISABLE='libraries')
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    plans = [tuple(map(int, found)) for found in TOTAL.findall(done.stderr)]
    if done.returncode != 0 or not plans:
        raise RuntimeError(f'exit status {done.returncode}, {len(plans)} plans: {done.stderr[-2000:]}')
    steps, kernels, read, written = max(plans, key=lambda plan: plan[2] + plan[3])
    return steps, kernels, read + written


def main():
    built, sources = sys.argv[1:3]
    if '--python' in sys.argv:
        demos = [(name, [sys.executable, f'{sources}/{name}'], row) for name, *row in PYTHON_DEMOS]
    else:
        demos = [(name, [f'{built}/{name}'], row) for name, *row in DEMOS]

    print(f'1..{len(demos)}')
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, 'output')
        write_matrix(output + '.mtx')
        for number, (name, command, (arguments, *expected, least)) in enumerate(demos, 1):
            arguments = [argument.format(sources=sources, output=output) for argument in arguments]
            try:
                found = list(measure(command + arguments))
            except (OSError, RuntimeError) as error:
                found = error
            print('ok' if found == expected else 'not ok', number, f'{name}: (least {least})')
            if found != expected:
                failed += 1
                print(f'# {name}: steps, kernels, bytes are {found}, not {expected}')
    sys.exit(1 if failed else 0)


main()
