# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the examples of documentation comments, and compares: test-examples.py GIR PROGRAM, PROGRAM being what make-examples.py made.
What has none fails."""

import math
import subprocess
import sys

import examples


def same(got, wanted):
    """Numbers to as many digits as an example shows: six."""
    if isinstance(wanted, (list, tuple)):
        return type(got) is type(wanted) and len(got) == len(wanted) and all(map(same, got, wanted))
    if isinstance(wanted, bool) or isinstance(got, bool):
        return got is wanted
    return got == wanted if isinstance(got, int) else math.isclose(got, wanted, rel_tol=1e-5, abs_tol=1e-6) or got != got and wanted != wanted


def difference(check, got):
    if got is None:
        return 'it was not printed'
    try:
        alike = same([examples.literal(text) for text in got.split('; ')], [examples.literal(text) for text in check.wanted.split('; ')])
    except Exception as error:
        return f'{got!r}: {error!r}'
    return None if alike else f'{got} instead of {check.wanted}'


def complaints(name, example, printed):
    if example is None:
        yield 'it has no example that tells a result'
        return
    if f'{name} (' not in '\n'.join([*example.functions, *(text for _, text in example.body)]):
        yield 'its example does not call it'
    for check in example.checks:
        text = difference(check, printed.get(f'{name}:{check.line}'))
        if text:
            yield text


def main():
    gir, program = sys.argv[1:]
    found = examples.read_examples(gir)
    out = subprocess.run([program], stdout=subprocess.PIPE, text=True)
    printed = dict(line.split('\t', 1) for line in out.stdout.splitlines() if '\t' in line)
    print(f'1..{len(found) + 1}')
    good = out.returncode == 0 and len(found) > 300
    print(f'{"ok" if good else "not ok"} 1 the program ends with {out.returncode}')
    for number, (name, example) in enumerate(found.items(), 2):
        texts = list(complaints(name, example, printed))
        good = good and not texts
        print(f'{"not ok" if texts else "ok"} {number} {name}' + ''.join(f'\n#   {text}' for text in texts))
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
