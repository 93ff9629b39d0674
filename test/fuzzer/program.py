# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fuzzer's programs: a small syntax tree of affine loop nests, the range of every subscript, and the C text.

    Program = parameters, arrays, scalars, calls, body
    body    = [Loop | If | Switch | While | Assign | Transfer | Check]     the first four hold bodies
    Assign  = Access or scalar, operator, expression (nested tuples, see expr_text)
    Access  = array, [Index]                Index = plus + op(affine), op: none, % d, / d; or what a table holds there

A Context is what holds at one place of the tree: the loops around it and the parameters' ranges.  Bounds of affine
expressions follow from it by replacing loop variables, innermost first, by the loop bound that is extreme.
"""
import math
from dataclasses import dataclass, field
from fractions import Fraction

C_TYPE = {"i8": "signed char", "u8": "unsigned char", "i16": "short", "u16": "unsigned short", "i32": "int",
          "u32": "unsigned", "i64": "long", "u64": "unsigned long", "f32": "float", "f64": "double"}
FLOATS = ("float", "double")
WIDTH = {t: int(t[1:]) // 8 for t in C_TYPE}


class Aff:
    """An affine expression: terms {name: coefficient} + const."""

    def __init__(self, terms=None, const=0):
        self.terms = {k: v for k, v in (terms or {}).items() if v}
        self.const = const

    def __add__(self, other):
        other = other if isinstance(other, Aff) else Aff(const=other)
        terms = dict(self.terms)
        for k, v in other.terms.items():
            terms[k] = terms.get(k, 0) + v
        return Aff(terms, self.const + other.const)

    def scale(self, factor):
        return Aff({k: v * factor for k, v in self.terms.items()}, self.const * factor)

    def __sub__(self, other):
        return self + (other.scale(-1) if isinstance(other, Aff) else -other)

    def text(self):
        """C text; positive terms first, so that small unsigned values don't look negative in between."""
        out = ""
        for name, c in sorted(self.terms.items(), key=lambda kv: (kv[1] < 0, kv[0])):
            term = name if abs(c) == 1 else f"{abs(c)} * {name}"
            out += (f" {'-' if c < 0 else '+'} " if out else "-" * (c < 0)) + term
        if self.const or not out:
            out += (f" {'-' if self.const < 0 else '+'} {abs(self.const)}" if out else str(self.const))
        return out


@dataclass
class Bound:
    """aff / div, C's division; one end of a loop."""
    aff: Aff
    div: int = 1

    def text(self):
        return self.aff.text() if self.div == 1 else f"({self.aff.text()}) / {self.div}"

    def at_least(self):
        return self.aff if self.div == 1 else self.aff.scale(Fraction(1, self.div)) - 1

    def at_most(self):
        return self.aff if self.div == 1 else self.aff.scale(Fraction(1, self.div)) + 1


@dataclass
class Loop:
    """for var from the greatest of lows to below the least of ups; downwards if down."""
    var: str
    type: str
    lows: list
    ups: list
    step: int
    down: bool
    style: str  # "lt", "le" or, for unsigned variables going down, "wrap"
    body: list
    by: str = ""  # a parameter that holds the step, which is then at least `step`


@dataclass
class Test:
    """A condition on data, or the value of a switch."""
    expr: tuple  # ("pick", relation, a, b); of a switch any
    kind: str    # how it's computed, see Program.kind_of
    target: object = None  # none, but an Assign has one


@dataclass
class If:
    conditions: list  # (Index, relation, Aff) or Test
    joined: str       # && or ||
    then: list
    other: list
    leaves: bool = False  # continue at the end of then?

    def tests(self):
        return [c for c in self.conditions if isinstance(c, Test)]


@dataclass
class Switch:
    test: Test
    cases: list  # bodies: of case 0, 1, ...; the last is the default
    breaks: list  # which of them end with a break


@dataclass
class While:
    """A loop that runs as often as the value of test has bits, of its last three."""
    test: Test
    body: list


TABLE = [n * n * 5 % 16 for n in range(224)]  # of subscripts


