// SPDX-License-Identifier: LGPL-2.1-or-later
imports.gi.versions.Acc = '1';
const {Acc} = imports.gi;

let passed = 0;

function check(condition, what) {
    if (!condition)
        throw new Error(`failed: ${what}`);
    passed++;
}

const a = Float32Array.from({length: 1000}, (_, i) => i / 10);
const b = Float32Array.from({length: 1000}, (_, i) => 1 + i % 3);
const xs = Acc.use(a), ys = Acc.use(b);

const dot = xs.zip_with(ys, (x, y) => x.mul(y)).fold(0, (p, q) => p.add(q));
const want = a.reduce((sum, x, i) => sum + x * b[i], 0);
check(Math.abs(dot.run().get_double(0, 0) - want) < 1e-3 * want, 'dot product');

const doubled = xs.map(x => x.mul(2).add(1)).run().to_array();
check(doubled instanceof Float32Array && doubled.every((v, i) => v === Math.fround(Math.fround(a[i] * 2) + 1)), 'map');

const steps = Acc.use(Int32Array.from([1, 1, 0, 2, 2, 4]));
const [labels, nLabels] = steps.label_components(1);
check(String(labels.run().to_array()) === '1,1,0,2,2,3' && nLabels.run().get_int(0, 0) === 3, 'label_components');
const [near, nNear] = steps.label_components_by(null, 1, (x, y) => x.sub(y).abs().le(1));
check(String(near.run().to_array()) === '1,1,1,2,2,3' && nNear.run().get_int(0, 0) === 3, 'label_components_by');

const blur = Acc.program('f4[:,:]', image => image.stencil([3, 3], Acc.BoundaryKind.CLAMP, n => {
    let sum = n.at(0, 0);
    for (const [dy, dx] of [[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]])
        sum = sum.add(n.at(dy, dx));
    return sum.fdiv(9);
}));
const executable = Acc.Backend.get_default().compile(blur, null);
const flat = Acc.use(new Float32Array(20 * 30).fill(3), [20, 30]);
const [blurred] = executable.run([flat], null);
check(blurred.to_array().every(v => Math.abs(v - 3) < 1e-5), 'program');

const counts = Acc.use(new Int32Array([2, 0, 3, 1]));
const [evens, howMany] = counts.filter(x => x.rem(2).eq(0));
check(evens.run().to_array().join() === '2,0' && howMany.run().get_int(0, 0) === 2, 'filter');
const [there, ofAll] = counts.map(x => Acc.cond(x.gt(1), x.just(), Acc.Expr.nothing(x.get_element_type()))).filter_just();
check(there.run().to_array().join() === '2,3' && ofAll.run().get_int(0, 0) === 2, 'justs');
check(counts.map(x => x.switch([Acc.expr(7), Acc.expr(8)], Acc.expr(9).cast('i4'))).run().to_array().join() === '9,7,9,8', 'switch');
check(counts.map(x => Acc.loop(([n, y]) => n.gt(0), ([n, y]) => [n.sub(1), y.add(n)], [x, Acc.expr(0).cast('i4')]).item(1)).run().to_array().join() === '3,0,6,1', 'loop');
check(counts.expand(x => x.cast('i8'), (x, i) => x.cast('i8').mul(10).add(i)).run().to_array().join() === '20,21,30,31,32,10', 'expand');
const parts = Acc.use(new Int32Array([5, 1, 2, 3, 9, 4]));
check(parts.fold_seg(Acc.Expr.new_int(1), counts, (x, y) => x.add(y)).run().to_array().join() === '7,1,15,5', 'fold_seg');
check(counts.reverse().take(2).run().to_array().join() === '1,3', 'parts');
check(counts.sort(true).run().to_array().join() === '3,2,1,0', 'sort');
const spectrum = counts.map(x => x.cast('f4')).fft(Acc.FftMode.FORWARD).run();
check([0, 1, 2, 3].map(k => spectrum.get_double(0, k)).join() === '6,-1,4,-1' && spectrum.get_double(1, 1) === 1, 'fft');
const [byCount, sorted] = xs.take(4).sort_pairs(counts, false);
check(byCount.run().to_array().join() === [a[1], a[3], a[0], a[2]].join() && sorted.run().to_array().join() === '0,1,2,3', 'sort_pairs');
check(counts.sort_by_key(false, x => x.sub(2).mul(x.sub(2))).run().to_array().join() === '2,3,1,0', 'sort_by_key');
const chance = Acc.Array.random_uniform(Acc.ElementType.parse('f4'), Acc.Shape.new([100]), 42, 0).run().to_array();
check(chance.every(x => x >= 0 && x < 1) && new Set(chance).size > 90, 'random numbers');

const places = Acc.use(new Int32Array([3, 0, 9, 1]));
check(counts.scatter_if(counts, places, places, p => p.lt(9)).run().to_array().join() === '0,1,3,2', 'scatter');
check(counts.zip_with(counts, places, counts, (p, q, r, s) => p.add(q).mul(r).add(s)).run().to_array().join() === '14,0,57,3', 'zip_with of four');
check(counts.izip_with(counts, (i, p, q) => i.mul(10).add(p.add(q).cast('i8'))).run().to_array().join() === '4,10,26,32', 'izip_with');

const [last, beyond] = Acc.while_loop([Acc.Array.unit(Acc.expr(0)), Acc.Array.unit(Acc.expr(1))],
    (p, q) => q.map(x => x.lt(100)), (p, q) => [q, p.zip_with(q, (x, y) => x.add(y))]);
check(last.run().get_int(0, 0) === 89 && beyond.compute().run().get_int(0, 0) === 144, 'loop of two arrays');

