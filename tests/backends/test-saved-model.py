# SPDX-License-Identifier: LGPL-2.1-or-later
"""SavedModels that acc writes, loaded and run by TensorFlow, give what NumPy gives, and so do those that become models of TensorFlow Lite.

test-saved-model.py ACC FOLDER

ACC is the program of that name, FOLDER has programs as text. Goes on by the Python that ACC_TEST_TENSORFLOW_PYTHON names, where it is set;
without TensorFlow all of it is left out."""

import os
import re
import subprocess
import sys
import tempfile

NAMED = os.environ.pop('ACC_TEST_TENSORFLOW_PYTHON', None)
if NAMED:
    os.execv(NAMED, [NAMED, *sys.argv])

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
try:
    import numpy as np
    import tensorflow as tf
except ImportError as error:
    print(f'1..0 # SKIP {error}')
    sys.exit(0)

ACC, FOLDER = sys.argv[1:]
random = np.random.default_rng(7)


def floats(*shape, code='f4'):
    return random.uniform(-4, 4, shape).astype(code)


def smooth(x):
    padded = np.pad(x, 1, mode='edge')
    return sum(padded[i:i + x.shape[0], k:k + x.shape[1]] for i in range(3) for k in range(3)) / np.float32(9)


def as_parts(z):
    return np.stack([z.real, z.imag], -1)


def complex_parts(n):
    return floats(n, 2)


def square(parts):
    z = parts[:, 0] + 1j * parts[:, 1]
    return as_parts(z * z)


# Program: arguments, what is expected of them, tolerance.
CASES = {
    'saxpy': ([floats(5, 3), floats(5, 3)], lambda x, y: [x * np.float32(2.5) + y], 0),
    'sums': ([abs(floats(6, 8))], lambda x: [x.sum(1), np.sqrt(x)], 1e-5),
    'rows': ([floats(6, 8)], lambda x: [x.sum(1), x.max(1)], 1e-5),
    'stencil': ([floats(9, 7)], lambda x: [smooth(x)], 1e-6),
    'product': ([floats(5, 6), floats(6, 4)], lambda x, y: [x @ y], 1e-5),
    'order': ([random.integers(-9, 9, 12, 'i4')], lambda x: [np.sort(x), np.cumsum(x, dtype='i4')], 0),
    'look-up': ([floats(10, code='f8'), np.array([3, 0, 9, 3])], lambda x, i: [x[i]], 0),
    'pairs': ([random.integers(0, 255, 7).astype('u1'), floats(7, code='f2')], lambda x, y: [x + np.uint8(1), y * y], 0),
    'captured': ([np.array([4, 0, 2], 'i4')], lambda k: [np.array([3, 1, 4, 1, 5], 'i4')[k] + k], 0),
    'squares': ([complex_parts(4)], lambda z: [square(z)], 1e-6),
}
SHAPES = {'saxpy': ['5,3', '5,3']}
# Programs with the parameters whose outermost extent is left open, and what makes arguments of a length.
OPEN = {
    'saxpy': ((0, 1), lambda n: [floats(n, 3), floats(n, 3)]),
    'sums': ((0,), lambda n: [abs(floats(n, 8))]),
    'rows': ((0,), lambda n: [floats(n, 8)]),
    'stencil': ((0,), lambda n: [floats(n, 7)]),
    'look-up': ((1,), lambda n: [floats(10, code='f8'), random.integers(0, 10, n)]),
    'pairs': ((0, 1), lambda n: [random.integers(0, 255, n).astype('u1'), floats(n, code='f2')]),
    'captured': ((0,), lambda n: [random.integers(0, 5, n).astype('i4')]),
    'squares': ((0,), lambda n: [complex_parts(n)]),
}
LENGTHS = [1, 2, 1000]
# TensorFlow Lite knows all of their operations.
LITE = ['saxpy', 'sums', 'stencil', 'squares']

number = 0
failed = False


def report(is_right, name, why=''):
    global number, failed
    number += 1
    failed |= not is_right
    print(f'{"ok" if is_right else "not ok"} {number} {name}{"" if is_right else f" - {why}"}', flush=True)


def export(name, folder, *options, shapes=None):
    path = os.path.join(folder, name)
    shapes = SHAPES.get(name, []) if shapes is None else shapes
    subprocess.run([ACC, 'export', '--saved-model', path, *options, os.path.join(FOLDER, name + '.acc'), *shapes], check=True)
    return path


def compare(results, expected, tolerance):
    """None, or what is wrong."""
    for i, (result, wanted) in enumerate(zip(results, expected, strict=True)):
        if result.dtype != wanted.dtype or result.shape != wanted.shape:
            return f'result {i} is {result.dtype} {result.shape}, not {wanted.dtype} {wanted.shape}'
        if not np.allclose(result, wanted, rtol=tolerance, atol=tolerance):
            return f'result {i} is {result}, not {wanted}'
    return None


def call(model, arguments, n_results):
    signature = model.signatures['serving_default']
    results = signature(**{f'input_{i}': tf.constant(a) for i, a in enumerate(arguments)})
    # Tensors after the first of one array end with their number.
    return [results[key].numpy() for key in sorted(results)][:n_results]


def check_models(folder):
    for name, (arguments, function, tolerance) in CASES.items():
        model = tf.saved_model.load(export(name, folder))
        expected = function(*arguments)
        why = compare(call(model, arguments, len(expected)), expected, tolerance)
        report(why is None, name, why)


def check_failure(folder):
    model = tf.saved_model.load(os.path.join(folder, 'look-up'))
    try:
        call(model, [floats(10, code='f8'), np.array([3, 0, 10, 3])], 1)
        report(False, 'failure', 'an index outside is no error')
    except tf.errors.InvalidArgumentError as error:
        report('an index is outside extent 10' in error.message and '[10]' in error.message, 'failure', error.message)


def export_open(name, positions, folder):
    """As the program declares it, but for the outermost extents of some parameters."""
    with open(os.path.join(FOLDER, name + '.acc'), encoding='utf-8') as file:
        text = file.read()
    for position in positions:
        text = re.sub(rf'(parameter {position} \w+\[)[^],]*', r'\1:', text)
    program, path = os.path.join(folder, name + '-open.acc'), os.path.join(folder, name + '-open')
    with open(program, 'w', encoding='utf-8') as file:
        file.write(text)
    subprocess.run([ACC, 'export', '--saved-model', path, program], check=True)
    return path


def check_open(folder):
    for name, (positions, make) in OPEN.items():
        _, function, tolerance = CASES[name]
        model = tf.saved_model.load(export_open(name, positions, folder))
        for n in LENGTHS:
            arguments = make(n)
            expected = function(*arguments)
            why = compare(call(model, arguments, len(expected)), expected, tolerance)
            report(why is None, f'open/{name}/{n}', why)


def run_lite(content, arguments):
    interpreter = tf.lite.Interpreter(model_content=content)
    signature = interpreter.get_signature_runner('serving_default')
    results = signature(**{f'input_{i}': a for i, a in enumerate(arguments)})
    return [results[key] for key in sorted(results)]


def check_lite(folder):
    for name in LITE:
        arguments, function, _ = CASES[name]
        path = export(name, os.path.join(folder, 'lite'), '--fast-math')
        content = tf.lite.TFLiteConverter.from_saved_model(path).convert()
        why = compare(run_lite(content, arguments), function(*arguments), 1e-5)
        report(why is None, 'lite/' + name, why)


with tempfile.TemporaryDirectory() as temporary:
    check_models(temporary)
    check_failure(temporary)
    check_open(temporary)
    check_lite(temporary)
print(f'1..{number}')
sys.exit(failed)
