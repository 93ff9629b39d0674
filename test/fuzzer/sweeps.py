# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that wait for themselves.

Gauss-Seidel forms: an element is computed from its neighbours, in place, in a loop over time or without one; loops go up
or down, operands may be coefficients from other arrays, and a second statement may follow.  And folds over elements that
the nest writes, as in dynamic programming: minima, maxima and sums over a row of what the rows below are made of, or of
what is to the left in the same row, counted from there; minima and maxima may be stores under a condition.
"""
from .contract import Contractions
from .generate import Generator, TooLarge
from .program import Access, Aff, Assign, Bound, If, Index, Loop, Test


class Sweeps(Contractions):
    DEPTHS = [0, 25, 60, 15]
    DIMS = [30, 60, 10]
    HIGHEST = {2: (20, 75), 3: (9, 45), 4: (6, 20)}
    MAX_ITERATIONS = 130_000

    def __init__(self, seed, attempt, name):
        Generator.__init__(self, seed, attempt, name)
        r = self.r
        self.plain, self.exact = True, False
        self.p.scalars, self.registers = {}, False
        folds = [a for a in self.p.arrays if a.dims == 2 and a.type[0] != "f"]
        stencils = [a for a in self.p.arrays if a.dims in (self.depth, self.depth - 1)]
        self.folds = bool(folds) and self.depth == 3 and r.random() < 0.7
        if not (folds if self.folds else stencils):
            raise TooLarge
        self.targets = [r.choice(folds if self.folds else stencils)]

    def body(self, context, iterations, depth):
        if depth == self.depth:
            return [self.table(context, iterations) if self.folds else self.sweep(context, iterations, depth)]
        if depth:
            return [self.sweep(context, iterations, depth)]
        return [self.relax(context) for _ in range(self.r.choices([1, 2], [85, 15])[0])]

    def header(self, context, low, up, down):
        return Loop("ijkl"[len(context.loops)], self.r.choice(self.var_types), [Bound(low)], [Bound(up)], 1, down,
                    "wrap" if down and self.unsigned else "lt", [])

    # Gauss-Seidel forms.

    def sweep(self, context, iterations, depth):
        r, size = self.r, Aff({self.r.choice(self.sizes()): 1})
        low = Aff(const=r.choice([0, 1, 1, 1, 2]))
        up = size if self.unsigned else size + r.choice([0, -1, -1, -2])
        return self.fill(self.header(context, low, up, r.random() < 0.12), context, iterations, depth)

    def near(self, context, array, variables, widest):
        """An element next to the one that the loops are at."""
        indices = []
        for d, v in enumerate(variables):
            index = Index(Aff({v: 1}, self.r.randint(-widest, widest)))
            index.plus = index.plus - min(0, context.range(index)[0])
            indices.append(index if self.fits(context, array, d, index) else self.index(context, array, d, v))
        return Access(array.name, indices)

    def relax(self, context):
        r, array = self.r, self.targets[0]
        self.n_statements += 1
        variables = self.plain_vars(context)[-array.dims:]
        if len(variables) < array.dims:
            raise TooLarge
        target = self.near(context, array, variables, 0)
        floats = self.p.kind_of(array.type) in ("float", "double")
        value = ("read", self.near(context, array, variables, 1))
        for _ in range(r.randint(1, 7)):
            other = ("read", self.near(context, array, variables, 1))
            if r.random() < 0.2:
                other = ("bin", "*", self.leaf(context, target), other) if floats or self.p.mode == "wrap" else other
            value = ("bin", r.choice("++++-"), *r.choice([(value, other), (other, value)]))
            if r.random() < 0.12 and floats:
                value = ("bin", "*", ("const", r.randint(1, 4)), value)
        if floats:
            value = ("bin", "/", value, ("const", r.choice([2, 3, 5, 8, 9])))
        return Assign(target, r.choices(["=", "+", "^"], [90, 5, 5 * (not floats)])[0], value)

    # Folds.

    def update(self, context, target, value, kind):
        self.n_statements += 1
        if kind in "<>":
            order = [value, ("read", target)]
            if self.r.random() < 0.3:
                test = ("pick", kind + self.r.choice(["", "="]), *order[::self.r.choice([1, 1, -1])])
                return If([Test(test, self.p.kind_of(self.p.type_of(target)))], "&&", [Assign(target, "=", value)], [])
            return Assign(target, "=", ("pick", kind + self.r.choice(["", "="]), *order[::self.r.choice([1, -1])]))
        return Assign(target, kind, value)

    def table(self, context, iterations):
        """for i downwards: for j behind i: updates of A[i][j]; for k between: A[i][j] is updated with A[i][k] and A[k + 1][j]."""
        r, array = self.r, self.targets[0]
        size = Aff({r.choice(self.sizes()): 1})
        outer = self.header(context, Aff(const=0), size, True)
        in_outer = context.enter(outer)
        i = outer.var
        middle = self.header(in_outer, Aff({i: 1}, r.choice([0, 1, 1, 1])), size, r.random() < 0.1)
        in_middle = in_outer.enter(middle)
        j = middle.var
        inner = self.header(in_middle, Aff({i: 1}, r.choice([0, 1, 1])), Aff({j: 1}, r.choice([0, 0, 0, 1])), r.random() < 0.1)
        in_inner = in_middle.enter(inner)
        k = inner.var
        kind = r.choice(["<", ">", ">", "+", "^"])
        target = Access(array.name, [Index(Aff({i: 1})), Index(Aff({j: 1}))])
        left = Access(array.name, [Index(Aff({i: 1})), Index(Aff({k: 1}, r.choice([0, 0, 0, 1])))])
        below = Access(array.name, [Index(Aff({k: 1}, r.choice([1, 1, 1, 0]))), Index(Aff({j: 1}))])
        if r.random() < 0.25:
            left = Access(array.name, [Index(Aff({i: 1})), Index(Aff({j: 1, k: -1}, r.choice([0, 0, 1])))])
        value = ("bin", r.choice("+^"), ("read", left), ("read", below))
        if r.random() < 0.3:
            value = ("bin", "+", value, self.leaf(in_inner, target))
        for context_of, access in ((in_middle, target), (in_inner, left), (in_inner, below)):
            if not all(self.fits(context_of, array, d, index) for d, index in enumerate(access.indices)):
                raise TooLarge
        if iterations * max(1, in_inner.most(Aff({k: 1}))) ** 3 / 4 > self.MAX_ITERATIONS:
            raise TooLarge
        inner.body = [self.update(in_inner, target, value, kind)]
        middle.body = [inner]
        for _ in range(r.choice([0, 1, 1, 2])):
            near = Access(array.name, [Index(Aff({i: 1}, r.choice([0, 1, 1]))), Index(Aff({j: 1}))])
            other = kind if r.random() < 0.85 else r.choice(["<", ">", "+"])
            value = ("read", near) if self.fits(in_middle, array, 0, near.indices[0]) else ("const", r.randint(1, 9))
            value = ("bin", "+", value, self.leaf(in_middle, target)) if r.random() < 0.5 else value
            middle.body.insert(r.choice([0, 0, 0, len(middle.body)]), self.update(in_middle, target, value, other))
        outer.body = [middle]
        return outer
