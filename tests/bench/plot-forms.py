#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A picture of both forms in which elements of nested arrays can be gone through, by the lengths of elements: acc's and the other.

plot-forms.py PICTURE.svg TABLE.json…

A table is what this leaves:
run-table.py --works nested-placed-even,nested-placed-power --contenders acc,acc-numbers --growth --least --json TABLE.json
Of several the least times count, and there may be one for each contender, so that none takes memory from another."""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'works'))

from plots import Axis, BETWEEN, BOTTOM, FIELD_HEIGHT, FIELD_WIDTH, GREY, LEFT, TOP, line, mark, power_text, text  # noqa: E402
from works import CONTENDERS, WORKS  # noqa: E402

LINES = {'acc-numbers': ('#1f78c8', 1.3, 'square'), 'acc': ('#e0500a', 2.5, 'circle')}


def draw(rows):
    works = [work for work in WORKS if any(row['work'] == work.name for row in rows)]
    least = {}
    for row in rows:
        for name, entry in row['contenders'].items():
            key = row['work'], name, row['size']
            least[key] = min(least.get(key, entry['seconds']), entry['seconds'])
    rates = {(work.name, name): [] for work in works for name in LINES}
    for (work, name, size), seconds in least.items():
        rates[work, name].append((size, 2**22 / seconds))
    width = LEFT + len(works) * (FIELD_WIDTH + BETWEEN)
    up = Axis([y for points in rates.values() for _, y in points], TOP + FIELD_HEIGHT, -FIELD_HEIGHT)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {TOP + FIELD_HEIGHT + BOTTOM + 24}" width="{width}"'
           f' height="{TOP + FIELD_HEIGHT + BOTTOM + 24}" font-family="system-ui, sans-serif">',
           text(LEFT, 18, 'Values in a second, 2²² in all', 'start', 15, GREY, ' font-weight="bold"')]
    for k, work in enumerate(works):
        left = LEFT + k * (FIELD_WIDTH + BETWEEN)
        along = Axis([row['size'] for row in rows if row['work'] == work.name], left, FIELD_WIDTH)
        out.append(text(left + FIELD_WIDTH, 36, work.title, 'end'))
        for exponent in along.ticks():
            out.append(line([(along(10.0**exponent), TOP), (along(10.0**exponent), TOP + FIELD_HEIGHT)], GREY, 0.4))
            out.append(text(along(10.0**exponent), TOP + FIELD_HEIGHT + 16, power_text(exponent)))
        for exponent in up.ticks():
            out.append(line([(left, up(10.0**exponent)), (left + FIELD_WIDTH, up(10.0**exponent))], GREY, 0.4))
            if k == 0:
                out.append(text(left - 6, up(10.0**exponent) + 4, f'{power_text(exponent)}/s', 'end'))
        out.append(text(left + FIELD_WIDTH / 2, TOP + FIELD_HEIGHT + 36, work.elements))
        for name, (colour, thickness, shape) in LINES.items():
            points = [(along(x), up(y)) for x, y in sorted(rates[work.name, name])]
            out.append(line(points, colour, thickness))
            out += [mark(shape, x, y, colour) for x, y in points]
    for k, (name, (colour, thickness, shape)) in enumerate(LINES.items()):
        x, y = LEFT + 220 * k, TOP + FIELD_HEIGHT + BOTTOM + 10
        out += [line([(x, y), (x + 22, y)], colour, thickness), mark(shape, x + 11, y, colour),
                text(x + 28, y + 4, CONTENDERS[name].title, 'start', 12)]
    return '\n'.join([*out, '</svg>']) + '\n'


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    rows = []
    for name in sys.argv[2:]:
        with open(name) as file:
            rows += json.load(file)['rows']
    with open(sys.argv[1], 'w') as file:
        file.write(draw(rows))


if __name__ == '__main__':
    main()
