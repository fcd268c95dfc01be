#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Spheres that mirror each other on a chequered floor, under one lamp, after Whitted (1980): a loop for every pixel that
follows its ray from mirror to mirror."""

import argparse
import functools
import time

import gi
import numpy as np

gi.require_version('Acc', '1')
from gi.repository import Acc  # noqa: E402

VECTOR = [('x', 'f4'), ('y', 'f4'), ('z', 'f4')]
SPHERE = [('centre', VECTOR), ('radius', 'f4'), ('colour', VECTOR), ('mirror', 'f4')]
SPHERES = np.array([
    ((-1.6, 1.0, 4.6), 1.0, (0.9, 0.2, 0.2), 0.3),
    ((0.6, 0.7, 3.4), 0.7, (0.2, 0.6, 0.3), 0.2),
    ((1.9, 1.3, 5.6), 1.3, (0.9, 0.9, 0.9), 0.8),
    ((-0.5, 0.35, 2.6), 0.35, (0.2, 0.3, 0.9), 0.1),
    ((-0.2, 2.6, 6.5), 0.9, (0.9, 0.7, 0.2), 0.5),
], SPHERE)

EYE = (0.13, 1.57, -2.03)
LAMP = (-5.0, 8.0, -3.0)
ZOOM = 1.4               # height of the picture at distance 1: 1 / ZOOM
FLOOR_COLOURS = (0.85, 0.85, 0.8), (0.25, 0.25, 0.3)
FLOOR_MIRROR = 0.15
HORIZON, ZENITH = (0.9, 0.95, 1.0), (0.3, 0.5, 0.9)
AMBIENT = 0.15
REFLECTIONS = 3
NEAR, FAR = 1e-3, 50.0   # a ray that leaves a surface does not meet it at once; the floor ends far away

f4 = functools.partial(Acc.Expr.new_typed_float, Acc.ElementType.parse('f4'))


class Vector(tuple):
    """Three expressions or numbers."""

    def __add__(self, other):
        return Vector(a + b for a, b in zip(self, other))

    def __sub__(self, other):
        return Vector(a - b for a, b in zip(self, other))

    def __mul__(self, factor):
        return Vector(a * factor for a in self)

    def dot(self, other):
        x, y, z = (a * b for a, b in zip(self, other))
        return x + y + z

    def unit(self):
        return self * (1.0 / Acc.sqrt(self.dot(self)))


def nearest(spheres, origin, direction):
    """How far a ray goes until it meets a sphere, and the number of that; FAR and -1 where it meets none."""
    def look_at_next(state):
        i, distance, number = state
        centre, radius, _, _ = spheres[i]
        from_centre = origin - Vector(centre)
        along = from_centre.dot(direction)
        inside = along * along - from_centre.dot(from_centre) + radius * radius
        reached = -along - Acc.sqrt(Acc.max(inside, 0.0))
        closer = (inside > 0.0) & (reached > NEAR) & (reached < distance)
        return i + 1, Acc.cond(closer, reached, distance), Acc.cond(closer, i, number)

    _, distance, number = Acc.loop(lambda state: state[0] < spheres.extent(0), look_at_next, (0, f4(FAR), -1))
    return distance, number


def choose(condition, then, otherwise):
    return Vector(Acc.cond(condition, Vector(then), Vector(otherwise)))


def constant(numbers):
    return Vector(map(f4, numbers))


def brightness(spheres, point, normal):
    """Of a surface: what comes from everywhere, and from the lamp where no sphere is in the way."""
    to_lamp = Vector(LAMP) - point
    direction = to_lamp.unit()
    distance, _ = nearest(spheres, point, direction)
    lit = distance * distance > to_lamp.dot(to_lamp)
    return Acc.cond(lit, AMBIENT + (1 - AMBIENT) * Acc.max(normal.dot(direction), 0.0), f4(AMBIENT))


def follow(spheres, state):
    """From one surface to the next. The weight is the part of the pixel's colour that is still open."""
    n, origin, direction, weight, colour = state
    origin, direction, colour = Vector(origin), Vector(direction), Vector(colour)

    to_sphere, number = nearest(spheres, origin, direction)
    to_floor = Acc.cond(direction[1] < -NEAR, origin[1] / -direction[1], f4(FAR))
    is_sphere = to_sphere < to_floor
    distance = Acc.min(to_sphere, to_floor)
    point = origin + direction * distance

    centre, radius, sphere_colour, sphere_mirror = spheres[Acc.max(number, 0)]
    is_light = (Acc.floor(point[0]) + Acc.floor(point[2])) % 2.0 == 0.0
    floor_colour = choose(is_light, *map(constant, FLOOR_COLOURS))
    normal = choose(is_sphere, (point - Vector(centre)) * (1.0 / radius), constant((0, 1, 0)))
    mirror = Acc.cond(is_sphere, sphere_mirror, f4(FLOOR_MIRROR))
    own = choose(is_sphere, sphere_colour, floor_colour) * (brightness(spheres, point, normal) * weight * (1.0 - mirror))
    reflected = direction - normal * (2.0 * normal.dot(direction))

    height = Acc.max(direction[1], 0.0)
    sky = (Vector(HORIZON) * (1.0 - height) + Vector(ZENITH) * height) * weight
    return Acc.cond(distance < FAR, (n + 1, point, reflected, weight * mirror, colour + own),
                    (n + 1, origin, direction, f4(0), colour + sky))


def colour_of_pixel(spheres, height, width, index):
    down, right = (i.cast('f4') + 0.5 for i in index)
    ray = Vector(((right - width / 2) * (1 / height), (height / 2 - down) * (1 / height), f4(ZOOM))).unit()
    state = 0, constant(EYE), ray, f4(1), constant((0, 0, 0))
    last = Acc.loop(lambda state: (state[0] <= REFLECTIONS) & (state[3] > 0.0), lambda state: follow(spheres, state), state)
    return last[4]


def channel(index, colour):
    """One byte of a pixel"""
    light = Acc.cond(index[2] == 0, colour[0], Acc.cond(index[2] == 1, colour[1], colour[2]))
    return Acc.round(Acc.min(light, 1.0) * 255.0).cast('u1')


def picture(spheres, height, width):
    """[height,width,3] of u1"""
    spheres = Acc.use(spheres)
    # All three channels read the colours: compute them once.
    colours = Acc.generate((height, width), lambda index: colour_of_pixel(spheres, height, width, index)).compute()
    return colours.replicate(Acc.ALL, Acc.ALL, 3).imap(channel)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('output', metavar='OUTPUT.png')
    parser.add_argument('--height', type=int, default=480)
    parser.add_argument('--width', type=int, default=720)
    options = parser.parse_args()
    if options.height < 1 or options.width < 1:
        parser.error('the picture needs a pixel')

    started = time.monotonic()
    drawn = picture(SPHERES, options.height, options.width).run()
    print(f'{time.monotonic() - started:.2f} s on {Acc.Backend.get_default().get_name()}')
    drawn.write(Acc.create_sink(options.output))


if __name__ == '__main__':
    main()
