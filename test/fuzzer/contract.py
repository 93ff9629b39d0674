# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that look like matrix products: nests of three or four loops that fold into the elements of an array.

Operands stay along some loops; bounds may be triangular, subscripts transposed, shifted and sums; a nest may hold several
statements, and fold into the array that it reads.  And products of matrices and vectors: nests of two or three loops, some
of whose statements fold along rows, some along columns.  And recurrences, along rows and columns, in rows that have nothing
to do with each other.  And contractions with conditions around their loops, and some in a loop around all.
"""
from .generate import Generator, TooLarge
from .program import Access, Aff, Assign, Bound, If, Index, Test


class Contractions(Generator):
    DEPTHS = [0, 0, 75, 25]
    DIMS = [5, 85, 10]
    HIGHEST = {3: (8, 50), 4: (4, 20)}
    MAX_ITERATIONS = 130_000

    def __init__(self, seed, attempt, name):
        super().__init__(seed, attempt, name)
        self.plain, self.targets = True, self.p.arrays[:max(1, len(self.p.arrays) // 2)]
        self.exact = self.r.random() < 0.6  # a product as in books, or nearly so
        wrong = any(a.kind == "rows" or a.dims != 2 for a in self.p.arrays)
        if len(self.p.arrays) < 2 or (self.exact and (wrong or "i16" in self.var_types)):
            raise TooLarge
        if self.exact or self.r.random() < 0.8:
            self.p.scalars, self.registers = {}, False

    def body(self, context, iterations, depth):
        r = self.r
        if depth == 0:
            return [self.fold(context) for _ in range(r.choices([1, 2, 3], [92, 8, 0] if self.exact else [82, 14, 4])[0])]
        if depth == self.depth:
            return [self.nest(context, iterations, depth) for _ in range(r.choices([1, 2], [75, 25])[0])]
        nodes = [self.nest(context, iterations, depth)]
        if r.random() < 0.15:
            nodes.insert(r.randint(0, 1), self.statement(context) if r.random() < 0.3 else self.start(context))
        return nodes

    def nest(self, context, iterations, depth):
        loop = self.loop_header(context)
        if self.exact and self.r.random() < 0.85:
            loop.lows, loop.ups = [Bound(Aff(const=self.r.choice([0, 0, 0, 1])))], [Bound(Aff({self.r.choice(self.sizes()): 1}))]
            if self.unsigned and loop.style == "le":  # n - 1 wraps where n is 0
                loop.style = "lt"
        if self.r.random() < 0.9:
            loop.step, loop.down = 1, False
            loop.style = "lt" if loop.style == "wrap" else loop.style
        return self.fill(loop, context, iterations, depth)

    def subscript(self, context, array, d, var):
        """That moves with a loop variable, nearly always."""
        kind, aff = self.r.random() * (0.9 if self.exact else 1), Aff({var: 1})
        if kind > 0.95:
            aff = aff + Aff({self.r.choice(self.plain_vars(context)): 1})
        elif kind > 0.85:
            aff = aff + self.r.choice([-1, 1, 1, 2])
        index = Index(aff)
        index.plus = index.plus - min(0, context.range(index)[0])
        return index if self.fits(context, array, d, index) else self.index(context, array, d, var)

    def element(self, context, array, variables):
        """Of an array, by some of the variables in some order."""
        chosen = self.r.sample(variables, len(variables))
        return Access(array.name, [self.subscript(context, array, d, chosen[d % len(chosen)]) for d in range(array.dims)])

    def start(self, context):
        """Sets an element or scales it."""
        r, array = self.r, self.r.choice(self.targets)
        self.n_statements += 1
        return Assign(self.element(context, array, self.plain_vars(context)), r.choice("=*"), ("const", r.randint(1, 9)))

    def fold(self, context):
        r, array = self.r, self.r.choice(self.targets)
        self.n_statements += 1
        variables = self.plain_vars(context)
        n_sum = max(1, len(variables) - array.dims) if r.random() < 0.85 else r.randint(1, 2)
        sums = r.sample(variables, min(len(variables) - 1, n_sum))
        free = [v for v in variables if v not in sums]
        target = Access(array.name, [self.subscript(context, array, d, v) for d, v in enumerate(
            [free[k % len(free)] for k in range(array.dims)])]) if self.exact or r.random() < 0.7 else self.element(context, array, free)
        floats = self.p.kind_of(array.type) in ("float", "double")
        usable = [a for a in self.p.arrays if floats or a.type[0] != "f"]
        others = [a for a in usable if a not in self.targets]
        if others and (self.exact or r.random() < 0.9):
            usable = others
        over = [r.choice(sums)] if self.exact or r.random() < 0.8 else sums
        first = ("read", self.element(context, r.choice(usable), [free[0], r.choice(over)]))
        second = ("read", self.element(context, r.choice(usable), [free[-1], r.choice(over)]))
        value = ("bin", "*", first, second)
        kind = r.random()
        if kind < 0.12:
            value = ("bin", r.choice("+-"), value, r.choice([first, second, ("const", r.randint(1, 9))]))
        elif kind < 0.3:
            value = ("bin", r.choice("+-"), first, second)
        elif kind < 0.35:
            value = ("pick", r.choice(["<", ">"]), first, second)
        if r.random() < 0.15:
            return Assign(target, "=", ("pick", r.choice(["<", ">", "<=", ">="]), value, ("read", target)))
        return Assign(target, r.choices(["+", "-", "*", "^"], [72, 18, 6, 4])[0], value)


class Batches(Contractions):
    """Products in a loop around them, into arrays that each of its iterations fills, sets to something in front of the sum, and
    reads again: by another product, or on the way to where they stay."""
    DEPTHS = [0, 0, 0, 1]
    DIMS = [2, 63, 35]
    HIGHEST = {4: (5, 24)}
    MAX_ITERATIONS = 60_000

    def __init__(self, seed, attempt, name):
        super().__init__(seed, attempt, name)
        self.copies, self.filled = False, None
        if all(a.dims != 2 for a in self.targets):
            raise TooLarge

    def inner(self, context):
        """The loop variables, but for the outermost one now and then."""
        variables = self.plain_vars(context)
        return variables[1:] if len(variables) > 2 and self.r.random() < 0.9 else variables

    def target(self, context):
        array, variables = self.r.choice([a for a in self.targets if a.dims == 2]), self.inner(context)[:2]
        if len(variables) < 2:
            raise TooLarge
        if self.r.random() < 0.15:
            variables.reverse()
        return Access(array.name, [self.subscript(context, array, d, variables[d]) for d in range(2)])

    def copy(self, context):
        """What was filled goes elsewhere, or somewhere in it."""
        r, kept = self.r, self.r.choice([a for a in self.p.arrays if a.dims > 1])
        self.n_statements += 1
        variables = self.plain_vars(context)
        place = Access(kept.name, [self.subscript(context, kept, d, variables[-kept.dims:][d]) for d in range(kept.dims)])
        value = ("read", self.target(context))
        if r.random() < 0.5:
            value = ("bin", r.choice("+-"), value, ("read", place))
        return Assign(place, "=", value)

    def body(self, context, iterations, depth):
        r = self.r
        if depth == self.depth:
            return [self.nest(context, iterations, depth)]
        if depth == self.depth - 1:
            nodes = [self.nest(context, iterations, depth) for _ in range(r.choices([1, 2], [65, 35])[0])]
            if r.random() < 0.8:
                self.copies = True
                nodes.append(self.nest(context, iterations, depth))
                self.copies = False
            return nodes
        if depth == 1 and self.copies:
            return [self.copy(context)]
        if depth == 1:
            self.filled = self.target(context)
            nodes = [self.nest(context, iterations, depth)]
            if r.random() < 0.85:
                self.n_statements += 1
                nodes.insert(0, Assign(self.filled, r.choice("===*"), ("const", r.randint(0, 9))))
            return nodes
        if depth == 0:
            fold = self.fold(context)
            return [Assign(self.filled, fold.op, fold.expr)] if r.random() < 0.95 else [fold]
        return [self.nest(context, iterations, depth)]


class Skips(Contractions):
    """Contractions whose innermost loops are skipped where an element is zero, and parts behind what doesn't change."""

    def body(self, context, iterations, depth):
        nodes, r = super().body(context, iterations, depth), self.r
        if depth == 1 and r.random() < 0.7:
            return [If([self.skip(context) for _ in range(r.choices([1, 2], [85, 15])[0])], r.choice(["||", "||", "&&"]), nodes, [])]
        if depth and context.loops and r.random() < 0.35:
            other = super().body(context, iterations, depth) if r.random() < 0.5 else []
            return [If([self.unchanging(context)], "&&", nodes, other)]
        return nodes

    def kept(self):
        """An array, as a rule one that isn't written; one of floating-point numbers if there is one."""
        arrays = [a for a in self.p.arrays if a not in self.targets or self.r.random() < 0.1] or self.p.arrays
        return self.r.choice([a for a in arrays if a.type[0] == "f"] or arrays)

    def skip(self, context):
        array = self.kept()
        place = self.element(context, array, self.plain_vars(context))
        return Test(("pick", "!=" if self.r.random() < 0.7 else ">", ("read", place), ("const", 0)), self.p.kind_of(array.type))

    def unchanging(self, context):
        r, array = self.r, self.kept()
        indices = [Index(Aff(const=r.randint(0, 1))) for _ in range(array.dims)]
        if not all(self.fits(context, array, d, i) for d, i in enumerate(indices)):
            return self.skip(context)
        relation = r.choice(["==", "!=", "<", ">"])
        return Test(("pick", relation, ("read", Access(array.name, indices)), ("const", r.randint(0, 2))), self.p.kind_of(array.type))


