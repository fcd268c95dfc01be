# SPDX-License-Identifier: LGPL-2.1-or-later
"""The edge demo keeps its promise under the kernel's eyes: in a memory cgroup of the limit for array data, the fixed
overhead (what the process needs for the small picture) and 16 MiB. Skipped where no memory cgroup can be made."""

import os
import subprocess
import sys
import tempfile

MIB = 1 << 20
ROOT = '/sys/fs/cgroup'


class Group:
    """A memory cgroup of version 1, or of version 2: there it is a child of the process's group, or a sibling, since a group that has
    controllers for its children has no processes. OSError where none can be made."""

    def __init__(self, root=ROOT):
        name = f'acc-test-{os.getpid()}'
        old = os.path.join(root, 'memory')
        if os.path.isdir(old):
            self.path, self.limit, self.swap, self.events = os.path.join(old, name), 'memory.limit_in_bytes', None, 'memory.failcnt'
            os.mkdir(self.path)
            return

        self.limit, self.swap, self.events = 'memory.max', 'memory.swap.max', 'memory.events'
        own = next(line.split(':', 2)[2].strip() for line in open('/proc/self/cgroup') if line.startswith('0::')).strip('/')
        failed = OSError('no cgroup of version 2 has a memory controller for its children')
        for parent in dict.fromkeys([own, os.path.dirname(own)]):
            self.path = os.path.join(root, parent, name)
            try:
                self.enable(os.path.join(root, parent))
                os.mkdir(self.path)
                if os.path.exists(os.path.join(self.path, self.limit)):
                    return
                os.rmdir(self.path)
            except OSError as error:
                failed = error
        raise failed

    @staticmethod
    def enable(parent):
        with open(os.path.join(parent, 'cgroup.subtree_control')) as file:
            if 'memory' in file.read().split():
                return
        with open(os.path.join(parent, 'cgroup.subtree_control'), 'w') as file:
            file.write('+memory')

    def write(self, name, text):
        with open(os.path.join(self.path, name), 'w') as file:
            file.write(text)

    def set_limit(self, limit):
        self.write(self.limit, str(limit))
        if self.swap is not None and os.path.exists(os.path.join(self.path, self.swap)):
            self.write(self.swap, '0')

    def enter(self):
        self.write('cgroup.procs', str(os.getpid()))

    def count_reclaims(self):
        """How often the limit was met."""
        with open(os.path.join(self.path, self.events)) as file:
            text = file.read()
        return text.strip() if self.swap is None else next(line.split()[1] for line in text.splitlines() if line.startswith('max '))

    def remove(self):
        os.rmdir(self.path)


def peak(command):
    """Peak resident bytes of a command that must succeed."""
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, '/dev/null', os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, command
    return usage.ru_maxrss * 1024


def main(build, picture, side):
    try:
        group = Group()
    except (OSError, StopIteration) as error:
        print(f'1..0 # SKIP no memory cgroup: {error}')
        return 0

    edges, tile = (os.path.join(build, 'demos/edges', name) for name in ('edges', 'tile'))
    print('1..1')
    try:
        with tempfile.TemporaryDirectory() as folder:
            large, result = os.path.join(folder, 'large.png'), os.path.join(folder, 'edges.png')
            peak([tile, picture, large, str(side), str(side)])
            fixed = peak([edges, '--near', '--memory', '64', picture, result])
            limit = 64 * MIB + fixed + 16 * MIB
            group.set_limit(limit)
            done = subprocess.run([edges, '--near', '--memory', '64', large, result], preexec_fn=group.enter, capture_output=True,
                                  text=True)
            print('\n'.join('# ' + line for line in done.stdout.splitlines()))
            print(f'# fixed overhead {fixed / MIB:.1f} MiB, cgroup {limit / MIB:.1f} MiB, reclaims {group.count_reclaims()}')
            ok = done.returncode == 0 and os.path.getsize(result) > 0
            print(('ok' if ok else 'not ok') + ' 1 demo within its cgroup' + ('' if ok else f' # {done.returncode} {done.stderr[-300:]}'))
            return 0 if ok else 1
    finally:
        group.remove()


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
