# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ctrl-C ends what runs in C, and leaves no file; places of files are named in any way that Python has."""

import io
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

import check
import numpy as np
from gi.repository import Acc, Gio, GLib


def slow(x):
    return Acc.iterate(2 * 10 ** 4, lambda y: y * 3 + 1, x)


def long_work():
    """Of many minutes."""
    return Acc.generate((10 ** 5, 1000), lambda i: slow(i[0] + i[1]).cast('u1'))


class Slow(Acc.Source):
    """Rows that Python makes while the signal comes."""

    def __init__(self):
        super().__init__(element_type=Acc.ElementType.parse('f4'), shape=Acc.Shape.new([10 ** 9, 4]), name='slow')

    def do_read(self, chunk, cancellable):
        time.sleep(0.1)
        chunk.view(0, (4,))[...] = 1
        return True


def run(_):
    long_work().run()


def write(folder):
    long_work().write(Acc.create_sink(f'{folder}/x.npy'))


def stream(folder):
    np.save('in.npy', np.ones((20000, 1000), 'u1'))
    Acc.open_source('in.npy').map(slow).write(Acc.create_sink(f'{folder}/x.png'))


def program(_):
    Acc.program('u1[:]')(lambda a: a.map(slow))(np.zeros(10 ** 8, 'u1'))


def values(_):
    np.asarray(long_work())


def callbacks(folder):
    Acc.Array.new_from_source(Slow()).write(Acc.create_sink(f'{folder}/x.npy'))


def forked(folder):
    (Acc.use(np.ones(3)) + 1).run()
    child = os.fork()
    if child:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    announce()
    run(folder)


def announce():
    """Says that something runs in C, once it does: PyGObject itself does not stand an interruption at any place."""
    interrupts = sys.modules['gi.overrides.Acc._interrupts']

    def wait():
        while interrupts._interrupts is None or not interrupts._interrupts._running:
            time.sleep(0.01)
        print('ready', flush=True)

    threading.Thread(target=wait, daemon=True).start()


def work(name, folder):
    if name != 'forked':
        announce()
    try:
        globals()[name](folder)
    except KeyboardInterrupt:
        print('interrupted', flush=True)
    os._exit(0)


def test_interrupts():
    for name in ('run', 'write', 'stream', 'program', 'values', 'callbacks', 'forked'):
        with tempfile.TemporaryDirectory() as own, tempfile.TemporaryDirectory() as folder:
            child = subprocess.Popen([sys.executable, os.path.abspath(__file__), name, folder], stdout=subprocess.PIPE, text=True, cwd=own, start_new_session=True)
            try:
                assert child.stdout.readline() == 'ready\n'
                time.sleep(0.2)
                os.killpg(child.pid, signal.SIGINT)
                out, _ = child.communicate(timeout=60)
            finally:
                child.kill()
            assert out == 'interrupted\n', (name, out)
            assert os.listdir(folder) == [], (name, os.listdir(folder))


def test_signals_are_handled_as_before():
    a = Acc.use(np.arange(3)) + 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    heard, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told)
    a.run()
    assert signal.set_wakeup_fd(-1) == told and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    noted = []
    for handler in (lambda *_: noted.append(1), signal.SIG_IGN):
        before = signal.signal(signal.SIGINT, handler)
        a.run()
        os.kill(os.getpid(), signal.SIGINT)
        assert signal.signal(signal.SIGINT, before) is handler and noted == [1]
    results = []
    thread = threading.Thread(target=lambda: results.append(list(a)))
    thread.start()
    thread.join()
    assert results == [[1, 2, 3]]
    given = Gio.Cancellable()
    given.cancel()
    backend = Acc.Backend.get_default()
    for call in (lambda: backend.run(a, given), lambda: backend.run_many([a], given)):
        try:
            call()
            raise AssertionError('a cancelled run went on')
        except GLib.Error as error:
            assert error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED), error
    assert [list(b) for b in backend.run_many([a, a])] == [[1, 2, 3]] * 2


def test_places():
    data = np.arange(6, dtype='u1').reshape(2, 3)
    with tempfile.TemporaryDirectory(prefix='a b') as folder:
        path = pathlib.Path(folder) / 'x %20.npy'
        for place in (path, str(path), os.fsencode(path), Gio.File.new_for_path(str(path)), path.as_uri()):
            Acc.use(data).write(Acc.create_sink(place))
            assert np.array_equal(np.load(path), data) and len(os.listdir(folder)) == 1
            assert np.array_equal(Acc.open_source(place).run(), data)
            path.unlink()
        for place in (3, None, io.BytesIO()):
            for call in (Acc.open_source, Acc.create_sink):
                try:
                    call(place)
                    raise AssertionError('no place')
                except TypeError:
                    pass


def test_formats():
    with tempfile.TemporaryDirectory() as folder:
        for name in ('x.jpg', 'x.TIF', 'x.txt', 'x.npz', 'x.', 'x.png.gz'):
            try:
                Acc.create_sink(f'{folder}/{name}')
                raise AssertionError(f'{name} would be written')
            except GLib.Error as error:
                assert error.matches(Acc.Error.quark(), Acc.Error.UNSUPPORTED) and name in error.message
                assert all(known in error.message for known in ('.png', '.npy', '.raw', '.bin', '.dat'))
        assert os.listdir(folder) == []
        for name in ('x', 'x.raw', 'x.BIN', 'x.dat', '.x'):
            Acc.use(np.arange(3, dtype='u1')).write(Acc.create_sink(f'{folder}/{name}'))
            assert pathlib.Path(folder, name).read_bytes() == b'\0\1\2'


if __name__ == '__main__':
    if len(sys.argv) > 1:
        work(*sys.argv[1:])
    check.main(sys.modules['__main__'])
