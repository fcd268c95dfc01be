// SPDX-License-Identifier: LGPL-2.1-or-later
// Acc for JavaScript: numbers where expressions are wanted, typed arrays in and out, exceptions for errors.

const {GLib, GObject} = imports.gi;

let Acc, _iterated;

function _expr(value) {
    if (value instanceof Acc.Expr)
        return value;
    if (typeof value === 'boolean')
        return Acc.Expr.new_bool(value);
    if (typeof value === 'number')
        return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63 ? Acc.Expr.new_int(value) : Acc.Expr.new_float(value);
    if (typeof value === 'bigint')
        return value < 2n ** 63n ? Acc.Expr.new_int(value) : _sound(Acc.Expr.new_typed_uint(Acc.ElementType.parse('u8'), value));
    if (Array.isArray(value))
        return _sound(Acc.Expr.tuple(value.map(_expr)));
    throw new TypeError(`no scalar expression: ${value}`);
}

function _sound(thing) {
    thing.check();
    return thing;
}

// What a function of arrays gives: arrays, or expressions of one element.
function _results(made) {
    return [].concat(made).filter(result => result !== null && result !== undefined)
        .map(result => result instanceof Acc.Expr ? _sound(Acc.Array.unit(result)) : result);
}

const _never = () => {
    throw new Error('functions are asked for, not called');
};

// What fn() gives, called for the elements that the trace asks for.
function _enter(trace, fn) {
    trace.enter();
    try {
        return fn();
    } finally {
        trace.leave();
    }
}

// What make() gives, of which C asks for what the functions give. It does not call them: GJS blocks calls from C while it collects
// garbage, also in the time between the steps of a collection.
function _build(fns, make) {
    const trace = new Acc.Trace();
    for (;;) {
        let made, asks = false;
        trace.begin();
        try {
            made = make();
        } finally {
            asks = trace.end();
        }
        if (!asks) {
            [].concat(made).forEach(thing => thing.check?.()); // a boundary tells its mistakes when it is used
            return made;
        }
        const fn = fns[trace.get_function()], args = trace.get_arguments();
        if (args.length > 0)
            trace.answer(_expr(fn(...args)));
        else
            trace.answer_arrays(_enter(trace, () => _results(fn(trace.get_arrays()))));
    }
}

// Lets owner[name] take functions of JavaScript; convert: what else it takes.
function _takeFunctions(owner, name, convert = args => args) {
    const method = owner[name];
    owner[name] = function (...args) {
        const converted = convert(args), given = converted.map(arg => typeof arg === 'function' ? _never : arg);
        return _build(converted.filter(arg => typeof arg === 'function'), () => method.apply(this, given));
    };
}

// An object where JavaScript wants a number or a text would silently become one.
function _refuse(prototype, allowed, what) {
    prototype[Symbol.toPrimitive] = function (hint) {
        if (hint === allowed)
            return this.to_string();
        throw new TypeError(what);
    };
    prototype.toJSON = function () {
        throw new TypeError(what);
    };
}

function _shape(shape) {
    return shape instanceof Acc.Shape ? shape : Acc.Shape.new(typeof shape === 'number' ? [shape] : shape);
}

function _boundary(boundary) {
    if (boundary instanceof Acc.Boundary)
        return boundary;
    return typeof boundary === 'object' ? Acc.Boundary.new_constant(_expr(boundary.constant)) : Acc.Boundary.new(boundary);
}

const CODES = new Map([
    [Int8Array, 'i1'], [Int16Array, 'i2'], [Int32Array, 'i4'], [BigInt64Array, 'i8'],
    [Uint8Array, 'u1'], [Uint16Array, 'u2'], [Uint32Array, 'u4'], [BigUint64Array, 'u8'],
    [Float32Array, 'f4'], [Float64Array, 'f8'],
]);

// Extents of lists of lists, all of which have the same.
function _extents(data) {
    const extents = [];
    for (let first = data; Array.isArray(first); first = first[0])
        extents.push(first.length);
    return extents;
}

