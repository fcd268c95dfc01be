// SPDX-License-Identifier: LGPL-2.1-or-later
// Nested arrays from Vala: functions of elements, levels, Arrow, programs, and mistakes.

int passed = 0;

void check (bool condition, string what) {
    if (!condition)
        error ("failed: %s", what);
    passed++;
}

Acc.Array numbers (int64[] given) throws Error {
    var data = new uint8[given.length * sizeof (int64)];
    Memory.copy (data, given, data.length);
    return Acc.Array.use (Acc.ElementType.parse ("i8"), new Acc.Shape.vector (given.length), new Bytes (data));
}

string show (Acc.NestedArray nested) throws Error {
    return Acc.Backend.get_default ().run_nested (nested, null).to_string ();
}

delegate void Action () throws Error;

void fails (Action action, int code, string what) {
    try {
        action ();
    } catch (Error e) {
        check (e.domain == Acc.Error.quark () && e.code == code, what + ": " + e.message);
        return;
    }
    error ("no error: %s", what);
}

int main () {
    try {
        var values = numbers ({ 3, 1, 2, 9, 4, 4 });
        var rows = new Acc.NestedArray.from_lengths (values, numbers ({ 3, 0, 1, 2 }));
        check (show (rows) == "nested([[3, 1, 2], [], [9], [4, 4]], dtype=i8)", show (rows));
        check (rows.get_depth () == 1 && rows.get_inner () == null && rows.get_form () == Acc.NestedForm.IRREGULAR, "what it is");
        check (show (rows.map ((a) => a[0].reverse ())) == "nested([[2, 1, 3], [], [9], [4, 4]], dtype=i8)", "map");
        check (show (rows.imap ((a) => a[1].concat (a[1]))).has_prefix ("nested([[3, 1, 2, 3, 1, 2], []"), "imap");
        check (show (rows.zip_with (rows.sort (true), (a) => a[0].concat (a[1]))).has_prefix ("nested([[3, 1, 2, 3, 2, 1], []"), "zip_with");
        check (show (rows.filter ((a) => a[0].sum_all ().map ((s) => s.gt (new Acc.Expr.int (6))))) == "nested([[9], [4, 4]], dtype=i8)", "filter");
        check (show (rows.replicate (2).take (3)) == "nested([[3, 1, 2], [3, 1, 2], []], dtype=i8)", "replicate");

        Acc.Array mask;
        var padded = rows.to_padded (new Acc.Expr.int (0), out mask);
        check (show (new Acc.NestedArray.from_padded (padded, mask)) == show (rows), "padded and back");

        var groups = rows.nest (numbers ({ 2, 0, 2 }));
        check (show (groups) == "nested([[[3, 1, 2], []], [], [[9], [4, 4]]], dtype=i8)" && groups.get_depth () == 2, "levels");
        check (show (groups.map ((a) => a[0].sum_all ())) == "nested([[6, 0], [], [9, 8]], dtype=i8)", "sums in levels");
        check (show (groups.flatten_level (1)) == "nested([[3, 1, 2], [], [9, 4, 4]], dtype=i8)", "flatten_level");
        check (show (groups.dup_nested (2)) == "nested([[9], [4, 4]], dtype=i8)", "an element of a level");

        // Structs of Arrow's C data interface have 9 and 10 words.
        uint64 schema[9], array[10];
        var made = Acc.Backend.get_default ().run_nested (groups, null);
        made.export_arrow (schema, array);
        check (new Acc.NestedArray.from_arrow (schema, array).to_string () == made.to_string (), "Arrow and back");

        string[] signatures = { "i8[:]", "i8[:]" };
        var program = new Acc.Program (signatures, (a) => new Acc.NestedArray.from_lengths (a[0], a[1]).map ((r) => r[0].reverse ()).flatten ());
        var executable = Acc.Backend.get_default ().compile (program, null);
        Acc.Array[] inputs = { numbers ({ 1, 2, 3 }), numbers ({ 1, 2 }) };
        check (executable.run (inputs, null)[0].to_string () == "array([1, 3, 2], dtype=i8)", "in a program");
        Acc.Array[] others = { numbers ({ 4, 5 }), numbers ({ 0, 2, 0 }) };
        check (executable.run (others, null)[0].to_string () == "array([5, 4], dtype=i8)", "of other lengths");

        fails (() => show (new Acc.NestedArray.from_lengths (values, numbers ({ 3, -1, 4 }))), Acc.Error.BOUNDS, "a negative length");
        fails (() => show (rows.nest (numbers ({ 1 }))), Acc.Error.SHAPE, "too few in groups");
        fails (() => groups.flatten_level (2).check (), Acc.Error.SHAPE, "no such level");

        // What a function throws is the error of the run, with its domain, and names the element.
        var backend = Acc.Backend.get_default ();
        string[] declared = { "i8[:]" };
        var fallback = new Acc.Program (declared, (a) => a[0].reverse ());
        backend.set_foreign ("vala-throws", (inputs) => {
            if (inputs[0].get_shape ().get_size () == 1)
                throw new IOError.BUSY ("no line is free");
            return inputs[0];
        });
        var called = rows.map ((a) => {
            Acc.Array[] given = { a[0] };
            return Acc.Array.foreign ("vala-throws", given, fallback);
        });
        string said = "";
        try {
            show (called);
        } catch (IOError e) {
            said = (e is IOError.BUSY) ? e.message : "";
        }
        check (said.contains ("vala-throws") && said.contains ("element 2: no line is free"), "a foreign function throws: " + said);
        bool broken = false;
        try {
            backend.run (new Acc.Sequence.from_nested (rows).map ((a) => {
                Acc.Array[] given = { a[0] };
                return Acc.Array.foreign ("vala-throws", given, fallback);
            }).elements (), null);
        } catch (IOError e) {
            broken = e is IOError.BUSY && e.message.contains ("no line is free");
        }
        check (broken, "in a sequence");
        backend.set_foreign ("vala-throws", null);
        check (show (called) == "nested([[2, 1, 3], [], [9], [4, 4]], dtype=i8)", "its fallback");
        fails (() => rows.map ((a) => null).check (), Acc.Error.CALLBACK, "a function that gives no array");
    } catch (Error e) {
        stderr.printf ("%s\n", e.message);
        return 1;
    }

    stdout.printf ("%d passed, 0 failed\n", passed);
    return 0;
}
