# SPDX-License-Identifier: LGPL-2.1-or-later
import contender
import inputs

pa = contender.library('pyarrow')
pc = contender.library('pyarrow.compute')
csv = contender.library('pyarrow.csv')
np = contender.library('numpy')
pa.set_cpu_count(contender.threads)


@contender.work('sum')
def sum_(n):
    return contender.number(lambda x: pc.sum(x).as_py(), pa.array(contender.ones(n, 1)))


@contender.work('moments')
def moments(n):
    return contender.number(lambda x: pc.mean(x).as_py() + 10 * pc.variance(x, ddof=0).as_py(), pa.array(contender.floats(n, 1)))


@contender.work('prefix-sum')
def prefix_sum(n):
    return contender.array(pc.cumulative_sum, pa.array(contender.ones(n, 1)))


@contender.work('nested-group-sums')
def group_sums(n):
    table = pa.table({'key': contender.words(n, 1, max(n // 16, 1)), 'x': contender.floats(n, 2)})
    result = []

    def run():
        result.clear()
        result.append(table.group_by('key').aggregate([('x', 'sum')]))

    return run, lambda: contender.digest(result[0].sort_by('key')['x_sum'].to_numpy().astype('f4'))


@contender.work('seq-log')
def log(n):
    """As a table whose columns spaces divide."""
    path, file = inputs.log(n)
    names = [f'column {k}' for k in range(6)] + ['status', 'size']
    table = (csv.ReadOptions(column_names=names), csv.ParseOptions(delimiter=' '),
             csv.ConvertOptions(include_columns=['status', 'size'], column_types={'status': pa.int64(), 'size': pa.int64()}))
    counts, sizes = np.zeros(inputs.LOG_CLASSES, np.int64), np.zeros(inputs.LOG_CLASSES, np.int64)

    def run():
        answers = csv.read_csv(path, *table)
        answers = answers.append_column('class', pc.divide(answers['status'], 100))
        for row in answers.group_by('class').aggregate([('size', 'count'), ('size', 'sum')]).to_pylist():
            counts[row['class']], sizes[row['class']] = row['size_count'], row['size_sum']
        assert not file.closed

    return run, lambda: contender.digest(counts) + contender.digest(sizes)


@contender.work('gather')
def gather(n):
    return contender.array(lambda x, indices: x.take(indices), pa.array(contender.floats(n, 1)), pa.array(contender.words(n, 2, n)))


@contender.work('sort')
def sort(n):
    return contender.array(lambda keys: keys.sort(), pa.array(contender.words(n, 1)))


contender.main()