// The numbers in lists of lists, one after the other.
function _flatten(data, extents, into, place = []) {
    if (place.length === extents.length) {
        if (!['number', 'bigint', 'boolean'].includes(typeof data))
            throw new TypeError(`${Array.isArray(data) ? 'a list' : data} at [${place}], where a number is needed`);
        into.push(data);
        return into;
    }
    if (!Array.isArray(data) || data.length !== extents[place.length])
        throw new TypeError(`${Array.isArray(data) ? `${data.length} items` : data} at [${place}], where the first list has ${extents[place.length]}`);
    data.forEach((item, i) => _flatten(item, extents, into, [...place, i]));
    return into;
}

// What numbers of JavaScript become where no code is given: their type is that of all.
function _codeOf(items) {
    const kinds = new Set(items.map(item => typeof item));
    if (kinds.size > 1)
        throw new TypeError(`${[...kinds].join(' and ')} in one array`);
    return {bigint: 'i8', boolean: 'b1'}[[...kinds][0]] ?? 'f8';
}

function _pack(items, code) {
    const constructor = code === 'b1' ? Uint8Array : [...CODES].find(([, c]) => c === code)?.[0];
    if (!constructor)
        throw new TypeError(`a typed array is needed for elements of ${code}`);
    return constructor.from(items, constructor.name.startsWith('Big') ? BigInt : Number);
}

