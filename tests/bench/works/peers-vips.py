# SPDX-License-Identifier: LGPL-2.1-or-later
import os

import contender

os.environ['VIPS_CONCURRENCY'] = str(contender.threads)
np = contender.library('numpy')
pyvips = contender.library('pyvips')

import inputs  # noqa: E402

pyvips.cache_set_max(0)


def measured(side, operation):
    """From memory to memory"""
    picture = inputs.picture(side)
    image = pyvips.Image.new_from_memory(picture.data, side, side, 1, 'uchar')
    last = []

    def run():
        last[:] = [operation(image).write_to_memory()]

    return run, lambda: contender.digest(np.frombuffer(last[0], np.uint8))


@contender.work('gauss')
def gauss(side):
    """Rounded after each of two passes"""
    mask = pyvips.Image.new_from_array([[1, 4, 6, 4, 1]], scale=16)
    return measured(side, lambda image: image.convsep(mask, precision='integer'))


@contender.work('sobel')
def sobel(side):
    return measured(side, lambda image: image.sobel())


contender.main()
