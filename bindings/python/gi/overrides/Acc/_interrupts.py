# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ctrl-C while something runs in C."""

import functools
import os
import signal
import _signal
import threading

from gi.repository import Gio

from ._module import Acc, override


class _Interrupts:
    """Cancels what runs in C when Ctrl-C comes: Python handles a signal only when C has come back, but writes its number to a pipe at once."""

    def __init__(self):
        self._heard, self._told = os.pipe()
        os.set_blocking(self._told, False)
        self._cancellable, self._running, self._interrupted, self._before = Gio.Cancellable(), False, False, -1
        threading.Thread(target=self._listen, name='acc-interrupts', daemon=True).start()

    def _listen(self):
        while True:
            numbers = os.read(self._heard, 256)
            if self._running and signal.SIGINT in numbers:
                self._cancellable.cancel()
            if self._before >= 0:
                try:
                    os.write(self._before, numbers)
                except OSError:
                    pass

    def _note(self, *_):
        """The handler of the signal: an exception would break what PyGObject does when C comes back."""
        self._interrupted = True

    def call(self, method, instance, arguments):
        if self._running:
            return method(instance, *arguments, self._cancellable)  # in a callback of what runs
        if self._cancellable.is_cancelled():
            self._cancellable = Gio.Cancellable()
        self._interrupted = False
        handler = _signal.signal(signal.SIGINT, self._note)
        self._before = signal.set_wakeup_fd(self._told, warn_on_full_buffer=False)
        self._running = True
        try:
            return method(instance, *arguments, self._cancellable)
        finally:
            self._running = False
            signal.set_wakeup_fd(self._before)
            _signal.signal(signal.SIGINT, handler)
            if self._interrupted:
                raise KeyboardInterrupt from None


_interrupts = None


def _forget_interrupts():
    global _interrupts
    _interrupts = None  # its thread is not in the child


os.register_at_fork(after_in_child=_forget_interrupts)


def _hears_interrupts():
    handler = _signal.getsignal(signal.SIGINT)
    return threading.get_ident() == threading.main_thread().ident and (
        handler is signal.default_int_handler or _interrupts is not None and handler == _interrupts._note)


def _interruptible(owner, name, n):
    """The method @name of @n arguments, of which the last is a cancellable: where none is given, Ctrl-C cancels it."""
    method = getattr(owner, name)

    @functools.wraps(method)
    def call(self, *arguments):
        global _interrupts
        *given, cancellable = arguments if len(arguments) == n else (*arguments, None)
        if cancellable is not None or not _hears_interrupts():
            return method(self, *given, cancellable)
        if _interrupts is None:
            _interrupts = _Interrupts()
        return _interrupts.call(method, self, given)

    call.__name__ = call.__qualname__ = name
    return call


class Backend(Acc.Backend):
    """What runs arrays: the processor, a device, or the interpreter."""

    compile = _interruptible(Acc.Backend, 'compile', 2)
    run = _interruptible(Acc.Backend, 'run', 2)
    run_many = _interruptible(Acc.Backend, 'run_many', 2)
    run_nested = _interruptible(Acc.Backend, 'run_nested', 2)
    write = _interruptible(Acc.Backend, 'write', 3)
    write_many = _interruptible(Acc.Backend, 'write_many', 3)
    write_with_ledger = _interruptible(Acc.Backend, 'write_with_ledger', 4)


Backend = override(Backend)


class Job(Acc.Job):
    """A long computation under way."""

    def __await__(self):
        """Waits for the end: gives what was computed, a list of arrays or a nested array, or None of a job that writes. Where the task is
        cancelled, so is the job."""
        return self._ended().__await__()

    async def _ended(self):
        import asyncio
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(None, Acc.Job.wait, self)
        except asyncio.CancelledError:
            self.cancel()
            raise
        nested = self.dup_nested()
        return self.get_results() if nested is None else nested


Job = override(Job)


class Executable(Acc.Executable):
    """A program compiled for a backend."""

    run = _interruptible(Acc.Executable, 'run', 2)


Executable = override(Executable)
