# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that make kernels of a GPU: nests whose iterations write elements of their own, as a rule, one nest reading what
those before have written, some of them in a loop over time. Bounds are triangular, down, with steps; elements are shifted,
transposed, backwards, or folded into by inner loops, in scalars or in place; some are chosen by affine conditions.
"""
from .generate import Generator
from .program import Access, Aff, Assign, Bound, If, Index, Loop


class Kernels(Generator):
    DEPTHS = [25, 50, 25, 0]
    DIMS = [35, 55, 10]
    HIGHEST = {1: (40, 150), 2: (33, 44), 3: (8, 36)}

    def __init__(self, seed, attempt, name):
        super().__init__(seed, attempt, name)
        r = self.r
        self.around = r.random() < 0.2  # a loop over time
        self.odd = r.random() < 0.25    # bounds and subscripts of all kinds
        self.plain = not self.odd
        self.p.holder = self.p.holder if r.random() < 0.2 else ""
        for a in self.p.arrays:
            a.kind = "global" if a.kind == "rows" and r.random() < 0.8 else a.kind
        self.p.scalars = {s: t for s, t in self.p.scalars.items() if s == "r0"}

    def header(self, context):
        loop, r = self.loop_header(context), self.r
        if self.odd and r.random() < 0.6:
            return loop
        up = Aff({r.choice(self.sizes()): 1})
        if self.plain_vars(context)[self.around:] and r.random() < 0.15:
            up = Aff({r.choice(self.plain_vars(context)): 1}, 1)
        down = r.random() < 0.15
        return Loop(loop.var, r.choice(self.var_types), [Bound(Aff(const=r.choice([0, 0, 0, 1, 2])))], [Bound(up)], 1, down,
                    "wrap" if down and self.unsigned else "lt", [])

    def body(self, context, iterations, depth):
        r = self.r
        if depth == self.depth and self.around and not context.loops:
            loop = Loop("i", r.choice(self.var_types), [Bound(Aff(const=0))], [Bound(Aff(const=r.randint(1, 4)))], 1, False, "lt", [])
            return [self.fill(loop, context, iterations, depth + 1)]
        nodes = []
        for _ in range(r.choice([1, 1, 2, 3]) if depth == self.depth else 1):
            if depth == self.depth:
                self.targets = [r.choice(self.p.arrays)]
            if depth == 0:
                nodes += [self.choice(context) for _ in range(r.choice([1, 1, 1, 2]))]
            elif depth == 1 and "r0" in self.p.scalars and len(context.loops) > self.around and r.random() < 0.6:
                nodes += self.sum(context, iterations)
            else:
                if depth < self.depth and r.random() < 0.15:
                    nodes.append(self.own(context))
                nodes.append(self.fill(self.header(context), context, iterations, depth))
                if depth < self.depth and r.random() < 0.1:
                    nodes.append(self.own(context))
        return nodes

    def place(self, context, array, d, var):
        """A subscript that is another one for each value of VAR."""
        kind, aff = self.r.random(), Aff({var: 1})
        if kind > 0.97:
            aff = aff.scale(2)
        elif kind > 0.87:
            aff = Aff({self.r.choice(self.sizes()): 1}) - aff - 1
        elif kind > 0.7:
            aff = aff + self.r.choice([-1, 1, 1, 2, 3])
        index = Index(aff)
        index.plus = index.plus - min(0, context.range(index)[0])
        return index if self.fits(context, array, d, index) else self.index(context, array, d, var)

    def own(self, context, target=None):
        """Sets an element of this iteration's own, or adds to it."""
        r, array = self.r, self.targets[0]
        variables = self.plain_vars(context)[self.around:] or self.plain_vars(context)
        self.n_statements += 1
        if not target:
            chosen = r.sample(variables, min(len(variables), array.dims))
            if r.random() < 0.6:
                chosen.sort()
            target = Access(array.name, [self.place(context, array, d, chosen[d]) if d < len(chosen) else Index(Aff())
                                         for d in range(array.dims)])
        op = r.choice("=+") if array.dims >= len(variables) else r.choice("+++-*=")
        return Assign(target, op, self.expr(context, r.choice(self.EXPRESSIONS), target))

    def choice(self, context):
        """Such a statement, some in both branches of a condition."""
        first, r = self.own(context), self.r
        if r.random() > 0.12:
            return first
        index = Index(Aff({r.choice(self.plain_vars(context)): 1}))
        limit = Aff({r.choice(self.sizes()): 1}) - r.choice([1, 2, 3]) if r.random() < 0.5 and not self.unsigned else Aff(const=r.randint(1, 20))
        other = [self.own(context, first.target)] if r.random() < 0.85 else []
        return If([(index, r.choice(["<", ">=", "==", "!=", "<="]), limit)], "&&", [first], other)

    def sum(self, context, iterations):
        """A sum in a scalar, and where it goes."""
        r, type_ = self.r, self.p.scalars["r0"]
        loop = self.fill(self.header(context), context, iterations, 1)
        loop.body = [Assign("r0", r.choice("++-*"), self.expr(context.enter(loop), 1, "r0"))] + (loop.body if r.random() < 0.15 else [])
        nodes = [Assign("r0", "=", self.expr(context, 0, "r0")), loop]
        if self.targets[0].type[0] == "f" or type_[0] != "f":
            last = self.own(context)
            nodes.append(Assign(last.target, r.choice("==+"), ("scalar", "r0")))
        return nodes
