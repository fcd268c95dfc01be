# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures of what run-table.py --growth measured: a file per work, with a field per number of threads; both axes are logarithmic.

Up is what is done in a second, so that a machine that is used well gives a flat line. No colour is black or white, nor is there a
ground: the pictures are read on dark pages as on light ones."""

import math
import os

from works import CONTENDERS, WORKS

FIELD_WIDTH, FIELD_HEIGHT = 380, 280
LEFT, TOP, BOTTOM, BETWEEN, LEGEND = 58, 46, 44, 34, 130
GREY = '#808080'
COLOURS = {'acc': '#e0500a', 'acc-fast': '#f0a060', 'c': '#1f78c8', 'numpy': '#109c6c', 'numba': '#c25fa0', 'jax': '#d49a00',
           'torch': '#40a8e0', 'opencv': '#8f6fd0', 'scipy': '#a06a50', 'arrow': '#12a5b5', 'duckdb': '#a0a020', 'halide': '#d05070',
           'vips': '#70a040'}
MARKS = {'acc': 'circle', 'acc-fast': 'ring', 'c': 'square', 'numpy': 'up', 'numba': 'diamond', 'jax': 'down', 'torch': 'square',
         'opencv': 'diamond', 'scipy': 'up', 'arrow': 'down', 'duckdb': 'ring', 'halide': 'ring', 'vips': 'ring'}
PREFIXES = {-3: 'm', 0: '', 3: 'k', 6: 'M', 9: 'G', 12: 'T', 15: 'P'}


def mark(shape, x, y, colour):
    paths = {'square': 'M-3-3h6v6h-6z', 'diamond': 'M0-4.2l4.2 4.2-4.2 4.2-4.2-4.2z', 'up': 'M0-4l4 7h-8z', 'down': 'M0 4l4-7h-8z'}
    if shape in paths:
        return f'<path d="{paths[shape]}" transform="translate({x:.1f} {y:.1f})" fill="{colour}"/>'
    hollow = shape == 'ring'
    return (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{3 if hollow else 3.6}" fill="{"none" if hollow else colour}"'
            f' stroke="{colour}" stroke-width="1.5"/>')


def text(x, y, words, anchor='middle', size=11, colour=GREY, more=''):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}"{more}>{words}</text>'


def line(points, colour, width, dashes=''):
    path = ' '.join(f'{x:.1f},{y:.1f}' for x, y in points)
    dashes = f' stroke-dasharray="{dashes}"' if dashes else ''
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round"{dashes}/>'


def power_text(exponent, what=''):
    third = exponent // 3 * 3
    return f'{10 ** (exponent - third)}{" " if what else ""}{PREFIXES.get(third, f"e{third}")}{what}'


class Axis:
    def __init__(self, values, start, length):
        self.low = math.floor(math.log10(min(values)) + 1e-9)
        self.high = max(math.ceil(math.log10(max(values)) - 1e-9), self.low + 1)
        self.start, self.length = start, length

    def __call__(self, value):
        return self.start + (math.log10(value) - self.low) / (self.high - self.low) * self.length

    def ticks(self):
        return range(self.low, self.high + 1)


def draw_work(work, rows):
    threads = sorted({row['threads'] for row in rows})
    names = [name for name in CONTENDERS if any(name in row['contenders'] for row in rows)]
    rate = {}
    for row in rows:
        for name, entry in row['contenders'].items():
            rate.setdefault((row['threads'], name), []).append((work.count(row['size']), work.count(row['size']) / entry['seconds']))
        if row['limit']:
            rate.setdefault((row['threads'], 'limit'), []).append((work.count(row['size']), work.count(row['size']) / row['limit']))
    values = [y for points in rate.values() for _, y in points]
    width = LEFT + len(threads) * FIELD_WIDTH + (len(threads) - 1) * BETWEEN + LEGEND
    height = TOP + FIELD_HEIGHT + BOTTOM
    up = Axis(values, TOP + FIELD_HEIGHT, -FIELD_HEIGHT)
    unit = 'flop' if work.flops(1000) and not work.bytes(1000) > work.flops(1000) else ''
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
           ' font-family="system-ui, sans-serif">', text(LEFT, 18, work.title, 'start', 15, GREY, ' font-weight="bold"')]

    for k, n in enumerate(threads):
        left = LEFT + k * (FIELD_WIDTH + BETWEEN)
        along = Axis([x for points in rate.values() for x, _ in points], left, FIELD_WIDTH)
        out.append(text(left + FIELD_WIDTH, 36, f'{n} thread{"s" if n > 1 else ""}', 'end'))
        for exponent in along.ticks():
            x = along(10.0**exponent)
            out.append(line([(x, TOP), (x, TOP + FIELD_HEIGHT)], GREY, 0.4))
            out.append(text(x, TOP + FIELD_HEIGHT + 16, power_text(exponent)))
        for exponent in up.ticks():
            y = up(10.0**exponent)
            out.append(line([(left, y), (left + FIELD_WIDTH, y)], GREY, 0.4))
            if k == 0:
                out.append(text(left - 6, y + 4, f'{power_text(exponent)}/s', 'end'))
        out.append(text(left + FIELD_WIDTH / 2, TOP + FIELD_HEIGHT + 36, 'flops' if unit else work.elements))
        for name in ['limit', *reversed(names)]:
            points = [(along(x), up(y)) for x, y in sorted(rate.get((n, name), []))]
            if not points:
                continue
            if name == 'limit':
                out.append(line(points, GREY, 1.5, '6 4'))
                continue
            out.append(line(points, COLOURS[name], 2.5 if name == 'acc' else 1.3))
            out += [mark(MARKS[name], x, y, COLOURS[name]) for x, y in points]

    # In the order in which they end, the quickest first.
    final = {name: sorted(rate.get((threads[-1], name)) or next(rate[t, name] for t in threads if (t, name) in rate))[-1] for name in names}
    x = width - LEGEND + 16
    for k, name in enumerate(sorted(names, key=lambda name: -final[name][1])):
        y = TOP + 12 + 20 * k
        out.append(line([(x, y), (x + 22, y)], COLOURS[name], 2.5 if name == 'acc' else 1.3))
        out.append(mark(MARKS[name], x + 11, y, COLOURS[name]))
        out.append(text(x + 28, y + 4, CONTENDERS[name].title, 'start', 12))
    if any(name == 'limit' for _, name in rate):
        y = TOP + 12 + 20 * len(names)
        out += [line([(x, y), (x + 22, y)], GREY, 1.5, '6 4'), text(x + 28, y + 4, 'limit', 'start', 12)]
    return '\n'.join([*out, '</svg>']) + '\n'


def draw(rows, folder):
    """A file per work that was measured in several sizes."""
    os.makedirs(folder, exist_ok=True)
    for work in WORKS:
        own = [row for row in rows if row['work'] == work.name]
        if len({row['size'] for row in own}) > 1:
            with open(os.path.join(folder, work.name + '.svg'), 'w') as file:
                file.write(draw_work(work, own))
