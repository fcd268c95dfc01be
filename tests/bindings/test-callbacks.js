// SPDX-License-Identifier: LGPL-2.1-or-later
// Functions of JavaScript while it collects garbage, and expressions where JavaScript wants a number or a text.
imports.gi.versions.Acc = '1';
const {Acc, GIRepository} = imports.gi;

let passed = 0;

function check(condition, what) {
    if (!condition)
        throw new Error(`failed: ${what}`);
    passed++;
}

function throws(fn, kind, what) {
    let caught = null;
    try {
        fn();
    } catch (e) {
        caught = e;
    }
    check(caught instanceof kind, `${what} throws: ${caught}`);
}

// All that takes functions is wrapped: what C calls itself fails while a collection is under way.
const repository = GIRepository.Repository.get_default();
const owners = {Array: Acc.Array, NestedArray: Acc.NestedArray, Sequence: Acc.Sequence, Expr: Acc.Expr, Boundary: Acc.Boundary,
    Program: Acc.Program};
let functions = 0;
for (let i = 0; i < repository.get_n_infos('Acc'); i++) {
    const info = repository.get_info('Acc', i), isObject = info.get_type() === GIRepository.InfoType.OBJECT;
    if (!isObject && info.get_type() !== GIRepository.InfoType.STRUCT)
        continue;
    const n = isObject ? GIRepository.object_info_get_n_methods(info) : GIRepository.struct_info_get_n_methods(info);
    for (let k = 0; k < n; k++) {
        const method = isObject ? GIRepository.object_info_get_method(info, k) : GIRepository.struct_info_get_method(info, k);
        let takes = false;
        for (let a = 0; a < GIRepository.callable_info_get_n_args(method); a++) {
            const type = GIRepository.arg_info_get_type(GIRepository.callable_info_get_arg(method, a));
            takes ||= GIRepository.type_info_get_tag(type) === GIRepository.TypeTag.INTERFACE &&
                /^(Expr|Array|Arrays)Func\d*$/.test(GIRepository.type_info_get_interface(type).get_name());
        }
        if (!takes)
            continue;
        const owner = owners[info.get_name()];
        const wrapped = owner?.[method.get_name()] ?? owner?.prototype[method.get_name()];
        check(wrapped && !/native/.test(wrapped.toString()), `${info.get_name()}.${method.get_name()} is wrapped`);
        functions++;
    }
}
check(functions > 60, `${functions} callables take functions`);

// Blocks of 80 kB make GJS collect step by step; the first function to be blocked was about the 690th.
const add = (x, y) => x.add(y);
const small = Acc.use(new Int32Array([2, 0, 3, 1]));
const builders = [
    xs => xs.zip_with(xs, xs, (x, y, z) => x.add(y).add(z)),
    xs => xs.fold(0, add),
    xs => xs.scanr_with_total(0, add),
    xs => xs.filter(x => x.gt(1)),
    () => small.expand(x => x.cast('i8'), (x, i) => x.cast('i8').add(i)),
    () => small.fold_seg(0, small, add),
    () => Acc.generate([3, 4], i => i.item(0)),
    xs => xs.stencil([3], Acc.Boundary.new_function(1, () => Acc.expr(1)), n => n.at(-1).add(n.at(1))),
    xs => xs.map(x => Acc.expr(3).iterate(Acc.loop(y => y.lt(9), y => y.add(1), x), y => y.mul(2))),
    () => Acc.program('f4[:]', ys => ys.map(y => y.add(1))),
];
for (let i = 0; i < 1500; i++) {
    const xs = Acc.use(new Float32Array(20000));
    xs.map(x => x.mul(2).add(1));
    builders[i % builders.length](xs);
}
check(Acc.program([], () => small).get_n_parameters() === 0, 'a program without parameters');