@dataclass
class Index:
    aff: Aff
    op: str = ""
    div: int = 1
    plus: Aff = field(default_factory=Aff)
    table: str = ""  # what it is a subscript of

    def at(self):
        """The subscript of the table, or this one."""
        return Index(self.aff, self.op, self.div, self.plus)

    def text(self):
        if self.table:
            return f"{self.table}[{self.at().text()}]"
        if not self.op:
            return (self.aff + self.plus).text()
        core = f"(({self.aff.text()}) & {self.div - 1})" if self.op == "&" else f"({self.aff.text()}) {self.op} {self.div}"
        plus = self.plus.text()
        return core if plus == "0" else f"{core} + {plus}"


@dataclass
class Access:
    array: str
    indices: list


@dataclass
class Assign:
    target: object  # Access or the name of a scalar
    op: str         # "=" or the operator of a compound assignment
    expr: tuple


@dataclass
class Transfer:
    """memset of the elements from target on, or memmove; expr: ("move", read of the end, reads of the source's ends)."""
    target: Access
    count: Aff
    expr: tuple


@dataclass
class Check:
    """The program ends if index is above limit, which it never is."""
    index: Index
    limit: int


@dataclass
class Array:
    """kind: global (T a[D0][D1]), flat (T *a, strides are parameters), vla (T a[][m]), fixed (T a[][D]) or rows (T **a)."""
    name: str
    type: str
    kind: str
    dims: int
    strides: list                               # flat, vla: the parameters of the inner dimensions
    extents: list = field(default_factory=list)  # of each dimension as far as it is a number; see Program.settle
    size: int = 1                               # elements that a call must provide
    spelling: int = 0                           # flat: Horner's form or the sum of products
    inc: str = ""                               # flat: the parameter that the last subscript is multiplied by
    # flat: in place of strides, what each outer subscript is multiplied by: a parameter, by how much it may be less than what
    # is inside, and by how much more.
    pitches: list = field(default_factory=list)


@dataclass
class Param:
    name: str
    type: str
    lo: int
    hi: int
    kind: str = "size"  # size; stride; extent, pitch: settle finds lo and hi; end: near the type's largest value in one call


