#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The picture against one by NumPy in double precision: sphere after sphere, all rays at once, reflections by recursion."""

import pathlib
import tempfile

import numpy as np
import ray_tracer as rt
from gi.repository import Acc


def dot(a, b):
    return (a * b).sum(axis=-1, keepdims=True)


def unit(a):
    return a / np.sqrt(dot(a, a))


def vector(record):
    return np.array(record.tolist())


def distances(spheres, origins, directions):
    """[rays, spheres + 1], the last column for none"""
    columns = []
    for sphere in spheres:
        offset = origins - vector(sphere['centre'])
        half = dot(offset, directions)
        root = half ** 2 - dot(offset, offset) + float(sphere['radius']) ** 2
        distance = -half - np.sqrt(np.maximum(root, 0))
        columns.append(np.where((root > 0) & (distance > rt.NEAR), distance, np.inf))
    return np.concatenate(columns + [np.full((len(origins), 1), rt.FAR)], axis=1)


def colours(spheres, origins, directions, reflections):
    if len(origins) == 0:
        return np.zeros((0, 3))

    to_spheres = distances(spheres, origins, directions)
    number = to_spheres.argmin(axis=1)
    to_sphere = to_spheres.min(axis=1)
    slope = directions[:, 1]
    falling = slope < -rt.NEAR
    to_floor = np.where(falling, origins[:, 1] / np.where(falling, -slope, 1), np.inf)

    up = np.maximum(slope, 0)[:, None]
    result = (1 - up) * rt.HORIZON + up * rt.ZENITH

    for surface in range(len(spheres) + 1):
        is_floor = surface == len(spheres)
        here = (to_floor <= to_sphere) & (to_floor < rt.FAR) if is_floor else (number == surface) & (to_sphere < to_floor)
        incoming = directions[here]
        points = origins[here] + incoming * np.where(is_floor, to_floor, to_sphere)[here, None]
        if is_floor:
            normals = np.array([[0., 1, 0]])
            squares = np.floor(points[:, 0]) + np.floor(points[:, 2])
            colour = np.where((squares % 2 == 0)[:, None], *rt.FLOOR_COLOURS)
            mirror = rt.FLOOR_MIRROR
        else:
            normals = unit(points - vector(spheres[surface]['centre']))
            colour, mirror = vector(spheres[surface]['colour']), float(spheres[surface]['mirror'])

        lamp = rt.LAMP - points
        shadowed = distances(spheres, points, unit(lamp)).min(axis=1, keepdims=True) ** 2 <= dot(lamp, lamp)
        light = rt.AMBIENT + (1 - rt.AMBIENT) * np.where(shadowed, 0, np.maximum(dot(normals, unit(lamp)), 0))
        result[here] = (1 - mirror) * light * colour
        if reflections > 0:
            outgoing = incoming - 2 * dot(incoming, normals) * normals
            result[here] += mirror * colours(spheres, points, outgoing, reflections - 1)

    return result


def picture(spheres, height, width):
    y, x = np.mgrid[0:height, 0:width]
    rays = np.stack([(x + 0.5 - width / 2) / height, (height / 2 - y - 0.5) / height, np.full(x.shape, rt.ZOOM)], axis=-1)
    rays = unit(rays.reshape(-1, 3))
    seen = colours(spheres, np.broadcast_to(rt.EYE, rays.shape), rays, rt.REFLECTIONS)
    return np.rint(255 * np.minimum(seen, 1)).astype('u1').reshape(height, width, 3)


for spheres in (rt.SPHERES, rt.SPHERES[2:3], rt.SPHERES[:0]):
    for height, width in ((97, 143), (1, 1), (2, 50)):
        got = np.asarray(rt.picture(spheres, height, width))
        wanted = picture(spheres, height, width)
        assert got.shape == wanted.shape and got.dtype == wanted.dtype
        # A ray that touches an edge may pass it on either side, and a mirror makes a small angle large.
        differences = np.abs(got.astype('i4') - wanted).max(axis=-1)
        wrong = (differences > 1).sum()
        print(f'{len(spheres)} spheres, {height} × {width}: {wrong} pixels differ by more than 1, {(differences == 1).sum()} by 1')
        assert wrong <= 0.002 * height * width, 'too many pixels differ'
        assert (differences == 1).sum() <= 0.02 * height * width, 'too many pixels differ by 1'

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, 'spheres.png')
    drawn = rt.picture(rt.SPHERES, 30, 45).run()
    drawn.write(Acc.create_sink(path))
    read = np.asarray(Acc.open_source(path))
    assert (read == np.asarray(drawn)).all()
    assert len(np.unique(read.reshape(-1, 3), axis=0)) > 300, 'the picture is empty'
