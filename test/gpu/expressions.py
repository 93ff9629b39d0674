# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random C functions over integers of all widths, floats and doubles, as kernels; without undefined behaviour, and so that
NaNs' bits and zeros' signs can't be seen, which C leaves open."""
import random

INTEGERS = ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"]
BITS = {"u8": 8, "i8": 8, "u16": 16, "i16": 16, "u32": 32, "i32": 32, "u64": 64, "i64": 64}
VARIABLES = {"u32": ["a", "b"], "i32": ["c", "d"], "u64": ["e"], "i64": ["f"], "u8": ["g"], "i16": ["h"], "float": ["s", "t"],
             "double": ["x", "y"], "u16": ["k"], "i8": ["l"]}

HEAD = """#include "gpu.h"
typedef unsigned char u8;
typedef signed char i8;
typedef unsigned short u16;
typedef short i16;
typedef unsigned u32;
typedef int i32;
typedef unsigned long u64;
typedef long i64;
struct input {
  u64 e;
  i64 f;
  double x, y;
  float s, t;
  u32 a, b;
  i32 c, d;
  i16 h;
  u16 k;
  u8 g;
  i8 l;
};
static u64 bits_of(double x)
{
  union { double x; u64 bits; } u = {x == 0 ? 0 : x};
  return x != x ? 1 : u.bits;
}
"""


