// SPDX-License-Identifier: LGPL-2.1-or-later
// Sequences, of what Vala produces.

// [0], [1, 1], [2, 2, 2] …; an error in place of the last one where it breaks.
class Steps : Acc.SequenceProducer {
    private int64 n;
    private int64 at = 0;
    private bool breaks;

    public Steps (int64 n, bool breaks = false) throws Error {
        Object (element_type: Acc.ElementType.parse ("i8"), rank: 1, length: n);
        this.n = n;
        this.breaks = breaks;
    }

    public override Acc.NestedArray? read (int64 max_elements, int64 max_values, Cancellable? cancellable) throws Error {
        if (at == n)
            return null;
        if (breaks && at == n - 1)
            throw new IOError.FAILED ("broken");
        var row = Acc.Array.fill (new Acc.Shape ({ 1, at + 1 }), new Acc.Expr.int (at));
        at++;
        return new Acc.NestedArray.from_regular (Acc.Backend.get_default ().run (row, cancellable));
    }

    public override bool rewind () throws Error {
        at = 0;
        return true;
    }
}

int failed = 0;

void expect (int64 got, int64 want, string what) {
    if (got == want)
        return;
    stderr.printf ("%s: %s, wanted %s\n", what, got.to_string (), want.to_string ());
    failed++;
}

int64 number (Acc.Array array) throws Error {
    return Acc.Backend.get_default ().run (array, null).get_int (0, 0);
}

Acc.Array total (Acc.Array row) {
    return row.fold (new Acc.Expr.int (0), (a, b) => a.add (b));
}

