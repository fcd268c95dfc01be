// SPDX-License-Identifier: LGPL-2.1-or-later
// Sequences, of what JavaScript produces.
imports.gi.versions.Acc = '1';
const {Acc, Gio, GLib, GObject} = imports.gi;

let passed = 0;

function check(condition, what) {
    if (!condition)
        throw new Error(`failed: ${what}`);
    passed++;
}

function errorOf(fn) {
    try {
        fn();
    } catch (error) {
        return error;
    }
    return null;
}

// [], [1], [2, 2] …; an error in place of the last one where it breaks.
const Steps = GObject.registerClass(class Steps extends Acc.SequenceProducer {
    _init(n, breaks = false) {
        super._init({element_type: Acc.ElementType.parse('i4'), rank: 1});
        this.n = n;
        this.at = 0;
        this.breaks = breaks;
    }

    vfunc_read(maxElements, maxValues, cancellable) {
        if (this.at === this.n)
            return null;
        if (this.breaks && this.at === this.n - 1)
            throw new Error('broken');
        const k = this.at++;
        return Acc.NestedArray.new_from_regular(Acc.use(new Int32Array(k).fill(k), [1, k]).run());
    }

    vfunc_rewind() {
        this.at = 0;
        return true;
    }
});

const add = (x, y) => x.add(y);
const total = row => row.fold(0, add);
const shown = sequence => Acc.Backend.get_default().run_nested(sequence.to_nested(), null).to_string();
const number = array => array.run().get_int(0, 0);

const steps = Acc.Sequence.new(new Steps(4));
for (let walk = 0; walk < 2; walk++)
    check(shown(steps) === 'nested([[], [1], [2, 2], [3, 3, 3]], dtype=i4)', `all: ${shown(steps)}`);
check(steps.get_rank() === 1 && steps.get_length() === -1 && steps.get_element_type().get_code() === 'i4', 'what is known');
const sums = steps.map(total);
check([...sums.stack()].join() === '0,1,4,9', 'map');
check([...steps.imap((k, row) => total(row).zip_with(k, (x, k) => x.cast('i8').add(k.mul(10)))).stack()].join() === '0,11,24,39', 'imap');
check(number(sums.fold(null, (x, y) => x.zip_with(y, add))) === 14, 'fold');
check([...steps.fold(null, (x, y) => x.concat(y))].join() === '1,2,2,3,3,3', 'fold of vectors');
check([...steps.zip_with(sums, (row, sum) => total(row).zip_with(sum, (x, y) => x.mul(y))).stack()].join() === '0,1,16,81', 'zip_with');
check([...Acc.Sequence.izip_with_many([steps, steps], (k, x, y) => total(x.concat(y)).zip_with(k, (a, b) => a.cast('i8').add(b))).stack()].join() === '0,3,10,21', 'izip_with_many');
check([...Acc.Sequence.zip_with_many([steps, steps, steps], (x, y, z) => total(x.concat(z))).stack()].join() === '0,2,8,18', 'zip_with_many');
check([...sums.filter(x => x.map(y => y.gt(1))).stack()].join() === '4,9', 'filter');
check([...sums.take_while(x => x.map(y => y.lt(4))).stack()].join() === '0,1', 'take_while');
check([...sums.scan(Acc.Array.unit(Acc.expr(5).cast('i4')), (state, x) => state.zip_with(x, add)).stack()].join() === '5,6,10,19', 'scan');
check([...Acc.Sequence.new_generate(-1, k => k.map(x => x.mul(x))).drop(2).take(3).stack()].join() === '4,9,16', 'new_generate');
const states = [Acc.Array.unit(Acc.expr(5).cast('i4')), Acc.Array.unit(Acc.expr(0).cast('i4'))];
check([...sums.scan_many(states, (sum, before, x) => [sum.zip_with(x, add), x, sum.zip_with(before, add)]).stack()].join() === '5,5,7,14', 'scan_many');
check(number(steps.concat(steps).count()) === 8 && [...steps.expand().stack()].length === 6 && [...steps.lengths()].join() === '0,1,2,3', 'others');
const batched = steps.map_batch_nested(Acc.Array.unit(Acc.expr(0)), (before, some) => [
    before.zip_with(some.get_lengths().fold(0, add), add),
    some.filter(row => total(row).map(x => x.gt(1))),
]);
check(shown(batched) === 'nested([[2, 2], [3, 3, 3]], dtype=i4)', `map_batch_nested: ${shown(batched)}`);
check(shown(steps.map_batches(3, some => some.reverse())) === 'nested([[2, 2], [1], [], [3, 3, 3]], dtype=i4)',
    `map_batches: ${shown(steps.map_batches(3, some => some.reverse()))}`);