class Writer:
    """Expressions of a given type."""

    def __init__(self, seed):
        self.draw = random.Random(seed)

    def integer(self, t, depth):
        """An expression of integer type T."""
        draw, bits = self.draw, BITS[t]
        if depth <= 0:
            if draw.random() < 0.25:
                return f"(({t}){draw.choice([0, 1, 2, 3, 7, 31, 100, 255, 0x7fff, 12345, 0x7fffffff, 1 << 40, (1 << 63) - 1])}L)"
            return draw.choice(VARIABLES[t])
        one, two = (lambda: self.integer(t, depth - 1)), self.integer(t, depth - 1)
        signed = t[0] == "i"
        kind = draw.randrange(18)
        if kind < 6:
            return f"({t})({one()} {draw.choice(['+', '-', '*', '&', '|', '^'])} {two})"
        if kind == 6:
            return f"({t})({one()} {draw.choice('/%')} ({t})(({two} & {(1 << (bits - signed)) - 1}ul) | 1))"
        if kind == 7:
            return f"({t})({one()} {draw.choice(['<<', '>>'])} ({self.integer('u32', depth - 1)} & {bits - 1}))"
        if kind == 8:
            return f"({t})({draw.choice('~-')}{two})"
        if kind == 9:
            return f"({self.condition(depth - 1)} ? {one()} : {two})"
        if kind == 10:
            return f"({one()} {draw.choice('<>')} {two} ? {one()} : {two})"
        if kind in (11, 12):
            return f"({t}){self.integer(draw.choice(INTEGERS), depth - 1)}"
        if kind == 13:
            f = self.real(draw.choice(["float", "double"]), depth - 1)
            name = draw.choice(["to_int", "to_long"])
            return f"({t}){name}({f})"
        if kind == 14:
            by = f"({self.integer('u32', 0)} & 31)"
            return f"({t})rotated({self.integer('u32', depth - 1)}, {by})"
        if kind == 15:
            wide = draw.choice(["u32", "u64"])
            end = "ll" if wide == "u64" else ""
            name = draw.choice(["popcount", "clz", "ctz"])
            return f"({t})__builtin_{name}{end}({self.integer(wide, depth - 1)} | 1)"
        if kind == 16:
            return f"({t})(({self.integer('u64', depth - 1)} >> {draw.randrange(40)}) & {draw.choice([1, 0xff, 0xfff, 0xffffff])})"
        return f"({t})high({self.integer('u64', depth - 1)}, {self.integer('u64', depth - 1)})"

    def condition(self, depth):
        draw = self.draw
        t = draw.choice(INTEGERS + ["float", "double"])
        side = lambda: self.real(t, depth - 1) if t in ("float", "double") else self.integer(t, depth - 1)
        text = f"({side()} {draw.choice(['<', '<=', '==', '!=', '>', '>='])} {side()})"
        return draw.choice(["", "", "!"]) + text

    def real(self, t, depth):
        """An expression of type float or double."""
        draw, suffix = self.draw, "f" if t == "float" else ""
        if depth <= 0:
            if draw.random() < 0.25:
                return f"({draw.choice(['0.5', '1.0', '-2.0', '3.25', '1e10', '1e-10', '0.1'])}{suffix})"
            return draw.choice(VARIABLES[t])
        one, two = (lambda: self.real(t, depth - 1)), self.real(t, depth - 1)
        kind = draw.randrange(11)
        if kind < 5:
            return f"({one()} {draw.choice('+-*/')} {two})"
        if kind == 5:
            return f"({t}){self.real('double' if t == 'float' else 'float', depth - 1)}"
        if kind == 6:
            return f"({t}){self.integer(draw.choice(INTEGERS), depth - 1)}"
        if kind == 7:
            return f"({self.condition(depth - 1)} ? {one()} : {two})"
        if kind == 8:
            return f"__builtin_fma{suffix}({one()}, {two}, {one()})"
        if kind == 9:
            return f"__builtin_{draw.choice(['floor', 'ceil', 'trunc', 'rint', 'fabs', 'sqrt'])}{suffix}({two})"
        return f"({one()} < {two} ? {one()} : -{two})"

    def statement(self, depth):
        """Changes one of the variables, perhaps under a condition or in a loop."""
        draw = self.draw
        t = draw.choice(list(VARIABLES))
        value = self.real(t, depth) if t in ("float", "double") else self.integer(t, depth)
        text = f"{draw.choice(VARIABLES[t])} = {value};"
        kind = draw.randrange(4)
        if kind == 0:
            return f"if ({self.condition(2)}) {{ {text} }} else {{ {self.statement(depth - 1)} }}"
        if kind == 1 and depth > 1:
            return f"for (u32 n = 0, m = (a ^ g) & 7; n < m; n++) {{ {text} {self.statement(depth - 2)} }}"
        return text

    def function(self, number):
        """A kernel that makes one value of each input."""
        names = "".join(f"  {t} {', '.join(f'{v} = in[X].{v}' for v in vs)};\n" for t, vs in VARIABLES.items())
        body = "".join(f"  {self.statement(3)}\n" for _ in range(3))
        integers = " + ".join(f"(u64){v}" for t, vs in VARIABLES.items() if t in BITS for v in vs)
        reals = " ^ ".join(f"bits_of({v}) * {k}" for k, v in zip((1, 3, 5, 7), "xyst"))
        return (f"KERNEL void f{number}(const struct input *in, u64 *out, int count)\n{{\n  if (X >= count)\n    return;\n{names}"
                f"{body}  out[X] = ({integers}) ^ {reals};\n}}\n")


HELPERS = """static i32 to_int(double x)
{
  return x > -2e9 && x < 2e9 ? (i32)x : 0;
}
static i64 to_long(double x)
{
  return x > -9e18 && x < 9e18 ? (i64)x : 0;
}
static u32 rotated(u32 x, u32 by)
{
  return x << by | x >> (-by & 31);
}
static u64 high(u64 x, u64 y)
{
  return (u64)((unsigned __int128)x * y >> 64);
}
"""


def source(seed, n):
    """The text of a file of N functions, and for the host a table of them."""
    writer = Writer(seed)
    functions = "".join(writer.function(k) for k in range(n))
    table = ", ".join(f"f{k}" for k in range(n))
    return (f"{HEAD}{HELPERS}{functions}#ifndef __NVPTX__\n"
            f"static void (*const functions[])(const struct input *, u64 *, int) = {{{table}}};\n#endif\n")
