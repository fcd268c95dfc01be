// SPDX-License-Identifier: LGPL-2.1-or-later

int main () {
    try {
        var backend = Acc.Backend.get_default ();
        var f4 = Acc.ElementType.parse ("f4");
        var xs = Acc.Array.generate (new Acc.Shape.vector (1000), (i) => i.cast (f4));
        var squares = xs.map ((x) => x.mul (x));
        var sum = squares.fold (new Acc.Expr.float (0), (a, b) => a.add (b));
        var result = backend.run (sum, null);
        double want = 999.0 * 1000.0 * 1999.0 / 6.0;
        double got = result.get_double (0, 0);

        if (Math.fabs (got - want) > 1e-3 * want) {
            stderr.printf ("sum of squares: %g, wanted %g\n", got, want);
            return 1;
        }

        // Fibonacci's numbers, two at a time.
        string[] pair = { "i8", "i8" };
        var below = new Acc.Program (pair, (state) => state[1].map ((x) => x.lt (new Acc.Expr.int (100))));
        var step = new Acc.Program.many (pair, (state) => {
            var next = new GenericArray<Acc.Array> ();
            next.add (state[1]);
            next.add (state[0].zip_with4 (state[1], state[0], state[0], (a, b, c, d) => a.add (b).add (c.sub (d))));
            return next;
        });
        Acc.Array[] first = { Acc.Array.unit (new Acc.Expr.int (0)), Acc.Array.unit (new Acc.Expr.int (1)) };
        var last = Acc.Array.while_loop_many (first, below, step);
        if (backend.run (last[0], null).get_int (0, 0) != 89 || backend.run (last[1], null).get_int (0, 0) != 144) {
            stderr.printf ("a loop of two arrays ends elsewhere\n");
            return 1;
        }

        var i4 = Acc.ElementType.parse ("i4");
        var wrong = xs.map ((x) => x.add (x.cast (i4)));
        bool refused = false;
        try {
            wrong.check ();
        } catch (Error e) {
            refused = e is Acc.Error.TYPE;
        }
        if (!refused) {
            stderr.printf ("a type mistake was accepted\n");
            return 1;
        }

        var folder = DirUtils.make_tmp ("acc-XXXXXX");
        File[] places = { File.new_for_path (folder + "/a.npy"), File.new_for_path (folder + "/b.npy") };
        Acc.Array[] arrays = { xs, squares };
        Acc.Sink[] sinks = { Acc.Sink.create (places[0], null), Acc.Sink.create (places[1], null) };
        backend.write_many (arrays, sinks, null);
        var read = backend.run (new Acc.Array.from_source (Acc.Source.open (places[1], null)), null);
        places[0].delete ();
        places[1].delete ();
        DirUtils.remove (folder);
        if (read.get_double (0, 30) != 900.0) {
            stderr.printf ("the second of two files has other elements\n");
            return 1;
        }

        stdout.printf ("%s\n4 passed, 0 failed\n", result.to_string ());
        return 0;
    } catch (Error e) {
        stderr.printf ("%s\n", e.message);
        return 1;
    }
}