check(errorOf(() => steps.map_batches(3, () => null)).matches(Acc.Error, Acc.Error.CALLBACK), 'no elements of a batch');
check(number(steps.fold_batch_nested(Acc.Array.unit(Acc.expr(0)), (before, some) => before.zip_with(some.get_lengths().fold(0, add), add))) === 6,
    'fold_batch_nested');
check(errorOf(() => steps.map_batch_nested(Acc.Array.unit(Acc.expr(0)), () => null)).matches(Acc.Error, Acc.Error.CALLBACK), 'no batch');

// Elements that are nested arrays
const pairs = steps.batch_nested(3), turned = pairs.map_nested(some => some.reverse());
const counted = some => some.get_lengths().map(() => Acc.expr(1)).fold(0, add);
check(shown(pairs) === 'nested([[[], [1], [2, 2]], [[3, 3, 3]]], dtype=i4)', `batch_nested: ${shown(pairs)}`);
check(shown(turned) === 'nested([[[2, 2], [1], []], [[3, 3, 3]]], dtype=i4)', `map_nested: ${shown(turned)}`);
check(shown(pairs.map_nested(counted)) === 'nested([3, 1], dtype=i8)', 'map_nested to numbers');
check(shown(pairs.filter_nested(some => counted(some).map(n => n.gt(1)))) === 'nested([[[], [1], [2, 2]]], dtype=i4)', 'filter_nested');
check(shown(pairs.take_while_nested(some => counted(some).map(n => n.lt(1)))) === 'nested([], dtype=i4)', 'take_while_nested');
check(shown(pairs.imap_nested((k, some) => k)) === 'nested([0, 1], dtype=i8)', 'imap_nested');
check(shown(Acc.Sequence.zip_with_many_nested([pairs, pairs, steps], (x, y, row) => x.concat(y.reverse()).map(one => one.concat(row)))) ===
    'nested([[[], [1], [2, 2], [2, 2], [1], []], [[3, 3, 3, 1], [3, 3, 3, 1]]], dtype=i4)', 'zip_with_many_nested');
check(shown(Acc.Sequence.izip_with_many_nested([pairs, pairs], (k, x, y) => x.concat(y).map(one => one.map(n => n.add(Acc.Expr.the(k).cast('i4')))))) ===
    'nested([[[], [1], [2, 2], [], [1], [2, 2]], [[4, 4, 4], [4, 4, 4]]], dtype=i4)', 'izip_with_many_nested');
check(shown(pairs.zip_with_nested(steps, (x, row) => x.map(one => one.concat(row)))) === 'nested([[[], [1], [2, 2]], [[3, 3, 3, 1]]], dtype=i4)',
    'zip_with_nested');
const empty = Acc.Backend.get_default().run_nested(steps.to_nested().take(0), null), start = Acc.Array.unit(Acc.expr(0));
check(shown(pairs.scan_nested(empty, (all, some) => some.concat(all))) ===
    'nested([[[], [1], [2, 2]], [[3, 3, 3], [], [1], [2, 2]]], dtype=i4)', 'scan_nested');
const known = (n, some) => n.zip_with(counted(some), (x, y) => x.add(y));
check(shown(pairs.scan_many_nested([start, empty], (n, before, some) => [known(n, some), some, known(n, some.concat(before))])) ===
    'nested([3, 7], dtype=i8)', 'scan_many_nested');
check(shown(Acc.Sequence.new_generate_nested(2, k => steps.to_nested().take(2))) === 'nested([[[], [1]], [[], [1]]], dtype=i4)', 'new_generate_nested');
check(turned.last_nested(null).run().toString() === 'nested([[3, 3, 3]], dtype=i4)' && turned.get_depth() === 2, 'last_nested');
check([...turned].join(';') === 'nested([[2, 2], [1], []], dtype=i4);nested([[3, 3, 3]], dtype=i4)', `iteration: ${[...turned].join(';')}`);
check(errorOf(() => pairs.map_nested(() => null)).matches(Acc.Error, Acc.Error.CALLBACK), 'map_nested of nothing');

