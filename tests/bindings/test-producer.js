// SPDX-License-Identifier: LGPL-2.1-or-later
// Producers of sequences that are written in JavaScript.
imports.gi.versions.Acc = '1';
const {Acc, GLib, GObject} = imports.gi;

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

// Pairs of numbers; an error in place of the last one where @breaks.
const Pairs = GObject.registerClass(class Pairs extends Acc.SequenceProducer {
    _init(n, breaks) {
        super._init({element_type: Acc.ElementType.parse('i4'), shape: Acc.Shape.new([2]), length: n});
        this.n = n;
        this.at = 0;
        this.breaks = breaks;
    }

    vfunc_read(maxElements, maxValues, cancellable) {
        const n = Math.min(maxElements, Math.floor(maxValues / 2) || 1, this.n - this.at);
        if (n === 0)
            return null;
        if (this.breaks && this.at + n === this.n)
            throw new Error('broken');
        const numbers = Int32Array.from({length: 2 * n}, (_, i) => 2 * this.at + i);
        this.at += n;
        return Acc.NestedArray.new_from_regular(Acc.use(numbers).reshape(Acc.Shape.new([n, 2])).run());
    }

    vfunc_rewind() {
        this.at = 0;
        return true;
    }

    vfunc_describe(element) {
        return `pair ${element}`;
    }
});

const pairs = new Pairs(3, false);
for (let walk = 0; walk < 2; walk++) {
    check(pairs.read(2, 100, null).to_string() === 'nested([[0, 1], [2, 3]], dtype=i4)', 'two pairs');
    check(pairs.read(2, 1, null).to_string() === 'nested([[4, 5]], dtype=i4)', 'the third');
    check(pairs.read(2, 100, null) === null, 'the end');
    check(pairs.rewind(), 'rewound');
}
check(pairs.describe(7) === 'pair 7' && pairs.get_length() === 3 && pairs.get_rank() === 1, 'what it says of itself');

const broken = new Pairs(2, true);
check(broken.read(1, 100, null) !== null, 'one before it breaks');
const thrown = errorOf(() => broken.read(1, 100, null));
check(thrown !== null && /broken/.test(String(thrown)), `an exception: ${thrown}`);
const after = errorOf(() => broken.read(1, 100, null));
check(after instanceof GLib.Error && after.matches(Acc.Error, Acc.Error.STREAM), `and then: ${after}`);

print(`${passed} passed, 0 failed`);
