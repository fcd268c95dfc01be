#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The acc command as a user calls it: programs on files that are larger than the memory limit, their plans, what it says to mistakes.

test-tool.py ACC"""

import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError as error:
    print(f'1..0 # SKIP {error}')
    sys.exit(0)

ACC = os.path.abspath(sys.argv[1])
TWO = '''acc program 1
a0 = parameter 0 f4[:,:]
a1 = fold a0
  e0 = variable f4
  e1 = variable f4
  e2 = max e0 e1
  function e0 e1 -> e2
  e3 = literal f4 0
  function -> e3
a2 = map a0
  e0 = variable f4
  e1 = neg e0
  function e0 -> e1
program a0 -> a1 a2
'''
failures = []
count = 0


def check(name, good, detail=''):
    global count
    count += 1
    print('%sok %d %s' % ('' if good else 'not ', count, name))
    if not good:
        failures.append(name)
        print('\n'.join('# ' + line for line in str(detail).splitlines()))


def acc(*arguments, limit='4M'):
    done = subprocess.run([ACC, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=dict(os.environ, ACC_MEMORY_LIMIT=limit, LC_ALL='C.UTF-8'))
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def main():
    big = np.random.default_rng(5).random((100000, 32), 'f4')
    np.save('big.npy', big)
    np.save('small.npy', big[:3, :4])
    open('two.acc', 'w').write(TWO)

    status, out, err = acc('plan', 'two.acc', 'most.npy', 'less.npy', 'big.npy')
    check('a plan tells of sources and memory', status == 0 and 'big.npy' in out and 'limit 4.0' in out, out + err)
    check('a plan writes nothing', not os.path.exists('most.npy') and not os.path.exists('less.npy'))

    status, out, err = acc('run', 'two.acc', 'most.npy', 'less.npy', 'big.npy')
    check('a file of three times the limit runs', status == 0 and out == '', out + err)
    check('all results are written', status == 0 and np.array_equal(np.load('most.npy'), big.max(1))
          and np.array_equal(np.load('less.npy'), -big))

    status, out, err = acc('run', 'two.acc', '-', 'small.npy')
    check('results are printed', status == 0 and out.count('dtype=f4') == 2, out + err)
    status, out, err = acc('check', 'two.acc')
    check('a program that is read is printed', status == 0 and 'parameter 0 f4[:,:]' in out, out + err)
    status, out, err = acc('inspect', 'small.npy')
    check('a file is described', out == 'small.npy: f4 [3,4]\n', out + err)

    before = sorted(os.listdir('.'))
    for name, arguments, message in [
            ('too few files', ['run', 'two.acc', 'new.npy', 'big.npy'], '2 results'),
            ('too few files for a plan', ['plan', 'two.acc', 'new.npy', 'big.npy'], '2 results'),
            ('no input of that name', ['run', 'two.acc', 'new.npy', 'new2.npy', 'none.npy'], 'none.npy'),
            ('no program', ['run', 'none.acc', '-', 'big.npy'], 'none.acc'),
            ('no form of files of that name', ['run', 'two.acc', 'new.xyz', 'new2.npy', 'big.npy'], 'new.xyz'),
            ('printed results have no plan', ['plan', 'two.acc', '-', 'big.npy'], 'name a file'),
            ('no text of a program', ['check', 'small.npy'], 'not a program')]:
        status, out, err = acc(*arguments)
        check(name, status == 1 and out == '' and message in err, '%d %s%s' % (status, out, err))
    check('mistakes leave no files', sorted(os.listdir('.')) == before)
    check('no command', acc()[0] == 2 and acc('fly')[0] == 2 and acc('run')[0] == 2)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    try:
        main()
    finally:
        os.chdir('/')
print('1..%d' % count)
sys.exit(bool(failures))