const nested = steps.to_nested();
check(shown(Acc.Sequence.new_from_nested(nested)) === shown(steps), 'a nested array as a sequence');

const thrown = errorOf(() => steps.map(() => {
    throw new RangeError('inner');
}));
check(thrown instanceof RangeError, `an exception of a function: ${thrown}`);
const mistake = errorOf(() => steps.filter(row => row));
check(mistake instanceof GLib.Error && mistake.matches(Acc.Error, Acc.Error.TYPE), `a mistake: ${mistake}`);
const broken = errorOf(() => Acc.Sequence.new(new Steps(3, true)).count().run());
check(broken !== null && /broken/.test(String(broken)), `an exception of a producer: ${broken}`);

// While garbage is collected step by step.
let n = 0;
for (let i = 0; i < 300; i++) {
    const xs = Acc.use(new Float32Array(20000));
    n += number(Acc.Sequence.new(new Steps(5)).map(row => total(row).map(x => x.add(xs.get_rank()))).fold(null, (x, y) => x.zip_with(y, add)));
}
check(n === 300 * 35, `walks while garbage is collected: ${n}`);

check([...steps.map(row => row.map(x => x.mul(2)))].map(row => row.to_array().join()).join(';') === ';2;4,4;6,6,6', 'iteration');
let endless = 0;
for (const element of Acc.Sequence.new_generate(-1, k => k.map(x => x.mul(x)))) {
    endless += Number(element.get_int(0, 0));
    if (element.get_int(0, 0) === 81)
        break;
}
check(endless === 285, `iteration that is left: ${endless}`);
for (const element of steps) {
    check(element.get_shape().get_extent(0) === 0, 'the first');
    break;
}
check([...steps].length === 4, 'it can be walked again');
const stopped = errorOf(() => [...Acc.Sequence.new(new Steps(3, true))]);
check(stopped !== null && /broken/.test(String(stopped)), `an exception while it is iterated: ${stopped}`);

// Each element to a sink, and lines of a file
const [folder] = [GLib.Dir.make_tmp('acc-XXXXXX')];
const place = k => Gio.File.new_for_path(GLib.build_filenamev([folder, `${k}.npy`]));
check(steps.write_each(Acc.Backend.get_default(), k => k === 1 ? null : Acc.Sink.create(place(k), null)), 'write_each');
const files = Gio.ListStore.new(Gio.File.$gtype);
for (const k of [0, 2, 3])
    files.append(place(k));
check(shown(Acc.Sequence.open_files(files, null)) === 'nested([[], [2, 2], [3, 3, 3]], dtype=i4)', 'open_files');
const words = Gio.MemoryInputStream.new_from_bytes(new GLib.Bytes(new TextEncoder().encode('ab\n\nc')));
check(shown(Acc.Sequence.new_lines(words)) === 'nested([[97, 98], [], [99]], dtype=u1)', 'new_lines');
check([...Acc.Sequence.new_windows(Acc.use(new Int32Array([1, 2, 3, 4])), [2], [1], null)].map(w => w.to_array().join()).join(';') === '1,2;2,3;3,4', 'new_windows');
for (const k of [0, 2, 3])
    place(k).delete(null);
GLib.rmdir(folder);

// Other threads compute; what produces is called here.
const loop = GLib.MainLoop.new(null, false);
async function wait() {
    const found = [];
    for await (const row of steps.map(total))
        found.push(row.get_int(0, 0));
    check(found.join() === '0,1,4,9', `asynchronous iteration: ${found}`);

    let error = null;
    try {
        for await (const row of Acc.Sequence.new(new Steps(3, true)))
            found.push(row);
    } catch (e) {
        error = e;
    }
    check(error !== null && /broken/.test(String(error)), `its exception: ${error}`);
}