const numbers = new Int32Array([5, 1, 2, 3, 0, 4]), vs = Acc.use(numbers);
const show = made => [].concat(made).map(x => x.run().to_array().join()).join(';');
check(show(vs.scanl(1, add)) === '1,6,7,9,12,12,16' && show(vs.scanr1(add)) === '15,10,9,7,4,4' && show(vs.prescanr(0, add)) === '10,9,7,4,4,0', 'scans');
check(show(vs.scanl_with_total(0, add)) === '0,5,6,8,11,11;15' && show(vs.postscanl_seg(1, Acc.use(new Int32Array([2, 4])), add)) === '6,7,3,6,6,10', 'scans of two results');
check(show(vs.filter(x => x.gt(2))) === '5,3,4;3' && show(vs.sort_by_key(true, x => x)) === '5,4,3,2,1,0', 'filter and sort_by_key');
check(show(Acc.Array.generate_expr(Acc.Expr.extent(vs, 0), i => i.mul(i))) === '0,1,4,9,16,25', 'generate_expr');
check(show(Acc.Array.unit(Acc.Expr.fold_row(vs, [], 0, (sum, x) => sum.mul(2).add(x)))) === '208', 'fold_row');
check(show(vs.map(x => Acc.cond(x.gt(2), x.just(), Acc.Expr.nothing(x.get_element_type())).maybe(7, y => y.neg()))) === '-5,7,7,-3,7,-4', 'maybe');
throws(() => vs.map(() => undefined), TypeError, 'a function that gives nothing');
throws(() => vs.expand(x => x.cast('i8'), () => {
    throw new RangeError('second');
}), RangeError, 'the second of two functions');
throws(() => vs.map(() => vs.map(() => {
    throw new RangeError('inner');
})), RangeError, 'a function in a function');
throws(() => vs.map(), Error, 'no function');

// What JavaScript would make a number or a text of.
for (const [what, fn] of [
    ['>', x => Acc.cond(x > 0, 1, 0)], ['<=', x => Acc.cond(1 <= x, 1, 0)], ['==', x => Acc.cond(x == 1, 1, 0)], ['+', x => x + 1],
    ['unary +', x => +x], ['-', x => -x], ['*', x => x * 2], ['**', x => x ** 2], ['%', x => x % 2], ['&', x => x & 1], ['~', x => ~x], ['++', x => ++x],
    ['Math.sqrt', x => Math.sqrt(x)], ['Math.max', x => Math.max(...x)], ['isNaN', x => isNaN(x)], ['parseInt', x => parseInt(x)], ['Number', x => Number(x)],
    ['a text', x => `${x}`.length], ['a key', x => [1, 2, 3][x] ?? 0], ['JSON', x => JSON.stringify({x}).length],
    ['a typed array', x => new Float32Array([x])[0]], ['an index', x => numbers[x] ?? 0], ['a date', x => new Date(x).getTime()],
])
    throws(() => vs.map(fn), TypeError, what);

for (const a of [vs, vs.map(x => x), vs.map(x => x).run()]) {
    for (const [what, fn] of [['>', () => a > 0], ['==', () => a == 1], ['+', () => a + 1], ['-', () => -a], ['<', () => a < a], ['JSON', () => JSON.stringify([a])],
        ['Math.abs', () => Math.abs(a)], ['isNaN', () => isNaN(a)]])
        throws(fn, TypeError, `${what} of an array`);
    check(typeof `${a}` === 'string' && String(a) === a.to_string(), 'an array is shown');
    check([...a].join() === numbers.join() && Math.max(...a) === 5 && Float64Array.from(a)[5] === 4 && new Float32Array(a).length === 6, 'a vector is iterated');
}
check([...vs.map(x => x.gt(2))].join() === 'true,false,false,true,false,true' && [...vs.map(x => x.cast('i8'))][0] === 5n, 'other types');
for (const a of [Acc.Array.unit(Acc.expr(1)), vs.reshape([2, 3]), vs.map(x => x.cast('f2')), vs.map(x => Acc.expr([x, x]))])
    throws(() => [...a], TypeError, 'iteration of what is no vector of numbers');

print(`${passed} passed, 0 failed`);