class Sums(Contractions):
    """One or two sums in scalars, by an innermost loop or two, which are needed when they are complete."""

    def __init__(self, seed, attempt, name):
        super().__init__(seed, attempt, name)
        r = self.r
        self.p.scalars = {f"r{k}": self.targets[0].type for k in range(r.choice([1, 1, 1, 2]))}
        self.registers, self.over = True, r.choice([1, 1, 2])

    def body(self, context, iterations, depth):
        r = self.r
        if depth == 0:
            return self.terms(context)
        if depth > self.over or not context.loops:
            return super().body(context, iterations, depth)
        if depth < self.over:
            nest = [self.nest(context, iterations, depth)]
            return nest + [self.use(context)] if r.random() < 0.1 else nest
        nodes = [Assign(s, "=", ("const", r.randint(0, 3)) if r.random() < 0.7 else self.leaf(context, s)) for s in self.p.scalars]
        nodes.append(self.nest(context, iterations, depth))
        return nodes + [self.use(context) for _ in range(r.choice([1, 1, 2]))]

    def terms(self, context):
        """What a step of the sums adds."""
        nodes, r = [], self.r
        for s, t in self.p.scalars.items():
            usable = [a for a in self.p.arrays if t[0] == "f" or a.type[0] != "f"]
            usable = usable if r.random() < 0.15 else [a for a in usable if a not in self.targets] or usable
            read = [("read", self.element(context, r.choice(usable), r.sample(self.plain_vars(context), 2))) for _ in range(2)]
            self.n_statements += 1
            nodes.append(Assign(s, r.choices("+-*", [80, 15, 5])[0], ("bin", r.choice("***+-"), *read) if r.random() < 0.9 else read[0]))
        if r.random() < 0.15:
            nodes.append(self.fold(context))
        return nodes

    def use(self, context):
        """Of the complete sums: in an element that is read before, as a rule."""
        r, array = self.r, self.targets[0]
        target = self.element(context, array, self.plain_vars(context))
        value = ("scalar", r.choice(list(self.p.scalars)))
        if r.random() < 0.6:
            value = ("bin", r.choice("*+-"), value, self.leaf(context, target))
        self.n_statements += 1
        node = Assign(target, r.choices("=+-*", [15, 60, 20, 5])[0], value)
        return If([self.unchanging(context)], "&&", [node], []) if r.random() < 0.15 else node

    def unchanging(self, context):
        array = self.r.choice(self.p.arrays)
        return Test(("pick", self.r.choice(["<", ">"]), ("read", self.element(context, array, self.plain_vars(context))), ("const", 1)),
                    self.p.kind_of(array.type))


