// SPDX-License-Identifier: LGPL-2.1-or-later
// A million expressions, constant memory.
imports.gi.versions.Acc = '1';
const {Acc, GLib} = imports.gi;
const System = imports.system;

function resident() {
    const [, bytes] = GLib.file_get_contents('/proc/self/statm');
    return Number(new TextDecoder().decode(bytes).split(' ')[1]) * 4096;
}

const xs = Acc.use(new Float32Array(4));

function rounds(n) {
    for (let i = 0; i < n; i++) {
        xs.map(x => {
            for (let k = 0; k < 50; k++)
                x = x.mul(2).add(1);
            return x;
        });
        if (i % 200 === 0)
            System.gc();
    }
    System.gc();
}

// Programs of several results, and loops of several arrays.
function loops(n) {
    for (let i = 0; i < n; i++) {
        Acc.while_loop([xs, xs], (x, y) => y.fold_all(0, (p, q) => p.add(q)).map(z => z.lt(4)), (x, y) => [y, x.map(z => z.add(1))]);
        if (i % 200 === 0)
            System.gc();
    }
    System.gc();
}

loops(500);
const start = resident();
loops(4000);
if (resident() - start > 16 << 20)
    throw new Error(`loops grew by ${resident() - start} bytes`);

rounds(2500);
const before = resident();
rounds(10000);
const grown = resident() - before;
if (grown > 16 << 20)
    throw new Error(`grew by ${grown} bytes`);
print('2 passed, 0 failed');