// A job calls back here, too.
async function writeEach() {
    const backend = Acc.Backend.get_default();
    const ended = job => new Promise((resolve, reject) => job.wait_async(null, (_, result) => {
        try {
            resolve(job.wait_finish(result));
        } catch (e) {
            reject(e);
        }
    }));
    const [dir] = [GLib.Dir.make_tmp('acc-XXXXXX')];
    const at = k => Gio.File.new_for_path(GLib.build_filenamev([dir, `${k}.npy`]));
    const job = steps.start_write_each(backend, null, k => k === 1 ? null : Acc.Sink.create(at(k), null));
    let notified = 0;
    job.connect('notify::elements-done', () => notified++);
    await ended(job);
    check(job.get_elements_done() === 4 && job.get_n_elements() === 4 && job.fraction === 1 && notified > 0, 'start_write_each');
    check([0, 1, 2, 3].map(k => at(k).query_exists(null)).join() === 'true,false,true,true', 'its files');
    for (const k of [0, 2, 3])
        at(k).delete(null);
    GLib.rmdir(dir);

    const run = backend.start_run(steps.map(total).fold(null, (x, y) => x.zip_with(y, add)), null);
    await ended(run);
    check(number(run.get_results()[0]) === 14 && run.get_elements_done() === 4, 'start_run');
    const nestedRun = backend.start_run_nested(steps.map(row => row.concat(row)).to_nested(), null);
    check((await nestedRun.ended()).to_string() === 'nested([[], [1, 1], [2, 2, 2, 2], [3, 3, 3, 3, 3, 3]], dtype=i4)', 'start_run_nested');
    check(nestedRun.get_elements_done() === 4, 'its progress');
    const thrower = steps.start_write_each(backend, null, k => {
        throw new RangeError(`no place for ${k}`);
    });
    const raised = await thrower.ended().then(() => null, error => error);
    check(raised instanceof RangeError && /no place for 0/.test(raised.message), `what a function of start_write_each throws: ${raised}`);
    check(thrower.state === Acc.JobState.CANCELLED, 'its job');
    const iterator = steps.iterate(), walk = iterator.get_job();
    iterator.next(null);
    check(walk.get_elements_done() > 0 && walk.state === Acc.JobState.RUNNING, 'the job of an iterator');
    iterator.close();
    check(walk.state === Acc.JobState.CANCELLED, 'which is closed');
}
let failure = null;
wait().then(writeEach).catch(error => {
    failure = error;
}).finally(() => loop.quit());
loop.run();
if (failure)
    throw failure;

// What JavaScript iterates.
function* growing(n, breaks = false) {
    for (let k = 0; k < n; k++)
        yield new Int32Array(k).fill(k);
    if (breaks)
        throw new Error('lost');
}
const listed = sequence => JSON.stringify(sequence.to_list());
const again = Acc.Sequence.from_iterable(() => growing(4)), once = Acc.Sequence.from_iterable(growing(3));
check(listed(again) === '[[],[1],[2,2],[3,3,3]]' && listed(again.map(row => row.sum())) === '[0,1,4,9]', 'a function that gives a generator');
check(listed(once) === '[[],[1],[2,2]]' && /only once/.test(errorOf(() => once.to_list()).message), 'a generator');
const some = Acc.Sequence.from_iterable([[1, 2], [3], []]);
check(listed(some.map(row => row.sub(row.sum()))) === '[[-2,-1],[0],[]]' && some.map(row => row.sum()).fold(0, (x, y) => x.add(y)).run().get_double(0, 0) === 6, 'lists');
check(listed(Acc.Sequence.from_iterable(function* () { for (let k = 0; ; k++) yield k; }).take(3).scan(10, (state, x) => state.add(x))) === '[10,11,13]', 'no end');
check(listed(Acc.Sequence.from_iterable([], {element_type: 'f8', rank: 1})) === '[]' && errorOf(() => Acc.Sequence.from_iterable([])) instanceof TypeError, 'no elements');
const nestedOnes = [[[1, 2], [3]], [[], [4]]].map(lists => Acc.NestedArray.from_list(lists));
check(listed(Acc.Sequence.from_iterable(nestedOnes)) === '[[[1,2],[3]],[[],[4]]]', 'nested arrays');
const got = [], lost = errorOf(() => {
    for (const element of Acc.Sequence.from_iterable(() => growing(3, true)))
        got.push(element.to_list().length);
});
check(got.join() === '0,1,2' && /element 3: lost/.test(lost.message), `those before an error: ${got}, ${lost}`);
const other = errorOf(() => Acc.Sequence.from_iterable([[1], [[2]]]).to_list());
check(/element 1: an element of f8 of rank 2/.test(other.message), `another rank: ${other}`);

print(`${passed} passed, 0 failed`);