function _use(data, shape, code) {
    if (Array.isArray(data) || ['number', 'bigint', 'boolean'].includes(typeof data)) {
        const extents = _extents(data), items = _flatten(data, extents, []);
        shape ??= extents;
        code ??= _codeOf(items);
        data = _pack(items, code);
    }
    code ??= CODES.get(data?.constructor);
    if (!code)
        throw new TypeError('a typed array, or lists of numbers, are needed');
    const bytes = GLib.Bytes.new(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    return _sound(Acc.Array.use(Acc.ElementType.parse(code), _shape(shape ?? [data.length]), bytes));
}

function _array(thing) {
    return thing instanceof Acc.Array ? thing : _use(thing);
}

function _computed(thing) {
    return thing.is_manifest() ? thing : thing.run();
}

// Flat values as lists of the extents.
function _listed(values, extents) {
    if (extents.length === 0)
        return values[0];
    if (extents.length === 1)
        return Array.from(values);
    const size = extents.slice(1).reduce((product, extent) => product * extent, 1);
    return Array.from({length: extents[0]}, (_, i) => _listed(values.slice(i * size, (i + 1) * size), extents.slice(1)));
}

function _numbersOf(array) {
    const code = array.get_element_type()?.get_code();
    if (code !== 'b1' && ![...CODES.values()].includes(code))
        throw new TypeError(`elements of ${code} are no numbers: to_array gives what they consist of`);
    const values = _computed(array).to_array();
    return code === 'b1' ? Array.from(values, value => value !== 0) : values;
}

// Element by element with another array, one of rank 0 beside each of the other's, or a number.
function _arithmetic(array) {
    for (const name of ['add', 'sub', 'mul', 'div', 'pow', 'min', 'max', 'lt', 'le', 'gt', 'ge', 'eq', 'ne']) {
        const method = array[name];
        const one = (x, y) => x[name !== 'div' ? name : /^f/.test(x.get_element_type().get_code()) ? 'fdiv' : 'quot'](y);
        array[name] = function (other) {
            if (other instanceof Acc.Expr || ['number', 'bigint', 'boolean'].includes(typeof other))
                return this.map(x => one(x, _expr(other)));
            other = _array(other);
            if (this.get_rank() > 0 && other.get_rank() === 0)
                return this.map(x => one(x, Acc.Expr.the(other)));
            if (this.get_rank() === 0 && other.get_rank() > 0)
                return other.map(y => one(Acc.Expr.the(this), y));
            return _sound(method.call(this, other));
        };
    }
}

// Of lists of lists of numbers: one level less than there are lists within lists.
function _fromList(lists) {
    const levels = [];
    let items = lists;
    while (levels.length === 0 || items.some(Array.isArray)) {
        if (!items.every(Array.isArray))
            throw new TypeError(`lists and numbers side by side, ${levels.length + 1} levels deep`);
        levels.push(items.map(item => item.length));
        items = items.flat();
    }
    const numbers = level => _use(level, [level.length], 'i8');
    let nested = _sound(Acc.NestedArray.new_from_lengths(_use(items), numbers(levels.pop())));
    while (levels.length > 0)
        nested = _sound(nested.nest(numbers(levels.pop())));
    return nested;
}

// Producers of what JavaScript iterates: once, and again.
function _iteratedTypes() {
    const Iterated = GObject.registerClass({GTypeName: 'AccJavaScriptIterator'}, class extends Acc.SequenceProducer {
        // pending: what the iterator gave before, as next() does.
        _init(begin, iterator, pending, properties) {
            super._init(properties);
            Object.assign(this, {begin, iterator, pending, failure: null});
        }

        vfunc_read(maxElements, maxValues) {
            const chunk = [];
            for (let nValues = 0; chunk.length < maxElements && nValues < maxValues;) {
                try {
                    const element = this._next();
                    if (element === null)
                        break;
                    chunk.push(element);
                    nValues += element instanceof Acc.Array ? element.get_shape().get_size() : maxValues;
                } catch (error) {
                    if (chunk.length === 0)
                        throw error;
                    this.failure = error; // after what came before it
                    break;
                }
            }
            return chunk.length > 0 ? this._join(chunk) : null;
        }

        // The next element, in memory, if it is like the others; null: there is none.
        _next() {
            if (this.failure)
                throw this.failure;
            this.iterator ??= this.begin();
            const {done, value} = this.pending ?? this.iterator.next();
            this.pending = null;
            if (done)
                return null;
            const element = value instanceof Acc.NestedArray ? value : _array(value);
            const tell = one => `${one.get_element_type().get_code()} of rank ${one.get_rank()}`;
            const depth = element instanceof Acc.NestedArray ? element.get_depth() : 0;
            if (tell(element) !== tell(this) || depth !== this.get_depth() - 1)
                throw new TypeError(`an element of ${tell(element)} and depth ${depth}, where they are of ${tell(this)} and depth ${this.get_depth() - 1}`);
            return _computed(element);
        }

        _join(chunk) {
            if (this.get_depth() === 1)
                return _computed(Acc.NestedArray.new_from_arrays(chunk));
            return _computed(chunk[0].nest(_use([chunk[0].get_lengths().run().get_shape().get_size()], [1], 'i8')));
        }
    });
    const IteratedAgain = GObject.registerClass({GTypeName: 'AccJavaScriptIterable'}, class extends Iterated {
        vfunc_rewind() {
            Object.assign(this, {iterator: null, pending: null, failure: null});
            return true;
        }
    });
    return [Iterated, IteratedAgain];
}

// Of what gives elements one by one: a generator, which is walked once, what can be iterated again, or a function that gives an iterator, called
// for each walk. The first element tells type and rank where properties, those of a producer, do not.
function _fromIterable(elements, properties = {}) {
    const isFunction = typeof elements === 'function', begin = () => (isFunction ? elements() : elements)[Symbol.iterator]();
    const again = isFunction || elements[Symbol.iterator]() !== elements;
    let iterator = null, pending = null;
    if (!properties.element_type) {
        iterator = begin();
        pending = iterator.next();
        if (pending.done)
            throw new TypeError('there is no first element that tells what elements are: give element_type and rank');
        const first = pending.value instanceof Acc.NestedArray ? pending.value : _array(pending.value);
        properties = {element_type: first.get_element_type(), rank: first.get_rank(), depth: (first.get_depth?.() ?? 0) + 1, ...properties};
    } else if (typeof properties.element_type === 'string') {
        properties = {...properties, element_type: Acc.ElementType.parse(properties.element_type)};
    }
    _iterated ??= _iteratedTypes();
    return _sound(Acc.Sequence.new(new _iterated[again ? 1 : 0](begin, iterator, pending, properties)));
}

function _iterateSequences() {
    // JavaScript runs on one thread.
    for (const owner of [Acc.SequenceProducer, Acc.Sink]) {
        const initialize = owner.prototype._init;
        owner.prototype._init = function (properties = {}) {
            initialize.call(this, {context_bound: true, ...properties});
        };
    }

    const sequence = Acc.Sequence.prototype, iterate = sequence.iterate;
    sequence.iterate = function (backend = Acc.Backend.get_default()) {
        return iterate.call(this, backend);
    };
    sequence[Symbol.iterator] = function* () {
        const iterator = this.iterate(), nested = this.get_depth() > 1;
        const next = () => nested ? iterator.next_nested(null) : iterator.next(null);
        try {
            for (let element = next(); element !== null; element = next())
                yield element;
        } finally {
            iterator.close();
        }
    };
    sequence[Symbol.asyncIterator] = async function* () {
        const iterator = this.iterate(), name = this.get_depth() > 1 ? 'next_nested' : 'next';
        const next = () => new Promise((resolve, reject) => iterator[`${name}_async`](null, (_, result) => {
            try {
                resolve(iterator[`${name}_finish`](result));
            } catch (error) {
                reject(error);
            }
        }));
        try {
            for (let element = await next(); element !== null; element = await next())
                yield element;
        } finally {
            iterator.close();
        }
    };
    // What the function throws cancels the job.
    const startWriteEach = sequence.start_write_each;
    sequence.start_write_each = function (backend, cancellable, fn) {
        const job = startWriteEach.call(this, backend, cancellable, number => {
            try {
                return fn(number);
            } catch (error) {
                job._thrown ??= error;
                job.cancel();
                return null;
            }
        });
        return job;
    };
    // Calls the function between runs, not from C, which GJS blocks while it collects garbage.
    sequence.write_each = function (backend, fn, cancellable = null) {
        const iterator = this.iterate(backend);
        let number = 0;
        try {
            for (let element = iterator.next(cancellable); element !== null; element = iterator.next(cancellable)) {
                const sink = fn(number);
                if (sink)
                    iterator.write(element, number, sink);
                number++;
            }
            iterator.finish_writes();
        } catch (error) {
            // What was to be written before comes first.
            if (!cancellable?.is_cancelled())
                iterator.finish_writes();
            throw error;
        } finally {
            iterator.close();
        }
        return true;
    };
}

function _init() {
    Acc = this;

    Acc.use = _use;
    Acc.expr = _expr;
    Acc.cond = (condition, then, otherwise) => _sound(_expr(condition).cond(_expr(then), _expr(otherwise)));
    Acc.loop = (condition, step, initial) => _expr(initial).while(state => [condition(state), step(state)]);
    Acc.fill = (shape, value) => _sound(Acc.Array.fill(_shape(shape), _expr(value)));
    Acc.program = (signatures, fn) => Acc.Program.new_many([].concat(signatures), arrays => fn(...arrays));

    // Several arrays, whose extents may change, while a condition holds for them.
    Acc.while_loop = (initial, condition, step) => {
        const signatures = initial.map(x => `${x.get_element_type().get_code()}[${Array(x.get_rank()).fill(':')}]`);
        return Acc.Array.while_loop_many(initial, Acc.program(signatures, condition), Acc.program(signatures, step)).map(_sound);
    };

    for (const name of ['add', 'sub', 'mul', 'quot', 'rem', 'div', 'mod', 'shl', 'shr', 'rotl', 'rotr', 'fdiv', 'pow', 'logbase',
        'atan2', 'lt', 'gt', 'le', 'ge', 'eq', 'ne', 'min', 'max', 'band', 'bor', 'bxor', 'and_then', 'or_else', 'complex', 'from_polar']) {
        const method = Acc.Expr.prototype[name];
        Acc.Expr.prototype[name] = function (other) {
            return _sound(method.call(this, _expr(other)));
        };
    }
    for (const name of ['neg', 'abs', 'signum', 'recip', 'sin', 'cos', 'tan', 'exp', 'sqrt', 'log', 'truncate', 'round', 'floor',
        'ceiling', 'bnot', 'real', 'imag', 'conjugate', 'magnitude', 'phase', 'cis', 'to_polar']) {
        const method = Acc.Expr.prototype[name];
        Acc.Expr.prototype[name] = function () {
            return _sound(method.call(this));
        };
    }

    const cast = Acc.Expr.prototype.cast;
    Acc.Expr.prototype.cast = function (code) {
        return _sound(cast.call(this, typeof code === 'string' ? Acc.ElementType.parse(code) : code));
    };
    Acc.Expr.prototype.at = function (...offsets) {
        return _sound(this.neighbour(offsets));
    };
    Acc.Expr.prototype[Symbol.iterator] = function* () {
        for (let i = 0; i < this.get_n_items(); i++)
            yield this.item(i);
    };
    _refuse(Acc.Expr.prototype, null, 'an expression has no value while the graph is built: its methods compute with it, as x.gt(0), and Acc.cond chooses');

    const seeded = ([initial, ...others]) => [_expr(initial), ...others];
    // Functions of arrays, which C gives in a list.
    const spread = args => args.map(arg => typeof arg === 'function' ? arrays => arg(...arrays) : arg);
    const shaped = ([shape, ...others]) => [_shape(shape), ...others];

    for (const name of ['while', 'iterate', 'maybe'])
        _takeFunctions(Acc.Expr.prototype, name, args => args.map(arg => typeof arg === 'function' ? arg : _expr(arg)));
    _takeFunctions(Acc.Expr, 'fold_row', ([array, index, initial, fn]) => [array, _expr(index), _expr(initial), fn]);
    _takeFunctions(Acc.Boundary, 'new_function');
    for (const name of ['new', 'new_many'])
        _takeFunctions(Acc.Program, name);
    for (const name of ['map', 'imap', 'zip_with', 'filter'])
        _takeFunctions(Acc.NestedArray.prototype, name, spread);
    // C asks with what the element is made of, too.
    const taking = n => args => args.map(arg => typeof arg === 'function' ? objects => arg(...objects.slice(0, n)) : arg);
    for (const [owner, name] of [[Acc.NestedArray, 'map_nested'], [Acc.Sequence, 'map_batches']])
        _takeFunctions(owner.prototype, name, taking(1));
    for (const name of ['map_nested', 'filter_nested', 'take_while_nested'])
        _takeFunctions(Acc.Sequence.prototype, name, taking(1));
    for (const name of ['imap_nested', 'zip_with_nested', 'scan_nested'])
        _takeFunctions(Acc.Sequence.prototype, name, taking(2));
    _takeFunctions(Acc.Sequence.prototype, 'scan_many_nested', args => taking(args[0].length + 1)(args));
    _takeFunctions(Acc.Sequence, 'new_generate_nested', taking(1));
    _takeFunctions(Acc.Sequence, 'zip_with_many_nested', args => taking(args[0].length)(args));
    _takeFunctions(Acc.Sequence, 'izip_with_many_nested', args => taking(args[0].length + 1)(args));
    for (const name of ['map', 'imap', 'zip_with', 'filter', 'take_while', 'scan', 'scan_many', 'fold', 'map_batch', 'fold_batch'])
        _takeFunctions(Acc.Sequence.prototype, name, spread);
    // Numbers and lists begin folds and scans, too; of a fold they are of the type of elements.
    for (const [name, convert] of [['fold', (x, type) => typeof x === 'number' ? Acc.Array.unit(_expr(x).cast(type)) : _array(x)], ['scan', _array]]) {
        const method = Acc.Sequence.prototype[name];
        Acc.Sequence.prototype[name] = function (initial, fn) {
            return method.call(this, initial === null ? null : convert(initial, this.get_element_type()), fn);
        };
    }
    for (const name of ['map_batch_nested', 'fold_batch_nested'])
        _takeFunctions(Acc.Sequence.prototype, name, taking(2));
    for (const owner of [Acc.NestedArray, Acc.Sequence])
        for (const name of ['zip_with_many', 'izip_with_many'])
            _takeFunctions(owner, name, spread);
    _takeFunctions(Acc.Sequence, 'new_generate', spread);
    _iterateSequences();
    Acc.Sequence.from_iterable = _fromIterable;
    Acc.Sequence.prototype.to_list = function () {
        return this.to_nested().to_list();
    };
    Acc.NestedArray.from_list = _fromList;
    Acc.NestedArray.prototype.to_list = function () {
        return Array.from(this, element => element.to_list());
    };
    // A promise of what a job computed: arrays or a nested array, or null where it writes. What its functions threw is its error.
    Acc.Job.prototype.ended = function (cancellable = null) {
        return new Promise((resolve, reject) => this.wait_async(cancellable, (_, result) => {
            try {
                this.wait_finish(result);
                resolve(this.dup_nested() ?? this.get_results());
            } catch (error) {
                reject(this._thrown ?? error);
            }
        }));
    };
    Acc.NestedArray.prototype.run = function (backend = Acc.Backend.get_default()) {
        return backend.run_nested(this, null);
    };
    // Elements in memory: arrays, or nested arrays where there are levels.
    Acc.NestedArray.prototype[Symbol.iterator] = function* () {
        const made = this.is_manifest() ? this : this.run(), inner = made.get_inner();
        const length = made.get_lengths().run().get_shape().get_extent(0);
        for (let k = 0; k < length; k++)
            yield inner === null ? made.dup_element(k).run() : made.dup_nested(k);
    };
    Acc.NestedArray.prototype.toString = function () {
        return this.to_string();
    };

    for (const type of [Acc.Shape, Acc.ElementType]) {
        type.prototype.toString = function () {
            return this.to_string?.() ?? this.get_code();
        };
    }

    _takeFunctions(Acc.Array, 'generate', shaped);
    _takeFunctions(Acc.Array, 'generate_expr', seeded);
    Acc.generate = Acc.Array.generate;

    const array = Acc.Array.prototype;
    for (const name of ['map', 'imap', 'fold1', 'fold1_all', 'scanl1', 'scanr1', 'fold1_seg', 'fold1_seg_offsets', 'scanl1_seg', 'scanr1_seg',
        'sort_by_key', 'permute', 'scatter_if', 'gather_if', 'filter', 'expand', 'label_components_by'])
        _takeFunctions(array, name);
    for (const name of ['fold', 'fold_all', 'fold_seg', 'fold_seg_offsets', 'backpermute_expr'])
        _takeFunctions(array, name, seeded);
    for (const scan of ['scanl', 'scanr', 'prescanl', 'prescanr', 'postscanl', 'postscanr', 'scanl_with_total', 'scanr_with_total']) {
        for (const name of [scan, `${scan}_seg`])
            _takeFunctions(array, name, seeded);
    }
    _takeFunctions(array, 'backpermute', shaped);
    _takeFunctions(array, 'stencil', ([sizes, boundary, fn]) => [sizes, _boundary(boundary), fn]);
    _takeFunctions(array, 'stencil2', ([sizes, boundary, other, otherSizes, otherBoundary, fn]) =>
        [sizes, _boundary(boundary), other, otherSizes, _boundary(otherBoundary), fn]);

    // Two to nine arrays, and last the function of their elements.
    for (const zip of ['zip_with', 'izip_with']) {
        const names = [2, 3, 4, 5, 6, 7, 8, 9].map(n => n === 2 ? zip : `${zip}${n}`);
        for (const name of names)
            _takeFunctions(array, name);
        const methods = names.map(name => array[name]);
        const choose = function (...args) {
            if (args.length < 2 || args.length > 9)
                throw new TypeError(`${zip} takes 2 to 9 arrays and a function`);
            return methods[args.length - 2].apply(this, args);
        };
        for (const name of names)
            array[name] = choose;
    }
    for (const name of ['slice', 'replicate']) {
        const method = array[`${name}_expr`];
        array[name] = function (specification) {
            return _sound(method.call(this, specification.map(_expr)));
        };
    }
    const reshape = array.reshape;
    array.reshape = function (shape) {
        return _sound(reshape.call(this, _shape(shape)));
    };

    array.run = function (backend = Acc.Backend.get_default()) {
        return backend.run(this, null);
    };
    array.toString = function () {
        return this.to_string();
    };
    _refuse(array, 'string', 'an array is no number: map and zip_with compute with its elements, and to_array gives their values');

    // A copy of a buffer as the typed array of its scalars, which lie side by side where it holds complex numbers or vectors.
    array.to_array = function (buffer = 0) {
        const type = Acc.Array.prototype.get_element_type.call(this).get_buffer(buffer);
        const code = (type.is_packed() ? type.get_item(0) : type).get_code();
        const constructor = [...CODES].find(([, c]) => c === code)?.[0] ?? Uint8Array;
        const bytes = this.dup_bytes(buffer).toArray();
        return new constructor(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    };

    // The elements of a vector, which runs where it is not in memory: for of, [...array], Float64Array.from(array).
    array[Symbol.iterator] = function () {
        if (this.get_rank() !== 1)
            throw new TypeError('only a vector of numbers is iterated; to_list gives what any array has');
        return _numbersOf(this)[Symbol.iterator]();
    };
    // The values as lists, one in the other, of numbers or booleans; that of an array of rank 0.
    array.to_list = function () {
        const made = _computed(this), shape = made.get_shape();
        return _listed(_numbersOf(made), Array.from({length: shape.get_rank()}, (_, d) => shape.get_extent(d)));
    };
    _arithmetic(array);
}
