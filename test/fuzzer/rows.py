# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that keep what an iteration of their outer loops needs for itself in rows: one or two of them are filled, and
then read, forwards or backwards. Some are read where nothing was filled, filled less by the last iteration, or only partly,
or summed up first: there, iterations aren't independent of each other.
"""
from .contract import Contractions
from .generate import Generator, TooLarge
from .program import Access, Aff, Assign, Bound, Index, Loop


class Rows(Contractions):
    DEPTHS = [0, 60, 40, 0]
    DIMS = [45, 50, 5]
    HIGHEST = {2: (20, 75), 3: (9, 30)}
    MAX_ITERATIONS = 130_000

    def __init__(self, seed, attempt, name):
        Generator.__init__(self, seed, attempt, name)
        r = self.r
        self.plain, self.exact = True, False
        self.p.scalars, self.registers = {}, False
        rows = [a for a in self.p.arrays if a.dims == 1]
        r.shuffle(rows)
        self.rows = rows[:r.choices([1, 2], [65, 35])[0]]
        self.results = [a for a in self.p.arrays if a.dims == 2][:1]
        self.targets = self.rows + self.results
        if not rows or not self.results:
            raise TooLarge

    def header(self, context, low, up, down=False):
        return Loop("ijkl"[len(context.loops)], self.r.choice(self.var_types), [Bound(low)], [Bound(up)], 1, down,
                    "wrap" if down and self.unsigned else "lt", [])

    def body(self, context, iterations, depth):
        if depth > 1:
            size = Aff({self.r.choice(self.sizes()): 1})
            return [self.fill(self.header(context, Aff(const=0), size, self.r.random() < 0.1), context, iterations, depth)]
        return [loop for part in self.parts(context) for loop in [self.inner(context, iterations, *part)]]

    def inner(self, context, iterations, low, up, statement):
        loop = self.header(context, low, up, self.r.random() < 0.15)
        inside = context.enter(Loop(loop.var, loop.type, loop.lows, loop.ups, 1, False, "lt", []))
        if iterations * max(1, inside.most(Aff({loop.var: 1}))) > self.MAX_ITERATIONS:
            raise TooLarge
        loop.body = statement(context.enter(loop), loop.var)
        return loop

    def at(self, context, array, aff):
        index = Index(aff)
        if not self.fits(context, array, 0, index):
            raise TooLarge
        return Access(array.name, [index])

    def ends(self, context):
        """Bounds of what is filled: all, or with an outer loop more or less of it."""
        r, outer = self.r, self.plain_vars(context)
        size = Aff({r.choice(self.sizes()): 1})
        kind = r.random()
        if kind < 0.7 or not outer:
            return Aff(const=r.choice([0, 0, 0, 1])), size
        return (Aff(const=0), Aff({r.choice(outer): 1}, 1)) if kind < 0.9 else (Aff({r.choice(outer): 1}), size)

    def parts(self, context):
        """(low, up, statements) of loops that fill the rows, sum up in them, and read them."""
        r, parts = self.r, []
        low, up = self.ends(context)
        shift = [r.choice([0, 0, 0, 1, 2]) for _ in self.rows]
        slip = r.choice([0] * 8 + [1])  # read next to what is filled
        for row, by in zip(self.rows, shift):
            parts.append((low, up, lambda c, v, row=row, by=by: [self.write(c, self.at(c, row, Aff({v: 1}, by)), "=")]))
            if r.random() < 0.3:
                parts.append((low, up, lambda c, v, row=row, by=by: [self.write(c, self.at(c, row, Aff({v: 1}, by)), "+")]))
        if r.random() < 0.1:
            parts.reverse()
        for _ in range(r.choice([1, 1, 2])):
            row, by = r.choice(list(zip(self.rows, shift)))
            back = low + up + (by - 1)
            parts.append((low, up, lambda c, v, row=row, by=by, back=back: [
                self.use(c, self.at(c, row, Aff({v: 1}, by + slip)), self.at(c, row, back - Aff({v: 1})))]))
        return parts

    def write(self, context, target, operator):
        self.n_statements += 1
        value = self.leaf(context, target)
        if self.r.random() < 0.5:
            value = ("bin", self.r.choice("+-*"), value, self.leaf(context, target))
        return Assign(target, operator, value)

    def result(self, context):
        """An element that is this iteration's own, as a rule."""
        array = self.results[0]
        indices = [Index(Aff({v: 1})) for v in (context.loops[0].var, context.loops[-1].var)]
        if self.r.random() < 0.85 and all(self.fits(context, array, d, index) for d, index in enumerate(indices)):
            return Access(array.name, indices)
        return self.access(context, array)

    def use(self, context, read, back):
        target = self.result(context)
        self.n_statements += 1
        if self.p.kind_of(self.p.type_of(target)) not in ("float", "double") and self.p.array(read.array).type[0] == "f":
            raise TooLarge
        other = ("read", back) if self.r.random() < 0.8 else self.leaf(context, target)
        value = ("bin", self.r.choice("+-"), ("read", read), other)
        return Assign(target, self.r.choice("==+"), value)
