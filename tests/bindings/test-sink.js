// SPDX-License-Identifier: LGPL-2.1-or-later
// Sinks that are written in JavaScript, and what they throw.
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

// Keeps what it gets; throws in the function of that name.
const Kept = GObject.registerClass(class Kept extends Acc.Sink {
    _init(breaks = '') {
        super._init({name: 'kept'});
        this.breaks = breaks;
        this.calls = [];
        this.values = [];
    }

    _call(name) {
        if (this.calls[this.calls.length - 1] !== name)
            this.calls.push(name);
        if (this.breaks === name)
            throw new RangeError(`no ${name} here`);
        return true;
    }

    vfunc_start(type, shape, cancellable) {
        this.values = [];
        return this._call('start');
    }

    vfunc_write(chunk, cancellable) {
        const bytes = chunk.dup_bytes(0).toArray();
        this.values.push(...new BigInt64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)));
        return this._call('write');
    }

    vfunc_complete(cancellable) {
        return this._call('complete');
    }

    vfunc_commit(cancellable) {
        return this._call('commit');
    }

    vfunc_abort() {
        this._call('abort');
    }
});

const Growing = GObject.registerClass(class Growing extends Kept {
    vfunc_start_growing(type, shape, cancellable) {
        this.values = [];
        return this._call('start_growing');
    }

    vfunc_can_grow() {
        return true;
    }
});

const [folder] = [GLib.Dir.make_tmp('acc-XXXXXX')];
const place = name => Gio.File.new_for_path(GLib.build_filenamev([folder, `${name}.npy`]));
const backend = Acc.Backend.get_default();
const numbers = Acc.generate([5000], i => i.item(0));
backend.write(numbers, Acc.Sink.create(place('numbers'), null), null);
const read = () => Acc.Array.new_from_source(Acc.Source.open(place('numbers'), null));
const arrays = {
    computed: () => numbers,
    'in memory': () => numbers.run(),
    'of a file': () => read().map(x => x.add(0)),
};
const right = values => values.length === 5000 && values.every((value, i) => value === BigInt(i));

for (const [name, make] of Object.entries(arrays)) {
    const sink = new Kept();
    backend.write(make(), sink, null);
    check(right(sink.values) && sink.calls.join() === 'start,write,complete,commit', `${name}: ${sink.calls}`);
    for (const breaks of ['start', 'write', 'complete', 'commit']) {
        const broken = new Kept(breaks), error = errorOf(() => backend.write(make(), broken, null));
        check(error instanceof RangeError && error.message.includes(`no ${breaks} here`), `${name}, ${breaks}: ${error}`);
        check(broken.calls[broken.calls.length - 1] === 'abort', `${name}, ${breaks}: it is aborted`);
    }
}
const growing = new Growing();
backend.write(read().filter(x => x.rem(2).eq(0))[0], growing, null);
check(growing.values.length === 2500 && growing.values[2499] === 4998n, `what a filter keeps: ${growing.calls}`);
const shrunk = new Growing('write');
check(errorOf(() => backend.write(read().filter(x => x.rem(2).eq(0))[0], shrunk, null)) instanceof RangeError, 'what a filter keeps, to a sink that breaks');
const both = [new Kept(), new Kept()];
backend.write_many([numbers, read().map(x => x.mul(1))], both, null);
check(both.every(sink => right(sink.values)), 'two at a time');

// Of the elements of a sequence
const rows = Acc.Sequence.new_generate(40, () => Acc.generate([5000], i => i.item(0)));
const some = [];
check(rows.write_each(backend, k => {
    some.push(new Kept());
    return some[k];
}) && some.length === 40 && some.every(sink => right(sink.values)), 'write_each to sinks of its own');
const thrown = errorOf(() => rows.write_each(backend, k => new Kept(k === 7 ? 'write' : '')));
check(thrown instanceof RangeError && /element 7: .*no write here/.test(thrown.message), `write_each to a sink that breaks: ${thrown}`);
check(rows.write_each(backend, k => k % 3 === 0 ? Acc.Sink.create(place(`${k}`), null) : null), 'write_each to files');
for (let k = 0; k < 40; k++)
    check(place(`${k}`).query_exists(null) === (k % 3 === 0), `file ${k}`);
for (let k = 0; k < 40; k += 3) {
    check(right(Acc.Array.new_from_source(Acc.Source.open(place(`${k}`), null)).run().to_array()), `what is in file ${k}`);
    place(`${k}`).delete(null);
}
// The files before the one that cannot be written are there, and what the function throws comes after an error of those before it.
const picture = Gio.File.new_for_path(GLib.build_filenamev([folder, 'vector.png']));
const lost = errorOf(() => rows.write_each(backend, k => Acc.Sink.create(k === 3 ? picture : place(`${k}`), null)));
check(lost instanceof GLib.Error && /element 3: .*vector.png/.test(lost.message), `a file that cannot hold it: ${lost}`);
for (let k = 0; k < 3; k++)
    check(place(`${k}`).query_exists(null), `file ${k}, before it`);
const stopped = errorOf(() => rows.write_each(backend, k => {
    if (k === 2)
        throw new EvalError('enough');
    return Acc.Sink.create(place(`s${k}`), null);
}));
check(stopped instanceof EvalError && place('s0').query_exists(null) && place('s1').query_exists(null) && !place('s2').query_exists(null),
    `what the function throws: ${stopped}`);
const cancellable = new Gio.Cancellable();
const cancelled = errorOf(() => rows.write_each(backend, k => {
    if (k === 5)
        cancellable.cancel();
    return null;
}, cancellable));
check(cancelled instanceof GLib.Error && cancelled.matches(Gio.IOErrorEnum, Gio.IOErrorEnum.CANCELLED), `a walk that is cancelled: ${cancelled}`);

// Writing goes on elsewhere, and calls back here.
async function start() {
    for (const make of Object.values(arrays)) {
        const sink = new Kept();
        await backend.start_write(make(), sink, null).ended();
        check(right(sink.values), 'start_write');
        for (const breaks of ['start', 'write', 'complete', 'commit']) {
            const error = await backend.start_write(make(), new Kept(breaks), null).ended().then(() => null, e => e);
            check(error instanceof RangeError && error.message.includes(`no ${breaks} here`), `start_write, ${breaks}: ${error}`);
        }
    }
    const last = new Kept('write');
    const error = await rows.start_write_each(backend, null, k => k < 4 ? new Kept() : last).ended().then(() => null, e => e);
    check(error instanceof RangeError && /element 4: .*no write here/.test(error.message), `start_write_each: ${error}`);
}
const loop = GLib.MainLoop.new(null, false);
let failure = null;
start().catch(error => {
    failure = error;
}).finally(() => loop.quit());
loop.run();

const names = Gio.File.new_for_path(folder).enumerate_children('standard::name', Gio.FileQueryInfoFlags.NONE, null);
for (let info = names.next_file(null); info !== null; info = names.next_file(null))
    Gio.File.new_for_path(GLib.build_filenamev([folder, info.get_name()])).delete(null);
GLib.rmdir(folder);
if (failure)
    throw failure;

print(`${passed} passed, 0 failed`);
