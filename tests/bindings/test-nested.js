// SPDX-License-Identifier: LGPL-2.1-or-later
// Nested arrays from JavaScript: functions of elements, levels, and mistakes.
imports.gi.versions.Acc = '1';
const {Acc} = imports.gi;

let passed = 0;

function check(condition, what) {
    if (!condition)
        throw new Error(`failed: ${what}`);
    passed++;
}

const backend = Acc.Backend.get_default();
const add = (x, y) => x.add(y);
const sum = row => row.fold(0, add);
const show = nested => `${nested.run()}`;

function fails(fn, code, what) {
    let caught = null;
    try {
        fn();
    } catch (e) {
        caught = e;
    }
    check(caught && caught.matches && caught.matches(Acc.error_quark(), code), `${what}: ${caught}`);
}

const values = Acc.use(new Float64Array([3, 1, 2, 9, 4, 4])), lengths = Acc.use(new Int32Array([3, 0, 1, 2]));
const rows = Acc.NestedArray.new_from_lengths(values, lengths);
check(show(rows) === 'nested([[3., 1., 2.], [], [9.], [4., 4.]], dtype=f8)', show(rows));
check(rows.get_rank() === 1 && rows.get_depth() === 1 && rows.get_inner() === null && rows.get_form() === Acc.NestedForm.IRREGULAR, 'what it is');
check(rows.sum().run().to_array().join() === '6,0,9,8', 'sums');
check(show(rows.map(row => row.sort(false).map(x => x.mul(2)))) === 'nested([[2., 4., 6.], [], [18.], [8., 8.]], dtype=f8)', 'map');
check(show(rows.imap((k, row) => row.map(x => x.add(Acc.Expr.the(k).cast('f8'))))) === 'nested([[3., 1., 2.], [], [11.], [7., 7.]], dtype=f8)', 'imap');
check(show(rows.zip_with(rows.sort(true), (x, y) => x.concat(y))).startsWith('nested([[3., 1., 2., 3., 2., 1.], []'), 'zip_with');
check(show(Acc.NestedArray.izip_with_many([rows, rows], (k, x, y) => x.concat(y))).startsWith('nested([[3., 1., 2., 3., 1., 2.]'), 'izip_with_many');
check(show(Acc.NestedArray.zip_with_many([rows, rows, rows], (x, y, z) => x.concat(y).concat(z))).startsWith('nested([[3., 1., 2., 3., 1., 2., 3., 1., 2.]'), 'zip_with_many');
check(show(rows.filter(row => sum(row).map(s => s.gt(6)))) === 'nested([[9.], [4., 4.]], dtype=f8)', 'filter');
check(show(rows.gather(Acc.use(new Int32Array([2, 0])))) === 'nested([[9.], [3., 1., 2.]], dtype=f8)', 'gather');
check(show(rows.replicate(2).slice(1, 3)) === 'nested([[3., 1., 2.], [], []], dtype=f8)', 'replicate and slice');
const some = rows.filter(row => sum(row).map(s => s.gt(0)));
check(show(some.map(row => Acc.Expr.linear_index(row, Acc.expr(0)).mul(2))) === 'nested([6., 18., 8.], dtype=f8)', 'an expression for each element');
check(rows.count_nonzero().run().to_array().join() === '3,0,1,2', 'counts');
check(rows.map(row => row.map(x => x.gt(2))).all_true().run().to_array().join() === '0,1,1,1', 'whether all are');
check(rows.dup_element(3).run().to_array().join() === '4,4', 'an element');

const [padded, mask] = rows.to_padded(Acc.expr(-1));
check(padded.run().to_array().join() === '3,1,2,-1,-1,-1,9,-1,-1,4,4,-1', 'padded');
check(show(Acc.NestedArray.new_from_padded(padded, mask)) === show(rows), 'from a mask');

const groups = rows.nest(Acc.use(new Int32Array([2, 0, 2])));
check(show(groups) === 'nested([[[3., 1., 2.], []], [], [[9.], [4., 4.]]], dtype=f8)' && groups.get_depth() === 2, 'levels');
check(show(groups.map(row => sum(row))) === 'nested([[6., 0.], [], [9., 8.]], dtype=f8)', 'sums in levels');
check(show(groups.flatten_level(1)) === 'nested([[3., 1., 2.], [], [9., 4., 4.]], dtype=f8)' && show(groups.flatten_level(0)) === show(rows), 'flatten_level');
check(show(groups.dup_nested(2)) === 'nested([[9.], [4., 4.]], dtype=f8)', 'an element of a level');

