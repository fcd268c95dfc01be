# SPDX-License-Identifier: LGPL-2.1-or-later
"""The edge demo keeps its promise under the kernel's eyes: in a memory cgroup of the limit for array data, the fixed
overhead (what the process needs for the small picture) and 16 MiB. Skipped where no memory cgroup can be made."""

import os
import subprocess
import sys
import tempfile

MIB = 1 << 20
GROUP = f'/sys/fs/cgroup/memory/acc-test-{os.getpid()}'


def peak(command):
    """Peak resident bytes of a command that must succeed."""
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, '/dev/null', os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, command
    return usage.ru_maxrss * 1024


def main(build, picture, side):
    try:
        os.mkdir(GROUP)
    except OSError as error:
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
            with open(os.path.join(GROUP, 'memory.limit_in_bytes'), 'w') as file:
                file.write(str(limit))

            def enter():
                with open(os.path.join(GROUP, 'cgroup.procs'), 'w') as file:
                    file.write(str(os.getpid()))

            done = subprocess.run([edges, '--near', '--memory', '64', large, result], preexec_fn=enter, capture_output=True, text=True)
            print('\n'.join('# ' + line for line in done.stdout.splitlines()))
            with open(os.path.join(GROUP, 'memory.failcnt')) as file:
                print(f'# fixed overhead {fixed / MIB:.1f} MiB, cgroup {limit / MIB:.1f} MiB, reclaims {file.read().strip()}')
            ok = done.returncode == 0 and os.path.getsize(result) > 0
            print(('ok' if ok else 'not ok') + ' 1 demo within its cgroup' + ('' if ok else f' # {done.returncode} {done.stderr[-300:]}'))
            return 0 if ok else 1
    finally:
        os.rmdir(GROUP)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
