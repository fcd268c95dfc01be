#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The benchmark table: acc beside the strongest peers there are, each work in one run, with the physical limit.

run-table.py [--build DIR] [--python PATH] [--works A,B] [--contenders A,B] [--sizes N,M] [--threads 1,2] [--rounds N]
             [--least] [--processor] [--growth] [--without PASS,PASS] [--memory GIB] [--json FILE] [--markdown FILE] [--plots DIR]

Every contender is a process of its own (works/contender.h) that holds its inputs; all those of a work are asked in turn, round
after round, so that a drift of the machine meets them all. Medians, or the least with --least; with --processor the time that all threads of a
contender together were on processors, which others that compute disturb less. "acc is" tells how many times
quicker acc is than the best peer, "fast is" the same with acc_backend_set_fast_math(). The limit is what the work must move at the
speed of a copy of as many bytes, or what it must compute at the speed of multiplications with additions, both measured in the same
rounds.

A peer that is not installed is left out. One that dies, or whose result is another, is told, and the exit status is 1.
--python: the interpreter that has the peers. --growth: sizes from 10^3 to 10^9 instead of the table's, as far as memory and
--seconds (and --memory, for one contender) go. --plots: a picture per work of what was measured. --from FILE…: tables and plots of
earlier --json. --without: acc alone, with and without each of these passes (names of ACC_DISABLE), and how many times as long it
takes without."""

import argparse
import dataclasses
import json
import math
import os
import platform
import select
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, 'works'))
sys.dont_write_bytecode = True

from works import CONTENDERS, RECYCLED, WORKS  # noqa: E402

SAMPLE = 0.01        # seconds that a sample takes at least
PAUSE = 0.004        # seconds before one, after which no thread of the others is still looking out for work
LIMITS = ('copy', 'fma')


class Failure(Exception):
    pass


class Missing(Exception):
    pass


class Child:
    """A contender at work, or None where it has no such work."""

    def __init__(self, command, environment, threads, patience, by_processor):
        self.patience = patience
        self.by_processor = by_processor
        self.errors = tempfile.TemporaryFile()
        processors = sorted(os.sched_getaffinity(0))[:threads]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, env=environment,
                                        preexec_fn=lambda: os.sched_setaffinity(0, processors))
        self.buffer = b''
        self.repeats = 1
        self.times = []

    def read(self):
        end = time.monotonic() + self.patience
        while b'\n' not in self.buffer:
            ready, _, _ = select.select([self.process.stdout], [], [], max(end - time.monotonic(), 0))
            if not ready:
                raise Failure(f'no answer within {self.patience:.0f} s')
            block = os.read(self.process.stdout.fileno(), 4096)
            if not block:
                raise Failure(self.last_words())
            self.buffer += block
        line, self.buffer = self.buffer.split(b'\n', 1)
        return line.decode()

    def last_words(self):
        status = self.process.wait()
        self.errors.seek(0)
        lines = self.errors.read().decode(errors='replace').strip().splitlines()
        return f'ended with status {status}: {lines[-1] if lines else "no word"}'

    def ask(self, question):
        try:
            self.process.stdin.write(question.encode() + b'\n')
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failure(self.last_words()) from None
        return self.read()

    def wait_ready(self):
        """Whether it has such a work."""
        answer = self.read()
        if answer.startswith('missing'):
            raise Missing(answer.split(' ', 1)[1])
        return answer == 'ready'

    def calibrate(self):
        seconds = min(float(self.ask('run 1')) for _ in range(2))
        self.repeats = int(min(max(SAMPLE / max(seconds, 1e-9), 1), 10000))
        if self.by_processor:
            # As many as a contender runs in any case.
            self.repeats = min(self.repeats, 8)

    def processor_time(self):
        """Seconds, of threads that wait by now."""
        folder = f'/proc/{self.process.pid}/task'
        total = 0
        for thread in os.listdir(folder):
            try:
                with open(f'{folder}/{thread}/schedstat') as file:
                    total += int(file.read().split()[0])
            except FileNotFoundError:
                pass
        return total * 1e-9

    def sample(self):
        time.sleep(PAUSE)
        if not self.by_processor:
            self.times.append(float(self.ask(f'run {self.repeats}')))
            return
        before = self.processor_time()
        self.ask(f'run {self.repeats}')
        time.sleep(PAUSE)
        self.times.append((self.processor_time() - before) / self.repeats)

    def check(self):
        return float(self.ask('check'))

    def close(self):
        try:
            self.process.stdin.write(b'quit\n')
            self.process.stdin.close()
            self.process.wait(5)
        except (BrokenPipeError, ValueError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.errors.close()


def environment_for(options, threads, contender):
    environment = dict(os.environ)
    for name in ('ACC_THREADS', 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS', 'NUMBA_NUM_THREADS', 'HL_NUM_THREADS',
                 'VIPS_CONCURRENCY'):
        environment[name] = str(threads)
    # What is measured is run often.
    environment.setdefault('ACC_DISABLE', 'baseline,cache' if options.without else 'baseline')
    # Threads that wait for others spin at least as long as acc's do within a run.
    environment['GOMP_SPINCOUNT'] = '20000'
    if contender.script:
        environment.update(PYTHONDONTWRITEBYTECODE='1', **RECYCLED)
    environment.setdefault('ACC_BACKENDS_DIR', os.path.abspath(os.path.join(options.build, 'acc-backends/native')))
    environment.update(contender.environment)
    return environment


def command_for(options, contender, work, size):
    if contender.program:
        start = [os.path.join(os.path.abspath(options.build), 'tests/bench', contender.program)]
    else:
        start = [options.python, os.path.join(HERE, 'works', contender.script)]
    return start + [work, str(size), *contender.arguments]


def free_memory():
    with open('/proc/meminfo') as file:
        for line in file:
            if line.startswith('MemAvailable'):
                return int(line.split()[1]) * 1024


class Table:
    def __init__(self, options):
        self.options = options
        self.rows = []
        self.missing = {}
        self.slow = {}
        self.rates = {}
        self.failed = False

    def complain(self, text):
        self.failed = True
        print(f'FAILED: {text}', flush=True)

    def start(self, name, work, size, threads):
        """The child of a contender, ready or not yet."""
        contender = CONTENDERS['c' if name in LIMITS else name]
        return Child(command_for(self.options, contender, name if name in LIMITS else work.name, size),
                     environment_for(self.options, threads, contender), threads, self.options.patience, self.options.processor)

    def contenders(self, work, size, threads):
        """Those that there are, but for what at a smaller size took so long that this one would be waited for too long."""
        def is_slow(name):
            seconds, before = self.slow.get((work.name, threads, name), (0, 1))
            return size > before and seconds * work.count(size) / work.count(before) > self.options.seconds / 3

        if self.options.without:
            return self.options.contenders
        names = ['acc', 'c', *work.peers]
        names += [name for name in self.options.contenders or [] if CONTENDERS[name].like in names]
        names = [name for name in names if name not in self.missing and not is_slow(name)]
        return [name for name in CONTENDERS if name in names and (not self.options.contenders or name in self.options.contenders)]

    def measure(self, work, size, threads):
        """A row: what every contender took."""
        names = self.contenders(work, size, threads)
        if not names:
            return None
        limits = [limit for limit, amount in zip(LIMITS, (work.bytes(size), work.flops(size))) if amount]
        memory = work.held(size)
        if memory > min(0.8 * free_memory(), self.options.memory * 2**30):
            print(f'{work.title} {size}: not enough memory', flush=True)
            return None
        # Together where memory allows it, else each alone with the limits.
        together = memory * len(names) < 0.8 * free_memory()
        row = {'work': work.name, 'size': size, 'threads': threads, 'bytes': work.bytes(size), 'flops': work.flops(size),
               'together': together, 'contenders': {}, 'limits': {}}
        for group in [names] if together else [[name] for name in names]:
            self.measure_together(row, work, size, threads, group, limits)
        self.judge(row, work)
        for name, entry in row['contenders'].items():
            self.slow[work.name, threads, name] = entry['seconds'], size
        self.rows.append(row)
        return row

    def measure_together(self, row, work, size, threads, names, limits):
        children = {}
        what = f'{work.title} {size}, {threads} threads'
        try:
            for name in names:
                children[name] = self.start(name, work, size, threads)
            for limit in limits:
                children[limit] = self.start(limit, work, min(max(work.bytes(size) // 2, 4096), 2**28), threads)

            def attempt(name, action):
                try:
                    return action(children[name])
                except Missing as missing:
                    self.missing[name] = str(missing)
                    print(f'{CONTENDERS[name].title} is left out: {missing}', flush=True)
                except Failure as failure:
                    self.complain(f'{what}: {name} {failure}')
                children.pop(name).close()
                return None

            for name in list(children):
                if attempt(name, Child.wait_ready) is False:
                    children.pop(name).close()
            for name in list(children):
                attempt(name, Child.calibrate)
            begin, n = time.monotonic(), 0
            while n < self.options.rounds and (n < 3 or time.monotonic() - begin < self.options.seconds):
                for name in list(children):
                    attempt(name, Child.sample)
                n += 1
            for name in list(children):
                check = attempt(name, Child.check)
                if check is None:
                    continue
                if name in limits:
                    # What the machine can do it does when nothing disturbs it.
                    rates = self.rates.setdefault((name, work.name, size), [])
                    rates.append(check / min(children[name].times))
                    row['limits'][name] = max(rates)
                else:
                    times = sorted(children[name].times)
                    row['contenders'][name] = {'seconds': times[0] if self.options.least else statistics.median(times),
                                               'times': times, 'check': check}
        finally:
            for child in children.values():
                child.close()

    def judge(self, row, work):
        """Whether all found the same, and how near to the limit."""
        found = row['contenders']
        first = next((name for name in ('c', 'acc') if name in found), next(iter(found), None))
        for name, entry in found.items():
            wanted = found[first]['check']
            entry['agrees'] = name in work.differs or abs(entry['check'] - wanted) <= work.tolerance * max(abs(wanted), 1e-300)
            if not entry['agrees']:
                self.complain(f'{work.title} {row["size"]}: {name} found {entry["check"]!r}, {first} {wanted!r}')
        amounts = {'copy': row['bytes'], 'fma': row['flops']}
        bounds = [amounts[limit] / rate for limit, rate in row['limits'].items()]
        row['limit'] = max(bounds) if bounds else None
        peers = {name: entry['seconds'] for name, entry in found.items() if not name.startswith(('acc', 'without'))}
        row['best'] = min(peers, key=peers.get) if peers else None
        row['ratio'] = peers[row['best']] / found['acc']['seconds'] if peers and 'acc' in found else None


# --- what is shown

def size_text(n):
    return f'2^{n.bit_length() - 1}' if n >= 1024 and n & (n - 1) == 0 else f'{n:.0e}'.replace('e+0', 'e') if n % 1000 == 0 else str(n)


def short_time(seconds, unit):
    text = f'{seconds * {"s": 1, "ms": 1e3, "µs": 1e6}[unit]:.3g}'
    return f'{float(text):.0f}' if 'e' in text else text


def cells(row):
    work = next(work for work in WORKS if work.name == row['work'])
    found, limit = row['contenders'], row['limit']
    times = {name: found[name]['seconds'] for name in found if name not in ('acc', 'acc-fast')}
    first = found['acc']['seconds'] if 'acc' in found else min(times.values(), default=1)
    unit = next((unit for unit, least in (('s', 1), ('ms', 1e-3)) if first >= least), 'µs')
    peers = ', '.join(f'{CONTENDERS[name].title} {short_time(times[name], unit)}' for name in sorted(times, key=times.get))
    return [work.title, size_text(row['size']), str(row['threads']), unit,
            short_time(first, unit) if 'acc' in found else '',
            f'{row["ratio"]:.2f}×' if row['ratio'] else '',
            f'{times[row["best"]] / found["acc-fast"]["seconds"]:.2f}×' if row['best'] and 'acc-fast' in found else '',
            short_time(limit, unit) if limit else '',
            f'{limit / first:.2f}' if limit and 'acc' in found else '',
            peers]


HEADINGS = ['work', 'size', 'threads', 'in', 'acc', 'acc is', 'fast is', 'limit', 'of limit', 'others, the quickest first']


def table_lines(rows, markdown):
    lines = [HEADINGS] + [cells(row) for row in rows]
    if markdown:
        lines.insert(1, ['---', '---:', '---:', '---'] + ['---:'] * 5 + ['---'])
        return ['| ' + ' | '.join(line) + ' |' for line in lines]
    widths = [max(len(line[k]) for line in lines) for k in range(len(HEADINGS))]
    return ['  '.join(text.ljust(width) if k in (0, len(HEADINGS) - 1) else text.rjust(width)
                      for k, (text, width) in enumerate(zip(line, widths))).rstrip() for line in lines]


def machine():
    model = platform.machine()
    with open('/proc/cpuinfo') as file:
        for line in file:
            if line.startswith('model name'):
                model = line.split(':', 1)[1].strip()
                break
    return {'processor': model, 'processors': len(os.sched_getaffinity(0)), 'system': platform.platform(),
            'date': time.strftime('%Y-%m-%d')}


def save(record, options):
    if options.json:
        with open(options.json, 'w') as file:
            json.dump(record, file, indent=1)


def without(options):
    """Makes a contender of acc without each of the passes; the contenders of the table are these, and acc twice, for the noise."""
    CONTENDERS['acc again'] = CONTENDERS['acc']
    for name in options.without:
        CONTENDERS['without ' + name] = dataclasses.replace(CONTENDERS['acc'], environment={'ACC_DISABLE': 'baseline,cache,' + name})
    options.contenders = ['acc', 'acc again', *('without ' + name for name in options.without)]


def without_lines(rows, options):
    names = options.contenders[1:]
    lines = [['work'] + names, ['---'] + ['---:'] * len(names)]
    for row in rows:
        found = row['contenders']
        lines.append([next(work.title for work in WORKS if work.name == row['work'])]
                     + [f'{found[name]["seconds"] / found["acc"]["seconds"]:.2f}' if name in found else '' for name in names])
    return ['| ' + ' | '.join(line) + ' |' for line in lines]


def numbers(text):
    return [int(eval(part, {})) for part in text.split(',')]  # 2**20 is as good as 1048576


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default='build')
    parser.add_argument('--python', default=sys.executable)
    parser.add_argument('--works', type=lambda text: text.split(','))
    parser.add_argument('--contenders', type=lambda text: text.split(','))
    parser.add_argument('--sizes', type=numbers)
    parser.add_argument('--threads', type=numbers, default=[len(os.sched_getaffinity(0))])
    parser.add_argument('--rounds', type=int, default=9)
    parser.add_argument('--least', action='store_true', help='take the least of the rounds, not the median: for machines that are shared')
    parser.add_argument('--processor', action='store_true', help='take the time of processors, of all threads together')
    parser.add_argument('--seconds', type=float, default=20, help='that the rounds of a row may take; three of them are done in any case')
    parser.add_argument('--patience', type=float, default=180, help='seconds after which a contender counts as dead')
    parser.add_argument('--small', action='store_true', help='sizes that show no more than that all run and agree')
    parser.add_argument('--growth', action='store_true')
    parser.add_argument('--memory', type=float, default=math.inf, help='GiB that a contender may hold; larger sizes are left out')
    parser.add_argument('--without', type=lambda text: text.split(','))
    parser.add_argument('--json')
    parser.add_argument('--markdown')
    parser.add_argument('--plots')
    parser.add_argument('--from', dest='earlier', nargs='+')
    options = parser.parse_args()

    works = [work for work in WORKS if (work.name in options.works if options.works else options.without or not work.for_passes)]
    for name in options.works or []:
        if not any(work.name == name for work in WORKS):
            parser.error(f'no work {name}; there are {", ".join(work.name for work in WORKS)}')

    if options.without:
        without(options)
    if options.earlier:
        record = {'rows': []}
        for name in options.earlier:
            with open(name) as file:
                record['rows'] += json.load(file)['rows']
    else:
        table = Table(options)
        record = {'machine': machine(), 'rows': table.rows}
        for work in works:
            sizes = options.sizes or (work.growth if options.growth else [work.small if options.small else work.size])
            for size in sizes:
                for threads in options.threads:
                    row = table.measure(work, size, threads)
                    if row:
                        print(table_lines([row], False)[1], flush=True)
                        save(record, options)

    rows = [row for row in record['rows'] if not options.works or row['work'] in options.works]
    markdown = without_lines(rows, options) if options.without else table_lines(rows, True)
    print()
    print('\n'.join(markdown if options.without else table_lines(rows, False)))
    if options.markdown:
        with open(options.markdown, 'w') as file:
            file.write('\n'.join(markdown) + '\n')
    if options.plots:
        import plots
        plots.draw(rows, options.plots)
    sys.exit(0 if options.earlier or not table.failed else 1)


if __name__ == '__main__':
    main()
