# SPDX-License-Identifier: LGPL-2.1-or-later
"""acc and the strongest peers on a GPU, side by side: peer-gpu.py BENCH_DEVICE BACKENDS [LOG2_SIZE]

BENCH_DEVICE is the program bench-device; BACKENDS as it takes them. Peers are PyTorch (eager and torch.compile), CuPy and
JAX, as far as they are installed. Prints a Markdown table: rates, the best peer, and acc's ratio to it and to the rate of a
copy on the device, all measured in this run."""

import statistics
import subprocess
import sys

import torch

bench, backends = sys.argv[1], sys.argv[2]
log2 = int(sys.argv[3]) if len(sys.argv) > 3 else 28
n, side = 1 << log2, 1 << (log2 // 2)
bodies = min(65536, side * 4)
device = torch.device('cuda')


def measure(function, rounds=11):
    """Median seconds of a call."""
    for _ in range(3):
        function()
    torch.cuda.synchronize()
    times = []
    for _ in range(rounds):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        function()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / 1e3)
    return statistics.median(times)


def compiled(function):
    return torch.compile(function, dynamic=False)


peers = {}


def peer(work, name, function):
    try:
        peers.setdefault(work, []).append((measure(function), name))
    except Exception as error:  # a peer that fails is no peer
        print('%s: %s: %s' % (work, name, str(error).splitlines()[0]), file=sys.stderr)


x, y = torch.rand(n, device=device), torch.rand(n, device=device)
out = torch.empty_like(x)
copy_rate = 8 * n / measure(lambda: out.copy_(x))

add_one = compiled(lambda a: a + 1)
peer('copy', 'torch', lambda: torch.add(x, 1, out=out))
peer('copy', 'torch.compile', lambda: add_one(x))
axpy = compiled(lambda a, b: 2.5 * a + b)
peer('saxpy', 'torch', lambda: torch.add(y, x, alpha=2.5, out=out))
peer('saxpy', 'torch.compile', lambda: axpy(x, y))
inner = compiled(lambda a, b: (a * b).sum())
peer('dot', 'torch', lambda: torch.dot(x, y))
peer('dot', 'torch.compile', lambda: inner(x, y))
peer('scan', 'torch', lambda: torch.cumsum(x, 0, out=out))
del y, out
keys = torch.randint(0, 256, (4 * n,), device=device, dtype=torch.uint8)
peer('histogram of u1', 'torch', lambda: torch.bincount(keys, minlength=256))
words = keys[:n].int()
peer('histogram of u4', 'torch', lambda: torch.bincount(words, minlength=256))
peer('histogram of u4', 'torch, floats', lambda: torch.histc(x, 256, 0, 1))
try:
    import cupy
    cupy_keys = cupy.from_dlpack(keys)
    peer('histogram of u1', 'cupy', lambda: cupy.bincount(cupy_keys, minlength=256))
    cupy_words = cupy.from_dlpack(words)
    peer('histogram of u4', 'cupy', lambda: cupy.bincount(cupy_words, minlength=256))
except Exception as error:
    print('cupy:', str(error).splitlines()[0], file=sys.stderr)
del keys, words
row_sums = compiled(lambda a: a.sum(1))
for width in (16384, 16):
    rows = x.view(-1, width)
    peer('rows of %d' % width, 'torch', lambda: rows.sum(1))
    peer('rows of %d' % width, 'torch.compile', lambda: row_sums(rows))
del x, rows
picture = torch.rand(side, side, device=device)
transpose = compiled(lambda a: a.t().contiguous())
peer('transpose', 'torch', lambda: picture.t().contiguous())
peer('transpose', 'torch.compile', lambda: transpose(picture))


def mean9(a):
    p = torch.nn.functional.pad(a[None, None], (1, 1, 1, 1), mode='replicate')[0, 0]
    return sum(p[i:i + side, j:j + side] for i in range(3) for j in range(3)) / 9