class Vectors(Contractions):
    DEPTHS = [0, 88, 12, 0]
    DIMS = [55, 45, 0]
    HIGHEST = {2: (20, 70), 3: (6, 40)}

    def __init__(self, seed, attempt, name):
        Generator.__init__(self, seed, attempt, name)
        r = self.r
        self.plain, self.exact = True, r.random() < 0.6
        vectors = [a for a in self.p.arrays if a.dims == 1]
        self.matrices = [a for a in self.p.arrays if a.dims == 2]
        if len(vectors) < 2 or not self.matrices:
            raise TooLarge
        self.targets = vectors[:r.randint(1, len(vectors) - 1)]
        if self.exact or r.random() < 0.8:
            self.p.scalars, self.registers = {}, False

    def body(self, context, iterations, depth):
        r = self.r
        if depth == 0:
            return [self.fold(context) for _ in range(r.choices([1, 2, 3], [75, 20, 5])[0])]
        if depth == self.depth:
            return [self.nest(context, iterations, depth) for _ in range(r.choices([1, 2], [75, 25])[0])]
        nodes = [self.nest(context, iterations, depth) for _ in range(r.choices([1, 2], [70, 30])[0])]
        for _ in range(r.choices([0, 1, 2], [50, 35, 15])[0]):
            nodes.insert(r.randint(0, len(nodes)), self.statement(context) if r.random() < 0.2 else self.start(context))
        return nodes

    def fold(self, context):
        r, variables = self.r, self.plain_vars(context)
        self.n_statements += 1
        row, column = variables[-2:] if len(variables) > 1 else variables * 2
        kept, summed = (row, column) if r.random() < 0.7 else (column, row)
        array, matrix = r.choice(self.targets), r.choice(self.matrices)
        target = Access(array.name, [self.subscript(context, array, 0, kept)])
        order = [row, column] if r.random() < 0.9 else [column, row]
        others = [a for a in self.p.arrays if a.dims == 1 and (a not in self.targets or r.random() < 0.15)]
        vector = r.choice(others or self.targets)
        first = ("read", Access(matrix.name, [self.subscript(context, matrix, d, v) for d, v in enumerate(order)]))
        second = ("read", Access(vector.name, [self.subscript(context, vector, 0, summed)]))
        kind = r.random()
        value = first if kind < 0.1 else ("bin", r.choice("+-") if kind < 0.2 else "*", first, second)
        if r.random() < 0.1:
            return Assign(target, "=", ("pick", r.choice(["<", ">", "<=", ">="]), value, ("read", target)))
        return Assign(target, r.choices(["+", "-", "*", "^"], [72, 18, 6, 4])[0], value)