class Context:
    def __init__(self, ranges, loops=()):
        self.ranges, self.loops = ranges, loops

    def enter(self, loop):
        """Inside loop: its bounds hold, and it isn't empty, which may raise the least value of a parameter."""
        ranges = dict(self.ranges)
        for low in loop.lows:
            for up in loop.ups:
                for name, c in up.at_most().terms.items():
                    if name in ranges and c == 1:
                        least = math.ceil(self.least(low.at_least() + 1 - (up.at_most() - Aff({name: 1}))))
                        ranges[name] = (max(ranges[name][0], least), ranges[name][1])
        return Context(ranges, self.loops + (loop,))

    def least(self, aff, depth=None):
        """A lower bound of aff's value."""
        depth = len(self.loops) if depth is None else depth
        while depth:
            depth -= 1
            loop = self.loops[depth]
            c = aff.terms.get(loop.var, 0)
            if c:
                rest = aff - Aff({loop.var: c})
                ends = [b.at_least() for b in loop.lows] if c > 0 else [b.at_most() - 1 for b in loop.ups]
                return max(self.least(rest + end.scale(c), depth) for end in ends)
        return aff.const + sum(c * self.ranges[n][0 if c > 0 else 1] for n, c in aff.terms.items())

    def most(self, aff):
        return -self.least(aff.scale(-1))

    def range(self, index):
        """The least and greatest value of an Index."""
        if index.table:
            return min(TABLE), max(TABLE)
        lo, hi = math.ceil(self.least(index.aff)), math.floor(self.most(index.aff))
        plus = math.ceil(self.least(index.plus)), math.floor(self.most(index.plus))
        if not index.op:
            both = index.aff + index.plus
            return math.ceil(self.least(both)), math.floor(self.most(both))
        lo, hi = (0, index.div - 1) if index.op in "%&" else (lo // index.div, hi // index.div)
        return lo + plus[0], hi + plus[1]


def expr_accesses(expr):
    if expr[0] == "read":
        yield expr[1]
    for part in expr[1:]:
        if isinstance(part, tuple):
            yield from expr_accesses(part)


def walk(body, context):
    """Every (Assign or Test, context) of a body."""
    for node in body:
        if isinstance(node, Loop):
            yield from walk(node.body, context.enter(node))
        elif isinstance(node, If):
            yield from ((test, context) for test in node.tests())
            yield from walk(node.then, context)
            yield from walk(node.other, context)
        elif isinstance(node, Switch):
            yield node.test, context
            for case in node.cases:
                yield from walk(case, context)
        elif isinstance(node, While):
            yield node.test, context
            yield from walk(node.body, context)
        elif not isinstance(node, Check):
            yield node, context


def accesses(statement):
    """Every Access of an Assign or a Test."""
    if isinstance(statement.target, Access):
        yield statement.target
    yield from expr_accesses(statement.expr)


@dataclass
class Program:
    name: str
    mode: str            # integers: "wrap" (unsigned arithmetic) or "mask" (small signed values)
    params: list
    arrays: list
    scalars: dict        # name -> type
    body: list
    restrict: bool = False
    holder: str = ""  # parameters and pointers are arguments; or fields of a structure, or of one that it points to
    calls: list = field(default_factory=list)  # ({parameter: value}, {array: offset in its buffer}, seed)
    slack: int = 0
    table: str = ""  # of subscripts; not among the arrays

    def param(self, name):
        return next(p for p in self.params if p.name == name)

    def array(self, name):
        return next(a for a in self.arrays if a.name == name)

    def context(self):
        return Context({p.name: (p.lo, p.hi) for p in self.params})

    def settle(self):
        """Sets the arrays' extents and the values of extent parameters from the subscripts' ranges."""
        top = {a.name: [0] * a.dims for a in self.arrays}
        for statement, context in walk(self.body, self.context()):
            for access in accesses(statement):
                for d, index in enumerate(access.indices):
                    lo, hi = context.range(index)
                    assert lo >= 0, (self.name, index.text(), lo)
                    top[access.array][d] = max(top[access.array][d], hi)
        for array in self.arrays:
            array.extents = [t + 1 + self.slack for t in top[array.name]]
            for stride, extent in zip(array.strides, array.extents[1:]):
                p = self.param(stride)
                if p.kind == "extent":
                    p.lo = p.hi = max(p.hi, extent)
            rows = array.extents[-1] * (self.param(array.inc).hi if array.inc else 1)
            for (name, less, more), extent in zip(reversed(array.pitches), reversed(array.extents[:-1])):
                p = self.param(name)
                p.lo, p.hi = max(1, rows - less), rows + more
                rows = p.hi * extent
        for array in self.arrays:
            inner = [self.param(s).hi for s in array.strides] or array.extents[1:]
            array.size = 0
            for d, n in enumerate(top[array.name]):
                by = self.param(array.pitches[d][0]).hi if d < len(array.pitches) else 0
                array.size += n * (by or math.prod(inner[d:]) * (self.param(array.inc).hi if array.inc else 1))
            array.size += 1
            if array.kind == "rows":
                array.size = math.prod(array.extents)
        return self

    # The C text.

    def signature(self):
        if self.holder:
            return f"void {self.name}(struct {self.name}_s *held)"
        parts = []
        star = "*restrict " if self.restrict else "*"
        for p in self.params:
            parts.append(f"{C_TYPE[p.type]} {p.name}")
        for a in self.arrays:
            if a.kind == "flat":
                parts.append(f"{C_TYPE[a.type]} {star}{a.name}")
            elif a.kind == "rows":
                parts.append(f"{C_TYPE[a.type]} **{a.name}")
            elif a.kind in ("vla", "fixed"):
                inner = a.strides or a.extents[1:]
                parts.append(f"{C_TYPE[a.type]} {a.name}[{'restrict' if self.restrict else ''}]" + "".join(f"[{n}]" for n in inner))
        return f"void {self.name}({', '.join(parts) or 'void'})"

    def held(self):
        """[(C declaration, name)] of what the function takes, for a program that holds it in a structure."""
        out = [(f"{C_TYPE[p.type]} {p.name}", p.name) for p in self.params]
        return out + [(f"{C_TYPE[a.type]} {'**' if a.kind == 'rows' else '*'}{a.name}", a.name) for a in self.arrays if a.kind != "global"]

    def access_text(self, access):
        a = self.array(access.array)
        # In parentheses, as x + i may overflow where i - n doesn't.
        subs = [f"({i.text()})" if min(i.aff.terms.values(), default=0) < 0 else i.text() for i in access.indices]
        if a.inc:
            subs[-1] = f"({subs[-1]}) * {a.inc}"
        if a.kind != "flat" or a.dims == 1:
            return a.name + "".join(f"[{s}]" for s in subs)
        if a.pitches:
            return f"{a.name}[{' + '.join(f'({s}) * {by}' for s, (by, _, _) in zip(subs, a.pitches))} + {subs[-1]}]"
        if a.spelling:
            products = [" * ".join([f"({s})"] + a.strides[d:]) for d, s in enumerate(subs[:-1])]
            return f"{a.name}[{' + '.join(products + [subs[-1]])}]"
        text = f"({subs[0]})"
        for stride, s in zip(a.strides, subs[1:]):
            text = f"({text} * {stride} + {s})"
        return f"{a.name}[{text}]"

    def kind_of(self, type_):
        """How expressions for an element type are computed."""
        if type_[0] == "f":
            return C_TYPE[type_]
        return "mask" if self.mode == "mask" else "wrap64" if WIDTH[type_] == 8 else "wrap32"

    def leaf(self, text, kind, type_, mask=15):
        if kind in FLOATS:
            return text if type_[0] == "f" else f"({kind}){text}"
        return f"({text} & {mask})" if kind == "mask" else f"({'unsigned long' if kind == 'wrap64' else 'unsigned'}){text}"

    def expr_text(self, e, kind):
        """('read', Access) ('scalar', name) ('const', n) ('iv', name) ('bin', op, a, b) ('pick', rel, a, b)
        ('choose', "&&" or "||", a, b, test..) ('test', rel, a, b) ('call', f, a)"""
        if e[0] == "read":
            return self.leaf(self.access_text(e[1]), kind, self.array(e[1].array).type)
        if e[0] == "scalar":
            return self.leaf(e[1], kind, self.scalars[e[1]])
        if e[0] == "iv":
            return self.leaf(e[1], kind, "iv", 7)
        if e[0] == "const":
            return f"{e[1] / 4}{'f' * (kind == 'float')}" if kind in FLOATS else str(e[1] & 7) + ("" if kind == "mask" else "u")
        if e[0] == "call":
            inner = self.expr_text(e[2], kind)
            f = "f" * (kind == "float")
            return f"__builtin_sqrt{f}(__builtin_fabs{f}({inner}))" if e[1] == "sqrt" else f"__builtin_fabs{f}({inner})"
        a, b = self.expr_text(e[2], kind), self.expr_text(e[3], kind)
        if e[0] == "test":
            return f"{a} {e[1]} {b}"
        if e[0] == "choose":
            return f"({f' {e[1]} '.join(self.expr_text(test, kind) for test in e[4:])} ? {a} : {b})"
        if e[0] == "pick":
            return f"({a} {e[1]} {b} ? {a} : {b})"
        op = e[1]
        if kind in FLOATS and op in ("&", "|", "^"):
            op = "+"
        elif kind not in FLOATS and op == "/":
            op = "-"
        return f"({a} {op} {b})"

    def type_of(self, target):
        return self.array(target.array).type if isinstance(target, Access) else self.scalars[target]

    def assign_text(self, s):
        type_ = self.type_of(s.target)
        kind = self.kind_of(type_)
        target = self.access_text(s.target) if isinstance(s.target, Access) else s.target
        value = self.expr_text(s.expr, kind)
        op = s.op
        if op == "=":
            return f"{target} = ({C_TYPE[type_]})({value});"
        if kind in FLOATS:
            return f"{target} {op if op in '+-*' else '+'}= {value};"
        if kind == "mask":
            return f"{target} {op if op in '+-&|^' else '+'}= ({value}) & 255;"
        if type_[0] == "u" or WIDTH[type_] < 4:
            return f"{target} {op}= {value};"
        unsigned = C_TYPE["u" + type_[1:]]
        return f"{target} = ({C_TYPE[type_]})(({unsigned}){target} {op} {value});"

    def transfer_text(self, s):
        to, size = self.access_text(s.target), f"({s.count.text()}) * sizeof({C_TYPE[self.type_of(s.target)]})"
        sources = list(expr_accesses(s.expr))[1:]
        return f"__builtin_memmove(&{to}, &{self.access_text(sources[0])}, {size});" if sources else f"__builtin_memset(&{to}, 0, {size});"

    def condition_text(self, condition):
        if isinstance(condition, Test):
            _, relation, a, b = condition.expr
            return f"{self.expr_text(a, condition.kind)} {relation} {self.expr_text(b, condition.kind)}"
        index, relation, aff = condition
        return f"({index.text()}) {relation} {aff.text()}" if index.op else f"{index.text()} {relation} {aff.text()}"

    def loop_text(self, loop):
        def extreme(bounds, relation):
            first, *more = [b.text() for b in bounds]
            for other in more:
                first = f"({first} {relation} {other} ? {first} : {other})"
            return first
        low, up, v, t = extreme(loop.lows, ">"), extreme(loop.ups, "<"), loop.var, C_TYPE[loop.type]
        if loop.style == "wrap":
            return f"for ({t} {v} = {up}; {v}-- > {low};)"
        if loop.down:
            return f"for ({t} {v} = {up} - 1; {v} >= {low}; {v} -= {loop.step})"
        last = f"{v} <= {up} - 1" if loop.style == "le" else f"{v} < {up}"
        return f"for ({t} {v} = {low}; {last}; {v} += {loop.by or loop.step})"

    def body_lines(self, body, indent):
        pad = "  " * indent
        for node in body:
            if isinstance(node, Loop):
                yield pad + self.loop_text(node) + " {"
                yield from self.body_lines(node.body, indent + 1)
                yield pad + "}"
            elif isinstance(node, If):
                conditions = f" {node.joined} ".join(self.condition_text(c) for c in node.conditions)
                yield f"{pad}if ({conditions}) {{"
                yield from self.body_lines(node.then, indent + 1)
                if node.leaves:
                    yield pad + "  continue;"
                if node.other:
                    yield pad + "} else {"
                    yield from self.body_lines(node.other, indent + 1)
                yield pad + "}"
            elif isinstance(node, Switch):
                yield f"{pad}switch ((unsigned)({self.expr_text(node.test.expr, node.test.kind)}) & 3) {{"
                for k, case in enumerate(node.cases):
                    yield f"{pad}case {k}:" if k < len(node.cases) - 1 else f"{pad}default:"
                    yield from self.body_lines(case, indent + 1)
                    if node.breaks[k]:
                        yield pad + "  break;"
                yield pad + "  ;"
                yield pad + "}"
            elif isinstance(node, While):
                q = f"q{indent}"
                test = self.expr_text(node.test.expr, node.test.kind)
                yield f"{pad}for (unsigned {q} = (unsigned)({test}) & 7; {q}; {q} &= {q} - 1) {{"
                yield from self.body_lines(node.body, indent + 1)
                yield pad + "}"
            elif isinstance(node, Check):
                yield f"{pad}if ({node.index.text()} > {node.limit}) __builtin_abort();"
            elif isinstance(node, Transfer):
                yield pad + self.transfer_text(node)
            else:
                yield pad + self.assign_text(node)

    def function_text(self):
        lines = []
        if self.table:
            lines.append(f"unsigned char {self.table}[{len(TABLE)}] = {{{', '.join(map(str, TABLE))}}};")
        for a in self.arrays:
            if a.kind == "global":
                lines.append(f"{C_TYPE[a.type]} {a.name}" + "".join(f"[{n}]" for n in a.extents) + ";")
        if self.holder:
            lines += [f"struct {self.name}_s {{ " + "".join(f"{text}; " for text, _ in self.held()) + f"struct {self.name}_s *more; }};"]
            at = "held->more->" if self.holder == "chain" else "held->"
            lines += [f"#define {name} ({at}{name})" for _, name in self.held()]
        lines += [f"__attribute__((noinline)) {self.signature()}", "{"]
        lines += [f"  {C_TYPE[t]} {s} = {n + 1};" for n, (s, t) in enumerate(self.scalars.items())]
        undo = [f"#undef {name}" for _, name in self.held()] if self.holder else []
        return "\n".join(lines + list(self.body_lines(self.body, 1)) + ["}"] + undo) + "\n"

    def buffer_sizes(self):
        """{type: elements} of the buffers that the pointer arguments point into."""
        sizes = {}
        for _, offsets, _ in self.calls:
            for name, offset in offsets.items():
                a = self.array(name)
                sizes[a.type] = max(sizes.get(a.type, 0), offset + a.size)
        return sizes

    def call_text(self):
        """The statements that make every call: fill all memory, call, print a hash of all memory."""
        sizes, small, lines = self.buffer_sizes(), int(self.mode == "mask"), []
        memory = [(f"buffer_{t}", t, n) for t, n in sorted(sizes.items())]
        memory += [(a.name, a.type, math.prod(a.extents)) for a in self.arrays if a.kind == "global"]
        for k, (values, offsets, seed) in enumerate(self.calls):
            for name, t, n in memory:
                lines.append(f"  fill({name}, {n}, {WIDTH[t]}, {int(t[0] == 'f')}, {small}, {seed});")
            args = [f"({C_TYPE[p.type]}){values[p.name]}" for p in self.params]
            for a in self.arrays:
                if a.kind == "global":
                    continue
                start = f"(void *)(buffer_{a.type} + {offsets[a.name]})"
                if a.kind == "rows":  # in no particular order
                    d0, d1 = a.extents
                    rows = [f"buffer_{a.type} + {offsets[a.name] + (r * 7 + k) % d0 * d1}" for r in range(d0)]
                    if d0 % 7 == 0:
                        rows = [f"buffer_{a.type} + {offsets[a.name] + r * d1}" for r in range(d0)]
                    start = f"({C_TYPE[a.type]} *[]){{{', '.join(rows)}}}"
                args.append(start)
            if self.holder:
                inner = f"&(struct {self.name}_s){{{', '.join(args + ['0'])}}}"
                empty = f"&(struct {self.name}_s){{.more = {inner}}}"
                lines.append(f"  {self.name}({empty if self.holder == 'chain' else inner});")
            else:
                lines.append(f"  {self.name}({', '.join(args)});")
            for name, t, n in memory:
                lines.append(f"  hash({name}, {n}, {WIDTH[t]}, {int(t[0] == 'f')});")
            lines.append(f'  report("{self.name}", {k});')
        return "\n".join(lines) + "\n"


def file_text(programs, header):
    """One C file of several programs.  header declares or defines fill, hash and report."""
    sizes = {}
    for p in programs:
        for t, n in p.buffer_sizes().items():
            sizes[t] = max(sizes.get(t, 0), n)
    text = header + "\n" + "".join(p.function_text() + "\n" for p in programs)
    text += "".join(f"{C_TYPE[t]} buffer_{t}[{n}];\n" for t, n in sorted(sizes.items()))
    calls = "".join(p.call_text() for p in programs)
    return f"{text}\n__attribute__((noinline, optnone)) int main(void)\n{{\n{calls}  return 0;\n}}\n"