stencil = compiled(mean9)
peer('stencil 3x3', 'torch.compile', lambda: stencil(picture))
peer('stencil 3x3', 'torch', lambda: torch.nn.functional.avg_pool2d(picture[None, None], 3, 1, 1))
del picture
price, strike, years = (torch.rand(n // 4, device=device) * 40 + 10, torch.rand(n // 4, device=device) * 40 + 10,
                        torch.rand(n // 4, device=device) * 1.8 + 0.2)


def black_scholes(s, k, t):
    root = t.sqrt()
    d1 = ((s / k).log() + (0.02 + 0.5 * 0.09) * t) / (0.3 * root)
    d2 = d1 - 0.3 * root
    n1, n2 = 0.5 * (1 + torch.erf(d1 * 0.70710678)), 0.5 * (1 + torch.erf(d2 * 0.70710678))
    discounted = k * (-0.02 * t).exp()
    return s * n1 - discounted * n2, discounted * (1 - n2) - s * (1 - n1)


options = compiled(black_scholes)
peer('Black-Scholes', 'torch.compile', lambda: options(price, strike, years))
del price, strike, years
try:
    import jax
    import jax.numpy as jnp
    position, mass = jnp.array(torch.rand(bodies, 3).numpy()), jnp.array(torch.rand(bodies).numpy())

    @jax.jit
    def attract(p, m):
        d = p[None, :, :] - p[:, None, :]
        inverse = jax.lax.rsqrt((d * d).sum(-1) + 1e-3)
        return (d * (m[None, :] * inverse ** 3)[:, :, None]).sum(1)

    peer('n-body', 'jax', lambda: attract(position, mass).block_until_ready())
except Exception as error:
    print('jax:', str(error).splitlines()[0], file=sys.stderr)

m = min(4096, side)
left, right = torch.rand(m, m, device=device), torch.rand(m, m, device=device)
peer('matmul', 'torch', lambda: left @ right)
signal = torch.randn(n // 8 // m, m, device=device, dtype=torch.complex64)
peer('FFT of rows', 'torch', lambda: torch.fft.fft(signal))
del left, right, signal
numbers = torch.randint(-2**31, 2**31, (n // 2,), device=device, dtype=torch.int32)
peer('sort', 'torch', lambda: torch.sort(numbers))
try:
    cupy_numbers = cupy.from_dlpack(numbers)
    peer('sort', 'cupy', lambda: cupy.sort(cupy_numbers))
    del cupy_numbers
except Exception as error:
    print('cupy:', str(error).splitlines()[0], file=sys.stderr)
del numbers
torch.cuda.empty_cache()

# Ordinary memory, as acc's arrays are in, and what the bus gives where memory was pinned before.
ordinary, pinned = torch.zeros(n // 4), torch.empty(n // 4, pin_memory=True)
there = torch.empty(n // 4, device=device)
peer('upload', 'torch', lambda: there.copy_(ordinary))
peer('download', 'torch', lambda: ordinary.copy_(there))
pinned_rates = [n / measure(copy) for copy in (lambda: there.copy_(pinned), lambda: pinned.copy_(there))]
back, result_there, way_down = torch.empty(n // 4, pin_memory=True), torch.rand(n // 4, device=device), torch.cuda.Stream()


def both_ways():
    way_down.wait_stream(torch.cuda.current_stream())
    for _ in range(8):
        there.copy_(pinned, non_blocking=True)
        with torch.cuda.stream(way_down):
            back.copy_(result_there, non_blocking=True)
    torch.cuda.current_stream().wait_stream(way_down)


# 16 n bytes; acc's stream moves 64 n.
peers.setdefault('stream', []).append((measure(both_ways) * 4, 'torch, pinned, both ways'))
del pinned, there, back, result_there
torch.cuda.empty_cache()

result = subprocess.run([bench, backends, str(log2)], stdout=subprocess.PIPE)
rows = {}
for line in result.stdout.decode().splitlines():
    work, backend, ms, amount, unit = line.split('\t')
    rows.setdefault(work, {})[backend] = (float(ms), float(amount), unit)

names = backends.split(',')
print('Copy on the device: %.0f GB/s (%s)' % (copy_rate / 1e9, torch.cuda.get_device_name()))
print('Between the device and pinned memory: %.1f GB/s up, %.1f down' % tuple(rate / 1e9 for rate in pinned_rates))
print()
print('| work | ' + ' | '.join(names) + ' | unit | best peer | rate | ' + ' | '.join('%s to peer' % name for name in names)
      + ' | ' + ' | '.join('%s to copy' % name for name in names) + ' |')
print('| --- ' * (3 * len(names) + 4) + '|')
for work, measured in rows.items():
    amount, unit = next((v[1], v[2]) for v in measured.values())
    scale = {'GB/s': 1e9, 'TFLOP/s': 1e12}.get(unit)
    best = min(peers.get(work, []), default=None)
    cells, ratios, limits = [], [], []
    for name in names:
        if name not in measured:
            cells.append('-'), ratios.append('-'), limits.append('-')
            continue
        seconds = measured[name][0] / 1e3
        if scale is None:
            cells.append('%.2f µs' % (seconds / amount * 1e6)), ratios.append('-'), limits.append('-')
            continue
        cells.append('%.4g' % (amount / seconds / scale))
        ratios.append('%.2f' % (best[0] / seconds) if best else '-')
        limits.append('%.2f' % (amount / seconds / copy_rate) if unit == 'GB/s' and work not in ('upload', 'download', 'stream') else '-')
    print('| %s | %s | %s | %s | %s | %s | %s |' % (
        work, ' | '.join(cells), unit if scale else 'each', best[1] if best else '-',
        '%.4g' % (amount / best[0] / scale) if best and scale else '-', ' | '.join(ratios), ' | '.join(limits)))
