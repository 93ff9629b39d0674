# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products and triangular solves of complex numbers, two parts next to each other, or further apart: sums in memory or in
variables, which begin with 0 or with what is there, of products, conjugated or not; factors that conditions on parameters or
on data choose; rows that are scaled before or behind, also where they are read again; loops up and down; parts mixed up."""
import random


class Pairs:
    SIZES = [(0, 0, 3), (1, 1, 1), (1, 9, 4), (2, 3, 5), (5, 2, 8), (7, 16, 9), (8, 8, 8), (16, 5, 31), (17, 33, 12), (31, 32, 33),
             (40, 24, 41), (63, 9, 30), (12, 64, 20), (70, 70, 70)]

    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.name, self.kind = f"f{seed}", r.choice(["double", "double", "float", "unsigned"])
        self.small = "" if self.kind == "unsigned" else " * small"
        self.shared = r.random() < 0.3  # one array for two operands
        self.text = self.nest()

    def at(self, array, row, column, part):
        if self.shared and array == "B":
            array = "C"
        return f"{array}[({row}) * ld + 2 * ({column}) + {part}]"

    def number(self, array, row, column):
        return [self.at(array, row, column, part) for part in (0, 1)]

    def times(self, x, y, conjugate):
        sign, other = ("+", "-") if conjugate else ("-", "+")
        return [f"({x[0]} * {y[0]} {sign} {x[1]} * {y[1]})", f"({x[0]} * {y[1]} {other} {x[1]} * {y[0]})"]

    def loop(self, counter, low, up):
        if self.r.random() < 0.75:
            return f"for (int {counter} = {low}; {counter} < {up}; {counter}++)"
        return f"for (int {counter} = {up} - 1; {counter} >= {low}; {counter}--)"

    def inner(self):
        """Of k, beside j in 0 .. n - 1."""
        return self.r.choice([("0", "j"), ("0", "j"), ("j + 1", "n"), ("0", "n"), ("0", "m")])

    def statement(self, target, operator, value):
        texts = [f"{t} {operator} {v}{self.small if operator != '=' else ''};" for t, v in zip(target, value)]
        if self.r.random() < 0.2:
            texts.reverse()
        return " ".join(texts)

    def scaled(self, target, by):
        """TARGET, two variables or elements, times BY: both parts of the old one are needed."""
        value = self.times(by, target, self.r.random() < 0.3)
        return f"{{ {self.kind} x = {value[0]}{self.small}, y = {value[1]}{self.small}; {target[0]} = x; {target[1]} = y; }}"

    def chosen(self, j, k):
        """Declares f and g, a factor that a condition chooses."""
        r = self.r
        one, other = self.number("A", j, k), self.number("A", k, j)
        if r.random() < 0.4:
            one = self.times(["alpha[0]", "alpha[1]"], one, r.random() < 0.3)
            other = self.times(["alpha[0]", "alpha[1]"], other, r.random() < 0.3)
        if r.random() < 0.25:
            return f"const {self.kind} f = {one[0]}, g = {one[1]};"
        condition = r.choice(["upper", "upper", "n > 20", f"{self.at('A', k, k, 0)} > 0", f"{j} > {k}"])
        extra = r.choice(["", "", " else if (n > 9) { f = 2; g = 1; }"]) if r.random() < 0.3 else ""
        return (f"{self.kind} f, g; if ({condition}) {{ f = {one[0]}; g = {one[1]}; }}{extra} "
                f"else {{ f = {other[0]}; g = {other[1]}; }}")

    def forward(self):
        """for j { for k { f = ..; for i: C[j][i] += f * B[k][i] } }"""
        r = self.r
        low, up = self.inner()
        add = self.statement(self.number("C", "j", "i"), r.choice(["+=", "-="]),
                             self.times(["f", "g"], self.number("B", "k", "i"), r.random() < 0.3))
        inner = f"{self.loop('k', low, up)} {{ {self.chosen('j', 'k')} {self.loop('i', '0', 'm')} {{ {add} }} }}"
        scale = f"{self.loop('i', '0', 'm')} {self.scaled(self.number('C', 'j', 'i'), self.number('A', 'j', 'j'))}"
        parts = [inner] + ([scale] if r.random() < 0.6 else [])
        r.shuffle(parts)
        return f"{self.loop('j', '0', 'n')} {{ {' '.join(parts)} }}"

    def summed(self):
        """for j for i { s = ..; for k: s += A[i][k] * B[j][k]; C[j][i] = s }"""
        r = self.r
        low, up = r.choice([("0", "i"), ("0", "i"), ("i + 1", "m"), ("0", "n")])
        begin = r.choice([["0", "0"], self.number("C", "j", "i"), self.number("C", "j", "i"), ["alpha[0]", "alpha[1]"]])
        read = r.choice([self.number("C", "j", "k"), self.number("C", "j", "k"), self.number("B", "j", "k"), self.number("B", "k", "j")])
        add = self.statement(["s", "t"], r.choice(["+=", "-="]), self.times(self.number("A", "i", "k"), read, False))
        other = self.statement(["s", "t"], r.choice(["+=", "-="]), self.times(self.number("A", "i", "k"), read, True))
        sums = f"{self.loop('k', low, up)} {{ {add} }}"
        if r.random() < 0.35:
            sums = f"if (upper) {sums} else {self.loop('k', low, up)} {{ {other} }}"
        parts = [f"{self.kind} s = {begin[0]}, t = {begin[1]};"]
        if r.random() < 0.4:
            parts.append(self.scaled(["s", "t"], ["alpha[0]", "alpha[1]"]))
        parts.append(sums)
        if r.random() < 0.5:
            parts.append(("if (unit) " if r.random() < 0.4 else "") + self.scaled(["s", "t"], self.number("A", "i", "i")))
        values = ["s", "t"] if r.random() < 0.9 else ["t", "s"]
        parts.append(self.statement(self.number("C", "j", "i"), r.choice(["=", "=", "=", "+="]), values))
        loops = [self.loop("j", "0", "n"), self.loop("i", "0", "m")]
        if r.random() < 0.3:
            loops.reverse()
        return f"{loops[0]} {loops[1]} {{ {' '.join(parts)} }}"

    def both(self):
        """Two sums at once, one in memory, one in variables: a product with half of a symmetric matrix."""
        r = self.r
        first = self.statement(self.number("C", "k", "j"), "+=", self.times(["f", "g"], self.number("A", "i", "k"), False))
        second = self.statement(["s", "t"], "+=", self.times(self.number("A", "i", "k"), self.number("B", "k", "j"), r.random() < 0.3))
        last = self.statement(self.number("C", "i", "j"), "+=", self.times(["alpha[0]", "alpha[1]"], ["s", "t"], False))
        factor = self.times(["alpha[0]", "alpha[1]"], self.number("B", "i", "j"), False)
        return (f"{self.loop('j', '0', 'n')} {self.loop('i', '0', 'n')} {{ const {self.kind} f = {factor[0]}, g = {factor[1]}; "
                f"{self.kind} s = 0, t = 0; {self.loop('k', '0', 'i')} {{ {first} {second} }} {last} }}")

    def nest(self):
        return "\n".join("  " + self.r.choice([self.forward, self.forward, self.summed, self.summed, self.both])()
                         for _ in range(self.r.choice([1, 1, 1, 2])))

    def program(self):
        r, kind, room = self.r, self.kind, 2 * 72 * 75
        restrict = "restrict " if r.random() < 0.7 and not self.shared else ""
        constant = "1" if kind == "unsigned" else "0.0009765625"
        sizes = ", ".join("{%d, %d, %d}" % size for size in self.SIZES)
        return f"""#include <stdio.h>