const rows = counts.reshape([2, 2]);
check(rows.slice([Acc.ANY, 1]).run().to_array().join() === '0,1' && rows.slice([Acc.Expr.the(Acc.Array.unit(Acc.expr(1))), Acc.ALL]).run().to_array().join() === '3,1',
    'slices');
check(counts.replicate([Acc.ANY, 2]).run().to_array().join() === '2,2,0,0,3,3,1,1', 'replicates');

const turned = Acc.use(new Float32Array([1, 0, -2])).map(x => x.complex(x).conjugate()).run();
check(turned.get_element_type().get_code() === 'c8' && turned.to_array().join() === '1,-1,0,0,-2,2', 'complex numbers');
check(turned.magnitude().run().get_double(0, 2) > 2.8, 'magnitude');

let caught = null;
try {
    xs.map(x => x.add(x.cast('i4')));
} catch (e) {
    caught = e;
}
check(caught !== null && /f4/.test(caught.message), 'a type mistake is thrown');

caught = null;
try {
    xs.map(() => {
        throw new RangeError('mine');
    });
} catch (e) {
    caught = e;
}
check(caught instanceof RangeError, 'an exception inside a function comes out');

const bytes = Acc.use(new Uint8Array([1, 2, 3]));
for (const build of [() => bytes.map(x => x.add(300)), () => bytes.map(x => x.add(300n)), () => bytes.map(x => x.add(1e20)), () => xs.map(x => x.add(1e39)),
    () => bytes.map(x => Acc.cond(x.lt(2), x, 300)), () => Acc.fill([2], Acc.Expr.new_typed_int(Acc.ElementType.parse('u1'), -1))]) {
    caught = null;
    try {
        build();
    } catch (e) {
        caught = e;
    }
    check(caught !== null && /does not fit|range/.test(caught.message), 'a number that does not fit is thrown');
}
check(xs.map(x => x.mul(0).add(1e20)).run().get_double(0, 0) > 9e19, 'a large whole number is a float');
check(Acc.use(new BigInt64Array([1n])).map(x => x.add(2n ** 62n)).run().get_double(0, 0) === 2 ** 62, 'BigInt');

// Several arrays to several files, and a program of one of these
const {Gio, GLib} = imports.gi;
const outputs = GLib.Dir.make_tmp('acc-XXXXXX');
const targets = ['a', 'b'].map(name => Gio.File.new_for_path(GLib.build_filenamev([outputs, `${name}.npy`])));
const sinks = () => targets.map(target => Acc.Sink.create(target, null));
const backend = Acc.Backend.get_default();
check(backend.write_many([xs.map(x => x.mul(2)), ys], sinks(), null), 'write_many');
const read = target => Acc.Array.new_from_source(Acc.Source.open(target, null));
check(read(targets[0]).run().to_array().every((v, i) => v === Math.fround(a[i] * 2)), 'the first file');
check(String(read(targets[1]).run().to_array()) === String(b), 'the second file');
caught = null;
try {
    backend.write_many([xs, ys], sinks().slice(1), null);
} catch (e) {
    caught = e;
}
check(caught !== null && /2 arrays/.test(caught.message), 'a sink is missing');
check(backend.start_write_many([xs, ys], sinks(), null).wait(), 'start_write_many');
for (const target of targets)
    target.delete(null);
Gio.File.new_for_path(outputs).delete(null);

print(dot.run().toString());
const told = thing => JSON.stringify(thing.to_list());
const grid = Acc.use([[1, 2, 3], [4, 5, 6]]);
check(`${grid.shape} ${grid.get_element_type()}` === '[2,3] f8' && told(grid) === '[[1,2,3],[4,5,6]]', 'lists of lists');
check(`${Acc.use([1n, 2n])} ${Acc.use([true, false])} ${Acc.use([1, 2], [2], 'i4')} ${Acc.use([[], []])}` ===
    'array([1, 2], dtype=i8) array([ True, False], dtype=b1) array([1, 2], dtype=i4) array([], shape=(2, 0), dtype=f8)', 'types of lists');
check(told(Acc.use(3)) === '3' && told(Acc.use([[true], [false]])) === '[[true],[false]]', 'a number, and booleans');
for (const [wrong, why] of [[[[1, 2], [3]], '1 items at [1], where the first list has 2'], [[1, 'a'], 'a at [1], where a number is needed'],
    [[1, [2]], 'a list at [1], where a number is needed'], [[[1], 2], '2 at [1], where the first list has 1'], [[1, 2n], 'number and bigint in one array'],
    [null, 'a typed array, or lists of numbers, are needed'], ['abc', 'a typed array, or lists of numbers, are needed']]) {
    let error = null;
    try {
        Acc.use(wrong);
    } catch (e) {
        error = e;
    }
    check(error instanceof TypeError && error.message === why, `${why}: ${error}`);
}
check(told(grid.add(1)) === '[[2,3,4],[5,6,7]]' && told(grid.sub([[1, 1, 1], [2, 2, 2]])) === '[[0,1,2],[2,3,4]]', 'arithmetic with numbers and lists');
check(told(grid.sub(grid.sum_all())) === '[[-20,-19,-18],[-17,-16,-15]]' && told(Acc.use(10).sub(grid)) === '[[9,8,7],[6,5,4]]', 'an array of rank 0');
check(told(grid.div(2)) === '[[0.5,1,1.5],[2,2.5,3]]' && told(counts.div(2)) === '[1,0,1,0]' && told(counts.ge(2)) === '[true,false,true,false]', 'div and ge');
check(told(counts.max(Acc.expr(1).cast('i4'))) === '[2,1,3,1]' && told(counts.min(counts.reverse())) === '[1,0,0,1]', 'max and min');

print(`${passed} passed, 0 failed`);
