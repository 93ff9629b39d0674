# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs like triangular solves and triangular products in place.

Row (or column) j of a matrix gets multiples of the rows before it, or of those behind it, of the same matrix: as they are
by then, or as they were; in loops that go up or down, in any order that has sums inside or outside, with a sum in a scalar,
a factor in one, and rows that are scaled before or after that; where elements ask for it that the nest computes.
"""
from .contract import Contractions
from .generate import Generator, TooLarge
from .program import Access, Aff, Assign, Bound, If, Index, Loop, Test


class Solves(Contractions):
    DEPTHS = [0, 0, 100, 0]
    DIMS = [0, 100, 0]
    HIGHEST = {3: (8, 70)}
    MAX_ITERATIONS = 400_000

    def __init__(self, seed, attempt, name):
        Generator.__init__(self, seed, attempt, name)
        r = self.r
        self.plain, self.exact = True, True
        self.p.scalars, self.registers = {}, False
        usable = [a for a in self.p.arrays if a.dims == 2 and (a.type[0] == "f" or self.p.mode == "wrap")]
        if len(usable) < 2 or any(a.type != usable[0].type for a in usable[:2]) or "i16" in self.var_types:
            raise TooLarge
        self.targets, self.factors = [usable[0]], usable[1]
        self.turned, self.lying = r.random() < 0.4, r.random() < 0.5  # T[i][j] in place of T[j][i], A[k][j] in place of A[j][k]
        self.behind = r.random() < 0.5  # rows behind this one

    def header(self, context, low, up, down):
        return Loop("ijkl"[len(context.loops)], self.r.choice(self.var_types), [Bound(low)], [Bound(up)], 1, down,
                    "wrap" if down and self.unsigned else "lt", [])

    def around(self, context, low, up, down, nodes):
        """A loop with what NODES makes of the context in it, its variable last."""
        loop = self.header(context, low, up, down)
        inside = context.enter(loop)
        trips = inside.most(Aff({loop.var: 1})) - inside.least(Aff({loop.var: 1})) + 1
        self.iterations *= max(1, trips)
        if self.iterations > self.MAX_ITERATIONS:
            raise TooLarge
        loop.body = nodes(inside, loop.var)
        self.iterations //= max(1, trips)
        return loop

    def all(self, context, size, nodes, down=None):
        down = self.r.random() < 0.25 if down is None else down
        return self.around(context, Aff(), Aff({size: 1}), down, nodes)

    def some(self, context, size, other, above, nodes):
        """From OTHER + 1 to the end if ABOVE, else up to it."""
        low, up = (Aff({other: 1}, 1), Aff({size: 1})) if above else (Aff(), Aff({other: 1}))
        return self.around(context, low, up, self.r.random() < 0.25, nodes)

    def place(self, context, array, first, second, turned):
        chosen = [second, first] if turned else [first, second]
        indices = [Index(Aff({v: 1})) for v in chosen]
        if not all(self.fits(context, array, d, index) for d, index in enumerate(indices)):
            raise TooLarge
        return Access(array.name, indices)

    def row(self, context, j, i):
        return self.place(context, self.targets[0], j, i, self.turned)

    def factor(self, context, j, k):
        return ("read", self.place(context, self.factors, j, k, self.lying))

    def small(self, value):
        return ("bin", "/", value, ("const", 997)) if self.targets[0].type[0] == "f" else value

    def term(self, context, j, k, i):
        """What row k gives to row j."""
        return self.small(("bin", "*", self.factor(context, j, k), ("read", self.row(context, k, i))))

    def scale(self, context, j, i):
        self.n_statements += 1
        return Assign(self.row(context, j, i), "*", self.small(self.factor(context, j, j)) if self.r.random() < 0.7 else ("const", 3))

    def add(self, context, j, k, i):
        self.n_statements += 1
        return Assign(self.row(context, j, i), self.r.choice("+-"), self.term(context, j, k, i))

    def body(self, context, iterations, depth):
        self.iterations = iterations
        sizes = self.sizes()
        rows, columns = self.r.choice(sizes), self.r.choice(sizes)
        return [self.r.choice([self.sums_inside, self.rows_inside, self.columns_inside, self.right_looking, self.forward,
                               self.skipping])(context, rows, columns)]

    def direction(self):
        """Rows that others are made of come before these, as a rule; else they are what they were."""
        return self.behind if self.r.random() < 0.7 else not self.behind

    def sums_inside(self, context, rows, columns):
        """for i for j { t = T[j][i]; for k: t -= A[j][k] * T[k][i]; T[j][i] = t }, i outside or inside of j"""
        r, scalar = self.r, self.r.random() < 0.6
        before, after = r.random() < 0.3, r.random() < 0.5
        if scalar:
            self.p.scalars, self.registers = {"r0": self.targets[0].type}, True
        sign = r.choice("+-")

        def element(inside, j, i):
            def step(innermost, k):
                self.n_statements += 1
                return [Assign("r0", sign, self.term(innermost, j, k, i))] if scalar else [self.add(innermost, j, k, i)]
            nodes, value = [], ("read", self.row(inside, j, i))
            if scalar:
                nodes.append(Assign("r0", "=", ("bin", "*", ("const", 2), value) if before else value))
            elif before:
                nodes.append(self.scale(inside, j, i))
            nodes.append(self.some(inside, rows, j, self.behind, step))
            if scalar:
                value = ("scalar", "r0")
                nodes.append(Assign(self.row(inside, j, i), "=", ("bin", "*", ("const", 3), value) if after else value))
            elif after:
                nodes.append(self.scale(inside, j, i))
            return nodes
        down = self.direction()
        if r.random() < 0.5:
            return self.all(context, columns, lambda c, i: [self.all(c, rows, lambda d, j: element(d, j, i), down)])
        return self.all(context, rows, lambda c, j: [self.all(c, columns, lambda d, i: element(d, j, i))], down)

    def rows_inside(self, context, rows, columns):
        """for j { for k: for i: T[j][i] -= A[j][k] * T[k][i]; for i: T[j][i] *= A[j][j] }"""
        before, after = self.r.random() < 0.3, self.r.random() < 0.5

        def row(inside, j):
            scale = lambda: self.all(inside, columns, lambda c, i: [self.scale(c, j, i)])
            nodes = [scale()] if before else []
            nodes.append(self.some(inside, rows, j, self.behind,
                                   lambda c, k: [self.all(c, columns, lambda d, i: [self.add(d, j, k, i)])]))
            return nodes + [scale()] if after else nodes
        return self.all(context, rows, row, self.direction())

    def columns_inside(self, context, rows, columns):
        """for i: for j: for k: T[j][i] -= A[j][k] * T[k][i]"""
        down = self.direction()
        return self.all(context, columns, lambda c, i: [self.all(c, rows, lambda d, j: [
            self.some(d, rows, j, self.behind, lambda e, k: [self.add(e, j, k, i)])], down)])

    def right_looking(self, context, rows, columns):
        """for k: for j behind it: for i: T[j][i] -= A[j][k] * T[k][i]"""
        down = self.direction()
        return self.all(context, rows, lambda c, k: [self.some(c, rows, k, not self.behind, lambda d, j: [
            self.all(d, columns, lambda e, i: [self.add(e, j, k, i)])])], down)

    def forward(self, context, rows, columns):
        """for i: for k { t = T[k][i]; T[k][i] = t * A[k][k]; for j behind it: T[j][i] += t * A[j][k] }"""
        r = self.r
        self.p.scalars, self.registers = {"r0": self.targets[0].type}, True
        early, twice = r.random() < 0.7, r.random() < 0.5

        def element(inside, k, i):
            def step(innermost, j):
                self.n_statements += 1
                value = self.small(("bin", "*", self.factor(innermost, j, k), ("scalar", "r0")))
                return [Assign(self.row(innermost, j, i), r.choice("+-"), value)]
            value = ("read", self.row(inside, k, i))
            nodes = [Assign("r0", "=", ("bin", "*", ("const", 2), value) if twice else value)]
            store = Assign(self.row(inside, k, i), "=", ("bin", "*", ("const", 3), ("scalar", "r0")))
            loop = self.some(inside, rows, k, not self.behind, step)
            self.n_statements += 1
            return nodes + [store, loop] if early else nodes + [loop, store]
        down = self.direction()
        return self.all(context, columns, lambda c, i: [self.all(c, rows, lambda d, k: element(d, k, i), down)])

    def skipping(self, context, rows, columns):
        """for i: for k: if (T[k][i] != 0) { T[k][i] *= A[k][k]; for j behind it: T[j][i] -= T[k][i] * A[j][k] }"""
        r = self.r
        scaled, relation, limit = r.random() < 0.6, r.choice(["!=", "!=", "!=", ">", "=="]), r.choice([0, 0, 1])

        def element(inside, k, i):
            asked = Test(("pick", relation, ("read", self.row(inside, k, i)), ("const", limit)), self.p.kind_of(self.targets[0].type))
            loop = self.some(inside, rows, k, not self.behind, lambda c, j: [self.add(c, j, k, i)])
            return [If([asked], "&&", ([self.scale(inside, k, i)] if scaled else []) + [loop], [])]
        down = self.direction()
        return self.all(context, columns, lambda c, i: [self.all(c, rows, lambda d, k: element(d, k, i), down)])