#include <string.h>
static {kind} a[{room}], b[{room}], c[{room}];
__attribute__((noinline)) void {self.name}(int m, int n, int ld, int upper, int unit, {kind} small, const {kind} *{restrict}alpha,
    const {kind} *{restrict}A, const {kind} *{restrict}B, {kind} *{restrict}C)
{{
{self.text}
}}
int main(void)
{{
  static const int size[][3] = {{{sizes}}};
  static const {kind} alpha[] = {{3, 2}};
  for (unsigned t = 0; t < sizeof(size) / sizeof(*size) * 2; t++) {{
    int m = size[t / 2][0], n = size[t / 2][1], most = m > n ? m : n;
    unsigned long sum = 14695981039346656037UL;
    for (int i = 0; i < {room}; i++) {{
      a[i] = ({kind})(i * 7 % 23) - 9;
      b[i] = ({kind})(i * 5 % 19) - 7;
      c[i] = ({kind})(i * 3 % 17) - 8;
    }}
    {self.name}(m, n, 2 * most + 2 * (t % 3), t & 1, size[t / 2][2] & 1, {constant}, alpha, a, b, c);
    for (unsigned i = 0; i < sizeof(c); i++)
      sum = (sum ^ ((unsigned char *)c)[i]) * 1099511628211UL;
    printf("%u %lx\\n", t, sum);
  }}
}}
"""