class Recurrences(Contractions):
    """Nests of two or three loops, the innermost of which need their iteration before: in memory or in scalars."""
    DEPTHS = [0, 85, 15, 0]
    DIMS = [20, 80, 0]
    HIGHEST = {2: (20, 70), 3: (6, 40)}

    def __init__(self, seed, attempt, name):
        Generator.__init__(self, seed, attempt, name)
        r = self.r
        self.plain, self.exact = True, r.random() < 0.7
        self.matrices = [a for a in self.p.arrays if a.dims == 2]
        if not self.matrices or any(a.kind == "rows" for a in self.p.arrays):
            raise TooLarge
        self.targets = self.matrices[:r.randint(1, max(1, len(self.matrices) - 1))]
        self.registers = r.random() < 0.5
        self.p.scalars = {f"r{k}": self.targets[0].type for k in range(r.choice([1, 1, 2]))} if self.registers else {}

    def body(self, context, iterations, depth):
        r = self.r
        if depth == 0:
            if not self.registers:
                return [self.carry(context) for _ in range(r.choices([1, 2, 3], [60, 30, 10])[0])]
            return self.pass_on(context) + [self.carry(context) for _ in range(r.choices([0, 1], [75, 25])[0])]
        nodes = [self.nest(context, iterations, depth) for _ in range(r.choices([1, 2], [75, 25])[0])]
        if depth == self.depth:
            return nodes
        for _ in range(r.choices([0, 1, 2], [50, 35, 15])[0]):
            nodes.insert(r.randint(0, len(nodes)), self.statement(context) if r.random() < 0.2 else self.start(context))
        if depth == 1 and r.random() < 0.9:
            nodes = [Assign(s, "=", self.leaf(context, s) if r.random() < 0.3 else ("const", r.randint(1, 9))) for s in self.p.scalars] + nodes
        if self.registers and self.targets[0].type == self.p.scalars["r0"] and r.random() < 0.2:
            nodes.append(Assign(self.element(context, self.targets[0], self.plain_vars(context)), "=", ("scalar", "r0")))
        return nodes

    def shifted(self, context, array, by):
        """An element by the last two variables, that of the innermost loop plus BY."""
        variables = self.plain_vars(context)
        row, column = variables[-2:] if len(variables) > 1 else variables * 2
        affs = [Aff({row: 1}), Aff({column: 1}) + by]
        indices = [Index(a) for a in (affs if self.along else affs[::-1])]
        fits = all(self.fits(context, array, d, i) for d, i in enumerate(indices))
        return Access(array.name, indices) if fits else self.element(context, array, variables)

    def carry(self, context):
        r, array = self.r, self.r.choice(self.targets)
        self.n_statements += 1
        self.along = r.random() < 0.7
        at = r.choice([0, 1, 1, 1, 2])
        target = self.shifted(context, array, at)
        back = ("read", self.shifted(context, array, max(0, at + r.choice([-1, -1, -1, -1, 1, -2]))))
        other = self.expr(context, r.choice([0, 0, 1]), target)
        floats = self.p.kind_of(array.type) in ("float", "double")
        value = ("bin", r.choice("+-"), ("bin", r.choice("**/" if floats else "&^"), back, ("const", r.randint(1, 3))), other)
        if r.random() < 0.1:
            value = ("pick", r.choice(["<", ">", "<=", ">="]), back, other)
        return Assign(target, r.choices("=+-", [80, 12, 8])[0], value)

    def pass_on(self, context):
        """A new value from scalars, which are set anew."""
        r, array = self.r, self.targets[0]
        self.n_statements += 1
        self.along = r.random() < 0.6
        target = self.shifted(context, array, r.choice([0, 0, 0, 1]))
        names = sorted(self.p.scalars)
        value = self.expr(context, r.choice([0, 1]), target)
        for s in names:
            value = ("bin", r.choice("+-"), value, ("scalar", s))
        nodes = [Assign(target, "=", value)]
        nodes += [Assign(b, "=", ("scalar", a)) for a, b in zip(names[:-1], names[1:])][::-1]
        kind = r.random()
        last = ("read", target) if kind < 0.5 else ("bin", "+", ("scalar", names[0]), self.leaf(context, names[0]))
        nodes.append(Assign(names[0], "=", last))
        return nodes if r.random() < 0.8 else nodes[1:]
