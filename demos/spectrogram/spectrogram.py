#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A picture of a sound: time to the right, pitch upwards, loudness as grey. The sound may be of any length."""

import argparse
import math
import wave

import gi
import numpy as np

gi.require_version('Acc', '1')
from gi.repository import Acc  # noqa: E402: the version comes first

SIZE, STEP = 1024, 256      # samples of a window, and from one to the next
QUIETEST = -100.            # decibels below the loudest tone there is, for black


def hann(size):
    return (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size)).astype('f4')


def levels(window):
    """The loudness of each pitch of a window, upwards from the lowest, 0 to 255."""
    n = len(window)
    spectrum = window.zip_with(hann(n), lambda x, w: x * w).rfft()
    # A tone as loud as can be has n / 4 here.
    powers = spectrum.map(lambda z: (z.real * z.real + z.imag * z.imag) / (n / 4) ** 2)
    decibels = powers.map(lambda p: 10 / math.log(10) * Acc.log(Acc.max(p, 1e-30)))
    return decibels.map(lambda d: Acc.round(Acc.min(Acc.max(1 - d / QUIETEST, 0.), 1.) * 255).cast('u1'))


def picture(windows):
    """Of a sequence of windows: one column for each, the highest pitch on top."""
    return windows.map(levels).stack().transpose().reverse_on(0)


def cut(samples, size=SIZE, step=STEP):
    """Windows of sound that comes in blocks of any length."""
    waiting = np.zeros(0, 'f4')
    for block in samples:
        waiting = np.concatenate([waiting, block])
        while len(waiting) >= size:
            yield waiting[:size]
            waiting = waiting[step:]


def read(path, block=1 << 16):
    """The sound of a file, all channels as one."""
    with wave.open(path) as sound:
        if sound.getsampwidth() != 2:
            raise SystemExit(f'{path}: samples of {8 * sound.getsampwidth()} bits, not of 16')
        while frames := sound.readframes(block):
            yield np.frombuffer(frames, '<i2').reshape(-1, sound.getnchannels()).mean(1, dtype='f4') / 32768


def chirp(seconds=10, rate=16000):
    """A tone that rises, and a bell each second."""
    for second in range(seconds):
        t = second + np.arange(rate) / rate
        yield (0.5 * np.sin(2 * np.pi * 300 * t * t) + 0.4 * np.exp(-8 * (t - second)) * np.sin(2 * np.pi * 2500 * t)).astype('f4')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('sound', nargs='?', metavar='SOUND', help='a .wav of 16 bits; without one, a sound that is made up')
    parser.add_argument('--output', default='spectrogram.png', metavar='FILE', help='a .png (spectrogram.png)')
    options = parser.parse_args()

    sound = (lambda: cut(read(options.sound))) if options.sound else lambda: cut(chirp())
    image = picture(Acc.Sequence.from_iterable(sound, 'f4', shape=SIZE)).run()
    image.write(Acc.create_sink(options.output))
    print(f'{options.output}: {image.shape[1]} × {image.shape[0]}')


if __name__ == '__main__':
    main()