int main () {
    try {
        var steps = new Acc.Sequence (new Steps (5));
        Acc.ArrayFunc plus = (arrays) => arrays[0].zip_with (arrays[1], (a, b) => a.add (b));

        for (int walk = 0; walk < 2; walk++)
            expect (number (steps.map ((arrays) => total (arrays[0])).fold (null, plus)), 40, "map and fold");
        expect (number (steps.imap ((arrays) => total (arrays[1]).zip_with (arrays[0], (a, b) => a.mul (b))).fold (null, plus)), 130, "imap");
        expect (number (total (steps.fold (null, (arrays) => arrays[0].concat (arrays[1])))), 40, "fold of vectors");
        expect (number (steps.filter ((arrays) => total (arrays[0]).map ((x) => x.gt (new Acc.Expr.int (5)))).count ()), 3, "filter");
        expect (number (total (steps.take (3).elements ())), 8, "take");
        expect (number (new Acc.Sequence.generate (-1, (arrays) => arrays[0]).drop (7).take (1).last (null)), 7, "generate");
        Acc.Sequence[] both = { steps, steps };
        expect (number (Acc.Sequence.izip_with_many (both, (arrays) => total (arrays[1].concat (arrays[2]))).fold (null, plus)), 80, "izip_with_many");
        expect (number (Acc.Sequence.zip_with_many (both, (arrays) => total (arrays[0].concat (arrays[1]))).fold (null, plus)), 80, "zip_with_many");
        var start = Acc.Array.unit (new Acc.Expr.int (100));
        expect (number (steps.scan (start, (arrays) => arrays[0].zip_with (total (arrays[1]), (a, b) => a.add (b))).last (null)), 140, "scan");

        Acc.NestedBatchFunc halves = (before, some) => {
            var results = new GenericArray<Object> ();
            results.add (before.zip_with (some.get_lengths ().fold (new Acc.Expr.int (0), (a, b) => a.add (b)), (a, b) => a.add (b)));
            results.add (some.reverse ().reverse ());
            return results;
        };
        expect (number (steps.map_batch_nested (start, halves).map ((arrays) => total (arrays[0])).fold (null, plus)), 40, "map_batch_nested");
        expect (number (steps.fold_batch_nested (start, (before, some) => {
            var results = new GenericArray<Object> ();
            results.add (before.zip_with (some.get_lengths ().fold (new Acc.Expr.int (0), (a, b) => a.add (b)), (a, b) => a.add (b)));
            return results;
        })), 115, "fold_batch_nested");

        expect (number (total (steps.map_batches (2, (some) => some.reverse ()).take (1).elements ())), 2, "map_batches");

        var pairs = steps.batch_nested (2);
        expect (number (total (pairs.map_nested ((elements) => ((Acc.NestedArray) elements[0]).flatten ()).take (1).elements ())), 2, "map_nested");
        var last_pair = Acc.Backend.get_default ().run_nested (pairs.last_nested (null), null);
        var joined = pairs.scan_nested (last_pair, (elements) => ((Acc.NestedArray) elements[0]).concat ((Acc.NestedArray) elements[1]));
        expect (number (total (joined.last_nested (null).flatten ())), 60, "scan_nested");
        GLib.Object[] before = { start, last_pair };
        var earlier = pairs.scan_many_nested (before, (elements) => {
            var results = new GLib.GenericArray<GLib.Object> ();
            var some = ((Acc.NestedArray) elements[2]).flatten ();
            results.add (((Acc.Array) elements[0]).zip_with (total (some), (a, b) => a.add (b)));
            results.add (elements[2]);
            results.add (total (((Acc.NestedArray) elements[1]).flatten ()));
            return results;
        });
        expect (number (earlier.fold (null, plus)), 40, "scan_many_nested");
        Acc.Sequence[] twice = { pairs, pairs };
        expect (number (Acc.Sequence.izip_with_many_nested (twice, (elements) => total (((Acc.NestedArray) elements[1]).flatten ()).zip_with ((Acc.Array) elements[0], (a, b) => a.mul (b))).fold (null, plus)), 58, "izip_with_many_nested");
        expect (number (pairs.zip_with_nested (steps, (elements) => total (((Acc.NestedArray) elements[0]).flatten ())).fold (null, plus)), 40, "zip_with_nested");
        int64 nested_seen = 0;
        var iterator = pairs.iterate (Acc.Backend.get_default ());
        for (var some = iterator.next_nested (null); some != null; some = iterator.next_nested (null))
            nested_seen++;
        expect (nested_seen, (int64) (steps.get_length () + 1) / 2, "next_nested");

        Acc.Array[] states = { start, Acc.Array.unit (new Acc.Expr.int (1)) };
        expect (number (steps.scan_many (states, (arrays) => {
            var results = new GenericArray<Acc.Array> ();
            results.add (arrays[0].zip_with (total (arrays[2]), (a, b) => a.add (b)));
            results.add (arrays[1].map ((x) => x.mul (new Acc.Expr.int (2))));
            results.add (arrays[0].zip_with (arrays[1], (a, b) => a.add (b)));
            return results;
        }).last (null)), 136, "scan_many");

        int64 sum = 0, seen = 0;
        foreach (var row in steps)
            sum += number (total (row));
        expect (sum, 40, "foreach");
        foreach (Acc.Array k in new Acc.Sequence.generate (-1, (arrays) => arrays[0])) {
            if (k.get_int (0, 0) == 9)
                break;
            seen++;
        }
        expect (seen, 9, "foreach that stops");
        bool broken = false;
        try {
            foreach (var row in new Acc.Sequence (new Steps (3, true)))
                seen += number (total (row));
        } catch (IOError e) {
            broken = e.message.contains ("broken");
        }
        expect (broken ? 1 : 0, 1, "foreach of a producer that breaks");
        expect (seen, 11, "what came before");

        var folder = DirUtils.make_tmp ("acc-XXXXXX");
        var backend = Acc.Backend.get_default ();
        Acc.SinkFunc place = (k) => {
            if (k == 1)
                return null;
            try {
                return Acc.Sink.create (File.new_for_path (folder + "/" + k.to_string () + ".npy"), null);
            } catch (Error e) {
                return null;
            }
        };
        expect (steps.write_each (backend, place, null) ? 1 : 0, 1, "write_each");
        for (int k = 0; k < 5; k++) {
            var file = File.new_for_path (folder + "/" + k.to_string () + ".npy");
            expect (file.query_exists () ? 1 : 0, k != 1 ? 1 : 0, "a file of write_each");
            if (k == 1)
                continue;
            var back = new Acc.Array.from_source (Acc.Source.open (file, null));
            expect (number (total (back)), k * (k + 1), "an element that was written");
            file.delete ();
        }
        var job = steps.start_write_each (backend, null, (k) => place (k));
        var loop = new MainLoop ();
        job.wait_async.begin (null, () => loop.quit ());
        loop.run ();
        expect ((int64) job.elements_done, 5, "elements of start_write_each");
        for (int k = 0; k < 5; k++)
            expect (FileUtils.unlink (folder + "/" + k.to_string () + ".npy"), k == 1 ? -1 : 0, "a file of start_write_each");
        DirUtils.remove (folder);
        var run = backend.start_run (steps.map ((arrays) => total (arrays[0])).fold (null, plus), null);
        expect (run.wait () ? number (run.get_results ()[0]) : 0, 40, "start_run");

        var nested_run = backend.start_run_nested (steps.map ((arrays) => arrays[0].concat (arrays[0])).to_nested (), null);
        expect (nested_run.wait () ? number (total (nested_run.dup_nested ().flatten ())) : 0, 80, "start_run_nested");
        expect ((int64) nested_run.elements_done, 5, "its progress");

        bool refused = false;
        try {
            number (new Acc.Sequence (new Steps (3, true)).count ());
        } catch (IOError e) {
            refused = e is IOError.FAILED && e.message.contains ("broken");
        }
        expect (refused ? 1 : 0, 1, "the error of a producer");
        stdout.printf ("%d failed\n", failed);
        return failed > 0 ? 1 : 0;
    } catch (Error e) {
        stderr.printf ("%s\n", e.message);
        return 1;
    }
}
