# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the fuzzer's random program of one seed, free of undefined behaviour by construction.

Every subscript's range over all calls is known (program.Context); one that could be negative is shifted, and the
arrays are as large as the ranges say.  Integer arithmetic is unsigned or on masked values.  Loops over unsigned
variables get only bounds that can't wrap.  Parameters that size an array type stay positive.
"""
import random

from .program import (TABLE, Access, Aff, Array, Assign, Bound, Check, Context, If, Index, Loop, Param, Program, Switch, Test,
                      Transfer, WIDTH, While, expr_accesses, walk)

MAX_ITERATIONS = 60_000   # of the innermost statements, at the largest parameters
MAX_ELEMENTS = 40_000     # of all arrays
LARGEST = {"i32": 2**31 - 1, "i64": 2**63 - 1, "u32": 2**32 - 1, "u64": 2**64 - 1}
# (weight, types of parameters, types of loop variables)
FAMILIES = [(45, ["i32"], ["i32"]), (15, ["i64"], ["i64"]), (12, ["u64"], ["u64"]), (12, ["u32"], ["u32"]),
            (13, ["i32", "i64"], ["i32", "i64"]), (3, ["i32"], ["i16"]), (6, ["u32", "u64"], ["u32", "u64"]),
            (6, ["i32", "i64"], ["i16", "i32", "i64"])]
HIGHEST = {1: (40, 100), 2: (33, 44), 3: (8, 36), 4: (4, 9)}


class TooLarge(Exception):
    pass


class Generator:
    DEPTHS = [10, 45, 33, 12]  # weights: of nests of 1, 2, 3, 4 loops
    DIMS = [40, 45, 15]        # of arrays of 1, 2, 3 dimensions
    HIGHEST = HIGHEST
    MAX_ITERATIONS = MAX_ITERATIONS
    MAX_STATEMENTS = 9
    EXPRESSIONS = [1, 1, 2, 2, 3]  # depths of right-hand sides

    def __init__(self, seed, attempt, name):
        self.r = random.Random(f"{seed}.{attempt}")
        r = self.r
        _, self.param_types, self.var_types = r.choices(FAMILIES, [f[0] for f in FAMILIES])[0]
        self.unsigned = self.param_types[0][0] == "u"
        self.depth = r.choices([1, 2, 3, 4], self.DEPTHS)[0]
        floats = r.random() < 0.6
        self.types = r.choice([["f64"], ["f64"], ["f32"], ["f64", "f32"]] if floats else
                              [["i32"], ["i64"], ["u32"], ["u8"], ["i16"], ["i8", "i32"], ["u64", "f64"], ["u16", "i64"]])
        self.p = Program(name, r.choice(["wrap", "wrap", "mask"]), [], [], {}, [], slack=r.choice([0, 0, 1, 3]))
        self.p.restrict = r.random() < 0.08
        self.p.holder = r.choices(["", "struct", "chain"], [65, 25, 10])[0]
        self.plain = r.random() < 0.6  # few unusual subscripts and bounds
        self.n_statements = 0
        self.extra = random.Random(f"{seed}.{attempt}.extra")  # what came later leaves older programs as they are
        self.forms = {f for f in ("table", "transfer", "while", "check") if self.extra.random() < 0.12}
        self.narrow = random.Random(f"{seed}.{attempt}.narrow")
        self.forms |= {f for f in ("narrow", "band") if self.narrow.random() < 0.12}
        if "table" in self.forms:
            self.p.table = f"{name}_t"
        for k in range(r.randint(1, 3)):
            self.add_param("nmp"[k])
        for k in range(r.choice([0, 0, 0, 0, 0, 1, 1, 2])):
            self.p.scalars[f"s{k}"] = r.choice(self.types)
        self.registers = r.random() < 0.3  # r0 holds sums and nothing leaves the function in it
        if self.registers:
            self.p.scalars["r0"] = r.choice(self.types)
        for k in range(r.choice([1, 2, 2, 3, 3, 4])):
            self.add_array(f"{name}_{'ABCD'[k]}")
        # Plain programs write some arrays and read mostly others, so that more orders than one are legal.
        self.targets = self.p.arrays[:max(1, len(self.p.arrays) // 2)] if self.plain else self.p.arrays

    def add_param(self, name, kind="size", lo=None, hi=None):
        type_ = self.r.choice(self.param_types)
        lo = lo if lo is not None else 0 if self.unsigned else -5
        hi = hi or self.r.randint(*self.HIGHEST[self.depth])
        self.p.params.append(Param(name, type_, lo, hi, kind))
        return name

    def add_array(self, name):
        r = self.r
        dims = r.choices([1, 2, 3], self.DIMS)[0]
        kind = r.choice(["global", "flat", "flat", "vla", "vla", "fixed"] if not self.p.holder else ["global", "flat", "flat", "flat"])
        if dims == 1 and kind in ("vla", "fixed"):
            kind = "flat"
        if dims == 2 and r.random() < 0.1:
            kind = "rows"
        array = Array(name, r.choice(self.types), kind, dims, [], spelling=r.randint(0, 1))
        for d in range(1, dims if kind in ("flat", "vla") else 0):
            sized = r.random() < 0.45
            if sized:
                p = r.choice([p for p in self.p.params if p.kind == "size"])
                p.lo = 1
                array.strides.append(p.name)
            elif kind == "flat":
                array.strides.append(self.add_param(f"ld{len(self.p.params)}", "stride", 1, r.choice([1, 8, 33, 40])))
            else:
                array.strides.append(self.add_param(f"w{len(self.p.params)}", "extent", 1, 1))
        self.p.arrays.append(array)

    # Loops.

    def sizes(self):
        return [p.name for p in self.p.params if p.kind == "size"]

    def plain_vars(self, context):
        """The loop variables that may appear anywhere; that of a loop near its type's end may not."""
        return [l.var for l in context.loops if not any(p.kind == "end" and p.name in l.ups[0].aff.terms for p in self.p.params)]

    def low_bound(self, context):
        r, outer = self.r, self.plain_vars(context)
        kind = r.random()
        if kind < 0.6:
            return Bound(Aff(const=0))
        if kind < 0.75 or not outer:
            return Bound(Aff(const=r.choice([1, 1, 2, 3, 5])))
        if kind < 0.95:
            return Bound(Aff({r.choice(outer): 1}, r.choice([0, 0, 1, 1, 2] + [-1] * (not self.unsigned))))
        return Bound(Aff({r.choice(outer): 1}, 1), 2)

    def up_bound(self, context):
        r, outer = self.r, self.plain_vars(context)
        kind, size = r.random() * (0.8 if self.plain else 1), Aff({r.choice(self.sizes()): 1})
        if kind < 0.5 or (not outer and kind < 0.8):
            return Bound(size + r.choice([0, 0, 0, 0, 1, 2] + [-1, -1, -2] * (not self.unsigned)))
        if kind < 0.62:
            return Bound(Aff(const=r.randint(1, self.HIGHEST[self.depth][1])))
        if kind < 0.78 and outer:
            return Bound(Aff({r.choice(outer): r.choice([1, 1, 1, 2])}, r.choice([0, 1, 1, 3, 8])))
        if kind < 0.86 and outer:
            return Bound(size - Aff({r.choice(outer): 1}) + r.choice([0, 0, 1]))
        return Bound(size.scale(r.choice([1, 1, 2])) + r.randint(0, 2), r.choice([2, 3, 4, 8]))

    def loop_header(self, context):
        """A loop without a body, whose bounds can't wrap."""
        r = self.r
        var, type_ = "ijkl"[len(context.loops)], r.choice(self.var_types)
        lows, ups = [self.low_bound(context)], [self.up_bound(context)]
        if r.random() < 0.06:
            ups.append(self.up_bound(context))
        if r.random() < 0.03:
            lows.append(self.low_bound(context))
        if "band" in self.forms and self.plain_vars(context) and self.narrow.random() < 0.5:
            w, outer = self.narrow.randint(0, 6), Aff({self.narrow.choice(self.plain_vars(context)): 1})
            lows, ups = [*lows[:1], Bound(outer - w)], [*ups[:1], Bound(outer + w + 1)]
        if self.unsigned:
            lows = [b for b in lows if context.least(b.aff) >= 0] or [Bound(Aff(const=0))]
            ups = [b for b in ups if context.least(b.aff) >= 0] or [Bound(Aff({r.choice(self.sizes()): 1}))]
        step, down, style = r.choices([1, 2, 3, 5], [86, 8, 4, 2])[0], r.random() < 0.15, "lt"
        if self.unsigned and down:
            step, style = 1, "wrap"
        elif not down and r.random() < 0.2 and (not self.unsigned or all(context.least(u.at_least()) >= 1 for u in ups)):
            style = "le"
        return self.narrowed(Loop(var, type_, lows, ups, step, down, style, []), context)

    def narrowed(self, loop, context):
        """LOOP, perhaps with a counter of a narrower type, in which nothing wraps."""
        x = self.narrow
        if "narrow" not in self.forms or loop.down or x.random() < 0.4:
            return loop
        last = max(context.most(b.at_most()) for b in loop.lows + loop.ups) + loop.step + 1
        types = [t for t, most in (("u8", 255), ("u16", 65535)) if last <= most]
        if types and all(context.least(b.at_least()) >= 0 for b in loop.lows):
            loop.type = x.choice(types)
        return loop

    def end_loop_header(self, context):
        """A loop over the last few values of its variable's type, in one of the calls."""
        name = f"e{len(self.p.params)}"
        type_ = self.r.choice([t for t in self.param_types if t in LARGEST])
        self.p.params.append(Param(name, type_, 20, 40, "end"))
        context.ranges[name] = (20, 40)
        return Loop("ijkl"[len(context.loops)], type_, [Bound(Aff({name: 1}, -self.r.randint(1, 12)))], [Bound(Aff({name: 1}))],
                    1, False, "lt", [])

    def loop(self, context, iterations, depth):
        ends = self.r.random() < 0.03 and "i16" not in self.var_types
        return self.fill(self.end_loop_header(context) if ends else self.loop_header(context), context, iterations, depth)

    def fill(self, loop, context, iterations, depth):
        """LOOP with a body."""
        var = context.enter(Loop(loop.var, loop.type, loop.lows, loop.ups, 1, False, "lt", []))
        trips = max(1, (var.most(Aff({loop.var: 1})) - var.least(Aff({loop.var: 1})) + 1) / loop.step)
        if iterations * trips > self.MAX_ITERATIONS:
            raise TooLarge
        inner = context.enter(loop)
        loop.body = self.body(inner, iterations * trips, depth - 1)
        return loop

    # Statements.

    def body(self, context, iterations, depth):
        r, nodes = self.r, []
        for _ in range(r.choices([1, 2, 3], [60, 28, 12])[0]):
            if self.n_statements >= self.MAX_STATEMENTS:
                break
            if depth == 1 and self.registers and context.loops and r.random() < 0.25:
                nodes += self.hoisted(context, iterations)
            elif depth == 1 and self.p.scalars and r.random() < 0.4:
                nodes += self.accumulation(context, iterations)
            elif depth and (not context.loops or r.random() < 0.8):
                nodes.append(self.loop(context, iterations, depth))
            elif context.loops and r.random() < 0.18:
                nodes.append(self.switch(context) if r.random() < 0.15 else self.guard(context, iterations, depth))
            elif context.loops or r.random() < 0.3:
                nodes.append(self.statement(context))
            if context.loops and self.forms:
                self.add_form(context, nodes)
        if not nodes:
            nodes.append(self.statement(context))
        return nodes

    def add_form(self, context, nodes):
        """Perhaps one of the rarer forms."""
        x = self.extra
        if "transfer" in self.forms and x.random() < 0.3:
            nodes += self.transfer(context)
        if "while" in self.forms and x.random() < 0.3:
            whole = [a for a in self.p.arrays if a.type[0] != "f"]
            expr, kind = ("iv", x.choice(context.loops).var), "wrap32"
            if whole and x.random() < 0.7:
                target = self.access(context, x.choice(whole))
                expr, kind = ("read", target), self.p.kind_of(self.p.type_of(target))
            nodes.append(While(Test(expr, kind), [self.statement(context) for _ in range(x.choice([1, 1, 2]))]))
        variables = self.plain_vars(context)
        if "check" in self.forms and variables and x.random() < 0.3:
            index = Index(Aff({v: 1 for v in x.sample(variables, min(len(variables), x.choice([1, 2])))}))
            nodes.insert(x.randint(0, len(nodes)), Check(index, max(0, context.range(index)[1] + x.choice([0, 0, 1, 50]))))

    def transfer(self, context):
        """memset or memmove of a part of a row."""
        x = self.extra
        array = x.choice(self.targets)
        sizes = [Aff({p: 1}) for p in self.sizes() if context.least(Aff({p: 1})) >= 0]
        count = x.choice(sizes) if sizes and x.random() < 0.6 else Aff(const=x.randint(1, 8))
        sources = [a for a in self.p.arrays if a.type == array.type]
        ends = []
        for a in [array] + ([x.choice(sources)] if x.random() < 0.5 else []):
            begin = self.access(context, a)
            begin.indices[-1] = Index(Aff(const=x.choice([0, 0, 1, 2])))
            end = Access(a.name, begin.indices[:-1] + [Index(begin.indices[-1].aff + count)])
            if context.range(end.indices[-1])[1] > 200 or not self.fits(context, a, a.dims - 1, Index(end.indices[-1].aff - 1)):
                return []
            ends += [begin, end]
        self.n_statements += 1
        return [Transfer(ends[0], count, ("move", *[("read", e) for e in ends[1:]]))]

    def accumulation(self, context, iterations):
        """A scalar that is set, accumulated in an inner loop and stored."""
        r = self.r
        scalar = "r0" if self.registers and r.random() < 0.8 else r.choice(sorted(self.p.scalars))
        usable = [a for a in self.p.arrays if a.type == self.p.scalars[scalar]]
        target = self.access(context, r.choice(usable)) if usable else None
        start = ("read", target) if target and r.random() < 0.4 else self.leaf(context, scalar)
        loop = self.loop(context, iterations, 1)
        if self.registers and r.random() < 0.5:
            loop.body = []
        loop.body.append(Assign(scalar, r.choice("++-*"), self.expr(context.enter(loop), 1, scalar)))
        after = [Assign(target, r.choice("===+"), ("scalar", scalar))] if usable else []
        return [Assign(scalar, "=", start), loop] + after

    def hoisted(self, context, iterations):
        """A scalar that is loaded in front of a loop and used in it."""
        loop = self.loop(context, iterations, 1)
        target = self.access(context.enter(loop), self.r.choice(self.targets))
        value = ("bin", self.r.choice("+-*"), ("scalar", "r0"), self.leaf(context.enter(loop), target))
        floats = self.p.kind_of(self.p.type_of(target)) in ("float", "double")
        if floats or self.p.scalars["r0"][0] != "f":
            loop.body.append(Assign(target, self.r.choice("=+"), value))
        return [Assign("r0", "=", self.expr(context, 1, "r0")), loop]

    def test(self, context):
        """A condition on data."""
        r = self.r
        target = self.access(context, r.choice(self.p.arrays))
        a, b = self.leaf(context, target), self.leaf(context, target)
        a = ("read", target) if r.random() < 0.5 else a
        return Test(("pick", r.choice(["<", "<=", ">", ">=", "!=", "=="]), a, b), self.p.kind_of(self.p.type_of(target)))

    def switch(self, context):
        r, n = self.r, self.r.randint(2, 4)
        whole = [a for a in self.p.arrays if a.type[0] != "f"]
        expr, kind = ("iv", r.choice(context.loops).var), "wrap32"
        if whole and r.random() < 0.7:
            target = self.access(context, r.choice(whole))
            expr, kind = ("read", target), self.p.kind_of(self.p.type_of(target))
        cases = [[self.statement(context)] if r.random() < 0.75 else [] for _ in range(n)]
        return Switch(Test(expr, kind), cases, [r.random() < 0.75 for _ in range(n)])

    def guard(self, context, iterations, depth):
        r = self.r
        data = r.random() < 0.5
        conditions = []
        for _ in range(r.choice([1, 1, 1, 2])):
            variables = [l.var for l in context.loops]
            kind = r.random()
            if data and r.random() < 0.8:
                conditions.append(self.test(context))
                continue
            if kind < 0.25:
                left = Aff({r.choice(variables): 1}) + r.choice([Aff(), Aff(const=1), Aff({r.choice(variables): 1})])
                rest = Index(left, "&", r.choice([2, 4])) if r.random() < 0.3 else Index(left, "%", r.choice([2, 3, 4]))
                conditions.append((rest, r.choice(["==", "==", "!=", ">"]), Aff(const=r.randint(0, 1))))
                continue
            left = Aff({r.choice(variables): 1}) + r.randint(-3, 3)
            if kind < 0.45:
                left = left + Aff({r.choice(variables): r.choice([1, 2, -1])})
            right = r.choice([Aff(const=r.randint(0, 20)), Aff({r.choice(self.sizes()): 1}), Aff({r.choice(variables): 1})])
            if set(right.terms) & set(left.terms):
                right = Aff(const=r.randint(0, 20))
            if any(p.kind == "end" and p.name in l.ups[0].aff.terms for p in self.p.params for l in context.loops):
                left, right = Aff({variables[-1]: 1}), Aff(const=r.randint(0, 20))
            conditions.append((Index(left), r.choice(["<", "<=", ">", ">=", "==", "!="]), right))
        then = [self.statement(context)]
        if depth and r.random() < (0.02 if data else 0.4):
            then.append(self.loop(context, iterations, depth))
        elif data and r.random() < 0.25:
            then.append(self.guard(context, iterations, 0))
        other = [self.statement(context)] if r.random() < 0.4 else []
        return If(conditions, r.choice(["&&", "||"]), then, other, data and r.random() < 0.15)

    def statement(self, context):
        r = self.r
        self.n_statements += 1
        if self.p.scalars and r.random() < (0.05 if self.plain else 0.25):
            target = r.choice(sorted(self.p.scalars))
        else:
            target = self.access(context, r.choice(self.targets))
        op = r.choices(["=", "+", "-", "*", "^"], [55, 30, 6, 5, 4])[0]
        return Assign(target, op, self.expr(context, r.choice(self.EXPRESSIONS), target))

    def expr(self, context, depth, target):
        r = self.r
        floats = self.p.kind_of(self.p.type_of(target)) in ("float", "double")
        if depth:
            kind = r.random()
            if kind < 0.04 and floats:
                return ("call", r.choice(["fabs", "sqrt"]), self.expr(context, depth - 1, target))
            a, b = self.expr(context, depth - 1, target), self.expr(context, depth - 1, target)
            if kind < 0.14:
                a, b = self.leaf(context, target), self.leaf(context, target)
                return ("pick", r.choice(["<", ">", ">=", "<="]), a, b)
            if kind < 0.2:
                tests = [("test", r.choice(["<", ">", ">=", "!="]), self.leaf(context, target), self.leaf(context, target))
                         for _ in range(r.choice([1, 2, 2, 3]))]
                return ("choose", r.choice(["&&", "||"]), self.leaf(context, target), self.leaf(context, target), *tests)
            op = r.choices(["+", "-", "*", "&", "^", "/"], [40, 20, 30, 3, 3, 4])[0]
            if floats or self.p.mode == "wrap" or op != "*":
                return ("bin", op, a, b)
            return ("bin", "*", self.leaf(context, target), self.leaf(context, target))
        return self.leaf(context, target)

    def leaf(self, context, target):
        """An array element (often next to the target), a scalar, a loop variable or a constant that fits the target's type."""
        r, kind = self.r, self.r.random()
        floats = self.p.kind_of(self.p.type_of(target)) in ("float", "double")
        usable = [a for a in self.p.arrays if floats or a.type[0] != "f"]
        if self.plain and r.random() < 0.9:
            usable = [a for a in usable if a not in self.targets]
        scalars = [s for s, t in self.p.scalars.items() if floats or t[0] != "f"]
        if kind < (0.05 if self.plain else 0.2) and isinstance(target, Access):
            near = self.neighbour(context, target)
            if near:
                return ("read", near)
        if kind < 0.8 and usable:
            return ("read", self.access(context, r.choice(usable)))
        if kind < 0.88 and scalars:
            return ("scalar", r.choice(scalars))
        if kind < 0.93 and context.loops:
            return ("iv", r.choice(context.loops).var)
        return ("const", r.randint(1, 9))

    # Subscripts.

    def neighbour(self, context, target):
        """The target's element, or one next to it, when that stays inside."""
        array, indices = self.p.array(target.array), list(target.indices)
        d = self.r.randrange(len(indices))
        i = indices[d]
        indices[d] = Index(i.aff, i.op, i.div, i.plus + self.r.choice([-1, 0, 1]), i.table)
        return Access(target.array, indices) if self.fits(context, array, d, indices[d]) else None

    def fits(self, context, array, d, index):
        """Never negative, of sane size, and below a VLA dimension that is a size parameter."""
        if index.table:
            lo, hi = context.range(index.at())
            if lo < 0 or hi >= len(TABLE):
                return False
        lo, hi = context.range(index)
        if lo < 0 or hi > 220:
            return False
        if array.kind != "vla" or d == 0 or self.p.param(array.strides[d - 1]).kind != "size":
            return True
        if index.op or index.table:
            return False
        return context.most(index.aff + index.plus - Aff({array.strides[d - 1]: 1})) <= -1

    def access(self, context, array):
        r = self.r
        variables = self.plain_vars(context)
        start = r.randint(0, 3) if r.random() < 0.3 else max(0, len(variables) - array.dims)
        indices = []
        for d in range(array.dims):
            preferred = variables[(start + d) % len(variables)] if variables else None
            indices.append(self.index(context, array, d, preferred))
        return Access(array.name, indices)

    def index(self, context, array, d, preferred):
        for _ in range(4):
            index = self.random_index(context, preferred)
            if self.p.table and self.extra.random() < 0.15:
                by_table = Index(index.aff, index.op, index.div, index.plus, self.p.table)
                if self.fits(context, array, d, by_table):
                    return by_table
            lo, _ = context.range(index)
            if lo < 0:
                index.plus = index.plus - lo
            if self.fits(context, array, d, index):
                return index
        limit = [Aff({l.var: 1}) for l in context.loops]
        good = [Index(a) for a in limit if self.fits(context, array, d, Index(a))]
        return self.r.choice(good) if good else Index(Aff(const=0))

    def random_index(self, context, preferred):
        r, kind = self.r, self.r.random() * (0.75 if self.plain else 1)
        ends = [l for l in context.loops if l.var not in self.plain_vars(context)]
        if ends and (kind < 0.5 or not preferred):
            loop = r.choice(ends)
            return Index(Aff({loop.var: 1}) - loop.lows[0].aff + r.randint(0, 2))
        if not preferred or kind < 0.04:
            return Index(Aff(const=r.randint(0, 5)))
        var = Aff({preferred: 1})
        if kind < 0.5:
            return Index(var)
        if kind < 0.7:
            return Index(var + r.choice([-2, -1, -1, 1, 1, 2, 4]))
        other = Aff({r.choice(self.plain_vars(context)): 1})
        if kind < 0.77:
            return Index(var + other + r.randint(0, 1))
        if kind < 0.82:
            return Index(var.scale(r.choice([2, 2, 3])) + r.randint(0, 2))
        if kind < 0.88:
            return Index(Aff({r.choice(self.sizes()): 1}) - var - 1)
        if kind < 0.91:
            return Index(var - other + r.randint(0, 3))
        core = var + r.choice([Aff(), Aff(), other, Aff(const=1)])
        plus = r.choice([Aff(), Aff(), Aff(const=1), other])
        lo, _ = context.range(Index(core))
        op = r.choice(["%", "/", "&"])
        return Index(core - min(lo, 0), op, r.choice([2, 4, 8]) if op == "&" else r.choice([2, 3, 4, 8]), plus)

    # The whole program.

    def program(self):
        p = self.p
        p.body = self.body(Context({q.name: (q.lo, q.hi) for q in p.params}), 1, self.depth)
        for s, t in p.scalars.items():
            if s[0] == "r":
                continue
            name = f"{p.name}_out_{t}"
            if name not in [a.name for a in p.arrays]:
                p.arrays.append(Array(name, t, "flat", 1, []))
            p.body.append(Assign(Access(name, [Index(Aff(const=int(s[1:])))]), "=", ("scalar", s)))
        used = set()
        for statement, _ in walk(p.body, p.context()):
            used |= {a.array for a in expr_accesses(statement.expr)}
            used |= {statement.target.array} if isinstance(statement.target, Access) else set()
        p.arrays = [a for a in p.arrays if a.name in used]
        p.settle()
        total = 0
        for a in p.arrays:
            elements = 1
            for n in a.extents if a.kind == "global" else [a.size]:
                elements *= n
            total += elements * WIDTH[a.type] // 4
        if total > MAX_ELEMENTS:
            raise TooLarge
        self.add_calls()
        return p

    def values(self, kind):
        """One value for each parameter."""
        out = {}
        for q in self.p.params:
            v = self.r.randint(max(q.lo, 1), q.hi)
            if q.kind == "size":
                edge = self.r.choice([n for n in (q.hi, 31, 32, 33, 34, 8, 4) if n <= q.hi])
                v = {"edge": edge, "zero": 0, "negative": self.r.randint(-5, -1), "one": 1}.get(kind, v)
            if q.kind == "end" and kind == "largest":
                out[q.name] = LARGEST[q.type]
                continue
            out[q.name] = max(q.lo, min(q.hi, v))
        return out

    def offsets(self, kind):
        """Where in its type's buffer each pointer argument points."""
        out, next_free = {}, {}
        for a in self.p.arrays:
            if a.kind == "global":
                continue
            if kind == "apart":
                out[a.name] = next_free.get(a.type, self.r.randint(0, 3))
                next_free[a.type] = out[a.name] + a.size + self.r.randint(0, 5)
            else:
                out[a.name] = 0 if kind == "same" else self.r.randint(0, 9)
        return out

    def add_calls(self):
        plan = [("normal", "apart"), ("edge", "apart"), ("zero", "apart"), ("negative", "apart"), ("one", "same"), ("normal", "same"),
                ("edge", "offset"), ("normal", "offset"), ("largest", "apart")]
        for k, (kind, overlap) in enumerate(plan):
            self.p.calls.append((self.values(kind), self.offsets("apart" if self.p.restrict else overlap), k + 1))


