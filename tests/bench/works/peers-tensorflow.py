# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ragged tensors."""

import os

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
os.environ['CUDA_VISIBLE_DEVICES'] = ''

import contender  # noqa: E402
import inputs  # noqa: E402

np = contender.library('numpy')
tf = contender.library('tensorflow')
tf.config.threading.set_intra_op_parallelism_threads(contender.threads)
tf.config.threading.set_inter_op_parallelism_threads(1)


def register(name, function, values):
    """Padded elements by a power law would be a thousand times as many values."""
    compiled = tf.function(function)

    def prepare(n):
        offsets = inputs.parts(n, False)
        ragged = tf.RaggedTensor.from_row_splits(tf.constant(values(n)), tf.constant(offsets), validate=False)
        return contender.array(lambda x: compiled(x).numpy(), ragged)

    contender.work(f'nested-{name}-even')(prepare)


def padded_sorts(x):
    """There is no sort of ragged tensors: of padded ones, whose padding comes last."""
    padded = tf.sort(x.to_tensor(default_value=2**32 - 1), axis=1)
    return tf.RaggedTensor.from_tensor(padded, lengths=x.row_lengths()).flat_values


def prepare_sums(n, skewed):
    """What tf.reduce_sum (x, axis=1) does where the number of each value's part is there already; else its memory is parts by the longest."""
    offsets = inputs.parts(n, skewed)
    numbers = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    sums = tf.function(tf.math.segment_sum)
    return contender.array(lambda *arguments: sums(*arguments).numpy(), tf.constant(contender.floats(n, 1)), tf.constant(numbers))


contender.work('nested-sum-even')(lambda n: prepare_sums(n, False))
contender.work('nested-sum-power')(lambda n: prepare_sums(n, True))
register('argmax', lambda x: tf.argmax(x.to_tensor(default_value=-1.), axis=1), lambda n: contender.floats(n, 1))
register('sort', padded_sorts, lambda n: contender.words(n, 1))


@contender.work('nested-group-sums')
def group_sums(n):
    keys, values = tf.constant(contender.words(n, 1, max(n // 16, 1)).astype('i8')), tf.constant(contender.floats(n, 2))

    @tf.function
    def sums(keys, values):
        found, places = tf.unique(keys)
        order = tf.argsort(found)
        return tf.gather(tf.math.unsorted_segment_sum(values, places, tf.size(found)), order)

    return contender.array(lambda: sums(keys, values).numpy())


contender.main()
