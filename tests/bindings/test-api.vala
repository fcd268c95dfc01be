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

        stdout.printf ("%s\n2 passed, 0 failed\n", result.to_string ());
        return 0;
    } catch (Error e) {
        stderr.printf ("%s\n", e.message);
        return 1;
    }
}
