# SPDX-License-Identifier: LGPL-2.1-or-later
import contender

np = contender.library('numpy')
duckdb = contender.library('duckdb')
pa = contender.library('pyarrow')
connection = duckdb.connect(config={'threads': contender.threads})


def table(**columns):
    held = pa.table(columns)
    connection.register('held', held)
    connection.execute('CREATE TABLE t AS SELECT * FROM held')
    connection.unregister('held')


def number(query):
    result = []

    def run():
        result[:] = connection.execute(query).fetchone()

    return run, lambda: result[0]


def kept(query, *names):
    """A query whose result is a table, which is what databases do with results."""
    def run():
        connection.execute(f'CREATE OR REPLACE TABLE r AS {query}')

    def check():
        columns = connection.execute('SELECT * FROM r').fetchnumpy()
        return sum(contender.digest(columns[name]) for name in names)

    return run, check


@contender.work('sum')
def sum_(n):
    table(x=contender.ones(n, 1))
    return number('SELECT sum(x) FROM t')


@contender.work('moments')
def moments(n):
    table(x=contender.floats(n, 1))
    return number('SELECT avg(x) + 10 * var_pop(x) FROM t')


def histogram(keys):
    table(k=keys)
    return kept('SELECT k, count(*) AS c FROM t GROUP BY k ORDER BY k', 'c')


@contender.work('histogram-u1')
def histogram_u1(n):
    return histogram(contender.bytes_(n, 1)) if n >= 1 << 14 else None


@contender.work('histogram-u4')
def histogram_u4(n):
    # Small ones leave bins empty, which a database does not tell of.
    return histogram(contender.words(n, 1, 1 << 16)) if n >= 1 << 22 else None


@contender.work('sort')
def sort(n):
    table(k=contender.words(n, 1))
    return kept('SELECT k FROM t ORDER BY k', 'k')


@contender.work('sort-pairs')
def sort_pairs(n):
    table(k=contender.words(n, 1), v=contender.words(n, 2), i=np.arange(n, dtype=np.uint32))
    return kept('SELECT k, v FROM t ORDER BY k, i', 'k', 'v')


contender.main()
