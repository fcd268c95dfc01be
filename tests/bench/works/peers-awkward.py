# SPDX-License-Identifier: LGPL-2.1-or-later
import contender
import inputs

ak = contender.library('awkward')


def parts(n, values, skewed):
    return ak.Array(ak.contents.ListOffsetArray(ak.index.Index64(inputs.parts(n, skewed)), ak.contents.NumpyArray(values)))


def register(name, function, make):
    for kind, skewed in (('even', False), ('power', True)):
        def prepare(n, skewed=skewed):
            return contender.array(lambda x: ak.to_numpy(ak.flatten(function(x), axis=None)), parts(n, make(n), skewed))

        contender.work(f'nested-{name}-{kind}')(prepare)


register('sum', lambda x: ak.sum(x, axis=1), lambda n: contender.floats(n, 1))
register('argmax', lambda x: ak.argmax(x, axis=1), lambda n: contender.floats(n, 1))
register('sort', lambda x: ak.sort(x, axis=1), lambda n: contender.words(n, 1))

contender.main()
