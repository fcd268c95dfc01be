#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A spectrogram against NumPy's Fourier transform."""

import pathlib
import subprocess
import sys
import tempfile
import wave

import numpy as np
from spectrogram import Acc, chirp, cut, picture, read


def by_numpy(sound, size, step):
    sound = np.concatenate(list(sound)).astype('f8')
    starts = range(0, len(sound) - size + 1, step)
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size)
    columns = [10 * np.log10(np.maximum((abs(np.fft.rfft(sound[start:start + size] * hann)) / (size / 4)) ** 2, 1e-30)) for start in starts]
    return np.clip(np.round((np.array(columns) / 100 + 1) * 255), 0, 255).T[::-1]


for size, step, seconds in ((1024, 256, 3), (256, 256, 1), (64, 100, 1)):
    image = np.asarray(picture(Acc.Sequence.from_iterable(lambda: cut(chirp(seconds), size, step), 'f4', shape=size)))
    want = by_numpy(chirp(seconds), size, step)
    assert image.dtype == 'u1' and image.shape == want.shape, (image.shape, want.shape)
    # Single precision is heard where there is next to nothing.
    loud = want > 40
    assert loud.mean() > 0.05 and abs(image - want)[loud].max() <= 1, (loud.mean(), abs(image - want)[loud].max())
    assert abs(image - want)[~loud].max() <= 12, abs(image - want)[~loud].max()

# One tone is one line: 1000 of 16000 Hz is pitch 64 of 1024.
tone = [np.sin(2 * np.pi * 1000 * np.arange(16000) / 16000).astype('f4')]
image = np.asarray(picture(Acc.Sequence.from_iterable(lambda: cut(tone), 'f4', shape=1024)))
assert (image[::-1].argmax(0) == 64).all() and (image.max(0) == 255).all()

# A file, in stereo, and the picture that the program writes of it
with tempfile.TemporaryDirectory() as folder:
    path, output = str(pathlib.Path(folder, 'sound.wav')), str(pathlib.Path(folder, 'sound.png'))
    samples = (np.concatenate(list(chirp(2))) * 32767).astype('<i2')
    with wave.open(path, 'wb') as sound:
        sound.setnchannels(2)
        sound.setsampwidth(2)
        sound.setframerate(16000)
        sound.writeframes(np.repeat(samples, 2).tobytes())
    subprocess.run([sys.executable, pathlib.Path(__file__).with_name('spectrogram.py'), path, '--output', output], check=True, stdout=subprocess.DEVNULL)
    written = np.asarray(Acc.open_source(output).run())
    want = by_numpy(read(path), 1024, 256)
    assert written.shape == want.shape, (written.shape, want.shape)
    assert abs(written - want)[want > 40].max() <= 1

print('all pictures as expected')