// Elements that are nested arrays.
check(show(groups.map_nested(group => group.reverse())) === 'nested([[[], [3., 1., 2.]], [], [[4., 4.], [9.]]], dtype=f8)', 'map_nested');
check(show(groups.map_nested(group => group.map(row => sum(row)))) === 'nested([[6., 0.], [], [9., 8.]], dtype=f8)', 'a map in map_nested');
check(show(groups.map_nested(group => group.filter(row => sum(row).map(s => s.gt(7))))) === 'nested([[], [], [[9.], [4., 4.]]], dtype=f8)',
    'a filter in map_nested');
fails(() => groups.map_nested(() => null).check(), Acc.Error.CALLBACK, 'map_nested of a function that gives nothing');
fails(() => groups.map_nested(() => values).check(), Acc.Error.CALLBACK, 'map_nested of a function that gives an array');
fails(() => rows.map(() => rows).check(), Acc.Error.CALLBACK, 'map of a function that gives a nested array');
fails(() => rows.map_nested(group => group).check(), Acc.Error.SHAPE, 'map_nested of arrays');

// Random arrays that a function makes are each element's own, also where the function threw before.
const u8 = Acc.ElementType.parse('u8');
const seeds = Acc.Array.random_bits(u8, Acc.Shape.new([8]), 7, 0).run().to_array();
const random = (seed, stream) => Acc.Array.random_bits(u8, Acc.Shape.new([1]), seed, stream);
const drawn = rows.map(() => random(7, 0));
check([0, 1, 2, 3].every(k => drawn.dup_element(k).run().to_array()[0] === random(seeds[2 * k], seeds[2 * k + 1]).run().to_array()[0]), 'random');
try {
    rows.map(() => {
        throw new RangeError('inner');
    });
} catch (e) {
    check(e instanceof RangeError && random(7, 0).run().to_array()[0] === seeds[0], 'random after a mistake');
}

const few = Acc.NestedArray.new_from_lengths(Acc.use(new Float64Array([3, 1, 2])), Acc.use(new Int32Array([2, 0, 1])));
check([...few].map(row => row.to_array().join()).join('|') === '3,1||2', 'a loop over elements');
check([...few.nest(Acc.use(new Int32Array([1, 2])))].map(group => [...group].length).join() === '1,2', 'a loop over groups');

const program = Acc.program(['f8[:]', 'i4[:]'], (v, l) => Acc.NestedArray.new_from_lengths(v, l).map(row => row.reverse()).flatten());
const executable = backend.compile(program, null);
for (const [v, l, want] of [[[1, 2, 3], [1, 2], '1,3,2'], [[4, 5], [0, 2, 0], '5,4']])
    check(executable.run([Acc.use(new Float64Array(v)), Acc.use(new Int32Array(l))], null)[0].to_array().join() === want, 'in a program');

fails(() => show(Acc.NestedArray.new_from_lengths(values, Acc.use(new Int32Array([3, -1, 4])))), Acc.Error.BOUNDS, 'a negative length');
fails(() => show(rows.nest(Acc.use(new Int32Array([1])))), Acc.Error.SHAPE, 'too few in groups');
fails(() => groups.flatten_level(2).check(), Acc.Error.SHAPE, 'no such level');
let caught = null;
try {
    rows.map(() => {
        throw new RangeError('inner');
    });
} catch (e) {
    caught = e;
}
check(caught instanceof RangeError, 'an error of a function comes through');

// Lists of JavaScript.
for (const lists of [[[1, 2], [], [3]], [[[1, 2], []], [], [[3]]], [[], []], []])
    check(JSON.stringify(Acc.NestedArray.from_list(lists).to_list()) === JSON.stringify(lists), `lists: ${JSON.stringify(lists)}`);
let uneven = null;
try {
    Acc.NestedArray.from_list([[1], 2]);
} catch (e) {
    uneven = e;
}
check(uneven instanceof TypeError && uneven.message === 'lists and numbers side by side, 1 levels deep', `uneven: ${uneven}`);
check(JSON.stringify(Acc.NestedArray.from_list([[1, 3], [], [4]]).map(row => row.sub(row.mean())).to_list()) === '[[-1,1],[],[0]]', 'centred');

print(`${passed} passed, 0 failed`);
