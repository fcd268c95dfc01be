# SPDX-License-Identifier: LGPL-2.1-or-later
"""Nested tensors, of the jagged layout."""

import contender
import inputs

np = contender.library('numpy')
torch = contender.library('torch')
torch.set_num_threads(contender.threads)
torch.set_grad_enabled(False)


def parts(n, values):
    offsets = torch.from_numpy(inputs.parts(n, False))
    # Without these bounds padded elements are as long as all values together.
    return torch.nested.nested_tensor_from_jagged(torch.from_numpy(values), offsets, min_seqlen=1, max_seqlen=int(offsets.diff().max()))


@contender.work('nested-sum-even')
def sum_even(n):
    return contender.array(lambda x: x.sum(dim=1), parts(n, contender.floats(n, 1)))


# There is no argmax and no sort of elements: of padded ones. Elements by a power law would be a thousand times as many values.
@contender.work('nested-argmax-even')
def argmax_even(n):
    return contender.array(lambda x: x.to_padded_tensor(-1.).argmax(dim=1), parts(n, contender.floats(n, 1)))


@contender.work('nested-sort-even')
def sort_even(n):
    signed = (contender.words(n, 1) ^ np.uint32(1 << 31)).view(np.int32)
    nested, result = parts(n, signed), []
    lengths = nested.offsets().diff()

    def run():
        padded = nested.to_padded_tensor(2**31 - 1).sort(dim=1)[0]
        result[:] = [padded[torch.arange(padded.shape[1]) < lengths[:, None]]]

    return run, lambda: contender.digest(result[0].numpy().view(np.uint32) ^ np.uint32(1 << 31))


contender.main()
