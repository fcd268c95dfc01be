// SPDX-License-Identifier: LGPL-2.1-or-later
// Acc for JavaScript: numbers where expressions are wanted, typed arrays in and out, exceptions for errors.

const {GLib} = imports.gi;

let Acc;

function _expr(value) {
    if (value instanceof Acc.Expr)
        return value;
    if (typeof value === 'boolean')
        return Acc.Expr.new_bool(value);
    if (typeof value === 'number')
        return Number.isInteger(value) ? Acc.Expr.new_int(value) : Acc.Expr.new_float(value);
    if (Array.isArray(value))
        return _sound(Acc.Expr.tuple(value.map(_expr)));
    throw new TypeError(`no scalar expression: ${value}`);
}

function _sound(thing) {
    thing.check();
    return thing;
}

// Calls make(callback); an exception inside fn comes out of it.
function _build(fn, make, wrap = x => x) {
    const kept = [];
    let failure = null;
    const made = make((...args) => {
        try {
            const result = _expr(fn(...args.map(wrap)));
            kept.push(result);
            return result;
        } catch (e) {
            failure = e;
            return null;
        }
    });
    if (failure)
        throw failure;
    return _sound(made);
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

function _use(data, shape = [data.length], code = CODES.get(data.constructor)) {
    if (Array.isArray(data)) {
        data = Float64Array.from(data);
        code = 'f8';
    }
    if (!code)
        throw new TypeError('a typed array, or an array of numbers, is needed');
    const bytes = GLib.Bytes.new(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    return _sound(Acc.Array.use(Acc.ElementType.parse(code), _shape(shape), bytes));
}

function _init() {
    Acc = this;

    Acc.use = _use;
    Acc.expr = _expr;
    Acc.cond = (condition, then, otherwise) => _sound(_expr(condition).cond(_expr(then), _expr(otherwise)));
    Acc.loop = (condition, step, initial) =>
        _build(state => [condition(state), step(state)], callback => _expr(initial).while(callback));
    Acc.generate = (shape, fn) => _build(fn, callback => Acc.Array.generate(_shape(shape), callback));
    Acc.fill = (shape, value) => _sound(Acc.Array.fill(_shape(shape), _expr(value)));
    Acc.program = (signatures, fn) => {
        let failure = null;
        const made = Acc.Program.new_many([].concat(signatures), arrays => {
            try {
                return [].concat(fn(...arrays));
            } catch (e) {
                failure = e;
                return null;
            }
        });
        if (failure)
            throw failure;
        return _sound(made);
    };

    // Several arrays, whose extents may change, while a condition holds for them.
    Acc.while_loop = (initial, condition, step) => {
        const signatures = initial.map(x => `${x.get_element_type().get_code()}[${Array(x.get_rank()).fill(':')}]`);
        return Acc.Array.while_loop_many(initial, Acc.program(signatures, condition), Acc.program(signatures, step)).map(_sound);
    };

    for (const name of ['add', 'sub', 'mul', 'quot', 'rem', 'div', 'mod', 'shl', 'shr', 'rotl', 'rotr', 'fdiv', 'pow', 'logbase',
        'atan2', 'lt', 'gt', 'le', 'ge', 'eq', 'ne', 'min', 'max', 'band', 'bor', 'bxor', 'and_then', 'or_else', 'complex', 'mk_polar']) {
        const method = Acc.Expr.prototype[name];
        Acc.Expr.prototype[name] = function (other) {
            return _sound(method.call(this, _expr(other)));
        };
    }
    for (const name of ['neg', 'abs', 'signum', 'recip', 'sin', 'cos', 'tan', 'exp', 'sqrt', 'log', 'truncate', 'round', 'floor',
        'ceiling', 'bnot', 'real', 'imag', 'conjugate', 'magnitude', 'phase', 'cis', 'polar']) {
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

    const array = Acc.Array.prototype;
    const original = Object.fromEntries(['map', 'imap', 'fold', 'fold1', 'fold_all', 'fold1_all', 'scanl1', 'sort_on',
        'stencil', 'backpermute', 'permute', 'scatter_if', 'gather_if', 'reshape', 'while_loop'].map(name => [name, array[name]]));

    array.map = function (fn) {
        return _build(fn, callback => original.map.call(this, callback));
    };
    array.imap = function (fn) {
        return _build(fn, callback => original.imap.call(this, callback));
    };
    // Two to nine arrays, and last the function of their elements.
    for (const name of ['zip_with', 'izip_with']) {
        const methods = [2, 3, 4, 5, 6, 7, 8, 9].map(n => array[n === 2 ? name : `${name}${n}`]);
        array[name] = function (...others) {
            const fn = others.pop();
            if (others.length < 1 || others.length > 8)
                throw new TypeError(`${name} takes 2 to 9 arrays and a function`);
            return _build(fn, callback => methods[others.length - 1].call(this, ...others, callback));
        };
        for (let n = 3; n <= 9; n++)
            array[`${name}${n}`] = array[name];
    }
    array.fold = function (initial, fn) {
        return _build(fn, callback => original.fold.call(this, _expr(initial), callback));
    };
    array.fold_all = function (initial, fn) {
        return _build(fn, callback => original.fold_all.call(this, _expr(initial), callback));
    };
    array.fold1 = function (fn) {
        return _build(fn, callback => original.fold1.call(this, callback));
    };
    array.fold1_all = function (fn) {
        return _build(fn, callback => original.fold1_all.call(this, callback));
    };
    array.scanl1 = function (fn) {
        return _build(fn, callback => original.scanl1.call(this, callback));
    };
    array.sort_on = function (descending, key) {
        return _build(key, callback => original.sort_on.call(this, descending, callback));
    };
    array.stencil = function (sizes, boundary, fn) {
        return _build(fn, callback => original.stencil.call(this, sizes, _boundary(boundary), callback));
    };
    array.backpermute = function (shape, fn) {
        return _build(fn, callback => original.backpermute.call(this, _shape(shape), callback));
    };
    array.permute = function (defaults, targets, fn) {
        return _build(fn, callback => original.permute.call(this, defaults, targets, callback));
    };
    array.scatter_if = function (defaults, targets, mask, predicate) {
        return _build(predicate, callback => original.scatter_if.call(this, defaults, targets, mask, callback));
    };
    array.gather_if = function (indices, defaults, mask, predicate) {
        return _build(predicate, callback => original.gather_if.call(this, indices, defaults, mask, callback));
    };
    for (const name of ['slice', 'replicate']) {
        const method = array[`${name}_expr`];
        array[name] = function (specification) {
            return _sound(method.call(this, specification.map(_expr)));
        };
    }
    array.reshape = function (shape) {
        return _sound(original.reshape.call(this, _shape(shape)));
    };

    array.run = function (backend = Acc.Backend.get_default()) {
        return backend.run(this, null);
    };
    array.toString = function () {
        return this.to_string();
    };

    // A copy of a buffer as the typed array of its scalars, which lie side by side where it holds complex numbers or vectors.
    array.to_array = function (buffer = 0) {
        const type = Acc.Array.prototype.get_element_type.call(this).get_buffer(buffer);
        const code = (type.is_packed() ? type.get_item(0) : type).get_code();
        const constructor = [...CODES].find(([, c]) => c === code)?.[0] ?? Uint8Array;
        const bytes = this.get_bytes(buffer).toArray();
        return new constructor(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    };
}