class Small(Generator):
    """A few statements with few operands, which take a tenth of the time."""
    DEPTHS = [20, 55, 23, 2]
    DIMS = [35, 55, 10]
    MAX_STATEMENTS = 2
    EXPRESSIONS = [0, 1, 1, 1, 2]


class Strides(Small):
    """Steps and strides that are held in variables."""

    def __init__(self, seed, attempt, name):
        super().__init__(seed, attempt, name)
        self.walk = random.Random(f"{seed}.{attempt}.walk")
        for a in self.p.arrays:
            if a.kind == "flat" and self.walk.random() < 0.5:
                a.inc = self.add_param(f"inc{len(self.p.params)}", "stride", 1, 2)

    def loop_header(self, context):
        loop, x = super().loop_header(context), self.walk
        if not loop.down and loop.style != "wrap" and WIDTH[loop.type] >= 4 and x.random() < 0.3:
            loop.by = self.add_param(f"by{len(self.p.params)}", "stride", loop.step, loop.step + x.choice([0, 1, 2]))
        return loop


class Pitches(Strides):
    """Rows and planes at distances of their own, none a multiple of another, and some so near that they overlap."""
    DIMS = [10, 45, 45]

    def __init__(self, seed, attempt, name):
        super().__init__(seed, attempt, name)
        for a in self.p.arrays:
            if a.kind == "flat" and a.dims > 1 and self.walk.random() < 0.8:
                less = 0 if self.walk.random() < 0.7 else self.walk.randint(1, 4)
                a.strides, a.inc = [], a.inc if self.walk.random() < 0.2 else ""
                a.pitches = [(self.add_param(f"pitch{len(self.p.params)}", "pitch", 1, 1), less, self.walk.randint(0, 3))
                             for _ in range(a.dims - 1)]


def generate(seed, name, kind=Generator):
    """The program of a seed, made by a generator of some kind; its functions and globals are called after name."""
    for attempt in range(200):
        try:
            return kind(seed, attempt, name).program()
        except TooLarge:
            pass
    raise TooLarge(seed)
